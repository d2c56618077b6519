#include <nlohmann/json.hpp>

#include "compiler/base/diagnostics.h"

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

// The source line with carets below the part of the span that lies on it.
std::string excerpt(const SourceMap& sources, Span span, const std::string& label,
                    const char* caret_color, const char* reset) {
  const LineColumn at = sources.position(span.file, span.begin);
  std::string line(sources.line(span.file, at.line));
  for (char& c : line) {
    if (c == '\t') c = ' ';
  }
  const std::size_t rest =
      characters(line) + 1 - std::min<std::size_t>(at.column, characters(line) + 1);
  std::size_t length = characters(sources.text(span).substr(0, span.end - span.begin));
  const std::size_t newline = sources.text(span).find('\n');
  if (newline != std::string_view::npos) length = characters(sources.text(span).substr(0, newline));
  length = std::max<std::size_t>(1, std::min(length, rest));
  std::string number = std::to_string(at.line);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  const std::string margin(number.size(), ' ');
  std::string out = number + " | " + line + "\n" + margin + " | " +
                    std::string(at.column - 1, ' ') + caret_color + std::string(length, '^') +
                    reset;
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
