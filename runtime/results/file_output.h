// Files that are either whole or not there.
#pragma once

#include <string>
#include <string_view>

#include "runtime/results/blocks.h"

namespace luztar {

/// Tells whether `path` can be written, without leaving a trace: "" or the system's reason.
[[nodiscard]] std::string why_not_writable(const std::string& path);

/// Writes `text` to a temporary file beside `path` and renames it; "-" is standard output, and a
/// path that is not a regular file (a pipe, /dev/null) is written directly. Returns "" or the
/// system's reason; a failure leaves no file and an existing one as it was.
[[nodiscard]] std::string write_file(const std::string& path, const BlockSource& text);
[[nodiscard]] std::string write_file(const std::string& path, std::string_view text);

}  // namespace luztar
