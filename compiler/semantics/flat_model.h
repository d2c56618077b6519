// The flat model: every variable, equation and connection of the instantiated model, scalars only.
//   contract: no classes, modifiers, arrays or unresolved names are left; equations are pairs of
//   expressions over symbols of kind kTime, kParameter and kVariable; `der` occurs as Op::kDer of
//   an expression; asymmetric luz and nas are rewritten to the symmetric ones, tar(x, a) to x +
//   dryfriction(x, a, a); connections are not expanded.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/base/ids.h"
#include "compiler/base/source.h"
#include "compiler/symbolic/expr.h"

namespace luztar {

using PartId = Id<struct PartTag>;
using ParameterId = Id<struct ParameterTag>;
using VariableId = Id<struct VariableTag>;
using ConnectorId = Id<struct ConnectorTag>;
using FlatEquationId = Id<struct FlatEquationTag>;

enum class ScalarType : std::uint8_t { kReal, kInteger, kBoolean };

/// An instance of a class: the model itself (id 0, name "") and every component that is not a
/// scalar or connector.
struct FlatPart {
  std::string name;        // "column", "axle.left"; "" for the model itself
  std::string class_name;  // "Rotational.FreeplaySpring"
  PartId parent;           // invalid for the model itself
  Span span;               // of the declaration
};

struct FlatParameter {
  std::string name;  // "gear.k"
  PartId part;
  ScalarType type = ScalarType::kReal;
  bool constant = false;    // declared `constant` or `final`: cannot be set from outside
  bool structural = false;  // sizes, conditions of parts or equations, or ranges follow from it
  Expr binding;  // over parameters; constant expression for a plain value; --set values are already
                 // in
  double value = 0;  // evaluated binding (may be +-inf)
  std::string unit, display_unit, description;
  Span span;  // of the binding when there is one, else of the declaration
};

enum class VariableRole : std::uint8_t {
  kPotential,  // of a connector that also has flow variables
  kFlow,
  kSignal,  // input or output
  kLocal,   // any other
};

/// How much a start value says, in rising order.
enum class StartGiven : std::uint8_t {
  kNo,
  kGuess,  // with fixed = false: it yields to others of the same motion
  kYes,    // it stands in the model or the class
};

struct FlatVariable {
  std::string name;  // "column.flange_a.phi"
  PartId part;
  ConnectorId connector;  // invalid: not a connector's variable
  VariableRole role = VariableRole::kLocal;
  bool input = false, output = false;
  VariableId conjugate;  // potential <-> flow of the same connector (the first of each when there
                         // are several)
  ScalarType type = ScalarType::kReal;
  Expr start;  // over parameters; zero when not given
  StartGiven start_given = StartGiven::kNo;
  bool fixed = false;
  std::string unit, display_unit, description;
  Span span;        // of the declaration
  Span start_span;  // of the start value when given
};

struct FlatEquation {
  Expr left, right;
  PartId part;
  Span span;
};

/// A connector instance, or a scalar input/output taken as a connector of its own.
struct FlatConnector {
  std::string name;  // "column.flange_a"
  std::string type;  // "Rotational.Interfaces.Flange"; "Real" for signals
  PartId part;       // the part whose interface it is
  std::vector<VariableId> potentials, flows, signals;
  Span span;
};

/// connect(a, b) as written in part `scope`. A connector whose part is `scope` itself is "outside":
/// its flows enter the connection set with the opposite sign (Modelica 3.6, 9.2).
struct FlatConnection {
  ConnectorId a, b;
  PartId scope;
  Span span;
};

/// assert(condition, message) on variables: checked at run time.
struct FlatAssertion {
  Expr condition;
  std::string message;
  PartId part;
  Span span;
};

struct Experiment {
  double start = 0, stop = 1, interval = 0,
         tolerance = 1e-6;  // [s]; interval 0: (stop - start)/500
  Span span;                // of the annotation when there is one
};

struct FlatModel {
  std::string name;
  Table<PartId, FlatPart> parts;
  Table<ParameterId, FlatParameter> parameters;
  Table<VariableId, FlatVariable> variables;
  Table<ConnectorId, FlatConnector> connectors;
  Table<FlatEquationId, FlatEquation> equations;
  std::vector<FlatConnection> connections;
  std::vector<FlatAssertion> assertions;
  Experiment experiment;

  [[nodiscard]] std::string symbol_name(Symbol symbol) const;  // kTime, kParameter, kVariable
  [[nodiscard]] SymbolNames names() const;
  /// Values of parameters by symbol; anything else throws InternalError.
  [[nodiscard]] SymbolValues parameter_values() const;
};

/// The flat model as a Modelica-like class: parameters with values, variables, equations, connect
/// clauses.
[[nodiscard]] std::string print(const FlatModel& model, const ExprPool& pool);

}  // namespace luztar
