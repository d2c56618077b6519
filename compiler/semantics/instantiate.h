// Classes to the tree of instances.
#pragma once

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Builds the tree below a model with its parts, parameters, variables and connectors; expressions
/// stay as written.
///   post:   elaboration.root is the model; parameters, bindings and attributes hold what is still
///           to be converted to expressions
///   errors: LT1008, LT2001, LT2004-LT2007, LT2020, LT2024-LT2027, LT2030 and those of the sizes
///   and conditions, which are evaluated here      cost: O(components)
void instantiate(Elaboration& elaboration, ClassId model);

/// The component at `position` among the members of an instance; created now when it is still to
/// come, because a size or condition asks for it. Invalid: there is none.
///   errors: LT2011 when it is waiting for itself
[[nodiscard]] InstanceId member_instance(Elaboration& elaboration, InstanceId parent,
                                         std::uint32_t position, Span span);

/// A constant of a class that is not instantiated, `Constants.g`; created when first used.
[[nodiscard]] InstanceId constant_instance(Elaboration& elaboration, ClassId cls,
                                           std::uint32_t member);

}  // namespace luztar
