#include "compiler/reduction/linkage.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"
#include "compiler/reduction/parallel_friction.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

bool is_guided(const Mechanism& mechanism, CoordinateId q) {
  return mechanism.coordinates[q].role == CoordinateRole::kGuided;
}

bool has_linkages(const Mechanism& mechanism) {
  return std::any_of(mechanism.coordinates.begin(), mechanism.coordinates.end(),
                     [](const Coordinate& c) { return c.role == CoordinateRole::kGuided; });
}

// The law in coordinates that are neither eliminated nor guided; nothing where rigid connections
// lead back to what follows from it.
std::optional<Expr> in_free_coordinates(ExprPool& pool, const Mechanism& mechanism, Expr law) {
  const auto position = [&](Symbol s) {
    if (s.kind != SymbolKind::kCoordinate) return Expr{};
    const Coordinate& c = mechanism.coordinates[CoordinateId{s.index}];
    const bool follows = c.role == CoordinateRole::kGuided || c.role == CoordinateRole::kEliminated;
    return follows ? c.position : Expr{};
  };
  for (std::size_t length = 0; length <= mechanism.coordinates.size(); ++length) {
    if (!depends_on(pool, law, [&](Symbol s) { return position(s).valid(); })) return law;
    law = substitute(pool, law, position);
  }
  return std::nullopt;
}

// A hard stop is a condition on a sum of coordinates with constant coefficients.
void check_stops(const Mechanism& mechanism, const ReductionContext& context) {
  for (const ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || term.kind != TermKind::kStop) continue;
    for (const auto& [q, c] : term.participation.terms) {
      if (!is_guided(mechanism, q)) continue;
      part_error(context.diagnostics, context.flat, Code::kRigidFreeplay, term.part, term.span,
                 "the hard stop '" + term.name + "' acts on '" + mechanism.coordinates[q].name +
                     "', which follows a linkage")
          .with_note("put the stop on the side that drives the linkage, or use a FreeplaySpring");
    }
  }
}

// Masses along a linkage with the parameters of the model, at a place of no meaning.
bool has_inertia(const ReductionContext& context, const Mechanism& mechanism, CoordinateId q) {
  const auto diagonal = mechanism.inertia.find({q, q});
  if (diagonal == mechanism.inertia.end()) return false;
  const SymbolValues values = values_at_parameters(context.pool, context.flat);
  return evaluate(context.pool, diagonal->second, values) != 0;
}

CoordinateMotion motion_of(const ReductionContext& context, const Mechanism& mechanism, Expr law) {
  ExprPool& pool = context.pool;
  const auto without_free = [&](Expr e, SymbolKind kind) {
    return substitute(pool, e, [&](Symbol s) {
      const bool free = s.kind == kind && mechanism.coordinates[CoordinateId{s.index}].role ==
                                              CoordinateRole::kInertial;
      return free ? pool.zero() : Expr{};
    });
  };
  CoordinateMotion motion{{{}, law}, {}, {}};
  for (const Symbol s : symbols_of(pool, law)) {
    if (s.kind != SymbolKind::kCoordinate) continue;
    const CoordinateId q{s.index};
    if (mechanism.coordinates[q].role != CoordinateRole::kInertial) continue;
    motion.velocity.terms.emplace_back(q, derivative(pool, law, s));
  }
  std::sort(motion.velocity.terms.begin(), motion.velocity.terms.end());
  const Expr rate = rate_of_motion(pool, law);
  motion.velocity.offset = without_free(rate, SymbolKind::kVelocity);
  motion.acceleration = without_free(rate_of_motion(pool, rate), SymbolKind::kAcceleration);
  return motion;
}

// Points would fill a page.
std::string law_text(const ReductionContext& context, const Mechanism& mechanism, Expr e) {
  if (!contains(context.pool, e, Op::kSpline)) return " = " + text_of(context, mechanism, e);
  std::string names;
  for (const Symbol s : symbols_of(context.pool, e)) {
    if (s.kind != SymbolKind::kCoordinate) continue;
    names += (names.empty() ? " follows '" : ", '") +
             mechanism.coordinates[CoordinateId{s.index}].name + "'";
  }
  return names + " piece by piece";
}

// A start velocity given on the far side of a linkage of one coordinate holds for that.
void join_start_velocity(ExprPool& pool, Mechanism& mechanism, CoordinateId p,
                         const LinearForm& velocity) {
  const Coordinate& guided = mechanism.coordinates[p];
  if (velocity.terms.size() != 1) return;
  const auto& [q, ratio] = velocity.terms.front();
  Coordinate& guide = mechanism.coordinates[q];
  if (guide.start_velocity_given >= guided.start_velocity_given || !pool.is_zero(velocity.offset))
    return;
  const Expr start_ratio = substitute(pool, ratio, [&](Symbol s) {
    return s.kind == SymbolKind::kCoordinate ? mechanism.coordinates[CoordinateId{s.index}].start
                                             : Expr{};
  });
  if (!is_parametric(pool, start_ratio)) return;
  guide.start_velocity = pool.div(guided.start_velocity, start_ratio);
  guide.start_velocity_given = guided.start_velocity_given;
}

// Slip of a friction on q alone is c(q) q': in the motion of q it is a friction of |c| T.
void take_to_own_motion(Mechanism& mechanism, const ReductionContext& context) {
  ExprPool& pool = context.pool;
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& written = mechanism.terms[id];
    if (written.status != TermStatus::kActive || written.kind != TermKind::kFriction) continue;
    if (written.argument.terms.size() != 1 || !pool.is_zero(written.argument.offset)) continue;
    const auto [q, ratio] = written.argument.terms.front();
    if (is_parametric(pool, ratio)) continue;
    ForceTerm whole = written;
    const Expr size = pool.call(Op::kAbs, {ratio});
    whole.kinetic = pool.mul(size, written.kinetic);
    whole.static_bound = pool.mul(size, written.static_bound);
    whole.argument.terms = whole.participation.terms = {{q, pool.one()}};
    const ForceTermId into = mechanism.terms.push_back(std::move(whole));
    ForceTerm& part = mechanism.terms[id];
    part.status = TermStatus::kReplaced;
    part.merged_into = into;
    part.merged_ratio = ratio;
  }
}

}  // namespace

Mechanism join_linkages(Mechanism mechanism, const ReductionContext& context) {
  if (!has_linkages(mechanism)) return mechanism;
  for (const CoordinateId p : mechanism.coordinates.ids()) {
    if (!is_guided(mechanism, p)) continue;
    Coordinate& guided = mechanism.coordinates[p];
    const auto law = in_free_coordinates(context.pool, mechanism, guided.position);
    if (!law) {
      part_error(context.diagnostics, context.flat, Code::kUnreducible, guided.part, {},
                 "'" + guided.name + "' follows a linkage, and rigid connections lead back to it")
          .with_note("they close a loop that is not linear: give one a finite stiffness");
      return mechanism;
    }
    guided.position = *law;
    for (const Symbol s : symbols_of(context.pool, *law)) {
      if (s.kind == SymbolKind::kCoordinate) {
        mechanism.coordinates[CoordinateId{s.index}].guides = true;
      }
    }
  }
  check_stops(mechanism, context);
  return mechanism;
}

Mechanism eliminate_linkages(Mechanism mechanism, const ReductionContext& context) {
  if (!has_linkages(mechanism)) return mechanism;
  NodeTerms nodes = node_terms(mechanism);
  for (const CoordinateId p : mechanism.coordinates.ids()) {
    if (!is_guided(mechanism, p)) continue;
    Coordinate& guided = mechanism.coordinates[p];
    const CoordinateMotion motion = motion_of(context, mechanism, guided.position);
    guided.role = CoordinateRole::kEliminated;
    guided.constrained = true;
    join_start_velocity(context.pool, mechanism, p, motion.velocity);
    std::size_t known = mechanism.terms.size();
    substitute_coordinate(context, mechanism, nodes, p, motion);
    for (; known < mechanism.terms.size(); ++known) {  // loads of accelerations
      const ForceTermId id{known};
      for (const auto& [q, c] : mechanism.terms[id].participation.terms) {
        nodes[q.value].push_back(id);
      }
    }
    const Coordinate& c = mechanism.coordinates[p];
    context.log.push_back(
        {"linkage", "virtual work, P4 (n1, n2)",
         "'" + c.name + "'" + law_text(context, mechanism, c.position),
         "'" + c.velocity_name + "'" +
             law_text(context, mechanism, to_expr(context.pool, motion.velocity, true))});
  }
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    const Coordinate& c = mechanism.coordinates[q];
    if (!c.guides || c.role != CoordinateRole::kInertial) continue;
    if (has_inertia(context, mechanism, q)) continue;
    part_error(context.diagnostics, context.flat, Code::kUnreducible, c.part, {},
               "'" + c.name + "' drives a linkage without any inertia on either side of it")
        .with_note("give one of the bodies that it moves an inertia");
  }
  take_to_own_motion(mechanism, context);
  return parallel_friction(std::move(mechanism), context);
}

}  // namespace luztar
