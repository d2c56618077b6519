// The road from a file to a result.
#pragma once

#include "compiler/driver/exit_code.h"
#include "compiler/driver/options.h"

namespace luztar {

/// Compiles the model of `options` and does what they ask for. Diagnostics and the summary go to
/// standard error, stage dumps to standard output.
[[nodiscard]] ExitCode run(const Options& options);

/// Prints an error without a place, in the format wanted.
void report_usage(const UsageError& error);

}  // namespace luztar
