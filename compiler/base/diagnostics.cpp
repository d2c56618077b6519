#include "compiler/base/diagnostics.h"

#include <algorithm>
#include <tuple>

namespace luztar {

const std::vector<Code>& all_codes() {
  static const std::vector<Code> codes = {
#define LT_CODE(number, name, title) Code::name,
#include "compiler/base/diagnostic_codes.def"
#undef LT_CODE
  };
  return codes;
}

std::string code_name(Code code) { return "LT" + std::to_string(static_cast<int>(code)); }

std::string_view code_title(Code code) {
  switch (code) {
#define LT_CODE(number, name, title) \
  case Code::name:                   \
    return title;
#include "compiler/base/diagnostic_codes.def"
#undef LT_CODE
  }
  return {};
}

Diagnostic& Diagnostics::error(Code code, Span span, std::string message) {
  if (errors_ >= kErrorLimit) throw TooManyErrors();
  ++errors_;
  return diagnostics_.emplace_back(
      Diagnostic{Severity::kError, code, span, std::move(message), {}, {}});
}

Diagnostic& Diagnostics::warning(Code code, Span span, std::string message) {
  return diagnostics_.emplace_back(
      Diagnostic{Severity::kWarning, code, span, std::move(message), {}, {}});
}

void Diagnostics::sort_by_source() {
  std::stable_sort(
      diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& a, const Diagnostic& b) {
        if (!a.span.valid() || !b.span.valid()) {
          return a.span.valid() && !b.span.valid();
        }
        return std::tie(a.span.file, a.span.begin) < std::tie(b.span.file, b.span.begin);
      });
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  // Levenshtein distance; a third of the letters may differ.
  const std::size_t limit = std::max<std::size_t>(1, name.size() / 3);
  std::string best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > name.size() + limit || name.size() > candidate.size() + limit) continue;
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substitution = diagonal + (name[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace luztar
