#include "compiler/lowering/band_order.h"

#include <algorithm>
#include <tuple>

namespace luztar {
namespace {

using Neighbours = std::vector<std::vector<std::uint32_t>>;

/// Appends the nodes that hang together with `start`, level by level from there.
void append_levels(const Neighbours& neighbours, std::uint32_t start, std::vector<char>& seen,
                   std::vector<std::uint32_t>& order) {
  std::size_t next = order.size();
  order.push_back(start);
  seen[start] = 1;
  for (; next < order.size(); ++next) {
    const std::uint32_t node = order[next];
    const std::size_t first = order.size();
    for (const std::uint32_t other : neighbours[node]) {
      if (seen[other] != 0) continue;
      seen[other] = 1;
      order.push_back(other);
    }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
              [&](std::uint32_t a, std::uint32_t b) {
                return std::tuple(neighbours[a].size(), a) < std::tuple(neighbours[b].size(), b);
              });
  }
}

}  // namespace

std::vector<std::uint32_t> band_order(
    std::size_t count, const std::set<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  Neighbours neighbours(count);
  for (const auto& [i, j] : edges) {
    if (i == j) continue;
    neighbours[i].push_back(j);
    neighbours[j].push_back(i);
  }
  std::vector<char> seen(count, 0), probed(count, 0);
  std::vector<std::uint32_t> order, probe;
  for (std::uint32_t node = 0; node < count; ++node) {
    if (seen[node] != 0) continue;
    // The last one of the levels from anywhere is far from it: an end of the graph.
    probe.clear();
    append_levels(neighbours, node, probed, probe);
    const auto first = static_cast<std::ptrdiff_t>(order.size());
    append_levels(neighbours, probe.back(), seen, order);
    if (order.back() < order[static_cast<std::size_t>(first)]) {
      std::reverse(order.begin() + first, order.end());  // as near to the given order
    }
  }
  return order;
}

}  // namespace luztar
