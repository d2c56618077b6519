// What the parser skips behind a mistake.
#pragma once

#include "compiler/syntax/parse_tree.h"

namespace luztar {

/// Goes on behind the statement with the mistake, and behind a whole loop or if equation whose head
/// is wrong: one mistake gives one message, and does not spoil the next statement.
class StatementRecovery : public antlr4::DefaultErrorStrategy {
 public:
  void recover(antlr4::Parser* parser, std::exception_ptr error) override;
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;

 protected:
  antlr4::Token* singleTokenDeletion(antlr4::Parser* parser) override;

 private:
  std::size_t last_ = static_cast<std::size_t>(-1);  // token at which the last recovery ended
};

}  // namespace luztar
