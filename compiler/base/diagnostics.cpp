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

namespace {

/// Bytes of a word that are shown whole.
constexpr std::size_t kLongestWord = 200;
constexpr std::size_t kWordBegin = 80, kWordEnd = 20;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// A text with the middle of overlong words left out: a name or number may be a megabyte long.
std::string shortened(std::string text) {
  if (text.size() <= kLongestWord) return text;
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end - begin <= kLongestWord) {
      result.append(text, begin, end + 1 - begin);
    } else {
      std::size_t head = begin + kWordBegin, tail = end - kWordEnd;
      while (continues_character(text[head])) --head;
      while (continues_character(text[tail])) ++tail;
      result.append(text, begin, head - begin).append("...").append(text, tail, end + 1 - tail);
    }
    begin = end + 1;
  }
  return result;
}

}  // namespace

Diagnostic& Diagnostic::with_label(std::string words) {
  label = shortened(std::move(words));
  return *this;
}

Diagnostic& Diagnostic::with_note(std::string words, Span at) {
  notes.push_back({at, shortened(std::move(words))});
  return *this;
}

Diagnostic& Diagnostics::error(Code code, Span span, std::string message) {
  if (errors_ >= kErrorLimit) throw TooManyErrors();
  ++errors_;
  return diagnostics_.emplace_back(
      Diagnostic{Severity::kError, code, span, shortened(std::move(message)), {}, {}});
}

Diagnostic& Diagnostics::warning(Code code, Span span, std::string message) {
  Diagnostic warning{Severity::kWarning, code, span, shortened(std::move(message)), {}, {}};
  if (++warnings_ > kWarningLimit) return hidden_ = std::move(warning);
  return diagnostics_.emplace_back(std::move(warning));
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

std::string circle_text(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) text += names[i] + " -> ";
  if (names.size() > kMostNames) {
    text += "(" + std::to_string(names.size() - kMostNames) + " more) -> ";
  }
  return text + names.front();
}

namespace {

/// "J" for "j".
std::string other_case(std::string_view letter, const std::vector<std::string>& candidates) {
  constexpr unsigned kCaseBit = 0x20;
  for (const std::string& candidate : candidates) {
    if (candidate.size() != 1 || letter.size() != 1) continue;
    const auto a = static_cast<unsigned char>(candidate[0]);
    const auto b = static_cast<unsigned char>(letter[0]);
    const unsigned small = a | kCaseBit;
    if ((a ^ b) == kCaseBit && small >= 'a' && small <= 'z') return candidate;
  }
  return {};
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  // Levenshtein distance, where two letters in the wrong order count once; a third of the letters
  // may differ.
  if (name.size() < 2) return other_case(name, candidates);  // any letter would be near
  const std::size_t limit = std::max<std::size_t>(1, name.size() / 3);
  std::string best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > name.size() + limit || name.size() > candidate.size() + limit) continue;
    std::vector<std::size_t> row(candidate.size() + 1), above(row.size()), above2(row.size());
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= name.size(); ++i) {
      above2.swap(above);
      above.swap(row);
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substitution = above[j - 1] + (name[i - 1] == candidate[j - 1] ? 0 : 1);
        row[j] = std::min({above[j] + 1, row[j - 1] + 1, substitution});
        const bool swapped =
            i > 1 && j > 1 && name[i - 1] == candidate[j - 2] && name[i - 2] == candidate[j - 1];
        if (swapped) row[j] = std::min(row[j], above2[j - 2] + 1);
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
