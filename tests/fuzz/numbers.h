// Numbers of random models on the command line.
#pragma once

#include <charconv>
#include <string_view>

namespace luztar::test {

/// 0 for a text that is none.
[[nodiscard]] inline unsigned number_of(std::string_view text) {
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace luztar::test
