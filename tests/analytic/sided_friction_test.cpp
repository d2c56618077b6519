// Frictions of different size in the two directions of their slip: servo brakes, ratchets.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A wheel of 1 kg.m2, or none, under a torque, with a brake of the size given.
Model braked(const std::string& size, const std::string& torque, const std::string& speed = "0",
             double peak = 1) {
  return Model("sided.ltm", R"(
model Sided
  Rotational.Inertia wheel(J = 1, w(start = )" +
                                speed + R"(, fixed = true));
  Rotational.Brake brake(fn_max = 1, mu_pos = 1, peak = )" +
                                std::to_string(peak) + R"(, f_normalized = )" + size + R"();
  Rotational.Torque load(tau = )" +
                                torque + R"();
equation
  connect(brake.flange_a, wheel.flange_a);
  connect(load.flange, wheel.flange_b);
end Sided;
)");
}

std::vector<Simulation> by_both(const Model& model, double stop) {
  std::vector<Simulation> runs{simulate(model, TaylorOptions{0, stop, stop / 8, 1e-12, false}),
                               simulate(model, CvodeOptions{0, stop, stop / 8, 1e-10, false})};
  for (const Simulation& run : runs) REQUIRE(run.report.reason == StopReason::kDone);
  return runs;
}

const char* const kServo = "if wheel.w > 0 then 2 else 1";

TEST_CASE("a servo brake holds a load between its two sizes") {
  for (const char* torque : {"1.5", "-0.99", "1.99", "0"}) {
    CAPTURE(torque);
    const Model model = braked(kServo, torque);
    for (const Simulation& run : by_both(model, 2)) {
      CHECK(run.column(model, "wheel.w").back() == 0);
      CHECK(run.column(model, "brake.tau").back() == doctest::Approx(std::stod(torque)));
      CHECK(run.column(model, "brake.mode").back() == 0);
    }
  }
}

// w' = torque - 2 forwards, torque + 1 backwards
TEST_CASE("a servo brake gives way beyond either size") {
  const auto speed = [](const std::string& torque, const std::string& size) {
    const Model model = braked(size, torque);
    std::vector<double> ends;
    for (const Simulation& run : by_both(model, 2)) {
      ends.push_back(run.column(model, "wheel.w").back());
    }
    CHECK(ends[0] == doctest::Approx(ends[1]).epsilon(1e-8));
    return ends[0];
  };
  CHECK(speed("2.5", kServo) == doctest::Approx(1).epsilon(1e-12));
  CHECK(speed("-1.5", kServo) == doctest::Approx(-1).epsilon(1e-12));
  for (const char* same : {"1.5 + 0.5*sign(wheel.w)", "if 0 < wheel.w then 2 else 1",
                           "if wheel.w <= 0 then 1 else 2", "if -3*wheel.w >= 0 then 1 else 2"}) {
    CAPTURE(same);
    CHECK(speed("2.5", same) == doctest::Approx(1).epsilon(1e-12));
    CHECK(speed("-1.5", same) == doctest::Approx(-1).epsilon(1e-12));
  }
  // One that brakes one way alone.
  const std::string ratchet = "if wheel.w > 0 then 2 else 0";
  CHECK(speed("3", ratchet) == doctest::Approx(2).epsilon(1e-12));
  CHECK(speed("-1", ratchet) == doctest::Approx(-2).epsilon(1e-12));
  CHECK(speed("1.5", ratchet) == 0);
}

// It comes to rest from 3 rad/s in 3/(2 - 1.5) s and from -3 rad/s in 3/(1 + 1.5) s.
TEST_CASE("a servo brake brings a wheel to rest from either side") {
  for (const auto& [speed, time] : {std::pair{3.0, 6.0}, {-3.0, 1.2}}) {
    CAPTURE(speed);
    const Model model = braked(kServo, "1.5", std::to_string(speed));
    for (const Simulation& run : by_both(model, 8)) {
      const std::vector<double>& w = run.column(model, "wheel.w");
      for (std::size_t i = 0; i < w.size(); ++i) {
        const double left = std::max(0.0, 1 - run.time[i] / time);
        CHECK(std::fabs(w[i] - speed * left) <= 1e-8);
      }
    }
    TaylorOptions options{0, 8, 1, 1e-12, false};
    const RunReport report = audited(model, options);
    CHECK(std::fabs(report.energy->residual()) <= 1e-12);
    const double travel = std::fabs(speed) * time / 2;
    CHECK(report.energy->total_dissipated() ==
          doctest::Approx(travel * (speed > 0 ? 2 : 1)).epsilon(1e-10));
  }
}

// T_S = 1.5 T_K: it holds from -1.5 to 3 N.m, beside another load than in motion.
TEST_CASE("a servo brake with more static friction holds up to that") {
  for (const char* torque : {"2.99", "-1.49", "0"}) {
    CAPTURE(torque);
    const Model model = braked(kServo, torque, "0", 1.5);
    for (const Simulation& run : by_both(model, 2)) {
      CHECK(run.column(model, "wheel.w").back() == 0);
      CHECK(run.column(model, "brake.tau").back() == doctest::Approx(std::stod(torque)));
    }
  }
  for (const auto& [torque, speed] : {std::pair{"3.5", 3.0}, {"-1.6", -1.2}}) {
    const Model model = braked(kServo, torque, "0", 1.5);
    for (const Simulation& run : by_both(model, 2)) {
      CHECK(run.column(model, "wheel.w").back() == doctest::Approx(speed).epsilon(1e-10));
    }
  }
  // The load grows through 3 N.m at 3 s: w' = t - 2 from there on.
  const Model model = braked(kServo, "time", "0", 1.5);
  for (const Simulation& run : by_both(model, 4)) {
    CHECK(run.column(model, "wheel.w").back() == doctest::Approx(1.5).epsilon(1e-8));
  }
}

// A factor of 1 on the static side, whatever rounding makes of 0.559*peak/0.559.
TEST_CASE("a servo brake of any size has two sides") {
  for (const char* size : {"0.559", "0.839", "1.369", "1.71", "0.104", "0.946"}) {
    CAPTURE(size);
    const std::string either =
        std::string("if wheel.w > 0 then ") + size + "*exp(0.4*sin(time)) else 3";
    const Model model = braked(either, "10*time");
    const Simulation run = simulate(model, TaylorOptions{0, 0.5, 0.5, 1e-12, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    const double T = std::stod(size);
    double t = T / 10;  // 10 t = T exp(0.4 sin t)
    for (int i = 0; i < 50; ++i) t = T * std::exp(0.4 * std::sin(t)) / 10;
    double lost = 0;  // Simpson's rule
    const int n = 200;
    for (int i = 0; i <= n; ++i) {
      const double weight = i == 0 || i == n ? 1 : i % 2 != 0 ? 4 : 2;
      lost += weight * T * std::exp(0.4 * std::sin(t + (0.5 - t) * i / n));
    }
    const double w = 5 * (0.25 - t * t) - lost * (0.5 - t) / n / 3;
    CHECK(run.column(model, "wheel.w").back() == doctest::Approx(w).epsilon(1e-9));
  }
}

// A point between two springs on such a brake: it holds between -1 and 2 N.m.
TEST_CASE("a servo brake on a point without inertia") {
  const Model model("point.ltm", R"(
model Point
  Rotational.Speed drive(w_ref = if time < 3 then 1 else -1);
  Rotational.Spring spring(k = 1);
  Rotational.Inertia point(J = 0);
  Rotational.Brake brake(fn_max = 1, mu_pos = 1, f_normalized = if point.w > 0 then 2 else 1);
equation
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, point.flange_a);
  connect(brake.flange_a, point.flange_b);
end Point;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 8, 0.5, 1e-12, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  const std::vector<double>& phi = run.column(model, "point.phi");
  for (std::size_t i = 0; i < phi.size(); ++i) {
    const double t = run.time[i];
    // Forwards from 2 s on, held from 3 s on, backwards from 6 s on.
    const double expected = t < 2 ? 0 : t < 3 ? t - 2 : t < 6 ? 1 : 7 - t;
    CAPTURE(t);
    CHECK(std::fabs(phi[i] - expected) <= 1e-10);
  }
}

// What a signal makes of the sizes need not be known to be positive: 1 to 2 times k(t) hold.
TEST_CASE("a servo brake by a signal holds loads between its sizes") {
  for (const char* size : {"(if wheel.w > 0 then 2 else 1)*(1 + 0.5*sin(3*time))",
                           "(if wheel.w > 0 then 2 else 1)*exp(0.4*sin(3*time))",
                           "(if wheel.w > 0 then 2 else 1)*sqrt(1 + 0.2*time)"}) {
    CAPTURE(size);
    const Model model = braked(size, "0.9*sin(time)*(if sin(time) > 0 then 1 else 0.5)");
    for (const Simulation& run : by_both(model, 6)) {
      CHECK(run.column(model, "wheel.phi").back() == 0);
    }
  }
  // It gives way forwards at 2 + sin(2 t) = 3 t, and w' = 3 t - 2 - sin(2 t) from there on.
  const Model model = braked("(if wheel.w > 0 then 2 else 1)*(1 + 0.5*sin(2*time))", "3*time");
  double begin = 1;
  for (int i = 0; i < 20; ++i) {
    begin -= (3 * begin - 2 - std::sin(2 * begin)) / (3 - 2 * std::cos(2 * begin));
  }
  const auto speed = [](double t) { return 1.5 * t * t - 2 * t + std::cos(2 * t) / 2; };
  for (const Simulation& run : by_both(model, 2)) {
    const double w = run.column(model, "wheel.w").back();
    CHECK(std::fabs(w - speed(2) + speed(begin)) <= 1e-8);
  }
  const Model negative("negative.ltm", R"(
model Servo
  extends Rotational.Interfaces.OneFlange;
  Real w(unit = "rad/s") = der(flange.phi);
  Real size = (if w > 0 then 2 else 1)*(1 - time);
equation
  flange.tau = dryfriction(w, size, size);
end Servo;
model Negative
  Rotational.Inertia wheel(J = 1);
  Servo servo;
equation
  connect(servo.flange, wheel.flange_a);
end Negative;
)");
  const Simulation stopped = simulate(negative, TaylorOptions{0, 2, 0.5, 1e-10, false});
  CHECK(stopped.report.reason == StopReason::kAssertion);
  CHECK(stopped.report.time == doctest::Approx(1));
}

// The sizes of each direction go with the speed in that direction alone: 0.5 + 1.5 exp(-w), and
// 1 + 0.5 exp(w), which is no size forwards. At rest it holds from -1.5 to 2.
TEST_CASE("a servo brake whose sizes fall with speed") {
  const std::string size =
      "if wheel.w > 0 then 0.5 + 1.5*exp(-wheel.w*s) else 1 + 0.5*exp(wheel.w*s)";
  const auto braked_by = [&](const std::string& torque, const std::string& speed) {
    return Model("falling.ltm", R"(
model Falling
  constant Real s(unit = "s/rad") = 1;
  Rotational.Inertia wheel(J = 1, w(start = )" +
                                    speed + R"(, fixed = true));
  Rotational.Brake brake(fn_max = 1, mu_pos = 1, f_normalized = )" +
                                    size + R"();
  Rotational.Torque load(tau = )" + torque +
                                    R"();
equation
  connect(brake.flange_a, wheel.flange_a);
  connect(load.flange, wheel.flange_b);
end Falling;
)");
  };
  for (const char* torque : {"1.99", "-1.49", "0"}) {
    const Model held = braked_by(torque, "0");
    for (const Simulation& run : by_both(held, 2)) CHECK(run.column(held, "wheel.phi").back() == 0);
  }
  // w' = 1.5 - 1.5 exp(-w) from 1: exp(w) - 1 = (e - 1) exp(1.5 t); and from -1, with
  // w' = 0.5 + 0.5 exp(w): exp(-w) + 1 = (e + 1) exp(-0.5 t).
  const double e = std::exp(1);
  for (const auto& [torque, start, end] :
       {std::tuple{"2", "1", std::log1p((e - 1) * std::exp(1.5))},
        {"-0.5", "-1", -std::log((e + 1) * std::exp(-0.5) - 1)}}) {
    CAPTURE(torque);
    const Model model = braked_by(torque, start);
    for (const Simulation& run : by_both(model, 1)) {
      CHECK(std::fabs(run.column(model, "wheel.w").back() - end) <= 1e-8);
    }
  }
}

// The carrier of a differential between two parallel frictions that hold from 0 to 1 and from -1
// to 1 N.m: once it rests nothing loads it, and both are zero; or the least that carry the load.
TEST_CASE("servo brakes side by side share a load by the least norm") {
  const auto carrier = [](const std::string& torque) {
    return Model("carrier.ltm", R"(
model Carrier
  Rotational.Inertia disc(J = 1);
  Rotational.Brake one(fn_max = 1, mu_pos = 1, f_normalized = if disc.w > 0 then 1 else 0);
  Rotational.Brake other(fn_max = 1, mu_pos = 1, f_normalized = if disc.w < 0 then 1 else 0.4);
  Rotational.Torque load(tau = )" + torque +
                                    R"();
equation
  connect(one.flange_a, disc.flange_a);
  connect(other.flange_a, disc.flange_a);
  connect(load.flange, disc.flange_b);
end Carrier;
)");
  };
  for (const auto& [load, one, other] :
       {std::tuple{0.0, 0.0, 0.0}, {0.6, 0.3, 0.3}, {1.2, 0.8, 0.4}, {-0.7, 0.0, -0.7}}) {
    CAPTURE(load);
    const Model model = carrier(std::to_string(load));
    for (const Simulation& run : by_both(model, 1)) {
      CHECK(run.column(model, "disc.w").back() == 0);
      CHECK(std::fabs(run.column(model, "one.tau").back() - one) <= 1e-12);
      CHECK(std::fabs(run.column(model, "other.tau").back() - other) <= 1e-12);
    }
  }
}

// As in a worm gear: weak where the load drives, strong where it is driven.
TEST_CASE("a friction by the direction of power has two sides") {
  const auto braked_by = [](const char* driving, const char* driven, const char* load) {
    return Model("worm.ltm", std::string(R"(
model Worm
  Rotational.Inertia wheel(J = 1);
  Real load = )") + load + R"(;
  Rotational.Brake brake(fn_max = 1, mu_pos = 1, f_normalized = if load*wheel.w > 0 then )" +
                                 driving + " else " + driven + R"();
  Rotational.Torque torque(tau = 2.5*sin(time));
equation
  connect(brake.flange_a, wheel.flange_a);
  connect(torque.flange, wheel.flange_b);
end Worm;
)");
  };
  // It slips from 2.5 sin(t) = T on, with w' = 2.5 sin(t) - T.
  const auto speed = [](double T) {
    const double begin = std::asin(T / 2.5);
    return 2.5 * (std::cos(begin) - std::cos(2.5)) - T * (2.5 - begin);
  };
  for (const auto& [load, T] : {std::pair{"2 + sin(time)", 1.0}, {"-1", 2.0}}) {
    CAPTURE(load);
    const Model model = braked_by("1", "2", load);
    for (const Simulation& run : by_both(model, 2.5)) {
      CHECK(std::fabs(run.column(model, "wheel.w").back() - speed(T)) <= 1e-8);
    }
  }
  const Model model = braked_by("2", "1", "2 + sin(time)");
  for (const Simulation& run : by_both(model, 2.5)) {
    CHECK(std::fabs(run.column(model, "wheel.w").back() - speed(2)) <= 1e-8);
  }
}

}  // namespace
}  // namespace luztar::test
