// Names in expressions: members of the instance, then constants visible in the class.
#include <algorithm>

#include "compiler/semantics/expressions.h"
#include "compiler/semantics/instantiate.h"
#include "compiler/semantics/structure.h"

namespace luztar {
namespace {

std::vector<std::string> member_names(const ClassInfo& info) {
  std::vector<std::string> names;
  names.reserve(info.members.size());
  for (const Member& member : info.members) names.push_back(member.declaration->name.text);
  return names;
}

/// The number that other languages and libraries call so; "" for other names.
std::string other_name(const std::string& name) {
  constexpr std::pair<const char*, const char*> kOthers[] = {
      {"PI", "pi"},        {"Pi", "pi"},       {"INF", "inf"},    {"infinity", "inf"},
      {"Infinity", "inf"}, {"t", "time"},      {"e", "exp(1)"},   {"True", "true"},
      {"TRUE", "true"},    {"False", "false"}, {"FALSE", "false"}};
  for (const auto& [other, here] : kOthers) {
    if (name == other) return here;
  }
  return {};
}

void report_unknown(Elaboration& e, const AstName& name, std::size_t part, InstanceId inside) {
  const AstIdentifier& missing = name.parts[part].name;
  if (part == 0 && missing.text == "Modelica") {
    return e.report.modelica_library(name_text(name), name.span);
  }
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
  std::string near = part == 0 ? other_name(missing.text) : "";
  if (near.empty()) near = nearest_name(missing.text, candidates);
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
  if (!near.empty()) {
    error.with_label("did you mean '" + prefix + near + "'?");
  } else if (part > 0 && structured && (missing.text == "mode" || missing.text == "zone")) {
    error.with_note(
        "the modes of frictions and the zones of freeplays are columns of the result; equations "
        "and measures use the variables: slip velocity, displacement, force");
  } else if (part > 0 && structured && !candidates.empty()) {
    constexpr std::size_t kMostNames = 12;
    std::string list;
    for (std::size_t i = 0; i < std::min(candidates.size(), kMostNames); ++i) {
      list += (i == 0 ? "" : ", ") + candidates[i];
    }
    if (candidates.size() > kMostNames) list += " and others";
    error.with_note("its elements are " + list);
  }
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
    for (std::size_t k = 0; k + 1 < i; ++k) {
      if (name.parts[k].subscripts.empty()) continue;
      e.report.error(Code::kSubscript, name.span,
                     "'" + name.parts[k].name.text + "' is a class and has no elements");
      return {};
    }
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

class NameResolver {
 public:
  NameResolver(Elaboration& e, const Scope& scope, const AstName& name)
      : e_(e), scope_(scope), name_(name) {}

  /// The components that part `i` and those after it lead to from an instance.
  Components from(InstanceId at, std::size_t i) {
    for (; i < name_.parts.size(); ++i) {
      at = step(at, i);
      if (!at.valid() || e_.instances[at].kind == Instance::Kind::kUnknown) return {};
      if (e_.instances[at].kind == Instance::Kind::kAbsent) break;
      if (e_.instances[at].kind == Instance::Kind::kArray) return through_array(at, i);
      if (!name_.parts[i].subscripts.empty()) {
        static_cast<void>(select(i, {}));
        return {};
      }
    }
    return {{}, {at}, true};
  }

 private:
  /// The component that part `i` names; `i` moves on to the last part when that is a constant of a
  /// class.
  InstanceId step(InstanceId at, std::size_t& i) {
    const bool structured = at.valid() && e_.instances[at].cls.valid();
    std::uint32_t position = 0;
    const ClassInfo* info = structured ? &e_.classes.info(e_.instances[at].cls) : nullptr;
    const Member* found =
        info == nullptr ? nullptr : info->find(name_.parts[i].name.text, &position);
    if (found != nullptr) {
      if (i > 0 && found->declaration->is_protected) report_protected(*found, at, i);
      const InstanceId member = member_instance(e_, at, position, name_.parts[i].name.span);
      if (member.valid()) return member;
    }
    const bool incomplete = info != nullptr && info->incomplete;
    if (i == 0 && scope_.cls.valid()) {
      if (incomplete && !e_.classes.find_visible(scope_.cls, name_.parts[0].name.text).valid()) {
        return {};
      }
      i = name_.parts.size() - 1;
      return resolve_constant(e_, scope_, name_);
    }
    if (!incomplete && first_report(e_, scope_, name_, i)) report_unknown(e_, name_, i, at);
    return {};
  }

  void report_protected(const Member& member, InstanceId part, std::size_t i) {
    const std::string& cls = e_.classes[e_.instances[part].cls].name;
    e_.report
        .error(Code::kProtected, name_.parts[i].name.span,
               "'" + member.declaration->name.text + "' is protected in '" + cls + "'")
        .with_note("only '" + cls + "' and classes that extend it use it",
                   member.declaration->name.span);
  }

  std::optional<Selection> select(std::size_t i, const Shape& shape) {
    std::string text;
    for (std::size_t k = 0; k <= i; ++k) text += (k > 0 ? "." : "") + name_.parts[k].name.text;
    return select_elements(e_, scope_, name_.parts[i].subscripts, shape, text, name_.span);
  }

  Components through_array(InstanceId array, std::size_t i) {
    const Shape shape = e_.instances[array].shape;
    const std::optional<Selection> selection = select(i, shape);
    if (!selection) return {};
    std::vector<InstanceId> elements;
    for (const std::size_t index : selected(*selection, shape)) {
      elements.push_back(e_.instances[array].children[index]);
    }
    if (selection->shape.empty()) {
      return i + 1 < name_.parts.size() ? from(elements.front(), i + 1)
                                        : Components{{}, std::move(elements), true};
    }
    if (i + 1 == name_.parts.size()) return {selection->shape, std::move(elements), true};
    return through_elements(elements, selection->shape, i + 1);
  }

  Components through_elements(const std::vector<InstanceId>& elements, const Shape& shape,
                              std::size_t i) {
    Components all{shape, {}, true};
    Shape inner;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const Components part = from(elements[k], i);
      if (!part.valid) return {};
      if (k > 0 && part.shape != inner) {
        e_.report.error(Code::kSizeMismatch, name_.span,
                        "the elements of '" + name_text(name_) + "' have different sizes, " +
                            shape_text(inner) + " and " + shape_text(part.shape));
        return {};
      }
      inner = part.shape;
      all.items.insert(all.items.end(), part.items.begin(), part.items.end());
    }
    all.shape.insert(all.shape.end(), inner.begin(), inner.end());
    return all;
  }

  Elaboration& e_;
  const Scope& scope_;
  const AstName& name_;
};

}  // namespace

Components resolve_name(Elaboration& e, const Scope& scope, const AstName& name) {
  return NameResolver(e, scope, name).from(scope.instance, 0);
}

}  // namespace luztar
