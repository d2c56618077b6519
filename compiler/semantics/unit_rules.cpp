#include "compiler/semantics/unit_rules.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace luztar {
namespace {

/// The unit as it is written where `e` is declared; empty when `e` is no variable or parameter of
/// that unit.
std::string written_unit(Elaboration& e, Expr expr, UnitId unit) {
  if (!expr.valid() || !e.pool.is_symbol(expr)) return {};
  const Symbol symbol = e.pool[expr].symbol;
  std::string text;
  if (symbol.kind == SymbolKind::kTime) text = "s";
  if (symbol.kind == SymbolKind::kParameter) {
    text = e.flat.parameters[ParameterId{symbol.index}].unit;
  }
  if (symbol.kind == SymbolKind::kVariable) text = e.flat.variables[VariableId{symbol.index}].unit;
  return e.units.declared(text) == unit ? text : std::string();
}

/// The k-th element as it appears in messages.
struct Shown {
  std::string unit;
  std::string text;  // "this is N.m", "'spring.k' has the unit N.m/rad"
};

Shown shown(Elaboration& e, const Value& value, std::size_t k) {
  const UnitId unit = value.unit_of(k);
  const Expr expr = k < value.count() ? value.element(k) : Expr{};
  const std::string written = written_unit(e, expr, unit);
  if (written.empty()) {
    const std::string text = to_text(e.units[unit]);
    return {text, "this is " + (text == "1" ? "a number or an angle" : text)};
  }
  return {written, "'" + e.flat.symbol_name(e.pool[expr].symbol) + "' has the unit " + written};
}

/// Quantities of one dimension differ by a factor only: says which.
void advise_conversion(Elaboration& e, Diagnostic& error, UnitId a, std::string text_a, UnitId b,
                       std::string text_b) {
  if (!same_dimension(e.units[a], e.units[b])) return;
  double factor = e.units[a].factor / e.units[b].factor;
  if (e.units[a].factor == 1) {
    std::swap(text_a, text_b);
    factor = 1 / factor;
  }
  // What has no dimension and yet a factor is an angle.
  if (text_b == "1") text_b = "rad";
  char number[32];
  std::snprintf(number, sizeof number, "%.6g", factor);
  if (!parse_unit(text_a)) {  // a product without a name: "100000 kg.m/s2"
    error.with_note(text_a + " is " + number + " times " + text_b +
                    ": convert it with that factor");
    return;
  }
  error.with_note("1 " + text_a + " is " + number + " " + text_b +
                  ": convert it with that factor, or declare unit = \"" + text_b +
                  "\", displayUnit = \"" + text_a + "\"");
}

/// LT2003 for the k-th element of one operand, which does not fit that of another.
void report_pair(Elaboration& e, const Quantities& operands, std::size_t wrong, std::size_t other,
                 std::size_t k, const std::string& message) {
  const Shown at_fault = shown(e, operands.values[wrong], k);
  const Shown known = shown(e, operands.values[other], k);
  Diagnostic& error = e.report.error(Code::kUnitMismatch, operands.spans[wrong], message);
  error.with_label(at_fault.text).with_note(known.text, operands.spans[other]);
  advise_conversion(e, error, operands.values[wrong].unit_of(k), at_fault.unit,
                    operands.values[other].unit_of(k), known.unit);
}

/// The unit of the k-th elements of the operands from `first` to `last`.
UnitId common_unit(Elaboration& e, const Quantities& operands, std::size_t first, std::size_t last,
                   std::size_t k, const std::string& message) {
  std::optional<std::size_t> known;
  for (std::size_t i = first; i < last; ++i) {
    const UnitId unit = operands.values[i].unit_of(k);
    if (!unit.valid()) continue;
    if (!known) {
      known = i;
    } else if (!e.units.fit(operands.values[*known].unit_of(k), unit)) {
      report_pair(e, operands, i, *known, k, message);
      return {};
    }
  }
  return known ? operands.values[*known].unit_of(k) : UnitId{};
}

/// Units of all elements of `result`; one is enough as long as all operands have one.
template <class Function>
void give_each(const Quantities& operands, Value& result, Function unit_at) {
  const bool one = std::all_of(operands.values.begin(), operands.values.end(),
                               [](const Value& value) { return value.units.empty(); });
  if (one) {
    result.unit = unit_at(0);
    return;
  }
  std::vector<UnitId> units(result.count());
  for (std::size_t k = 0; k < units.size(); ++k) units[k] = unit_at(k);
  result.set_units(std::move(units));
}

/// LT2003 unless the k-th element of an argument is a number; the unit of a function of it.
UnitId number_unit(Elaboration& e, const Quantities& arguments, std::size_t i, std::size_t k,
                   const std::string& name) {
  const UnitId unit = arguments.values[i].unit_of(k);
  if (e.units.fit(unit, e.units.one())) return unit;
  const Shown given = shown(e, arguments.values[i], k);
  Diagnostic& error = e.report
                          .error(Code::kUnitMismatch, arguments.spans[i],
                                 "'" + name + "' needs a number or an angle in rad")
                          .with_label(given.text);
  error.with_note("divide by a quantity of that unit, or multiply by one that makes it a number");
  advise_conversion(e, error, unit, given.unit, e.units.one(), "rad");
  return {};
}

UnitId unit_of_call(Elaboration& e, UnitRule rule, const std::string& name,
                    const Quantities& arguments, std::size_t k) {
  const std::size_t count = arguments.values.size();
  const UnitId first = arguments.values[0].unit_of(k);
  const auto common = [&](std::size_t from, std::size_t to) {
    return common_unit(e, arguments, from, to, k,
                       "the arguments of '" + name + "' have different units");
  };
  switch (rule) {
    case UnitRule::kAny:
      return {};
    case UnitRule::kKeep:
      return first;
    case UnitRule::kSign:
      return first.valid() ? e.units.one() : first;
    case UnitRule::kNumber:
      return number_unit(e, arguments, 0, k, name);
    case UnitRule::kRate:
      return e.units.quotient(first, e.units.second());
    case UnitRule::kRoot:
      return e.units.power(first, 0.5);
    case UnitRule::kCommon:
      return common(0, count);
    case UnitRule::kAngle:
      return common(0, count).valid() ? e.units.one() : UnitId{};
    case UnitRule::kQuotient:
      return e.units.quotient(first, arguments.values[1].unit_of(k));
    case UnitRule::kFriction:
      return common(1, count);
    case UnitRule::kStop:
      static_cast<void>(common(0, 2));
      static_cast<void>(number_unit(e, arguments, 2, k, name));
      return {};
  }
  throw InternalError("semantics", "a function without a rule for units");
}

}  // namespace

void give_common_unit(Elaboration& e, const Quantities& operands, std::size_t first,
                      std::size_t last, const std::string& message, Value& result) {
  give_each(operands, result,
            [&](std::size_t k) { return common_unit(e, operands, first, last, k, message); });
}

void give_common_unit(Elaboration& e, const Quantities& operands, const std::string& message,
                      Value& result) {
  give_common_unit(e, operands, 0, operands.values.size(), message, result);
}

UnitId common_unit_of_elements(Elaboration& e, const Value& array, Span span,
                               const std::string& message) {
  if (array.units.empty()) return array.unit;
  std::vector<Value> elements;
  for (std::size_t k = 0; k < array.count(); ++k) elements.push_back(array.single(k));
  const std::vector<Span> spans(elements.size(), span);
  return common_unit(e, {elements, spans}, 0, elements.size(), 0, message);
}

void give_unit(Elaboration& e, UnitRule rule, const std::string& name, const Quantities& arguments,
               Value& result) {
  give_each(arguments, result,
            [&](std::size_t k) { return unit_of_call(e, rule, name, arguments, k); });
}

UnitId unit_of_power(Elaboration& e, const Quantities& operands, std::size_t k) {
  const UnitId base = operands.values[0].unit_of(k);
  const Value& exponent = operands.values[1];
  const UnitId of_exponent = number_unit(e, operands, 1, k, "^");
  const Expr number = k < exponent.count() ? exponent.element(k) : exponent.e;
  if (!base.valid() || !number.valid()) return {};
  if (e.pool.is_constant(number)) return e.units.power(base, e.pool[number].value);
  if (e.units.fit(base, e.units.one())) return of_exponent.valid() ? base : UnitId{};
  e.report
      .error(Code::kUnitMismatch, operands.spans[0],
             "a quantity with a unit needs an exponent that is written as a number")
      .with_label(shown(e, operands.values[0], k).text);
  return {};
}

void check_equation_units(Elaboration& e, const Quantities& sides) {
  const bool one = sides.values[0].units.empty() && sides.values[1].units.empty();
  const std::size_t count = one ? 1 : sides.values[0].count();
  for (std::size_t k = 0; k < count; ++k) {
    if (e.units.fit(sides.values[0].unit_of(k), sides.values[1].unit_of(k))) continue;
    return report_pair(e, sides, 1, 0, k, "the sides of the equation have different units");
  }
}

Declared declared(const Elaboration& e, ParameterId id) {
  const FlatParameter& parameter = e.flat.parameters[id];
  const ParameterRecord& record = e.parameters[id];
  return {parameter.name, parameter.unit, record.unit, e.instances[record.instance].span};
}

Declared declared(const Elaboration& e, VariableId id) {
  const FlatVariable& variable = e.flat.variables[id];
  return {variable.name, variable.unit, e.variable_units[id], variable.span};
}

void check_value_unit(Elaboration& e, const Declared& target, const Value& value, Span span,
                      const std::string& place) {
  const std::size_t count = value.units.empty() ? 1 : value.count();
  for (std::size_t k = 0; k < count; ++k) {
    const UnitId unit = value.unit_of(k);
    if (e.units.fit(target.id, unit)) continue;
    const Shown given = shown(e, value, k);
    Diagnostic& error = e.report.error(Code::kUnitMismatch, span, "unit mismatch in " + place);
    error.with_label(given.text)
        .with_note("'" + target.name + "' has the unit " + target.unit, target.span);
    return advise_conversion(e, error, unit, given.unit, target.id, target.unit);
  }
}

void check_connected_units(Elaboration& e, VariableId a, VariableId b, Span span) {
  if (e.units.fit(e.variable_units[a], e.variable_units[b])) return;
  const Declared left = declared(e, a);
  const Declared right = declared(e, b);
  Diagnostic& error =
      e.report.error(Code::kUnitMismatch, span,
                     "'" + left.name + "' and '" + right.name + "' have different units");
  for (const Declared& side : {left, right}) {
    error.with_note("'" + side.name + "' has the unit " + side.unit, side.span);
  }
  advise_conversion(e, error, left.id, left.unit, right.id, right.unit);
}

}  // namespace luztar
