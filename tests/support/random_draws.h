// Reproducible random numbers for comparisons at random states and parameters.
#pragma once

#include <cstdint>
#include <random>

namespace luztar::test {

class RandomDraws {
 public:
  explicit RandomDraws(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [low, high).
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  /// A positive number of the order of `nominal`.
  double around(double nominal) { return nominal * uniform(0.3, 2.0); }
  /// -1, 0 or 1.
  int mode() { return std::uniform_int_distribution<int>(-1, 1)(engine_); }
  /// A slip velocity of that direction, exactly zero for mode 0.
  double slip(int mode, double magnitude) { return mode * uniform(0.01 * magnitude, magnitude); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace luztar::test
