// Impacts at hard stops by Newton's law.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "runtime/events/modes.h"
#include "runtime/system.h"

namespace luztar {

/// Rounding of a slip, by the terms it is made of or by the speed that bodies come on with; what is
/// left of a speed that impacts in turn have brought to an end.
inline constexpr double kSpeedRounding = 1e-13;

/// What an impact does to one member of an island.
struct ImpactResult {
  Eigen::VectorXd impulse;  // by member; 0 for frictions, whose forces are bounded
  Eigen::VectorXd after;    // by member: slip velocity, exactly 0 for contacts that stay closed
};

/// Impulses of the contacts of an island that take part, contact i at speed `slip[i]` towards its
/// side: those that approach leave with e times their speed at least, those in contact do not
/// approach. Those that part have no impulse until others make them approach: then they are hit in
/// turn, in the same instant, until none approaches. Where that has no end, as of a light body
/// between heavy ones that close in on it with a loss, all contacts close: its limit. An impulse of
/// a contact with speed u before is with -e u after, or with u = 0, so that for 0 <= e <= 1, each
/// its own, energy does not grow. Of those that others have brought together, forces part some at
/// once: such a one takes no part in what is hit in turn after that, until it is hit again.
///   contacts: by member, side -1 or 1 of a contact that takes part, else 0
///   opens:    by member, 1 of a contact that forces part where its speed is zero
///   slip, restitution: by member
///   errors: UnboundedMinimum where prescribed motions close in on the contacts
///   cost: kernel G by impacts in turn, at most 2000
[[nodiscard]] ImpactResult solve_impact(const Gram& gram, const std::vector<std::int8_t>& contacts,
                                        const std::vector<std::uint8_t>& opens,
                                        const Eigen::VectorXd& slip,
                                        const Eigen::VectorXd& restitution);

}  // namespace luztar
