#include "compiler/lowering/flow_checks.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/sized_point.h"

namespace luztar {
namespace {

/// A time and a state at random.
struct Instant {
  double time = 0;
  std::vector<double> states;
};

// Incidence has shown no surplus.
void report_superfluous(Lowering& l, const FlowCheck& check) {
  const std::vector<std::string> involved = involved_in(l.pool, l.flat, l.mechanism, check);
  Diagnostic& error = part_error(
      l.diagnostics, l.flat, Code::kOverdetermined, check.part.valid() ? check.part : PartId{0}, {},
      "there are more equations than forces: these do not hold together");
  for (const std::string& name : involved) error.with_note(name);
  error.with_note(
      "an equation on a force or torque is one too many, or positions are tied by "
      "an equation that no force of a part belongs to (connect the flanges)");
}

std::vector<double> slipping_modes(Lowering& l) {
  std::vector<double> modes(l.system.slots, 0.0);
  for (const ExplicitFriction& friction : l.system.frictions) {
    modes[friction.direction_slot] = modes[friction.moving_slot] = 1;
  }
  for (const ExplicitIsland& island : l.system.islands) {
    for (std::uint32_t i = 0; i < island.count; ++i) {
      modes[island.kinetic_slot + i * island.diagonal()] = 1;
    }
  }
  return modes;
}

std::vector<Instant> random_instants(Lowering& l) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> draw(0.5, 1.5);
  std::vector<Instant> instants(2);
  for (Instant& instant : instants) {
    instant.states.resize(l.system.states.size());
    for (double& x : instant.states) x = draw(random);
    instant.time = l.flat.experiment.start + draw(random);
  }
  return instants;
}

// Numbers that have been put together leave their rounding, which is small against the forces of
// the model alone.
bool holds(Expr residual, const std::vector<Expr>& forces, std::vector<SizedPoint>& instants) {
  return std::any_of(instants.begin(), instants.end(), [&](SizedPoint& at) {
    // also where it has no value
    const auto [value, size] = at(residual);
    if (!(std::abs(value) > 1e-6 * size)) return true;
    double greatest = 0;
    for (const Expr force : forces) {
      const double of_force = at(force).size;
      if (std::isfinite(of_force)) greatest = std::max(greatest, of_force);
    }
    return std::abs(value) <= 1e-13 * greatest;
  });
}

// Of frictions that fall with speed on massless bodies: at random states these are in no balance,
// or in that of another line of the fall, and the shares of such a friction do not add up.
std::set<std::uint32_t> slots_of_falls(const Lowering& l) {
  std::set<std::uint32_t> slots;
  for (const ExplicitFriction& f : l.system.frictions) {
    if (f.decay.valid() || !f.falls.empty()) slots.insert(f.direction_slot);
  }
  return slots;
}

std::vector<Expr> forces_of(Lowering& l) {
  std::vector<Expr> forces;
  for (const ForceTermId id : l.mechanism.terms.ids()) {
    forces.push_back(l.resolver.resolve(l.pool.symbol(SymbolKind::kForce, id.value)));
  }
  return forces;
}

}  // namespace

void check_flows(Lowering& l) {
  const std::vector<double> modes = slipping_modes(l);
  const std::vector<Instant> instants = random_instants(l);
  const SymbolValues parameters = l.flat.parameter_values();
  std::vector<SizedPoint> sizes;
  for (const Instant& instant : instants) {
    sizes.emplace_back(l.pool, [&](Symbol s) {
      if (s.kind == SymbolKind::kState) return instant.states[s.index];
      if (s.kind == SymbolKind::kTime) return instant.time;
      if (s.kind == SymbolKind::kMode) return modes[s.index];
      return parameters(s);
    });
  }
  const std::set<std::uint32_t> falls = slots_of_falls(l);
  const auto is_of_fall = [&](Symbol s) {
    return s.kind == SymbolKind::kMode && falls.contains(s.index);
  };
  std::vector<Expr> forces;  // asked for when something is left to check
  for (const FlowCheck& check : l.flow_checks) {
    const Expr residual = l.resolver.resolve(check.residual);
    if (l.pool.is_zero(residual) || l.settle.takes_part(residual)) continue;
    if (!falls.empty() && depends_on(l.pool, residual, is_of_fall)) continue;
    if (forces.empty()) forces = forces_of(l);
    if (holds(residual, forces, sizes)) continue;
    report_superfluous(l, check);
    return;
  }
}

}  // namespace luztar
