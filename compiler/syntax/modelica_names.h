// The Modelica Standard Library, for people who come from there.
#pragma once

#include <string>

namespace luztar {

/// What to write here instead of a name that begins with "Modelica.".
[[nodiscard]] std::string instead_of_modelica(const std::string& name);

}  // namespace luztar
