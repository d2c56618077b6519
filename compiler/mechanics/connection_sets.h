// Connections: equal potentials and signals, flows that sum to zero.
#pragma once

#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/mechanics/mechanism.h"

namespace luztar {

struct ConnectionSets {
  std::vector<std::pair<VariableId, VariableId>> equalities;  // potentials and signals
  std::vector<FlowBalance> balances;
};

/// Generates the connection equations (Modelica 3.6, 9.2): every connector is in one set seen from
/// inside its part
/// ("outside connector", sign -1) and in one seen from the enclosing part (sign +1); an unconnected
/// flow is zero.
///   cost: linear in connectors and connections
[[nodiscard]] ConnectionSets connection_sets(const FlatModel& flat);

}  // namespace luztar
