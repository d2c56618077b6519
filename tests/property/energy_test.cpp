// Energy: what is supplied is stored or lost, in every example and at every event.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "runtime/solvers/energy_audit.h"
#include "tests/support/csv_table.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

RunReport audited(const Model& model, double stop, double tolerance) {
  return test::audited(model, TaylorOptions{0, stop, stop / 50, tolerance, true});
}

TEST_CASE("the energy residual of every example is rounding") {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(project_dir() / "library/examples")) {
    const std::string file = entry.path().filename();
    if (!std::islower(static_cast<unsigned char>(file[0]))) continue;  // bases
    CAPTURE(file);
    const Model model = load_example(file);
    for (const double tolerance : {1e-10, 1e-12}) {
      const RunReport report = audited(model, model.stages().flat->experiment.stop, tolerance);
      CHECK(report.reason == StopReason::kDone);
      const EnergyReport& energy = *report.energy;
      const double supplied = std::max(std::fabs(energy.supplied), energy.stored_before);
      CHECK(supplied > 0);
      CHECK(std::fabs(energy.residual()) < 1e-11 * supplied);
      for (const double lost : energy.dissipated) CHECK(lost >= -1e-14);
    }
    ++count;
  }
  CHECK(count >= 15);
}

TEST_CASE("energies have closed forms") {
  // A mass of 2 kg at 3 m/s on a dry plane of 4 N and a damper of 0.5 N.s/m; then a stop.
  const Model model("slide.ltm",
                    "model Slide\n"
                    "  Translational.Mass body(m = 2, v(start = 3));\n"
                    "  Translational.SupportFriction plane(f0 = 4);\n"
                    "  Translational.SpringDamper spring(k = 0, d = 0.5);\n"
                    "  Translational.HardStop stop(half_freeplay = 0.2, e = 0.5);\n"
                    "  Translational.Fixed wall;\n"
                    "equation\n"
                    "  connect(body.flange_b, plane.flange_a);\n"
                    "  connect(wall.flange, spring.flange_a);\n"
                    "  connect(spring.flange_b, body.flange_a);\n"
                    "  connect(wall.flange, stop.flange_a);\n"
                    "  connect(stop.flange_b, body.flange_a);\n"
                    "end Slide;\n");
  const RunReport report = audited(model, 5, 1e-13);
  const EnergyReport& e = *report.energy;
  CHECK(e.stored_before == doctest::Approx(9).epsilon(1e-15));
  CHECK(e.stored == 0);
  CHECK(e.supplied == 0);
  CHECK(e.total_dissipated() + e.impacts == doctest::Approx(9).epsilon(1e-13));
  // Newton: each impact loses 1 - e^2 of the kinetic energy before it.
  const Simulation run = simulate(model, TaylorOptions{0, 5, 0.1, 1e-13, true});
  double lost = 0;
  const std::vector<double>& v = run.column(model, "body.v");
  for (std::size_t i = 0; i + 1 < run.time.size(); ++i) {
    if (run.time[i] == run.time[i + 1] && v[i] * v[i + 1] < 0) lost += 0.75 * v[i] * v[i];
  }
  CHECK(lost > 1);
  CHECK(e.impacts == doctest::Approx(lost).epsilon(1e-13));
}

TEST_CASE("energies of massless bodies alone are exact from the first step on") {
  // The point crosses the play of the spring whenever the torque is zero, where the play's margin
  // has been zero so far; a linear spring follows a step at once.
  for (const char* parts :
       {"  Rotational.FreeplaySpring spring(k = 155.3, half_freeplay = 0.02858);\n"
        "  Blocks.Sine signal(amplitude = 0.86, f = 6.61376);\n",
        "  Rotational.Spring spring(k = 100);\n"
        "  Blocks.Step signal(height = 3.446, startTime = 0.4);\n"}) {
    CAPTURE(parts);
    const Model model("massless.ltm",
                      "model Massless\n"
                      "  Rotational.Inertia body(J = 0);\n"
                      "  Rotational.Torque torque;\n"
                      "  Rotational.Fixed ground;\n" +
                          std::string(parts) +
                          "equation\n"
                          "  connect(ground.flange, spring.flange_a);\n"
                          "  connect(spring.flange_b, body.flange_a);\n"
                          "  connect(signal.y, torque.tau);\n"
                          "  connect(torque.flange, body.flange_b);\n"
                          "end Massless;\n");
    const RunReport report = audited(model, 0.99, 1e-13);
    CHECK(report.energy->turnover > 0.01);
    CHECK(std::fabs(report.energy->residual()) < 1e-13 * report.energy->turnover);
  }
}

TEST_CASE("laws that move by themselves draw on what moves them") {
  const auto body = [](const std::string& law) {
    return Model("body.ltm",
                 "model Body\n"
                 "  Rotational.Inertia body(J = 2, w(start = 0.3));\n"
                 "  Rotational.Torque torque(tau = " +
                     law +
                     ");\n"
                     "equation\n"
                     "  connect(torque.flange, body.flange_a);\n"
                     "end Body;\n");
  };
  for (const char* law : {
           "80 - 0.5*body.w",                                       // a motor
           "80*cos(time) - 0.5*body.w",                             //
           "-dryfriction(body.w - 5, 2, 3)",                        // a belt
           "-dryfriction(body.w - 2*sin(time), 1, 1.5)",            //
           "-10*(body.phi - sin(time))",                            // a spring on a drive
           "-10*luz(body.phi - sin(time), 0.1)",                    //
           "-10*luz(body.phi - (if time < 3 then 0 else 1), 0.1)",  // which jumps
           "-10*body.phi - hardstop(body.phi - 2*sin(time), 0.5, 0.5)",
       }) {
    CAPTURE(law);
    const EnergyReport energy = *audited(body(law), 8, 1e-13).energy;
    CHECK(energy.turnover > 0.01);
    CHECK(std::fabs(energy.supplied) > 0.01);
    CHECK(std::fabs(energy.residual()) < 1e-12 * energy.turnover);
    for (const double lost : energy.dissipated) CHECK(lost >= 0);
  }
  // 80 - 0.5 w is a coupling to a shaft at 160 rad/s, which it brings the body to in the end: half
  // of what that shaft supplies is lost, 0.5 J 160^2.
  EnergyReport run_up = *audited(Model("up.ltm",
                                       "model Up\n"
                                       "  Rotational.Inertia body(J = 2);\n"
                                       "  Rotational.Torque torque(tau = 80 - 0.5*body.w);\n"
                                       "equation\n"
                                       "  connect(torque.flange, body.flange_a);\n"
                                       "end Up;\n"),
                                 200, 1e-13)
                             .energy;
  CHECK(run_up.supplied == doctest::Approx(2 * 160 * 160).epsilon(1e-11));
  CHECK(run_up.total_dissipated() == doctest::Approx(160 * 160).epsilon(1e-11));
}

// The slip of `a` on the massless body c ends while c is stuck to b, and a and b go on at different
// rates: c slips on a again, with a slip that is zero at that instant.
TEST_CASE("a massless body slips on where the bodies on both its sides part") {
  const Model model("part.ltm", R"(
model Part
  Rotational.Inertia a(J = 0.5), b(J = 0.74), light(J = 1e-5), c(J = 0);
  Rotational.BearingFriction on_a(d = 0.2, tau0 = 1.34), on_b(d = 0, tau0 = 0.3);
  Rotational.BearingFriction on_light(d = 0, tau0 = 2.4);
  Rotational.FreeplaySpring shaft(k = 312.44, half_freeplay = 0.01);
  Rotational.Clutch clutch(fn_max = 0.3, mu_pos = 1, peak = 1);
  Rotational.CrossFriction damped(d = 0.1, tau0 = 0.5), dry(d = 0, tau0 = 2);
  Rotational.Torque load;
equation
  load.tau = 2.87*sin(19.477874452256718*time);
  clutch.f_normalized = 0.3 + 0.7*sin(3.2289288264054397*time);
  connect(load.flange, c.flange_a);
  connect(on_a.flange_a, a.flange_b);
  connect(on_b.flange_a, b.flange_b);
  connect(on_light.flange_a, light.flange_b);
  connect(a.flange_b, shaft.flange_a);
  connect(shaft.flange_b, b.flange_a);
  connect(a.flange_b, clutch.flange_a);
  connect(clutch.flange_b, light.flange_a);
  connect(a.flange_b, damped.flange_a);
  connect(damped.flange_b, c.flange_a);
  connect(b.flange_b, dry.flange_a);
  connect(dry.flange_b, c.flange_a);
end Part;
)");
  const RunReport report = audited(model, 1, 1e-12);
  REQUIRE(report.reason == StopReason::kDone);
  CHECK(std::fabs(report.energy->residual()) < 1e-11 * report.energy->supplied);
  const Simulation taylor = simulate(model, TaylorOptions{0, 1, 0.01, 1e-12, false});
  const Simulation cvode = simulate(model, CvodeOptions{0, 1, 0.01, 1e-10, false});
  for (const char* name : {"a.phi", "b.phi", "c.phi"}) {
    const std::vector<double>&x = taylor.column(model, name), &y = cvode.column(model, name);
    REQUIRE(x.size() == y.size());
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::fabs(x[i] - y[i]) < 1e-8);
  }
}

// The clutch has no capacity, and the massless ring that felt holds to the hub leaves the drive
// with the rate of the hub: what rounding left of the slip that has ended is none to slip with.
TEST_CASE("a clutch without capacity leaves with the body that breaks away") {
  const Model model("leave.ltm", R"(
model Leave
  Rotational.Inertia flywheel(J = 1.29), hub(J = 1e-4), rotor(J = 1.64), ring(J = 0);
  Rotational.FreeplaySpring shaft(k = 263.84, half_freeplay = 0.09);
  Rotational.CrossFriction dry(d = 0, tau0 = 1.47, tau0_static = 1.911), felt(d = 1.01, tau0 = 2.1);
  Rotational.Clutch clutch(mu_pos = 1, fn_max = 3.44);
  Rotational.Position drive;
equation
  clutch.f_normalized = max(0, if time < 0.5 then 1 else 1 - 5*(time - 0.5));
  drive.phi_ref = 0.63*sin(2.45*time);
  connect(flywheel.flange_b, shaft.flange_a);
  connect(shaft.flange_b, hub.flange_a);
  connect(hub.flange_b, dry.flange_a);
  connect(dry.flange_b, rotor.flange_a);
  connect(rotor.flange_b, clutch.flange_a);
  connect(clutch.flange_b, ring.flange_a);
  connect(hub.flange_b, felt.flange_a);
  connect(felt.flange_b, ring.flange_a);
  connect(drive.flange, rotor.flange_a);
end Leave;
)");
  const RunReport report = audited(model, 1, 1e-11);
  REQUIRE(report.reason == StopReason::kDone);
  CHECK(report.events > 150);
  CHECK(std::fabs(report.energy->residual()) < 1e-12 * report.energy->total_dissipated());
}

// Both slips of the massless disc end at once, as friction holds the bodies beside it together: the
// disc is taken along, although they would leave it by their rates.
TEST_CASE("a massless disc comes to rest between two bodies that stick to each other") {
  const Model model("disc.ltm", R"(
model Disc
  Translational.Mass left(m = 1), right(m = 2), disc(m = 0);
  Translational.Fixed wall;
  Translational.CrossFriction joint(f0 = 3), weak(f0 = 0.5), strong(f0 = 2), brake(f0 = 1, d = 1);
  Translational.Force push_left, push_right, push_disc;
equation
  connect(left.flange_a, joint.flange_a);
  connect(joint.flange_b, right.flange_b);
  connect(left.flange_a, weak.flange_a);
  connect(weak.flange_b, disc.flange_b);
  connect(disc.flange_a, strong.flange_a);
  connect(strong.flange_b, right.flange_b);
  connect(wall.flange, brake.flange_a);
  connect(brake.flange_b, disc.flange_b);
  connect(left.flange_b, push_left.flange);
  connect(right.flange_b, push_right.flange);
  connect(push_disc.flange, disc.flange_a);
  push_left.f = 7.76*sin(2.63*time);
  push_right.f = 7.31*sin(3.14*time);
  push_disc.f = 0.95*sin(11.82*time);
end Disc;
)");
  const RunReport report = audited(model, 2, 1e-12);
  REQUIRE(report.reason == StopReason::kDone);
  CHECK(std::fabs(report.energy->residual()) < 1e-13 * report.energy->supplied);
  const Simulation taylor = simulate(model, TaylorOptions{0, 2, 0.01, 1e-12, false});
  const Simulation cvode = simulate(model, CvodeOptions{0, 2, 0.01, 1e-10, false});
  REQUIRE(cvode.report.reason == StopReason::kDone);
  for (const char* name : {"left.s", "right.s", "disc.s"}) {
    const std::vector<double>&x = taylor.column(model, name), &y = cvode.column(model, name);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::fabs(x[i] - y[i]) < 1e-7);
  }
  for (const auto& [name, bound] :
       {std::pair{"joint.f", 3.0}, {"weak.f", 0.5}, {"strong.f", 2.0}}) {
    for (const double force : taylor.column(model, name)) CHECK(std::fabs(force) < bound + 1e-9);
  }
}

}  // namespace
}  // namespace luztar::test
