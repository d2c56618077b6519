// The parser's errors as diagnostics.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/expression_builder.h"
#include "compiler/syntax/parse_tree.h"

namespace luztar {

/// LT1001, LT1002: what stands where it cannot, what was expected, and what to write instead.
class SyntaxErrors : public antlr4::BaseErrorListener {
 public:
  SyntaxErrors(FileId file, const TokenOffsets& offsets, Diagnostics& diagnostics)
      : file_(file), offsets_(offsets), diagnostics_(diagnostics) {}

  void syntaxError(antlr4::Recognizer* recognizer, antlr4::Token* token, std::size_t line,
                   std::size_t column, const std::string& message,
                   std::exception_ptr error) override;

 private:
  /// Whether the statement with the last mistake goes on up to here: its rest is not read as it was
  /// meant.
  bool goes_on(antlr4::TokenStream& tokens, const antlr4::Token& token);
  /// True for what has an explanation of its own.
  bool explained(antlr4::Parser& parser, antlr4::Token* token, Span at);

  FileId file_;
  const TokenOffsets& offsets_;
  Diagnostics& diagnostics_;
  std::set<std::uint32_t> places_;
  std::size_t last_ = static_cast<std::size_t>(-1);  // token of the last mistake
  bool closed_ = true;  // false: an equation has been found that is not
};

}  // namespace luztar
