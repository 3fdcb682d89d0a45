// Statements other than loops and assignments, and blocks of them.
#include <algorithm>

#include "lower/lowering.h"
#include "syntax/printer.h"

namespace tangent::lowering {

namespace {

bool leaves(const Stmt* statement) {
  return is<Return>(statement) || is<Break>(statement) || is<Continue>(statement) ||
         is<Raise>(statement);
}

}  // namespace

void Lowering::block(Block statements) {
  for (const Stmt* it : statements) {
    statement(*it);
    // What follows can never run.
    if (!out_->empty() && leaves(out_->back())) return;
  }
}

Block Lowering::nested_block(Block statements, Born* born) {
  const std::size_t declared = frame_->declared.size();
  const std::size_t mark = born_.size();
  const int around = enter_block();
  const Statements collected = collect([&] { block(statements); });
  open_block_ = around;
  // What stands for a function or a global is known only inside the branch that bound it.
  for (std::size_t i = declared; i < frame_->declared.size(); ++i) {
    frame_->bindings[frame_->declared[i]].form = Binding::Form::OutOfReach;
  }
  frame_->declared.resize(declared);
  Born ended = retire(mark);
  if (born != nullptr) *born = std::move(ended);
  return context_.list(collected);
}

void Lowering::statement(const Stmt& it) {
  const Deeper deeper(*this, it);
  switch (it.kind) {
    case Kind::Assign:
      return assign_statement(static_cast<const Assign&>(it));
    case Kind::AugmentedAssign:
      return augmented_assign(static_cast<const AugmentedAssign&>(it));
    case Kind::AnnotatedAssign:
      return annotated_assign(static_cast<const AnnotatedAssign&>(it));
    case Kind::ExpressionStatement:
      return expression_statement(static_cast<const ExpressionStatement&>(it));
    case Kind::Return:
      return return_statement(static_cast<const Return&>(it));
    case Kind::If:
      return if_statement(static_cast<const If&>(it));
    case Kind::For:
      return for_statement(static_cast<const For&>(it));
    case Kind::While:
      return while_statement(static_cast<const While&>(it));
    case Kind::Break:
      return emit(context_.make<Break>(at(it)));
    case Kind::Continue:
      return emit(context_.make<Continue>(at(it)));
    case Kind::Assert:
      return assert_statement(static_cast<const Assert&>(it));
    case Kind::Raise:
      return raise_statement(static_cast<const Raise&>(it));
    case Kind::Pass:
    case Kind::Global:  // that none of the names is assigned is checked where they are
      return;
    case Kind::Delete:
      return delete_statement(static_cast<const Delete&>(it));
    case Kind::Import:
      return import_statement(static_cast<const Import&>(it));
    case Kind::FunctionDefinition:
      return define_function(static_cast<const FunctionDefinition&>(it));
    default:
      refuse(it, "this statement is not supported", "");
  }
}

void Lowering::expression_statement(const ExpressionStatement& it) {
  if (yield_statement(it)) return;
  if (is<Constant>(it.value)) return;  // docstrings and `...`
  const Expr* value = value_for(it.value, Destination::nothing());
  if (value == nullptr) return;
  // A walrus or an inlined call has done its work; a bare name may raise NameError.
  const bool done = !is<Name>(it.value) && is_name_or_constant(value);
  if (!done) emit(context_.make<ExpressionStatement>(at(it), value));
}

void Lowering::return_statement(const Return& it) {
  const Ranges ranges = at(it);
  if (it.value == nullptr) return emit(context_.make<Return>(ranges, context_.none(ranges)));
  const Expr* value = value_for(it.value, Destination::tail());
  if (value != nullptr) emit(context_.make<Return>(ranges, value));
}

void Lowering::if_statement(const If& it) {
  const Expr* test = expression(explicit_truth(it.test));
  if (const auto settled = truth_of_settled(it.test, test))
    return block(*settled ? it.body : it.orelse);
  Born first;
  Born second;
  const std::size_t held = held_log_.size();
  const Block body = nested_block(it.body, &first);
  const HeldChanges held_by_body = release_held(held);
  const Block orelse = nested_block(it.orelse, &second);
  const HeldChanges held_by_orelse = release_held(held);
  // An arm that is left has nothing to say of what follows.
  const bool left = !body.empty() && leaves(body.back());
  const bool other_left = !orelse.empty() && leaves(orelse.back());
  const auto check_left = [&](const Block& arm, const HeldChanges& changes) {
    if (is<Break>(arm.back()) || is<Continue>(arm.back())) check_held_in_loop(changes, it);
  };
  if (left) check_left(body, held_by_body);
  if (other_left) check_left(orelse, held_by_orelse);
  test = join_held(test, held_by_body, left, held_by_orelse, other_left, at(it));
  append_if(context_, test, body, orelse, at(it), *out_);
  revive(left ? second : first, other_left ? first : second);
}

void Lowering::assert_statement(const Assert& it) {
  const Expr* test = expression(explicit_truth(it.test));
  const Expr* message = nullptr;
  Statements first;
  if (it.message != nullptr) first = collect_arm([&] { message = expression(it.message); });
  const Stmt* check = context_.make<Assert>(at(it), test, message);
  if (first.empty()) return emit(check);
  // The message is evaluated only where the assertion fails.
  first.push_back(
      context_.make<Assert>(at(it), static_cast<const Expr*>(context_.boolean(false)), message));
  append_if(context_, negated(context_, test), context_.list(first), Block(), at(it), *out_);
}

void Lowering::raise_statement(const Raise& it) {
  if (it.exception == nullptr) {
    refuse(it, "`raise` without an exception is not supported", "name the exception to raise");
  }
  const Expr* const written[] = {it.exception, it.cause};
  const Expr* values[] = {nullptr, nullptr};
  const std::size_t count = it.cause != nullptr ? 2 : 1;
  in_raise_ = true;
  operands({written, count}, {values, count});
  in_raise_ = false;
  emit(context_.make<Raise>(at(it), values[0], values[1]));
}

void Lowering::delete_statement(const Delete& it) {
  for (const Expr* target : it.targets) {
    const auto* name = as<Name>(target);
    if (const auto* place = as<Subscript>(target)) {
      delete_item(*place);
      continue;
    }
    if (name == nullptr) {
      refuse(*target, "`del` of an attribute is not supported yet",
             "build a new value without it instead");
    }
    const NameUse* use = frame_->facts->find(name->symbol);
    const bool read_later = use != nullptr && use->reads > 0 && !name->ranges.empty() &&
                            is_after(use->last_read, name->ranges[0]);
    if (!frame_->facts->is_local(name->symbol) || read_later || frame_->loop_depth > 0) {
      refuse(it,
             "`del " + std::string(name->symbol.text()) +
                 "` is supported only for a local name "
                 "that is not used afterwards, outside loops",
             "remove it, or use another name afterwards");
    }
  }
}

// A module, or what a module holds, under a name of the emitted function's namespace: that which is
// wished for if it is free.
const Expr* Lowering::imported_name(const Thing& thing, Symbol wish, bool free, Ranges ranges) {
  const auto found = std::ranges::find_if(globals_, [&](const GlobalBinding& binding) {
    return !binding.original && binding.thing.handle == thing.handle;
  });
  if (found != globals_.end()) return context_.global(found->printed, ranges);
  const Symbol printed = free && !global_index_.contains(wish) ? wish : names_.fresh(wish.text());
  names_.take(printed);
  global_index_.emplace(printed, globals_.size());
  globals_.push_back({.printed = printed, .original = {}, .function = -1, .thing = thing});
  return context_.global(printed, ranges);
}

// An import names what is there for the whole function: a module, or what a module holds.
void Lowering::import_statement(const Import& it) {
  auto refuse_import = [&] {
    refuse(it, "this import inside a function is not supported yet",
           "move it to the top of the module");
  };
  if (it.level != 0) refuse_import();
  for (const ImportedName* imported : it.names) {
    if (imported->name.text() == "*") refuse_import();
    const std::string_view whole = imported->name.text();
    const Symbol local = imported->alias ? imported->alias : imported->name;
    const NameUse* use = frame_->facts->find(local);
    if (use == nullptr || use->is_global || use->is_nonlocal) refuse_import();
    Thing thing = outside_.module(it.from ? it.module.text() : whole, context_);
    if (local.text().starts_with("<") && thing.kind != ThingKind::Missing)
      continue;  // it is loaded
    if (thing.kind != ThingKind::Missing && it.from) {
      const Thing part = attribute_of(thing, imported->name);
      thing =
          part.kind != ThingKind::Missing
              ? part
              : outside_.module(std::string(it.module.text()) + "." + std::string(whole), context_);
    }
    if (thing.kind == ThingKind::Missing || thing.kind == ThingKind::Value) refuse_import();
    // A name of its own in the emitted function's namespace, if the function's globals have not
    // the same under it.
    const Thing known = look_up(frame_->function, local);
    const bool bound_once = use->writes == 1 && use->nested_writes == 0 && !use->is_parameter;
    if (bound_once) frame_->bindings[local].form = Binding::Form::Value;
    const Expr* value = nullptr;
    if (known.kind == thing.kind && known.handle == thing.handle) {
      value = global(local, at(it));
    } else {
      const bool free = !names_.is_taken(local) || root_->facts->is_local(local);
      value = imported_name(thing, local, free && frame_->outermost && use->writes == 1, at(it));
    }
    if (bound_once) {
      frame_->bindings[local] = {.form = Binding::Form::Value, .value = value};
      frame_->declared.push_back(local);
    } else {
      emit_assign(variable(*frame_, local), value, at(it));
    }
  }
}

}  // namespace tangent::lowering
