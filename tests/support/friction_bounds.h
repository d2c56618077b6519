// Forces of dry frictions against their bounds, which no friction law exceeds.
#pragma once

#include <string>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

/// The greatest force of any friction, as a share of its static bound. Of those that the text
/// declares as  name(f0 = .., f0_static = ..)  or with tau0, the latter number at will.
[[nodiscard]] double greatest_friction_share(const std::string& text, const Model& model,
                                             const Simulation& run);

}  // namespace luztar::test
