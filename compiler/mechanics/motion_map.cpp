#include <algorithm>

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

bool MotionMap::is_prescribed(std::uint32_t potential) const {
  const auto& terms = form(potential).terms;
  return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
    return positions_.is_prescribed(term.first);
  });
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
        return combine(s.index, SymbolKind::kVelocity, pool_.zero());
      case SymbolKind::kAcceleration:
        return combine(s.index, SymbolKind::kAcceleration, pool_.zero());
      default:
        return Expr{};
    }
  });
}

}  // namespace luztar
