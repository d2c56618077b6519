// A pool of expressions with a few symbols.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "compiler/symbolic/expr.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar::test {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// A pool with the symbols a, b, c, d, x, y, z.
struct SymbolicFixture {
  ExprPool pool;
  std::vector<Expr> symbols;
  Expr a, b, c, d, x, y, z;
  Expr inf;

  SymbolicFixture() {
    for (std::uint32_t i = 0; i < 7; ++i) {
      symbols.push_back(pool.symbol(SymbolKind::kVariable, i));
    }
    a = symbols[0], b = symbols[1], c = symbols[2], d = symbols[3];
    x = symbols[4], y = symbols[5], z = symbols[6];
    inf = pool.constant(kInf);
  }

  Expr num(double value) { return pool.constant(value); }
  Expr less(Expr left, Expr right) { return pool.call(Op::kLess, {left, right}); }
  [[nodiscard]] std::string text(Expr e) const {
    return to_text(pool, e, [](Symbol s) { return std::string(1, "abcdxyz"[s.index]); });
  }
  [[nodiscard]] double value(Expr e, std::array<double, 7> values = {}) const {
    return evaluate(pool, e, [&](Symbol s) { return values[s.index]; });
  }
  [[nodiscard]] Symbol symbol(Expr e) const { return pool[e].symbol; }
};

}  // namespace luztar::test
