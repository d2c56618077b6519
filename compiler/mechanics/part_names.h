// How diagnostics of the later stages name parts and places.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/semantics/flat_model.h"

namespace luztar {

/// "'gear'", or "the model" for the model itself.
[[nodiscard]] inline std::string part_name(const FlatModel& flat, PartId part) {
  const std::string& name = flat.parts[part].name;
  return name.empty() ? "the model" : "'" + name + "'";
}

/// An error about an equation or force of `part`. It points to the declaration of the part in the
/// model, since the equation itself stands in the part's class, often in the library, and is noted;
/// the model's own equations are pointed at directly.
inline Diagnostic& part_error(Diagnostics& diagnostics, const FlatModel& flat, Code code,
                              PartId part, Span equation, std::string message) {
  const FlatPart& declared = flat.parts[part];
  const bool own = declared.name.empty() || !declared.span.valid();
  Diagnostic& error = diagnostics.error(code, own ? equation : declared.span, std::move(message));
  if (!own && equation.valid()) error.with_note("the equation is here", equation);
  return error;
}

/// Errors of a stage that is made of several passes. What a pass says about a part, or about parts
/// that are involved, silences later passes about them: they would see what follows from it.
class PartErrors {
 public:
  PartErrors(Diagnostics& diagnostics, const FlatModel& flat)
      : diagnostics_(diagnostics), flat_(flat), said_(flat.parts.size(), 0), silent_(said_) {}

  /// See part_error.
  Diagnostic& error(Code code, PartId part, Span equation, std::string message) {
    if (silent_[part.value] != 0) return hidden_ = {};
    involve(part);
    return part_error(diagnostics_, flat_, code, part, equation, std::move(message));
  }
  void involve(PartId part) { said_[part.value] = 1; }
  void next_pass() { silent_ = said_; }
  [[nodiscard]] bool is_silent(PartId part) const { return silent_[part.value] != 0; }
  [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }

 private:
  Diagnostics& diagnostics_;
  const FlatModel& flat_;
  std::vector<char> said_, silent_;  // by part
  Diagnostic hidden_;
};

}  // namespace luztar
