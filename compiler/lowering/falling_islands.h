// Frictions of damped bodies without inertia that fall with speed, or hold with more than they
// slide with, and others that act on the same speed (P3, Stribeck, in the limit M -> 0).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/lowering/lowering.h"

namespace luztar {

/// Where such a friction falls by more than the damping rises it lets no speed last by itself: its
/// body goes on until another friction holds it, or to where the damping rises by more again. While
/// another one holds the body, the speed is that of what it is held to, and the friction slips
/// there; so does a contact that pushes it. Where a load jumps the body comes by the speeds at
/// which T_S may hold it, too.
///   pre:    the frictions of the island are numbered
///   post:   slots for the one that holds, and for lines on which a body slips; `speed` of the
///           island, also where T_S > T_K alone
///   errors: LT4007 where levers between several such bodies vary
void write_falling(Lowering& l, ExplicitIsland& island, const FrictionGroup& group);

/// d_i C^-1 d_j' of frictions of an island, by place in it; none: it varies or is zero.
[[nodiscard]] std::optional<Expr> compliance(const ExplicitIsland& island, std::uint32_t i,
                                             std::uint32_t j);

/// What damped bodies without inertia make of a slip.
[[nodiscard]] LinearForm creeping_part(Lowering& l, const ForceTerm& term);

/// Places in an island by index of the system.
[[nodiscard]] std::vector<std::uint32_t> numbered(const ExplicitIsland& island,
                                                  const std::vector<std::uint32_t>& places);

/// It varies with speed.
[[nodiscard]] bool falls(const Lowering& l, std::uint32_t friction);
[[nodiscard]] bool any_falls(const Lowering& l, const std::vector<std::uint32_t>& frictions);

/// Without damping the limit is not known.
void report_falling_in_series(Lowering& l, const ForceTerm& term);

/// Without damping a slip would follow the load where the friction rises with it.
void report_rising(Lowering& l, const ForceTerm& term);

}  // namespace luztar
