// Tables with doubled knots: the value jumps there, and the second one counts. Pieces that meet in
// one value do not jump.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// J phi'' = -tau of a body on a law of its angle, J = 1.
Simulation run_law(const std::string& law, double speed, double stop, std::string* column,
                   RunReport* audit = nullptr) {
  const Model model("table_jump", R"(
model Law
  extends Rotational.Interfaces.TwoFlanges;
equation
  tau = )" + law + R"(;
end Law;
model Body
  Rotational.Inertia i(J = 1, w(start = )" +
                                      std::to_string(speed) + R"());
  Rotational.Fixed g;
  Law l;
equation
  connect(g.flange, l.flange_a);
  connect(l.flange_b, i.flange_a);
end Body;
)");
  TaylorOptions options;
  options.stop = stop;
  options.interval = stop / 100;
  options.tolerance = 1e-12;
  if (audit != nullptr) *audit = audited(model, options);
  Simulation run = simulate(model, options);
  run.columns[0] = run.column(model, *column);
  return run;
}

}  // namespace

TEST_CASE("a spring law that jumps at rest length, started on the jump") {
  // phi > 0: phi'' = -(1 + phi), phi = cos t + w sin t - 1, back at zero at t = 2 atan w; then the
  // same to the other side.
  std::string name = "i.phi";
  RunReport audit;
  const Simulation run =
      run_law("table(phi_rel, {-1, 0, 0, 1}, {-2, -1, 1, 2})", 1, 6, &name, &audit);
  REQUIRE(run.report.reason == StopReason::kDone);
  const double period = 2 * std::atan(1.0);
  CHECK(run.report.events == 3);
  for (std::size_t row = 0; row < run.time.size(); ++row) {
    const double half = std::floor(run.time[row] / period);
    const double t = run.time[row] - half * period;
    const double phi = (std::fmod(half, 2) == 0 ? 1 : -1) * (std::cos(t) + std::sin(t) - 1);
    CHECK(std::fabs(run.columns[0][row] - phi) < 1e-11);
  }
  CHECK(std::fabs(audit.energy->residual()) < 1e-12);
}

TEST_CASE("at rest on a jump that drives away from it, the second value counts") {
  // phi'' = 1 + phi: phi = cosh t - 1.
  std::string name = "i.phi";
  const Simulation run = run_law("table(phi_rel, {-2, 0, 0, 2}, {3, 1, -1, -3})", 0, 1, &name);
  REQUIRE(run.report.reason == StopReason::kDone);
  for (std::size_t row = 0; row < run.time.size(); ++row) {
    CHECK(std::fabs(run.columns[0][row] - (std::cosh(run.time[row]) - 1)) < 1e-11);
  }
  // A relation is what it is at the start: 0 >= 0, but not 0 > 0.
  for (const char* relation : {">=", ">"}) {
    const double side = relation[1] == '=' ? 1 : -1;
    const Simulation pushed =
        run_law(std::string("if phi_rel ") + relation + " 0 then -1 else 1", 0, 1, &name);
    CHECK(std::fabs(pushed.columns[0].back() - side * 0.5) < 1e-12);
  }
}

TEST_CASE("at rest on a jump that drives back to it, there is no mode") {
  std::string name = "i.phi";
  const Simulation run = run_law("table(phi_rel, {-1, 0, 0, 1}, {-2, -1, 1, 2})", 0, 1, &name);
  CHECK(run.report.reason == StopReason::kEventStorm);
  REQUIRE(run.report.storm.size() == 1);
  CHECK(run.report.storm[0].find("i.phi") != std::string::npos);
}

TEST_CASE("the load of a massless body jumps by a table: its energy") {
  const Model model("massless_table", R"(
model MasslessTable
  Rotational.Inertia i(J = 1, w(start = 2)), j(J = 0);
  Rotational.Spring s(k = 5);
  Rotational.BearingFriction b(tau0 = 0.3);
  Rotational.Torque t(tau = table(time, {0, 1, 1, 2}, {0, 0, 1, 1}));
equation
  connect(i.flange_a, s.flange_a);
  connect(s.flange_b, j.flange_a);
  connect(j.flange_b, b.flange_a);
  connect(t.flange, j.flange_b);
end MasslessTable;
)");
  TaylorOptions options;
  options.stop = 4;
  options.interval = 0.25;
  options.tolerance = 1e-10;
  CHECK(std::fabs(audited(model, options).energy->residual()) < 1e-12);
}

TEST_CASE("a position that jumps by a table is no motion that a friction follows") {
  const auto stages = run_stages("jumping_position", R"(
model JumpingPosition
  Rotational.Position d(phi_ref = table(time, {0, 1, 1, 2}, {0, 1, -1, -1}));
  Rotational.CrossFriction f(tau0 = 0.7);
  Rotational.Inertia i(J = 1);
  annotation(experiment(StopTime = 4));
equation
  connect(d.flange, f.flange_a);
  connect(f.flange_b, i.flange_a);
end JumpingPosition;
)",
                                 Stage::kExplicit);
  CHECK(!stages->explicit_system);
  CHECK(stages->messages().find("LT3013") != std::string::npos);
}

TEST_CASE("the knots of a table of a period jump with it at its end") {
  // Between the knots of tau the energy w^2/2 + V(phi) has a quadratic V.
  const std::vector<double> knots = {0, 0.1, 0.2, 0.5}, tau = {0, 10, -10, 0};
  const auto potential = [&](double phi) {
    constexpr double kOfPeriod = -1;  // -10*0.3/2 + 10*0.1/2
    const double whole = std::floor(phi / 0.5);
    double left = phi - 0.5 * whole, V = whole * kOfPeriod;
    for (std::size_t i = 0; i + 1 < knots.size() && left > knots[i]; ++i) {
      const double s = std::min(left, knots[i + 1]) - knots[i];
      V += s * (tau[i] + 0.5 * s * (tau[i + 1] - tau[i]) / (knots[i + 1] - knots[i]));
    }
    return V;
  };
  for (const char* angle : {"mod(phi_rel, 0.5)", "phi_rel - 0.5*floor(2*phi_rel)"}) {
    for (const double speed : {3.0, -3.0}) {
      CAPTURE(angle);
      CAPTURE(speed);
      std::string name = "i.w";
      const std::string law =
          std::string("table(") + angle + ", {0, 0.1, 0.2, 0.5}, {0, 10, -10, 0})";
      const Simulation run = run_law(law, speed, 2, &name);
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.report.events >= 20);
      name = "i.phi";
      const std::vector<double> phi = run_law(law, speed, 2, &name).columns[0];
      for (std::size_t row = 0; row < run.time.size(); ++row) {
        const double w = run.columns[0][row];
        CHECK(std::fabs(w * w / 2 + potential(phi[row]) - speed * speed / 2) < 1e-10);
      }
    }
  }
}

// Both pieces are zero at the joint, to which each comes with its own rounding.
TEST_CASE("a position of two pieces that are zero where they meet does not jump") {
  const Model model("pieces.ltm", R"(
model Pieces
  Rotational.Position drive;
  Rotational.Spring spring(k = 1);
  Rotational.Inertia wheel(J = 0);
  Rotational.CrossFriction clutch(tau0 = 0.5);
  Rotational.Fixed ground;
  Real a = (time - 0.45)/0.45, b = (time - 0.9)/0.45;
equation
  drive.phi_ref = if time < 0.9 then 1 - a^2*(3 - 2*a) else b^2*(3 - 2*b);
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, wheel.flange_a);
  connect(drive.flange, clutch.flange_a);
  connect(clutch.flange_b, wheel.flange_b);
end Pieces;
)");
  check_column_between(model, 1.3, "drive.phi", {}, [](double t) {
    const double x = t < 0.9 ? (t - 0.45) / 0.45 : (t - 0.9) / 0.45, s = x * x * (3 - 2 * x);
    return t < 0.9 ? 1 - s : s;
  });
}

// Exactly what the knots say: a sum of hinges would leave 1e-16 there, as a capacity or a speed
// that is none.
TEST_CASE("a table is constant where its knots are, to the last digit") {
  const Model model("flat", R"(
model Flat
  Rotational.Inertia body(J = 1);
  Rotational.Torque load;
  Real y;
equation
  y = table(time, {0.1, 0.3, 0.7, 1.3, 1.9}, {0.1, 0.7, 0.7, 1/3, 0});
  load.tau = y;
  connect(load.flange, body.flange_a);
end Flat;
)");
  const auto check = [&](const Simulation& run) {
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>& y = run.column(model, "y");
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double t = run.time[i];
      if (t < 0.0999) CHECK(y[i] == 0.1);
      if (t > 0.3001 && t < 0.6999) CHECK(y[i] == 0.7);
      if (t > 1.9001) CHECK(y[i] == 0);
    }
  };
  check(simulate(model, TaylorOptions{0, 3, 0.01, 1e-10, false}));
  check(simulate(model, CvodeOptions{0, 3, 0.01, 1e-10, false}));
}

// The clutch lets the hubs go at 2 s. From 3 sin(t + 1) = 0 on the load pushes the first one to the
// other side of its play, where it finds the second.
TEST_CASE("a clutch that a table has opened leaves the bodies between stops alone") {
  const Model model("opened", R"(
model Opened
  Translational.Mass b0(m = 0), b1(m = 0), b2(m = 0), b3(m = 0);
  Translational.Force load;
  Translational.HardStop wall(half_freeplay = 0.25, e = 0), play(half_freeplay = 0.25, e = 0);
  Translational.Fixed ground;
  Translational.Spring between(k = 1), behind(k = 1);
  Translational.Clutch clutch(mu_pos = 1, fn_max = 1);
  Translational.Damper oil(d = 1);
equation
  load.f = 3*sin(time + 1);
  connect(load.flange, b0.flange_a);
  connect(ground.flange, wall.flange_a);
  connect(wall.flange_b, b2.flange_a);
  connect(b0.flange_b, between.flange_a);
  connect(between.flange_b, b1.flange_a);
  clutch.f_normalized = table(time, {0.667, 2.001}, {1, 0});
  connect(b0.flange_b, clutch.flange_a);
  connect(clutch.flange_b, b1.flange_a);
  connect(b0.flange_b, play.flange_a);
  connect(play.flange_b, b1.flange_a);
  connect(b1.flange_b, behind.flange_a);
  connect(behind.flange_b, b3.flange_a);
  connect(b2.flange_b, oil.flange_a);
  connect(oil.flange_b, b3.flange_a);
end Opened;
)");
  for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    for (const Simulation& run : {simulate(model, TaylorOptions{0, 4, 0.01, tolerance, false}),
                                  simulate(model, CvodeOptions{0, 4, 0.01, tolerance, false})}) {
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.report.events < 20);
      CHECK(run.column(model, "b2.s").back() == doctest::Approx(-0.25));
      CHECK(run.column(model, "clutch.f").back() == 0);
    }
  }
}

}  // namespace luztar::test
