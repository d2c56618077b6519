// How the size of a friction is written in the speed of its slip.
#pragma once

#include <optional>
#include <vector>

#include "compiler/reduction/reduction.h"

namespace luztar {

/// The massless body whose speed the friction slips with and e depends on, if any.
[[nodiscard]] std::optional<CoordinateId> own_speed(const ReductionContext& context,
                                                    const std::vector<char>& massless,
                                                    const ForceTerm& friction, Expr e);

/// ratio = w/slip, when that depends on parameters alone.
[[nodiscard]] std::optional<Expr> ratio_to(const ReductionContext& context,
                                           const IdentityTest& identity, Expr w, Expr slip);

/// factor, when e = factor * |ratio * slip|.
[[nodiscard]] std::optional<Expr> factor_of_speed(const ReductionContext& context,
                                                  const IdentityTest& identity, Expr e, Expr slip);

/// The sum of two frictions with one slip falls in a way that a single one may, at a massless body:
/// along lines, or exponentially with one decay (falling_friction.h).
[[nodiscard]] bool adds_up(const ReductionContext& context, const IdentityTest& identity,
                           const std::vector<char>& massless, const ForceTerm& a,
                           const ForceTerm& b);

/// `root` with the node `what` replaced.
[[nodiscard]] Expr replaced(ExprPool& pool, Expr root, Expr what, Expr by);

/// Tables from rest on, bounds and dead zones of speeds |w| by saturations nas(|w|, V) and |w|
/// itself, as far as these are affine in one speed, with numbers that parameters make; which are
/// noted as fixed.
[[nodiscard]] Expr by_saturations(Mechanism& mechanism, const ReductionContext& context,
                                  const IdentityTest& identity, Expr root);

}  // namespace luztar
