// The flat model as text in the syntax of the language; names keep their dots.
#include "compiler/symbolic/print.h"

#include <string>

#include "compiler/semantics/flat_model.h"

namespace luztar {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + '"';
}

const char* type_text(ScalarType type) {
  switch (type) {
    case ScalarType::kReal:
      return "Real ";
    case ScalarType::kInteger:
      return "Integer ";
    case ScalarType::kBoolean:
      return "Boolean ";
  }
  return "";
}

class Printer {
 public:
  Printer(const FlatModel& model, const ExprPool& pool)
      : model_(model), pool_(pool), names_(model.names()) {}

  std::string print() {
    out_ = "model " + model_.name + "\n";
    for (const FlatParameter& parameter : model_.parameters) print(parameter);
    for (const FlatVariable& variable : model_.variables) print(variable);
    out_ += "equation\n";
    PartId part;
    for (const FlatEquation& equation : model_.equations) {
      heading(equation.part, part);
      out_ += "  " + text(equation.left) + " = " + text(equation.right) + ";\n";
    }
    part = PartId{};
    for (const FlatConnection& connection : model_.connections) {
      out_ += "  connect(" + model_.connectors[connection.a].name + ", " +
              model_.connectors[connection.b].name + ");\n";
    }
    for (const FlatAssertion& assertion : model_.assertions) {
      heading(assertion.part, part);
      out_ += "  assert(" + text(assertion.condition) + ", " + quoted(assertion.message) + ");\n";
    }
    const Experiment& e = model_.experiment;
    out_ += "  annotation(experiment(StartTime = " + number_text(e.start) +
            ", StopTime = " + number_text(e.stop);
    if (e.interval != 0) out_ += ", Interval = " + number_text(e.interval);
    out_ += ", Tolerance = " + number_text(e.tolerance) + "));\nend " + model_.name + ";\n";
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string text(Expr e) const { return to_text(pool_, e, names_); }

  [[nodiscard]] std::string value_text(ScalarType type, Expr e) const {
    if (type == ScalarType::kBoolean && pool_.is_constant(e)) {
      return pool_.is_zero(e) ? "false" : "true";
    }
    return text(e);
  }

  void heading(PartId part, PartId& last) {
    if (part == last) return;
    last = part;
    const FlatPart& p = model_.parts[part];
    out_ +=
        "  // " + (p.name.empty() ? std::string("the model") : p.name) + ": " + p.class_name + "\n";
  }

  /// "(unit = "m", start = 0)"
  class Attributes {
   public:
    void add(const std::string& name, const std::string& value) {
      text_ += (text_.empty() ? "(" : ", ") + name + " = " + value;
    }
    [[nodiscard]] std::string text() const { return text_.empty() ? "" : text_ + ")"; }

   private:
    std::string text_;
  };

  void end_declaration(const std::string& description) {
    if (!description.empty()) out_ += " " + quoted(description);
    out_ += ";\n";
  }

  void print(const FlatParameter& p) {
    out_ += p.constant ? "  constant " : "  parameter ";
    Attributes attributes;
    if (!p.unit.empty()) attributes.add("unit", quoted(p.unit));
    if (!p.display_unit.empty()) attributes.add("displayUnit", quoted(p.display_unit));
    out_ += type_text(p.type) + p.name + attributes.text() + " = " + value_text(p.type, p.binding);
    end_declaration(p.description);
  }

  void print(const FlatVariable& v) {
    out_ += "  ";
    if (v.role == VariableRole::kFlow) out_ += "flow ";
    if (v.input) out_ += "input ";
    if (v.output) out_ += "output ";
    Attributes attributes;
    if (!v.unit.empty()) attributes.add("unit", quoted(v.unit));
    if (!v.display_unit.empty()) attributes.add("displayUnit", quoted(v.display_unit));
    if (v.start_given || !pool_.is_zero(v.start)) {
      attributes.add("start", value_text(v.type, v.start));
    }
    if (v.fixed) attributes.add("fixed", "true");
    out_ += type_text(v.type) + v.name + attributes.text();
    end_declaration(v.description);
  }

  const FlatModel& model_;
  const ExprPool& pool_;
  SymbolNames names_;
  std::string out_;
};

}  // namespace

std::string print(const FlatModel& model, const ExprPool& pool) {
  return Printer(model, pool).print();
}

}  // namespace luztar
