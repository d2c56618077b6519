// Taylor coefficients without the rows of idle frictions.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/csv_table.h"
#include "tests/support/model.h"

namespace luztar::test {
namespace {

constexpr std::int64_t kLast = 20, kSplit = 9;
constexpr double kUntouched = -7.25;

std::vector<double> jets(const System& s, const std::vector<std::uint8_t>& idle) {
  std::vector<double> c(s.constant_count), x(s.state_count), mode(s.slot_count, 0.0);
  s.prepare(s.parameters.data(), c.data(), x.data());
  for (const Switch& zone : s.switches) mode[zone.slot] = 1;  // all springs and forces act
  s.prepare_mode(c.data(), mode.data(), c.data() + s.mode_constants);
  std::vector<double> J((kLast + 2) * s.row_count, kUntouched);
  for (std::size_t i = 0; i < x.size(); ++i) J[i] = 0.3 + 0.17 * static_cast<double>(i);
  s.jets(0.4, c.data(), 0, kSplit, J.data(), idle.data());
  s.jets(0.4, c.data(), kSplit + 1, kLast, J.data(), idle.data());
  return J;
}

/// Rows of friction f that it may leave out.
std::vector<std::uint32_t> own_rows(const Friction& f) {
  return {f.free_row, f.reserve_row, f.reserve_row + 1, f.kinetic_row};
}

/// All rows are the same whichever frictions are idle, but for those of these, some of which are
/// left out beyond order 0.
void check_idle(const System& s) {
  REQUIRE(s.frictions.size() == 2);
  const std::vector<double> all = jets(s, {0, 0});
  for (const std::vector<std::uint8_t>& idle : {std::vector<std::uint8_t>{1, 0}, {0, 1}, {1, 1}}) {
    const std::vector<double> J = jets(s, idle);
    std::vector<bool> may_differ(s.row_count, false);
    for (std::size_t i = 0; i < s.frictions.size(); ++i) {
      if (idle[i] == 0) continue;
      const auto rows = own_rows(s.frictions[i]);
      for (const std::uint32_t row : rows) may_differ[row] = true;
      CHECK(std::all_of(rows.begin(), rows.end(),
                        [&](std::uint32_t row) { return J[s.row_count + row] == kUntouched; }));
    }
    for (std::size_t k = 0; k <= kLast; ++k) {
      for (std::size_t row = 0; row < s.row_count; ++row) {
        if (k > 0 && may_differ[row]) continue;
        CHECK(J[k * s.row_count + row] == all[k * s.row_count + row]);
      }
    }
  }
}

TEST_CASE("idle frictions: linear forces") {
  const auto stages = run_stages(
      "peer_model.ltm", read_text(project_dir() / "tests/bench/peer_model.ltm"), Stage::kProgram);
  REQUIRE(stages->program);
  check_idle(stages->program->system());
}

// A power is computed from rows, which all frictions need; the second capacity is a signal.
TEST_CASE("idle frictions: forces that are not linear, a capacity that is a signal") {
  const auto stages = run_stages("driven.ltm", R"(
model CubicSpring "Hardens"
  extends Rotational.Interfaces.TwoFlanges;
equation
  tau = 3*phi_rel + 20*phi_rel^3;
end CubicSpring;

model Driven
  Rotational.Inertia first(J = 0.7), second(J = 1.3);
  CubicSpring law;
  Rotational.BearingFriction rub(tau0 = 0.6);
  Rotational.Brake brake(fn_max = 4);
  Blocks.Sine force(amplitude = 3, f = 0.4);
  Blocks.Sine grip(amplitude = 0.3, f = 0.9, offset = 0.5);
  Rotational.Torque drive;
equation
  connect(force.y, drive.tau);
  connect(drive.flange, first.flange_a);
  connect(first.flange_a, rub.flange_a);
  connect(first.flange_b, law.flange_a);
  connect(law.flange_b, second.flange_a);
  connect(second.flange_b, brake.flange_a);
  connect(grip.y, brake.f_normalized);
end Driven;
)",
                                 Stage::kProgram);
  INFO(stages->messages());
  REQUIRE(stages->program);
  check_idle(stages->program->system());
}

}  // namespace
}  // namespace luztar::test
