// The right-hand sides of one mass, P2: equal to the printed formulas to 1e-12
// relative, at random states and parameters, in every zone and every friction mode. The model is
// compiled once: parameters change at run time.
#include <doctest/doctest.h>

#include "tests/support/csv_table.h"
#include "tests/support/model.h"
#include "tests/support/paper_formulas.h"
#include "tests/support/probe.h"
#include "tests/support/random_draws.h"

namespace luztar::test {

TEST_CASE("single_mass is P2 sec. 2") {
  Model model = load_example("single_mass.ltm");
  REQUIRE(own_states(model) == 2);
  REQUIRE(model.system().frictions.size() == 1);
  RandomDraws random(1);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    const SingleMassParameters p{random.around(2), random.around(0.8), random.around(4)};
    const double A = random.around(6), f = random.around(0.5), t = random.uniform(0, 4);
    model.set({{"body.m", p.M.value},
               {"ground.d", p.C.value},
               {"ground.f0", p.FT0.value},
               {"signal.amplitude", A},
               {"signal.f", f}});
    const int mode = random.mode();
    const double v = random.slip(mode, 5);
    Probe probe(model);
    probe[{"body.s", "ground.s"}] = random.uniform(-1, 1);
    probe[{"body.v", "ground.v"}] = v;
    probe.modes_from_slips();
    probe.evaluate(t);
    const double F = sine(A, f, t);
    probe.check_derivative({"body.s", "ground.s"}, v);
    probe.check_derivative({"body.v", "ground.v"}, single_mass_acceleration(p, F, v, mode));
    seen.mode(mode);
    seen.zone(F, p.FT0.value);
  }
  CHECK(seen.all_modes());
  CHECK(seen.all_zones());
}

TEST_CASE("single_mass_massless is P2 sec. 2 with M = 0") {
  Model model = load_example("single_mass_massless.ltm");
  REQUIRE(own_states(model) == 1);
  RandomDraws random(2);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    const SingleMassParameters p{0.0, random.around(0.8), random.around(4)};
    const double A = random.around(6), f = random.around(0.5), t = random.uniform(0, 4);
    model.set({{"ground.d", p.C.value},
               {"ground.f0", p.FT0.value},
               {"signal.amplitude", A},
               {"signal.f", f}});
    Probe probe(model);
    probe[{"body.s", "ground.s"}] = random.uniform(-1, 1);
    probe.evaluate(t);
    probe.check_derivative({"body.s", "ground.s"}, single_mass_massless_velocity(p, sine(A, f, t)));
    seen.zone(sine(A, f, t), p.FT0.value);
  }
  CHECK(seen.all_zones());
}

// P2 sec. 4 case 4, separation
// sheet

TEST_CASE("a massless sheet between a block and the ground is P2 sec. 4 case 4") {
  Model model("separation_sheet.ltm",
              read_text(project_dir() / "tests/golden/reduced/separation_sheet.ltm"));
  REQUIRE(own_states(model) == 3);
  REQUIRE(model.system().frictions.size() == 1);
  RandomDraws random(14);
  Coverage seen, stronger;
  for (int i = 0; i < kDraws; ++i) {
    SheetParameters p{random.around(1), random.around(0.8), random.around(3), random.around(1.5),
                      random.around(3)};
    if (i % 10 == 0) p.T20 = p.T12;
    const double A = random.around(8), f = random.around(0.7), t = random.uniform(0, 4);
    model.set({{"body.m", p.M1.value},
               {"upper.d", p.C12.value},
               {"upper.f0", p.T12.value},
               {"lower.d", p.C20.value},
               {"lower.f0", p.T20.value},
               {"signal.amplitude", A},
               {"signal.f", f}});
    const int mode = random.mode();
    const double v = random.slip(mode, 5);
    Probe probe(model);
    probe[{"body.s"}] = random.uniform(-1, 1);
    probe[{"body.v"}] = v;
    probe[{"sheet.s", "lower.s"}] = random.uniform(-1, 1);
    probe.modes_from_slips();
    probe.evaluate(t);
    probe.check_derivative({"body.s"}, v);
    probe.check_derivative({"body.v"}, sheet_block_acceleration(p, sine(A, f, t), v, mode));
    probe.check_derivative({"sheet.s", "lower.s"}, sheet_velocity(p, v));
    seen.mode(mode);
    stronger.zone(p.T12.value - p.T20.value, 0);
  }
  CHECK(seen.all_modes());
  CHECK(stronger.all_zones());
}

}  // namespace luztar::test
