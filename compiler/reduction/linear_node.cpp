#include "compiler/reduction/linear_node.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compiler/mechanics/union_find.h"
#include "compiler/reduction/damped_directions.h"
#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

bool has_linear_springs(const Node& node) {
  return !node.linear_springs.empty() && node.freeplay_springs.empty() && node.dampers.empty() &&
         node.frictions.empty() && node.stops.empty();
}

/// The load depends on how a massless node moves.
bool follows_node(const ReductionContext& context, const std::vector<char>& massless, Expr load) {
  return depends_on(context.pool, load, [&](Symbol s) {
    return (s.kind == SymbolKind::kCoordinate || s.kind == SymbolKind::kVelocity ||
            s.kind == SymbolKind::kAcceleration) &&
           massless[s.index];
  });
}

/// Nodes that hang together by springs, and otherwise only on what moves by itself.
struct Group {
  std::vector<CoordinateId> nodes;  // in the order of their ids
  std::set<ForceTermId> springs;
  std::vector<std::pair<CoordinateId, ForceTermId>> loads;
};

/// The balances sum_p K_qp x_p + g_q = 0 of a group, solved one after the other: each node by those
/// that are left and what is known. Nodes with the fewest neighbours go first, so that trees stay
/// trees.
class SpringBalances {
 public:
  SpringBalances(const ReductionContext& context, const Mechanism& mechanism, const Group& group)
      : pool_(context.pool), nominal_(context.nominal) {
    for (const CoordinateId q : group.nodes) rows_[q];
    for (const ForceTermId id : group.springs) add_spring(mechanism.terms[id]);
    for (const auto& [q, id] : group.loads) {
      rows_.at(q).pull.push_back(pool_.mul(*mechanism.terms[id].participation.coefficient(q),
                                           pool_.symbol(SymbolKind::kForce, id.value)));
    }
  }

  struct Solved {
    CoordinateId node;
    Expr position;
    bool held;  // by a stiffness that those solved before do not take away
  };

  [[nodiscard]] std::vector<Solved> solve() {
    std::vector<Solved> result;
    std::set<std::pair<std::size_t, CoordinateId>> queue;
    for (const auto& [q, row] : rows_) queue.emplace(row.neighbours.size(), q);
    while (!queue.empty()) {
      const CoordinateId q = queue.begin()->second;
      queue.erase(queue.begin());
      const Row row = std::move(rows_.at(q));
      for (const auto& [p, k] : row.neighbours) queue.erase({rows_.at(p).neighbours.size(), p});
      result.push_back(eliminate(q, row));
      for (const auto& [p, k] : row.neighbours) queue.emplace(rows_.at(p).neighbours.size(), p);
    }
    return result;
  }

 private:
  struct Row {
    std::vector<Expr> stiffness, pull;        // summands of K_qq and g_q
    std::map<CoordinateId, Expr> neighbours;  // K_qp
  };

  // F = k (sum a_q x_q + r) gives a_q k a_p in K_qp and a_q k r in g_q.
  void add_spring(const ForceTerm& spring) {
    LinearForm known = spring.argument;
    std::erase_if(known.terms, [&](const auto& term) { return rows_.contains(term.first); });
    const Expr r = to_expr(pool_, known, false);
    for (const auto& [q, a] : spring.argument.terms) {
      if (!rows_.contains(q)) continue;
      Row& row = rows_.at(q);
      const Expr weight = pool_.mul(spring.coefficient, a);
      row.stiffness.push_back(pool_.mul(weight, a));
      row.pull.push_back(pool_.mul(weight, r));
      for (const auto& [p, other] : spring.argument.terms) {
        if (p != q && rows_.contains(p)) couple(q, p, pool_.mul(weight, other));
      }
    }
  }

  void couple(CoordinateId q, CoordinateId p, Expr k) {
    const auto [it, fresh] = rows_.at(q).neighbours.emplace(p, k);
    if (!fresh) it->second = pool_.add(it->second, k);
  }

  Solved eliminate(CoordinateId q, const Row& row) {
    const Expr stiffness = pool_.add(row.stiffness);
    const Expr pull = pool_.add(row.pull);
    std::vector<Expr> all{pull};
    for (const auto& [p, k] : row.neighbours) {
      all.push_back(pool_.mul(k, pool_.symbol(SymbolKind::kCoordinate, p.value)));
      const Expr ratio = pool_.neg(pool_.div(k, stiffness));
      Row& other = rows_.at(p);
      other.neighbours.erase(q);
      other.stiffness.push_back(pool_.mul(ratio, k));
      other.pull.push_back(pool_.mul(ratio, pull));
      for (const auto& [r, further] : row.neighbours) {
        if (r != p) couple(p, r, pool_.mul(ratio, further));
      }
    }
    return {q, pool_.neg(pool_.div(pool_.add(std::move(all)), stiffness)), is_held(row, stiffness)};
  }

  [[nodiscard]] bool is_held(const Row& row, Expr stiffness) const {
    constexpr double kZero = 1e-12;  // of the stiffness of the springs
    double greatest = 0;
    for (const Expr k : row.stiffness) greatest = std::max(greatest, std::fabs(nominal_.value(k)));
    return std::fabs(nominal_.value(stiffness)) > kZero * greatest;
  }

  ExprPool& pool_;
  const NominalPoint& nominal_;
  std::map<CoordinateId, Row> rows_;
};

/// Groups whose neighbours are known when they are solved: inertial, creeping or eliminated.
std::vector<Group> closed_groups(const ReductionContext& context, const Mechanism& mechanism,
                                 const NodeTerms& nodes) {
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  const std::vector<char> creeping = creeping_coordinates(context, mechanism, massless);
  std::vector<Node> found(mechanism.coordinates.size());
  UnionFind together(mechanism.coordinates.size());
  std::vector<char> closed(mechanism.coordinates.size(), 1);
  const auto each_spring = [&](auto visit) {
    for (const CoordinateId q : mechanism.coordinates.ids()) {
      for (const ForceTermId id : found[q.value].linear_springs) visit(q, id);
    }
  };
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    if (!massless[q.value]) continue;
    Node node = classify_node(context, mechanism, q, nodes[q.value]);
    const bool given = std::none_of(node.loads.begin(), node.loads.end(), [&](ForceTermId id) {
      return follows_node(context, massless, mechanism.terms[id].value);
    });
    if (given && has_linear_springs(node)) found[q.value] = std::move(node);
  }
  const auto taken = [&](CoordinateId p) { return !found[p.value].linear_springs.empty(); };
  each_spring([&](CoordinateId q, ForceTermId id) {
    for (const auto& [p, c] : mechanism.terms[id].argument.terms) {
      if (taken(p)) together.unite(q.value, p.value);
    }
  });
  each_spring([&](CoordinateId q, ForceTermId id) {
    for (const auto& [p, c] : mechanism.terms[id].argument.terms) {
      if (massless[p.value] && !taken(p) && !creeping[p.value]) closed[together.find(q.value)] = 0;
    }
  });
  std::map<std::size_t, Group> groups;
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    const std::size_t root = together.find(q.value);
    if (!taken(q) || !closed[root]) continue;
    Group& group = groups[root];
    group.nodes.push_back(q);
    group.springs.insert(found[q.value].linear_springs.begin(),
                         found[q.value].linear_springs.end());
    for (const ForceTermId id : found[q.value].loads) group.loads.emplace_back(q, id);
  }
  std::vector<Group> result;
  for (auto& [root, group] : groups) {
    const bool loaded_alone = group.nodes.size() == 1 && !group.loads.empty();
    if (!loaded_alone) result.push_back(std::move(group));  // see quasi_static_node
  }
  return result;
}

/// Defines the nodes of a group, which need no balances of their own then; not one that nothing
/// holds.
void define(Mechanism& mechanism, const ReductionContext& context, const NodeTerms& nodes,
            const Group& group) {
  const std::vector<SpringBalances::Solved> solved =
      SpringBalances(context, mechanism, group).solve();
  if (!std::all_of(solved.begin(), solved.end(), [](const auto& s) { return s.held; })) return;
  std::vector<CoordinateId> massless;
  std::vector<std::string> names;
  for (const SpringBalances::Solved& s : solved) {
    Coordinate& coordinate = mechanism.coordinates[s.node];
    coordinate.role = CoordinateRole::kEliminated;
    coordinate.position = s.position;
    drop_balance(mechanism, nodes, s.node);
    massless.push_back(s.node);
    names.push_back(coordinate.name);
  }
  const bool alone = solved.size() == 1;
  context.log.push_back(
      {alone ? "node between linear springs" : "nodes between linear springs",
       group.loads.empty() ? "R6 without freeplay, P1 simplification 3" : "R6, P4 (40)-(45)",
       massless_condition(mechanism, massless) +
           (group.loads.empty() ? ", no load" : ", no damping, no friction"),
       list_of(names) + (alone ? " = " + text_of(context, mechanism, solved.front().position)
                               : " follow one from the other and the bodies they hang on")});
}

/// Puts a node whose neighbours are not known yet into its springs.
void put_into_springs(Mechanism& mechanism, const ReductionContext& context, NodeTerms& nodes,
                      const Node& node, CoordinateId q) {
  ExprPool& pool = context.pool;
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
  context.log.push_back({"node between linear springs", "R6 without freeplay, P1 simplification 3",
                         massless_condition(mechanism, {q}) + ", no load",
                         "'" + mechanism.coordinates[q].name +
                             "' = " + text_of(context, mechanism, to_expr(pool, by, false))});
  eliminate_coordinate(context, mechanism, nodes, q, by);
  for (const auto& [p, c] : by.terms) {
    join_terms(nodes[p.value], node.linear_springs);
  }
}

}  // namespace

Mechanism linear_node(Mechanism mechanism, const ReductionContext& context) {
  NodeTerms nodes = node_terms(mechanism);
  for (const Group& group : closed_groups(context, mechanism, nodes)) {
    define(mechanism, context, nodes, group);
  }
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    if (mechanism.coordinates[q].role != CoordinateRole::kInertial) continue;
    if (!is_massless(context, mechanism, q)) continue;
    const Node node = classify_node(context, mechanism, q, nodes[q.value]);
    if (has_linear_springs(node) && node.loads.empty())
      put_into_springs(mechanism, context, nodes, node, q);
  }
  return mechanism;
}

}  // namespace luztar
