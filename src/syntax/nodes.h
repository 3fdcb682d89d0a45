// The nodes of the copied Python tree, of the core program and of the adjoint program: one family.
//
// A node is immutable once made, lives in an arena and has an id; what a pass finds out stands in a
// side table keyed by that id, never on the node. Each struct names its fields once, in `fields()`;
// copying, comparing, hashing, walking and rewriting (visit.h, build.h) derive from that.
//
// The surface tree uses every kind but the core-only ones. The *core program* is the subset that
// lower/ produces and everything after it accepts (lower/lower.h has the exact contract). Core-only
// kinds are Pop, Push and Comment, which print as plain Python.
#pragma once

#include <cstdint>
#include <tuple>

#include "base/arena.h"
#include "base/source.h"
#include "base/symbols.h"

namespace tangent {

enum class Kind : std::uint8_t {
#define TANGENT_EXPRESSION(kind) kind,
#define TANGENT_STATEMENT(kind) kind,
#define TANGENT_PART(kind) kind,
#include "syntax/nodes.def"
};

using NodeId = std::uint32_t;

struct Node {
  Kind kind;
  NodeId id;
  Ranges ranges;  // where the user wrote it; the first range is the primary one
};
struct Expr : Node {};
struct Stmt : Node {};
struct Part : Node {};  // what is neither: keywords, parameters, handlers, …

using Exprs = List<const Expr*>;
using Block = List<const Stmt*>;
using Names = List<Symbol>;

// ---------------------------------------------------------------------------------------------------
// Expressions

// value.attribute
struct Attribute : Expr {
  const Expr* value;
  Symbol attribute;
  static constexpr auto fields() { return std::tuple(&Attribute::value, &Attribute::attribute); }
};

// await value
struct Await : Expr {
  const Expr* value;
  static constexpr auto fields() { return std::tuple(&Await::value); }
};

enum class BinaryOperator : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Modulo,
  Power,
  MatrixMultiply,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
};

// left op right
struct BinaryOperation : Expr {
  BinaryOperator op;
  const Expr* left;
  const Expr* right;
  static constexpr auto fields() {
    return std::tuple(&BinaryOperation::op, &BinaryOperation::left, &BinaryOperation::right);
  }
};

enum class BooleanOperator : std::uint8_t { And, Or };

// values[0] op values[1] op …, short-circuit; at least two values
struct BooleanOperation : Expr {
  BooleanOperator op;
  Exprs values;
  static constexpr auto fields() {
    return std::tuple(&BooleanOperation::op, &BooleanOperation::values);
  }
};

struct Keyword;

// function(arguments, keywords). `callee` is empty in the surface tree. Lowering and inference set
// it to the qualified name under which the rules know the function ("numpy.sum", "math.sin",
// "builtins.abs"); for an array method (`x.sum(axis=0)`) the function is the attribute as the user
// spelled it and the callee is the function that it equals, whose first argument is then the
// attribute's value.
struct Call : Expr {
  const Expr* function;
  Symbol callee;
  Exprs arguments;
  List<const Keyword*> keywords;
  static constexpr auto fields() {
    return std::tuple(&Call::function, &Call::callee, &Call::arguments, &Call::keywords);
  }
};

// left op[0] comparators[0] op[1] comparators[1] …
enum class ComparisonOperator : std::uint8_t {
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Is,
  IsNot,
  In,
  NotIn,
};
struct Comparison : Expr {
  const Expr* left;
  List<ComparisonOperator> ops;
  Exprs comparators;
  static constexpr auto fields() {
    return std::tuple(&Comparison::left, &Comparison::ops, &Comparison::comparators);
  }
};

enum class ComprehensionKind : std::uint8_t { List, Set, Dictionary, Generator };
struct Generator;

// [element for …], {element for …}, {key: element for …} (key only there), (element for …)
struct Comprehension : Expr {
  ComprehensionKind form;
  const Expr* key;  // null except for dictionaries
  const Expr* element;
  List<const Generator*> generators;
  static constexpr auto fields() {
    return std::tuple(&Comprehension::form, &Comprehension::key, &Comprehension::element,
                      &Comprehension::generators);
  }
};

// body if test else orelse
struct Conditional : Expr {
  const Expr* test;
  const Expr* body;
  const Expr* orelse;
  static constexpr auto fields() {
    return std::tuple(&Conditional::test, &Conditional::body, &Conditional::orelse);
  }
};

enum class LiteralKind : std::uint8_t {
  None,
  False,
  True,
  Ellipsis,
  Integer,
  BigInteger,
  Float,
  Imaginary,
  String,
  Bytes,
};
// `text` holds the value of String and Bytes (UTF-8 / raw bytes), the decimal digits of BigInteger,
// and for Float and Integer the user's own spelling where it is known ("1e-4", "2.0"), else
// nothing.
struct Literal {
  LiteralKind kind = LiteralKind::None;
  std::int64_t integer = 0;
  double number = 0.0;
  std::string_view text = {};
};
bool operator==(const Literal& a, const Literal& b);  // by value and type, not by spelling

struct Constant : Expr {
  Literal value;
  static constexpr auto fields() { return std::tuple(&Constant::value); }
};

// {keys[i]: values[i]}; a null key is `**value`
struct Dictionary : Expr {
  Exprs keys;
  Exprs values;
  static constexpr auto fields() { return std::tuple(&Dictionary::keys, &Dictionary::values); }
};

// f"…": values are String constants and FormattedValue
struct FormattedString : Expr {
  Exprs values;
  static constexpr auto fields() { return std::tuple(&FormattedString::values); }
};

// {value!conversion:specification} inside an f-string; conversion is 'r', 's', 'a' or 0
struct FormattedValue : Expr {
  const Expr* value;
  char conversion;
  const Expr* specification;  // a FormattedString or null
  static constexpr auto fields() {
    return std::tuple(&FormattedValue::value, &FormattedValue::conversion,
                      &FormattedValue::specification);
  }
};

struct Parameter;

// lambda parameters: body
struct Lambda : Expr {
  List<const Parameter*> parameters;
  const Expr* body;
  static constexpr auto fields() { return std::tuple(&Lambda::parameters, &Lambda::body); }
};

// [elements]
struct ListDisplay : Expr {
  Exprs elements;
  static constexpr auto fields() { return std::tuple(&ListDisplay::elements); }
};

// Where a name lives. Surface: always Unresolved. Core: a Local of the one emitted function, or
// Global: a name of the emitted function's namespace (bound by CoreFunction::globals; builtins
// included).
enum class Scope : std::uint8_t { Unresolved, Local, Global };

struct Name : Expr {
  Symbol symbol;
  Scope scope;
  static constexpr auto fields() { return std::tuple(&Name::symbol, &Name::scope); }
};

// (target := value)
struct NamedExpression : Expr {
  const Expr* target;
  const Expr* value;
  static constexpr auto fields() {
    return std::tuple(&NamedExpression::target, &NamedExpression::value);
  }
};

using PairId = std::uint32_t;

// Core only: the newest value of a tape, taken from it; prints as `tape.pop()`. `pair` names the
// Push.
struct Pop : Expr {
  Symbol tape;
  PairId pair;
  static constexpr auto fields() { return std::tuple(&Pop::tape, &Pop::pair); }
};

// {elements}
struct SetDisplay : Expr {
  Exprs elements;
  static constexpr auto fields() { return std::tuple(&SetDisplay::elements); }
};

// lower:upper:step, each may be null; only inside a Subscript
struct Slice : Expr {
  const Expr* lower;
  const Expr* upper;
  const Expr* step;
  static constexpr auto fields() { return std::tuple(&Slice::lower, &Slice::upper, &Slice::step); }
};

// *value
struct Starred : Expr {
  const Expr* value;
  static constexpr auto fields() { return std::tuple(&Starred::value); }
};

// value[index]; x[i, 1:] has a TupleDisplay as its index
struct Subscript : Expr {
  const Expr* value;
  const Expr* index;
  static constexpr auto fields() { return std::tuple(&Subscript::value, &Subscript::index); }
};

// (elements,)
struct TupleDisplay : Expr {
  Exprs elements;
  static constexpr auto fields() { return std::tuple(&TupleDisplay::elements); }
};

enum class UnaryOperator : std::uint8_t { Minus, Plus, Invert, Not };
struct UnaryOperation : Expr {
  UnaryOperator op;
  const Expr* operand;
  static constexpr auto fields() {
    return std::tuple(&UnaryOperation::op, &UnaryOperation::operand);
  }
};

// yield value (value may be null), yield from value
struct Yield : Expr {
  const Expr* value;
  bool from;
  static constexpr auto fields() { return std::tuple(&Yield::value, &Yield::from); }
};

// ---------------------------------------------------------------------------------------------------
// Statements

// target: annotation = value (value may be null)
struct AnnotatedAssign : Stmt {
  const Expr* target;
  const Expr* annotation;
  const Expr* value;
  static constexpr auto fields() {
    return std::tuple(&AnnotatedAssign::target, &AnnotatedAssign::annotation,
                      &AnnotatedAssign::value);
  }
};

// assert test, message (message may be null)
struct Assert : Stmt {
  const Expr* test;
  const Expr* message;
  static constexpr auto fields() { return std::tuple(&Assert::test, &Assert::message); }
};

// targets[0] = targets[1] = … = value
struct Assign : Stmt {
  Exprs targets;
  const Expr* value;
  static constexpr auto fields() { return std::tuple(&Assign::targets, &Assign::value); }
};

// target op= value
struct AugmentedAssign : Stmt {
  const Expr* target;
  BinaryOperator op;
  const Expr* value;
  static constexpr auto fields() {
    return std::tuple(&AugmentedAssign::target, &AugmentedAssign::op, &AugmentedAssign::value);
  }
};

struct Break : Stmt {
  static constexpr auto fields() { return std::tuple(); }
};

struct Keyword;
struct ClassDefinition : Stmt {
  Symbol name;
  Exprs bases;
  List<const Keyword*> keywords;
  Exprs decorators;
  Block body;
  static constexpr auto fields() {
    return std::tuple(&ClassDefinition::name, &ClassDefinition::bases, &ClassDefinition::keywords,
                      &ClassDefinition::decorators, &ClassDefinition::body);
  }
};

// Core only: `# text` on a line of its own; an empty text is a blank line.
struct Comment : Stmt {
  std::string_view text;
  static constexpr auto fields() { return std::tuple(&Comment::text); }
};

struct Continue : Stmt {
  static constexpr auto fields() { return std::tuple(); }
};

struct Delete : Stmt {
  Exprs targets;
  static constexpr auto fields() { return std::tuple(&Delete::targets); }
};

struct ExpressionStatement : Stmt {
  const Expr* value;
  static constexpr auto fields() { return std::tuple(&ExpressionStatement::value); }
};

// for target in iterable: body else: orelse
struct For : Stmt {
  const Expr* target;
  const Expr* iterable;
  Block body;
  Block orelse;
  bool is_async;
  static constexpr auto fields() {
    return std::tuple(&For::target, &For::iterable, &For::body, &For::orelse, &For::is_async);
  }
};

struct FunctionDefinition : Stmt {
  Symbol name;
  List<const Parameter*> parameters;
  Block body;
  Exprs decorators;
  const Expr* returns;  // the annotation, may be null
  bool is_async;
  static constexpr auto fields() {
    return std::tuple(&FunctionDefinition::name, &FunctionDefinition::parameters,
                      &FunctionDefinition::body, &FunctionDefinition::decorators,
                      &FunctionDefinition::returns, &FunctionDefinition::is_async);
  }
};

// global names / nonlocal names
struct Global : Stmt {
  Names names;
  bool nonlocal;
  static constexpr auto fields() { return std::tuple(&Global::names, &Global::nonlocal); }
};

struct If : Stmt {
  const Expr* test;
  Block body;
  Block orelse;
  static constexpr auto fields() { return std::tuple(&If::test, &If::body, &If::orelse); }
};

struct ImportedName;

// import names / from module import names (module is empty and level 0 in the first form)
struct Import : Stmt {
  bool from;
  Symbol module;
  std::int32_t level;
  List<const ImportedName*> names;
  static constexpr auto fields() {
    return std::tuple(&Import::from, &Import::module, &Import::level, &Import::names);
  }
};

struct MatchCase;
struct Match : Stmt {
  const Expr* subject;
  List<const MatchCase*> cases;
  static constexpr auto fields() { return std::tuple(&Match::subject, &Match::cases); }
};

struct Pass : Stmt {
  static constexpr auto fields() { return std::tuple(); }
};

// Core only: puts a value on a tape; prints as `tape.append(value)`. What is pushed is never
// changed.
struct Push : Stmt {
  Symbol tape;
  const Expr* value;
  PairId pair;
  static constexpr auto fields() { return std::tuple(&Push::tape, &Push::value, &Push::pair); }
};

// raise exception from cause (both may be null)
struct Raise : Stmt {
  const Expr* exception;
  const Expr* cause;
  static constexpr auto fields() { return std::tuple(&Raise::exception, &Raise::cause); }
};

// return value (value may be null)
struct Return : Stmt {
  const Expr* value;
  static constexpr auto fields() { return std::tuple(&Return::value); }
};

struct ExceptionHandler;
struct Try : Stmt {
  Block body;
  List<const ExceptionHandler*> handlers;
  Block orelse;
  Block finalbody;
  bool is_star;
  static constexpr auto fields() {
    return std::tuple(&Try::body, &Try::handlers, &Try::orelse, &Try::finalbody, &Try::is_star);
  }
};

struct While : Stmt {
  const Expr* test;
  Block body;
  Block orelse;
  static constexpr auto fields() { return std::tuple(&While::test, &While::body, &While::orelse); }
};

struct WithItem;
struct With : Stmt {
  List<const WithItem*> items;
  Block body;
  bool is_async;
  static constexpr auto fields() { return std::tuple(&With::items, &With::body, &With::is_async); }
};

// ---------------------------------------------------------------------------------------------------
// Parts

// for target in iterable if conditions…, inside a comprehension
struct Generator : Part {
  const Expr* target;
  const Expr* iterable;
  Exprs conditions;
  bool is_async;
  static constexpr auto fields() {
    return std::tuple(&Generator::target, &Generator::iterable, &Generator::conditions,
                      &Generator::is_async);
  }
};

// a.b.c as alias (alias may be empty)
struct ImportedName : Part {
  Symbol name;
  Symbol alias;
  static constexpr auto fields() { return std::tuple(&ImportedName::name, &ImportedName::alias); }
};

// name=value in a call; an empty name is `**value`
struct Keyword : Part {
  Symbol name;
  const Expr* value;
  static constexpr auto fields() { return std::tuple(&Keyword::name, &Keyword::value); }
};

struct Pattern;
struct MatchCase : Part {
  const Pattern* pattern;
  const Expr* guard;  // may be null
  Block body;
  static constexpr auto fields() {
    return std::tuple(&MatchCase::pattern, &MatchCase::guard, &MatchCase::body);
  }
};

struct ExceptionHandler : Part {
  const Expr* type;  // may be null
  Symbol name;       // may be empty
  Block body;
  static constexpr auto fields() {
    return std::tuple(&ExceptionHandler::type, &ExceptionHandler::name, &ExceptionHandler::body);
  }
};

enum class ParameterKind : std::uint8_t {
  PositionalOnly,
  Positional,
  VariadicPositional,
  KeywordOnly,
  VariadicKeyword,
};
struct Parameter : Part {
  Symbol name;
  ParameterKind form;
  const Expr* annotation;     // may be null
  const Expr* default_value;  // may be null
  static constexpr auto fields() {
    return std::tuple(&Parameter::name, &Parameter::form, &Parameter::annotation,
                      &Parameter::default_value);
  }
};

enum class PatternKind : std::uint8_t {
  Value,
  Singleton,
  Sequence,
  Mapping,
  Class,
  Star,
  As,
  Or,
};
// A pattern of `match`. Which fields are used depends on the form, as in CPython's ast module:
// Value(value) Singleton(value: a Constant) Sequence(patterns) Mapping(keys, patterns, name =
// **rest) Class(value, patterns, names = keyword names, keyword_patterns) Star(name)
// As(patterns[0]?, name) Or(patterns).
struct Pattern : Part {
  PatternKind form;
  const Expr* value;
  Exprs keys;
  List<const Pattern*> patterns;
  Symbol name;
  Names names;
  List<const Pattern*> keyword_patterns;
  static constexpr auto fields() {
    return std::tuple(&Pattern::form, &Pattern::value, &Pattern::keys, &Pattern::patterns,
                      &Pattern::name, &Pattern::names, &Pattern::keyword_patterns);
  }
};

// with context as target (target may be null)
struct WithItem : Part {
  const Expr* context;
  const Expr* target;
  static constexpr auto fields() { return std::tuple(&WithItem::context, &WithItem::target); }
};

// ---------------------------------------------------------------------------------------------------

// The base (Expr, Stmt or Part) that a kind derives from.
constexpr bool is_expression(Kind kind) { return kind <= Kind::Yield; }
constexpr bool is_statement(Kind kind) { return kind > Kind::Yield && kind <= Kind::With; }

template <class T>
struct KindOf;
#define TANGENT_KIND_OF(name)                 \
  template <>                                 \
  struct KindOf<name> {                       \
    static constexpr Kind value = Kind::name; \
  };
#define TANGENT_EXPRESSION(kind) TANGENT_KIND_OF(kind)
#define TANGENT_STATEMENT(kind) TANGENT_KIND_OF(kind)
#define TANGENT_PART(kind) TANGENT_KIND_OF(kind)
#include "syntax/nodes.def"
#undef TANGENT_KIND_OF

template <class T>
constexpr Kind kind_of = KindOf<T>::value;

// node as a T, or null if it is another kind (or null itself).
template <class T>
const T* as(const Node* node) {
  return node != nullptr && node->kind == kind_of<T> ? static_cast<const T*>(node) : nullptr;
}
template <class T>
bool is(const Node* node) {
  return node != nullptr && node->kind == kind_of<T>;
}

}  // namespace tangent
