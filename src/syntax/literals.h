// Numbers and strings as Python spells them.
//
// In: values. Out: text that CPython reads as the same value. (format_number is in printer.h.)
#pragma once

#include <string>
#include <string_view>

#include "syntax/nodes.h"

namespace tangent {

// The quote that Python's repr chooses: ' unless only that one occurs in the text.
std::string_view preferred_quote(std::string_view text);

// The text (UTF-8, surrogates allowed) escaped to stand between these quotes; a triple quote keeps
// newlines as they are.
void append_escaped(std::string& out, std::string_view text, std::string_view quote);

// A whole literal, quotes included.
void append_string(std::string& out, std::string_view text);
void append_bytes(std::string& out, std::string_view bytes);
void append_literal(std::string& out, const Literal& literal);

// Whether the literal prints with a minus sign in front (a folded constant; the parser makes none).
bool is_negative(const Literal& literal);

}  // namespace tangent
