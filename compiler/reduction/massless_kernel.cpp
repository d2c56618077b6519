#include "compiler/reduction/massless_kernel.h"

#include <cmath>
#include <map>
#include <set>

#include "compiler/reduction/nodes.h"

namespace luztar {
namespace {

/// z = u_pivot + sum of others, a direction in which damping acts.
struct Direction {
  CoordinateId pivot;
  LinearForm others;  // massless coordinates without pivot
};

LinearForm massless_part(const LinearForm& form, const std::vector<char>& massless) {
  LinearForm result = form;
  std::erase_if(result.terms, [&](const auto& term) { return !massless[term.first.value]; });
  return result;
}

/// A basis of the rows of all dampers, each with a coordinate of its own (Gauss-Jordan).
std::vector<Direction> damped_directions(const ReductionContext& context,
                                         const Mechanism& mechanism,
                                         const std::vector<char>& massless) {
  ExprPool& pool = context.pool;
  constexpr double kZero = 1e-12;  // ratios are of order one
  std::vector<Direction> basis;
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
    Direction direction{pivot, scaled(pool, without(row, pivot), pool.div(pool.one(), c))};
    std::set<std::size_t> with = std::move(occurrences[pivot]);
    occurrences.erase(pivot);
    for (const std::size_t i : with) {
      Direction& other = basis[i];
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

/// The coordinate of a direction: the pivot itself, or a new one in its place.
CoordinateId write_in_direction(Mechanism& mechanism, const ReductionContext& context,
                                NodeTerms& nodes, const Direction& direction) {
  if (direction.others.terms.empty()) return direction.pivot;
  ExprPool& pool = context.pool;
  Coordinate z = mechanism.coordinates[direction.pivot];
  const Expr name = pool.add(pool.symbol(SymbolKind::kCoordinate, direction.pivot.value),
                             to_expr(pool, direction.others, false));
  z.name = "(" + text_of(context, mechanism, name) + ")";
  z.velocity_name = "der" + z.name;
  std::vector<Expr> start{z.start};
  for (const auto& [q, c] : direction.others.terms) {
    start.push_back(pool.mul(c, mechanism.coordinates[q].start));
  }
  z.start = pool.add(std::move(start));
  const CoordinateId id = mechanism.coordinates.push_back(std::move(z));
  LinearForm by = scaled(pool, direction.others, pool.constant(-1));
  by.terms.emplace_back(id, pool.one());  // the greatest id: stays sorted
  eliminate_coordinate(context, mechanism, nodes, direction.pivot, by);
  for (const auto& [q, c] : direction.others.terms) {
    join_terms(nodes[q.value], nodes[direction.pivot.value]);
  }
  nodes.terms.push_back(std::move(nodes[direction.pivot.value]));
  return id;
}

}  // namespace

Mechanism massless_kernel(Mechanism mechanism, const ReductionContext& context) {
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  const std::vector<Direction> directions = damped_directions(context, mechanism, massless);
  NodeTerms nodes = node_terms(mechanism);
  std::string names;
  std::string condition;
  for (const Direction& direction : directions) {
    condition += (condition.empty() ? "" : ", ") + massless_condition(mechanism, direction.pivot);
    const CoordinateId q = write_in_direction(mechanism, context, nodes, direction);
    mechanism.coordinates[q].role = CoordinateRole::kCreep;
    names += (names.empty() ? "'" : ", '") + mechanism.coordinates[q].velocity_name + "'";
  }
  if (directions.empty()) return mechanism;
  context.log.push_back({"massless kernel", "kernel A, Th. 5.3 in several variables",
                         condition + ", damping in " + std::to_string(directions.size()) +
                             (directions.size() == 1 ? " direction" : " directions"),
                         names + " follow from the balance of forces, dry friction by Gauss' "
                                 "principle in velocities"});
  return mechanism;
}

}  // namespace luztar
