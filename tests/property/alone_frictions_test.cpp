// Of what depends on a friction that acts on no other one: nothing at the same instant. Events rely
// on that, and decide such a friction by itself.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/support/csv_table.h"
#include "tests/support/model.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_mechanism.h"

namespace luztar::test {
namespace {

bool is_alone(const System& s, const FrictionIsland& island) {
  const Friction& f = s.frictions[island.first];
  return island.count == 1 && !island.bound && island.varying_gram.empty() && !f.creep &&
         f.stop == kNoIndex;
}

/// Rows at a state somewhere, in a mode.
std::vector<double> rows(const System& s, const std::vector<double>& slots) {
  std::vector<double> c(s.constant_count), x(s.state_count), J(2 * s.row_count);
  s.prepare(s.parameters.data(), c.data(), x.data());
  s.prepare_mode(c.data(), slots.data(), c.data() + s.mode_constants);
  for (std::size_t i = 0; i < x.size(); ++i) J[i] = 0.3 + 0.17 * static_cast<double>(i);
  const std::vector<std::uint8_t> idle(s.frictions.size(), 0);
  s.jets(0.4, c.data(), 0, 0, J.data(), idle.data());
  J.resize(s.row_count);
  return J;
}

/// Slipping, held and at its bound: that changes its reserves alone. How many frictions are alone.
std::size_t check_alone_frictions(const System& s) {
  std::vector<double> mode(s.slot_count, 0.0);
  for (const Switch& zone : s.switches) mode[zone.slot] = 1;  // all springs and forces act
  const std::vector<double> free = rows(s, mode);
  std::size_t count = 0;
  for (const FrictionIsland& island : s.islands) {
    if (!is_alone(s, island)) continue;
    ++count;
    const Friction& f = s.frictions[island.first];
    for (const std::uint32_t acts : {island.hold_slot, island.kinetic_slot, island.static_slot}) {
      std::vector<double> other = mode;
      other[acts] = 1.5;
      other[f.direction_slot] = acts == island.kinetic_slot ? 1 : 0;
      other[f.moving_slot] = acts == island.kinetic_slot ? 1 : 0;
      const std::vector<double> changed = rows(s, other);
      for (std::uint32_t row = 0; row < s.row_count; ++row) {
        if (row == f.reserve_row || row == f.reserve_row + 1) continue;
        CAPTURE(row);
        CHECK(changed[row] == free[row]);
      }
    }
  }
  return count;
}

TEST_CASE("frictions alone in the examples") {
  std::size_t count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(project_dir() / "library" / "examples")) {
    const std::string text = read_text(file.path());
    const auto stages = run_stages(file.path().filename().string(), text, Stage::kProgram);
    if (!stages->program) continue;  // a base class
    CAPTURE(file.path().string());
    count += check_alone_frictions(stages->program->system());
  }
  CHECK(count > 10);
}

TEST_CASE("frictions alone in random mechanisms") {
  std::size_t count = 0;
  rc::check([&] {
    const Model model("random.ltm", (*random_mechanism()).text());
    count += check_alone_frictions(model.system());
  });
  CHECK(count > random_cases(12));
}

}  // namespace
}  // namespace luztar::test
