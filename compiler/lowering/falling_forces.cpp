#include "compiler/lowering/falling_forces.h"

#include <algorithm>

#include "compiler/lowering/falling_islands.h"
#include "compiler/lowering/friction_forces.h"
#include "compiler/reduction/nodes.h"
#include "runtime/pwl/falling_balance.h"

namespace luztar {
namespace {

// The slip of one while another one holds: what other bodies add, less what the held one has of
// theirs, by how the slips follow from the speed in common.
Expr slip_when_held(Lowering& l, const ForceTerm& term, const ForceTerm& held) {
  const auto [q, own] = creeping_part(l, term).terms.front();
  const LinearForm other = creeping_part(l, held);
  for (const auto& [p, c] : other.terms) {
    if (p != q) continue;
    return l.pool.sub(slip_of_bodies(l, term),
                      l.pool.mul(l.pool.div(own, c), slip_of_bodies(l, held)));
  }
  throw InternalError("lowering", "the slips of '" + term.name + "' and '" + held.name +
                                      "' do not follow from one speed");
}

/// T_K while the body slips on all of its frictions: `constant` less `fall` by the speed of the
/// slip, on the lines that the mode has.
struct SlidingForce {
  Expr constant, fall;
};

SlidingForce on_lines(Lowering& l, std::uint32_t i, Expr held) {
  ExprPool& pool = l.pool;
  const ForceTerm& term = l.mechanism.terms[l.frictions[i].term];
  if (term.kind == TermKind::kStop) return {pool.zero(), pool.zero()};  // an open one, that is
  if (term.falls.empty()) return {l.frictions[i].kinetic, pool.zero()};
  const Expr all = pool.sub(term.at_rest, term.kinetic);
  std::vector<Expr> passed{pool.sub(pool.one(), held)}, fall;
  for (const ExplicitFallingLine& line : l.system.frictions[i].falls) {
    const Expr share = pool.mul(mode_symbol(l, line.slot), line.share);
    passed.push_back(pool.neg(share));
    fall.push_back(pool.div(share, line.speed));
  }
  return {pool.sub(term.at_rest, pool.mul(all, pool.add(std::move(passed)))),
          pool.mul(all, pool.add(std::move(fall)))};
}

/// The speed x of one body, as what the frictions of its island add to the slip of the first, while
/// it slips on all of its own. Bodies of one network have a row each of a linear system:
///   sum over bodies of  stays_by(body) x(body) = load.
class SlidingBalance {
 public:
  SlidingBalance(Lowering& l, const ExplicitIsland& island, const ExplicitSnappingBody& body)
      : l_(l), island_(island), body_(body), frictions_(numbered(island, body.frictions)) {
    creeping_.assign(frictions_.begin(), frictions_.begin() + body.own);
    held_ = find_held();
    for (const std::uint32_t i : creeping_) forces_.push_back(on_lines(l_, i, held_));
  }

  [[nodiscard]] Expr load(const std::vector<SlidingBalance>& network) const {
    std::vector<Expr> load;
    for (const SlidingBalance& other : network) add_sliding(other, load);
    if (any_follows()) add_others(network, load);
    return l_.pool.add(std::move(load));
  }
  [[nodiscard]] Expr stays_by(const SlidingBalance& other) const {
    ExprPool& pool = l_.pool;
    std::vector<Expr> stays;
    if (&other == this) stays.push_back(pool.one());
    for (std::size_t c = 0; c < other.creeping_.size(); ++c) {
      const std::uint32_t i = other.creeping_[c];
      const Expr by_slip = any_follows() ? pool.mul(by_force(i), other.ratio(i)) : entry(i, i);
      stays.push_back(pool.neg(pool.mul(by_slip, other.forces_[c].fall)));
    }
    return pool.add(std::move(stays));
  }

  /// What the excess of T_0 over T_K of those that decay takes from x: of another body of the
  /// network, which has all of these.
  [[nodiscard]] std::vector<Expr> taken_by_decays(const SlidingBalance& other) const {
    std::vector<Expr> taken;
    for (const std::uint32_t i : other.decaying()) {
      taken.push_back(l_.pool.mul({by_force(i), direction(i), other.excess(i)}));
    }
    return taken;
  }
  [[nodiscard]] bool decays() const { return !decaying().empty(); }

  /// x      of T_K of those that decay
  /// stays  of the system: a balance lasts where this is positive
  /// taken  what the excess of each of those over T_K takes from x
  void set_speed(Expr x, Expr stays, std::vector<Expr> taken) {
    x_ = x;
    stays_ = stays;
    taken_ = std::move(taken);
  }

  // Of the body that those act on, and of another one.
  void write_decays() {
    const std::vector<Decay> decays = find_decays();
    if (decays.size() > 1) assert_falls(decays);
    write_ends(decays);
    std::vector<Expr> balance{x_};
    for (const Decay& d : decays) put(balance, d);
    x_ = l_.pool.call(Op::kFallingBalance, balance);
    write_kinetic(decays);
  }
  void follow_decays(const SlidingBalance& of) {
    ExprPool& pool = l_.pool;
    const std::vector<Decay> decays = of.find_decays();
    std::vector<Expr> x{x_};
    for (std::size_t d = 0; d < decays.size(); ++d) {
      x.push_back(pool.neg(pool.mul(taken_[d], left_at(decays[d], of.x_))));
    }
    x_ = pool.add(std::move(x));
  }

  void write_lines() {
    assert_stiffness();
    for (std::size_t c = 0; c < creeping_.size(); ++c) {
      if (!term(creeping_[c]).falls.empty()) write_line(creeping_[c], forces_[c]);
    }
  }

  [[nodiscard]] bool has(std::uint32_t i) const {
    return std::find(creeping_.begin(), creeping_.end(), i) != creeping_.end();
  }

 private:
  [[nodiscard]] const ForceTerm& term(std::uint32_t i) const {
    return l_.mechanism.terms[l_.frictions[i].term];
  }
  [[nodiscard]] Expr holder(std::uint32_t i) const {
    return mode_symbol(l_, l_.system.frictions[i].holder_slot);
  }
  [[nodiscard]] Expr direction(std::uint32_t i) const {
    return mode_symbol(l_, l_.system.frictions[i].direction_slot);
  }
  [[nodiscard]] Expr entry(std::uint32_t i, std::uint32_t j) const {
    return compliance(island_, i - island_.first, j - island_.first).value_or(l_.pool.zero());
  }

  [[nodiscard]] bool any_follows() const { return body_.share_slot != kNoIndex; }
  // By slips without friction, T_K and T_S: of the c-th friction.
  [[nodiscard]] Expr share(std::size_t column, std::size_t c) const {
    const std::size_t slot = body_.share_slot + column * frictions_.size() + c;
    return mode_symbol(l_, static_cast<std::uint32_t>(slot));
  }

  // 1 while frictions hold the body, else 0.
  Expr find_held() const {
    if (any_follows()) return share(3, 0);
    std::vector<Expr> holds;
    for (const std::uint32_t i : creeping_) holds.push_back(holder(i));
    return l_.pool.add(std::move(holds));
  }

  // What its force takes from x, by its direction.
  Expr by_force(std::uint32_t i) const {
    if (!any_follows()) return entry(creeping_.front(), i);
    const auto c = static_cast<std::size_t>(std::find(frictions_.begin(), frictions_.end(), i) -
                                            frictions_.begin());
    return l_.pool.neg(l_.pool.mul(direction(i), share(1, c)));
  }

  // Forces of a body while it slips, but for what they fall by with its x.
  void add_sliding(const SlidingBalance& other, std::vector<Expr>& load) const {
    ExprPool& pool = l_.pool;
    for (std::size_t c = 0; c < other.creeping_.size(); ++c) {
      const std::uint32_t i = other.creeping_[c];
      const auto& [constant, fall] = other.forces_[c];
      const Expr by_free = pool.mul(fall, l_.frictions[i].free);
      const bool passes = &other != this && !term(i).falls.empty();  // while it is held beside
      const Expr at_zero = passes ? pool.sub(constant, other.fallen_beside(i)) : constant;
      load.push_back(pool.mul(by_force(i), pool.sub(by_free, pool.mul(direction(i), at_zero))));
    }
  }

  // What those that hold make of x, and frictions of bodies that are not of the network.
  void add_others(const std::vector<SlidingBalance>& network, std::vector<Expr>& load) const {
    ExprPool& pool = l_.pool;
    const auto slides = [&](std::uint32_t i) {
      return std::any_of(network.begin(), network.end(),
                         [&](const SlidingBalance& body) { return body.has(i); });
    };
    for (std::size_t c = 0; c < frictions_.size(); ++c) {
      const LoweredFriction& friction = l_.frictions[frictions_[c]];
      load.push_back(pool.mul(share(0, c), friction.free));
      if (term(frictions_[c]).kind == TermKind::kStop) continue;  // no force of its own
      if (!slides(frictions_[c])) load.push_back(pool.mul(share(1, c), friction.kinetic));
      load.push_back(pool.mul(share(2, c), term(frictions_[c]).static_bound));
    }
  }

  // What the speed in common adds to its slip.
  Expr ratio(std::uint32_t i) const {
    const std::uint32_t first = creeping_.front();
    return i == first ? l_.pool.one() : l_.pool.div(entry(first, i), entry(first, first));
  }
  // Its speed, while the body slips on all.
  Expr slip(std::uint32_t i) const { return slip_at(i, x_); }
  Expr slip_at(std::uint32_t i, Expr x) const {
    return l_.pool.mul(direction(i), l_.pool.add(l_.frictions[i].free, l_.pool.mul(ratio(i), x)));
  }

  // x by the slips of those that hold alone.
  Expr speed_when_held() const {
    std::vector<Expr> x;
    for (std::size_t c = 0; c < frictions_.size(); ++c) {
      x.push_back(l_.pool.mul(share(0, c), l_.frictions[frictions_[c]].free));
    }
    return l_.pool.add(std::move(x));
  }

  // Its speed while another one holds the body, else 0.
  Expr slip_beside(std::uint32_t i) const {
    if (any_follows()) return l_.pool.mul(held_, slip_at(i, speed_when_held()));
    std::vector<Expr> slip;
    for (const std::uint32_t j : creeping_) {
      if (j == i) continue;
      slip.push_back(l_.pool.mul(holder(j), slip_when_held(l_, term(i), term(j))));
    }
    return l_.pool.mul(direction(i), l_.pool.add(std::move(slip)));
  }

  // Where a signal takes D to zero the slip begins to jump between rest and beyond, infinitely
  // often at first.
  void assert_stiffness() {
    const auto varies = [&](std::uint32_t i) {
      if (term(i).falls.empty()) return false;
      const Expr fallen = l_.pool.sub(term(i).at_rest, term(i).kinetic);
      return !l_.nominal.is_parametric(l_.pool.mul(entry(i, i), fallen));
    };
    const auto found = std::find_if(creeping_.begin(), creeping_.end(), varies);
    if (found == creeping_.end()) return;
    const Expr stays = l_.resolver.resolve(stays_);
    l_.system.assertions.push_back(
        {l_.pool.call(Op::kLess, {l_.pool.constant(kLeastStiffness), stays}),
         "the friction '" + term(*found).name +
             "' of a body without inertia comes to fall with speed by as much as the damping there "
             "rises, where it slips: give that body a small inertia",
         term(*found).span});
  }

  // By what it has fallen while another one holds the body, else 0.
  Expr fallen_beside(std::uint32_t i) const {
    ExprPool& pool = l_.pool;
    const Expr speed = slip_beside(i);
    std::vector<Expr> fallen;
    for (const FallingLine& line : term(i).falls) {
      fallen.push_back(pool.mul(line.share, pool.div(pool.nas(speed, line.speed), line.speed)));
    }
    const Expr all = pool.sub(term(i).at_rest, term(i).kinetic);
    return pool.mul(all, pool.add(std::move(fallen)));
  }

  void write_line(std::uint32_t i, const SlidingForce& sliding) {
    ExprPool& pool = l_.pool;
    l_.frictions[i].kinetic =
        pool.sub(sliding.constant, pool.add(fallen_beside(i), pool.mul(sliding.fall, slip(i))));
  }

  /// What one that decays adds to the left side of  x + sum of weight exp(-(exponent + rate x)) =
  /// y.
  struct Decay {
    std::uint32_t friction;
    Expr excess;  // of T_0 over T_K
    Expr weight, exponent, rate;
  };
  [[nodiscard]] Expr excess(std::uint32_t i) const {
    return l_.pool.sub(term(i).at_rest, term(i).kinetic);
  }
  [[nodiscard]] std::vector<std::uint32_t> decaying() const {
    std::vector<std::uint32_t> decaying;
    for (const std::uint32_t i : creeping_) {
      if (l_.system.frictions[i].decay.valid()) decaying.push_back(i);
    }
    return decaying;
  }
  [[nodiscard]] std::vector<Decay> find_decays() const {
    ExprPool& pool = l_.pool;
    std::vector<Decay> decays;
    for (const std::uint32_t i : decaying()) {
      const auto of_slip = [&](Expr speed) {
        return pool.div(pool.mul(direction(i), speed), term(i).decay);
      };
      decays.push_back(
          {i, excess(i), taken_[decays.size()], of_slip(l_.frictions[i].free), of_slip(ratio(i))});
    }
    return decays;
  }
  // Of its excess, at this x.
  [[nodiscard]] Expr left_at(const Decay& d, Expr x) const {
    const Expr z = l_.pool.add(d.exponent, l_.pool.mul(d.rate, x));
    return l_.pool.call(Op::kExp, {l_.pool.neg(z)});
  }
  static void put(std::vector<Expr>& arguments, const Decay& d) {
    arguments.insert(arguments.end(), {d.weight, d.exponent, d.rate});
  }

  // Where their slips end, as far as x without them is from there.
  void write_ends(const std::vector<Decay>& decays) {
    ExprPool& pool = l_.pool;
    for (const Decay& own : decays) {
      std::vector<Expr> arguments;
      put(arguments, own);
      for (const Decay& d : decays) {
        if (d.friction != own.friction) put(arguments, d);
      }
      const Expr end = pool.call(Op::kFallingEnd, arguments);
      std::vector<Expr> least{end};
      for (const Decay& d : decays) {
        least.push_back(pool.mul(d.weight, left_at(d, end)));
      }
      ExplicitFriction& friction = l_.system.frictions[own.friction];
      friction.ahead = pool.mul(own.rate, pool.sub(x_, pool.add(std::move(least))));
      friction.end = pool.add(own.exponent, pool.mul(own.rate, end));
    }
  }

  // At the speed at which the forces of all that slip leave the body in balance.
  void write_kinetic(const std::vector<Decay>& decays) {
    ExprPool& pool = l_.pool;
    for (const Decay& d : decays) {
      const std::uint32_t i = d.friction;
      const Expr slides = pool.mul(pool.sub(pool.one(), held_), slip(i));
      const Expr speed = pool.add(pool.mul(held_, slip_beside(i)), slides);
      const Expr left = pool.call(Op::kExp, {pool.neg(pool.div(speed, term(i).decay))});
      l_.frictions[i].kinetic = pool.add(term(i).kinetic, pool.mul(d.excess, left));
    }
  }

  // Beside one that falls, one that rises would leave several speeds in balance.
  void assert_falls(const std::vector<Decay>& decays) {
    for (const Decay& d : decays) {
      const ForceTerm& own = term(d.friction);
      l_.system.assertions.push_back(
          {l_.pool.call(Op::kLessEqual, {l_.pool.zero(), l_.resolver.resolve(d.excess)}),
           "the friction '" + own.name +
               "' of a body without inertia rises exponentially with speed, beside others that "
               "fall so: give that body a small inertia",
           own.span});
    }
  }

  Lowering& l_;
  const ExplicitIsland& island_;
  const ExplicitSnappingBody& body_;
  std::vector<std::uint32_t> frictions_, creeping_;  // the latter: of the body itself
  std::vector<SlidingForce> forces_;
  Expr held_, stays_, x_;
  std::vector<Expr> taken_;  // see set_speed
};

// The speeds of all bodies of a network, at most one of which has frictions that decay. While these
// slide stably, no pivot is zero: but for the levers between the bodies the matrix is that of a
// minimum.
void find_speeds(ExprPool& pool, std::vector<SlidingBalance>& network) {
  const std::size_t n = network.size();
  const auto decaying = std::find_if(network.begin(), network.end(),
                                     [](const SlidingBalance& body) { return body.decays(); });
  std::vector<std::vector<Expr>> a(n), x(n);  // x: by load, and by each of those that decay
  for (std::size_t r = 0; r < n; ++r) {
    for (const SlidingBalance& other : network) a[r].push_back(network[r].stays_by(other));
    x[r].push_back(network[r].load(network));
    if (decaying == network.end()) continue;
    const std::vector<Expr> taken = network[r].taken_by_decays(*decaying);
    x[r].insert(x[r].end(), taken.begin(), taken.end());
  }
  const auto subtract = [&](std::vector<Expr>& from, Expr factor, const std::vector<Expr>& row) {
    for (std::size_t c = 0; c < from.size(); ++c) {
      from[c] = pool.sub(from[c], pool.mul(factor, row[c]));
    }
  };
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t r = k + 1; r < n; ++r) {
      const Expr factor = pool.div(a[r][k], a[k][k]);
      subtract(a[r], factor, a[k]);
      subtract(x[r], factor, x[k]);
    }
  }
  Expr stays = pool.one();
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t c = k + 1; c < n; ++c) subtract(x[k], a[k][c], x[c]);
    for (Expr& of : x[k]) of = pool.div(of, a[k][k]);
    stays = pool.mul(stays, a[k][k]);
  }
  for (std::size_t k = 0; k < n; ++k) {
    network[k].set_speed(x[k].front(), stays, {x[k].begin() + 1, x[k].end()});
  }
  if (decaying == network.end()) return;
  decaying->write_decays();
  for (SlidingBalance& body : network) {
    if (&body != &*decaying) body.follow_decays(*decaying);
  }
}

}  // namespace

void write_falling_forces(Lowering& l) {
  for (const ExplicitIsland& island : l.system.islands) {
    for (auto body = island.snapping.begin(); body != island.snapping.end();) {
      const std::uint32_t number = body->network;
      std::vector<SlidingBalance> network;
      for (; body != island.snapping.end() && body->network == number; ++body) {
        if (!any_falls(l, numbered(island, body->frictions))) continue;
        network.emplace_back(l, island, *body);
      }
      find_speeds(l.pool, network);
      for (SlidingBalance& of_body : network) of_body.write_lines();
    }
  }
}

}  // namespace luztar
