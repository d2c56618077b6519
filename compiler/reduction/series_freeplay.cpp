#include "compiler/reduction/series_freeplay.h"

#include <initializer_list>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/reduction/nodes.h"

namespace luztar {
namespace {

/// What has become one spring.
struct Chain {
  std::list<std::string> springs, conditions;  // of the parts, and of the nodes between them
};
using Chains = std::map<ForceTermId, Chain>;

Chain take_chain(Chains& chains, const Mechanism& mechanism, ForceTermId spring) {
  auto chain = chains.extract(spring);
  return chain.empty() ? Chain{{mechanism.terms[spring].name}, {}} : std::move(chain.mapped());
}

/// The name of all springs together: of many the first and the last.
std::string name_of(const Chain& chain) {
  constexpr std::size_t kMostNames = 8;
  if (chain.springs.size() > kMostNames) {
    return chain.springs.front() + "+..+" + chain.springs.back();
  }
  std::string name;
  for (const std::string& spring : chain.springs) name += (name.empty() ? "" : "+") + spring;
  return name;
}

bool is_stop(const Mechanism& mechanism, ForceTermId id) {
  return mechanism.terms[id].kind == TermKind::kStop;
}

// Node y between the springs F1 = k1 luz(a1 y + r1, b1) and F2 = k2 luz(a2 y + r2, b2). With u_i =
// y + r_i/a_i, K_i = k_i a_i^2 and B_i = b_i/|a_i| the balance a1 F1 + a2 F2 = 0 reads luz(u1, B1)
// = K2/K1 luz(x - u1, B2), x = u1 - u2, so that R6 gives  G = a1 F1 = K luz(x, B1 + B2),  1/K =
// 1/K1 + 1/K2.
void merge_pair(Mechanism& mechanism, const ReductionContext& context, NodeTerms& nodes,
                Chains& chains, CoordinateId node, ForceTermId first, ForceTermId second) {
  ExprPool& pool = context.pool;
  Chain chain = take_chain(chains, mechanism, first);
  Chain rest = take_chain(chains, mechanism, second);
  chain.springs.splice(chain.springs.end(), rest.springs);
  chain.conditions.splice(chain.conditions.begin(), rest.conditions);
  chain.conditions.push_back(massless_condition(mechanism, {node}));
  const ForceTerm& s1 = mechanism.terms[first];
  const ForceTerm& s2 = mechanism.terms[second];
  const Expr a1 = *s1.argument.coefficient(node);
  const Expr a2 = *s2.argument.coefficient(node);
  const auto size = [&](Expr a) { return pool.call(Op::kAbs, {a}); };
  const auto compliance = [&](const ForceTerm& s, Expr a) {
    return pool.div(pool.one(), pool.mul({s.coefficient, a, a}));
  };
  const LinearForm u1 = scaled(pool, s1.argument, pool.div(pool.one(), a1));
  const LinearForm u2 = scaled(pool, s2.argument, pool.div(pool.one(), a2));
  const Expr b1 = pool.div(s1.half_freeplay, size(a1));
  const Expr b2 = pool.div(s2.half_freeplay, size(a2));

  ForceTerm series;
  const bool stops = is_stop(mechanism, first) && is_stop(mechanism, second);
  series.kind = series.origin = stops ? TermKind::kStop : TermKind::kSpring;
  series.part = s1.part;
  series.span = s1.span;
  series.name = name_of(chain);
  if (stops) {
    series.restitution = s1.restitution;
    mechanism.fixed.insert(mechanism.fixed.end(), {s1.restitution, s2.restitution});
  } else {
    series.coefficient = pool.div(pool.one(), pool.add(compliance(s1, a1), compliance(s2, a2)));
  }
  series.half_freeplay = pool.add(b1, b2);
  series.argument = sum(pool, u1, scaled(pool, u2, pool.constant(-1)));
  series.argument = without(series.argument, node);
  series.participation = {series.argument.terms, pool.zero()};

  const ForceTermId id = mechanism.terms.push_back(series);
  const Expr force = pool.symbol(SymbolKind::kForce, id.value);

  // y = u1 - r1/a1 with u1 = G/K1 + its share of the play. Inside the dead zone the position is
  // indeterminate; the play is shared in proportion, which is continuous and has no memory.
  ForceTerm& old1 = mechanism.terms[first];
  ForceTerm& old2 = mechanism.terms[second];
  Expr u = stops ? pool.zero() : pool.mul(force, compliance(old1, a1));
  if (value_of(context, b1) != 0) {
    const Expr x = to_expr(pool, series.argument, false);
    u = pool.add(u,
                 pool.mul(pool.nas(x, series.half_freeplay), pool.div(b1, series.half_freeplay)));
  }
  Coordinate& coordinate = mechanism.coordinates[node];
  coordinate.role = CoordinateRole::kEliminated;
  coordinate.position = pool.sub(u, to_expr(pool, without(u1, node), false));
  old1.status = TermStatus::kReplaced;
  old1.value = pool.div(force, a1);
  old2.status = TermStatus::kReplaced;
  old2.value = pool.neg(pool.div(force, a2));
  for (const auto& [q, c] : series.argument.terms) nodes[q.value].push_back(id);
  chains.emplace(id, std::move(chain));
}

bool is_elastic(const ReductionContext& context, const ForceTerm& term) {
  if (term.kind == TermKind::kStop) return true;  // to a node without momentum: there is no impact
  return term.kind == TermKind::kSpring && !term.one_sided &&
         value_of(context, term.coefficient) > 0;
}

/// The two elastic terms at a massless node that nothing else acts on.
std::optional<std::pair<ForceTermId, ForceTermId>> springs_alone_at(const ReductionContext& context,
                                                                    const Mechanism& mechanism,
                                                                    const NodeTerms& nodes,
                                                                    CoordinateId q) {
  if (mechanism.coordinates[q].role != CoordinateRole::kInertial) return std::nullopt;
  if (!is_massless(context, mechanism, q)) return std::nullopt;
  std::vector<ForceTermId> springs;
  for (const ForceTermId id : nodes[q.value]) {
    const ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive) continue;
    if (!is_elastic(context, term) || !term.argument.coefficient(q)) return std::nullopt;
    springs.push_back(id);
  }
  if (springs.size() != 2) return std::nullopt;
  return std::pair{springs[0], springs[1]};
}

/// The stops at the node join bodies with inertia, or one to the ground: massless ones beside them
/// would make them contacts of kernel B, where the node has a place of its own (rigid_contact).
bool join_inertias(const ReductionContext& context, const Mechanism& mechanism,
                   const NodeTerms& nodes, CoordinateId node, ForceTermId first,
                   ForceTermId second) {
  bool any = false;
  for (const ForceTermId id : {first, second}) {
    for (const auto& [q, c] : mechanism.terms[id].argument.terms) {
      if (q == node) continue;
      any = true;
      if (!is_massless(context, mechanism, q)) continue;
      const auto pair = springs_alone_at(context, mechanism, nodes, q);
      if (!pair || !is_stop(mechanism, pair->first) || !is_stop(mechanism, pair->second)) {
        return false;
      }
    }
  }
  return any;
}

/// Of two hard stops in series between bodies with inertia: so do those that both take all (0) or
/// both nothing (1). A light body in between sticks to one of them, and the other takes the same
/// from both; or it goes to and fro ever faster as they close, with an energy that grows like
/// 1/gap^2 and comes back. What others leave depends on whether it touches one of them before
/// (LT4003 of rigid_contact).
bool act_as_one(const ReductionContext& context, const Mechanism& mechanism, const NodeTerms& nodes,
                CoordinateId node, ForceTermId first, ForceTermId second) {
  if (!join_inertias(context, mechanism, nodes, node, first, second)) return false;
  const double e = value_of(context, mechanism.terms[first].restitution);
  return (e == 0 || e == 1) && value_of(context, mechanism.terms[second].restitution) == e;
}

// A hard stop is a spring with play and k = inf; beside a spring it is taken for one.
void take_for_springs(const ReductionContext& context, Mechanism& mechanism,
                      std::initializer_list<ForceTermId> elastic) {
  for (const ForceTermId id : elastic) {
    if (!is_stop(mechanism, id)) continue;
    ForceTerm& term = mechanism.terms[id];
    term.kind = term.origin = TermKind::kSpring;
    term.coefficient = context.pool.constant(std::numeric_limits<double>::infinity());
  }
}

void log_chain(const Mechanism& mechanism, const ReductionContext& context, const ForceTerm& series,
               const Chain& chain) {
  std::string condition, names;
  for (const std::string& node : chain.conditions) condition += node + ", ";
  condition += "no load";
  if (value_of(context, series.half_freeplay) != 0) {
    condition += chain.conditions.size() == 1 ? "; its position inside the play is not unique"
                                              : "; their positions inside the play are not unique";
  }
  std::size_t left = chain.springs.size();
  for (const std::string& spring : chain.springs) {
    --left;
    names += "'" + spring + (left > 1 ? "', " : left == 1 ? "' and " : "'");
  }
  const bool stops = series.kind == TermKind::kStop;
  context.log.push_back(
      {"series freeplay", "R6 (Th. 4.3), P1 simplification 2", condition,
       names + (stops ? " act as one hard stop: e = " : " act as one spring: k = ") +
           text_of(context, mechanism, stops ? series.restitution : series.coefficient) +
           ", half freeplay = " + text_of(context, mechanism, series.half_freeplay)});
}

}  // namespace

Mechanism series_freeplay(Mechanism mechanism, const ReductionContext& context) {
  NodeTerms nodes = node_terms(mechanism);
  Chains chains;
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    const auto pair = springs_alone_at(context, mechanism, nodes, q);
    if (!pair) continue;
    const auto [first, second] = *pair;
    if (is_stop(mechanism, first) && is_stop(mechanism, second)) {
      if (!act_as_one(context, mechanism, nodes, q, first, second)) continue;
    } else {
      take_for_springs(context, mechanism, {first, second});
    }
    merge_pair(mechanism, context, nodes, chains, q, first, second);
  }
  for (const auto& [id, chain] : chains) {
    log_chain(mechanism, context, mechanism.terms[id], chain);
  }
  return mechanism;
}

}  // namespace luztar
