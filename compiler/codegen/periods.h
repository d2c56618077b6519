// Finds chains of statements that go on in the same way, such as an elimination along a chain of
// bodies: loops of several statements per round, each of which uses results of the one before.
#pragma once

#include <vector>

#include "compiler/codegen/repeats.h"

namespace luztar {

/// Cuts straight-line sequences where they begin to repeat: parts in which at least
/// `limits.repeats` equal series of shapes follow each other become loops, one series per round.
///   shapes   of the statements
///   cost     linear in the statements, with the longest period as a factor
[[nodiscard]] std::vector<Sequence> with_periods(std::vector<Sequence> sequences,
                                                 const std::vector<std::uint32_t>& shapes,
                                                 const PlanLimits& limits);

/// The pieces of code that share registers: rounds of loops, and statements of straight-line code.
[[nodiscard]] Statements rounds_of(const Statements& statements,
                                   const std::vector<Sequence>& sequences);

/// Rounds of a loop do the same only if they, too, are of one shape, as their statements use each
/// other's results in the same way. Loops shrink to rounds that do, the rest is straight-line code.
///   shapes   of the pieces of rounds_of
[[nodiscard]] std::vector<Sequence> of_equal_rounds(std::vector<Sequence> sequences,
                                                    const std::vector<std::uint32_t>& shapes,
                                                    const PlanLimits& limits);

}  // namespace luztar
