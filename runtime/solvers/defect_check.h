// Taylor polynomials against the system whose solution they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/margin.h"
#include "runtime/jets/coefficients.h"
#include "runtime/system.h"

namespace luztar {

/// A state this small against others is rounding.
inline constexpr double kDust = 1e-14;

/// The polynomials of one step, and what they are measured by.
struct Polynomials {
  const Coefficients& J;
  std::int64_t order;             // of all rows
  std::span<const double> peaks;  // by row
  const std::vector<Margin>& margins;
};

/// A force that is zero in all orders about an instant, as sin(t)^20 at t = 0, or of no size there,
/// as a narrow pulse 1/(1 + (t/w)^2)^8 elsewhere, shows in no term of the polynomials, be it ever
/// so great within the step. Their defect shows it: rates and margins of the system itself, at
/// instants in the step, less those of the polynomials. (Defect control: Enright 1989; here as a
/// check alone, as the last terms of what does show choose the step.)
class DefectCheck {
 public:
  /// `system` outlives this.
  explicit DefectCheck(const System& system);

  /// The step h, halved until the defect changes no state by more than a multiple of `tolerance`
  /// of its peak, and no margin. It ends at errors of rounding, and before steps that are shorter
  /// than `tolerance` of the time and `longest`: a jump that no event tells of is passed by these.
  /// The instants are two where h is below `longest` and about the length of the last step: forces
  /// that cease make steps grow. What is narrower than they are apart may be missed.
  [[nodiscard]] double step(const Polynomials& p, double tolerance, double h, double longest);

 private:
  /// A defect above the bound, relative to the size of what has it, at some instant; 0 for none.
  [[nodiscard]] double excess(const Polynomials& p, double tolerance, double h,
                              std::size_t instants);
  [[nodiscard]] double excess_at(const Polynomials& p, double tolerance, double h, double elapsed);
  [[nodiscard]] double rounding(std::int64_t k, std::size_t row);

  const System& system_;
  Coefficients there_;          // at an instant in the step
  std::vector<double> states_;  // of the polynomials, there
  double last_ = 0;             // step [s]
  std::vector<double> reach_;   // greatest terms in the step, by state, then by margin
  double greatest_ = 0;         // of all states, so far and in the step
};

}  // namespace luztar
