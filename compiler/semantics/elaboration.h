// The state of one flattening: the tree of instances and the flat model it grows into.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/semantics/class_table.h"
#include "compiler/semantics/flat_model.h"
#include "compiler/semantics/modifiers.h"
#include "compiler/semantics/report.h"
#include "compiler/semantics/settings.h"
#include "compiler/symbolic/expr.h"

namespace luztar {

/// One component, or a class whose constants are used.
struct Instance {
  enum class Kind : std::uint8_t {
    kPart,
    kConnector,
    kParameter,
    kVariable,
    kConstants,  // a package or class seen from outside: only its constants
    kUnknown,    // has been reported; whatever uses it says nothing more
  } kind = Kind::kUnknown;
  InstanceId parent;  // invalid: the model, or kConstants
  ClassId cls;        // kPart, kConnector, kConstants
  std::string name;   // dotted, from the model on
  Span span;          // of the declaration's name
  PartId part;        // the part it is or belongs to
  ParameterId parameter;
  VariableId variable;
  ConnectorId connector;  // kConnector; kVariable: the input or output taken as a connector
  std::vector<InstanceId> children;  // parallel to ClassInfo::members
  std::uint32_t depth = 0;
  bool misspelt = false;  // a modifier named nothing in it: a missing value says nothing new
};

/// What is known of a parameter beside FlatParameter, in the same order.
struct ParameterRecord {
  InstanceId instance;
  Source binding;     // invalid: none
  double factor = 1;  // of the unit of a --set value
  Expr min, max;      // invalid: no limit
  Span min_span, max_span;
  bool failed = false;  // reported: nothing that depends on it is checked
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
  std::size_t bound_parameters = 0, bound_attributes = 0;  // how many are converted
  std::vector<PendingFixed> fixed;
  std::unordered_map<ClassId, InstanceId> constants;  // instances of kind kConstants
  std::set<std::string> missing_names;                // "class:name", reported
};

}  // namespace luztar
