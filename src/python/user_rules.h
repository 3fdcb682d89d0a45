// Derivative rules that users give at run time: where they are kept, and what they name.
//
// In: records as text (made by tangent._records), and the objects that they name. Out: the record
// in the session's rule book; for a function of the user's, the name of its record.
//
// A Python function carries its rule itself, so that the rule dies with it: its attribute
// `__tangent_rule__` is (the function, name of the record, reverse, forward, objects). `objects` is
// a dict from the names in the record to (object, function, name, wish): the object, or the
// function from which the name is looked up each time, and how the emitted text spells it.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace tangent::python {

// The tuple above if the function has a rule of its own for this mode, else an invalid object.
nanobind::object rule_slot(nanobind::handle function, bool forward);
std::string rule_name(nanobind::handle slot);
// The tuple (object, function, name, wish) of a name in the slot's records; invalid if it has none.
nanobind::object slot_object(nanobind::handle slot, std::string_view name);

// What a name means that the text of a function was given, whatever the function's own names are:
// its attribute `__tangent_names__` is (the function, a dict); invalid if there is no such name.
nanobind::object own_name(nanobind::handle function, std::string_view name);

// What an emitted text calls for a function: the function itself, or what its attribute
// `__tangent_plain__`, (the function, another one), says: the same without the rule, so that the
// rule counts for one differentiation only.
nanobind::object emitted_object(nanobind::handle function);

// Adds the functions of the module that tangent._records calls.
void add_user_rules(nanobind::module_& module);

}  // namespace tangent::python
