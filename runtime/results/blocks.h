// Long texts in pieces, so that no writer holds a whole file in memory.
#pragma once

#include <functional>
#include <string_view>

namespace luztar {

/// Takes the next piece of a text; false: it cannot be stored, and more is pointless.
using BlockSink = std::function<bool(std::string_view)>;

/// Gives a text to the sink piece by piece, in order, as long as that returns true.
using BlockSource = std::function<void(const BlockSink&)>;

}  // namespace luztar
