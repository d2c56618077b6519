// Massless sliders on springs, in parallel and in series (Jenkins, Iwan): their hysteresis, after
// Masing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// Jenkins elements in parallel between a flange that moves as A sin(2 pi t) and the ground.
std::string iwan_model(const std::vector<std::pair<double, double>>& elements) {
  std::string parts, connections;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string n = std::to_string(i);
    parts += "  Translational.Spring spring" + n + "(k = " + std::to_string(elements[i].first) +
             ");\n  Translational.Mass slider" + n + "(m = 0);\n" +
             "  Translational.SupportFriction ground" + n +
             "(f0 = " + std::to_string(elements[i].second) + ");\n";
    connections += "  connect(drive.flange, spring" + n + ".flange_a);\n  connect(spring" + n +
                   ".flange_b, slider" + n + ".flange_a);\n  connect(slider" + n +
                   ".flange_b, ground" + n + ".flange_a);\n";
  }
  return "model Iwan\n  parameter Real amplitude = 1;\n  Translational.Position drive;\n"
         "  Blocks.Sine signal(amplitude = amplitude, f = 1);\n" +
         parts + "equation\n  connect(signal.y, drive.s_ref);\n" + connections + "end Iwan;\n";
}

/// Force on first loading: each element is a spring until its slider gives way.
Function backbone(const std::vector<std::pair<double, double>>& elements) {
  return [=](double x) {
    double force = 0;
    for (const auto& [k, T] : elements) force += std::min(k * x, T);
    return force;
  };
}

/// Force after Masing under A sin(2 pi t): each branch is the backbone at twice the scale from the
/// last turning point.
double masing(const Function& first, double A, double t) {
  const double x = A * std::sin(2 * kPi * t);
  if (t <= 0.25) return first(x);
  const bool falls = std::fmod(t - 0.25, 1.0) <= 0.5;
  const int side = falls ? 1 : -1;
  return side * (first(A) - 2 * first((A - side * x) / 2));
}

}  // namespace

TEST_CASE("a Jenkins element draws its hysteresis loop") {
  const std::vector<std::pair<double, double>> element{{50, 12}};
  Model model("jenkins.ltm", iwan_model(element));
  const double k = 50, T = 12;
  for (const double A : {0.2, 0.25, 0.7, 3.0}) {
    CAPTURE(A);
    model.set({{"amplitude", A}});
    check_column(
        model, 3.2, "spring0.f", [&](double t) { return -masing(backbone(element), A, t); },
        1e-2 * A);
    const auto lost = [&](double stop) {
      return audited_run(model, stop, 0.25).report.energy->total_dissipated();
    };
    const double cycle = 4 * T * std::max(A - T / k, 0.0);
    CHECK(std::fabs(lost(2.25) - lost(1.25) - cycle) <= kBound);
    CHECK(std::fabs(lost(3.25) - lost(2.25) - cycle) <= kBound);
  }
}

TEST_CASE("parallel Jenkins elements obey Masing's rule") {
  const std::vector<std::pair<double, double>> elements{
      {40, 2}, {30, 4.5}, {25, 10}, {10, 7}, {5, 1e-3}};
  Model model("iwan.ltm", iwan_model(elements));
  for (const double A : {0.1, 0.5, 1.5}) {
    CAPTURE(A);
    model.set({{"amplitude", A}});
    const Simulation run = audited_run(model, 2.7, 0.01);
    double error = 0;
    for (std::size_t row = 0; row < run.time.size(); ++row) {
      double force = 0;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        force -= run.column(model, "spring" + std::to_string(i) + ".f")[row];
      }
      error = std::max(error, std::fabs(force - masing(backbone(elements), A, run.time[row])));
    }
    MESSAGE("greatest error ", error);
    CHECK(error <= kBound);
  }
}

TEST_CASE("sliders in series give way one after the other, after Masing") {
  Model model("series.ltm", R"(
model Series
  parameter Real amplitude = 1;
  Translational.Position drive;
  Blocks.Sine signal(amplitude = amplitude, f = 1);
  Translational.Spring spring1(k = 60);
  Translational.Mass slider1(m = 0);
  Translational.SupportFriction ground1(f0 = 5);
  Translational.Spring spring2(k = 20);
  Translational.Mass slider2(m = 0);
  Translational.SupportFriction ground2(f0 = 3);
equation
  connect(signal.y, drive.s_ref);
  connect(drive.flange, spring1.flange_a);
  connect(spring1.flange_b, slider1.flange_a);
  connect(slider1.flange_a, ground1.flange_a);
  connect(slider1.flange_b, spring2.flange_a);
  connect(spring2.flange_b, slider2.flange_a);
  connect(slider2.flange_b, ground2.flange_a);
end Series;
)");
  const double k1 = 60, k2 = 20, T1 = 5, T2 = 3;
  const Function first = [=](double x) {
    if (k1 * x <= T1) return k1 * x;
    return T1 + std::min(k2 * (k1 * x - T1) / (k1 + k2), T2);
  };
  for (const double A : {0.08, 0.15, 0.9}) {  // one slider, one and a part, both
    CAPTURE(A);
    model.set({{"amplitude", A}});
    check_column(
        model, 2.2, "spring1.f", [&](double t) { return -masing(first, A, t); }, 1e-10);
  }
}

}  // namespace luztar::test
