// The trap of the breakaway: when a friction breaks away, the slip and its rate are both zero up to
// rounding. P2 sec. 4 over a grid of frictions, against a reference that shares no code with the
// solvers: closed forms in long double between the events, and at an event the one of the nine
// combinations of sticking and sliding that agrees with itself a moment later.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_draws.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

using Real = long double;
using Pair = std::array<Real, 2>;  // of top and bottom, or of the upper and the lower friction

constexpr Real kPi = std::numbers::pi_v<Real>;
constexpr Real kBreakawayStop = 8;  // [s]

// The parameters of the example two_mass_two_friction.
constexpr Pair kMass = {1, 2};
constexpr Pair kDamping = {0.8, 1.5};  // as doubles: what the compiled model has
constexpr Pair kAmplitude = {8, 6};
const Pair kOmega = {2 * kPi * Real(0.7), 2 * kPi* Real(0.31)};

using Modes = std::array<int, 2>;  // between the blocks, to the ground: direction of slip or 0

/// a + b[0] sin(w0 t) + b[1] sin(w1 t).
struct Forcing {
  Real a = 0;
  Pair b = {0, 0};
};

Pair loads(Real t) {
  return {kAmplitude[0] * std::sin(kOmega[0] * t), kAmplitude[1] * std::sin(kOmega[1] * t)};
}

/// y' = -rate y + forcing from (t0, y0), rate > 0.
class FirstOrder {
 public:
  FirstOrder() = default;
  FirstOrder(Real rate, const Forcing& forcing, Real t0, Real y0)
      : rate_(rate), forcing_(forcing), t0_(t0) {
    transient_ = y0 - forced(t0);
  }

  [[nodiscard]] Real value(Real t) const { return transient_ * decay(t) + forced(t); }
  [[nodiscard]] Real derivative(Real t) const {
    Real sum = -rate_ * transient_ * decay(t);
    for (int j = 0; j < 2; ++j) {
      const Real w = kOmega[j], x = w * t;
      sum += forcing_.b[j] * w * (rate_ * std::cos(x) + w * std::sin(x)) / (rate_ * rate_ + w * w);
    }
    return sum;
  }
  [[nodiscard]] Real second_derivative(Real t) const {
    Real sum = -rate_ * derivative(t);
    for (int j = 0; j < 2; ++j) sum += forcing_.b[j] * kOmega[j] * std::cos(kOmega[j] * t);
    return sum;
  }
  /// Integral of y from t0 to t.
  [[nodiscard]] Real integral(Real t) const {
    return transient_ * (1 - decay(t)) / rate_ + forced_integral(t) - forced_integral(t0_);
  }

 private:
  [[nodiscard]] Real decay(Real t) const { return std::exp(-rate_ * (t - t0_)); }
  [[nodiscard]] Real forced(Real t) const {
    Real sum = forcing_.a / rate_;
    for (int j = 0; j < 2; ++j) {
      const Real w = kOmega[j], x = w * t;
      sum += forcing_.b[j] * (rate_ * std::sin(x) - w * std::cos(x)) / (rate_ * rate_ + w * w);
    }
    return sum;
  }
  [[nodiscard]] Real forced_integral(Real t) const {
    Real sum = forcing_.a / rate_ * t;
    for (int j = 0; j < 2; ++j) {
      const Real w = kOmega[j], x = w * t;
      sum -= forcing_.b[j] * (rate_ / w * std::cos(x) + std::sin(x)) / (rate_ * rate_ + w * w);
    }
    return sum;
  }

  Real rate_ = 1;
  Forcing forcing_;
  Real t0_ = 0, transient_ = 0;
};

/// The motion in one mode: up to two independent first-order equations z, velocities = shape z.
class Phase {
 public:
  Phase(const Pair& friction, Modes mode, Real t0, const Pair& v, const Pair& x)
      : friction_(friction), mode_(mode), x0_(x) {
    const Pair dry = {friction[0] * Real(mode[0]), friction[1] * Real(mode[1])};
    if (mode[0] != 0 && mode[1] != 0) {
      slide_apart(t0, v, dry);
    } else if (mode[1] != 0) {  // as one block
      const Real mass = kMass[0] + kMass[1];
      const Forcing force = {-dry[1] / mass, {kAmplitude[0] / mass, kAmplitude[1] / mass}};
      z_[0] = {kDamping[1] / mass, force, t0, v[1]};
      shape_ = {{{1, 0}, {1, 0}}};
      size_ = 1;
    } else if (mode[0] != 0) {  // the bottom rests
      const Forcing force = {-dry[0] / kMass[0], {kAmplitude[0] / kMass[0], 0}};
      z_[0] = {kDamping[0] / kMass[0], force, t0, v[0]};
      shape_ = {{{1, 0}, {0, 0}}};
      size_ = 1;
    }
  }

  [[nodiscard]] Pair velocity(Real t) const {
    return combine([t](const FirstOrder& z) { return z.value(t); });
  }
  [[nodiscard]] Pair acceleration(Real t) const {
    return combine([t](const FirstOrder& z) { return z.derivative(t); });
  }
  [[nodiscard]] Pair jerk(Real t) const {
    return combine([t](const FirstOrder& z) { return z.second_derivative(t); });
  }
  [[nodiscard]] Pair position(Real t) const {
    const Pair way = combine([t](const FirstOrder& z) { return z.integral(t); });
    return {x0_[0] + way[0], x0_[1] + way[1]};
  }

  /// Slip velocities v1 - v2 and v2.
  [[nodiscard]] Pair slip(Real t) const {
    const Pair v = velocity(t);
    return {mode_[0] == 0 ? 0 : v[0] - v[1], mode_[1] == 0 ? 0 : v[1]};
  }
  /// Friction forces from the balance of the top and of both blocks.
  [[nodiscard]] Pair force(Real t) const {
    const Pair F = loads(t), a = acceleration(t);
    const Real upper = F[0] - kMass[0] * a[0];
    return {upper, upper + F[1] - kMass[1] * a[1]};
  }

  /// Margins that are positive in this mode, with their derivatives: slip of a sliding friction,
  /// reserves of a sticking one.
  struct Margin {
    Real value, derivative;
  };
  [[nodiscard]] std::vector<Margin> margins(Real t) const {
    const Pair a = acceleration(t), s = slip(t), f = force(t), j = jerk(t);
    const Pair slip_rate = {a[0] - a[1], a[1]};
    const Real c0 = kAmplitude[0] * kOmega[0] * std::cos(kOmega[0] * t);
    const Real c1 = kAmplitude[1] * kOmega[1] * std::cos(kOmega[1] * t);
    const Real upper_rate = c0 - kMass[0] * j[0];
    const Pair force_rate = {upper_rate, upper_rate + c1 - kMass[1] * j[1]};
    std::vector<Margin> result;
    for (int i = 0; i < 2; ++i) {
      if (mode_[i] != 0) {
        result.push_back({mode_[i] * s[i], mode_[i] * slip_rate[i]});
      } else {
        result.push_back({friction_[i] - f[i], -force_rate[i]});
        result.push_back({friction_[i] + f[i], force_rate[i]});
      }
    }
    return result;
  }

 private:
  // Principal axes of M^-1/2 C M^-1/2.
  void slide_apart(Real t0, const Pair& v, const Pair& dry) {
    const Pair root = {std::sqrt(kMass[0]), std::sqrt(kMass[1])};
    const Real k11 = kDamping[0] / kMass[0];
    const Real k12 = -kDamping[0] / (root[0] * root[1]);
    const Real k22 = (kDamping[0] + kDamping[1]) / kMass[1];
    const Real angle = std::atan2(2 * k12, k11 - k22) / 2;
    const std::array<Pair, 2> axes = {
        {{std::cos(angle), std::sin(angle)}, {-std::sin(angle), std::cos(angle)}}};
    const Pair constant = {-dry[0] / root[0], (dry[0] - dry[1]) / root[1]};
    for (int i = 0; i < 2; ++i) {
      const Pair& e = axes[i];
      const Real rate = e[0] * e[0] * k11 + 2 * e[0] * e[1] * k12 + e[1] * e[1] * k22;
      const Forcing force = {e[0] * constant[0] + e[1] * constant[1],
                             {e[0] * kAmplitude[0] / root[0], e[1] * kAmplitude[1] / root[1]}};
      z_[i] = {rate, force, t0, e[0] * root[0] * v[0] + e[1] * root[1] * v[1]};
      shape_[0][i] = e[0] / root[0];
      shape_[1][i] = e[1] / root[1];
    }
    size_ = 2;
  }

  template <class Value>
  [[nodiscard]] Pair combine(const Value& value) const {
    Pair result = {0, 0};
    for (int i = 0; i < size_; ++i) {
      const Real z = value(z_[i]);
      for (int body = 0; body < 2; ++body) result[body] += shape_[body][i] * z;
    }
    return result;
  }

  Pair friction_;
  Modes mode_;
  Pair x0_;
  std::array<FirstOrder, 2> z_;
  std::array<Pair, 2> shape_ = {};
  int size_ = 0;
};

/// A point in (low, high] at which f is negative, as near to the first as bisection comes; f(low)
/// is not negative.
Real bisect(Real low, Real high, const std::function<bool(Real)>& negative) {
  for (int i = 0; i < 100; ++i) {
    const Real middle = (low + high) / 2;
    (negative(middle) ? high : low) = middle;
  }
  return high;
}

struct Reference {
  std::vector<Real> events;
  std::array<std::uint64_t, 2> changes = {0, 0};
  Pair velocity = {0, 0}, position = {0, 0};
};

class ReferenceRun {
 public:
  explicit ReferenceRun(const Pair& friction) : friction_(friction) {}

  Reference run() {
    Real t = 0;
    decide(t, {true, true});
    while (true) {
      Phase phase(friction_, mode_, t, v_, x_);
      const auto [next, margin] = first_event(phase, t);
      v_ = phase.velocity(next);
      x_ = phase.position(next);
      if (margin < 0) break;
      t = next;
      const Modes before = mode_;
      settle_slips(margin);
      decide(t, {v_[0] == v_[1], v_[1] == 0});
      for (int i = 0; i < 2; ++i) result_.changes[i] += mode_[i] != before[i] ? 1 : 0;
      result_.events.push_back(t);
    }
    result_.velocity = v_;
    result_.position = x_;
    return result_;
  }

 private:
  /// What a sliding friction has left of its slip is taken out.
  void settle_slips(int fired) {
    const bool upper = mode_[0] == 0 || fired_friction(fired) == 0;
    const bool lower = mode_[1] == 0 || fired_friction(fired) == 1;
    if (upper && lower) {
      v_ = {0, 0};
    } else if (upper) {
      const Real common = (kMass[0] * v_[0] + kMass[1] * v_[1]) / (kMass[0] + kMass[1]);
      v_ = {common, common};
    } else if (lower) {
      v_[1] = 0;
    }
  }
  [[nodiscard]] int fired_friction(int margin) const {
    return margin < (mode_[0] != 0 ? 1 : 2) ? 0 : 1;
  }

  void decide(Real t, const std::array<bool, 2>& at_rest) {
    const Modes sliding = {v_[0] > v_[1] ? 1 : -1, v_[1] > 0 ? 1 : -1};
    for (const Real moment : {1e-6L, 1e-7L, 1e-8L, 1e-9L}) {
      std::vector<Modes> found;
      for (int upper = -1; upper <= 1; ++upper) {
        for (int lower = -1; lower <= 1; ++lower) {
          const Modes mode = {upper, lower};
          bool agrees = true;
          for (int i = 0; i < 2; ++i) agrees = agrees && (at_rest[i] || mode[i] == sliding[i]);
          if (!agrees) continue;
          const Phase phase(friction_, mode, t, v_, x_);
          for (const Phase::Margin& m : phase.margins(t + moment)) agrees = agrees && m.value >= 0;
          if (agrees) found.push_back(mode);
        }
      }
      if (found.size() != 1) continue;
      mode_ = found.front();
      moment_ = moment;
      return;
    }
    throw std::runtime_error("no unique mode");
  }

  /// Time and number of the first margin that becomes negative; (kBreakawayStop, -1) when none
  /// does. The mode holds up to t0 + moment_; a minimum between two points of the scan is looked
  /// at, too.
  [[nodiscard]] std::pair<Real, int> first_event(const Phase& phase, Real t0) const {
    constexpr Real kScan = 0.002L;
    Real low = t0 + moment_, step = moment_;
    std::vector<Phase::Margin> before = phase.margins(low);
    while (low < kBreakawayStop) {
      const Real high = std::min(low + step, kBreakawayStop);
      const std::vector<Phase::Margin> after = phase.margins(high);
      Real first = kBreakawayStop + 1;
      int fired = -1;
      for (std::size_t i = 0; i < after.size(); ++i) {
        Real end = high;
        if (after[i].value >= 0) {
          if (before[i].derivative >= 0 || after[i].derivative <= 0) continue;
          end = bisect(low, high, [&](Real t) { return phase.margins(t)[i].derivative > 0; });
          if (phase.margins(end)[i].value >= 0) continue;
        }
        const Real at = bisect(low, end, [&](Real t) { return phase.margins(t)[i].value < 0; });
        if (at >= first) continue;
        first = at;
        fired = static_cast<int>(i);
      }
      if (fired >= 0) return {first, fired};
      low = high;
      before = after;
      step = std::min(2 * step, kScan);
    }
    return {kBreakawayStop, -1};
  }

  Pair friction_;
  Pair v_ = {0, 0}, x_ = {0, 0};
  Modes mode_ = {0, 0};
  Real moment_ = 0;
  Reference result_;
};

/// Times at which two rows stand.
std::vector<double> event_times(const Simulation& run) {
  std::vector<double> times;
  for (std::size_t i = 1; i < run.time.size(); ++i) {
    if (run.time[i] == run.time[i - 1] && (times.empty() || times.back() != run.time[i])) {
      times.push_back(run.time[i]);
    }
  }
  return times;
}

}  // namespace

TEST_CASE("two masses, two frictions: every breakaway of 400 pairs of frictions is the exact one") {
  constexpr int kPoints = 20, kEvery = LUZTAR_RANDOM_CASES_DIVISOR;
  constexpr double kBound = 1e-12;
  Model model = load_example("two_mass_two_friction.ltm");
  const std::size_t between = model.friction({"between"}), ground = model.friction({"ground"});
  std::uint64_t events = 0;
  double worst_time = 0, worst_state = 0;
  for (int i = 0; i < kPoints; ++i) {
    for (int j = i % kEvery; j < kPoints; j += kEvery) {
      const double upper = 0.5 + 5.5 * i / (kPoints - 1), lower = 0.5 + 9.5 * j / (kPoints - 1);
      CAPTURE(upper);
      CAPTURE(lower);
      const Reference exact = ReferenceRun({upper, lower}).run();
      model.set({{"between.f0", upper}, {"ground.f0", lower}});
      const double stop = static_cast<double>(kBreakawayStop);
      const Simulation run = simulate(model, TaylorOptions{0, stop, stop, 1e-14, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.report.changes[between] == exact.changes[0]);
      CHECK(run.report.changes[ground] == exact.changes[1]);
      const std::vector<double> times = event_times(run);
      CHECK(times.size() == exact.events.size());
      if (times.size() != exact.events.size()) continue;
      events += times.size();
      for (std::size_t k = 0; k < times.size(); ++k) {
        const double error = std::fabs(static_cast<double>(times[k] - exact.events[k]));
        INFO("event ", k, " at ", times[k]);
        CHECK(error <= kBound);
        worst_time = std::max(worst_time, error);
      }
      const auto check = [&](const char* name, Real expected) {
        const double error =
            std::fabs(static_cast<double>(run.column(model, name).back() - expected));
        INFO(name);
        CHECK(error <= kBound);
        worst_state = std::max(worst_state, error);
      };
      check("top.v", exact.velocity[0]);
      check("bottom.v", exact.velocity[1]);
      check("top.s", exact.position[0]);
      check("bottom.s", exact.position[1]);
    }
  }
  CHECK(events > random_cases(5000));
  MESSAGE(events, " events, greatest error of a time ", worst_time, " s, of a state ", worst_state);
}

// While everything is at rest no state limits the step: the margins must. Even derivatives of a
// sine are zero at its start.
TEST_CASE("a block at rest under two sines breaks away at the first instant") {
  Model model("two_sines", R"(
model TwoSines
  Translational.Mass body(m = 2);
  Translational.SupportFriction ground(f0 = 8);
  Translational.Force slow_push;
  Translational.Force fast_push;
  Blocks.Sine slow(amplitude = 6, f = 0.3);
  Blocks.Sine fast(amplitude = 6, f = 1.1);
equation
  connect(slow.y, slow_push.f);
  connect(fast.y, fast_push.f);
  connect(slow_push.flange, body.flange_a);
  connect(fast_push.flange, body.flange_a);
  connect(body.flange_b, ground.flange_a);
end TwoSines;
)");
  RandomDraws random(31);
  int late = 0, idle_events = 0;
  for (unsigned i = 0; i < random_cases(300); ++i) {
    const Pair amplitude = {random.uniform(1, 8), random.uniform(1, 8)};
    const Pair frequency = {random.uniform(0.1, 0.5), random.uniform(0.3, 2)};
    const auto force = [&](Real t) {
      return amplitude[0] * std::sin(2 * kPi * frequency[0] * t) +
             amplitude[1] * std::sin(2 * kPi * frequency[1] * t);
    };
    constexpr int kScan = 8000;
    const auto instant = [](int k) { return kBreakawayStop * Real(k) / kScan; };
    Real greatest = 0;
    for (int k = 0; k <= kScan; ++k) greatest = std::max(greatest, std::fabs(force(instant(k))));
    // Well above or below the greatest force, so that the scan sees what there is.
    const double part = random.uniform(0.001, 0.03) * (i % 3 == 0 ? -1 : 1);
    const double friction = static_cast<double>(greatest) * (1 - part);
    int first = 1;
    while (first <= kScan && std::fabs(force(instant(first))) <= friction) ++first;
    const bool leaves = first <= kScan;
    const Real exact = leaves ? bisect(instant(first - 1), instant(first),
                                       [&](Real t) { return std::fabs(force(t)) > friction; })
                              : kBreakawayStop;

    model.set({{"slow.amplitude", static_cast<double>(amplitude[0])},
               {"slow.f", static_cast<double>(frequency[0])},
               {"fast.amplitude", static_cast<double>(amplitude[1])},
               {"fast.f", static_cast<double>(frequency[1])},
               {"ground.f0", friction}});
    const double stop = static_cast<double>(kBreakawayStop);
    const Simulation run = simulate(model, TaylorOptions{0, stop, stop, 1e-14, true});
    const std::vector<double>& mode = run.column(model, "ground.mode");
    const auto moves =
        std::find_if(mode.begin(), mode.end(), [](double value) { return value != 0; });
    const bool moved = moves != mode.end();
    const auto row = static_cast<std::size_t>(moves - mode.begin());
    const Real computed = moved ? Real(run.time[row]) : kBreakawayStop;
    late += moved == leaves && std::fabs(computed - exact) <= 1e-11L ? 0 : 1;
    idle_events += (moved ? row : mode.size()) > 2 ? 1 : 0;
  }
  CHECK(late == 0);
  CHECK(idle_events == 0);
}

}  // namespace luztar::test
