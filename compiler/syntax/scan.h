// A look at the raw text before it is parsed.
#pragma once

#include <string>

#include "compiler/base/diagnostics.h"

namespace luztar {

/// Finds what would confuse the parser or overflow its stack: bytes that are no text, open strings
/// and comments, excessive nesting.
///   errors: LT1003, LT1005, LT1006, LT1007 (no class in the file)
/// Returns false when the text must not be parsed.
bool scan_text(const SourceMap& sources, FileId file, Diagnostics& diagnostics);

}  // namespace luztar
