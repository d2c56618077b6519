#include "compiler/driver/assertion_values.h"

#include <fmt/format.h>

#include <string>

#include "compiler/symbolic/operations.h"

namespace luztar {

void note_operands(Diagnostic& error, const ExprPool& pool, const FlatModel& flat,
                   const ExplicitAssertion& assertion, const RunReport& report) {
  const SymbolValues parameters = flat.parameter_values();
  const SymbolValues symbols = [&](Symbol s) {
    if (s.kind == SymbolKind::kState) return report.states[s.index];
    if (s.kind == SymbolKind::kMode) return report.modes[s.index];
    return s.kind == SymbolKind::kTime ? report.time : parameters(s);
  };
  for (const ExplicitOperand& operand : assertion.operands) {
    const double value = evaluate(pool, operand.value, symbols);
    std::string text = operand.name + " = ";
    text += operand.is_condition ? (value != 0 ? "true" : "false") : fmt::format("{:.9g}", value);
    if (!operand.unit.empty() && operand.unit != "1") text += " " + operand.unit;
    error.with_note(text, operand.span);
  }
}

}  // namespace luztar
