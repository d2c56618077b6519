// Frictions in series on bodies without inertia that hold others together through a linkage: what
// the balance of the former leaves open is solved for in the right-hand side.
#pragma once

#include <vector>

#include "compiler/lowering/explicit_system.h"
#include "compiler/lowering/friction_groups.h"

namespace luztar {

/// Forces of the frictions of a bound island in its mode, exact at every position:  s = t + N y  of
/// SeriesStresses, where  N'G N y = N' (rate - (G - drag) t)  takes the slips' rates out.
///   gram, drag  how forces act on the rates: all entries, drag row by row or empty
///   rate        by friction: rate of its slip without the frictions of the island
///   given       by friction: t
[[nodiscard]] std::vector<Expr> solve_series(ExprPool& pool, const SeriesStresses& stresses,
                                             const std::vector<ExplicitGramEntry>& gram,
                                             const std::vector<Expr>& drag,
                                             const std::vector<Expr>& rate,
                                             const std::vector<Expr>& given);

/// Gives the stresses of a bound group in which G varies their slots.
void number_stresses(ExplicitSystem& system, const FrictionGroup& group, SeriesStresses& stresses);

/// Takes the entries of `drag` that vary out of it.
void separate_varying(ExprPool& pool, std::vector<Expr>& drag,
                      std::vector<ExplicitGramEntry>& varying);

}  // namespace luztar
