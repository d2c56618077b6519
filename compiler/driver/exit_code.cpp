#include "compiler/driver/exit_code.h"

namespace luztar {

ExitCode exit_code(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.severity != Severity::kError) continue;
    switch (diagnostic.code) {
      case Code::kUsage:
        return ExitCode::kUsage;
      case Code::kCannotRead:
      case Code::kCannotWrite:
        return ExitCode::kFile;
      case Code::kInconsistentStart:
        return ExitCode::kStart;
      case Code::kNotFinite:
      case Code::kAssertionStopped:
      case Code::kEventStorm:
      case Code::kNoEquilibrium:
      case Code::kNegativeFriction:
      case Code::kWeakAtRest:
      case Code::kBlockedMotion:
        return ExitCode::kStoppedEarly;
      default:
        return ExitCode::kModel;
    }
  }
  return ExitCode::kDone;
}

}  // namespace luztar
