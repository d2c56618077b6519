// The stick-slip of one mass (examples single_mass and single_mass_massless) against its closed
// form.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

// The parameters of the examples.
constexpr double kMass = 2;                                            // [kg]
constexpr double kMassDamping = 0.8;                                   // [N.s/m]
constexpr double kFriction = 4;                                        // [N]
constexpr double kAmplitude = 6;                                       // [N]
constexpr double kOmega = std::numbers::pi;                            // 2 pi 0.5 Hz [1/s]
const double kBreakaway = std::asin(kFriction / kAmplitude) / kOmega;  // [s]

/// Velocity from the first breakaway to the first stop: m v' + d v = A sin(w t) - f0, v(breakaway)
/// = 0.
double slip_velocity(double t) {
  const double scale = kAmplitude / (kMassDamping * kMassDamping + kMass * kMass * kOmega * kOmega);
  const auto forced = [&](double x) {
    return scale * (kMassDamping * std::sin(kOmega * x) - kMass * kOmega * std::cos(kOmega * x)) -
           kFriction / kMassDamping;
  };
  return forced(t) - forced(kBreakaway) * std::exp(-kMassDamping / kMass * (t - kBreakaway));
}

/// The first zero of slip_velocity after the breakaway, by bisection. [s]
double first_stop() {
  double low = kBreakaway + 0.1, high = 1.2;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (slip_velocity(middle) > 0 ? low : high) = middle;
  }
  return low;
}

double velocity(double t) {
  const double half = 1.0;  // the second half period mirrors the first
  if (t >= kBreakaway + half) return -velocity(t - half);
  return t > kBreakaway && t < first_stop() ? slip_velocity(t) : 0;
}

double greatest_error(const Model& model, double step) {
  EulerOptions options;
  options.stop = 4;
  options.step = step;
  const Simulation run = simulate(model, options);
  const std::vector<double>& v = run.column(model, "body.v");
  double result = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    result = std::max(result, std::abs(v[i] - velocity(run.time[i])));
  return result;
}

}  // namespace

TEST_CASE("single_mass follows the closed form with order one") {
  const Model model = load_example("single_mass.ltm");
  CHECK(first_stop() == doctest::Approx(1.034).epsilon(1e-3));
  CHECK(greatest_error(model, 1e-5) < 1e-4);
  CHECK(greatest_error(model, 1e-3) / greatest_error(model, 1e-4) ==
        doctest::Approx(10).epsilon(0.3));
}

TEST_CASE("single_mass rests exactly while it sticks and counts its changes") {
  const Model model = load_example("single_mass.ltm");
  EulerOptions options;
  options.stop = 4;
  const Simulation run = simulate(model, options);
  const std::vector<double>& v = run.column(model, "body.v");
  const std::vector<double>& force = run.column(model, "ground.f");
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double t = std::fmod(run.time[i], 1.0);
    if (t < first_stop() - 1 + 0.01 || t > kBreakaway - 0.01) continue;
    INFO("time ", run.time[i]);
    CHECK(v[i] == 0.0);
    // Friction balances the force on a block at rest.
    CHECK(force[i] == doctest::Approx(kAmplitude * std::sin(kOmega * run.time[i])).epsilon(1e-9));
  }
  // Breakaway at 0.23, 1.23, 2.23, 3.23; stop at 1.03, 2.03, 3.03.
  CHECK(run.report.changes == std::vector<std::uint64_t>{7});
}

TEST_CASE("single_mass_massless is d v = luz(F, f0) at every instant") {
  const Model model = load_example("single_mass_massless.ltm");
  EulerOptions options;
  options.stop = 4;
  options.step = 1e-4;
  const Simulation run = simulate(model, options);
  const std::vector<double>& v = run.column(model, "body.v");
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double force = kAmplitude * std::sin(kOmega * run.time[i]);
    const double expected = (force - std::clamp(force, -kFriction, kFriction)) / kMassDamping;
    CHECK(std::abs(v[i] - expected) < 1e-12);
  }
}

}  // namespace luztar::test
