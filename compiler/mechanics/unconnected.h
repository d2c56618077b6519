// Forgotten connections.
#pragma once

#include <string>
#include <vector>

#include "compiler/mechanics/connection_sets.h"
#include "compiler/mechanics/force_system.h"

namespace luztar {

/// Equations that give a flange of another part a force although nothing is connected to it, so
/// that its force is zero (LT3014).
///   cost: linear in the size of the equations
void check_given_forces(const ExprPool& pool, const FlatModel& flat,
                        const ConnectionSets& connections, PartErrors& errors);

/// Connectors that are joined to nothing where that can hardly be meant: a source that pushes on
/// nothing (LT3014), a part that can carry no force any more (LT3014, a warning), one whose flanges
/// are joined to each other (LT3016, a warning), and a node without inertia that no force acts on
/// (LT3002).
///   cost: linear in connectors and terms
void check_connected(const ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
                     const ConnectionSets& connections, const ForceSystem& forces,
                     const Mechanism& mechanism, PartErrors& errors);

/// LT3002 for a node on which loads act alone, those of the parts named.
void report_floating_node(const FlatModel& flat, const Coordinate& node,
                          const std::vector<std::string>& loads, PartErrors& errors);

}  // namespace luztar
