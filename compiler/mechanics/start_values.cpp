#include "compiler/mechanics/start_values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

enum class Chain : std::uint8_t { kPosition, kVelocity };

/// sum_i terms_i x_i + offset of start values x_i of coordinates.
struct Sum {
  std::map<CoordinateId, Expr> terms;
  Expr offset;
};

/// sum_i terms_i x_i + offset = given.
struct StartEquation {
  Sum sum;
  GivenStart start;
};

class StartSolver {
 public:
  StartSolver(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
              const PositionSolution& positions, Diagnostics& diagnostics, Mechanism& mechanism)
      : pool_(pool),
        flat_(flat),
        classes_(classes),
        positions_(positions),
        diagnostics_(diagnostics),
        coordinates_(mechanism.coordinates) {}

  void run(Chain chain) {
    chain_ = chain;
    solved_.clear();
    order_.clear();
    const std::vector<StartEquation> equations = list_equations();
    for (const StartGiven given : {StartGiven::kYes, StartGiven::kGuess}) {
      for (const StartEquation& e : equations) {
        if (e.start.given == given) solve(e);
      }
    }
    // What has been solved first may depend on what has been solved later.
    for (std::size_t i = order_.size(); i-- > 0;) {
      const Sum& sum = solved_.at(order_[i]);
      Expr value = sum.offset;
      for (const auto& [q, factor] : sum.terms) {
        value = pool_.add(value, pool_.mul(factor, start(q)));
      }
      start(order_[i]) = value;
    }
  }

 private:
  [[nodiscard]] bool of_positions() const { return chain_ == Chain::kPosition; }
  Expr& start(CoordinateId q) {
    return of_positions() ? coordinates_[q].start : coordinates_[q].start_velocity;
  }
  StartGiven& given(CoordinateId q) {
    return of_positions() ? coordinates_[q].start_given : coordinates_[q].start_velocity_given;
  }

  std::vector<StartEquation> list_equations() {
    std::vector<StartEquation> equations;
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      const bool dependent = classes_.position[i] && !classes_.flow[i] &&
                             classes_.representative[i].value == i &&
                             !positions_.form[i].terms.empty() && !is_coordinate(VariableId{i});
      const VariableId v = of_positions() ? VariableId{i} : classes_.derivative[i];
      if (!dependent || !v.valid()) continue;
      GivenStart value = start_of_class(pool_, flat_, classes_.members[v.value], diagnostics_);
      if (value.given == StartGiven::kNo) continue;
      const std::optional<Sum> sum = sum_of(positions_.form[i]);
      if (sum) equations.push_back({*sum, value});
    }
    return equations;
  }

  [[nodiscard]] bool is_coordinate(VariableId v) const {
    const LinearForm& form = positions_.form[v.value];
    if (form.terms.size() != 1) return false;
    const Coordinate& c = coordinates_[form.terms.front().first];
    return classes_.representative[c.variable.value] == v;
  }

  // Nothing where a law has the start value of a term. That of a linkage takes over what is given
  // of its coordinate alone.
  std::optional<Sum> sum_of(const LinearForm& form) {
    Sum sum;
    sum.offset = of_positions() ? form.offset : pool_.zero();
    for (const auto& [q, factor] : form.terms) {
      const Coordinate& c = coordinates_[q];
      const bool by_law = c.role == CoordinateRole::kPrescribed &&
                          (c.position.valid() || (!of_positions() && c.velocity.valid()));
      const bool guided = c.role == CoordinateRole::kGuided && form.terms.size() > 1;
      if (guided || by_law) return std::nullopt;
      sum.terms.emplace(q, factor);
    }
    return sum;
  }

  void add_scaled(Sum& sum, CoordinateId q, Expr factor) {
    const auto [term, is_new] = sum.terms.emplace(q, factor);
    if (!is_new) term->second = pool_.add(term->second, factor);
  }

  void solve(const StartEquation& e) {
    Sum sum{{}, e.sum.offset};
    double size = 0;
    for (const auto& [q, factor] : e.sum.terms) {
      size = std::max(size, std::abs(nominal(factor)));
      const auto known = solved_.find(q);
      if (known == solved_.end()) {
        add_scaled(sum, q, factor);
        continue;
      }
      sum.offset = pool_.add(sum.offset, pool_.mul(factor, known->second.offset));
      for (const auto& [p, share] : known->second.terms) {
        add_scaled(sum, p, pool_.mul(factor, share));
      }
    }
    const CoordinateId yields = what_yields(sum, e.start.given, size);
    if (!yields.valid()) return;
    const Expr divisor = sum.terms.at(yields);
    sum.terms.erase(yields);
    Sum solution{{}, pool_.div(pool_.sub(e.start.value, sum.offset), divisor)};
    for (const auto& [q, factor] : sum.terms) {
      solution.terms.emplace(q, pool_.neg(pool_.div(factor, divisor)));
    }
    solved_.emplace(yields, std::move(solution));
    order_.push_back(yields);
    given(yields) = e.start.given;
  }

  // Of those that know less than is given here, the one that knows least; of several that with the
  // greatest factor.
  CoordinateId what_yields(const Sum& sum, StartGiven than, double size) {
    constexpr double kZero = 1e-12;
    CoordinateId best;
    double greatest = 0;
    for (const auto& [q, factor] : sum.terms) {
      const double value = std::abs(nominal(factor));
      if (given(q) >= than || !(value > kZero * size)) continue;
      if (best.valid() && std::pair(given(q), -value) >= std::pair(given(best), -greatest)) {
        continue;
      }
      best = q;
      greatest = value;
    }
    return best;
  }

  [[nodiscard]] double nominal(Expr e) const { return nominal_value(pool_, flat_, e); }

  ExprPool& pool_;
  const FlatModel& flat_;
  const VariableClasses& classes_;
  const PositionSolution& positions_;
  Diagnostics& diagnostics_;
  Table<CoordinateId, Coordinate>& coordinates_;
  Chain chain_ = Chain::kPosition;
  std::map<CoordinateId, Sum> solved_;  // each without those solved before
  std::vector<CoordinateId> order_;
};

}  // namespace

GivenStart given_start(ExprPool& pool, const FlatModel& flat,
                       const std::vector<VariableId>& members) {
  GivenStart start{pool.zero(), StartGiven::kNo, {}};
  for (const VariableId v : members) {
    const FlatVariable& variable = flat.variables[v];
    if (variable.start_given > start.given) start = {variable.start, variable.start_given, v};
  }
  return start;
}

GivenStart start_of_class(ExprPool& pool, const FlatModel& flat,
                          const std::vector<VariableId>& members, Diagnostics& diagnostics) {
  const GivenStart start = given_start(pool, flat, members);
  if (start.given != StartGiven::kYes) return start;
  const FlatVariable& first = flat.variables[start.variable];
  for (const VariableId v : members) {
    const FlatVariable& variable = flat.variables[v];
    if (variable.start_given != StartGiven::kYes) continue;
    const double apart = std::abs(nominal_value(pool, flat, variable.start) -
                                  nominal_value(pool, flat, start.value));
    if (!(apart > 1e-9)) continue;
    diagnostics
        .error(Code::kInconsistentStart, variable.start_span,
               "start values contradict each other: '" + variable.name + "' and '" + first.name +
                   "' are the same motion")
        .with_note("the other start value is here", first.start_span);
  }
  return start;
}

void solve_starts(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
                  const PositionSolution& positions, Diagnostics& diagnostics,
                  Mechanism& mechanism) {
  StartSolver solver(pool, flat, classes, positions, diagnostics, mechanism);
  solver.run(Chain::kPosition);
  solver.run(Chain::kVelocity);
}

}  // namespace luztar
