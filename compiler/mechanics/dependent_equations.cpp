#include "compiler/mechanics/dependent_equations.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/mechanics/dependent_rows.h"
#include "compiler/mechanics/variable_classes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

constexpr std::size_t kMostEquations = 300;  // linear algebra of circles is cubic

bool is_same(const FlatEquation& a, const FlatEquation& b) {
  return (a.left == b.left && a.right == b.right) || (a.left == b.right && a.right == b.left);
}

class EquationNumbers {
 public:
  EquationNumbers(ExprPool& pool, const FlatModel& flat, const IdentityTest& identity,
                  const std::function<std::optional<std::uint32_t>(VariableId)>& unknown)
      : pool_(pool),
        flat_(flat),
        identity_(identity),
        unknown_(unknown),
        rest_(static_cast<std::uint32_t>(flat.variables.size())) {}

  /// Coefficients of unknowns at a generic point. An equation that is not linear in them, or holds
  /// rates, has a column of its own.
  [[nodiscard]] NumberRow row(FlatEquationId id) const {
    const FlatEquation& equation = flat_.equations[id];
    const auto accepted = [&](Symbol s) {
      return s.kind == SymbolKind::kVariable &&
             !is_received(flat_, equation.part, VariableId{s.index}) &&
             unknown_(VariableId{s.index}).has_value();
    };
    const NumberRow apart{{rest_ + 1 + id.value, 1.0}};
    AffineForm form;
    const Expr residual = pool_.sub(equation.left, equation.right);
    if (!affine_form(pool_, residual, accepted, form)) return apart;
    std::map<std::uint32_t, double> sum;
    for (const auto& [s, c] : form.coefficients) {
      if (contains(pool_, c, Op::kDer)) return apart;
      sum[*unknown_(VariableId{s.index})] += identity_.sample(c);
    }
    if (contains(pool_, form.rest, Op::kDer)) return apart;
    sum[rest_] = identity_.sample(form.rest);
    NumberRow result;
    for (const auto& [c, x] : sum) {
      if (x != 0 && std::isfinite(x)) result.emplace_back(c, x);
    }
    return result;
  }

  [[nodiscard]] bool is_rest(std::uint32_t column) const { return column == rest_; }

 private:
  ExprPool& pool_;
  const FlatModel& flat_;
  const IdentityTest& identity_;
  const std::function<std::optional<std::uint32_t>(VariableId)>& unknown_;
  std::uint32_t rest_;  // the column of what is known
};

}  // namespace

DependentEquations dependent_equations(
    ExprPool& pool, const FlatModel& flat, const IdentityTest& identity,
    const std::vector<FlatEquationId>& set, FlatEquationId target,
    const std::function<std::optional<std::uint32_t>(VariableId)>& unknown) {
  for (const FlatEquationId id : set) {
    if (id == target || !is_same(flat.equations[id], flat.equations[target])) continue;
    return {{id, target}, SurplusKind::kTwice};
  }
  if (set.size() > kMostEquations || set.size() < 2) return {set, SurplusKind::kIncidence};
  const EquationNumbers numbers(pool, flat, identity, unknown);
  const auto place =
      static_cast<std::size_t>(std::find(set.begin(), set.end(), target) - set.begin());
  std::vector<NumberRow> rows;
  for (const FlatEquationId id : set) rows.push_back(numbers.row(id));
  SurplusKind kind = SurplusKind::kFollows;
  std::vector<std::size_t> found = dependent_rows(rows, place);
  if (found.empty()) {
    for (NumberRow& row : rows) {
      std::erase_if(row, [&](const auto& entry) { return numbers.is_rest(entry.first); });
    }
    kind = SurplusKind::kContradicts;
    found = dependent_rows(rows, place);
  }
  if (found.size() < 2) return {set, SurplusKind::kIncidence};
  DependentEquations result{{}, kind};
  for (const std::size_t i : found) result.equations.push_back(set[i]);
  return result;
}

}  // namespace luztar
