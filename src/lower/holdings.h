// What core values hold of objects that are kept in columns (kept_objects.cpp): nothing, a
// reference to one (a number: its place), or items, entries or parts that do.
//
// In the core program a reference is an integer, which nothing but lowering tells from others. So
// that is known of every variable for the whole function, and of lists where they are made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/outside.h"

namespace tangent::lowering {

struct Holding {
  enum class Form : std::uint8_t {
    Unknown,    // None, or what an empty list holds
    Plain,      // no object
    Reference,  // to an object of the class `type`
    Items,      // a list or tuple of any length, of inner[0]
    Entries,    // a dict of inner[0] under plain keys
    Parts,      // a tuple of these parts
  };
  Form form = Form::Unknown;
  ThingHandle type = 0;
  std::vector<Holding> inner = {};
  std::string birth = {};  // of Items and Entries: where the list or dict was made

  bool operator==(const Holding& other) const {
    return form == other.form && type == other.type && inner == other.inner;
  }
  [[nodiscard]] bool has_reference() const;
  static Holding plain() { return {.form = Form::Plain}; }
  static Holding reference(ThingHandle type) { return {.form = Form::Reference, .type = type}; }
  static Holding items(Holding item) { return {.form = Form::Items, .inner = {std::move(item)}}; }
  static Holding entries(Holding item) {
    return {.form = Form::Entries, .inner = {std::move(item)}};
  }
  static Holding parts(std::vector<Holding> all) {
    return {.form = Form::Parts, .inner = std::move(all)};
  }
};

// What a variable holds that gets either; nothing if that would be plain values and objects.
std::optional<Holding> joined(const Holding& one, const Holding& other);
// What a loop over such a value gives its target.
Holding item_of(const Holding& whole);

// How the attributes of a kept class lie in columns.
struct Cell {
  enum class Form : std::uint8_t {
    Column,  // in the list `column`
    Same,    // `same` for all objects: a function, an object from outside
    Parts,   // an object that is never changed, by its own attributes
  };
  Form form = Form::Column;
  Symbol attribute;
  Symbol column = {};
  const Expr* same = nullptr;
  Thing type = {};
  const Expr* path = nullptr;
  std::vector<Cell> parts = {};
};

struct Layout {
  Thing type;
  const Expr* path = nullptr;  // how the text names the class
  std::string name;            // what columns are named after
  std::vector<Cell> cells;
  bool is_made = false;    // an object was made: these are all attributes
  bool was_asked = false;  // before that
};

}  // namespace tangent::lowering
