// Queries and substitutions on a mechanism that several reduction rules need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/reduction/reduction.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

/// Coordinates that have an entry of M together with one; the entry may be gone since.
using Couplings = std::vector<std::vector<CoordinateId>>;
[[nodiscard]] Couplings couplings(const Mechanism& mechanism);

/// Active terms by coordinate: those that push on it, or did so earlier; and its couplings.
struct NodeTerms {
  std::vector<std::vector<ForceTermId>> terms;
  Couplings coupled;

  [[nodiscard]] const std::vector<ForceTermId>& operator[](std::size_t q) const { return terms[q]; }
  [[nodiscard]] std::vector<ForceTermId>& operator[](std::size_t q) { return terms[q]; }
};
[[nodiscard]] NodeTerms node_terms(const Mechanism& mechanism);
/// Adds some terms to those of a node: each once, in the order of their ids.
void join_terms(std::vector<ForceTermId>& node, const std::vector<ForceTermId>& others);

/// The terms that push on one node, by kind; `terms` may hold others that did so earlier.
struct Node {
  std::vector<ForceTermId> linear_springs;    // half freeplay 0, finite stiffness
  std::vector<ForceTermId> freeplay_springs;  // half freeplay > 0, infinite stiffness or one side
  std::vector<ForceTermId> dampers, frictions, loads;
  std::vector<ForceTermId> stops;  // hard stops
};
[[nodiscard]] Node classify_node(const ReductionContext& context, const Mechanism& mechanism,
                                 CoordinateId q, const std::vector<ForceTermId>& terms);

/// Value of a parameter expression in the compiled model; NaN when it is not one. One that is 0 or
/// inf is noted as a limit.
[[nodiscard]] double value_of(const ReductionContext& context, Expr e);

/// A spring of infinite stiffness: a rigid connection, with play or without.
[[nodiscard]] bool is_rigid_spring(const ReductionContext& context, const ForceTerm& term);

/// No inertia belongs to q, nor to what follows it by a linkage: it is to be taken by a massless
/// limit.
[[nodiscard]] bool is_massless(const ReductionContext& context, const Mechanism& mechanism,
                               CoordinateId q);
/// Massless coordinates that no rule has taken yet, by coordinate.
[[nodiscard]] std::vector<char> massless_coordinates(const ReductionContext& context,
                                                     const Mechanism& mechanism);

/// Other terms take the place of a spring: its own force stays what it is.
void replace_spring(ExprPool& pool, ForceTerm& spring);
/// A load of this value where the spring acts, and of its part.
[[nodiscard]] ForceTerm load_of(ExprPool& pool, const ForceTerm& spring, Expr value);

/// Of one in symbols of coordinates.
[[nodiscard]] LinearForm linear_form(const AffineForm& form);
[[nodiscard]] LinearForm scaled(ExprPool& pool, const LinearForm& form, Expr factor);
[[nodiscard]] LinearForm sum(ExprPool& pool, const LinearForm& a, const LinearForm& b);
[[nodiscard]] LinearForm without(const LinearForm& form, CoordinateId q);
/// form with coordinate q replaced by `by`.
[[nodiscard]] LinearForm replaced(ExprPool& pool, const LinearForm& form, CoordinateId q,
                                  const LinearForm& by);

/// Notes that a sum of stiffnesses is not negative for the present parameter values alone, as some
/// of them are.
void rely_on(const ReductionContext& context, Mechanism& mechanism, Expr stiffness);

/// b = ratio * a, or nothing.
[[nodiscard]] std::optional<Expr> ratio_of(const ReductionContext& context,
                                           const IdentityTest& identity, const LinearForm& a,
                                           const LinearForm& b);

/// b = ratio * a + shift
struct ShiftedRatio {
  Expr ratio, shift;  // over parameters
};
/// Of two forms that differ by a factor and a constant alone.
[[nodiscard]] std::optional<ShiftedRatio> shifted_ratio_of(const ReductionContext& context,
                                                           const IdentityTest& identity,
                                                           const LinearForm& a,
                                                           const LinearForm& b);

/// Marks q eliminated, with q = by(other coordinates), which may be eliminated themselves but do
/// not follow q. `constrained`: by a rigid connection, not by a balance of forces.
void mark_eliminated(const ReductionContext& context, Mechanism& mechanism, CoordinateId q,
                     const LinearForm& by, bool constrained);

/// Start values of q move on to the coordinate it follows when that has none of its own; the start
/// checks of the mechanism compare them otherwise.
void join_starts(const ReductionContext& context, Mechanism& mechanism, CoordinateId q,
                 const LinearForm& by);

/// q = by(coordinates that are left) by a balance of forces: marks it and transforms inertia and
/// all terms (virtual work: participations follow d(by)/dq).
void eliminate_coordinate(const ReductionContext& context, Mechanism& mechanism, NodeTerms& nodes,
                          CoordinateId q, const LinearForm& by);

/// How a coordinate q moves with others: q = position, q' = velocity (offset without their
/// velocities), q'' = velocity.terms times their accelerations + acceleration. Coefficients may
/// depend on coordinates.
struct CoordinateMotion {
  LinearForm position, velocity;
  Expr acceleration;
};

/// The motion of a coordinate that is `by` in coordinates that are left.
[[nodiscard]] CoordinateMotion motion_by(ExprPool& pool, const LinearForm& by);

/// The transformation alone, for a coordinate that keeps its role.
void substitute_coordinate(const ReductionContext& context, Mechanism& mechanism, NodeTerms& nodes,
                           CoordinateId q, const CoordinateMotion& by);

/// M -> S^T M S with the row S of q; the rest of its acceleration is a load.
///   cost: the entries of M in the row of q times those of S
void transform_inertia(const ReductionContext& context, Mechanism& mechanism, Couplings& coupled,
                       CoordinateId q, const CoordinateMotion& by);

/// q no longer has a balance of its own: takes it out of all participations.
void drop_balance(Mechanism& mechanism, const NodeTerms& nodes, CoordinateId q);

[[nodiscard]] std::string text_of(const ReductionContext& context, const Mechanism& mechanism,
                                  Expr e);
/// "'a', 'b'": of more than ten the first ones, and how many others there are.
[[nodiscard]] std::string list_of(const std::vector<std::string>& names);
/// "no inertia at 'pinion.phi'"
[[nodiscard]] std::string massless_condition(const Mechanism& mechanism,
                                             const std::vector<CoordinateId>& massless);

}  // namespace luztar
