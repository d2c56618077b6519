#include "runtime/events/modes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/pwl/box_minimum.h"
#include "runtime/pwl/lexicographic_minimum.h"

namespace luztar {
namespace {

using Vector = Eigen::VectorXd;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A slip rate this small against the terms it is the sum of is zero.
constexpr double kRoundingOfRate = 1e-12;
/// So are the derivatives of a creeping slip that is rounding itself: they have its rates of decay,
/// which may be those of the stiffest spring against the softest.
constexpr double kRoundingOfCreep = 1e-10;
/// A force this near to its bound is at it.
constexpr double kRoundingOfForce = 1e-13;

enum class Rest : std::uint8_t {
  kSlips,
  kHeld,
  kCritical,   // its force is at a bound, and coefficients so far do not tell where it goes
  kSaturated,  // its force stays at a bound, and others hold it
};

/// One decision: the frictions of an island, order by order.
struct Decision {
  const Eigen::MatrixXd& gram;
  const Eigen::MatrixXd &creep_gram, &drag;  // of a bound island
  Eigen::Index size;
  const Friction* friction;  // first of the island
  Coefficients& J;
  std::vector<Rest> rest;
  std::vector<std::int8_t> side;  // of slip, or of the bound while critical
  std::vector<std::uint32_t> zeros;
  std::vector<std::int8_t> contact;  // of stops: the side on which they push, else 0
  std::vector<char> slides;          // of creep: its bound is T_K

  [[nodiscard]] double free(Eigen::Index i, Eigen::Index k) const {
    return J.at(k, friction[i].free_row);
  }
  [[nodiscard]] double kinetic(Eigen::Index i, Eigen::Index k) const {
    return J.at(k, friction[i].kinetic_row);
  }
  [[nodiscard]] double bound(Eigen::Index i, Eigen::Index k) const {
    if (slides[i] != 0) return kinetic(i, k);
    const std::uint32_t row = friction[i].reserve_row;
    const double value = (J.at(k, row) + J.at(k, row + 1)) / 2;
    return k == 0 ? std::max(value, 0.0) : value;
  }
  [[nodiscard]] bool is_bound() const { return creep_gram.size() > 0; }
  [[nodiscard]] bool creeps(Eigen::Index i) const { return friction[i].creep; }
  [[nodiscard]] bool has_capacity(Eigen::Index i) const {
    std::int64_t k = 0;
    while (k <= J.highest() && bound(i, k) == 0) ++k;
    return k <= J.highest();
  }
};

/// Forces of slipping frictions at order k.
Vector sliding_forces(const Decision& d, Eigen::Index k) {
  Vector force = Vector::Zero(d.size);
  for (Eigen::Index i = 0; i < d.size; ++i) {
    if (d.rest[i] == Rest::kSlips) force[i] = d.side[i] * d.kinetic(i, k);
  }
  return force;
}

double rounding_of_rate(const Decision& d, Eigen::Index i, Eigen::Index k) {
  return k > 0 && d.creeps(i) && !d.is_bound() ? kRoundingOfCreep : kRoundingOfRate;
}

/// Slip rates (of creep: slips) that the forces of slipping frictions leave, at order k; and the
/// size of their terms.
void rates(const Decision& d, Eigen::Index k, Vector& rate, Vector& size) {
  const Vector force = sliding_forces(d, k);
  const auto row = [&](Eigen::Index i) {
    return d.is_bound() ? d.friction[i].rate_row : d.friction[i].free_row;
  };
  rate.resize(d.size);
  for (Eigen::Index i = 0; i < d.size; ++i) rate[i] = d.J.at(k, row(i));
  size = rate.cwiseAbs() + d.gram.cwiseAbs() * force.cwiseAbs();
  rate -= d.gram * force;
  if (d.is_bound()) rate += d.drag * force;
  if (k == 0) return;
  // Rates of what is held cancel in all orders, and what rounding leaves of them tells nothing.
  for (Eigen::Index i = 0; i < d.size; ++i) {
    size[i] += d.J.size(k, row(i));
    if (std::fabs(rate[i]) <= rounding_of_rate(d, i, k) * size[i]) rate[i] = 0;
  }
}

/// Slips of the creeping members of a bound island likewise.
void creep_slips(const Decision& d, Eigen::Index k, Vector& slip, Vector& size) {
  const Vector force = sliding_forces(d, k);
  slip = -d.creep_gram * force;
  size = d.creep_gram.cwiseAbs() * force.cwiseAbs();
  for (Eigen::Index i = 0; i < d.size; ++i) {
    if (!d.creeps(i)) continue;
    slip[i] += d.free(i, k);
    size[i] += k == 0 ? std::fabs(d.free(i, k)) : d.J.size(k, d.friction[i].free_row);
    if (k > 0 && std::fabs(slip[i]) <= kRoundingOfCreep * size[i]) slip[i] = 0;
  }
}

/// A friction that broke away at a higher order moves at once when others have dropped to T_K
/// since. rate, size: of `rates` at order 0; force: of those at rest.
void review_zeros(Decision& d, const Vector& rate, const Vector& size,
                  std::span<const Eigen::Index> at_rest, const Vector& force) {
  for (Eigen::Index i = 0; i < d.size; ++i) {
    if (d.creeps(i) || d.rest[i] != Rest::kSlips || d.zeros[i] < 2) continue;
    double residual = rate[i], terms = size[i];
    for (std::size_t r = 0; r < at_rest.size(); ++r) {
      const double term = d.gram(i, at_rest[r]) * force[static_cast<Eigen::Index>(r)];
      residual -= term;
      terms += std::fabs(term);
    }
    if (std::fabs(residual) > kRoundingOfRate * terms) d.zeros[i] = 1;
  }
}

struct OrderSolution {
  Vector force, residual;  // residual: rates, of creep slips
  Vector slip;             // of a bound island: slips of creeping members, 0 where only rates tell
  std::vector<BoxSide> side;
  bool unique = true;
  // Of a bound island, by member at rest: what the slips follow from.
  Eigen::MatrixXd creep_gram, drag;
  Vector creep_slip;
};

/// How a change of what the held members follow from changes their forces.
struct HeldForces {
  std::vector<Eigen::Index> held, others;  // among those at rest
  LexicographicHoldMap map;                // `first` of creep slips, in a bound island alone
};

HeldForces held_forces(const Decision& d, std::vector<Eigen::Index> held,
                       std::vector<Eigen::Index> others, const Eigen::MatrixXd& gram,
                       const OrderSolution& solution) {
  HeldForces out{std::move(held), std::move(others), {}};
  if (d.is_bound()) {
    out.map =
        lexicographic_hold_map(solution.creep_gram, gram, solution.drag, out.held, out.others);
  } else {
    HoldMap one = hold_map(gram, out.held, out.others);
    out.map.second = std::move(one.from_residual);
    out.map.from_forces = std::move(one.from_forces);
  }
  return out;
}

/// The sizes of the terms of the forces within their bounds at order k, by member at rest.
Vector force_sizes(const Decision& d, Eigen::Index k, std::span<const Eigen::Index> at_rest,
                   const Eigen::MatrixXd& gram, const OrderSolution& solution) {
  std::vector<Eigen::Index> inside, outside;
  for (Eigen::Index r = 0; r < solution.force.size(); ++r) {
    (solution.side[static_cast<std::size_t>(r)] == BoxSide::kInside ? inside : outside)
        .push_back(r);
  }
  const HeldForces forces = held_forces(d, std::move(inside), std::move(outside), gram, solution);
  const auto n = static_cast<Eigen::Index>(forces.held.size());
  Vector rate(n), slip(n);
  for (Eigen::Index h = 0; h < n; ++h) {
    const Eigen::Index i =
        at_rest[static_cast<std::size_t>(forces.held[static_cast<std::size_t>(h)])];
    slip[h] = d.J.size(k, d.friction[i].free_row);
    rate[h] = d.is_bound() ? d.J.size(k, d.friction[i].rate_row) : slip[h];
    if (!d.creeps(i)) slip[h] = 0;
  }
  Vector size = forces.map.second.cwiseAbs() * rate +
                forces.map.from_forces.cwiseAbs() * solution.force(forces.others).cwiseAbs();
  if (d.is_bound()) size += forces.map.first.cwiseAbs() * slip;
  Vector out = Vector::Zero(solution.force.size());
  out(forces.held) = size;
  return out;
}

/// The minimum over the members at rest: in a bound island first of slips, then of rates.
OrderSolution solve_box(const Decision& d, Eigen::Index k, const std::vector<Eigen::Index>& at_rest,
                        const Eigen::MatrixXd& gram, const Vector& b, const Vector& lower,
                        const Vector& upper) {
  if (!d.is_bound()) {
    BoxMinimum m = minimize_in_box(gram, b, lower, upper);
    return {m.force, m.residual, Vector::Zero(b.size()), m.side, m.unique, {}, {}, {}};
  }
  Vector slip, size;
  creep_slips(d, k, slip, size);
  const Eigen::MatrixXd creep_gram = d.creep_gram(at_rest, at_rest);
  Vector b0 = slip(at_rest);
  // Slips that no creep can change come from bodies with inertia. Beyond order 0 they follow from
  // the rates of the order before; at order 0 they are zero when they are rounding.
  const std::vector<Eigen::Index> all = [&] {
    std::vector<Eigen::Index> out(at_rest.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Eigen::Index>(i);
    return out;
  }();
  const Vector reachable = creep_gram * (hold_map(creep_gram, all, {}).from_residual * b0);
  const Vector rest = b0 - reachable;
  const double greatest = Vector(size(at_rest)).maxCoeff();
  if (k > 0 || rest.cwiseAbs().maxCoeff() <= kRoundingOfRate * greatest) b0 = reachable;
  const Eigen::MatrixXd drag = d.drag(at_rest, at_rest);
  LexicographicMinimum m = minimize_lexicographic(creep_gram, b0, gram, b, drag, lower, upper);
  for (Eigen::Index r = 0; k > 0 && r < m.first.size(); ++r) {
    if (std::fabs(m.first[r]) <= kRoundingOfCreep * size[at_rest[static_cast<std::size_t>(r)]]) {
      m.first[r] = 0;
    }
  }
  return {m.force, m.second, m.first, m.side, m.unique, creep_gram, drag, b0};
}

/// Of many forces with the same motion the shortest are taken. Those that only their bound keeps
/// from being longer stay at it, whatever their rates: let loose, they would be beyond it at once.
///   gram, b, solution: of the members `at_rest`, at order 0
void saturate(Decision& d, std::span<const Eigen::Index> at_rest, const Eigen::MatrixXd& gram,
              const Vector& b, const OrderSolution& solution) {
  const Vector& force = solution.force;
  constexpr double kBeyond = 1e-9;  // of the forces
  const double beyond = kBeyond * force.cwiseAbs().maxCoeff();
  for (Eigen::Index worst = 0; worst >= 0;) {
    std::vector<Eigen::Index> held, others;
    for (Eigen::Index r = 0; r < force.size(); ++r) {
      const Rest rest = d.rest[at_rest[r]];
      (rest == Rest::kHeld || rest == Rest::kCritical ? held : others).push_back(r);
    }
    const HeldForces free = held_forces(d, held, others, gram, solution);
    Vector loose = free.map.second * Vector(b(held)) +  // the shortest forces without bounds
                   free.map.from_forces * Vector(force(others));
    if (d.is_bound()) loose += free.map.first * Vector(solution.creep_slip(held));
    double most = beyond;
    worst = -1;
    for (std::size_t h = 0; h < held.size(); ++h) {
      const Eigen::Index i = at_rest[held[h]];
      if (d.rest[i] != Rest::kCritical) continue;
      const double excess = d.side[i] * (loose[static_cast<Eigen::Index>(h)] - force[held[h]]);
      if (excess <= most) continue;
      most = excess;
      worst = i;
    }
    if (worst >= 0) d.rest[worst] = Rest::kSaturated;
  }
}

/// A force that is kept at its bound for its length alone falls where the motion needs that. True
/// when one does so at this order, which has to be solved again.
bool release_saturated(Decision& d, std::span<const Eigen::Index> at_rest, const Vector& residual,
                       const Vector& size) {
  Eigen::Index worst = -1;
  double most = kRoundingOfRate;
  for (Eigen::Index r = 0; r < residual.size(); ++r) {
    const Eigen::Index i = at_rest[r];
    if (d.rest[i] != Rest::kSaturated || size[r] == 0) continue;
    const double inward = -d.side[i] * residual[r] / size[r];
    if (inward <= most) continue;
    most = inward;
    worst = i;
  }
  if (worst >= 0) d.rest[worst] = Rest::kCritical;
  return worst >= 0;
}

bool any_critical(const Decision& d) {
  return std::find(d.rest.begin(), d.rest.end(), Rest::kCritical) != d.rest.end();
}

/// The side of the bound at which a force is but for rounding: that of the terms which it is the
/// sum of, `size()`, may be far greater than its own. At higher orders: at which it stays.
template <typename Size>
std::int8_t side_within_rounding(const Decision& d, Eigen::Index k, Eigen::Index i, double force,
                                 bool touches, const Size& size) {
  if (k > 0) {
    const double reserve = std::fabs(d.side[i] * d.bound(i, k) - force);
    return reserve <= kRoundingOfForce * size() ? d.side[i] : std::int8_t{0};
  }
  constexpr double kNear = 1e-9;
  const double bound = d.bound(i, 0), reserve = bound - std::fabs(force);
  const std::int8_t side = force > 0 ? 1 : -1;
  if (reserve > kNear * bound) return 0;
  const bool near = touches || reserve <= kRoundingOfForce * std::max(bound, size());
  return near ? side : std::int8_t{0};
}

/// The box problem of order k over the frictions at rest. True when some broke away.
bool solve_order(Decision& d, Eigen::Index k, std::span<const FrictionHint> hints) {
  std::vector<Eigen::Index> at_rest;
  for (Eigen::Index i = 0; i < d.size; ++i) {
    if (d.rest[i] != Rest::kSlips) at_rest.push_back(i);
  }
  Vector rate, size;
  rates(d, k, rate, size);
  if (at_rest.empty()) {
    if (k == 0) review_zeros(d, rate, size, {}, {});
    return false;
  }
  const auto n = static_cast<Eigen::Index>(at_rest.size());
  Eigen::MatrixXd gram(n, n);
  Vector b(n), lower(n), upper(n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const Eigen::Index i = at_rest[r];
    for (Eigen::Index c = 0; c < n; ++c) gram(r, c) = d.gram(i, at_rest[c]);
    b[r] = rate[i];
    const bool saturated = d.rest[i] == Rest::kSaturated;
    const bool critical = d.rest[i] == Rest::kCritical;
    lower[r] = k == 0 || (critical && d.side[i] < 0) ? -d.bound(i, k) : -kInfinity;
    upper[r] = k == 0 || (critical && d.side[i] > 0) ? d.bound(i, k) : kInfinity;
    if (d.contact[i] != 0) {  // pushes only; while it does, its rates are free
      const double inward = k == 0 || critical ? 0 : -kInfinity;
      lower[r] = d.contact[i] > 0 ? inward : -kInfinity;
      upper[r] = d.contact[i] > 0 ? kInfinity : -inward;
    }
    if (saturated) lower[r] = upper[r] = d.side[i] * d.bound(i, k);
  }
  const OrderSolution solution = solve_box(d, k, at_rest, gram, b, lower, upper);
  if (k == 0) review_zeros(d, rate, size, at_rest, solution.force);
  const Vector terms = gram.cwiseAbs() * solution.force.cwiseAbs();
  if (k > 0 && release_saturated(d, at_rest, solution.residual, size(at_rest) + terms)) {
    return solve_order(d, k, hints);
  }
  Vector force_size;  // rarely asked for
  const auto sizes_of_forces = [&](Eigen::Index r) {
    if (force_size.size() == 0) force_size = force_sizes(d, k, at_rest, gram, solution);
    return force_size[r];
  };
  bool broke = false;
  for (Eigen::Index r = 0; r < n; ++r) {
    const Eigen::Index i = at_rest[r];
    if (k > 0 && d.rest[i] == Rest::kHeld) continue;
    auto side = static_cast<std::int8_t>(solution.side[r]);
    if (d.rest[i] == Rest::kSaturated) side = d.side[i];
    if (k == 0 && side == 0 && d.contact[i] != 0 && hints[i].at_bound != 0) {
      side = static_cast<std::int8_t>(-d.contact[i]);  // its force has come to zero
    }
    if (side == 0 && d.contact[i] == 0) {
      // What slides has been at its bound so far.
      const bool touches = hints[i].at_bound != 0 || d.slides[i] != 0;
      side = side_within_rounding(d, k, i, solution.force[r], touches,
                                  [&] { return sizes_of_forces(r); });
    }
    if (side == 0) {
      d.rest[i] = Rest::kHeld;
      d.zeros[i] = static_cast<std::uint32_t>(k);
      continue;
    }
    d.side[i] = side;
    const double threshold = rounding_of_rate(d, i, k) * (size[i] + terms[r]);
    const bool slips_now = side * solution.slip[r] > 0;
    if (slips_now || side * solution.residual[r] > threshold) {
      const bool at_once = d.is_bound() ? slips_now : d.creeps(i);
      d.zeros[i] = static_cast<std::uint32_t>(at_once ? k : k + 1);
      const bool drops =
          d.contact[i] == 0 && d.bound(i, 0) - d.kinetic(i, 0) > kRoundingOfForce * d.bound(i, 0);
      broke = broke || drops;
      if (drops) d.zeros[i] = d.creeps(i) ? 0 : 1;  // the drop of its force moves it at once
      if (drops && d.creeps(i)) {
        d.slides[i] = 1;  // from now on, which way the others have a say in
      } else {
        d.rest[i] = Rest::kSlips;
      }
    } else if (k > 0 && !solution.unique) {
      d.rest[i] = Rest::kSaturated;  // minimum-norm rates of the forces keep it at the bound
    } else if (d.rest[i] != Rest::kSaturated) {
      d.rest[i] = Rest::kCritical;
    }
  }
  // Forces that bounds alone make unique, too, are free as soon as one of them leaves its bound.
  if (k == 0 && any_critical(d)) saturate(d, at_rest, gram, b, solution);
  return broke;
}

/// One that slides with T_K < T_S, and whose slip is zero with all its derivatives, tends to rest
/// and is never there: the system is analytic in a mode. T_K stays its bound, and it slides on as
/// soon as something pushes it; what rounding makes of its slip does not tell.
bool tends_to_rest(const Decision& d, Eigen::Index i, std::int8_t direction) {
  return d.creeps(i) && d.rest[i] == Rest::kCritical && d.J.highest() > 0 &&
         direction == d.side[i] &&
         d.J.at(0, d.friction[i].reserve_row) + d.J.at(0, d.friction[i].reserve_row + 1) >
             2 * (1 + kRoundingOfForce) * d.kinetic(i, 0);
}

}  // namespace

Modes::Modes(const System& system, std::span<const double> parameters, std::span<double> x0)
    : system_(system),
      constants_(system.constant_count),
      slots_(system.slot_count, 0.0),
      values_(system.switches.size(), 0),
      frictions_(system.frictions.size()),
      changed_(system.islands.size(), 1) {
  system.prepare(parameters.data(), constants_.data(), x0.data());
  for (std::size_t i = 0; i < system.islands.size(); ++i) {
    const FrictionIsland& island = system.islands[i];
    const auto n = static_cast<Eigen::Index>(island.count);
    const auto fill = [&](Eigen::MatrixXd& matrix, const std::vector<std::uint32_t>& from) {
      matrix.resize(n, n);
      for (Eigen::Index k = 0; k < n * n; ++k) matrix(k / n, k % n) = constants_[from[k]];
    };
    fill(gram_.emplace_back(), island.gram);
    creep_gram_.emplace_back();
    drag_.emplace_back();
    if (island.bound) {
      fill(creep_gram_.back(), island.creep_gram);
      fill(drag_.back(), island.drag);
    }
    island_of_.resize(island.first + island.count, i);
  }
  number_settle_islands();
}

double Modes::compliance(std::size_t i) const {
  const auto k = static_cast<Eigen::Index>(i - system_.islands[island_of_[i]].first);
  return gram_[island_of_[i]](k, k);
}

bool Modes::rests_with(std::size_t i, std::span<const char> rests) const {
  if (is_massless(i)) return false;
  const FrictionIsland& island = system_.islands[island_of_[i]];
  std::vector<Eigen::Index> resting;
  for (std::uint32_t k = 0; k < island.count; ++k) {
    if (rests[island.first + k] != 0) resting.push_back(k);
  }
  if (resting.empty()) return false;
  // Forces that move neither bodies with inertia nor massless ones belong to slips that depend on
  // each other.
  Eigen::MatrixXd gram = gram_[island_of_[i]];
  if (const Eigen::MatrixXd& creep = creep_gram_[island_of_[i]]; creep.size() > 0) {
    const double fast = creep.diagonal().maxCoeff(), slow = gram.diagonal().maxCoeff();
    if (fast > 0 && slow > 0) gram += creep * (slow / fast);
  }
  const Eigen::Index rank = hold_map(gram, resting, {}).rank;
  resting.push_back(static_cast<Eigen::Index>(i - island.first));
  return hold_map(gram, resting, {}).rank == rank;
}

void Modes::set_value(std::size_t s, std::int32_t value) {
  if (values_[s] == value) return;
  values_[s] = value;
  slots_[system_.switches[s].slot] = value;
  stale_ = true;
}

void Modes::set_friction(std::size_t i, const FrictionState& state) {
  if (frictions_[i] == state) return;
  frictions_[i] = state;
  if (!settles(i)) changed_[island_of_[i]] = 1;
  stale_ = true;
}

bool Modes::is_indeterminate(std::size_t i) const {
  const std::uint32_t slot = system_.frictions[i].indeterminate_slot;
  return slot != kNoIndex && slots_[slot] != 0;
}

bool Modes::is_massless(std::size_t i) const { return settles(i) || system_.frictions[i].creep; }

bool Modes::apply() {
  if (!stale_) return false;
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    if (changed_[i] == 0) continue;
    write_island(i);
    changed_[i] = 0;
  }
  system_.prepare_mode(constants_.data(), slots_.data(),
                       constants_.data() + system_.mode_constants);
  stale_ = false;
  return true;
}

// The forces of the island as an affine map: given ones on the diagonal, held ones from R9.
void Modes::write_island(std::size_t index) {
  const FrictionIsland& island = system_.islands[index];
  const std::size_t n = island.count;
  double* hold = slots_.data() + island.hold_slot;
  double* kinetic = slots_.data() + island.kinetic_slot;
  double* bound = slots_.data() + island.static_slot;
  for (double* matrix : {hold, kinetic, bound}) std::fill(matrix, matrix + n * n, 0.0);
  if (island.bound) std::fill_n(slots_.data() + island.rate_hold_slot, n * n, 0.0);
  std::vector<Eigen::Index> held, others;
  for (std::size_t i = 0; i < n; ++i) {
    const Friction& friction = system_.frictions[island.first + i];
    const FrictionState& state = frictions_[island.first + i];
    const bool at_rest = state.direction == 0 && !state.free;
    slots_[friction.direction_slot] = friction.stop == kNoIndex ? state.direction : state.contact;
    slots_[friction.moving_slot] = at_rest ? 0.0 : 1.0;
    const bool holds = at_rest && state.at_bound == 0;
    (holds ? held : others).push_back(static_cast<Eigen::Index>(i));
    kinetic[i * n + i] = state.direction;
    if (friction.indeterminate_slot != kNoIndex) {
      const bool saturated = at_rest && state.at_bound != 0 && friction.stop == kNoIndex;
      slots_[friction.indeterminate_slot] = saturated ? 1.0 : 0.0;
    }
    bound[i * n + i] = at_rest ? state.at_bound : 0.0;
  }
  if (held.empty()) return;
  if (n == 1) {
    const double g = gram_[index](0, 0);
    hold[0] = g > 0 ? 1 / g : 0.0;
    return;
  }
  write_held(index, held, others);
}

// Held forces by what acts on their slips, and by the forces of the others.
void Modes::write_held(std::size_t index, std::span<const Eigen::Index> held,
                       std::span<const Eigen::Index> others) {
  const FrictionIsland& island = system_.islands[index];
  const std::size_t n = island.count;
  double* hold = slots_.data() + island.hold_slot;
  double* rate_hold = island.bound ? slots_.data() + island.rate_hold_slot : nullptr;
  double* kinetic = slots_.data() + island.kinetic_slot;
  double* bound = slots_.data() + island.static_slot;
  LexicographicHoldMap map;
  const Eigen::MatrixXd gram = gram_[index](held, held);
  if (island.bound) {
    map = lexicographic_hold_map(creep_gram_[index], gram_[index], drag_[index], held, others);
    mark_indeterminate(index, held, map.first * creep_gram_[index](held, held) + map.second * gram);
  } else {
    HoldMap one = hold_map(gram_[index], held, others);
    mark_indeterminate(index, held, one.from_residual * gram);
    map.first = std::move(one.from_residual);
    map.from_forces = std::move(one.from_forces);
  }
  for (std::size_t r = 0; r < held.size(); ++r) {
    const auto i = static_cast<std::size_t>(held[r]);
    const auto row = static_cast<Eigen::Index>(r);
    for (std::size_t c = 0; c < held.size(); ++c) {
      const std::size_t entry = i * n + static_cast<std::size_t>(held[c]);
      hold[entry] = map.first(row, static_cast<Eigen::Index>(c));
      if (rate_hold) rate_hold[entry] = map.second(row, static_cast<Eigen::Index>(c));
    }
    for (std::size_t c = 0; c < others.size(); ++c) {
      const auto j = static_cast<std::size_t>(others[c]);
      const double factor = map.from_forces(row, static_cast<Eigen::Index>(c));
      kinetic[i * n + j] = factor * kinetic[j * n + j];
      bound[i * n + j] = factor * bound[j * n + j];
    }
  }
}

// Forces that give the same motion as s are `projection` s: a held force is unique when it is its
// own projection, whatever the others are.
void Modes::mark_indeterminate(std::size_t index, std::span<const Eigen::Index> held,
                               const Eigen::MatrixXd& projection) {
  constexpr double kPart = 1e-9;
  for (std::size_t r = 0; r < held.size(); ++r) {
    const std::uint32_t slot =
        system_.frictions[system_.islands[index].first + static_cast<std::size_t>(held[r])]
            .indeterminate_slot;
    const auto k = static_cast<Eigen::Index>(r);
    if (slot != kNoIndex && 1 - projection(k, k) > kPart) slots_[slot] = 1;
  }
}

Eigen::VectorXd Modes::rest_impulse(std::size_t index, std::span<const Eigen::Index> resting,
                                    const Eigen::VectorXd& slips) const {
  if (!system_.islands[index].bound) {
    return hold_map(gram_[index], resting, {}).from_residual * slips;
  }
  return lexicographic_hold_map(creep_gram_[index], gram_[index], drag_[index], resting, {})
             .second *
         slips;
}

void Modes::decide(std::size_t index, Coefficients& J, std::span<const FrictionHint> hints,
                   std::span<std::uint32_t> zeros) {
  const FrictionIsland& island = system_.islands[index];
  const auto n = static_cast<Eigen::Index>(island.count);
  Decision d{gram_[index],
             creep_gram_[index],
             drag_[index],
             n,
             system_.frictions.data() + island.first,
             J,
             std::vector<Rest>(island.count),
             std::vector<std::int8_t>(island.count),
             std::vector<std::uint32_t>(island.count),
             std::vector<std::int8_t>(island.count),
             std::vector<char>(island.count)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t id = island.first + static_cast<std::size_t>(i);
    // Whatever other frictions did to it in earlier rounds of the same event.
    const bool slides = frictions_[id].direction != 0 || hints[id].slid != 0;
    d.slides[i] = d.creeps(i) && slides ? 1 : 0;
    d.rest[i] = hints[id].at_rest || d.creeps(i) ? Rest::kHeld : Rest::kSlips;
    d.side[i] = frictions_[id].free ? hints[id].direction : frictions_[id].direction;
    if (d.friction[i].stop != kNoIndex && hints[id].at_rest) d.contact[i] = frictions_[id].contact;
  }
  const std::span<const FrictionHint> own = hints.subspan(island.first, island.count);
  // Each round breaks at least one friction away: at most n of them.
  bool again = true;
  while (again) {
    for (Rest& rest : d.rest) {
      if (rest != Rest::kSlips) rest = Rest::kHeld;
    }
    again = solve_order(d, 0, own);
    for (std::int64_t k = 1; k <= J.highest() && !again && any_critical(d); ++k) {
      again = solve_order(d, k, own);
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t id = island.first + static_cast<std::size_t>(i);
    FrictionState state;
    if (system_.frictions[id].stop != kNoIndex) {
      state.free = d.contact[i] == 0 || d.rest[i] == Rest::kSlips;
      state.contact = state.free ? std::int8_t{0} : d.contact[i];
      // Without force of its own: others hold the body, or nothing pushes.
      if (d.rest[i] == Rest::kCritical || d.rest[i] == Rest::kSaturated) {
        state.at_bound = state.contact;
      }
      set_friction(id, state);
      if (hints[id].at_rest) zeros[id] = state.free ? d.zeros[i] + 1 : 0;  // of the gap
      continue;
    }
    state.free = !d.creeps(i) && !d.has_capacity(i);
    if (d.rest[i] == Rest::kSlips && !state.free) state.direction = d.side[i];
    const bool at_bound = d.rest[i] == Rest::kCritical || d.rest[i] == Rest::kSaturated;
    if (at_bound && !state.free) state.at_bound = d.side[i];
    const std::int8_t slid = hints[id].slid != 0 ? hints[id].slid : frictions_[id].direction;
    if (!state.free && tends_to_rest(d, i, slid)) state.direction = d.side[i];
    set_friction(id, state);
    if (!hints[id].at_rest && !d.creeps(i)) continue;
    zeros[id] = at_bound ? 0 : d.zeros[i];
  }
}

// --- settle islands

void Modes::number_settle_islands() {
  const auto constant = [this](std::uint32_t index) { return constants_[index]; };
  for (const SettleIsland& island : system_.settle_islands) {
    const auto points = static_cast<Eigen::Index>(island.count);
    SettleNumbers& numbers = numbers_.emplace_back();
    const auto rows = static_cast<Eigen::Index>(island.springs + island.frictions);
    numbers.directions.resize(rows, points);
    for (Eigen::Index k = 0; k < rows * points; ++k) {
      numbers.directions(k / points, k % points) = constant(island.directions[k]);
    }
    numbers.stiffness.resize(island.springs);
    numbers.half_freeplay.resize(island.springs);
    for (std::uint32_t i = 0; i < island.springs; ++i) {
      const SettleSpring& spring = system_.settle_springs[island.first_spring + i];
      numbers.stiffness[i] = constant(spring.stiffness);
      numbers.half_freeplay[i] =
          spring.edge_row == kNoIndex ? -1.0 : std::max(constant(spring.half_freeplay), 0.0);
    }
    numbers.weight = settle_weight(numbers.directions, numbers.stiffness);
    SettleState& state = settled_.emplace_back();
    state.position.resize(points);
    for (Eigen::Index k = 0; k < points; ++k) state.position[k] = constant(island.starts[k]);
    state.force = Vector::Zero(island.frictions);
    state.zone.resize(island.springs);
    state.riding.resize(island.springs);
    state.friction.resize(island.frictions);
    maps_.emplace_back();
  }
}

namespace {

SettleDrives drives_of(const System& system, const SettleIsland& island, Coefficients& J) {
  const Eigen::Index orders = J.highest();
  // The speed of a point that turns back in this instant is zero but for rounding.
  const auto row = [&](std::uint32_t r, Eigen::Index k) {
    const double value = J.at(k, r);
    if (k == 0 || value == 0) return value;
    return std::fabs(value) <= kRoundingOfRate * J.size(k, r) ? 0.0 : value;
  };
  SettleDrives out;
  out.spring.resize(island.springs, orders + 1);
  for (Eigen::MatrixXd* m : {&out.travel, &out.kinetic, &out.bound}) {
    m->resize(island.frictions, orders + 1);
  }
  out.load.resize(island.count, orders + 1);
  for (Eigen::Index k = 0; k <= orders; ++k) {
    for (std::uint32_t i = 0; i < island.springs; ++i) {
      out.spring(i, k) = row(system.settle_springs[island.first_spring + i].drive_row, k);
    }
    for (std::uint32_t i = 0; i < island.frictions; ++i) {
      const Friction& f = system.frictions[island.first_friction + i];
      out.travel(i, k) = row(f.free_row, k);
      out.kinetic(i, k) = row(f.kinetic_row, k);
      out.bound(i, k) = (row(f.reserve_row, k) + row(f.reserve_row + 1, k)) / 2;
    }
    for (std::uint32_t i = 0; i < island.count; ++i) out.load(i, k) = row(island.load_row + i, k);
  }
  return out;
}

}  // namespace

bool Modes::settle(std::size_t index, Coefficients& J, bool followed, const SettleHints& hints,
                   SettleZeros& zeros) {
  constexpr double kJump = 1e-10;  // relative to where a point has been
  const SettleIsland& island = system_.settle_islands[index];
  const SettleNumbers& numbers = numbers_[index];
  const SettleDrives drives = drives_of(system_, island, J);
  SettleState next = settled_[index];
  followed = followed && maps_[index].size() > 0;
  if (followed || maps_[index].size() == 0) next.travel = drives.travel.col(0);
  if (followed) {
    const double* offset = slots_.data() + island.offset_slot;
    next.position = (maps_[index] * drives.values()).head(island.count);
    for (std::uint32_t i = 0; i < island.count; ++i) next.position[i] += offset[i];
  }
  const Vector before = next.position;
  if (!decide_settling(numbers, drives, hints, next, zeros)) return false;
  SettleState& state = settled_[index];
  const double jump = (next.position - before).cwiseAbs().maxCoeff();
  const double scale = before.cwiseAbs().maxCoeff() + drives.spring.col(0).cwiseAbs().sum() +
                       drives.travel.col(0).cwiseAbs().sum();
  const bool same = followed && jump <= kJump * scale && next.zone == state.zone &&
                    next.riding == state.riding && next.friction == state.friction;
  if (same) return true;
  state = std::move(next);
  write_settled(index, drives);
  return true;
}

// The map of the mode through the present point.
void Modes::write_settled(std::size_t index, const SettleDrives& drives) {
  const SettleIsland& island = system_.settle_islands[index];
  const SettleState& state = settled_[index];
  Eigen::MatrixXd& map = maps_[index];
  map = settling_map(numbers_[index], state);
  Vector offset(island.results());
  offset << state.position, state.force;
  offset -= map * drives.values();
  for (std::uint32_t i = 0; i < island.frictions; ++i) {
    if (state.friction[i].direction != 0) offset[island.count + i] = 0;
  }
  for (Eigen::Index i = 0; i < map.rows(); ++i) {
    slots_[island.offset_slot + i] = offset[i];
    for (Eigen::Index k = 0; k < map.cols(); ++k) {
      slots_[island.map_slot + i * map.cols() + k] = map(i, k);
    }
  }
  for (std::uint32_t i = 0; i < island.springs; ++i) {
    const std::uint32_t slot = system_.settle_springs[island.first_spring + i].zone_slot;
    if (slot != kNoIndex) slots_[slot] = state.zone[i];
  }
  for (std::uint32_t i = 0; i < island.frictions; ++i) {
    const Friction& friction = system_.frictions[island.first_friction + i];
    const FrictionState& now = state.friction[i];
    slots_[friction.direction_slot] = now.direction;
    slots_[friction.moving_slot] = now.direction == 0 && !now.free ? 0.0 : 1.0;
    set_friction(island.first_friction + i, now);
  }
  stale_ = true;
}

}  // namespace luztar
