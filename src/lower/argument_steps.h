// The steps of paths into arguments, as ArgumentClass spells them: an attribute's name, "['key']",
// "[0]", and as the last step "#": how many elements there are.
//
// In: such a word. Out: the step. In a Structure the number of elements stands among what is
// absent: "#3".
#pragma once

#include <string>
#include <string_view>

#include "lower/fields.h"

namespace tangent {

constexpr std::string_view kLengthStep = "#";

FieldStep step_of(Symbol word);
inline bool is_length_step(const FieldStep& step) {
  return step.form == FieldStep::Form::Attribute && step.text == kLengthStep;
}
// The number of elements that a structure has to have; -1 where it does not count.
std::int64_t length_of(const Structure& structure);

}  // namespace tangent
