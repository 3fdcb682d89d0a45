// The printer: parentheses by precedence, literals, statements, breaking of long lines, source map.
// (tests/test_printer.py reads the printed text back with CPython.)
#include "syntax/printer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "syntax/build.h"

namespace tangent {
namespace {

using Op = BinaryOperator;

class PrinterTest : public ::testing::Test {
 protected:
  const Name* name(std::string_view text) { return context.local(context.symbol(text)); }
  const BinaryOperation* binary(const Expr* left, Op op, const Expr* right) {
    return context.make<BinaryOperation>({}, op, left, right);
  }
  const UnaryOperation* unary(UnaryOperator op, const Expr* operand) {
    return context.make<UnaryOperation>({}, op, operand);
  }
  const UnaryOperation* minus(const Expr* operand) { return unary(UnaryOperator::Minus, operand); }
  const BooleanOperation* logic(BooleanOperator op, std::initializer_list<const Expr*> values) {
    return context.make<BooleanOperation>({}, op, context.list(values));
  }
  const Comparison* compare(const Expr* left, ComparisonOperator op, const Expr* right) {
    return context.make<Comparison>({}, left, context.list({op}), exprs({right}));
  }
  const Conditional* ternary(const Expr* test, const Expr* body, const Expr* orelse) {
    return context.make<Conditional>({}, test, body, orelse);
  }
  const Constant* text(std::string_view value) {
    return context.make<Constant>({}, Literal{.kind = LiteralKind::String, .text = value});
  }
  const Call* call(const Expr* function, std::initializer_list<const Expr*> arguments) {
    return context.make<Call>({}, function, Symbol(), context.list(arguments),
                              List<const Keyword*>());
  }
  const Attribute* attribute(const Expr* value, std::string_view field) {
    return context.make<Attribute>({}, value, context.symbol(field));
  }
  const Subscript* subscript(const Expr* value, const Expr* index) {
    return context.make<Subscript>({}, value, index);
  }
  const TupleDisplay* tuple(std::initializer_list<const Expr*> elements) {
    return context.make<TupleDisplay>({}, context.list(elements));
  }
  const Slice* slice(const Expr* lower, const Expr* upper, const Expr* step = nullptr) {
    return context.make<Slice>({}, lower, upper, step);
  }
  const NamedExpression* walrus(const Expr* target, const Expr* value) {
    return context.make<NamedExpression>({}, target, value);
  }
  const FormattedValue* field(const Expr* value, char conversion = 0,
                              const Expr* specification = nullptr) {
    return context.make<FormattedValue>({}, value, conversion, specification);
  }
  const FormattedString* formatted(std::initializer_list<const Expr*> values) {
    return context.make<FormattedString>({}, context.list(values));
  }
  Exprs exprs(std::initializer_list<const Expr*> items) { return context.list(items); }
  Block block(std::initializer_list<const Stmt*> items) { return context.list(items); }
  const Parameter* parameter(std::string_view text, ParameterKind form,
                             const Expr* default_value = nullptr) {
    return context.make<Parameter>({}, context.symbol(text), form,
                                   static_cast<const Expr*>(nullptr), default_value);
  }
  const Lambda* lambda(std::initializer_list<const Parameter*> parameters, const Expr* body) {
    return context.make<Lambda>({}, context.list(parameters), body);
  }
  const If* branch(const Expr* test, Block body, Block orelse = {}) {
    return context.make<If>({}, test, body, orelse);
  }
  const Stmt* comment(std::string_view words) { return context.make<Comment>({}, words); }
  const Stmt* set(std::string_view target, const Expr* value) {
    return context.assign(name(target), value);
  }
  static std::string lines(Block statements, int width = 100) {
    return print(statements, {.width = width}).text;
  }

  Context context{std::make_shared<Symbols>()};
  const Name* a = name("a");
  const Name* b = name("b");
  const Name* c = name("c");
  const Name* x = name("x");
  const Name* i = name("i");
};

struct Row {
  const Expr* expression;
  std::string_view expected;
};

#define EXPECT_ROWS(...)                                           \
  for (const Row& row : std::initializer_list<Row>{__VA_ARGS__}) { \
    EXPECT_EQ(print(row.expression), row.expected);                \
  }

TEST_F(PrinterTest, BinaryOperators) {
  const auto* sum = binary(a, Op::Add, b);
  const auto* difference = binary(a, Op::Subtract, b);
  const auto* product = binary(a, Op::Multiply, b);
  const auto* power = binary(a, Op::Power, b);
  EXPECT_ROWS(
      {binary(sum, Op::Add, c), "a + b + c"}, {binary(c, Op::Add, sum), "c + (a + b)"},
      {binary(c, Op::Subtract, difference), "c - (a - b)"},
      {binary(sum, Op::Multiply, c), "(a + b) * c"}, {binary(product, Op::Add, c), "a * b + c"},
      {binary(c, Op::Divide, product), "c / (a * b)"},
      {binary(product, Op::Divide, c), "a * b / c"},
      {binary(product, Op::MatrixMultiply, c), "a * b @ c"},
      {binary(power, Op::Power, c), "(a ** b) ** c"}, {binary(c, Op::Power, power), "c ** a ** b"},
      {binary(product, Op::Power, c), "(a * b) ** c"},
      {binary(sum, Op::ShiftLeft, c), "a + b << c"},
      {binary(a, Op::BitAnd, binary(b, Op::BitOr, c)), "a & (b | c)"},
      {binary(binary(a, Op::BitXor, b), Op::BitOr, c), "a ^ b | c"},
      {binary(binary(a, Op::Modulo, b), Op::FloorDivide, c), "a % b // c"},
      {binary(a, Op::ShiftRight, sum), "a >> a + b"})
}

TEST_F(PrinterTest, SignsAndPowers) {
  const auto* two = context.integer(2);
  EXPECT_ROWS(
      {minus(binary(x, Op::Power, two)), "-x ** 2"},
      {binary(minus(x), Op::Power, two), "(-x) ** 2"},
      {binary(two, Op::Power, minus(x)), "2 ** -x"}, {minus(binary(a, Op::Add, b)), "-(a + b)"},
      {minus(binary(a, Op::Multiply, b)), "-(a * b)"},
      {binary(minus(a), Op::Multiply, b), "-a * b"}, {binary(a, Op::Subtract, minus(b)), "a - -b"},
      {minus(minus(a)), "-(-a)"}, {unary(UnaryOperator::Invert, minus(a)), "~-a"},
      {binary(context.number(-0.5), Op::Power, two), "(-0.5) ** 2"},
      {binary(context.number(-0.5), Op::Multiply, x), "-0.5 * x"},
      {minus(context.integer(-1)), "-(-1)"},
      {attribute(context.number(-0.5), "real"), "(-0.5).real"},
      {attribute(two, "real"), "(2).real"}, {attribute(minus(x), "T"), "(-x).T"},
      {context.make<Await>({}, x), "await x"},
      {binary(context.make<Await>({}, x), Op::Power, two), "await x ** 2"},
      {context.make<Await>({}, binary(x, Op::Power, two)), "await (x ** 2)"})
}

TEST_F(PrinterTest, LogicAndComparison) {
  using enum BooleanOperator;
  using enum ComparisonOperator;
  const auto negate = [&](const Expr* it) { return unary(UnaryOperator::Not, it); };
  const auto* chained = context.make<Comparison>({}, static_cast<const Expr*>(a),
                                                 context.list({Less, LessEqual}), exprs({b, c}));
  EXPECT_ROWS(
      {chained, "a < b <= c"}, {compare(compare(a, Less, b), Equal, c), "(a < b) == c"},
      {compare(a, IsNot, context.none()), "a is not None"},
      {compare(a, NotIn, tuple({b, c})), "a not in (b, c)"},
      {compare(binary(a, Op::BitOr, b), Less, c), "a | b < c"},
      {negate(compare(a, In, b)), "not a in b"}, {compare(negate(a), Equal, b), "(not a) == b"},
      {negate(logic(And, {a, b})), "not (a and b)"}, {logic(And, {negate(a), b}), "not a and b"},
      {logic(Or, {logic(And, {a, b}), c}), "a and b or c"},
      {logic(And, {logic(Or, {a, b}), c}), "(a or b) and c"},
      {logic(And, {logic(And, {a, b}), c}), "(a and b) and c"}, {minus(negate(a)), "-(not a)"})
}

TEST_F(PrinterTest, TernaryLambdaAndWalrus) {
  const auto* choice = ternary(a, b, c);
  const auto* function = lambda({parameter("x", ParameterKind::Positional)}, x);
  EXPECT_ROWS({choice, "b if a else c"}, {ternary(a, choice, c), "(b if a else c) if a else c"},
              {ternary(a, b, choice), "b if a else b if a else c"},
              {ternary(choice, a, b), "a if (b if a else c) else b"},
              {binary(choice, Op::Add, a), "(b if a else c) + a"}, {function, "lambda x: x"},
              {lambda({}, choice), "lambda: b if a else c"},
              {ternary(a, function, b), "(lambda x: x) if a else b"},
              {call(function, {choice}), "(lambda x: x)(b if a else c)"},
              {call(a, {walrus(x, b)}), "a(x := b)"},
              {compare(walrus(x, b), ComparisonOperator::Greater, c), "(x := b) > c"},
              {subscript(a, walrus(x, b)), "a[(x := b)]"},
              {lambda({parameter("a", ParameterKind::PositionalOnly),
                       parameter("b", ParameterKind::Positional, context.integer(1)),
                       parameter("c", ParameterKind::KeywordOnly),
                       parameter("d", ParameterKind::VariadicKeyword)},
                      a),
               "lambda a, /, b=1, *, c, **d: a"})
}

TEST_F(PrinterTest, SubscriptsAndTuples) {
  const auto* one = context.integer(1);
  const auto* next = binary(i, Op::Add, one);
  EXPECT_ROWS({subscript(x, tuple({i, slice(one, nullptr)})), "x[i, 1:]"},
              {subscript(x, slice(nullptr, nullptr)), "x[:]"},
              {subscript(x, slice(nullptr, nullptr, minus(one))), "x[::-1]"},
              {subscript(x, slice(next, nullptr)), "x[i + 1:]"},
              {subscript(x, slice(i, next)), "x[i : i + 1]"},
              {subscript(x, slice(one, minus(one))), "x[1:-1]"},
              {subscript(x, tuple({i})), "x[i,]"}, {subscript(x, tuple({})), "x[()]"},
              {subscript(binary(a, Op::Add, b), i), "(a + b)[i]"}, {tuple({}), "()"},
              {tuple({a}), "(a,)"}, {tuple({a, tuple({b, c})}), "a, (b, c)"},
              {call(a, {tuple({b, c}), context.make<Starred>({}, c)}), "a((b, c), *c)"})
}

TEST_F(PrinterTest, Comprehensions) {
  const auto* over = context.make<Generator>({}, static_cast<const Expr*>(tuple({a, b})),
                                             static_cast<const Expr*>(ternary(a, b, c)),
                                             exprs({ternary(a, b, c)}), false);
  const auto generators = context.list({over});
  const auto make = [&](ComprehensionKind form, const Expr* key) {
    return context.make<Comprehension>({}, form, key, static_cast<const Expr*>(a), generators);
  };
  const std::string tail = " for a, b in (b if a else c) if (b if a else c)";
  EXPECT_EQ(print(make(ComprehensionKind::List, nullptr)), "[a" + tail + "]");
  EXPECT_EQ(print(make(ComprehensionKind::Set, nullptr)), "{a" + tail + "}");
  EXPECT_EQ(print(make(ComprehensionKind::Dictionary, b)), "{b: a" + tail + "}");
  const auto* generator = make(ComprehensionKind::Generator, nullptr);
  EXPECT_EQ(print(call(x, {generator})), "x(a" + tail + ")");
  EXPECT_EQ(print(call(x, {generator, b})), "x((a" + tail + "), b)");
}

TEST_F(PrinterTest, Strings){
    EXPECT_ROWS({text("a'b"), R"("a'b")"}, {text(R"(a"b)"), R"('a"b')"},
                {text(R"(a"b'c)"), R"('a"b\'c')"}, {text("a\n\t\\\x01"), R"('a\n\t\\\x01')"},
                {text("π ≤ 1"), "'π ≤ 1'"}, {text("\xc2\xad"), R"('\xad')"},
                {text("\xe2\x80\x8b"), R"('\u200b')"}, {text("\xed\xb3\xbf"), R"('\udcff')"},
                {text("\xf0\x9f\x98\x80"), "'\xf0\x9f\x98\x80'"},
                {context.make<Constant>({}, Literal{.kind = LiteralKind::Bytes,
                                                    .text = std::string_view("a\0\xff'", 4)}),
                 R"(b"a\x00\xff'")"})}

TEST_F(PrinterTest, FormattedStrings) {
  const auto* key = subscript(x, text("k"));
  EXPECT_ROWS(
      {formatted({text("v = "), field(x, 'r', formatted({text(".3f")}))}), "f'v = {x!r:.3f}'"},
      {formatted({text("{}'")}), R"(f"{{}}'")"}, {formatted({field(key)}), R"(f"{x['k']}")"},
      {formatted({text(R"(")"), field(key)}), R"(f"\"{x['k']}")"},
      {formatted({field(formatted({field(key)}))}), R"(f'''{f"{x['k']}"}''')"},
      {formatted({field(context.make<SetDisplay>({}, exprs({a})))}), "f'{ {a}}'"},
      {formatted({field(lambda({}, a))}), "f'{(lambda: a)}'"},
      {formatted({field(ternary(a, b, lambda({}, c)))}), "f'{(b if a else lambda: c)}'"},
      {formatted({field(x, 0, formatted({field(a), text("."), field(b)}))}), "f'{x:{a}.{b}}'"},
      {formatted({text("a\nb")}), R"(f'a\nb')"}, {formatted({}), "f''"})
}

TEST(FormatNumber, ShortestText) {
  const std::pair<double, std::string_view> rows[] = {
      {2.0, "2.0"},
      {-0.5, "-0.5"},
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {0.1, "0.1"},
      {1e-4, "1e-4"},
      {2.5e-4, "2.5e-4"},
      {0.001, "0.001"},
      {0.0125, "0.0125"},
      {1234.5, "1234.5"},
      {1e15, "1000000000000000.0"},
      {1e16, "1e16"},
      {1.5e300, "1.5e300"},
      {5e-324, "5e-324"},
      {0.1 + 0.2, "0.30000000000000004"},
      {123456789012345680.0, "1.2345678901234568e17"},
      {std::numeric_limits<double>::infinity(), "1e309"},
      {-std::numeric_limits<double>::infinity(), "-1e309"},
  };
  for (const auto& [value, expected] : rows) {
    EXPECT_EQ(format_number(value), expected);
    EXPECT_EQ(std::strtod(std::string(expected).c_str(), nullptr), value);
  }
}

TEST_F(PrinterTest, TheUsersSpellingOfNumbers){EXPECT_ROWS(
    {context.make<Constant>({},
                            Literal{.kind = LiteralKind::Float, .number = 0.001, .text = "1e-3"}),
     "1e-3"},
    {context.make<Constant>({}, Literal{.kind = LiteralKind::Imaginary, .number = 2.0}), "2j"})}

TEST_F(PrinterTest, StatementsAndBlankComments) {
  const auto* tape = context.make<Push>({}, context.symbol("v_tape"),
                                        static_cast<const Expr*>(tuple({a, b})), PairId{0});
  const auto* pop = context.make<Pop>({}, context.symbol("v_tape"), PairId{0});
  const auto* loop =
      context.make<For>({}, static_cast<const Expr*>(tuple({a, b})), static_cast<const Expr*>(x),
                        block({comment("Grad of: v = 1"), set("v", pop), tape}), Block(), false);
  EXPECT_EQ(lines(block({loop, comment(""), context.make<Return>({}, tuple({a, b}))})),
            "for a, b in x:\n"
            "    # Grad of: v = 1\n"
            "    v = v_tape.pop()\n"
            "    v_tape.append((a, b))\n"
            "\n"
            "return a, b\n");
}

TEST_F(PrinterTest, ElifChainsAndEmptySuites) {
  const Stmt* inner = branch(b, block({comment("nothing")}), block({context.make<Pass>({})}));
  EXPECT_EQ(lines(block({branch(walrus(x, a), {}, block({inner}))})),
            "if x := a:\n"
            "    pass\n"
            "elif b:\n"
            "    # nothing\n"
            "    pass\n"
            "else:\n"
            "    pass\n");
}

TEST_F(PrinterTest, DefinitionsStandApart) {
  const auto define = [&](std::string_view title, Block body) {
    return context.make<FunctionDefinition>({}, context.symbol(title), List<const Parameter*>(),
                                            body, exprs({attribute(a, "b")}),
                                            static_cast<const Expr*>(nullptr), false);
  };
  const auto* inner = define("inner", {});
  EXPECT_EQ(
      lines(block({define("f", block({inner, context.make<Return>({}, inner->decorators[0])})),
                   define("g", {})})),
      "@a.b\n"
      "def f():\n"
      "    @a.b\n"
      "    def inner():\n"
      "        pass\n"
      "\n"
      "    return a.b\n"
      "\n"
      "\n"
      "@a.b\n"
      "def g():\n"
      "    pass\n");
}

TEST_F(PrinterTest, DocstringsKeepTheirLines) {
  const auto* documentation =
      context.make<ExpressionStatement>({}, text("One \"word\".\n\n  Two\\"));
  const PrintedText printed = print(block({documentation}), {.indent = 1});
  EXPECT_EQ(printed.text, "    \"\"\"One \"word\".\n\n  Two\\\\\"\"\"\n");
  EXPECT_EQ(printed.lines.size(), 3U);
}

TEST_F(PrinterTest, LongLinesBreakInsideBrackets) {
  const auto* sum = binary(binary(name("first_summand"), Op::Add, name("second_summand")),
                           Op::Subtract, call(name("third"), {a, b}));
  EXPECT_EQ(lines(block({set("total", sum)}), 40),
            "total = (\n"
            "    first_summand\n"
            "    + second_summand\n"
            "    - third(a, b)\n"
            ")\n");
  EXPECT_EQ(lines(block({set("total", sum)}), 48),
            "total = (\n"
            "    first_summand + second_summand - third(a, b)\n"
            ")\n");
  const auto* long_call = call(attribute(name("np"), "concatenate"),
                               {name("first_argument"), name("second_argument"), sum});
  EXPECT_EQ(lines(block({context.make<Return>({}, long_call)}), 50),
            "return np.concatenate(\n"
            "    first_argument,\n"
            "    second_argument,\n"
            "    first_summand + second_summand - third(a, b),\n"
            ")\n");
  const auto* test = logic(BooleanOperator::And, {name("a_long_condition"), name("another_one")});
  EXPECT_EQ(lines(block({branch(test, {})}), 30),
            "if (\n"
            "    a_long_condition\n"
            "    and another_one\n"
            "):\n"
            "    pass\n");
  EXPECT_EQ(lines(block({set("a_long_target", ternary(a, b, name("a_long_alternative")))}), 35),
            "a_long_target = (\n"
            "    b if a else a_long_alternative\n"
            ")\n");
  EXPECT_EQ(
      lines(block({context.make<Return>({}, tuple({name("long_gradient"), name("another")}))}), 20),
      "return (\n"
      "    long_gradient,\n"
      "    another,\n"
      ")\n");
}

TEST_F(PrinterTest, LongTargetsAndMessagesBreakToo) {
  const auto* targets = tuple({name("first_target"), name("second_target"), name("third")});
  EXPECT_EQ(lines(block({context.assign(targets, call(name("unpack"), {a, b}))}), 40),
            "(\n"
            "    first_target, second_target, third\n"
            ") = unpack(a, b)\n");
  EXPECT_EQ(
      lines(block({context.assign(targets, call(name("unpack"), {a, name("argument")}))}), 50),
      "first_target, second_target, third = unpack(\n"
      "    a, argument\n"
      ")\n");
  const Expr* condition = compare(name("a_quantity"), ComparisonOperator::Less, name("another"));
  EXPECT_EQ(
      lines(block({context.make<Assert>({}, condition, static_cast<const Expr*>(text("m")))}), 30),
      "assert (\n"
      "    a_quantity < another\n"
      "), 'm'\n");
}

TEST_F(PrinterTest, ALineWithNowhereToBreakStaysWhole) {
  const std::string words(60, 'w');
  EXPECT_EQ(lines(block({set("v", text(words))}), 40), "v = '" + words + "'\n");
}

TEST_F(PrinterTest, WidthCountsCharacters) {
  const auto* sum = binary(name("ααααααααα"), Op::Add, name("βββββββββ"));
  EXPECT_EQ(lines(block({set("γ", sum)}), 25), "γ = ααααααααα + βββββββββ\n");
}

TEST_F(PrinterTest, EveryPhysicalLineHasItsRanges) {
  const SourceRange place{.line = 7, .end_line = 7};
  const Ranges ranges = context.list({place});
  const auto* sum = binary(name("first_summand"), Op::Add, name("second_summand"));
  const auto* assign = context.assign(a, binary(sum, Op::Add, sum), ranges);
  const PrintedText printed = print(block({comment(""), assign}), {.width = 30});
  ASSERT_EQ(static_cast<long>(printed.lines.size()),
            std::count(printed.text.begin(), printed.text.end(), '\n'));
  EXPECT_TRUE(printed.lines[0].empty());
  for (std::size_t line = 1; line < printed.lines.size(); ++line) {
    ASSERT_EQ(printed.lines[line].size(), 1U);
    EXPECT_EQ(printed.lines[line].front(), place);
  }
}

TEST_F(PrinterTest, AnnotationsOfTargets) {
  const PrintOptions options{.annotation = [](const Expr* target) {
    return as<Name>(target)->symbol.text() == "x" ? std::string("f64[n]") : std::string();
  }};
  EXPECT_EQ(print(block({set("x", a), set("y", a)}), options).text, "x: f64[n] = a\ny = a\n");
}

TEST_F(PrinterTest, AHugeSumNeedsNoStack) {
  const Expr* sum = a;
  for (int n = 0; n < 200'000; ++n) sum = binary(sum, n % 2 == 0 ? Op::Add : Op::Subtract, b);
  const std::string flat = print(sum);
  EXPECT_EQ(flat.size(), 1 + 200'000 * 4U);
  EXPECT_EQ(print(block({set("x", sum)})).lines.size(), 200'003U);
}

}  // namespace
}  // namespace tangent
