#include "compiler/semantics/instantiate.h"

#include <algorithm>

#include "compiler/base/component_limit.h"
#include "compiler/semantics/connector_variables.h"
#include "compiler/semantics/member_modifications.h"
#include "compiler/semantics/scalars.h"
#include "compiler/semantics/structure.h"

namespace luztar {

/// An instance whose members are being created.
struct Filling {
  InstanceId instance;
  const MemberModifications& modifications;
  std::vector<char> begun;  // by position of the member
};

namespace {

/// Deeper nesting of parts is a mistake, and instantiation follows it by recursion.
constexpr std::uint32_t kDeepestNesting = 200;
/// Connectors, variables and parameters that a component may have on average.
constexpr std::size_t kInstancesPerComponent = 20;

class Instantiator {
 public:
  explicit Instantiator(Elaboration& e) : e_(e) {}

  /// Creates the members of an instance; `outer` are the modifications of the instance itself,
  /// outermost first.
  void fill(InstanceId id, const std::vector<Modification>& outer) {
    const ClassId cls = e_.instances[id].cls;
    const ClassInfo& info = e_.classes.info(cls);
    const auto count = static_cast<std::uint32_t>(info.members.size());
    e_.instances[id].children.assign(count, InstanceId{});
    const MemberModifications modifications = collect_modifications(e_, id, outer);
    Filling filling{id, modifications, std::vector<char>(count, 0)};
    e_.filling.push_back(&filling);
    // Single scalars first: sizes and conditions of the other members may depend on them.
    for (int round = 0; round < 3; ++round) {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (round_of(cls, i, info.members[i]) == round && !filling.begun[i]) member(filling, i);
      }
    }
    e_.filling.pop_back();
  }

  /// Creates one member of an instance that is being filled.
  void member(Filling& filling, std::uint32_t position) {
    filling.begun[position] = 1;
    const InstanceId parent = filling.instance;
    const ClassId cls = e_.instances[parent].cls;
    const ComponentType type = e_.classes.type_of(cls, position);
    const Member& member = e_.classes.info(cls).members[position];
    const InstanceId child = component(parent, member, type, filling.modifications.of(position));
    e_.instances[parent].children[position] = child;
  }

  /// A component, an array of them, or none when its condition is false.
  InstanceId component(InstanceId parent, const Member& member, const ComponentType& type,
                       const std::vector<Modification>& outer) {
    if (type.kind == ComponentType::Kind::kError) return add(parent, member, "");
    const AstComponent& declaration = *member.declaration;
    const Scope scope = scope_of(member, parent);
    if (declaration.condition.valid()) {
      const std::optional<bool> present = structural_condition(
          e_, {scope, declaration.condition, ElementId{}},
          "whether '" + declaration.name.text + "' is there",
          "let a parameter decide; a force that acts at times only is multiplied by a signal");
      if (!present || !*present) {
        const InstanceId id = add(parent, member, "");
        if (present) e_.instances[id].kind = Instance::Kind::kAbsent;
        return id;
      }
    }
    const std::vector<Source> dimensions = dimensions_of(scope, declaration, type);
    std::vector<Modification> all = outer;
    all.push_back(modification_of(member, parent));
    return dimensions.empty() ? single(parent, member, type, std::move(all), "")
                              : array(parent, member, type, all, dimensions);
  }

 private:
  /// When a member is created: single scalars, arrays of scalars, everything else.
  int round_of(ClassId cls, std::uint32_t position, const Member& member) {
    const ComponentType& type = e_.classes.type_of(cls, position);
    if (type.kind == ComponentType::Kind::kClass) return 2;
    const AstComponent& declaration = *member.declaration;
    const bool array = !declaration.dimensions.empty() ||
                       (type.scalar != nullptr && !type.scalar->dimensions.empty());
    return array || declaration.condition.valid() ? 1 : 0;
  }

  [[nodiscard]] Scope scope_of(const Member& member, InstanceId parent) const {
    return {e_.classes[member.written_in].ast, parent, member.written_in};
  }

  [[nodiscard]] Modification modification_of(const Member& member, InstanceId parent) const {
    return {nullptr, member.declaration, 0, scope_of(member, parent)};
  }

  /// The sizes in the declaration, then those in its type.
  [[nodiscard]] std::vector<Source> dimensions_of(const Scope& scope,
                                                  const AstComponent& declaration,
                                                  const ComponentType& type) const {
    std::vector<Source> result;
    for (const AstExprId dimension : declaration.dimensions) {
      result.push_back({scope, dimension, ElementId{}});
    }
    if (type.scalar == nullptr) return result;
    for (const TypeDimension& dimension : type.scalar->dimensions) {
      const Scope in_type{e_.classes[dimension.written_in].ast, InstanceId{}, dimension.written_in};
      result.push_back({in_type, dimension.size, ElementId{}});
    }
    return result;
  }

  InstanceId add(InstanceId parent, const Member& member, const std::string& subscripts) {
    const AstComponent& declaration = *member.declaration;
    Instance instance;
    const Instance& outer = e_.instances[parent];
    instance.parent = parent;
    instance.name = (outer.name.empty() ? "" : outer.name + ".") + declaration.name.text;
    instance.name += subscripts;
    instance.span = declaration.name.span;
    instance.part = outer.part;
    instance.depth = outer.depth + 1;
    return e_.instances.push_back(std::move(instance));
  }

  [[nodiscard]] bool is_part(ClassId cls) const {
    return e_.classes.definition(cls).kind != AstClassKind::kConnector;
  }

  /// True, after LT2032, when so many more components are too many to go on.
  bool is_full(Span span, std::size_t parts, std::size_t instances) {
    if (e_.full) return true;
    const std::size_t most = e_.most_components;
    const std::size_t present = e_.flat.parts.size() - 1;  // without the model itself
    if (present + parts <= most &&
        e_.instances.size() + instances <= kInstancesPerComponent * most) {
      return false;
    }
    e_.full = true;
    report_too_many_components(e_.report.diagnostics(), span, "the model", most);
    return true;
  }

  InstanceId array(InstanceId parent, const Member& member, const ComponentType& type,
                   const std::vector<Modification>& all, const std::vector<Source>& dimensions) {
    const InstanceId id = add(parent, member, "");
    e_.instances[id].cls = type.kind == ComponentType::Kind::kClass ? type.cls : ClassId{};
    Source binding;
    for (auto m = all.begin(); m != all.end() && !binding.valid(); ++m) binding = m->value();
    const std::optional<Shape> shape =
        declared_shape(e_, dimensions, binding, member.declaration->name.text);
    if (!shape) return id;
    const std::size_t count = element_count(*shape);
    const bool parts = type.kind == ComponentType::Kind::kClass && is_part(type.cls);
    // Before the memory is spent on those that fit.
    if (is_full(member.declaration->name.span, parts ? count : 0, count)) return id;
    e_.instances[id].kind = Instance::Kind::kArray;
    e_.instances[id].shape = *shape;
    std::vector<InstanceId> elements;
    elements.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      elements.push_back(
          single(parent, member, type, element_of(all, id, i), subscript_text(*shape, i)));
    }
    e_.instances[id].children = std::move(elements);
    return id;
  }

  /// The modifications of an array, seen from one of its elements.
  std::vector<Modification> element_of(const std::vector<Modification>& all, InstanceId array,
                                       std::size_t index) {
    std::vector<Modification> result = all;
    for (std::size_t i = 0; i < result.size(); ++i) {
      Modification& m = result[i];
      m.each_element = all[i].element;
      const bool same = i > 0 && all[i].element == all[i - 1].element;
      m.element =
          same ? result[i - 1].element
               : e_.elements.push_back({all[i].element, array, static_cast<std::uint32_t>(index)});
    }
    return result;
  }

  /// One component; `all` are its modifications, that of its declaration last.
  InstanceId single(InstanceId parent, const Member& member, const ComponentType& type,
                    std::vector<Modification> all, const std::string& subscripts) {
    const InstanceId id = add(parent, member, subscripts);
    if (type.kind == ComponentType::Kind::kClass) {
      structured(id, parent, member, all);
      return id;
    }
    const Modification own = all.back();
    all.pop_back();
    add_scalar(e_, id, *member.declaration, *type.scalar,
               merge_scalar(all, own, *type.scalar, e_.classes, e_.report));
    return id;
  }

  void structured(InstanceId id, InstanceId parent, const Member& member,
                  const std::vector<Modification>& all) {
    const AstComponent& declaration = *member.declaration;
    const ClassId cls = member.type.cls;
    if (!fits(parent, member) || is_full(declaration.name.span, is_part(cls) ? 1 : 0, 1)) return;
    const AstClass& definition = e_.classes.definition(cls);
    if (definition.partial) {
      e_.report
          .error(Code::kPartialInstance, declaration.type.span,
                 "'" + name_text(declaration.type) +
                     "' is partial: it can be extended, but is no part")
          .with_note("it is declared partial here", definition.name.span);
    }
    if (contains_itself(id, declaration, cls)) return;

    check_final({all.begin(), all.end() - 1}, all.back(), e_.report);
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
      e_.report
          .error(Code::kOutsideSubset, declaration.type.span,
                 "a connector inside a connector is not part of the language")
          .with_note("declare its variables in the connector, or give the part two connectors");
    } else {
      e_.report.error(Code::kWrongClassKind, declaration.type.span,
                      "a connector consists of variables, and '" + name_text(declaration.type) +
                          "' is a " + kind_text(kind));
    }
    return false;
  }

  /// Compares with the classes of the instances around, not with their bases: a class may extend
  /// another and have parts of it as well. Nesting without end repeats some class exactly.
  bool contains_itself(InstanceId id, const AstComponent& declaration, ClassId cls) {
    for (InstanceId at = e_.instances[id].parent; at.valid(); at = e_.instances[at].parent) {
      if (e_.instances[at].cls != cls) continue;
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
    sort_variables(e_, id);
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

InstanceId member_instance(Elaboration& e, InstanceId parent, std::uint32_t position, Span span) {
  const Instance& instance = e.instances[parent];
  if (instance.kind == Instance::Kind::kArray) return {};
  if (instance.children[position].valid()) return instance.children[position];
  if (instance.kind == Instance::Kind::kConstants) {
    const AstComponent& declaration = *e.classes.info(instance.cls).members[position].declaration;
    const bool constant = declaration.variability == AstVariability::kConstant;
    return constant ? constant_instance(e, instance.cls, position) : InstanceId{};
  }
  const auto filling = std::find_if(e.filling.rbegin(), e.filling.rend(),
                                    [&](const Filling* f) { return f->instance == parent; });
  if (filling == e.filling.rend()) {
    throw InternalError("semantics", "a component is missing in an instance that is complete");
  }
  if ((*filling)->begun[position]) {
    e.report.error(Code::kCyclicParameters, span,
                   "the size or condition of this component depends on the component itself");
    Instance unknown;
    unknown.parent = parent;
    return e.instances.push_back(std::move(unknown));
  }
  const NestingGuard nesting(e);
  if (!nesting.admits(span)) return {};
  Instantiator(e).member(**filling, position);
  return e.instances[parent].children[position];
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
  const std::vector<Modification> outer = inherited_modifications(e, cls, member, parent);
  InstanceId id;
  if (type.kind == ComponentType::Kind::kClass) {
    Instance unknown;
    unknown.parent = parent;
    id = e.instances.push_back(std::move(unknown));
    e.report.error(Code::kWrongClassKind, info.members[member].declaration->type.span,
                   "only Real, Integer and Boolean can be constants");
  } else {
    id = Instantiator(e).component(parent, info.members[member], type, outer);
  }
  e.instances[parent].children[member] = id;
  return id;
}

}  // namespace luztar
