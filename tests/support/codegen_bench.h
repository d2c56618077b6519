// Expressions as outputs of a model, run as machine code and by the interpreter.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/codegen/jit.h"
#include "compiler/symbolic/operations.h"

namespace luztar::test {

inline constexpr std::size_t kParameters = 4, kStates = 3, kModes = 2;

/// A model of a few parameters and states whose outputs are expressions under test.
struct Bench {
  ExprPool pool;
  FlatModel flat;
  ExplicitSystem system;
  std::array<double, kParameters> p{1.25, 0.4, 3.5, 0.75};
  std::array<double, kStates> x{0.6, -1.7, 2.3};
  std::array<double, kModes> mode{1, -1};
  double t = 0.37;

  Bench() {
    for (std::size_t i = 0; i < kParameters; ++i) {
      FlatParameter parameter;
      parameter.name = "p" + std::to_string(i);
      parameter.value = p[i];
      flat.parameters.push_back(parameter);
    }
    flat.name = "Bench";
    system.slots = kModes;
    for (std::size_t i = 0; i < kStates; ++i) {
      system.states.push_back({"x" + std::to_string(i), "", par(i), pool.zero()});
    }
  }
  Expr par(std::size_t i) { return pool.symbol(SymbolKind::kParameter, std::uint32_t(i)); }
  Expr state(std::size_t i) { return pool.symbol(SymbolKind::kState, std::uint32_t(i)); }
  Expr slot(std::size_t i) { return pool.symbol(SymbolKind::kMode, std::uint32_t(i)); }
  void output(Expr e) { system.outputs.push_back({"y", "", OutputKind::kVariable, e}); }
  [[nodiscard]] SymbolValues values() const {
    return [this](Symbol s) {
      switch (s.kind) {
        case SymbolKind::kTime:
          return t;
        case SymbolKind::kParameter:
          return p[s.index];
        case SymbolKind::kState:
          return x[s.index];
        default:
          return mode[s.index];
      }
    };
  }
  /// Constants of the parameters and the mode.
  std::vector<double> constants(const JitProgram& program) const {
    const System& s = program.system();
    std::vector<double> c(s.constant_count), x0(s.state_count);
    s.prepare(p.data(), c.data(), x0.data());
    s.prepare_mode(c.data(), mode.data(), c.data() + s.mode_constants);
    return c;
  }
  /// Outputs as machine code computes them.
  std::vector<double> run(const JitProgram& program) const {
    const System& s = program.system();
    const std::vector<double> c = constants(program);
    std::vector<double> y(s.outputs.size());
    s.evaluate_outputs(t, x.data(), c.data(), y.data());
    return y;
  }
  /// Taylor coefficients up to `order` as machine code computes them.
  std::vector<double> jets(const JitProgram& program, std::int64_t order) const {
    const System& s = program.system();
    const std::vector<double> c = constants(program);
    std::vector<double> J((static_cast<std::size_t>(order) + 2) * s.row_count);
    std::copy(x.begin(), x.end(), J.begin());
    const std::vector<std::uint8_t> idle(s.frictions.size());
    const std::int64_t part = order / 2;  // the rest later, as when more orders are asked for
    s.jets(t, c.data(), 0, part, J.data(), idle.data());
    if (part < order) s.jets(t, c.data(), part + 1, order, J.data(), idle.data());
    return J;
  }
};

inline void check_equal(double actual, double expected, double tolerance) {
  if (std::isnan(expected)) {
    CHECK(std::isnan(actual));
  } else if (std::isinf(expected)) {
    CHECK(actual == expected);
  } else {
    CHECK(std::fabs(actual - expected) <= tolerance * std::max(1.0, std::fabs(expected)));
  }
}

}  // namespace luztar::test
