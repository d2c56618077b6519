// Runs by the Taylor solver against motions known in closed form, to 1e-11.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/exact_run.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

/// Rows before each event; the next row is the one after it.
inline std::vector<std::size_t> event_rows(const Simulation& run) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i + 1 < run.time.size(); ++i) {
    if (run.time[i] == run.time[i + 1]) rows.push_back(i);
  }
  return rows;
}

inline void check_near(double computed, double expected) {
  CHECK(std::fabs(computed - expected) <= kBound);
}

/// The column follows `expected` in every row.
inline void check_column(const Simulation& run, const Model& model, std::string_view name,
                         const std::function<double(double)>& expected) {
  const std::vector<double>& values = run.column(model, name);
  double error = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    error = std::max(error, std::fabs(values[i] - expected(run.time[i])));
  }
  INFO(name, ": greatest error ", error);
  CHECK(error <= kBound);
}

/// Zero of f between `low` and `high`, f(low) > 0 > f(high). In long double, as the times of the
/// tests are checked to a few ulp.
inline double zero_between(long double low, long double high,
                           const std::function<long double(long double)>& f) {
  for (int i = 0; i < 100; ++i) {
    const long double middle = (low + high) / 2;
    (f(middle) > 0 ? low : high) = middle;
  }
  return static_cast<double>(low);
}

}  // namespace luztar::test
