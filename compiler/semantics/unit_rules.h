// Units of quantities: what operators and functions ask of their operands and give, and what a
// declaration asks of its value. A mistake is reported (LT2003) and leaves the value as it is,
// without a unit: nothing that follows from it is reported again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Operands or arguments with their places.
struct Quantities {
  const std::vector<Value>& values;
  const std::vector<Span>& spans;
};

/// What a function of scalars does with the units of its arguments. Where it says 1, an argument of
/// any unit gives a value of any unit: sin(2*pi*time) may be a torque.
enum class UnitRule : std::uint8_t {
  kAny,       // takes all, gives any
  kKeep,      // gives that of its argument
  kSign,      // gives 1
  kNumber,    // takes and gives 1
  kRate,      // per second
  kRoot,      // the square root of that of its argument
  kCommon,    // takes and gives one unit
  kAngle,     // takes one unit, gives 1
  kQuotient,  // gives that of a quotient
  kFriction,  // takes one unit from the second argument on, and gives it
  kStop,      // takes one unit and, last, a number; gives any
};

/// Gives `result` its unit, that which the operands from `first` to `last` share; `message` says
/// what it means that they do not.
void give_common_unit(Elaboration& elaboration, const Quantities& operands, std::size_t first,
                      std::size_t last, const std::string& message, Value& result);
/// The same for all operands.
void give_common_unit(Elaboration& elaboration, const Quantities& operands,
                      const std::string& message, Value& result);
/// The unit that the elements of an array at this place share.
[[nodiscard]] UnitId common_unit_of_elements(Elaboration& elaboration, const Value& array,
                                             Span span, const std::string& message);
/// Gives the value of the function `name` its unit.
void give_unit(Elaboration& elaboration, UnitRule rule, const std::string& name,
               const Quantities& arguments, Value& result);
/// The unit of base^exponent, of which the k-th elements are meant.
[[nodiscard]] UnitId unit_of_power(Elaboration& elaboration, const Quantities& operands,
                                   std::size_t k);

/// The sides of an equation have one unit, element by element.
void check_equation_units(Elaboration& elaboration, const Quantities& sides);

/// Something with a declared unit that gets a value.
struct Declared {
  std::string name;
  std::string unit;  // as it is written
  UnitId id;
  Span span;
};
[[nodiscard]] Declared declared(const Elaboration& elaboration, ParameterId parameter);
[[nodiscard]] Declared declared(const Elaboration& elaboration, VariableId variable);

/// `place` says where the value stands: "the binding of 'k'".
void check_value_unit(Elaboration& elaboration, const Declared& target, const Value& value,
                      Span span, const std::string& place);
/// Connected signals have one unit.
void check_connected_units(Elaboration& elaboration, VariableId a, VariableId b, Span span);

}  // namespace luztar
