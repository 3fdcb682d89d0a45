// The laws of the lattice of types: joins are commutative, associative and idempotent, give an
// upper bound, and chains of them are short.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "types/type.h"

namespace tangent {
namespace {

class Lattice : public ::testing::Test {
 protected:
  Arena arena;

  Type array(DType dtype, const std::vector<Dim>& dims) {
    return Type::array(dtype, arena.copy(dims));
  }
  Type with(TypeKind kind, const std::vector<Type>& elements, bool uniform = false) {
    Type type = Type::of(kind);
    type.elements = arena.copy(elements);
    type.uniform = uniform;
    return type;
  }
  Type length(Dim dim) {
    Type type = Type::python_number(DType::Integer);
    type.dims = arena.copy(std::vector<Dim>{dim});
    return type;
  }

  std::vector<Type> simple() {
    std::vector<Type> all = {
        {},
        Type::of(TypeKind::None),
        Type::of(TypeKind::String),
        Type::of(TypeKind::Dict),
        Type::of(TypeKind::Opaque),
        Type::of(TypeKind::Function),
        Type::of(TypeKind::Dtype),
        Type::dtype_value(DType::Float32),
        Type::dtype_value(DType::Float64),
        Type::unknown(),
    };
    for (const DType dtype : {DType::Bool, DType::Integer, DType::Float32, DType::Float64,
                              DType::Complex64, DType::Complex128, DType::Other}) {
      all.push_back(Type::number(dtype));
      all.push_back(Type::python_number(dtype));
      all.push_back(Type::array(dtype));
      all.push_back(Type::numeric(dtype));
      all.push_back(array(dtype, {}));
      all.push_back(array(dtype, {Dim{2}}));
    }
    all.push_back(array(DType::Float64, {Dim::one()}));
    all.push_back(array(DType::Float64, {Dim{2}.less(1)}));
    all.push_back(array(DType::Float64, {Dim{2}, Dim{3}}));
    all.push_back(array(DType::Float64, {Dim{3}, Dim::unknown()}));
    all.push_back(length(Dim{2}));
    all.push_back(length(Dim::length(3)));
    for (const std::vector<Dim>& dims : {std::vector<Dim>{Dim{2}}, {Dim{3}}, {Dim{2}, Dim{3}}}) {
      all.push_back(join(Type::number(DType::Float64), array(DType::Float64, dims), arena));
    }
    // What joins make of numbers of different kinds.
    all.push_back(join(Type::number(DType::Integer), Type::number(DType::Float64), arena));
    all.push_back(join(Type::array(DType::Integer), Type::array(DType::Float64), arena));
    return all;
  }
  std::vector<Type> nested() {
    std::vector<Type> all;
    const Type number = Type::number(DType::Float64);
    const Type integer = Type::number(DType::Integer);
    const Type vector = array(DType::Float64, {Dim{2}});
    for (const TypeKind kind : {TypeKind::Tuple, TypeKind::List}) {
      all.push_back(with(kind, {}));
      all.push_back(with(kind, {number}));
      all.push_back(with(kind, {integer, vector}));
      all.push_back(with(kind, {vector, integer}));
      all.push_back(with(kind, {with(kind, {number}), integer}));
    }
    all.push_back(with(TypeKind::List, {number}, true));
    all.push_back(with(TypeKind::List, {vector}, true));
    all.push_back(with(TypeKind::Iterator, {number}));
    all.push_back(with(TypeKind::Iterator, {with(TypeKind::Tuple, {integer, number})}));
    return all;
  }
  std::vector<Type> all() {
    std::vector<Type> types = simple();
    for (const Type& type : nested()) types.push_back(type);
    return types;
  }
};

std::string show(const Type& a, const Type& b) { return to_text(a) + " with " + to_text(b); }

TEST_F(Lattice, JoinIsIdempotent) {
  for (const Type& a : all()) EXPECT_EQ(join(a, a, arena), a) << to_text(a);
}

TEST_F(Lattice, JoinIsCommutative) {
  for (const Type& a : all()) {
    for (const Type& b : all()) EXPECT_EQ(join(a, b, arena), join(b, a, arena)) << show(a, b);
  }
}

TEST_F(Lattice, JoinIsAnUpperBound) {
  for (const Type& a : all()) {
    for (const Type& b : all()) {
      const Type above = join(a, b, arena);
      EXPECT_EQ(join(a, above, arena), above) << show(a, b) << " gives " << to_text(above);
    }
  }
}

TEST_F(Lattice, JoinIsAssociative) {
  const std::vector<Type> types = all();
  for (const Type& a : types) {
    for (const Type& b : types) {
      const Type left = join(a, b, arena);
      for (const Type& c : types) {
        EXPECT_EQ(join(left, c, arena), join(a, join(b, c, arena), arena))
            << show(a, b) << " and " << to_text(c);
      }
    }
  }
}

TEST_F(Lattice, ChainsAreShort) {
  const std::vector<Type> types = all();
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    Type current;
    int height = 0;
    for (int step = 0; step < 60; ++step) {
      const Type next = join(current, types[random() % types.size()], arena);
      if (!(next == current)) ++height;
      current = next;
    }
    EXPECT_LE(height, 12);
  }
}

TEST_F(Lattice, BottomAndTop) {
  for (const Type& a : all()) {
    EXPECT_EQ(join(a, {}, arena), a);
    EXPECT_EQ(join(a, Type::unknown(), arena), Type::unknown());
  }
}

TEST_F(Lattice, NumbersJoinToTheWiderOne) {
  const Type joined = join(Type::number(DType::Integer), Type::number(DType::Float64), arena);
  EXPECT_TRUE(joined.is_number());
  EXPECT_EQ(joined.dtype, DType::Float64);
  EXPECT_TRUE(joined.mixed);
  EXPECT_FALSE(join(Type::number(DType::Float32), Type::number(DType::Float64), arena).mixed);
}

TEST_F(Lattice, ArraysOfIntsAndFloatsAreNotKnownToBeFloating) {
  const Type joined = join(Type::array(DType::Integer), Type::array(DType::Float64), arena);
  EXPECT_FALSE(is_floating(joined.dtype));
  EXPECT_TRUE(joined.mixed);
  const Type number = join(Type::number(DType::Integer), Type::array(DType::Float64), arena);
  EXPECT_EQ(number.kind, TypeKind::Numeric);
  EXPECT_FALSE(is_floating(number.dtype));
}

TEST_F(Lattice, DerivedLengths) {
  const Dim n{5};
  EXPECT_EQ(n.less(1), n.less(1));
  EXPECT_EQ(n.less(1).less(2), n.less(3));
  EXPECT_NE(n.less(1), n);
  EXPECT_TRUE(n.less(1).is_unknown());
  EXPECT_TRUE(n.less(1).is_comparable());
  EXPECT_TRUE(n.is_symbol());
  EXPECT_TRUE(n.at_most(3).is_symbol());
  EXPECT_EQ(n.at_most(3).at_most(5), n.at_most(3));
  EXPECT_FALSE(n.at_most(1).is_comparable());  // 0 or 1
  EXPECT_EQ(Dim::length(1), Dim::one());
  EXPECT_EQ(Dim::length(4).less(1), Dim::length(3));
  EXPECT_EQ(Dim::length(4).less(3), Dim::one());
  EXPECT_EQ(Dim::length(4).less(9), Dim::length(0));
  EXPECT_EQ(Dim::length(4).at_most(2), Dim::length(2));
  EXPECT_EQ(Dim::one().less(1), Dim::length(0));
  EXPECT_EQ(Dim::one().at_most(3), Dim::one());
  EXPECT_FALSE(Dim::unknown().less(1).is_comparable());
  EXPECT_FALSE(n.less(1LL << 40).is_comparable());
  EXPECT_FALSE(n.less(4000).less(4000).is_comparable());
  EXPECT_FALSE(Dim::length(-1).is_comparable());
  EXPECT_FALSE(Dim::length(1LL << 40).is_comparable());
}

TEST_F(Lattice, Text) {
  EXPECT_EQ(to_text(array(DType::Float64, {Dim{2}, Dim::one()})), "f64[n2, 1]");
  EXPECT_EQ(to_text(array(DType::Float32, {Dim{2}.less(1), Dim::length(3), Dim::unknown()})),
            "f32[n2 - 1, 3, _]");
  EXPECT_EQ(to_text(array(DType::Float64, {Dim{4}.at_most(3)})), "f64[min(n4, 3)]");
  EXPECT_EQ(to_text(Type::array(DType::Bool)), "bool[...]");
  EXPECT_EQ(to_text(Type::number(DType::Float64)), "float");
  EXPECT_EQ(to_text(Type::number(DType::Integer)), "int");
  EXPECT_EQ(to_text(Type::numeric(DType::Float64)), "numeric");
  EXPECT_EQ(
      to_text(with(TypeKind::Tuple, {Type::number(DType::Float64), Type::number(DType::Integer)})),
      "tuple[float, int]");
  EXPECT_EQ(to_text(Type::unknown()), "Any");
  const Type either = join(Type::number(DType::Float64), array(DType::Float64, {Dim{2}}), arena);
  EXPECT_EQ(to_text(either), "numeric[n2]");
}

TEST_F(Lattice, Activity) {
  EXPECT_TRUE(Type::number(DType::Integer).may_be_active());  // an int argument is a number
  EXPECT_FALSE(Type::number(DType::Bool).may_be_active());
  EXPECT_FALSE(Type::of(TypeKind::Opaque).may_be_active());
  EXPECT_TRUE(Type::unknown().may_be_active());
  EXPECT_TRUE(with(TypeKind::Tuple, {Type::of(TypeKind::None), Type::number(DType::Float64)})
                  .may_be_active());
  EXPECT_FALSE(with(TypeKind::Tuple, {Type::of(TypeKind::String)}).may_be_active());
}

}  // namespace
}  // namespace tangent
