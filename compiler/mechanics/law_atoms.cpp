#include "compiler/mechanics/law_atoms.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/symbolic/luz_tar_rules.h"

namespace luztar {
namespace {

class LawSplitter {
 public:
  LawSplitter(ExprPool& pool, const MotionMap& motion) : pool_(pool), motion_(motion) {}

  LawSplit run(Expr law) {
    AffineForm form;
    const auto any = [](Symbol s) { return s.kind == SymbolKind::kAcceleration; };
    const auto unknown = [&](Symbol s) { return any(s) && !motion_.is_prescribed(s.index); };
    if (!affine_form(pool_, law, any, form) && !affine_form(pool_, law, unknown, form = {})) {
      split_.nonlinear_acceleration = true;
      return std::move(split_);
    }
    for (const auto& [symbol, c] : form.coefficients) {
      split_.accelerations.emplace_back(symbol.index, c);
    }
    work_.emplace_back(pool_.one(), form.rest);
    while (!work_.empty()) {
      const auto [coefficient, e] = work_.back();
      work_.pop_back();
      visit(coefficient, e);
    }
    flush(positions_, AtomKind::kSpring);
    flush(velocities_, AtomKind::kDamper);
    return std::move(split_);
  }

 private:
  using Bucket = std::vector<std::pair<Expr, Expr>>;  // coefficient, sum of linear expressions

  void visit(Expr coefficient, Expr e) {
    if (pool_.is_zero(e)) return;
    if (is_linear(e, SymbolKind::kVariable)) {
      add_linear(positions_, coefficient, e);
    } else if (is_linear(e, SymbolKind::kVelocity)) {
      add_linear(velocities_, coefficient, e);
    } else if (pool_[e].op == Op::kAdd) {
      const auto args = pool_.args(e);
      const std::vector<Expr> terms(args.begin(), args.end());
      for (auto it = terms.rbegin(); it != terms.rend(); ++it) work_.emplace_back(coefficient, *it);
    } else if (pool_[e].op == Op::kMul) {
      visit_product(coefficient, e);
    } else {
      add_atom(coefficient, e);
    }
  }

  void visit_product(Expr coefficient, Expr e) {
    const auto args = pool_.args(e);
    const std::vector<Expr> factors(args.begin(), args.end());
    std::vector<Expr> constant{coefficient}, rest;
    for (const Expr f : factors) (is_parametric(pool_, f) ? constant : rest).push_back(f);
    if (constant.size() > 1 && !rest.empty()) {
      work_.emplace_back(pool_.mul(std::move(constant)), pool_.mul(std::move(rest)));
    } else {
      add_atom(coefficient, e);
    }
  }

  // Affine with constant coefficients in positions alone or velocities alone, and really dependent
  // on them.
  bool is_linear(Expr e, SymbolKind kind, AffineForm* result = nullptr) {
    AffineForm form;
    const auto accepted = [&](Symbol s) {
      return kind == SymbolKind::kVariable ? motion_.is_position(s) : s.kind == kind;
    };
    if (!affine_form(pool_, e, accepted, form) || form.coefficients.empty()) return false;
    for (const auto& [s, c] : form.coefficients) {
      if (!is_parametric(pool_, c)) return false;
    }
    const bool other = depends_on(pool_, form.rest, [](Symbol s) {
      return s.kind != SymbolKind::kTime && s.kind != SymbolKind::kParameter;
    });
    if (other || is_set_valued(pool_, form.rest)) return false;
    if (result) *result = std::move(form);
    return true;
  }

  void add_linear(Bucket& bucket, Expr coefficient, Expr e) {
    // A product k*x with constant k inside e belongs to the coefficient.
    if (pool_[e].op == Op::kMul) {
      const auto args = pool_.args(e);
      const std::vector<Expr> factors(args.begin(), args.end());
      std::vector<Expr> constant{coefficient}, rest;
      for (const Expr f : factors) (is_parametric(pool_, f) ? constant : rest).push_back(f);
      coefficient = pool_.mul(std::move(constant));
      e = pool_.mul(std::move(rest));
    } else if (pool_[e].op == Op::kAdd && pool_.is_constant(coefficient) && mixed_coefficients(e)) {
      const auto args = pool_.args(e);
      const std::vector<Expr> terms(args.begin(), args.end());
      for (const Expr t : terms) work_.emplace_back(coefficient, t);
      return;
    }
    const auto [factor, base] = pool_.numeric_factor(coefficient);
    e = pool_.mul(pool_.constant(factor), e);
    for (auto& [c, sum] : bucket) {
      if (c == base) {
        sum = pool_.add(sum, e);
        return;
      }
    }
    bucket.emplace_back(base, e);
  }

  // c1*x + c2*y with two different symbolic coefficients is two springs, x - ratio*y is one.
  bool mixed_coefficients(Expr e) {
    bool unit = false, symbolic = false;
    for (const Expr t : pool_.args(e)) {
      const bool product = pool_[t].op == Op::kMul;
      bool parametric_factor = false;
      if (product) {
        for (const Expr f : pool_.args(t)) {
          parametric_factor |= is_parametric(pool_, f) && !pool_.is_constant(f);
        }
      }
      if (is_parametric(pool_, t)) continue;
      (parametric_factor ? symbolic : unit) = true;
    }
    return symbolic && !unit;
  }

  // Takes out a number that all terms of the motion have in common: 0.4*x - 0.4*y is 0.4 times
  // x - y, exactly.
  std::pair<double, Expr> without_factor(Expr sum) const {
    if (pool_[sum].op != Op::kAdd) return pool_.numeric_factor(sum);
    const auto is_motion = [](Symbol s) {
      return s.kind != SymbolKind::kTime && s.kind != SymbolKind::kParameter;
    };
    double factor = 0;
    std::vector<Expr> terms, offset;
    const auto args = pool_.args(sum);
    for (const Expr term : std::vector<Expr>(args.begin(), args.end())) {
      if (!depends_on(pool_, term, is_motion)) {
        offset.push_back(term);
        continue;
      }
      const auto [c, rest] = pool_.numeric_factor(term);
      if (factor != 0 && std::abs(c) != factor) return {1, sum};
      factor = std::abs(c);
      terms.push_back(c < 0 ? pool_.neg(rest) : rest);
    }
    for (const Expr term : offset) terms.push_back(pool_.div(term, pool_.constant(factor)));
    return {factor, pool_.add(std::move(terms))};
  }

  void flush(Bucket& bucket, AtomKind kind) {
    for (const auto& [base, all] : bucket) {
      if (pool_.is_zero(all)) continue;
      const auto [factor, sum] = without_factor(all);
      const Expr coefficient = pool_.mul(pool_.constant(factor), base);
      Atom atom{kind, coefficient, sum, {}, pool_.zero(), {}};
      const SymbolKind symbol =
          kind == AtomKind::kSpring ? SymbolKind::kVariable : SymbolKind::kVelocity;
      if (is_linear(sum, symbol, &atom.argument)) {
        split_.atoms.push_back(std::move(atom));
      } else {  // terms cancelled to a load
        split_.atoms.push_back({AtomKind::kLoad, coefficient, sum, {}, pool_.zero(), {}});
      }
    }
  }

  // A spring with play.
  bool is_play(Expr e, AffineForm* argument = nullptr) {
    return pool_[e].op == Op::kLuz && is_parametric(pool_, pool_.arg(e, 1)) &&
           is_linear(pool_.arg(e, 0), SymbolKind::kVariable, argument);
  }

  // nas(k luz(x, a), b) = k luz(x, a) - k luz(x, a + b/|k|), by R3 and R4.
  bool add_saturated_play(Expr coefficient, Expr e) {
    if (pool_[e].op != Op::kNas || !is_parametric(pool_, pool_.arg(e, 1))) return false;
    Expr play = pool_.arg(e, 0), bound = pool_.arg(e, 1);
    if (pool_[play].op == Op::kMul) {
      const auto factors = pool_.args(play);
      const auto found = std::find_if(factors.begin(), factors.end(),
                                      [&](Expr f) { return pool_[f].op == Op::kLuz; });
      if (found == factors.end()) return false;
      const Expr factor = pool_.div(play, *found);
      play = *found;
      if (!is_parametric(pool_, factor)) return false;
      coefficient = pool_.mul(coefficient, factor);
      bound = pool_.div(bound, pool_.call(Op::kAbs, {factor}));
    }
    if (!is_play(play)) return false;
    const Expr x = pool_.arg(play, 0), a = pool_.arg(play, 1);
    work_.emplace_back(coefficient, play);
    const Expr beyond = nest_luz(pool_, x, a, bound);
    more_play_.emplace(beyond, bound);
    work_.emplace_back(pool_.neg(coefficient), beyond);
    return true;
  }

  void add_atom(Expr coefficient, Expr e) {
    const Op op = pool_[e].op;
    if (op == Op::kNas && is_linear(pool_.arg(e, 0), SymbolKind::kVariable) &&
        is_parametric(pool_, pool_.arg(e, 1))) {
      work_.emplace_back(coefficient, pool_.arg(e, 0));
      work_.emplace_back(pool_.neg(coefficient), pool_.luz(pool_.arg(e, 0), pool_.arg(e, 1)));
      return;
    }
    if (add_saturated_play(coefficient, e)) return;
    Atom atom{AtomKind::kLoad, coefficient, e, {}, pool_.zero(), {}};
    if (is_play(e, &atom.argument)) {
      atom.kind = AtomKind::kSpring;
      atom.half_width = pool_.arg(e, 1);
      const auto more = more_play_.find(e);
      if (more != more_play_.end()) atom.more_play = more->second;
    } else if (op == Op::kDry &&
               is_linear(pool_.arg(e, 0), SymbolKind::kVelocity, &atom.argument)) {
      atom.kind = AtomKind::kFriction;
    } else if (op == Op::kStop && is_parametric(pool_, pool_.arg(e, 1)) &&
               is_parametric(pool_, pool_.arg(e, 2)) &&
               is_linear(pool_.arg(e, 0), SymbolKind::kVariable, &atom.argument)) {
      atom.kind = AtomKind::kStop;
    }
    split_.atoms.push_back(std::move(atom));
  }

  ExprPool& pool_;
  const MotionMap& motion_;
  std::vector<std::pair<Expr, Expr>> work_;  // coefficient, expression
  Bucket positions_, velocities_;
  std::map<Expr, Expr> more_play_;  // of luz(x, a + b): b, which it does not tell in all its digits
  LawSplit split_;
};

}  // namespace

LawSplit split_law(ExprPool& pool, const MotionMap& motion, Expr law) {
  return LawSplitter(pool, motion).run(law);
}

}  // namespace luztar
