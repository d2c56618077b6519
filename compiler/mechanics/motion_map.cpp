#include "compiler/mechanics/force_terms.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

MotionMap::MotionMap(ExprPool& pool, const VariableClasses& classes,
                     const PositionSolution& positions)
    : pool_(pool), classes_(classes), positions_(positions) {}

bool MotionMap::is_position(Symbol s) const {
  return s.kind == SymbolKind::kVariable && classes_.position[s.index] && !classes_.flow[s.index];
}

const LinearForm& MotionMap::form(std::uint32_t potential) const {
  return positions_.form[potential];
}

namespace {

Expr rate_of_time_function(ExprPool& pool, Expr e) {
  return time_derivative(
      pool, e, [&](Symbol s) { return s.kind == SymbolKind::kTime ? pool.one() : Expr{}; });
}

}  // namespace

Expr MotionMap::offset_rate(std::uint32_t potential) const {
  return rate_of_time_function(pool_, form(potential).offset);
}

Expr MotionMap::offset_acceleration(std::uint32_t potential) const {
  return rate_of_time_function(pool_, offset_rate(potential));
}

Expr MotionMap::operator()(Expr e) const {
  const auto combine = [&](std::uint32_t potential, SymbolKind kind, Expr offset) {
    std::vector<Expr> terms;
    for (const auto& [q, c] : form(potential).terms) {
      terms.push_back(pool_.mul(c, pool_.symbol(kind, q.value)));
    }
    terms.push_back(offset);
    return pool_.add(std::move(terms));
  };
  return substitute(pool_, e, [&](Symbol s) {
    switch (s.kind) {
      case SymbolKind::kVariable:
        return is_position(s) ? combine(s.index, SymbolKind::kCoordinate, form(s.index).offset)
                              : Expr{};
      case SymbolKind::kVelocity:
        return combine(s.index, SymbolKind::kVelocity, offset_rate(s.index));
      case SymbolKind::kAcceleration:
        return combine(s.index, SymbolKind::kAcceleration, offset_acceleration(s.index));
      default:
        return Expr{};
    }
  });
}

}  // namespace luztar
