// The functions of a System as plans, and what the solver reads of it by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/codegen/plan.h"
#include "compiler/codegen/tape.h"
#include "runtime/system.h"

namespace luztar {

struct Program {
  Tape tape;
  std::vector<std::uint32_t> constant_of;  // by node: index into c, kNoTapeId for none
  std::uint32_t constant_count = 0;
  std::uint32_t mode_constants = 0;   // index of the first constant of the mode
  std::vector<std::uint32_t> row_of;  // by node: its row of Taylor coefficients, or kNoTapeId
  std::uint32_t state_count = 0;
  std::uint32_t row_count = 0;
  std::vector<bool> line;     // by node: a + b*t; none where there are too many sines of them
  std::vector<TapeId> sines;  // sin or cos of a line: their rows are filled before all others
  /// Places of what the solver reads by itself.
  std::vector<Switch> switches;
  std::vector<Friction> frictions;
  std::vector<Stop> stops;
  std::vector<FrictionIsland> islands;
  std::vector<SettleSpring> settle_springs;
  std::vector<SettleIsland> settle_islands;
  std::vector<Exponent> exponents;
  std::size_t operations = 0, recurrences = 0;  // as in System
  FunctionPlan prepare, prepare_mode, jets, outputs, energy, assertions;
};

}  // namespace luztar
