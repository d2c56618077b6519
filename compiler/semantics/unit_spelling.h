// What a text that is no unit was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luztar {

/// Units as they are written here for one as people write it: "N.m/rad" for "Nm/rad", "kg.m2" for
/// "kgm2", "s" for "sec"; "rad" and "rad/s" for "rads", which may be either. Empty when nothing is
/// near.
///   post: each is a unit
[[nodiscard]] std::vector<std::string> similar_units(std::string_view text);

/// "\"rad\" or \"rad/s\"", or "" for no units.
[[nodiscard]] std::string similar_units_text(std::string_view text);

}  // namespace luztar
