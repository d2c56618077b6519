// Frictions whose forces are solved for in the right-hand side: many in one island, or coupled
// through a linkage, by a matrix G that changes with the position.
#pragma once

#include <vector>

#include "compiler/lowering/explicit_system.h"

namespace luztar {

/// Forces of the frictions of a solved island (ExplicitIsland) in its mode, exact at every
/// position: those that are held solve  G_BB t = free_B - G_B. g  on independent frictions B, with
/// the given forces g of the others. Where frictions H depend on them, the shortest forces with the
/// same effect are s_H = G_HB (G_BH G_HB)^-1 G_BB t, refined once; a last step by G_BB takes what
/// the rounding of the squared matrix leaves out of the motion.
///   free   by friction: rate of its slip without the frictions of the island (creep: its slip)
///   given  by friction: its force when it is not held
///   cost   as the elimination of G, which is linear for a chain
[[nodiscard]] std::vector<Expr> solve_forces(ExprPool& pool, const ExplicitIsland& island,
                                             const std::vector<Expr>& free,
                                             const std::vector<Expr>& given);

/// Takes the entries of G that vary out of `gram`.
void separate_varying(const ExprPool& pool, std::vector<ExplicitGramEntry>& gram,
                      std::vector<ExplicitGramEntry>& varying);

}  // namespace luztar
