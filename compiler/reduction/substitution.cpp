#include "compiler/reduction/substitution.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/symbolic/operations.h"

namespace luztar {

Substitution::Substitution(ExprPool& pool, std::size_t coordinates)
    : pool_(pool), motion_(coordinates) {}

void Substitution::add(CoordinateId q, CoordinateMotion by) { motion_[q.value] = std::move(by); }

LinearForm Substitution::position(const LinearForm& form) {
  return written(form, &CoordinateMotion::position);
}

LinearForm Substitution::velocity(const LinearForm& form) {
  return written(form, &CoordinateMotion::velocity);
}

LinearForm Substitution::written(const LinearForm& form, Part part) {
  if (std::none_of(form.terms.begin(), form.terms.end(),
                   [&](const auto& term) { return is_gone(term.first); })) {
    return form;
  }
  for (const auto& [q, c] : form.terms) {
    if (is_gone(q)) shorten(q);
  }
  return put_in(form, part);
}

bool Substitution::is_written(CoordinateId q) const {
  const auto& row = motion_[q.value]->velocity.terms;
  return std::none_of(row.begin(), row.end(),
                      [&](const auto& term) { return is_gone(term.first); });
}

// Brings the motion of q to coordinates that are left, and those on the way to them.
void Substitution::shorten(CoordinateId root) {
  std::vector<CoordinateId> stack{root};
  while (!stack.empty()) {
    if (is_written(stack.back())) {
      stack.pop_back();
      continue;
    }
    CoordinateMotion& motion = *motion_[stack.back().value];
    const std::size_t depth = stack.size();
    for (const auto& [p, c] : motion.velocity.terms) {
      if (is_gone(p) && !is_written(p)) stack.push_back(p);
    }
    if (stack.size() > depth) continue;
    stack.pop_back();
    motion.position = put_in(motion.position, &CoordinateMotion::position);
    motion.velocity = put_in(motion.velocity, &CoordinateMotion::velocity);
  }
}

// `form` with coordinates that are gone replaced by what they follow, which is written already.
LinearForm Substitution::put_in(const LinearForm& form, Part part) {
  std::map<CoordinateId, Expr> row;
  std::vector<Expr> offset{form.offset};
  const auto add = [&](CoordinateId q, Expr c) {
    const auto [it, fresh] = row.emplace(q, c);
    if (!fresh) it->second = pool_.add(it->second, c);
  };
  for (const auto& [q, c] : form.terms) {
    if (!is_gone(q)) {
      add(q, c);
      continue;
    }
    const LinearForm& by = (*motion_[q.value]).*part;
    for (const auto& [p, s] : by.terms) add(p, pool_.mul(c, s));
    offset.push_back(pool_.mul(c, by.offset));
  }
  LinearForm result{{}, pool_.add(std::move(offset))};
  for (const auto& [q, c] : row) {
    if (!pool_.is_zero(c)) result.terms.emplace_back(q, c);
  }
  return result;
}

// With speeds that are left: rules for bodies without inertia look for those.
Expr Substitution::size(Expr e) {
  return substitute(pool_, e, [&](Symbol s) {
    if (s.kind != SymbolKind::kVelocity || !is_gone(CoordinateId{s.index})) return Expr{};
    return to_expr(pool_, velocity({{{CoordinateId{s.index}, pool_.one()}}, pool_.zero()}), true);
  });
}

void Substitution::apply(Mechanism& mechanism) {
  for (ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive) continue;
    term.argument = takes_velocity(term.kind) ? velocity(term.argument) : position(term.argument);
    if (term.travel.offset.valid()) term.travel = position(term.travel);
    term.participation = velocity(term.participation);
    term.participation.offset = pool_.zero();
    if (term.kind != TermKind::kFriction) continue;
    term.kinetic = size(term.kinetic);
    term.static_bound = size(term.static_bound);
  }
}

}  // namespace luztar
