// The syntax tree of the whole language: plain values, ids into tables, every node with its span.
//   contract: nothing is resolved or checked here beyond the grammar; what the language does not
//   support yet is represented all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/ids.h"
#include "compiler/base/source.h"

namespace luztar {

using AstExprId = Id<struct AstExprTag>;
using AstClassId = Id<struct AstClassTag>;
using AstEquationId = Id<struct AstEquationTag>;

struct AstIdentifier {
  std::string text;
  Span span;
};

/// One step of a component path: `disc[i]`; no subscripts in the usual case.
struct AstNamePart {
  AstIdentifier name;
  std::vector<AstExprId> subscripts;
};

/// `a.b[i].c`
struct AstName {
  std::vector<AstNamePart> parts;
  Span span;
};

enum class AstExprKind : std::uint8_t {
  kNumber,    // number, unit (optional: 2 "kN" is not in the language; --set values use it)
  kString,    // text
  kBoolean,   // number 0 or 1
  kName,      // name
  kUnary,     // text is "-", "+" or "not"
  kBinary,    // text is the operator: + - * / ^ .+ .- .* ./ .^ < <= > >= == <> and or
  kCall,      // name, arguments (names empty for positional)
  kIf,        // condition, then, [condition, then]..., else
  kArray,     // {a, b}
  kMatrix,    // [a, b; c, d]: args row by row, columns = row length
  kRange,     // a:b or a:step:b
  kColon,     // ':' as a whole subscript
  kEnd,       // 'end' inside a subscript
  kIterated,  // {e for i in r}: args = e, range; text = iterator; several iterators are nested
};

struct AstExpr {
  AstExprKind kind = AstExprKind::kNumber;
  Span span;
  double number = 0;
  std::string text;
  AstName name;
  std::vector<AstExprId> args;
  std::vector<AstIdentifier>
      arg_names;  // kCall with named arguments: parallel to args, empty text = positional
  std::uint32_t columns = 0;  // kMatrix
};

/// `k = 3`, `each J(start = 0) = 2`, `final a.b = 1`, `redeclare ...` (kept as text for a
/// diagnostic)
struct AstModifier {
  bool each = false;
  bool is_final = false;
  bool redeclare = false;
  AstName name;
  std::vector<AstModifier> nested;
  AstExprId value;  // invalid: none
  std::string description;
  Span span;
};

enum class AstVariability : std::uint8_t { kContinuous, kParameter, kConstant, kDiscrete };
enum class AstCausality : std::uint8_t { kNone, kInput, kOutput };
enum class AstPrefix : std::uint8_t { kNone, kFlow, kStream };

/// One declared component.
struct AstComponent {
  AstName type;  // Real, Integer, Boolean, String or a class
  AstVariability variability = AstVariability::kContinuous;
  AstCausality causality = AstCausality::kNone;
  AstPrefix prefix = AstPrefix::kNone;
  bool is_final = false;
  bool is_protected = false;
  bool inner = false, outer = false, replaceable = false, redeclare = false;
  AstIdentifier name;
  std::vector<AstExprId> dimensions;  // [n, 3]; kColon for ':'
  std::vector<AstModifier> modifiers;
  AstExprId binding;    // = value, invalid: none
  AstExprId condition;  // if condition, invalid: none
  std::string description;
  Span span;
};

struct AstExtends {
  AstName base;
  std::vector<AstModifier> modifiers;
  Span span;
};

struct AstImport {
  AstName path;
  std::string alias;      // import R = Rotational; empty: none
  bool wildcard = false;  // import Rotational.*;
  Span span;
};

enum class AstEquationKind : std::uint8_t {
  kEquality,  // left = right
  kConnect,   // connect(left name, right name): left and right are kName expressions
  kFor,       // for iterator in range loop body
  kIf,        // conditions[i] -> bodies[i]; one body more than conditions: else
  kAssert,    // left = condition, right = message (args beyond are kept in extra)
  kWhen,      // outside the subset; kept for its diagnostic
  kCall,      // a call used as an equation (terminate, reinit, ...): left is the call
};

struct AstEquation {
  AstEquationKind kind = AstEquationKind::kEquality;
  AstExprId left, right;
  std::vector<AstExprId> extra;
  AstIdentifier iterator;
  AstExprId range;
  std::vector<AstExprId> conditions;
  std::vector<std::vector<AstEquationId>> bodies;
  std::string description;
  Span span;
};

/// `y := expression;` of a function
struct AstAssignment {
  AstName target;
  AstExprId value;
  Span span;
};

enum class AstClassKind : std::uint8_t {
  kModel,
  kBlock,
  kConnector,
  kType,
  kFunction,
  kPackage,
  kRecord,
  kClass,
  kStudy
};

enum class AstVaryKind : std::uint8_t { kValues, kNormal, kUniform };

/// `vary a.b, c.d = linspace(0, 1, 5) carry updown;`
struct AstVary {
  std::vector<AstName> targets;
  AstVaryKind kind = AstVaryKind::kValues;
  AstExprId values;                                          // kValues
  std::vector<AstExprId> arguments;                          // of normal and uniform
  std::vector<std::pair<AstIdentifier, AstExprId>> options;  // with samples = n, seed = s
  bool carry = false, updown = false;
  Span span;
};

/// `measure name = expression;`
struct AstMeasure {
  AstIdentifier name;
  AstExprId value;
  Span span;
};

/// An element in source order, so that printing gives back the same text.
struct AstElement {
  enum class Kind : std::uint8_t { kComponent, kExtends, kImport, kClass } kind = Kind::kComponent;
  std::uint32_t index = 0;  // into components, extends, imports, or nested
};

struct AstClass {
  AstClassKind kind = AstClassKind::kModel;
  bool partial = false;
  bool encapsulated = false;
  bool is_final = false;
  AstIdentifier name;
  std::string description;
  std::vector<AstElement> elements;
  std::vector<AstComponent> components;
  std::vector<AstExtends> extends;
  std::vector<AstImport> imports;
  std::vector<AstClassId> nested;
  std::vector<AstEquationId> equations;
  std::vector<AstEquationId> initial_equations;
  std::vector<AstAssignment> algorithm;
  bool has_algorithm = false;  // an algorithm section, also an empty one
  std::vector<AstModifier> annotation;
  // kType and connectors defined by `connector RealInput = input Real;`: the class on the right of
  // '='
  std::optional<AstName> alias_of;
  AstCausality alias_causality = AstCausality::kNone;
  std::vector<AstExprId> alias_dimensions;
  std::vector<AstModifier> alias_modifiers;
  // kStudy
  AstName study_of;
  std::vector<AstVary> varies;
  std::vector<AstMeasure> measures;
  Span span;  // the whole definition
};

/// One file.
struct Ast {
  FileId file;
  bool has_within = false;
  AstName within;                   // empty parts: `within ;`
  std::vector<AstClassId> classes;  // top level, in order
  Table<AstClassId, AstClass> class_table;
  Table<AstExprId, AstExpr> exprs;
  Table<AstEquationId, AstEquation> equations;
};

/// Source text that parses to an equal tree (spans apart).
[[nodiscard]] std::string print(const Ast& ast);
/// The name as written, without subscripts: "a.b".
[[nodiscard]] std::string name_text(const AstName& name);
/// The keyword of a kind of class: "model".
[[nodiscard]] std::string kind_text(AstClassKind kind);

}  // namespace luztar
