// Energy supplied, stored and lost in a run: a check of every simulation.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/events/modes.h"
#include "runtime/results/trajectory.h"
#include "runtime/solvers/run.h"
#include "runtime/system.h"

namespace luztar {

/// Integrates powers along the solver's own polynomials by Gauss-Legendre quadrature.
class EnergyAudit {
 public:
  /// Both outlive the audit; System::energy is not null.
  EnergyAudit(const System& system, const Modes& modes);

  /// There are impacts, or massless points that snap from static to kinetic friction.
  [[nodiscard]] static bool loses_at_events(const System& system);
  /// Result columns: stored, supplied, dissipated in all and by part, at impacts, residual.
  [[nodiscard]] static std::vector<OutputColumn> columns(const System& system);

  /// In the mode of the start, which has made x of the initial states `before`: bodies may be at
  /// their stops.
  void begin(double t, std::span<const double> before, std::span<const double> x,
             double impulse_work);
  /// Goes on to t in the present mode; `states(t, x)` puts the states of an instant into x.
  template <class States>
  void advance(double t, States states) {
    for (const auto& [place, weight] : kRule) {
      for (const double side : {-1.0, 1.0}) {
        const double at = time_ + (t - time_) * 0.5 * (1 + side * place);
        states(at, x_);
        add(at, weight * 0.5 * (t - time_));
      }
    }
    time_ = t;
    states(t, x_);
    measure(t, x_);
  }
  /// After an event at t: what the stored energy gained in the instant with the states before it
  /// was supplied to a prescribed motion that jumps; what it lost it lost at impacts, or in snaps
  /// of massless points.
  ///   impulse_work: supplied by prescribed motions in the impacts [J]
  void jump(double t, std::span<const double> x, double impulse_work);

  [[nodiscard]] const EnergyReport& report() const { return report_; }
  /// Values of the columns at the present instant, appended to `row`.
  void append(std::vector<double>& row) const;

 private:
  void add(double t, double weight);
  void measure(double t, std::span<const double> x);

  /// Gauss-Legendre of 12 points on [-1, 1]: positive nodes and weights (Abramowitz & Stegun 25.4).
  static constexpr std::array<std::pair<double, double>, 6> kRule = {{
      {0.12523340851146891547, 0.24914704581340278500},
      {0.36783149899818019375, 0.23349253653835480876},
      {0.58731795428661744730, 0.20316742672306592175},
      {0.76990267419430468704, 0.16007832854334622633},
      {0.90411725637047485668, 0.10693932599531843096},
      {0.98156063424671925069, 0.04717533638651182719},
  }};

  const System& system_;
  const Modes& modes_;
  double time_ = 0;
  std::vector<double> x_, values_;
  EnergyReport report_;
};

}  // namespace luztar
