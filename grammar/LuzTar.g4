// Grammar of the LuzTar language: a subset of Modelica 3.6 syntax with set-valued friction and parameter studies.
// Also parsed are Modelica constructs outside the subset and constructs that are not supported yet, so that each gets a
// diagnostic of its own. Decisions are made with one or two tokens of lookahead wherever possible, for speed.
grammar LuzTar;

file
  : within? ( FINAL? class_definition SEMI )* EOF
  ;

within
  : WITHIN name? SEMI
  ;

// ---- classes

class_definition
  : ENCAPSULATED? PARTIAL? class_kind class_specifier
  | study
  ;

class_kind
  : MODEL | BLOCK | CONNECTOR | EXPANDABLE CONNECTOR | TYPE | PACKAGE | RECORD | CLASS
  | ( PURE | IMPURE )? FUNCTION | OPERATOR ( FUNCTION | RECORD )?
  ;

class_specifier
  : identifier description? composition END identifier                                     # LongClass
  | EXTENDS identifier class_modification? description? composition END identifier         # ExtendingClass
  | identifier EQUAL base_prefix? name subscripts? class_modification? comment             # ShortClass
  | identifier EQUAL ENUMERATION LPAREN ( COLON | enumeration_literal ( COMMA enumeration_literal )* )? RPAREN comment  # EnumerationClass
  ;

base_prefix
  : INPUT | OUTPUT
  ;

enumeration_literal
  : identifier comment
  ;

composition
  : ( element_section | equation_section | algorithm_section | external_clause | annotation SEMI )*
  ;

element_section
  : ( PUBLIC | PROTECTED )
  | element SEMI
  ;

element
  : import_clause
  | extends_clause
  | element_prefix* ( class_definition | component_clause ) ( constraining_clause comment )?
  ;

element_prefix
  : REDECLARE | FINAL | INNER | OUTER | REPLACEABLE
  ;

constraining_clause
  : CONSTRAINEDBY name class_modification?
  ;

import_clause
  : IMPORT ( identifier EQUAL name | name ( DOT_STAR | DOT LBRACE identifier ( COMMA identifier )* RBRACE )? ) comment
  ;

extends_clause
  : EXTENDS name class_modification? annotation?
  ;

component_clause
  : type_prefix* name subscripts? component_declaration ( COMMA component_declaration )*
  ;

type_prefix
  : FLOW | STREAM | DISCRETE | PARAMETER | CONSTANT | INPUT | OUTPUT
  ;

component_declaration
  : identifier subscripts? modification? ( IF expression )? comment
  ;

// ---- modifications

modification
  : class_modification ( EQUAL expression )?
  | ( EQUAL | ASSIGN ) expression
  ;

class_modification
  : LPAREN ( argument ( COMMA argument )* )? RPAREN
  ;

argument
  : REDECLARE EACH? FINAL? REPLACEABLE? ( class_definition | component_clause1 ) constraining_clause?
  | EACH? FINAL? ( REPLACEABLE ( class_definition | component_clause1 ) constraining_clause? | name modification? description? )
  ;

component_clause1
  : type_prefix* name subscripts? component_declaration
  ;

// ---- equations and algorithms

equation_section
  : INITIAL? EQUATION ( equation SEMI )*
  ;

algorithm_section
  : INITIAL? ALGORITHM ( statement SEMI )*
  ;

equation
  : ( expression ( ( EQUAL | ASSIGN ) expression )?
    | if_equation
    | for_equation
    | when_equation
    | while_equation
    | connect_clause
    ) comment
  ;

connect_clause
  : CONNECT LPAREN component_reference ( COMMA component_reference )+ RPAREN
  ;

if_equation
  : IF expression THEN equation_list ( ELSEIF expression THEN equation_list )* ( ELSE equation_list )? END IF
  ;

for_equation
  : FOR for_index ( COMMA for_index )* LOOP equation_list END FOR
  ;

when_equation
  : WHEN expression THEN equation_list ( ELSEWHEN expression THEN equation_list )* END WHEN
  ;

while_equation
  : WHILE expression LOOP equation_list END WHILE
  ;

equation_list
  : ( equation SEMI )*
  ;

for_index
  : identifier ( ( IN | EQUAL ) expression )?
  ;

statement
  : ( component_reference ( ( ASSIGN | EQUAL ) expression | call_arguments )
    | LPAREN expression ( COMMA expression )* RPAREN ASSIGN component_reference call_arguments
    | IF expression THEN statement_list ( ELSEIF expression THEN statement_list )* ( ELSE statement_list )? END IF
    | FOR for_index ( COMMA for_index )* LOOP statement_list END FOR
    | WHILE expression LOOP statement_list END WHILE
    | WHEN expression THEN statement_list ( ELSEWHEN expression THEN statement_list )* END WHEN
    | BREAK
    | RETURN
    ) comment
  ;

statement_list
  : ( statement SEMI )*
  ;

external_clause
  : EXTERNAL STRING? ( ( component_reference EQUAL )? identifier LPAREN ( expression ( COMMA expression )* )? RPAREN )? annotation? SEMI
  ;

// ---- studies

study
  : STUDY identifier description? OF name study_item* END identifier
  ;

study_item
  : VARY name ( COMMA name )* EQUAL expression ( WITH study_option ( COMMA study_option )* )? ( CARRY UPDOWN? )? SEMI   # VaryItem
  | MEASURE identifier EQUAL expression SEMI                                                                            # MeasureItem
  | annotation SEMI                                                                                                     # StudyAnnotation
  ;

study_option
  : identifier EQUAL expression
  ;

// ---- expressions

expression
  : IF expression THEN expression ( ELSEIF expression THEN expression )* ELSE expression
  | range
  ;

range
  : disjunction ( COLON disjunction ( COLON disjunction )? )?
  ;

disjunction
  : conjunction ( OR conjunction )*
  ;

conjunction
  : negation ( AND negation )*
  ;

negation
  : NOT? relation
  ;

relation
  : sum ( ( LESS | LESS_EQUAL | GREATER | GREATER_EQUAL | EQUAL_EQUAL | NOT_EQUAL ) sum )?
  ;

sum
  : ( PLUS | MINUS | DOT_PLUS | DOT_MINUS )? product ( ( PLUS | MINUS | DOT_PLUS | DOT_MINUS ) product )*
  ;

product
  : power ( ( STAR | SLASH | DOT_STAR | DOT_SLASH ) power )*
  ;

power
  : primary ( ( CARET | DOT_CARET ) primary )?
  ;

primary
  : NUMBER
  | STRING
  | TRUE
  | FALSE
  | END
  | COLON
  | INITIAL call_arguments
  | PURE call_arguments
  | DER call_arguments
  | FINAL call_arguments
  | component_reference call_arguments?
  | LPAREN expression ( COMMA expression? )* RPAREN
  | LBRACKET expression_list ( SEMI expression_list )* RBRACKET
  | LBRACE ( expression ( FOR for_index ( COMMA for_index )* | ( COMMA expression )* ) )? RBRACE
  ;

expression_list
  : expression ( COMMA expression )*
  ;

call_arguments
  : LPAREN ( call_argument ( FOR for_index ( COMMA for_index )* | ( COMMA call_argument )* ) )? RPAREN
  ;

call_argument
  : identifier EQUAL expression
  | FUNCTION name call_arguments
  | expression
  ;

component_reference
  : DOT? reference_part ( DOT reference_part )*
  ;

reference_part
  : identifier subscripts?
  ;

subscripts
  : LBRACKET subscript ( COMMA subscript )* RBRACKET
  ;

subscript
  : COLON
  | expression
  ;

name
  : DOT? reference_part ( DOT reference_part )*
  ;

// Words that only mean something inside a study stay usable as names.
identifier
  : IDENTIFIER | STUDY | VARY | MEASURE | CARRY | UPDOWN | OF | WITH
  ;

description
  : STRING ( PLUS STRING )*
  ;

comment
  : description? annotation?
  ;

annotation
  : ANNOTATION class_modification
  ;

// ---- tokens

ALGORITHM : 'algorithm'; AND : 'and'; ANNOTATION : 'annotation'; BLOCK : 'block'; BREAK : 'break'; CARRY : 'carry';
CLASS : 'class'; CONNECT : 'connect'; CONNECTOR : 'connector'; CONSTANT : 'constant'; CONSTRAINEDBY : 'constrainedby';
DER : 'der'; DISCRETE : 'discrete'; EACH : 'each'; ELSE : 'else'; ELSEIF : 'elseif'; ELSEWHEN : 'elsewhen';
ENCAPSULATED : 'encapsulated'; END : 'end'; ENUMERATION : 'enumeration'; EQUATION : 'equation';
EXPANDABLE : 'expandable'; EXTENDS : 'extends'; EXTERNAL : 'external'; FALSE : 'false'; FINAL : 'final'; FLOW : 'flow';
FOR : 'for'; FUNCTION : 'function'; IF : 'if'; IMPORT : 'import'; IMPURE : 'impure'; IN : 'in'; INITIAL : 'initial';
INNER : 'inner'; INPUT : 'input'; LOOP : 'loop'; MEASURE : 'measure'; MODEL : 'model'; NOT : 'not'; OF : 'of'; OPERATOR : 'operator';
OR : 'or'; OUTER : 'outer'; OUTPUT : 'output'; PACKAGE : 'package'; PARAMETER : 'parameter'; PARTIAL : 'partial';
PROTECTED : 'protected'; PUBLIC : 'public'; PURE : 'pure'; RECORD : 'record'; REDECLARE : 'redeclare';
REPLACEABLE : 'replaceable'; RETURN : 'return'; STREAM : 'stream'; STUDY : 'study'; THEN : 'then'; TRUE : 'true';
TYPE : 'type'; UPDOWN : 'updown'; VARY : 'vary'; WHEN : 'when'; WHILE : 'while'; WITH : 'with'; WITHIN : 'within';

ASSIGN : ':='; CARET : '^'; COLON : ':'; COMMA : ','; DOT : '.'; DOT_STAR : '.*'; DOT_CARET : '.^'; DOT_MINUS : '.-';
DOT_PLUS : '.+'; DOT_SLASH : './'; EQUAL : '='; EQUAL_EQUAL : '=='; GREATER : '>';
GREATER_EQUAL : '>='; LBRACE : '{'; LBRACKET : '['; LESS : '<'; LESS_EQUAL : '<='; LPAREN : '('; MINUS : '-';
NOT_EQUAL : '<>'; PLUS : '+'; RBRACE : '}'; RBRACKET : ']'; RPAREN : ')'; SEMI : ';'; SLASH : '/'; STAR : '*';

IDENTIFIER : [a-zA-Z_] [a-zA-Z_0-9]* | '\'' ( ~['\\\r\n] | '\\' . )+ '\'';
NUMBER : [0-9]+ ( '.' [0-9]* )? ( [eE] [+-]? [0-9]+ )? | '.' [0-9]+ ( [eE] [+-]? [0-9]+ )?;
STRING : '"' ( ~["\\] | '\\' . )* '"';

SPACE : [ \t\r\n\u00A0\uFEFF]+ -> skip;
LINE_COMMENT : '//' ~[\r\n]* -> skip;
BLOCK_COMMENT : '/*' .*? '*/' -> skip;
OTHER : .;
