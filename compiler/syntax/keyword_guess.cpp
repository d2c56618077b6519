#include "compiler/syntax/keyword_guess.h"

#include "compiler/base/diagnostics.h"
#include "compiler/base/letters.h"

namespace luztar {
std::string nearest_section(const std::string& name) {
  if (lower_case(name) != name) return {};
  return nearest_name(name, {"equation", "algorithm", "public", "protected"});
}

std::string nearest_keyword(const std::string& name) {
  return nearest_name(lower_case(name),
                      {"extends", "import", "parameter", "constant", "input", "output", "flow",
                       "model", "block", "type", "connector", "function", "package", "partial"});
}

}  // namespace luztar
