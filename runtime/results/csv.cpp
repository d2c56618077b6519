#include "runtime/results/csv.h"

#include <charconv>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace luztar {
namespace {

/// The longest shortest-round-trip double has 24 characters: -2.2250738585072014e-308.
constexpr std::size_t kLongestNumber = 32;

void append_quoted(std::string& text, std::string_view name) {
  text += '"';
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

char* put_number(char* place, double value, bool integral) {
  if (value == 0) {  // minus zero is rounding's, not the model's
    *place = '0';
    return place + 1;
  }
  char* const end = place + kLongestNumber;
  if (integral) return std::to_chars(place, end, static_cast<long>(value)).ptr;
  return std::to_chars(place, end, value).ptr;
}

}  // namespace

std::string csv_text(const Trajectory& trajectory) {
  const auto& columns = trajectory.columns();
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) text += ',';
    append_quoted(text, columns[i].name);
  }
  text += '\n';

  std::string line(columns.size() * (kLongestNumber + 1) + 1, '\0');
  for (std::size_t r = 0; r < trajectory.rows(); ++r) {
    char* place = line.data();
    const std::span<const double> row = trajectory.row(r);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) *place++ = ',';
      place = put_number(place, row[i], columns[i].integral);
    }
    *place++ = '\n';
    text.append(line.data(), static_cast<std::size_t>(place - line.data()));
  }
  return text;
}

}  // namespace luztar
