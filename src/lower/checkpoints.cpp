// The bodies of `with tangent.checkpoint():` in place of them; see checkpoints.h.
#include "lower/checkpoints.h"

#include "syntax/visit.h"

namespace tangent::lowering {

namespace {

const Call* sole_call(const With& with) {
  if (with.is_async || with.items.size() != 1 || with.items[0]->target != nullptr) return nullptr;
  return as<Call>(with.items[0]->context);
}

class WithoutCheckpoints {
 public:
  WithoutCheckpoints(Context& context, std::vector<SourceRange>& places,
                     FunctionView<bool(const Expr*)> is_checkpoint)
      : context_(context), places_(places), is_checkpoint_(is_checkpoint) {}

  Block block(Block statements) {
    std::vector<const Stmt*> out;
    bool changed = false;
    for (const Stmt* statement : statements) {
      const auto* with = as<With>(statement);
      if (with != nullptr && may_be_checkpoint(*with) &&
          is_checkpoint_(sole_call(*with)->function)) {
        take(*with, out);
        changed = true;
        continue;
      }
      const Stmt* now = inside(statement);
      changed = changed || now != statement;
      out.push_back(now);
    }
    return changed ? context_.list(out) : statements;
  }

 private:
  void take(const With& with, std::vector<const Stmt*>& out) {
    places_.insert(places_.end(), with.ranges.begin(), with.ranges.end());
    const Block body = block(with.body);
    out.insert(out.end(), body.begin(), body.end());
  }

  const Stmt* inside(const Stmt* statement) {
    const auto* function = as<FunctionDefinition>(statement);
    if (function == nullptr)
      return with_blocks(context_, statement, [&](Block inner) { return block(inner); });
    const Block body = block(function->body);
    if (body.data() == function->body.data()) return statement;
    return context_.make<FunctionDefinition>(function->ranges, function->name, function->parameters,
                                             body, function->decorators, function->returns,
                                             function->is_async);
  }

  Context& context_;
  std::vector<SourceRange>& places_;
  FunctionView<bool(const Expr*)> is_checkpoint_;
};

}  // namespace

bool may_be_checkpoint(const With& with) {
  const Call* call = sole_call(with);
  if (call == nullptr || !call->arguments.empty() || !call->keywords.empty()) return false;
  if (const auto* path = as<Attribute>(call->function))
    return path->attribute.text() == "checkpoint";
  return is<Name>(call->function);
}

Block without_checkpoints(Context& context, Block body, std::vector<SourceRange>& places,
                          FunctionView<bool(const Expr*)> is_checkpoint) {
  return WithoutCheckpoints(context, places, is_checkpoint).block(body);
}

}  // namespace tangent::lowering
