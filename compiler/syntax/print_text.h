// Names and strings as the language writes them.
#pragma once

#include <string>

namespace luztar {

/// The name, between quotes where it would be a keyword or no identifier without.
[[nodiscard]] std::string identifier_text(const std::string& name);

/// The text between double quotes, with escapes.
[[nodiscard]] std::string quoted_text(const std::string& text);

}  // namespace luztar
