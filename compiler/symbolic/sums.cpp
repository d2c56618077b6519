// Canonical sums: coefficient*term with distinct terms in order of their ids, the constant last.
#include <algorithm>
#include <cmath>

#include "compiler/symbolic/expr.h"

namespace luztar {
namespace {

/// True when IEEE arithmetic made a NaN of two numbers.
bool undefined(double result, double a, double b) {
  return std::isnan(result) && !std::isnan(a) && !std::isnan(b);
}

/// a + b, which is zero where they cancel but for their own rounding: what is left of ratios that
/// cancel is told from a small number by the size of the two alone.
double sum_of(double a, double b) {
  constexpr double kRounding = 0x1p-46;
  const double sum = a + b;
  return std::abs(sum) < kRounding * std::abs(a) ? 0 : sum;  // not where a is infinite
}

}  // namespace

/// The numeric factor of a term of a sum, without building what remains.
double ExprPool::coefficient(Expr term) const {
  const Node& node = nodes_[term.value];
  if (node.op == Op::kConstant) return node.value;
  if (node.op == Op::kMul && is_constant(arg(term, 0)) && !is_indeterminate(term)) {
    return nodes_[arg(term, 0).value].value;
  }
  return 1;
}

/// The sign an odd function takes out of its argument: that of the first term in canonical order.
bool ExprPool::leads_negative(Expr e) const {
  if (nodes_[e.value].op == Op::kAdd && !is_long(e)) e = arg(e, 0);
  return coefficient(e) < 0;
}

std::pair<double, Expr> ExprPool::numeric_factor(Expr e) {
  const Node node = nodes_[e.value];
  if (node.op == Op::kConstant) return {node.value, one_};
  if (node.op != Op::kMul || !is_constant(arg(e, 0)) || is_indeterminate(e)) return {1, e};
  const double factor = nodes_[arg(e, 0).value].value;
  if (node.count == 2) return {factor, arg(e, 1)};
  ShortVector<Expr> rest;
  for (std::uint32_t i = 1; i < node.count; ++i) rest.push_back(arg(e, i));
  return {factor, intern(Op::kMul, rest)};
}

/// factor * rest as a product; `rest` has no numeric factor of its own.
Expr ExprPool::attach_factor(double factor, Expr rest) {
  if (factor == 1) return rest;
  if (rest == one_) return constant(factor);
  ShortVector<Expr> factors;
  factors.push_back(constant(factor));
  if (nodes_[rest.value].op == Op::kMul && !is_indeterminate(rest)) {
    for (const Expr inner : args(rest)) factors.push_back(inner);
  } else {
    factors.push_back(rest);
  }
  return intern(Op::kMul, factors);
}

/// factor * rest for a factor other than 0; finite factors are distributed over a sum, so that -(a
/// - b) is b - a. An infinite factor is not: inf*(a - b) is not inf*a - inf*b. Nor is one of a long
/// sum, which is a single term.
Expr ExprPool::scaled(double factor, Expr rest) {
  if (factor == 1) return rest;
  if (nodes_[rest.value].op != Op::kAdd || is_indeterminate(rest) || !std::isfinite(factor) ||
      is_long(rest)) {
    return attach_factor(factor, rest);
  }
  Weights terms;
  double constant_part = 0;
  for (std::uint32_t i = 0; i < nodes_[rest.value].count; ++i) {
    const auto [c, term] = numeric_factor(arg(rest, i));
    if (term == one_) {
      constant_part = factor * c;
    } else {
      terms.emplace_back(term, factor * c);
    }
  }
  return add_sorted(terms, constant_part);
}

/// The factor a product takes out of a sum so that proportional sums meet in one base: the leading
/// sign, and the magnitude when it is common to all terms (then the division is exact).
double ExprPool::content(Expr sum) const {
  if (nodes_[sum.value].op != Op::kAdd || is_indeterminate(sum) || is_long(sum)) return 1;
  const auto terms = args(sum);
  const double leading = coefficient(terms.front());
  const double magnitude = std::abs(leading);
  const bool common =
      std::isfinite(magnitude) && std::all_of(terms.begin(), terms.end(), [&](Expr term) {
        return std::abs(coefficient(term)) == magnitude;
      });
  return (common ? magnitude : 1.0) * (leading < 0 ? -1.0 : 1.0);
}

Expr ExprPool::divide_sum(Expr sum, double divisor) {
  Weights terms;
  double constant_part = 0;
  for (std::uint32_t i = 0; i < nodes_[sum.value].count; ++i) {
    const auto [c, term] = numeric_factor(arg(sum, i));
    if (term == one_) {
      constant_part = c / divisor;
    } else {
      terms.emplace_back(term, c / divisor);
    }
  }
  return add_sorted(terms, constant_part);
}

Expr ExprPool::neg(Expr a) {
  const auto [factor, rest] = numeric_factor(a);
  return rest == one_ ? constant(-factor) : scaled(-factor, rest);
}

Expr ExprPool::add(std::span<const Expr> terms) {
  Weights collected;
  double constant_part = 0;
  const auto collect = [&](Expr term) {
    const auto [c, rest] = numeric_factor(term);
    if (rest != one_) {
      collected.emplace_back(rest, c);
      return;
    }
    const double sum = sum_of(constant_part, c);
    if (undefined(sum, constant_part, c)) {
      collected.emplace_back(indeterminate_sum(), 1);
      constant_part = 0;
    } else {
      constant_part = sum;
    }
  };
  for (const Expr term : terms) {
    if (nodes_[term.value].op != Op::kAdd || is_indeterminate(term) || is_long(term)) {
      collect(term);
      continue;
    }
    for (std::uint32_t i = 0; i < nodes_[term.value].count; ++i) collect(arg(term, i));
  }

  const auto by_id = [](const Weighted& a, const Weighted& b) { return a.first < b.first; };
  std::sort(collected.begin(), collected.end(), by_id);
  Weights merged;
  bool resort = false;
  for (const auto& [term, c] : collected) {
    if (merged.empty() || merged.back().first != term) {
      merged.emplace_back(term, c);
      continue;
    }
    const double sum = sum_of(merged.back().second, c);
    if (undefined(sum, merged.back().second, c)) {  // inf*x - inf*x
      merged.back() = Weighted{mul(indeterminate_sum(), term), 1};
      resort = true;
    } else {
      merged.back().second = sum;
    }
  }
  if (resort) std::sort(merged.begin(), merged.end(), by_id);
  return add_sorted(merged, constant_part);
}

/// The sum of distinct terms in order of their ids.
Expr ExprPool::add_sorted(const Weights& terms, double constant_part) {
  ShortVector<Expr> sum;
  for (const auto& [term, c] : terms) {
    if (c != 0) sum.push_back(attach_factor(c, term));
  }
  if (sum.empty()) return constant(constant_part);
  if (constant_part != 0) sum.push_back(constant(constant_part));
  return sum.size() == 1 ? sum.front() : intern(Op::kAdd, sum);
}

}  // namespace luztar
