#include "compiler/mechanics/constraints.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

using Row = std::vector<std::pair<VariableId, Expr>>;

struct Solved {
  Row row;  // over other potentials
  Expr offset;
  Span span;
  PartId part;
};

class Elimination {
 public:
  Elimination(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
              const Definitions& definitions, Diagnostics& diagnostics)
      : pool_(pool),
        flat_(flat),
        classes_(classes),
        definitions_(definitions),
        diagnostics_(diagnostics),
        identity_(pool, flat),
        solved_(classes.count()),
        rank_(classes.count(), 0) {}

  PositionSolution run() {
    rank_coordinates();
    for (const WorkEquation& equation : definitions_.constraints) eliminate(equation);
    PositionSolution result;
    result.form.resize(classes_.count());
    std::vector<CoordinateId> id(classes_.count());
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      if (!is_potential(i) || solved_[i]) continue;
      id[i] = CoordinateId{result.coordinates.size()};
      result.coordinates.push_back(VariableId{i});
      result.form[i].terms.emplace_back(id[i], pool_.one());
      result.form[i].offset = pool_.zero();
    }
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      if (!is_potential(i) || !solved_[i]) continue;
      reduce(VariableId{i});
      for (const auto& [v, c] : solved_[i]->row) result.form[i].terms.emplace_back(id[v.value], c);
      std::sort(result.form[i].terms.begin(), result.form[i].terms.end());
      result.form[i].offset = solved_[i]->offset;
    }
    return result;
  }

 private:
  [[nodiscard]] bool is_potential(std::size_t i) const {
    return classes_.position[i] && !classes_.flow[i] && classes_.representative[i].value == i;
  }

  void rank_coordinates() {
    for (const WorkEquation& equation : definitions_.force_equations) {
      AffineForm form;
      if (!affine_form(
              pool_, equation.residual,
              [](Symbol s) { return s.kind == SymbolKind::kAcceleration; }, form)) {
        continue;
      }
      for (const auto& [symbol, coefficient] : form.coefficients) {
        if (!is_parametric(pool_, coefficient) || nominal_value(pool_, flat_, coefficient) != 0) {
          rank_[symbol.index] |= 4;
        }
      }
    }
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      if (!is_potential(i)) continue;
      const VariableId velocity = classes_.derivative[i];
      for (const VariableId chain : {VariableId{i}, velocity}) {
        if (!chain.valid()) continue;
        for (const VariableId member : classes_.members[chain.value]) {
          if (flat_.variables[member].start_given) rank_[i] |= 8;
          if (chain.value == i && flat_.variables[member].role == VariableRole::kLocal)
            rank_[i] |= 1;
        }
      }
    }
  }

  // Brings a solved potential's row to unsolved potentials (each row is shortened once: path
  // compression).
  void reduce(VariableId root) {
    std::vector<VariableId> stack{root};
    while (!stack.empty()) {
      const VariableId v = stack.back();
      Solved& solved = *solved_[v.value];
      bool ready = true;
      for (const auto& [u, c] : solved.row) {
        if (solved_[u.value] && !is_reduced(u)) {
          stack.push_back(u);
          ready = false;
        }
      }
      if (!ready) continue;
      stack.pop_back();
      std::map<VariableId, Expr> row;
      Expr offset = solved.offset;
      for (const auto& [u, c] : solved.row) add_scaled(u, c, row, offset);
      solved.row.assign(row.begin(), row.end());
      solved.offset = offset;
    }
  }

  [[nodiscard]] bool is_reduced(VariableId v) const {
    return std::none_of(solved_[v.value]->row.begin(), solved_[v.value]->row.end(),
                        [&](const auto& term) { return solved_[term.first.value].has_value(); });
  }

  void add_scaled(VariableId v, Expr factor, std::map<VariableId, Expr>& row, Expr& offset) {
    const auto add = [&](VariableId u, Expr c) {
      const auto [it, fresh] = row.emplace(u, c);
      if (!fresh) it->second = pool_.add(it->second, c);
    };
    if (!solved_[v.value]) {
      add(v, factor);
      return;
    }
    for (const auto& [u, c] : solved_[v.value]->row) add(u, pool_.mul(factor, c));
    offset = pool_.add(offset, pool_.mul(factor, solved_[v.value]->offset));
  }

  void eliminate(const WorkEquation& equation) {
    AffineForm form;
    if (!position_form(equation, form)) return;
    std::map<VariableId, Expr> row;
    Expr offset = form.rest;
    std::size_t contributions = 0;
    for (const auto& [symbol, coefficient] : form.coefficients) {
      const VariableId v{symbol.index};
      if (solved_[v.value]) reduce(v);
      const std::size_t before = row.size();
      add_scaled(v, coefficient, row, offset);
      contributions += before == row.size() && !(solved_[v.value] && solved_[v.value]->row.empty());
    }
    std::erase_if(row, [&](const auto& term) { return identity_.vanishes(term.second); });
    if (row.empty()) {
      check_consistent(equation, offset);
      return;
    }
    if (row.size() == 1 && contributions > 0) {
      report_locked(equation, row.begin()->first);
      return;
    }
    pivot(equation, row, offset);
  }

  void pivot(const WorkEquation& equation, const std::map<VariableId, Expr>& row, Expr offset) {
    const std::pair<const VariableId, Expr>* best = nullptr;
    for (const auto& term : row) {
      const double value = nominal_value(pool_, flat_, term.second);
      if (value == 0 || !std::isfinite(value)) continue;
      if (!best || rank_[term.first.value] <= rank_[best->first.value]) best = &term;
    }
    if (!best) {
      part_error(diagnostics_, flat_, Code::kUnsupportedEquation, equation.part, equation.span,
                 "the ratio in this constraint is zero or infinite")
          .with_note("a gear or rod needs a finite ratio different from zero");
      return;
    }
    Solved solved{{}, pool_.neg(pool_.div(offset, best->second)), equation.span, equation.part};
    for (const auto& [v, c] : row) {
      if (v != best->first) solved.row.emplace_back(v, pool_.neg(pool_.div(c, best->second)));
    }
    solved_[best->first.value] = std::move(solved);
  }

  // The equation as an affine form in positions; velocity constraints are integrated from the start
  // values.
  bool position_form(const WorkEquation& equation, AffineForm& form) {
    bool velocity = false, position = false, acceleration = false;
    for (const Symbol s : symbols_of(pool_, equation.residual)) {
      velocity |= s.kind == SymbolKind::kVelocity;
      acceleration |= s.kind == SymbolKind::kAcceleration;
      position |= s.kind == SymbolKind::kVariable && is_potential(s.index);
    }
    const SymbolKind kind = velocity ? SymbolKind::kVelocity : SymbolKind::kVariable;
    const auto unknown = [&](Symbol s) { return s.kind == kind && is_potential(s.index); };
    if (!velocity && !position && !acceleration) {
      check_superfluous(equation);
      return false;
    }
    const bool affine = affine_form(pool_, equation.residual, unknown, form);
    if (acceleration || (velocity && position) || !affine ||
        !std::all_of(form.coefficients.begin(), form.coefficients.end(),
                     [&](const auto& c) { return is_parametric(pool_, c.second); })) {
      if (identity_.is_zero(equation.residual)) return false;  // a derivative stated twice
      report_nonlinear(equation);
      return false;
    }
    const bool prescribed = depends_on(pool_, form.rest, [](Symbol s) {
      return s.kind != SymbolKind::kTime && s.kind != SymbolKind::kParameter;
    });
    if (prescribed || (velocity && !is_parametric(pool_, form.rest))) {
      part_error(diagnostics_, flat_, Code::kPrescribedMotion, equation.part, equation.span,
                 "the motion of " + part_name(flat_, equation.part) +
                     (velocity ? " is prescribed by a speed that varies with time"
                               : " is prescribed by a signal that is not a function of time alone"))
          .with_note(
              "prescribe a position as a function of time, or drive the flange through a spring");
      return false;
    }
    if (velocity) integrate(form);
    return true;
  }

  // sum c_i v_i + r = 0 with constant c_i, r is the holonomic constraint sum c_i (p_i - p_i(0)) + r
  // t = 0.
  void integrate(AffineForm& form) {
    form.rest = pool_.mul(form.rest, pool_.time());
    for (auto& [symbol, coefficient] : form.coefficients) {
      symbol.kind = SymbolKind::kVariable;
      for (const VariableId member : classes_.members[symbol.index]) {
        if (!flat_.variables[member].start_given) continue;
        form.rest = pool_.sub(form.rest, pool_.mul(coefficient, flat_.variables[member].start));
        break;
      }
    }
  }

  void check_consistent(const WorkEquation& equation, Expr offset) {
    if (identity_.is_zero(offset) || is_nominal_zero(offset)) return;
    part_error(diagnostics_, flat_, Code::kContradictoryConstraints, equation.part, equation.span,
               "rigid connections fix the same position twice, with different values")
        .with_label("this contradicts the other constraints of " + part_name(flat_, equation.part));
  }

  bool is_nominal_zero(Expr e) {
    const SymbolValues parameters = flat_.parameter_values();
    for (const double t : {0.0, 0.37, 1.9}) {
      const double value = evaluate(
          pool_, e, [&](Symbol s) { return s.kind == SymbolKind::kTime ? t : parameters(s); });
      if (!(std::abs(value) <= 1e-12)) return false;
    }
    return true;
  }

  void check_superfluous(const WorkEquation& equation) {
    if (identity_.is_zero(equation.residual)) return;
    part_error(diagnostics_, flat_, Code::kOverdetermined, equation.part, equation.span,
               "this equation of " + part_name(flat_, equation.part) +
                   " determines variables that other equations determine already");
  }

  void report_nonlinear(const WorkEquation& equation) {
    std::set<std::string> names;
    for (const Symbol s : symbols_of(pool_, equation.residual)) {
      if (s.kind == SymbolKind::kVariable || s.kind == SymbolKind::kVelocity ||
          s.kind == SymbolKind::kAcceleration) {
        if (s.index < flat_.variables.size())
          names.insert(flat_.variables[VariableId{s.index}].name);
      }
    }
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    part_error(diagnostics_, flat_, Code::kNonlinearConstraint, equation.part, equation.span,
               "this equation of " + part_name(flat_, equation.part) +
                   " constrains the motion in a way that cannot be eliminated")
        .with_note("constraints must be linear in positions with constant coefficients; it holds " +
                   list);
  }

  void report_locked(const WorkEquation& equation, VariableId v) {
    Diagnostic& error = part_error(
        diagnostics_, flat_, Code::kContradictoryConstraints, equation.part, equation.span,
        "the ratios around a loop of rigid connections contradict each other: '" +
            flat_.variables[v].name + "' could not move");
    error.with_label("the loop closes here, in " + part_name(flat_, equation.part));
    std::set<PartId> seen{equation.part};
    for (const auto& solved : solved_) {
      if (!solved || !seen.insert(solved->part).second || seen.size() > 6) continue;
      const bool near = std::any_of(solved->row.begin(), solved->row.end(),
                                    [&](const auto& term) { return term.first == v; });
      if (near) error.with_note("the loop passes " + part_name(flat_, solved->part), solved->span);
    }
    error.with_note(
        "the product of the ratios around a loop must be 1; make one connection elastic otherwise");
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  const VariableClasses& classes_;
  const Definitions& definitions_;
  Diagnostics& diagnostics_;
  IdentityTest identity_;
  std::vector<std::optional<Solved>> solved_;
  std::vector<unsigned>
      rank_;  // bits: 16 infinite inertia, 8 start value, 4 inertia, 1 named by a part
};

}  // namespace

PositionSolution solve_constraints(ExprPool& pool, const FlatModel& flat,
                                   const VariableClasses& classes, const Definitions& definitions,
                                   Diagnostics& diagnostics) {
  return Elimination(pool, flat, classes, definitions, diagnostics).run();
}

}  // namespace luztar
