#include "compiler/semantics/unit_spelling.h"

#include <optional>
#include <utility>

#include "compiler/base/diagnostics.h"
#include "compiler/base/letters.h"
#include "compiler/semantics/units.h"

namespace luztar {
namespace {

/// Longer words are no unit: what is to be read stays small.
constexpr std::size_t kLongest = 60;

/// Signs that are no ASCII, and spaces.
constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
    {" / ", "/"},      {" /", "/"},           {"/ ", "/"},       {" ", "."},
    {"\xC2\xB7", "."}, {"\xE2\x8B\x85", "."}, {"\xC3\x97", "."}, {"\xC2\xB2", "2"},
    {"\xC2\xB3", "3"}, {"\xC2\xB0", "deg"},   {"\xC2\xB5", "u"}, {"\xCE\xBC", "u"},
    {"**", "^"},       {"\xCE\xA9", "Ohm"}};

/// Words in small letters.
constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"sec", "s"},
                                                                    {"secs", "s"},
                                                                    {"second", "s"},
                                                                    {"seconds", "s"},
                                                                    {"minute", "min"},
                                                                    {"minutes", "min"},
                                                                    {"hr", "h"},
                                                                    {"hour", "h"},
                                                                    {"hours", "h"},
                                                                    {"degree", "deg"},
                                                                    {"degrees", "deg"},
                                                                    {"degs", "deg"},
                                                                    {"radian", "rad"},
                                                                    {"radians", "rad"},
                                                                    {"newton", "N"},
                                                                    {"newtons", "N"},
                                                                    {"meter", "m"},
                                                                    {"meters", "m"},
                                                                    {"metre", "m"},
                                                                    {"metres", "m"},
                                                                    {"kilogram", "kg"},
                                                                    {"kilograms", "kg"},
                                                                    {"kgs", "kg"},
                                                                    {"gram", "g"},
                                                                    {"grams", "g"},
                                                                    {"watt", "W"},
                                                                    {"watts", "W"},
                                                                    {"joule", "J"},
                                                                    {"joules", "J"},
                                                                    {"pascal", "Pa"},
                                                                    {"hertz", "Hz"},
                                                                    {"hz", "Hz"},
                                                                    {"volt", "V"},
                                                                    {"ampere", "A"},
                                                                    {"kelvin", "K"},
                                                                    {"turn", "rev"},
                                                                    {"turns", "rev"},
                                                                    {"rot", "rev"},
                                                                    {"revs", "rev"},
                                                                    {"revolutions", "rev"},
                                                                    {"rpms", "rpm"},
                                                                    {"mps", "m/s"},
                                                                    {"kph", "km/h"},
                                                                    {"kmh", "km/h"},
                                                                    {"millimeter", "mm"},
                                                                    {"newtonmeter", "N.m"},
                                                                    {"newtonmeters", "N.m"},
                                                                    {"rads", "rad/s"}};

/// Factors of words in which the dots were left out.
constexpr std::string_view kFactors[] = {"kg", "kN", "mm", "km",  "cm",  "kW", "N", "m", "s",
                                         "J",  "W",  "A",  "rad", "deg", "Pa", "K", "V"};

/// The fewest factors that a word consists of, joined by dots; nothing when it does not.
std::optional<std::string> product(std::string_view word, bool any_case) {
  std::vector<std::optional<std::vector<std::string_view>>> best(word.size() + 1);
  best[0].emplace();
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (!best[i]) continue;
    for (const std::string_view factor : kFactors) {
      const std::string_view part = word.substr(i, factor.size());
      if (any_case ? lower_case(part) != lower_case(factor) : part != factor) continue;
      auto& there = best[i + factor.size()];
      if (there && there->size() <= best[i]->size() + 1) continue;
      there = best[i];
      there->push_back(factor);
    }
  }
  if (!best.back()) return std::nullopt;
  std::string text;
  for (const std::string_view factor : *best.back()) {
    text += (text.empty() ? "" : ".") + std::string(factor);
  }
  return text;
}

/// A word as units are written; itself when it is one.
std::optional<std::string> unit_of_word(std::string_view word) {
  if (parse_unit(word)) return std::string(word);
  const std::string small = lower_case(word);
  for (const auto& [name, unit] : kWords) {
    if (small == name) return std::string(unit);
  }
  if (auto exact = product(word, false)) return exact;
  if (auto any_case = product(word, true)) return any_case;
  return parse_unit(small) ? std::optional(small) : std::nullopt;
}

std::string with_signs_read(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    bool known = false;
    for (const auto& [sign, meaning] : kSigns) {
      if (text.substr(i, sign.size()) != sign) continue;
      result += meaning;
      i += sign.size();
      known = true;
      break;
    }
    if (!known) result += text[i++];
  }
  // "(N.m)/rad" is N.m/rad
  const std::size_t close = result.find(')');
  if (!result.empty() && result.front() == '(' && close != std::string::npos) {
    result.erase(close, 1).erase(0, 1);
  }
  return result;
}

/// The text with each of its words as units are written.
std::optional<std::string> rewritten(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_letter(text[i])) {
      result += text[i++];
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && is_letter(text[i])) ++i;
    std::optional<std::string> unit = unit_of_word(std::string_view(text).substr(begin, i - begin));
    if (!unit) return std::nullopt;
    while (i < text.size() && is_digit(text[i])) *unit += text[i++];
    const bool several = unit->find('.') != std::string::npos;
    result += several && begin > 0 && text[begin - 1] == '/' ? "(" + *unit + ")" : *unit;
  }
  if (!parse_unit(result)) return std::nullopt;
  return result;
}

}  // namespace

std::vector<std::string> similar_units(std::string_view text) {
  if (text.size() > kLongest) return {};
  if (lower_case(text) == "rads") return {"rad", "rad/s"};
  if (const auto unit = rewritten(with_signs_read(text))) return {*unit};
  const std::string near = nearest_name(text, common_units());
  return near.empty() ? std::vector<std::string>{} : std::vector<std::string>{near};
}

std::string similar_units_text(std::string_view text) {
  std::string result;
  for (const std::string& unit : similar_units(text)) {
    result += (result.empty() ? "\"" : " or \"") + unit + "\"";
  }
  return result;
}

}  // namespace luztar
