#include "compiler/mechanics/rigid_loop.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/mechanics/definitions.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// A constraint, or where that is null a rigid connection, and the positions that it ties.
struct Tie {
  const WorkEquation* constraint = nullptr;
  const ForceTerm* rigid = nullptr;
  std::vector<std::uint32_t> positions;
};

using PartPositions = std::map<PartId, std::set<std::uint32_t>>;

PartPositions positions_by_part(const FlatModel& flat, const VariableClasses& classes) {
  PartPositions result;
  for (const FlatConnector& connector : flat.connectors) {
    for (const VariableId v : connector.potentials) {
      result[connector.part].insert(classes.representative[v.value].value);
    }
  }
  return result;
}

std::vector<Tie> list_ties(const ExprPool& pool, const PartPositions& positions,
                           const VariableClasses& classes, const Definitions& definitions,
                           const std::vector<const ForceTerm*>& rigid, const ForceTerm& closing) {
  std::vector<Tie> ties;
  for (const WorkEquation& constraint : definitions.constraints) {
    Tie& tie = ties.emplace_back();
    tie.constraint = &constraint;
    for (const Symbol s : symbols_of(pool, constraint.residual)) {
      if (s.kind == SymbolKind::kVariable && classes.position[s.index] && !classes.flow[s.index]) {
        tie.positions.push_back(s.index);
      }
    }
  }
  for (const ForceTerm* term : rigid) {
    if (term->part == closing.part) continue;
    const std::set<std::uint32_t>& ends = positions.at(term->part);
    ties.push_back({nullptr, term, {ends.begin(), ends.end()}});
  }
  return ties;
}

/// Ties along a shortest way between two positions; none: empty.
std::vector<std::size_t> shortest_way(const std::vector<Tie>& ties, std::uint32_t from,
                                      std::uint32_t to) {
  std::map<std::uint32_t, std::vector<std::size_t>> at;  // by position
  for (std::size_t i = 0; i < ties.size(); ++i) {
    for (const std::uint32_t p : ties[i].positions) at[p].push_back(i);
  }
  struct Step {
    std::size_t tie = 0;
    std::uint32_t from = 0;
  };
  std::map<std::uint32_t, Step> reached{{from, {}}};
  std::vector<std::uint32_t> queue{from};
  for (std::size_t next = 0; next < queue.size() && !reached.contains(to); ++next) {
    for (const std::size_t i : at[queue[next]]) {
      for (const std::uint32_t p : ties[i].positions) {
        if (reached.emplace(p, Step{i, queue[next]}).second) queue.push_back(p);
      }
    }
  }
  std::vector<std::size_t> way;
  if (!reached.contains(to)) return way;
  for (std::uint32_t p = to; p != from; p = reached.at(p).from) way.push_back(reached.at(p).tie);
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace

void note_rigid_loop(Diagnostic& error, ExprPool& pool, const FlatModel& flat,
                     const std::vector<const ForceTerm*>& rigid, const ForceTerm& closing) {
  const VariableClasses classes = classify_variables(pool, flat, connection_sets(flat));
  const Definitions definitions = define_variables(pool, flat, classes);
  const PartPositions positions = positions_by_part(flat, classes);
  const std::set<std::uint32_t>& ends = positions.at(closing.part);
  if (ends.size() < 2) return;
  const std::vector<Tie> ties = list_ties(pool, positions, classes, definitions, rigid, closing);
  const std::vector<std::size_t> way = shortest_way(ties, *ends.begin(), *ends.rbegin());
  constexpr std::size_t kMostTies = 8;
  for (std::size_t i = 0; i < std::min(way.size(), kMostTies); ++i) {
    const Tie& tie = ties[way[i]];
    if (tie.constraint != nullptr) {
      note_equations(error, pool, flat, {tie.constraint->place()}, "the loop passes ");
    } else {
      error.with_note("the loop passes the rigid connection '" + tie.rigid->name + "'",
                      flat.parts[tie.rigid->part].span);
    }
  }
  if (way.size() > kMostTies) {
    error.with_note("and " + std::to_string(way.size() - kMostTies) + " more");
  }
}

}  // namespace luztar
