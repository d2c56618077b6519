// Names in expressions: members of the instance, then constants visible in the class.
#include "compiler/semantics/expressions.h"
#include "compiler/semantics/instantiate.h"

namespace luztar {
namespace {

std::vector<std::string> member_names(const ClassInfo& info) {
  std::vector<std::string> names;
  names.reserve(info.members.size());
  for (const Member& member : info.members) names.push_back(member.declaration->name.text);
  return names;
}

void report_unknown(Elaboration& e, const AstName& name, std::size_t part, InstanceId inside) {
  const AstIdentifier& missing = name.parts[part].name;
  std::vector<std::string> candidates;
  std::string prefix;
  for (std::size_t i = 0; i < part; ++i) prefix += name.parts[i].name.text + ".";
  const bool structured = inside.valid() && e.instances[inside].cls.valid();
  if (structured) candidates = member_names(e.classes.info(e.instances[inside].cls));
  if (part == 0) {
    candidates.insert(candidates.end(), {"time", "pi", "inf"});
  }
  if (part == 0 && (missing.text == "time" || missing.text == "pi" || missing.text == "inf")) {
    e.report.error(Code::kUnknownName, missing.span,
                   "'" + missing.text + "' is a number, not a component");
    return;
  }
  const std::string near = nearest_name(missing.text, candidates);
  std::string message = "unknown name '" + missing.text + "'";
  if (part > 0 && inside.valid() && !structured) {
    message = "'" + prefix.substr(0, prefix.size() - 1) + "' is a number and has no element '" +
              missing.text + "'";
  } else if (part > 0 && inside.valid()) {
    message = "'" + prefix.substr(0, prefix.size() - 1) + "' (" +
              e.classes[e.instances[inside].cls].name + ") has no element '" + missing.text + "'";
  } else if (part > 0) {
    message =
        "'" + prefix.substr(0, prefix.size() - 1) + "' has no constant '" + missing.text + "'";
  }
  Diagnostic& error = e.report.error(Code::kUnknownName, missing.span, message);
  if (!near.empty()) error.with_label("did you mean '" + prefix + near + "'?");
}

/// True the first time a name is missing in a class: later uses say nothing more.
bool first_report(Elaboration& e, const Scope& scope, const AstName& name, std::size_t part) {
  std::string key = std::to_string(scope.cls.value) + ":";
  for (std::size_t i = 0; i <= part; ++i) key += name.parts[i].name.text + ".";
  return e.missing_names.insert(std::move(key)).second;
}

/// A constant of a class: `Constants.g`, or `g` of an enclosing package.
InstanceId resolve_constant(Elaboration& e, const Scope& scope, const AstName& name) {
  Found found = e.classes.find_visible(scope.cls, name.parts[0].name.text);
  std::size_t i = 1;
  for (; i < name.parts.size() && found.valid() && !found.is_member(); ++i) {
    found = e.classes.find_inside(found.cls, name.parts[i].name.text);
  }
  if (found.valid() && e.classes[found.cls].kind == ClassEntry::Kind::kBroken) return {};
  if (found.valid() && found.is_member() && i == name.parts.size()) {
    return constant_instance(e, found.cls, found.member);
  }
  const std::size_t part = i - 1;
  if (!first_report(e, scope, name, part)) return {};
  if (found.valid() && !found.is_member()) {
    e.report.error(Code::kUnknownName, name.span,
                   "'" + name_text(name) + "' is a class, not a value");
    return {};
  }
  report_unknown(e, name, part, part == 0 ? scope.instance : InstanceId{});
  return {};
}

}  // namespace

InstanceId resolve_component(Elaboration& e, const Scope& scope, const AstName& name) {
  for (const AstNamePart& part : name.parts) {
    if (part.subscripts.empty()) continue;
    e.report.not_supported(name.span, "arrays of components and variables");
    return {};
  }
  InstanceId at = scope.instance;
  for (std::size_t i = 0; i < name.parts.size(); ++i) {
    const Instance* instance = at.valid() ? &e.instances[at] : nullptr;
    if (instance != nullptr && instance->kind == Instance::Kind::kUnknown) return at;
    const bool structured = instance != nullptr && instance->cls.valid();
    std::uint32_t position = 0;
    const ClassInfo* info = structured ? &e.classes.info(instance->cls) : nullptr;
    const Member* member = nullptr;
    if (info != nullptr) member = info->find(name.parts[i].name.text, &position);
    if (member != nullptr) {
      const bool constants = instance->kind == Instance::Kind::kConstants;
      if (constants && !instance->children[position].valid() &&
          member->declaration->variability == AstVariability::kConstant) {
        at = constant_instance(e, instance->cls, position);
      } else {
        at = instance->children[position];
      }
      if (at.valid()) continue;
    }
    if (i == 0 && scope.cls.valid()) {
      const bool incomplete = info != nullptr && info->incomplete;
      if (!incomplete || e.classes.find_visible(scope.cls, name.parts[0].name.text).valid()) {
        return resolve_constant(e, scope, name);
      }
      return {};
    }
    if (info != nullptr && info->incomplete) return {};
    if (first_report(e, scope, name, i)) report_unknown(e, name, i, at);
    return {};
  }
  return at;
}

}  // namespace luztar
