#include "compiler/semantics/functions.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "compiler/semantics/operators.h"
#include "compiler/semantics/parameters.h"
#include "compiler/semantics/structure.h"
#include "compiler/semantics/unit_rules.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"
#include "compiler/symbolic/spline.h"

namespace luztar {
namespace {

/// How a call becomes an expression; kOp is that operation on the arguments as they stand.
enum class Form : std::uint8_t { kOp, kSqrt, kLuz, kNas, kTar, kDry, kDiv };

struct Function {
  const char* name;
  std::size_t least, most;
  Form form;
  Op op;
  UnitRule unit;
};

constexpr Function kFunctions[] = {
    {"der", 1, 1, Form::kOp, Op::kDer, UnitRule::kRate},
    {"sign", 1, 1, Form::kOp, Op::kSign, UnitRule::kSign},
    {"sqrt", 1, 1, Form::kSqrt, Op::kPow, UnitRule::kRoot},
    {"exp", 1, 1, Form::kOp, Op::kExp, UnitRule::kNumber},
    {"log", 1, 1, Form::kOp, Op::kLog, UnitRule::kNumber},
    {"log10", 1, 1, Form::kOp, Op::kLog10, UnitRule::kNumber},
    {"sin", 1, 1, Form::kOp, Op::kSin, UnitRule::kNumber},
    {"cos", 1, 1, Form::kOp, Op::kCos, UnitRule::kNumber},
    {"tan", 1, 1, Form::kOp, Op::kTan, UnitRule::kNumber},
    {"asin", 1, 1, Form::kOp, Op::kAsin, UnitRule::kNumber},
    {"acos", 1, 1, Form::kOp, Op::kAcos, UnitRule::kNumber},
    {"atan", 1, 1, Form::kOp, Op::kAtan, UnitRule::kNumber},
    {"atan2", 2, 2, Form::kOp, Op::kAtan2, UnitRule::kAngle},
    {"sinh", 1, 1, Form::kOp, Op::kSinh, UnitRule::kNumber},
    {"cosh", 1, 1, Form::kOp, Op::kCosh, UnitRule::kNumber},
    {"tanh", 1, 1, Form::kOp, Op::kTanh, UnitRule::kNumber},
    {"abs", 1, 1, Form::kOp, Op::kAbs, UnitRule::kKeep},
    {"sign", 1, 1, Form::kOp, Op::kSign, UnitRule::kSign},
    {"min", 2, 2, Form::kOp, Op::kMin, UnitRule::kCommon},
    {"max", 2, 2, Form::kOp, Op::kMax, UnitRule::kCommon},
    {"floor", 1, 1, Form::kOp, Op::kFloor, UnitRule::kKeep},
    {"ceil", 1, 1, Form::kOp, Op::kCeil, UnitRule::kKeep},
    {"integer", 1, 1, Form::kOp, Op::kFloor, UnitRule::kAny},
    {"div", 2, 2, Form::kDiv, Op::kFloor, UnitRule::kQuotient},
    {"mod", 2, 2, Form::kOp, Op::kMod, UnitRule::kCommon},
    {"noEvent", 1, 1, Form::kOp, Op::kNoEvent, UnitRule::kKeep},
    {"luz", 2, 3, Form::kLuz, Op::kLuz, UnitRule::kCommon},
    {"nas", 2, 3, Form::kNas, Op::kNas, UnitRule::kCommon},
    {"tar", 2, 2, Form::kTar, Op::kDry, UnitRule::kCommon},
    {"dryfriction", 2, 3, Form::kDry, Op::kDry, UnitRule::kFriction},
    {"hardstop", 3, 3, Form::kOp, Op::kStop, UnitRule::kStop},
};

/// Functions of Modelica that a user may look for, and what takes their place.
struct Foreign {
  const char* name;
  const char* advice;
};

constexpr const char* kInsteadOfEvents =
    "write an if expression on time or state; its switching is located exactly";

constexpr const char* kSampled =
    "signals are continuous: a part with a state, such as Blocks.FirstOrder, follows one";

constexpr Foreign kForeign[] = {
    {"pre", kInsteadOfEvents},
    {"edge", kInsteadOfEvents},
    {"change", kInsteadOfEvents},
    {"sample", kInsteadOfEvents},
    {"initial", "give start values: wheel(phi(start = 0.1))"},
    {"terminal", "assert(condition, \"text\") stops a simulation"},
    {"delay", "a part with a state, such as Blocks.FirstOrder, delays a signal"},
    {"smooth", "write the expression itself; its switching is located exactly"},
    {"homotopy", "write the expression itself"},
    {"semiLinear", "write an if expression, or luz"},
    {"cardinality", "let a parameter say what is connected"},
    {"inStream", "there is no fluid in these models"},
    {"actualStream", "there is no fluid in these models"},
    {"String", "texts stand in descriptions and assertions only"},
    {"cat", "put the elements together in one array: {a[1], a[2], b[1]}"},
    {"vector", "write the elements: {a[1,1], a[2,1]}"},
    {"matrix", "write the rows: [a, b; c, d]"},
    {"scalar", "write the element: a[1]"},
    {"cross", "write the components: {a[2]*b[3] - a[3]*b[2], ..}"},
    {"skew", "write the matrix: [a, b; c, d]"},
    {"outerProduct", "write {{a[i]*b[j] for j in 1:m} for i in 1:n}"},
    {"symmetric", "write the matrix: [a, b; b, d]"},
    {"rem", "write a - div(a, b)*b"},
    {"array", "write {a, b}"},
    {"reinit", "a velocity jumps at a stop with restitution: hardstop(x, a, e)"},
    {"Clock", kSampled},
    {"hold", kSampled},
    {"previous", kSampled},
    {"subSample", kSampled},
    {"superSample", kSampled},
    {"shiftSample", kSampled},
    {"backSample", kSampled},
    {"noClock", kSampled},
    {"interval", kSampled},
    {"activeState", "write an if expression on time or state"},
    {"spatialDistribution", "a part with a state, such as Blocks.FirstOrder, delays a signal"},
    {"getInstanceName", "texts stand in descriptions and assertions only"},
    {"print", "results are columns of the result file; assert(..) stops a run"},
    {"asinh", "write log(x + sqrt(x^2 + 1))"},
    {"acosh", "write log(x + sqrt(x^2 - 1))"},
    {"atanh", "write 0.5*log((1 + x)/(1 - x))"},
    {"pow", "write a^b"},
    {"sqr", "write x^2"},
    {"interpolate", "write table(x, {x1, ..}, {y1, ..})"},
    {"interp1", "write table(x, {x1, ..}, {y1, ..})"},
    {"from_deg", "write x*pi/180"},
    {"to_deg", "write x*180/pi"},
    {"from_rpm", "write x*2*pi/60"},
    {"random", "a study draws values: vary p = uniform(a, b) with samples = n, seed = s"},
    {"rand", "a study draws values: vary p = uniform(a, b) with samples = n, seed = s"},
};

/// What other languages call functions of this one.
constexpr std::pair<const char*, const char*> kOtherNames[] = {
    {"ln", "log"},        {"lg", "log10"},    {"tg", "tan"},        {"arcsin", "asin"},
    {"arccos", "acos"},   {"arctan", "atan"}, {"arctan2", "atan2"}, {"fabs", "abs"},
    {"sgn", "sign"},      {"ddt", "der"},     {"signum", "sign"},   {"deadzone", "luz"},
    {"saturation", "nas"}};

const Function* find_function(const std::string& name) {
  for (const Function& function : kFunctions) {
    if (name == function.name) return &function;
  }
  return nullptr;
}

std::optional<double> literal(const ExprPool& pool, Expr e) {
  if (!pool.is_constant(e)) return std::nullopt;
  return pool[e].value;
}

std::string count_text(std::size_t least, std::size_t most) {
  std::string text = std::to_string(least);
  if (most != least) text += " or " + std::to_string(most);
  return text + (most == 1 ? " argument" : " arguments");
}

/// Dead zone and saturation between two bounds, from the symmetric ones.
Expr between(ExprPool& pool, Form form, Expr x, Expr low, Expr high) {
  const double inf = std::numeric_limits<double>::infinity();
  const bool dead_zone = form == Form::kLuz;
  // A bound that is not there: the middle of the zone would be infinite.
  if (literal(pool, low) == -inf) {
    return dead_zone ? pool.call(Op::kMax, {pool.sub(x, high), pool.zero()})
                     : pool.call(Op::kMin, {x, high});
  }
  if (literal(pool, high) == inf) {
    return dead_zone ? pool.call(Op::kMin, {pool.sub(x, low), pool.zero()})
                     : pool.call(Op::kMax, {x, low});
  }
  const Expr half = pool.constant(0.5);
  const Expr middle = pool.mul(half, pool.add(low, high));
  const Expr width = pool.mul(half, pool.sub(high, low));
  const Expr centred = pool.sub(x, middle);
  if (dead_zone) return pool.luz(centred, width);
  return pool.add(middle, pool.nas(centred, width));
}

/// LT2016 for literal bounds that make no sense.
bool check_bounds(Elaboration& e, const Call& call, Form form) {
  const auto value = [&](std::size_t i) { return literal(e.pool, call.arguments[i].e); };
  const auto wrong = [&](std::size_t i, const std::string& message) {
    e.report.error(Code::kWrongArguments, call.argument_spans[i], message);
    return false;
  };
  if ((form == Form::kLuz || form == Form::kNas) && call.arguments.size() == 3) {
    const auto low = value(1);
    const auto high = value(2);
    if (low && high && !(*low <= *high)) {
      return wrong(2, "the upper bound of '" + call.name + "' is below the lower one");
    }
    return true;
  }
  if (form == Form::kOp || form == Form::kSqrt || form == Form::kDiv) return true;
  const char* what = form == Form::kDry ? "friction" : "half width";
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    if (value(i).value_or(0) < 0) {
      return wrong(i, std::string("the ") + what + " of '" + call.name + "' is negative");
    }
  }
  return true;
}

/// The value of a call whose arguments are scalars and as many as the function takes.
Value scalar_call(Elaboration& e, const Call& call, const Function& function) {
  const std::size_t count = call.arguments.size();
  ExprPool& pool = e.pool;
  std::vector<Expr> args;
  for (std::size_t i = 0; i < count; ++i) {
    const Value& value = call.arguments[i];
    if (value.type == ScalarType::kBoolean && function.op != Op::kNoEvent) {
      e.report.error(Code::kTypeMismatch, call.argument_spans[i],
                     "'" + call.name + "' needs a number, and this is true or false");
      return {};
    }
    args.push_back(value.e);
  }
  if (!check_bounds(e, call, function.form)) return {};
  if (function.op == Op::kDer && is_set_valued(pool, args[0])) {
    e.report
        .error(Code::kSetValuedPlace, call.argument_spans[0],
               "dry friction and hard stops have no derivative")
        .with_note("their value jumps when the slip or the contact begins or ends");
    return {};
  }
  switch (function.form) {
    case Form::kOp: {
      const bool keeps_type = function.op == Op::kNoEvent;
      const bool integer = function.op == Op::kAbs || function.op == Op::kMin ||
                           function.op == Op::kMax || function.op == Op::kMod;
      const bool all_integer =
          call.name == "integer" ||
          (integer && std::all_of(call.arguments.begin(), call.arguments.end(),
                                  [](const Value& v) { return v.type == ScalarType::kInteger; }));
      const ScalarType type = keeps_type    ? call.arguments[0].type
                              : all_integer ? ScalarType::kInteger
                                            : ScalarType::kReal;
      return {pool.call(function.op, std::move(args)), type};
    }
    case Form::kSqrt:
      return {pool.sqrt(args[0]), ScalarType::kReal};
    case Form::kLuz:
      if (count == 3)
        return {between(pool, Form::kLuz, args[0], args[1], args[2]), ScalarType::kReal};
      return {pool.luz(args[0], args[1]), ScalarType::kReal};
    case Form::kNas:
      if (count == 3)
        return {between(pool, Form::kNas, args[0], args[1], args[2]), ScalarType::kReal};
      return {pool.nas(args[0], args[1]), ScalarType::kReal};
    case Form::kTar:
      return {pool.tar(args[0], args[1]), ScalarType::kReal};
    case Form::kDiv: {
      const Expr quotient = pool.div(args[0], args[1]);
      const Expr negative = pool.call(Op::kLess, {quotient, pool.zero()});
      const Expr truncated = pool.if_then_else(negative, pool.call(Op::kCeil, {quotient}),
                                               pool.call(Op::kFloor, {quotient}));
      return {truncated, common_type(call.arguments)};
    }
    case Form::kDry:
      return {pool.dry(args[0], args[1], args[count - 1]), ScalarType::kReal};
  }
  throw InternalError("semantics", "a function without a form");
}
}  // namespace

bool is_scalar_function(const std::string& name) { return find_function(name) != nullptr; }

Value build_call(Elaboration& e, const Call& call) {
  const Function& function = *find_function(call.name);
  const std::size_t count = call.arguments.size();
  if (count < function.least || count > function.most) {
    e.report.error(Code::kWrongArguments, call.span,
                   "'" + call.name + "' takes " + count_text(function.least, function.most) +
                       ", not " + std::to_string(count));
    return {};
  }
  const std::optional<Shape> shape =
      common_shape(e, {call.arguments, call.argument_spans}, "'" + call.name + "'");
  if (!shape) return {};
  const Quantities quantities{call.arguments, call.argument_spans};
  if (shape->empty()) {
    Value result = scalar_call(e, call, function);
    if (result.valid()) give_unit(e, function.unit, call.name, quantities, result);
    return result;
  }
  Value result = make_value(*shape, {}, ScalarType::kReal);
  std::vector<Value> arguments(count);
  for (std::size_t k = 0; k < element_count(*shape); ++k) {
    for (std::size_t i = 0; i < count; ++i) {
      arguments[i] = {call.arguments[i].element(k), call.arguments[i].type};
    }
    const Value element =
        scalar_call(e, {call.name, call.span, arguments, call.argument_spans}, function);
    if (!element.valid()) return {};
    result.elements.push_back(element.e);
    result.type = element.type;
  }
  give_unit(e, function.unit, call.name, quantities, result);
  return result;
}

namespace {

/// The points of a table or spline; nothing after a report.
std::optional<std::vector<std::pair<Expr, Expr>>> table_points(
    Elaboration& e, const Call& call, const std::array<std::vector<Span>, 2>& columns) {
  const auto place = [&](std::size_t argument, std::size_t element) {
    const std::vector<Span>& column = columns[argument - 1];
    return column.empty() ? call.argument_spans[argument] : column[element];
  };
  const auto fail = [&](Code code, Span span, const std::string& message) {
    e.report.error(code, span, message);
    return std::nullopt;
  };
  const std::vector<Value>& arguments = call.arguments;
  const bool ordered = call.name == "spline" && arguments.size() == 4;
  if ((arguments.size() != 3 && !ordered) || arguments[0].is_array() ||
      arguments[1].shape.size() != 1 || arguments[2].shape.size() != 1) {
    return fail(Code::kWrongArguments, call.span,
                "a " + call.name + " is written " + call.name + "(x, {x1, x2, ..}, {y1, y2, ..})");
  }
  const std::vector<Expr>& x = arguments[1].elements;
  const std::vector<Expr>& y = arguments[2].elements;
  if (x.size() != y.size() || x.size() < 2) {
    return fail(Code::kWrongArguments, call.span,
                x.size() < 2
                    ? "a " + call.name + " needs two points at least"
                    : "the columns of the " + call.name + " have " + std::to_string(x.size()) +
                          " and " + std::to_string(y.size()) + " numbers");
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (arguments[i].type == ScalarType::kBoolean) {
      return fail(Code::kTypeMismatch, call.argument_spans[i], "a " + call.name + " holds numbers");
    }
    for (std::size_t k = 0; i > 0 && k < x.size(); ++k) {
      if (is_known_before_start(e.pool, arguments[i].elements[k])) continue;
      return fail(Code::kNotAParameterExpression, place(i, k),
                  "the points of a " + call.name + " do not change with time");
    }
  }
  std::vector<std::pair<Expr, Expr>> points;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto here = literal(e.pool, x[k]);
    const auto before = k > 0 ? literal(e.pool, x[k - 1]) : std::nullopt;
    if (here && before && *here < *before) {
      return fail(Code::kWrongArguments, place(1, k),
                  "the first column of a " + call.name + " must not decrease");
    }
    points.emplace_back(x[k], y[k]);
  }
  return points;
}

/// The unit of what a table or spline gives; its argument and knots share one.
Value with_unit_of_table(Elaboration& e, const Call& call, Expr value) {
  const std::vector<Value>& arguments = call.arguments;
  const UnitId knots = common_unit_of_elements(e, arguments[1], call.argument_spans[1],
                                               "the knots of a table have different units");
  const UnitId values = common_unit_of_elements(e, arguments[2], call.argument_spans[2],
                                                "the values of a table have different units");
  const std::vector<Value> both{arguments[0],
                                {e.pool.zero(), ScalarType::kReal, {}, {}, knots, {}}};
  Value result{value, ScalarType::kReal};
  give_common_unit(e, {both, call.argument_spans}, "a table and its knots have different units",
                   result);
  result.unit = values;
  return result;
}

/// Which derivative of a spline is meant; nothing after a report.
std::optional<int> spline_order(Elaboration& e, const Call& call) {
  if (call.arguments.size() < 4) return 0;
  const auto order = structural_integer(e, call.arguments[3], call.argument_spans[3],
                                        "the order of a spline's derivative");
  if (!order) return std::nullopt;
  if (*order >= 0 && *order <= kHighestSplineOrder) return static_cast<int>(*order);
  e.report.error(Code::kWrongArguments, call.argument_spans[3],
                 "a spline has derivatives of order 0 to " + std::to_string(kHighestSplineOrder));
  return std::nullopt;
}

}  // namespace

Value build_table(Elaboration& e, const Call& call,
                  const std::array<std::vector<Span>, 2>& columns) {
  const auto points = table_points(e, call, columns);
  if (!points) return {};
  std::vector<Expr> args{call.arguments[0].e};
  for (const auto& [x, y] : *points) args.insert(args.end(), {x, y});
  return with_unit_of_table(e, call, e.pool.call(Op::kTable, std::move(args)));
}

Value build_spline(Elaboration& e, const Call& call,
                   const std::array<std::vector<Span>, 2>& columns) {
  const auto points = table_points(e, call, columns);
  if (!points) return {};
  for (std::size_t k = 1; k < points->size(); ++k) {
    const auto width = known_value(e, e.pool.sub((*points)[k].first, (*points)[k - 1].first));
    if (!width) return {};
    if (*width > 0) continue;
    e.report.error(Code::kWrongArguments, call.argument_spans[1],
                   "the first column of a spline must increase");
    return {};
  }
  const auto order = spline_order(e, call);
  if (!order) return {};
  std::vector<Expr> args{call.arguments[0].e, e.pool.constant(*order)};
  for (const auto& [x, y] : *points) args.insert(args.end(), {x, y});
  Value result = with_unit_of_table(e, call, e.pool.call(Op::kSpline, std::move(args)));
  for (int i = 0; i < *order; ++i) {
    result.unit = e.units.quotient(result.unit, call.arguments[0].unit);
  }
  return result;
}

Value build_slope(Elaboration& e, const Call& call) {
  const auto fail = [&](Span span, const std::string& message) -> Value {
    e.report.error(Code::kWrongArguments, span, message);
    return {};
  };
  const std::vector<Value>& arguments = call.arguments;
  if (arguments.size() != 2 || arguments[0].is_array() || arguments[1].is_array() ||
      arguments[0].type == ScalarType::kBoolean) {
    return fail(call.span, "the slope of y along x is written slope(y, x)");
  }
  const Expr x = arguments[1].e;
  if (!e.pool.variable_of(x))
    return fail(call.argument_spans[1], "a slope is taken along a variable");
  const Expr y = arguments[0].e;
  if (is_set_valued(e.pool, y) || contains(e.pool, y, Op::kDer)) {
    return fail(call.argument_spans[0],
                "a slope is taken of a smooth expression, without der and dryfriction");
  }
  if (!depends_on(e.pool, y, [&](Symbol s) { return s == e.pool[x].symbol; })) {
    e.report
        .error(Code::kWrongArguments, call.argument_spans[0],
               "this expression does not hold '" + to_text(e.pool, x, e.flat.names()) + "'")
        .with_note("write the expression or function itself, not a variable that is equal to it");
    return {};
  }
  Value result{derivative(e.pool, y, e.pool[x].symbol), ScalarType::kReal};
  result.unit = e.units.quotient(arguments[0].unit, arguments[1].unit);
  return result;
}

void report_unknown_function(Elaboration& e, const Scope& scope, const AstName& name) {
  const std::string text = name_text(name);
  for (const Foreign& foreign : kForeign) {
    if (text != foreign.name) continue;
    e.report.error(Code::kOutsideSubset, name.span, "'" + text + "' is not part of the language")
        .with_note(foreign.advice);
    return;
  }
  if (scope.cls.valid()) {
    Found found = e.classes.find_visible(scope.cls, name.parts[0].name.text);
    for (std::size_t i = 1; i < name.parts.size() && found.valid() && !found.is_member(); ++i) {
      found = e.classes.find_inside(found.cls, name.parts[i].name.text);
    }
    const bool is_class = found.valid() && !found.is_member();
    if (is_class && e.classes[found.cls].kind == ClassEntry::Kind::kBroken) return;
    if (is_class && e.classes[found.cls].kind == ClassEntry::Kind::kClass) {
      const AstClassKind kind = e.classes.definition(found.cls).kind;
      e.report.error(Code::kWrongClassKind, name.span,
                     "'" + text + "' is a " + kind_text(kind) + ", not a function");
      return;
    }
  }
  if (name.parts.size() > 1 && name.parts[0].name.text == "Modelica") {
    return e.report.modelica_library(text, name.span);
  }
  std::vector<std::string> names{"table",    "spline",   "slope",   "size", "sum",
                                 "product",  "zeros",    "ones",    "fill", "transpose",
                                 "linspace", "identity", "diagonal"};
  for (const Function& function : kFunctions) names.emplace_back(function.name);
  std::string near;
  for (const auto& [other, here] : kOtherNames) {
    if (text == other) near = here;
  }
  if (near.empty()) near = nearest_name(text, names);
  Diagnostic& error =
      e.report.error(Code::kUnknownFunction, name.span, "unknown function '" + text + "'");
  if (!near.empty()) error.with_label("did you mean '" + near + "'?");
}

}  // namespace luztar
