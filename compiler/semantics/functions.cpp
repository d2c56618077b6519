#include "compiler/semantics/functions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace luztar {
namespace {

/// How a call becomes an expression; kOp is that operation on the arguments as they stand.
enum class Form : std::uint8_t { kOp, kSqrt, kLuz, kNas, kTar, kDry };

struct Function {
  const char* name;
  std::size_t least, most;
  Form form;
  Op op;
};

constexpr Function kFunctions[] = {
    {"der", 1, 1, Form::kOp, Op::kDer},       {"sign", 1, 1, Form::kOp, Op::kSign},
    {"sqrt", 1, 1, Form::kSqrt, Op::kPow},    {"exp", 1, 1, Form::kOp, Op::kExp},
    {"log", 1, 1, Form::kOp, Op::kLog},       {"log10", 1, 1, Form::kOp, Op::kLog10},
    {"sin", 1, 1, Form::kOp, Op::kSin},       {"cos", 1, 1, Form::kOp, Op::kCos},
    {"tan", 1, 1, Form::kOp, Op::kTan},       {"asin", 1, 1, Form::kOp, Op::kAsin},
    {"acos", 1, 1, Form::kOp, Op::kAcos},     {"atan", 1, 1, Form::kOp, Op::kAtan},
    {"atan2", 2, 2, Form::kOp, Op::kAtan2},   {"sinh", 1, 1, Form::kOp, Op::kSinh},
    {"cosh", 1, 1, Form::kOp, Op::kCosh},     {"tanh", 1, 1, Form::kOp, Op::kTanh},
    {"abs", 1, 1, Form::kOp, Op::kAbs},       {"sign", 1, 1, Form::kOp, Op::kSign},
    {"min", 2, 2, Form::kOp, Op::kMin},       {"max", 2, 2, Form::kOp, Op::kMax},
    {"floor", 1, 1, Form::kOp, Op::kFloor},   {"ceil", 1, 1, Form::kOp, Op::kCeil},
    {"mod", 2, 2, Form::kOp, Op::kMod},       {"noEvent", 1, 1, Form::kOp, Op::kNoEvent},
    {"luz", 2, 3, Form::kLuz, Op::kLuz},      {"nas", 2, 3, Form::kNas, Op::kNas},
    {"tar", 2, 2, Form::kTar, Op::kDry},      {"dryfriction", 2, 3, Form::kDry, Op::kDry},
    {"hardstop", 3, 3, Form::kOp, Op::kStop},
};

/// Functions of the language whose values or arguments are arrays.
constexpr const char* kArrayFunctions[] = {"linspace", "size",  "sum", "product",
                                           "fill",     "zeros", "ones"};

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
  if (form == Form::kOp || form == Form::kSqrt) return true;
  const char* what = form == Form::kDry ? "friction" : "half width";
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    if (value(i).value_or(0) < 0) {
      return wrong(i, std::string("the ") + what + " of '" + call.name + "' is negative");
    }
  }
  return true;
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
  switch (function.form) {
    case Form::kOp: {
      const bool keeps_type = function.op == Op::kNoEvent;
      const bool integer = function.op == Op::kAbs || function.op == Op::kMin ||
                           function.op == Op::kMax || function.op == Op::kMod;
      const bool all_integer =
          integer && std::all_of(call.arguments.begin(), call.arguments.end(),
                                 [](const Value& v) { return v.type == ScalarType::kInteger; });
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
    case Form::kDry:
      return {pool.dry(args[0], args[1], args[count - 1]), ScalarType::kReal};
  }
  throw InternalError("semantics", "a function without a form");
}

Value build_table(Elaboration& e, const Call& call, std::size_t knots) {
  ExprPool& pool = e.pool;
  std::vector<Expr> args{call.arguments[0].e};
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (call.arguments[i].type == ScalarType::kBoolean) {
      e.report.error(Code::kTypeMismatch, call.argument_spans[i], "a table holds numbers");
      return {};
    }
    if (i > 0 && !is_known_before_start(pool, call.arguments[i].e)) {
      e.report.error(Code::kNotAParameterExpression, call.argument_spans[i],
                     "the points of a table do not change with time");
      return {};
    }
  }
  for (std::size_t i = 0; i < knots; ++i) {
    const Expr x = call.arguments[1 + i].e;
    const auto here = literal(pool, x);
    const auto before = i > 0 ? literal(pool, call.arguments[i].e) : std::nullopt;
    if (here && before && *here < *before) {
      e.report.error(Code::kWrongArguments, call.argument_spans[1 + i],
                     "the first column of a table must not decrease");
      return {};
    }
    args.push_back(x);
    args.push_back(call.arguments[1 + knots + i].e);
  }
  return {pool.call(Op::kTable, std::move(args)), ScalarType::kReal};
}

void report_unknown_function(Elaboration& e, const Scope& scope, const AstName& name) {
  const std::string text = name_text(name);
  for (const char* function : kArrayFunctions) {
    if (text == function) return e.report.not_supported(name.span, "arrays and '" + text + "'");
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
      if (kind == AstClassKind::kFunction) {
        return e.report.not_supported(name.span, "calls of functions defined in a model");
      }
      e.report.error(Code::kWrongClassKind, name.span,
                     "'" + text + "' is a " + kind_text(kind) + ", not a function");
      return;
    }
  }
  std::vector<std::string> names{"table"};
  for (const Function& function : kFunctions) names.emplace_back(function.name);
  const std::string near = nearest_name(text, names);
  Diagnostic& error =
      e.report.error(Code::kUnknownFunction, name.span, "unknown function '" + text + "'");
  if (!near.empty()) error.with_label("did you mean '" + near + "'?");
}

}  // namespace luztar
