// Letters and digits of ASCII, of which the words of the language and its units are made.
#pragma once

#include <string>
#include <string_view>

namespace luztar {

[[nodiscard]] inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

[[nodiscard]] inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text in small letters.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace luztar
