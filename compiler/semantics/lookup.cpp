// Lookup of class names: see class_table.h.
#include <algorithm>
#include <set>

#include "compiler/semantics/class_table.h"
#include "compiler/syntax/keyword_guess.h"

namespace luztar {
namespace {

/// What takes the place of a type of other languages or of the Modelica Standard Library; "" for
/// other names.
std::string other_type(const std::string& name) {
  constexpr std::pair<const char*, const char*> kTypes[] = {{"double", "Real"},
                                                            {"Double", "Real"},
                                                            {"float", "Real"},
                                                            {"Float", "Real"},
                                                            {"int", "Integer"},
                                                            {"Int", "Integer"},
                                                            {"long", "Integer"},
                                                            {"bool", "Boolean"},
                                                            {"Bool", "Boolean"},
                                                            {"RealInput", "input Real"},
                                                            {"RealOutput", "output Real"},
                                                            {"BooleanInput", "input Boolean"},
                                                            {"BooleanOutput", "output Boolean"}};
  for (const auto& [other, here] : kTypes) {
    if (name == other) return here;
  }
  return {};
}

/// The class among those of a package here that has another name in the Modelica Standard Library.
std::string other_part(const std::string& name, const std::vector<std::string>& inside) {
  constexpr std::pair<const char*, const char*> kParts[] = {
      {"ElastoBacklash", "FreeplaySpring"},
      {"ElastoBacklash2", "FreeplaySpring"},
      {"ElastoGap", "HardStop"},
      {"LossyGear", "GearPair"},
      {"Gearbox", "GearPair"},
      {"SlidingMass", "Mass"},
      {"ConstantTorque", "Torque"},
      {"TorqueStep", "Torque"},
      {"ConstantForce", "Force"},
      {"ForceStep", "Force"},
      {"ConstantSpeed", "Speed"},
      {"Inertia", "MomentOfInertia"},
      {"Radius", "Length"},
      {"Diameter", "Length"},
      {"Distance", "Length"},
      {"RotationalSpringConstant", "RotationalStiffness"},
      {"RotationalDampingConstant", "RotationalDamping"},
      {"TranslationalSpringConstant", "TranslationalStiffness"},
      {"TranslationalDampingConstant", "TranslationalDamping"}};
  for (const auto& [other, here] : kParts) {
    const bool known = std::find(inside.begin(), inside.end(), here) != inside.end();
    if (name == other && known) return here;
  }
  return {};
}

}  // namespace

/// Classes written directly in a class or file; a name used twice is reported here.
const std::unordered_map<std::string, ClassId>& ClassTable::own_classes(ClassId id) {
  Node& node = *entries_[id];
  if (node.own_listed) return node.own;
  node.own_listed = true;
  if (node.entry.ast == nullptr) return node.own;
  const Ast& ast = *node.entry.ast;
  const bool file = node.entry.kind == ClassEntry::Kind::kFile;
  const std::vector<AstClassId>& list =
      file ? ast.classes : ast.class_table[node.entry.definition].nested;
  for (const AstClassId definition : list) {
    const AstIdentifier& name = ast.class_table[definition].name;
    const auto [known, fresh] = node.own.try_emplace(name.text);
    if (fresh) {
      known->second = class_entry(ast, definition, id);
      continue;
    }
    report_.error(Code::kDuplicateName, name.span, "class '" + name.text + "' is defined twice")
        .with_note("the first one is here", this->definition(known->second).name.span);
  }
  return node.own;
}

ClassId ClassTable::child(ClassId parent, const std::string& name) {
  Node& node = *entries_[parent];
  if (const auto known = node.children.find(name); known != node.children.end()) {
    return known->second;
  }
  ClassId found;
  const auto& own = own_classes(parent);
  if (const auto it = own.find(name); it != own.end()) found = it->second;
  const std::size_t resolving_before = resolving_;
  if (!found.valid() && node.entry.kind == ClassEntry::Kind::kClass && !node.resolving) {
    for (const ClassId base : info(parent).lineage) {
      const auto& inherited = own_classes(base);
      const auto it = inherited.find(name);
      if (base != parent && it != inherited.end()) found = it->second;
    }
  }
  if (!found.valid() && node.entry.has_folder) {
    found = child_in_folder(node.entry.folder, node.entry.home, name);
  }
  if (found.valid() || resolving_before == 0) node.children.emplace(name, found);
  return found;
}

Found ClassTable::find_inside(ClassId parent, const std::string& name) {
  const Node& node = *entries_[parent];
  if (node.entry.kind == ClassEntry::Kind::kBroken) return {parent};
  if (node.entry.kind == ClassEntry::Kind::kClass && !node.resolving) {
    std::uint32_t position = 0;
    const Member* member = info(parent).find(name, &position);
    if (member != nullptr && member->declaration->variability == AstVariability::kConstant) {
      return {parent, position};
    }
  }
  const Found found{child(parent, name)};
  if (found.valid() || !node.entry.has_folder || node.entry.folder.empty()) return found;
  return constant_elsewhere(node.entry, name);
}

Found ClassTable::import_target(ClassId scope, const AstImport& import) {
  // The file's own classes can be imported as well.
  const ClassId global = folder_entry("", entries_[scope]->entry.home);
  Found found = find_visible(entries_[scope]->entry.enclosing, import.path.parts[0].name.text);
  if (!found.valid() || found.is_member()) {
    found = find_inside(global, import.path.parts[0].name.text);
  }
  const std::size_t count = import.path.parts.size();
  for (std::size_t i = 1; i < count && found.valid() && !found.is_member(); ++i) {
    found = find_inside(found.cls, import.path.parts[i].name.text);
  }
  return found;
}

void ClassTable::report_missing(ClassId scope, const AstImport& import) {
  const std::vector<AstNamePart>& parts = import.path.parts;
  const ClassId outside = entries_[scope]->entry.enclosing;
  std::string before;
  ClassId parent;
  std::size_t i = 0;
  for (Found found; i < parts.size(); ++i) {
    AstImport part = import;
    part.path.parts.resize(i + 1);
    found = import_target(scope, part);
    if (!found.valid() || found.is_member()) break;
    parent = found.cls;
    before += parts[i].name.text + ".";
  }
  if (i == parts.size()) i = parts.size() - 1;  // import of a constant with all that is in it
  const AstIdentifier& missing = parts[i].name;
  Diagnostic& error = report_.error(Code::kUnknownClass, missing.span,
                                    "there is no '" + name_text(import.path) + "' to import");
  if (!report_.shows(error)) return;
  const std::string near = nearest_name(
      missing.text, parent.valid() ? classes_inside(parent) : visible_classes(outside));
  if (!near.empty()) error.with_label("did you mean '" + before + near + "'?");
}

void ClassTable::check_imports() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {  // looking up adds entries
    const ClassId id{i};
    if (entries_[id]->info == nullptr || entries_[id]->entry.kind != ClassEntry::Kind::kClass) {
      continue;
    }
    for (const AstImport& import : definition(id).imports) {
      if (import.path.parts.empty()) continue;
      const Found found = import_target(id, import);
      if (!found.valid() || (import.wildcard && found.is_member())) report_missing(id, import);
    }
  }
}

Found ClassTable::find_imported(ClassId scope, const std::string& name) {
  const AstClass& cls = definition(scope);
  Found from_wildcard;
  for (const AstImport& import : cls.imports) {
    if (import.path.parts.empty()) continue;
    const std::string& last = import.path.parts.back().name.text;
    if (!import.wildcard && name != (import.alias.empty() ? last : import.alias)) continue;
    Found found = import_target(scope, import);
    if (!found.valid() || (import.wildcard && found.is_member())) {
      report_missing(scope, import);
      found = {broken()};
    }
    if (!import.wildcard) return found;
    if (from_wildcard.valid()) continue;
    found = find_inside(found.cls, name);
    if (found.valid() && entries_[found.cls]->entry.kind != ClassEntry::Kind::kBroken) {
      from_wildcard = found;
    }
  }
  return from_wildcard;
}

Found ClassTable::find_visible(ClassId scope, const std::string& name) {
  // Nothing found while bases are being looked up is final: inherited names come later.
  const bool keep = resolving_ == 0;
  if (keep) {
    const auto known = entries_[scope]->visible.find(name);
    if (known != entries_[scope]->visible.end()) return known->second;
  }
  Found found;
  for (ClassId at = scope; at.valid() && !found.valid();) {
    const ClassEntry& entry = entries_[at]->entry;
    found = find_inside(at, name);
    ClassId next = entry.enclosing;
    if (entry.kind == ClassEntry::Kind::kClass) {
      const AstClass& cls = definition(at);
      if (!found.valid() && cls.name.text == name && next.valid()) found = {at};
      if (!found.valid() && !cls.imports.empty()) found = find_imported(at, name);
      if (cls.encapsulated) next = folder_entry("", entry.home);
    }
    at = next;
  }
  if (keep) entries_[scope]->visible.emplace(name, found);
  return found;
}

ClassId ClassTable::find_class(ClassId scope, const AstName& name) {
  Found found;
  for (std::size_t i = 0; i < name.parts.size(); ++i) {
    const std::string& part = name.parts[i].name.text;
    const ClassId parent = found.cls;
    found = i == 0 ? find_visible(scope, part) : Found{child(parent, part)};
    if (found.valid() && entries_[found.cls]->entry.kind == ClassEntry::Kind::kBroken) return {};
    if (!found.valid() || found.is_member()) {
      report_unknown(scope, name, i, parent);
      return {};
    }
  }
  return found.cls;
}

std::vector<std::string> ClassTable::classes_inside(ClassId parent) {
  std::set<std::string> names;
  const Node& node = *entries_[parent];
  std::vector<ClassId> classes{parent};
  if (node.entry.kind == ClassEntry::Kind::kClass && !node.resolving) {
    classes = info(parent).lineage;
  }
  for (const ClassId cls : classes) {
    for (const auto& [name, id] : own_classes(cls)) names.insert(name);
  }
  if (node.entry.has_folder) {
    for (std::size_t root = 0; root < library_.root_count(); ++root) {
      const std::vector<std::string> more = library_.names_in(root, node.entry.folder);
      names.insert(more.begin(), more.end());
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> ClassTable::visible_classes(ClassId scope) {
  std::set<std::string> names{"Real", "Integer", "Boolean"};
  for (ClassId at = scope; at.valid(); at = entries_[at]->entry.enclosing) {
    const std::vector<std::string> more = classes_inside(at);
    names.insert(more.begin(), more.end());
    if (entries_[at]->entry.kind != ClassEntry::Kind::kClass) continue;
    for (const AstImport& import : definition(at).imports) {
      if (import.path.parts.empty()) continue;
      const std::string& last = import.path.parts.back().name.text;
      if (!import.wildcard) names.insert(import.alias.empty() ? last : import.alias);
      const Found package = import.wildcard ? import_target(at, import) : Found{};
      if (!package.valid() || package.is_member()) continue;
      const std::vector<std::string> inside = classes_inside(package.cls);
      names.insert(inside.begin(), inside.end());
    }
  }
  return {names.begin(), names.end()};
}

void ClassTable::report_unknown(ClassId scope, const AstName& name, std::size_t part,
                                ClassId parent) {
  const AstIdentifier& missing = name.parts[part].name;
  // Many parts may be of a class that is not there: one report is enough.
  const std::string key = std::to_string(scope.value) + ":" + name_text(name);
  if (!missing_.insert(key).second) return;
  if (part == 0 && missing.text == "Modelica") {
    return report_.modelica_library(name_text(name), name.span);
  }
  std::string prefix;
  for (std::size_t i = 0; i < part; ++i) prefix += name.parts[i].name.text + ".";
  std::string message = "unknown class '" + missing.text + "'";
  if (part > 0) {
    message =
        "there is no class '" + missing.text + "' in '" + prefix.substr(0, prefix.size() - 1) + "'";
  }
  std::string advice = other_type(missing.text);
  if (!advice.empty()) prefix.clear();
  if (advice.empty() && (part == 0 || entries_[parent]->entry.has_folder)) {
    advice = with_package(part == 0 ? "" : entries_[parent]->entry.folder, missing.text);
  }
  if (advice.empty() && part > 0) advice = other_part(missing.text, classes_inside(parent));
  if (advice.empty()) {
    advice = nearest_name(missing.text, part > 0 ? classes_inside(parent) : visible_classes(scope));
  }
  if (advice.empty() && part == 0 && name.parts.size() == 1) advice = nearest_keyword(missing.text);
  Diagnostic& error = report_.error(Code::kUnknownClass, missing.span, message);
  if (!advice.empty()) error.with_label("did you mean '" + prefix + advice + "'?");
  if (missing.text.starts_with("CombiTable")) {
    error.with_note("tables are functions: table(x, {x1, ..}, {y1, ..})");
  }
}

/// "Rotational.Inertia" for "Inertia", when a package in this folder of a library root has it, or
/// one of the packages in those; else "".
std::string ClassTable::with_package(const std::string& folder, const std::string& name) const {
  constexpr int kLevels = 2;  // a root may be any folder with a model in it
  for (std::size_t root = 0; root < library_.root_count(); ++root) {
    std::vector<std::string> level{""};  // packages, as "Interfaces."
    for (int depth = 0; depth < kLevels; ++depth) {
      std::vector<std::string> next;
      for (const std::string& outer : level) {
        std::string place = folder.empty() || outer.empty() ? folder : folder + "/";
        for (const char c : outer) place += c == '.' ? '/' : c;
        if (!outer.empty()) place.pop_back();
        for (const std::string& package : library_.names_in(root, place)) {
          const std::string inner = place.empty() ? package : place + "/" + package;
          if (!library_.has_folder(root, inner)) continue;
          const std::vector<std::string> names = library_.names_in(root, inner);
          next.push_back(outer + package + ".");
          if (std::find(names.begin(), names.end(), name) != names.end()) return next.back() + name;
        }
      }
      level = std::move(next);
    }
  }
  return {};
}

}  // namespace luztar
