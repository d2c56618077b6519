// Values attached to the nodes of one walk.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/symbolic/expr.h"

namespace luztar {

/// Map from nodes to values whose cost is that of the nodes stored in it, not of the whole pool:
/// thousands of walks over small expressions of a large pool stay cheap. A few nodes are searched
/// one by one. Pointers are valid until the next insertion.
template <class Value>
class NodeMap {
 public:
  [[nodiscard]] const Value* find(Expr e) const {
    const std::uint32_t entry = place(e);
    return entry == kEmpty ? nullptr : &entries_[entry].second;
  }
  [[nodiscard]] Value* find(Expr e) {
    const std::uint32_t entry = place(e);
    return entry == kEmpty ? nullptr : &entries_[entry].second;
  }
  /// The value of a node that is known to be stored.
  [[nodiscard]] const Value& operator[](Expr e) const { return entries_[place(e)].second; }

  /// False when the node has a value already.
  bool insert(Expr e, Value value) {
    if (place(e) != kEmpty) return false;
    if (entries_.empty()) entries_.reserve(kFew);
    const auto entry = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back(e, std::move(value));
    if (entries_.size() <= kFew) return true;
    if (2 * entries_.size() > slots_.size()) {
      grow();
    } else {
      slots_[probe(e)] = entry;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kEmpty = Expr::kNone;
  static constexpr std::size_t kFew = 8;

  /// The entry of e, or kEmpty.
  [[nodiscard]] std::uint32_t place(Expr e) const {
    if (!slots_.empty()) return slots_[probe(e)];
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].first == e) return i;
    }
    return kEmpty;
  }
  [[nodiscard]] std::size_t probe(Expr e) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (e.value * 0x9e3779b1U) >> 7 & mask;
    while (slots_[slot] != kEmpty && entries_[slots_[slot]].first != e) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    slots_.assign(slots_.empty() ? 8 * kFew : 4 * slots_.size(), kEmpty);
    for (std::uint32_t i = 0; i < entries_.size(); ++i) slots_[probe(entries_[i].first)] = i;
  }

  std::vector<std::uint32_t> slots_;  // into entries_; empty: there are few
  std::vector<std::pair<Expr, Value>> entries_;
};

/// The same for walks that come by most of the pool: a vector. `Value{}` stands for none.
template <class Value>
class PoolMap {
 public:
  [[nodiscard]] Value find(Expr e) const {
    return e.value < values_.size() ? values_[e.value] : Value{};
  }
  void insert(Expr e, Value value) {
    if (e.value >= values_.size()) values_.resize(e.value + std::size_t{1});
    values_[e.value] = value;
  }

 private:
  std::vector<Value> values_;
};

}  // namespace luztar
