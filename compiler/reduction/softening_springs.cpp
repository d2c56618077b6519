#include "compiler/reduction/softening_springs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"
#include "compiler/reduction/parallel_springs.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

constexpr double kRoundingOfSlope = 1e-12;  // of the terms of a slope

/// A term k luz(r x, b) of a law in the deflection x.
struct Member {
  ForceTermId id;
  Expr ratio;            // r
  double stiffness = 0;  // k r^2
  double edge = 0;       // b/|r|
};

bool is_spring(const Mechanism& mechanism, const ForceTerm& term) {
  return term.status == TermStatus::kActive && term.kind == TermKind::kSpring &&
         acts_on_settled(mechanism, term);
}

/// Linear springs of the part of `first`, in its deflection x but for what moves by itself, k (r x
/// + d), act as k r x and a load k d: a law about a centre that moves has both.
void share_deflection(const ReductionContext& context, const IdentityTest& identity,
                      Mechanism& mechanism, ForceTermId first) {
  ExprPool& pool = context.pool;
  const LinearForm x = mechanism.terms[first].argument;
  const std::size_t count = mechanism.terms.size();
  for (std::size_t i = 0; i < count; ++i) {
    const ForceTerm term = mechanism.terms[ForceTermId{i}];
    if (!is_spring(mechanism, term) || term.one_sided || term.law.valid()) continue;
    if (term.part != mechanism.terms[first].part) continue;
    if (value_of(context, term.half_freeplay) != 0) continue;
    if (shifted_ratio_of(context, identity, x, term.argument)) continue;
    const auto ratio =
        ratio_of(context, identity, {x.terms, pool.zero()}, {term.argument.terms, pool.zero()});
    if (!ratio) continue;
    ForceTerm spring = term;
    spring.argument = scaled(pool, x, *ratio);
    const Expr apart = pool.sub(term.argument.offset, spring.argument.offset);
    replace_spring(pool, mechanism.terms[ForceTermId{i}]);
    mechanism.terms.push_back(std::move(spring));
    ForceTerm load = load_of(pool, term, pool.mul(term.coefficient, apart));
    load.argument = {};
    mechanism.terms.push_back(std::move(load));
  }
}

/// The springs of both sides whose deflection is that of `first` up to a factor, by the deflections
/// at which they begin.
std::vector<Member> members_of(const ReductionContext& context, const IdentityTest& identity,
                               const Mechanism& mechanism, ForceTermId first) {
  std::vector<Member> members;
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    if (!is_spring(mechanism, term) || term.one_sided) continue;
    const auto ratio = ratio_of(context, identity, mechanism.terms[first].argument, term.argument);
    if (!ratio) continue;
    const double r = value_of(context, *ratio);
    members.push_back({id, *ratio, value_of(context, term.coefficient) * r * r,
                       value_of(context, term.half_freeplay) / std::fabs(r)});
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const Member& a, const Member& b) { return a.edge < b.edge; });
  return members;
}

/// The slope is nowhere negative; what that relies on is fixed.
bool never_softens(Mechanism& mechanism, const ReductionContext& context,
                   const std::vector<Member>& members) {
  ExprPool& pool = context.pool;
  std::vector<Expr> sum, slopes;
  double slope = 0, size = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ForceTerm& term = mechanism.terms[members[i].id];
    slope += members[i].stiffness;
    size += std::fabs(members[i].stiffness);
    sum.push_back(pool.mul({term.coefficient, members[i].ratio, members[i].ratio}));
    if (i + 1 < members.size() && members[i + 1].edge == members[i].edge) continue;
    if (slope < -kRoundingOfSlope * size) return false;
    slopes.push_back(pool.add(sum));
  }
  for (const Expr e : slopes) rely_on(context, mechanism, e);
  const auto plays =
      std::count_if(members.begin(), members.end(), [](const Member& m) { return m.edge > 0; });
  for (const Member& m : members) {  // in their order
    if (plays > 1) mechanism.fixed.push_back(mechanism.terms[m.id].half_freeplay);
  }
  return true;
}

/// All springs in the deflection x of one of them, wherever their plays lie.
struct WholeLaw {
  PiecewiseLinear force;  // of x, and on x
  std::vector<ForceTermId> springs;
  std::vector<Expr> numbers;  // that it follows from
};

WholeLaw whole_law(const ReductionContext& context, const IdentityTest& identity,
                   const Mechanism& mechanism, ForceTermId first) {
  WholeLaw law{linear({}), {}, {}};
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    if (!is_spring(mechanism, term)) continue;
    const auto x =
        shifted_ratio_of(context, identity, mechanism.terms[first].argument, term.argument);
    if (!x) continue;
    const double r = value_of(context, x->ratio);
    const PiecewiseLinear deflection = linear({r, value_of(context, x->shift)});
    const PiecewiseLinear strained = term.one_sided
                                         ? greater(deflection, linear({}))
                                         : luz(deflection, value_of(context, term.half_freeplay));
    law.force = sum(law.force, scaled(value_of(context, term.coefficient) * r, strained));
    law.springs.push_back(id);
    law.numbers.insert(law.numbers.end(),
                       {term.coefficient, term.half_freeplay, x->ratio, x->shift});
  }
  return law;
}

/// The least line of a law that falls, where from the middle on it does; nothing when none does.
std::optional<std::size_t> falling_line(const PiecewiseLinear& law) {
  double size = 0;
  for (const Line& line : law.lines) size = std::max(size, std::fabs(line.slope));
  const auto falls = [&](std::size_t i) { return law.lines[i].slope < -kRoundingOfSlope * size; };
  const std::size_t n = law.edges.size();
  for (std::size_t i = n / 2; i <= n; ++i) {
    if (falls(i)) return i;
  }
  for (std::size_t i = 0; i < n / 2; ++i) {
    if (falls(i)) return i;
  }
  return std::nullopt;
}

void report(const ReductionContext& context, const ForceTerm& term, const PiecewiseLinear& law,
            std::size_t line) {
  const std::size_t n = law.edges.size();
  const bool below = 2 * line < n;
  const double edge = 2 * line == n ? 0 : law.edges[below ? line : line - 1];
  part_error(context.diagnostics, context.flat, Code::kUnreducible, term.part, term.span,
             "the stiffness of '" + term.name +
                 "' becomes negative, and it acts on a body without inertia and damping")
      .with_note("with all springs of the same deflection it is " +
                 number_text(law.lines[line].slope) + (below ? " below" : " beyond") +
                 " a deflection of " + number_text(edge))
      .with_note(
          "there such a body has no place to settle at, and jumps: give it an inertia or a "
          "damping, or let springs of the same deflection make up for it");
}

/// Springs with the force of a law that does not fall, in place of its own.
void write_anew(const ReductionContext& context, Mechanism& mechanism, ForceTermId first,
                const WholeLaw& law) {
  ExprPool& pool = context.pool;
  const ForceTerm model = mechanism.terms[first];
  for (const ForceTermId id : law.springs) {
    ForceTerm& term = mechanism.terms[id];
    replace_spring(pool, term);
    term.law = {};
  }
  mechanism.fixed.insert(mechanism.fixed.end(), law.numbers.begin(), law.numbers.end());
  add_springs(pool, mechanism, model, model.argument, parallel_springs(law.force));
}

}  // namespace

Mechanism softening_springs(Mechanism mechanism, const ReductionContext& context) {
  const IdentityTest identity(context.pool, context.flat);
  for (std::size_t i = 0; i < mechanism.terms.size(); ++i) {  // also those written anew
    const ForceTermId id{i};
    const ForceTerm& term = mechanism.terms[id];
    if (!is_spring(mechanism, term) || term.law.valid()) continue;
    if (value_of(context, term.coefficient) >= 0) continue;
    share_deflection(context, identity, mechanism, id);
    const std::vector<Member> members = members_of(context, identity, mechanism, id);
    if (never_softens(mechanism, context, members)) {
      for (const Member& m : members) {
        mechanism.terms[m.id].law = id;
        mechanism.terms[m.id].law_ratio = m.ratio;
      }
      continue;
    }
    const WholeLaw law = whole_law(context, identity, mechanism, id);
    if (const auto line = falling_line(law.force)) {
      report(context, mechanism.terms[id], law.force, *line);
      for (const ForceTermId member : law.springs) mechanism.terms[member].law = id;
    } else {
      write_anew(context, mechanism, id, law);
    }
  }
  return mechanism;
}

}  // namespace luztar
