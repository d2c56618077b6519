// A text as a flat model, with its diagnostics; nothing of the project's library.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compiler/semantics/flatten.h"
#include "compiler/semantics/settings.h"
#include "compiler/symbolic/print.h"
#include "compiler/syntax/parse.h"

namespace luztar::test {

/// A small library: a connector, a body.
inline constexpr const char* kParts = R"(
connector Flange "end of a rod"
  Real s(unit = "m");
  flow Real f(unit = "N");
end Flange;
model Body
  Flange flange;
  parameter Real m(min = 0, unit = "kg");
  Real v(start = 0);
equation
  v = der(flange.s);
  m*der(v) = flange.f;
end Body;
)";

struct FlatRun {
  SourceMap sources;
  ExprPool pool;
  Diagnostics diagnostics;
  std::optional<Ast> ast;
  std::optional<FlatModel> flat;

  explicit FlatRun(const std::string& text, const std::vector<Setting>& settings = {},
                   const std::vector<std::filesystem::path>& roots = {},
                   const std::string& class_name = "") {
    ClassLibrary library(sources, roots);
    try {
      ast = parse(sources, sources.add("model.ltm", text), diagnostics);
      if (!ast || diagnostics.has_errors()) return;
      flat = flatten(*ast, class_name, settings, library, sources, pool, diagnostics);
    } catch (const TooManyErrors&) {
      flat.reset();
    }
  }

  [[nodiscard]] std::string messages() const {
    std::string text;
    for (const Diagnostic& d : diagnostics.all()) text += render_text(d, sources, false);
    return text;
  }
  /// "LT2001 LT2004"
  [[nodiscard]] std::string codes() const {
    std::string text;
    for (const Diagnostic& d : diagnostics.all()) {
      text += (text.empty() ? "" : " ") + code_name(d.code);
    }
    return text;
  }
  [[nodiscard]] std::string first_message() const {
    return diagnostics.all().empty() ? "" : diagnostics.all().front().message;
  }
  [[nodiscard]] std::string first_label() const {
    return diagnostics.all().empty() ? "" : diagnostics.all().front().label;
  }

  [[nodiscard]] const FlatParameter& parameter(const std::string& name) const {
    for (const FlatParameter& p : flat->parameters) {
      if (p.name == name) return p;
    }
    FAIL("no parameter " << name);
    throw;
  }
  [[nodiscard]] const FlatVariable& variable(const std::string& name) const {
    for (const FlatVariable& v : flat->variables) {
      if (v.name == name) return v;
    }
    FAIL("no variable " << name);
    throw;
  }
  [[nodiscard]] std::string text(Expr e) const { return to_text(pool, e, flat->names()); }
  [[nodiscard]] std::vector<std::string> equations() const {
    std::vector<std::string> result;
    for (const FlatEquation& e : flat->equations) {
      result.push_back(text(e.left) + " = " + text(e.right));
    }
    return result;
  }
  [[nodiscard]] std::vector<std::string> variables() const {
    std::vector<std::string> result;
    for (const FlatVariable& v : flat->variables) result.push_back(v.name);
    return result;
  }
};

}  // namespace luztar::test
