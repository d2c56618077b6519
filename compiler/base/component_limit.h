// How many components a model may have before somebody has to say that it is meant.
#pragma once

#include <cstddef>
#include <string>

#include "compiler/base/diagnostics.h"

namespace luztar {

/// Unless --max-components says otherwise: a model of so many takes a few seconds to compile.
inline constexpr std::size_t kMostComponents = 50'000;

/// LT2032 at the component that is one too many; `what` has them: "the model".
void report_too_many_components(Diagnostics& diagnostics, Span span, const std::string& what,
                                std::size_t most);

}  // namespace luztar
