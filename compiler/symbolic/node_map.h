// Values attached to the nodes of one walk.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/symbolic/expr.h"

namespace luztar {

/// Map from nodes to values whose cost is that of the nodes stored in it, not of the whole pool:
/// thousands of walks over small expressions of a large pool stay cheap. Pointers are valid until
/// the next insertion.
template <class Value>
class NodeMap {
 public:
  NodeMap() : slots_(16, kEmpty) { entries_.reserve(8); }  // what fits before it grows

  [[nodiscard]] const Value* find(Expr e) const {
    const std::uint32_t entry = slots_[probe(e)];
    return entry == kEmpty ? nullptr : &entries_[entry].second;
  }
  [[nodiscard]] Value* find(Expr e) {
    const std::uint32_t entry = slots_[probe(e)];
    return entry == kEmpty ? nullptr : &entries_[entry].second;
  }
  /// The value of a node that is known to be stored.
  [[nodiscard]] const Value& operator[](Expr e) const { return entries_[slots_[probe(e)]].second; }

  /// False when the node has a value already.
  bool insert(Expr e, Value value) {
    const std::size_t slot = probe(e);
    if (slots_[slot] != kEmpty) return false;
    slots_[slot] = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back(e, std::move(value));
    if (2 * entries_.size() > slots_.size()) grow();
    return true;
  }

 private:
  static constexpr std::uint32_t kEmpty = Expr::kNone;

  [[nodiscard]] std::size_t probe(Expr e) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (e.value * 0x9e3779b1U) >> 7 & mask;
    while (slots_[slot] != kEmpty && entries_[slots_[slot]].first != e) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    slots_.assign(4 * slots_.size(), kEmpty);
    for (std::uint32_t i = 0; i < entries_.size(); ++i) slots_[probe(entries_[i].first)] = i;
  }

  std::vector<std::uint32_t> slots_;
  std::vector<std::pair<Expr, Value>> entries_;
};

}  // namespace luztar
