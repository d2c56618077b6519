// Friction forces that are not unique: of those with the same motion the shortest are taken, and
// rounding must not decide which of them stay at their bounds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/placed_parts.h"
#include "tests/support/simulation.h"
#include "tests/support/solver_agreement.h"

namespace luztar::test {
namespace {

/// Two bodies between two bearings, with a friction between them: forces are not unique.
std::string pair_of_bodies(const std::string& bounds, const std::string& loads) {
  return "model Pair\n" + bounds + R"(
  Rotational.Inertia a(J = 0.1);
  Rotational.Inertia b(J = 0.1);
equation
  connect(left.flange_a, a.flange_b);
  connect(between.flange_a, a.flange_b);
  connect(between.flange_b, b.flange_a);
  connect(right.flange_a, b.flange_b);
)" + loads +
         "  annotation(experiment(StopTime = 1));\nend Pair;\n";
}

void check_rests(const Model& model, const Simulation& run) {
  REQUIRE(run.report.reason == StopReason::kDone);
  for (const char* name : {"a.w", "b.w"}) {
    for (const double w : run.column(model, name)) CHECK(w == 0);
  }
}

}  // namespace

// The shortest forces have the right bearing at its bound, not because they grow there: after the
// step at 0.3 s they shrink, and still are the shortest with that bearing at its bound.
TEST_CASE(
    "of forces that are not unique one at its bound stays there while others would be longer") {
  const Model model("shortest", pair_of_bodies(R"(
  Rotational.CrossFriction between(tau0 = 0.35);
  Rotational.BearingFriction left(tau0 = 2);
  Rotational.BearingFriction right(tau0 = 0.3);
  Rotational.Torque push;
  Rotational.Torque kick;
  Blocks.Sine signal(amplitude = 1.4, f = 1);
  Blocks.Step step(height = 0.01, startTime = 0.3);)",
                                               R"(
  connect(signal.y, push.tau);
  connect(push.flange, a.flange_a);
  connect(step.y, kick.tau);
  connect(kick.flange, a.flange_a);
)"));
  check_rests(model, taylor(model));
}

// Here the loads take the right bearing off its bound when the left one is at its own.
TEST_CASE("of forces that are not unique one leaves its bound when the motion needs that") {
  const Model model("opposed", pair_of_bodies(R"(
  Rotational.CrossFriction between(tau0 = 3);
  Rotational.BearingFriction left(tau0 = 0.5);
  Rotational.BearingFriction right(tau0 = 0.3);
  Rotational.Torque twist;
  Rotational.Torque pull;
  Rotational.Torque push;
  Blocks.Ramp apart(height = -1.5, duration = 0.5);
  Blocks.Ramp back(height = 1.5, duration = 0.5);
  Blocks.Ramp slow(height = -0.6, duration = 1);)",
                                              R"(
  connect(apart.y, twist.tau);
  connect(twist.flange, a.flange_a);
  connect(slow.y, pull.tau);
  connect(pull.flange, a.flange_a);
  connect(back.y, push.tau);
  connect(push.flange, b.flange_a);
)"));
  check_rests(model, taylor(model));
}

// Their forces are not unique, and those of least length have the bearing of body6 at its bound
// from the instant on at which it reaches it: by its rate, whatever rounding makes of that.
TEST_CASE("of forces that are not unique one stays at the bound that it has just reached") {
  const Model model(
      "taking_turns",
      model_text({
          {"Rotational.Inertia body1(J = 0.1)"},
          load("Blocks.Step signal1(height = 7.11, startTime = 0.1208)", "torque1", "body1"),
          {"Rotational.Inertia body5(J = 0)"},
          {"Rotational.Spring link5(k = 168.2)", "body1", "body5"},
          {"Rotational.BearingFriction bearing5(d = 0, tau0 = 0.5)", "body5"},
          {"Rotational.Inertia body6(J = 0.0458)"},
          {"Rotational.CrossFriction cross6(d = 0.2, tau0 = 1.141)", "body5", "body6"},
          {"Rotational.BearingFriction bearing6(d = 0, tau0 = 0.5865)", "body6"},
      }));
  check_agrees(model);
}

// The forces of a chain of massless bodies are unique at their bounds alone.
TEST_CASE("of forces that only their bounds make unique one at its bound stays there") {
  const Model model(
      "unique_at_bounds",
      model_text({
          {"Rotational.Inertia body3(J = 0)"},
          {"Rotational.BearingFriction bearing3(d = 0.0634, tau0 = 0.0925)", "body3"},
          {"Rotational.Inertia body4(J = 0)"},
          {"Rotational.SpringDamper link4(k = 43.9, d = 0.2)", "body3", "body4"},
          load("Blocks.Sine signal4(amplitude = 7.918, f = 6.23441)", "torque4", "body4"),
          {"Rotational.Inertia body6(J = 0)"},
          {"Rotational.CrossFriction cross6(d = 0.9782, tau0 = 1.129)", "body3", "body6"},
          {"Rotational.BearingFriction bearing6(d = 0.1534, tau0 = 0.221)", "body6"},
          load("Blocks.Sine signal6(amplitude = 2, f = 0.577101)", "torque6", "body6"),
      }));
  check_agrees(model);
}

// The force of the second cross friction is at its bound with all its derivatives, as the
// difference of greater ones: what is left of them is no reserve.
TEST_CASE("a force that stays at its bound as a difference of greater ones has no reserve") {
  const Model model("difference", R"(
model Difference
  Blocks.Sine signal1(amplitude = 2, f = 2.5);
  Rotational.SpringDamper link1(k = 335.2, d = 0.0848);
  Rotational.BearingFriction bearing2(d = 0, tau0 = 0.5);
  Rotational.Inertia body1(J = 0);
  Rotational.Inertia body0(J = 0.1);
  Rotational.Torque torque1;
  Rotational.Inertia body2(J = 0);
  Rotational.SpringDamper link2(k = 397.2, d = 0.2);
  Rotational.CrossFriction cross3(d = 0.0864, tau0 = 0.5);
  Rotational.CrossFriction cross2(d = 0, tau0 = 0.3655);
  Rotational.Inertia body3(J = 0.1);
equation
  connect(bearing2.flange_a, body2.flange_b);
  connect(body1.flange_b, cross3.flange_a);
  connect(body1.flange_b, cross2.flange_a);
  connect(body0.flange_b, link1.flange_a);
  connect(link1.flange_b, body1.flange_a);
  connect(torque1.tau, signal1.y);
  connect(body1.flange_b, link2.flange_a);
  connect(link2.flange_b, body2.flange_a);
  connect(cross3.flange_b, body3.flange_a);
  connect(cross2.flange_b, body2.flange_a);
  connect(body1.flange_b, torque1.flange);
  annotation(experiment(StopTime = 1));
end Difference;
)");
  check_agrees(model);
}

// Both frictions at their bounds are what keeps the other forces from being shorter, by as much:
// one of them yields, and only the rate of the push on a tells that it is the one between the
// bodies.
TEST_CASE("of two forces at their bounds the one that the motion needs yields") {
  for (int n = 0; n < 8; ++n) {
    // Which one rounding makes the more depends on the numbers.
    const double between = 0.7 + 0.013 * n, left = 2.1 + 0.017 * n, pull = 8 + 0.07 * n;
    const auto number = [](double x) { return std::to_string(x); };
    const Model model(
        "yields",
        pair_of_bodies("  Rotational.CrossFriction between(tau0 = " + number(between) +
                           ");\n  Rotational.BearingFriction left(tau0 = " + number(left) +
                           ");\n  Rotational.BearingFriction right(tau0 = 9);\n"
                           "  Rotational.Torque push;\n"
                           "  Rotational.Torque pull;\n"
                           "  Blocks.Ramp rising(height = 2, duration = 1);\n"
                           "  Blocks.Ramp falling(height = -5, duration = 1, offset = " +
                           number(pull) + ");\n",
                       R"(
  connect(rising.y, push.tau);
  connect(push.flange, a.flange_a);
  connect(falling.y, pull.tau);
  connect(pull.flange, b.flange_a);
)"));
    const Simulation run = taylor(model);
    check_rests(model, run);
    const std::vector<double>& force = run.column(model, "left.tau");
    for (std::size_t i = 0; i < force.size(); ++i) {
      const double expected = std::min(between + 2 * run.time[i], left);
      CHECK(std::fabs(force[i]) == doctest::Approx(expected).epsilon(1e-12));
    }
  }
}

// A force at its bound, as the load asks for more than its share, is below it again as soon as the
// load is small enough: no other margin tells, and the motion does not change.
TEST_CASE("of forces that are not unique one leaves its bound when the shortest forces do") {
  const Model model("lets_go", pair_of_bodies(R"(
  Rotational.CrossFriction between(tau0 = 5);
  Rotational.BearingFriction left(tau0 = 0.5);
  Rotational.BearingFriction right(tau0 = 3);
  Rotational.Torque push;
  Blocks.Sine signal(amplitude = 2.9, f = 1);)",
                                              R"(
  connect(signal.y, push.tau);
  connect(push.flange, a.flange_a);
)"));
  const auto check = [&](const Simulation& run, double error) {
    check_rests(model, run);
    const std::vector<double>&load = run.column(model, "push.tau"),
          &left = run.column(model, "left.tau"), &between = run.column(model, "between.tau"),
          &right = run.column(model, "right.tau"), &flag = run.column(model, "left.indeterminate");
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      // left + s = load, and s is what the other two carry: 3 left = 2 load without bounds.
      const double own = std::clamp(load[i] * 2 / 3, -0.5, 0.5), others = load[i] - own;
      CHECK(std::fabs(left[i] - own) <= error);
      CHECK(std::fabs(std::fabs(between[i]) - std::fabs(others)) <= error);
      CHECK(std::fabs(std::fabs(right[i]) - std::fabs(others)) <= error);
      CHECK(flag[i] == 1);
    }
  };
  const Simulation run = taylor(model);
  check(run, 1e-11);
  CHECK(run.report.events == 4);  // it reaches its bounds, and leaves them
  check(simulate(model, CvodeOptions{0, 1, 0.02, 1e-9, false}), 1e-7);
}

// Bound and load vary, each in its own time.
TEST_CASE("of forces that are not unique one leaves a bound that varies when the shortest do") {
  const Model model("bound_varies", pair_of_bodies(R"(
  Rotational.CrossFriction between(tau0 = 5);
  Rotational.Brake left(fn_max = 1);
  Rotational.BearingFriction right(tau0 = 3);
  Rotational.Torque push;
  Blocks.Sine signal(amplitude = 0.5, offset = 1, f = 0.6);
  Blocks.Sine force(amplitude = 0.9, offset = 0.92, f = 2.75);)",
                                                   R"(
  connect(force.y, left.f_normalized);
  connect(signal.y, push.tau);
  connect(push.flange, a.flange_a);
)"));
  const auto check = [&](const Simulation& run, double error) {
    check_rests(model, run);
    const std::vector<double>&load = run.column(model, "push.tau"),
          &left = run.column(model, "left.tau"), &bound = run.column(model, "left.tau0");
    int within = 0, at_bound = 0;
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double own = std::min(load[i] * 2 / 3, bound[i]);
      CHECK(std::fabs(left[i] - own) <= error);
      ++(own < bound[i] ? within : at_bound);
    }
    CHECK(std::min(within, at_bound) > 5);
  };
  check(taylor(model), 1e-11);
  check(simulate(model, CvodeOptions{0, 1, 0.02, 1e-9, false}), 1e-7);
}

// Two masses on a point that frictions hold: once at rest they swing together on the spring, and
// share its force as long as both can.
TEST_CASE("frictions in series on a point share its load with the shortest forces all the way") {
  const Model model("share", R"(
model Share
  Translational.Mass a(m = 1, v(start = 1));
  Translational.Mass b(m = 1, v(start = 1));
  Translational.Mass p(m = 0);
  Translational.CrossFriction ab(f0 = 5);
  Translational.CrossFriction of_a(f0 = 2);
  Translational.CrossFriction of_b(f0 = 1);
  Translational.Spring spring(k = 50);
  Translational.Fixed wall;
equation
  connect(ab.flange_a, a.flange_b);
  connect(ab.flange_b, b.flange_a);
  connect(of_a.flange_a, a.flange_b);
  connect(of_a.flange_b, p.flange_a);
  connect(of_b.flange_a, b.flange_a);
  connect(of_b.flange_b, p.flange_a);
  connect(spring.flange_a, wall.flange);
  connect(spring.flange_b, p.flange_a);
  annotation(experiment(StopTime = 2));
end Share;
)");
  const Simulation run = taylor(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  const std::vector<double>&spring = run.column(model, "spring.f"),
        &of_a = run.column(model, "of_a.f"), &of_b = run.column(model, "of_b.f"),
        &mode = run.column(model, "of_a.mode"), &flag = run.column(model, "of_b.indeterminate");
  int shared = 0, full = 0;
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    if (mode[i] != 0 || run.time[i] < 0.1) continue;
    // The masses have the same acceleration, so ab.f carries the difference: the sum of squares of
    // of_a, of_b and half their difference is least where they are the same.
    const double load = -spring[i], b = std::clamp(load / 2, -1.0, 1.0);
    CHECK(std::fabs(of_b[i] - b) <= 1e-11);
    CHECK(std::fabs(of_a[i] - (load - b)) <= 1e-11);
    if (std::fabs(load) < 2.9) CHECK(flag[i] == 1);
    ++(std::fabs(load) < 2 ? shared : full);
  }
  CHECK(std::min(shared, full) > 5);
}

// Decision and mode follow forces in series by formulas of their own: a force that has just reached
// its bound is beyond it or before it by their rounding, and lets go all the same when it should.
TEST_CASE("frictions in series of which one has reached its bound by rounding share a load later") {
  const Model model("rounding", R"(
model Rounding
  Rotational.Inertia a(J = 0.2204);
  Rotational.BearingFriction fa(tau0 = 0.283);
  Rotational.Torque pa; Blocks.Sine sa(amplitude = 0.5337, f = 2.139, phase = 3.99);
  Rotational.Inertia b(J = 0.1303);
  Rotational.BearingFriction fb(tau0 = 0.984);
  Rotational.Torque pb; Blocks.Sine sb(amplitude = 0.9394, f = 0.8763, phase = 2.23);
  Rotational.Inertia c(J = 0);
  Rotational.SpringDamper kc(k = 46.79, d = 0); Rotational.Fixed gc;
  Rotational.Inertia d(J = 0.2574);
  Rotational.Torque pd; Blocks.Sine sd(amplitude = 0.363, f = 0.9772, phase = 5.06);
  Rotational.CrossFriction xab(tau0 = 0.415);
  Rotational.CrossFriction xac(tau0 = 0.831);
  Rotational.CrossFriction xbc(tau0 = 0.697);
  Rotational.CrossFriction xad(tau0 = 0.736);
  Rotational.CrossFriction xbd(tau0 = 0.777);
equation
  connect(fa.flange_a, a.flange_a);
  connect(sa.y, pa.tau); connect(pa.flange, a.flange_b);
  connect(fb.flange_a, b.flange_a);
  connect(sb.y, pb.tau); connect(pb.flange, b.flange_b);
  connect(kc.flange_a, c.flange_a); connect(kc.flange_b, gc.flange);
  connect(sd.y, pd.tau); connect(pd.flange, d.flange_b);
  connect(xab.flange_a, a.flange_b); connect(xab.flange_b, b.flange_a);
  connect(xac.flange_a, a.flange_b); connect(xac.flange_b, c.flange_a);
  connect(xbc.flange_a, b.flange_b); connect(xbc.flange_b, c.flange_a);
  connect(xad.flange_a, a.flange_b); connect(xad.flange_b, d.flange_a);
  connect(xbd.flange_a, b.flange_b); connect(xbd.flange_b, d.flange_a);
  annotation(experiment(StopTime = 3));
end Rounding;
)");
  const Simulation run = taylor(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  // By an active-set method for the least norm at these instants, in another language.
  struct Forces {
    double time, fa, fb;
  };
  for (const Forces& f : {Forces{1.74, -0.013546901842157993, -0.22599591297075453},
                          Forces{1.92, -0.283, -0.3611595790808143},
                          Forces{1.98, -0.21292140448564018, -0.034564652229829906},
                          Forces{2.04, 0.11748312432828559, 0.26510703430057214}}) {
    const auto row = static_cast<std::size_t>(std::lround(f.time / 0.06));
    REQUIRE(std::fabs(run.time[row] - f.time) < 1e-9);
    CHECK(std::fabs(run.column(model, "fa.tau")[row] - f.fa) <= 1e-11);
    CHECK(std::fabs(run.column(model, "fb.tau")[row] - f.fb) <= 1e-11);
  }
}

// The seal of the light body has come to its bound, where the shortest forces keep it until the
// other way to the ground is at its own: the rounding of how forces act is not for later orders to
// part by.
TEST_CASE("a force at its bound stays there while one beside it takes what is added") {
  const Model model("keeps_its_bound", R"(
model KeepsItsBound
  Rotational.Inertia b0(J = 0.863, w(start = 0));
  Rotational.Inertia b1(J = 0.557, w(start = 0));
  Rotational.Inertia p0(J = 0.001, w(start = 0));
  Rotational.Inertia p1(J = 0, w(start = 0));
  Rotational.Inertia p2(J = 0, w(start = 0));
  Rotational.Spring s0(k = 35.749);
  Rotational.IdealGear gear1(ratio = 3);
  Rotational.CrossFriction c2(tau0 = 1.88, tau0_static = 2.068);
  Rotational.CrossFriction c3(tau0 = 1.591);
  Rotational.IdealGear gear4(ratio = -2);
  Rotational.Clutch c5(fn_max = 2, peak = 1);
  Rotational.HardStop h6(half_freeplay = 0.377, e = 0.398);
  Rotational.BearingFriction g7(tau0 = 0.735);
  Rotational.BearingFriction g8(tau0 = 0.605, tau0_static = 0.76351, d = 0.411);
  Rotational.BearingFriction g9(tau0 = 0.451);
  Rotational.Torque t10;
  Rotational.Torque t11;
  Rotational.Torque t12;
equation
  connect(s0.flange_a, b1.flange_b);
  connect(s0.flange_b, b0.flange_a);
  connect(gear1.flange_a, b0.flange_b);
  connect(c2.flange_a, p0.flange_b);
  connect(c2.flange_b, gear1.flange_b);
  connect(c3.flange_a, p1.flange_b);
  connect(c3.flange_b, p0.flange_a);
  connect(gear4.flange_a, b0.flange_b);
  c5.f_normalized = if time < 0.325 then 0.736 else 0;
  connect(c5.flange_a, p2.flange_b);
  connect(c5.flange_b, gear4.flange_b);
  connect(h6.flange_a, b1.flange_b);
  connect(h6.flange_b, p1.flange_a);
  connect(g7.flange_a, b1.flange_b);
  connect(g8.flange_a, p0.flange_b);
  connect(g9.flange_a, p1.flange_b);
  connect(t10.flange, b0.flange_a);
  t10.tau = 2.698*(1 - cos(8.445*time));
  connect(t11.flange, b1.flange_a);
  t11.tau = 2.517*sin(5.061*time);
  connect(t12.flange, p2.flange_a);
  t12.tau = 0.48*(1 - cos(4.767*time));
  annotation(experiment(StopTime = 0.3));
end KeepsItsBound;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 0.3, 0.0005, 1e-10, true, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(std::fabs(run.report.energy->residual()) < 1e-12);
  const std::vector<double>&seal = run.column(model, "g8.tau"),
        &mode = run.column(model, "g8.mode"), &beside = run.column(model, "g9.tau"),
        &load = run.column(model, "c2.tau");
  int at_bound = 0;
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    if (mode[i] != 0) continue;
    CHECK(std::fabs(seal[i] + beside[i] - load[i]) < 1e-11);
    CHECK(std::fabs(seal[i] - std::min(load[i] * 2 / 3, 0.76351)) < 1e-11);
    if (load[i] * 2 / 3 > 0.76351 + 1e-6) ++at_bound;
  }
  CHECK(at_bound >= 3);
}

}  // namespace luztar::test
