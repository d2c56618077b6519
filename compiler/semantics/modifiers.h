// Modifications on their way from where they are written to the element they change.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/semantics/class_table.h"

namespace luztar {

using InstanceId = Id<struct InstanceTag>;
using ElementId = Id<struct ElementTag>;

struct Local;

/// Where an expression is written: its names are loop variables and the like, members of
/// `instance`, or visible in `cls`.
struct Scope {
  const Ast* ast = nullptr;
  InstanceId instance;            // invalid: names of the class only
  ClassId cls;                    // invalid: built-in names only
  const Local* locals = nullptr;  // innermost first
};

/// An expression with the place it is written in.
struct Source {
  Scope scope;
  AstExprId value;         // invalid: none
  ElementId element = {};  // which element of the value is meant; invalid: all of it
  [[nodiscard]] bool valid() const { return value.valid(); }
  [[nodiscard]] Span span() const { return scope.ast->exprs[value].span; }
};

/// A modifier, seen from the element that the first `depth` parts of its name lead to; without
/// `modifier`, the modifiers of a declaration.
struct Modification {
  const AstModifier* modifier = nullptr;
  const AstComponent* declaration = nullptr;
  std::uint32_t depth = 0;
  Scope scope;
  // The element of an array that is modified, down to this component: values are arrays over it.
  ElementId element = {};
  // The same for what is given with `each` inside: without the innermost array.
  ElementId each_element = {};

  /// `k = 3` rather than `k(min = 0)` or `k.min = 0`.
  [[nodiscard]] bool ends_here() const {
    return modifier == nullptr || depth == modifier->name.parts.size();
  }
  [[nodiscard]] Source value() const {
    if (modifier == nullptr) return {scope, declaration->binding, element};
    return {scope, ends_here() ? modifier->value : AstExprId{}, element};
  }
  [[nodiscard]] bool is_final() const {
    return modifier == nullptr ? declaration->is_final : ends_here() && modifier->is_final;
  }
  [[nodiscard]] Span span() const {
    return modifier == nullptr ? declaration->name.span : modifier->span;
  }
};

/// A modification of the element with this name.
struct NamedModification {
  const AstIdentifier* name = nullptr;
  Modification modification;
};

/// What a modification says about the elements inside: `wheel(J = 0.03, phi(start = 0.1))` gives J
/// and phi. A name given twice in one list is LT2005, a subscript in a name is LT1008.
[[nodiscard]] std::vector<NamedModification> inner_modifications(const Modification& outer,
                                                                 Reporter& report);

/// An attribute of a scalar: the outermost value given.
struct AttributeValue {
  Source source;
  bool given = false;  // in the model or a class, not by the type
};
using AttributeValues = std::array<AttributeValue, kAttributeCount>;

/// Everything that is said about one scalar, merged: outer modifications win.
struct ScalarModification {
  Source binding;
  const AstModifier* modifier = nullptr;  // that gives the binding; null: the declaration does
  bool is_final = false;
  AttributeValues attributes;
};

/// Merges the modifications of a scalar, outermost first, with its declaration and its type.
///   errors: LT2004 for an unknown attribute, LT2020 when something final is modified
[[nodiscard]] ScalarModification merge_scalar(const std::vector<Modification>& outer,
                                              const Modification& declaration,
                                              const ScalarAlias& type, ClassTable& classes,
                                              Reporter& report);

/// LT2020 when an element that is final further inside is modified from outside.
void check_final(const std::vector<Modification>& outer, const Modification& declaration,
                 Reporter& report);

}  // namespace luztar
