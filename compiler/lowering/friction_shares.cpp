#include "compiler/lowering/friction_shares.h"

#include <algorithm>

#include "compiler/lowering/friction_forces.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

// No event: no motion depends on how frictions share what they carry together.
Expr without_events(Lowering& l, Expr e) { return l.pool.call(Op::kNoEvent, {e}); }

// A friction that has been split: it is written in terms of its parts, and has no share of its own.
bool is_by_others(const ForceTerm& term) { return term.merged_into.valid() && term.value.valid(); }

Expr load_beside(const Lowering& l, const ForceTerm& term) {
  return term.beside.valid() ? term.beside : l.pool.zero();
}

FrictionShares& shares_of(Lowering& l, ForceTermId whole) {
  if (!l.shares) {
    l.shares.emplace();
    std::vector<char> is_whole(l.mechanism.terms.size(), 0);
    for (const ForceTerm& term : l.mechanism.terms) {
      if (term.merged_into.valid() && !is_by_others(term)) is_whole[term.merged_into.value] = 1;
    }
    for (const ForceTermId id : l.mechanism.terms.ids()) {
      const ForceTerm& term = l.mechanism.terms[id];
      if (!term.merged_into.valid() || is_whole[id.value]) continue;
      if (is_by_others(term) || is_by_others(l.mechanism.terms[term.merged_into])) continue;
      const Whole of = whole_of(l, id);
      const Expr size = l.pool.call(Op::kAbs, {of.ratio});
      (*l.shares)[of.term].members.push_back(
          {of.ratio, size, term.static_bound, load_beside(l, term)});
    }
    for (auto& [id, shares] : *l.shares) {
      std::vector<Expr> sum{l.pool.symbol(SymbolKind::kForce, id.value)};
      for (const FrictionShare& s : shares.members) sum.push_back(l.pool.mul(s.ratio, s.beside));
      shares.force = l.pool.add(std::move(sum));
    }
  }
  return (*l.shares)[whole];
}

// Of the force of a member beside which there is a load, where all of them carry `force`.
Expr bound_of(Lowering& l, const FrictionShare& share, Expr force) {
  const auto sign = [&](Expr e) { return l.pool.call(Op::kSign, {e}); };
  return l.pool.add(share.bound, l.pool.mul({sign(force), sign(share.ratio), share.beside}));
}

// Forces s of least norm with sum r_i s_i = W, |s_i| <= B_i: s_i = nas(level r_i, B_i), as the
// gradient of the norm is along r for all that are not at their bounds. With those of the least
// B_i/|r_i| at theirs, the rest carries level = (|W| - sum |r_i| B_i)/sum r_i^2; that is greatest
// for the right ones, as |W| over the level is concave. The bounds are those in the direction of W,
// which no s_i is against.
Expr level_of(Lowering& l, ForceTermId whole) {
  ExprPool& pool = l.pool;
  FrictionShares& shares = shares_of(l, whole);
  if (shares.level.valid()) return shares.level;
  const Expr force = pool.call(Op::kAbs, {shares.force});
  Expr level = pool.zero();
  for (const FrictionShare& next : shares.members) {
    std::vector<Expr> rest{force}, squares;
    const Expr next_bound = bound_of(l, next, shares.force);
    for (const FrictionShare& other : shares.members) {
      const Expr bound = bound_of(l, other, shares.force);
      const Expr first = pool.mul(bound, next.size);
      const Expr at_bound = pool.call(Op::kLess, {first, pool.mul(next_bound, other.size)});
      const Expr carried = pool.mul(other.size, bound);
      rest.push_back(pool.if_then_else(at_bound, pool.neg(carried), pool.zero()));
      squares.push_back(pool.if_then_else(at_bound, pool.zero(), pool.mul(other.size, other.size)));
    }
    const Expr square = pool.add(std::move(squares));  // 0 where a linkage takes the lever
    const Expr carries = pool.call(Op::kLess, {pool.zero(), square});
    level = pool.call(
        Op::kMax, {level, pool.if_then_else(carries, pool.div(pool.add(std::move(rest)), square),
                                            pool.zero())});
  }
  return shares.level = level;
}

// Without the load beside it.
Expr share_at_rest(Lowering& l, ForceTermId id) {
  ExprPool& pool = l.pool;
  const ForceTerm& term = l.mechanism.terms[id];
  if (is_by_others(l.mechanism.terms[term.merged_into])) {  // alone, by a linkage
    const Expr has_lever =
        pool.call(Op::kLess, {pool.zero(), pool.call(Op::kAbs, {term.merged_ratio})});
    const Expr force = pool.symbol(SymbolKind::kForce, term.merged_into.value);
    return pool.if_then_else(has_lever, pool.div(force, term.merged_ratio), pool.zero());
  }
  const auto [whole, ratio] = whole_of(l, id);
  const Expr level = level_of(l, whole), force = shares_of(l, whole).force;
  const Expr beside = load_beside(l, term);
  const Expr bound = bound_of(l, {ratio, {}, term.static_bound, beside}, force);
  const Expr carried = pool.nas(pool.mul(ratio, level), bound);
  return pool.sub(pool.mul(pool.call(Op::kSign, {force}), carried), beside);
}

// At rest 0; without a mode of its own where it has a closed form.
Expr moves(Lowering& l, ForceTermId id) {
  const auto index = l.friction_index.find(whole_of(l, id).term);
  if (index == l.friction_index.end()) return friction_mode(l, id);
  return mode_symbol(l, l.system.frictions[index->second].moving_slot);
}

}  // namespace

Expr share_of_merged(Lowering& l, ForceTermId id) {
  ExprPool& pool = l.pool;
  const Expr at_rest = without_events(l, share_at_rest(l, id));
  if (!l.friction_index.contains(whole_of(l, id).term)) return at_rest;
  const Expr sliding = pool.mul(friction_mode(l, id), l.mechanism.terms[id].kinetic);
  return pool.if_then_else(moves(l, id), sliding, at_rest);
}

Expr is_one_of_many(Lowering& l, ForceTermId id) {
  ExprPool& pool = l.pool;
  std::vector<Expr> able;
  for (const FrictionShare& share : shares_of(l, whole_of(l, id).term).members) {
    able.push_back(pool.call(Op::kLess, {pool.zero(), pool.mul(share.size, share.bound)}));
  }
  const Expr several = pool.call(Op::kLess, {pool.one(), pool.add(std::move(able))});
  return without_events(l, pool.if_then_else(moves(l, id), pool.zero(), several));
}

bool is_shared(Lowering& l, ForceTermId id) {
  const std::vector<FrictionShare>& members = shares_of(l, id).members;
  return std::count_if(members.begin(), members.end(), [&](const FrictionShare& share) {
           return !l.pool.is_zero(share.bound);
         }) > 1;
}

}  // namespace luztar
