#include "compiler/lowering/flow_solution.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "compiler/mechanics/dependent_rows.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

struct Row {
  PartId part;
  std::size_t balance = 0;          // when it is one: part is invalid
  bool used = false;                // it defines a flow
  std::map<Symbol, Expr> unknowns;  // sum coefficient * unknown + rest = 0
  Expr rest;
};

class FlowSolver {
 public:
  FlowSolver(ExprPool& pool, const FlatModel& flat, const Mechanism& mechanism)
      : pool_(pool), flat_(flat), mechanism_(mechanism), identity_(pool, flat) {}

  FlowSolution run() {
    collect_rows();
    close();
    eliminate_loops();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      if (!row.used && row.unknowns.empty()) result_.checks.push_back({row.rest, row.part, i});
    }
    for (const Symbol s : unknowns_) {
      if (!result_.values.contains(s)) result_.indeterminate.push_back(s);
    }
    return std::move(result_);
  }

  std::vector<std::string> involved_in(std::size_t check) {
    collect_rows();
    std::vector<NumberRow> rows;
    for (const Row& row : rows_) {
      NumberRow& numbers = rows.emplace_back();
      for (const auto& [s, c] : row.unknowns) {
        const double value = identity_.sample(c);
        const std::uint32_t column = 2 * s.index + (s.kind == SymbolKind::kForce ? 1 : 0);
        if (value != 0 && std::isfinite(value)) numbers.emplace_back(column, value);
      }
    }
    std::vector<std::string> names;
    for (const std::size_t i : dependent_rows(rows, check)) {
      const std::string name = name_of(rows_[i]);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
  }

 private:
  [[nodiscard]] std::string name_of(const Row& row) const {
    if (row.part.valid()) return "the forces of " + part_name(flat_, row.part);
    std::string name;
    for (const auto& [flow, sign] : mechanism_.flow_balances[row.balance].flows) {
      const ConnectorId connector = flat_.variables[flow].connector;
      if (!connector.valid()) continue;
      name += (name.empty() ? "the connection of '" : " and '") + flat_.connectors[connector].name +
              "'";
    }
    return name;
  }

  [[nodiscard]] bool is_unknown(Symbol s) const {
    if (s.kind == SymbolKind::kForce) {
      return mechanism_.terms[ForceTermId{s.index}].status == TermStatus::kRigid;
    }
    return s.kind == SymbolKind::kVariable && flows_.contains(s);
  }

  void collect_rows() {
    for (const FlowBalance& balance : mechanism_.flow_balances) {
      for (const auto& [flow, sign] : balance.flows) {
        flows_.insert({SymbolKind::kVariable, flow.value});
      }
    }
    for (const FlowEquation& equation : mechanism_.flow_equations) {
      flows_.insert({SymbolKind::kVariable, equation.flow.value});
    }
    for (const FlowEquation& equation : mechanism_.flow_equations) {
      // J = inf: the law of a blocked body says nothing about its forces.
      if (holds_infinity(pool_, flat_, equation.value)) continue;
      add_row(pool_.sub(pool_.symbol(SymbolKind::kVariable, equation.flow.value), equation.value),
              equation.part);
    }
    for (std::size_t i = 0; i < mechanism_.flow_balances.size(); ++i) {
      std::vector<Expr> terms;
      for (const auto& [flow, sign] : mechanism_.flow_balances[i].flows) {
        const Expr f = pool_.symbol(SymbolKind::kVariable, flow.value);
        terms.push_back(sign > 0 ? f : pool_.neg(f));
      }
      add_row(pool_.add(std::move(terms)), PartId{}, i);
    }
  }

  void add_row(Expr residual, PartId part, std::size_t balance = 0) {
    AffineForm form;
    if (!affine_form(
            pool_, residual, [&](Symbol s) { return is_unknown(s); }, form))
      return;
    Row row{part, balance, false, {}, form.rest};
    for (const auto& [s, c] : form.coefficients) {
      if (identity_.vanishes(c)) continue;
      row.unknowns.emplace(s, c);
      users_[s].push_back(rows_.size());
      unknowns_.insert(s);
    }
    rows_.push_back(std::move(row));
  }

  // Flows keep their symbol in the values of others: the resolver puts them together. The lever of
  // a linkage may become zero in motion, as at a dead centre: it is divided by only where the other
  // side does not give the force.
  void close() {
    std::deque<std::size_t> steady, varying;
    const auto put = [&](std::size_t i) {
      if (rows_[i].unknowns.size() != 1) return;
      const Expr lever = rows_[i].unknowns.begin()->second;
      (identity_.nominal().is_parametric(lever) ? steady : varying).push_back(i);
    };
    for (std::size_t i = 0; i < rows_.size(); ++i) put(i);
    while (!steady.empty() || !varying.empty()) {
      std::deque<std::size_t>& queue = steady.empty() ? varying : steady;
      Row& row = rows_[queue.front()];
      queue.pop_front();
      if (row.unknowns.size() != 1) continue;
      const auto [s, c] = *row.unknowns.begin();
      row.unknowns.clear();
      row.used = true;
      define(s, pool_.div(pool_.neg(row.rest), c));
      for (const std::size_t user : users_[s]) {
        Row& other = rows_[user];
        const auto it = other.unknowns.find(s);
        if (it == other.unknowns.end()) continue;
        other.rest = pool_.add(other.rest, pool_.mul(it->second, pool_.symbol(s)));
        other.unknowns.erase(it);
        put(user);
      }
    }
  }

  void define(Symbol s, Expr value) { result_.values.emplace(s, value); }

  // Gauss-Jordan: the row of a pivot has no other pivot, so what is to be subtracted from a row can
  // be read off it. The cost is that of the entries that change: many loops apart from each other
  // do not meet.
  void eliminate_loops() {
    std::vector<std::pair<Symbol, std::size_t>> pivots;
    std::map<Symbol, std::size_t> order;  // of a pivot: index into `pivots`
    std::map<Symbol, std::set<std::size_t>>
        occurrences;  // of any other: pivots with it in their row
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].unknowns.empty()) continue;
      std::set<std::size_t> earlier;
      for (const auto& [s, c] : rows_[i].unknowns) {
        const auto known = order.find(s);
        if (known != order.end()) earlier.insert(known->second);
      }
      for (const std::size_t p : earlier) {
        subtract(rows_[i], pivots[p].first, rows_[pivots[p].second]);
      }
      if (rows_[i].unknowns.empty()) continue;
      rows_[i].used = true;
      const Symbol pivot = rows_[i].unknowns.begin()->first;
      const Expr c = rows_[i].unknowns.begin()->second;
      for (auto& [s, coefficient] : rows_[i].unknowns) coefficient = pool_.div(coefficient, c);
      rows_[i].rest = pool_.div(rows_[i].rest, c);
      std::set<std::size_t> with = occurrences[pivot];
      occurrences.erase(pivot);
      for (const std::size_t p : with) subtract(rows_[pivots[p].second], pivot, rows_[i]);
      with.insert(pivots.size());
      for (const auto& [s, coefficient] : rows_[i].unknowns) {
        if (s != pivot) occurrences[s].insert(with.begin(), with.end());
      }
      order.emplace(pivot, pivots.size());
      pivots.emplace_back(pivot, i);
    }
    for (const auto& [s, p] : pivots) {
      if (rows_[p].unknowns.size() == 1) define(s, pool_.neg(rows_[p].rest));
    }
  }

  void subtract(Row& row, Symbol pivot, const Row& source) {
    const auto it = row.unknowns.find(pivot);
    if (it == row.unknowns.end()) return;
    const Expr factor = pool_.neg(it->second);
    row.unknowns.erase(it);
    for (const auto& [s, c] : source.unknowns) {
      if (s == pivot) continue;
      const auto [entry, fresh] = row.unknowns.emplace(s, pool_.mul(factor, c));
      if (!fresh) entry->second = pool_.add(entry->second, pool_.mul(factor, c));
      if (identity_.vanishes(entry->second)) row.unknowns.erase(entry);
    }
    row.rest = pool_.add(row.rest, pool_.mul(factor, source.rest));
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  const Mechanism& mechanism_;
  IdentityTest identity_;
  std::set<Symbol> flows_, unknowns_;
  std::vector<Row> rows_;
  std::map<Symbol, std::vector<std::size_t>> users_;
  FlowSolution result_;
};

}  // namespace

FlowSolution solve_flows(ExprPool& pool, const FlatModel& flat, const Mechanism& mechanism) {
  return FlowSolver(pool, flat, mechanism).run();
}

std::vector<std::string> involved_in(ExprPool& pool, const FlatModel& flat,
                                     const Mechanism& mechanism, const FlowCheck& check) {
  return FlowSolver(pool, flat, mechanism).involved_in(check.row);
}

}  // namespace luztar
