#include "compiler/semantics/modifiers.h"

#include <algorithm>
#include <optional>
#include <string>

#include "compiler/semantics/units.h"

namespace luztar {
namespace {

/// LT2005: `k = 1, k = 2` in one list.
void report_repeated(const std::vector<AstModifier>& list, Reporter& report) {
  std::vector<const AstModifier*> sorted;
  for (const AstModifier& modifier : list) {
    if (modifier.name.parts.size() == 1 && modifier.value.valid()) sorted.push_back(&modifier);
  }
  if (sorted.size() < 2) return;
  const auto name = [](const AstModifier* m) -> const std::string& {
    return m->name.parts[0].name.text;
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto* a, const auto* b) { return name(a) < name(b); });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (name(sorted[i - 1]) != name(sorted[i])) continue;
    report.error(Code::kDuplicateName, sorted[i]->span, "'" + name(sorted[i]) + "' is set twice")
        .with_note("the first value is here", sorted[i - 1]->span);
  }
}

bool has_subscripts(const AstName& name) {
  return std::any_of(name.parts.begin(), name.parts.end(),
                     [](const AstNamePart& part) { return !part.subscripts.empty(); });
}

std::size_t attribute_index(const std::string& name) {
  std::size_t i = 0;
  while (i < kAttributeCount && name != kAttributeNames[i]) ++i;
  return i;
}

/// LT2003: a quantity of a given unit gets another one, which its equations do not expect.
bool changes_unit(std::size_t attribute, const AttributeValue& inner, const Source& outer,
                  Reporter& report) {
  if (attribute != static_cast<std::size_t>(Attribute::kUnit) || !inner.source.valid())
    return false;
  const std::string& before = inner.source.scope.ast->exprs[inner.source.value].text;
  const std::string& after = outer.scope.ast->exprs[outer.value].text;
  const std::optional<Unit> a = parse_unit(before), b = parse_unit(after);
  if (!a || !b || same_unit(*a, *b)) return false;
  report
      .error(Code::kUnitMismatch, outer.span(),
             "a quantity in " + before + " cannot be given the unit " + after)
      .with_note("the unit is given here; displayUnit is the one in which values are shown",
                 inner.source.span());
  return true;
}

/// Inner values first: each call overrides what stands there.
void apply_attributes(const Modification& modification, AttributeValues& attributes,
                      std::array<bool, kAttributeCount>& is_final, ClassTable& classes,
                      Reporter& report) {
  for (const NamedModification& inner : inner_modifications(modification, report)) {
    const std::size_t i = attribute_index(inner.name->text);
    const AstModifier& modifier = *inner.modification.modifier;
    if (i == kAttributeCount) {
      AstName name;
      name.parts.push_back({*inner.name, {}});
      name.span = inner.name->span;
      classes.report_unknown_attribute(name);
      continue;
    }
    const Source value = inner.modification.value();
    if (!value.valid()) continue;
    if (is_final[i]) {
      report.error(Code::kFinalModified, modifier.span,
                   "the attribute '" + inner.name->text + "' is final and cannot be modified");
      continue;
    }
    if (changes_unit(i, attributes[i], value, report)) continue;
    attributes[i] = {value, true};
    is_final[i] = modifier.is_final;
  }
}

}  // namespace

std::vector<NamedModification> inner_modifications(const Modification& outer, Reporter& report) {
  std::vector<NamedModification> result;
  if (!outer.ends_here()) {
    Modification inner = outer;
    const AstNamePart& part = outer.modifier->name.parts[outer.depth];
    ++inner.depth;
    result.push_back({&part.name, inner});
    return result;
  }
  const std::vector<AstModifier>& list =
      outer.modifier != nullptr ? outer.modifier->nested : outer.declaration->modifiers;
  report_repeated(list, report);
  result.reserve(list.size());
  for (const AstModifier& modifier : list) {
    if (modifier.name.parts.empty()) continue;
    if (has_subscripts(modifier.name)) {
      report
          .error(Code::kOutsideSubset, modifier.name.span,
                 "a modifier of a single element of an array is not part of the language")
          .with_note("give the values of all elements at once: name = {.., ..}");
      continue;
    }
    const ElementId element = modifier.each ? outer.each_element : outer.element;
    result.push_back({&modifier.name.parts[0].name,
                      {&modifier, nullptr, 1, outer.scope, element, outer.each_element}});
  }
  return result;
}

void check_final(const std::vector<Modification>& outer, const Modification& declaration,
                 Reporter& report) {
  // From the innermost outwards: a final element may not be touched again.
  const Modification* inner = &declaration;
  for (auto it = outer.rbegin(); it != outer.rend(); ++it) {
    if (inner->is_final()) {
      report
          .error(Code::kFinalModified, it->span(),
                 "'" + declaration.declaration->name.text + "' is final and cannot be modified")
          .with_note("it is made final here", inner->span());
      return;
    }
    inner = &*it;
  }
}

ScalarModification merge_scalar(const std::vector<Modification>& outer,
                                const Modification& declaration, const ScalarAlias& type,
                                ClassTable& classes, Reporter& report) {
  ScalarModification merged;
  std::array<bool, kAttributeCount> is_final{};
  for (std::size_t i = 0; i < kAttributeCount; ++i) {
    const TypeAttribute& attribute = type.attributes[i];
    if (!attribute.value.valid()) continue;
    merged.attributes[i].source = {
        {classes[attribute.written_in].ast, InstanceId{}, attribute.written_in, nullptr},
        attribute.value,
        ElementId{}};
    is_final[i] = attribute.is_final;
  }
  check_final(outer, declaration, report);
  merged.binding = declaration.value();
  merged.is_final = declaration.is_final();
  apply_attributes(declaration, merged.attributes, is_final, classes, report);
  for (auto it = outer.rbegin(); it != outer.rend(); ++it) {
    if (const Source value = it->value(); value.valid()) {
      merged.binding = value;
      merged.modifier = it->modifier;
    }
    merged.is_final = merged.is_final || it->is_final();
    apply_attributes(*it, merged.attributes, is_final, classes, report);
  }
  return merged;
}

}  // namespace luztar
