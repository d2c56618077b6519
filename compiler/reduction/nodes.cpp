#include "compiler/reduction/nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar {

NodeTerms node_terms(const Mechanism& mechanism) {
  NodeTerms nodes(mechanism.coordinates.size());
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
        const bool linear = value_of(context, term.half_freeplay) == 0 &&
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
        throw InternalError("reduction", "a hard stop on a massless coordinate");
    }
  }
  return node;
}

double value_of(const ReductionContext& context, Expr e) {
  if (!is_parametric(context.pool, e)) return std::numeric_limits<double>::quiet_NaN();
  const double value = nominal_value(context.pool, context.flat, e);
  if (value == 0 || std::isinf(value)) context.limits.insert(e);
  return value;
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
  for (const ForceTerm& term : mechanism.terms) {  // no rule takes them: see check_reduced
    if (term.status != TermStatus::kActive || term.kind != TermKind::kStop) continue;
    for (const auto& [q, c] : term.participation.terms) result[q.value] = 0;
  }
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

// M -> S^T M S with the row S of q; the rest of its acceleration is a load.
void transform_inertia(const ReductionContext& context, Mechanism& mechanism, CoordinateId q,
                       const LinearForm& by, Expr acceleration) {
  ExprPool& pool = context.pool;
  std::vector<std::pair<CoordinateId, Expr>> row;  // M[q, j], j != q
  Expr diagonal = pool.zero();
  for (auto it = mechanism.inertia.begin(); it != mechanism.inertia.end();) {
    const auto [i, j] = it->first;
    if (i != q && j != q) {
      ++it;
      continue;
    }
    if (i == j) {
      diagonal = it->second;
    } else {
      row.emplace_back(i == q ? j : i, it->second);
    }
    it = mechanism.inertia.erase(it);
  }
  if (std::isinf(value_of(context, diagonal))) return;  // blocked: reactions carry its balance
  const auto add = [&](CoordinateId i, CoordinateId j, Expr m) {
    if (pool.is_zero(m)) return;
    const auto [it, fresh] = mechanism.inertia.emplace(std::minmax(i, j), m);
    if (!fresh) it->second = pool.add(it->second, m);
  };
  for (std::size_t a = 0; a < by.terms.size(); ++a) {
    const auto& [i, si] = by.terms[a];
    for (const auto& [j, m] : row) {
      const Expr coupling = pool.mul(si, m);
      add(i, j, i == j ? pool.mul(pool.constant(2), coupling) : coupling);
    }
    for (std::size_t b = a; b < by.terms.size(); ++b) {
      add(i, by.terms[b].first, pool.mul({si, by.terms[b].second, diagonal}));
    }
  }
  if (pool.is_zero(acceleration)) return;
  const auto push = [&](const LinearForm& lever, Expr value) {
    ForceTerm load;
    load.part = mechanism.coordinates[q].part;
    load.span = mechanism.coordinates[q].span;
    load.name = mechanism.coordinates[q].name;
    load.coefficient = pool.one();
    load.half_freeplay = pool.zero();
    load.value = value;
    load.participation = lever;
    mechanism.terms.push_back(std::move(load));
  };
  if (!pool.is_zero(diagonal) && !by.terms.empty()) {
    push({by.terms, pool.zero()}, pool.mul(diagonal, acceleration));
  }
  for (const auto& [j, m] : row) {
    push({{{j, pool.one()}}, pool.zero()}, pool.mul(m, acceleration));
  }
}

// Start values of q move on to the coordinate it follows when that has none of its own; the start
// checks of the mechanism compare them otherwise.
void join_starts(ExprPool& pool, Mechanism& mechanism, CoordinateId q, const LinearForm& by) {
  if (by.terms.size() != 1 || !is_parametric(pool, by.offset)) return;
  const Coordinate& gone = mechanism.coordinates[q];
  const auto& [p, ratio] = by.terms[0];
  Coordinate& kept = mechanism.coordinates[p];
  if (gone.start_given && !kept.start_given) {
    kept.start = pool.div(pool.sub(gone.start, by.offset), ratio);
    kept.start_given = true;
  }
  if (gone.start_velocity_given && !kept.start_velocity_given) {
    kept.start_velocity = pool.div(gone.start_velocity, ratio);
    kept.start_velocity_given = true;
  }
}

}  // namespace

void eliminate_coordinate(const ReductionContext& context, Mechanism& mechanism,
                          const NodeTerms& nodes, CoordinateId q, const LinearForm& by,
                          bool check_start) {
  ExprPool& pool = context.pool;
  Coordinate& coordinate = mechanism.coordinates[q];
  coordinate.role = CoordinateRole::kEliminated;
  coordinate.position = to_expr(pool, by, false);
  coordinate.constrained = check_start;
  if (check_start) join_starts(pool, mechanism, q, by);
  substitute_coordinate(context, mechanism, nodes, q, by);
}

void substitute_coordinate(const ReductionContext& context, Mechanism& mechanism,
                           const NodeTerms& nodes, CoordinateId q, const LinearForm& by) {
  const Expr rate = rate_of_motion(context.pool, by.offset);
  substitute_coordinate(context, mechanism, nodes, q,
                        {by, {by.terms, rate}, rate_of_motion(context.pool, rate)});
}

void substitute_coordinate(const ReductionContext& context, Mechanism& mechanism,
                           const NodeTerms& nodes, CoordinateId q, const CoordinateMotion& by) {
  ExprPool& pool = context.pool;
  transform_inertia(context, mechanism, q, by.velocity, by.acceleration);
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
  return to_text(context.pool, e, symbol_names(mechanism, context.flat));
}

std::string massless_condition(const Mechanism& mechanism, CoordinateId q) {
  return "no inertia at '" + mechanism.coordinates[q].name + "'";
}

}  // namespace luztar
