#include "runtime/solvers/output_grid.h"

#include <cmath>

namespace luztar {

OutputGrid::OutputGrid(double start, double stop, double interval)
    : start_(start), stop_(stop), interval_(interval) {
  constexpr double kSlack = 1e-9;  // of an interval: decimal fractions are not exact
  const double intervals = (stop - start) / interval;
  if (!(intervals > 0)) return;
  const double nearest = std::round(intervals);
  if (nearest >= 1 && std::fabs(intervals - nearest) <= kSlack * nearest) {
    divisions_ = nearest;
    size_ = static_cast<std::uint64_t>(nearest) + 1;
  } else {
    size_ = static_cast<std::uint64_t>(std::floor(intervals)) + 2;
  }
}

double OutputGrid::time(std::uint64_t k) const {
  if (k + 1 >= size_) return stop_;
  const double index = static_cast<double>(k);
  // One rounding instead of two: 3 of 10 steps to 1 is 0.3, not 0.30000000000000004.
  if (divisions_ > 0) return start_ + index * (stop_ - start_) / divisions_;
  return start_ + index * interval_;
}

}  // namespace luztar
