// Stored gradients: what is written is read again, and any bytes may be read.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "store/bytes.h"
#include "store/stored_variant.h"

namespace tangent {
namespace {

TEST(Sha256Test, KnownDigests) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PiecesAreOneText) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Sha256 hash;
    hash.add(std::string_view(text).substr(0, cut));
    hash.add(std::string_view(text).substr(cut));
    ASSERT_EQ(hash.finish(), sha256(text)) << cut;
  }
}

// RFC 4231, cases 2 and 6: a key that is shorter than a block, one that is longer.
TEST(Sha256Test, KnownCodes) {
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(to_hex(hmac_sha256(std::string(131, '\xaa'),
                               "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(BytesTest, NumbersAndTexts) {
  ByteWriter out;
  const std::vector<std::uint64_t> numbers{0, 1, 127, 128, 300, 1ULL << 63U, ~0ULL};
  for (const std::uint64_t each : numbers) out.number(each);
  out.text("a text");
  out.text("");
  out.flag(true);
  const std::string bytes = out.take();
  ByteReader in(bytes);
  for (const std::uint64_t each : numbers) EXPECT_EQ(in.number(), each);
  EXPECT_EQ(in.text(), "a text");
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.flag());
  EXPECT_TRUE(in.is_done());
  EXPECT_EQ(in.number(), 0U);
  EXPECT_TRUE(in.failed());
}

TEST(BytesTest, ATextThatIsLongerThanTheRest) {
  ByteReader in(
      "\x7f"
      "abc");
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.failed());
}

struct Example {
  Example() : context(std::make_shared<Symbols>()) {
    emitted.text = "def dfdx(x, bs=1.0):\n    return bs * K\n";
    emitted.function_name = "dfdx";
    emitted.seed_name = "bs";
    emitted.scalar_tangents = {true, false};
    const SourceRange place{.file = 0, .line = 41, .column = 4, .end_line = 42, .end_column = 9};
    const SourceRange rule{.file = 0x8001, .line = 7, .column = 0, .end_line = 7, .end_column = 3};
    emitted.lines = {Ranges(context.list({place, rule})), Ranges()};
    emitted.places = {place, SourceRange()};
    emitted.globals.push_back({.printed = context.symbol("K"),
                               .original = context.symbol("K"),
                               .function = 5,
                               .thing = {.kind = ThingKind::Value, .handle = 9}});
    emitted.globals.push_back({.printed = context.symbol("gone"),
                               .original = context.symbol("gone"),
                               .function = 5,
                               .thing = {}});
    emitted.helpers = {"_unbroadcast"};
    emitted.questions = {{.ones = true}, {.ones = false}};
    emitted.written.lists = {1};
    emitted.uses_numpy = true;
    emitted.modules = {{"scipy.special", "special"}};
    emitted.numpy_name = "np";
    emitted.default_seed = "(1.0, 0.25)";
    emitted.scalar_result = true;
    variant.arguments = {"first", std::string("\0second", 7)};
    variant.fields.push_back({.parameter = 1,
                              .steps = {{.form = FieldStep::Form::Key, .text = "w"},
                                        {.form = FieldStep::Form::Index, .text = "", .index = -1}},
                              .is_object = true});
    variant.objects.resize(3);
    variant.objects[1].description = "a number";
    variant.objects[1].literal_asked = true;
    variant.objects[2].reach = StoredObject::Reach::ArgumentClass;
    variant.objects[2].position = 1;
    variant.objects[2].path = {"inner"};
    variant.questions.push_back({.owner = 0, .name = "K", .found = 1});
    variant.questions.push_back({.owner = 2, .name = "go", .attribute = true, .member = true});
    variant.files = {{0}, {StoredQuestion::kNothing}};
    variant.emitted = *write_emitted(emitted, first_lines,
                                     [](ThingHandle handle) { return handle == 9 ? 1 : 0; });
  }

  Context context;
  Emitted emitted;
  StoredVariant variant;
  std::vector<std::uint32_t> first_lines{40, 1};
};

TEST(StoredVariantTest, IsReadAsItWasWritten) {
  const Example example;
  const std::string bytes = write_variant(example.variant);
  const std::optional<StoredVariant> read = read_variant(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(write_variant(*read), bytes);
  EXPECT_EQ(read->arguments, example.variant.arguments);
  EXPECT_EQ(read->fields[0].steps[1].index, -1);
  EXPECT_EQ(read->objects[2].path, example.variant.objects[2].path);
  EXPECT_EQ(read->questions[1].found, StoredQuestion::kNothing);
}

TEST(StoredVariantTest, LinesMoveWithTheirFunction) {
  Example example;
  const std::vector<std::uint32_t> moved{140, 1};
  const auto read = read_emitted(example.variant.emitted, moved, 3, example.context);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text, example.emitted.text);
  EXPECT_EQ(read->lines[0][0].line, 141U);
  EXPECT_EQ(read->lines[0][0].end_line, 142U);
  EXPECT_EQ(read->lines[0][1], example.emitted.lines[0][1]);  // a line of a rule file
  EXPECT_EQ(read->places[1].line, 0U);
  EXPECT_EQ(read->globals[0].thing.handle, 1);
  EXPECT_EQ(read->globals[1].thing.handle, -1);
  EXPECT_EQ(read->modules, example.emitted.modules);
  EXPECT_EQ(read->default_seed, example.emitted.default_seed);
}

TEST(StoredVariantTest, ALineInFrontOfItsFunctionIsNotStored) {
  const Example example;
  const std::vector<std::uint32_t> behind{42, 1};
  EXPECT_FALSE(write_emitted(example.emitted, behind, [](ThingHandle) { return 0; }));
}

TEST(StoredVariantTest, WhatIsCutOffIsNothing) {
  Example example;
  const std::string bytes = write_variant(example.variant);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(read_variant(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(read_variant(bytes + "\1"));
  const std::string& emitted = example.variant.emitted;
  for (std::size_t size = 0; size < emitted.size(); ++size)
    ASSERT_FALSE(read_emitted(std::string_view(emitted).substr(0, size), example.first_lines, 3,
                              example.context))
        << size;
  const std::vector<std::string> both{bytes, bytes};
  const std::string several = write_variants(both);
  EXPECT_EQ(read_variants(several), both);
  for (std::size_t size = 0; size < several.size(); ++size)
    ASSERT_TRUE(read_variants(std::string_view(several).substr(0, size)).empty()) << size;
}

// Whatever the bytes are, what is read keeps inside of its bounds (the sanitizers look on).
TEST(StoredVariantTest, AnyBytesMayBeRead) {
  Example example;
  std::mt19937 random(1);
  const std::string bytes = write_variant(example.variant);
  const std::string several = write_variants(std::vector<std::string>{bytes});
  for (int round = 0; round < 20000; ++round) {
    std::string variant = bytes;
    std::string emitted = example.variant.emitted;
    std::string all = several;
    for (std::string* each : {&variant, &emitted, &all}) {
      for (unsigned change = random() % 4; change-- > 0;)
        (*each)[random() % each->size()] = static_cast<char>(random());
    }
    if (const auto read = read_variant(variant)) {
      for (const StoredQuestion& question : read->questions) {
        ASSERT_LT(question.owner, read->objects.size());
        ASSERT_TRUE(question.found == StoredQuestion::kNothing ||
                    question.found < read->objects.size());
      }
      for (const StoredFile& file : read->files)
        ASSERT_TRUE(file.function == StoredQuestion::kNothing ||
                    file.function < read->objects.size());
    }
    if (const auto read = read_emitted(emitted, example.first_lines, 3, example.context)) {
      ASSERT_EQ(read->places.size(), read->lines.size());
      for (const GlobalBinding& global : read->globals) {
        ASSERT_LT(global.function, 3);
        ASSERT_LT(global.thing.handle, 3);
      }
    }
    read_variants(all);
    std::string noise(random() % 200, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    read_variant(noise);
    read_emitted(noise, example.first_lines, 3, example.context);
    read_variants(noise);
  }
}

TEST(DescribedTest, TypesAndStructures) {
  Arena arena;
  const Type row = Type::array(DType::Float64, arena.copy(std::vector<Dim>{{2}}));
  const Type one = Type::array(DType::Float64, arena.copy(std::vector<Dim>{Dim::one()}));
  EXPECT_EQ(described(row), described(row));
  EXPECT_NE(described(row), described(one));
  EXPECT_NE(described(row), described(Type::array(DType::Float32, row.dims)));
  EXPECT_NE(described(Type::number(DType::Float64)),
            described(Type::python_number(DType::Float64)));
  Structure pair;
  pair.form = Structure::Form::Tuple;
  Structure leaf;
  leaf.type = row;
  pair.parts.push_back({{.form = FieldStep::Form::Index, .text = "", .index = 0}, leaf});
  Structure other = pair;
  other.parts[0].structure.type = one;
  EXPECT_NE(described(pair), described(other));
}

TEST(DescribedTest, EveryOptionCounts) {
  const GradientOptions plain{.function_name = "dfdx"};
  EXPECT_EQ(described(plain), described(plain));
  std::vector<GradientOptions> others(8, plain);
  others[0].wrt = {1};
  others[1].single = false;
  others[2].preserve_result = true;
  others[3].value_first = true;
  others[4].check_dims = false;
  others[5].seed_required = true;
  others[6].forward = true;
  others[7].tangents = {"dx"};
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_NE(described(others[i]), described(plain)) << i;
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(described(others[i]), described(others[k]));
  }
}

}  // namespace
}  // namespace tangent
