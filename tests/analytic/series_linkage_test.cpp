// Dry frictions in series on a sheet without inertia, which hold bodies together through a linkage.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "tests/analytic/dry_series_checks.h"
#include "tests/support/linkages.h"

namespace luztar::test {
namespace {

constexpr double kStop = 6;

/// a - gear - b under a load, and `between` from a to another body that has a bearing.
std::string train(const std::string& parts, const std::string& between) {
  return kVariableGear + R"(
model Train
  Rotational.Inertia a(J = 0.5), b(J = 1.2, w(start = 3)), other(J = 0.7);
  Gear gear;
  Rotational.BearingFriction at_b(tau0 = 0.4), at_other(tau0 = 0.2);
  Rotational.Torque load;
  Blocks.Sine drive(amplitude = 2.5, f = 0.3);
)" + parts +
         R"(equation
  connect(a.flange_b, gear.flange_a);
  connect(gear.flange_b, b.flange_a);
  connect(b.flange_b, at_b.flange_a);
  connect(other.flange_b, at_other.flange_a);
  connect(drive.y, load.tau);
  connect(load.flange, b.flange_b);
)" + between +
         "end Train;\n";
}

const std::string kOneClutch =
    "  Rotational.CrossFriction clutch(tau0 = 0.5, tau0_static = 0.6);\n";
const std::string kTwoClutches = kOneClutch +
                                 "  Rotational.CrossFriction second(tau0 = 0.8);\n"
                                 "  Rotational.Inertia sheet(J = 0);\n";
const std::string kOneBetween =
    "  connect(a.flange_a, clutch.flange_a);\n"
    "  connect(clutch.flange_b, other.flange_a);\n";
const std::string kTwoBetween =
    "  connect(a.flange_a, clutch.flange_a);\n"
    "  connect(clutch.flange_b, sheet.flange_a);\n"
    "  connect(sheet.flange_b, second.flange_a);\n"
    "  connect(second.flange_b, other.flange_a);\n";

/// Bodies move as with the weaker friction alone, and both have its torque.
void check_like_one(const Model& series) {
  const Model one("one.ltm", train(kOneClutch, kOneBetween));
  const Simulation expected = simulate(one, fine(kStop)), run = simulate(series, fine(kStop));
  check_energy(run);
  REQUIRE(run.time.size() == expected.time.size());
  const auto check = [&](const char* column, const char* like) {
    CAPTURE(column);
    const auto values = run.column(series, column), others = expected.column(one, like);
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(std::fabs(values[i] - others[i]) < 1e-10);
    }
  };
  for (const char* column : {"a.phi", "b.phi", "other.phi", "b.w", "other.w", "clutch.tau"}) {
    check(column, column);
  }
  check("sheet.phi", "other.phi");
  const auto modes = run.column(series, "clutch.mode");
  for (const double mode : {-1.0, 0.0, 1.0}) {  // it sticks, and slides both ways
    CHECK(std::count(modes.begin(), modes.end(), mode) > 20);
  }
  check_cvode(series, run, kStop);
}

}  // namespace

TEST_CASE("two dry frictions in series behind a linkage are the weaker one") {
  check_like_one({"series.ltm", train(kTwoClutches, kTwoBetween)});
}

// The stronger one holds all the time, and so does the damper beside it.
TEST_CASE("the same where the sheet is damped: kernel A") {
  check_like_one(
      {"damped.ltm", train(kTwoClutches + "  Rotational.Damper damper(d = 0.3);\n",
                           kTwoBetween + "  connect(damper.flange_a, sheet.flange_a);\n"
                                         "  connect(damper.flange_b, other.flange_a);\n")});
}

// Three ways from a to `other`, two of them over sheets: which share of the torque each takes is
// open, and changes with the ratio.
TEST_CASE("series of dry frictions beside each other behind a linkage share the torque") {
  const Model model("shared.ltm", train(kTwoClutches + R"(
  Rotational.CrossFriction third(tau0 = 0.3), fourth(tau0 = 0.4), direct(tau0 = 0.1);
  Rotational.Inertia plate(J = 0);
)",
                                        kTwoBetween + R"(
  connect(b.flange_a, third.flange_a);
  connect(third.flange_b, plate.flange_a);
  connect(plate.flange_b, fourth.flange_a);
  connect(fourth.flange_b, other.flange_a);
  connect(sheet.flange_b, direct.flange_a);
  connect(direct.flange_b, plate.flange_a);
)"));
  const Simulation run = simulate(model, fine(kStop));
  check_energy(run);
  CHECK(run.report.events > 8);
  check_cvode(model, run, kStop);
}

// A load and a spring on the sheet, which a damper may hold, too.
TEST_CASE("a sheet behind a linkage is the limit of ever less inertia") {
  for (const bool damped : {false, true}) {
    CAPTURE(damped);
    const auto text = [&](const std::string& inertia) {
      std::string parts = kTwoClutches + R"(
  Rotational.Spring spring(k = 5);
  Rotational.Fixed ground;
  Rotational.Torque pull;
  Blocks.Sine signal(amplitude = 0.3, f = 0.7);
)";
      parts.replace(parts.find("J = 0"), 5, "J = " + inertia);
      std::string between = kTwoBetween + R"(
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, sheet.flange_a);
  connect(signal.y, pull.tau);
  connect(pull.flange, sheet.flange_a);
)";
      if (damped) {
        parts += "  Rotational.Damper damper(d = 0.3);\n";
        between +=
            "  connect(damper.flange_a, sheet.flange_a);\n"
            "  connect(damper.flange_b, a.flange_a);\n";
      }
      return train(parts, between);
    };
    const Model limit("limit.ltm", text("0"));
    const Simulation exact = simulate(limit, {0, 2, 0.1, 1e-12, false, false});
    check_cvode(limit, simulate(limit, fine(2)), 2);
    std::array<double, 3> error{};
    const std::array<const char*, 3> inertias = {"1e-3", "1e-4", "1e-5"};
    for (std::size_t k = 0; k < inertias.size(); ++k) {
      const Model model("inertia.ltm", text(inertias[k]));
      const Simulation run = simulate(model, {0, 2, 0.1, 1e-12, false, false});
      for (const char* column : {"b.phi", "other.phi", "sheet.phi"}) {
        const auto values = run.column(model, column), others = exact.column(limit, column);
        REQUIRE(values.size() == others.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          error[k] = std::max(error[k], std::fabs(values[i] - others[i]));
        }
      }
    }
    CHECK(error[2] < 1e-4);
    CHECK(error[1] / error[0] < 0.2);
    CHECK(error[2] / error[1] < 0.2);
  }
}

}  // namespace luztar::test
