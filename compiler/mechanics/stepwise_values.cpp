#include "compiler/mechanics/stepwise_values.h"

#include <utility>

namespace luztar {

StepwiseValues::StepwiseValues(ExprPool& pool, std::vector<Expr> equations,
                               std::function<bool(Symbol)> is_unknown, Accept accept)
    : pool_(pool),
      equations_(std::move(equations)),
      is_unknown_(std::move(is_unknown)),
      accept_(std::move(accept)),
      open_(equations_.size()) {
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    for (const Symbol s : unknowns(equations_[i])) {
      users_[s].push_back(i);
      ++open_[i];
    }
    if (open_[i] == 1) work_.push_back(i);
  }
  for (std::size_t next = 0; next < work_.size(); ++next) {
    if (open_[work_[next]] == 1) solve(work_[next]);
  }
}

Expr StepwiseValues::insert(std::size_t equation) const {
  return substitute(pool_, equations_[equation], [&](Symbol s) {
    const auto it = values_.find(s);
    return it != values_.end() && it->second.equation != equation ? it->second.value : Expr{};
  });
}

std::vector<Symbol> StepwiseValues::unknowns(Expr e) const {
  std::vector<Symbol> result;
  for (const Symbol s : symbols_of(pool_, e)) {
    if (is_unknown_(s)) result.push_back(s);
  }
  return result;
}

void StepwiseValues::solve(std::size_t equation) {
  const Expr residual = insert(equation);
  AffineForm form;
  if (!affine_form(pool_, residual, is_unknown_, form) || form.coefficients.size() != 1) return;
  const auto [unknown, coefficient] = form.coefficients[0];
  const Expr value = pool_.div(pool_.neg(form.rest), coefficient);
  if (!accept_(equation, unknown, coefficient, value)) return;
  if (!values_.emplace(unknown, Value{value, equation}).second) return;
  for (const std::size_t user : users_[unknown]) {
    if (--open_[user] == 1) work_.push_back(user);
  }
}

}  // namespace luztar
