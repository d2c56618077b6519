// Text to syntax tree.
#pragma once

#include <optional>

#include "compiler/base/component_limit.h"
#include "compiler/base/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace luztar {

/// Parses one file of `sources`.
///   errors: LT1001-LT1008 with spans; several per file. LT2032, and the rest is not read, when it
///   declares more components of a class than `most_components`. Returns nothing when the text is
///   not in the language.
[[nodiscard]] std::optional<Ast> parse(const SourceMap& sources, FileId file,
                                       Diagnostics& diagnostics,
                                       std::size_t most_components = kMostComponents);

}  // namespace luztar
