// What a class consists of with everything it inherits: see class_table.h.
#include "compiler/semantics/class_table.h"

namespace luztar {
namespace {

/// Longer chains of extends clauses are a mistake, and lookup follows them by recursion.
constexpr std::size_t kDeepestInheritance = 200;

bool has_equations(AstClassKind kind) {
  return kind == AstClassKind::kModel || kind == AstClassKind::kBlock ||
         kind == AstClassKind::kClass;
}

bool may_extend(AstClassKind derived, AstClassKind base) {
  if (derived == base || base == AstClassKind::kClass) return true;
  if (has_equations(derived)) return has_equations(base) || base == AstClassKind::kRecord;
  return derived == AstClassKind::kConnector && base == AstClassKind::kRecord;
}

}  // namespace

const Member* ClassInfo::find(const std::string& name, std::uint32_t* position) const {
  const auto found = index.find(name);
  if (found == index.end()) return nullptr;
  if (position != nullptr) *position = found->second;
  return &members[found->second];
}

const ClassInfo& ClassTable::info(ClassId id) {
  Node& node = *entries_[id];
  if (node.info == nullptr) {
    node.info = std::make_unique<ClassInfo>();
    if (node.entry.kind == ClassEntry::Kind::kClass) {
      node.resolving = true;
      ++resolving_;
      collect(id, *node.info);
      --resolving_;
      node.resolving = false;
    }
  }
  return *node.info;
}

void ClassTable::collect(ClassId id, ClassInfo& info) {
  const AstClass& cls = definition(id);
  if (cls.alias_of && built_in_scalar(name_text(*cls.alias_of)) == nullptr &&
      cls.kind != AstClassKind::kType) {
    add_base(id, info, *cls.alias_of, cls.alias_modifiers, cls.alias_of->span);
  }
  for (const AstElement& element : cls.elements) {
    if (element.kind == AstElement::Kind::kComponent) {
      add_member(id, info, cls.components[element.index]);
    } else if (element.kind == AstElement::Kind::kExtends) {
      const AstExtends& extends = cls.extends[element.index];
      add_base(id, info, extends.base, extends.modifiers, extends.span);
    }
  }
  const auto& own = own_classes(id);
  for (const Member& member : info.members) {
    const AstIdentifier& name = member.declaration->name;
    const auto nested = own.find(name.text);
    if (nested == own.end()) continue;
    report_
        .error(Code::kDuplicateName, definition(nested->second).name.span,
               "'" + name.text + "' is declared twice")
        .with_note("the component with this name is here", name.span);
  }
  info.lineage.push_back(id);
}

void ClassTable::add_member(ClassId id, ClassInfo& info, const AstComponent& component) {
  const auto [known, fresh] =
      info.index.try_emplace(component.name.text, static_cast<std::uint32_t>(info.members.size()));
  if (fresh) {
    info.members.push_back({&component, id, {}});
    return;
  }
  info.repeated = true;
  const Member& first = info.members[known->second];
  report_
      .error(Code::kDuplicateName, component.name.span,
             "'" + component.name.text + "' is declared twice")
      .with_note(first.written_in == id
                     ? "the first declaration is here"
                     : "it is inherited from '" + entries_[first.written_in]->entry.name + "'",
                 first.declaration->name.span);
}

void ClassTable::add_base(ClassId id, ClassInfo& info, const AstName& base_name,
                          const std::vector<AstModifier>& modifiers, Span span) {
  const AstClass& cls = definition(id);
  const std::string base_text = name_text(base_name);
  if (built_in_scalar(base_text) != nullptr) {
    report_.error(Code::kWrongClassKind, base_name.span,
                  "'" + base_text + "' cannot be extended; write 'type " + cls.name.text + " = " +
                      base_text + "(...)'");
    info.incomplete = true;
    return;
  }
  const ClassId base = find_class(id, base_name);
  if (!base.valid() || entries_[base]->entry.kind != ClassEntry::Kind::kClass) {
    if (base.valid()) {
      report_.error(Code::kWrongClassKind, base_name.span,
                    "'" + base_text + "' is a package and cannot be extended");
    }
    info.incomplete = true;
    return;
  }
  const AstClass& base_class = definition(base);
  if (entries_[base]->resolving) {
    Diagnostic& error = report_.error(Code::kRecursiveClass, base_name.span,
                                      "'" + cls.name.text + "' extends itself");
    if (base != id) {
      error.with_note("through '" + entries_[base]->entry.name + "'", base_class.name.span);
    }
    info.incomplete = true;
    return;
  }
  if (resolving_ > kDeepestInheritance) {
    report_.error(Code::kTooDeep, span, "the chain of extends clauses is too long");
    info.incomplete = true;
    return;
  }
  if (!may_extend(cls.kind, base_class.kind)) {
    report_.error(Code::kWrongClassKind, base_name.span,
                  "a " + kind_text(cls.kind) + " cannot extend the " + kind_text(base_class.kind) +
                      " '" + entries_[base]->entry.name + "'");
  }
  const ClassInfo& inherited = this->info(base);
  info.incomplete = info.incomplete || inherited.incomplete;
  info.repeated = info.repeated || inherited.repeated;

  // A base reached twice contributes once, as in Modelica.
  const std::size_t modifiers_before = info.modifiers.size();
  std::vector<std::uint32_t> position(inherited.members.size());
  for (std::size_t i = 0; i < inherited.members.size(); ++i) {
    const Member& member = inherited.members[i];
    const AstComponent& declaration = *member.declaration;
    const auto [known, fresh] = info.index.try_emplace(
        declaration.name.text, static_cast<std::uint32_t>(info.members.size()));
    position[i] = known->second;
    if (fresh) {
      info.members.push_back(member);
      continue;
    }
    const Member& first = info.members[known->second];
    if (first.declaration == &declaration) continue;
    info.repeated = true;
    report_
        .error(Code::kDuplicateName, base_name.span,
               "'" + declaration.name.text + "' of '" + base_text + "' is declared already")
        .with_note("here", first.declaration->name.span)
        .with_note("and here", declaration.name.span);
  }
  for (const AstModifier& modifier : modifiers) {
    if (modifier.name.parts.empty()) continue;
    const AstIdentifier& name = modifier.name.parts.front().name;
    std::uint32_t member = 0;
    if (inherited.find(name.text, &member) != nullptr) {
      info.modifiers.push_back({position[member], &modifier, id});
    } else if (!inherited.incomplete) {
      report_unknown_modifier(base, name);
    }
  }
  for (const InheritedModifier& modifier : inherited.modifiers) {
    info.modifiers.push_back({position[modifier.member], modifier.modifier, modifier.written_in});
  }
  report_conflicts(info, modifiers_before, base_name);
  for (const ClassId ancestor : inherited.lineage) {
    bool known = false;
    for (const ClassId other : info.lineage) known = known || other == ancestor;
    if (!known) info.lineage.push_back(ancestor);
  }
}

/// LT2005: a member that comes through two bases is modified through both.
void ClassTable::report_conflicts(const ClassInfo& info, std::size_t first_new,
                                  const AstName& base) {
  if (first_new == 0) return;
  std::unordered_set<std::uint32_t> modified;
  for (std::size_t i = 0; i < first_new; ++i) modified.insert(info.modifiers[i].member);
  for (std::size_t i = first_new; i < info.modifiers.size(); ++i) {
    const InheritedModifier& modifier = info.modifiers[i];
    if (!modified.contains(modifier.member)) continue;
    const std::string& name = info.members[modifier.member].declaration->name.text;
    report_
        .error(Code::kDuplicateName, base.span,
               "'" + name + "' comes through two bases that both modify it")
        .with_note("this modification is one of the two", modifier.modifier->span);
  }
}

void ClassTable::report_unknown_modifier(ClassId cls, const AstIdentifier& name) {
  const ClassInfo& members = info(cls);
  std::vector<std::string> names;
  std::string parameters;
  for (const Member& member : members.members) {
    const AstComponent& declaration = *member.declaration;
    names.push_back(declaration.name.text);
    const bool open = !declaration.is_final && !declaration.is_protected;
    if (open && declaration.variability == AstVariability::kParameter) {
      parameters += (parameters.empty() ? "" : ", ") + declaration.name.text;
    }
  }
  const std::string near = nearest_name(name.text, names);
  const AstIdentifier& class_name = definition(cls).name;
  Diagnostic& error =
      report_.error(Code::kUnknownModifier, name.span,
                    "'" + (*this)[cls].name + "' has no element '" + name.text + "'");
  if (!near.empty()) error.with_label("did you mean '" + near + "'?");
  if (near.empty() && !parameters.empty()) error.with_note("its parameters are " + parameters);
  error.with_note("'" + class_name.text + "' is defined here", class_name.span);
}

}  // namespace luztar
