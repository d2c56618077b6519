// Taylor coefficients of all rows about one instant, computed as far as they are asked for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/numbers.h"
#include "runtime/system.h"

namespace luztar {

/// A state whose first `count` coefficients are zero, whatever rounding makes of them: the slip
/// velocity of a friction that breaks away.
struct KnownZeros {
  std::uint32_t state = 0;
  std::uint32_t count = 0;
};

class Coefficients {
 public:
  /// `highest`: the order beyond which none are asked for, in [0, kMostOrder]. `system` outlives
  /// this.
  Coefficients(const System& system, std::int64_t highest);

  /// Those about (t, x) in the mode with the constants c, and `zeros`, which stay
  /// valid until the next call.
  /// Computes them up to `order`.
  void begin(double t, std::span<const double> x, const double* c,
             std::span<const KnownZeros> zeros = {}, std::int64_t order = 1);
  /// Computes them up to `order`.
  void extend(std::int64_t order);

  /// By friction: 1 where nobody asks for coefficients beyond order 0 of its free_row, kinetic_row
  /// and reserve. None at first; to be set before `begin`.
  [[nodiscard]] std::span<std::uint8_t> idle() { return idle_; }

  [[nodiscard]] std::int64_t highest() const { return highest_; }
  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] const double* constants() const { return c_; }
  /// All are known up to this order.
  [[nodiscard]] std::int64_t known() const { return known_; }
  /// Coefficients of a known order, by row. Those of the states are known one order further.
  [[nodiscard]] const double* order(std::int64_t k) const {
    return J_.data() + static_cast<std::size_t>(k) * rows_;
  }
  [[nodiscard]] double* order(std::int64_t k) {
    return J_.data() + static_cast<std::size_t>(k) * rows_;
  }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  /// Coefficient k of a row, computed when it is not known yet.
  [[nodiscard]] double at(std::int64_t k, std::size_t row) {
    if (k > known_) extend_to_see(k);
    return order(k)[row];
  }
  /// Size of the terms that coefficient k of a row is the sum of, its rounding times 1/eps: how far
  /// it moves, relative to the change, when all states and constants change by factors next to 1.
  /// A coefficient far below is zero but for rounding, whatever the terms are.
  [[nodiscard]] double size(std::int64_t k, std::size_t row);
  /// That move, with its sign: what rows have in common cancels in their differences.
  [[nodiscard]] double shift(std::int64_t k, std::size_t row);
  /// Of the time, as that of an event.
  static constexpr double kRoundingOfInstant = 64 * kEpsilon;
  /// How far coefficient k of a row moves in the rounding of the instant.
  [[nodiscard]] double rounding_of_instant(std::int64_t k, std::size_t row);
  /// The same of what changes at this rate.
  [[nodiscard]] double rounding_of_instant(double rate) const;
  /// Events of this instant may be found this much late, or early [s].
  void note_error_of_instant(double error) { error_of_instant_ = error; }
  /// How far what changes at this rate has moved in that, or in the rounding of the instant.
  [[nodiscard]] double error_of_instant(double rate) const {
    return std::max(rounding_of_instant(rate), 2 * error_of_instant_ * std::fabs(rate));
  }
  /// Greatest term of a row's polynomial to the known order `last` in a step h.
  [[nodiscard]] double reach(std::size_t row, std::int64_t last, double h) const;
  /// The value of a row.
  [[nodiscard]] double operator[](std::size_t row) const { return J_[row]; }

 private:
  void extend_to_see(std::int64_t order);
  void clear_zeros(std::int64_t order);

  const System* system_;
  std::int64_t highest_, known_ = -1;
  std::size_t rows_;
  double t_ = 0, error_of_instant_ = 0;
  const double* c_ = nullptr;
  std::span<const KnownZeros> zeros_;
  std::int64_t greatest_zeros_ = 0;
  std::vector<double> J_;
  std::vector<std::uint8_t> idle_;
  bool beside_known_ = false;
  std::unique_ptr<Coefficients> beside_;  // about states and with constants next to those here
  std::vector<double> states_beside_, constants_beside_;
};

}  // namespace luztar
