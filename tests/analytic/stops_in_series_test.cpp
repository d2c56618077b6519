// Hard stops in series: rows of bodies; without inertia in between they are one stop, the limit of
// a light body.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A wheel drives another one by stops at both ends of a shaft with a gear in it. They close in at
/// 2 rad/s, seen from the first wheel, on plays of 0.1 + 2*0.15 rad: at 0.2 s.
std::string drive(const std::string& inertia, const std::string& e1, const std::string& e2) {
  return "model Drive\n"
         "  Rotational.Inertia left(J = 1, w(start = 1)), right(J = 2, w(start = -0.5));\n"
         "  Rotational.Inertia shaft(J = " +
         inertia +
         ");\n"
         "  Rotational.HardStop first(half_freeplay = 0.1, e = " +
         e1 +
         ");\n"
         "  Rotational.GearPair gear(ratio = 2, k = inf);\n"
         "  Rotational.HardStop second(half_freeplay = 0.15, e = " +
         e2 +
         ");\n"
         "  Rotational.Torque motor(tau = if time > 0.5 then 6 else 0);\n"
         "equation\n"
         "  connect(motor.flange, left.flange_a);\n"
         "  connect(left.flange_b, first.flange_a);\n"
         "  connect(first.flange_b, shaft.flange_a);\n"
         "  connect(shaft.flange_b, gear.flange_a);\n"
         "  connect(gear.flange_b, second.flange_a);\n"
         "  connect(second.flange_b, right.flange_a);\n"
         "end Drive;\n";
}

TEST_CASE("stops that take all, in series, close as one and share the force") {
  const Model model("drive.ltm", drive("0", "0", "0"));
  check_column_between(model, 0.5, "left.w", {0.2}, [](double t) { return t < 0.2 ? 1 : 1.0 / 3; });
  check_column_between(model, 0.5, "right.w", {0.2},
                       [](double t) { return t < 0.2 ? -0.5 : 1.0 / 6; });
  const auto pushes = [](double t) { return t < 0.5 ? 0.0 : -1.0; };
  check_column_between(model, 0.8, "first.tau", {0.5}, [=](double t) { return 2 * pushes(t); });
  check_column_between(model, 0.8, "second.tau", {0.5}, [=](double t) { return 4 * pushes(t); });
  const double left = 0.2, right = -0.1;  // at the impact
  check_column_between(model, 0.5, "shaft.phi", {0.2}, [=](double t) {
    return t < 0.2 ? t - 0.25 * 2 * t : left - 0.1 + (t - 0.2) / 3;
  });
  check_column_between(model, 0.5, "second.phi_rel", {0.2},
                       [=](double t) { return t < 0.2 ? -0.75 * t : right - (left - 0.1) / 2; });
}

TEST_CASE("a body comes upon the ground by three stops in series") {
  const Model model("row.ltm", R"(
model Row
  Translational.Mass near(m = 0), far(m = 0), body(m = 2, v(start = 3));
  Translational.HardStop first(half_freeplay = 0.1), second(half_freeplay = 0.2), third(half_freeplay = 0.3);
  Translational.Fixed ground;
equation
  connect(ground.flange, first.flange_a);
  connect(first.flange_b, near.flange_a);
  connect(near.flange_b, second.flange_a);
  connect(second.flange_b, far.flange_a);
  connect(far.flange_b, third.flange_a);
  connect(third.flange_b, body.flange_a);
end Row;
)");
  check_column_between(model, 1, "body.s", {}, [](double t) { return std::min(3 * t, 0.6); });
  check_column_between(model, 1, "near.s", {}, [](double t) { return std::min(0.5 * t, 0.1); });
  check_column_between(model, 1, "far.s", {}, [](double t) { return std::min(1.5 * t, 0.3); });
}

TEST_CASE("stops that take nothing, in series, turn back as one") {
  const Model model("drive.ltm", drive("0", "1", "1"));
  check_column_between(model, 0.4, "left.w", {0.2},
                       [](double t) { return t < 0.2 ? 1 : -1.0 / 3; });
  check_column_between(model, 0.4, "right.w", {0.2},
                       [](double t) { return t < 0.2 ? -0.5 : 5.0 / 6; });
}

TEST_CASE("stops in series are the limit of a light body between them") {
  for (const std::string e : {"0", "1"}) {
    CAPTURE(e);
    check_light_limit([&](const std::string& inertia) { return drive(inertia, e, e); }, 0.5,
                      {"right.phi"}, 1e-3);
  }
}

// The light shaft goes to and fro until the gap is below rounding: all that is left is lost there.
TEST_CASE("a light body between stops with a loss gains nothing and closes") {
  for (const auto& [e1, e2] : {std::pair{"0.5", "0.5"}, {"1", "0.5"}, {"0.2", "0.9"}}) {
    CAPTURE(std::string(e1));
    const Model model("drive.ltm", drive("1e-5", e1, e2));
    const Simulation run = audited_run(model, 0.4, 0.01);
    REQUIRE(run.report.reason == StopReason::kDone);
    const EnergyReport energy = *audited(model, TaylorOptions{0, 0.4, 0.01, 1e-12, true}).energy;
    CHECK(energy.impacts == doctest::Approx(2.0 / 3).epsilon(1e-4));  // of 1*1/2 + 2*0.25/2 J
    CHECK(run.column(model, "left.w").back() == doctest::Approx(1.0 / 3).epsilon(1e-4));
    CHECK(run.column(model, "right.w").back() == doctest::Approx(1.0 / 6).epsilon(1e-4));
  }
}

}  // namespace

// A body of 1 kg hits one of 2 kg without a loss, which a stop without play joins to one of 1 kg: 3
// kg are hit, whichever side of the joint takes the impulse.
TEST_CASE("a stop without play takes impulses on both sides") {
  for (const double speed : {3.0, -3.0}) {
    for (const char* e : {"0", "0.5", "1"}) {
      CAPTURE(speed);
      CAPTURE(e);
      const Model model("joint.ltm", R"(
model Joint
  Translational.Mass ram(m = 1, v(start = )" +
                                         std::to_string(speed) + R"()), first(m = 2), second(m = 1);
  Translational.HardStop hit(half_freeplay = 0.5, e = 1);
  Translational.HardStop joint(half_freeplay = 0, e = )" +
                                         std::string(e) + R"();
equation
  connect(ram.flange_b, hit.flange_a);
  connect(hit.flange_b, first.flange_a);
  connect(first.flange_b, joint.flange_a);
  connect(joint.flange_b, second.flange_a);
end Joint;
)");
      for (const Simulation& run : {simulate(model, TaylorOptions{0, 0.3, 0.3, 1e-12, false}),
                                    simulate(model, CvodeOptions{0, 0.3, 0.3, 1e-10, false})}) {
        REQUIRE(run.report.reason == StopReason::kDone);
        CHECK(run.column(model, "ram.v").back() == doctest::Approx(-speed / 2).epsilon(1e-12));
        for (const char* body : {"first.v", "second.v"}) {
          CHECK(run.column(model, body).back() == doctest::Approx(speed / 2).epsilon(1e-12));
        }
      }
    }
  }
}

// Two bodies that such a stop joins hit a wall as one.
TEST_CASE("bodies that a stop without play joins rebound together") {
  for (const int sense : {1, -1}) {
    CAPTURE(sense);
    const Model model("rebound.ltm", R"(
model Rebound
  Translational.Mass near(m = 2, v(start = )" +
                                         std::to_string(sense) + R"()), far(m = 100, v(start = )" +
                                         std::to_string(sense) + R"());
  Translational.Fixed ground;
  Translational.HardStop joint(half_freeplay = 0, e = 0.5), wall(half_freeplay = 0.5, e = 0.5);
equation
  connect(joint.flange_a, near.flange_a);
  connect(joint.flange_b, far.flange_a);
  connect(ground.flange, wall.flange_a);
  connect(wall.flange_b, near.flange_a);
end Rebound;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 1, 1, 1e-12, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    for (const char* body : {"near.v", "far.v"}) {
      CHECK(run.column(model, body).back() == doctest::Approx(-0.5 * sense).epsilon(1e-12));
    }
  }
}

// Newton's law at all contacts of the row at once: it keeps its place, and the first block leaves
// with its share of the speed, whatever is left of what the others have come to rest with.
TEST_CASE("a block hits a row that is pressed against a wall") {
  for (const char* before : {"0", "1e-12", "1e-10", "1e-7", "1e-3"}) {
    CAPTURE(before);
    const Model model("row.ltm",
                      "model Row\n"
                      "  parameter Real before = 0;\n"
                      "  Translational.Mass b[4](m = {3, 2, 3, 2}, s(start = {-0.1, 0, 0, 0}),\n"
                      "                          v(start = {0.4, before, 0, 0}));\n"
                      "  Translational.Force load[3](each f = 4);\n"
                      "  Translational.Spring rod[3](each k = inf, each s_rel0 = 5);\n"
                      "  Translational.HardStop c[3](each half_freeplay = 5, each e = 0.2);\n"
                      "  Translational.HardStop wall(half_freeplay = 5, e = 0.4);\n"
                      "  Translational.Fixed w(s0 = -5);\n"
                      "equation\n"
                      "  for i in 1:3 loop\n"
                      "    connect(load[i].flange, b[i + 1].flange_a);\n"
                      "    connect(b[i].flange_b, rod[i].flange_a);\n"
                      "    connect(rod[i].flange_b, c[i].flange_a);\n"
                      "    connect(c[i].flange_b, b[i + 1].flange_a);\n"
                      "  end for;\n"
                      "  connect(b[4].flange_b, wall.flange_a);\n"
                      "  connect(wall.flange_b, w.flange);\n"
                      "end Row;\n",
                      {{"before", before}});
    const auto check_end = [&](const Simulation& run) {
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.column(model, "b[1].v").back() == doctest::Approx(-0.08).epsilon(1e-12));
      for (const char* name : {"b[2].v", "b[3].v", "b[4].v"}) {
        CHECK(std::fabs(run.column(model, name).back()) <= 1e-15);
      }
    };
    check_end(simulate(model, TaylorOptions{0, 0.4, 0.1, 1e-10, false}));
    check_end(simulate(model, CvodeOptions{0, 0.4, 0.1, 1e-10, false}));
  }
}

// The impacts of the row become smaller without end, as friction at its front stops it after each:
// what comes on closes gaps that are rounding by then, and hits.
TEST_CASE("a row with a slider without inertia comes to rest by ever smaller impacts") {
  for (const double loss : {0.3, 0.5, 0.7}) {
    CAPTURE(loss);
    double rest = 0, rear_rest = 0;
    for (const std::string m : {"1e-6", "0"}) {
      CAPTURE(m);
      const Model model("row.ltm",
                        "model Row\n"
                        "  Translational.Mass front(m = 0.5), slider(m = " +
                            m +
                            "), rear(m = 0.5, v(start = -2));\n"
                            "  Translational.HardStop first(half_freeplay = 0.005, e = " +
                            std::to_string(loss) +
                            "), second(half_freeplay = 0.005);\n"
                            "  Translational.SupportFriction brake(f0 = 5), rail(f0 = 0.2);\n"
                            "equation\n"
                            "  connect(front.flange_b, first.flange_a);\n"
                            "  connect(first.flange_b, slider.flange_b);\n"
                            "  connect(slider.flange_b, second.flange_a);\n"
                            "  connect(second.flange_b, rear.flange_b);\n"
                            "  connect(front.flange_b, brake.flange_a);\n"
                            "  connect(slider.flange_b, rail.flange_a);\n"
                            "end Row;\n");
      for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
        CAPTURE(tolerance);
        const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, tolerance, false});
        REQUIRE(run.report.reason == StopReason::kDone);
        const double front = run.column(model, "front.s").back();
        CHECK(std::fabs(run.column(model, "front.v").back()) < 1e-15);
        CHECK(std::fabs(run.column(model, "rear.v").back()) < 1e-15);
        const double rear = run.column(model, "rear.s").back();
        if (rest == 0) {  // of the light one
          rest = front;
          rear_rest = rear;
        }
        CHECK(front == doctest::Approx(rest).epsilon(2e-5));
        CHECK(rear == doctest::Approx(rear_rest).epsilon(2e-5));
      }
    }
  }
}

}  // namespace luztar::test
