#include "compiler/semantics/flatten.h"

#include <array>
#include <cmath>
#include <set>

#include "compiler/semantics/connections.h"
#include "compiler/semantics/elaboration.h"
#include "compiler/semantics/equations.h"
#include "compiler/semantics/expressions.h"
#include "compiler/semantics/instantiate.h"
#include "compiler/semantics/parameters.h"
#include "compiler/semantics/studies.h"
#include "compiler/semantics/unit_rules.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

bool can_run(AstClassKind kind) {
  return kind == AstClassKind::kModel || kind == AstClassKind::kBlock ||
         kind == AstClassKind::kClass;
}

/// Qualified names of the models in a file, also those inside packages.
std::vector<std::string> models_of(const Ast& file) {
  std::vector<std::string> names;
  std::vector<std::pair<AstClassId, std::string>> open;
  for (const AstClassId id : file.classes) open.emplace_back(id, "");
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto [id, prefix] = open[i];
    const AstClass& cls = file.class_table[id];
    const std::string name = prefix + cls.name.text;
    if (can_run(cls.kind)) names.push_back(name);
    for (const AstClassId nested : cls.nested) open.emplace_back(nested, name + ".");
  }
  return names;
}

ClassId last_model(const Ast& file, ClassTable& classes, Reporter& report) {
  const AstClass* last = nullptr;
  for (const AstClassId id : file.classes) {
    const AstClass& cls = file.class_table[id];
    // A base beside the models that extend it is not meant, wherever it stands.
    const bool better = last == nullptr || last->partial || !cls.partial;
    if (cls.kind == AstClassKind::kModel && better) last = &cls;
  }
  if (last != nullptr) return classes.child(classes.user_scope(), last->name.text);
  Diagnostic& error =
      report.error(Code::kNoModel, Span{file.file, 0, 0}, "the file has no model to run");
  const std::vector<std::string> names = models_of(file);
  if (!names.empty()) error.with_note("--class " + names.back() + " runs a class inside it");
  return {};
}

ClassId named_class(const Ast& file, const std::string& name, ClassTable& classes,
                    Reporter& report) {
  Found found;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    found = begin == 0 ? classes.find_visible(classes.user_scope(), part)
                       : Found{classes.child(found.cls, part)};
    if (!found.valid() || found.is_member()) break;
    if (classes[found.cls].kind == ClassEntry::Kind::kBroken) return {};
    begin = end + 1;
  }
  if (found.valid() && !found.is_member()) return found.cls;
  std::string message = "there is no class '" + name + "'";
  const std::string near = nearest_name(name, models_of(file));
  if (!near.empty()) message += "; did you mean '" + near + "'?";
  report.error(Code::kUnknownClass, {}, message);
  return {};
}

/// The class to run; errors: LT2001, LT2007, LT2019, LT2024.
ClassId select_model(const Ast& file, const std::string& name, ClassTable& classes,
                     Reporter& report) {
  const ClassId cls =
      name.empty() ? last_model(file, classes, report) : named_class(file, name, classes, report);
  if (!cls.valid()) return {};
  const bool is_class = classes[cls].kind == ClassEntry::Kind::kClass;
  const AstClassKind kind = is_class ? classes.definition(cls).kind : AstClassKind::kPackage;
  const Span span = is_class ? classes.definition(cls).name.span : Span{};
  if (!can_run(kind)) {
    report.error(Code::kWrongClassKind, span,
                 "'" + classes[cls].name + "' is a " + kind_text(kind) +
                     "; only a model or block can be run");
    return {};
  }
  if (classes.definition(cls).partial) {
    report.error(Code::kPartialInstance, span,
                 "'" + classes[cls].name + "' is partial and cannot be run; extend it");
  }
  return cls;
}

/// Entries that nobody knows are ignored, but one that was meant to count is not.
void warn_of_misspelling(Elaboration& e, const AstName& name) {
  const std::string text = name_text(name);
  const std::string near = nearest_name(text, {"StartTime", "StopTime", "Interval", "Tolerance"});
  if (near.empty() || near == text) return;
  e.report.diagnostics()
      .warning(Code::kExperiment, name.span, "the experiment has no '" + text + "'")
      .with_label("did you mean '" + near + "'?");
}

/// Values of one experiment annotation.
void read_experiment(Elaboration& e, const Scope& scope, const AstModifier& annotation) {
  Experiment& experiment = e.flat.experiment;
  experiment.span = annotation.span;
  const std::pair<const char*, double*> entries[] = {{"StartTime", &experiment.start},
                                                     {"StopTime", &experiment.stop},
                                                     {"Interval", &experiment.interval},
                                                     {"Tolerance", &experiment.tolerance}};
  for (const AstModifier& modifier : annotation.nested) {
    warn_of_misspelling(e, modifier.name);
    for (const auto& [name, target] : entries) {
      if (name_text(modifier.name) != name || !modifier.value.valid()) continue;
      const Value quantity = build_number(e, {scope, modifier.value});
      if (!quantity.valid()) continue;
      const bool is_time = target != &experiment.tolerance;
      check_value_unit(e,
                       {name, is_time ? "s" : "1", is_time ? e.units.second() : e.units.one(), {}},
                       quantity, modifier.span, std::string("the experiment"));
      const Expr value = quantity.e;
      const bool known = is_known_before_start(e.pool, value);
      const double number =
          known ? evaluate(e.pool, value, e.flat.parameter_values()) : std::nan("");
      if (std::isfinite(number)) {
        *target = number;
      } else {
        e.report.error(known ? Code::kNotANumber : Code::kNotAParameterExpression, modifier.span,
                       std::string(name) + " of the experiment is not a finite number");
      }
    }
  }
}

/// The experiment of the model, or of the nearest base that has one.
void find_experiment(Elaboration& e) {
  const Instance& root = e.instances[e.root];
  const std::vector<ClassId>& lineage = e.classes.info(root.cls).lineage;
  for (auto cls = lineage.rbegin(); cls != lineage.rend(); ++cls) {
    for (const AstModifier& annotation : e.classes.definition(*cls).annotation) {
      if (name_text(annotation.name) != "experiment") continue;
      return read_experiment(e, {e.classes[*cls].ast, e.root, *cls}, annotation);
    }
  }
}

/// The annotation of flat text, __LuzTar(unitsChecked = true). Numbers to which units have adapted
/// may have cancelled in it: 1*phi became phi.
bool has_checked_units(const AstClass& model) {
  return std::any_of(model.annotation.begin(), model.annotation.end(), [](const AstModifier& m) {
    return name_text(m.name) == "__LuzTar" &&
           std::any_of(m.nested.begin(), m.nested.end(),
                       [](const AstModifier& n) { return name_text(n.name) == "unitsChecked"; });
  });
}

/// LT2016 when the first column of a table decreases.
void check_table(Elaboration& e, Expr table, Span span) {
  const std::span<const Expr> args = e.pool.args(table);
  for (std::size_t i = 3; i < args.size(); i += 2) {
    const double before = evaluate(e.pool, args[i - 2], e.flat.parameter_values());
    const double here = evaluate(e.pool, args[i], e.flat.parameter_values());
    if (!(here < before)) continue;
    e.report.error(Code::kWrongArguments, span,
                   "the first column of a table must not decrease: " + number_text(before) +
                       " stands before " + number_text(here));
    return;
  }
}

/// The value of a parameter expression; not a number where it varies.
double parametric_value(const Elaboration& e, Expr x) {
  const bool varies =
      depends_on(e.pool, x, [](Symbol s) { return s.kind != SymbolKind::kParameter; });
  return varies ? std::nan("") : evaluate(e.pool, x, e.flat.parameter_values());
}

/// LT2016 for a dry friction that drives, or that holds less at rest than it takes to slip.
void check_friction(Elaboration& e, Expr law, Span span) {
  const double kinetic = parametric_value(e, e.pool.arg(law, 1));
  const double at_rest = parametric_value(e, e.pool.arg(law, 2));
  if (kinetic < 0) {
    e.report.error(Code::kWrongArguments, span,
                   "a dry friction is negative: " + number_text(kinetic));
  } else if (at_rest < kinetic) {
    e.report.error(Code::kWrongArguments, span,
                   "static friction must not be below kinetic friction: " + number_text(at_rest) +
                       " and " + number_text(kinetic));
  }
}

/// LT2016 for a half width below zero.
void check_half_width(Elaboration& e, Expr law, Span span) {
  const Expr width = e.pool.arg(law, 1);
  const double value = parametric_value(e, width);
  if (!(value < 0)) return;
  e.report.error(Code::kWrongArguments, span,
                 "the half width '" + to_text(e.pool, width, e.flat.names()) +
                     "' is negative: " + number_text(value));
}

/// LT2016 for a stop whose impacts would make energy, or do not part what they hit.
void check_restitution(Elaboration& e, Expr stop, Span span) {
  const Expr restitution = e.pool.arg(stop, 2);
  const double value = parametric_value(e, restitution);
  if (!(value < 0 || value > 1)) return;
  e.report.error(Code::kWrongArguments, span,
                 "the restitution '" + to_text(e.pool, restitution, e.flat.names()) +
                     "' of a hardstop is not between 0 and 1: " + number_text(value));
}

/// LT2016 for half widths, restitutions, frictions and tables that the parameters make impossible;
/// literal half widths and frictions are found where they stand.
void check_laws(Elaboration& e) {
  std::set<Expr> seen;
  for (const FlatEquation& equation : e.flat.equations) {
    const std::array sides = {equation.left, equation.right};
    for (const Expr node : topological_order(e.pool, sides)) {
      const Op op = e.pool[node].op;
      const bool has_width = op == Op::kLuz || op == Op::kNas || op == Op::kStop;
      if (!has_width && op != Op::kTable && op != Op::kDry) continue;
      if (!seen.insert(node).second) continue;
      if (op == Op::kTable) check_table(e, node, equation.span);
      if (op == Op::kDry) check_friction(e, node, equation.span);
      if (op == Op::kStop) check_restitution(e, node, equation.span);
      if (has_width) check_half_width(e, node, equation.span);
    }
  }
}

}  // namespace

std::optional<FlatModel> flatten(const Ast& file, const std::string& class_name,
                                 const std::vector<Setting>& settings, ClassLibrary& library,
                                 SourceMap& sources, ExprPool& pool, Diagnostics& diagnostics) {
  Reporter report(diagnostics);
  ClassTable classes(file, library, report);
  const ClassId model = select_model(file, class_name, classes, report);
  if (!model.valid()) return std::nullopt;
  Settings values = read_settings(settings, sources, report);
  Elaboration e{classes, pool, report, values, {}, {}, {}, {}, {}, {}, {}, 0, 0, {}, {}, {}};
  e.flat.name = classes[model].name;
  e.most_components = library.most_components();
  if (has_checked_units(classes.definition(model))) e.units.trust();
  instantiate(e, model);
  if (e.full) return std::nullopt;
  // A part or an equation that failed could have been the source of an input.
  bool signals_complete = !diagnostics.has_errors();
  build_parameters(e);
  const std::size_t errors_before = diagnostics.error_count();
  build_equations(e);
  signals_complete = signals_complete && diagnostics.error_count() == errors_before;
  build_parameters(e);  // constants that only equations use
  check_settings(e);
  evaluate_parameters(e);
  check_assertions(e);
  if (!diagnostics.has_errors()) check_laws(e);
  find_experiment(e);
  if (signals_complete) check_signals(e);
  check_studies(e, file, model);
  classes.check_imports();
  if (diagnostics.has_errors()) return std::nullopt;
  return std::move(e.flat);
}

}  // namespace luztar
