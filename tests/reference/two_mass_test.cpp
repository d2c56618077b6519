// The right-hand side of two masses, P5, and its limits: equal to the printed formulas to 1e-12
// relative, at random states and parameters, in every zone and every friction mode. The model is
// compiled once: parameters change at run time.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/paper_formulas.h"
#include "tests/support/probe.h"
#include "tests/support/random_draws.h"

namespace luztar::test {

namespace {

/// Random parameters, state and forces of the two-mass system.
struct TwoMassDraw {
  TwoMassParameters p;
  TwoMassState x;
  double F1 = 0, F2 = 0, time = 0;
  int mode = 0;
  double A1 = 0, A2 = 0, f1 = 0, f2 = 0;

  explicit TwoMassDraw(RandomDraws& random) {
    p = {random.around(1.2),   random.around(3), random.around(800),
         random.around(0.004), random.around(2), random.around(4)};
    A1 = random.around(9), f1 = random.around(1.1), A2 = random.around(7), f2 = random.around(0.45);
    time = random.uniform(0, 8);
    mode = random.mode();
    const double z2 = random.uniform(-1, 1), v2 = random.uniform(-2, 2);
    x = {z2 + p.z0.value * random.uniform(-3, 3), v2 + random.slip(mode, 2), z2, v2};
    F1 = sine(A1, f1, time), F2 = sine(A2, f2, time);
  }

  void use_sines(Model& model) const {
    std::vector<std::pair<std::string, double>> values = {
        {"spring.k", p.K.value},    {"spring.half_freeplay", p.z0.value},
        {"friction.d", p.C.value},  {"friction.f0", p.FT0.value},
        {"signal_1.amplitude", A1}, {"signal_1.f", f1},
        {"signal_2.amplitude", A2}, {"signal_2.f", f2}};
    // Masses that are 0 or inf selected a limit when the model was compiled.
    for (const char* mass : {"mass_1.m", "mass_2.m"}) {
      const double value = model.parameters()[model.parameter(mass)];
      if (value == 0 || std::isinf(value)) continue;
      values.emplace_back(mass, mass == std::string("mass_1.m") ? p.M1.value : p.M2.value);
    }
    model.set(values);
  }
};

const Names kZ1 = {"mass_1.s"};
const Names kV1 = {"mass_1.v"};
const Names kZ2 = {"mass_2.s"};
const Names kV2 = {"mass_2.v"};

Probe two_mass_probe(const Model& model, const TwoMassDraw& draw) {
  Probe probe(model);
  probe[kZ1] = draw.x.z1.value;
  probe[kV1] = draw.x.v1.value;
  probe[kZ2] = draw.x.z2.value;
  probe[kV2] = draw.x.v2.value;
  probe.modes_from_slips();
  probe.evaluate(draw.time);
  return probe;
}

}  // namespace

TEST_CASE("two_mass is P5 (25)-(26)") {
  Model model = load_example("two_mass.ltm");
  REQUIRE(own_states(model) == 4);
  REQUIRE(model.system().frictions.size() == 1);
  RandomDraws random(3);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    const TwoMassDraw draw(random);
    draw.use_sines(model);
    const Probe probe = two_mass_probe(model, draw);
    const auto [a1, a2] = two_mass(draw.p, draw.x, draw.F1, draw.F2, draw.mode);
    probe.check_derivative(kZ1, draw.x.v1);
    probe.check_derivative(kZ2, draw.x.v2);
    probe.check_derivative(kV1, a1);
    probe.check_derivative(kV2, a2);
    seen.mode(draw.mode);
    seen.zone(draw.x.z1.value - draw.x.z2.value, draw.p.z0.value);
  }
  CHECK(seen.all_modes());
  CHECK(seen.all_zones());
}

TEST_CASE("zones and modes have the signs of the parts' own s_rel and v_rel") {
  const Model model = load_example("two_mass.ltm");
  for (const double sign : {-1.0, 1.0}) {
    Probe probe(model);
    probe[kZ1] = -0.1 * sign;  // s_rel = z2 - z1, v_rel = z2' - z1'
    probe[kV1] = -0.5 * sign;
    probe.modes_from_slips();
    probe.evaluate(0);
    probe.check_output("spring.zone", sign);
    probe.check_output("friction.mode", sign);
  }
}

TEST_CASE("two_mass with balanced or without forces is P5 (31)-(36)") {
  Model model = load_example("two_mass.ltm");
  RandomDraws random(4);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    TwoMassDraw draw(random);
    draw.A1 = draw.A2 = 0;
    draw.use_sines(model);
    const auto [free1, free2] = two_mass_free(draw.p, draw.x, draw.mode);
    const Probe free = two_mass_probe(model, draw);
    free.check_derivative(kV1, free1);
    free.check_derivative(kV2, free2);

    // M2 F1 = M1 F2, at a quarter of the period and slip zero.
    draw.x.v1 = draw.x.v2;
    draw.f1 = draw.f2 = 1;
    draw.time = 0.25;
    draw.A1 = random.around(9);
    draw.A2 = draw.A1 * draw.p.M2.value / draw.p.M1.value;
    draw.use_sines(model);
    const auto [rest1, rest2] = two_mass_balanced(draw.p, draw.x, draw.A1, draw.A2);
    const Probe rest = two_mass_probe(model, draw);
    rest.check_derivative(kV1, rest1);
    rest.check_derivative(kV2, rest2);
    seen.zone(draw.x.z1.value - draw.x.z2.value, (draw.p.z0 + draw.p.FT0 / draw.p.K).value);
  }
  CHECK(seen.all_zones());
}

TEST_CASE("two_mass_blocked is P5 note 4, (39) and (40)") {
  Model model = load_example("two_mass_blocked.ltm");
  REQUIRE(own_states(model) == 2);
  REQUIRE(model.system().frictions.size() == 1);
  RandomDraws random(5);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    TwoMassDraw draw(random);
    const double z1 = draw.p.z0.value * random.uniform(-3, 3), v1 = random.slip(draw.mode, 2);
    for (const bool forced : {true, false}) {
      if (!forced) draw.A1 = 0;
      draw.use_sines(model);
      Probe probe(model);
      probe[kZ1] = z1;
      probe[kV1] = v1;
      probe.modes_from_slips();
      probe.evaluate(draw.time);
      probe.check_derivative(kZ1, v1);
      probe.check_derivative(kV1,
                             two_mass_blocked(draw.p, z1, v1, forced ? draw.F1 : 0.0, draw.mode));
      probe.check_output("mass_2.s", 0.0);
      if (!forced && draw.mode == 0)
        probe.check_derivative(kV1, two_mass_blocked_free_at_rest(draw.p, z1));
    }
    seen.mode(draw.mode);
    seen.zone(z1, draw.p.z0.value);
  }
  CHECK(seen.all_modes());
  CHECK(seen.all_zones());
}

TEST_CASE("two_mass_massless is P5 note 5, (44) and (46)") {
  Model model = load_example("two_mass_massless.ltm");
  REQUIRE(own_states(model) == 3);
  RandomDraws random(6);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    const TwoMassDraw draw(random);
    draw.use_sines(model);
    Probe probe(model);
    probe[kZ1] = draw.x.z1.value;
    probe[kZ2] = draw.x.z2.value;
    probe[kV2] = draw.x.v2.value;
    probe.evaluate(draw.time);
    const Real velocity =
        two_mass_massless_velocity(draw.p, draw.x.z1, draw.x.z2, draw.x.v2, draw.F1);
    probe.check_derivative(kZ1, velocity);
    probe.check_derivative(kZ2, draw.x.v2);
    probe.check_derivative(kV2, two_mass_massless_acceleration(draw.p, draw.F1, draw.F2));
    probe.check_output("mass_1.v", velocity);
    seen.zone(draw.x.z1.value - draw.x.z2.value, draw.p.z0.value);
    seen.mode((velocity.value > draw.x.v2.value) - (velocity.value < draw.x.v2.value));
  }
  CHECK(seen.all_zones());
  CHECK(seen.all_modes());
}

TEST_CASE("two_mass_massless_blocked is P5 note 6, (48)-(50)") {
  Model model = load_example("two_mass_massless_blocked.ltm");
  REQUIRE(own_states(model) == 1);
  RandomDraws random(7);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    TwoMassDraw draw(random);
    const double z1 = (draw.p.z0 + draw.p.FT0 / draw.p.K).value * random.uniform(-3, 3);
    for (const bool forced : {true, false}) {
      if (!forced) draw.A1 = 0;
      draw.use_sines(model);
      Probe probe(model);
      probe[kZ1] = z1;
      probe.evaluate(draw.time);
      probe.check_derivative(kZ1, forced ? two_mass_massless_blocked(draw.p, z1, draw.F1)
                                         : two_mass_massless_blocked_free(draw.p, z1));
    }
    seen.zone(z1, draw.p.z0.value);
  }
  CHECK(seen.all_zones());
}

}  // namespace luztar::test
