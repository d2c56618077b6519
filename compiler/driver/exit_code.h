// Exit codes of the command; part of its interface.
#pragma once

#include "compiler/base/diagnostics.h"

namespace luztar {

enum class ExitCode : int {
  kDone = 0,
  kUsage = 1,         // wrong command line
  kModel = 2,         // the model does not compile
  kStart = 3,         // no consistent initial state
  kStoppedEarly = 4,  // the simulation stopped early; what was computed is written
  kFile = 5,          // a file could not be read or written
  kInternal = 70,     // a bug of ours (EX_SOFTWARE of sysexits.h)
};

/// The code that the first error of a run asks for; kDone without errors.
[[nodiscard]] ExitCode exit_code(const Diagnostics& diagnostics);

}  // namespace luztar
