// Canonical products and powers: a numeric factor first, then powers of distinct bases in order of
// the bases' ids.
#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/base/diagnostics.h"
#include "compiler/symbolic/expr.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

bool is_integer(double value) { return std::isfinite(value) && std::trunc(value) == value; }

double power_of_constants(double base, double exponent) {
  return luztar::apply(Op::kPow, std::array{base, exponent});
}

}  // namespace

Expr ExprPool::div(Expr a, Expr b) {
  if (is_constant(b)) {
    const double divisor = nodes_[b.value].value;
    const auto [factor, rest] = numeric_factor(a);
    const double quotient = factor / divisor;
    if (divisor != 0 && quotient != 0 && std::isfinite(quotient)) {
      if (rest == one_) return constant(quotient);
      // A sum divides term by term: (3 x + y)/3 keeps x.
      if (nodes_[rest.value].op == Op::kAdd && !is_indeterminate(rest) && !is_long(rest)) {
        return divide_sum(rest, divisor);
      }
      return attach_factor(quotient, rest);
    }
  }
  return mul(a, pow(b, constant(-1)));
}

Expr ExprPool::mul(std::span<const Expr> given) {
  std::span<const Expr> factors = given;
  std::vector<Expr> next, again;  // factors that fell apart or became equal to others by collecting
  while (true) {
    double c = 1;
    Weights powers;
    const auto collect = [&](Expr factor) {
      const Node node = nodes_[factor.value];
      if (node.op == Op::kConstant) {
        const double product = c * node.value;
        if (std::isnan(product) && !std::isnan(c) && !std::isnan(node.value)) {  // 0*inf
          powers.emplace_back(indeterminate_product(), 1);
          c = 1;
        } else {
          c = product;
        }
      } else if (node.op == Op::kPow && is_constant(arg(factor, 1)) &&
                 std::isfinite(nodes_[arg(factor, 1).value].value)) {
        powers.emplace_back(arg(factor, 0), nodes_[arg(factor, 1).value].value);
      } else {
        powers.emplace_back(factor, 1);
      }
    };
    for (const Expr factor : factors) {
      if (nodes_[factor.value].op != Op::kMul || is_indeterminate(factor)) {
        collect(factor);
        continue;
      }
      if (is_long(factor)) {
        const auto [number, rest] = numeric_factor(factor);
        collect(constant(number));
        powers.emplace_back(rest, 1);
        continue;
      }
      for (std::uint32_t i = 0; i < nodes_[factor.value].count; ++i) collect(arg(factor, i));
    }
    if (c == 0) {
      // 0*x is 0 also for a symbol x that may be infinite at run time: a model that multiplies a
      // literal 0 with a limit parameter means "absent". Only 0*inf of two literals stays as it is
      // written.
      for (const auto& [base, exponent] : powers) {
        if (is_indeterminate(base)) return base;
      }
      return zero_;
    }

    std::sort(powers.begin(), powers.end(),
              [](const Weighted& a, const Weighted& b) { return a.first < b.first; });
    Weights merged;
    again.clear();
    for (std::size_t i = 0; i < powers.size();) {
      const Expr base = powers[i].first;
      double exponent = powers[i].second;
      std::size_t end = i + 1;
      for (; end < powers.size() && powers[end].first == base; ++end)
        exponent += powers[end].second;
      const bool collected = end > i + 1;
      i = end;
      if (exponent == 0) continue;
      if (collected) {
        const Expr combined = pow(base, constant(exponent));
        const Op op = nodes_[combined.value].op;
        const bool whole = op == Op::kPow
                               ? arg(combined, 0) == base
                               : combined == base && op != Op::kMul && op != Op::kConstant;
        if (!whole) {
          again.push_back(combined);
          continue;
        }
      }
      merged.emplace_back(base, exponent);
    }
    if (again.empty() && merged.size() >= 2) {
      for (auto& [base, exponent] : merged) {
        const double common = exponent == 1 ? content(base) : 1;
        if (common == 1) continue;
        again.push_back(constant(common));
        again.push_back(divide_sum(base, common));
        exponent = 0;
      }
    }
    if (again.empty()) return multiply_out(c, merged);
    again.push_back(constant(c));
    for (const auto& [base, exponent] : merged) {
      if (exponent != 0) again.push_back(pow(base, constant(exponent)));
    }
    next.swap(again);
    factors = next;
  }
}

/// constant_part * product of base^exponent, bases distinct and in order.
Expr ExprPool::multiply_out(double constant_part, const Weights& powers) {
  ShortVector<Expr> factors;
  for (const auto& [base, exponent] : powers) {
    factors.push_back(exponent == 1 ? base
                                    : intern(Op::kPow, std::array{base, constant(exponent)}));
  }
  if (factors.empty()) return constant(constant_part);
  return scaled(constant_part, factors.size() == 1 ? factors.front() : intern(Op::kMul, factors));
}

Expr ExprPool::pow(Expr base, Expr exponent) {
  if (base == one_) return one_;
  if (!is_constant(exponent)) return intern(Op::kPow, std::array{base, exponent});
  const double n = nodes_[exponent.value].value;
  if (n == 0) return one_;
  if (n == 1) return base;
  const Op op = nodes_[base.value].op;
  if (op == Op::kConstant) return fold_or_intern(Op::kPow, std::array{base, exponent});
  if (!is_integer(n) || is_indeterminate(base)) {
    return intern(Op::kPow, std::array{base, exponent});
  }
  if (is_long(base) && op == Op::kMul) {
    const auto [factor, rest] = numeric_factor(base);
    const double factor_power = power_of_constants(factor, n);
    if (factor == 1 || (factor_power == 0 || !std::isfinite(factor_power))) {
      return intern(Op::kPow, std::array{base, exponent});
    }
    return mul(constant(factor_power), intern(Op::kPow, std::array{rest, exponent}));
  }
  // Integer exponents only: (x^2)^0.5 is |x|, not x.
  if (op == Op::kPow) return pow(arg(base, 0), mul(arg(base, 1), exponent));
  if (op == Op::kMul || op == Op::kAdd) {
    const double factor = op == Op::kMul ? coefficient(base) : content(base);
    const double factor_power = power_of_constants(factor, n);
    const bool lost = std::isfinite(factor) && (factor_power == 0 || !std::isfinite(factor_power));
    if (lost || (op == Op::kAdd && factor == 1)) {
      return intern(Op::kPow, std::array{base, exponent});
    }
    std::vector<Expr> factors;
    if (op == Op::kAdd) {
      factors = {constant(factor_power), pow(divide_sum(base, factor), exponent)};
    } else {
      factors.assign(args(base).begin(), args(base).end());
      for (Expr& f : factors) f = pow(f, exponent);
    }
    return mul(std::move(factors));
  }
  return intern(Op::kPow, std::array{base, exponent});
}

}  // namespace luztar
