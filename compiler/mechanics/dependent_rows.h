// Linear equations that depend on each other, in numbers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace luztar {

/// (column, coefficient), each column once.
using NumberRow = std::vector<std::pair<std::uint32_t, double>>;

/// The rows that row `target` is a combination of, itself among them, in ascending order; empty
/// when it is independent of the others. Where the others are independent the set is the only one,
/// and none of it can be left out.
///   cost: linear, apart from the rows that are left when those with a column of their own are
///         taken away one after the other (loops); cubic in these
[[nodiscard]] std::vector<std::size_t> dependent_rows(const std::vector<NumberRow>& rows,
                                                      std::size_t target);

}  // namespace luztar
