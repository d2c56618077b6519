#include "compiler/reduction/parallel_friction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/reduction/friction_loops.h"
#include "compiler/reduction/nodes.h"
#include "compiler/reduction/slip_laws.h"
#include "compiler/symbolic/luz_tar_rules.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

// R5 in forces: T1 sgh(w) + r T2 sgh(r w) = (T1 + |r| T2) sgh(w).
ForceTermId merge(Mechanism& mechanism, const ReductionContext& context, ForceTermId first,
                  const std::vector<std::pair<ForceTermId, Expr>>& others) {
  ExprPool& pool = context.pool;
  ForceTerm merged = mechanism.terms[first];
  merged.beside = Expr{};
  std::string names = "'" + merged.name + "'";
  Expr kinetic = merged.kinetic;
  Expr static_bound = merged.static_bound;
  for (const auto& [id, ratio] : others) {
    const Expr size = pool.call(Op::kAbs, {ratio});
    // With k_i -> 0 and k_i a_i = T_i R5 adds the friction bounds; the dampers are terms of their
    // own.
    kinetic = pool.add(kinetic, pool.mul(size, mechanism.terms[id].kinetic));
    static_bound = pool.add(static_bound, pool.mul(size, mechanism.terms[id].static_bound));
    names += ", '" + mechanism.terms[id].name + "'";
  }
  merged.kinetic = kinetic;
  merged.static_bound = static_bound;
  const ForceTermId whole = mechanism.terms.push_back(merged);
  // Each part carries its share of the whole; lowering forms it from the mode.
  const auto share = [&](ForceTermId id, Expr ratio) {
    ForceTerm& part = mechanism.terms[id];
    part.status = TermStatus::kReplaced;
    part.merged_into = whole;
    part.merged_ratio = ratio;
  };
  share(first, pool.one());
  for (const auto& [id, ratio] : others) share(id, ratio);
  context.log.push_back(
      {"parallel friction", "R5, P2 sec. 2", "equal slip velocities",
       names + " act as one friction" +
           (contains(context.pool, kinetic, Op::kIf)  // pieces of a table would fill a page
                ? ""
                : " of " + text_of(context, mechanism, kinetic))});
  return whole;
}

// What falls with speed on a body without damping does so at any speed: what counts is what it
// holds at rest, and what is left beyond its fall.
void take_fall(Mechanism& mechanism, const ReductionContext& context, ForceTerm& whole,
               const std::vector<std::pair<ForceTermId, Expr>>& others) {
  ExprPool& pool = context.pool;
  const auto at_rest = [](const ForceTerm& term) {
    return term.rest_speed.valid() ? term.at_rest : term.kinetic;
  };
  std::vector<Expr> sum{at_rest(whole)};
  for (const auto& [id, ratio] : others) {
    const ForceTerm& other = mechanism.terms[id];
    sum.push_back(pool.mul(pool.call(Op::kAbs, {ratio}), at_rest(other)));
    if (other.least_fall.valid()) mechanism.fixed.push_back(other.least_fall);
  }
  if (whole.least_fall.valid()) mechanism.fixed.push_back(whole.least_fall);
  whole.at_rest = pool.add(std::move(sum));
  whole.rest_speed = pool.constant(std::numeric_limits<double>::infinity());
  whole.falls.clear();
  whole.least_fall = whole.decay = Expr{};
}

/// Each friction with those of the same slip that may join it and all that have done so before.
template <class MayAct, class Fits, class Join>
void join_equal_slips(const Mechanism& mechanism, const ReductionContext& context,
                      const MayAct& may_act, const Fits& fits, const Join& join) {
  const IdentityTest identity(context.pool, context.flat);
  std::map<std::vector<CoordinateId>, std::vector<ForceTermId>> candidates;
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive || term.kind != TermKind::kFriction) continue;
    if (term.argument.terms.empty() || !may_act(term)) continue;
    std::vector<CoordinateId> key;
    for (const auto& [q, c] : term.argument.terms) key.push_back(q);
    candidates[key].push_back(id);
  }
  for (auto& [key, ids] : candidates) {
    std::vector<char> joined(ids.size(), 0);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (joined[i]) continue;
      std::vector<std::pair<ForceTermId, Expr>> others;
      for (std::size_t j = i + 1; j < ids.size(); ++j) {
        if (joined[j]) continue;
        const auto ratio = ratio_of(context, identity, mechanism.terms[ids[i]].argument,
                                    mechanism.terms[ids[j]].argument);
        const auto joins = [&](ForceTermId id) {
          return fits(identity, mechanism.terms[id], mechanism.terms[ids[j]]);
        };
        if (!ratio || !joins(ids[i]) ||
            !std::all_of(others.begin(), others.end(),
                         [&](const auto& other) { return joins(other.first); })) {
          continue;
        }
        joined[j] = 1;
        others.emplace_back(ids[j], *ratio);
      }
      if (!others.empty()) join(ids[i], others);
    }
  }
}

}  // namespace

// In a loop each has its own part in the least forces.
Mechanism parallel_friction(Mechanism mechanism, const ReductionContext& context) {
  constexpr double kRoundingOfSize = 1e-12;
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  std::optional<std::vector<char>> in_loops;
  const auto shares_a_loop = [&](ForceTermId id) {
    if (!in_loops) in_loops = frictions_in_loops(mechanism, context);  // before any has joined
    return (*in_loops)[id.value] != 0;
  };
  // Beside one that holds with more than it slides with, the sum is simpler than its parts.
  const auto any_holds_more = [&](ForceTermId id) {
    const SymbolValues values = values_at_parameters(context.pool, context.flat);
    const auto& slip = mechanism.terms[id].argument.terms;
    return std::any_of(mechanism.terms.begin(), mechanism.terms.end(), [&](const ForceTerm& term) {
      const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
      if (term.status != TermStatus::kActive || term.kind != TermKind::kFriction ||
          !std::ranges::equal(term.argument.terms, slip, same)) {
        return false;
      }
      const double kinetic = evaluate(context.pool, term.kinetic, values);
      const double more = evaluate(context.pool, term.static_bound, values) - kinetic;
      return !(std::fabs(more) <= kRoundingOfSize * std::fabs(kinetic));
    });
  };
  join_equal_slips(
      mechanism, context, [](const ForceTerm&) { return true; },
      [&](const IdentityTest& identity, const ForceTerm& a, const ForceTerm& b) {
        return adds_up(context, identity, massless, a, b);
      },
      [&](ForceTermId first, const std::vector<std::pair<ForceTermId, Expr>>& others) {
        const bool in_loop = shares_a_loop(first) ||
                             std::any_of(others.begin(), others.end(),
                                         [&](const auto& o) { return shares_a_loop(o.first); });
        if (!in_loop || any_holds_more(first)) merge(mechanism, context, first, others);
      });
  return mechanism;
}

Mechanism parallel_falls(Mechanism mechanism, const ReductionContext& context) {
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  const auto settles = [&](const ForceTerm& term) {
    return std::any_of(term.argument.terms.begin(), term.argument.terms.end(),
                       [&](const auto& part) { return massless[part.first.value] != 0; });
  };
  const auto falls = [&](const ForceTerm& term) {
    return !term.least_fall.valid() || value_of(context, term.least_fall) > 0;
  };
  join_equal_slips(
      mechanism, context, settles,
      [&](const IdentityTest&, const ForceTerm& a, const ForceTerm& b) {
        const bool falling = a.rest_speed.valid() || b.rest_speed.valid();
        return falling && falls(a) && falls(b);
      },
      [&](ForceTermId first, const auto& others) {
        const ForceTermId whole = merge(mechanism, context, first, others);
        take_fall(mechanism, context, mechanism.terms[whole], others);
      });
  return mechanism;
}

}  // namespace luztar
