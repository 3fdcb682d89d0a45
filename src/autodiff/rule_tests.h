// Tests of rule bodies, decided on what is known of a call.
//
// In: a record, the arguments of a call in the order of its parameters (null: left out), the types
// of expressions; a test in the words of rules/README.md. Out: true, false, or not decided.
#pragma once

#include <vector>

#include "autodiff/typing.h"
#include "rules/rule.h"

namespace tangent {

enum class Truth : std::uint8_t { False, True, Open };

class RuleTests {
 public:
  RuleTests(const Rule& rule, const std::vector<const Expr*>& arguments, Typing& typing)
      : rule_(rule), arguments_(arguments), typing_(typing) {}

  Truth decide(const Expr* test);

 private:
  static Truth compare(ComparisonOperator op, double a, double b);

  const Rule& rule_;
  const std::vector<const Expr*>& arguments_;
  Typing& typing_;
};

}  // namespace tangent
