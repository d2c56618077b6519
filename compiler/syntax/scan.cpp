#include "compiler/syntax/scan.h"

#include <string_view>
#include <vector>

#include "compiler/base/utf8.h"

namespace luztar {
namespace {

// The parser recurses with the nesting of brackets, classes and if expressions.
constexpr std::size_t kDeepest = 200;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Scanner {
 public:
  Scanner(const SourceMap& sources, FileId file, Diagnostics& diagnostics)
      : text_(sources.text(file)), file_(file), diagnostics_(diagnostics) {}

  bool run() {
    if (!check_bytes()) return false;
    while (i_ < text_.size()) {
      if (!step()) return false;
    }
    if (tokens_ == 0) {
      diagnostics_.error(Code::kEmptyFile, {file_, 0, 0}, "the file defines no class")
          .with_note("a model begins with 'model Name' and ends with 'end Name;'");
      return false;
    }
    return true;
  }

 private:
  Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  bool check_bytes() {
    for (std::size_t i = 0; i < text_.size();) {
      const auto c = static_cast<unsigned char>(text_[i]);
      const bool control = c < 0x20U && c != '\n' && c != '\r' && c != '\t' && c != '\f';
      const std::size_t length = utf8_length(text_, i);
      if (length == 0 || control || c == 0x7FU) {
        diagnostics_.error(Code::kNotText, span(i, i), "the file is not UTF-8 text")
            .with_note("byte " + std::to_string(i + 1) + " of the file cannot be part of a model");
        return false;
      }
      i += length;
    }
    return true;
  }

  bool step() {
    const char c = text_[i_];
    if (c == '/' && next() == '/') {
      while (i_ < text_.size() && text_[i_] != '\n') ++i_;
      return true;
    }
    if (c == '/' && next() == '*') return skip_comment();
    if (c == '"' || c == '\'') return skip_quoted(c);
    if (is_word(c)) return word();
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f') statement_start_ = c == ';';
    if (c == '(' || c == '[' || c == '{') {
      if (!enter(Level::kBracket)) return false;
    } else if (c == ')' || c == ']' || c == '}') {
      leave(Level::kExpressionIf);
      if (!levels_.empty() && levels_.back() == Level::kBracket) levels_.pop_back();
    } else if (c == ';') {
      leave(Level::kExpressionIf);
    }
    ++i_;
    return true;
  }

  [[nodiscard]] char next() const { return i_ + 1 < text_.size() ? text_[i_ + 1] : '\0'; }

  bool skip_comment() {
    const std::size_t end = text_.find("*/", i_ + 2);
    if (end == std::string::npos) {
      diagnostics_.error(Code::kUnterminated, span(i_, i_ + 2), "this comment is not closed")
          .with_note("close it with */");
      return false;
    }
    i_ = end + 2;
    return true;
  }

  bool skip_quoted(char quote) {
    const std::size_t begin = i_++;
    while (i_ < text_.size() && text_[i_] != quote) {
      if (quote == '\'' && text_[i_] == '\n') break;
      i_ += text_[i_] == '\\' ? 2 : 1;
    }
    if (i_ >= text_.size() || text_[i_] != quote) {
      const std::size_t line_end = std::min(text_.find('\n', begin), text_.size());
      diagnostics_
          .error(Code::kUnterminated, span(begin, line_end),
                 quote == '"' ? "this string is not closed" : "this quoted name is not closed")
          .with_note(std::string("close it with ") + quote);
      return false;
    }
    ++i_;
    ++tokens_;
    return true;
  }

  // Classes, loops and if equations nest until `end`; an if expression nests until its statement or
  // bracket ends.
  bool word() {
    const std::size_t begin = i_;
    while (i_ < text_.size() && is_word(text_[i_])) ++i_;
    ++tokens_;
    const std::string_view w = std::string_view(text_).substr(begin, i_ - begin);
    const bool starts = statement_start_;
    statement_start_ = w == "then" || w == "else" || w == "loop" || w == "equation" ||
                       w == "algorithm" || w == "public" || w == "protected";
    if (after_end_) {
      after_end_ = false;
      return true;
    }
    if (w == "end") {
      leave(Level::kExpressionIf);
      if (!levels_.empty() && levels_.back() == Level::kBlock) levels_.pop_back();
      after_end_ = true;
      return true;
    }
    if (w == "if") {
      const bool equation = starts && (levels_.empty() || levels_.back() == Level::kBlock);
      return enter(equation ? Level::kBlock : Level::kExpressionIf);
    }
    if (w == "for" || w == "when" || w == "while") return !starts || enter(Level::kBlock);
    const bool opens_class = w == "model" || w == "block" || w == "package" || w == "class" ||
                             w == "connector" || w == "function" || w == "record";
    return !opens_class || is_short_class() || enter(Level::kBlock);
  }

  // `model A = B`, seen from behind the word `model`
  [[nodiscard]] bool is_short_class() const {
    std::size_t k = i_;
    const auto skip_space = [&] {
      while (k < text_.size() &&
             (text_[k] == ' ' || text_[k] == '\t' || text_[k] == '\n' || text_[k] == '\r'))
        ++k;
    };
    skip_space();
    while (k < text_.size() && is_word(text_[k])) ++k;
    skip_space();
    return k < text_.size() && text_[k] == '=';
  }

  enum class Level : char { kBracket, kExpressionIf, kBlock };

  bool enter(Level level) {
    ++tokens_;
    levels_.push_back(level);
    if (levels_.size() <= kDeepest) return true;
    diagnostics_
        .error(Code::kTooDeep, span(i_, i_ + 1),
               "the text is nested more than " + std::to_string(kDeepest) + " levels deep")
        .with_note("split the expression or the class");
    return false;
  }

  void leave(Level level) {
    while (!levels_.empty() && levels_.back() == level) levels_.pop_back();
  }

  const std::string& text_;
  FileId file_;
  Diagnostics& diagnostics_;
  std::size_t i_ = 0;
  std::size_t tokens_ = 0;
  bool statement_start_ = true;
  bool after_end_ = false;  // the next word is the name or keyword behind `end`
  std::vector<Level> levels_;
};

}  // namespace

bool scan_text(const SourceMap& sources, FileId file, Diagnostics& diagnostics) {
  return Scanner(sources, file, diagnostics).run();
}

}  // namespace luztar
