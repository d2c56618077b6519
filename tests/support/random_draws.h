// Reproducible random numbers for comparisons at random states and parameters, and loads for them.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace luztar::test {

/// As many as visit every zone and mode of a small system often.
inline constexpr int kDraws = 2000;

/// The signal Blocks.Sine.
inline double sine(double amplitude, double frequency, double time) {
  return amplitude * std::sin(2 * std::numbers::pi * frequency * time);
}

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

/// Numbers of random model texts: of three decimals, so that a text says them exactly.
class ModelDraws {
 public:
  explicit ModelDraws(unsigned seed) : engine_(seed) {}

  /// Uniform in [low, high].
  double number(double low, double high) {
    return std::round(1000 * std::uniform_real_distribution<double>(low, high)(engine_)) / 1000;
  }
  /// 0, .., n - 1.
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  /// True with probability p.
  bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(engine_) < p; }

 private:
  std::mt19937 engine_;
};

}  // namespace luztar::test
