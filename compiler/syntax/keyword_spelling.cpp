#include "compiler/syntax/keyword_spelling.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/letters.h"
#include "compiler/syntax/keyword_guess.h"
#include "compiler/syntax/token_kinds.h"

namespace luztar {
namespace {

using L = LuzTarLexer;
using Words = std::vector<std::string>;

const Words kKinds{"model", "block",   "connector", "type",    "function",
                   "class", "package", "record",    "partial", "encapsulated"};
const Words kPrefixes{"parameter", "constant",  "input",       "output",   "flow",
                      "final",     "discrete",  "inner",       "outer",    "stream",
                      "public",    "redeclare", "replaceable", "protected"};
const Words kBeforeKinds{"partial",    "encapsulated", "final",  "replaceable", "redeclare",
                         "expandable", "operator",     "public", "protected"};
const Words kSections{"equation", "algorithm", "public", "protected"};

bool is_kind(std::size_t type) {
  switch (type) {
    case L::MODEL:
    case L::BLOCK:
    case L::CONNECTOR:
    case L::TYPE:
    case L::FUNCTION:
    case L::CLASS:
    case L::PACKAGE:
    case L::RECORD:
    case L::STUDY:
      return true;
    default:
      return false;
  }
}

bool is_prefix(std::size_t type) {
  switch (type) {
    case L::PARAMETER:
    case L::CONSTANT:
    case L::INPUT:
    case L::OUTPUT:
    case L::FLOW:
    case L::FINAL:
    case L::PARTIAL:
    case L::ENCAPSULATED:
    case L::REPLACEABLE:
    case L::INNER:
    case L::OUTER:
      return true;
    default:
      return false;
  }
}

/// Whether a statement or declaration begins behind a token, seen from that token alone.
bool begins_behind(std::size_t type) {
  switch (type) {
    case L::SEMI:
    case L::EQUATION:
    case L::ALGORITHM:
    case L::PUBLIC:
    case L::PROTECTED:
    case L::THEN:
    case L::ELSE:
    case L::LOOP:
      return true;
    default:
      return is_prefix(type);
  }
}

bool begins_value(std::size_t type) {
  return type == L::IDENTIFIER || type == L::NUMBER || type == L::LPAREN || type == L::LBRACE ||
         type == L::MINUS || type == L::TRUE || type == L::FALSE || type == L::DER ||
         type == L::NOT || type == L::IF || type == L::FOR || type == L::CONNECT;
}

/// Of the candidates the one that other languages call `name`, or else the nearest.
std::string meant(const std::string& name, const Words& candidates) {
  constexpr std::pair<const char*, const char*> kOthers[] = {
      {"const", "constant"},    {"param", "parameter"}, {"func", "function"},
      {"private", "protected"}, {"elif", "elseif"},     {"elsif", "elseif"}};
  for (const auto& [other, here] : kOthers) {
    const bool fits = std::find(candidates.begin(), candidates.end(), here) != candidates.end();
    if (name == other && fits) return here;
  }
  return nearest_name(name, candidates);
}

class SpellingCheck {
 public:
  SpellingCheck(antlr4::CommonTokenStream& tokens, const TokenOffsets& offsets, FileId file,
                Diagnostics& diagnostics)
      : all_(tokens.getTokens()),
        lexer_(dynamic_cast<antlr4::Lexer*>(tokens.getTokenSource())),
        offsets_(offsets),
        file_(file),
        diagnostics_(diagnostics) {}

  void run() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (type(i) == L::IDENTIFIER) check(i);
      follow(i);
    }
  }

 private:
  [[nodiscard]] std::size_t type(std::size_t i) const {
    return i < all_.size() ? all_[i]->getType() : antlr4::Token::EOF;
  }
  [[nodiscard]] bool is_name(std::size_t i) const {
    return type(i) == L::IDENTIFIER || keyword_is_name(type(i));
  }

  void check(std::size_t i) {
    const Words candidates = starts(i) ? at_start(i) : inside(i);
    const std::string text = all_[i]->getText();
    const std::string word = candidates.empty() ? "" : meant(lower_case(text), candidates);
    auto* token = dynamic_cast<antlr4::WritableToken*>(all_[i]);
    if (word.empty() || token == nullptr) return;
    diagnostics_
        .error(Code::kSyntax, offsets_.span(file_, token, token),
               "'" + text + "' is not a word of the language")
        .with_label("did you mean '" + word + "'?");
    token->setType(lexer_->getTokenType("'" + word + "'"));
  }

  /// Keeps what surrounds the tokens that come.
  void follow(std::size_t i) {
    if (is_kind(type(i)) && is_name(i + 1)) classes_.insert(all_[i + 1]->getText());
    if (type(i) == L::OF) in_study_ = true;
    if (type(i) == L::END) in_study_ = false;
    if (type(i) == L::EQUATION || type(i) == L::ALGORITHM) in_equations_ = true;
    const bool class_ends = type(i) == L::END && is_name(i + 1);
    if (class_ends || is_kind(type(i)) || type(i) == L::PUBLIC || type(i) == L::PROTECTED) {
      in_equations_ = false;
    }
    if (type(i) == L::SEMI) if_ = for_ = false;
    if (type(i) == L::IF) if_ = true;
    if (type(i) == L::FOR) for_ = true;
    if (type(i) == L::LOOP) for_ = false;
  }

  [[nodiscard]] bool starts(std::size_t i) const {
    if (i == 0 || begins_behind(type(i - 1))) return true;
    std::size_t k = i - 1;
    if (k > 1 && type(k) == L::STRING) --k;
    while (k > 1 && is_name(k) && type(k - 1) == L::DOT) k -= 2;
    return k > 0 && is_name(k) && (is_kind(type(k - 1)) || type(k - 1) == L::OF);
  }

  /// The words that can begin a statement that goes on as the one at `i` does.
  [[nodiscard]] Words at_start(std::size_t i) const {
    const std::size_t next = type(i + 1);
    if (next == L::LPAREN) return {"annotation", "connect"};
    if (next == L::SEMI) return i == 0 ? Words{"within"} : Words{};
    if (is_keyword(next)) return before_keyword(i);
    if (!is_name(i + 1)) return {};
    if (all_[i]->getLine() < all_[i + 1]->getLine() &&
        !nearest_section(all_[i]->getText()).empty()) {
      return kSections;
    }
    std::size_t k = i + 2;  // behind the name
    while (type(k) == L::DOT && is_name(k + 1)) k += 2;
    const bool dotted = k > i + 2;
    switch (type(k)) {
      case L::DOT:
      case L::DOT_STAR:
        return {"import"};
      case L::LPAREN:
        if (in_equations_) return {"else"};
        return dotted ? Words{"extends"} : Words{};
      case L::OF:
        return {"study"};
      case L::COMMA:
        return in_study_ ? Words{"vary"} : Words{};
      case L::EQUAL:
        if (in_study_) return {"vary", "measure"};
        return in_equations_ ? Words{"else"} : Words{};
      case L::SEMI:
        if (dotted) return {"extends", "import", "within"};
        return classes_.contains(all_[i + 1]->getText()) ? Words{"end"} : Words{};
      case L::STRING:
        return dotted || ends_declaration(type(k + 1)) ? Words{} : kKinds;
      case L::IDENTIFIER:
        return before_names(dotted);
      default:
        return dotted || !is_keyword(type(k)) || ends_declaration(type(k)) ? Words{} : kKinds;
    }
  }

  static bool ends_declaration(std::size_t type) {
    return type == L::SEMI || type == L::COMMA || type == L::ANNOTATION || type == L::IF ||
           type == L::PLUS;
  }

  /// Of `x Real k` and `x M Real k`.
  static Words before_names(bool dotted) {
    Words words = kPrefixes;
    if (!dotted) words.insert(words.end(), kKinds.begin(), kKinds.end());
    return words;
  }

  [[nodiscard]] Words before_keyword(std::size_t i) const {
    const std::size_t next = type(i + 1);
    if (is_kind(next)) return kBeforeKinds;
    if (is_prefix(next)) return kPrefixes;
    if (next == L::EQUATION) return {"initial"};
    if (next == L::FOR || next == L::IF || next == L::WHEN) {
      return type(i + 2) == L::SEMI ? Words{"end"} : kSections;
    }
    return next == L::CONNECT || next == L::DER ? kSections : Words{};
  }

  /// Of a name between two values.
  [[nodiscard]] Words inside(std::size_t i) const {
    if (!ends_value(type(i - 1)) || !begins_value(type(i + 1))) return {};
    if (if_) return {"then", "else", "elseif"};
    return for_ ? Words{"loop", "in"} : Words{};
  }

  const std::vector<antlr4::Token*> all_;
  antlr4::Lexer* lexer_;
  const TokenOffsets& offsets_;
  FileId file_;
  Diagnostics& diagnostics_;
  std::set<std::string> classes_;  // names of classes that have begun
  bool in_study_ = false, in_equations_ = false;
  bool if_ = false, for_ = false;  // in this statement
};

}  // namespace

void report_keyword_spelling(antlr4::CommonTokenStream& tokens, const TokenOffsets& offsets,
                             FileId file, Diagnostics& diagnostics) {
  SpellingCheck(tokens, offsets, file, diagnostics).run();
}

}  // namespace luztar
