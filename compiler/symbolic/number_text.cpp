#include <charconv>
#include <cmath>
#include <string>

#include "compiler/symbolic/print.h"

namespace luztar {

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[512];
  const auto shortest = std::to_chars(buffer, buffer + sizeof buffer, value);
  const std::string text(buffer, shortest.ptr);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  // to_chars writes 100000 as 1e+05; prefer plain digits while they are short, and drop the padding
  // of the exponent.
  const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  if (fixed.ptr - buffer <= 6) return std::string(buffer, fixed.ptr);
  int exponent = 0;
  const char* first = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(first, text.data() + text.size(), exponent);
  return text.substr(0, e + 1).append(std::to_string(exponent));
}

}  // namespace luztar
