// Trains of bodies that rub on their neighbours and on the ground: all frictions are one island,
// whose forces are solved for along it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/random_cases.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

constexpr double kFrictionTrainStop = 2;

struct Train {
  std::vector<std::string> parts, connects;

  [[nodiscard]] std::string text(bool backwards) const {
    std::string out = "model Train\n";
    const auto list = [&](const std::vector<std::string>& lines) {
      for (std::size_t i = 0; i < lines.size(); ++i) {
        out += "  " + lines[backwards ? lines.size() - 1 - i : i] + ";\n";
      }
    };
    list(parts);
    out += "equation\n";
    list(connects);
    return out + "end Train;\n";
  }
};

/// Blocks between which frictions act, some of them with static friction above kinetic, with loads.
/// `damped`: without mass, on dampers; `is_long`: too many for tables.
Train random_train(unsigned seed, bool damped, bool is_long) {
  std::mt19937 random(seed);
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  // No round numbers: loads that just reach what all frictions hold together decide nothing.
  const auto draw = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Train train;
  const auto part = [&](const std::string& type, const std::string& name,
                        const std::string& values) {
    train.parts.push_back("Translational." + type + " " + name + "(" + values + ")");
  };
  const auto number = [&](double value) {
    std::ostringstream text;
    text << value;
    return text.str();
  };
  const auto friction = [&] {
    const double kinetic = draw(0.3, 1.2);
    const double excess = damped ? 1 : 1 + 0.25 * pick(3);
    return "f0 = " + number(kinetic) + ", f0_static = " + number(kinetic * excess);
  };
  const unsigned n = (is_long ? 30 : 9) + pick(6);
  for (unsigned i = 0; i < n; ++i) {
    const std::string k = std::to_string(i), block = "block" + k;
    part("Mass", block, "m = " + (damped ? "0" : number(draw(0.2, 4))));
    const auto attach = [&](const std::string& type, const std::string& name,
                            const std::string& values) {
      part(type, name, values);
      train.connects.push_back("connect(" + block + ".flange_a, " + name + ".flange_a)");
    };
    if (pick(3) != 0) attach("SupportFriction", "ground" + k, friction());
    if (damped) attach("SupportFriction", "oil" + k, "f0 = 0, d = " + number(draw(1, 2)));
    if (i > 0) {
      attach("CrossFriction", "rub" + k, friction());
      train.connects.push_back("connect(rub" + k + ".flange_b, block" + std::to_string(i - 1) +
                               ".flange_b)");
    }
    if (pick(3) == 0) continue;
    const double size = draw(0.5, 3.5), frequency = draw(0.2, 1.7);
    train.parts.push_back("Blocks.Sine signal" + k + "(amplitude = " + number(size) +
                          ", f = " + number(frequency) + ")");
    train.parts.push_back("Translational.Force load" + k);
    train.connects.push_back("connect(signal" + k + ".y, load" + k + ".f)");
    train.connects.push_back("connect(load" + k + ".flange, " + block + ".flange_b)");
  }
  return train;
}

void check_trains(unsigned first_seed, bool damped) {
  std::size_t events = 0;
  const unsigned seeds = std::max(2U, random_cases(4));  // a short one, a long one
  for (unsigned seed = first_seed; seed < first_seed + seeds; ++seed) {
    const bool is_long = seed % 2 == 0;
    const Train train = random_train(seed, damped, is_long);
    CAPTURE(seed);
    const Model model("train", train.text(false));
    REQUIRE(model.system().islands.size() == 1);
    CHECK(model.system().islands[0].is_solved == is_long);
    const Simulation taylor =
        simulate(model, TaylorOptions{0, kFrictionTrainStop, 0.1, 1e-13, false, true});
    const RunReport& report = taylor.report;
    REQUIRE(report.reason == StopReason::kDone);
    REQUIRE(report.energy);
    CHECK(std::fabs(report.energy->residual()) <= 1e-11 * report.energy->turnover);
    events += report.events;
    const Model other("train", train.text(true));
    const Simulation backwards =
        simulate(other, TaylorOptions{0, kFrictionTrainStop, 0.1, 1e-13, false});
    for (const Deviation& d : motion_deviations(model, taylor, other, backwards)) {
      INFO(d.column);
      CHECK(d.difference <= 1e-9 * d.peak + 1e-12);
    }
    const Simulation cvode =
        simulate(model, CvodeOptions{0, kFrictionTrainStop, 0.1, 1e-12, false});
    REQUIRE(cvode.report.reason == StopReason::kDone);
    for (const Deviation& d : motion_deviations(model, taylor, model, cvode)) {
      INFO(d.column);
      CHECK(d.difference <= 1e-6 * d.peak + 1e-12);
    }
  }
  CHECK(events > random_cases(100));
}

}  // namespace

TEST_CASE("random trains of blocks keep their energy account, whatever the order of their parts") {
  check_trains(1, false);
}

TEST_CASE("random trains of massless blocks on dampers likewise") { check_trains(101, true); }

// The block that is pulled and those behind it stay. The shortest forces have the sum of squares of
// what the ground takes, g_i, and what goes on to the next, c_i = c_(i-1) - g_i, least: then
// g_(i+1) - 3 g_i + g_(i-1) = 0, and each is (3 - sqrt 5)/2 of the one before. The first is F over
// the golden ratio.
TEST_CASE("the ground takes the load of a long train at rest by the golden ratio") {
  constexpr int kBlocks = 300;
  const Model model("train", R"(
model Train
  parameter Integer n = 300;
  Translational.Mass mass[n](m = {1 + mod(i, 3) for i in 1:n});
  Translational.SupportFriction ground[n](each f0 = 1);
  Translational.CrossFriction rub[n - 1](each f0 = 1);
  Translational.Force pull(f = 1.5);
equation
  connect(pull.flange, mass[1].flange_a);
  connect(ground.flange_a, mass.flange_a);
  for i in 1:n - 1 loop
    connect(mass[i].flange_b, rub[i].flange_a);
    connect(rub[i].flange_b, mass[i + 1].flange_a);
  end for;
end Train;
)");
  REQUIRE(model.system().islands.size() == 1);
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-10, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  const double golden = (1 + std::sqrt(5.0)) / 2;
  double expected = 1.5 / golden;
  for (int i = 1; i <= kBlocks; ++i) {
    CAPTURE(i);
    const std::string ground = "ground[" + std::to_string(i) + "]";
    CHECK(std::fabs(run.column(model, ground + ".f").back() - expected) <= 1e-12);
    CHECK(run.column(model, ground + ".indeterminate").back() == 1);
    CHECK(run.column(model, "mass[" + std::to_string(i) + "].v").back() == 0);
    expected *= 2 - golden;
  }
}

// All frictions act on the hub, so that G is full: an elimination would cost the cube.
TEST_CASE("frictions around a hub share its load at rest, from tables") {
  constexpr int kBodies = 40;
  const Model model("star", R"(
model Star
  parameter Integer n = 40;
  Rotational.Inertia hub(J = 1);
  Rotational.Inertia body[n](J = {0.1 + 0.01*i for i in 1:n});
  Rotational.CrossFriction clutch[n](each tau0 = 1);
  Rotational.BearingFriction bearing[n](each tau0 = 1);
  Rotational.Torque motor(tau = 30);
equation
  connect(motor.flange, hub.flange_a);
  connect(body.flange_b, bearing.flange_a);
  for i in 1:n loop
    connect(hub.flange_b, clutch[i].flange_a);
    connect(clutch[i].flange_b, body[i].flange_a);
  end for;
end Star;
)");
  REQUIRE(model.system().islands.size() == 1);
  CHECK(!model.system().islands[0].is_solved);
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-10, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  for (int i = 1; i <= kBodies; ++i) {
    CAPTURE(i);
    const std::string bearing = "bearing[" + std::to_string(i) + "]";
    CHECK(run.column(model, bearing + ".tau").back() == doctest::Approx(0.75).epsilon(1e-13));
    CHECK(run.column(model, "body[" + std::to_string(i) + "].w").back() == 0);
  }
}

}  // namespace luztar::test
