// A vector whose first elements need no allocation.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace luztar {

/// For what one construction of an expression collects: a few terms nearly always.
template <class T, std::size_t kInline = 16>
class ShortVector {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  ShortVector() = default;
  ShortVector(const ShortVector&) = delete;
  ShortVector& operator=(const ShortVector&) = delete;

  template <class... Args>
  void emplace_back(Args&&... args) {
    if (size_ == capacity_) grow(2 * capacity_);
    new (data_ + size_) T(std::forward<Args>(args)...);
    ++size_;
  }
  void push_back(T value) { emplace_back(value); }
  void clear() { size_ = 0; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] T& front() { return data_[0]; }
  [[nodiscard]] T& back() { return data_[size_ - 1]; }

 private:
  struct alignas(T) Place {
    std::byte bytes[sizeof(T)];
  };
  void grow(std::size_t capacity) {
    auto larger = std::make_unique_for_overwrite<Place[]>(capacity);
    T* moved = reinterpret_cast<T*>(larger.get());
    for (std::size_t i = 0; i < size_; ++i) new (moved + i) T(data_[i]);
    heap_ = std::move(larger);
    data_ = moved;
    capacity_ = capacity;
  }

  Place inline_[kInline];
  T* data_ = reinterpret_cast<T*>(inline_);
  std::size_t size_ = 0, capacity_ = kInline;
  std::unique_ptr<Place[]> heap_;
};

}  // namespace luztar
