// Diagnostics for the user: what, where, why, what to do. Codes come from one registry.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"

namespace luztar {

/// Every diagnostic the project can print; see diagnostic_codes.def for the numbers.
enum class Code : int {
#define LT_CODE(number, name, title) name = number,
#include "compiler/base/diagnostic_codes.def"
#undef LT_CODE
};

/// All registered codes in order of number.
[[nodiscard]] const std::vector<Code>& all_codes();
/// "LT2003"
[[nodiscard]] std::string code_name(Code code);
/// The registry's one-line title of a code.
[[nodiscard]] std::string_view code_title(Code code);

enum class Severity { kError, kWarning };

struct Note {
  Span span;  // may be invalid: a note without a place
  std::string text;
};

/// Words of more than 200 bytes are cut in its texts.
struct Diagnostic {
  Severity severity = Severity::kError;
  Code code{};
  Span span;            // may be invalid: a message about the run as a whole
  std::string message;  // one sentence, no full stop
  std::string label;    // text under the caret, may be empty
  std::vector<Note> notes;

  Diagnostic& with_label(std::string words);
  Diagnostic& with_note(std::string words, Span at = {});
};

/// Thrown by Diagnostics::error once the limit of errors per run is reached; the driver prints what
/// was collected.
class TooManyErrors : public std::runtime_error {
 public:
  TooManyErrors() : std::runtime_error("too many errors") {}
};

/// A broken post-condition of a compiler pass: a bug of ours, never of the user's input.
class InternalError : public std::logic_error {
 public:
  InternalError(std::string_view pass, const std::string& what)
      : std::logic_error(std::string(pass) + ": " + what) {}
};

/// Collects the diagnostics of a run.
class Diagnostics {
 public:
  static constexpr std::size_t kErrorLimit = 20;
  static constexpr std::size_t kWarningLimit = 20;

  /// Adds an error and returns it for labels and notes (the reference is valid until the next
  /// call). Throws TooManyErrors instead of adding error number kErrorLimit + 1.
  Diagnostic& error(Code code, Span span, std::string message);
  /// As `error`; of more than kWarningLimit warnings the others are only counted.
  Diagnostic& warning(Code code, Span span, std::string message);

  /// Puts the diagnostics in the order of the sources; those without a place come last.
  void sort_by_source();

  [[nodiscard]] bool has_errors() const { return errors_ > 0; }
  [[nodiscard]] std::size_t error_count() const { return errors_; }
  /// Warnings above the limit.
  [[nodiscard]] std::size_t hidden_warnings() const {
    return warnings_ > kWarningLimit ? warnings_ - kWarningLimit : 0;
  }
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
  std::size_t errors_ = 0, warnings_ = 0;
  Diagnostic hidden_;
};

/// One diagnostic as text with source line and carets; `color` switches ANSI colours on.
[[nodiscard]] std::string render_text(const Diagnostic& diagnostic, const SourceMap& sources,
                                      bool color);
/// All diagnostics as a JSON array (one object each: code, severity, file, line, column, endLine,
/// endColumn, message, label, notes).
[[nodiscard]] std::string render_json(const Diagnostics& diagnostics, const SourceMap& sources);

/// "a -> b -> a" for {"a", "b"}; of a long circle the first names and how many are left out.
[[nodiscard]] std::string circle_text(const std::vector<std::string>& names);

/// The candidate nearest to `name` in edit distance, or "" when none is near enough to suggest.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       const std::vector<std::string>& candidates);

}  // namespace luztar
