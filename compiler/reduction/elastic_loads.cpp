#include "compiler/reduction/elastic_loads.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/reduction/nodes.h"
#include "compiler/reduction/parallel_springs.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// An expression as a piecewise linear function of one deflection.
class LawReader {
 public:
  LawReader(const ReductionContext& context, const IdentityTest& identity,
            const Mechanism& mechanism)
      : pool_(context.pool), context_(context), identity_(identity), mechanism_(mechanism) {}

  /// Nothing when it is none, for the present parameter values.
  std::optional<PiecewiseLinear> read(Expr law) {
    if (!find_leaves(law)) return std::nullopt;
    std::map<Expr, PiecewiseLinear> values;
    for (const auto& [e, line] : leaves_) values.emplace(e, linear(line));
    const Expr roots[] = {law};
    for (const Expr e : topological_order(pool_, roots)) {
      const auto operands = operands_.find(e);
      if (operands == operands_.end()) continue;
      std::vector<PiecewiseLinear> args;
      for (const Expr a : operands->second) args.push_back(values.at(a));
      auto value = apply(pool_[e].op, args);
      if (!value) return std::nullopt;
      values.emplace(e, std::move(*value));
    }
    return values.at(law);
  }

  /// After a successful read; without terms: the law is constant.
  [[nodiscard]] const LinearForm& deflection() const { return deflection_; }
  /// What the law follows from: of the deflection, ratios and differences alone.
  [[nodiscard]] const std::vector<Expr>& numbers() const { return numbers_; }

 private:
  /// Walks down to what is affine in one deflection.
  bool find_leaves(Expr law) {
    std::vector<Expr> work{law};
    while (!work.empty()) {
      const Expr e = work.back();
      work.pop_back();
      if (leaves_.contains(e) || operands_.contains(e)) continue;
      if (const auto line = line_of(e)) {
        leaves_.emplace(e, *line);
        continue;
      }
      if (coordinates_of(e)) return false;  // of another deflection, or of signals
      const std::vector<Expr> operands = operands_of(e);
      work.insert(work.end(), operands.begin(), operands.end());
      operands_.emplace(e, operands);
    }
    return true;
  }

  /// What is affine in a sum is one deflection: x of  30*y - 30*z - 20*luz(y - z, a), 30*(y - z).
  std::vector<Expr> operands_of(Expr e) {
    const auto args = pool_.args(e);
    std::vector<Expr> operands(args.begin(), args.end());
    if (pool_[e].op != Op::kAdd) return operands;
    const auto others = std::stable_partition(
        operands.begin(), operands.end(), [&](Expr a) { return coordinates_of(a).has_value(); });
    const Expr affine = pool_.add(std::vector<Expr>(operands.begin(), others));
    operands.erase(operands.begin(), others);
    operands.push_back(affine);
    return operands;
  }

  /// e as a form in coordinates, which it may hold none of.
  std::optional<AffineForm> coordinates_of(Expr e) {
    AffineForm form;
    const auto is_coordinate = [](Symbol s) { return s.kind == SymbolKind::kCoordinate; };
    if (!affine_form(pool_, e, is_coordinate, form)) return std::nullopt;
    return form;
  }

  std::optional<Line> line_of(Expr e) {
    if (context_.nominal.is_parametric(e)) return finite({0, number(e)});
    const auto affine = coordinates_of(e);
    if (!affine || affine->coefficients.empty()) return std::nullopt;
    const AffineForm& form = *affine;
    if (deflection_.terms.empty()) return first_line(form);
    const auto x = shifted_ratio_of(context_, identity_, deflection_, linear_form(form));
    if (!x) return std::nullopt;
    return finite({number(x->ratio), number(x->shift)});
  }

  /// NaN where it is none.
  double number(Expr e) {
    numbers_.push_back(e);
    return context_.nominal.is_parametric(e) ? context_.nominal.value(e) : std::nan("");
  }

  std::optional<Line> first_line(const AffineForm& form) {
    for (const auto& [s, c] : form.coefficients) {
      if (!context_.nominal.is_parametric(c)) return std::nullopt;
    }
    const bool other = depends_on(pool_, form.rest, [&](Symbol s) {
      return s.kind != SymbolKind::kTime && s.kind != SymbolKind::kParameter && !is_state(s);
    });
    if (other || is_set_valued(pool_, form.rest)) return std::nullopt;
    deflection_ = linear_form(form);
    // In units of a position: those of k*x, of a great k, would stand beside others of x.
    const Expr factor = deflection_.terms.front().second;
    const double slope = number(factor);
    if (slope == 0 || !std::isfinite(slope)) return Line{1, 0};
    deflection_ = scaled(pool_, deflection_, pool_.div(pool_.one(), factor));
    return Line{slope, 0};
  }

  /// Of a signal: no force of this instant has a say in it.
  [[nodiscard]] bool is_state(Symbol s) const {
    return s.kind == SymbolKind::kVariable &&
           std::any_of(mechanism_.signal_states.begin(), mechanism_.signal_states.end(),
                       [&](const SignalState& z) { return z.variable.value == s.index; });
  }

  static std::optional<Line> finite(Line line) {
    if (!std::isfinite(line.slope) || !std::isfinite(line.intercept)) return std::nullopt;
    return line;
  }

  static bool is_number(const PiecewiseLinear& f) {
    return f.edges.empty() && f.lines[0].slope == 0;
  }

  static std::optional<PiecewiseLinear> product(const std::vector<PiecewiseLinear>& args) {
    PiecewiseLinear result = linear({0, 1});
    for (const PiecewiseLinear& f : args) {
      if (is_number(result)) {
        result = scaled(result.lines[0].intercept, f);
      } else if (is_number(f)) {
        result = scaled(f.lines[0].intercept, std::move(result));
      } else {
        return std::nullopt;
      }
    }
    return result;
  }

  /// table(x, x1, y1, x2, y2, ...): a saturation per cell.
  static std::optional<PiecewiseLinear> table(const std::vector<PiecewiseLinear>& args) {
    const auto number = [&](std::size_t i) { return args[i].lines[0].intercept; };
    PiecewiseLinear result = args[2];
    for (std::size_t i = 3; i + 1 < args.size(); i += 2) {
      const double x1 = number(i - 2), y1 = number(i - 1), x2 = number(i), y2 = number(i + 1);
      if (!(x1 < x2)) return std::nullopt;
      const PiecewiseLinear way = sum(limited(args[0], x1, x2), linear({0, -x1}));
      result = sum(result, scaled((y2 - y1) / (x2 - x1), way));
    }
    return result;
  }

  static std::optional<PiecewiseLinear> apply(Op op, const std::vector<PiecewiseLinear>& args) {
    const bool play = op == Op::kLuz || op == Op::kNas;
    for (std::size_t i = 1; i < args.size(); ++i) {
      if ((play || op == Op::kTable) && !is_number(args[i])) return std::nullopt;
      if (play && !(args[i].lines[0].intercept >= 0)) return std::nullopt;
    }
    PiecewiseLinear result = args[0];
    switch (op) {
      case Op::kAdd:
        for (std::size_t i = 1; i < args.size(); ++i) result = sum(result, args[i]);
        return result;
      case Op::kMul:
        return product(args);
      case Op::kMin:
        return lesser(args[0], args[1]);
      case Op::kMax:
        return greater(args[0], args[1]);
      case Op::kAbs:
        return greater(args[0], scaled(-1, args[0]));
      case Op::kLuz:
        return luz(args[0], args[1].lines[0].intercept);
      case Op::kNas:
        return limited(args[0], -args[1].lines[0].intercept, args[1].lines[0].intercept);
      case Op::kTable:
        return table(args);
      default:
        return std::nullopt;
    }
  }

  ExprPool& pool_;
  const ReductionContext& context_;
  const IdentityTest& identity_;
  const Mechanism& mechanism_;
  std::map<Expr, Line> leaves_;                 // parameters, and what is affine in the deflection
  std::map<Expr, std::vector<Expr>> operands_;  // of the operations above them
  LinearForm deflection_;
  std::vector<Expr> numbers_;
};

/// A load that is a function of one deflection, and acts along it.
struct ElasticLoad {
  ForceTermId id;
  LinearForm deflection;
  Expr lever;  // participation by the deflection's row
  PiecewiseLinear law;
  std::vector<Expr> numbers;  // that it follows from
};

std::optional<ElasticLoad> elastic_load(const ReductionContext& context,
                                        const IdentityTest& identity,
                                        const std::vector<char>& massless,
                                        const Mechanism& mechanism, ForceTermId id) {
  const ForceTerm& load = mechanism.terms[id];
  if (load.status != TermStatus::kActive || load.kind != TermKind::kLoad) return std::nullopt;
  const bool acts_on_massless = depends_on(context.pool, load.value, [&](Symbol s) {
    return s.kind == SymbolKind::kCoordinate && massless[s.index] != 0;
  });
  if (!acts_on_massless) return std::nullopt;
  LawReader reader(context, identity, mechanism);
  auto law = reader.read(load.value);
  if (!law) return std::nullopt;
  const LinearForm& x = reader.deflection();
  const auto lever =
      ratio_of(context, identity, {x.terms, context.pool.zero()}, load.participation);
  if (!lever) return std::nullopt;
  std::vector<Expr> numbers = reader.numbers();
  numbers.push_back(*lever);
  return ElasticLoad{id, x, *lever, std::move(*law), std::move(numbers)};
}

/// All in the deflection of the first: only together may they not soften.
struct ElasticGroup {
  std::vector<ElasticLoad> loads;
  PiecewiseLinear force;  // on the deflection of the first
};

void add_load(const ReductionContext& context, const IdentityTest& identity,
              std::vector<ElasticGroup>& groups, ElasticLoad load) {
  const double lever = value_of(context, load.lever);
  for (ElasticGroup& group : groups) {
    const auto x =
        shifted_ratio_of(context, identity, group.loads.front().deflection, load.deflection);
    if (!x) continue;
    const double r = value_of(context, x->ratio);
    const PiecewiseLinear law = of_line(load.law, {r, value_of(context, x->shift)});
    group.force = sum(group.force, scaled(lever * r, law));
    load.numbers.insert(load.numbers.end(), {x->ratio, x->shift});
    group.loads.push_back(std::move(load));
    return;
  }
  PiecewiseLinear force = scaled(lever, load.law);
  groups.push_back({{std::move(load)}, std::move(force)});
}

}  // namespace

Mechanism elastic_loads(Mechanism mechanism, const ReductionContext& context) {
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  if (std::find(massless.begin(), massless.end(), 1) == massless.end()) return mechanism;
  const IdentityTest identity(context.pool, context.flat);
  std::vector<ElasticGroup> groups;
  for (const ForceTermId id : mechanism.terms.ids()) {
    auto load = elastic_load(context, identity, massless, mechanism, id);
    if (load) add_load(context, identity, groups, std::move(*load));
  }
  for (const ElasticGroup& group : groups) {
    const ParallelSprings springs = parallel_springs(group.force);
    std::string names;
    for (const ElasticLoad& load : group.loads) {
      ForceTerm& term = mechanism.terms[load.id];
      term.status = TermStatus::kReplaced;
      mechanism.fixed.insert(mechanism.fixed.end(), load.numbers.begin(), load.numbers.end());
      names += (names.empty() ? "'" : ", '") + term.name + "'";
    }
    const ElasticLoad& first = group.loads.front();
    const ForceTerm written = mechanism.terms[first.id];
    add_springs(context.pool, mechanism, written, first.deflection, springs);
    const bool one_sided = std::any_of(springs.springs.begin(), springs.springs.end(),
                                       [](const PlaySpring& s) { return s.side != 0; });
    context.log.push_back(
        {"elastic load", "luz/tar calculus, P1 sec. 2",
         "piecewise linear in one deflection of a body without inertia",
         names + (group.loads.size() == 1 ? " acts" : " act") +
             (one_sided ? " as springs, one of them on one side" : " as springs with play")});
  }
  return mechanism;
}

}  // namespace luztar
