#include "compiler/lowering/ranges.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Range hull(Range a, Range b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

// A bound of 0 times a value that has none is 0.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Range product(Range a, Range b) {
  const auto [least, greatest] =
      std::minmax({times(a.least, b.least), times(a.least, b.greatest), times(a.greatest, b.least),
                   times(a.greatest, b.greatest)});
  return {least, greatest};
}

Range magnitude(Range x) {
  const double greatest = std::max(std::fabs(x.least), std::fabs(x.greatest));
  const bool around_zero = x.least <= 0 && x.greatest >= 0;
  return {around_zero ? 0 : std::min(std::fabs(x.least), std::fabs(x.greatest)), greatest};
}

Range saturated(Range x, double bound) {
  return {std::clamp(x.least, -bound, bound), std::clamp(x.greatest, -bound, bound)};
}

// Within the rounding of its terms a bound is zero.
double without_rounding(double bound, double size) {
  return std::fabs(bound) <= 1e-14 * size ? 0 : bound;
}

class Ranges {
 public:
  Ranges(const ExprPool& pool, const NominalPoint& nominal) : pool_(pool), nominal_(nominal) {}

  void add(Expr e) { ranges_.insert(e, node(e)); }
  [[nodiscard]] Range known(Expr e) const { return ranges_[e]; }

 private:
  [[nodiscard]] Range node(Expr e) const;
  [[nodiscard]] Range sum(Expr e) const;
  [[nodiscard]] Range power(Expr e) const;

  const ExprPool& pool_;
  const NominalPoint& nominal_;
  NodeMap<Range> ranges_;
};

// Terms of the same quantity are taken together: peak*T - T is (peak - 1)*T.
Range Ranges::sum(Expr e) const {
  std::map<std::vector<Expr>, double> coefficients;  // by the factors that vary
  double constant = 0, size = 0;
  for (const Expr term : pool_.args(e)) {
    std::vector<Expr> factors{term}, varying;
    if (pool_[term].op == Op::kMul) {
      factors.assign(pool_.args(term).begin(), pool_.args(term).end());
    }
    double coefficient = 1;
    for (const Expr factor : factors) {
      if (nominal_.is_parametric(factor)) {
        coefficient *= nominal_.value(factor);
      } else {
        varying.push_back(factor);
      }
    }
    (varying.empty() ? constant : coefficients[varying]) += coefficient;
    if (varying.empty()) size += std::fabs(coefficient);
  }
  Range result{constant, constant};
  for (const auto& [factors, coefficient] : coefficients) {
    Range term{coefficient, coefficient};
    for (const Expr factor : factors) term = product(term, known(factor));
    result = {result.least + term.least, result.greatest + term.greatest};
    for (const double bound : {term.least, term.greatest}) {
      if (std::isfinite(bound)) size += std::fabs(bound);
    }
  }
  return {without_rounding(result.least, size), without_rounding(result.greatest, size)};
}

Range Ranges::power(Expr e) const {
  const Expr exponent = pool_.arg(e, 1);
  const Range x = known(pool_.arg(e, 0));
  if (pool_[exponent].op == Op::kConstant && std::fmod(pool_[exponent].value, 2) == 0) {
    return {0, kInfinity};
  }
  return {x.least >= 0 ? 0 : -kInfinity, kInfinity};
}

Range Ranges::node(Expr e) const {
  if (nominal_.is_parametric(e)) return {nominal_.value(e), nominal_.value(e)};
  const auto arg = [&](std::size_t i) { return known(pool_.arg(e, i)); };
  switch (pool_[e].op) {
    case Op::kAdd:
      return sum(e);
    case Op::kMul: {
      Range result{1, 1};
      for (const Expr factor : pool_.args(e)) result = product(result, known(factor));
      return result;
    }
    case Op::kPow:
      return power(e);
    case Op::kAbs:
      return magnitude(arg(0));
    case Op::kExp:
      return {std::exp(arg(0).least), std::exp(arg(0).greatest)};
    case Op::kSin:
    case Op::kCos:
    case Op::kTanh:
    case Op::kSign:
      return {-1, 1};
    case Op::kMin:
      return {std::min(arg(0).least, arg(1).least), std::min(arg(0).greatest, arg(1).greatest)};
    case Op::kMax:
      return {std::max(arg(0).least, arg(1).least), std::max(arg(0).greatest, arg(1).greatest)};
    case Op::kLuz:
      return {std::min(arg(0).least, 0.0), std::max(arg(0).greatest, 0.0)};
    case Op::kNas:
      return saturated(arg(0), std::max(arg(1).greatest, 0.0));
    case Op::kOutside:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      return {0, 1};
    case Op::kIf:
      return hull(arg(1), arg(2));
    case Op::kNoEvent:
    case Op::kEvaluated:
      return arg(0);
    case Op::kTable: {
      Range result = arg(2);
      for (std::size_t i = 4; i < pool_[e].count; i += 2) result = hull(result, arg(i));
      return result;
    }
    default:
      return {};
  }
}

}  // namespace

std::vector<Range> ranges_of(const ExprPool& pool, const NominalPoint& nominal,
                             std::span<const Expr> expressions) {
  Ranges ranges(pool, nominal);
  for (const Expr e : topological_order(pool, expressions)) ranges.add(e);
  std::vector<Range> result;
  for (const Expr e : expressions) result.push_back(ranges.known(e));
  return result;
}

}  // namespace luztar
