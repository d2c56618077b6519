#include "compiler/semantics/connector_variables.h"

namespace luztar {
namespace {

/// The members of an instance with the elements of its arrays.
std::vector<InstanceId> scalars_of(const Elaboration& e, InstanceId id) {
  std::vector<InstanceId> result;
  for (const InstanceId child : e.instances[id].children) {
    const Instance& instance = e.instances[child];
    if (instance.kind == Instance::Kind::kArray) {
      result.insert(result.end(), instance.children.begin(), instance.children.end());
    } else {
      result.push_back(child);
    }
  }
  return result;
}

}  // namespace

void sort_variables(Elaboration& e, InstanceId id) {
  const ConnectorId c = e.instances[id].connector;
  FlatConnector& flat = e.flat.connectors[c];
  for (const InstanceId child : scalars_of(e, id)) {
    if (e.instances[child].kind != Instance::Kind::kVariable) continue;
    const VariableId v = e.instances[child].variable;
    FlatVariable& variable = e.flat.variables[v];
    variable.connector = c;
    switch (variable.role) {
      case VariableRole::kFlow:
        flat.flows.push_back(v);
        break;
      case VariableRole::kSignal:
        flat.signals.push_back(v);
        break;
      default:
        flat.potentials.push_back(v);
    }
  }
  if (flat.flows.empty()) return;
  for (std::size_t i = 0; i < flat.potentials.size(); ++i) {
    FlatVariable& potential = e.flat.variables[flat.potentials[i]];
    potential.role = VariableRole::kPotential;
    if (i >= flat.flows.size()) continue;
    potential.conjugate = flat.flows[i];
    e.flat.variables[flat.flows[i]].conjugate = flat.potentials[i];
  }
}

}  // namespace luztar
