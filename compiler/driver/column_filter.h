// --variables: the columns of a result by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/lowering/explicit_system.h"
#include "runtime/system.h"

namespace luztar {

/// "" when `pattern` is an extended regular expression (POSIX), else what is wrong with it.
[[nodiscard]] std::string why_no_pattern(const std::string& pattern);

/// Indices of the columns in whose name `pattern` matches somewhere; all for an empty pattern.
[[nodiscard]] std::vector<std::uint32_t> select_columns(const std::vector<OutputColumn>& columns,
                                                        const std::string& pattern);
/// The outputs in whose name it matches: what nobody asks for need not be compiled.
[[nodiscard]] std::vector<ExplicitOutput> select_outputs(const std::vector<ExplicitOutput>& outputs,
                                                         const std::string& pattern);

}  // namespace luztar
