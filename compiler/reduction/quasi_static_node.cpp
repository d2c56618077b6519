#include "compiler/reduction/quasi_static_node.h"

#include <algorithm>

#include "compiler/reduction/damped_directions.h"
#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/luz_tar_rules.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// Massless coordinates that are no first-order nodes either, by coordinate.
std::vector<char> undamped_coordinates(const ReductionContext& context, const Mechanism& mechanism,
                                       const std::vector<char>& massless) {
  std::vector<char> result = massless;
  const std::vector<char> creeping = creeping_coordinates(context, mechanism, massless);
  for (std::size_t q = 0; q < result.size(); ++q) {
    if (creeping[q] != 0) result[q] = 0;
  }
  return result;
}

// Neighbours must be known when the node is solved: inertial, creeping or eliminated already.
bool neighbours_known(const Mechanism& mechanism, const NodeTerms& nodes,
                      const std::vector<char>& undamped, CoordinateId q) {
  for (const ForceTermId id : nodes[q.value]) {
    const ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive) continue;
    for (const auto& [p, c] : term.argument.terms) {
      if (p != q && undamped[p.value] &&
          mechanism.coordinates[p].role == CoordinateRole::kInertial) {
        return false;
      }
    }
  }
  return true;
}

bool depends_on_node(const ReductionContext& context, Expr load, CoordinateId q) {
  return depends_on(context.pool, load, [&](Symbol s) {
    return (s.kind == SymbolKind::kCoordinate || s.kind == SymbolKind::kVelocity ||
            s.kind == SymbolKind::kAcceleration) &&
           s.index == q.value;
  });
}

/// Of the stiffness of linear springs, what softens may take away.
constexpr double kOutweighed = 1 - 1e-9;

double squared_ratio(const ReductionContext& context, const ForceTerm& spring, CoordinateId q) {
  const double a = value_of(context, *spring.argument.coefficient(q));
  return a * a;
}

bool applies(const ReductionContext& context, const Mechanism& mechanism, const Node& node,
             CoordinateId q) {
  if (!node.dampers.empty() || !node.frictions.empty() || !node.stops.empty()) return false;
  if (node.linear_springs.empty() || node.freeplay_springs.size() > 1) return false;
  double stiffness = 0;
  for (const ForceTermId id : node.linear_springs) {
    const ForceTerm& spring = mechanism.terms[id];
    const double k = value_of(context, spring.coefficient);
    if (!spring.argument.coefficient(q) || !(k > 0)) return false;
    stiffness += k * squared_ratio(context, spring, q);
  }
  for (const ForceTermId id : node.freeplay_springs) {
    const ForceTerm& spring = mechanism.terms[id];
    const double k = value_of(context, spring.coefficient);
    if (!spring.argument.coefficient(q) || spring.one_sided) return false;
    // With one that softens, as a saturation does, there is a single place as long as the others
    // outweigh it: R6 needs no more.
    const bool outweighed = k * squared_ratio(context, spring, q) > -kOutweighed * stiffness;
    if (!(k > 0) && !outweighed) return false;
  }
  return std::none_of(node.loads.begin(), node.loads.end(), [&](ForceTermId id) {
    return depends_on_node(context, mechanism.terms[id].value, q);
  });
}

// With K = sum k_i a_i^2 of the linear springs and the load, g* is where they alone hold the node;
// u = y - g* obeys K u = k a^2 luz(X - u, b/|a|), X = -(g* + r/a), of which R6 is the solution.
void solve_quasi_static_node(Mechanism& mechanism, const ReductionContext& context,
                             const NodeTerms& nodes, const Node& node, CoordinateId q) {
  ExprPool& pool = context.pool;
  std::vector<Expr> pull, stiffness;
  for (const ForceTermId id : node.linear_springs) {
    const ForceTerm& spring = mechanism.terms[id];
    const Expr a = *spring.argument.coefficient(q);
    const Expr weight = pool.mul(spring.coefficient, a);
    pull.push_back(pool.mul(weight, to_expr(pool, without(spring.argument, q), false)));
    stiffness.push_back(pool.mul(weight, a));
  }
  for (const ForceTermId id : node.loads) {
    pull.push_back(pool.mul(*mechanism.terms[id].participation.coefficient(q),
                            pool.symbol(SymbolKind::kForce, id.value)));
  }
  const Expr total = pool.add(std::move(stiffness));
  const Expr free_position = pool.neg(pool.div(pool.add(std::move(pull)), total));
  Expr position = free_position;
  std::string result = "'" + mechanism.coordinates[q].name + "' follows from the balance of forces";
  if (!node.freeplay_springs.empty()) {
    ForceTerm& spring = mechanism.terms[node.freeplay_springs.front()];
    const Expr a = *spring.argument.coefficient(q);
    const Expr others = pool.div(to_expr(pool, without(spring.argument, q), false), a);
    const Expr own = pool.mul({spring.coefficient, a, a});
    const Expr ratio = pool.div(own, total);
    if (value_of(context, spring.coefficient) < 0) {
      rely_on(context, mechanism, pool.add(own, total));
    }
    const Expr half = pool.div(spring.half_freeplay, pool.call(Op::kAbs, {a}));
    const Expr u =
        unravel_series(pool, ratio, pool.neg(pool.add(free_position, others)), pool.zero(), half);
    position = pool.add(free_position, u);
    spring.kind = TermKind::kLoad;
    spring.value = pool.neg(pool.div(pool.mul(total, u), a));
    result +=
        ", '" + spring.name + "' between " +
        text_of(context, mechanism, pool.div(spring.half_freeplay, pool.call(Op::kAbs, {a}))) +
        " of play";
  }
  Coordinate& coordinate = mechanism.coordinates[q];
  coordinate.role = CoordinateRole::kEliminated;
  coordinate.position = position;
  drop_balance(mechanism, nodes, q);
  context.log.push_back({"quasi-static node", "R6 (Th. 4.3), P4 (40)-(45)",
                         massless_condition(mechanism, {q}) + ", no damping, no friction", result});
}

// A node on a single freeplay spring and nothing else: no force passes.
bool free_end(Mechanism& mechanism, const ReductionContext& context, const Node& node,
              CoordinateId q) {
  if (node.freeplay_springs.size() != 1 || !node.linear_springs.empty() || !node.dampers.empty() ||
      !node.frictions.empty() || !node.loads.empty() || !node.stops.empty()) {
    return false;
  }
  ExprPool& pool = context.pool;
  ForceTerm& spring = mechanism.terms[node.freeplay_springs.front()];
  const Expr* a = spring.argument.coefficient(q);
  if (!a) return false;
  Coordinate& coordinate = mechanism.coordinates[q];
  coordinate.role = CoordinateRole::kEliminated;
  coordinate.position = pool.neg(pool.div(to_expr(pool, without(spring.argument, q), false), *a));
  spring.status = TermStatus::kReplaced;
  spring.value = pool.zero();
  context.log.push_back({"free end", "force balance",
                         massless_condition(mechanism, {q}) + ", one spring",
                         "'" + spring.name + "' carries no force"});
  return true;
}

}  // namespace

Mechanism quasi_static_node(Mechanism mechanism, const ReductionContext& context) {
  const NodeTerms nodes = node_terms(mechanism);
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  const std::vector<char> undamped = undamped_coordinates(context, mechanism, massless);
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    if (!massless[q.value]) continue;
    const Node node = classify_node(context, mechanism, q, nodes[q.value]);
    if (free_end(mechanism, context, node, q)) continue;
    if (!applies(context, mechanism, node, q)) continue;
    if (!neighbours_known(mechanism, nodes, undamped, q)) continue;
    solve_quasi_static_node(mechanism, context, nodes, node, q);
  }
  return mechanism;
}

}  // namespace luztar
