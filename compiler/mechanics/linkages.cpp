#include "compiler/mechanics/linkages.h"

#include <cmath>

#include "compiler/mechanics/force_terms.h"
#include "compiler/mechanics/jumps.h"
#include "compiler/mechanics/mechanism.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

LinkageMap::LinkageMap(ExprPool& pool, const std::vector<Linkage>& linkages) : pool_(pool) {
  for (const Linkage& linkage : linkages) add(linkage);
}

void LinkageMap::add(const Linkage& linkage) {
  const std::uint32_t p = linkage.coordinate.value;
  const Expr rate = rate_of_motion(pool_, linkage.law);
  value_.emplace(Symbol{SymbolKind::kCoordinate, p}, linkage.law);
  value_.emplace(Symbol{SymbolKind::kVelocity, p}, rate);
  value_.emplace(Symbol{SymbolKind::kAcceleration, p}, rate_of_motion(pool_, rate));
}

// While they are found, laws may hold coordinates of later linkages, never in a circle.
Expr LinkageMap::operator()(Expr e) const {
  const auto given = [&](Symbol s) { return value_.contains(s); };
  while (depends_on(pool_, e, given)) {
    e = substitute(pool_, e, [&](Symbol s) {
      const auto it = value_.find(s);
      return it == value_.end() ? Expr{} : it->second;
    });
  }
  return e;
}

namespace {

class LinkageSolver {
 public:
  LinkageSolver(ExprPool& pool, const FlatModel& flat, const PositionSolution& positions,
                const std::vector<unsigned>& rank, ConstraintErrors& report)
      : pool_(pool),
        flat_(flat),
        positions_(positions),
        rank_(rank),
        report_(report),
        identity_(pool, flat),
        free_(pool, {}) {}

  // residual: of constraint i, in coordinates
  void solve(std::size_t i, const WorkEquation& equation, Expr residual) {
    residual = free_(residual);
    if (identity_.is_zero(residual)) return;  // the rate of a linkage stated again
    const bool positions_alone = !depends_on(pool_, residual, [](Symbol s) {
      return s.kind != SymbolKind::kCoordinate && s.kind != SymbolKind::kParameter;
    });
    if (!positions_alone) return report_.nonlinear(i);
    if (is_set_valued(pool_, residual)) return report_.set_valued(i);
    Linkage linkage{{}, {}, equation.part, equation.span};
    if (!solve_for_one(residual, linkage)) return report_.nonlinear(i);
    if (has_kink(linkage.law)) return report_.kinked(i);
    free_.add(linkage);
    result_.push_back(linkage);
  }

  std::vector<Linkage> result() {
    for (Linkage& linkage : result_) linkage.law = free_(linkage.law);
    return std::move(result_);
  }

 private:
  bool solve_for_one(Expr residual, Linkage& linkage) {
    for (const Symbol s : symbols_of(pool_, residual)) {
      const CoordinateId q{s.index};
      if (s.kind != SymbolKind::kCoordinate || positions_.is_prescribed(q)) continue;
      if (linkage.coordinate.valid() && !is_better(q, linkage.coordinate)) continue;
      AffineForm form;
      const bool affine = affine_form(
          pool_, residual, [&](Symbol x) { return x == s; }, form);
      if (!affine || form.coefficients.empty()) continue;
      const Expr c = form.coefficients[0].second;
      if (!is_parametric(pool_, c)) continue;
      const double value = nominal_value(pool_, flat_, c);
      if (value == 0 || !std::isfinite(value) || is_parametric(pool_, form.rest)) continue;
      linkage.coordinate = q;
      linkage.law = pool_.neg(pool_.div(form.rest, c));
    }
    return linkage.coordinate.valid();
  }

  // To be given by the linkage, rather than to stay free.
  [[nodiscard]] bool is_better(CoordinateId q, CoordinateId than) const {
    const unsigned a = rank_[positions_.coordinates[q.value].value];
    const unsigned b = rank_[positions_.coordinates[than.value].value];
    return a != b ? a < b : than < q;
  }

  // The velocity would jump, which takes an impulse. Edges are searched near zero and further away:
  // shafts turn many times.
  bool has_kink(Expr law) {
    for (const double scale : {1.0, 100.0}) {
      const Expr wide = substitute(pool_, law, [&](Symbol s) {
        if (s.kind != SymbolKind::kCoordinate) return Expr{};
        return pool_.mul(pool_.constant(scale), pool_.symbol(s));
      });
      if (has_jump(pool_, flat_, wide)) return true;
      for (const Symbol s : symbols_of(pool_, wide)) {
        if (s.kind != SymbolKind::kCoordinate) continue;
        if (has_jump(pool_, flat_, derivative(pool_, wide, s))) return true;
      }
    }
    return false;
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  const PositionSolution& positions_;
  const std::vector<unsigned>& rank_;
  ConstraintErrors& report_;
  IdentityTest identity_;
  LinkageMap free_;
  std::vector<Linkage> result_;
};

}  // namespace

std::vector<Linkage> solve_linkages(ExprPool& pool, const FlatModel& flat,
                                    const VariableClasses& classes,
                                    const std::vector<WorkEquation>& constraints,
                                    const std::vector<std::size_t>& nonlinear,
                                    const PositionSolution& positions,
                                    const std::vector<unsigned>& rank, ConstraintErrors& report) {
  LinkageSolver solver(pool, flat, positions, rank, report);
  const MotionMap motion(pool, classes, positions);
  for (const std::size_t i : nonlinear) {
    solver.solve(i, constraints[i], motion(constraints[i].residual));
  }
  return solver.result();
}

}  // namespace luztar
