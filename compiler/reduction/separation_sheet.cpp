#include "compiler/reduction/separation_sheet.h"

#include <optional>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/luz_tar_rules.h"

namespace luztar {
namespace {

// One face of the sheet: a friction and the dampers with the same slip, per unit of sheet velocity.
struct Face {
  ForceTermId friction;
  std::vector<ForceTermId> dampers;
  LinearForm slip;  // u = v_sheet + rest
  Expr damping;     // sum c a^2
  Expr bound;       // T |a|
};

bool same_form(const IdentityTest& identity, const LinearForm& a, const LinearForm& b) {
  if (a.terms.size() != b.terms.size() || !identity.equal(a.offset, b.offset)) return false;
  for (std::size_t i = 0; i < a.terms.size(); ++i) {
    if (a.terms[i].first != b.terms[i].first) return false;
    if (!identity.equal(a.terms[i].second, b.terms[i].second)) return false;
  }
  return true;
}

std::optional<LinearForm> unit_slip(const ReductionContext& context, const ForceTerm& term,
                                    CoordinateId q) {
  const Expr* a = term.argument.coefficient(q);
  if (!a) return std::nullopt;
  return scaled(context.pool, term.argument, context.pool.div(context.pool.one(), *a));
}

std::optional<Face> make_face(const ReductionContext& context, const Mechanism& mechanism,
                              ForceTermId id, CoordinateId q) {
  const ForceTerm& friction = mechanism.terms[id];
  const auto slip = unit_slip(context, friction, q);
  if (!slip || !is_parametric(context.pool, friction.kinetic)) return std::nullopt;
  const Expr a = *friction.argument.coefficient(q);
  return Face{id,
              {},
              *slip,
              context.pool.zero(),
              context.pool.mul(friction.kinetic, context.pool.call(Op::kAbs, {a}))};
}

// R7 holds for one bound in sliding and sticking.
bool has_closed_form(const ReductionContext& context, const Mechanism& mechanism,
                     const Face& face) {
  const ForceTerm& friction = mechanism.terms[face.friction];
  return value_of(context, friction.kinetic) == value_of(context, friction.static_bound);
}

void replace(Mechanism& mechanism, const ReductionContext& context, Face& lower, Face& upper,
             CoordinateId q) {
  ExprPool& pool = context.pool;
  // P2 case 4: y is the sheet's velocity against the lower face, x the slip between the outer
  // bodies.
  const LinearForm x =
      without(sum(pool, lower.slip, scaled(pool, upper.slip, pool.constant(-1))), q);
  const Expr slip = to_expr(pool, x, true);
  const Expr y =
      separation_sheet(pool, upper.damping, upper.bound, lower.damping, lower.bound, slip);
  const Expr sliding_above = pool.call(Op::kLessEqual, {lower.bound, upper.bound});

  ForceTerm friction = mechanism.terms[lower.friction];
  friction.name = mechanism.terms[lower.friction].name + "+" + mechanism.terms[upper.friction].name;
  friction.argument = x;
  friction.participation = {x.terms, pool.zero()};
  friction.kinetic = pool.call(Op::kMin, {upper.bound, lower.bound});
  friction.static_bound = friction.kinetic;
  ForceTerm viscous = friction;
  viscous.kind = TermKind::kLoad;
  viscous.origin = TermKind::kLoad;
  viscous.value = pool.if_then_else(sliding_above, pool.mul(lower.damping, y),
                                    pool.mul(upper.damping, pool.sub(slip, y)));
  const ForceTermId friction_id = mechanism.terms.push_back(friction);
  const ForceTermId viscous_id = mechanism.terms.push_back(viscous);
  const Expr viscous_force = pool.symbol(SymbolKind::kForce, viscous_id.value);
  const Expr friction_force = pool.symbol(SymbolKind::kForce, friction_id.value);
  const Expr force = pool.add(friction_force, viscous_force);

  Coordinate& coordinate = mechanism.coordinates[q];
  coordinate.role = CoordinateRole::kCreep;
  coordinate.velocity = pool.sub(y, to_expr(pool, without(lower.slip, q), true));
  for (Face* face : {&lower, &upper}) {
    ForceTerm& old = mechanism.terms[face->friction];
    const Expr a = *old.argument.coefficient(q);
    // a (dampers + friction) = +force on the lower face, -force on the upper one
    const Expr transmitted = face == &lower ? force : pool.neg(force);
    std::vector<Expr> rest{transmitted};
    for (const ForceTermId id : face->dampers) {
      ForceTerm& damper = mechanism.terms[id];
      damper.status = TermStatus::kReplaced;
      damper.value = pool.mul(damper.coefficient, to_expr(pool, damper.argument, true));
      rest.push_back(pool.neg(
          pool.mul(*damper.argument.coefficient(q), pool.symbol(SymbolKind::kForce, id.value))));
    }
    old.status = TermStatus::kReplaced;
    old.value = pool.div(pool.add(std::move(rest)), a);
    old.mode = pool.call(Op::kSign, {to_expr(pool, old.argument, true)});
  }
  context.log.push_back({"separation sheet", "R7, P2 sec. 4 case 4",
                         massless_condition(mechanism, {q}) + ", no load",
                         "'" + mechanism.terms[lower.friction].name + "' and '" +
                             mechanism.terms[upper.friction].name + "' act as one friction of " +
                             text_of(context, mechanism, friction.kinetic)});
}

}  // namespace

Mechanism separation_sheet(Mechanism mechanism, const ReductionContext& context) {
  const IdentityTest identity(context.pool, context.flat);
  const NodeTerms nodes = node_terms(mechanism);
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    if (!massless[q.value]) continue;
    const Node node = classify_node(context, mechanism, q, nodes[q.value]);
    if (node.frictions.size() != 2 || !node.linear_springs.empty() ||
        !node.freeplay_springs.empty() || !node.loads.empty() || !node.stops.empty()) {
      continue;
    }
    auto lower = make_face(context, mechanism, node.frictions[1], q);
    auto upper = make_face(context, mechanism, node.frictions[0], q);
    if (!lower || !upper || same_form(identity, lower->slip, upper->slip)) continue;
    bool matched = true;
    for (const ForceTermId id : node.dampers) {
      const auto slip = unit_slip(context, mechanism.terms[id], q);
      Face* face = !slip                                     ? nullptr
                   : same_form(identity, *slip, lower->slip) ? &*lower
                   : same_form(identity, *slip, upper->slip) ? &*upper
                                                             : nullptr;
      matched = matched && face;
      if (!face) continue;
      face->dampers.push_back(id);
      const Expr a = *mechanism.terms[id].argument.coefficient(q);
      face->damping = context.pool.add(face->damping,
                                       context.pool.mul({mechanism.terms[id].coefficient, a, a}));
    }
    for (const Face* face : {&*lower, &*upper}) {
      for (const auto& [p, c] : face->slip.terms)
        matched = matched && (p == q || !massless[p.value]);
    }
    const double damping = value_of(context, context.pool.add(lower->damping, upper->damping));
    if (!matched || !(damping > 0)) continue;
    if (!has_closed_form(context, mechanism, *lower) ||
        !has_closed_form(context, mechanism, *upper)) {
      continue;
    }
    replace(mechanism, context, *lower, *upper, q);
  }
  return mechanism;
}

}  // namespace luztar
