// The instants at which results are wanted.
#pragma once

#include <cstdint>

namespace luztar {

/// start + k*interval for k = 0, 1, ..., and the stop time as the last instant.
class OutputGrid {
 public:
  /// start <= stop, interval > 0 [s]; stop == start gives one instant.
  OutputGrid(double start, double stop, double interval);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Instant k: from an integer multiplication, never from a sum, so that errors do not pile up.
  [[nodiscard]] double time(std::uint64_t k) const;

 private:
  double start_, stop_, interval_;
  std::uint64_t size_ = 1;
  double divisions_ = 0;  // when the interval divides the whole: the number of intervals, else 0
};

}  // namespace luztar
