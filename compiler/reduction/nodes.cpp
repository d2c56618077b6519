#include "compiler/reduction/nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar {

Couplings couplings(const Mechanism& mechanism) {
  Couplings coupled(mechanism.coordinates.size());
  for (const auto& [key, value] : mechanism.inertia) {
    if (key.first == key.second) continue;
    coupled[key.first.value].push_back(key.second);
    coupled[key.second.value].push_back(key.first);
  }
  return coupled;
}

void join_terms(std::vector<ForceTermId>& node, const std::vector<ForceTermId>& others) {
  for (const ForceTermId id : others) {
    const auto place = std::lower_bound(node.begin(), node.end(), id);
    if (place == node.end() || *place != id) node.insert(place, id);
  }
}

NodeTerms node_terms(const Mechanism& mechanism) {
  NodeTerms nodes{std::vector<std::vector<ForceTermId>>(mechanism.coordinates.size()),
                  couplings(mechanism)};
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive) continue;
    for (const auto& [q, c] : term.participation.terms) nodes[q.value].push_back(id);
  }
  return nodes;
}

Node classify_node(const ReductionContext& context, const Mechanism& mechanism, CoordinateId q,
                   const std::vector<ForceTermId>& terms) {
  Node node;
  for (const ForceTermId id : terms) {
    const ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive || !term.participation.coefficient(q)) continue;
    switch (term.kind) {
      case TermKind::kSpring: {
        const bool linear = !term.one_sided && value_of(context, term.half_freeplay) == 0 &&
                            std::isfinite(value_of(context, term.coefficient));
        (linear ? node.linear_springs : node.freeplay_springs).push_back(id);
        break;
      }
      case TermKind::kDamper:
        node.dampers.push_back(id);
        break;
      case TermKind::kFriction:
        node.frictions.push_back(id);
        break;
      case TermKind::kLoad:
        node.loads.push_back(id);
        break;
      case TermKind::kStop:
        node.stops.push_back(id);
        break;
    }
  }
  return node;
}

double value_of(const ReductionContext& context, Expr e) {
  if (!context.nominal.is_parametric(e)) return std::numeric_limits<double>::quiet_NaN();
  const double value = context.nominal.value(e);
  if (value == 0 || std::isinf(value)) context.limits.insert(e);
  return value;
}

bool is_rigid_spring(const ReductionContext& context, const ForceTerm& term) {
  return term.kind == TermKind::kSpring && std::isinf(value_of(context, term.coefficient));
}

bool is_massless(const ReductionContext& context, const Mechanism& mechanism, CoordinateId q) {
  if (mechanism.coordinates[q].guides) return false;
  const auto diagonal = mechanism.inertia.find({q, q});
  if (diagonal == mechanism.inertia.end()) return true;
  return value_of(context, diagonal->second) == 0;
}

std::vector<char> massless_coordinates(const ReductionContext& context,
                                       const Mechanism& mechanism) {
  std::vector<char> result(mechanism.coordinates.size(), 0);
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    result[q.value] = mechanism.coordinates[q].role == CoordinateRole::kInertial &&
                      is_massless(context, mechanism, q);
  }
  return result;
}

void replace_spring(ExprPool& pool, ForceTerm& spring) {
  spring.value = pool.mul(spring.coefficient, strain(pool, spring));
  spring.status = TermStatus::kReplaced;
}

ForceTerm load_of(ExprPool& pool, const ForceTerm& spring, Expr value) {
  ForceTerm load = spring;
  load.kind = load.origin = TermKind::kLoad;
  load.coefficient = pool.one();
  load.half_freeplay = pool.zero();
  load.value = value;
  return load;
}

LinearForm linear_form(const AffineForm& form) {
  LinearForm result{{}, form.rest};
  for (const auto& [s, c] : form.coefficients) result.terms.emplace_back(CoordinateId{s.index}, c);
  return result;
}

LinearForm scaled(ExprPool& pool, const LinearForm& form, Expr factor) {
  LinearForm result{{}, pool.mul(factor, form.offset)};
  for (const auto& [q, c] : form.terms) result.terms.emplace_back(q, pool.mul(factor, c));
  return result;
}

LinearForm sum(ExprPool& pool, const LinearForm& a, const LinearForm& b) {
  LinearForm result{{}, pool.add(a.offset, b.offset)};
  auto i = a.terms.begin();
  auto j = b.terms.begin();
  while (i != a.terms.end() || j != b.terms.end()) {
    if (j == b.terms.end() || (i != a.terms.end() && i->first < j->first)) {
      result.terms.push_back(*i++);
    } else if (i == a.terms.end() || j->first < i->first) {
      result.terms.push_back(*j++);
    } else {
      const Expr c = pool.add(i->second, j->second);
      if (!pool.is_zero(c)) result.terms.emplace_back(i->first, c);
      ++i;
      ++j;
    }
  }
  return result;
}

LinearForm without(const LinearForm& form, CoordinateId q) {
  LinearForm result = form;
  std::erase_if(result.terms, [&](const auto& term) { return term.first == q; });
  return result;
}

LinearForm replaced(ExprPool& pool, const LinearForm& form, CoordinateId q, const LinearForm& by) {
  const Expr* c = form.coefficient(q);
  return c ? sum(pool, without(form, q), scaled(pool, by, *c)) : form;
}

namespace {

// What an acceleration that is known does to the balances: a load.
void push_acceleration(ExprPool& pool, Mechanism& mechanism, CoordinateId q, LinearForm lever,
                       Expr value) {
  ForceTerm load;
  load.part = mechanism.coordinates[q].part;
  load.span = mechanism.coordinates[q].span;
  load.name = mechanism.coordinates[q].name;
  load.coefficient = pool.one();
  load.half_freeplay = pool.zero();
  load.value = value;
  load.participation = std::move(lever);
  mechanism.terms.push_back(std::move(load));
}

// M[q, j] for j != q in the order of j, taken out of M.
std::vector<std::pair<CoordinateId, Expr>> take_row(Mechanism& mechanism, Couplings& coupled,
                                                    CoordinateId q) {
  std::vector<std::pair<CoordinateId, Expr>> row;
  for (const CoordinateId j : coupled[q.value]) {
    const auto entry = mechanism.inertia.find(std::minmax(q, j));
    if (entry == mechanism.inertia.end()) continue;
    row.emplace_back(j, entry->second);
    mechanism.inertia.erase(entry);
  }
  coupled[q.value].clear();
  std::sort(row.begin(), row.end());
  return row;
}

}  // namespace

void transform_inertia(const ReductionContext& context, Mechanism& mechanism, Couplings& coupled,
                       CoordinateId q, const CoordinateMotion& by) {
  ExprPool& pool = context.pool;
  coupled.resize(mechanism.coordinates.size());  // some may have been added
  const std::vector<std::pair<CoordinateId, Expr>> row = take_row(mechanism, coupled, q);
  Expr diagonal = pool.zero();
  if (const auto own = mechanism.inertia.find({q, q}); own != mechanism.inertia.end()) {
    diagonal = own->second;
    mechanism.inertia.erase(own);
  }
  // Reactions carry the balance of a blocked body. One that a motion drives all the same pushes
  // others by its acceleration.
  const bool driven = by.velocity.terms.empty() && !pool.is_zero(by.acceleration);
  if (std::isinf(value_of(context, diagonal)) && !driven) return;
  const auto add = [&](CoordinateId i, CoordinateId j, Expr m) {
    if (pool.is_zero(m)) return;
    const auto [it, fresh] = mechanism.inertia.emplace(std::minmax(i, j), m);
    if (!fresh) it->second = pool.add(it->second, m);
    if (!fresh || i == j) return;
    coupled[i.value].push_back(j);
    coupled[j.value].push_back(i);
  };
  const auto& follows = by.velocity.terms;
  for (std::size_t a = 0; a < follows.size(); ++a) {
    const auto& [i, si] = follows[a];
    for (const auto& [j, m] : row) {
      const Expr coupling = pool.mul(si, m);
      add(i, j, i == j ? pool.mul(pool.constant(2), coupling) : coupling);
    }
    for (std::size_t b = a; b < follows.size(); ++b) {
      add(i, follows[b].first, pool.mul({si, follows[b].second, diagonal}));
    }
  }
  if (pool.is_zero(by.acceleration)) return;
  if (!pool.is_zero(diagonal) && !follows.empty()) {
    push_acceleration(pool, mechanism, q, {follows, pool.zero()},
                      pool.mul(diagonal, by.acceleration));
  }
  for (const auto& [j, m] : row) {
    push_acceleration(pool, mechanism, q, {{{j, pool.one()}}, pool.zero()},
                      pool.mul(m, by.acceleration));
  }
}

CoordinateMotion motion_by(ExprPool& pool, const LinearForm& by) {
  const Expr rate = rate_of_motion(pool, by.offset);
  return {by, {by.terms, rate}, rate_of_motion(pool, rate)};
}

void join_starts(const ReductionContext& context, Mechanism& mechanism, CoordinateId q,
                 const LinearForm& by) {
  if (by.terms.size() != 1 || !context.nominal.is_parametric(by.offset)) return;
  ExprPool& pool = context.pool;
  const Coordinate& gone = mechanism.coordinates[q];
  const auto& [p, ratio] = by.terms[0];
  Coordinate& kept = mechanism.coordinates[p];
  if (gone.start_given > kept.start_given) {
    kept.start = pool.div(pool.sub(gone.start, by.offset), ratio);
    kept.start_given = gone.start_given;
  }
  if (gone.start_velocity_given > kept.start_velocity_given) {
    kept.start_velocity = pool.div(gone.start_velocity, ratio);
    kept.start_velocity_given = gone.start_velocity_given;
  }
}

void rely_on(const ReductionContext& context, Mechanism& mechanism, Expr stiffness) {
  const ExprPool& pool = context.pool;
  if (pool[stiffness].op != Op::kAdd) return;
  const auto terms = pool.args(stiffness);
  const bool any = std::any_of(terms.begin(), terms.end(),
                               [&](Expr term) { return context.nominal.value(term) < 0; });
  if (any) mechanism.fixed.push_back(stiffness);
}

namespace {

/// The ratio of the coefficients alone.
std::optional<Expr> row_ratio(ExprPool& pool, const IdentityTest& identity, const LinearForm& a,
                              const LinearForm& b) {
  if (a.terms.empty() || a.terms.size() != b.terms.size()) return std::nullopt;
  const Expr ratio = pool.div(b.terms[0].second, a.terms[0].second);
  for (std::size_t i = 0; i < a.terms.size(); ++i) {
    if (a.terms[i].first != b.terms[i].first) return std::nullopt;
    if (!identity.equal(b.terms[i].second, pool.mul(ratio, a.terms[i].second))) return std::nullopt;
  }
  return ratio;
}

/// Of a sum; ratios of numbers leave rounding of its other terms.
Expr parametric_terms(const ReductionContext& context, Expr sum) {
  ExprPool& pool = context.pool;
  if (pool[sum].op != Op::kAdd) return context.nominal.is_parametric(sum) ? sum : pool.zero();
  const auto args = pool.args(sum);
  std::vector<Expr> terms(args.begin(), args.end());
  std::erase_if(terms, [&](Expr term) { return !context.nominal.is_parametric(term); });
  return pool.add(std::move(terms));
}

}  // namespace

std::optional<Expr> ratio_of(const ReductionContext& context, const IdentityTest& identity,
                             const LinearForm& a, const LinearForm& b) {
  ExprPool& pool = context.pool;
  const auto ratio = row_ratio(pool, identity, a, b);
  if (!ratio) return std::nullopt;
  const Expr offset = pool.mul(*ratio, a.offset);
  if (identity.equal(b.offset, offset)) return ratio;
  return value_of(context, pool.sub(b.offset, offset)) == 0 ? ratio : std::nullopt;
}

std::optional<ShiftedRatio> shifted_ratio_of(const ReductionContext& context,
                                             const IdentityTest& identity, const LinearForm& a,
                                             const LinearForm& b) {
  ExprPool& pool = context.pool;
  const auto ratio = row_ratio(pool, identity, a, b);
  if (!ratio) return std::nullopt;
  const Expr offset = pool.mul(*ratio, a.offset);
  const Expr shift = parametric_terms(context, expand(pool, pool.sub(b.offset, offset)));
  if (!identity.equal(b.offset, pool.add(offset, shift))) return std::nullopt;
  return ShiftedRatio{*ratio, shift};
}

void mark_eliminated(const ReductionContext& context, Mechanism& mechanism, CoordinateId q,
                     const LinearForm& by, bool constrained) {
  Coordinate& coordinate = mechanism.coordinates[q];
  coordinate.role = CoordinateRole::kEliminated;
  coordinate.position = to_expr(context.pool, by, false);
  coordinate.constrained = constrained;
}

void eliminate_coordinate(const ReductionContext& context, Mechanism& mechanism, NodeTerms& nodes,
                          CoordinateId q, const LinearForm& by) {
  mark_eliminated(context, mechanism, q, by, false);
  substitute_coordinate(context, mechanism, nodes, q, motion_by(context.pool, by));
}

void substitute_coordinate(const ReductionContext& context, Mechanism& mechanism, NodeTerms& nodes,
                           CoordinateId q, const CoordinateMotion& by) {
  ExprPool& pool = context.pool;
  transform_inertia(context, mechanism, nodes.coupled, q, by);
  for (const ForceTermId id : nodes[q.value]) {
    ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive) continue;
    const LinearForm& argument = takes_velocity(term.kind) ? by.velocity : by.position;
    term.argument = replaced(pool, term.argument, q, argument);
    if (term.travel.offset.valid()) term.travel = replaced(pool, term.travel, q, by.position);
    term.participation = replaced(pool, term.participation, q, {by.velocity.terms, pool.zero()});
  }
}

void drop_balance(Mechanism& mechanism, const NodeTerms& nodes, CoordinateId q) {
  for (const ForceTermId id : nodes[q.value]) {
    mechanism.terms[id].participation = without(mechanism.terms[id].participation, q);
  }
}

std::string text_of(const ReductionContext& context, const Mechanism& mechanism, Expr e) {
  constexpr std::size_t kLongestText = 2000;
  return beginning_of_text(context.pool, e, symbol_names(mechanism, context.flat), kLongestText);
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    list += (i == 0 ? "'" : ", '") + names[i] + "'";
  }
  if (names.size() <= kMostNames) return list;
  const std::size_t others = names.size() - kMostNames;
  return list + " and " + std::to_string(others) + (others == 1 ? " other" : " others");
}

std::string massless_condition(const Mechanism& mechanism,
                               const std::vector<CoordinateId>& massless) {
  std::vector<std::string> names;
  for (const CoordinateId q : massless) names.push_back(mechanism.coordinates[q].name);
  return "no inertia at " + list_of(names);
}

}  // namespace luztar
