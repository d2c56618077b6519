#include "compiler/reduction/friction_loops.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compiler/mechanics/parameter_point.h"

namespace luztar {
namespace {

/// row = sum over `of` of their slips, what the pivots so far have left of it.
struct SlipRow {
  std::map<CoordinateId, double> row;
  std::map<ForceTermId, double> of;
};

template <class Key>
void add(std::map<Key, double>& to, const std::map<Key, double>& what, double factor,
         double rounding) {
  for (const auto& [key, value] : what) {
    double& entry = to[key];
    entry += factor * value;
    if (std::fabs(entry) <= rounding) to.erase(key);
  }
}

}  // namespace

std::vector<char> frictions_in_loops(const Mechanism& mechanism, const ReductionContext& context) {
  constexpr double kRounding = 1e-10;  // of rows in units of their greatest entries
  std::vector<char> in_loop(mechanism.terms.size(), 0);
  const SymbolValues values = values_at_parameters(context.pool, context.flat);
  const auto value = [&](Expr e) { return evaluate(context.pool, e, values); };
  std::map<CoordinateId, SlipRow> pivots;
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive || term.kind != TermKind::kFriction) continue;
    SlipRow r;
    double greatest = 0;
    for (const auto& [q, c] : term.argument.terms) {
      const double entry = value(c);
      if (!std::isfinite(entry) || entry == 0) continue;
      r.row[q] = entry;
      greatest = std::max(greatest, std::fabs(entry));
    }
    if (r.row.empty()) continue;
    for (auto& [q, entry] : r.row) entry /= greatest;
    r.of[id] = 1;
    for (auto at = r.row.begin(); at != r.row.end();) {
      const CoordinateId q = at->first;
      const auto pivot = pivots.find(q);
      if (pivot == pivots.end()) {
        ++at;
        continue;
      }
      const double factor = -at->second / pivot->second.row.at(q);
      add(r.of, pivot->second.of, factor, kRounding);
      add(r.row, pivot->second.row, factor, kRounding);
      r.row.erase(q);
      at = r.row.begin();
    }
    if (!r.row.empty()) {
      const CoordinateId q = r.row.begin()->first;
      pivots.emplace(q, std::move(r));
    } else if (r.of.size() > 2) {
      for (const auto& [friction, factor] : r.of) in_loop[friction.value] = 1;
    }
  }
  return in_loop;
}

}  // namespace luztar
