// Values by symbol.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/symbolic/expr.h"

namespace luztar {

/// Indices of symbols are those of tables, so a vector for each kind takes the place of a map.
/// `Value{}` stands for none.
template <class Value>
class SymbolTable {
 public:
  [[nodiscard]] Value find(Symbol s) const {
    const std::vector<Value>& values = by_kind_[static_cast<std::size_t>(s.kind)];
    return s.index < values.size() ? values[s.index] : Value{};
  }
  Value& operator[](Symbol s) {
    std::vector<Value>& values = by_kind_[static_cast<std::size_t>(s.kind)];
    if (s.index >= values.size()) values.resize(s.index + std::size_t{1});
    return values[s.index];
  }

 private:
  static constexpr std::size_t kKinds = static_cast<std::size_t>(SymbolKind::kMode) + 1;
  std::array<std::vector<Value>, kKinds> by_kind_;
};

}  // namespace luztar
