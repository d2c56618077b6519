#include "compiler/reduction/softening_springs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

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

/// The springs whose deflection is that of `first` up to a factor, by the deflections at which they
/// begin.
std::vector<Member> members_of(const ReductionContext& context, const IdentityTest& identity,
                               const Mechanism& mechanism, ForceTermId first) {
  std::vector<Member> members;
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    if (!is_spring(mechanism, term)) continue;
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

void report(const ReductionContext& context, const ForceTerm& term, double slope, double edge) {
  part_error(context.diagnostics, context.flat, Code::kUnreducible, term.part, term.span,
             "the stiffness of '" + term.name +
                 "' becomes negative, and it acts on a body without inertia and damping")
      .with_note("with all springs of the same deflection it is " + number_text(slope) +
                 " beyond a deflection of " + number_text(edge))
      .with_note(
          "there such a body has no place to settle at, and jumps: give it an inertia or a "
          "damping, or let springs of the same deflection make up for it");
}

/// The slope is nowhere negative; what that relies on is fixed.
void check_slopes(Mechanism& mechanism, const ReductionContext& context,
                  const std::vector<Member>& members) {
  constexpr double kRounding = 1e-12;  // of the terms of a slope
  ExprPool& pool = context.pool;
  std::vector<Expr> sum;
  double slope = 0, size = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ForceTerm& term = mechanism.terms[members[i].id];
    slope += members[i].stiffness;
    size += std::fabs(members[i].stiffness);
    sum.push_back(pool.mul({term.coefficient, members[i].ratio, members[i].ratio}));
    if (i + 1 < members.size() && members[i + 1].edge == members[i].edge) continue;
    if (slope < -kRounding * size) return report(context, term, slope, members[i].edge);
    rely_on(context, mechanism, pool.add(sum));
  }
  const auto plays =
      std::count_if(members.begin(), members.end(), [](const Member& m) { return m.edge > 0; });
  for (const Member& m : members) {  // in their order
    if (plays > 1) mechanism.fixed.push_back(mechanism.terms[m.id].half_freeplay);
  }
}

}  // namespace

Mechanism softening_springs(Mechanism mechanism, const ReductionContext& context) {
  const IdentityTest identity(context.pool, context.flat);
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    if (!is_spring(mechanism, term) || term.law.valid()) continue;
    if (value_of(context, term.coefficient) >= 0) continue;
    const std::vector<Member> members = members_of(context, identity, mechanism, id);
    for (const Member& m : members) {
      mechanism.terms[m.id].law = id;
      mechanism.terms[m.id].law_ratio = m.ratio;
    }
    check_slopes(mechanism, context, members);
  }
  return mechanism;
}

}  // namespace luztar
