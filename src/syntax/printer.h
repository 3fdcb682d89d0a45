// Nodes -> Python text: readable, few parentheses, at most 100 columns, deterministic.
//
// In: statements or an expression. Out: text that CPython parses to the same tree, and for every
// line the ranges of the statement that it came from (the source map). Calls print as
// `function(arguments)`, a Pop as `tape.pop()`, a Push as `tape.append(value)`, a Comment as `#
// text`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "syntax/nodes.h"

namespace tangent {

struct PrintedText {
  std::string text;
  std::vector<Ranges>
      lines;  // per line of text, the first line at index 0; empty where there is none
  // Per line the place of the first of its expressions that has one; line 0 where none has. An
  // expression of an inlined function stands elsewhere than the call that its statement is from.
  std::vector<SourceRange> places;
};

struct PrintOptions {
  int width = 100;
  int indent = 0;  // levels of four spaces
  // Appended to an assignment's target as an annotation (`x: f64[n, m] = …`); for the printed
  // stages.
  std::function<std::string(const Expr*)> annotation = {};
};

PrintedText print(Block block, const PrintOptions& options = {});
std::string print(const Expr* expression);
std::string print(const Node* node);  // any node, for messages and tests

// A number as Python writes it, with the shortest digits that give the same double (1e-4, 2.0,
// -0.5).
std::string format_number(double value);

}  // namespace tangent
