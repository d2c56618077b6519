// Prescribed motions: what they drive, what drives them, and the energy that this takes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

constexpr double kRelativeBound = 1e-12;

/// A run at the accuracy of rounding; its energy must add up as well.
Simulation driven_run(const Model& model, double stop) {
  const TaylorOptions options{0, stop, stop / 40, 1e-14, true};
  const RunReport report = audited(model, options);
  CHECK(report.energy->turnover > 0);
  CHECK(std::fabs(report.energy->residual()) < 1e-12 * report.energy->turnover);
  Simulation run = simulate(model, options);
  run.report = report;
  REQUIRE(run.report.reason == StopReason::kDone);
  return run;
}

void check_relative(const Simulation& run, const Model& model, std::string_view name,
                    const std::function<double(double)>& expected) {
  const std::vector<double>& values = run.column(model, name);
  double error = 0, size = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    error = std::max(error, std::fabs(values[i] - expected(run.time[i])));
    size = std::max(size, std::fabs(values[i]));
  }
  INFO(name, ": greatest error ", error);
  CHECK(error <= kRelativeBound * size);
}

/// The same model in the translational domain.
std::string translational(std::string text) {
  const std::pair<std::string, std::string> names[] = {
      {"Rotational.BearingFriction", "Translational.SupportFriction"},
      {"Rotational.Inertia", "Translational.Mass"},
      {"Rotational", "Translational"},
      {"J =", "m ="},
      {"tau0", "f0"},
      {"phi", "s"},
      {"w_ref", "v_ref"},
      {"w(start", "v(start"}};
  for (const auto& [from, to] : names) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), to);
      at += to.size();
    }
  }
  return text;
}

/// Names of the variables of a domain.
struct Domain {
  bool rotational;
  [[nodiscard]] Model model(const std::string& text) const {
    return {"prescribed", rotational ? text : translational(text)};
  }
  [[nodiscard]] std::string position(const std::string& part) const {
    return part + (rotational ? ".phi" : ".s");
  }
  [[nodiscard]] std::string velocity(const std::string& part) const {
    return part + (rotational ? ".w" : ".v");
  }
  [[nodiscard]] std::string force(const std::string& flange) const {
    return flange + (rotational ? ".tau" : ".f");
  }
};

constexpr Domain kDomains[] = {{true}, {false}};

/// drive -> rotor with J_1 = 0.4, d = 0.3, T = 0.7 -> spring with k = 30 -> body with J = 2; the
/// drive's input is `signal`.
std::string drive_line(const std::string& drive, const std::string& signal,
                       const std::string& starts = "") {
  return R"(
model Line
  Rotational.)" +
         drive + R"( drive)" + starts + R"(;
  Rotational.Inertia rotor(J = 0.4);
  Rotational.BearingFriction bearing(d = 0.3, tau0 = 0.7);
  Rotational.Spring spring(k = 30);
  Rotational.Inertia body(J = 2)" +
         (starts.empty() ? "" : ", " + starts.substr(1, starts.size() - 2)) + R"();
  )" + signal +
         R"(
  connect(drive.flange, rotor.flange_a);
  connect(rotor.flange_b, bearing.flange_a);
  connect(rotor.flange_b, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
end Line;
)";
}

/// Closed forms of the line: the motion of the drive, and that of the body.
struct LineMotion {
  std::function<double(double)> position, velocity, acceleration, body;
};

void check_line(const Domain& domain, const Model& model, double stop, const LineMotion& motion) {
  const Simulation run = driven_run(model, stop);
  check_relative(run, model, domain.position("drive"), motion.position);
  check_relative(run, model, domain.velocity("rotor"), motion.velocity);
  check_relative(run, model, domain.position("body"), motion.body);
  check_relative(run, model, domain.force("drive.flange"), [&](double t) {
    const double w = motion.velocity(t);
    const double friction = 0.3 * w + 0.7 * ((w > 0) - (w < 0));
    const double spring = 30 * (motion.position(t) - motion.body(t));
    return -(0.4 * motion.acceleration(t) + friction + spring);
  });
}

const double kNatural = std::sqrt(30.0 / 2);  // of the body on the spring [rad/s]

}  // namespace

TEST_CASE("a speed that varies drives bodies on its flange and a body behind a spring") {
  const double B = 5, A = 3, W = 2;
  const double gain = kNatural * kNatural / (kNatural * kNatural - W * W);
  const LineMotion motion{
      [&](double t) { return B * t + A / W * (1 - std::cos(W * t)); },
      [&](double t) { return B + A * std::sin(W * t); },
      [&](double t) { return A * W * std::cos(W * t); },
      [&](double t) {
        return B * (t - std::sin(kNatural * t) / kNatural) +
               A / W * (1 - gain * std::cos(W * t) - (1 - gain) * std::cos(kNatural * t));
      }};
  const std::string time_function = "equation drive.w_ref = 5 + 3*sin(2*time);";
  const std::string state =
      "Blocks.Integrator integrator(k = 1, y_start = 5);"
      "equation integrator.u = 6*cos(2*time); connect(integrator.y, drive.w_ref);";
  for (const Domain& domain : kDomains) {
    for (const std::string& signal : {time_function, state}) {
      INFO(signal);
      check_line(domain, domain.model(drive_line("Speed", signal)), 6, motion);
    }
  }
}

TEST_CASE("the equations w = der(phi), w = u of a model of one's own prescribe a speed") {
  const std::string own = R"(
model Own
  extends Rotational.Interfaces.OneFlange;
  input Real u;
  Real phi(start = 0.6), w;
equation
  phi = flange.phi;
  w = der(phi);
  w = u;
end Own;
model Owned
  Own drive;
  Blocks.FirstOrder lag(T = 0.5, k = 4);
  Rotational.Inertia rotor(J = 0.4);
equation
  lag.u = 1;
  drive.u = 3*lag.y;
  connect(drive.flange, rotor.flange_a);
end Owned;
)";
  const Model model("own", own);
  const Simulation run = driven_run(model, 3);
  check_relative(run, model, "drive.phi",
                 [](double t) { return 0.6 + 12 * (t - 0.5 * (1 - std::exp(-2 * t))); });
  check_relative(run, model, "drive.flange.tau",
                 [](double t) { return -0.4 * 24 * std::exp(-2 * t); });
}

TEST_CASE("accelerations: constant and growing, from start values of the drive") {
  for (const Domain& domain : kDomains) {
    for (const double growth : {0.0, 1.5}) {
      CAPTURE(growth);
      // In the frame of the drive the body is a spring-mass system under -a(t).
      const double a = 2, p = 0.3, v = 1.2, w = kNatural;
      const LineMotion motion{
          [&](double t) { return p + v * t + a * t * t / 2 + growth * t * t * t / 6; },
          [&](double t) { return v + a * t + growth * t * t / 2; },
          [&](double t) { return a + growth * t; },
          [&](double t) {
            const double lag =
                a / (w * w) * (1 - std::cos(w * t)) + growth / (w * w) * (t - std::sin(w * t) / w);
            return p + v * t + a * t * t / 2 + growth * t * t * t / 6 - lag;
          }};
      const std::string signal =
          growth == 0 ? "Blocks.Constant a(k = 2); equation connect(a.y, drive.a_ref);"
                      : "equation drive.a_ref = 2 + 1.5*time;";
      check_line(
          domain,
          domain.model(drive_line("Accelerate", signal, "(phi(start = 0.3), w(start = 1.2))")), 4,
          motion);
    }
  }
}

TEST_CASE("a start value behind a gear is the start of the driven flange") {
  const Model model("inherited", R"(
model Inherited
  Rotational.Speed drive;
  Rotational.IdealGear gear(ratio = -4);
  Rotational.Inertia wheel(J = 2, phi(start = 0.5));
equation
  drive.w_ref = 3*time;
  connect(drive.flange, gear.flange_a);
  connect(gear.flange_b, wheel.flange_a);
end Inherited;
)");
  const Simulation run = driven_run(model, 2);
  check_relative(run, model, "drive.phi", [](double t) { return -2 + 1.5 * t * t; });
  check_relative(run, model, "wheel.phi", [](double t) { return 0.5 - 0.375 * t * t; });
  check_relative(run, model, "drive.flange.tau", [](double) { return -2 * 3 / 16.0; });
}

TEST_CASE("a position behind a lag: the step of the velocity costs the energy of an impulse") {
  const Model model("lag", R"(
model Lag
  Rotational.Position drive;
  Rotational.Inertia rotor(J = 0.4);
  Blocks.Step step(height = 2, startTime = 1);
  Blocks.FirstOrder lag(T = 0.25);
equation
  connect(step.y, lag.u);
  connect(lag.y, drive.phi_ref);
  connect(drive.flange, rotor.flange_a);
end Lag;
)");
  const Simulation run = driven_run(model, 1.5);
  const auto decay = [](double t) { return std::exp(-(t - 1) / 0.25); };
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i];
    const bool before = t < 1 || (t == 1 && run.time[i + 1] == t);
    const double w = before ? 0 : 8 * decay(t);
    CHECK(run.column(model, "drive.phi")[i] == doctest::Approx(before ? 0 : 2 * (1 - decay(t))));
    CHECK(run.column(model, "rotor.w")[i] == doctest::Approx(w).epsilon(1e-12));
    CHECK(run.column(model, "drive.flange.tau")[i] == doctest::Approx(0.4 * 4 * w).epsilon(1e-12));
  }
  const double w = 8 * decay(1.5);
  CHECK(run.report.energy->supplied == doctest::Approx(0.2 * w * w).epsilon(1e-12));
}

TEST_CASE("a position that jumps stretches springs") {
  const Model model("jump", R"(
model Jump
  Rotational.Position drive;
  Rotational.FreeplaySpring spring(k = 8, half_freeplay = 0.5);
  Rotational.Inertia body(J = 2);
  Blocks.Step step(height = 3, startTime = 1);
equation
  connect(step.y, drive.phi_ref);
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
end Jump;
)");
  const Simulation run = driven_run(model, 1.75);
  check_relative(run, model, "body.phi",
                 [](double t) { return t < 1 ? 0 : 2.5 * (1 - std::cos(2 * (t - 1))); });
  CHECK(run.report.energy->supplied == doctest::Approx(0.5 * 8 * 2.5 * 2.5).epsilon(1e-14));
}

TEST_CASE("three consistent signals move a flange like its position alone") {
  for (const Domain& domain : kDomains) {
    const std::string rates = domain.rotational ? "drive.w_ref" : "drive.v_ref";
    const std::string exact = "equation drive.phi_ref = sin(3*time);";
    const std::string moved = exact + rates + " = 3*cos(3*time); drive.a_ref = -9*sin(3*time);";
    const Model position = domain.model(drive_line("Position", exact));
    const Model move = domain.model(drive_line("Move", moved));
    const Simulation a = driven_run(position, 3), b = driven_run(move, 3);
    REQUIRE(a.time.size() == b.time.size());
    for (const std::string& name : {domain.position("body"), domain.force("drive.flange")}) {
      for (std::size_t i = 0; i < a.time.size(); ++i) {
        CHECK(a.column(position, name)[i] ==
              doctest::Approx(b.column(move, name)[i]).epsilon(1e-12).scale(10));
      }
    }
  }
  // Rates that are not the derivatives are taken as given.
  const Model model("given", R"(
model Given
  Rotational.Move drive;
  Rotational.Inertia rotor(J = 0.5);
  Rotational.BearingFriction bearing(d = 2, tau0 = 0);
equation
  drive.phi_ref = time;
  drive.w_ref = 3 + time;
  drive.a_ref = 4;
  connect(drive.flange, rotor.flange_a);
  connect(rotor.flange_b, bearing.flange_a);
end Given;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 2, 0.1, 1e-9, false});
  check_relative(run, model, "drive.flange.tau", [](double t) { return -2 - 2 * (3 + t); });
}

TEST_CASE("a clutch takes a body up to a driven shaft whose speed jumps") {
  const Model model("clutch", R"(
model Take
  Rotational.Speed drive;
  Rotational.Inertia rotor(J = 0.4);
  Rotational.Clutch clutch(mu_pos = 0.5, fn_max = 4);
  Rotational.Inertia body(J = 3);
  Blocks.Constant pressed(k = 1);
  Blocks.Step speed(height = 6, startTime = 1);
equation
  connect(speed.y, drive.w_ref);
  connect(pressed.y, clutch.f_normalized);
  connect(drive.flange, rotor.flange_a);
  connect(rotor.flange_b, clutch.flange_a);
  connect(clutch.flange_b, body.flange_a);
end Take;
)");
  const Simulation run = driven_run(model, 15);
  check_relative(run, model, "body.w",
                 [](double t) { return std::clamp(2 * (t - 1) / 3, 0.0, 6.0); });
  // 2 N.m at 6 rad/s for 9 s, half of it heat, and the impulse on the rotor.
  const EnergyReport& energy = *run.report.energy;
  CHECK(energy.supplied == doctest::Approx(108 + 0.2 * 36).epsilon(1e-13));
  CHECK(energy.total_dissipated() == doctest::Approx(54).epsilon(1e-13));
}

// The drive turns back at once: its clutch slips through zero with the kinetic torque, which is
// less than the bearing holds; its static torque, which is more, has no time to act.
TEST_CASE("a bearing holds a body under a drive that turns back without rest") {
  const Model model("turns", R"(
model Turns
  Rotational.Position drive;
  Rotational.Inertia body(J = 0.96);
  Rotational.CrossFriction clutch(d = 0, tau0 = 2.77, tau0_static = 3.601);
  Rotational.BearingFriction bearing(d = 0, tau0 = 2.05, tau0_static = 3.075);
equation
  drive.phi_ref = 0.4*sin(8.42*time);
  connect(bearing.flange_a, body.flange_b);
  connect(drive.flange, clutch.flange_a);
  connect(clutch.flange_b, body.flange_a);
end Turns;
)");
  for (const bool exact : {true, false}) {
    CAPTURE(exact);
    const Simulation run =
        exact ? driven_run(model, 1) : simulate(model, CvodeOptions{0, 1, 0.01, 1e-10, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    check_relative(run, model, "body.phi", [](double) { return 0.0; });
    for (const double tau : run.column(model, "bearing.tau")) {
      CHECK(std::fabs(std::fabs(tau) - 2.77) < 1e-11);
    }
  }
}

TEST_CASE("a dry friction between two prescribed motions") {
  const Model model("both", R"(
model Both
  Rotational.Speed a;
  Rotational.Accelerate b;
  Rotational.CrossFriction face(d = 0.5, tau0 = 2);
equation
  a.w_ref = 3;
  b.a_ref = 2;
  connect(a.flange, face.flange_a);
  connect(face.flange_b, b.flange);
end Both;
)");
  const Simulation run = driven_run(model, 2);
  CHECK(run.column(model, "face.mode").front() == -1);
  CHECK(run.column(model, "face.mode").back() == 1);
  const auto friction = [](double t) { return 0.5 * (2 * t - 3) + (t < 1.5 ? -2 : 2); };
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    if (run.time[i] == 1.5) continue;
    CHECK(run.column(model, "a.flange.tau")[i] ==
          doctest::Approx(friction(run.time[i])).epsilon(1e-13));
    CHECK(run.column(model, "b.flange.tau")[i] ==
          doctest::Approx(-friction(run.time[i])).epsilon(1e-13));
  }
  // integral of d w^2 + T |w| for w from -3 to 1 in 2 s
  CHECK(run.report.energy->total_dissipated() ==
        doctest::Approx(0.5 * (27 + 1) / 6.0 + 2 * (9 + 1) / 4.0).epsilon(1e-13));
}

TEST_CASE("a driven sun wheel moves ring and carrier by inertia alone") {
  const Model model("planet", R"(
model Planet
  parameter Real ratio = 2;
  Rotational.Interfaces.Flange sun;
  Rotational.Interfaces.Flange ring;
  Rotational.Interfaces.Flange carrier;
equation
  (1 + ratio)*carrier.phi = sun.phi + ratio*ring.phi;
  ring.tau = ratio*sun.tau;
  carrier.tau = -(1 + ratio)*sun.tau;
end Planet;
model Driven
  Planet gear;
  Rotational.Inertia s(J = 0.1);
  Rotational.Inertia r(J = 0.2);
  Rotational.Inertia c(J = 0.3);
  Rotational.Speed drive;
equation
  drive.w_ref = 4*sin(3*time);
  connect(drive.flange, s.flange_a);
  connect(s.flange_b, gear.sun);
  connect(r.flange_a, gear.ring);
  connect(c.flange_a, gear.carrier);
end Driven;
)");
  const Simulation run = driven_run(model, 3);
  // 3 c = s + 2 r with J_r r' = -2 T and J_c c' = 3 T.
  const double torque = 1 / (9 / 0.3 + 4 / 0.2);  // T per acceleration of the sun
  check_relative(run, model, "c.w",
                 [&](double t) { return 3 * torque / 0.3 * 4 * std::sin(3 * t); });
  check_relative(run, model, "drive.flange.tau",
                 [&](double t) { return -(0.1 + torque) * 12 * std::cos(3 * t); });
}

TEST_CASE("a motion may follow signals that follow other motion") {
  // A first-order servo behind a body on a spring: J b'' = k (p - b) - K b,  T p' = g b - p + 1.
  const Model model("servo", R"(
model Servo
  Rotational.Position servo;
  Rotational.Inertia rotor(J = 0.4);
  Rotational.Spring spring(k = 5);
  Rotational.Inertia body(J = 2);
  Rotational.SpringDamper mount(k = 7, d = 3);
  Rotational.Fixed ground;
  Blocks.FirstOrder lag(T = 0.2);
equation
  lag.u = 0.5*body.phi + 1;
  connect(lag.y, servo.phi_ref);
  connect(servo.flange, rotor.flange_a);
  connect(rotor.flange_b, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(ground.flange, mount.flange_a);
  connect(mount.flange_b, body.flange_b);
end Servo;
)");
  const Simulation run = driven_run(model, 40);
  // At rest: 5 (p - b) = 7 b, p = b/2 + 1.
  CHECK(run.column(model, "body.phi").back() == doctest::Approx(5 / 9.5).epsilon(1e-10));
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const auto value = [&](const char* name) { return run.column(model, name)[i]; };
    const double velocity = (0.5 * value("body.phi") + 1 - value("servo.phi")) / 0.2;
    const double acceleration = (0.5 * value("body.w") - velocity) / 0.2;
    CHECK(value("rotor.w") == doctest::Approx(velocity).epsilon(1e-12).scale(1));
    CHECK(value("rotor.a") == doctest::Approx(acceleration).epsilon(1e-12).scale(1));
  }
}

TEST_CASE("energy adds up with play, hard stops and edges of the signal") {
  const Model model("rattle", R"(
model Rattle
  Rotational.Position drive;
  Rotational.Inertia rotor(J = 0.4);
  Rotational.HardStop stop(half_freeplay = 0.1, e = 0.6);
  Rotational.Inertia hub(J = 0.5);
  Rotational.FreeplaySpring play(k = 40, half_freeplay = 0.05);
  Rotational.Inertia body(J = 2);
  Rotational.BearingFriction bearing(d = 0.1, tau0 = 0.3);
  Blocks.Sine signal(amplitude = 0.5, f = 0.7, startTime = 0.2, phase = 1.5707963267948966, offset = 0);
  Blocks.FirstOrder lag(T = 0.1);
  Blocks.FirstOrder lag2(T = 0.1);
equation
  connect(signal.y, lag.u);
  connect(lag.y, lag2.u);
  connect(lag2.y, drive.phi_ref);
  connect(drive.flange, rotor.flange_a);
  connect(rotor.flange_b, stop.flange_a);
  connect(stop.flange_b, hub.flange_a);
  connect(hub.flange_b, play.flange_a);
  connect(play.flange_b, body.flange_a);
  connect(body.flange_b, bearing.flange_a);
end Rattle;
)");
  CHECK(driven_run(model, 10).report.events > 20);
}

}  // namespace luztar::test
