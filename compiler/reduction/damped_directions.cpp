#include "compiler/reduction/damped_directions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compiler/reduction/nodes.h"

namespace luztar {
namespace {

LinearForm massless_part(const LinearForm& form, const std::vector<char>& massless) {
  LinearForm result = form;
  std::erase_if(result.terms, [&](const auto& term) { return !massless[term.first.value]; });
  return result;
}

}  // namespace

std::vector<DampedDirection> damped_directions(const ReductionContext& context,
                                               const Mechanism& mechanism,
                                               const std::vector<char>& massless) {
  ExprPool& pool = context.pool;
  constexpr double kZero = 1e-12;  // ratios are of order one
  std::vector<DampedDirection> basis;
  std::map<CoordinateId, std::size_t> by_pivot;
  std::map<CoordinateId, std::set<std::size_t>> occurrences;  // in the others of which directions
  for (const ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || term.kind != TermKind::kDamper) continue;
    LinearForm row = massless_part(term.argument, massless);
    row.offset = pool.zero();
    for (const auto& [q, c] : LinearForm(row).terms) {  // take known directions out
      const auto known = by_pivot.find(q);
      if (known == by_pivot.end()) continue;
      row = sum(pool, without(row, q), scaled(pool, basis[known->second].others, pool.neg(c)));
    }
    std::erase_if(row.terms,
                  [&](const auto& t) { return std::fabs(value_of(context, t.second)) <= kZero; });
    if (row.terms.empty()) continue;
    const auto [pivot, c] = row.terms.front();
    DampedDirection direction{pivot, scaled(pool, without(row, pivot), pool.div(pool.one(), c))};
    std::set<std::size_t> with = std::move(occurrences[pivot]);
    occurrences.erase(pivot);
    for (const std::size_t i : with) {
      DampedDirection& other = basis[i];
      const Expr* shared = other.others.coefficient(pivot);
      if (!shared) continue;
      other.others = sum(pool, without(other.others, pivot),
                         scaled(pool, direction.others, pool.neg(*shared)));
      std::erase_if(other.others.terms,
                    [&](const auto& t) { return std::fabs(value_of(context, t.second)) <= kZero; });
    }
    with.insert(basis.size());
    for (const auto& [q, factor] : direction.others.terms) {
      occurrences[q].insert(with.begin(), with.end());
    }
    by_pivot.emplace(pivot, basis.size());
    basis.push_back(std::move(direction));
  }
  return basis;
}

std::vector<char> creeping_coordinates(const ReductionContext& context, const Mechanism& mechanism,
                                       const std::vector<char>& massless) {
  std::vector<char> result(massless.size(), 0);
  for (const DampedDirection& direction : damped_directions(context, mechanism, massless)) {
    if (direction.others.terms.empty()) result[direction.pivot.value] = 1;
  }
  return result;
}

}  // namespace luztar
