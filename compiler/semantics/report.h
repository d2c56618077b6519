// Reports each mistake once, however many instances of a class show it.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/modelica_names.h"

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

  /// LT1008: a name of the Modelica Standard Library.
  void modelica_library(const std::string& name, Span span) {
    error(Code::kOutsideSubset, span, "the Modelica Standard Library is not part of the language")
        .with_note(instead_of_modelica(name));
  }

  /// False for an error that went nowhere: notes that are dear to find are not worth it.
  [[nodiscard]] bool shows(const Diagnostic& error) const { return &error != &ignored_; }

  [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }

 private:
  Diagnostics& diagnostics_;
  Diagnostic ignored_;
  std::set<std::tuple<Code, std::uint32_t, std::uint32_t, std::uint32_t>> seen_;
};

}  // namespace luztar
