#include "compiler/driver/column_filter.h"

#include <regex.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace luztar {
namespace {

// POSIX and not std::regex: that recurses for each character of a name and takes long to compile.
struct Pattern {
  regex_t compiled{};
  int error = 0;

  explicit Pattern(const std::string& text)
      : error(::regcomp(&compiled, text.c_str(), REG_EXTENDED | REG_NOSUB)) {}
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    if (error == 0) ::regfree(&compiled);
  }
  [[nodiscard]] bool matches(const std::string& name) const {
    return ::regexec(&compiled, name.c_str(), 0, nullptr, 0) == 0;
  }
};

}  // namespace

std::string why_no_pattern(const std::string& pattern) {
  const Pattern compiled(pattern);
  if (compiled.error == 0) return "";
  std::array<char, 200> text{};
  ::regerror(compiled.error, &compiled.compiled, text.data(), text.size());
  return text.data();
}

std::vector<std::uint32_t> select_columns(const std::vector<OutputColumn>& columns,
                                          const std::string& pattern) {
  const Pattern compiled(pattern);
  std::vector<std::uint32_t> selected;
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    if (pattern.empty() || compiled.matches(columns[i].name)) selected.push_back(i);
  }
  return selected;
}

std::vector<ExplicitOutput> select_outputs(const std::vector<ExplicitOutput>& outputs,
                                           const std::string& pattern) {
  if (pattern.empty()) return outputs;
  const Pattern compiled(pattern);
  std::vector<ExplicitOutput> selected;
  std::copy_if(outputs.begin(), outputs.end(), std::back_inserter(selected),
               [&](const ExplicitOutput& output) { return compiled.matches(output.name); });
  return selected;
}

}  // namespace luztar
