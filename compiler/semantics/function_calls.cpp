#include "compiler/semantics/function_calls.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "compiler/semantics/member_modifications.h"
#include "compiler/semantics/scalars.h"
#include "compiler/semantics/structure.h"
#include "compiler/semantics/unit_rules.h"

namespace luztar {
namespace {

/// One call: the arguments and variables of the function, and its assignments in order.
class Inlining {
 public:
  Inlining(Elaboration& e, ClassId function, const Call& call,
           const std::vector<AstIdentifier>& names)
      : e_(e), function_(function), info_(e.classes.info(function)), call_(call), names_(names) {}

  Value run() {
    if (!check_body() || !give_arguments() || !declare_inner()) return {};
    for (const ClassId cls : info_.lineage) {
      for (const AstAssignment& assignment : e_.classes.definition(cls).algorithm) {
        if (!assign(assignment, cls)) return {};
      }
    }
    return output_value();
  }

 private:
  /// A member of the function while it runs.
  struct Entry {
    const Member* member = nullptr;
    Local* local = nullptr;
    const ScalarAlias* scalar = nullptr;
    std::optional<Shape> shape;  // as declared, once it is known
    Span given;                  // where an argument stands
    Source binding;              // the value it has of its own, perhaps from an extends clause
    Declared declared;           // with its unit
  };

  bool fail(Code code, Span span, const std::string& message) {
    e_.report.error(code, span, message);
    return false;
  }

  [[nodiscard]] const std::string& name() const { return e_.classes[function_].name; }
  [[nodiscard]] Span name_span() const { return e_.classes.definition(function_).name.span; }

  [[nodiscard]] std::ptrdiff_t inputs() const {
    return std::count_if(info_.members.begin(), info_.members.end(), [](const Member& member) {
      return member.declaration->causality == AstCausality::kInput;
    });
  }

  bool check_body() {
    const AstClass& definition = e_.classes.definition(function_);
    if (info_.incomplete) return false;
    if (definition.partial) {
      e_.report.error(Code::kPartialInstance, call_.span, "'" + name() + "' is partial")
          .with_note("it is declared here", name_span());
      return false;
    }
    bool has_body = false;
    for (const ClassId cls : info_.lineage) {
      const AstClass& part = e_.classes.definition(cls);
      has_body = has_body || part.has_algorithm;
      if (part.equations.empty()) continue;
      e_.report
          .error(Code::kFunctionBody, e_.classes[cls].ast->equations[part.equations.front()].span,
                 "a function has assignments, not equations")
          .with_note("write algorithm y := ...;");
      return false;
    }
    std::size_t outputs = 0;
    for (const Member& member : info_.members) {
      if (member.declaration->causality == AstCausality::kOutput) ++outputs;
    }
    if (outputs == 1 && has_body) return true;
    return fail(Code::kFunctionBody, name_span(),
                outputs == 0  ? "the function '" + name() + "' has no output"
                : outputs > 1 ? "the function '" + name() +
                                    "' has several outputs; write one function for each"
                              : "the function '" + name() + "' assigns nothing to its output");
  }

  // --- arguments

  bool give_arguments() {
    for (std::uint32_t i = 0; i < info_.members.size(); ++i) {
      const Member& member = info_.members[i];
      const ComponentType& type = e_.classes.type_of(function_, i);
      if (type.kind == ComponentType::Kind::kError) return false;
      if (type.kind == ComponentType::Kind::kClass) {
        return fail(Code::kWrongClassKind, member.declaration->type.span,
                    "only Real, Integer and Boolean are arguments and variables of a function");
      }
      // Constants are found as those of any class.
      if (member.declaration->variability == AstVariability::kConstant) continue;
      const ScalarModification merged = merged_modification(i, *type.scalar);
      entries_.push_back({&member,
                          nullptr,
                          type.scalar,
                          std::nullopt,
                          {},
                          merged.binding,
                          declared_unit(member, merged)});
    }
    if (!assign_positions()) return false;
    for (Entry& entry : entries_) {
      if (entry.member->declaration->causality != AstCausality::kInput) continue;
      if (entry.local == nullptr && !give_default(entry)) return false;
      if (!check_shape(entry, entry.given)) return false;
    }
    return true;
  }

  ScalarModification merged_modification(std::uint32_t position, const ScalarAlias& type) {
    const Member& member = info_.members[position];
    const Modification own{nullptr, member.declaration, 0, scope_of(member.written_in)};
    return merge_scalar(inherited_modifications(e_, function_, position, InstanceId{}), own, type,
                        e_.classes, e_.report);
  }

  Declared declared_unit(const Member& member, const ScalarModification& merged) {
    const AstComponent& declaration = *member.declaration;
    const std::string unit = unit_text(e_, merged, Attribute::kUnit);
    return {declaration.name.text, unit, *e_.units.declared(unit), declaration.name.span};
  }

  bool assign_positions() {
    std::size_t next = 0;
    bool any_named = false;
    for (std::size_t i = 0; i < call_.arguments.size(); ++i) {
      const bool named = i < names_.size() && !names_[i].text.empty();
      if (any_named && !named) {
        return fail(Code::kWrongArguments, call_.argument_spans[i],
                    "an argument without a name stands after one with a name");
      }
      any_named = named;
      Entry* entry = nullptr;
      if (named) {
        entry = find(names_[i].text);
        if (entry != nullptr && entry->member->declaration->causality != AstCausality::kInput) {
          entry = nullptr;
        }
        if (entry == nullptr) {
          return fail(Code::kWrongArguments, names_[i].span,
                      "'" + name() + "' has no input '" + names_[i].text + "'");
        }
        if (entry->local != nullptr) {
          return fail(Code::kWrongArguments, names_[i].span,
                      "the input '" + names_[i].text + "' is given twice");
        }
      } else {
        while (next < entries_.size() &&
               entries_[next].member->declaration->causality != AstCausality::kInput) {
          ++next;
        }
        if (next == entries_.size()) {
          return fail(Code::kWrongArguments, call_.argument_spans[i],
                      "'" + name() + "' takes " + std::to_string(inputs()) +
                          (inputs() == 1 ? " argument" : " arguments") + ", not " +
                          std::to_string(call_.arguments.size()));
        }
        entry = &entries_[next++];
      }
      entry->given = call_.argument_spans[i];
      if (!check_type(*entry, call_.arguments[i], entry->given)) return false;
      check_value_unit(e_, entry->declared, call_.arguments[i], entry->given,
                       "the argument '" + entry->declared.name + "' of '" + name() + "'");
      declare(*entry, call_.arguments[i]);
    }
    return true;
  }

  bool give_default(Entry& entry) {
    if (!entry.binding.valid()) {
      const AstComponent& declaration = *entry.member->declaration;
      e_.report
          .error(Code::kWrongArguments, call_.span,
                 "the input '" + declaration.name.text + "' of '" + name() + "' has no value")
          .with_note("it is declared here", declaration.name.span);
      return false;
    }
    return bind(entry);
  }

  /// The value in the declaration of an input or variable.
  bool bind(Entry& entry) {
    const Value value =
        build_expression(e_, scope_of(entry.binding.scope.cls), entry.binding.value);
    entry.given = entry.binding.span();
    if (!value.valid() || !check_type(entry, value, entry.given)) return false;
    check_value_unit(e_, entry.declared, value, entry.given,
                     "the value of '" + entry.declared.name + "'");
    declare(entry, value);
    return true;
  }

  void declare(Entry& entry, Value value) {
    if (entry.declared.id.valid()) value.set_units({entry.declared.id});
    const Local* outer = locals_.empty() ? nullptr : &locals_.back();
    locals_.push_back({entry.member->declaration->name.text, std::move(value), outer});
    entry.local = &locals_.back();
  }

  Entry* find(const std::string& text) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.member->declaration->name.text == text;
    });
    return found == entries_.end() ? nullptr : &*found;
  }

  [[nodiscard]] Scope scope_of(ClassId cls) const {
    return {e_.classes[cls].ast, InstanceId{}, cls, locals_.empty() ? nullptr : &locals_.back()};
  }

  bool check_type(const Entry& entry, const Value& value, Span span) {
    const std::string& text = entry.member->declaration->name.text;
    const bool boolean = entry.scalar->type == ScalarType::kBoolean;
    if ((value.type == ScalarType::kBoolean) != boolean) {
      return fail(Code::kTypeMismatch, span,
                  "'" + text + "' is " + (boolean ? "true or false" : "a number") +
                      ", and this is " + (boolean ? "a number" : "true or false"));
    }
    if (entry.scalar->type == ScalarType::kInteger && value.type != ScalarType::kInteger) {
      return fail(Code::kTypeMismatch, span,
                  "'" + text + "' is an Integer, and this is a Real expression");
    }
    return true;
  }

  /// The declared size of an entry against that of its value; `:` takes any.
  bool check_shape(Entry& entry, Span span) {
    if (!declared_size(entry)) return false;
    const Value& value = entry.local->value;
    if (value.shape == *entry.shape) return true;
    const AstComponent& declaration = *entry.member->declaration;
    e_.report
        .error(Code::kSizeMismatch, span,
               "'" + declaration.name.text + "' of '" + name() + "' has the size " +
                   shape_text(*entry.shape) + ", and this has the size " + shape_text(value.shape))
        .with_note("it is declared here", declaration.name.span);
    return false;
  }

  bool declared_size(Entry& entry) {
    const AstComponent& declaration = *entry.member->declaration;
    const Scope scope = scope_of(entry.member->written_in);
    std::vector<Source> sizes;
    for (const AstExprId size : declaration.dimensions) sizes.push_back({scope, size});
    for (const TypeDimension& size : entry.scalar->dimensions) {
      sizes.push_back({scope_of(size.written_in), size.size});
    }
    const Shape given = entry.local != nullptr ? entry.local->value.shape : Shape{};
    Shape shape;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const bool open = sizes[d].scope.ast->exprs[sizes[d].value].kind == AstExprKind::kColon;
      if (open && d < given.size()) {
        shape.push_back(given[d]);
        continue;
      }
      const auto declared = declared_shape(e_, {sizes[d]}, Source{}, declaration.name.text);
      if (!declared) return false;
      shape.push_back(declared->front());
    }
    entry.shape = std::move(shape);
    return true;
  }

  // --- variables and assignments

  /// Outputs and protected variables, with the values of their declarations.
  bool declare_inner() {
    for (Entry& entry : entries_) {
      const AstComponent& declaration = *entry.member->declaration;
      if (declaration.causality == AstCausality::kInput) continue;
      if (entry.binding.valid()) {
        if (!bind(entry) || !check_shape(entry, entry.given)) return false;
        continue;
      }
      if (!declared_size(entry)) return false;
      Value unset{Expr{}, entry.scalar->type, *entry.shape, {}};
      unset.elements.resize(entry.shape->empty() ? 0 : element_count(*entry.shape));
      declare(entry, std::move(unset));
    }
    return true;
  }

  bool assign(const AstAssignment& assignment, ClassId cls) {
    const AstNamePart& target = assignment.target.parts.front();
    Entry* entry = find(target.name.text);
    if (entry == nullptr || assignment.target.parts.size() > 1) {
      return fail(
          Code::kUnknownName, assignment.target.span,
          "'" + name_text(assignment.target) + "' is no variable of the function '" + name() + "'");
    }
    if (entry->member->declaration->causality == AstCausality::kInput) {
      return fail(Code::kFunctionBody, assignment.target.span,
                  "'" + target.name.text + "' is an input and cannot be assigned");
    }
    const Scope scope = scope_of(cls);
    const Value value = build_expression(e_, scope, assignment.value);
    const Span span = scope.ast->exprs[assignment.value].span;
    if (!value.valid() || !check_type(*entry, value, span)) return false;
    check_value_unit(e_, entry->declared, value, span,
                     "the value of '" + entry->declared.name + "'");
    Value& variable = entry->local->value;
    const auto selection = select_elements(e_, scope, target.subscripts, *entry->shape,
                                           target.name.text, assignment.target.span);
    if (!selection) return false;
    if (selection->shape != value.shape) {
      return fail(Code::kSizeMismatch, span,
                  "'" + target.name.text + "' takes " +
                      (selection->shape.empty() ? "a single value"
                                                : "the size " + shape_text(selection->shape)) +
                      ", and this is " +
                      (value.is_array() ? "of size " + shape_text(value.shape) : "a single value"));
    }
    if (entry->shape->empty()) {
      variable.e = value.e;
      if (!entry->declared.id.valid()) variable.unit = value.unit;
      return true;
    }
    const std::vector<std::size_t> places = selected(*selection, *entry->shape);
    // Without a declared unit every element has that of what it was given.
    const bool inferred = !entry->declared.id.valid();
    if (inferred) variable.units.resize(variable.count(), variable.unit);
    for (std::size_t i = 0; i < places.size(); ++i) {
      variable.elements[places[i]] = value.element(i);
      if (inferred) variable.units[places[i]] = value.unit_of(i);
    }
    return true;
  }

  Value output_value() {
    for (const Entry& entry : entries_) {
      if (entry.member->declaration->causality != AstCausality::kOutput) continue;
      const Value& value = entry.local->value;
      bool complete = value.valid();
      for (const Expr element : value.elements) complete = complete && element.valid();
      if (complete) return value;
      const AstIdentifier& output = entry.member->declaration->name;
      const bool partly = std::any_of(value.elements.begin(), value.elements.end(),
                                      [](Expr element) { return element.valid(); });
      e_.report
          .error(Code::kFunctionBody, output.span,
                 "the function '" + name() + "' assigns " +
                     (partly ? "only some elements of" : "nothing to") + " its output '" +
                     output.text + "'")
          .with_note("write " + output.text + " := ...; after 'algorithm'");
    }
    return {};
  }

  Elaboration& e_;
  ClassId function_;
  const ClassInfo& info_;
  const Call& call_;
  const std::vector<AstIdentifier>& names_;
  std::vector<Entry> entries_;  // in the order of declaration
  std::deque<Local> locals_;
};

}  // namespace

ClassId find_function(Elaboration& e, const Scope& scope, const AstName& name) {
  if (!scope.cls.valid()) return {};
  Found found = e.classes.find_visible(scope.cls, name.parts[0].name.text);
  for (std::size_t i = 1; i < name.parts.size() && found.valid() && !found.is_member(); ++i) {
    found = e.classes.find_inside(found.cls, name.parts[i].name.text);
  }
  const bool is_class =
      found.valid() && !found.is_member() && e.classes[found.cls].kind == ClassEntry::Kind::kClass;
  if (!is_class || e.classes.definition(found.cls).kind != AstClassKind::kFunction) return {};
  return found.cls;
}

Value inline_call(Elaboration& e, ClassId function, const Call& call,
                  const std::vector<AstIdentifier>& names) {
  if (std::find(e.calls.begin(), e.calls.end(), function) != e.calls.end()) {
    e.report
        .error(Code::kRecursiveClass, call.span,
               "the function '" + e.classes[function].name + "' calls itself")
        .with_note("functions are inlined; write a formula, or sum(.. for i in 1:n)");
    return {};
  }
  const NestingGuard nesting(e);
  if (!nesting.admits(call.span) || !count_repetition(e, call.span)) return {};
  e.calls.push_back(function);
  Value value = Inlining(e, function, call, names).run();
  e.calls.pop_back();
  return value;
}

}  // namespace luztar
