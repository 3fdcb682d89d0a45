// What reports show of a gradient: its source map, and the record of the road that made it.
#include <algorithm>

#include "python/errors.h"
#include "python/session.h"
#include "python/text.h"
#include "runtime/gradient.h"

namespace nb = nanobind;

namespace tangent::runtime {

using python::Session;
using python::session;
using python::to_str;

namespace {

nb::list places_of(const SourceRange* first, std::size_t count, const python::FileTable& files) {
  nb::list places;
  for (std::size_t k = 0; k < count; ++k) {
    if (first[k].line != 0) places.append(python::place_of(first[k], files));
  }
  return places;
}

const char* form_of(SavedValue::Form form) {
  switch (form) {
    case SavedValue::Form::Tape:
      return "tape";
    case SavedValue::Form::Tuple:
      return "tuple";
    case SavedValue::Form::Name:
      break;
  }
  return "name";
}

}  // namespace

nb::object Gradient::line_places() {
  const std::shared_ptr<Variant> variant = hot_ != nullptr ? hot_ : general(nullptr);
  if (variant == nullptr) return nb::none();
  nb::list lines;
  for (std::size_t k = 0; k < variant->emitted().lines.size(); ++k) {
    const Ranges ranges = variant->emitted().lines[k];
    nb::list places = places_of(ranges.data(), ranges.size(), variant->files());
    // What the line evaluates may stand elsewhere: in a function that is written out.
    const SourceRange& evaluated = variant->emitted().places[k];
    const bool known = std::ranges::any_of(ranges, [&](const SourceRange& range) {
      return range.file == evaluated.file && range.line <= evaluated.line &&
             evaluated.end_line <= range.end_line;
    });
    const bool users = evaluated.line != 0 && evaluated.file < python::kFirstRuleFile;
    if (!known && !ranges.empty() && users)
      places.append(python::place_of(evaluated, variant->files()));
    lines.append(places);
  }
  return nb::make_tuple(variant->filename(), lines);
}

nb::dict Gradient::record(PyObject* const* arguments, std::size_t count) {
  const Bound bound = bind(arguments, count, nullptr);
  const Session::Lock lock(session());
  nb::list stages;
  const std::shared_ptr<Variant> variant =
      make(bound, [&](std::string_view stage, std::string_view text) {
        stages.append(nb::make_tuple(to_str(stage), to_str(text)));
      });
  nb::list saved;
  for (const SavedValue& value : variant->emitted().saved) {
    nb::dict entry;
    entry["name"] = to_str(value.name);
    entry["value"] = to_str(value.value);
    entry["form"] = form_of(value.form);
    entry["function"] = to_str(value.function);
    entry["made"] = places_of(value.made.data(), value.made.size(), variant->files());
    entry["read_by"] = places_of(value.read_by.data(), value.read_by.size(), variant->files());
    saved.append(entry);
  }
  nb::dict record;
  record["stages"] = stages;
  record["saved"] = saved;
  record["source"] = variant->text();
  return record;
}

}  // namespace tangent::runtime
