// Statements and patterns of the tree reader (tree_reader.h).
#include "python/tree_reader.h"

namespace nb = nanobind;

namespace tangent::python {

const Stmt* TreeReader::statement(nb::handle node) {
  auto found = table_.classes.find(Py_TYPE(node.ptr()));
  if (found == table_.classes.end()) refuse(node);
  const Level level(*this, node);
  return statement_of(found->second, node);
}

const Stmt* TreeReader::statement_of(AstClass kind, nb::handle node) {
  switch (kind) {
    case AstClass::AnnAssign: {
      const Expr* target = child(node, field_.target);
      const Expr* annotation = child(node, field_.annotation);
      return context_.make<AnnotatedAssign>(place(node), target, annotation,
                                            optional_child(node, field_.value));
    }
    case AstClass::Assert: {
      const Expr* test = child(node, field_.test);
      return context_.make<Assert>(place(node), test, optional_child(node, field_.msg));
    }
    case AstClass::Assign: {
      const Exprs targets = children(node, field_.targets);
      return context_.make<Assign>(place(node), targets, child(node, field_.value));
    }
    case AstClass::AugAssign: {
      const Expr* target = child(node, field_.target);
      const auto op = operator_of<BinaryOperator>(get(node, field_.op));
      return context_.make<AugmentedAssign>(place(node), target, op, child(node, field_.value));
    }
    case AstClass::Break:
      return context_.make<Break>(place(node));
    case AstClass::ClassDef:
      return class_definition(node);
    case AstClass::Continue:
      return context_.make<Continue>(place(node));
    case AstClass::Delete:
      return context_.make<Delete>(place(node), children(node, field_.targets));
    case AstClass::Expr:
      return context_.make<ExpressionStatement>(place(node), child(node, field_.value));
    case AstClass::AsyncFor:
    case AstClass::For: {
      const Expr* target = child(node, field_.target);
      const Expr* iterable = child(node, field_.iter);
      const Block body = statements(node, field_.body);
      const Block orelse = statements(node, field_.orelse);
      return context_.make<For>(header(node, iterable), target, iterable, body, orelse,
                                kind == AstClass::AsyncFor);
    }
    case AstClass::AsyncFunctionDef:
    case AstClass::FunctionDef:
      return function_definition(node, kind == AstClass::AsyncFunctionDef);
    case AstClass::Global:
    case AstClass::Nonlocal: {
      const nb::object list = get(node, field_.names);
      return context_.make<Global>(place(node), names(list), kind == AstClass::Nonlocal);
    }
    case AstClass::If: {
      const Expr* test = child(node, field_.test);
      const Block body = statements(node, field_.body);
      return context_.make<If>(header(node, test), test, body, statements(node, field_.orelse));
    }
    case AstClass::Import:
      return import(node, false);
    case AstClass::ImportFrom:
      return import(node, true);
    case AstClass::Match:
      return match(node);
    case AstClass::Pass:
      return context_.make<Pass>(place(node));
    case AstClass::Raise: {
      const Expr* exception = optional_child(node, field_.exc);
      return context_.make<Raise>(place(node), exception, optional_child(node, field_.cause));
    }
    case AstClass::Return:
      return context_.make<Return>(place(node), optional_child(node, field_.value));
    case AstClass::Try:
      return try_statement(node, false);
    case AstClass::TryStar:
      return try_statement(node, true);
    case AstClass::While: {
      const Expr* test = child(node, field_.test);
      const Block body = statements(node, field_.body);
      return context_.make<While>(header(node, test), test, body, statements(node, field_.orelse));
    }
    case AstClass::AsyncWith:
    case AstClass::With:
      return with(node, kind == AstClass::AsyncWith);
    default:
      refuse(node);
  }
}

const Stmt* TreeReader::class_definition(nb::handle node) {
  if (PyObject_HasAttr(node.ptr(), field_.type_params) != 0 &&
      PyList_GET_SIZE(get(node, field_.type_params).ptr()) > 0) {
    refuse(PyList_GET_ITEM(get(node, field_.type_params).ptr(), 0));
  }
  const Symbol name = get_symbol(node, field_.name);
  const Exprs bases = children(node, field_.bases);
  const List<const Keyword*> named = keywords(get(node, field_.keywords));
  const Exprs decorators = children(node, field_.decorator_list);
  const Block body = statements(node, field_.body);
  return context_.make<ClassDefinition>(place(node), name, bases, named, decorators, body);
}

const Stmt* TreeReader::function_definition(nb::handle node, bool is_async) {
  if (PyObject_HasAttr(node.ptr(), field_.type_params) != 0 &&
      PyList_GET_SIZE(get(node, field_.type_params).ptr()) > 0) {
    refuse(PyList_GET_ITEM(get(node, field_.type_params).ptr(), 0));
  }
  const Symbol name = get_symbol(node, field_.name);
  const List<const Parameter*> list = parameters(get(node, field_.args));
  const Block body = statements(node, field_.body);
  const Exprs decorators = children(node, field_.decorator_list);
  const Expr* returns = optional_child(node, field_.returns);
  Ranges ranges = place(node);
  if (returns != nullptr) {
    ranges = header(node, returns);
  } else if (!list.empty()) {
    ranges = header(node, list.back());
  }
  return context_.make<FunctionDefinition>(ranges, name, list, body, decorators, returns, is_async);
}

const FunctionDefinition* TreeReader::function(nb::handle node) {
  auto found = table_.classes.find(Py_TYPE(node.ptr()));
  if (found == table_.classes.end()) refuse(node);
  if (found->second != AstClass::Lambda) {
    // Decorators are not part of what is called: what they returned is another object.
    const auto* whole = as<FunctionDefinition>(statement(node));
    if (whole == nullptr) throw InternalError("a captured function is not a definition");
    return context_.make<FunctionDefinition>(whole->ranges, whole->name, whole->parameters,
                                             whole->body, Exprs(), whole->returns, whole->is_async);
  }
  const List<const Parameter*> list = parameters(get(node, field_.args));
  const Expr* value = child(node, field_.body);
  const Stmt* body = context_.make<Return>(value->ranges, value);
  return context_.make<FunctionDefinition>(place(node), context_.symbol("<lambda>"), list,
                                           context_.list({body}), Exprs(),
                                           static_cast<const Expr*>(nullptr), false);
}

const Stmt* TreeReader::import(nb::handle node, bool from) {
  const nb::object list = get(node, field_.names);
  const List<const ImportedName*> names = each(list, [&](nb::handle item) {
    const Symbol name = get_symbol(item, field_.name);
    return context_.make<ImportedName>(place(item), name, get_symbol(item, field_.asname));
  });
  const Symbol module = from ? get_symbol(node, field_.module) : Symbol();
  const std::int32_t level = from ? get_int(node, field_.level) : 0;
  return context_.make<Import>(place(node), from, module, level, names);
}

const Stmt* TreeReader::try_statement(nb::handle node, bool is_star) {
  const Block body = statements(node, field_.body);
  const nb::object list = get(node, field_.handlers);
  const List<const ExceptionHandler*> handlers = each(list, [&](nb::handle item) {
    const Expr* type = optional_child(item, field_.type);
    const Symbol name = get_symbol(item, field_.name);
    return context_.make<ExceptionHandler>(place(item), type, name, statements(item, field_.body));
  });
  const Block orelse = statements(node, field_.orelse);
  const Block finalbody = statements(node, field_.finalbody);
  return context_.make<Try>(place(node), body, handlers, orelse, finalbody, is_star);
}

const Stmt* TreeReader::with(nb::handle node, bool is_async) {
  const nb::object list = get(node, field_.items);
  const List<const WithItem*> items = each(list, [&](nb::handle item) {
    const Expr* context = child(item, field_.context_expr);
    const Expr* target = optional_child(item, field_.optional_vars);
    return context_.make<WithItem>(spanning(context, target != nullptr ? target : context), context,
                                   target);
  });
  return context_.make<With>(place(node), items, statements(node, field_.body), is_async);
}

Names TreeReader::names(nb::handle list) {
  return each(list, [&](nb::handle item) { return symbol_of(item); });
}

// ---------------------------------------------------------------------------------------------------
// match

const Stmt* TreeReader::match(nb::handle node) {
  const Expr* subject = child(node, field_.subject);
  const nb::object list = get(node, field_.cases);
  const List<const MatchCase*> cases = each(list, [&](nb::handle item) {
    const Pattern* tested = pattern(get(item, field_.pattern));
    const Expr* guard = optional_child(item, field_.guard);
    const Block body = statements(item, field_.body);
    return context_.make<MatchCase>(tested->ranges, tested, guard, body);
  });
  return context_.make<Match>(place(node), subject, cases);
}

List<const Pattern*> TreeReader::patterns(nb::handle node, PyObject* field) {
  const nb::object list = get(node, field);
  return each(list, [&](nb::handle item) { return pattern(item); });
}

const Pattern* TreeReader::pattern(nb::handle node) {
  auto found = table_.classes.find(Py_TYPE(node.ptr()));
  if (found == table_.classes.end()) refuse(node);
  const Level level(*this, node);
  PatternKind form = PatternKind::Value;
  const Expr* value = nullptr;
  Exprs keys;
  List<const Pattern*> inner;
  Symbol name;
  Names keyword_names;
  List<const Pattern*> keyword_patterns;
  switch (found->second) {
    case AstClass::MatchValue:
      value = child(node, field_.value);
      break;
    case AstClass::MatchSingleton: {
      form = PatternKind::Singleton;
      const nb::object constant = get(node, field_.value);
      value = context_.make<Constant>(place(node), literal(constant, node));
      break;
    }
    case AstClass::MatchSequence:
      form = PatternKind::Sequence;
      inner = patterns(node, field_.patterns);
      break;
    case AstClass::MatchMapping:
      form = PatternKind::Mapping;
      keys = children(node, field_.keys);
      inner = patterns(node, field_.patterns);
      name = get_symbol(node, field_.rest);
      break;
    case AstClass::MatchClass: {
      form = PatternKind::Class;
      value = child(node, field_.cls);
      inner = patterns(node, field_.patterns);
      const nb::object attributes = get(node, field_.kwd_attrs);
      keyword_names = names(attributes);
      keyword_patterns = patterns(node, field_.kwd_patterns);
      break;
    }
    case AstClass::MatchStar:
      form = PatternKind::Star;
      name = get_symbol(node, field_.name);
      break;
    case AstClass::MatchAs: {
      form = PatternKind::As;
      const nb::object tested = get(node, field_.pattern);
      if (!tested.is_none()) inner = context_.list({pattern(tested)});
      name = get_symbol(node, field_.name);
      break;
    }
    case AstClass::MatchOr:
      form = PatternKind::Or;
      inner = patterns(node, field_.patterns);
      break;
    default:
      refuse(node);
  }
  return context_.make<Pattern>(place(node), form, value, keys, inner, name, keyword_names,
                                keyword_patterns);
}

}  // namespace tangent::python
