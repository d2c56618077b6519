// Taylor polynomials of all states and margins from one instant on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/events.h"
#include "runtime/jets/coefficients.h"
#include "runtime/pwl/first_crossing.h"
#include "runtime/solvers/defect_check.h"
#include "runtime/system.h"

namespace luztar {

class Expansion {
 public:
  /// order: the highest one, >= 2
  Expansion(const System& system, std::int64_t order);

  /// Begins to expand about (t, x) in the present mode: `constants` and `margins` are those of the
  /// mode. `step_size` goes on from here, to the order that everything else is about.
  void expand(double t, std::span<const double> x, const double* constants,
              const std::vector<Margin>& margins, const std::vector<Pull>& pulls);
  /// States at `elapsed` after the instant [s].
  void evaluate_states(double elapsed, std::span<double> x) const;

  /// Greatest absolute value of a row so far: its scale.
  [[nodiscard]] double peak(std::size_t row) const { return peak_[row]; }
  [[nodiscard]] const std::vector<double>& peaks() const { return peak_; }
  /// Takes note of the states x; of margins, `expand` does.
  void note_peaks(std::span<const double> x);

  /// Step, not above `longest`, in which the last two terms stay below `tolerance`, for every state
  /// and every margin against its peak (Jorba & Zou 2005, sec. 3.2): a stiff force needs more than
  /// the positions it comes from, if its margin is to tell an event. NaN when a coefficient is not
  /// a number.
  ///
  /// Chooses the order as well: no higher one than takes the step to `longest` or beyond the end of
  /// the mode.
  [[nodiscard]] double step_size(double tolerance, double longest,
                                 const std::vector<Margin>& margins);
  /// The step h, after `step_size`, and where it ends with an event, shortened by `DefectCheck`: a
  /// system with nonlinear functions may move within it as no term says.
  [[nodiscard]] double checked_step(double h, double longest, const std::vector<Margin>& margins);
  /// The step h, shortened so far that for the exponents z of the system's exponentials
  ///   sum of k |z_k| h^k <= most:
  /// with no more than half the order, the coefficients of exp(z) fall from there on, and the last
  /// ones tell of those beyond. An exponential that stays what it is in floating point is none.
  [[nodiscard]] double step_of_exponents(double most, double h) const;
  /// After a step size that is not a number: where the motion has no Taylor series at the instant,
  /// as at a root of zero, but rates, it is expanded by these alone from now on. False where there
  /// are none.
  [[nodiscard]] bool keep_rates();
  /// Those of the states.
  [[nodiscard]] std::span<const double> rates() const { return {J_.order(1), system_.state_count}; }
  /// They differ from those before by no more than rounding of the states in a step h.
  [[nodiscard]] bool keeps_rates(std::span<const double> before, double h) const;
  /// With rates, a divisor is zero within some h, and a state follows what is divided by it, which
  /// grows without bound; `elapsed`: since the start of the run.
  [[nodiscard]] bool is_near_pole(double h, double elapsed) const;
  /// The step h, shortened to where a power that is not zero now reaches zero: the motion is
  /// another one beyond than its series say.
  [[nodiscard]] double step_to_root(double h);
  /// Lists in `fired` the margins of bases of powers that are zero, but for rounding, at the end of
  /// a step h that `step_to_root` has shortened: they touch zero there.
  void list_touched(double h, const std::vector<Margin>& margins, std::vector<FiredMargin>& fired);
  /// The state whose last term in a step h is the greatest, when only its last terms are of any
  /// size: what limits the step is not the motion, but a rate at which it would decay. kNoIndex for
  /// none.
  [[nodiscard]] std::uint32_t stiff_state(double h) const;
  /// Shortens the step h to the first root of a margin, certified on its polynomial, and lists in
  /// `fired` those that reach zero there; none when there is no root. The reserve of a friction
  /// that falls below zero by less than the errors of steps, and rises again, touches it: where
  /// loads reach a bound exactly and no more, it holds.
  double step_to_event(double h, const std::vector<Margin>& margins,
                       std::vector<FiredMargin>& fired);
  /// The step h, shortened to where the first pull falls below zero by more than its slack and
  /// `errors` of its size, if any does.
  [[nodiscard]] double step_to_pull(double h, const std::vector<Pull>& pulls, double errors);
  /// The state that grows fastest at the instant, or one that is not a number in x.
  [[nodiscard]] std::size_t fastest_state(std::span<const double> x) const;

 private:
  [[nodiscard]] bool ends_in_decay(std::uint32_t state, double h) const;
  struct MarginCrossing {
    double at = kNoCrossing;
    bool exact = true;  // false: negative already, by the error of the last step
    double rate = 0;    // there; 0 where rounding might decide its sign
    bool fires = true;  // false: the step has to end there, the mode has not
  };
  [[nodiscard]] bool stays_positive_to(double reach, const Margin& margin) const;
  [[nodiscard]] std::span<double> polynomial_of(const Margin& margin, std::size_t first);
  [[nodiscard]] bool may_follow_motion(const Margin& margin) const;
  void find_crossing(const Margin& margin, double reach, double h, MarginCrossing& result);
  [[nodiscard]] double end_of_touch(const Margin& margin, const Crossing& crossing, double h);
  [[nodiscard]] double place_of_multiple(const Margin& margin, std::span<const double> polynomial,
                                         const Crossing& crossing, double h) const;
  [[nodiscard]] double depth_of_touch(const Margin& margin) const;
  void find_touch(const Margin& margin, std::span<double> polynomial, double h,
                  MarginCrossing& result);
  [[nodiscard]] static double place_before_error(std::span<const double> polynomial, double at);
  [[nodiscard]] double place_to_look_closer(const Margin& margin, const Crossing& crossing,
                                            double h) const;
  void raise_peak(std::size_t row, double value);
  [[nodiscard]] double weight_of(const Margin& margin) const {
    return margin.kind == MarginKind::kHeld ? 1 / scale_of(margin, 0) : weight_[margin.row];
  }
  [[nodiscard]] double step_at_order(double tolerance, double longest,
                                     const std::vector<Margin>& margins);
  [[nodiscard]] bool leaves_mode(double h, const std::vector<Margin>& margins);
  [[nodiscard]] bool converges(std::size_t row, double tolerance, double h) const;
  [[nodiscard]] bool is_rounding(std::size_t row);
  [[nodiscard]] double fresh_step(double tolerance, double h, const std::vector<Margin>& margins);

  const System& system_;
  std::int64_t highest_;
  std::int64_t order_;  // of the present step, not above highest_
  Coefficients J_;
  DefectCheck defect_check_;
  std::vector<KnownZeros> slip_zeros_;
  std::vector<std::uint32_t> roots_;  // rows of powers that may reach zero
  double t_ = 0, tolerance_ = 0;
  double converged_ = 0;               // [s] how far its terms let a step go, whatever ends it
  std::vector<double> peak_, weight_;  // by row; 1/peak, 0 without one
  std::vector<double> polynomial_;
  std::vector<char> follows_motion_;  // by friction: 1 where a prescribed motion is in its island
  // Rows of the margins, from the first one on: values at an instant; bounds in the step.
  std::size_t first_row_ = 0;
  std::vector<double> row_values_, row_least_, row_greatest_;
  bool ranges_known_ = false;
  bool looks_closer_ = false;              // the last step has ended before a root of a margin
  std::uint32_t negative_ = kNoIndex;      // a margin below zero at the end of the step, if known
  std::vector<MarginCrossing> crossings_;  // in the step, by margin
};

}  // namespace luztar
