#include "compiler/reduction/saturations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/reduction/nodes.h"

namespace luztar {
namespace {

constexpr double kRounding = 1e-12;  // of stiffnesses that are products of others

/// Springs of a part on the same coordinates.
using SpringKey = std::pair<PartId, std::vector<CoordinateId>>;
using SpringGroups = std::map<SpringKey, std::vector<ForceTermId>>;

class Saturations {
 public:
  Saturations(Table<ForceTermId, ForceTerm>& terms,
              const Table<CoordinateId, Coordinate>& coordinates, const ReductionContext& context)
      : pool_(context.pool),
        context_(context),
        coordinates_(coordinates),
        terms_(terms),
        identity_(context.pool, context.flat) {}

  void run() {
    SpringGroups groups;
    for (const ForceTermId id : terms_.ids()) {
      if (!is_spring(terms_[id])) continue;
      std::vector<CoordinateId> coordinates;
      for (const auto& [q, c] : terms_[id].argument.terms) coordinates.push_back(q);
      groups[{terms_[id].part, std::move(coordinates)}].push_back(id);
    }
    for (const auto& [key, springs] : groups) {
      for (const ForceTermId id : springs) {
        if (terms_[id].status == TermStatus::kActive) find_taken(id, springs);
      }
    }
  }

 private:
  /// A spring of the force -c luz(y, b) that takes off another one, of the deflection y/r, what
  /// that has beyond.
  struct Taken {
    ForceTermId id;
    Expr stiffness;  // c r^2
    Expr within;     // luz(y, a |r|)
    Expr width;      // b - a |r|, as it was written
  };

  [[nodiscard]] double number(Expr e) const {
    return context_.nominal.is_parametric(e) ? context_.nominal.value(e) : std::nan("");
  }

  [[nodiscard]] bool is_spring(const ForceTerm& term) const {
    if (term.status != TermStatus::kActive || term.kind != TermKind::kSpring) return false;
    if (term.one_sided || term.law.valid() || !std::isfinite(number(term.coefficient))) {
      return false;
    }
    return std::none_of(
        term.participation.terms.begin(), term.participation.terms.end(),
        [&](const auto& t) { return coordinates_[t.first].role == CoordinateRole::kSettled; });
  }

  void find_taken(ForceTermId first, const std::vector<ForceTermId>& springs) {
    std::vector<Taken> all;
    const double stiffness = number(terms_[first].coefficient);
    double left = stiffness;
    for (const ForceTermId id : springs) {
      if (id == first || !(stiffness > 0)) continue;
      const auto taken = taken_by(terms_[first], id);
      if (!taken) continue;
      const double c = number(taken->stiffness);
      if (!(c > 0) || !(c <= left + kRounding * stiffness)) continue;
      left -= c;
      all.push_back(*taken);
    }
    if (!all.empty()) write_anew(first, all);
  }

  std::optional<Taken> taken_by(const ForceTerm& first, ForceTermId id) {
    const ForceTerm& term = terms_[id];
    if (term.status != TermStatus::kActive) return std::nullopt;
    const auto ratio = ratio_of(context_, identity_, first.argument, term.argument);
    if (!ratio || !std::isfinite(number(*ratio))) return std::nullopt;
    const Expr play = pool_.mul(first.half_freeplay, pool_.call(Op::kAbs, {*ratio}));
    const Expr width = term.more_play.valid() ? term.more_play : term.half_freeplay;
    if (!(number(width) > 0) || std::isinf(number(width))) return std::nullopt;
    if (!identity_.equal(term.half_freeplay, pool_.add(play, width))) return std::nullopt;
    return Taken{id, pool_.neg(pool_.mul({term.coefficient, *ratio, *ratio})),
                 pool_.luz(to_expr(pool_, term.argument, false), play), width};
  }

  void write_anew(ForceTermId first, const std::vector<Taken>& all) {
    const Expr half = pool_.constant(0.5);
    std::vector<Expr> left{terms_[first].coefficient};
    for (const Taken& taken : all) {
      const Expr stiffness = pool_.neg(terms_[taken.id].coefficient);
      const Expr carried = pool_.nas(taken.within, taken.width);
      const Expr beyond = pool_.call(Op::kAbs, {pool_.luz(taken.within, taken.width)});
      const Expr energy =
          pool_.add(pool_.mul({half, carried, carried}), pool_.mul(taken.width, beyond));
      add_load(taken.id, pool_.mul(stiffness, carried), pool_.mul(stiffness, energy));
      left.push_back(pool_.neg(taken.stiffness));
      replace_spring(pool_, terms_[taken.id]);
    }
    const Expr rest = pool_.add(std::move(left));
    if (!identity_.is_zero(rest)) {
      const Expr x = strain(pool_, terms_[first]);
      add_load(first, pool_.mul(rest, x), pool_.mul({half, rest, x, x}));
    }
    replace_spring(pool_, terms_[first]);
  }

  void add_load(ForceTermId written, Expr force, Expr energy) {
    ForceTerm load = load_of(pool_, terms_[written], force);
    load.energy = energy;
    terms_.push_back(std::move(load));
  }

  ExprPool& pool_;
  const ReductionContext& context_;
  const Table<CoordinateId, Coordinate>& coordinates_;
  Table<ForceTermId, ForceTerm>& terms_;
  IdentityTest identity_;
};

}  // namespace

Table<ForceTermId, ForceTerm> saturations(Table<ForceTermId, ForceTerm> terms,
                                          const Table<CoordinateId, Coordinate>& coordinates,
                                          const ReductionContext& context) {
  Saturations(terms, coordinates, context).run();
  return terms;
}

}  // namespace luztar
