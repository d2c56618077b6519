// --variables: the columns of a result by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/system.h"

namespace luztar {

/// "" when `pattern` is an extended regular expression (POSIX), else what is wrong with it.
[[nodiscard]] std::string why_no_pattern(const std::string& pattern);

/// Indices of the columns in whose name `pattern` matches somewhere; all for an empty pattern.
[[nodiscard]] std::vector<std::uint32_t> select_columns(const std::vector<OutputColumn>& columns,
                                                        const std::string& pattern);

}  // namespace luztar
