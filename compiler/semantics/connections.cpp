#include "compiler/semantics/connections.h"

#include <numeric>
#include <optional>

#include "compiler/semantics/expressions.h"
#include "compiler/semantics/unit_rules.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// "a Rotational.Interfaces.Flange"
std::string connector_text(const FlatConnector& connector) {
  return connector.type == "Real" ? "a signal" : "a " + connector.type;
}

void report_not_a_connector(Elaboration& e, const AstExpr& expr, InstanceId found) {
  const Instance& instance = e.instances[found];
  const std::string name = name_text(expr.name);
  std::string what = "a variable";
  if (instance.kind == Instance::Kind::kParameter) what = "a parameter";
  if (instance.kind == Instance::Kind::kPart) what = "a " + e.classes[instance.cls].name;
  Diagnostic& error = e.report.error(Code::kNotAConnector, expr.span,
                                     "'" + name + "' is " + what + ", not a connector");
  if (instance.kind != Instance::Kind::kPart) {
    if (instance.kind == Instance::Kind::kVariable) {
      error.with_note("write an equation: " + name + " = ...");
    }
    return;
  }
  std::string connectors;
  for (const InstanceId child : instance.children) {
    if (!e.instances[child].connector.valid()) continue;
    const std::string& full = e.instances[child].name;
    connectors += (connectors.empty() ? "'" : ", '") + name + full.substr(full.rfind('.')) + "'";
  }
  if (!connectors.empty()) error.with_note("its connectors are " + connectors);
}

/// One side of a connect clause: a connector or an array of them.
struct Side {
  Shape shape;
  std::vector<ConnectorId> connectors;
  bool absent = false;  // it belongs to a component whose condition is false
};

std::optional<Side> resolve_side(Elaboration& e, const Scope& scope, AstExprId id) {
  const AstExpr& expr = scope.ast->exprs[id];
  const AstIdentifier& first = expr.name.parts.front().name;
  if (find_local(scope.locals, first.text) != nullptr) {
    e.report.error(Code::kNotAConnector, expr.span,
                   "'" + first.text + "' is a loop variable, not a connector");
    return std::nullopt;
  }
  const Components found = resolve_name(e, scope, expr.name);
  if (!found.valid) return std::nullopt;
  Side side;
  side.shape = found.shape;
  for (const InstanceId item : found.items) {
    const Instance& instance = e.instances[item];
    if (instance.kind == Instance::Kind::kUnknown) return std::nullopt;
    if (instance.kind == Instance::Kind::kAbsent) {
      side.absent = true;
    } else if (instance.connector.valid()) {
      side.connectors.push_back(instance.connector);
    } else {
      report_not_a_connector(e, expr, item);
      return std::nullopt;
    }
  }
  return side;
}

/// "'push.flange' is a Translational.Interfaces.Flange: End of a rod that can be joined to others"
void describe(Diagnostic& error, const Elaboration& e, const FlatConnector& connector) {
  std::string text = "'" + connector.name + "' is " + connector_text(connector);
  Span span = connector.span;
  for (const Instance& instance : e.instances) {
    if (instance.kind != Instance::Kind::kConnector || instance.name != connector.name) continue;
    const AstClass& definition = e.classes.definition(instance.cls);
    if (!definition.description.empty()) text += ": " + definition.description;
    span = definition.name.span;
    break;
  }
  error.with_note(text, span);
}

/// Sources and users of signals, joined by connect clauses.
class SignalSets {
 public:
  explicit SignalSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

/// What gives a signal its value in one connection set. As with flows, a signal of a part has two
/// sides: an output is a source seen from outside and a user seen from inside, an input the other
/// way round.
class SignalCheck {
 public:
  explicit SignalCheck(Elaboration& e)
      : e_(e), sets_(2 * e.flat.variables.size()), source_(2 * e.flat.variables.size()) {
    for (const VariableId v : e.flat.variables.ids()) {
      if (e.flat.variables[v].output) source_[node(v, false)] = v;
      if (e.flat.variables[v].input) source_[node(v, true)] = v;
    }
  }

  void run() {
    for (const FlatConnection& connection : e_.flat.connections) connect(connection);
    mark_equations();
    report_missing();
  }

 private:
  static std::size_t node(VariableId v, bool inside) {
    return 2 * static_cast<std::size_t>(v.value) + (inside ? 1 : 0);
  }

  void connect(const FlatConnection& connection) {
    const std::vector<VariableId>& a = e_.flat.connectors[connection.a].signals;
    const std::vector<VariableId>& b = e_.flat.connectors[connection.b].signals;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
      join(a[i], b[i], connection);
    }
  }

  void join(VariableId a, VariableId b, const FlatConnection& connection) {
    const auto root = [&](VariableId v) {
      return sets_.find(node(v, e_.flat.variables[v].part == connection.scope));
    };
    const std::size_t root_a = root(a);
    const std::size_t root_b = root(b);
    const VariableId from_a = source_[root_a];
    const VariableId from_b = source_[root_b];
    if (from_a.valid() && from_b.valid() && root_a != root_b) {
      e_.report
          .error(Code::kSignalConflict, connection.span,
                 "the signal has two sources, '" + e_.flat.variables[from_a].name + "' and '" +
                     e_.flat.variables[from_b].name + "'")
          .with_note("add them in a block, or remove one of the connections");
    }
    sets_.unite(root_a, root_b);
    source_[sets_.find(root_a)] = from_a.valid() ? from_a : from_b;
  }

  /// Inputs that an equation outside their part or a binding decides.
  void mark_equations() {
    given_.assign(2 * e_.flat.variables.size(), 0);
    for (const VariableId v : e_.bound_inputs) give(v);
    bool inputs = false;
    for (const FlatVariable& variable : e_.flat.variables) inputs = inputs || variable.input;
    if (!inputs) return;
    for (const FlatEquation& equation : e_.flat.equations) {
      for (const Expr side : {equation.left, equation.right}) mark(side, equation.part);
    }
  }

  void give(VariableId v) { given_[sets_.find(node(v, false))] = 1; }

  void mark(Expr side, PartId part) {
    for (const Symbol s : symbols_of(e_.pool, side)) {
      if (s.kind != SymbolKind::kVariable) continue;
      const VariableId v{s.index};
      if (e_.flat.variables[v].input && e_.flat.variables[v].part != part) give(v);
    }
  }

  void report_missing() {
    std::vector<char> reported(given_.size(), 0);
    for (const VariableId v : e_.flat.variables.ids()) {
      const std::size_t root = sets_.find(node(v, false));
      if (!e_.flat.variables[v].input || given_[root] || reported[root]) continue;
      if (source_[root].valid()) continue;
      reported[root] = 1;
      report(e_.flat.variables[v]);
    }
  }

  void report(const FlatVariable& variable) {
    const FlatPart& part = e_.flat.parts[variable.part];
    const bool model = !part.parent.valid();
    Diagnostic& error =
        e_.report.diagnostics().error(Code::kUnconnectedInput, model ? variable.span : part.span,
                                      "the input '" + variable.name + "' has no source");
    if (model) {
      error.with_note(
          "nothing stands around the model: give the input a value, or make it a parameter");
      return;
    }
    error.with_note("connect an output to it, or write an equation for it")
        .with_note("the input is declared here", variable.span);
  }

  Elaboration& e_;
  SignalSets sets_;
  std::vector<VariableId> source_;  // by root of the set
  std::vector<char> given_;         // by root of the set
};

void connect_pair(Elaboration& e, const Scope& scope, Span span, ConnectorId a, ConnectorId b) {
  const FlatConnector& left = e.flat.connectors[a];
  const FlatConnector& right = e.flat.connectors[b];
  if (left.type != right.type) {
    Diagnostic& error = e.report.error(
        Code::kConnectMismatch, span,
        "'" + left.name + "' and '" + right.name + "' are connectors of different types");
    if (!e.report.shows(error)) return;
    describe(error, e, left);
    describe(error, e, right);
    const bool signal = left.type == "Real" || right.type == "Real";
    error.with_note(signal
                        ? "a signal acts on a connector through a source, such as a force or torque"
                        : "a part with one connector of each type has to stand between them");
    return;
  }
  if (left.potentials.size() != right.potentials.size() ||
      left.flows.size() != right.flows.size() || left.signals.size() != right.signals.size()) {
    e.report.error(Code::kSizeMismatch, span,
                   "'" + left.name + "' and '" + right.name + "' have arrays of different sizes");
    return;
  }
  if (a == b) {
    e.report.error(Code::kConnectMismatch, span, "'" + left.name + "' is connected to itself");
    return;
  }
  for (std::size_t i = 0; i < left.signals.size(); ++i) {
    check_connected_units(e, left.signals[i], right.signals[i], span);
  }
  e.flat.connections.push_back({a, b, e.instances[scope.instance].part, span});
}

}  // namespace

void build_connection(Elaboration& e, const Scope& scope, const AstEquation& equation) {
  const std::optional<Side> left = resolve_side(e, scope, equation.left);
  const std::optional<Side> right = resolve_side(e, scope, equation.right);
  // A connection to a component that is not there is none: Modelica 3.6, 4.4.5.
  if (!left || !right || left->absent || right->absent) return;
  if (left->shape != right->shape) {
    const auto text = [](const Side& side) {
      return side.shape.empty() ? "one connector" : "connectors of size " + shape_text(side.shape);
    };
    e.report
        .error(Code::kSizeMismatch, equation.span,
               "arrays of connectors are connected element by element and have one size")
        .with_note("this is " + text(*left), scope.ast->exprs[equation.left].span)
        .with_note("this is " + text(*right), scope.ast->exprs[equation.right].span);
    return;
  }
  for (std::size_t i = 0; i < left->connectors.size(); ++i) {
    connect_pair(e, scope, equation.span, left->connectors[i], right->connectors[i]);
  }
}

void check_signals(Elaboration& e) { SignalCheck(e).run(); }

}  // namespace luztar
