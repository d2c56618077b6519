// Types of components: classes, and Real, Integer and Boolean under their own or other names.
#include "compiler/semantics/class_table.h"

namespace luztar {
namespace {

/// Longer chains of types are a mistake, and lookup follows them by recursion.
constexpr std::size_t kLongestAliasChain = 200;

}  // namespace

const ScalarAlias* built_in_scalar(const std::string& name) {
  static const ScalarAlias real{ScalarType::kReal, AstCausality::kNone, {}, {}};
  static const ScalarAlias integer{ScalarType::kInteger, AstCausality::kNone, {}, {}};
  static const ScalarAlias boolean{ScalarType::kBoolean, AstCausality::kNone, {}, {}};
  if (name == "Real") return &real;
  if (name == "Integer") return &integer;
  if (name == "Boolean") return &boolean;
  return nullptr;
}

ClassId ClassTable::identity(ClassId id) {
  // An alias chain that comes back to itself has been reported by info().
  for (std::size_t steps = 0; steps < kLongestAliasChain; ++steps) {
    const Node& node = *entries_[id];
    if (node.entry.kind != ClassEntry::Kind::kClass || !definition(id).alias_of) return id;
    const ClassId next = find_class(id, *definition(id).alias_of);
    if (!next.valid()) return id;
    id = next;
  }
  return id;
}

const ComponentType& ClassTable::type_of(ClassId id, std::uint32_t member) {
  info(id);
  Member& m = entries_[id]->info->members[member];
  if (m.type.kind == ComponentType::Kind::kUnknown) {
    m.type = resolve_type(m.written_in, m.declaration->type);
  }
  return m.type;
}

ComponentType ClassTable::resolve_type(ClassId scope, const AstName& name) {
  using Kind = ComponentType::Kind;
  if (name.parts.size() == 1) {
    const std::string& text = name.parts[0].name.text;
    if (const ScalarAlias* scalar = built_in_scalar(text)) return {Kind::kScalar, scalar, {}};
    if (text == "String") {
      report_
          .error(Code::kOutsideSubset, name.span, "a String component is not part of the language")
          .with_note(
              "texts stand in descriptions and assertions only; a parameter of type Integer "
              "or Boolean can select");
      return {Kind::kError, nullptr, {}};
    }
  }
  const ClassId cls = find_class(scope, name);
  if (!cls.valid()) return {Kind::kError, nullptr, {}};
  const bool folder = entries_[cls]->entry.kind != ClassEntry::Kind::kClass;
  const AstClassKind kind = folder ? AstClassKind::kPackage : definition(cls).kind;
  const bool wrong = kind == AstClassKind::kPackage || kind == AstClassKind::kFunction ||
                     kind == AstClassKind::kStudy;
  if (wrong) {
    report_.error(Code::kWrongClassKind, name.span,
                  "'" + name_text(name) + "' is a " + kind_text(kind) +
                      " and cannot be the type of a component");
    return {Kind::kError, nullptr, {}};
  }
  if (definition(cls).alias_of) {
    const ScalarAlias* scalar = scalar_alias(cls);
    if (scalar != nullptr) return {Kind::kScalar, scalar, cls};
    if (kind == AstClassKind::kType || !entries_[cls]->scalar_known) {
      return {Kind::kError, nullptr, {}};
    }
  }
  return {Kind::kClass, nullptr, cls};
}

/// Null when `id` is no other name of a scalar; scalar_known stays false when that was reported.
const ScalarAlias* ClassTable::scalar_alias(ClassId id) {
  Node& node = *entries_[id];
  if (!node.scalar_known && !node.scalar_failed) {
    if (node.scalar_resolving) {
      // Circles of other classes are those of their bases: see info().
      const AstClass& cls = definition(id);
      if (cls.kind == AstClassKind::kType) {
        report_.error(Code::kRecursiveClass, cls.name.span,
                      "'" + node.entry.name + "' is another name of itself");
      }
      node.scalar_failed = true;
      return nullptr;
    }
    node.scalar_resolving = true;
    auto alias = std::make_unique<ScalarAlias>();
    const AliasTarget target = read_scalar_alias(id, *alias);
    node.scalar_resolving = false;
    if (target == AliasTarget::kError || node.scalar_failed) {
      node.scalar_failed = true;
    } else {
      node.scalar_known = true;
      if (target == AliasTarget::kScalar) node.scalar = std::move(alias);
    }
  }
  return node.scalar.get();
}

ClassTable::AliasTarget ClassTable::read_scalar_alias(ClassId id, ScalarAlias& alias) {
  const AstClass& cls = definition(id);
  const AstName& target = *cls.alias_of;
  if (++alias_depth_ > kLongestAliasChain) {
    report_.error(Code::kTooDeep, cls.name.span, "the chain of types is too long");
    --alias_depth_;
    return AliasTarget::kError;
  }
  AliasTarget result = AliasTarget::kScalar;
  if (const ScalarAlias* scalar = built_in_scalar(name_text(target))) {
    alias = *scalar;
  } else if (name_text(target) == "String") {
    report_.error(Code::kOutsideSubset, target.span, "a String type is not part of the language")
        .with_note("a type is another name of Real, Integer or Boolean");
    result = AliasTarget::kError;
  } else {
    const ClassId base = find_class(id, target);
    const bool is_class = base.valid() && entries_[base]->entry.kind == ClassEntry::Kind::kClass;
    if (!is_class) {
      result = AliasTarget::kError;
    } else if (!definition(base).alias_of) {
      result = AliasTarget::kClass;
    } else if (const ScalarAlias* inner = scalar_alias(base)) {
      alias = *inner;
    } else {
      result = entries_[base]->scalar_known ? AliasTarget::kClass : AliasTarget::kError;
    }
  }
  --alias_depth_;
  if (result == AliasTarget::kClass && !cls.alias_dimensions.empty()) {
    report_
        .error(Code::kOutsideSubset, cls.name.span,
               "another name for an array of connectors or parts is not part of the language")
        .with_note("give the component the size: " + name_text(target) + " name[n]");
    return AliasTarget::kError;
  }
  if (result == AliasTarget::kClass && cls.kind == AstClassKind::kType) {
    report_.error(Code::kWrongClassKind, target.span,
                  "a type is another name of Real, Integer or Boolean, and '" + name_text(target) +
                      "' is not");
    return AliasTarget::kError;
  }
  if (result != AliasTarget::kScalar) return result;
  if (cls.alias_causality != AstCausality::kNone) alias.causality = cls.alias_causality;
  std::vector<TypeDimension> dimensions;
  for (const AstExprId size : cls.alias_dimensions) dimensions.push_back({size, id});
  alias.dimensions.insert(alias.dimensions.begin(), dimensions.begin(), dimensions.end());
  read_type_attributes(id, alias);
  return result;
}

void ClassTable::read_type_attributes(ClassId id, ScalarAlias& alias) {
  for (const AstModifier& modifier : definition(id).alias_modifiers) {
    const std::string name = name_text(modifier.name);
    std::size_t attribute = 0;
    while (attribute < kAttributeCount && name != kAttributeNames[attribute]) ++attribute;
    if (attribute == kAttributeCount) {
      report_unknown_attribute(modifier.name);
      continue;
    }
    TypeAttribute& target = alias.attributes[attribute];
    if (target.is_final) {
      report_.error(Code::kFinalModified, modifier.span, "'" + name + "' is final");
    } else if (modifier.value.valid()) {
      target = {modifier.value, id, modifier.is_final};
    }
  }
}

void ClassTable::report_unknown_attribute(const AstName& name) {
  const std::vector<std::string> names(kAttributeNames.begin(), kAttributeNames.end());
  const std::string text = name_text(name);
  const bool quantity = text == "quantity";
  if (quantity || text == "stateSelect") {
    report_
        .error(Code::kOutsideSubset, name.span,
               "the attribute '" + text + "' is not part of the language")
        .with_note(quantity ? "leave it out: the unit says what quantity it is"
                            : "leave it out: the states follow from the inertias");
    return;
  }
  Diagnostic& error =
      report_.error(Code::kUnknownModifier, name.span, "a scalar has no attribute '" + text + "'");
  if (const std::string near = nearest_name(text, names); !near.empty()) {
    error.with_label("did you mean '" + near + "'?");
  }
  error.with_note("the attributes are unit, displayUnit, start, fixed, min, max and nominal");
}

}  // namespace luztar
