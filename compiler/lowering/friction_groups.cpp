#include "compiler/lowering/friction_groups.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "compiler/lowering/band_order.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/row_basis.h"
#include "compiler/mechanics/union_find.h"

namespace luztar {
namespace {

using Vector = SymmetricSolver::Vector;

class Grouping {
 public:
  Grouping(ExprPool& pool, const FlatModel& flat, const Mechanism& mechanism,
           const SymmetricSolver& inertia, const SymmetricSolver& damping)
      : pool_(pool),
        flat_(flat),
        mechanism_(mechanism),
        inertia_(inertia),
        damping_(damping),
        identity_(pool, flat) {}

  FrictionGroups run(const std::vector<std::vector<ForceTermId>>& settled) {
    collect();
    const auto series = collect_series(settled);
    UnionFind groups(frictions_.size());
    for (const auto& [first, end] : series) {
      for (std::size_t i = first + 1; i < end; ++i) groups.unite(first, i);
    }
    unite(groups, [](const GroupedFriction& f) {
      return f.kernel == FrictionKernel::kGauss ? &f.response : nullptr;
    });
    const auto creep = [](const GroupedFriction& f) {
      return f.kernel == FrictionKernel::kGauss ? nullptr : &f.response;
    };
    unite(groups, creep);
    UnionFind at_once(frictions_.size());
    unite(at_once, creep);
    bool any_bound = false;
    for (const auto& [smallest, members] : members_of(groups)) {
      if (!binds(members)) continue;
      any_bound = true;
      for (const std::size_t i : members) {
        frictions_[i].rate_response = inertia_.solve(row_of(i, with_inertia()));
        frictions_[i].bound = true;
      }
    }
    if (any_bound) {
      unite(groups, [](const GroupedFriction& f) {
        if (f.kernel == FrictionKernel::kGauss) return &f.response;
        return f.bound ? &f.rate_response : nullptr;
      });
      unite_by_drag(groups);
    }
    return sorted(groups, at_once);
  }

 private:
  [[nodiscard]] const LinearForm& argument(std::size_t i) const {
    return mechanism_.terms[frictions_[i].term].argument;
  }

  using Where = std::function<bool(CoordinateId)>;
  static bool everywhere(CoordinateId) { return true; }
  [[nodiscard]] Where in_kernel_a() const {
    return [this](CoordinateId q) { return is_creep_kernel(mechanism_, q); };
  }
  [[nodiscard]] Where with_inertia() const {
    return [this](CoordinateId q) {
      return mechanism_.coordinates[q].role == CoordinateRole::kInertial;
    };
  }

  [[nodiscard]] Where without_inertia() const {
    return [this](CoordinateId q) {
      return is_creep_kernel(mechanism_, q) || is_settled(mechanism_, q);
    };
  }

  // Its coefficients at coordinates that are asked for.
  [[nodiscard]] Vector row_of(std::size_t i, const Where& asked) const {
    Vector row;
    for (const auto& [q, c] : argument(i).terms) {
      if (asked(q)) row.emplace(q, c);
    }
    return row;
  }

  void collect() {
    for (const ForceTermId id : mechanism_.terms.ids()) {
      const ForceTerm& term = mechanism_.terms[id];
      if (term.status != TermStatus::kActive || term.argument.terms.empty()) continue;
      if (term.kind != TermKind::kFriction && term.kind != TermKind::kStop) continue;
      if (acts_on_settled(mechanism_, term)) continue;
      bool creep = false;
      for (const auto& [q, c] : term.argument.terms) {
        creep = creep || is_creep_kernel(mechanism_, q);
      }
      const std::size_t i = frictions_.size();
      frictions_.push_back(
          {id, creep ? FrictionKernel::kCreep : FrictionKernel::kGauss, false, {}, {}});
      for (const auto& [q, c] : term.argument.terms) {
        if (creep || mechanism_.coordinates[q].role == CoordinateRole::kInertial) continue;
        throw InternalError("lowering", "friction '" + term.name + "' on a massless coordinate");
      }
      frictions_[i].response = creep ? damping_.solve(row_of(i, in_kernel_a()))
                                     : inertia_.solve(row_of(i, with_inertia()));
    }
  }

  // Those that act on the same bodies of kernel B, and some of them in series: sticking together
  // they are a condition on the bodies beyond, which the balance of forces does not see. Ranges of
  // frictions_.
  std::vector<std::pair<std::size_t, std::size_t>> collect_series(
      const std::vector<std::vector<ForceTermId>>& settled) {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (const std::vector<ForceTermId>& terms : settled) {
      const std::size_t first = frictions_.size();
      std::vector<std::size_t> members;
      for (const ForceTermId id : terms) {
        members.push_back(frictions_.size());
        frictions_.push_back({id, FrictionKernel::kSettle, false, {}, {}});
      }
      if (rank(members, [&](CoordinateId q) { return is_settled(mechanism_, q); }) ==
          members.size()) {
        frictions_.resize(first);
        continue;
      }
      for (const std::size_t i : members) {
        frictions_[i].response = damping_.solve(row_of(i, in_kernel_a()));
      }
      out.emplace_back(first, frictions_.size());
    }
    return out;
  }

  // Unites frictions whose slips a force on one of them changes; pick: the response to look at, or
  // null.
  template <class Pick>
  void unite(UnionFind& groups, Pick pick) {
    std::map<CoordinateId, std::vector<std::size_t>> by_coordinate;
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      const Vector* response = pick(frictions_[i]);
      if (!response) continue;
      std::set<std::size_t> neighbours;
      for (const auto& [q, r] : *response) {
        const auto others = by_coordinate.find(q);
        if (others == by_coordinate.end()) continue;
        neighbours.insert(others->second.begin(), others->second.end());
      }
      for (const std::size_t j : neighbours) {
        if (!identity_.is_zero(product(pool_, argument(j), *response))) groups.unite(i, j);
      }
      for (const auto& [q, c] : argument(i).terms) by_coordinate[q].push_back(i);
    }
  }

  // Unites bound groups where forces of one take some off dampers that act on what the other holds.
  void unite_by_drag(UnionFind& groups) {
    std::set<std::size_t> bound;
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      if (frictions_[i].bound) bound.insert(groups.find(i));
    }
    std::map<CoordinateId, std::vector<std::size_t>> by_coordinate;
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      if (!bound.contains(groups.find(i))) continue;
      for (const auto& [q, c] : argument(i).terms) by_coordinate[q].push_back(i);
    }
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      if (!frictions_[i].bound || !frictions_[i].creeps()) continue;
      const Vector response = damper_response(frictions_[i].response);
      std::set<std::size_t> others;
      for (const auto& [q, r] : response) {
        const auto at = by_coordinate.find(q);
        if (at != by_coordinate.end()) others.insert(at->second.begin(), at->second.end());
      }
      for (const std::size_t j : others) {
        if (!identity_.is_zero(product(pool_, argument(j), response))) groups.unite(i, j);
      }
    }
  }

  std::map<std::size_t, std::vector<std::size_t>> members_of(UnionFind& groups) {
    std::map<std::size_t, std::vector<std::size_t>> members;  // by smallest friction
    for (std::size_t i = 0; i < frictions_.size(); ++i) members[groups.find(i)].push_back(i);
    return members;
  }

  // Sticking together they are a condition on coordinates with inertia, which neither kernel A nor
  // the balance of forces sees.
  bool binds(const std::vector<std::size_t>& members) const {
    if (frictions_[members.front()].kernel == FrictionKernel::kGauss) return false;
    return any_settles(members) || rank(members, in_kernel_a()) < rank(members, everywhere);
  }
  [[nodiscard]] bool any_settles(const std::vector<std::size_t>& members) const {
    return std::any_of(members.begin(), members.end(), [this](std::size_t i) {
      return frictions_[i].kernel == FrictionKernel::kSettle;
    });
  }

  [[nodiscard]] bool falls(std::size_t i) const {
    return mechanism_.terms[frictions_[i].term].rest_speed.valid();
  }
  // Holds massless bodies with more than it slides with.
  [[nodiscard]] bool snaps(std::size_t i) const {
    const ForceTerm& term = mechanism_.terms[frictions_[i].term];
    return falls(i) || (term.kind == TermKind::kFriction && term.static_bound != term.kinetic);
  }

  // Forces on them move one damped body without inertia alone, or one friction is all there is. Of
  // bodies that dampers connect, the others follow one later or sooner.
  bool have_one_speed(const std::vector<std::size_t>& creeping) const {
    std::set<CoordinateId> moved;
    for (const std::size_t i : creeping) {
      for (const auto& [q, r] : frictions_[i].response) moved.insert(q);
    }
    return creeping.size() == 1 || moved.size() == 1;
  }

  // Frictions of damped bodies without inertia of which forces on one move the others: by body on
  // which some fall.
  void add_snapping(const std::vector<std::size_t>& members, std::vector<std::uint32_t> places,
                    std::uint32_t network, std::vector<SnappingGroup>& out) const {
    std::vector<std::size_t> creeping;
    for (const std::uint32_t place : places) creeping.push_back(members[place]);
    const auto count = static_cast<std::uint32_t>(places.size());
    if (have_one_speed(creeping)) {
      const bool any =
          std::any_of(creeping.begin(), creeping.end(), [this](std::size_t i) { return snaps(i); });
      if (any) out.push_back({std::move(places), count, network});
      return;
    }
    std::set<std::uint32_t> left(places.begin(), places.end());
    for (const std::uint32_t first : places) {
      if (!falls(members[first]) || left.count(first) == 0) continue;
      std::vector<std::uint32_t> body = places;
      const auto own = std::stable_partition(body.begin(), body.end(), [&](std::uint32_t place) {
        return rank({members[first], members[place]}, in_kernel_a()) == 1;
      });
      for (auto place = body.begin(); place != own; ++place) left.erase(*place);
      const auto own_count = static_cast<std::uint32_t>(own - body.begin());
      out.push_back({std::move(body), own_count, network});
    }
  }

  std::vector<SnappingGroup> snapping_groups(const std::vector<std::size_t>& members,
                                             UnionFind& at_once) const {
    std::map<std::size_t, std::vector<std::uint32_t>> parts;
    for (std::uint32_t place = 0; place < members.size(); ++place) {
      if (frictions_[members[place]].kernel != FrictionKernel::kCreep) continue;
      parts[at_once.find(members[place])].push_back(place);
    }
    std::vector<SnappingGroup> out;
    std::uint32_t network = 0;
    for (auto& [smallest, places] : parts) {
      add_snapping(members, std::move(places), network++, out);
    }
    return out;
  }

  // Rank of slip rows, in coordinates that are asked for.
  [[nodiscard]] std::size_t rank(const std::vector<std::size_t>& members,
                                 const Where& asked) const {
    RowBasis basis;
    for (const std::size_t i : members) {
      RowBasis::Row row;
      for (const auto& [q, c] : argument(i).terms) {
        if (!asked(q)) continue;
        row[q] = is_parametric(pool_, c) ? nominal_value(pool_, flat_, c) : identity_.sample(c);
      }
      basis.add(std::move(row));
    }
    return basis.rank();
  }

  // d_i . response of d_j, the same for (j, i).
  Expr coupling(std::size_t i, std::size_t j, bool rates) {
    if (frictions_[j].term < frictions_[i].term) std::swap(i, j);
    const GroupedFriction& f = frictions_[j];
    const bool own = f.kernel == FrictionKernel::kGauss || !rates;
    return product(pool_, argument(i), own ? f.response : f.rate_response);
  }

  Expr creep_coupling(std::size_t i, std::size_t j) {
    const bool both = frictions_[i].creeps() && frictions_[j].creeps();
    return both ? coupling(i, j, false) : pool_.zero();
  }

  // M^-1 times the forces of dampers on coordinates with inertia for velocities u of creep ones.
  Vector damper_response(const Vector& u) const {
    Vector force;
    for (const ForceTerm& term : mechanism_.terms) {
      if (term.status != TermStatus::kActive || term.kind != TermKind::kDamper) continue;
      const Expr slip = product(pool_, term.argument, u);
      if (pool_.is_zero(slip)) continue;
      for (const auto& [q, c] : term.participation.terms) {
        if (mechanism_.coordinates[q].role != CoordinateRole::kInertial) continue;
        const Expr f = pool_.mul({c, term.coefficient, slip});
        const auto [it, fresh] = force.emplace(q, f);
        if (!fresh) it->second = pool_.add(it->second, f);
      }
    }
    return inertia_.solve(force);
  }

  std::vector<Expr> drag(const std::vector<std::size_t>& members) {
    const std::size_t n = members.size();
    std::vector<Expr> out(n * n, pool_.zero());
    for (std::size_t j = 0; j < n; ++j) {
      GroupedFriction& f = frictions_[members[j]];
      if (!f.creeps()) continue;
      f.drag_response = damper_response(f.response);
      for (std::size_t i = 0; i < n; ++i) {
        out[i * n + j] = product(pool_, argument(members[i]), f.drag_response);
      }
    }
    return out;
  }

  // Pairs of members, by their places, that a force on one moves the other of; i <= j.
  std::set<std::pair<std::uint32_t, std::uint32_t>> coupled(const std::vector<std::size_t>& members,
                                                            bool bound) const {
    std::set<std::pair<std::uint32_t, std::uint32_t>> out;
    std::map<CoordinateId, std::vector<std::uint32_t>> by_coordinate;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      for (const auto& [q, c] : argument(members[i]).terms) by_coordinate[q].push_back(i);
    }
    for (std::uint32_t j = 0; j < members.size(); ++j) {
      const GroupedFriction& f = frictions_[members[j]];
      for (const Vector* response : {&f.response, bound ? &f.rate_response : nullptr}) {
        if (!response) continue;
        for (const auto& [q, r] : *response) {
          const auto others = by_coordinate.find(q);
          if (others == by_coordinate.end()) continue;
          for (const std::uint32_t i : others->second) out.insert(std::minmax(i, j));
        }
      }
    }
    return out;
  }

  [[nodiscard]] bool varies(const FrictionGroup& group) const {
    const auto steady = [this](Expr e) { return identity_.nominal().is_parametric(e); };
    return !std::all_of(group.gram.begin(), group.gram.end(), [&](const ExplicitGramEntry& entry) {
      return steady(entry.value);
    }) || !std::all_of(group.drag.begin(), group.drag.end(), steady);
  }

  FrictionGroups sorted(UnionFind& groups, UnionFind& at_once) {
    FrictionGroups out;
    for (auto& [smallest, members] : members_of(groups)) {
      FrictionGroup group;
      group.first = out.frictions.size();
      group.count = members.size();
      bool creeps = false;
      for (const std::size_t i : members) {
        group.bound = group.bound || frictions_[i].bound;
        creeps = creeps || frictions_[i].creeps();
      }
      creeps = creeps && group.bound;
      group.settles = any_settles(members);
      const bool creep =
          !group.bound && frictions_[members.front()].kernel == FrictionKernel::kCreep;
      const std::size_t independent =
          creep ? rank(members, in_kernel_a()) : rank(members, everywhere);
      group.singular = independent < members.size();
      if (group.bound) group.stresses = members.size() - rank(members, without_inertia());
      if (members.size() > kMostInTables) {
        const auto pairs = coupled(members, group.bound);
        std::vector<std::size_t> ordered;
        for (const std::uint32_t i : band_order(members.size(), pairs)) {
          ordered.push_back(members[i]);
        }
        members = std::move(ordered);
      }
      for (const auto& [i, j] : coupled(members, group.bound)) {
        const Expr g = coupling(members[i], members[j], group.bound);
        if (!pool_.is_zero(g)) group.gram.push_back({i, j, g});
      }
      for (const std::size_t i : members) {
        for (const std::size_t j : members) {
          if (creeps) group.creep_gram.push_back(creep_coupling(i, j));
        }
      }
      if (creeps) group.drag = drag(members);
      group.varies = varies(group);
      group.snapping = snapping_groups(members, at_once);
      for (const std::size_t i : members) {
        GroupedFriction& friction = out.frictions.emplace_back(frictions_[i]);
        friction.bound = group.bound;
      }
      out.groups.push_back(std::move(group));
    }
    return out;
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  const Mechanism& mechanism_;
  const SymmetricSolver& inertia_;
  const SymmetricSolver& damping_;
  IdentityTest identity_;
  std::vector<GroupedFriction> frictions_;
};

}  // namespace

Expr product(ExprPool& pool, const LinearForm& row, const SymmetricSolver::Vector& column) {
  std::vector<Expr> terms;
  for (const auto& [q, c] : row.terms) {
    const auto it = column.find(q);
    if (it != column.end()) terms.push_back(pool.mul(c, it->second));
  }
  return pool.add(std::move(terms));
}

FrictionGroups group_frictions(ExprPool& pool, const FlatModel& flat, const Mechanism& mechanism,
                               const std::vector<std::vector<ForceTermId>>& settled,
                               const SymmetricSolver& inertia, const SymmetricSolver& damping) {
  return Grouping(pool, flat, mechanism, inertia, damping).run(settled);
}

}  // namespace luztar
