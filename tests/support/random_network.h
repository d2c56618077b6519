// Random networks of dry frictions, as model text, by number.
#pragma once

#include <string>

namespace luztar::test {

/// Bodies with inertia, without it or with very little, all that LuzTar joins them by, clutches,
/// prescribed motions and loads: for 2 s. The same number gives the same model. Massless bodies may
/// be loaded with more than their frictions hold, and prescribed motions may close in on stops.
[[nodiscard]] std::string random_network(unsigned number);

}  // namespace luztar::test
