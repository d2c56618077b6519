// Several dry frictions that act on each other through a linkage. A motion is the right one when it
// obeys Lagrange's equations with forces that obey Coulomb's law: there is only one.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/exact_run.h"
#include "tests/support/linkages.h"

namespace luztar::test {
namespace {

/// Coulomb's law of a friction with the greatest force T, in a row of results.
void check_coulomb(double slip, double force, double T, double mode) {
  CHECK(std::fabs(force) <= T * (1 + 1e-12));
  if (mode == 0) {
    CHECK(std::fabs(slip) < 1e-12);
  } else {
    CHECK(mode * slip >= -1e-12);
    CHECK(force == doctest::Approx(mode * T).epsilon(1e-12));
  }
}

std::size_t count(const std::vector<double>& modes, double mode) {
  return static_cast<std::size_t>(std::count(modes.begin(), modes.end(), mode));
}

// --- phi_a = phi_b + 0.3 sin phi_b between two bodies, and a third body

double bend(double phi) { return -0.3 * std::sin(phi); }

constexpr double kJa = 0.5, kJb = 1.2, kJo = 0.7;

/// a - gear - b, a clutch between a and the body `other`, bearings on b and `other`.
Model coupled(double clutch, double bearing_b, double bearing_other, const std::string& starts,
              const std::string& drive) {
  const auto value = [](double x) { return std::to_string(x); };
  return {"coupled", kVariableGear + R"(
model Coupled
  Rotational.Inertia a(J = 0.5);
  Gear gear;
  Rotational.Inertia b(J = 1.2)" +
                         starts + R"();
  Rotational.Inertia other(J = 0.7);
  Rotational.CrossFriction clutch(tau0 = )" +
                         value(clutch) + R"();
  Rotational.BearingFriction at_b(tau0 = )" +
                         value(bearing_b) + R"(), at_other(tau0 = )" + value(bearing_other) + R"();
  )" + drive + R"(
  Rotational.Torque load;
equation
  connect(a.flange_b, gear.flange_a);
  connect(gear.flange_b, b.flange_a);
  connect(a.flange_a, clutch.flange_a);
  connect(clutch.flange_b, other.flange_a);
  connect(b.flange_b, at_b.flange_a);
  connect(other.flange_b, at_other.flange_a);
  connect(drive.y, load.tau);
  connect(load.flange, b.flange_b);
end Coupled;
)"};
}

TEST_CASE("frictions coupled through a linkage obey Lagrange's equations and Coulomb's law") {
  const double clutch = 0.5, at_b = 0.9, at_other = 0.2;
  const Model model = coupled(clutch, at_b, at_other, ", w(start = 4)",
                              "Blocks.Sine drive(amplitude = 2.5, f = 0.15);");
  const Simulation run = exact_run(model, 12, 0.02, true);
  const auto column = [&](const char* name) { return run.column(model, name); };
  const auto phi = column("b.phi"), w = column("b.w"), acceleration = column("b.a"),
             w_o = column("other.w"), acceleration_o = column("other.a"), s = column("clutch.tau"),
             s_b = column("at_b.tau"), s_o = column("at_other.tau"), tau = column("drive.y");
  const auto mode = column("clutch.mode"), mode_b = column("at_b.mode"),
             mode_o = column("at_other.mode");
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    INFO("at ", run.time[i]);
    const double n1 = gear_ratio(phi[i]), n2 = bend(phi[i]);
    // The clutch's torque on flange_a is that of the slip of flange_b against flange_a, reversed.
    const double inertia = (kJb + kJa * n1 * n1) * acceleration[i];
    const double residual = inertia + kJa * n1 * n2 * w[i] * w[i] - tau[i] + s_b[i] - n1 * s[i];
    CHECK(std::fabs(residual) < 1e-11);
    CHECK(std::fabs(kJo * acceleration_o[i] + s[i] + s_o[i]) < 1e-11);
    check_coulomb(w_o[i] - n1 * w[i], s[i], clutch, mode[i]);
    check_coulomb(w[i], s_b[i], at_b, mode_b[i]);
    check_coulomb(w_o[i], s_o[i], at_other, mode_o[i]);
  }
  // Everything happens: all held, the clutch held while its bodies move, and sliding both ways.
  std::size_t together = 0, rest = 0;
  for (std::size_t i = 0; i < mode.size(); ++i) {
    if (mode[i] == 0 && mode_b[i] != 0 && mode_o[i] != 0) ++together;
    if (mode[i] == 0 && mode_b[i] == 0 && mode_o[i] == 0) ++rest;
  }
  CHECK(together > 20);
  CHECK(rest > 5);
  CHECK(count(mode, 1) > 20);
  CHECK(count(mode, -1) > 20);
  check_energy(model, 12);
  check_against_cvode(model, 12, 1e-7);
}

TEST_CASE("frictions that a linkage makes redundant share the load with the shortest forces") {
  // Torque 0.5 t on b: the clutch holds a against `other`, whose bearing holds more than the
  // clutch.
  const double clutch = 0.4, at_b = 0.7, at_other = 0.9, phi = 0.4;
  const Model model = coupled(clutch, at_b, at_other, ", phi(start = 0.4)",
                              "Blocks.Ramp drive(height = 10, duration = 20);");
  const double n1 = gear_ratio(phi), breakaway = (at_b + n1 * clutch) / 0.5;
  const Simulation run = exact_run(model, breakaway + 1, 0.05, true);
  const auto column = [&](const char* name) { return run.column(model, name); };
  const auto w = column("b.w"), s = column("clutch.tau"), s_b = column("at_b.tau"),
             s_o = column("at_other.tau"), flag = column("clutch.indeterminate");
  double last = 0;
  for (std::size_t i = 0; i < run.time.size() && w[i] == 0; ++i) {
    last = run.time[i];
    const double load = 0.5 * run.time[i];
    INFO("load ", load);
    // s_b - n' s = load and s + s_o = 0; of these forces the shortest within their bounds.
    const double shortest = n1 * load / (2 + n1 * n1);
    const double expected = std::min(shortest, clutch);
    CHECK(std::fabs(s[i] + expected) < 1e-12);
    CHECK(std::fabs(s_o[i] - expected) < 1e-12);
    CHECK(std::fabs(s_b[i] - (load - n1 * expected)) < 1e-12);
    if (load > 0 && run.time[i] < breakaway * (1 - 1e-12)) CHECK(flag[i] == 1);
  }
  CHECK(std::fabs(last - breakaway) < 1e-12 * breakaway);
  CHECK(w.back() > 0.05);
  check_energy(model, breakaway + 1);
  check_against_cvode(model, breakaway + 1, 1e-7);
}

// --- slider and crank, and a block that lies on the slider

constexpr double kBlock = 0.25, kHolderStiffness = 150;

constexpr double kBearing = 0.15, kGuide = 0.4, kContact = 1.1, kFloor = 0.2;

/// Friction in the bearing of the crank, in the guide of the slider, between slider and block, and
/// of the block on the floor.
std::string engine(const std::string& torque) {
  return R"(
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
  Rotational.Inertia crank(J = 0.004, phi(start = 0.3), w(start = 8));
  Rotational.BearingFriction bearing(tau0 = 0.15);
  )" + torque +
         R"(
  Rotational.Torque drive;
  Crank rod;
  Translational.Mass piston(m = 0.6);
  Translational.SupportFriction guide(f0 = 0.4);
  Translational.CrossFriction contact(f0 = 1.1);
  Translational.Mass slab(m = 0.25, s(start = 0.2));
  Translational.SupportFriction floor_(f0 = 0.2);
  Translational.Spring spring(k = 150);
  Translational.Fixed wall(s0 = 0.2);
equation
  connect(torque.y, drive.tau);
  connect(drive.flange, crank.flange_a);
  connect(crank.flange_b, bearing.flange_a);
  connect(crank.flange_b, rod.flangeR);
  connect(rod.flangeT, piston.flange_a);
  connect(piston.flange_a, guide.flange_a);
  connect(piston.flange_b, contact.flange_a);
  connect(contact.flange_b, slab.flange_a);
  connect(slab.flange_a, floor_.flange_a);
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, slab.flange_b);
end Engine;
)";
}

TEST_CASE("a slider-crank with frictions on crank and slider, and a block on the slider") {
  const Model model{"engine", engine("Blocks.Sine torque(amplitude = 0.25, f = 0.8);")};
  const Simulation run = exact_run(model, 4, 0.01, true);
  const auto column = [&](const char* name) { return run.column(model, name); };
  const auto phi = column("crank.phi"), w = column("crank.w"), crank = column("crank.a"),
             s = column("piston.s"), x = column("slab.s"), v = column("slab.v"),
             block = column("slab.a"), tau = column("torque.y"), bearing = column("bearing.tau"),
             guide = column("guide.f"), contact = column("contact.f"), floor = column("floor_.f");
  const auto modes = column("contact.mode"), rests = column("bearing.mode");
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    INFO("at ", run.time[i]);
    const Slider<double> at = slider(phi[i]);
    const double inertia = kCrank + kPiston * at.ratio * at.ratio;
    const double residual = inertia * crank[i] + kPiston * at.ratio * at.bend * w[i] * w[i] -
                            tau[i] + bearing[i] + at.ratio * (guide[i] - contact[i]);
    CHECK(std::fabs(residual) < 1e-10);
    CHECK(std::fabs(s[i] - at.position) < 1e-14);
    const double force = -kHolderStiffness * (x[i] - 0.2) - contact[i] - floor[i];
    CHECK(std::fabs(kBlock * block[i] - force) < 1e-10);
    check_coulomb(w[i], bearing[i], kBearing, rests[i]);
    check_coulomb(at.ratio * w[i], guide[i], kGuide, column("guide.mode")[i]);
    check_coulomb(v[i] - at.ratio * w[i], contact[i], kContact, modes[i]);
    check_coulomb(v[i], floor[i], kFloor, column("floor_.mode")[i]);
  }
  CHECK(count(modes, 0) > 20);
  CHECK(count(modes, 1) > 20);
  CHECK(count(modes, -1) > 20);
  CHECK(count(rests, 0) > 5);
  check_energy(model, 4);
  check_against_cvode(model, 4, 1e-7);
}

/// The same by hand, with T tanh(slip/eps) in place of dry friction.
std::array<double, 4> regularised(const std::array<double, 4>& y, double t, double eps) {
  const auto [phi, w, x, v] = y;
  const Slider<double> at = slider(phi);
  const auto law = [&](double T, double slip) { return T * std::tanh(slip / eps); };
  const double piston = at.ratio * w;
  const double contact = law(kContact, v - piston);
  const double pull = 0.25 * std::sin(2 * std::acos(-1.0) * 0.8 * t) - law(kBearing, w) -
                      at.ratio * (law(kGuide, piston) - contact) -
                      kPiston * at.ratio * at.bend * w * w;
  return {w, pull / (kCrank + kPiston * at.ratio * at.ratio), v,
          (-kHolderStiffness * (x - 0.2) - contact - law(kFloor, v)) / kBlock};
}

TEST_CASE("regularised frictions tend to those of the slider-crank") {
  const Model model{"engine", engine("Blocks.Sine torque(amplitude = 0.25, f = 0.8);")};
  constexpr double kStop = 1;
  const Simulation run = exact_run(model, kStop, 0.1, false);
  double last = 0;
  for (const double eps : {4e-4, 2e-4}) {
    std::array<double, 4> y{0.3, 8, 0.2, 0};
    const auto moved = [&](const std::array<double, 4>& k, double step) {
      std::array<double, 4> z = y;
      for (std::size_t i = 0; i < z.size(); ++i) z[i] += step * k[i];
      return z;
    };
    double worst = 0;
    std::size_t row = 0;
    constexpr int kSteps = 400000;
    constexpr double h = kStop / kSteps;
    for (int n = 0; n <= kSteps; ++n) {
      if (n % (kSteps / 10) == 0) {
        worst = std::max(worst, std::fabs(y[0] - run.column(model, "crank.phi")[row]));
        worst = std::max(worst, std::fabs(y[2] - run.column(model, "slab.s")[row]));
        ++row;
      }
      const double t = n * h;
      const auto k1 = regularised(y, t, eps), k2 = regularised(moved(k1, h / 2), t + h / 2, eps),
                 k3 = regularised(moved(k2, h / 2), t + h / 2, eps),
                 k4 = regularised(moved(k3, h), t + h, eps);
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
      }
    }
    CHECK(worst < 20 * eps);
    if (last > 0) CHECK(worst < 0.7 * last);
    last = worst;
  }
}

// At rest on a knot of the spline, as at 0, what would tell the cell is the rounding of the forces
// that hold: either is right, as both have the same value, slope and bend.
TEST_CASE("a gear at rest on a knot of its spline begins as next to it") {
  const auto ends = [](const char* knot) {
    const Model model("knot.ltm", std::string(R"(
model Knot
  Rotational.Inertia b0(J = 1);
  Rotational.Inertia b1(J = 2);
  Rotational.Inertia b2(J = 0.5);
  Rotational.Inertia b5(J = 2);
  Rotational.Fixed ground;
  Rotational.CrossFriction e1(tau0 = 0.98);
  Rotational.CrossFriction e5(tau0 = 0.542, tau0_static = 1.374);
  Rotational.CrossFriction e7(tau0 = 0.425);
  Rotational.Torque load(tau = 4.637*sin(5.366*time));
  Rotational.Clutch clutch(fn_max = 1, peak = 1.4, f_normalized = 1 + 0.5*sin(3*time));
  Rotational.VariableGear gear(angle_b = {-2, -1, )") +
                                      knot + R"(, 1, 2},
                               angle_a = {-2.5, -1.2, 0, 0.9, 2.2});
equation
  connect(b0.flange_a, clutch.flange_a);
  connect(clutch.flange_b, b2.flange_a);
  connect(b5.flange_a, gear.flange_a);
  connect(gear.flange_b, b2.flange_a);
  connect(b1.flange_b, e1.flange_a);
  connect(e1.flange_b, b2.flange_b);
  connect(b5.flange_b, e5.flange_a);
  connect(e5.flange_b, b1.flange_b);
  connect(ground.flange, e7.flange_a);
  connect(e7.flange_b, b0.flange_b);
  connect(load.flange, b0.flange_a);
end Knot;
)");
    std::vector<double> at_end;
    for (const Simulation& run : {simulate(model, TaylorOptions{0, 2, 2, 1e-10, false}),
                                  simulate(model, CvodeOptions{0, 2, 2, 1e-10, false})}) {
      REQUIRE(run.report.reason == StopReason::kDone);
      at_end.push_back(run.column(model, "b5.phi").back());
    }
    CHECK(std::fabs(at_end[0] - at_end[1]) < 1e-7);
    return at_end[0];
  };
  CHECK(std::fabs(ends("0") - ends("-1e-7")) < 1e-6);
}

}  // namespace
// At rest with no force at all, between what begins to move with the third power of time and the
// ground: the bearing can hold less than the drive, and the wheel behind the gear follows.
TEST_CASE("a drive that begins to move takes along what acts on a gear of varying ratio") {
  const Model model("driven_gear", R"(
model DrivenGear
  Rotational.Inertia hub(J = 1.3);
  Rotational.Inertia wheel(J = 1.9);
  Rotational.VariableGear gear(angle_b = {-9, -3, -1, 0, 1, 3, 9}, angle_a = {-10, -3.3, -1.1, 0, 1.2, 3.4, 10});
  Rotational.CrossFriction coupling(tau0 = 1.1);
  Rotational.BearingFriction bearing(tau0 = 0.4);
  Rotational.Accelerate drive;
  Rotational.CrossFriction belt(tau0 = 1.1);
  Rotational.BearingFriction far(tau0 = 1);
  Rotational.Inertia other(J = 1);
  Rotational.VariableGear tied(angle_b = {-9, 0, 9}, angle_a = {-9, 0, 9});
  Rotational.CrossFriction beside(tau0 = 1);
equation
  drive.a_ref = 0.2*sin(time);
  connect(wheel.flange_b, gear.flange_b);
  connect(gear.flange_a, coupling.flange_a);
  connect(coupling.flange_b, hub.flange_a);
  connect(hub.flange_b, bearing.flange_a);
  connect(drive.flange, belt.flange_a);
  connect(belt.flange_b, hub.flange_a);
  connect(far.flange_a, other.flange_a);
  connect(other.flange_b, tied.flange_b);
  connect(tied.flange_a, beside.flange_a);
  connect(beside.flange_b, drive.flange);
end DrivenGear;
)");
  for (const double tolerance : {1e-6, 1e-12}) {
    CAPTURE(tolerance);
    const TaylorOptions options{0, 1, 0.01, tolerance, false};
    const Simulation run = simulate(model, options);
    REQUIRE(run.report.reason == StopReason::kDone);
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double w = 0.2 * (1 - std::cos(run.time[i]));
      CHECK(std::fabs(run.column(model, "hub.w")[i] - w) < 10 * tolerance);
      CHECK(std::fabs(run.column(model, "coupling.w_rel")[i]) < 10 * tolerance);
      CHECK(run.column(model, "belt.mode")[i] == 0);
      CHECK(run.column(model, "bearing.mode")[i] ==
            (i == 0 ? run.column(model, "bearing.mode")[1] : 1));
    }
    const RunReport audit = audited(model, options);
    CHECK(std::fabs(audit.energy->residual()) < 10 * tolerance);
  }
}

}  // namespace luztar::test
