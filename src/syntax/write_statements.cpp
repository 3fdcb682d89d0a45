// Statements -> lines: one overload of Writer::write per kind.
#include <algorithm>

#include "syntax/literals.h"
#include "syntax/visit.h"
#include "syntax/writer.h"

namespace tangent {

namespace {

std::string_view augmented_spelling(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::Add:
      return " += ";
    case BinaryOperator::Subtract:
      return " -= ";
    case BinaryOperator::Multiply:
      return " *= ";
    case BinaryOperator::Divide:
      return " /= ";
    case BinaryOperator::FloorDivide:
      return " //= ";
    case BinaryOperator::Modulo:
      return " %= ";
    case BinaryOperator::Power:
      return " **= ";
    case BinaryOperator::MatrixMultiply:
      return " @= ";
    case BinaryOperator::BitAnd:
      return " &= ";
    case BinaryOperator::BitOr:
      return " |= ";
    case BinaryOperator::BitXor:
      return " ^= ";
    case BinaryOperator::ShiftLeft:
      return " <<= ";
    case BinaryOperator::ShiftRight:
      return " >>= ";
  }
  throw InternalError("a binary operator of no kind");
}

bool is_definition(const Stmt* statement) {
  return is<FunctionDefinition>(statement) || is<ClassDefinition>(statement);
}

bool is_blank(const Stmt* statement) {
  const auto* comment = as<Comment>(statement);
  return comment != nullptr && comment->text.empty();
}

// The If that an `elif` continues with, or null.
const If* elif_of(Block orelse) { return orelse.size() == 1 ? as<If>(orelse.front()) : nullptr; }

}  // namespace

void Writer::node(const Node& node) {
  dispatch(node, [this](const auto& it) { write(it); });
}

void Writer::statement(const Stmt& statement) { node(statement); }

// Definitions stand apart, as PEP 8 asks: by two lines in a module, by one elsewhere.
void Writer::block(Block statements) {
  const Stmt* previous = nullptr;
  for (const Stmt* current : statements) {
    const bool apart =
        previous != nullptr && !is_blank(previous) && !is_blank(current) &&
        (is_definition(previous) || (is_definition(current) && !is<Comment>(previous)));
    if (apart) {
      blank_line({});
      if (level_ == 0) blank_line({});
    }
    statement(*current);
    previous = current;
  }
}

// `ranges` are those of the line that the block hangs on.
void Writer::suite(Block body, Ranges ranges) {
  ++level_;
  block(body);
  bool empty = true;
  for (const Stmt* statement : body) empty = empty && is<Comment>(statement);
  if (empty) {
    put("pass");
    end_line(ranges);
  }
  --level_;
}

void Writer::header_end(Ranges ranges) {
  put(":");
  end_line(ranges);
}

void Writer::arm(std::string_view keyword, Block body, Ranges ranges) {
  if (body.empty()) return;
  put(keyword);
  header_end(ranges);
  suite(body, ranges);
}

void Writer::write(const AnnotatedAssign& it) {
  expression(it.target, Precedence::Atom);
  put(": ");
  expression(it.annotation, Precedence::Test);
  if (it.value != nullptr) {
    put(" = ");
    optional(it.value, Precedence::Yield);
  }
  end_line(it.ranges);
}

void Writer::write(const Assert& it) {
  put("assert ");
  optional(it.test, Precedence::Test);
  if (it.message != nullptr) {
    put(", ");
    optional(it.message, Precedence::Test);
  }
  end_line(it.ranges);
}

void Writer::write(const Assign& it) {
  for (const Expr* target : it.targets) {
    if (is<TupleDisplay>(target)) {
      optional(target, Precedence::Tuple);
    } else {
      expression(target, Precedence::Tuple);
    }
    if (options_.annotation && it.targets.size() == 1 && is<Name>(target)) {
      if (const std::string annotation = options_.annotation(target); !annotation.empty()) {
        put(": ");
        put(annotation);
      }
    }
    put(" = ");
  }
  forget_place();  // of the target
  optional(it.value, Precedence::Yield);
  end_line(it.ranges);
}

void Writer::write(const AugmentedAssign& it) {
  expression(it.target, Precedence::Atom);
  put(augmented_spelling(it.op));
  optional(it.value, Precedence::Yield);
  end_line(it.ranges);
}

void Writer::write(const Break& it) {
  put("break");
  end_line(it.ranges);
}

void Writer::write(const ClassDefinition& it) {
  decorators(it.decorators, it.ranges);
  put("class ");
  put(it.name);
  if (!it.bases.empty() || !it.keywords.empty()) arguments(it.bases, it.keywords);
  header_end(it.ranges);
  suite(it.body, it.ranges);
}

void Writer::write(const Comment& it) {
  if (it.text.empty()) return blank_line(it.ranges);
  std::string_view rest = it.text;
  for (;;) {
    const std::size_t end = rest.find('\n');
    put("# ");
    put(rest.substr(0, end));
    end_line(it.ranges);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
}

void Writer::write(const Continue& it) {
  put("continue");
  end_line(it.ranges);
}

void Writer::write(const Delete& it) {
  put("del ");
  for (std::size_t i = 0; i < it.targets.size(); ++i) {
    if (i > 0) put(", ");
    expression(it.targets[i], Precedence::Test);
  }
  end_line(it.ranges);
}

void Writer::write(const ExpressionStatement& it) {
  const auto* constant = as<Constant>(it.value);
  if (constant != nullptr && constant->value.kind == LiteralKind::String) {
    return documentation(constant->value.text, it.ranges);
  }
  optional(it.value, Precedence::Yield);
  end_line(it.ranges);
}

// A string that stands alone is a docstring. Its lines are part of its value: they are never
// indented or broken.
void Writer::documentation(std::string_view text, Ranges ranges) {
  text_.append(static_cast<std::size_t>(level_) * 4, ' ');
  text_ += R"(""")";
  const std::size_t start = text_.size();
  append_escaped(text_, text, R"(""")");
  const std::string_view written = std::string_view(text_).substr(start);
  const auto newlines = std::count(written.begin(), written.end(), '\n');
  text_ += R"(""")";
  text_ += '\n';
  lines_.insert(lines_.end(), static_cast<std::size_t>(newlines) + 1, ranges);
  places_.resize(lines_.size());
}

void Writer::write(const For& it) {
  put(it.is_async ? "async for " : "for ");
  expression(it.target, Precedence::Tuple);
  put(" in ");
  optional(it.iterable, Precedence::Tuple);
  header_end(it.ranges);
  suite(it.body, it.ranges);
  arm("else", it.orelse, it.ranges);
}

void Writer::decorators(Exprs decorators, Ranges ranges) {
  for (const Expr* decorator : decorators) {
    put("@");
    expression(decorator, Precedence::Test);
    end_line(ranges);
  }
}

void Writer::write(const FunctionDefinition& it) {
  decorators(it.decorators, it.ranges);
  put(it.is_async ? "async def " : "def ");
  put(it.name);
  open('(');
  parameters(it.parameters, true);
  close(')');
  if (it.returns != nullptr) {
    put(" -> ");
    expression(it.returns, Precedence::Test);
  }
  header_end(it.ranges);
  suite(it.body, it.ranges);
}

void Writer::names(Names names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) put(", ");
    put(names[i]);
  }
}

void Writer::write(const Global& it) {
  put(it.nonlocal ? "nonlocal " : "global ");
  names(it.names);
  end_line(it.ranges);
}

void Writer::write(const If& it) {
  // A chain of `elif` nests as deeply as it is long: it is walked.
  std::string_view keyword = "if ";
  for (const If* current = &it;;) {
    put(keyword);
    condition(current->test);
    header_end(current->ranges);
    suite(current->body, current->ranges);
    const If* next = elif_of(current->orelse);
    if (next == nullptr) return arm("else", current->orelse, current->ranges);
    current = next;
    keyword = "elif ";
  }
}

void Writer::write(const Import& it) {
  const bool all = it.names.size() == 1 && it.names.front()->name.text() == "*";
  if (it.from) {
    put("from ");
    put(std::string(static_cast<std::size_t>(it.level), '.'));
    put(it.module);
    put(" ");
  }
  put("import ");
  const bool breakable = it.from && !all;
  if (breakable) open_optional();
  for (std::size_t i = 0; i < it.names.size(); ++i) {
    if (i > 0 && breakable) comma();
    if (i > 0 && !breakable) put(", ");
    write(*it.names[i]);
  }
  if (breakable) close_optional();
  end_line(it.ranges);
}

void Writer::write(const ImportedName& it) {
  put(it.name);
  if (it.alias.empty()) return;
  put(" as ");
  put(it.alias);
}

void Writer::write(const Match& it) {
  put("match ");
  open_optional();
  expression(it.subject, is<NamedExpression>(it.subject) ? Precedence::Named : Precedence::Tuple);
  close_optional();
  header_end(it.ranges);
  ++level_;
  for (const MatchCase* item : it.cases) write(*item);
  --level_;
}

void Writer::write(const MatchCase& it) {
  put("case ");
  open_optional();
  write(*it.pattern);
  close_optional();
  if (it.guard != nullptr) {
    put(" if ");
    condition(it.guard);
  }
  header_end(it.ranges);
  suite(it.body, it.ranges);
}

void Writer::pattern(const Pattern* pattern, bool closed) {
  const bool loose = pattern->form == PatternKind::Or ||
                     (pattern->form == PatternKind::As && !pattern->patterns.empty());
  const bool wrapped = closed && loose;
  if (wrapped) open('(');
  write(*pattern);
  if (wrapped) close(')');
}

void Writer::patterns(List<const Pattern*> patterns) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (i > 0) comma();
    pattern(patterns[i], false);
  }
}

void Writer::write(const Pattern& it) {
  switch (it.form) {
    case PatternKind::Value:
    case PatternKind::Singleton:
      return expression(it.value, Precedence::Sum);
    case PatternKind::Sequence:
      open('[');
      patterns(it.patterns);
      return close(']');
    case PatternKind::Mapping: {
      open('{');
      for (std::size_t i = 0; i < it.keys.size(); ++i) {
        if (i > 0) comma();
        expression(it.keys[i], Precedence::Sum);
        put(": ");
        pattern(it.patterns[i], false);
      }
      if (!it.name.empty()) {
        if (!it.keys.empty()) comma();
        put("**");
        put(it.name);
      }
      return close('}');
    }
    case PatternKind::Class: {
      expression(it.value, Precedence::Atom);
      open('(');
      patterns(it.patterns);
      for (std::size_t i = 0; i < it.names.size(); ++i) {
        if (i > 0 || !it.patterns.empty()) comma();
        put(it.names[i]);
        put("=");
        pattern(it.keyword_patterns[i], false);
      }
      return close(')');
    }
    case PatternKind::Star:
      put("*");
      return it.name.empty() ? put("_") : put(it.name);
    case PatternKind::As:
      if (!it.patterns.empty()) {
        pattern(it.patterns.front(), it.patterns.front()->form == PatternKind::As);
        put(" as ");
      }
      return it.name.empty() ? put("_") : put(it.name);
    case PatternKind::Or:
      for (std::size_t i = 0; i < it.patterns.size(); ++i) {
        if (i > 0) {
          put(" ");
          delimiter(Delimiter::BitOr);
          put("| ");
        }
        pattern(it.patterns[i], true);
      }
      return;
  }
}

void Writer::write(const Pass& it) {
  put("pass");
  end_line(it.ranges);
}

void Writer::write(const Push& it) {
  put(it.tape);
  put(".append");
  open('(');
  expression(it.value, Precedence::Test);
  close(')');
  end_line(it.ranges);
}

void Writer::write(const Raise& it) {
  put("raise");
  if (it.exception != nullptr) {
    put(" ");
    optional(it.exception, Precedence::Test);
  }
  if (it.cause != nullptr) {
    put(" from ");
    optional(it.cause, Precedence::Test);
  }
  end_line(it.ranges);
}

void Writer::write(const Return& it) {
  put("return");
  if (it.value != nullptr) {
    put(" ");
    optional(it.value, Precedence::Tuple);
  }
  end_line(it.ranges);
}

void Writer::write(const Try& it) {
  put("try");
  header_end(it.ranges);
  suite(it.body, it.ranges);
  for (const ExceptionHandler* handler : it.handlers) {
    put(it.is_star ? "except*" : "except");
    write(*handler);
  }
  arm("else", it.orelse, it.ranges);
  arm("finally", it.finalbody, it.ranges);
}

void Writer::write(const ExceptionHandler& it) {
  if (it.type != nullptr) {
    put(" ");
    expression(it.type, Precedence::Test);
  }
  if (!it.name.empty()) {
    put(" as ");
    put(it.name);
  }
  header_end(it.ranges);
  suite(it.body, it.ranges);
}

void Writer::write(const While& it) {
  put("while ");
  condition(it.test);
  header_end(it.ranges);
  suite(it.body, it.ranges);
  arm("else", it.orelse, it.ranges);
}

void Writer::write(const With& it) {
  put(it.is_async ? "async with " : "with ");
  // `with (a, b):` opens a and b; a tuple that is the only item needs a second pair.
  const WithItem& first = *it.items.front();
  const bool lone_tuple =
      it.items.size() == 1 && first.target == nullptr && is<TupleDisplay>(first.context);
  open_optional();
  if (lone_tuple) open('(');
  for (std::size_t i = 0; i < it.items.size(); ++i) {
    if (i > 0) comma();
    write(*it.items[i]);
  }
  if (lone_tuple) close(')');
  close_optional();
  header_end(it.ranges);
  suite(it.body, it.ranges);
}

void Writer::write(const WithItem& it) {
  expression(it.context, Precedence::Test);
  if (it.target == nullptr) return;
  put(" as ");
  expression(it.target, Precedence::Test);
}

}  // namespace tangent
