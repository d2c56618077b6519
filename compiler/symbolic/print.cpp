#include "compiler/symbolic/print.h"

#include <cmath>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace luztar {
namespace {

// Binding strength in the grammar, weakest first.
enum Precedence {
  kIfLevel,
  kOrLevel,
  kAndLevel,
  kNotLevel,
  kRelationLevel,
  kSumLevel,
  kProductLevel,
  kPowerLevel,
  kAtomLevel
};

std::string_view function_name(Op op) {
  switch (op) {
    case Op::kDer:
      return "der";
    case Op::kAbs:
      return "abs";
    case Op::kSign:
      return "sign";
    case Op::kExp:
      return "exp";
    case Op::kLog:
      return "log";
    case Op::kLog10:
      return "log10";
    case Op::kSin:
      return "sin";
    case Op::kCos:
      return "cos";
    case Op::kTan:
      return "tan";
    case Op::kAsin:
      return "asin";
    case Op::kAcos:
      return "acos";
    case Op::kAtan:
      return "atan";
    case Op::kSinh:
      return "sinh";
    case Op::kCosh:
      return "cosh";
    case Op::kTanh:
      return "tanh";
    case Op::kFloor:
      return "floor";
    case Op::kCeil:
      return "ceil";
    case Op::kAtan2:
      return "atan2";
    case Op::kMin:
      return "min";
    case Op::kMax:
      return "max";
    case Op::kMod:
      return "mod";
    case Op::kLuz:
      return "luz";
    case Op::kNas:
      return "nas";
    case Op::kOutside:
      return "outside";
    case Op::kFallingBalance:
      return "fallingbalance";
    case Op::kFallingEnd:
      return "fallingend";
    case Op::kFallingSpeed:
      return "fallingspeed";
    case Op::kFallingSpeedEnd:
      return "fallingspeedend";
    case Op::kAboveEdge:
      return "aboveedge";
    case Op::kDry:
      return "dryfriction";
    case Op::kStop:
      return "hardstop";
    case Op::kNoEvent:
      return "noEvent";
    case Op::kEvaluated:
      return "evaluated";
    default:
      return "";
  }
}

/// c = first/second, c > 0: x/3 rather than 0.3333333333333333*x where that reads back to the same
/// number, however the reader associates product and quotient.
std::pair<double, double> as_ratio(double c) {
  constexpr std::size_t kShort = 8;
  if (!std::isfinite(c) || number_text(c).size() <= kShort) return {c, 1};
  const double inverse = 1 / c;
  const bool invertible = 1 / inverse == c;
  if (invertible && std::trunc(inverse) == inverse) return {1, inverse};
  for (int q = 3; q < 100; ++q) {
    const double p = std::round(c * q);
    if (p / q == c && p * (1.0 / q) == c) return {p, q};
  }
  if (invertible && number_text(inverse).size() <= kShort) return {1, inverse};
  return {c, 1};
}

/// Prints with a stack of pending pieces: text, or an expression with the weakest binding its place
/// allows.
class Printer {
 public:
  Printer(const ExprPool& pool, const SymbolNames& names) : pool_(pool), names_(names) {}

  std::string print(Expr root, std::size_t length) {
    pending_.push_back({Kind::kExpression, "", root, kIfLevel});
    while (!pending_.empty()) {
      if (out_.size() > length) return std::move(out_) + " ...";
      const Piece piece = std::move(pending_.back());
      pending_.pop_back();
      out_ += piece.text;
      if (piece.kind == Kind::kText) continue;
      pieces_.clear();
      if (piece.kind == Kind::kProduct) {
        product(piece);
      } else {
        expression(piece.e, piece.level);
      }
      pending_.insert(pending_.end(), std::make_move_iterator(pieces_.rbegin()),
                      std::make_move_iterator(pieces_.rend()));
    }
    return std::move(out_);
  }

 private:
  enum class Kind { kText, kExpression, kProduct };
  struct Piece {
    Kind kind = Kind::kExpression;
    std::string text;
    Expr e;
    Precedence level = kIfLevel;
  };

  void text(std::string_view t) { pieces_.push_back({Kind::kText, std::string(t), {}, kIfLevel}); }
  void sub(Expr e, Precedence level) { pieces_.push_back({Kind::kExpression, "", e, level}); }
  /// |e| of a product or constant: its sign has been printed.
  void magnitude(Expr e) { pieces_.push_back({Kind::kProduct, "", e, kIfLevel}); }

  [[nodiscard]] double value(Expr e) const { return pool_[e].value; }

  /// The leading literal of a product, or 1.
  [[nodiscard]] double factor(Expr e) const {
    if (pool_.is_constant(e)) return value(e);
    if (pool_[e].op == Op::kMul && pool_.is_constant(pool_.arg(e, 0)))
      return value(pool_.arg(e, 0));
    return 1;
  }

  [[nodiscard]] bool is_denominator(Expr e) const {
    return pool_[e].op == Op::kPow && pool_.is_constant(pool_.arg(e, 1)) &&
           value(pool_.arg(e, 1)) < 0;
  }

  [[nodiscard]] Precedence precedence(Expr e) const {
    const ExprPool::Node& n = pool_[e];
    switch (n.op) {
      case Op::kConstant:
        return n.value < 0 ? kSumLevel : kAtomLevel;
      case Op::kAdd:
        return kSumLevel;
      // A leading minus is the sign of a sum in the grammar: `a*-b` is not source text.
      case Op::kMul:
        return factor(e) < 0 ? kSumLevel : kProductLevel;
      case Op::kPow:
        if (is_denominator(e)) return kProductLevel;
        return is_sqrt(e) ? kAtomLevel : kPowerLevel;
      case Op::kLess:
      case Op::kLessEqual:
        return kRelationLevel;
      case Op::kAnd:
        return kAndLevel;
      case Op::kOr:
        return kOrLevel;
      case Op::kNot:
        return kNotLevel;
      case Op::kIf:
        return kIfLevel;
      default:
        return kAtomLevel;
    }
  }

  [[nodiscard]] bool is_sqrt(Expr e) const {
    return pool_.is_constant(pool_.arg(e, 1)) && value(pool_.arg(e, 1)) == 0.5;
  }

  void expression(Expr e, Precedence level) {
    const bool parentheses = precedence(e) < level;
    if (parentheses) text("(");
    const ExprPool::Node& n = pool_[e];
    const auto args = pool_.args(e);
    switch (n.op) {
      case Op::kConstant:
        text(number_text(n.value));
        break;
      case Op::kSymbol:
        text(names_(n.symbol));
        break;
      case Op::kAdd:
        sum(e);
        break;
      case Op::kMul:
        if (factor(e) < 0) text("-");
        magnitude(e);
        break;
      case Op::kPow:
        if (is_denominator(e)) {
          magnitude(e);
        } else {
          power(args[0], args[1], 1);
        }
        break;
      case Op::kLess:
        infix(args, " < ", kSumLevel, kSumLevel);
        break;
      case Op::kLessEqual:
        infix(args, " <= ", kSumLevel, kSumLevel);
        break;
      case Op::kAnd:
        infix(args, " and ", kAndLevel, kNotLevel);
        break;
      case Op::kOr:
        infix(args, " or ", kOrLevel, kAndLevel);
        break;
      case Op::kNot:
        text("not ");
        sub(args[0], kRelationLevel);
        break;
      case Op::kIf:
        text("if ");
        sub(args[0], kOrLevel);
        text(" then ");
        sub(args[1], kOrLevel);
        text(" else ");
        sub(args[2], kIfLevel);
        break;
      case Op::kTable:
        columns("table(", args, 1);
        text(")");
        break;
      case Op::kSpline:
        columns("spline(", args, 2);
        if (!pool_.is_zero(args[1])) {
          text(", ");
          sub(args[1], kIfLevel);
        }
        text(")");
        break;
      default:
        text(function_name(n.op));
        text("(");
        for (std::size_t i = 0; i < args.size(); ++i) {
          if (i > 0) text(", ");
          sub(args[i], kIfLevel);
        }
        text(")");
    }
    if (parentheses) text(")");
  }

  void infix(std::span<const Expr> args, std::string_view op, Precedence left, Precedence right) {
    sub(args[0], left);
    text(op);
    sub(args[1], right);
  }

  void sum(Expr e) {
    const auto args = pool_.args(e);
    // `b - a` rather than `-a + b`: the first positive term goes first.
    std::size_t first = 0;
    while (first < args.size() && factor(args[first]) < 0) ++first;
    if (first == args.size()) first = 0;
    term(args[first], true);
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i != first) term(args[i], false);
    }
  }

  void term(Expr e, bool leading) {
    const bool negative = factor(e) < 0;
    if (leading) {
      if (negative) text("-");
    } else {
      text(negative ? " - " : " + ");
    }
    if (pool_[e].op == Op::kMul || pool_.is_constant(e)) {
      magnitude(e);
    } else {
      sub(e, kProductLevel);
    }
  }

  /// base^(sign*exponent)
  void power(Expr base, Expr exponent, double sign) {
    const bool literal = pool_.is_constant(exponent);
    const double n = literal ? sign * value(exponent) : 0;
    if (n == 1) {
      sub(base, kPowerLevel);
    } else if (n == 0.5) {
      text("sqrt(");
      sub(base, kIfLevel);
      text(")");
    } else {
      sub(base, kAtomLevel);
      text("^");
      if (!literal) {
        sub(exponent, kAtomLevel);
      } else if (n < 0) {
        text("(");
        text(number_text(n));
        text(")");
      } else {
        text(number_text(n));
      }
    }
  }

  /// |c| * factors / (divisors)
  void product(const Piece& piece) {
    const Expr e = piece.e;
    if (pool_.is_constant(e)) {
      text(number_text(std::abs(value(e))));
      return;
    }
    const std::span<const Expr> all =
        pool_[e].op == Op::kMul ? pool_.args(e) : std::span<const Expr>(&piece.e, 1);
    const bool has_factor = pool_[e].op == Op::kMul && pool_.is_constant(all[0]);
    const double c = has_factor ? std::abs(value(all[0])) : 1;
    const auto factors = has_factor ? all.subspan(1) : all;
    const auto [numerator, divisor] = as_ratio(c);
    std::size_t divisors = divisor != 1 ? 1 : 0;
    std::size_t multipliers = 0;
    for (const Expr f : factors) (is_denominator(f) ? divisors : multipliers) += 1;

    bool started = numerator != 1 || multipliers == 0;
    if (started) text(number_text(numerator));
    for (const Expr f : factors) {
      if (is_denominator(f)) continue;
      if (started) text("*");
      started = true;
      if (pool_[f].op == Op::kPow) {
        power(pool_.arg(f, 0), pool_.arg(f, 1), 1);
      } else {
        sub(f, kPowerLevel);
      }
    }
    if (divisors == 0) return;
    text(divisors > 1 ? "/(" : "/");
    if (divisor != 1) text(number_text(divisor));
    started = divisor != 1;
    for (const Expr f : factors) {
      if (!is_denominator(f)) continue;
      if (started) text("*");
      started = true;
      power(pool_.arg(f, 0), pool_.arg(f, 1), -1);
    }
    if (divisors > 1) text(")");
  }

  /// The argument and the points, of which the first is args[first].
  void columns(std::string_view name, std::span<const Expr> args, std::size_t first) {
    text(name);
    sub(args[0], kIfLevel);
    for (std::size_t column = first; column <= first + 1; ++column) {
      text(", {");
      for (std::size_t i = column; i < args.size(); i += 2) {
        if (i > column) text(", ");
        sub(args[i], kIfLevel);
      }
      text("}");
    }
  }

  const ExprPool& pool_;
  const SymbolNames& names_;
  std::string out_;
  std::vector<Piece> pending_;
  std::vector<Piece> pieces_;  // of the expression at hand, from the left
};

}  // namespace

std::string to_text(const ExprPool& pool, Expr e, const SymbolNames& names) {
  return Printer(pool, names).print(e, std::string::npos);
}

std::string beginning_of_text(const ExprPool& pool, Expr e, const SymbolNames& names,
                              std::size_t length) {
  return Printer(pool, names).print(e, length);
}

}  // namespace luztar
