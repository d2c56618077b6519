#include "compiler/base/component_limit.h"

namespace luztar {

void report_too_many_components(Diagnostics& diagnostics, Span span, const std::string& what,
                                std::size_t most) {
  diagnostics
      .error(Code::kTooManyComponents, span,
             what + " has more than " + std::to_string(most) + " components")
      .with_note("compiling takes about 0.1 ms and 10 kB for each of them")
      .with_note("where so many are meant, --max-components N lets N of them pass");
}

}  // namespace luztar
