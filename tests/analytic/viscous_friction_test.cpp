// Dry friction whose size grows with the speed, on bodies without inertia: (T + c|w|) sgn(w) is a
// dry friction beside a damper, which is another way to write one model. Against that, and against
// closed forms.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/analytic/drawn_slider.h"
#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// On the ground: f = law, in the speed v and its size u.
std::string seat(const std::string& law) {
  return "model Seat\n"
         "  extends Translational.Interfaces.FlangePair;\n"
         "  parameter Real c = 4, holds = 7, decay = 0.5;\n"
         "  Real v, u, f;\n"
         "equation\n"
         "  flange_a.s = flange_b.s;\n"
         "  v = der(flange_a.s);\n"
         "  u = abs(v);\n"
         "  f = " +
         law +
         ";\n"
         "  0 = flange_a.f + flange_b.f - f;\n"
         "end Seat;\n";
}

/// A slider without inertia on that seat, drawn to and fro by a spring over a belt that it rubs on
/// as the seat does.
std::string drawn(const std::string& law) {
  return seat(law) + R"(
model Cross
  extends Translational.Interfaces.TwoFlanges;
  parameter Real c = 2, holds = 8, decay = 0.2;
  Real v, u;
equation
  v = -v_rel;
  u = abs(v_rel);
  -f = )" +
         law + R"(;
end Cross;
model Drawn
  parameter Real mass = 0;
  Translational.Position drive;
  Translational.Spring spring(k = 100);
  Translational.Mass slider(m = mass);
  Seat seat;
  Cross rub;
  Translational.Speed belt(v_ref = 0.7);
equation
  drive.s_ref = 0.3*sin(3*time);
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(slider.flange_b, seat.flange_a);
  connect(slider.flange_a, rub.flange_a);
  connect(belt.flange, rub.flange_b);
end Drawn;
)";
}

struct Spelling {
  std::string law;      // the size of the friction holds the damper
  std::string written;  // beside it
};

const std::vector<Spelling> kSpellings{
    {"dryfriction(v, 5 + c*u, holds)", "c*v + dryfriction(v, 5, holds)"},
    {"dryfriction(v, 5 + c*abs(-2*v)/2)", "c*v + dryfriction(v, 5)"},
    {"dryfriction(v, 2*(2.5 + c/4*luz(2*u, 0.2)), holds)",
     "c*v + dryfriction(v, 5 - c*nas(u, 0.1), holds)"},
    {"dryfriction(v, 5 + c*max(u - decay, 0) + max(0, u), holds)",
     "(c + 1)*v + dryfriction(v, 5 - c*nas(u, decay), holds)"},
    {"dryfriction(v, 5 + (holds - 5)*max(0, 1 - 2*u) + c*u)",
     "c*v + dryfriction(v, 5 + (holds - 5)*(1 - nas(2*u, 1)), holds)"},
    {"dryfriction(v, table(u, {0, 0.1, 0.3}, {7, 4, 5}) + 3*max(u - 0.3, 0), holds)",
     "3*v + dryfriction(v, table(u, {0, 0.1, 0.3}, {7, 4, 5}) - 3*nas(u, 0.3), holds)"},
    {"dryfriction(v, (2 + sin(time))*3 + c*u)", "c*v + dryfriction(v, (2 + sin(time))*3)"}};

/// The classical law: Coulomb, Stribeck and viscous.
const Spelling kClassical{"dryfriction(v, 5 + (holds - 5)*exp(-u/decay) + c*u)",
                          "c*v + dryfriction(v, 5 + (holds - 5)*exp(-u/decay), holds)"};

void check_same(const std::string& text, const std::string& written, double stop) {
  const Model model("law.ltm", text), other("written.ltm", written);
  const Simulation run = audited_run(model, stop, 0.01), expected = audited_run(other, stop, 0.01);
  CHECK(run.report.events == expected.report.events);
  for (const char* name : {"slider.s", "slider.v", "seat.f", "seat.mode", "spring.f"}) {
    CAPTURE(name);
    const std::vector<double> a = run.column(model, name), b = expected.column(other, name);
    REQUIRE(a.size() == b.size());
    double error = 0;
    for (std::size_t i = 0; i < a.size(); ++i) error = std::max(error, std::fabs(a[i] - b[i]));
    CHECK(error <= 1e-10);
  }
  const Simulation bdf = simulate(model, CvodeOptions{0, stop, 0.01, 1e-10, false});
  CHECK(bdf.report.reason == StopReason::kDone);
  CHECK(std::fabs(bdf.column(model, "slider.s").back() -
                  expected.column(other, "slider.s").back()) <= 1e-6);
}

}  // namespace

TEST_CASE("the viscous part of a friction is a damper beside it") {
  for (const auto& [law, written] : kSpellings) {
    CAPTURE(law);
    check_same(drawn(law), drawn(written), 5);
  }
}

namespace {

/// A slider on a seat of that law, and under a load.
std::string loaded(const std::string& mass, const std::string& law, const std::string& load) {
  return seat(law) + "model Loaded\n  Translational.Mass slider(m = " + mass +
         ");\n  Seat seat;\n  Translational.Force force(f = " + load + R"x();
  Translational.Spring spring(k = 100);
  Translational.Fixed ground;
equation
  connect(force.flange, slider.flange_a);
  connect(slider.flange_b, seat.flange_a);
  connect(slider.flange_b, spring.flange_a);
  connect(spring.flange_b, ground.flange);
end Loaded;
)x";
}

}  // namespace

TEST_CASE("Coulomb's, Stribeck's and viscous friction in one law") {
  for (const std::string load : {"20*sin(4*time)", "9*time"}) {
    CAPTURE(load);
    check_same(loaded("0", kClassical.law, load), loaded("0", kClassical.written, load), 5);
  }
  check_light_limit(
      [](const std::string& mass) { return loaded(mass, kClassical.law, "20*sin(4*time)"); }, 5,
      {"slider.s"}, 1e-3);
}

// At the speed u the load is 5 + 3 u and 2 (u - 1) more beyond 1 m/s.
TEST_CASE("a slider without another damping than that of its friction") {
  const Model model("rising.ltm", seat("dryfriction(v, 5 + 3*u + 2*luz(u, 1))") + R"(
model Rising
  Translational.Mass slider(m = 0);
  Seat seat;
  Translational.Force load(f = 15*sin(time));
equation
  connect(load.flange, slider.flange_a);
  connect(slider.flange_b, seat.flange_a);
end Rising;
)");
  const Function speed = [](double t) {
    const double load = 15 * std::sin(t), size = std::fabs(load);
    const double u = size <= 5 ? 0 : size <= 8 ? (size - 5) / 3 : (size - 3) / 5;
    return std::copysign(u, load);
  };
  const Simulation run = audited_run(model, 10, 0.01);
  CHECK(run.report.events == 14);
  CHECK(greatest_error(run, model, "slider.v", speed) <= kBound);
  CHECK(greatest_error(run, model, "seat.f", [](double t) { return 15 * std::sin(t); }) <= kBound);
  const Simulation bdf = simulate(model, CvodeOptions{0, 10, 0.01, 1e-10, false});
  CHECK(greatest_error(bdf, model, "slider.v", speed) <= 1e-7);
}

TEST_CASE("a friction that falls without end on a body without inertia is refused") {
  const auto run =
      run_stages("falls.ltm", loaded("0", "dryfriction(v, 50 - c*u)", "9*time"), Stage::kProgram);
  CHECK_FALSE(run->program);
  CHECK(run->messages().find("depends on the speed of 'slider.s', which has no inertia") !=
        std::string::npos);
}

}  // namespace luztar::test
