#include "compiler/semantics/instantiate.h"

#include <algorithm>

#include "compiler/semantics/scalars.h"

namespace luztar {
namespace {

/// Deeper nesting of parts is a mistake, and instantiation follows it by recursion.
constexpr std::uint32_t kDeepestNesting = 200;

/// A modification of the member with this position.
struct IndexedModification {
  std::uint32_t member = 0;
  Modification modification;
};

/// Modifications of the members of one instance, outermost first for each member.
class MemberModifications {
 public:
  explicit MemberModifications(std::vector<IndexedModification> all) : all_(std::move(all)) {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const auto& a, const auto& b) { return a.member < b.member; });
  }

  [[nodiscard]] std::vector<Modification> of(std::uint32_t member) const {
    std::vector<Modification> result;
    auto it = std::lower_bound(all_.begin(), all_.end(), member,
                               [](const auto& a, std::uint32_t m) { return a.member < m; });
    for (; it != all_.end() && it->member == member; ++it) result.push_back(it->modification);
    return result;
  }

 private:
  std::vector<IndexedModification> all_;
};

class Instantiator {
 public:
  explicit Instantiator(Elaboration& e) : e_(e) {}

  /// Creates the members of an instance; `outer` are the modifications of the instance itself,
  /// outermost first.
  void fill(InstanceId id, const std::vector<Modification>& outer) {
    const ClassId cls = e_.instances[id].cls;
    const ClassInfo& info = e_.classes.info(cls);
    e_.instances[id].children.assign(info.members.size(), InstanceId{});
    const MemberModifications modifications = collect(id, info, outer);
    // Scalars first: sizes and conditions of the other members may depend on them.
    const auto count = static_cast<std::uint32_t>(info.members.size());
    std::vector<std::uint32_t> others;
    for (std::uint32_t i = 0; i < count; ++i) {
      const ComponentType& type = e_.classes.type_of(cls, i);
      if (type.kind == ComponentType::Kind::kClass) {
        others.push_back(i);
      } else {
        e_.instances[id].children[i] = scalar(id, info.members[i], type, modifications.of(i));
      }
    }
    for (const std::uint32_t i : others) {
      const InstanceId child = structured(id, info.members[i], modifications.of(i));
      e_.instances[id].children[i] = child;
    }
  }

  InstanceId scalar(InstanceId parent, const Member& member, const ComponentType& type,
                    const std::vector<Modification>& outer) {
    const InstanceId id = add(parent, member);
    if (type.kind == ComponentType::Kind::kError || !is_single(member)) return id;
    const AstComponent& declaration = *member.declaration;
    const Modification own = modification_of(member, parent);
    add_scalar(e_, id, declaration, *type.scalar,
               merge_scalar(outer, own, *type.scalar, e_.classes, e_.report));
    return id;
  }

 private:
  [[nodiscard]] MemberModifications collect(InstanceId id, const ClassInfo& info,
                                            const std::vector<Modification>& outer) {
    std::vector<IndexedModification> all;
    const ClassId cls = e_.instances[id].cls;
    for (const Modification& modification : outer) {
      for (NamedModification& inner : inner_modifications(modification, e_.report)) {
        std::uint32_t member = 0;
        if (info.find(inner.name->text, &member) != nullptr) {
          all.push_back({member, inner.modification});
        } else if (!info.incomplete) {
          e_.classes.report_unknown_modifier(cls, *inner.name);
          e_.instances[id].misspelt = true;
        }
      }
    }
    for (const InheritedModifier& m : info.modifiers) {
      const Scope scope{e_.classes[m.written_in].ast, id, m.written_in};
      all.push_back({m.member, {m.modifier, nullptr, 1, scope}});
    }
    return MemberModifications(std::move(all));
  }

  InstanceId add(InstanceId parent, const Member& member) {
    const AstComponent& declaration = *member.declaration;
    Instance instance;
    const Instance& outer = e_.instances[parent];
    instance.parent = parent;
    instance.name =
        outer.name.empty() ? declaration.name.text : outer.name + "." + declaration.name.text;
    instance.span = declaration.name.span;
    instance.part = outer.part;
    instance.depth = outer.depth + 1;
    return e_.instances.push_back(std::move(instance));
  }

  [[nodiscard]] Modification modification_of(const Member& member, InstanceId parent) const {
    return {nullptr, member.declaration, 0,
            Scope{e_.classes[member.written_in].ast, parent, member.written_in}};
  }

  /// False, after a report, for what is not one component that is always there.
  bool is_single(const Member& member) {
    const AstComponent& declaration = *member.declaration;
    const Ast& ast = *e_.classes[member.written_in].ast;
    if (!declaration.dimensions.empty()) {
      e_.report.not_supported(declaration.name.span, "arrays of components and variables");
      return false;
    }
    if (declaration.condition.valid()) {
      e_.report.not_supported(ast.exprs[declaration.condition].span, "conditional components");
      return false;
    }
    return true;
  }

  InstanceId structured(InstanceId parent, const Member& member,
                        const std::vector<Modification>& outer) {
    const InstanceId id = add(parent, member);
    const AstComponent& declaration = *member.declaration;
    const ClassId cls = member.type.cls;
    if (!is_single(member) || !fits(parent, member)) return id;
    const AstClass& definition = e_.classes.definition(cls);
    if (definition.partial) {
      e_.report
          .error(Code::kPartialInstance, declaration.type.span,
                 "'" + name_text(declaration.type) +
                     "' is partial: it can be extended, but is no part")
          .with_note("it is declared partial here", definition.name.span);
    }
    if (contains_itself(id, declaration, cls)) return id;

    const Modification own = modification_of(member, parent);
    check_final(outer, own, e_.report);
    std::vector<Modification> all = outer;
    all.push_back(own);
    for (const Modification& modification : all) {
      if (const Source value = modification.value(); value.valid()) {
        e_.report.error(Code::kTypeMismatch, value.span(),
                        "'" + declaration.name.text + "' is a " + kind_text(definition.kind) +
                            " and cannot be given a value");
      }
    }
    Instance& instance = e_.instances[id];
    instance.cls = cls;
    if (definition.kind == AstClassKind::kConnector) {
      instance.kind = Instance::Kind::kConnector;
      add_connector(id, all);
    } else {
      instance.kind = Instance::Kind::kPart;
      instance.part = e_.flat.parts.push_back(
          {instance.name, e_.classes[cls].name, instance.part, declaration.name.span});
      fill(id, all);
    }
    return id;
  }

  bool fits(InstanceId parent, const Member& member) {
    const AstComponent& declaration = *member.declaration;
    const AstClassKind kind = e_.classes.definition(member.type.cls).kind;
    const Instance::Kind where = e_.instances[parent].kind;
    if (declaration.variability == AstVariability::kParameter ||
        declaration.variability == AstVariability::kConstant ||
        declaration.prefix == AstPrefix::kFlow || (declaration.causality != AstCausality::kNone)) {
      e_.report.error(Code::kWrongClassKind, declaration.type.span,
                      "a " + kind_text(kind) +
                          " cannot be a parameter, a flow, an input or an output: only Real, "
                          "Integer and Boolean can");
      return false;
    }
    if (where != Instance::Kind::kConnector) return true;
    if (kind == AstClassKind::kConnector) {
      e_.report.not_supported(declaration.type.span, "connectors inside connectors");
    } else {
      e_.report.error(Code::kWrongClassKind, declaration.type.span,
                      "a connector consists of variables, and '" + name_text(declaration.type) +
                          "' is a " + kind_text(kind));
    }
    return false;
  }

  bool contains_itself(InstanceId id, const AstComponent& declaration, ClassId cls) {
    for (InstanceId at = e_.instances[id].parent; at.valid(); at = e_.instances[at].parent) {
      const ClassId outer = e_.instances[at].cls;
      const std::vector<ClassId>& lineage = e_.classes.info(outer).lineage;
      if (std::find(lineage.begin(), lineage.end(), cls) == lineage.end()) continue;
      e_.report
          .error(Code::kRecursiveClass, declaration.type.span,
                 "'" + e_.classes[cls].name + "' contains itself")
          .with_note("the class is here", e_.classes.definition(cls).name.span);
      return true;
    }
    if (e_.instances[id].depth < kDeepestNesting) return false;
    e_.report.error(Code::kTooDeep, declaration.name.span, "parts are nested too deeply");
    return true;
  }

  void add_connector(InstanceId id, const std::vector<Modification>& modifications) {
    FlatConnector connector;
    connector.name = e_.instances[id].name;
    connector.type = e_.classes[e_.classes.identity(e_.instances[id].cls)].name;
    connector.part = e_.instances[id].part;
    connector.span = e_.instances[id].span;
    const ConnectorId c = e_.flat.connectors.push_back(std::move(connector));
    e_.instances[id].connector = c;
    fill(id, modifications);

    FlatConnector& flat = e_.flat.connectors[c];
    for (const InstanceId child : e_.instances[id].children) {
      if (e_.instances[child].kind != Instance::Kind::kVariable) continue;
      const VariableId v = e_.instances[child].variable;
      FlatVariable& variable = e_.flat.variables[v];
      variable.connector = c;
      switch (variable.role) {
        case VariableRole::kFlow:
          flat.flows.push_back(v);
          break;
        case VariableRole::kSignal:
          flat.signals.push_back(v);
          break;
        default:
          flat.potentials.push_back(v);
      }
    }
    if (flat.flows.empty()) return;
    for (std::size_t i = 0; i < flat.potentials.size(); ++i) {
      FlatVariable& potential = e_.flat.variables[flat.potentials[i]];
      potential.role = VariableRole::kPotential;
      if (i >= flat.flows.size()) continue;
      potential.conjugate = flat.flows[i];
      e_.flat.variables[flat.flows[i]].conjugate = flat.potentials[i];
    }
  }

  Elaboration& e_;
};

}  // namespace

void instantiate(Elaboration& e, ClassId model) {
  Instance root;
  root.kind = Instance::Kind::kPart;
  root.cls = model;
  root.span = e.classes.definition(model).name.span;
  root.part = e.flat.parts.push_back({"", e.classes[model].name, PartId{}, root.span});
  e.root = e.instances.push_back(std::move(root));
  Instantiator(e).fill(e.root, {});
}

InstanceId constant_instance(Elaboration& e, ClassId cls, std::uint32_t member) {
  auto [known, fresh] = e.constants.try_emplace(cls);
  if (fresh) {
    Instance instance;
    instance.kind = Instance::Kind::kConstants;
    instance.cls = cls;
    instance.name = e.classes[cls].name;
    instance.part = PartId{std::size_t{0}};
    instance.children.assign(e.classes.info(cls).members.size(), InstanceId{});
    known->second = e.instances.push_back(std::move(instance));
  }
  const InstanceId parent = known->second;
  if (e.instances[parent].children[member].valid()) return e.instances[parent].children[member];

  const ClassInfo& info = e.classes.info(cls);
  const ComponentType& type = e.classes.type_of(cls, member);
  std::vector<Modification> outer;
  for (const InheritedModifier& m : info.modifiers) {
    if (m.member != member) continue;
    outer.push_back({m.modifier, nullptr, 1, {e.classes[m.written_in].ast, parent, m.written_in}});
  }
  InstanceId id;
  if (type.kind == ComponentType::Kind::kClass) {
    Instance unknown;
    unknown.parent = parent;
    id = e.instances.push_back(std::move(unknown));
    e.report.error(Code::kWrongClassKind, info.members[member].declaration->type.span,
                   "only Real, Integer and Boolean can be constants");
  } else {
    id = Instantiator(e).scalar(parent, info.members[member], type, outer);
  }
  e.instances[parent].children[member] = id;
  return id;
}

}  // namespace luztar
