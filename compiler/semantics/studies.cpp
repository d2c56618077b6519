#include "compiler/semantics/studies.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/semantics/parameters.h"
#include "compiler/semantics/structure.h"
#include "compiler/semantics/unit_rules.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

struct MeasureFunction {
  const char* name;
  std::size_t least, most;
  const char* usage;
};

constexpr MeasureFunction kMeasures[] = {
    {"final", 1, 1, "final(x)"},
    {"min", 1, 1, "min(x)"},
    {"max", 1, 1, "max(x)"},
    {"mean", 1, 1, "mean(x)"},
    {"rms", 1, 1, "rms(x)"},
    {"integral", 1, 1, "integral(x)"},
    {"at", 2, 2, "at(x, t)"},
    {"every", 2, 3, "every(x, period, after)"},
    {"crossing", 2, 2, "crossing(x, level)"},
    {"count", 1, 1, "count(condition)"},
    {"nominal", 1, 1, "nominal(x)"},
};

const MeasureFunction* find_measure(const std::string& name) {
  for (const MeasureFunction& measure : kMeasures) {
    if (name == measure.name) return &measure;
  }
  return nullptr;
}

class StudyCheck {
 public:
  StudyCheck(Elaboration& e, const Scope& scope) : e_(e), scope_(scope) {
    for (const ParameterId id : e.flat.parameters.ids()) {
      parameters_.emplace(e.flat.parameters[id].name, id);
      names_.push_back(e.flat.parameters[id].name);
    }
  }

  void check(const AstClass& study) {
    std::unordered_map<std::string, Span> varied;
    for (const AstVary& vary : study.varies) {
      for (const AstName& target : vary.targets) check_target(target, varied);
      check_options(vary);
      vary.kind == AstVaryKind::kValues ? check_values(vary) : check_distribution(vary);
    }
    std::unordered_map<std::string, Span> measured;
    e_.in_measure = true;
    for (const AstMeasure& measure : study.measures) {
      const auto [known, fresh] = measured.emplace(measure.name.text, measure.name.span);
      if (!fresh) {
        e_.report
            .error(Code::kStudyMeasure, measure.name.span,
                   "'" + measure.name.text + "' is measured twice")
            .with_note("the first one is here", known->second);
      }
      check_measure(measure);
    }
    e_.in_measure = false;
  }

 private:
  void fail(Span span, const std::string& message) {
    e_.report.error(Code::kStudyVary, span, message);
  }

  /// The name as it stands in the flat model: "disc[2].J".
  std::optional<std::string> flat_name(const AstName& name) {
    std::string text;
    for (const AstNamePart& part : name.parts) {
      text += (text.empty() ? "" : ".") + part.name.text;
      std::string subscripts;
      for (const AstExprId id : part.subscripts) {
        const Value value = build_expression(e_, scope_, id);
        if (!value.valid()) return std::nullopt;
        const auto index = structural_integer(e_, value, scope_.ast->exprs[id].span, "a subscript");
        if (!index) return std::nullopt;
        subscripts += (subscripts.empty() ? "" : ",") + std::to_string(*index);
      }
      if (!subscripts.empty()) text += "[" + subscripts + "]";
    }
    return text;
  }

  /// The parameter a name leads to; invalid: none.
  ParameterId parameter(const AstName& name) {
    const std::optional<std::string> text = flat_name(name);
    const auto found = text ? parameters_.find(*text) : parameters_.end();
    return found == parameters_.end() ? ParameterId{} : found->second;
  }

  void check_target(const AstName& target, std::unordered_map<std::string, Span>& varied) {
    const std::optional<std::string> name = flat_name(target);
    if (!name) return;
    const auto found = parameters_.find(*name);
    if (found == parameters_.end()) return report_unknown(target, *name);
    const FlatParameter& parameter = e_.flat.parameters[found->second];
    if (parameter.constant) {
      e_.report
          .error(Code::kStudyVary, target.span,
                 "'" + *name + "' is constant or final and cannot be varied")
          .with_note("it gets its value here", parameter.span);
    }
    const auto [known, fresh] = varied.emplace(*name, target.span);
    if (fresh) return;
    e_.report.error(Code::kStudyVary, target.span, "'" + *name + "' is varied twice")
        .with_note("the first time is here", known->second);
  }

  void report_unknown(const AstName& target, const std::string& name) {
    for (const FlatVariable& variable : e_.flat.variables) {
      if (variable.name != name) continue;
      return fail(target.span, "'" + name + "' is a variable; only parameters can be varied");
    }
    Diagnostic& error = e_.report.error(Code::kStudyVary, target.span,
                                        "there is no parameter '" + name + "' to vary");
    const std::string near = nearest_name(name, names_);
    if (!near.empty()) error.with_label("did you mean '" + near + "'?");
  }

  /// A number known before the runs; nothing after a report.
  std::optional<double> number(AstExprId id, const std::string& what) {
    const Span span = scope_.ast->exprs[id].span;
    const Value value = build_expression(e_, scope_, id);
    if (!value.valid()) return std::nullopt;
    const bool usable = !value.is_array() && value.type != ScalarType::kBoolean &&
                        is_known_before_start(e_.pool, value.e);
    if (!usable) {
      fail(span, what + " is a number that does not change with time");
      return std::nullopt;
    }
    return known_value(e_, value.e);
  }

  void check_values(const AstVary& vary) {
    const Value values = build_expression(e_, scope_, vary.values);
    if (!values.valid()) return;
    const Span span = scope_.ast->exprs[vary.values].span;
    if (values.shape.size() != 1 || values.elements.empty()) {
      e_.report
          .error(Code::kStudyVary, span,
                 std::string("a parameter is varied over a list of values, and this is ") +
                     (values.is_array() ? "of size " + shape_text(values.shape) : "a single value"))
          .with_note("write {1, 2, 3}, linspace(1, 3, 5), 1:3, normal(mean, sd) or uniform(a, b)");
      return;
    }
    for (const Expr value : values.elements) {
      if (is_known_before_start(e_.pool, value)) continue;
      return fail(span, "the values of a parameter do not change with time");
    }
    for (const AstName& target : vary.targets) {
      const ParameterId id = parameter(target);
      if (!id.valid()) continue;
      check_value_unit(e_, declared(e_, id), values, span,
                       "the values of '" + e_.flat.parameters[id].name + "'");
    }
  }

  void check_distribution(const AstVary& vary) {
    const bool normal = vary.kind == AstVaryKind::kNormal;
    const Span span = scope_.ast->exprs[vary.values].span;
    if (vary.carry) fail(vary.span, "'carry' needs values in an order, not random ones");
    if (vary.arguments.size() != 2) {
      return fail(span, normal ? "write normal(mean, standard deviation)"
                               : "write uniform(least, greatest)");
    }
    const auto first = number(vary.arguments[0], normal ? "the mean" : "the least value");
    const auto second =
        number(vary.arguments[1], normal ? "the standard deviation" : "the greatest value");
    if (!first || !second) return;
    const bool counted =
        std::any_of(vary.options.begin(), vary.options.end(),
                    [](const auto& option) { return option.first.text == "samples"; });
    if (!counted) {
      e_.report.error(Code::kStudyVary, span, "nothing says how many values are drawn")
          .with_note("write with samples = 100, seed = 1");
    }
    const bool possible = normal ? *second >= 0 : *second >= *first;
    if (possible && std::isfinite(*first) && std::isfinite(*second)) return;
    fail(span, normal ? "a standard deviation is finite and not negative, and this is " +
                            number_text(*second)
                      : "the greatest value " + number_text(*second) +
                            " must be finite and not below the least one, " + number_text(*first));
  }

  void check_options(const AstVary& vary) {
    std::unordered_set<std::string> seen;
    for (const auto& [name, value] : vary.options) {
      if (!seen.insert(name.text).second) {
        fail(name.span, "the option '" + name.text + "' is given twice");
        continue;
      }
      if (name.text != "samples" && name.text != "seed") {
        Diagnostic& error =
            e_.report.error(Code::kStudyVary, name.span, "there is no option '" + name.text + "'");
        const std::string near = nearest_name(name.text, {"samples", "seed"});
        if (!near.empty()) error.with_label("did you mean '" + near + "'?");
        error.with_note("the options are samples and seed");
        continue;
      }
      if (vary.kind == AstVaryKind::kValues) {
        fail(name.span, "'" + name.text + "' belongs to normal(..) and uniform(..)");
        continue;
      }
      check_count(name, value);
    }
  }

  void check_count(const AstIdentifier& option, AstExprId id) {
    const auto value = number(id, "'" + option.text + "'");
    if (!value) return;
    const double least = option.text == "samples" ? 1 : 0;
    if (*value == std::floor(*value) && *value >= least && *value < 9e15) return;
    fail(scope_.ast->exprs[id].span,
         "'" + option.text + "' is " + (least > 0 ? "a positive Integer" : "an Integer from 0 on") +
             ", and this is " + number_text(*value));
  }

  void check_measure(const AstMeasure& measure) {
    const Value value = build_expression(e_, scope_, measure.value);
    if (!value.valid()) return;
    const Span span = scope_.ast->exprs[measure.value].span;
    if (value.is_array()) {
      e_.report.error(
          Code::kStudyMeasure, span,
          "a measure is one number, and this is an array of size " + shape_text(value.shape));
      return;
    }
    for (const Symbol s : symbols_of(e_.pool, value.e)) {
      if (s.kind == SymbolKind::kParameter) continue;
      e_.report
          .error(Code::kStudyMeasure, span,
                 "a measure is one number for a run, and '" + e_.flat.symbol_name(s) +
                     "' changes with time")
          .with_note(
              "write final(x), max(x), min(x), mean(x), rms(x), integral(x), at(x, t), "
              "every(x, period, after), crossing(x, level) or count(condition)");
      return;
    }
  }

  Elaboration& e_;
  const Scope& scope_;
  std::unordered_map<std::string, ParameterId> parameters_;
  std::vector<std::string> names_;
};

}  // namespace

namespace {

/// crossing(x, level) is a time; the times of at(x, t) and every(x, period, after) are in seconds.
UnitId unit_of_measure(Elaboration& e, const Call& call) {
  const UnitId unit = call.arguments[0].unit;
  if (call.name == "count") return {};
  if (call.name == "integral") return e.units.product(unit, e.units.second());
  if (call.name == "crossing") {
    Value unused;
    give_common_unit(e, {call.arguments, call.argument_spans},
                     "a quantity and its level have different units", unused);
    return e.units.second();
  }
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    check_value_unit(e, {"time", "s", e.units.second(), {}}, call.arguments[i],
                     call.argument_spans[i], "the time of '" + call.name + "'");
  }
  return unit;
}

}  // namespace

bool is_measure_function(const std::string& name) {
  return find_measure(name) != nullptr && name != "min" && name != "max";
}

Value build_measure(Elaboration& e, const Call& call) {
  const MeasureFunction& measure = *find_measure(call.name);
  const std::size_t count = call.arguments.size();
  const auto fail = [&](Span span, const std::string& message) -> Value {
    e.report.error(Code::kStudyMeasure, span, message);
    return {};
  };
  if (count < measure.least || count > measure.most) {
    return fail(call.span, std::string("write ") + measure.usage);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Value& argument = call.arguments[i];
    const bool condition = call.name == "count";
    if (argument.is_array()) {
      return fail(call.argument_spans[i], "'" + call.name + "' is taken of single values");
    }
    if ((argument.type == ScalarType::kBoolean) != condition) {
      return fail(call.argument_spans[i],
                  condition ? "'count' counts how often a condition becomes true: count(x > 1)"
                            : "'" + call.name + "' needs a number, and this is true or false");
    }
    if (i > 0 && !is_known_before_start(e.pool, argument.e)) {
      return fail(call.argument_spans[i],
                  "this does not change with time: " + std::string(measure.usage));
    }
  }
  // The number itself is known after the run only.
  if (call.name == "nominal") return call.arguments[0];
  return {e.pool.one(), ScalarType::kReal, {}, {}, unit_of_measure(e, call), {}};
}

void check_studies(Elaboration& e, const Ast& file, ClassId model) {
  for (const AstClassId id : file.classes) {
    const AstClass& study = file.class_table[id];
    if (study.kind != AstClassKind::kStudy) continue;
    const ClassId of = e.classes.find_class(e.classes.user_scope(), study.study_of);
    if (!of.valid() || e.classes.identity(of) != e.classes.identity(model)) continue;
    const Scope scope{&file, e.root, model};
    StudyCheck(e, scope).check(study);
  }
}

}  // namespace luztar
