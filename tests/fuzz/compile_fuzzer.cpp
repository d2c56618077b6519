// libFuzzer target: any text through the whole compile path, to LLVM's IR. Errors are diagnostics; a crash, an
// InternalError, a sanitizer report or a minute on one input is a finding.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "compiler/base/diagnostics.h"
#include "compiler/codegen/jit.h"
#include "tests/support/model.h"

using namespace luztar;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    const auto stages = test::run_stages("fuzz.ltm", text, test::Stage::kExplicit);
    if (stages->explicit_system && !stages->diagnostics.has_errors()) {
      const std::string ir = llvm_text(stages->pool, *stages->flat, *stages->explicit_system);
      if (ir.empty()) std::abort();
    }
    static_cast<void>(stages->messages());  // spans of all of them can be shown
  } catch (const TooManyErrors&) {
  }
  return 0;
}
