// Hard stops: impacts, bounces that end, contact that holds and opens.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/closed_form.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

constexpr double kGravity = 9.81;  // [m/s2]

std::string ball(double e) {
  return "model Ball\n"
         "  Translational.Mass ball(m = 1.3, s(start = 1));\n"
         "  Translational.HardStop stop(half_freeplay = 2, e = " +
         std::to_string(e) +
         ");\n"
         "  Translational.Fixed floor(s0 = 2);\n"
         "  Translational.Force weight(f = -9.81*1.3);\n"
         "equation\n"
         "  connect(weight.flange, ball.flange_a);\n"
         "  connect(stop.flange_a, floor.flange);\n"
         "  connect(ball.flange_b, stop.flange_b);\n"
         "end Ball;\n";
}

TEST_CASE("a bouncing ball: geometric impact times and speeds, then rest") {
  for (const double e : {0.3, 0.8}) {
    CAPTURE(e);
    const Model model("ball.ltm", ball(e));
    const Simulation run = simulate(model, TaylorOptions{0, 6, 0.01, 1e-12, true});
    const std::vector<double>&v = run.column(model, "ball.v"), &s = run.column(model, "ball.s");
    double time = std::sqrt(2 / kGravity), speed = kGravity * time;
    std::size_t impacts = 0;
    for (const std::size_t row : event_rows(run)) {
      CHECK(std::fabs(run.time[row] - time) < 1e-11);
      CHECK(std::fabs(v[row] + speed) < 1e-11);
      CHECK(std::fabs(s[row]) < 1e-13);
      speed *= e;
      time += 2 * speed / kGravity;
      ++impacts;
      // The bounces end where the rest of them takes less than 1e-9 s.
      const double rest = 2 * speed / (kGravity * (1 - e));
      if (rest < 1e-9) {
        CHECK(v[row + 1] == 0);
        break;
      }
      CHECK(std::fabs(v[row + 1] - speed) < 1e-11);
    }
    CHECK(impacts == event_rows(run).size());
    CHECK(run.report.changes[0] == impacts);
    CHECK(std::fabs(s.back()) < 1e-15);
    CHECK(v.back() == 0);
    CHECK(run.column(model, "stop.f").back() == doctest::Approx(-1.3 * kGravity).epsilon(1e-14));
    CHECK(run.column(model, "stop.zone").back() == -1);
  }
}

// Nearly without loss: the bounces of 3000 s become shorter than what time tells of them.
TEST_CASE("a long row of bounces ends") {
  const double e = 0.9999;
  const Model model("ball.ltm", ball(e));
  const double fall = std::sqrt(2 / kGravity), end = fall * (1 + e) / (1 - e);
  const Simulation run = simulate(model, TaylorOptions{0, end + 1, end / 2, 1e-9, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.column(model, "ball.v").back() == 0);
  CHECK(std::fabs(run.column(model, "ball.s").back()) <= 1e-12);
  // The next one would take 1e-13 of the time, of which each takes the share e of that before.
  const double last = std::log(1e-13 * end / (2 * fall)) / std::log(e);
  CHECK(std::fabs(static_cast<double>(run.report.changes[0]) - last) <= 3);
}

// The brick touches a held one, by a contact that the impacts on the anvil take part in; friction
// takes the whole load.
TEST_CASE("bounces beside a contact without force") {
  const Model model("anvil.ltm", R"(
model Anvil
  Translational.Mass held(m = 1);
  Translational.SupportFriction grip(f0 = 5), oil(d = 1, f0 = 0);
  Translational.Spring load(k = 27);
  Translational.Mass shaker(m = 1, v(start = 0.5));
  Translational.HardStop side(half_freeplay = 50, e = 0), play(half_freeplay = 50, e = 0);
  Translational.Mass brick(m = 2, s(start = 50)), anvil(m = 3), ball(m = 1);
  Translational.HardStop face(half_freeplay = 0.5, e = 0.5);
  Translational.Force push(f = 1);
equation
  connect(shaker.flange_a, load.flange_a);
  connect(load.flange_b, held.flange_a);
  connect(grip.flange_a, held.flange_a);
  connect(held.flange_b, side.flange_a);
  connect(side.flange_b, brick.flange_a);
  connect(oil.flange_a, brick.flange_a);
  connect(brick.flange_b, play.flange_a);
  connect(play.flange_b, anvil.flange_a);
  connect(anvil.flange_b, face.flange_b);
  connect(face.flange_a, ball.flange_a);
  connect(push.flange, ball.flange_b);
end Anvil;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 6, 0.01, 1e-12, true});
  double time = 1, speed = 1;
  int impacts = 0;
  for (const std::size_t row : event_rows(run)) {
    if (run.time[row] == 0) continue;  // the contact is found to have no force
    CHECK(std::fabs(run.time[row] - time) < 1e-11);
    ++impacts;
    speed *= 0.5;
    time += 2 * speed;
  }
  CHECK(impacts == 32);  // the rest takes 4 * 0.5^n s, less than 1e-9
  CHECK(run.report.changes[3] == 32);
  const double last = 6;  // both move with the impulse of the force
  CHECK(std::fabs(run.column(model, "anvil.v").back() - last / 4) < 1e-11);
  CHECK(run.column(model, "brick.v").back() == 0);
  CHECK(std::fabs(run.column(model, "face.s_rel").back() + 0.5) < 1e-15);
}

TEST_CASE("a ball without loss bounces for ever to the same height") {
  const Model model("ball.ltm", ball(1));
  const double fall = std::sqrt(2 / kGravity);
  const Simulation run = simulate(model, TaylorOptions{0, 100 * fall, fall, 1e-14, false});
  CHECK(run.report.changes[0] == 50);
  // Every second grid point is at the top.
  for (std::size_t i = 0; i + 1 < run.time.size(); i += 2) {
    CHECK(std::fabs(run.column(model, "ball.s")[i] - 1) < 1e-11);
  }
}

TEST_CASE("a stop with infinite play never acts") {
  const Model model("free.ltm", R"(
model Free
  Translational.Mass slider(m = 2, v(start = 1));
  Translational.HardStop stop(half_freeplay = inf, e = 0.5);
  Translational.Fixed wall;
equation
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, slider.flange_a);
end Free;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 3, 1, 1e-12, true});
  CHECK(run.column(model, "slider.v").back() == 1);
  CHECK(run.column(model, "slider.s").back() == 3);
  CHECK(run.column(model, "stop.f").back() == 0);
}

TEST_CASE("a collision conserves momentum and takes Newton's share of the speed") {
  for (const double e : {0.0, 0.35, 1.0}) {
    CAPTURE(e);
    const Model model("collision.ltm",
                      "model Collision\n"
                      "  Translational.Mass a(m = 1.7, v(start = 2));\n"
                      "  Translational.Mass b(m = 0.6, v(start = -1));\n"
                      "  Translational.HardStop gap(half_freeplay = 0.3, e = " +
                          std::to_string(e) +
                          ");\n"
                          "equation\n"
                          "  connect(a.flange_b, gap.flange_a);\n"
                          "  connect(gap.flange_b, b.flange_a);\n"
                          "end Collision;\n");
    const Simulation run = simulate(model, TaylorOptions{0, 0.2, 0.01, 1e-12, true});
    const std::vector<std::size_t> events = event_rows(run);
    REQUIRE(events.size() == 1);
    CHECK(run.time[events[0]] == doctest::Approx(0.1).epsilon(1e-14));
    const double va = run.column(model, "a.v").back(), vb = run.column(model, "b.v").back();
    CHECK(1.7 * va + 0.6 * vb == doctest::Approx(1.7 * 2 - 0.6).epsilon(1e-14));
    CHECK(std::fabs((vb - va) - e * 3) < 1e-14);
  }
}

TEST_CASE("a contact holds while it is pressed and opens when the load turns") {
  // The load -1 + 2 sin(w t) presses the mass on its stop until sin = 1/2.
  const Model model("press.ltm",
                    "model Press\n"
                    "  Translational.Mass body(m = 0.8);\n"
                    "  Translational.HardStop stop(half_freeplay = 1, e = 0.5);\n"
                    "  Translational.Fixed wall(s0 = 1);\n"
                    "  Translational.Force load;\n"
                    "  Blocks.Sine signal(amplitude = 2, f = 0.5, offset = -1);\n"
                    "equation\n"
                    "  connect(signal.y, load.f);\n"
                    "  connect(load.flange, body.flange_a);\n"
                    "  connect(stop.flange_a, wall.flange);\n"
                    "  connect(body.flange_b, stop.flange_b);\n"
                    "end Press;\n");
  const Simulation run = simulate(model, TaylorOptions{0, 0.9, 0.01, 1e-14, true});
  const std::vector<std::size_t> events = event_rows(run);
  REQUIRE(events.size() == 1);
  const double w = std::numbers::pi, open = std::asin(0.5) / w;  // [rad/s], [s]
  CHECK(std::fabs(run.time[events[0]] - open) < 1e-14);
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i];
    const double moving = t - open;
    // m s'' = -1 + 2 sin(w t) from rest
    const double v = (-moving - 2 / w * (std::cos(w * t) - std::cos(w * open))) / 0.8;
    const double s =
        (-moving * moving / 2 -
         2 / w * ((std::sin(w * t) - std::sin(w * open)) / w - std::cos(w * open) * moving)) /
        0.8;
    CHECK(std::fabs(run.column(model, "body.v")[i] - (t > open ? v : 0)) < 1e-13);
    CHECK(std::fabs(run.column(model, "body.s")[i] - (t > open ? s : 0)) < 1e-13);
    if (t >= open) continue;
    CHECK(run.column(model, "stop.f")[i] == doctest::Approx(-1 + 2 * std::sin(w * t)));
  }
}

// A contact whose force the rail's friction takes over stays closed without a force of its own.
TEST_CASE("a sled with dry friction is driven against its stops") {
  const Model model("stage.ltm", R"(
model Stage
  Rotational.Inertia motor(J = 2e-3);
  Rotational.BearingFriction bearing(d = 1e-3, tau0 = 0.02, tau0_static = 0.03);
  Rotational.FreeplaySpring coupling(k = 50, half_freeplay = 0.005);
  Rotational.Inertia pinion(J = 5e-4);
  RotationalTranslational.RackPinion rack(ratio = 60);
  Translational.Mass sled(m = 3);
  Translational.SupportFriction rail(d = 2, f0 = 4, f0_static = 6);
  Translational.HardStop ends(half_freeplay = 0.05, e = 0.3);
  Translational.Fixed frame;
  Rotational.Torque drive;
  Blocks.Sine signal(amplitude = 0.6, f = 1.3);
equation
  connect(signal.y, drive.tau);
  connect(drive.flange, motor.flange_a);
  connect(motor.flange_a, bearing.flange_a);
  connect(motor.flange_b, coupling.flange_a);
  connect(coupling.flange_b, pinion.flange_a);
  connect(pinion.flange_b, rack.flangeR);
  connect(rack.flangeT, sled.flange_a);
  connect(sled.flange_b, rail.flange_a);
  connect(frame.flange, ends.flange_a);
  connect(ends.flange_b, sled.flange_b);
  annotation(experiment(StopTime = 4));
end Stage;
)");
  class Farthest final : public RowSink {
   public:
    explicit Farthest(std::size_t column) : column_(column) {}
    void row(double, std::span<const double> outputs) override {
      greatest = std::max(greatest, std::abs(outputs[column_]));
    }
    double greatest = 0;

   private:
    std::size_t column_;
  } sink(model.output("sled.s"));
  const RunReport report =
      simulate_taylor(model.system(), model.parameters(), {0, 4, 0.01, 1e-10, true, true}, sink);
  CHECK(report.reason == StopReason::kDone);
  CHECK(report.changes[model.friction({"ends"})] > 50);
  CHECK(sink.greatest == doctest::Approx(0.05).epsilon(1e-12));
  REQUIRE(report.energy);
  CHECK(std::abs(report.energy->residual()) < 1e-10 * report.energy->turnover);
}

/// Blocks in a row with hard stops between neighbours, pushed at the first one from 0 to `push` N
/// in a second.
std::string blocks(const std::vector<double>& mass, const std::vector<double>& friction, double e,
                   double push) {
  const std::string n = std::to_string(mass.size());
  const auto list = [](const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += (text.empty() ? "{" : ", ") + std::to_string(value);
    return text + "}";
  };
  return "model Blocks\n"
         "  constant Integer n = " +
         n +
         ";\n"
         "  Translational.Mass body[n](m = " +
         list(mass) +
         ");\n"
         "  Translational.SupportFriction rail[n](f0 = " +
         list(friction) +
         ");\n"
         "  Translational.HardStop stop[n - 1](each half_freeplay = 0.001, each e = " +
         std::to_string(e) +
         ");\n"
         "  Translational.Force push(f = min(time, 1)*" +
         std::to_string(push) +
         ");\n"
         "equation\n"
         "  connect(push.flange, body[1].flange_a);\n"
         "  for i in 1:n loop connect(body[i].flange_a, rail[i].flange_a); end for;\n"
         "  for i in 1:n - 1 loop\n"
         "    connect(body[i].flange_b, stop[i].flange_a);\n"
         "    connect(stop[i].flange_b, body[i + 1].flange_a);\n"
         "  end for;\n"
         "end Blocks;\n";
}

TEST_CASE("a row of blocks is pushed together: bounces of one contact end with the others closed") {
  std::mt19937 random(5);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int draw = 0; draw < 12; ++draw) {
    CAPTURE(draw);
    std::vector<double> mass, friction;
    double total_mass = 0, total_friction = 0;
    for (int i = 0; i < 3 + draw % 4; ++i) {
      mass.push_back(std::round(between(1, 30)) / 10);
      friction.push_back(std::round(between(5, 30)) / 10);
      total_mass += mass.back();
      total_friction += friction.back();
    }
    const double push = std::round(total_friction * between(1.5, 3));
    const Model model("blocks.ltm", blocks(mass, friction, draw % 3 * 0.3, push));
    const TaylorOptions options{0, 2, 0.01, 1e-12, true};
    const Simulation run = simulate(model, options);
    REQUIRE(run.report.reason == StopReason::kDone);
    const double v = run.column(model, "body[1].v").back();
    for (std::size_t i = 1; i <= mass.size(); ++i) {
      const std::string block = "body[" + std::to_string(i) + "]";
      CHECK(std::fabs(run.column(model, block + ".v").back() - v) < 1e-13 * v);
      CHECK(std::fabs(run.column(model, block + ".a").back() -
                      (push - total_friction) / total_mass) < 1e-11);
    }
    const RunReport report = audited(model, options);
    CHECK(std::fabs(report.energy->residual()) < 1e-11 * report.energy->turnover);
  }
}

TEST_CASE("a stop that a spring carries, without inertia in between, throws back without loss") {
  // Free up to the stop, half a swing on the spring, free again.
  const Model model("buffer.ltm", R"(
model Buffer
  Translational.Mass body(m = 2, v(start = 0.4));
  Translational.HardStop stop(half_freeplay = 0.1, e = 0.3);
  Translational.Mass plate(m = 0);
  Translational.Spring spring(k = 50);
  Translational.Fixed wall;
equation
  connect(body.flange_b, stop.flange_a);
  connect(stop.flange_b, plate.flange_a);
  connect(plate.flange_b, spring.flange_a);
  connect(spring.flange_b, wall.flange);
end Buffer;
)");
  const double omega = 5, contact = 0.1 / 0.4, lasts = std::numbers::pi / omega;
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.01, 1e-13, true});
  CHECK(run.report.events == 2);
  const std::vector<double>&s = run.column(model, "body.s"), &v = run.column(model, "body.v");
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i] - contact;
    const bool touches = t > 0 && t < lasts;
    const double at = t <= 0    ? 0.4 * run.time[i]
                      : touches ? 0.1 + 0.4 / omega * std::sin(omega * t)
                                : 0.1 - 0.4 * (t - lasts);
    CHECK(std::fabs(s[i] - at) < 1e-13);
    CHECK(std::fabs(v[i] - (t <= 0 ? 0.4 : touches ? 0.4 * std::cos(omega * t) : -0.4)) < 1e-12);
  }
}

// Two bodies that stick to each other leave the stop together when the load 8 sin(3 t) turns:
// m a = 8 sin(3 t) from then on, while the friction takes no more than f0.
TEST_CASE("bodies joined by friction leave a stop together") {
  for (const double e : {0.0, 0.5}) {
    for (const double mass : {1.0, 0.4, 2.5}) {
      CAPTURE(e);
      CAPTURE(mass);
      const Model model("release.ltm", R"(
model Release
  Translational.Mass a(m = 1), b(m = )" + std::to_string(mass) +
                                           R"();
  Translational.CrossFriction f(f0 = 3);
  Translational.HardStop stop(half_freeplay = 0.1, e = )" +
                                           std::to_string(e) + R"();
  Translational.Force q;
  Translational.Fixed wall;
equation
  q.f = 8*sin(3*time);
  connect(q.flange, a.flange_a);
  connect(a.flange_b, f.flange_a);
  connect(f.flange_b, b.flange_a);
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, a.flange_b);
end Release;
)");
      const double left = kPi / 3, end = left + 0.15;
      const double speed = -8 * (std::cos(3 * end) + 1) / 3 / (1 + mass);
      for (const bool exact : {true, false}) {
        CAPTURE(exact);
        const double accuracy = exact ? 1e-11 : 1e-7;
        const Simulation run = exact ? simulate(model, TaylorOptions{0, end, 0.1, 1e-12, true})
                                     : simulate(model, CvodeOptions{0, end, 0.1, 1e-10, true});
        REQUIRE(run.report.reason == StopReason::kDone);
        for (const char* v : {"a.v", "b.v"}) {
          CHECK(std::fabs(run.column(model, v).back() - speed) < accuracy);
        }
        CHECK(std::fabs(run.column(model, "f.f").back() +
                        mass / (1 + mass) * 8 * std::sin(3 * end)) < 10 * accuracy);
      }
    }
  }
}

// It rises under q + f0 and falls under q - f0, so each bounce has the share
// sqrt((q - f0)/(q + f0)) of the speed of the one before: until the height is rounding of the gap,
// from where the falling load would make bounces of that height smaller for ever.
TEST_CASE("dry friction ends the bounces of an elastic stop") {
  const Model model("rubs.ltm", R"(
model Rubs
  Translational.Mass a(m = 1, v(start = 1));
  Translational.SupportFriction f(f0 = 1, f0_static = 1.2);
  Translational.HardStop stop(half_freeplay = 0.1, e = 1);
  Translational.Force q;
  Translational.Fixed wall;
equation
  q.f = 3 - 0.2*time;
  connect(q.flange, a.flange_a);
  connect(a.flange_b, f.flange_a);
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, a.flange_b);
end Rubs;
)");
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    CAPTURE(tolerance);
    const Simulation run = simulate(model, TaylorOptions{0, 4, 0.1, tolerance, true, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events < 200);
    CHECK(run.column(model, "a.v").back() == 0);
    CHECK(std::fabs(run.column(model, "a.s").back() - 0.1) < 1e-12);
    CHECK(std::fabs(run.report.energy->residual()) < 1e-12);
  }
}

TEST_CASE("a stop without play joins two bodies, whatever its restitution") {
  for (const auto& [restitution, exact] :
       {std::pair{"0.9", true}, {"0.9", false}, {"1", true}, {"1", false}}) {
    CAPTURE(std::string(restitution));
    CAPTURE(exact);
    const std::string text = std::string(
                                 "model Joint\n"
                                 "  Translational.Mass first(m = 2, v(start = 3));\n"
                                 "  Translational.Mass second(m = 1);\n"
                                 "  Translational.HardStop stop(half_freeplay = 0, e = ") +
                             restitution +
                             ");\n"
                             "  Translational.Force push(f = 6);\n"
                             "equation\n"
                             "  connect(push.flange, first.flange_a);\n"
                             "  connect(first.flange_b, stop.flange_a);\n"
                             "  connect(stop.flange_b, second.flange_a);\n"
                             "end Joint;\n";
    const Model model("joint.ltm", text);
    const Simulation run = exact ? simulate(model, TaylorOptions{0, 1, 0.1, 1e-12, true})
                                 : simulate(model, CvodeOptions{0, 1, 0.1, 1e-12, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events == 0);
    CHECK(run.column(model, "second.v").front() == doctest::Approx(2).epsilon(1e-14));
    for (const char* body : {"first.s", "second.s"}) {  // 3 kg at 2 m/s under 6 N
      CHECK(run.column(model, body).back() == doctest::Approx(3).epsilon(1e-10));
    }
    // 9 J at the start are 6 J after the impact, and the way of 3 m adds 18 J.
    const EnergyReport energy = *audited(model, TaylorOptions{0, 1, 0.1, 1e-12, true}).energy;
    CHECK(energy.stored_before == doctest::Approx(9).epsilon(1e-14));
    CHECK(energy.impacts == doctest::Approx(3).epsilon(1e-14));
    CHECK(energy.supplied == doctest::Approx(18).epsilon(1e-12));
    CHECK(std::fabs(energy.residual()) < 1e-12);
  }
}

}  // namespace
// 2 N.m between a body of 1 rad/s and the others: all turn with half of that from 0.25 s on.
TEST_CASE("a stop without play joins a body without inertia to another one") {
  const Model model("joint", R"(
model Joint
  Rotational.Inertia drive(J = 1, w(start = 1)), hub(J = 0), wheel(J = 1);
  Rotational.CrossFriction clutch(tau0 = 2);
  Rotational.HardStop key(half_freeplay = 0, e = 0.5);
equation
  connect(drive.flange_b, clutch.flange_a);
  connect(clutch.flange_b, hub.flange_a);
  connect(hub.flange_b, key.flange_a);
  connect(key.flange_b, wheel.flange_a);
end Joint;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.03, 1e-12, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events == 1);
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i], w = std::min(2 * t, 0.5);
    CHECK(std::fabs(run.column(model, "hub.w")[i] - w) < 1e-13);
    CHECK(std::fabs(run.column(model, "wheel.w")[i] - w) < 1e-13);
    CHECK(std::fabs(run.column(model, "key.tau")[i] - (t < 0.25 ? -2 : 0)) < 1e-12);
  }
}

}  // namespace luztar::test
