#include "compiler/lowering/friction_shares.h"

#include <algorithm>

#include "compiler/lowering/friction_forces.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

// No event: no motion depends on how frictions share what they carry together.
Expr without_events(Lowering& l, Expr e) { return l.pool.call(Op::kNoEvent, {e}); }

FrictionShares& shares_of(Lowering& l, ForceTermId whole) {
  if (!l.shares) {
    l.shares.emplace();
    std::vector<char> is_whole(l.mechanism.terms.size(), 0);
    for (const ForceTerm& term : l.mechanism.terms) {
      if (term.merged_into.valid()) is_whole[term.merged_into.value] = 1;
    }
    for (const ForceTermId id : l.mechanism.terms.ids()) {
      const ForceTerm& term = l.mechanism.terms[id];
      if (!term.merged_into.valid() || is_whole[id.value]) continue;
      const Whole of = whole_of(l, id);
      (*l.shares)[of.term].members.push_back(
          {of.ratio, l.pool.call(Op::kAbs, {of.ratio}), term.static_bound});
    }
  }
  return (*l.shares)[whole];
}

// Forces s of least norm with sum r_i s_i = W, |s_i| <= B_i: s_i = nas(level r_i, B_i), as the
// gradient of the norm is along r for all that are not at their bounds. With those of the least
// B_i/|r_i| at theirs, the rest carries level = (|W| - sum |r_i| B_i)/sum r_i^2; that is greatest
// for the right ones, as |W| over the level is concave.
Expr level_of(Lowering& l, ForceTermId whole) {
  ExprPool& pool = l.pool;
  FrictionShares& shares = shares_of(l, whole);
  if (shares.level.valid()) return shares.level;
  const Expr force = pool.call(Op::kAbs, {pool.symbol(SymbolKind::kForce, whole.value)});
  Expr level = pool.zero();
  for (const FrictionShare& next : shares.members) {
    std::vector<Expr> rest{force}, squares;
    for (const FrictionShare& other : shares.members) {
      const Expr at_bound = pool.call(
          Op::kLess, {pool.mul(other.bound, next.size), pool.mul(next.bound, other.size)});
      const Expr carried = pool.mul(other.size, other.bound);
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

// At rest 0; without a mode of its own where it has a closed form.
Expr moves(Lowering& l, ForceTermId id) {
  const auto index = l.friction_index.find(whole_of(l, id).term);
  if (index == l.friction_index.end()) return friction_mode(l, id);
  return mode_symbol(l, l.system.frictions[index->second].moving_slot);
}

}  // namespace

Expr share_of_merged(Lowering& l, ForceTermId id) {
  ExprPool& pool = l.pool;
  const ForceTerm& term = l.mechanism.terms[id];
  const auto [whole, ratio] = whole_of(l, id);
  const Expr sign = pool.call(Op::kSign, {pool.symbol(SymbolKind::kForce, whole.value)});
  const Expr at_rest = without_events(
      l, pool.mul(sign, pool.nas(pool.mul(ratio, level_of(l, whole)), term.static_bound)));
  if (!l.friction_index.contains(whole)) return at_rest;
  return pool.if_then_else(moves(l, id), pool.mul(friction_mode(l, id), term.kinetic), at_rest);
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
