#include "compiler/lowering/falling_forces.h"

#include <algorithm>

#include "compiler/lowering/falling_islands.h"
#include "compiler/lowering/friction_forces.h"
#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/linear_solve.h"
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
    decays_ = find_decays();
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

  /// What the excess of T_0 over T_K of those of another body that decay takes from x.
  [[nodiscard]] std::vector<Expr> taken_by_decays(const SlidingBalance& other) const {
    std::vector<Expr> taken;
    for (const Decay& d : other.decays_) {
      taken.push_back(l_.pool.mul({by_force(d.friction), direction(d.friction), d.excess}));
    }
    return taken;
  }
  /// What is left of an excess at the speed x of its body: exp(-(exponent + rate x)).
  struct Decay {
    std::uint32_t friction;
    Expr excess;  // of T_0 over T_K
    Expr exponent, rate;
  };
  [[nodiscard]] const std::vector<Decay>& decays() const { return decays_; }
  [[nodiscard]] Expr left_at(const Decay& d, Expr x) const {
    const Expr z = l_.pool.add(d.exponent, l_.pool.mul(d.rate, x));
    return l_.pool.call(Op::kExp, {l_.pool.neg(z)});
  }
  [[nodiscard]] Expr speed() const { return x_; }

  void set_speed(Expr x) { x_ = x; }
  /// Of the system: a balance lasts where this is positive.
  void set_stays(Expr stays) { stays_ = stays; }
  /// Where the slip of one of its frictions ends.
  ///   x       its speed there
  ///   ahead   how far the speed without what decays is from there
  void set_end(const Decay& d, Expr x, Expr ahead) {
    ExplicitFriction& friction = l_.system.frictions[d.friction];
    friction.ahead = l_.pool.mul(d.rate, ahead);
    friction.end = l_.pool.add(d.exponent, l_.pool.mul(d.rate, x));
  }

  // At the speed at which the forces of all that slip leave the body in balance.
  void write_kinetic() {
    ExprPool& pool = l_.pool;
    for (const Decay& d : decays_) {
      const std::uint32_t i = d.friction;
      const Expr slides = pool.mul(pool.sub(pool.one(), held_), slip(i));
      const Expr speed = pool.add(pool.mul(held_, slip_beside(i)), slides);
      const Expr left = pool.call(Op::kExp, {pool.neg(pool.div(speed, term(i).decay))});
      l_.frictions[i].kinetic = pool.add(term(i).kinetic, pool.mul(d.excess, left));
    }
  }

  // Beside one that falls, one that rises would leave several speeds in balance.
  void assert_falls() {
    for (const Decay& d : decays_) {
      const ForceTerm& own = term(d.friction);
      l_.system.assertions.push_back(
          {l_.pool.call(Op::kLessEqual, {l_.pool.zero(), l_.resolver.resolve(d.excess)}),
           "the friction '" + own.name +
               "' of a body without inertia rises exponentially with speed, beside others that "
               "fall so: give that body a small inertia",
           own.span});
    }
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

  [[nodiscard]] std::vector<Decay> find_decays() const {
    ExprPool& pool = l_.pool;
    std::vector<Decay> decays;
    for (const std::uint32_t i : creeping_) {
      if (!l_.system.frictions[i].decay.valid()) continue;
      const auto of_slip = [&](Expr speed) {
        return pool.div(pool.mul(direction(i), speed), term(i).decay);
      };
      decays.push_back({i, pool.sub(term(i).at_rest, term(i).kinetic),
                        of_slip(l_.frictions[i].free), of_slip(ratio(i))});
    }
    return decays;
  }

  Lowering& l_;
  const ExplicitIsland& island_;
  const ExplicitSnappingBody& body_;
  std::vector<std::uint32_t> frictions_, creeping_;  // the latter: of the body itself
  std::vector<SlidingForce> forces_;
  std::vector<Decay> decays_;
  Expr held_, stays_, x_;
};

/// The speeds of all bodies of a network.
class NetworkSpeeds {
 public:
  NetworkSpeeds(ExprPool& pool, std::vector<SlidingBalance>& network)
      : pool_(pool), network_(network) {}

  void find() {
    solve_lines();
    for (std::size_t b = 0; b < network_.size(); ++b) {
      if (!network_[b].decays().empty()) decaying_.push_back(b);
    }
    if (decaying_.empty()) return;
    for (std::size_t b = 0; b < network_.size(); ++b) lines_.push_back(network_[b].speed());
    decaying_.size() == 1 ? put_balance() : put_balances();
    for (const std::size_t b : decaying_) network_[b].write_kinetic();
    for (std::size_t b = 0; b < network_.size(); ++b) {
      if (network_[b].decays().empty()) network_[b].set_speed(less_decays(b));
    }
  }

 private:
  using Decay = SlidingBalance::Decay;

  /// Without what decays, and what each of that takes from it.
  void solve_lines() {
    std::vector<std::vector<Expr>> stays, x;
    for (const SlidingBalance& body : network_) {
      stays.emplace_back();
      for (const SlidingBalance& other : network_) stays.back().push_back(body.stays_by(other));
      x.push_back({body.load(network_)});
      for (const SlidingBalance& other : network_) {
        const std::vector<Expr> taken = body.taken_by_decays(other);
        x.back().insert(x.back().end(), taken.begin(), taken.end());
      }
    }
    const Expr all = solve_linear(pool_, std::move(stays), x);
    for (std::size_t b = 0; b < network_.size(); ++b) {
      network_[b].set_speed(x[b].front());
      network_[b].set_stays(all);
      taken_.emplace_back(x[b].begin() + 1, x[b].end());
    }
  }

  template <class Visit>
  void each_decay(Visit visit) const {  // (place in decaying_, its decay, number of the latter)
    std::size_t number = 0;
    for (std::size_t p = 0; p < decaying_.size(); ++p) {
      for (const Decay& d : network_[decaying_[p]].decays()) visit(p, d, number++);
    }
  }

  // At the speeds of bodies that decay.
  Expr less_decays(std::size_t body) const {
    std::vector<Expr> speed{lines_[body]};
    each_decay([&](std::size_t p, const Decay& d, std::size_t number) {
      const SlidingBalance& of = network_[decaying_[p]];
      speed.push_back(pool_.neg(pool_.mul(taken_[body][number], of.left_at(d, of.speed()))));
    });
    return pool_.add(std::move(speed));
  }

  // Of one body.
  void put_balance() {
    const std::size_t b = decaying_.front();
    SlidingBalance& body = network_[b];
    const std::vector<Decay>& decays = body.decays();
    if (decays.size() > 1) body.assert_falls();
    const auto put = [&](std::vector<Expr>& arguments, std::size_t j) {
      arguments.insert(arguments.end(), {taken_[b][j], decays[j].exponent, decays[j].rate});
    };
    std::vector<Expr> balance{lines_[b]};
    for (std::size_t own = 0; own < decays.size(); ++own) {
      std::vector<Expr> arguments;
      put(arguments, own);
      for (std::size_t j = 0; j < decays.size(); ++j) {
        if (j != own) put(arguments, j);
      }
      const Expr end = pool_.call(Op::kFallingEnd, arguments);
      std::vector<Expr> least{end};
      for (std::size_t j = 0; j < decays.size(); ++j) {
        least.push_back(pool_.mul(taken_[b][j], body.left_at(decays[j], end)));
      }
      body.set_end(decays[own], end, pool_.sub(lines_[b], pool_.add(std::move(least))));
      put(balance, own);
    }
    body.set_speed(pool_.call(Op::kFallingBalance, balance));
  }

  // Of several.
  void put_balances() {
    const auto number = [&](std::size_t n) { return pool_.constant(static_cast<double>(n)); };
    std::vector<Expr> system{number(decaying_.size())};
    for (const std::size_t b : decaying_) {
      network_[b].assert_falls();
      system.push_back(lines_[b]);
    }
    each_decay([&](std::size_t p, const Decay& d, std::size_t j) {
      system.insert(system.end(), {number(p), d.exponent, d.rate});
      for (const std::size_t of : decaying_) system.push_back(taken_[of][j]);
    });
    const auto call = [&](Op op, std::vector<Expr> first) {
      first.insert(first.end(), system.begin(), system.end());
      return pool_.call(op, first);
    };
    each_decay([&](std::size_t p, const Decay& d, std::size_t j) {
      const std::size_t b = decaying_[p];
      const Expr end = call(Op::kFallingSpeedEnd, {number(j), number(p)});
      const Expr there = call(Op::kFallingSpeedEnd, {number(j), number(decaying_.size())});
      network_[b].set_end(d, end, pool_.sub(lines_[b], there));
    });
    for (std::size_t p = 0; p < decaying_.size(); ++p) {
      network_[decaying_[p]].set_speed(call(Op::kFallingSpeed, {number(p)}));
    }
  }

  ExprPool& pool_;
  std::vector<SlidingBalance>& network_;
  std::vector<std::size_t> decaying_;
  std::vector<Expr> lines_;               // speeds without what decays
  std::vector<std::vector<Expr>> taken_;  // by body: what the excess of each one takes from these
};

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
      NetworkSpeeds(l.pool, network).find();
      for (SlidingBalance& of_body : network) of_body.write_lines();
    }
  }
}

}  // namespace luztar
