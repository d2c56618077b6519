#include "compiler/mechanics/force_system.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/mechanics/force_errors.h"
#include "compiler/mechanics/force_terms.h"
#include "compiler/mechanics/linkages.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/stepwise_values.h"
#include "compiler/mechanics/union_find.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

struct ForceRow {
  std::map<VariableId, Expr> unknowns;  // flows and variables that depend on forces
  Expr known;                           // sum unknowns + known = 0
  PartId part;
  Span span;
  std::size_t equation;  // that the row came from
};

class ForceSolver {
 public:
  ForceSolver(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
              const Definitions& definitions, PartErrors& errors)
      : pool_(pool),
        flat_(flat),
        classes_(classes),
        definitions_(definitions),
        report_(pool, flat, classes, definitions, errors),
        identity_(pool, flat) {}

  ForceSystem run(const PositionSolution& positions, const std::vector<FlowBalance>& balances) {
    peel_deferred();
    std::vector<ForceRow> rows;
    std::vector<std::size_t> nonlinear;
    for (std::size_t i = 0; i < equations_.size(); ++i) {
      if (!add_row(i, rows)) nonlinear.push_back(i);
    }
    if (!nonlinear.empty()) add_nonlinear(nonlinear, rows);
    solve_clusters(rows);
    report_.undetermined(result_.laws);
    report_.next_pass();
    std::reverse(result_.deferred.begin(), result_.deferred.end());
    levers(positions, balances);
    check_virtual_work(positions);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_flow(std::uint32_t i) const { return classes_.flow[i] != 0; }

  // Sensors and powers: a variable that occurs in one equation only is computed after the forces
  // and takes that equation with it.
  void peel_deferred() {
    const std::vector<WorkEquation>& all = definitions_.force_equations;
    std::map<VariableId, std::set<std::size_t>> users;
    std::vector<std::vector<VariableId>> locals(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const Symbol s : symbols_of(pool_, all[i].residual)) {
        if (!report_.is_unknown(s) || is_flow(s.index)) continue;
        locals[i].push_back(VariableId{s.index});
        users[VariableId{s.index}].insert(i);
      }
    }
    std::vector<char> gone(all.size(), 0);
    std::vector<VariableId> work;
    for (const auto& [v, equations] : users) {
      // The rate of a force follows from nothing else.
      const VariableId base = classes_.integral[v.value];
      if (base.valid() && !definitions_.value[base.value].valid()) continue;
      if (equations.size() == 1) work.push_back(v);
    }
    std::set<VariableId> defined;
    for (std::size_t next = 0; next < work.size(); ++next) {
      const VariableId v = work[next];
      if (users[v].size() != 1 || defined.contains(v)) continue;
      const std::size_t i = *users[v].begin();
      AffineForm form;
      const Symbol symbol{SymbolKind::kVariable, v.value};
      if (!affine_form(
              pool_, all[i].residual, [&](Symbol s) { return s == symbol; }, form) ||
          form.coefficients.empty() || identity_.vanishes(form.coefficients[0].second)) {
        continue;
      }
      defined.insert(v);
      gone[i] = 1;
      result_.deferred.push_back({v, pool_.div(pool_.neg(form.rest), form.coefficients[0].second)});
      for (const VariableId u : locals[i]) {
        users[u].erase(i);
        if (users[u].size() == 1) work.push_back(u);
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!gone[i]) equations_.push_back(all[i]);
    }
    report_.set_equations(&equations_);
  }

  // Forces of springs and dampers, and what follows from them, are functions of the motion: then
  // such equations are linear in the others. Forces of dry frictions, inertia and rigid connections
  // are none.
  void add_nonlinear(const std::vector<std::size_t>& nonlinear, std::vector<ForceRow>& rows) {
    const auto is_unknown = [&](Symbol s) { return report_.is_unknown(s); };
    std::vector<Expr> residuals;
    for (const WorkEquation& equation : equations_) residuals.push_back(equation.residual);
    const StepwiseValues known(pool_, std::move(residuals), is_unknown,
                               [&](std::size_t, Symbol, Expr coefficient, Expr value) {
                                 return !identity_.vanishes(coefficient) && follows_motion(value);
                               });
    for (const std::size_t i : nonlinear) equations_[i].residual = known.insert(i);
    std::vector<std::size_t> failed;
    for (const std::size_t i : nonlinear) {
      if (!add_row(i, rows)) failed.push_back(i);
    }
    report_nonlinear(failed);
  }

  [[nodiscard]] bool follows_motion(Expr value) const {
    return !is_set_valued(pool_, value) && !holds_infinity(pool_, flat_, value) &&
           !depends_on(pool_, value, [](Symbol s) { return s.kind == SymbolKind::kAcceleration; });
  }

  // Where forces are the cause, signals that follow from them are no errors of their own.
  void report_nonlinear(const std::vector<std::size_t>& failed) {
    std::map<VariableId, std::size_t> first;
    UnionFind sets(failed.size());
    std::vector<char> bends_flow(failed.size()), forces(failed.size());
    for (std::size_t k = 0; k < failed.size(); ++k) {
      const Expr residual = equations_[failed[k]].residual;
      for (const Symbol s : symbols_of(pool_, residual)) {
        if (!report_.is_unknown(s) || is_flow(s.index)) continue;
        const auto [it, fresh] = first.emplace(VariableId{s.index}, k);
        if (!fresh) sets.unite(k, it->second);
      }
      const auto is_force = [&](Symbol s) { return report_.is_unknown(s) && is_flow(s.index); };
      AffineForm form;
      bends_flow[k] = affine_form(pool_, residual, is_force, form) ? 0 : 1;
    }
    for (std::size_t k = 0; k < failed.size(); ++k) {
      if (bends_flow[k]) forces[sets.find(k)] = 1;
    }
    for (std::size_t k = 0; k < failed.size(); ++k) {
      if (bends_flow[k] || !forces[sets.find(k)]) report_.nonlinear(failed[k]);
    }
  }

  // False when the equation is not linear.
  bool add_row(std::size_t i, std::vector<ForceRow>& rows) {
    const WorkEquation& equation = equations_[i];
    AffineForm form;
    if (!affine_form(
            pool_, equation.residual, [&](Symbol s) { return report_.is_unknown(s); }, form)) {
      return false;
    }
    ForceRow row{{}, form.rest, equation.part, equation.span, i};
    for (const auto& [symbol, coefficient] : form.coefficients) {
      row.unknowns.emplace(VariableId{symbol.index}, coefficient);
    }
    rows.push_back(std::move(row));
    return true;
  }

  // Equations that share an unknown form a cluster: a part, or parts that the user's own equations
  // join.
  void solve_clusters(std::vector<ForceRow>& rows) {
    std::map<VariableId, std::size_t> first_row;
    UnionFind sets(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const auto& [v, c] : rows[i].unknowns) {
        const auto [it, fresh] = first_row.emplace(v, i);
        if (!fresh) sets.unite(i, it->second);
      }
    }
    std::vector<std::vector<std::size_t>> clusters(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) clusters[sets.find(i)].push_back(i);
    for (const auto& cluster : clusters) {
      if (!cluster.empty() && !is_too_long(cluster, rows)) solve_cluster(cluster, rows);
    }
  }

  // True when the cluster holds a circle that is not solved.
  bool is_too_long(const std::vector<std::size_t>& cluster, const std::vector<ForceRow>& rows) {
    if (cluster.size() <= ForceErrors::kMostSignals) return false;
    bool found = false;
    for (const std::size_t i : cluster) found = report_.too_long(rows[i].equation) || found;
    return found;
  }

  // Reduced row echelon form; variables that are no flows are eliminated first.
  void solve_cluster(const std::vector<std::size_t>& cluster, std::vector<ForceRow>& rows) {
    std::vector<std::pair<VariableId, std::size_t>> pivots;
    std::map<VariableId, std::size_t> place;            // of a pivot
    std::map<VariableId, std::set<std::size_t>> users;  // places of pivots whose rows hold it
    for (const std::size_t i : cluster) {
      ForceRow& row = rows[i];
      std::set<std::size_t> known;  // no pivot's row holds another pivot
      for (const auto& [v, c] : row.unknowns) {
        if (const auto it = place.find(v); it != place.end()) known.insert(it->second);
      }
      for (const std::size_t k : known) subtract(row, pivots[k].first, rows[pivots[k].second]);
      const VariableId pivot = choose_pivot(row);
      if (!pivot.valid()) {
        if (!row.unknowns.empty()) {
          report_.singular(row.equation, row.unknowns.begin()->first);
        } else if (!identity_.is_zero(row.known)) {
          report_.superfluous(row.equation);
        } else {
          report_.redundant(row.equation);
        }
        continue;
      }
      normalize(row, pivot);
      for (const std::size_t k : users[pivot]) {
        subtract(rows[pivots[k].second], pivot, row);
        for (const auto& [v, c] : row.unknowns) users[v].insert(k);
      }
      users.erase(pivot);
      for (const auto& [v, c] : row.unknowns) {
        if (v != pivot) users[v].insert(pivots.size());
      }
      place.emplace(pivot, pivots.size());
      pivots.emplace_back(pivot, i);
    }
    for (const auto& [v, p] : pivots) {
      const ForceRow& row = rows[p];
      FlowLaw law{v, {}, pool_.neg(row.known), row.part, row.span, equations_[row.equation].source};
      for (const auto& [u, c] : row.unknowns) {
        if (u != v) law.free.emplace_back(u, pool_.neg(c));
      }
      if (is_flow(v.value)) {
        result_.laws.push_back(std::move(law));
      } else {
        Expr value = law.known;
        for (const auto& [u, c] : law.free) value = pool_.add(value, pool_.mul(c, symbol(u)));
        result_.deferred.push_back({v, value});
      }
    }
  }

  void subtract(ForceRow& row, VariableId pivot, const ForceRow& source) {
    const auto it = row.unknowns.find(pivot);
    if (it == row.unknowns.end()) return;
    const Expr factor = pool_.neg(it->second);
    row.unknowns.erase(it);
    for (const auto& [u, c] : source.unknowns) {
      if (u == pivot) continue;
      const auto [entry, fresh] = row.unknowns.emplace(u, pool_.mul(factor, c));
      if (!fresh) entry->second = pool_.add(entry->second, pool_.mul(factor, c));
      if (identity_.is_zero(entry->second)) row.unknowns.erase(entry);
    }
    row.known = pool_.add(row.known, pool_.mul(factor, source.known));
  }

  void normalize(ForceRow& row, VariableId pivot) {
    const Expr c = row.unknowns.at(pivot);
    for (auto& [u, coefficient] : row.unknowns) coefficient = pool_.div(coefficient, c);
    row.known = pool_.div(row.known, c);
  }

  // Variables that are no flows first, then those whose coefficient cannot become zero in motion.
  VariableId choose_pivot(const ForceRow& row) {
    VariableId best;
    int best_rank = 0;
    for (const auto& [v, c] : row.unknowns) {
      if (identity_.vanishes(c)) continue;
      const int rank = (is_flow(v.value) ? 0 : 2) + (identity_.nominal().is_parametric(c) ? 1 : 0);
      if (best.valid() && rank <= best_rank) continue;
      best = v;
      best_rank = rank;
    }
    return best;
  }

  // For every coordinate the balances give sum_f lever_f f = 0 whatever the parts' laws are.
  void levers(const PositionSolution& positions, const std::vector<FlowBalance>& balances) {
    std::map<VariableId, std::map<CoordinateId, Expr>> sum;
    for (const FlowBalance& balance : balances) {
      for (const auto& [flow, sign] : balance.flows) {
        const VariableId potential = flat_.variables[flow].conjugate;
        if (!potential.valid()) continue;
        std::map<CoordinateId, Expr>& row = sum[classes_.representative[flow.value]];
        const LinearForm& form = positions.form[classes_.representative[potential.value].value];
        for (const auto& [coordinate, c] : form.terms) {
          const Expr term = sign > 0 ? c : pool_.neg(c);
          const auto [it, fresh] = row.emplace(coordinate, term);
          if (!fresh) it->second = pool_.add(it->second, term);
        }
      }
    }
    for (const auto& [flow, row] : sum) {
      LinearForm form{{}, pool_.zero()};
      for (const auto& [coordinate, c] : row) {
        if (!pool_.is_zero(c)) form.terms.emplace_back(coordinate, c);
      }
      result_.lever.emplace(flow, std::move(form));
    }
  }

  // Along a prescribed motion a flow that stays free drives it.
  void check_virtual_work(const PositionSolution& positions) {
    std::map<VariableId, std::map<CoordinateId, Expr>> free;  // of flows no law gives
    std::set<VariableId> determined;
    std::map<VariableId, const FlowLaw*> mentioned;
    for (const FlowLaw& law : result_.laws) {
      determined.insert(law.flow);
      for (const auto& [g, c] : law.free) {
        mentioned.emplace(g, &law);
        const auto lever = result_.lever.find(law.flow);
        if (lever == result_.lever.end()) continue;
        for (const auto& [q, s] : lever->second.terms) accumulate(free[g], q, pool_.mul(c, s));
      }
    }
    for (const auto& [flow, lever] : result_.lever) {
      if (determined.contains(flow)) continue;
      for (const auto& [q, s] : lever.terms) accumulate(free[flow], q, s);
    }
    if (!positions.linkages.empty()) map_through_linkages(positions, free);
    for (const auto& [flow, row] : free) {
      const bool works = std::any_of(row.begin(), row.end(), [&](const auto& term) {
        return !positions.is_prescribed(term.first) && !identity_.vanishes(term.second);
      });
      if (works) report_work(flow, mentioned);
    }
  }

  // Virtual work: a force along p = n(q) acts on q with dn/dq.
  void map_through_linkages(const PositionSolution& positions,
                            std::map<VariableId, std::map<CoordinateId, Expr>>& levers) {
    const MotionMap motion(pool_, classes_, positions);
    const LinkageMap free(pool_, positions.linkages);
    for (auto& [flow, row] : levers) {
      for (const Linkage& linkage : positions.linkages) {
        const auto entry = row.find(linkage.coordinate);
        if (entry == row.end()) continue;
        const Expr lever = entry->second;
        row.erase(entry);
        for (const Symbol s : symbols_of(pool_, linkage.law)) {
          if (s.kind != SymbolKind::kCoordinate) continue;
          accumulate(row, CoordinateId{s.index},
                     pool_.mul(lever, derivative(pool_, linkage.law, s)));
        }
      }
      for (auto& [q, lever] : row) lever = free(motion(lever));
    }
  }

  void accumulate(std::map<CoordinateId, Expr>& row, CoordinateId q, Expr c) {
    const auto [it, fresh] = row.emplace(q, c);
    if (!fresh) it->second = pool_.add(it->second, c);
  }

  void report_work(VariableId flow, const std::map<VariableId, const FlowLaw*>& mentioned) {
    const auto law = mentioned.find(flow);
    if (law == mentioned.end()) return report_.works(flow, nullptr, {{flow, pool_.one()}});
    std::vector<std::pair<VariableId, Expr>> acting{{flow, pool_.one()}};
    for (const FlowLaw& other : result_.laws) {
      for (const auto& [g, c] : other.free) {
        if (g == flow) acting.emplace_back(other.flow, c);
      }
    }
    const EquationPlace place{law->second->part, law->second->span, law->second->source};
    report_.works(flow, &place, acting);
  }

  Expr symbol(VariableId v) { return pool_.symbol(SymbolKind::kVariable, v.value); }
  ExprPool& pool_;
  const FlatModel& flat_;
  const VariableClasses& classes_;
  const Definitions& definitions_;
  ForceErrors report_;
  IdentityTest identity_;
  std::vector<WorkEquation> equations_;  // for flows and what depends on them
  ForceSystem result_;
};

}  // namespace

ForceSystem solve_forces(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
                         const Definitions& definitions, const PositionSolution& positions,
                         const std::vector<FlowBalance>& balances, PartErrors& errors) {
  return ForceSolver(pool, flat, classes, definitions, errors).run(positions, balances);
}

}  // namespace luztar
