#include "compiler/mechanics/known_forces.h"

#include <cmath>
#include <map>

#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

class KnownForces {
 public:
  KnownForces(ExprPool& pool, const FlatModel& flat, const IdentityTest& identity,
              const std::function<bool(Symbol)>& is_unknown,
              const std::vector<WorkEquation>& equations)
      : pool_(pool),
        flat_(flat),
        identity_(identity),
        is_unknown_(is_unknown),
        equations_(equations),
        open_(equations.size()) {
    for (std::size_t i = 0; i < equations.size(); ++i) {
      for (const Symbol s : unknowns(equations[i].residual)) {
        users_[s].push_back(i);
        ++open_[i];
      }
      if (open_[i] == 1) work_.push_back(i);
    }
    while (!work_.empty()) {
      const std::size_t i = work_.back();
      work_.pop_back();
      if (open_[i] == 1) solve(i);
    }
  }

  /// Equation i with all that others determine.
  Expr insert(std::size_t i) const {
    return substitute(pool_, equations_[i].residual, [&](Symbol s) {
      const auto it = known_.find(s);
      return it != known_.end() && it->second.source != i ? it->second.value : Expr{};
    });
  }

 private:
  struct Value {
    Expr value;
    std::size_t source = 0;  // the equation that gave it
  };

  [[nodiscard]] std::vector<Symbol> unknowns(Expr e) const {
    std::vector<Symbol> result;
    for (const Symbol s : symbols_of(pool_, e)) {
      if (is_unknown_(s)) result.push_back(s);
    }
    return result;
  }

  void solve(std::size_t i) {
    const Expr residual = insert(i);
    const std::vector<Symbol> left = unknowns(residual);
    AffineForm form;
    if (left.size() != 1 ||
        !affine_form(
            pool_, residual, [&](Symbol s) { return s == left[0]; }, form) ||
        form.coefficients.empty() || identity_.vanishes(form.coefficients[0].second)) {
      return;
    }
    const Expr value = pool_.div(pool_.neg(form.rest), form.coefficients[0].second);
    if (!follows_motion(value)) return;
    known_.emplace(left[0], Value{value, i});
    for (const std::size_t user : users_[left[0]]) {
      if (--open_[user] == 1) work_.push_back(user);
    }
  }

  [[nodiscard]] bool follows_motion(Expr value) const {
    return !is_set_valued(pool_, value) && !depends_on(pool_, value, [&](Symbol s) {
      return s.kind == SymbolKind::kAcceleration ||
             (s.kind == SymbolKind::kParameter &&
              std::isinf(flat_.parameters[ParameterId{s.index}].value));
    });
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  const IdentityTest& identity_;
  const std::function<bool(Symbol)>& is_unknown_;
  const std::vector<WorkEquation>& equations_;
  std::map<Symbol, std::vector<std::size_t>> users_;  // equations that hold the unknown
  std::vector<std::size_t> open_;                     // unknowns of an equation, without known ones
  std::vector<std::size_t> work_;                     // equations with one open unknown
  std::map<Symbol, Value> known_;
};

}  // namespace

void insert_known_forces(ExprPool& pool, const FlatModel& flat, const IdentityTest& identity,
                         const std::function<bool(Symbol)>& is_unknown,
                         const std::vector<std::size_t>& nonlinear,
                         std::vector<WorkEquation>& equations) {
  const KnownForces known(pool, flat, identity, is_unknown, equations);
  for (const std::size_t i : nonlinear) equations[i].residual = known.insert(i);
}

}  // namespace luztar
