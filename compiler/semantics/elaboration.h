// The state of one flattening: the tree of instances and the flat model it grows into.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "compiler/semantics/arrays.h"
#include "compiler/semantics/class_table.h"
#include "compiler/semantics/flat_model.h"
#include "compiler/semantics/modifiers.h"
#include "compiler/semantics/report.h"
#include "compiler/semantics/settings.h"
#include "compiler/symbolic/expr.h"

namespace luztar {

/// One component, an array of them, or a class whose constants are used.
struct Instance {
  enum class Kind : std::uint8_t {
    kPart,
    kConnector,
    kParameter,
    kVariable,
    kArray,      // of any of these: its elements are the children, row by row
    kAbsent,     // its condition is false
    kConstants,  // a package or class seen from outside: only its constants
    kUnknown,    // has been reported; whatever uses it says nothing more
  } kind = Kind::kUnknown;
  InstanceId parent;  // invalid: the model, or kConstants; of an element: that of its array
  ClassId cls;        // kPart, kConnector, kConstants; kArray: of its elements
  std::string name;   // dotted, from the model on
  Span span;          // of the declaration's name
  PartId part;        // the part it is or belongs to
  ParameterId parameter;
  VariableId variable;
  ConnectorId connector;  // kConnector; kVariable: the input or output taken as a connector
  std::vector<InstanceId> children;  // parallel to ClassInfo::members; kArray: the elements
  Shape shape;                       // kArray
  std::uint32_t depth = 0;
  bool misspelt = false;  // a modifier named nothing in it: a missing value says nothing new
};

/// What is known of a parameter beside FlatParameter, in the same order.
struct ParameterRecord {
  InstanceId instance;
  Source binding;  // invalid: none
  UnitId unit;
  double factor = 1;  // of the unit of a --set value
  Expr min, max;      // invalid: no limit
  Span min_span, max_span;
  enum class State : std::uint8_t {
    kNew,
    kBinding,  // its binding is being converted
    kBound,
    kWaiting,  // for the values of other parameters
    kDone
  } state = State::kNew;
  bool failed = false;  // reported: nothing that depends on it is checked
};

/// One element of an array of components, and of the arrays around it.
struct ElementStep {
  ElementId outer;   // invalid: no array around it
  InstanceId array;  // of kind kArray
  std::uint32_t index = 0;
};

/// `Real x = expression`
struct VariableBinding {
  InstanceId instance;
  Source value;
};

/// An attribute whose value is an expression.
struct PendingAttribute {
  InstanceId instance;
  Attribute attribute = Attribute::kStart;
  Source value;
};

/// `fixed`, decided once the parameters have values.
struct PendingFixed {
  VariableId variable;
  Expr value;
};

/// An instance whose members are being created: see instantiate.cpp.
struct Filling;

struct Elaboration {
  ClassTable& classes;
  ExprPool& pool;
  Reporter& report;
  Settings& settings;
  FlatModel flat;
  Table<InstanceId, Instance> instances;
  InstanceId root;
  Table<ParameterId, ParameterRecord> parameters;
  std::vector<VariableBinding> bindings;
  std::vector<VariableId> bound_inputs;  // variables whose binding became an equation
  std::vector<PendingAttribute> attributes;
  std::size_t bound_parameters = 0, bound_attributes = 0;  // how many are converted for certain
  std::vector<PendingFixed> fixed;
  std::unordered_map<ClassId, InstanceId> constants;  // instances of kind kConstants
  std::set<std::string> missing_names;                // "class:name", reported
  Table<ElementId, ElementStep> elements = {};
  // Values given to arrays of components, converted once: by tree, expression and instance.
  std::map<std::tuple<const Ast*, AstExprId, InstanceId>, Value> distributed = {};
  UnitTable units = {};
  Table<VariableId, UnitId> variable_units = {};
  std::vector<Filling*> filling = {};  // outermost first
  std::vector<ClassId> calls = {};     // functions being inlined, outermost first
  bool in_measure = false;             // final(x), mean(x) and so on have a meaning
  std::size_t nesting = 0;             // conversions that wait for others
  std::size_t repetitions = 0;         // passes through loops and functions so far
  std::size_t most_components = 0;     // parts that the model may have
  bool full = false;                   // it would have more: reported, and the rest is not built
};

}  // namespace luztar
