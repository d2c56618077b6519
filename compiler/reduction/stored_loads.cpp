#include "compiler/reduction/stored_loads.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

class StoredLoads {
 public:
  explicit StoredLoads(const ReductionContext& context)
      : pool_(context.pool), context_(context), identity_(context.pool, context.flat) {}

  /// springs: of the load's part
  void give_energy(ForceTerm& load, const std::vector<LinearForm>& springs) const {
    if (context_.nominal.is_parametric(load.value)) return give_constant(load, springs);
    const std::optional<Expr> law = one_sided(load.value);
    if (!law) return;
    const std::optional<LinearForm> x = deflection(*law);
    if (!x) return;
    const auto lever = ratio_of(context_, identity_, {x->terms, pool_.zero()}, load.participation);
    if (!lever || !context_.nominal.is_parametric(*lever)) return;
    load.argument = scaled(pool_, *x, *lever);
    load.energy = pool_.mul({pool_.constant(0.5), *lever, load.value, load.value});
  }

 private:
  /// nas(x, low, high) is springs, and a force that lasts, on either flange.
  void give_constant(ForceTerm& load, const std::vector<LinearForm>& springs) const {
    const auto moves = [&](const LinearForm& x) {
      const auto& terms = load.participation.terms;
      return std::all_of(terms.begin(), terms.end(),
                         [&](const auto& term) { return x.coefficient(term.first) != nullptr; });
    };
    if (std::none_of(springs.begin(), springs.end(), moves)) return;
    load.argument = {load.participation.terms, pool_.zero()};
    load.energy = pool_.mul(load.value, to_expr(pool_, load.argument, false));
  }

  /// What a law is on the one side, zero on the other.
  [[nodiscard]] std::optional<Expr> one_sided(Expr law) const {
    switch (pool_[law].op) {
      case Op::kMax:
      case Op::kMin:
        return beside_zero(pool_.arg(law, 0), pool_.arg(law, 1));
      case Op::kIf:
        break;
      default:
        return std::nullopt;
    }
    const Expr condition = pool_.arg(law, 0);
    const auto x = beside_zero(pool_.arg(law, 1), pool_.arg(law, 2));
    const Op op = pool_[condition].op;
    if (!x || (op != Op::kLess && op != Op::kLessEqual)) return std::nullopt;
    const auto edge = deflection(pool_.sub(pool_.arg(condition, 1), pool_.arg(condition, 0)));
    const auto form = deflection(*x);
    // One that is not zero at its edge jumps there.
    const bool joins = edge && form && ratio_of(context_, identity_, *edge, *form);
    return joins ? x : std::nullopt;
  }

  [[nodiscard]] std::optional<Expr> beside_zero(Expr a, Expr b) const {
    if (pool_.is_zero(a)) return b;
    return pool_.is_zero(b) ? std::optional(a) : std::nullopt;
  }

  /// x as a form in coordinates, and what else moves it is time.
  [[nodiscard]] std::optional<LinearForm> deflection(Expr x) const {
    AffineForm affine;
    const auto is_coordinate = [](Symbol s) { return s.kind == SymbolKind::kCoordinate; };
    if (!affine_form(pool_, x, is_coordinate, affine)) return std::nullopt;
    const bool given = !depends_on(pool_, affine.rest, [](Symbol s) {
      return s.kind != SymbolKind::kTime && s.kind != SymbolKind::kParameter;
    });
    const bool constant =
        std::all_of(affine.coefficients.begin(), affine.coefficients.end(),
                    [&](const auto& term) { return context_.nominal.is_parametric(term.second); });
    if (!given || !constant || affine.coefficients.empty()) return std::nullopt;
    return linear_form(affine);
  }

  ExprPool& pool_;
  const ReductionContext& context_;
  IdentityTest identity_;
};

}  // namespace

Table<ForceTermId, ForceTerm> stored_loads(Table<ForceTermId, ForceTerm> terms,
                                           const ReductionContext& context) {
  const StoredLoads loads(context);
  std::map<PartId, std::vector<LinearForm>> springs;  // also those that have been joined
  for (const ForceTerm& term : terms) {
    if (term.origin == TermKind::kSpring) springs[term.part].push_back(term.argument);
  }
  for (ForceTerm& term : terms) {
    const bool is_load = term.status == TermStatus::kActive && term.kind == TermKind::kLoad;
    if (is_load && !term.energy.valid()) loads.give_energy(term, springs[term.part]);
  }
  return terms;
}

}  // namespace luztar
