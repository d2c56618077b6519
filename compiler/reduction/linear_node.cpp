#include "compiler/reduction/linear_node.h"

#include "compiler/reduction/nodes.h"

namespace luztar {

Mechanism linear_node(Mechanism mechanism, const ReductionContext& context) {
  ExprPool& pool = context.pool;
  NodeTerms nodes = node_terms(mechanism);
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    if (mechanism.coordinates[q].role != CoordinateRole::kInertial) continue;
    if (!is_massless(context, mechanism, q)) continue;
    const Node node = classify_node(context, mechanism, q, nodes[q.value]);
    if (node.linear_springs.empty() || !node.freeplay_springs.empty() || !node.dampers.empty() ||
        !node.frictions.empty() || !node.loads.empty()) {
      continue;
    }
    // sum k_i a_i (a_i y + r_i) = 0
    LinearForm pull{{}, pool.zero()};
    std::vector<Expr> stiffness;
    for (const ForceTermId id : node.linear_springs) {
      const ForceTerm& spring = mechanism.terms[id];
      const Expr a = *spring.argument.coefficient(q);
      const Expr weight = pool.mul(spring.coefficient, a);
      pull = sum(pool, pull, scaled(pool, without(spring.argument, q), weight));
      stiffness.push_back(pool.mul(weight, a));
    }
    const Expr total = pool.add(std::move(stiffness));
    const LinearForm by = scaled(pool, pull, pool.neg(pool.div(pool.one(), total)));
    context.log.push_back({"node between linear springs",
                           "R6 without freeplay, P1 simplification 3",
                           massless_condition(mechanism, q) + ", no load",
                           "'" + mechanism.coordinates[q].name +
                               "' = " + text_of(context, mechanism, to_expr(pool, by, false))});
    eliminate_coordinate(context, mechanism, nodes, q, by);
    for (const auto& [p, c] : by.terms) {
      join_terms(nodes[p.value], node.linear_springs);
    }
  }
  return mechanism;
}

}  // namespace luztar
