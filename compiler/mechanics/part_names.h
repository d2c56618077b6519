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

}  // namespace luztar
