// Friction loaded by the force of another part.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/closed_form.h"
#include "tests/support/exact_run.h"

namespace luztar::test {
namespace {

/// A mass on a spring; its guide has friction mu times the force of the spring, as `normal` says.
std::string sliding_mass(double mu, const std::string& arguments, const std::string& equation) {
  return R"(
model LoadedGuide
  extends Translational.Interfaces.OneFlange;
  parameter Units.Ratio mu = 0;
  input Units.Force normal;
  Units.Velocity v;
equation
  v = der(flange.s);
  flange.f = dryfriction(v, mu*normal, mu*normal);
end LoadedGuide;
model Sliding
  Translational.Mass body(m = 2, s(start = 0.5));
  Translational.Spring spring(k = 8);
  Translational.Fixed ground;
  Real load;
  LoadedGuide guide(mu = )" +
         std::to_string(mu) + arguments + R"();
equation
  load = abs(spring.f);
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(body.flange_b, guide.flange);
)" + equation +
         "end Sliding;\n";
}

}  // namespace

TEST_CASE("friction in proportion to a spring's force: a spring that is stiffer one way") {
  // Away from the middle the stiffness is k (1 + mu), back to it k (1 - mu).
  const double mu = 0.375, inward = std::sqrt(4 * (1 - mu)), outward = std::sqrt(4 * (1 + mu));
  const auto exact = [&](double t) {
    double amplitude = 0.5;
    while (true) {
      const double back = kPi / 2 / inward, on = kPi / 2 / outward;
      if (t < back) return amplitude * std::cos(inward * t);
      if (t < back + on) return -amplitude * inward / outward * std::sin(outward * (t - back));
      t -= back + on;
      amplitude *= -inward / outward;
    }
  };
  for (const auto& [arguments, equation] :
       {std::pair{"", "  guide.normal = load;\n"},
        std::pair{"", "  guide.normal = abs(spring.f);\n"}, std::pair{", normal = load", ""},
        std::pair{", normal = abs(-spring.flange_a.f)", ""}}) {
    CAPTURE(arguments);
    CAPTURE(equation);
    const Model model("sliding", sliding_mass(mu, arguments, equation));
    const Simulation run = exact_run(model, 10, 0.02);
    check_column(run, model, "body.s", exact);
    check_column(run, model, "load", [&](double t) { return std::fabs(8 * exact(t)); });
  }
}

TEST_CASE("friction above the force that loads it locks at once") {
  const Model model("locked", sliding_mass(1.25, ", normal = load", ""));
  const Simulation run = exact_run(model, 10, 0.1);
  for (const double s : run.column(model, "body.s")) CHECK(s == 0.5);
  for (const double f : run.column(model, "guide.flange.f")) CHECK(f == -4);
}

TEST_CASE("a massless slider whose friction grows with its own spring leaves rest") {
  // From r t = f0 on, d x' = r t - f0 - (1 + mu) k x.
  const Model model("massless_slider", R"(
model Guide
  extends Translational.Interfaces.OneFlange;
  input Units.Force bound;
  Units.Velocity v;
equation
  v = der(flange.s);
  flange.f = 0.4*v + dryfriction(v, bound, bound);
end Guide;
model Slider
  Translational.Mass body(m = 0);
  Translational.Spring spring(k = 8);
  Translational.Fixed ground;
  Guide guide(bound = 0.5 + 0.25*abs(spring.f));
  Translational.Force pull(f = 2*time);
equation
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(body.flange_b, guide.flange);
  connect(pull.flange, body.flange_b);
end Slider;
)");
  const double r = 2, stiffness = 1.25 * 8, lag = 0.4 / stiffness;
  const Simulation run = exact_run(model, 3, 0.02);
  CHECK(event_rows(run).size() == 1);
  check_column(run, model, "body.s", [&](double t) {
    const double since = t - 0.25;
    return since <= 0 ? 0 : r / stiffness * (since + lag * std::expm1(-since / lag));
  });
}

TEST_CASE("a skidding ball: friction by a contact force that begins and ends") {
  // The force's impulse is that of the bounces, v_y + g t; at its ends the friction touches 0.
  const Model model("skid", R"(
model Wall
  Translational.Interfaces.Flange normal, tangent;
  Units.Force force;
  Units.Velocity slip;
equation
  force = if normal.s < 0 then -2e4*normal.s else 0;
  normal.f = -force;
  slip = der(tangent.s);
  tangent.f = dryfriction(slip, 0.1*force, 0.12*force);
end Wall;
model Skid
  Translational.Mass up(m = 1, s(start = 0.2)), along(m = 1, v(start = 1.5));
  Wall wall;
  Translational.Force weight(f = -9.81);
equation
  connect(weight.flange, up.flange_a);
  connect(up.flange_b, wall.normal);
  connect(along.flange_a, wall.tangent);
end Skid;
)");
  const Simulation run = exact_run(model, 2, 0.01);
  CHECK(event_rows(run).size() >= 9);
  const std::vector<double>&vy = run.column(model, "up.v"), &vx = run.column(model, "along.v");
  double worst = 0;
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double expected = 1.5 - 0.1 * (vy[i] + 9.81 * run.time[i]);
    worst = std::max(worst, std::fabs(vx[i] - std::max(0.0, expected)));
  }
  CHECK(vx.back() == 0);
  CHECK(worst <= kBound);
}

TEST_CASE("a buffer with wedges: friction in proportion to a force that begins and ends") {
  // Thrown against the wall at v0, the mass is stopped by (1 + mu) k x and thrown back by
  // (1 - mu) k x: its speed then is v0 sqrt((1 - mu) / (1 + mu)). A wall on each side.
  const Model model("buffer", R"(
model Buffer
  extends Translational.Interfaces.TwoFlanges;
  parameter Units.TranslationalStiffness k = 5e6;
  parameter Units.Length gap = 0.01;
  parameter Units.Ratio mu = 0.3;
  Units.Force push;
equation
  push = k*luz(s_rel, gap);
  f = push + dryfriction(v_rel, mu*abs(push), mu*abs(push));
end Buffer;
model Wagon
  Translational.Mass wagon(m = 20000, v(start = 1.3));
  Buffer buffer;
  Translational.Fixed walls;
equation
  connect(walls.flange, buffer.flange_a);
  connect(buffer.flange_b, wagon.flange_a);
end Wagon;
)");
  const Simulation run = exact_run(model, 3, 0.002);
  const std::vector<double>&v = run.column(model, "wagon.v"),
        &push = run.column(model, "buffer.push");
  double speed = 1.3, worst = 0;
  int bounces = 0;
  for (std::size_t i = 1; i < run.time.size(); ++i) {
    if (push[i] != 0) continue;
    if (push[i - 1] != 0) {
      speed *= std::sqrt(0.7 / 1.3);
      ++bounces;
    }
    worst = std::max(worst, std::fabs(std::fabs(v[i]) - speed));
  }
  CHECK(bounces > 8);
  CHECK(worst <= kBound);
}

// Its damper is absent, and with it the speed that the capacity would depend on.
TEST_CASE("a massless node whose friction grows with the tension of a rope without damping") {
  const auto capstan = [](const std::string& rope) {
    return Model("capstan.ltm", R"(
model Face
  Translational.Interfaces.Flange flange;
  input Units.Force size;
equation
  flange.f = dryfriction(der(flange.s), size, size);
end Face;
model Capstan
  Translational.SpringDamper rope1(k = 5000, d = 20);
  Translational.Fixed wall;
  Translational.Mass node(m = 0);
  )" + rope + R"(
  Translational.Position hand;
  Face cap;
equation
  hand.s_ref = 0.1*sin(time);
  cap.size = 0.5*max(0, rope2.f);
  connect(wall.flange, rope1.flange_a);
  connect(rope1.flange_b, node.flange_a);
  connect(node.flange_a, rope2.flange_a);
  connect(rope2.flange_b, hand.flange);
  connect(cap.flange, node.flange_b);
end Capstan;
)");
  };
  const Model damped = capstan("Translational.SpringDamper rope2(k = 5000, d = 0);");
  const Model elastic = capstan("Translational.Spring rope2(k = 5000);");
  const Simulation run = simulate(damped, TaylorOptions{0, 3, 0.1, 1e-10, false});
  const Simulation expected = simulate(elastic, TaylorOptions{0, 3, 0.1, 1e-10, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  REQUIRE(run.time.size() == expected.time.size());
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    CHECK(std::fabs(run.column(damped, "node.s")[i] - expected.column(elastic, "node.s")[i]) <
          1e-14);
  }
  CHECK(run.report.events == 3);
}

}  // namespace luztar::test
