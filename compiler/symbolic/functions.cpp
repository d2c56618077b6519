// Simplification of everything but sums, products and powers.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "compiler/base/diagnostics.h"
#include "compiler/symbolic/expr.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

bool is_odd(Op op) {
  switch (op) {
    case Op::kSign:
    case Op::kSin:
    case Op::kTan:
    case Op::kAsin:
    case Op::kAtan:
    case Op::kSinh:
    case Op::kTanh:
      return true;
    default:
      return false;
  }
}

bool is_even(Op op) { return op == Op::kAbs || op == Op::kCos || op == Op::kCosh; }

bool is_relation(Op op) { return op == Op::kLess || op == Op::kLessEqual; }

void require(bool condition, Op op, std::size_t count) {
  if (condition) return;
  throw InternalError("symbolic", "operation " + std::to_string(static_cast<int>(op)) + " with " +
                                      std::to_string(count) + " arguments");
}

}  // namespace

/// The value when all arguments are literals; log(-1) and its like stay as written instead of
/// becoming a silent NaN.
Expr ExprPool::fold_or_intern(Op op, std::span<const Expr> args) {
  ShortVector<double> values;
  bool nan = false;
  for (const Expr arg : args) {
    if (!is_constant(arg)) return intern(op, args);
    values.push_back(nodes_[arg.value].value);
    nan = nan || std::isnan(values.back());
  }
  const double value = luztar::apply(op, values);
  return std::isnan(value) && !nan ? intern(op, args) : constant(value);
}

Expr ExprPool::luz(Expr x, Expr half_width) {
  if (is_zero(half_width)) return x;
  if (is_zero(x)) return zero_;
  if (is_constant(half_width) && (is_constant(x) || std::isinf(nodes_[half_width.value].value))) {
    return fold_or_intern(Op::kLuz, std::array{is_constant(x) ? x : zero_, half_width});
  }
  if (leads_negative(x)) return neg(luz(neg(x), half_width));  // R2
  const auto [c, rest] = numeric_factor(x);
  if (std::isfinite(c)) {
    if (nodes_[rest.value].op == Op::kLuz) {  // R4, after R3 when c is not 1
      const Expr inner = arg(rest, 0);
      const Expr width = add(arg(rest, 1), div(half_width, constant(c)));
      return mul(constant(c), luz(inner, width));
    }
    const auto [d, width] = numeric_factor(half_width);
    if (c == d && c != 1 && width != one_) return mul(constant(c), luz(rest, width));  // R3
  }
  return intern(Op::kLuz, std::array{x, half_width});
}

Expr ExprPool::nas(Expr x, Expr half_width) {
  if (is_zero(half_width) || is_zero(x)) return zero_;
  if (is_constant(half_width)) {
    if (std::isinf(nodes_[half_width.value].value)) return x;
    if (is_constant(x)) return fold_or_intern(Op::kNas, std::array{x, half_width});
  }
  if (leads_negative(x)) return neg(nas(neg(x), half_width));  // R2
  if (nodes_[x.value].op == Op::kNas && arg(x, 1) == half_width) return x;
  const auto [c, rest] = numeric_factor(x);
  const auto [d, width] = numeric_factor(half_width);
  if (std::isfinite(c) && c == d && c != 1 && width != one_) {  // R3
    return mul(constant(c), nas(rest, width));
  }
  return intern(Op::kNas, std::array{x, half_width});
}

Expr ExprPool::outside(Expr x, Expr half_width) {
  if (is_zero(x)) return zero_;
  if (leads_negative(x)) x = neg(x);
  if (is_constant(half_width) && std::isinf(nodes_[half_width.value].value)) return zero_;
  const auto [c, rest] = numeric_factor(x);
  const auto [d, width] = numeric_factor(half_width);
  if (std::isfinite(c) && c == d && c != 1 && width != one_) return outside(rest, width);
  return fold_or_intern(Op::kOutside, std::array{x, half_width});
}

Expr ExprPool::dry(Expr w, Expr kinetic, Expr static_bound) {
  if (is_zero(kinetic) && is_zero(static_bound)) return zero_;
  if (leads_negative(w)) return neg(dry(neg(w), kinetic, static_bound));  // R2
  // At w = 0 the value is a set; a literal w > 0 slips.
  if (is_constant(w) && !is_zero(w)) return kinetic;
  return intern(Op::kDry, std::array{w, kinetic, static_bound});
}

Expr ExprPool::if_then_else(Expr condition, Expr then_value, Expr else_value) {
  if (is_constant(condition)) return is_zero(condition) ? else_value : then_value;
  if (then_value == else_value) return then_value;
  if (nodes_[condition.value].op == Op::kNot) {
    return if_then_else(arg(condition, 0), else_value, then_value);
  }
  return intern(Op::kIf, std::array{condition, then_value, else_value});
}

// A root has the sign of what is below it: its own edge, where it has no series, is that of this.
Expr ExprPool::base_of_root(Expr e) {
  const auto [c, root] = numeric_factor(e);
  if (!(c > 0) || nodes_[root.value].op != Op::kPow || !is_constant(arg(root, 1))) return e;
  const double exponent = nodes_[arg(root, 1).value].value;
  return exponent > 0 && exponent != std::floor(exponent) ? arg(root, 0) : e;
}

Expr ExprPool::unary(Op op, Expr x) {
  if (op == Op::kSign) {
    if (const Expr base = base_of_root(x); base != x) return unary(op, base);
  }
  const Node node = nodes_[x.value];
  if (node.op == Op::kConstant) {
    if (op == Op::kDer) return zero_;
    return fold_or_intern(op, std::array{x});
  }
  if (op == Op::kDer && node.op == Op::kSymbol) {
    if (node.symbol.kind == SymbolKind::kTime) return one_;
    if (node.symbol.kind == SymbolKind::kParameter) return zero_;
  }
  if (op == Op::kNoEvent || op == Op::kEvaluated) {
    if (node.op == Op::kSymbol || node.op == op) return x;
  }
  if (op == Op::kNot && node.op == Op::kNot) return arg(x, 0);
  if (op == Op::kAbs && node.op == Op::kAbs) return x;
  if (leads_negative(x)) {
    if (is_odd(op)) return neg(unary(op, neg(x)));
    if (is_even(op)) return unary(op, neg(x));
  }
  return intern(op, std::array{x});
}

Expr ExprPool::binary(Op op, Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return fold_or_intern(op, std::array{a, b});
  if (is_relation(op)) {
    if (a == b) return op == Op::kLessEqual ? one_ : zero_;
    if (op == Op::kLess && is_zero(a)) {
      if (const Expr base = base_of_root(b); base != b) return binary(op, a, base);
    }
    return intern(op, std::array{a, b});
  }
  if (op == Op::kMin || op == Op::kMax || op == Op::kAnd || op == Op::kOr) {
    if (a == b) return a;
    if (b < a) std::swap(a, b);
    for (const auto& [literal, other] : {std::pair{a, b}, std::pair{b, a}}) {
      if (!is_constant(literal)) continue;
      const double value = nodes_[literal.value].value;
      if (op == Op::kAnd) return value != 0 ? other : zero_;
      if (op == Op::kOr) return value != 0 ? one_ : other;
      if (std::isinf(value)) return (op == Op::kMin) == (value > 0) ? other : literal;
    }
  }
  return intern(op, std::array{a, b});
}

Expr ExprPool::call(Op op, std::span<const Expr> args) {
  const std::size_t count = args.size();
  switch (op) {
    case Op::kConstant:
    case Op::kSymbol:
      require(false, op, count);
      break;
    case Op::kAdd:
      return add(args);
    case Op::kMul:
      return mul(args);
    case Op::kPow:
      require(count == 2, op, count);
      return pow(args[0], args[1]);
    case Op::kLuz:
      require(count == 2, op, count);
      return luz(args[0], args[1]);
    case Op::kNas:
      require(count == 2, op, count);
      return nas(args[0], args[1]);
    case Op::kOutside:
      require(count == 2, op, count);
      return outside(args[0], args[1]);
    case Op::kDry:
      require(count == 3, op, count);
      return dry(args[0], args[1], args[2]);
    case Op::kStop:
      require(count == 3, op, count);
      return intern(op, args);
    case Op::kIf:
      require(count == 3, op, count);
      return if_then_else(args[0], args[1], args[2]);
    case Op::kTable:
      require(count >= 3 && count % 2 == 1, op, count);
      return fold_or_intern(op, args);
    case Op::kSpline:
      require(count >= 6 && count % 2 == 0 && is_constant(args[1]), op, count);
      return fold_or_intern(op, args);
    case Op::kAboveEdge:
      require(count == 2, op, count);
      return fold_or_intern(op, args);
    case Op::kFallingBalance:
      require(count >= 4 && count % 3 == 1, op, count);
      return fold_or_intern(op, args);
    case Op::kFallingEnd:
      require(count >= 3 && count % 3 == 0, op, count);
      return fold_or_intern(op, args);
    case Op::kFallingSpeed:
    case Op::kFallingSpeedEnd: {
      const std::size_t before = op == Op::kFallingSpeed ? 1 : 2;
      require(count > before && is_constant(args[before]), op, count);
      const auto n = static_cast<std::size_t>((*this)[args[before]].value);
      require((count - before - 1 - n) % (3 + n) == 0, op, count);
      return fold_or_intern(op, args);
    }
    case Op::kAtan2:
    case Op::kMin:
    case Op::kMax:
    case Op::kMod:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kAnd:
    case Op::kOr:
      require(count == 2, op, count);
      return binary(op, args[0], args[1]);
    default:
      break;
  }
  require(count == 1, op, count);
  return unary(op, args[0]);
}

}  // namespace luztar
