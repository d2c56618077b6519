// Massless bodies that are damped by far less than others beside them: what the small damping makes
// great hides neither slips nor their rates, and the motion is that of the limit d -> 0.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

std::string turning_drive(const std::string& damping) {
  return "model Turning\n  constant Real d = " + damping + R"(;
  Rotational.Position drive;
  Rotational.Spring spring(k = 40);
  Rotational.Inertia wheel(J = 0), beside(J = 0);
  Rotational.Damper between(d = 0.6), first(d = d), second(d = d);
  Rotational.Clutch clutch(mu_pos = 1, fn_max = 2);
  Rotational.BearingFriction bearing(tau0 = 1.3);
  Rotational.Fixed ground;
equation
  drive.phi_ref = 0.2*sin(pi*time + 1.2);
  clutch.f_normalized = sin(1.2*pi*time + 1);
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, wheel.flange_a);
  connect(wheel.flange_a, between.flange_a);
  connect(between.flange_b, beside.flange_a);
  connect(beside.flange_a, second.flange_a);
  connect(second.flange_b, ground.flange);
  connect(wheel.flange_a, first.flange_a);
  connect(first.flange_b, ground.flange);
  connect(drive.flange, clutch.flange_b);
  connect(clutch.flange_a, wheel.flange_a);
  connect(wheel.flange_b, bearing.flange_a);
end Turning;
)";
}

std::string carried_to_stop(const std::string& damping) {
  return R"(model Carried
  Rotational.Fixed ground;
  Rotational.Inertia body(J = 0.05);
  Rotational.Inertia first(J = 0), second(J = 0);
  Rotational.Torque torque;
  Rotational.HardStop stop(half_freeplay = 0.05);
  Rotational.SpringDamper between(k = 40, d = 0.5);
  Rotational.Spring spring(k = 40);
  Rotational.BearingFriction f1(tau0 = 0.213), f2(tau0 = 0.222);
  Rotational.Damper damper(d = )" +
         damping + R"();
equation
  torque.tau = table(time, {0, 0.6, 1.5, 2.4, 3}, {0, 4.5, 0, -4.5, -2.25});
  connect(body.flange_a, torque.flange);
  connect(body.flange_b, stop.flange_a);
  connect(stop.flange_b, first.flange_a);
  connect(first.flange_b, between.flange_a);
  connect(between.flange_b, second.flange_a);
  connect(second.flange_b, spring.flange_a);
  connect(spring.flange_b, ground.flange);
  connect(first.flange_b, f1.flange_a);
  connect(second.flange_b, f2.flange_a);
  connect(second.flange_b, damper.flange_a);
  connect(damper.flange_b, ground.flange);
end Carried;
)";
}

}  // namespace

// The clutch holds the wheel to the drive until this turns back; the bearing, which resists the
// motion before the turn, holds the wheel from then on: what the clutch, at its bound, and the
// spring pull back with is less than 1.3 N.m, by dampers as small as these.
TEST_CASE("a bearing holds the wheel that its drive turns back from, however small its dampings") {
  const double turn = (kPi / 2 - 1.2) / kPi;
  for (const char* d : {"1e-3", "2e-5", "1e-5", "1e-6"}) {
    CAPTURE(d);
    const Model model("turning.ltm", turning_drive(d));
    const Simulation run = simulate(model, TaylorOptions{0, 0.4, 0.01, 1e-12});
    const std::vector<double>& phi = run.column(model, "wheel.phi");
    const std::vector<double>& w = run.column(model, "wheel.w");
    const std::vector<double>& force = run.column(model, "bearing.tau");
    REQUIRE(run.report.reason == StopReason::kDone);
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double t = run.time[i];
      CAPTURE(t);
      if (t < 0.001 || std::fabs(t - turn) < 1e-6) continue;  // the snap at the start, and events
      if (t < turn) {
        CHECK(w[i] == doctest::Approx(0.2 * kPi * std::cos(kPi * t + 1.2)).epsilon(1e-8));
        CHECK(force[i] == doctest::Approx(1.3).epsilon(1e-12));
      } else {
        CHECK(std::fabs(w[i]) < 1e-12);
        const double pull = 40 * (0.2 * std::sin(kPi * t + 1.2) - phi[i]);
        CHECK(std::fabs(force[i] - (pull - 2 * std::sin(1.2 * kPi * t + 1))) < 1e-9);
      }
    }
  }
}

// Speeds tend to a limit as the damping does, and frictions brake.
TEST_CASE("a damping that becomes small beside another one changes a motion by as little") {
  std::vector<double> at_end;
  for (const char* d : {"1e-2", "1e-3", "1e-4"}) {
    const Model model("carried.ltm", carried_to_stop(d));
    const Simulation run = simulate(model, TaylorOptions{0, 0.4, 0.05, 1e-12});
    const std::vector<double>& w = run.column(model, "first.w");
    const std::vector<double>& force = run.column(model, "f1.tau");
    for (std::size_t i = 0; i < w.size(); ++i)
      CHECK(force[i] * w[i] > -1e-8);  // its zero is as exact as the small damping lets it be
    at_end.push_back(w.back());
  }
  CHECK(std::fabs(at_end[1] - at_end[0]) > 1e-4);
  CHECK(std::fabs(at_end[2] - at_end[1]) < std::fabs(at_end[1] - at_end[0]) / 8);
}

}  // namespace luztar::test
