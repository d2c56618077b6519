// Forces of dry friction and of dampers have bounds: where a prescribed speed jumps, or a contact
// closes on a massless body, no impulse comes through these. Closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/column_check.h"
#include "tests/support/model.h"

namespace luztar::test {

// Belt, pad without mass, body: two frictions in series, of which the weaker one slips.
TEST_CASE("a belt whose speed jumps takes a body along by friction, through a massless pad") {
  struct Belt {
    const char *motion, *first;
    double jump, force;  // [m/s, N]
  };
  const Belt belts[] = {
      {"Speed belt; equation belt.v_ref = if time < 0.5 then 1 else -0.5;", "5", -1.5, 5},
      {"Speed belt; equation belt.v_ref = if time < 0.5 then 1 else 2.5;", "5", 1.5, 5},
      {"Position belt; equation belt.s_ref = time - 1.5*max(time - 0.5, 0);", "5", -1.5, 5},
      {"Position belt; equation belt.s_ref = time + 1.5*max(time - 0.5, 0);", "7", 1.5, 6},
  };
  for (const auto& [motion, first, jump, force] : belts) {
    CAPTURE(motion);
    const Model model("belt.ltm", "model Belt\n  Translational.CrossFriction f1(f0 = " +
                                      std::string(first) + R"(), f2(f0 = 6);
  Translational.Mass pad(m = 0);
  Translational.Mass body(m = 0.5, v(start = 1));
  Translational.)" + motion + R"(
  connect(belt.flange, f1.flange_a);
  connect(f1.flange_b, pad.flange_a);
  connect(pad.flange_b, f2.flange_a);
  connect(f2.flange_b, body.flange_a);
end Belt;
)");
    const double rate = std::copysign(force / 0.5, jump), lasts = jump / rate;
    check_column_between(model, 0.9, "body.v", {}, [=](double t) {
      return 1 + rate * std::min(std::max(t - 0.5, 0.0), lasts);
    });
  }
}

// The belt turns back: the body brakes, and leaves the slider that it has pushed where it stops.
TEST_CASE("a body on a belt whose speed jumps leaves the massless slider ahead of it") {
  const Model model("pushed.ltm", R"(
model Pushed
  Translational.Speed belt;
  Translational.CrossFriction rail(f0 = 20);
  Translational.Mass body(m = 1.25, v(start = 0.5));
  Translational.HardStop stop(half_freeplay = 0.1, e = 0);
  Translational.Mass slider(m = 0);
  Translational.SupportFriction ground(f0 = 1);
equation
  belt.v_ref = if time < 0.5 then 0.5 else -1.25;
  connect(belt.flange, rail.flange_a);
  connect(rail.flange_b, body.flange_a);
  connect(body.flange_b, stop.flange_a);
  connect(stop.flange_b, slider.flange_a);
  connect(slider.flange_b, ground.flange_a);
end Pushed;
)");
  const double rests = 0.5 + 0.5 / (21 / 1.25);
  check_column_between(model, 0.7, "body.v", {}, [=](double t) {
    if (t < 0.5) return 0.5;
    return t < rests ? 0.5 - 21 / 1.25 * (t - 0.5) : std::max(-20 / 1.25 * (t - rests), -1.25);
  });
  check_column_between(model, 0.7, "slider.s", {}, [=](double t) {
    const double closes = 0.1 / 0.5, brakes = std::min(std::max(t - 0.5, 0.0), rests - 0.5);
    return 0.5 * std::max(std::min(t, 0.5) - closes, 0.0) + 0.5 * brakes -
           21 / 1.25 * brakes * brakes / 2;
  });
}

// At once the clutch slides, with 1 N.m, whatever it has held with: more than one bearing resists.
TEST_CASE("a clutch that holds with more slides where the speed of its drive jumps") {
  for (const double bearing : {0.8, 1.2}) {
    for (const double before : {0.0, 0.5}) {
      CAPTURE(bearing);
      CAPTURE(before);
      const Model model("clutch.ltm", R"(
model Clutch
  Rotational.Speed drive;
  Rotational.CrossFriction clutch(tau0 = 1, tau0_static = 1.5);
  Rotational.Inertia wheel(J = 0);
  Rotational.BearingFriction bearing(tau0 = )" +
                                          std::to_string(bearing) + R"();
equation
  drive.w_ref = )" + std::to_string(before) +
                                          R"( + (if time < 1 then 0 else 1);
  connect(drive.flange, clutch.flange_a);
  connect(clutch.flange_b, wheel.flange_a);
  connect(wheel.flange_b, bearing.flange_a);
end Clutch;
)");
      check_column_between(model, 2, "wheel.w", {1}, [=](double t) {
        if (t < 1) return before;
        return bearing > 1 ? 0 : before + 1;
      });
    }
  }
}

// The wheel goes with the drive, whose clutch holds more than its bearing, or stays.
TEST_CASE("of two frictions in series the weaker one slides, in watches and in mills") {
  for (const std::string size : {"1e-12", "1e-6", "1", "1e6", "1e12"}) {
    for (const std::string speed : {"1e-3", "1", "1e4"}) {
      for (const bool goes : {true, false}) {
        CAPTURE(size);
        CAPTURE(speed);
        CAPTURE(goes);
        const Model model("scale.ltm", R"(
model Scale
  Rotational.Speed drive;
  Rotational.CrossFriction clutch(tau0 = )" +
                                           size + R"();
  Rotational.Inertia wheel(J = 0);
  Rotational.BearingFriction bearing(tau0 = )" +
                                           size + (goes ? "*0.5" : "*1.5") + R"();
equation
  drive.w_ref = )" + speed + R"(*sin(pi*time);
  connect(drive.flange, clutch.flange_a);
  connect(clutch.flange_b, wheel.flange_a);
  connect(wheel.flange_b, bearing.flange_a);
end Scale;
)");
        const double scale = std::stod(speed);
        const Simulation run = simulate(model, TaylorOptions{0, 1.9, 0.1, 1e-10, false});
        REQUIRE(run.report.reason == StopReason::kDone);
        for (std::size_t i = 0; i < run.time.size(); ++i) {
          const double expected = goes ? scale * (1 - std::cos(kPi * run.time[i])) / kPi : 0;
          CHECK(std::fabs(run.column(model, "wheel.phi")[i] - expected) <= 1e-11 * scale);
        }
      }
    }
  }
}

// A wheel comes upon a massless one in dry and viscous bearings, while it rubs on a third that is
// pressed on its own stop.
TEST_CASE("a contact that closes on a massless body beside one that is closed stops nothing") {
  for (const double side : {1.0, -1.0}) {
    for (const std::string e : {"0", "0.5", "1"}) {
      CAPTURE(side);
      CAPTURE(e);
      const auto sided = [=](double value) { return std::to_string(side * value); };
      const Model model("beside.ltm", R"(
model Beside
  Rotational.Inertia light(J = 0), wheel(J = 3, w(start = )" +
                                          sided(-1) +
                                          R"());
  Rotational.Inertia pressed(J = 2, phi(start = )" +
                                          sided(0.25) + R"());
  Rotational.Torque press;
  Rotational.Fixed ground;
  Rotational.HardStop own(half_freeplay = 0.25), contact(half_freeplay = 0.1, e = )" +
                                          e + R"();
  Rotational.CrossFriction rub(tau0 = 0.1);
  Rotational.BearingFriction bearing(tau0 = 0.5, d = 0.72);
equation
  press.tau = )" + sided(1) + R"(;
  connect(press.flange, pressed.flange_a);
  connect(ground.flange, own.flange_a);
  connect(own.flange_b, pressed.flange_a);
  connect(light.flange_b, contact.flange_a);
  connect(contact.flange_b, wheel.flange_a);
  connect(wheel.flange_b, rub.flange_a);
  connect(rub.flange_b, pressed.flange_b);
  connect(light.flange_b, bearing.flange_a);
end Beside;
)");
      // -w t + a t^2/2 = -0.1 with a = 0.1/3, then 3 w' = 0.6 - 0.72 w.
      const double a = 0.1 / 3, closes = (1 - std::sqrt(1 - 2 * a * 0.1)) / a;
      check_column_between(model, 1.5, "wheel.w", {}, [=](double t) {
        const double w = -1 + a * std::min(t, closes), end = 0.6 / 0.72;
        return side * (t < closes ? w : end + (w - end) * std::exp(-0.24 * (t - closes)));
      });
    }
  }
}

// Whatever else it is beside: what a bearing and a rotor can hold the hub with is less than what
// the shaft takes it along with.
TEST_CASE("a hub follows its shaft beside a body that friction hardly moves") {
  for (const char* inertia : {"1", "1e5", "1e7", "1e12"}) {
    CAPTURE(inertia);
    const Model model("hub.ltm", R"(
model Hub
  Rotational.Inertia hub(J = 0);
  Rotational.Inertia rotor(J = )" + std::string(inertia) +
                                     R"();
  Rotational.CrossFriction beside(tau0 = 0.4);
  Rotational.BearingFriction bearing(tau0 = 1.4);
  Rotational.Speed shaft(w_ref = 1.1*sin(14*time));
  Rotational.CrossFriction clutch(tau0 = 2.56);
equation
  connect(shaft.flange, clutch.flange_a);
  connect(clutch.flange_b, hub.flange_a);
  connect(bearing.flange_a, hub.flange_a);
  connect(beside.flange_a, rotor.flange_a);
  connect(beside.flange_b, hub.flange_b);
end Hub;
)");
    const double J = std::stod(inertia);
    check_column_between(model, 0.2, "hub.phi", {},
                         [](double t) { return 1.1 / 14 * (1 - std::cos(14 * t)); });
    check_column_between(model, 0.2, "rotor.w", {}, [J](double t) { return 0.4 / J * t; });
    check_column_between(model, 0.2, "clutch.tau", {}, [](double) { return -1.8; });
  }
}

// At rest on the belt first, then forwards, then backwards, by the force of the friction.
TEST_CASE("a body that rests on a belt is not taken along at once where the speed of that jumps") {
  const Model model("belt.ltm", R"(
model Belt
  Translational.Mass body(m = 1);
  Translational.Speed belt;
  Translational.CrossFriction friction(f0 = 1);
equation
  belt.v_ref = if time < 1 then 0 else if time < 1.5 then 3 else -2;
  connect(belt.flange, friction.flange_a);
  connect(friction.flange_b, body.flange_a);
end Belt;
)");
  check_column(
      model, 2, "body.v", [](double t) { return t < 1     ? 0
                                                : t < 1.5 ? t - 1
                                                          : 2 - t; }, 3e-3);
}

}  // namespace luztar::test
