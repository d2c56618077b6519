// An order of unknowns in which neighbours are near to each other.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace luztar {

/// The nodes 0 to count - 1 of a graph, so that those of an edge are near to each other: breadth
/// first from a node at an end of the graph, neighbours with few edges first. A matrix with these
/// entries is a narrow band where the graph is a chain.
///   edges   pairs i <= j
///   cost    linear in the edges, but for the order of neighbours
///   ref     [Cuthill, McKee] Proc. 24th Nat. Conf. ACM, 1969; [George, Liu] ch. 4
[[nodiscard]] std::vector<std::uint32_t> band_order(
    std::size_t count, const std::set<std::pair<std::uint32_t, std::uint32_t>>& edges);

}  // namespace luztar
