#include "compiler/semantics/flat_model.h"

#include "compiler/base/diagnostics.h"

namespace luztar {

std::string FlatModel::symbol_name(Symbol symbol) const {
  switch (symbol.kind) {
    case SymbolKind::kTime:
      return "time";
    case SymbolKind::kParameter:
      return parameters[ParameterId{symbol.index}].name;
    case SymbolKind::kVariable:
      return variables[VariableId{symbol.index}].name;
    default:
      throw InternalError("semantics", "a symbol that is not part of the flat model");
  }
}

SymbolNames FlatModel::names() const {
  return [this](Symbol symbol) { return symbol_name(symbol); };
}

SymbolValues FlatModel::parameter_values() const {
  return [this](Symbol symbol) {
    if (symbol.kind != SymbolKind::kParameter) {
      throw InternalError("semantics", "the value of a variable is asked for");
    }
    return parameters[ParameterId{symbol.index}].value;
  };
}

}  // namespace luztar
