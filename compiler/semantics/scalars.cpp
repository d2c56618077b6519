#include "compiler/semantics/scalars.h"

#include <cmath>
#include <optional>

#include "compiler/semantics/unit_spelling.h"
#include "compiler/semantics/units.h"

namespace luztar {
namespace {

class ScalarBuilder {
 public:
  explicit ScalarBuilder(Elaboration& e) : e_(e) {}

  void add_parameter(InstanceId id, const AstComponent& declaration, const ScalarAlias& type,
                     const ScalarModification& merged) {
    Instance& instance = e_.instances[id];
    FlatParameter parameter;
    parameter.name = instance.name;
    parameter.part = instance.part;
    parameter.type = type.type;
    parameter.constant = declaration.variability == AstVariability::kConstant || merged.is_final;
    parameter.unit = unit_text(e_, merged, Attribute::kUnit);
    parameter.display_unit = display_unit(merged, parameter.unit);
    parameter.description = declaration.description;
    parameter.span = merged.binding.valid() ? merged.binding.span() : declaration.name.span;
    ParameterRecord record;
    record.instance = id;
    record.binding = merged.binding;
    record.unit = *e_.units.declared(parameter.unit);
    check_written_unit(merged, declaration, parameter.unit);
    if (SettingValue* setting = e_.settings.find(parameter.name)) {
      apply_setting(*setting, parameter, record);
    }
    instance.kind = Instance::Kind::kParameter;
    instance.parameter = e_.flat.parameters.push_back(std::move(parameter));
    e_.parameters.push_back(record);
    pend(id, merged);
  }

  void add_variable(InstanceId id, const AstComponent& declaration, const ScalarAlias& type,
                    const ScalarModification& merged) {
    const Instance::Kind where = e_.instances[e_.instances[id].parent].kind;
    Instance& instance = e_.instances[id];
    FlatVariable variable;
    variable.name = instance.name;
    variable.part = instance.part;
    variable.type = type.type;
    variable.unit = unit_text(e_, merged, Attribute::kUnit);
    variable.display_unit = display_unit(merged, variable.unit);
    e_.variable_units.push_back(*e_.units.declared(variable.unit));
    check_written_unit(merged, declaration, variable.unit);
    variable.description = declaration.description;
    variable.span = declaration.name.span;
    variable.start = e_.pool.zero();
    const AttributeValue& start = merged.attributes[static_cast<std::size_t>(Attribute::kStart)];
    variable.start_given = start.given ? StartGiven::kYes : StartGiven::kNo;
    if (start.source.valid()) variable.start_span = start.source.span();
    const AstCausality causality =
        declaration.causality != AstCausality::kNone ? declaration.causality : type.causality;
    variable.input = causality == AstCausality::kInput;
    variable.output = causality == AstCausality::kOutput;
    const bool signal = variable.input || variable.output;
    if (signal) variable.role = VariableRole::kSignal;
    if (declaration.prefix == AstPrefix::kFlow) {
      variable.role = VariableRole::kFlow;
      if (where != Instance::Kind::kConnector) {
        e_.report.error(Code::kWrongClassKind, declaration.name.span,
                        "'" + declaration.name.text + "' is a flow outside a connector");
      }
    }
    instance.kind = Instance::Kind::kVariable;
    instance.variable = e_.flat.variables.push_back(std::move(variable));
    if (signal && where == Instance::Kind::kPart) add_signal(id, declaration);
    if (merged.binding.valid()) e_.bindings.push_back({id, merged.binding});
    pend(id, merged);
  }

 private:
  /// LT2003 for `k = 120 "N.m"` where values of k are in N.m/rad: the text is a description, but
  /// one that names another unit says that the number is wrong.
  void check_written_unit(const ScalarModification& merged, const AstComponent& declaration,
                          const std::string& unit) {
    const bool own = merged.modifier == nullptr;
    if (unit.empty() || (own && !declaration.binding.valid())) return;
    const AstIdentifier& name = declaration.name;
    const std::string& written = own ? declaration.description : merged.modifier->description;
    if (written.size() < 2) return;  // "s" may be a word about a thing that is called so
    const std::optional<double> factor = unit_factor(written, unit);
    if (!parse_unit(written) || (factor && std::abs(*factor - 1) < 1e-12)) return;
    e_.report
        .error(Code::kUnitMismatch, own ? declaration.span : merged.modifier->span,
               "unit mismatch in the binding of '" + name.text + "'")
        .with_label("this is " + written)
        .with_note("'" + name.text + "' has unit " + unit, name.span);
  }

  /// LT2003 when values in `unit` cannot be shown in the displayUnit.
  std::string display_unit(const ScalarModification& merged, const std::string& unit) {
    const std::string shown = unit_text(e_, merged, Attribute::kDisplayUnit);
    const UnitId a = *e_.units.declared(shown);
    const UnitId b = *e_.units.declared(unit);
    if (!a.valid() || !b.valid() || same_dimension(e_.units[a], e_.units[b])) return shown;
    const auto span = [&](Attribute which) {
      return merged.attributes[static_cast<std::size_t>(which)].source.span();
    };
    e_.report
        .error(Code::kUnitMismatch, span(Attribute::kDisplayUnit),
               "a quantity in " + unit + " cannot be shown in " + shown)
        .with_note("the unit is given here", span(Attribute::kUnit));
    return {};
  }

  void pend(InstanceId id, const ScalarModification& merged) {
    for (const Attribute which : {Attribute::kStart, Attribute::kFixed, Attribute::kMin,
                                  Attribute::kMax, Attribute::kNominal}) {
      const AttributeValue& attribute = merged.attributes[static_cast<std::size_t>(which)];
      if (attribute.source.valid()) e_.attributes.push_back({id, which, attribute.source});
    }
  }

  void apply_setting(SettingValue& setting, FlatParameter& parameter, ParameterRecord& record) {
    setting.used = true;
    if (parameter.constant) {
      e_.report
          .error(Code::kFinalModified, setting.span,
                 "'" + parameter.name + "' is constant or final and cannot be set")
          .with_note("it gets its value here", parameter.span);
      return;
    }
    if (!setting.value.valid()) return;
    parameter.span = setting.span;
    record.binding = setting.value;
    if (setting.unit.empty()) return;
    if (const std::optional<double> factor = unit_factor(setting.unit, parameter.unit)) {
      record.factor = *factor;
      return;
    }
    if (!parse_unit(setting.unit)) {
      Diagnostic& error = e_.report.error(Code::kUnknownUnit, setting.unit_span,
                                          "\"" + setting.unit + "\" is no unit");
      const std::string near = similar_units_text(setting.unit);
      if (!near.empty()) error.with_label("did you mean " + near + "?");
      return;
    }
    const std::string wanted = parameter.unit.empty() ? "no unit" : "the unit " + parameter.unit;
    e_.report
        .error(Code::kUnitMismatch, setting.unit_span, "'" + parameter.name + "' has " + wanted)
        .with_label("this is " + setting.unit);
  }

  /// An input or output is a connector of its own.
  void add_signal(InstanceId id, const AstComponent& declaration) {
    Instance& instance = e_.instances[id];
    FlatConnector connector;
    connector.name = instance.name;
    connector.type = "Real";
    connector.part = instance.part;
    connector.signals = {instance.variable};
    connector.span = declaration.name.span;
    instance.connector = e_.flat.connectors.push_back(std::move(connector));
    e_.flat.variables[instance.variable].connector = instance.connector;
  }

  Elaboration& e_;
};

}  // namespace

std::string unit_text(Elaboration& e, const ScalarModification& merged, Attribute which) {
  const AttributeValue& attribute = merged.attributes[static_cast<std::size_t>(which)];
  if (!attribute.source.valid()) return {};
  const AstExpr& value = attribute.source.scope.ast->exprs[attribute.source.value];
  if (value.kind != AstExprKind::kString) {
    const std::string name = kAttributeNames[static_cast<std::size_t>(which)];
    e.report.error(Code::kTypeMismatch, value.span,
                   "the attribute '" + name + "' needs a text in quotes");
    return {};
  }
  if (e.units.declared(value.text)) return value.text;
  Diagnostic& error =
      e.report.error(Code::kUnknownUnit, value.span, "\"" + value.text + "\" is no unit");
  const std::string near = similar_units_text(value.text);
  if (!near.empty()) error.with_label("did you mean " + near + "?");
  error.with_note("units are written as in \"N.m/rad\", \"kg.m2\" or \"N/(m.s)\"");
  return {};
}

void add_scalar(Elaboration& e, InstanceId id, const AstComponent& declaration,
                const ScalarAlias& type, const ScalarModification& merged) {
  const bool parameter = declaration.variability == AstVariability::kParameter ||
                         declaration.variability == AstVariability::kConstant;
  ScalarBuilder builder(e);
  if (parameter) {
    builder.add_parameter(id, declaration, type, merged);
  } else {
    builder.add_variable(id, declaration, type, merged);
  }
}

}  // namespace luztar
