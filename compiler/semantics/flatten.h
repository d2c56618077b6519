// Instantiation: syntax trees to the flat model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/semantics/flat_model.h"
#include "compiler/semantics/library_path.h"

namespace luztar {

/// `--set name=value`, as given on the command line.
struct Setting {
  std::string name;   // "gear.half_freeplay"
  std::string value;  // "0.05", "inf", "2 N.m/rad"
};

/// Instantiates a class of the user's file: lookup, extends, modifications, parameter values,
/// equations.
///   class_name: empty for the last model of the file
///   errors: LT2xxx with spans, all that independent parts give in one run; nothing is returned
///   when there are any
[[nodiscard]] std::optional<FlatModel> flatten(const Ast& file, const std::string& class_name,
                                               const std::vector<Setting>& settings,
                                               ClassLibrary& library, SourceMap& sources,
                                               ExprPool& pool, Diagnostics& diagnostics);

}  // namespace luztar
