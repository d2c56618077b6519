#include "compiler/mechanics/constraints.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "compiler/mechanics/constraint_errors.h"
#include "compiler/mechanics/linkages.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/start_values.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

using Row = std::vector<std::pair<VariableId, Expr>>;

constexpr double kLargestRatio = 1e150;  // inertias and stiffnesses take its square

struct Solved {
  Row row;  // over other potentials and prescribed motions
  Expr offset;
  std::size_t constraint = 0;
};

class Elimination {
 public:
  Elimination(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
              const Definitions& definitions, PartErrors& errors)
      : pool_(pool),
        flat_(flat),
        classes_(classes),
        definitions_(definitions),
        report_(pool, flat, classes, definitions, errors),
        identity_(pool, flat),
        solved_(classes.count()),
        rank_(classes.count(), 0) {}

  PositionSolution run() {
    rank_coordinates();
    for (; current_ < definitions_.constraints.size(); ++current_) {
      eliminate(definitions_.constraints[current_]);
    }
    PositionSolution result;
    result.form.resize(classes_.count());
    std::vector<CoordinateId> id(solved_.size());
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      if (!is_potential(i) || solved_[i]) continue;
      id[i] = CoordinateId{result.coordinates.size()};
      result.coordinates.push_back(VariableId{i});
      result.form[i].terms.emplace_back(id[i], pool_.one());
      result.form[i].offset = pool_.zero();
    }
    for (std::size_t i = classes_.count(); i < solved_.size(); ++i) {
      id[i] = CoordinateId{result.coordinates.size() + i - classes_.count()};
    }
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      if (!is_potential(i) || !solved_[i]) continue;
      reduce(VariableId{i});
      for (const auto& [v, c] : solved_[i]->row) result.form[i].terms.emplace_back(id[v.value], c);
      check_ratios(VariableId{i});
      std::sort(result.form[i].terms.begin(), result.form[i].terms.end());
      result.form[i].offset = solved_[i]->offset;
    }
    result.prescribed = std::move(prescribed_);
    result.linkages = solve_linkages(pool_, flat_, classes_, definitions_.constraints, nonlinear_,
                                     result, rank_, report_);
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
        const bool known = identity_.nominal().is_parametric(coefficient);
        const double value = known ? identity_.nominal().value(coefficient) : 1;
        if (std::isinf(value)) rank_[symbol.index] |= 16;
        if (value != 0) rank_[symbol.index] |= 4;
      }
    }
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      if (!is_potential(i)) continue;
      const VariableId velocity = classes_.derivative[i];
      for (const VariableId chain : {VariableId{i}, velocity}) {
        if (!chain.valid()) continue;
        for (const VariableId member : classes_.members[chain.value]) {
          if (flat_.variables[member].start_given != StartGiven::kNo) rank_[i] |= 8;
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
      std::erase_if(row, [&](const auto& term) { return identity_.vanishes(term.second); });
      for (auto& [u, c] : row) c = plain_ratio(c);
      solved.row.assign(row.begin(), row.end());
      solved.offset = offset;
    }
  }

  // What turns with another by a loop of gears does so by 1, not by what rounding makes of its
  // ratios.
  Expr plain_ratio(Expr c) {
    if (pool_.is_constant(c) || !identity_.nominal().is_parametric(c)) return c;
    const double value = identity_.nominal().value(c);
    const double whole = value > 0 ? 1 : -1;
    if (std::abs(value - whole) > 1e-9) return c;
    const Expr plain = pool_.constant(whole);
    return identity_.is_zero(pool_.sub(c, plain)) ? plain : c;
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

  // A constraint in other potentials and prescribed motions: of positions or of their rates,
  //   sum row + shift + rest = 0 (the shift is constant: rates do not have it).
  struct Reduced {
    std::map<VariableId, Expr> row;
    Expr shift, rest;
  };

  // Ratios along a chain of gears multiply; of the first that is out of bounds all others follow.
  void check_ratios(VariableId v) {
    const Solved& solved = *solved_[v.value];
    if (ratio_out_of_bounds_) return;
    for (const auto& [u, c] : solved.row) {
      const double ratio = std::abs(identity_.nominal().value(c));
      const bool within = ratio <= kLargestRatio && ratio >= 1 / kLargestRatio;
      if (within || ratio == 0) continue;  // zero where terms cancel
      ratio_out_of_bounds_ = true;
      report_.ratio_out_of_bounds(solved.constraint, v, is_prescribed(u) ? VariableId{} : u,
                                  ratio > 1);
      return;
    }
  }

  [[nodiscard]] bool is_prescribed(VariableId v) const { return v.value >= classes_.count(); }

  void eliminate(const WorkEquation& equation) {
    AffineForm form;
    MotionOrder order = MotionOrder::kPosition;
    if (!motion_form(equation, form, order)) return;
    Reduced reduced{{}, pool_.zero(), form.rest};
    std::map<VariableId, Expr>& row = reduced.row;
    std::size_t contributions = 0;
    for (const auto& [symbol, coefficient] : form.coefficients) {
      const VariableId v{symbol.index};
      if (solved_[v.value]) reduce(v);
      const std::size_t before = row.size();
      add_scaled(v, coefficient, row, reduced.shift);
      contributions += before == row.size() && !(solved_[v.value] && solved_[v.value]->row.empty());
    }
    const std::size_t involved = row.size();
    std::erase_if(row, [&](const auto& term) { return identity_.vanishes(term.second); });
    if (std::all_of(row.begin(), row.end(),
                    [&](const auto& t) { return is_prescribed(t.first); })) {
      if (is_consistent(reduced, order) || gives_rate(equation, form, reduced, order)) return;
      report_contradiction(row);
      return;
    }
    if (row.size() == 1 && report_.follows_motion(current_)) {
      report_.follows_itself(current_, row.begin()->first);
      return;
    }
    // Of a planetary gear one member may be locked, and the others move on.
    if (row.size() == 1 && involved == 1 && (contributions > 0 || ties_to_itself(equation))) {
      report_.locked(current_, row.begin()->first);
      return;
    }
    pivot(equation, form, reduced, order);
  }

  // Two positions in the equation are the same motion: both flanges of a gear on one shaft.
  [[nodiscard]] bool ties_to_itself(const WorkEquation& equation) const {
    if (!equation.source.valid()) return false;
    const FlatEquation& written = flat_.equations[equation.source];
    std::map<VariableId, std::uint32_t> named;  // by class
    for (const Expr side : {written.left, written.right}) {
      for (const Symbol s : symbols_of(pool_, side)) {
        if (s.kind != SymbolKind::kVariable) continue;
        if (flat_.variables[VariableId{s.index}].role != VariableRole::kPotential) continue;
        const VariableId r = classes_.representative[s.index];
        if (named.emplace(r, s.index).first->second != s.index) return true;
      }
    }
    return false;
  }

  void pivot(const WorkEquation& equation, const AffineForm& form, const Reduced& reduced,
             MotionOrder order) {
    const std::pair<const VariableId, Expr>* best = nullptr;
    for (const auto& term : reduced.row) {
      if (is_prescribed(term.first)) continue;
      const double value = identity_.nominal().value(term.second);
      if (value == 0 || !std::isfinite(value)) continue;
      if (!best || rank_[term.first.value] <= rank_[best->first.value]) best = &term;
    }
    if (!best) {
      report_.without_ratio(current_);
      return;
    }
    const auto solve_for_best = [&](Expr e) { return pool_.neg(pool_.div(e, best->second)); };
    Solved solved{{}, {}, current_};
    for (const auto& [v, c] : reduced.row) {
      if (v != best->first) solved.row.emplace_back(v, solve_for_best(c));
    }
    if (order == MotionOrder::kPosition && identity_.nominal().is_parametric(reduced.rest)) {
      solved.offset = solve_for_best(pool_.add(reduced.shift, reduced.rest));
    } else {
      const Expr unit = form.coefficients.front().second;
      solved.offset = solve_for_best(reduced.shift);
      solved.row.emplace_back(prescribe(equation, form, order), pool_.neg(solve_for_best(unit)));
    }
    solved_[best->first.value] = std::move(solved);
  }

  // d = sum c_i p_i / c_0 with the law d = -rest / c_0, or the same for a rate.
  VariableId prescribe(const WorkEquation& equation, const AffineForm& form, MotionOrder order) {
    if (is_set_valued(pool_, form.rest)) report_.set_valued(current_);
    const Expr unit = form.coefficients.front().second;
    PrescribedMotion motion{{}, {}, equation.part, equation.span, equation.source};
    for (const auto& [symbol, c] : form.coefficients) {
      motion.row.emplace_back(VariableId{symbol.index}, pool_.div(c, unit));
    }
    motion.law[static_cast<std::size_t>(order)] = pool_.neg(pool_.div(form.rest, unit));
    prescribed_.push_back(std::move(motion));
    solved_.emplace_back();
    return VariableId{static_cast<std::uint32_t>(solved_.size() - 1)};
  }

  // The law of a prescribed motion or of its rate; invalid where it is an integral.
  Expr law_of(VariableId d, MotionOrder order) {
    const PrescribedMotion& motion = prescribed_[d.value - classes_.count()];
    std::size_t known = static_cast<std::size_t>(order) + 1;
    while (known > 0 && !motion.law[known - 1].valid()) --known;
    if (known == 0) return {};
    Expr result = motion.law[known - 1];
    for (; known <= static_cast<std::size_t>(order); ++known) {
      result = time_derivative(pool_, result, [&](Symbol s) {
        if (s.kind != SymbolKind::kVariable) return Expr{};
        const VariableId rate = classes_.derivative[s.index];
        const Expr value = definitions_.value[rate.value];
        return value.valid() ? value : pool_.symbol(SymbolKind::kVariable, rate.value);
      });
    }
    return result;
  }

  // A constraint between prescribed motions holds by itself.
  bool is_consistent(const Reduced& reduced, MotionOrder order) {
    Expr residual = reduced.rest;
    if (order == MotionOrder::kPosition) residual = pool_.add(residual, reduced.shift);
    for (const auto& [d, c] : reduced.row) {
      const Expr law = law_of(d, order);
      if (!law.valid()) return false;
      residual = pool_.add(residual, pool_.mul(c, law));
    }
    return identity_.is_zero(residual) || is_nominal_zero(residual);
  }

  // A part that prescribes a motion gives its rate as well, consistent with it or better than its
  // derivative (MSL's Move).
  bool gives_rate(const WorkEquation& equation, const AffineForm& form, const Reduced& reduced,
                  MotionOrder order) {
    if (form.coefficients.size() != 1 || reduced.row.size() != 1) return false;
    const auto& [d, c] = *reduced.row.begin();
    PrescribedMotion& motion = prescribed_[d.value - classes_.count()];
    Expr& law = motion.law[static_cast<std::size_t>(order)];
    const bool same = motion.row.size() == 1 && motion.part == equation.part &&
                      motion.row.front().first.value == form.coefficients.front().first.index;
    if (!same || law.valid()) return false;
    law = pool_.neg(pool_.div(reduced.rest, c));
    return true;
  }

  // The equation as an affine form in positions, or in velocities or accelerations.
  bool motion_form(const WorkEquation& equation, AffineForm& form, MotionOrder& order) {
    constexpr std::array kKinds = {SymbolKind::kVariable, SymbolKind::kVelocity,
                                   SymbolKind::kAcceleration};
    std::optional<std::size_t> highest;
    const auto order_of = [&](Symbol s) -> std::optional<std::size_t> {
      for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (s.kind == kKinds[i] && is_potential(s.index)) return i;
      }
      return std::nullopt;
    };
    for (const Symbol s : symbols_of(pool_, equation.residual)) {
      highest = std::max(highest, order_of(s));
    }
    if (!highest) {
      if (!identity_.is_zero(equation.residual)) report_.superfluous(current_);
      return false;
    }
    order = static_cast<MotionOrder>(*highest);
    const bool linear =
        affine_form(
            pool_, equation.residual, [&](Symbol s) { return order_of(s) == highest; }, form) &&
        std::all_of(form.coefficients.begin(), form.coefficients.end(),
                    [&](const auto& c) { return identity_.nominal().is_parametric(c.second); });
    const bool mixed =
        linear && depends_on(pool_, form.rest, [&](Symbol s) { return order_of(s).has_value(); });
    if (!linear || mixed) {
      if (identity_.is_zero(equation.residual)) return false;  // a derivative stated twice
      mixed ? report_.mixed(current_) : nonlinear_.push_back(current_);
      return false;
    }
    if (form.coefficients.size() > 1 && pool_.is_zero(form.rest)) integrate(form, order);
    return true;
  }

  Expr start_of(VariableId v) const {
    return v.valid() ? given_start(pool_, flat_, classes_.members[v.value]).value : pool_.zero();
  }

  // sum c_i v_i = 0 with constant c_i is the holonomic constraint sum c_i (p_i - p_i(0)) = 0; with
  // accelerations, sum c_i (p_i - p_i(0) - v_i(0) (t - t_0)) = 0.
  void integrate(AffineForm& form, MotionOrder& order) {
    if (order == MotionOrder::kPosition) return;
    const Expr elapsed = pool_.sub(pool_.time(), pool_.constant(flat_.experiment.start));
    for (auto& [symbol, coefficient] : form.coefficients) {
      const VariableId p{symbol.index};
      Expr start = start_of(p);
      if (order == MotionOrder::kAcceleration) {
        start = pool_.add(start, pool_.mul(start_of(classes_.derivative[p.value]), elapsed));
      }
      symbol.kind = SymbolKind::kVariable;
      form.rest = pool_.sub(form.rest, pool_.mul(coefficient, start));
    }
    order = MotionOrder::kPosition;
  }

  void report_contradiction(const std::map<VariableId, Expr>& row) {
    std::vector<EquationPlace> others;
    for (const auto& [d, c] : row) {
      const PrescribedMotion& other = prescribed_[d.value - classes_.count()];
      others.push_back({other.part, other.span, other.source});
    }
    others.empty() ? report_.contradiction(current_) : report_.prescribed_twice(current_, others);
  }

  bool is_nominal_zero(Expr e) {
    if (depends_on(pool_, e, [](Symbol s) {
          return s.kind != SymbolKind::kTime && s.kind != SymbolKind::kParameter;
        }))
      return false;
    const SymbolValues parameters = flat_.parameter_values();
    for (const double t : {0.0, 0.37, 1.9}) {
      const double value = evaluate(
          pool_, e, [&](Symbol s) { return s.kind == SymbolKind::kTime ? t : parameters(s); });
      if (!(std::abs(value) <= 1e-12)) return false;
    }
    return true;
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  const VariableClasses& classes_;
  const Definitions& definitions_;
  ConstraintErrors report_;
  std::size_t current_ = 0;  // constraint that is eliminated
  IdentityTest identity_;
  std::vector<std::optional<Solved>> solved_;  // the last ones stand for prescribed motions: never
  std::vector<PrescribedMotion> prescribed_;
  bool ratio_out_of_bounds_ = false;
  std::vector<std::size_t> nonlinear_;  // constraints left to linkages
  std::vector<unsigned>
      rank_;  // bits: 16 infinite inertia, 8 start value, 4 inertia, 1 named by a part
};

}  // namespace

PositionSolution solve_constraints(ExprPool& pool, const FlatModel& flat,
                                   const VariableClasses& classes, const Definitions& definitions,
                                   PartErrors& errors) {
  return Elimination(pool, flat, classes, definitions, errors).run();
}

}  // namespace luztar
