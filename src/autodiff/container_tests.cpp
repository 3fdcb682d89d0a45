#include "autodiff/container_tests.h"

#include <vector>

#include "syntax/visit.h"

namespace tangent {

namespace {

class ContainerTests {
 public:
  ContainerTests(const TypedFunction& typed, Context& context) : typed_(typed), context_(context) {}

  Block block(Block body) {
    return with_statements(
        context_, body, [this](const Stmt* it, std::vector<const Stmt*>& /*out*/) {
          const Stmt* now = with_blocks(context_, it, [&](Block inner) { return block(inner); });
          const auto* branch = as<If>(now);
          const Expr* test = branch != nullptr ? truth(branch->test) : nullptr;
          if (branch == nullptr || test == branch->test) return now;
          return static_cast<const Stmt*>(
              context_.make<If>(branch->ranges, test, branch->body, branch->orelse));
        });
  }

 private:
  const Expr* truth(const Expr* test) {
    if (const auto* operation = as<BooleanOperation>(test)) {
      std::vector<const Expr*> values;
      bool changed = false;
      for (const Expr* value : operation->values) {
        values.push_back(truth(value));
        changed = changed || values.back() != value;
      }
      return changed ? context_.make<BooleanOperation>(test->ranges, operation->op,
                                                       context_.list(values))
                     : test;
    }
    const Type type = typed_.type_of(test);
    if (type.kind != TypeKind::List && type.kind != TypeKind::Dict) return test;
    const Expr* length = context_.make<Call>(
        test->ranges, static_cast<const Expr*>(context_.global(context_.symbol("len"))),
        context_.symbol("builtins.len"), context_.list<const Expr*>({test}),
        List<const Keyword*>());
    const Expr* zero = context_.integer(0, test->ranges);
    return context_.make<Comparison>(
        test->ranges, length, context_.list<ComparisonOperator>({ComparisonOperator::Greater}),
        context_.list<const Expr*>({zero}));
  }

  const TypedFunction& typed_;
  Context& context_;
};

}  // namespace

Block spell_out_container_tests(const CoreFunction& core, const TypedFunction& typed,
                                Context& context) {
  return ContainerTests(typed, context).block(core.body);
}

}  // namespace tangent
