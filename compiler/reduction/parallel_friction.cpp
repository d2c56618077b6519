#include "compiler/reduction/parallel_friction.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/reduction/nodes.h"
#include "compiler/reduction/slip_laws.h"
#include "compiler/symbolic/luz_tar_rules.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

// R5 in forces: T1 sgh(w) + r T2 sgh(r w) = (T1 + |r| T2) sgh(w).
void merge(Mechanism& mechanism, const ReductionContext& context, ForceTermId first,
           const std::vector<std::pair<ForceTermId, Expr>>& others) {
  ExprPool& pool = context.pool;
  ForceTerm merged = mechanism.terms[first];
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
}

}  // namespace

Mechanism parallel_friction(Mechanism mechanism, const ReductionContext& context) {
  const IdentityTest identity(context.pool, context.flat);
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  std::map<std::vector<CoordinateId>, std::vector<ForceTermId>> candidates;
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive || term.kind != TermKind::kFriction) continue;
    if (term.argument.terms.empty()) continue;
    std::vector<CoordinateId> key;
    for (const auto& [q, c] : term.argument.terms) key.push_back(q);
    candidates[key].push_back(id);
  }
  for (auto& [key, ids] : candidates) {
    std::vector<char> merged(ids.size(), 0);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (merged[i]) continue;
      std::vector<std::pair<ForceTermId, Expr>> others;
      for (std::size_t j = i + 1; j < ids.size(); ++j) {
        if (merged[j]) continue;
        const auto ratio = ratio_of(context, identity, mechanism.terms[ids[i]].argument,
                                    mechanism.terms[ids[j]].argument);
        const auto fits = [&](ForceTermId id) {
          return adds_up(context, identity, massless, mechanism.terms[id], mechanism.terms[ids[j]]);
        };
        if (!ratio || !fits(ids[i])) continue;
        if (!std::all_of(others.begin(), others.end(),
                         [&](const auto& other) { return fits(other.first); })) {
          continue;
        }
        merged[j] = 1;
        others.emplace_back(ids[j], *ratio);
      }
      if (!others.empty()) merge(mechanism, context, ids[i], others);
    }
  }
  return mechanism;
}

}  // namespace luztar
