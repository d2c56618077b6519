// The explicit system: derivatives, outputs and stick-slip data as expressions of time, state,
// parameters and mode.
//   contract: expressions hold symbols of kind kTime, kParameter, kState and kMode only, no kDer
//   and no kDry; nothing is implicit, every expression can be evaluated from left to right.
#pragma once

#include <string>
#include <vector>

#include "compiler/semantics/flat_model.h"
#include "compiler/symbolic/expr.h"

namespace luztar {

struct ExplicitState {
  std::string name;  // the flat variable it stands for
  std::string unit;
  Expr start;  // over parameters
  Expr derivative;
};

/// One dry friction that can stick. Its mode is -1 or +1 (slip in that direction) or 0 (slip
/// velocity zero). In mode 0 the derivatives already contain the friction force of the
/// variable-structure form (R9, P2 sec. 2): clamp(demand, -static, static).
struct ExplicitFriction {
  std::string name;   // the part: "kingpin_l"
  Expr slip;          // slip velocity [rad/s or m/s], over states
  Expr demand;        // force that would keep it stuck [N.m or N]
  Expr static_bound;  // T_S
  Expr kinetic;       // T_K at the present slip
  /// Changes of the states that take one unit of slip out in the mass metric: x_i += -slip *
  /// reaction_i.
  std::vector<std::pair<std::uint32_t, Expr>> reaction;
};

enum class OutputKind : std::uint8_t { kVariable, kFrictionMode, kFreeplayZone };

struct ExplicitOutput {
  std::string name;
  std::string unit;
  OutputKind kind = OutputKind::kVariable;
  Expr value;
};

struct ExplicitAssertion {
  Expr condition;
  std::string message;
  Span span;
};

struct ExplicitSystem {
  std::vector<ExplicitState> states;
  std::vector<ExplicitFriction> frictions;
  std::vector<ExplicitOutput> outputs;
  std::vector<ExplicitAssertion> assertions;
  /// Variables without a unique value (constraint forces of redundant rigid connections): no
  /// output.
  std::vector<std::string> indeterminate;
};

}  // namespace luztar
