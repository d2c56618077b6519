#include "compiler/reduction/structural_parameters.h"

#include <cmath>

#include "compiler/symbolic/operations.h"

namespace luztar {

std::vector<ParameterId> structural_parameters(const ExprPool& pool, const FlatModel& flat,
                                               const std::set<Expr>& limits,
                                               const std::vector<Expr>& fixed) {
  enum Mark : char { kNone, kLimit, kStructural };
  std::vector<Mark> marks(flat.parameters.size(), kNone);
  std::vector<ParameterId> work;
  // What makes a limit is itself 0 or inf.
  const auto mark = [&](Symbol s, Mark as) {
    if (s.kind != SymbolKind::kParameter || marks[s.index] >= as) return;
    const double value = flat.parameters[ParameterId{s.index}].value;
    if (as == kLimit && value != 0 && !std::isinf(value)) return;
    marks[s.index] = as;
    work.push_back(ParameterId{s.index});
  };
  for (const ParameterId p : flat.parameters.ids()) {
    if (flat.parameters[p].structural) {
      mark({SymbolKind::kParameter, static_cast<std::uint32_t>(p.value)}, kStructural);
    }
  }
  for (const Expr e : fixed) {
    for (const Symbol s : symbols_of(pool, e)) mark(s, kStructural);
  }
  for (const Expr limit : limits) {
    for (const Symbol s : symbols_of(pool, limit)) mark(s, kLimit);
  }
  while (!work.empty()) {
    const ParameterId p = work.back();
    work.pop_back();
    const Expr binding = flat.parameters[p].binding;
    if (!binding.valid()) continue;
    for (const Symbol s : symbols_of(pool, binding)) mark(s, marks[p.value]);
  }
  std::vector<ParameterId> result;
  for (const ParameterId p : flat.parameters.ids()) {
    const FlatParameter& parameter = flat.parameters[p];
    const bool bound = parameter.binding.valid() && !pool.is_constant(parameter.binding);
    if (marks[p.value] != kNone && !parameter.constant && !bound) result.push_back(p);
  }
  return result;
}

}  // namespace luztar
