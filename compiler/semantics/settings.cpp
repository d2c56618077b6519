#include "compiler/semantics/settings.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "compiler/base/letters.h"
#include "compiler/semantics/unit_spelling.h"
#include "compiler/syntax/parse.h"

namespace luztar {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_unit_character(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '/' || c == '(' || c == ')' || c == '-' ||
         c == '*' || c == '^';
}

/// `N.m` or `1/s`.
bool begins_unit(std::string_view text) {
  return is_letter(text[0]) || (text.size() > 1 && text[0] == '1' && text[1] == '/');
}

/// The place of a unit after an expression, as `kN.m/rad` in `2 kN.m/rad` or `"N.m"` in `2 "N.m"`;
/// npos: there is none.
std::size_t unit_begin(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"' || (is_space(text[i - 1]) && begins_unit(text.substr(i)))) {
      std::size_t last = i;
      while (last > 0 && is_space(text[last - 1])) --last;
      const char before = last > 0 ? text[last - 1] : ' ';
      const bool value_before =
          is_digit(before) || is_letter(before) || before == '.' || before == ')';
      bool unit = value_before;
      for (const char c : text.substr(i)) {
        unit = unit && (is_unit_character(c) || c == '"' || is_space(c));
      }
      if (unit) return i;
    }
  }
  return std::string_view::npos;
}

std::string trimmed_unit(std::string_view text) {
  std::string unit;
  for (const char c : text) {
    if (c != '"' && !is_space(c)) unit += c == '*' ? '.' : c;
  }
  return unit;
}

std::optional<double> plain_number(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// `30deg`
bool is_glued(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  return error == std::errc() && !rest.empty() && !similar_units(rest).empty();
}

/// A tree of one number.
Ast number_tree(double value, Span span) {
  Ast ast;
  ast.file = span.file;
  AstExpr number;
  number.kind = AstExprKind::kNumber;
  number.number = value;
  number.span = span;
  ast.exprs.push_back(std::move(number));
  return ast;
}

constexpr std::string_view kPrologue = "model setting parameter Real value =\n";

/// Parses an expression as the binding of a class of its own; spans point into `shown` then.
std::optional<Ast> expression_tree(const std::string& text, Span shown, SourceMap& sources) {
  Diagnostics ignored;
  const FileId file = sources.add("--set", std::string(kPrologue) + text + "\n;\nend setting;\n");
  std::optional<Ast> ast = parse(sources, file, ignored);
  const bool one_value = ast && !ignored.has_errors() && ast->classes.size() == 1 &&
                         ast->class_table[ast->classes[0]].components.size() == 1 &&
                         ast->class_table[ast->classes[0]].elements.size() == 1 &&
                         ast->class_table[ast->classes[0]].equations.empty() &&
                         ast->class_table[ast->classes[0]].components[0].binding.valid();
  if (!one_value) return std::nullopt;
  const auto moved = [&](Span span) {
    const auto shift = static_cast<std::uint32_t>(kPrologue.size());
    return Span{shown.file, shown.begin + span.begin - shift, shown.begin + span.end - shift};
  };
  for (AstExpr& e : ast->exprs) {
    e.span = moved(e.span);
    e.name.span = moved(e.name.span);
    for (AstNamePart& part : e.name.parts) part.name.span = moved(part.name.span);
    for (AstIdentifier& name : e.arg_names) name.span = moved(name.span);
  }
  return ast;
}

SettingValue read_setting(const Setting& setting, Settings& result, SourceMap& sources,
                          Reporter& report) {
  SettingValue value;
  value.name = setting.name;
  std::string text = setting.value;
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  const std::size_t unit = unit_begin(text);
  const FileId file = sources.add("--set", setting.name + "=" + text + "\n");
  const auto begin = static_cast<std::uint32_t>(setting.name.size() + 1);
  const auto end = begin + static_cast<std::uint32_t>(text.size());
  value.span = {file, begin, std::max(end, begin + 1)};
  std::string number = text;
  if (unit != std::string::npos) {
    value.unit = trimmed_unit(std::string_view(text).substr(unit));
    value.unit_span = {file, begin + static_cast<std::uint32_t>(unit), end};
    number = text.substr(0, unit);
  }
  std::optional<Ast> tree;
  AstExprId root{std::size_t{0}};
  if (const std::optional<double> plain = plain_number(number)) {
    tree = number_tree(*plain, value.span);
  } else {
    tree = expression_tree(number, value.span, sources);
    if (tree) root = tree->class_table[tree->classes[0]].components[0].binding;
  }
  if (!tree) {
    report
        .error(Code::kSyntax, value.span,
               "the value of '" + setting.name + "' is not an expression")
        .with_note(is_glued(text)
                       ? "a space stands between a number and its unit: --set 'k=2 kN.m/rad'"
                       : "write a number, perhaps with its unit: --set 'k=2 kN.m/rad'");
    return value;
  }
  result.trees.push_back(std::move(*tree));
  value.value = {{&result.trees.back(), InstanceId{}, ClassId{}}, root};
  return value;
}

}  // namespace

SettingValue* Settings::find(const std::string& name) {
  if (by_name.empty()) return nullptr;
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : &values[found->second];
}

Settings read_settings(const std::vector<Setting>& settings, SourceMap& sources, Reporter& report) {
  Settings result;
  for (const Setting& setting : settings) {
    SettingValue value = read_setting(setting, result, sources, report);
    std::erase_if(value.name, is_space);  // m[1, 2] is called m[1,2]
    result.by_name[value.name] = result.values.size();
    result.values.push_back(std::move(value));
  }
  return result;
}

}  // namespace luztar
