#include "compiler/syntax/equation_builder.h"

#include <string>
#include <utility>

#include "compiler/syntax/keyword_guess.h"

namespace luztar {
namespace {

using P = LuzTarParser;

class EquationBuilder {
 public:
  EquationBuilder(Ast& ast, ExpressionBuilder& build, Diagnostics& diagnostics)
      : ast_(ast), build_(build), diagnostics_(diagnostics) {}

  void section(P::Equation_sectionContext* c, AstClass& result) {
    // The accessors of a context search all its children: ask once, not in the loop.
    antlr4::tree::TerminalNode* initial = c->INITIAL();
    if (initial) {
      build_.outside(build_.span(initial->getSymbol()), "an initial equation section",
                     "give start values: wheel(phi(start = 0.1))");
    }
    std::vector<AstEquationId>& target = initial ? result.initial_equations : result.equations;
    for (P::EquationContext* e : c->equation()) target.push_back(equation(e));
  }

 private:
  std::vector<AstEquationId> equation_list(P::Equation_listContext* c) {
    std::vector<AstEquationId> result;
    for (P::EquationContext* e : c->equation()) result.push_back(equation(e));
    return result;
  }

  AstEquationId equation(P::EquationContext* c) {
    AstEquation e;
    e.span = build_.span(c);
    std::vector<AstModifier> ignored;
    build_.comment(c->comment(), e.description, ignored);
    if (P::Connect_clauseContext* connect = c->connect_clause()) {
      e.kind = AstEquationKind::kConnect;
      const std::vector<P::Component_referenceContext*> ends = connect->component_reference();
      e.left = build_.reference(ends[0]);
      e.right = build_.reference(ends[1]);
      if (ends.size() > 2) {
        diagnostics_.error(Code::kSyntax, build_.span(ends[2]), "'connect' joins two connectors")
            .with_note("write connect(a, b); connect(b, c);");
      }
    } else if (c->if_equation()) {
      e.kind = AstEquationKind::kIf;
      for (P::ExpressionContext* x : c->if_equation()->expression()) {
        e.conditions.push_back(build_.expression(x));
      }
      for (P::Equation_listContext* list : c->if_equation()->equation_list()) {
        e.bodies.push_back(equation_list(list));
      }
    } else if (c->for_equation()) {
      for_equation(c->for_equation(), e);
    } else if (c->when_equation()) {
      e.kind = AstEquationKind::kWhen;
      build_.outside(e.span, "a when equation",
                     "write an if expression on time or state; its switching is located exactly");
    } else if (c->while_equation()) {
      e.kind = AstEquationKind::kWhen;
      build_.outside(e.span, "a while equation",
                     "repeat equations by 'for i in 1:n loop'; what goes on in time is a der(x)");
    } else {
      equality(c, e);
    }
    return ast_.equations.push_back(std::move(e));
  }

  /// `for i in a, j in b loop` is a loop in a loop.
  void for_equation(P::For_equationContext* c, AstEquation& e) {
    const std::vector<P::For_indexContext*> indices = c->for_index();
    std::vector<AstEquationId> body = equation_list(c->equation_list());
    for (std::size_t i = indices.size(); i-- > 0;) {
      AstEquation loop;
      loop.kind = AstEquationKind::kFor;
      loop.span = e.span;
      iterator(indices[i], loop);
      loop.bodies.push_back(std::move(body));
      if (i == 0) {
        loop.description = e.description;
        e = std::move(loop);
      } else {
        body = {ast_.equations.push_back(std::move(loop))};
      }
    }
  }

  void iterator(P::For_indexContext* index, AstEquation& loop) {
    loop.iterator = build_.identifier(index->identifier());
    loop.range = build_.iterator_range(index);
  }

  void equality(P::EquationContext* c, AstEquation& e) {
    e.left = build_.expression(c->expression(0));
    if (c->expression().size() == 2) {
      if (c->ASSIGN()) {
        diagnostics_
            .error(Code::kSyntax, build_.span(c->ASSIGN()->getSymbol()), "':=' is no equation")
            .with_note("equations are written with '='; ':=' assigns in functions");
      }
      e.right = build_.expression(c->expression(1));
      return;
    }
    const AstExpr& call = ast_.exprs[e.left];
    if (call.kind != AstExprKind::kCall) {
      diagnostics_.error(Code::kSyntax, e.span, "an equation needs two sides")
          .with_note("write left = right");
      return;
    }
    const std::string& function = call.name.parts.front().name.text;
    if (function == "assert" && call.args.size() < 2) {
      e.kind = AstEquationKind::kCall;
      diagnostics_.error(Code::kSyntax, e.span, "an assertion needs a condition and a text")
          .with_note("write assert(condition, \"text\")");
      return;
    }
    if (function == "assert") {
      e.kind = AstEquationKind::kAssert;
      const std::vector<AstExprId> args = call.args;
      e.left = args[0];
      e.right = args[1];
      e.extra.assign(args.begin() + 2, args.end());
      return;
    }
    e.kind = AstEquationKind::kCall;
    outside_call(call.name, e.span);
  }

  void outside_call(const AstName& function, Span where) {
    const std::string& name = function.parts.front().name.text;
    const std::string near = nearest_name(name, {"connect", "assert", "annotation"});
    if (!near.empty() && near != name) {
      diagnostics_
          .error(Code::kSyntax, function.parts.front().name.span,
                 "'" + name + "' is not a word of the language")
          .with_label("did you mean '" + near + "'?");
      return;
    }
    const char* advice = "only assert(condition, \"text\") stands without a right-hand side";
    if (name == "reinit") {
      advice = "a velocity jumps at a stop with restitution: hardstop(x, a, e)";
    } else if (name == "terminate") {
      advice = "assert(condition, \"text\") stops a simulation; experiment(StopTime) ends it";
    } else if (name == "Connections") {
      advice = "leave it out: rotations are about one axis, and nothing is overdetermined";
    }
    build_.outside(where, "the equation '" + name_text(function) + "(...)'", advice);
  }

  Ast& ast_;
  ExpressionBuilder& build_;
  Diagnostics& diagnostics_;
};

}  // namespace

void build_equations(LuzTarParser::Equation_sectionContext* section, Ast& ast,
                     ExpressionBuilder& build, Diagnostics& diagnostics, AstClass& result) {
  EquationBuilder(ast, build, diagnostics).section(section, result);
}

}  // namespace luztar
