#include "tests/support/column_check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/random_cases.h"

namespace luztar::test {

Simulation audited_run(const Model& model, double stop, double interval) {
  Simulation run = simulate(model, TaylorOptions{0, stop, interval, 1e-13, true, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  REQUIRE(run.report.energy.has_value());
  const EnergyReport& energy = *run.report.energy;
  CHECK(std::fabs(energy.residual()) <= 1e-11 * (energy.turnover + energy.total_dissipated()));
  return run;
}

double greatest_error(const Simulation& run, const Model& model, std::string_view name,
                      const Function& expected) {
  const std::vector<double>& values = run.column(model, name);
  double error = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool before_event = i + 1 < values.size() && run.time[i] == run.time[i + 1];
    if (before_event) continue;
    error = std::max(error, std::fabs(values[i] - expected(run.time[i])));
  }
  return error;
}

void check_column(const Model& model, double stop, std::string_view name, const Function& expected,
                  double euler_bound, double euler_step) {
  INFO(name);
  const double taylor = greatest_error(audited_run(model, stop, 0.01), model, name, expected);
  const Simulation bdf = simulate(model, CvodeOptions{0, stop, 0.01, 1e-10, false});
  REQUIRE(bdf.report.reason == StopReason::kDone);
  const double cvode = greatest_error(bdf, model, name, expected);
  const Simulation steps = simulate(model, EulerOptions{.stop = stop, .step = euler_step});
  REQUIRE(steps.report.reason == StopReason::kDone);
  const double euler = greatest_error(steps, model, name, expected);
  MESSAGE(name, ": greatest error of Taylor ", taylor, ", CVODE ", cvode, ", Euler ", euler);
  CHECK(taylor <= kBound);
  CHECK(cvode <= 1e-8);
  CHECK(euler <= euler_bound);
}

void check_column_between(const Model& model, double stop, const std::string& name,
                          const std::vector<double>& jumps, const Function& expected) {
  INFO(name);
  const Simulation exact = audited_run(model, stop, 0.01);
  const Simulation bdf = simulate(model, CvodeOptions{0, stop, 0.01, 1e-10, false});
  REQUIRE(bdf.report.reason == StopReason::kDone);
  for (const Simulation* run : {&exact, &bdf}) {
    const std::vector<double>& values = run->column(model, name);
    double error = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double t = run->time[i];
      const bool jumps_here = std::any_of(jumps.begin(), jumps.end(),
                                          [&](double at) { return std::fabs(t - at) < 1e-6; });
      if (!jumps_here) error = std::max(error, std::fabs(values[i] - expected(t)));
    }
    CHECK(error <= (run == &exact ? kBound : 1e-7));
  }
}

void check_light_limit(const std::function<std::string(const std::string& inertia)>& text,
                       double stop, const std::vector<std::string>& columns, double bound) {
  const auto ends = [&](const std::string& inertia) {
    const Model model("limit.ltm", text(inertia));
    const Simulation run = audited_run(model, stop, stop);
    std::vector<double> values;
    for (const std::string& column : columns) values.push_back(run.column(model, column).back());
    return values;
  };
  const std::vector<double> limit = ends("0");
  std::vector<double> before(columns.size(), 1);
  double last = 0;
  for (const std::string& inertia : light_inertias({"1e-3", "1e-4", "1e-5"})) {
    CAPTURE(inertia);
    last = std::stod(inertia);
    const std::vector<double> light = ends(inertia);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      CAPTURE(columns[c]);
      const double error = std::fabs(light[c] - limit[c]);
      CHECK(error < before[c] / 2);
      before[c] = error;
    }
  }
  for (const double left : before) CHECK(left < bound * last / 1e-5);
}

void check_speeds(const std::string& text, double stop, const std::vector<BodySpeed>& bodies) {
  const Model model("bodies.ltm", text);
  REQUIRE(own_states(model) == bodies.size());
  const Simulation run = audited_run(model, stop, 0.01);
  const Simulation bdf = simulate(model, CvodeOptions{0, stop, 0.01, 1e-10, false});
  REQUIRE(bdf.report.reason == StopReason::kDone);
  const Simulation steps = simulate(model, EulerOptions{.stop = stop, .step = 1e-3});
  for (const BodySpeed& of : bodies) {
    CAPTURE(of.body);
    const auto after = [&](double t) { return of.speed(t + 1e-9); };
    CHECK(greatest_error(run, model, of.body + ".v", after) <= 1e-8);
    const std::string place = of.body + ".s";
    const double end = run.column(model, place).back();
    CHECK(std::fabs(bdf.column(model, place).back() - end) <= 1e-6);
    CHECK(std::fabs(steps.column(model, place).back() - end) <= 2e-2);
  }
}

double where(double level, double low, double high, const Function& f) {
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) > level ? low : high) = middle;
  }
  return high;
}

double luz(double x, double a) { return x - std::clamp(x, -a, a); }

}  // namespace luztar::test
