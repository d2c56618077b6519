// Frictions that act on each other through a linkage: their matrix G changes with the position.
#pragma once

#include <vector>

#include "compiler/lowering/explicit_system.h"

namespace luztar {

/// Forces of the frictions of a varying island (ExplicitIsland) in its mode, exact at every
/// position: those that are held solve  G_BB t = free_B - G_B. g  on independent frictions B, with
/// the given forces g of the others. Where frictions H depend on them, D_H = C D_B with
/// C = G_HB G_BB^-1, the shortest forces with the same effect are s_H = C (C' C)^-1 t.
///   free   by friction: rate of its slip without the frictions of the island (creep: its slip)
///   given  by friction: its force when it is not held
///   cost   as the elimination of G, which is linear for a chain; with `share_slot` n times that
[[nodiscard]] std::vector<Expr> varying_forces(ExprPool& pool, const ExplicitIsland& island,
                                               const std::vector<Expr>& free,
                                               const std::vector<Expr>& given);

/// Takes the entries of G that vary out of `gram`.
void separate_varying(const ExprPool& pool, ExplicitIsland& island);

}  // namespace luztar
