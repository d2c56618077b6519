// Linkages phi_a = n(phi_b): forces by virtual work, inertia n'^2 J and its load n' n'' J phi'^2.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/exact_run.h"
#include "tests/support/linkages.h"

namespace luztar::test {
namespace {

double n(double phi) { return phi + 0.3 * std::sin(phi); }

/// a (J = 0.5) - gear - b (J = 1.2), with more parts and equations.
Model gear_model(const std::string& starts, const std::string& parts,
                 const std::string& equations) {
  return {"linkage", kVariableGear + R"(
model Pair
  Rotational.Inertia a(J = 0.5);
  Gear gear;
  Rotational.Inertia b(J = 1.2, )" +
                         starts + ");\n" + parts + R"(
equation
  connect(a.flange_b, gear.flange_a);
  connect(gear.flange_b, b.flange_a);
)" + equations + "end Pair;\n"};
}

/// Of an inertia J_b + J_a n'^2 without forces.
double free_speed(double start_speed, double start_ratio, double present_ratio, double inertia_a,
                  double inertia_b) {
  return start_speed * std::sqrt((inertia_b + inertia_a * start_ratio * start_ratio) /
                                 (inertia_b + inertia_a * present_ratio * present_ratio));
}

TEST_CASE("two inertias on a variable ratio keep their energy") {
  const Model model = gear_model("phi(start = 0.2), w(start = 2)", "", "");
  const Simulation run = exact_run(model, 10, 0.1, false);
  const std::vector<double>&phi = run.column(model, "b.phi"), &w = run.column(model, "b.w"),
        &phi_a = run.column(model, "a.phi"), &w_a = run.column(model, "a.w");
  const double start = 0.25 * std::pow(2 * gear_ratio(0.2), 2) + 0.6 * 4;
  for (std::size_t i = 0; i < phi.size(); ++i) {
    CHECK(std::fabs(0.25 * w_a[i] * w_a[i] + 0.6 * w[i] * w[i] - start) < 1e-12 * start);
    CHECK(std::fabs(w[i] - free_speed(2, gear_ratio(0.2), gear_ratio(phi[i]), 0.5, 1.2)) < 1e-12);
    CHECK(std::fabs(phi_a[i] - n(phi[i])) < 1e-13 * std::max(1.0, phi_a[i]));
    CHECK(std::fabs(w_a[i] - gear_ratio(phi[i]) * w[i]) < 1e-13 * w_a[i]);
  }
  CHECK(phi.back() > 15);
  check_against_cvode(model, 10, 1e-8);
}

TEST_CASE("a start velocity on the far side of a linkage is that of the near side") {
  const Model model{"linkage", kVariableGear + R"(
model Pair
  Rotational.Inertia a(J = 0.5, w(start = 2.6));
  Gear gear;
  Rotational.Inertia b(J = 1.2);
equation
  connect(a.flange_b, gear.flange_a);
  connect(gear.flange_b, b.flange_a);
end Pair;
)"};
  CHECK(model.start()[model.state({"b.w"})] == doctest::Approx(2).epsilon(1e-15));
}

TEST_CASE("a linkage balances a spring on one side against a load on the other") {
  const Model model = gear_model("phi(start = 0)", R"(
  Rotational.Spring spring(k = 40);
  Rotational.Fixed ground;
  Rotational.Damper damper(d = 6);
  Blocks.Constant torque(k = 30);
  Rotational.Torque load;)",
                                 R"(
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, a.flange_a);
  connect(b.flange_b, damper.flange_a);
  connect(damper.flange_b, ground.flange);
  connect(torque.y, load.tau);
  connect(b.flange_b, load.flange);
)");
  const Simulation run = exact_run(model, 40, 1, false);
  const double phi = run.column(model, "b.phi").back();
  CHECK(std::fabs(run.column(model, "b.w").back()) < 1e-12);
  CHECK(std::fabs(gear_ratio(phi) * 40 * n(phi) - 30) < 1e-11);
  CHECK(std::fabs(run.column(model, "gear.flange_b.tau").back() - 30) < 1e-11);
  check_energy(model, 2);
}

/// Torque 0.5 t on b, dry friction on a, on b, or on both.
void check_breakaway(double friction_a, double friction_b) {
  CAPTURE(friction_a);
  CAPTURE(friction_b);
  const auto bearing = [](const std::string& name, double friction) {
    return "  Rotational.BearingFriction " + name + "(tau0 = " + std::to_string(friction) + ");\n";
  };
  const Model model = gear_model(
      "phi(start = 1)",
      bearing("at_a", friction_a) + bearing("at_b", friction_b) +
          "  Blocks.Ramp ramp(height = 10, duration = 20);\n  Rotational.Torque drive;\n",
      "  connect(ramp.y, drive.tau);\n  connect(drive.flange, b.flange_b);\n"
      "  connect(a.flange_a, at_a.flange_a);\n  connect(b.flange_b, at_b.flange_a);\n");
  const double breakaway = (gear_ratio(1) * friction_a + friction_b) / 0.5;
  const Simulation run = exact_run(model, breakaway + 2, 0.05, true);
  const std::vector<double>&phi = run.column(model, "b.phi"), &w = run.column(model, "b.w");
  double last = 0;
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    if (w[i] != 0) break;
    last = run.time[i];
    CHECK(phi[i] == 1);
    // n s_a + s_b = load: of the forces within the bounds those of least norm.
    const double load = 0.5 * run.time[i], n = gear_ratio(1);
    const double most = std::min(n * load / (1 + n * n), friction_a);
    const double share = std::max(most, (load - friction_b) / n);
    CHECK(std::fabs(std::fabs(run.column(model, "at_a.tau")[i]) - share) < 1e-12);
    CHECK(std::fabs(std::fabs(run.column(model, "at_b.tau")[i]) - (load - n * share)) < 1e-12);
  }
  CHECK(std::fabs(last - breakaway) < 1e-12 * breakaway);
  CHECK(phi.back() > 1.3);
  check_energy(model, breakaway + 2);
  check_against_cvode(model, breakaway + 2, 1e-8);
}

TEST_CASE("dry friction on a linkage holds |load| <= n' T_a + T_b") {
  check_breakaway(1.5, 0);
  check_breakaway(0, 0.8);
  check_breakaway(1.5, 0.8);
}

TEST_CASE("dry friction between a body on a linkage and another one") {
  const std::string parts = "  Rotational.Inertia other(J = 0.7, w(start = 2.6));\n";
  const std::string clutch = "  Rotational.CrossFriction clutch(tau0 = ";
  const std::string connects =
      "  connect(a.flange_a, clutch.flange_a);\n  connect(clutch.flange_b, other.flange_a);\n";
  const std::string starts = "w(start = 2)";
  SUBCASE("that holds is a rigid connection") {
    const Model model = gear_model(starts, parts + clutch + "20);\n", connects);
    const Simulation run = exact_run(model, 6, 0.1, false);
    const std::vector<double>&phi = run.column(model, "b.phi"), &w = run.column(model, "b.w");
    for (std::size_t i = 0; i < phi.size(); ++i) {
      CHECK(run.column(model, "clutch.mode")[i] == 0);
      CHECK(std::fabs(w[i] - free_speed(2, gear_ratio(0), gear_ratio(phi[i]), 1.2, 1.2)) < 1e-11);
    }
  }
  SUBCASE("that slips now and then takes energy") {
    const Model model = gear_model(starts, parts + clutch + "0.4);\n", connects);
    const Simulation run = exact_run(model, 6, 0.01, false);
    const std::vector<double>& mode = run.column(model, "clutch.mode");
    CHECK(std::count(mode.begin(), mode.end(), 0.0) > 10);
    CHECK(std::count(mode.begin(), mode.end(), 1.0) > 10);
    CHECK(std::count(mode.begin(), mode.end(), -1.0) > 10);
    check_energy(model, 6);
    check_against_cvode(model, 6, 1e-8);
  }
}

TEST_CASE("a prescribed motion drives through a linkage") {
  const Model model{"linkage", kVariableGear + R"(
model Driven
  Blocks.Sine angle(amplitude = 2, f = 0.4);
  Rotational.Position drive;
  Gear gear;
  Rotational.Inertia a(J = 0.5);
  Rotational.FreeplaySpring shaft(k = 300, half_freeplay = 0.01);
  Rotational.Inertia load(J = 0.3);
  Rotational.BearingFriction bearing(d = 0.1, tau0 = 0.6);
equation
  connect(angle.y, drive.phi_ref);
  connect(drive.flange, gear.flange_b);
  connect(gear.flange_a, a.flange_a);
  connect(a.flange_b, shaft.flange_a);
  connect(shaft.flange_b, load.flange_a);
  connect(load.flange_b, bearing.flange_a);
end Driven;
)"};
  const Simulation run = exact_run(model, 5, 0.05, false);
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double phi = 2 * std::sin(0.8 * std::acos(-1.0) * run.time[i]);
    CHECK(std::fabs(run.column(model, "a.phi")[i] - n(phi)) < 1e-13);
  }
  check_energy(model, 5);
  check_against_cvode(model, 5, 1e-8);
}

TEST_CASE("a hard stop in front of a linkage throws both bodies back") {
  const Model model = gear_model("w(start = 2)", R"(
  Rotational.HardStop stop(half_freeplay = 1.5, e = 0.6);
  Rotational.Fixed ground;)",
                                 R"(
  connect(ground.flange, stop.flange_a);
  connect(stop.flange_b, b.flange_b);
)");
  const Simulation run = exact_run(model, 4, 0.1, true);
  const std::vector<double>&phi = run.column(model, "b.phi"), &w = run.column(model, "b.w");
  std::size_t impacts = 0;
  double start = 2, start_ratio = gear_ratio(0);
  for (std::size_t i = 0; i < phi.size(); ++i) {
    if (i > 0 && w[i] * w[i - 1] < 0) {
      ++impacts;
      CHECK(std::fabs(std::fabs(phi[i]) - 1.5) < 1e-13);
      CHECK(std::fabs(w[i] + 0.6 * w[i - 1]) < 1e-13);
      start = w[i];
      start_ratio = gear_ratio(phi[i]);
    }
    CHECK(std::fabs(w[i] - free_speed(start, start_ratio, gear_ratio(phi[i]), 0.5, 1.2)) < 1e-12);
    CHECK(std::fabs(run.column(model, "a.w")[i] - gear_ratio(phi[i]) * w[i]) < 1e-13);
  }
  CHECK(impacts == 2);
}

/// Gears in series, and limits on both of their sides.
const std::string kFunctionGear = R"(
function n
  input Real x;
  output Real y;
algorithm
  y := x + 0.3*sin(x);
end n;
model Gear
  extends Rotational.Interfaces.FlangePair;
equation
  flange_a.phi = n(flange_b.phi);
  0 = slope(n(flange_b.phi), flange_b.phi)*flange_a.tau + flange_b.tau;
end Gear;
)";

TEST_CASE("linkages in series, with friction in between and a massless damped neighbour") {
  const Model model{"linkage", kFunctionGear + R"(
model Chain
  Rotational.Inertia a(J = 0.5), b(J = 0), c(J = 0.2, w(start = 3)), d(J = 1), e(J = 0);
  Gear first, second;
  Rotational.FreeplaySpring near(k = 100, half_freeplay = 0.01), far(k = 200, half_freeplay = 0.02);
  Rotational.BearingFriction between(tau0 = 0.1, d = 0.02), creeping(tau0 = 0.2, d = 0.1);
equation
  connect(a.flange_b, first.flange_a);
  connect(first.flange_b, b.flange_a);
  connect(b.flange_b, second.flange_a);
  connect(second.flange_b, c.flange_a);
  connect(b.flange_b, between.flange_a);
  connect(a.flange_a, near.flange_a);
  connect(near.flange_b, e.flange_a);
  connect(e.flange_b, far.flange_a);
  connect(e.flange_b, creeping.flange_a);
  connect(far.flange_b, d.flange_a);
end Chain;
)"};
  const Simulation run = exact_run(model, 2, 0.1, false);
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double c = run.column(model, "c.phi")[i], w = run.column(model, "c.w")[i];
    CHECK(std::fabs(run.column(model, "a.phi")[i] - n(n(c))) < 1e-13);
    CHECK(std::fabs(run.column(model, "a.w")[i] - gear_ratio(n(c)) * gear_ratio(c) * w) < 1e-13);
  }
  check_energy(model, 2);
  check_against_cvode(model, 2, 1e-8);
}

TEST_CASE("a linkage without inertia at its near side, and a massless slider behind it") {
  const Model model{"linkage", kFunctionGear + R"(
model Slider
  Rotational.Inertia a(J = 0.5, w(start = 2)), slider(J = 0), c(J = 0.2);
  Gear gear;
  Rotational.FreeplaySpring near(k = 100, half_freeplay = 0.01), far(k = 200, half_freeplay = 0.02);
  Rotational.BearingFriction friction(tau0 = 0.3);
equation
  connect(a.flange_b, gear.flange_a);
  connect(gear.flange_b, near.flange_a);
  connect(near.flange_b, slider.flange_a);
  connect(slider.flange_a, friction.flange_a);
  connect(slider.flange_b, far.flange_a);
  connect(far.flange_b, c.flange_a);
end Slider;
)"};
  check_energy(model, 2);
  check_against_cvode(model, 2, 1e-8);
}

// --- slider and crank

constexpr double kPistonSpring = 300, kCrankDamping = 0.02, kCrankTorque = 2;

using CrankState = std::array<long double, 2>;

/// (J + m s'^2) phi'' + m s' s'' phi'^2 = tau - d phi' - s' k (s - l)
CrankState lagrange(const CrankState& x) {
  const Slider<long double> s = slider(x[0]);
  const long double inertia = kCrank + kPiston * s.ratio * s.ratio;
  const long double load = kCrankTorque - kCrankDamping * x[1] -
                           s.ratio * kPistonSpring * (s.position - kRod) -
                           kPiston * s.ratio * s.bend * x[1] * x[1];
  return {x[1], load / inertia};
}

CrankState runge_kutta(CrankState x, long double h) {
  const auto moved = [&](const CrankState& k, long double step) {
    return CrankState{x[0] + step * k[0], x[1] + step * k[1]};
  };
  const CrankState k1 = lagrange(x), k2 = lagrange(moved(k1, h / 2)),
                   k3 = lagrange(moved(k2, h / 2)), k4 = lagrange(moved(k3, h));
  for (std::size_t i = 0; i < 2; ++i) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  return x;
}

TEST_CASE("slider and crank follow Lagrange's equation") {
  const Model model{"crank", R"(
model Crank
  parameter Real r = 0.05;
  parameter Real l = 0.16;
  Rotational.Interfaces.Flange flangeR;
  Translational.Interfaces.Flange flangeT;
equation
  flangeT.s = r*cos(flangeR.phi) + sqrt(l^2 - r^2*sin(flangeR.phi)^2);
  0 = flangeR.tau + slope(r*cos(flangeR.phi) + sqrt(l^2 - r^2*sin(flangeR.phi)^2), flangeR.phi)*flangeT.f;
end Crank;
model Engine
  Rotational.Inertia crank(J = 0.004, phi(start = 0.3), w(start = 1));
  Rotational.BearingFriction bearing(d = 0.02, tau0 = 0);
  Blocks.Constant torque(k = 2);
  Rotational.Torque drive;
  Crank rod;
  Translational.Mass piston(m = 0.6);
  Translational.Spring spring(k = 300, s_rel0 = 0.16);
  Translational.Fixed ground;
equation
  connect(torque.y, drive.tau);
  connect(drive.flange, crank.flange_a);
  connect(crank.flange_b, bearing.flange_a);
  connect(crank.flange_b, rod.flangeR);
  connect(rod.flangeT, piston.flange_a);
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, piston.flange_b);
end Engine;
)"};
  const Simulation run = exact_run(model, 2, 0.05, false);
  CrankState x{0.3L, 1.0L};
  constexpr int kSteps = 2000;  // in each interval: error of order four about 1e-14
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double phi = run.column(model, "crank.phi")[i];
    CHECK(std::fabs(phi - static_cast<double>(x[0])) < 1e-10 * std::max(1.0, phi));
    CHECK(std::fabs(run.column(model, "crank.w")[i] - static_cast<double>(x[1])) < 1e-9);
    CHECK(std::fabs(run.column(model, "piston.s")[i] - static_cast<double>(slider(x[0]).position)) <
          1e-10);
    for (int k = 0; k < kSteps; ++k) x = runge_kutta(x, 0.05L / kSteps);
  }
  CHECK(run.column(model, "crank.phi").back() > 6.3);  // past both dead centres
  check_energy(model, 2);
  check_against_cvode(model, 2, 1e-8);
}

// --- tables

TEST_CASE("a variable gear of points on a line is an ideal gear") {
  const auto model = [](const std::string& gear) {
    return Model{"gear", "model Train\n  Rotational." + gear + R"(;
  Rotational.Inertia a(J = 0.5);
  Rotational.Inertia b(J = 1.2, phi(start = -4), w(start = 3));
  Rotational.FreeplaySpring spring(k = 20, half_freeplay = 0.2);
  Rotational.Fixed ground;
  Rotational.BearingFriction bearing(d = 0.05, tau0 = 0.3, tau0_static = 0.4);
equation
  connect(a.flange_b, gear.flange_a);
  connect(gear.flange_b, b.flange_a);
  connect(a.flange_a, spring.flange_a);
  connect(spring.flange_b, ground.flange);
  connect(a.flange_a, bearing.flange_a);
end Train;
)"};
  };
  Model variable =
      model("VariableGear gear(angle_b = {-10, -1, 0, 12}, angle_a = {-30, -3, 0, 36})");
  Model ideal = model("IdealGear gear(ratio = 3)");
  const Simulation run = exact_run(variable, 10, 0.1, false),
                   expected = exact_run(ideal, 10, 0.1, false);
  for (const char* name : {"a.phi", "a.w", "b.phi", "b.w", "gear.flange_b.tau"}) {
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      INFO(name, " at ", run.time[i]);
      const double value = expected.column(ideal, name)[i];
      CHECK(std::fabs(run.column(variable, name)[i] - value) <
            1e-11 * std::max(1.0, std::fabs(value)));
    }
  }
}

TEST_CASE("a variable gear keeps its energy across the points of its table") {
  // The natural spline through (-1, -2), (0, 0), (2, 1) and (3, 4), by hand.
  const Model model{"gear", R"(
model Train
  Rotational.VariableGear gear(angle_b = {-1, 0, 2, 3}, angle_a = {-2, 0, 1, 4});
  Rotational.Inertia a(J = 0.5);
  Rotational.Inertia b(J = 1.2, phi(start = -2), w(start = 3));
equation
  connect(a.flange_b, gear.flange_a);
  connect(gear.flange_b, b.flange_a);
end Train;
)"};
  // 6 m_1 + 2 m_2 = 6 (0.5 - 2), 2 m_1 + 6 m_2 = 6 (3 - 0.5)
  const double m1 = (-9.0 * 6 - 15 * 2) / 32, m2 = (15.0 * 6 + 9 * 2) / 32;
  const auto cubic = [](double x0, double y0, double h, double y1, double left, double right) {
    return [=](double x) {
      const double u = x - x0, v = h - u;
      return std::array{left * v * v * v / (6 * h) + right * u * u * u / (6 * h) +
                            (y0 / h - left * h / 6) * v + (y1 / h - right * h / 6) * u,
                        -left * v * v / (2 * h) + right * u * u / (2 * h) + (y1 - y0) / h -
                            (right - left) * h / 6};
    };
  };
  const std::function<std::array<double, 2>(double)> cells[] = {
      cubic(-1, -2, 1, 0, 0, m1), cubic(0, 0, 2, 1, m1, m2), cubic(2, 1, 1, 4, m2, 0)};
  const auto expected = [&](double x) {
    if (x < -1) return std::array{-2 + (x + 1) * cells[0](-1)[1], cells[0](-1)[1]};
    if (x > 3) return std::array{4 + (x - 3) * cells[2](3)[1], cells[2](3)[1]};
    return cells[x < 0 ? 0 : x < 2 ? 1 : 2](x);
  };
  const Simulation run = exact_run(model, 4, 0.02, false);
  const std::vector<double>&phi = run.column(model, "b.phi"), &w = run.column(model, "b.w");
  const double start_ratio = expected(-2)[1];
  for (std::size_t i = 0; i < phi.size(); ++i) {
    INFO("at ", phi[i]);
    const auto [angle, slope] = expected(phi[i]);
    CHECK(std::fabs(run.column(model, "a.phi")[i] - angle) < 1e-12);
    CHECK(std::fabs(run.column(model, "gear.ratio")[i] - slope) < 1e-12);
    CHECK(std::fabs(w[i] - free_speed(3, start_ratio, slope, 0.5, 1.2)) < 1e-11);
  }
  CHECK(phi.back() > 4);
  check_against_cvode(model, 4, 1e-8);
}

}  // namespace
}  // namespace luztar::test
