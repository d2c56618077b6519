#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "compiler/base/diagnostics.h"
#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/spline.h"
#include "runtime/pwl/falling_arguments.h"

namespace luztar {
namespace {

double truth(bool value) { return value ? 1.0 : 0.0; }

double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }

/// clamp(x, -a, a)
double saturate(double x, double a) {
  if (std::isnan(a)) return a;
  return x > a ? a : x < -a ? -a : x;
}

/// x - clamp(x, -a, a): exactly 0 inside the dead zone, also for a = inf.
double dead_zone(double x, double a) {
  if (x > a) return x - a;
  if (x < -a) return x + a;
  return std::isnan(x) || std::isnan(a) ? std::numeric_limits<double>::quiet_NaN() : 0.0;
}

double power(double base, double exponent) {
  if (exponent == -1) return 1 / base;
  if (exponent == 2) return base * base;
  if (exponent == 0.5) return std::sqrt(base);
  return std::pow(base, exponent);
}

/// args = x, x1, y1, x2, y2, ...: linear between knots, constant outside. At a doubled knot the
/// value jumps and the second one counts.
double interpolate(std::span<const double> args) {
  const double x = args[0];
  const std::size_t knots = (args.size() - 1) / 2;
  const auto knot = [&](std::size_t i) { return args[1 + 2 * i]; };
  const auto value = [&](std::size_t i) { return args[2 + 2 * i]; };
  if (std::isnan(x)) return x;
  if (x < knot(0)) return value(0);
  if (x >= knot(knots - 1)) return value(knots - 1);
  std::size_t low = 0, high = knots - 1;  // knot(low) <= x < knot(high)
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (knot(middle) <= x ? low : high) = middle;
  }
  const double slope = (value(high) - value(low)) / (knot(high) - knot(low));
  return value(low) + slope * (x - knot(low));
}

/// Splines in numbers.
struct Numbers {
  using Value = double;
  static double number(double x) { return x; }
  static double add(double a, double b) { return a + b; }
  static double sub(double a, double b) { return a - b; }
  static double mul(double a, double b) { return a * b; }
  static double div(double a, double b) { return a / b; }
  static double choose(double x, double knot, double left, double right) {
    return x < knot ? left : right;
  }
};

}  // namespace

double apply(Op op, std::span<const double> args) {
  switch (op) {
    case Op::kAdd:
      return std::accumulate(args.begin(), args.end(), 0.0);
    case Op::kMul:
      return std::accumulate(args.begin(), args.end(), 1.0, std::multiplies<>());
    case Op::kPow:
      return power(args[0], args[1]);
    case Op::kAbs:
      return std::abs(args[0]);
    case Op::kSign:
      return sign(args[0]);
    case Op::kExp:
      return std::exp(args[0]);
    case Op::kLog:
      return std::log(args[0]);
    case Op::kLog10:
      return std::log10(args[0]);
    case Op::kSin:
      return std::sin(args[0]);
    case Op::kCos:
      return std::cos(args[0]);
    case Op::kTan:
      return std::tan(args[0]);
    case Op::kAsin:
      return std::asin(args[0]);
    case Op::kAcos:
      return std::acos(args[0]);
    case Op::kAtan:
      return std::atan(args[0]);
    case Op::kSinh:
      return std::sinh(args[0]);
    case Op::kCosh:
      return std::cosh(args[0]);
    case Op::kTanh:
      return std::tanh(args[0]);
    case Op::kFloor:
      return std::floor(args[0]);
    case Op::kCeil:
      return std::ceil(args[0]);
    case Op::kAtan2:
      return std::atan2(args[0], args[1]);
    case Op::kMin:
      return std::min(args[0], args[1]);
    case Op::kMax:
      return std::max(args[0], args[1]);
    case Op::kMod:
      return args[0] - std::floor(args[0] / args[1]) * args[1];
    case Op::kLuz:
      return dead_zone(args[0], args[1]);
    case Op::kNas:
      return saturate(args[0], args[1]);
    case Op::kOutside:
      return truth(std::abs(args[0]) > args[1]);
    case Op::kAboveEdge:
      return args[1] != 0 || args[0] < 0 ? 0.0 : args[0];
    case Op::kFallingBalance:
      return falling_balance_of(args.data(), static_cast<std::int64_t>(args.size()));
    case Op::kFallingEnd:
      return falling_end_of(args.data(), static_cast<std::int64_t>(args.size()));
    case Op::kFallingSpeed:
      return falling_speed_of(args.data(), static_cast<std::int64_t>(args.size()));
    case Op::kFallingSpeedEnd:
      return falling_speed_end_of(args.data(), static_cast<std::int64_t>(args.size()));
    case Op::kDry:
      return args[0] == 0 ? 0.0 : args[1] * sign(args[0]);
    case Op::kStop:
      return 0.0;  // between the stops
    case Op::kTable:
      return interpolate(args);
    case Op::kSpline: {
      Numbers numbers;
      return spline_of(numbers, args, static_cast<int>(args[1]), [](double x) { return x; });
    }
    case Op::kLess:
      return truth(args[0] < args[1]);
    case Op::kLessEqual:
      return truth(args[0] <= args[1]);
    case Op::kAnd:
      return truth(args[0] != 0 && args[1] != 0);
    case Op::kOr:
      return truth(args[0] != 0 || args[1] != 0);
    case Op::kNot:
      return truth(args[0] == 0);
    case Op::kIf:
      return args[0] != 0 ? args[1] : args[2];
    case Op::kNoEvent:
    case Op::kEvaluated:
      return args[0];
    case Op::kDer:
      throw InternalError("evaluate", "a time derivative has no value of its own");
    case Op::kConstant:
    case Op::kSymbol:
      break;
  }
  throw InternalError("evaluate", "not an operation");
}

double PointEvaluator::operator()(Expr root) {
  if (const double* known = known_.find(root)) return *known;
  stack_.push_back(root);
  while (!stack_.empty()) {
    const Expr e = stack_.back();
    if (known_.find(e)) {  // another path has come here
      stack_.pop_back();
      continue;
    }
    const ExprPool::Node& n = pool_[e];
    args_.clear();
    for (const Expr arg : pool_.args(e)) {
      if (const double* known = known_.find(arg)) {
        args_.push_back(*known);
      } else {
        stack_.push_back(arg);
      }
    }
    if (stack_.back() != e) continue;  // e comes again after what it needs
    stack_.pop_back();
    if (n.op == Op::kConstant) {
      known_.insert(e, n.value);
    } else if (n.op == Op::kSymbol) {
      known_.insert(e, values_(n.symbol));
    } else {
      known_.insert(e, luztar::apply(n.op, args_));
    }
  }
  return known_[root];
}

double evaluate(const ExprPool& pool, Expr e, const SymbolValues& values) {
  return PointEvaluator(pool, values)(e);
}

std::vector<double> evaluate(const ExprPool& pool, std::span<const Expr> expressions,
                             const SymbolValues& values) {
  PointEvaluator evaluator(pool, values);
  std::vector<double> results;
  results.reserve(expressions.size());
  for (const Expr e : expressions) results.push_back(evaluator(e));
  return results;
}

}  // namespace luztar
