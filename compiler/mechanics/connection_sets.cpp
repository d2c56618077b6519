#include "compiler/mechanics/connection_sets.h"

#include <numeric>

#include "compiler/mechanics/union_find.h"

namespace luztar {
namespace {

// Every connector stands for two nodes: as its part is seen from outside (2i), and from inside (2i
// + 1).
std::size_t node(ConnectorId connector, bool from_inside) {
  return 2 * static_cast<std::size_t>(connector.value) + (from_inside ? 1 : 0);
}

}  // namespace

ConnectionSets connection_sets(const FlatModel& flat) {
  UnionFind sets(2 * flat.connectors.size());
  std::vector<char> used_inside(flat.connectors.size(), 0);
  ConnectionSets result;
  const auto equate = [&](const std::vector<VariableId>& a, const std::vector<VariableId>& b) {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
      result.equalities.emplace_back(a[i], b[i]);
    }
  };
  for (const FlatConnection& connection : flat.connections) {
    const FlatConnector& a = flat.connectors[connection.a];
    const FlatConnector& b = flat.connectors[connection.b];
    const bool a_inside = a.part == connection.scope;
    const bool b_inside = b.part == connection.scope;
    if (a_inside) used_inside[connection.a.value] = 1;
    if (b_inside) used_inside[connection.b.value] = 1;
    sets.unite(node(connection.a, a_inside), node(connection.b, b_inside));
    equate(a.potentials, b.potentials);
    equate(a.signals, b.signals);
  }

  // One balance per set and flow, in the order of the first connector of each set.
  std::vector<std::vector<std::size_t>> members(2 * flat.connectors.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < 2 * flat.connectors.size(); ++i) {
    if (i % 2 == 1 && !used_inside[i / 2]) continue;
    const std::size_t root = sets.find(i);
    if (members[root].empty()) order.push_back(root);
    members[root].push_back(i);
  }
  for (const std::size_t root : order) {
    const std::size_t flows = flat.connectors[ConnectorId{members[root].front() / 2}].flows.size();
    for (std::size_t k = 0; k < flows; ++k) {
      FlowBalance balance;
      for (const std::size_t member : members[root]) {
        const FlatConnector& connector = flat.connectors[ConnectorId{member / 2}];
        if (k < connector.flows.size()) {
          balance.flows.emplace_back(connector.flows[k], member % 2 == 1 ? -1 : 1);
        }
      }
      result.balances.push_back(std::move(balance));
    }
  }
  return result;
}

}  // namespace luztar
