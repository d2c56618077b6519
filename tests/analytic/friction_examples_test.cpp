// The examples with several frictions and prescribed motion do what their header comments say.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/example_run.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

ExampleRun exact_example(const std::string& file) {
  return {file, TaylorOptions{.interval = 0.01, .tolerance = 1e-13, .event_rows = true}};
}

/// Times at which the column begins or ends to be zero.
std::vector<double> starts_and_stops(const ExampleRun& run, std::string_view name) {
  const std::vector<double>& values = run.column(name);
  std::vector<double> times;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if ((values[i] == 0) == (values[i - 1] == 0)) continue;
    times.push_back(run.simulation.time[values[i] == 0 ? i : i - 1]);
  }
  return times;
}

/// To the digits of the comments.
doctest::Approx about(double value) { return doctest::Approx(value).epsilon(1e-5); }

}  // namespace

TEST_CASE("example two_mass_two_friction_m1_inf") {
  const ExampleRun run = exact_example("two_mass_two_friction_m1_inf.ltm");
  const std::vector<double> times = starts_and_stops(run, "bottom.v");
  const double period = 1 / 0.31;
  REQUIRE(times.size() == 9);
  CHECK(times[0] == about(std::asin(8.0 / 12) / (2 * kPi * 0.31)));
  CHECK(times[1] == about(1.56813));
  CHECK(times[2] == about(times[0] + period / 2));
  CHECK(run.greatest("bottom.v") == doctest::Approx(0.7536).epsilon(1e-3));
  CHECK(run.greatest("top.s") == 0);
}

TEST_CASE("example two_mass_two_friction_m2_inf") {
  const ExampleRun run = exact_example("two_mass_two_friction_m2_inf.ltm");
  CHECK(starts_and_stops(run, "top.v")[0] == about(std::asin(3.0 / 8) / (2 * kPi * 0.7)));
  CHECK(run.last("top.s") == about(0.664713));
  CHECK(run.greatest("top.v") == doctest::Approx(1.4405).epsilon(1e-3));
  CHECK(run.greatest("bottom.s") == 0);
}

TEST_CASE("example two_mass_two_friction_m1_0") {
  const ExampleRun run = exact_example("two_mass_two_friction_m1_0.ltm");
  CHECK(starts_and_stops(run, "between.v_rel")[0] == about(std::asin(3.0 / 8) / (2 * kPi * 0.7)));
  const double leaves = starts_and_stops(run, "bottom.v")[0];
  CHECK(leaves == about(0.110072));
  CHECK(8 * std::sin(2 * kPi * 0.7 * leaves) + 6 * std::sin(2 * kPi * 0.31 * leaves) == about(5));
  CHECK(run.last("top.s") == about(2.343822));
  CHECK(run.last("bottom.s") == about(0.211798));
}

TEST_CASE("example separation_sheet") {
  const ExampleRun run = exact_example("separation_sheet.ltm");
  CHECK(starts_and_stops(run, "body.v")[0] == about(std::asin(3.0 / 8) / (2 * kPi * 0.7)));
  const std::vector<double>& body = run.column("body.v");
  const std::vector<double>& sheet = run.column("sheet.v");
  bool moved = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const double faster = body[i] - std::clamp(body[i], -1.25, 1.25);  // R7
    CHECK(std::fabs(sheet[i] - 0.8 / (0.8 + 1.5) * faster) < 1e-12);
    moved = moved || sheet[i] != 0;
  }
  CHECK(moved);
  CHECK(run.greatest("sheet.v") == doctest::Approx(0.067663).epsilon(1e-3));
}

TEST_CASE("example block_train") {
  const ExampleRun run = exact_example("block_train.ltm");
  const double leaves = std::asin(5.0 / 12) / (0.8 * kPi);
  for (int i = 1; i <= 5; ++i) {
    const std::string name = "mass_" + std::to_string(i) + ".v";
    CHECK(starts_and_stops(run, name)[0] == about(leaves));
  }
  CHECK(starts_and_stops(run, "between_1.mode")[0] == about(0.217973));
  CHECK(starts_and_stops(run, "between_2.mode")[0] == about(0.666013));
  CHECK(starts_and_stops(run, "between_3.mode").empty());
  CHECK(starts_and_stops(run, "between_4.mode").empty());
  CHECK(run.last("mass_1.s") == about(0.222512));
  CHECK(run.last("mass_5.s") == about(0.061173));
}

TEST_CASE("example stick_slip_belt") {
  const ExampleRun run = exact_example("stick_slip_belt.ltm");
  const double w = 4, V = 0.25, D = 3.0 / 48;
  const std::vector<double> times = starts_and_stops(run, "face.mode");
  REQUIRE(times.size() == 12);
  CHECK(times[0] == about(5 / 48.0 / V));
  CHECK(times[1] - times[0] == about(2 * (kPi - std::atan(D * w / V)) / w));
  CHECK(times[2] - times[1] == about(2 * D / V));
  CHECK(times[10] - times[0] == about(5 * 1.678097));
  const double swing = std::hypot(D, V / w);
  CHECK(run.greatest("body.s") == doctest::Approx(2 / 48.0 + swing).epsilon(1e-3));
  CHECK(run.least("body.s") == doctest::Approx(2 / 48.0 - swing).epsilon(2e-3));
}

TEST_CASE("example coulomb_oscillator") {
  const ExampleRun run = exact_example("coulomb_oscillator.ltm");
  CHECK(run.simulation.report.events == 6);
  CHECK(starts_and_stops(run, "ground.mode").back() == about(6 * kPi / 5));
  CHECK(run.last("body.s") == about(0.04));
  CHECK(run.last("body.v") == 0);
}

TEST_CASE("example rattling_gear") {
  const ExampleRun run = exact_example("rattling_gear.ltm");
  std::vector<double> hits;
  const std::vector<double>& zone = run.column("mesh.zone");
  for (std::size_t i = 1; i < zone.size(); ++i) {
    if (zone[i - 1] == 0 && zone[i] != 0) hits.push_back(run.simulation.time[i]);
  }
  REQUIRE(hits.size() == 83);
  CHECK(hits[0] == about(0.837112e-3));
  CHECK(hits[1] == about(3.142479e-3));
  for (std::size_t i = 0; i < run.simulation.time.size(); ++i) {
    const double t = run.simulation.time[i];
    CHECK(std::fabs(run.column("drive.phi")[i] - 80 * t - 0.03 * std::sin(50 * kPi * t)) < 1e-12);
  }
}

TEST_CASE("example variable_gear") {
  const ExampleRun run = exact_example("variable_gear.ltm");
  CHECK(run.least("box.ratio") == about(1 / 20.3110));
  CHECK(run.greatest("box.ratio") == about(1 / 12.0186));
  CHECK(run.greatest("road_wheels.phi") == about(0.416996));
  CHECK(run.greatest("torsion_bar.tau") == about(13.82614));
  CHECK(run.last("road_wheels.phi") == about(-0.00103690));
  const std::vector<double>&column = run.column("column.phi"),
        &wheels = run.column("road_wheels.w");
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (std::fabs(column[i]) < 1e-9) continue;
    CHECK(run.column("road_wheels.phi")[i] / column[i] == doctest::Approx(1 / 17.0).epsilon(0.25));
    CHECK(wheels[i] == doctest::Approx(run.column("box.ratio")[i] * run.column("column.w")[i]));
    const double mode = run.column("kingpins.mode")[i];
    CHECK(mode == run.column("column_bearing.mode")[i]);
    if (mode == 0) CHECK(wheels[i] == 0);
  }
}

TEST_CASE("example disc_chain") {
  const ExampleRun run = exact_example("disc_chain.ltm");
  CHECK(run.greatest("disc[1].phi") == about(1.725694));
  CHECK(run.last("disc[1].phi") == about(0.757815));
  CHECK(run.greatest("disc[5].phi") == about(1.855662));
  CHECK(run.last("disc[5].phi") == about(0.796221));
}

TEST_CASE("example disc_chain with three discs is the model written out") {
  const Model chain = load_example("disc_chain.ltm", {{"n", "3"}});
  const Model written_out("written_out.ltm",
                          "model WrittenOut\n"
                          "  Rotational.Inertia a(J = 0.1), b(J = 0.1), c(J = 0.1);\n"
                          "  Rotational.FreeplaySpring ab(k = 100, half_freeplay = 0.005);\n"
                          "  Rotational.FreeplaySpring bc(k = 100, half_freeplay = 0.01);\n"
                          "  Rotational.BearingFriction fa(d = 0.1, tau0 = 0.2);\n"
                          "  Rotational.BearingFriction fb(d = 0.1, tau0 = 0.2);\n"
                          "  Rotational.BearingFriction fc(d = 0.1, tau0 = 0.2);\n"
                          "  Rotational.Torque drive(tau = 4*sin(pi*time));\n"
                          "equation\n"
                          "  connect(drive.flange, a.flange_a);\n"
                          "  connect(a.flange_b, fa.flange_a);\n"
                          "  connect(b.flange_b, fb.flange_a);\n"
                          "  connect(c.flange_b, fc.flange_a);\n"
                          "  connect(a.flange_b, ab.flange_a);\n"
                          "  connect(ab.flange_b, b.flange_a);\n"
                          "  connect(b.flange_b, bc.flange_a);\n"
                          "  connect(bc.flange_b, c.flange_a);\n"
                          "end WrittenOut;\n");
  const TaylorOptions options{0, 4, 0.01, 1e-13, true};
  const Simulation left = simulate(chain, options);
  const Simulation right = simulate(written_out, options);
  REQUIRE(left.report.reason == StopReason::kDone);
  REQUIRE(left.time.size() == right.time.size());
  for (const auto& [element, part] :
       {std::pair{"disc[1].phi", "a.phi"}, std::pair{"disc[2].w", "b.w"},
        std::pair{"disc[3].phi", "c.phi"}, std::pair{"bearing[3].tau", "fc.tau"}}) {
    CAPTURE(element);
    const std::vector<double>& x = left.column(chain, element);
    const std::vector<double>& y = right.column(written_out, part);
    CHECK(*std::max_element(x.begin(), x.end()) > 0.01);
    double difference = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      difference = std::max(difference, std::fabs(x[i] - y[i]));
    }
    CHECK(difference < 1e-11);
  }
}

TEST_CASE("example disc_chain has as many discs as its parameter says") {
  for (const std::size_t n : {2, 5, 20}) {
    const Model model = load_example("disc_chain.ltm", {{"n", std::to_string(n)}});
    CHECK(own_states(model) == 2 * n);
    CHECK(model.stages().flat->parts.size() == 1 + 3 * n - 1 + 2);
  }
}

TEST_CASE("example pushed_slider") {
  const ExampleRun run = exact_example("pushed_slider.ltm");
  CHECK(run.last("slider.s") == about(0.92));
  CHECK(run.greatest("slider.s") == about(0.92));
  const std::vector<double> moves = starts_and_stops(run, "slider.v");
  REQUIRE(moves.size() == 2);
  CHECK(moves[0] == about(std::asin(0.08) / (2 * kPi)));
  CHECK(moves[1] == about(0.25));
  const std::vector<double> touches = starts_and_stops(run, "contact.f");
  REQUIRE(touches.size() >= 2);
  CHECK(touches[0] == 0);
  CHECK(std::fabs(touches[1] - (0.5 - std::asin(0.92) / (2 * kPi))) < 0.01);  // to a row
}

}  // namespace luztar::test
