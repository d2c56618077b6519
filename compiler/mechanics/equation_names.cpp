#include "compiler/mechanics/equation_names.h"

#include <set>

#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

constexpr std::size_t kMostSeen = 8, kMostNames = 8;

}  // namespace

std::string equation_text(const ExprPool& pool, const FlatModel& flat, const EquationPlace& place) {
  if (!place.equation.valid()) return "an equation of " + part_name(flat, place.part);
  const FlatEquation& equation = flat.equations[place.equation];
  const SymbolNames names = flat.names();
  return "`" + to_text(pool, equation.left, names) + " = " + to_text(pool, equation.right, names) +
         "` of " + part_name(flat, place.part);
}

void note_equations(Diagnostic& error, const ExprPool& pool, const FlatModel& flat,
                    const std::vector<EquationPlace>& places, const std::string& lead,
                    const EquationPlace& said) {
  std::set<FlatEquationId> seen;
  std::size_t left = 0;
  for (const EquationPlace& place : places) {
    if (place == said || !seen.insert(place.equation).second) continue;
    if (seen.size() > kMostSeen) {
      ++left;
    } else {
      error.with_note(lead + equation_text(pool, flat, place), place.span);
    }
  }
  if (left > 0) error.with_note("and " + std::to_string(left) + " more");
}

std::string quoted_list(const std::vector<std::string>& names) {
  const std::size_t shown = names.size() <= kMostNames ? names.size() : kMostNames;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += "'" + names[i] + "'";
  }
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

}  // namespace luztar
