#include "compiler/mechanics/part_errors.h"

#include "compiler/mechanics/union_find.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

ErrorRegions::ErrorRegions(const ExprPool& pool, const FlatModel& flat)
    : variables_(flat.variables.size()) {
  UnionFind sets(variables_ + flat.equations.size());
  std::vector<VariableId> flange(flat.parts.size());  // one variable of a flange, by part
  for (const VariableId v : flat.variables.ids()) {
    const FlatVariable& variable = flat.variables[v];
    const bool of_flange =
        variable.role == VariableRole::kPotential || variable.role == VariableRole::kFlow;
    if (!of_flange) continue;
    VariableId& first = flange[variable.part.value];
    if (!first.valid()) first = v;
    sets.unite(first.value, v.value);
  }
  for (const FlatEquationId id : flat.equations.ids()) {
    const FlatEquation& equation = flat.equations[id];
    for (const Expr side : {equation.left, equation.right}) {
      for (const Symbol s : symbols_of(pool, side)) {
        if (s.kind != SymbolKind::kVariable) continue;
        if (flat.variables[VariableId{s.index}].part != equation.part) continue;
        sets.unite(s.index, variables_ + id.value);
      }
    }
  }
  region_.resize(sets.size());
  for (std::size_t i = 0; i < region_.size(); ++i) region_[i] = sets.find(i);
}

const ErrorRegions& PartErrors::regions() const {
  if (!regions_) regions_ = std::make_unique<ErrorRegions>(pool_, flat_);
  return *regions_;
}

void PartErrors::mark(PartId part, std::size_t region) {
  said_.some[part.value] = 1;
  if (said_.region.empty()) said_.region.resize(regions().bound(), 0);
  said_.region[region] = 1;
}

void PartErrors::involve(const EquationPlace& place) {
  if (!is_written(place)) return involve(place.part);
  mark(place.part, regions().of(place.equation));
}

void PartErrors::involve(VariableId variable) {
  mark(flat_.variables[variable].part, regions().of(variable));
}

bool PartErrors::is_silent(VariableId variable) const {
  const PartId part = flat_.variables[variable].part;
  return is_silent(part) && has(silent_, part, regions().of(variable));
}

Diagnostic& PartErrors::error(Code code, PartId part, Span equation, std::string message) {
  if (is_silent(part)) return hidden_ = {};
  involve(part);
  return part_error(diagnostics_, flat_, code, part, equation, std::move(message));
}

Diagnostic& PartErrors::error(Code code, const EquationPlace& place, std::string message) {
  if (!is_written(place)) return error(code, place.part, place.span, std::move(message));
  if (has(silent_, place.part, regions().of(place.equation))) return hidden_ = {};
  involve(place);
  return part_error(diagnostics_, flat_, code, place.part, place.span, std::move(message));
}

Diagnostic& PartErrors::error(Code code, VariableId variable, Span at, std::string message) {
  if (is_silent(variable)) return hidden_ = {};
  involve(variable);
  return part_error(diagnostics_, flat_, code, flat_.variables[variable].part, at,
                    std::move(message));
}

}  // namespace luztar
