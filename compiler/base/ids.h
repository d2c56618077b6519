// Typed ids and the tables they index: identity is an id, never a string or a pointer.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace luztar {

/// Index into one kind of table; `Tag` keeps ids of different tables apart at compile time.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}

  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

/// Vector indexed by a typed id; iteration is in id order.
template <class IdType, class Value>
class Table {
 public:
  IdType push_back(Value value) {
    values_.push_back(std::move(value));
    return IdType{values_.size() - 1};
  }
  [[nodiscard]] Value& operator[](IdType id) { return values_[id.value]; }
  [[nodiscard]] const Value& operator[](IdType id) const { return values_[id.value]; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  void resize(std::size_t size, const Value& value = Value{}) { values_.resize(size, value); }
  void reserve(std::size_t size) { values_.reserve(size); }
  [[nodiscard]] auto begin() { return values_.begin(); }
  [[nodiscard]] auto end() { return values_.end(); }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }

  /// All ids of the table in order.
  [[nodiscard]] std::vector<IdType> ids() const {
    std::vector<IdType> result;
    result.reserve(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) result.push_back(IdType{i});
    return result;
  }

 private:
  std::vector<Value> values_;
};

}  // namespace luztar

template <class Tag>
struct std::hash<luztar::Id<Tag>> {
  std::size_t operator()(luztar::Id<Tag> id) const noexcept {
    return std::hash<std::uint32_t>{}(id.value);
  }
};
