// Names that are nearly a word of the language.
#pragma once

#include <string>

namespace luztar {

/// "equation" for `equatoin`: of the words that stand alone before statements. "" when none is
/// near, and for names that begin with a capital, as those of classes do.
[[nodiscard]] std::string nearest_section(const std::string& name);

/// "extends" for `extend`: of the words that a declaration can begin with; "" when none is near.
[[nodiscard]] std::string nearest_keyword(const std::string& name);

}  // namespace luztar
