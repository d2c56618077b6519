// The flat model as text that compiles to the same model: a class for the parts that agree,
// without arrays, inheritance or modifiers. Values are given where the parts stand in the model, as
// only there every name is visible.
#include "compiler/symbolic/print.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/semantics/flat_model.h"
#include "compiler/symbolic/operations.h"
#include "compiler/syntax/print_text.h"

namespace luztar {
namespace {

const char* type_text(ScalarType type) {
  switch (type) {
    case ScalarType::kReal:
      return "Real";
    case ScalarType::kInteger:
      return "Integer";
    case ScalarType::kBoolean:
      return "Boolean";
  }
  return "";
}

/// "(a, b)"; nothing when empty
std::string list_text(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "(" : ", ") + item;
  return text.empty() ? "" : text + ")";
}

class Printer {
 public:
  Printer(const FlatModel& model, const ExprPool& pool)
      : model_(model), pool_(pool), contents_(model.parts.size()), classes_(model.parts.size()) {
    sort_into_parts();
  }

  std::string print() {
    // Parts stand before what is in them.
    for (std::size_t i = model_.parts.size(); i-- > 1;) define_class(PartId{i});
    print_declarations(kModel, 1);
    print_laws(kModel, 1);
    print_experiment();
    const std::string name = identifier_text(model_.name);
    return "model " + name + "\n" + definitions_ + out_ + "end " + name + ";\n";
  }

 private:
  static constexpr PartId kModel{std::size_t{0}};

  /// A part or connector in a part, in the order of their variables.
  struct Structured {
    std::uint32_t first_variable = std::numeric_limits<std::uint32_t>::max();
    PartId part;
    ConnectorId connector;
  };

  struct Contents {
    std::vector<ParameterId> parameters;
    std::vector<VariableId> variables;  // of no connector with an instance of its own
    std::vector<Structured> structured;
    std::vector<FlatEquationId> equations;
    std::vector<std::size_t> connections, assertions;
    std::uint32_t first_variable = std::numeric_limits<std::uint32_t>::max();
    std::size_t depth = 0;
  };

  // --- what belongs where

  void sort_into_parts() {
    for (const PartId part : model_.parts.ids()) {
      const PartId parent = model_.parts[part].parent;
      if (parent.valid()) contents_[part.value].depth = contents_[parent.value].depth + 1;
    }
    for (const ParameterId p : model_.parameters.ids()) {
      contents_[model_.parameters[p].part.value].parameters.push_back(p);
    }
    for (const VariableId v : model_.variables.ids()) {
      const FlatVariable& variable = model_.variables[v];
      if (!in_connector(variable)) contents_[variable.part.value].variables.push_back(v);
      for (PartId p = variable.part; p.valid(); p = model_.parts[p].parent) {
        std::uint32_t& first = contents_[p.value].first_variable;
        if (first <= v.value) break;
        first = v.value;
      }
    }
    for (const ConnectorId c : model_.connectors.ids()) {
      const FlatConnector& connector = model_.connectors[c];
      if (!has_class(connector)) continue;
      Structured item{std::numeric_limits<std::uint32_t>::max(), {}, c};
      for (const VariableId v : variables_of(connector)) {
        item.first_variable = std::min(item.first_variable, v.value);
      }
      contents_[connector.part.value].structured.push_back(item);
    }
    for (const PartId part : model_.parts.ids()) {
      const PartId parent = model_.parts[part].parent;
      if (!parent.valid()) continue;
      contents_[parent.value].structured.push_back(
          {contents_[part.value].first_variable, part, {}});
    }
    for (Contents& contents : contents_) {
      std::stable_sort(
          contents.structured.begin(), contents.structured.end(),
          [](const auto& a, const auto& b) { return a.first_variable < b.first_variable; });
    }
    for (const FlatEquationId e : model_.equations.ids()) {
      const FlatEquation& equation = model_.equations[e];
      contents_[scope_of(equation.part, {equation.left, equation.right}).value].equations.push_back(
          e);
    }
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      contents_[model_.connections[i].scope.value].connections.push_back(i);
    }
    for (std::size_t i = 0; i < model_.assertions.size(); ++i) {
      const FlatAssertion& assertion = model_.assertions[i];
      contents_[scope_of(assertion.part, {assertion.condition}).value].assertions.push_back(i);
    }
  }

  /// The innermost part around `part` that sees all symbols.
  PartId scope_of(PartId part, std::initializer_list<Expr> expressions) const {
    for (const Expr e : expressions) {
      for (const Symbol s : symbols_of(pool_, e)) {
        PartId other = part;
        if (s.kind == SymbolKind::kVariable) other = model_.variables[VariableId{s.index}].part;
        if (s.kind == SymbolKind::kParameter && !is_package_constant(ParameterId{s.index})) {
          other = model_.parameters[ParameterId{s.index}].part;
        }
        part = common_part(part, other);
      }
    }
    return part;
  }

  PartId common_part(PartId a, PartId b) const {
    while (a != b) {
      PartId& deeper = contents_[a.value].depth >= contents_[b.value].depth ? a : b;
      deeper = model_.parts[deeper].parent;
    }
    return a;
  }

  /// A connector that is more than a scalar signal.
  static bool has_class(const FlatConnector& connector) { return connector.type != "Real"; }
  [[nodiscard]] bool in_connector(const FlatVariable& variable) const {
    return variable.connector.valid() && has_class(model_.connectors[variable.connector]);
  }
  static std::vector<VariableId> variables_of(const FlatConnector& c) {
    std::vector<VariableId> all = c.potentials;
    all.insert(all.end(), c.flows.begin(), c.flows.end());
    all.insert(all.end(), c.signals.begin(), c.signals.end());
    std::sort(all.begin(), all.end());
    return all;
  }
  /// A constant of a package: its name has a dot that no part stands for.
  [[nodiscard]] bool is_package_constant(ParameterId p) const {
    const FlatParameter& parameter = model_.parameters[p];
    return parameter.part == kModel && parameter.constant &&
           parameter.name.find('.') != std::string::npos;
  }

  // --- names

  [[nodiscard]] std::string local_name(const std::string& name, PartId part) const {
    return part == kModel ? name : name.substr(model_.parts[part].name.size() + 1);
  }

  /// `axle.'wheel[1]'.` from inside `scope`.
  [[nodiscard]] std::string path(PartId part, PartId scope) const {
    std::string text;
    for (; part != scope && part != kModel; part = model_.parts[part].parent) {
      const FlatPart& p = model_.parts[part];
      text = identifier_text(local_name(p.name, p.parent)) + "." + text;
    }
    return text;
  }

  [[nodiscard]] std::string variable_name(VariableId v, PartId scope) const {
    const FlatVariable& variable = model_.variables[v];
    std::string text = path(variable.part, scope);
    std::string local = local_name(variable.name, variable.part);
    if (in_connector(variable)) {
      const std::string connector =
          local_name(model_.connectors[variable.connector].name, variable.part);
      text += identifier_text(connector) + ".";
      local = local.substr(connector.size() + 1);
    }
    return text + identifier_text(local);
  }

  [[nodiscard]] std::string parameter_name(ParameterId p, PartId scope) const {
    const FlatParameter& parameter = model_.parameters[p];
    return path(parameter.part, scope) +
           identifier_text(local_name(parameter.name, parameter.part));
  }

  [[nodiscard]] std::string connector_name(ConnectorId c, PartId scope) const {
    const FlatConnector& connector = model_.connectors[c];
    return path(connector.part, scope) +
           identifier_text(local_name(connector.name, connector.part));
  }

  [[nodiscard]] std::string text(Expr e, PartId scope) const {
    return to_text(pool_, e, [this, scope](Symbol s) {
      if (s.kind == SymbolKind::kVariable) return variable_name(VariableId{s.index}, scope);
      if (s.kind == SymbolKind::kParameter) return parameter_name(ParameterId{s.index}, scope);
      return model_.symbol_name(s);
    });
  }

  [[nodiscard]] std::string value_text(ScalarType type, Expr e, PartId scope) const {
    if (type == ScalarType::kBoolean && pool_.is_constant(e)) {
      return pool_.is_zero(e) ? "false" : "true";
    }
    return text(e, scope);
  }

  // --- classes

  void line(std::size_t depth, const std::string& text) {
    out_ += std::string(2 * depth, ' ') + text + "\n";
  }

  /// The class with this content: one for all parts and connectors that agree, named after the
  /// class they come from.
  std::string define(const std::string& keyword, const std::string& type, const std::string& body) {
    const auto [known, fresh] = class_names_.try_emplace(keyword + " " + type + "\n" + body);
    if (!fresh) return known->second;
    // Without the model around it, so that flat text stays as it is when it is compiled.
    const bool inside = type.starts_with(model_.name + ".");
    const std::string plain = inside ? type.substr(model_.name.size() + 1) : type;
    std::size_t& number = class_numbers_[plain];
    if (++number == 1 && is_component(plain)) ++number;
    const std::string name =
        identifier_text(number > 1 ? plain + " " + std::to_string(number) : plain);
    known->second = name;
    definitions_ += "  " + keyword + " " + name + "\n" + body + "  end " + name + ";\n";
    return name;
  }

  /// Something in the model has this name.
  [[nodiscard]] bool is_component(const std::string& name) const {
    const Contents& contents = contents_[kModel.value];
    const auto named = [&](const auto& table) {
      return [&name, &table](auto id) { return table[id].name == name; };
    };
    return std::any_of(contents.parameters.begin(), contents.parameters.end(),
                       named(model_.parameters)) ||
           std::any_of(contents.variables.begin(), contents.variables.end(),
                       named(model_.variables)) ||
           std::any_of(contents.structured.begin(), contents.structured.end(),
                       [this, &name](const Structured& item) {
                         return name == (item.part.valid()
                                             ? model_.parts[item.part].name
                                             : model_.connectors[item.connector].name);
                       });
  }

  void define_class(PartId part) {
    out_.clear();
    print_declarations(part, 2);
    print_laws(part, 2);
    classes_[part.value] = define("model", model_.parts[part].class_name, out_);
    out_.clear();
  }

  void print_declarations(PartId part, std::size_t depth) {
    const Contents& contents = contents_[part.value];
    for (const ParameterId p : contents.parameters) print_parameter(p, depth);
    for (const VariableId v : contents.variables) {
      line(depth, variable_text(v, part == kModel) + ";");
    }
    for (const Structured& item : contents.structured) {
      std::string declaration;
      if (item.connector.valid()) {
        const FlatConnector& c = model_.connectors[item.connector];
        declaration = connector_class(c) + " " + identifier_text(local_name(c.name, part));
      } else {
        const FlatPart& p = model_.parts[item.part];
        declaration = classes_[item.part.value] + " " + identifier_text(local_name(p.name, part));
      }
      if (part == kModel) declaration += list_text(modifiers(item));
      line(depth, declaration + ";");
    }
  }

  void print_parameter(ParameterId id, std::size_t depth) {
    const FlatParameter& p = model_.parameters[id];
    std::vector<std::string> attributes;
    add_units(p.unit, p.display_unit, attributes);
    std::string text = is_package_constant(id) ? "constant " : "parameter ";
    if (p.part == kModel && p.constant && !is_package_constant(id)) text = "final " + text;
    text += type_text(p.type);
    text += " " + identifier_text(local_name(p.name, p.part)) + list_text(attributes);
    if (p.part == kModel) text += " = " + value_text(p.type, p.binding, kModel);
    if (!p.description.empty()) text += " " + quoted_text(p.description);
    line(depth, text + (p.structural ? ";  // structural" : ";"));
  }

  static void add_units(const std::string& unit, const std::string& display_unit,
                        std::vector<std::string>& attributes) {
    if (!unit.empty()) attributes.push_back("unit = " + quoted_text(unit));
    if (!display_unit.empty()) attributes.push_back("displayUnit = " + quoted_text(display_unit));
  }

  /// "flow Real f(unit = "N") "force""; with start values where `values` says so
  std::string variable_text(VariableId id, bool values) {
    const FlatVariable& v = model_.variables[id];
    std::vector<std::string> attributes;
    add_units(v.unit, v.display_unit, attributes);
    if (values) add_start(v, attributes);
    std::string text;
    if (v.role == VariableRole::kFlow) text += "flow ";
    if (v.input) text += "input ";
    if (v.output) text += "output ";
    const std::string local = in_connector(v)
                                  ? v.name.substr(model_.connectors[v.connector].name.size() + 1)
                                  : local_name(v.name, v.part);
    text += variable_type(v) + " " + identifier_text(local) + list_text(attributes);
    if (!v.description.empty()) text += " " + quoted_text(v.description);
    return text;
  }

  void add_start(const FlatVariable& v, std::vector<std::string>& attributes) const {
    if (v.start_given != StartGiven::kNo)
      attributes.push_back("start = " + value_text(v.type, v.start, kModel));
    if (v.fixed) attributes.emplace_back("fixed = true");
    if (v.start_given == StartGiven::kGuess) attributes.emplace_back("fixed = false");
  }

  /// A start value that comes with a type is no start value of the model's own.
  std::string variable_type(const FlatVariable& v) {
    if (v.start_given != StartGiven::kNo || pool_.is_zero(v.start)) return type_text(v.type);
    const std::string value = value_text(v.type, v.start, kModel);
    const std::string name = "'" + std::string(type_text(v.type)) + "(start = " + value + ")'";
    if (types_.insert(name).second) {
      definitions_ += "  type " + name + " = " + type_text(v.type) + "(start = " + value + ");\n";
    }
    return name;
  }

  /// Values of a part or connector and all that is in it.
  std::vector<std::string> modifiers(const Structured& item) {
    std::vector<std::string> result;
    const auto add_variable = [&](VariableId id) {
      const FlatVariable& v = model_.variables[id];
      std::vector<std::string> attributes;
      add_start(v, attributes);
      if (attributes.empty()) return;
      const std::string name = variable_name(id, v.part);
      const std::size_t prefix =
          item.connector.valid() ? connector_name(item.connector, v.part).size() + 1 : 0;
      result.push_back(name.substr(prefix) + list_text(attributes));
    };
    if (item.connector.valid()) {
      for (const VariableId v : variables_of(model_.connectors[item.connector])) add_variable(v);
      return result;
    }
    const Contents& contents = contents_[item.part.value];
    for (const ParameterId id : contents.parameters) {
      const FlatParameter& p = model_.parameters[id];
      result.push_back((p.constant ? "final " : "") + parameter_name(id, p.part) + " = " +
                       value_text(p.type, p.binding, kModel));
    }
    for (const VariableId v : contents.variables) add_variable(v);
    for (const Structured& inner : contents.structured) {
      const std::vector<std::string> nested = modifiers(inner);
      if (nested.empty()) continue;
      const std::string& name = inner.connector.valid() ? model_.connectors[inner.connector].name
                                                        : model_.parts[inner.part].name;
      result.push_back(identifier_text(local_name(name, item.part)) + list_text(nested));
    }
    return result;
  }

  std::string connector_class(const FlatConnector& connector) {
    std::string body;
    for (const VariableId v : variables_of(connector)) {
      body += "    " + variable_text(v, false) + ";\n";
    }
    return define("connector", connector.type, body);
  }

  // --- laws

  void print_laws(PartId part, std::size_t depth) {
    const Contents& contents = contents_[part.value];
    if (contents.equations.empty() && contents.connections.empty() && contents.assertions.empty()) {
      return;
    }
    line(depth - 1, "equation");
    for (const FlatEquationId id : contents.equations) {
      const FlatEquation& e = model_.equations[id];
      const bool boolean = is_truth(e.left) || is_truth(e.right);
      const ScalarType type = boolean ? ScalarType::kBoolean : ScalarType::kReal;
      line(depth, value_text(type, e.left, part) + " = " + value_text(type, e.right, part) + ";");
    }
    for (const std::size_t i : contents.connections) {
      const FlatConnection& c = model_.connections[i];
      line(depth, "connect(" + connector_name(c.a, part) + ", " + connector_name(c.b, part) + ");");
    }
    for (const std::size_t i : contents.assertions) {
      const FlatAssertion& a = model_.assertions[i];
      line(depth, "assert(" + value_text(ScalarType::kBoolean, a.condition, part) + ", " +
                      quoted_text(a.message) + ");");
    }
  }

  [[nodiscard]] bool is_truth(Expr e) const {
    const ExprPool::Node& node = pool_[e];
    if (node.op != Op::kSymbol) {
      return node.op == Op::kLess || node.op == Op::kLessEqual || node.op == Op::kAnd ||
             node.op == Op::kOr || node.op == Op::kNot;
    }
    if (node.symbol.kind == SymbolKind::kVariable) {
      return model_.variables[VariableId{node.symbol.index}].type == ScalarType::kBoolean;
    }
    return node.symbol.kind == SymbolKind::kParameter &&
           model_.parameters[ParameterId{node.symbol.index}].type == ScalarType::kBoolean;
  }

  void print_experiment() {
    const Experiment& e = model_.experiment;
    std::string text = "annotation(experiment(StartTime = " + number_text(e.start) +
                       ", StopTime = " + number_text(e.stop);
    if (e.interval != 0) text += ", Interval = " + number_text(e.interval);
    line(1,
         text + ", Tolerance = " + number_text(e.tolerance) + "), __LuzTar(unitsChecked = true));");
  }

  const FlatModel& model_;
  const ExprPool& pool_;
  std::vector<Contents> contents_;  // by part
  std::string out_, definitions_;
  std::vector<std::string> classes_;                          // by part
  std::unordered_map<std::string, std::string> class_names_;  // by content
  std::unordered_map<std::string, std::size_t> class_numbers_;
  std::unordered_set<std::string> types_;
};

}  // namespace

std::string print(const FlatModel& model, const ExprPool& pool) {
  return Printer(model, pool).print();
}

}  // namespace luztar
