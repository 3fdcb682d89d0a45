// The arena, the names, and the excerpt of source under a diagnostic.
#include <gtest/gtest.h>

#include <cstdint>

#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/symbols.h"

namespace tangent {
namespace {

TEST(Arena, KeepsWhatWasMadeAndAlignsIt) {
  Arena arena;
  std::vector<const std::int64_t*> numbers;
  for (std::int64_t n = 0; n < 20'000; ++n) {
    arena.allocate(1, 1);  // puts the next one off its alignment
    numbers.push_back(arena.make<std::int64_t>(n));
  }
  for (std::int64_t n = 0; n < 20'000; ++n) {
    EXPECT_EQ(*numbers[static_cast<std::size_t>(n)], n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers[static_cast<std::size_t>(n)]) % 8, 0U);
  }
  EXPECT_GE(arena.bytes(), 20'000U * 9);
}

TEST(Arena, HoldsMoreThanABlockAtOnce) {
  Arena arena;
  const std::vector<std::uint32_t> many(100'000, 7);
  const List<std::uint32_t> kept = arena.copy(many);
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), many.begin(), many.end()));
  EXPECT_TRUE(arena.copy(std::vector<int>()).empty());
  EXPECT_EQ(arena.copy_text("text"), "text");
}

TEST(Symbols, EqualTextIsOneSymbol) {
  Symbols symbols;
  const Symbol first = symbols.intern("x");
  for (int n = 0; n < 1000; ++n) symbols.intern("other" + std::to_string(n));
  EXPECT_EQ(first, symbols.intern(std::string("x")));
  EXPECT_NE(first, symbols.intern("y"));
  EXPECT_EQ(first.text(), "x");
  EXPECT_TRUE(Symbol().empty());
}

TEST(Diagnostics, KindsHaveNamesAndClasses) {
  EXPECT_EQ(diagnostic_name(DiagnosticKind::SourceNotAvailable), "SourceNotAvailable");
  EXPECT_EQ(diagnostic_class(DiagnosticKind::SourceNotAvailable), "SourceCodeNotAvailableError");
  EXPECT_EQ(diagnostic_class(DiagnosticKind::NoRule), "ReverseNotImplementedError");
}

TEST(Diagnostics, OutlivesTheArenaOfItsRanges) {
  const auto make = [] {
    Arena arena;
    const SourceRange range{.line = 3, .column = 4};
    return Diagnostic(DiagnosticKind::NoRule, "no rule", arena.copy(std::span(&range, 1)));
  };
  const Diagnostic diagnostic = make();
  ASSERT_EQ(diagnostic.ranges.size(), 1U);
  EXPECT_EQ(diagnostic.ranges[0].line, 3U);
  EXPECT_STREQ(diagnostic.what(), "no rule");
}

struct ExcerptRow {
  SourceRange range;
  std::string_view expected;
};

TEST(Diagnostics, Excerpts) {
  const std::vector<std::string> lines = {"def f(x):\n", "    y = frobnicate(x)\n", "\tπ = g(\n",
                                          "        x)\n", "\n"};
  const std::string_view head = "  \"m.py\", line ";
  const ExcerptRow rows[] = {
      {{0, 11, 8, 11, 21}, "11:\n      y = frobnicate(x)\n          ^^^^^^^^^^^^^"},
      // Columns count characters, a tab stays a tab, a range over lines ends with its first line.
      {{0, 12, 5, 13, 10}, "12:\n      π = g(\n          ^^"},
      {{0, 12, 1, 12, 2}, "12:\n      π = g(\n      ^"},
      // Where there is nothing to mark, one caret; where there is no line, the place alone.
      {{0, 10, 40, 10, 50}, "10:\n      def f(x):\n               ^"},
      {{0, 14, 0, 14, 1}, "14:"},
      {{0, 15, 0, 15, 1}, "15:"},
      {{0, 9, 0, 9, 1}, "9:"},
  };
  for (const ExcerptRow& row : rows) {
    EXPECT_EQ(render_excerpt(row.range, "m.py", lines, 10),
              std::string(head) + std::string(row.expected));
  }
}

}  // namespace
}  // namespace tangent
