// Where a character of UTF-8 text ends.
#pragma once

#include <cstddef>
#include <string_view>

namespace luztar {

/// Bytes of the character at `i`, 1 to 4; 0 when the bytes there are none (Unicode, table 3-7: no
/// surrogates, nothing beyond U+10FFFF, no longer form than needed).
[[nodiscard]] inline std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
  };
  const unsigned first = byte(i);
  if (first < 0x80U) return 1;
  if (first < 0xC2U || first > 0xF4U) return 0;
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  const unsigned least = first == 0xE0U ? 0xA0U : first == 0xF0U ? 0x90U : 0x80U;
  const unsigned most = first == 0xEDU ? 0x9FU : first == 0xF4U ? 0x8FU : 0xBFU;
  if (byte(i + 1) < least || byte(i + 1) > most) return 0;
  for (std::size_t k = 2; k < length; ++k) {
    if ((byte(i + k) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

}  // namespace luztar
