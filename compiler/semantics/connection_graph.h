// The connection graph of a model as a drawing for Graphviz.
#pragma once

#include <string>

#include "compiler/semantics/flat_model.h"

namespace luztar {

/// A graph in the language of Graphviz: a box for each part that is made of no others, a frame
/// around the parts of a composite, an edge for each connect clause, with an arrow for signals.
///   cost: O(parts + connections)
[[nodiscard]] std::string connection_graph(const FlatModel& model);

}  // namespace luztar
