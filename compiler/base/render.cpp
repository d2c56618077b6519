#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/base/diagnostics.h"
#include "compiler/base/utf8.h"

namespace luztar {
namespace {

const char* severity_text(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
}

std::string place(const SourceMap& sources, Span span) {
  const LineColumn at = sources.position(span.file, span.begin);
  return sources.path(span.file) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  return count;
}

// The characters of a line, one string each, safe to print: control characters and bytes that are
// no UTF-8 become '?'.
std::vector<std::string> printable_characters(std::string_view line) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < line.size();) {
    const auto byte = static_cast<unsigned char>(line[i]);
    const std::size_t length = utf8_length(line, i);
    const bool control = byte < 0x20U || byte == 0x7FU;
    result.push_back(byte == '\t'             ? " "
                     : length == 0 || control ? "?"
                                              : std::string(line.substr(i, length)));
    i += std::max<std::size_t>(length, 1);
  }
  return result;
}

// The source line with carets below the part of the span that lies on it; of a long line the part
// around the carets.
std::string excerpt(const SourceMap& sources, Span span, const std::string& label,
                    const char* caret_color, const char* reset) {
  constexpr std::size_t kWidth = 110;
  const LineColumn at = sources.position(span.file, span.begin);
  std::vector<std::string> line = printable_characters(sources.line(span.file, at.line));
  const std::string_view marked = sources.text(span);
  std::size_t column = std::min<std::size_t>(at.column - 1, line.size());
  std::size_t length = characters(marked.substr(0, marked.find('\n')));
  length = std::max<std::size_t>(1, std::min(length, line.size() + 1 - column));
  if (line.size() > kWidth) {
    length = std::min(length, kWidth / 2);
    const std::size_t first =
        std::min(column > kWidth / 3 ? column - kWidth / 3 : 0, line.size() - kWidth);
    const bool cut_after = first + kWidth < line.size();
    line = {line.begin() + static_cast<std::ptrdiff_t>(first),
            line.begin() + static_cast<std::ptrdiff_t>(first + kWidth)};
    column -= first;
    if (first > 0) {
      line.insert(line.begin(), "... ");
      column += 4;
    }
    if (cut_after) line.emplace_back(" ...");
  }
  std::string text;
  for (const std::string& c : line) text += c;
  std::string number = std::to_string(at.line);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  std::string out = number + " | " + text + "\n" + std::string(number.size(), ' ') + " | " +
                    std::string(column, ' ') + caret_color + std::string(length, '^') + reset;
  if (!label.empty()) out += " " + label;
  return out + "\n";
}

}  // namespace

std::string render_text(const Diagnostic& diagnostic, const SourceMap& sources, bool color) {
  const char* bold = color ? "\x1b[1m" : "";
  const char* reset = color ? "\x1b[0m" : "";
  const char* tint = !color                                    ? ""
                     : diagnostic.severity == Severity::kError ? "\x1b[1;31m"
                                                               : "\x1b[1;35m";
  std::string out;
  if (diagnostic.span.valid()) out += bold + place(sources, diagnostic.span) + ": " + reset;
  out += tint + std::string(severity_text(diagnostic.severity)) + "[" + code_name(diagnostic.code) +
         "]" + reset + ": " + bold + diagnostic.message + reset + "\n";
  if (diagnostic.span.valid())
    out += excerpt(sources, diagnostic.span, diagnostic.label, tint, reset);
  for (const Note& note : diagnostic.notes) {
    out += "   note: " + note.text;
    if (note.span.valid()) out += " (" + place(sources, note.span) + ")";
    out += "\n";
  }
  return out;
}

std::string render_json(const Diagnostics& diagnostics, const SourceMap& sources) {
  const auto locate = [&](nlohmann::ordered_json& object, Span span) {
    if (!span.valid()) return;
    const LineColumn begin = sources.position(span.file, span.begin);
    const LineColumn end = sources.position(span.file, span.end);
    object["file"] = sources.path(span.file);
    object["line"] = begin.line;
    object["column"] = begin.column;
    object["endLine"] = end.line;
    object["endColumn"] = end.column;
  };
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    nlohmann::ordered_json object;
    object["code"] = code_name(diagnostic.code);
    object["severity"] = severity_text(diagnostic.severity);
    locate(object, diagnostic.span);
    object["message"] = diagnostic.message;
    if (!diagnostic.label.empty()) object["label"] = diagnostic.label;
    object["notes"] = nlohmann::ordered_json::array();
    for (const Note& note : diagnostic.notes) {
      nlohmann::ordered_json entry;
      locate(entry, note.span);
      entry["message"] = note.text;
      object["notes"].push_back(std::move(entry));
    }
    array.push_back(std::move(object));
  }
  return array.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace luztar
