// Reports each mistake once, however many instances of a class show it.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "compiler/base/diagnostics.h"

namespace luztar {

class Reporter {
 public:
  explicit Reporter(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// As Diagnostics::error; a second error of the same kind at the same place goes nowhere.
  Diagnostic& error(Code code, Span span, std::string message) {
    if (span.valid() && !seen_.emplace(code, span.file.value, span.begin, span.end).second) {
      return ignored_ = Diagnostic{};
    }
    return diagnostics_.error(code, span, std::move(message));
  }
  /// LT1009: "<construct> are not supported yet"
  void not_supported(Span span, const std::string& construct) {
    error(Code::kNotSupportedYet, span, construct + " are not supported yet");
  }

  [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }

 private:
  Diagnostics& diagnostics_;
  Diagnostic ignored_;
  std::set<std::tuple<Code, std::uint32_t, std::uint32_t, std::uint32_t>> seen_;
};

}  // namespace luztar
