// An emitted gradient as bytes that outlive the process, and back.
//
// In: what the pipeline emitted, and the questions under which it is right, in words that mean the
// same in another process: how each object of the outside is reached from the differentiated
// function, and what it has to be. Out: bytes; and from bytes, which may be anything, the same
// again or nothing. What the words are is decided in src/runtime/stored.cpp, which knows live
// objects.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lower/fields.h"
#include "pipeline.h"
#include "syntax/build.h"

namespace tangent {

// An object of the outside. The first is the differentiated function itself.
struct StoredObject {
  // How another object leads to it, where no question does.
  enum class Reach : std::uint8_t {
    Question,       // it is what a question found
    ClassOf,        // the class of `from`
    ArgumentClass,  // the class of the argument `from`, or of what the attributes `path` lead to
    Base,           // the class of that position in the order of resolution of `from`
    Inner,          // the function that a method or property `from` holds under `name`
  };
  Reach reach = Reach::Question;
  std::size_t from = 0;
  std::string name;
  std::size_t position = 0;
  std::vector<std::string> path;
  std::string description;  // what it has to be
  bool type_asked = false;
  bool literal_asked = false;
};

// A name or an attribute: `found` is the object, or kNothing.
struct StoredQuestion {
  static constexpr std::size_t kNothing = static_cast<std::size_t>(-1);
  std::size_t owner = 0;
  std::string name;
  bool attribute = false;
  bool member = false;
  bool fixed = false;  // of a library: asked once, not at every call
  bool entry = false;  // of a container
  std::size_t found = kNothing;
};

// A source that the map of lines points into: that of a function among the objects, or another,
// whose lines are shown to nobody.
struct StoredFile {
  std::size_t function = StoredQuestion::kNothing;
};

struct StoredVariant {
  std::vector<std::string> arguments;  // a description for each parameter
  std::vector<ReadField> fields;       // of arguments that have parts
  std::vector<StoredObject> objects;
  std::vector<StoredQuestion> questions;
  std::vector<StoredFile> files;
  std::size_t literal_outputs = 0;  // python::literal_outputs
  std::string emitted;              // what write_emitted gave
};

std::string write_variant(const StoredVariant& variant);
std::optional<StoredVariant> read_variant(std::string_view bytes);

// `first_lines` are those of the functions whose sources are the files, so that the text stays
// right where a function moves in its file. `handle` gives the place of an object among the stored
// ones. Nothing if a line stands in front of its function.
std::optional<std::string> write_emitted(const Emitted& emitted,
                                         std::span<const std::uint32_t> first_lines,
                                         const std::function<std::size_t(ThingHandle)>& place);
// Handles are places among the objects, of which there are so many.
std::optional<Emitted> read_emitted(std::string_view bytes,
                                    std::span<const std::uint32_t> first_lines, std::size_t objects,
                                    Context& context);

// Several of them, the newest first.
std::string write_variants(std::span<const std::string> variants);
std::vector<std::string> read_variants(std::string_view bytes);

// Words that are equal where a variant for the one is a variant for the other.
std::string described(const Type& type);
std::string described(const Structure& structure);
std::string described(const GradientOptions& options);

}  // namespace tangent
