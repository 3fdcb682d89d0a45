#include "store/stored_variant.h"

#include <algorithm>
#include <bit>

#include "store/bytes.h"

namespace tangent {

namespace {

constexpr std::size_t kMostFiles = 0x8000;  // from there on the ids are those of rule files
constexpr std::size_t kMostVariants = 64;   // of one function, for one set of options
constexpr std::uint64_t kLibraries = 4;
constexpr std::uint64_t kLargest = 1U << 31U;  // of lines, columns, positions

// -1, "nothing", is 0.
void write_place(ByteWriter& out, std::size_t place) { out.number(place + 1); }
std::size_t read_place(ByteReader& in, std::size_t count) {
  return static_cast<std::size_t>(in.below(count + 1)) - 1;
}

template <class T, class F>
void write_list(ByteWriter& out, const std::vector<T>& items, F&& write) {
  out.number(items.size());
  for (const T& item : items) write(item);
}

template <class T, class F>
void read_list(ByteReader& in, std::vector<T>& items, F&& read) {
  const std::size_t count = in.count();
  for (std::size_t i = 0; i < count && !in.failed(); ++i) items.push_back(read());
}

void write_step(ByteWriter& out, const FieldStep& step) {
  out.number(static_cast<std::uint64_t>(step.form));
  out.text(step.text);
  out.number(static_cast<std::uint64_t>(step.index));
}

FieldStep read_step(ByteReader& in) {
  FieldStep step;
  step.form = static_cast<FieldStep::Form>(in.below(3));
  step.text = in.text();
  step.index = static_cast<std::int64_t>(in.number());
  return step;
}

void write_field(ByteWriter& out, const ReadField& field) {
  out.number(field.parameter);
  write_list(out, field.steps, [&](const FieldStep& step) { write_step(out, step); });
  out.flag(field.is_whole);
  out.flag(field.is_object);
  out.flag(field.is_absent);
}

ReadField read_field(ByteReader& in) {
  ReadField field{.parameter = static_cast<std::size_t>(in.below(kLargest)), .steps = {}};
  read_list(in, field.steps, [&] { return read_step(in); });
  field.is_whole = in.flag();
  field.is_object = in.flag();
  field.is_absent = in.flag();
  return field;
}

void write_object(ByteWriter& out, const StoredObject& object) {
  out.number(static_cast<std::uint64_t>(object.reach));
  out.number(object.from);
  out.text(object.name);
  out.number(object.position);
  write_list(out, object.path, [&](const std::string& step) { out.text(step); });
  out.text(object.description);
  out.flag(object.type_asked);
  out.flag(object.literal_asked);
}

StoredObject read_object(ByteReader& in) {
  StoredObject object;
  object.reach = static_cast<StoredObject::Reach>(in.below(5));
  object.from = static_cast<std::size_t>(in.below(kLargest));
  object.name = in.text();
  object.position = static_cast<std::size_t>(in.below(kLargest));
  read_list(in, object.path, [&] { return std::string(in.text()); });
  object.description = in.text();
  object.type_asked = in.flag();
  object.literal_asked = in.flag();
  return object;
}

StoredQuestion read_question(ByteReader& in, std::size_t objects) {
  StoredQuestion question;
  question.owner = static_cast<std::size_t>(in.below(objects));
  question.name = in.text();
  question.attribute = in.flag();
  question.member = in.flag();
  question.fixed = in.flag();
  question.found = read_place(in, objects);
  return question;
}

}  // namespace

std::string write_variant(const StoredVariant& variant) {
  ByteWriter out;
  write_list(out, variant.arguments, [&](const std::string& each) { out.text(each); });
  write_list(out, variant.fields, [&](const ReadField& each) { write_field(out, each); });
  write_list(out, variant.objects, [&](const StoredObject& each) { write_object(out, each); });
  write_list(out, variant.questions, [&](const StoredQuestion& each) {
    out.number(each.owner);
    out.text(each.name);
    out.flag(each.attribute);
    out.flag(each.member);
    out.flag(each.fixed);
    write_place(out, each.found);
  });
  write_list(out, variant.files, [&](const StoredFile& each) { write_place(out, each.function); });
  out.number(variant.literal_outputs);
  out.text(variant.emitted);
  return out.take();
}

std::optional<StoredVariant> read_variant(std::string_view bytes) {
  ByteReader in(bytes);
  StoredVariant variant;
  read_list(in, variant.arguments, [&] { return std::string(in.text()); });
  read_list(in, variant.fields, [&] { return read_field(in); });
  read_list(in, variant.objects, [&] { return read_object(in); });
  const std::size_t objects = variant.objects.size();
  read_list(in, variant.questions, [&] { return read_question(in, objects); });
  read_list(in, variant.files, [&] { return StoredFile{read_place(in, objects)}; });
  variant.literal_outputs = static_cast<std::size_t>(in.below(kLargest));
  variant.emitted = in.text();
  const bool from_known = std::ranges::all_of(variant.objects, [&](const StoredObject& object) {
    return object.reach == StoredObject::Reach::ArgumentClass || object.from < objects;
  });
  if (!in.is_done() || objects == 0 || variant.files.size() > kMostFiles || !from_known)
    return std::nullopt;
  return variant;
}

// ---------------------------------------------------------------------------------------------------
// What was emitted

namespace {

// The line that those of a file are counted from. Those of rule files are counted from the first.
std::uint32_t origin_of(FileId file, std::span<const std::uint32_t> first_lines) {
  return file < first_lines.size() ? first_lines[file] : 1;
}

bool write_range(ByteWriter& out, const SourceRange& range,
                 std::span<const std::uint32_t> first_lines) {
  const std::uint32_t origin = origin_of(range.file, first_lines);
  const bool known = range.line != 0;
  if (known && (range.line < origin || range.end_line < origin)) return false;
  out.number(range.file);
  out.number(known ? range.line - origin + 1 : 0);
  out.number(range.column);
  out.number(known ? range.end_line - origin + 1 : 0);
  out.number(range.end_column);
  return true;
}

SourceRange read_range(ByteReader& in, std::span<const std::uint32_t> first_lines) {
  SourceRange range;
  range.file = static_cast<FileId>(in.below(1U << 16U));
  const std::uint32_t origin = origin_of(range.file, first_lines);
  const auto line = static_cast<std::uint32_t>(in.below(kLargest));
  range.column = static_cast<std::uint32_t>(in.below(kLargest));
  const auto end_line = static_cast<std::uint32_t>(in.below(kLargest));
  range.end_column = static_cast<std::uint32_t>(in.below(kLargest));
  if (line != 0) {
    range.line = line - 1 + origin;
    range.end_line = end_line - 1 + origin;
  }
  return range;
}

}  // namespace

std::optional<std::string> write_emitted(const Emitted& emitted,
                                         std::span<const std::uint32_t> first_lines,
                                         const std::function<std::size_t(ThingHandle)>& place) {
  // By name, so that a new field of Emitted does not compile until it is stored, too.
  // `saved` is for reports alone.
  const auto& [text, function_name, seed_name, scalar_tangents, lines, places, saved, globals,
               helpers, questions, written, uses_numpy, modules, numpy_name, default_seed, library,
               scalar_result] = emitted;
  ByteWriter out;
  out.text(text);
  out.text(function_name);
  out.text(seed_name);
  out.number(scalar_tangents.size());
  for (const bool each : scalar_tangents) out.flag(each);
  bool fits = true;
  write_list(out, lines, [&](const Ranges& ranges) {
    out.number(ranges.size());
    for (const SourceRange& range : ranges) fits = write_range(out, range, first_lines) && fits;
  });
  write_list(out, places, [&](const SourceRange& range) {
    fits = write_range(out, range, first_lines) && fits;
  });
  write_list(out, globals, [&](const GlobalBinding& binding) {
    out.text(binding.printed.text());
    out.text(binding.original.text());
    out.number(place(binding.function));
    write_place(out,
                binding.thing.handle < 0 ? StoredQuestion::kNothing : place(binding.thing.handle));
  });
  write_list(out, helpers, [&](const std::string& helper) { out.text(helper); });
  write_list(out, questions, [&](const ArgumentQuestions& each) {
    const auto& [ones] = each;
    out.flag(ones);
  });
  const auto& [arrays, lists, objects] = written;
  for (const std::vector<std::size_t>* parameters : {&arrays, &lists, &objects})
    write_list(out, *parameters, [&](std::size_t each) { out.number(each); });
  out.flag(uses_numpy);
  write_list(out, modules, [&](const std::pair<std::string, std::string>& each) {
    out.text(each.first);
    out.text(each.second);
  });
  out.text(numpy_name);
  out.text(default_seed);
  out.number(static_cast<std::uint64_t>(library));
  out.flag(scalar_result);
  if (!fits) return std::nullopt;
  return out.take();
}

std::optional<Emitted> read_emitted(std::string_view bytes,
                                    std::span<const std::uint32_t> first_lines, std::size_t objects,
                                    Context& context) {
  ByteReader in(bytes);
  Emitted emitted;
  emitted.text = in.text();
  emitted.function_name = in.text();
  emitted.seed_name = in.text();
  read_list(in, emitted.scalar_tangents, [&] { return in.flag(); });
  read_list(in, emitted.lines, [&] {
    std::vector<SourceRange> ranges;
    read_list(in, ranges, [&] { return read_range(in, first_lines); });
    return Ranges(context.list(ranges));
  });
  read_list(in, emitted.places, [&] { return read_range(in, first_lines); });
  read_list(in, emitted.globals, [&] {
    GlobalBinding binding;
    binding.printed = context.symbol(in.text());
    binding.original = context.symbol(in.text());
    binding.function = static_cast<ThingHandle>(in.below(objects));
    binding.thing.handle = static_cast<ThingHandle>(read_place(in, objects));
    return binding;
  });
  read_list(in, emitted.helpers, [&] { return std::string(in.text()); });
  read_list(in, emitted.questions, [&] { return ArgumentQuestions{.ones = in.flag()}; });
  for (std::vector<std::size_t>* parameters :
       {&emitted.written.arrays, &emitted.written.lists, &emitted.written.objects})
    read_list(in, *parameters, [&] { return static_cast<std::size_t>(in.below(kLargest)); });
  emitted.uses_numpy = in.flag();
  read_list(in, emitted.modules, [&] {
    std::string module(in.text());
    return std::pair(std::move(module), std::string(in.text()));
  });
  emitted.numpy_name = in.text();
  emitted.default_seed = in.text();
  emitted.library = static_cast<Library>(in.below(kLibraries));
  emitted.scalar_result = in.flag();
  if (!in.is_done() || emitted.places.size() != emitted.lines.size()) return std::nullopt;
  return emitted;
}

// ---------------------------------------------------------------------------------------------------
// Several

std::string write_variants(std::span<const std::string> variants) {
  ByteWriter out;
  out.number(std::min(variants.size(), kMostVariants));
  for (const std::string& each : variants.first(std::min(variants.size(), kMostVariants)))
    out.text(each);
  return out.take();
}

std::vector<std::string> read_variants(std::string_view bytes) {
  ByteReader in(bytes);
  std::vector<std::string> variants;
  read_list(in, variants, [&] { return std::string(in.text()); });
  if (!in.is_done() || variants.size() > kMostVariants) return {};
  return variants;
}

// ---------------------------------------------------------------------------------------------------
// Descriptions

namespace {

void describe(ByteWriter& out, const Type& type) {
  const auto& [kind, dtype, rank, uniform, mixed, weak, library, dims, elements, fields] = type;
  out.number(static_cast<std::uint64_t>(kind));
  out.number(static_cast<std::uint64_t>(dtype));
  out.number(static_cast<std::uint64_t>(static_cast<std::int64_t>(rank) + 1));
  for (const bool each : {uniform, mixed, weak}) out.flag(each);
  out.number(static_cast<std::uint64_t>(library));
  out.number(dims.size());
  for (const Dim& dim : dims) out.number(dim.id);
  out.number(elements.size());
  for (const Type& element : elements) describe(out, element);
  out.number(fields.size());
  for (const auto& [name, of] : fields) {
    out.text(name);
    describe(out, of);
  }
}

void describe(ByteWriter& out, const Structure& structure) {
  const auto& [form, type, parts, absent, is_same] = structure;
  out.number(static_cast<std::uint64_t>(form));
  describe(out, type);
  write_list(out, absent, [&](const std::string& name) { out.text(name); });
  out.flag(is_same);
  out.number(parts.size());
  for (const auto& [step, part] : parts) {
    write_step(out, step);
    describe(out, part);
  }
}

}  // namespace

std::string described(const Type& type) {
  ByteWriter out;
  describe(out, type);
  return out.take();
}

std::string described(const Structure& structure) {
  ByteWriter out;
  describe(out, structure);
  return out.take();
}

std::string described(const GradientOptions& options) {
  // By name, so that a new option does not compile until it is part of the key, too.
  const auto& [wrt, single, preserve_result, value_first, check_dims, seed_required, output_index,
               output_weights, forward, tangents, checkpoint, function_name, optimizations,
               simplify_formula, translates] = options;
  ByteWriter out;
  write_list(out, wrt, [&](int each) { out.number(static_cast<std::uint64_t>(each)); });
  for (const bool each : {single, preserve_result, value_first, check_dims, seed_required, forward})
    out.flag(each);
  write_list(out, tangents, [&](const std::string& each) { out.text(each); });
  out.text(function_name);
  out.number(static_cast<std::uint64_t>(output_index));
  write_list(out, output_weights,
             [&](double each) { out.number(std::bit_cast<std::uint64_t>(each)); });
  const auto& [optimized, dce, tape_liveness, strength_reduction, cse, algebraic, sympy,
               coarsening] = optimizations;
  for (const bool each :
       {optimized, dce, tape_liveness, strength_reduction, cse, algebraic, sympy, coarsening})
    out.flag(each);
  out.flag(simplify_formula != nullptr);
  out.flag(translates);
  const auto& [enabled, min_length, snapshots, schedule, disk] = checkpoint;
  out.flag(enabled);
  out.number(static_cast<std::uint64_t>(min_length));
  out.number(static_cast<std::uint64_t>(snapshots));
  out.number(static_cast<std::uint64_t>(schedule));
  out.text(disk);
  return out.take();
}

}  // namespace tangent
