// The units that occur in a model, each once: a quantity carries a small number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "compiler/base/ids.h"
#include "compiler/semantics/units.h"

namespace luztar {

/// A unit without its radians. Invalid: any unit fits, as for a number as it is written, for what
/// is declared without a unit, and for products with these.
using UnitId = Id<struct UnitTag>;

class UnitTable {
 public:
  /// From now on every declared unit is any: they have been checked before.
  void trust() { trusted_ = true; }

  /// The unit that a text declares, any for an empty one; nothing when the text is no unit.
  [[nodiscard]] std::optional<UnitId> declared(const std::string& text);
  [[nodiscard]] const Unit& operator[](UnitId id) const { return units_[id]; }

  [[nodiscard]] UnitId one() { return intern({}); }
  [[nodiscard]] UnitId second() { return *declared("s"); }

  /// Of any and something else: any.
  [[nodiscard]] UnitId product(UnitId a, UnitId b) { return combined(a, b, '*'); }
  [[nodiscard]] UnitId quotient(UnitId a, UnitId b) { return combined(a, b, '/'); }
  /// Any, too, for an exponent that is no multiple of 1/60.
  [[nodiscard]] UnitId power(UnitId base, double exponent);

  /// Whether quantities in both can be added; any fits everything.
  [[nodiscard]] bool fit(UnitId a, UnitId b) const;

 private:
  struct Hash {
    std::size_t operator()(const Unit& unit) const;
  };

  UnitId intern(Unit unit);
  UnitId combined(UnitId a, UnitId b, char op);

  bool trusted_ = false;
  Table<UnitId, Unit> units_;
  std::unordered_map<Unit, UnitId, Hash> by_unit_;
  std::unordered_map<std::string, std::optional<UnitId>> by_text_;
  std::unordered_map<std::uint64_t, UnitId> products_, quotients_;  // by both operands
};

}  // namespace luztar
