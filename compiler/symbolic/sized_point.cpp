#include "compiler/symbolic/sized_point.h"

#include <algorithm>
#include <cmath>

namespace luztar {
namespace {

/// By what a relative error of an argument grows, of first order: 1 where nothing cancels in it.
double condition_of(const SizedPoint::Sized& arg) {
  return arg.size / std::abs(static_cast<double>(arg.value));
}

/// Of first order in what cancels in the arguments: products of their sizes would grow far beyond
/// what their rounding makes.
double size_of(Op op, double value, std::span<const SizedPoint::Sized> args) {
  double size = std::abs(value);
  const auto is_zero = [](const SizedPoint::Sized& arg) { return arg.value == 0; };
  if (op == Op::kAdd) {
    size = 0;
    for (const SizedPoint::Sized& arg : args) size += arg.size;
  } else if (op == Op::kMul && std::any_of(args.begin(), args.end(), is_zero)) {
    size = 1;
    for (const SizedPoint::Sized& arg : args) size *= arg.size;
  } else if (op == Op::kMul) {
    double cancelled = 0;
    for (const SizedPoint::Sized& arg : args) cancelled += condition_of(arg) - 1;
    size *= 1 + cancelled;
  } else if (op == Op::kPow && args[0].value != 0) {
    const auto exponent = static_cast<double>(args[1].value);
    size *= 1 + std::abs(exponent) * (condition_of(args[0]) - 1);
  }
  return std::max(size, std::abs(value));
}

long double value_of(Op op, std::span<const SizedPoint::Sized> args,
                     const std::vector<double>& numbers) {
  long double value = op == Op::kAdd ? 0 : 1;
  switch (op) {
    case Op::kAdd:
      for (const SizedPoint::Sized& arg : args) value += arg.value;
      return value;
    case Op::kMul:
      for (const SizedPoint::Sized& arg : args) value *= arg.value;
      return value;
    case Op::kPow:
      return std::pow(args[0].value, args[1].value);
    default:
      return luztar::apply(op, numbers);
  }
}

}  // namespace

SizedPoint::Sized SizedPoint::operator()(Expr root) {
  std::vector<Expr> stack{root};
  while (!stack.empty()) {
    const Expr e = stack.back();
    if (known_.find(e)) {  // another path has come here
      stack.pop_back();
      continue;
    }
    args_.clear();
    numbers_.clear();
    for (const Expr arg : pool_.args(e)) {
      if (const Sized* known = known_.find(arg)) {
        args_.push_back(*known);
        numbers_.push_back(static_cast<double>(known->value));
      } else {
        stack.push_back(arg);
      }
    }
    if (stack.back() != e) continue;  // e comes again after what it needs
    stack.pop_back();
    known_.insert(e, of(e));
  }
  return known_[root];
}

SizedPoint::Sized SizedPoint::of(Expr e) const {
  const ExprPool::Node& n = pool_[e];
  if (n.op == Op::kConstant || n.op == Op::kSymbol) {
    const double value = n.op == Op::kConstant ? n.value : values_(n.symbol);
    return {value, std::abs(value)};
  }
  const long double value = value_of(n.op, args_, numbers_);
  return {value, size_of(n.op, static_cast<double>(value), args_)};
}

bool SizedPoint::cancels(Expr e, double rounding) {
  const auto [value, size] = (*this)(e);
  return std::abs(value) <= rounding * size;
}

}  // namespace luztar
