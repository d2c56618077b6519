#include "compiler/semantics/parameters.h"

#include <algorithm>
#include <cmath>

#include "compiler/semantics/expressions.h"
#include "compiler/semantics/unit_rules.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

/// "-1 kg.m2"
std::string quantity(double value, const std::string& unit) {
  return number_text(value) + (unit.empty() || unit == "1" ? "" : " " + unit);
}

/// The last part of a name as it is declared, without subscripts.
std::string declared_name(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  return last.substr(0, last.find('['));
}

using State = ParameterRecord::State;

/// Builds bindings and attributes as long as there are new ones.
class ParameterBuilder {
 public:
  explicit ParameterBuilder(Elaboration& e) : e_(e) {}

  void run() {
    while (e_.bound_parameters < e_.parameters.size() ||
           e_.bound_attributes < e_.attributes.size()) {
      if (e_.bound_parameters < e_.parameters.size()) {
        bind(ParameterId{e_.bound_parameters++});
      } else {
        attribute(e_.attributes[e_.bound_attributes++]);
      }
    }
  }

  /// Converts a binding, unless that has been done before because a size asked for the value.
  void bind(ParameterId id) {
    if (e_.parameters[id].state != State::kNew) return;
    e_.parameters[id].state = State::kBinding;
    // Conversion may add constants: no reference into the tables is kept across it.
    const ParameterRecord record = e_.parameters[id];
    Expr value;
    if (!record.binding.valid()) {
      report_missing(id);
    } else {
      value = typed(id, record.binding);
      if (value.valid() && record.factor != 1) {
        value = e_.pool.mul(e_.pool.constant(record.factor), value);
      }
    }
    if (!value.valid()) {
      e_.parameters[id].failed = true;
      value = e_.pool.zero();
    }
    e_.flat.parameters[id].binding = value;
    e_.parameters[id].state = State::kBound;
  }

 private:
  Expr typed(ParameterId id, const Source& source) {
    const std::string name = e_.flat.parameters[id].name;
    const ScalarType type = e_.flat.parameters[id].type;
    const Value value = build_value(e_, source);
    if (!value.valid()) return {};
    if (value.is_array()) {
      e_.report.error(Code::kSizeMismatch, source.span(),
                      "'" + name + "' is a single value, and this is an array of size " +
                          shape_text(value.shape));
      return {};
    }
    if ((value.type == ScalarType::kBoolean) != (type == ScalarType::kBoolean)) {
      e_.report.error(Code::kTypeMismatch, source.span(),
                      type == ScalarType::kBoolean
                          ? "'" + name + "' is true or false, and this is a number"
                          : "'" + name + "' is a number, and this is true or false");
      return {};
    }
    if (!constant_in_time(value.e, source.span(), "the parameter '" + name + "'")) return {};
    check_value_unit(e_, declared(e_, id), value, source.span(), "the binding of '" + name + "'");
    return value.e;
  }

  bool constant_in_time(Expr value, Span span, const std::string& what) {
    for (const Symbol s : symbols_of(e_.pool, value)) {
      if (s.kind == SymbolKind::kParameter) continue;
      e_.report.error(
          Code::kNotAParameterExpression, span,
          what + " cannot depend on '" + e_.flat.symbol_name(s) + "', which changes with time");
      return false;
    }
    return true;
  }

  /// True when another error may be the reason why a value is missing.
  [[nodiscard]] bool explained(const Instance& outer) const {
    const ClassInfo& info = e_.classes.info(outer.cls);
    return outer.misspelt || info.repeated || info.incomplete;
  }

  /// Points at the part that has to give the value.
  void report_missing(ParameterId id) {
    const FlatParameter& parameter = e_.flat.parameters[id];
    const Instance& instance = e_.instances[e_.parameters[id].instance];
    const bool in_class = instance.parent.valid() && e_.instances[instance.parent].cls.valid();
    if (in_class && explained(e_.instances[instance.parent])) return;
    const std::string local = declared_name(parameter.name);
    const bool nested = instance.parent.valid() && e_.instances[instance.parent].parent.valid();
    if (!nested) {
      e_.report
          .error(Code::kMissingBinding, parameter.span,
                 "the parameter '" + parameter.name + "' has no value")
          .with_label("write " + local + " = ...");
      return;
    }
    const Instance& part = e_.instances[instance.parent];
    const std::string part_name = declared_name(part.name);
    // One part may lack several values: the name tells them apart, the place does not.
    const std::string key = "value:" + std::to_string(part.span.file.value) + ":" +
                            std::to_string(part.span.begin) + ":" + local;
    if (!e_.missing_names.insert(key).second) return;
    e_.report.diagnostics()
        .error(Code::kMissingBinding, part.span,
               "the parameter '" + parameter.name + "' has no value")
        .with_label("write " + part_name + (part.name.back() == ']' ? "(each " : "(") + local +
                    " = ...)")
        .with_note("'" + local + "' is declared here", parameter.span);
  }

  void attribute(const PendingAttribute& pending) {
    const Instance instance = e_.instances[pending.instance];
    const bool parameter = instance.kind == Instance::Kind::kParameter;
    const bool boolean = parameter
                             ? e_.flat.parameters[instance.parameter].type == ScalarType::kBoolean
                             : e_.flat.variables[instance.variable].type == ScalarType::kBoolean;
    const bool condition = pending.attribute == Attribute::kFixed ||
                           (pending.attribute == Attribute::kStart && boolean);
    const Value built = condition ? Value{build_condition(e_, pending.value), ScalarType::kBoolean}
                                  : build_number(e_, pending.value);
    if (!built.valid()) return;
    const Expr value = built.e;
    const std::string name = kAttributeNames[static_cast<std::size_t>(pending.attribute)];
    const Span span = pending.value.span();
    if (!constant_in_time(value, span, "the attribute '" + name + "'")) return;
    const Declared target =
        parameter ? declared(e_, instance.parameter) : declared(e_, instance.variable);
    check_value_unit(e_, target, built, span,
                     "the attribute '" + name + "' of '" + target.name + "'");
    switch (pending.attribute) {
      case Attribute::kStart:
        if (!parameter) e_.flat.variables[instance.variable].start = value;
        break;
      case Attribute::kFixed:
        if (!parameter) e_.fixed.push_back({instance.variable, value});
        break;
      case Attribute::kMin:
      case Attribute::kMax:
        if (parameter) limit(e_.parameters[instance.parameter], pending.attribute, value, span);
        break;
      case Attribute::kNominal:
      case Attribute::kUnit:
      case Attribute::kDisplayUnit:
        break;
    }
  }

  static void limit(ParameterRecord& record, Attribute which, Expr value, Span span) {
    const bool is_min = which == Attribute::kMin;
    (is_min ? record.min : record.max) = value;
    (is_min ? record.min_span : record.max_span) = span;
  }

  Elaboration& e_;
};

/// Depth-first evaluation with a stack; `path` is the chain of parameters that wait for each other.
class Evaluator {
 public:
  explicit Evaluator(Elaboration& e) : e_(e) {}

  void run() {
    for (std::size_t i = 0; i < e_.parameters.size(); ++i) evaluate_from(ParameterId{i});
    for (const ParameterId id : e_.parameters.ids()) check(id);
  }

  void evaluate_from(ParameterId root) {
    std::vector<Frame> path;
    if (state(root) == State::kDone) return;
    if (is_open(root)) return report_cycle(path, root);
    enter(path, root);
    while (!path.empty()) {
      Frame& frame = path.back();
      if (frame.next == frame.needs.size()) {
        finish(frame);
        path.pop_back();
        continue;
      }
      const ParameterId need{frame.needs[frame.next++].index};
      if (is_open(need)) {
        report_cycle(path, need);
      } else if (state(need) != State::kDone) {
        enter(path, need);
      }
    }
  }

 private:
  struct Frame {
    ParameterId id;
    std::vector<Symbol> needs;
    std::size_t next = 0;
  };

  [[nodiscard]] State state(ParameterId id) const { return e_.parameters[id].state; }
  /// Work on its value has begun and waits for something else.
  [[nodiscard]] bool is_open(ParameterId id) const {
    return state(id) == State::kBinding || state(id) == State::kWaiting;
  }

  void enter(std::vector<Frame>& path, ParameterId id) {
    ParameterBuilder(e_).bind(id);
    e_.parameters[id].state = State::kWaiting;
    path.push_back({id, symbols_of(e_.pool, e_.flat.parameters[id].binding), 0});
  }

  void finish(const Frame& frame) {
    FlatParameter& parameter = e_.flat.parameters[frame.id];
    ParameterRecord& record = e_.parameters[frame.id];
    record.state = State::kDone;
    for (const Symbol s : frame.needs) {
      record.failed = record.failed || e_.parameters[ParameterId{s.index}].failed;
    }
    if (record.failed) return;
    if (e_.pool.is_constant(parameter.binding)) {
      parameter.value = e_.pool[parameter.binding].value;
    } else {
      parameter.value = evaluate(e_.pool, parameter.binding, [&](Symbol s) {
        return e_.flat.parameters[ParameterId{s.index}].value;
      });
    }
    if (std::isnan(parameter.value)) {
      record.failed = true;
      Diagnostic& error = e_.report.error(Code::kNotANumber, parameter.span,
                                          "'" + parameter.name + "' is not a number");
      for (const Symbol s : frame.needs) {
        const FlatParameter& need = e_.flat.parameters[ParameterId{s.index}];
        error.with_note("with " + need.name + " = " + number_text(need.value), need.span);
      }
    }
  }

  void report_cycle(const std::vector<Frame>& path, ParameterId again) {
    // A parameter that waits for a size or subscript is on no path; what waits for it is.
    std::size_t first = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i].id == again) first = i;
    }
    const bool closed = !path.empty() && path[first].id == again;
    std::vector<ParameterId> circle;
    if (!closed) circle.push_back(again);
    for (std::size_t i = first; i < path.size(); ++i) circle.push_back(path[i].id);
    std::vector<std::string> names;
    for (const ParameterId id : circle) {
      e_.parameters[id].failed = true;
      names.push_back(e_.flat.parameters[id].name);
    }
    Diagnostic& error =
        e_.report.error(Code::kCyclicParameters, e_.flat.parameters[again].span,
                        "parameters depend on each other in a circle: " + circle_text(names));
    constexpr std::size_t kMostNotes = 8;
    for (std::size_t i = 1; i < std::min(circle.size(), kMostNotes); ++i) {
      error.with_note("'" + names[i] + "' is given here", e_.flat.parameters[circle[i]].span);
    }
  }

  void check(ParameterId id) {
    const FlatParameter& parameter = e_.flat.parameters[id];
    const ParameterRecord& record = e_.parameters[id];
    if (record.failed) return;
    if (parameter.type == ScalarType::kInteger && parameter.value != std::floor(parameter.value)) {
      e_.report.error(Code::kTypeMismatch, parameter.span,
                      "'" + parameter.name + "' is an Integer, and " +
                          number_text(parameter.value) + " is not");
      return;
    }
    check_limit(parameter, record.min, record.min_span, true);
    check_limit(parameter, record.max, record.max_span, false);
  }

  void check_limit(const FlatParameter& parameter, Expr limit, Span span, bool is_min) {
    if (!limit.valid() || !has_value(e_, limit)) return;
    const double bound = evaluate(e_.pool, limit, e_.flat.parameter_values());
    const bool inside = is_min ? parameter.value >= bound : parameter.value <= bound;
    if (inside || std::isnan(bound)) return;
    e_.report
        .error(Code::kParameterRange, parameter.span,
               "'" + parameter.name + "' must be " + (is_min ? "at least " : "at most ") +
                   quantity(bound, parameter.unit))
        .with_label("this is " + quantity(parameter.value, parameter.unit))
        .with_note("the limit is given here", span);
  }

  Elaboration& e_;
};

}  // namespace

void build_parameters(Elaboration& e) { ParameterBuilder(e).run(); }

std::optional<double> known_value(Elaboration& e, Expr expr) {
  if (e.pool.is_constant(expr)) return e.pool[expr].value;
  for (const Symbol s : symbols_of(e.pool, expr)) {
    if (s.kind != SymbolKind::kParameter) {
      throw InternalError("semantics", "the value of a variable is asked for at compile time");
    }
    Evaluator(e).evaluate_from(ParameterId{s.index});
  }
  if (!has_value(e, expr)) return std::nullopt;
  return evaluate(e.pool, expr, e.flat.parameter_values());
}

std::optional<double> structural_value(Elaboration& e, Expr expr) {
  for (const Symbol s : symbols_of(e.pool, expr)) {
    if (s.kind == SymbolKind::kParameter) {
      e.flat.parameters[ParameterId{s.index}].structural = true;
    }
  }
  return known_value(e, expr);
}

bool has_value(const Elaboration& e, Expr expr) {
  return !depends_on(e.pool, expr, [&](Symbol s) {
    return s.kind == SymbolKind::kParameter && e.parameters[ParameterId{s.index}].failed;
  });
}

void evaluate_parameters(Elaboration& e) {
  Evaluator(e).run();
  for (const PendingFixed& fixed : e.fixed) {
    if (!has_value(e, fixed.value)) continue;
    FlatVariable& variable = e.flat.variables[fixed.variable];
    variable.fixed = evaluate(e.pool, fixed.value, e.flat.parameter_values()) != 0;
    if (!variable.fixed) variable.start_given = std::min(variable.start_given, StartGiven::kGuess);
  }
}

namespace {

/// LT2022 with the names of the elements when a setting gives a value to an array or to what lies
/// in one.
bool report_array_setting(Elaboration& e, const SettingValue& setting) {
  const auto array =
      std::find_if(e.instances.begin(), e.instances.end(), [&](const Instance& instance) {
        return instance.kind == Instance::Kind::kArray &&
               (setting.name == instance.name || setting.name.starts_with(instance.name + "."));
      });
  if (array == e.instances.end()) return false;
  Diagnostic& error =
      e.report.error(Code::kUnknownSetting, setting.span,
                     "'" + array->name + "' is an array of size " + shape_text(array->shape) +
                         "; only its elements can be set");
  if (!array->children.empty()) {
    error.with_note("for example --set '" + e.instances[array->children.front()].name +
                    setting.name.substr(array->name.size()) + "=...'");
  }
  return true;
}

/// "wheel.J" for "J" where only one parameter is called so; else "".
std::string inside_a_part(const std::string& name, const std::vector<std::string>& names) {
  std::string found;
  for (const std::string& candidate : names) {
    if (!candidate.ends_with("." + name)) continue;
    if (!found.empty()) return {};
    found = candidate;
  }
  return found;
}

}  // namespace

void check_settings(Elaboration& e) {
  std::vector<std::string> names;
  for (const SettingValue& setting : e.settings.values) {
    const SettingValue* counts = e.settings.find(setting.name);
    if (counts->used) continue;
    if (names.empty()) {
      for (const FlatParameter& parameter : e.flat.parameters) names.push_back(parameter.name);
    }
    if (report_array_setting(e, setting)) continue;
    Span name = setting.span;
    name.end = name.begin - 1;
    name.begin = 0;
    const bool variable =
        std::any_of(e.flat.variables.begin(), e.flat.variables.end(),
                    [&](const FlatVariable& v) { return v.name == setting.name; });
    Diagnostic& error =
        e.report.error(Code::kUnknownSetting, name,
                       variable ? "'" + setting.name + "' is a variable; only parameters can be set"
                                : "there is no parameter '" + setting.name + "'");
    std::string near = nearest_name(setting.name, names);
    if (near.empty()) near = inside_a_part(setting.name, names);
    if (!near.empty() && !variable) error.with_label("did you mean '" + near + "'?");
  }
}

}  // namespace luztar
