#include "compiler/reduction/massless_creep.h"

#include <algorithm>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/luz_tar_rules.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

// Velocities the node's dampers and friction depend on must belong to coordinates with inertia (or
// known motions).
bool neighbours_known(const Mechanism& mechanism, const Node& node,
                      const std::vector<char>& massless, CoordinateId q) {
  for (const auto* group : {&node.dampers, &node.frictions}) {
    for (const ForceTermId id : *group) {
      for (const auto& [p, c] : mechanism.terms[id].argument.terms) {
        if (p != q && massless[p.value]) return false;
      }
    }
  }
  return true;
}

bool independent_of_rate(const ReductionContext& context, Expr e, CoordinateId q) {
  return !depends_on(context.pool, e, [&](Symbol s) {
    return (s.kind == SymbolKind::kVelocity || s.kind == SymbolKind::kAcceleration) &&
           s.index == q.value;
  });
}

// R8 needs a velocity that damping determines, and one bound for sliding and sticking.
bool has_closed_form(const ReductionContext& context, const ForceTerm& friction) {
  if (friction.rest_speed.valid()) return false;
  return friction.kinetic == friction.static_bound ||
         value_of(context, friction.kinetic) == value_of(context, friction.static_bound);
}

// Balance of the node: C u + rest + T' sgh(u) = 0 with u the slip per unit of node velocity; R8
// gives u = luz(r, T')/C and the friction force nas(r, T').
void solve_creep_node(Mechanism& mechanism, const ReductionContext& context, const NodeTerms& nodes,
                      const Node& node, CoordinateId q) {
  ExprPool& pool = context.pool;
  Expr slip_shift = pool.zero();  // u = v_q + slip_shift
  Expr bound = pool.zero();
  Expr lever = pool.one();
  if (!node.frictions.empty()) {
    const ForceTerm& friction = mechanism.terms[node.frictions.front()];
    lever = *friction.argument.coefficient(q);
    slip_shift = pool.div(to_expr(pool, without(friction.argument, q), true), lever);
    bound = pool.mul(friction.kinetic, pool.call(Op::kAbs, {lever}));
  }
  std::vector<Expr> damping, push;
  for (const ForceTermId id : node.dampers) {
    const ForceTerm& damper = mechanism.terms[id];
    const Expr a = *damper.argument.coefficient(q);
    const Expr weight = pool.mul(damper.coefficient, a);
    damping.push_back(pool.mul(weight, a));
    const Expr others = to_expr(pool, without(damper.argument, q), true);
    push.push_back(pool.mul(weight, pool.sub(others, pool.mul(a, slip_shift))));
  }
  for (const auto* group : {&node.linear_springs, &node.freeplay_springs, &node.loads}) {
    for (const ForceTermId id : *group) {
      push.push_back(pool.mul(*mechanism.terms[id].participation.coefficient(q),
                              pool.symbol(SymbolKind::kForce, id.value)));
    }
  }
  const Expr total = pool.add(std::move(damping));
  const Expr load = pool.neg(pool.add(std::move(push)));
  const Expr slip = massless_friction_velocity(pool, load, total, bound);
  std::string result;
  if (!node.frictions.empty()) {
    ForceTerm& friction = mechanism.terms[node.frictions.front()];
    friction.kind = TermKind::kLoad;
    friction.value = pool.div(pool.nas(load, bound), lever);
    friction.mode = pool.call(Op::kSign, {pool.mul(lever, pool.luz(load, bound))});
  }
  Coordinate& coordinate = mechanism.coordinates[q];
  coordinate.role = CoordinateRole::kCreep;
  coordinate.velocity = pool.sub(slip, slip_shift);
  drop_balance(mechanism, nodes, q);
  result =
      "'" + coordinate.velocity_name + "' = " + text_of(context, mechanism, coordinate.velocity);
  context.log.push_back({"massless creep", "R8 (Th. 5.3), P1 simplification 1, P4 (39)",
                         massless_condition(mechanism, {q}) + ", damping " +
                             text_of(context, mechanism, total) + " > 0",
                         result});
}

// A rigid contact has a say in the velocity while it is closed.
bool has_contact(const ReductionContext& context, const Mechanism& mechanism, const Node& node) {
  return !node.stops.empty() ||
         std::any_of(node.freeplay_springs.begin(), node.freeplay_springs.end(),
                     [&](ForceTermId id) { return is_rigid_spring(context, mechanism.terms[id]); });
}

}  // namespace

Mechanism massless_creep(Mechanism mechanism, const ReductionContext& context) {
  const NodeTerms nodes = node_terms(mechanism);
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    if (!massless[q.value]) continue;
    const Node node = classify_node(context, mechanism, q, nodes[q.value]);
    if (node.dampers.empty() && node.frictions.empty()) continue;
    if (node.frictions.size() > 1 || !neighbours_known(mechanism, node, massless, q)) continue;
    bool closed = !has_contact(context, mechanism, node);
    double damping = 0;
    for (const ForceTermId id : node.dampers) {
      const ForceTerm& damper = mechanism.terms[id];
      const Expr* a = damper.argument.coefficient(q);
      closed = closed && a != nullptr;
      if (a) damping += value_of(context, context.pool.mul({damper.coefficient, *a, *a}));
    }
    for (const ForceTermId id : node.loads) {
      closed = closed && independent_of_rate(context, mechanism.terms[id].value, q);
    }
    if (!node.frictions.empty()) {
      const ForceTerm& friction = mechanism.terms[node.frictions.front()];
      closed = closed && friction.argument.coefficient(q) &&
               independent_of_rate(context, friction.kinetic, q) &&
               has_closed_form(context, friction);
    }
    if (closed && damping > 0) solve_creep_node(mechanism, context, nodes, node, q);
  }
  return mechanism;
}

}  // namespace luztar
