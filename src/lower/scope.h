// What the body of one function binds, reads and leaves by, found in one walk before lowering.
//
// In: parameters and statements of a function as the user wrote it. Out: per name how often it is
// bound and read, and which control flow the later steps have to restructure.
#pragma once

#include <unordered_map>
#include <vector>

#include "syntax/nodes.h"

namespace tangent::lowering {

struct NameUse {
  int writes = 0;         // bindings by statements and walrus; the parameter itself is not one
  int reads = 0;          // nested functions included
  int nested_writes = 0;  // bindings in nested functions that declare it `nonlocal`
  bool is_parameter = false;
  bool is_global = false;    // declared `global`
  bool is_nonlocal = false;  // declared `nonlocal`
  SourceRange last_read = {};
};

struct ScopeFacts {
  std::unordered_map<Symbol, NameUse> names;
  int returns = 0;              // `return` statements
  bool early_return = false;    // one that is not the last statement of the body
  bool writes_outside = false;  // it, or a function in it, binds a variable of a function around
  bool has_continue = false;
  bool has_loop_else = false;

  [[nodiscard]] const NameUse* find(Symbol name) const {
    const auto found = names.find(name);
    return found == names.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool is_local(Symbol name) const {
    const NameUse* use = find(name);
    return use != nullptr && !use->is_global && !use->is_nonlocal &&
           (use->is_parameter || use->writes > 0);
  }
  [[nodiscard]] bool is_written(Symbol name) const {
    const NameUse* use = find(name);
    return use != nullptr && use->writes + use->nested_writes > 0;
  }
};

ScopeFacts scope_facts(List<const Parameter*> parameters, Block body);

}  // namespace tangent::lowering
