// Values given with --set.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/semantics/flatten.h"
#include "compiler/semantics/modifiers.h"
#include "compiler/semantics/report.h"

namespace luztar {

/// One setting, read: an expression of numbers and perhaps a unit.
struct SettingValue {
  std::string name;
  Source value;      // invalid: not an expression, reported
  std::string unit;  // as written after the number; empty: none
  Span unit_span;
  Span span;
  bool used = false;
};

struct Settings {
  std::deque<Ast> trees;
  std::vector<SettingValue> values;
  std::unordered_map<std::string, std::size_t> by_name;  // the last one of a name counts

  [[nodiscard]] SettingValue* find(const std::string& name);
};

/// Reads the settings; errors: LT1xxx for what is not an expression.
[[nodiscard]] Settings read_settings(const std::vector<Setting>& settings, SourceMap& sources,
                                     Reporter& report);

}  // namespace luztar
