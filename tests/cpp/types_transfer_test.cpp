// Type transfer: promotion, broadcasting, products, subscripts and attributes, against tables.
#include <gtest/gtest.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "types/call_view.h"
#include "types/transfer.h"

namespace tangent {
namespace {

class Transfer : public ::testing::Test {
 protected:
  Context context{std::make_shared<Symbols>()};
  std::unordered_map<const Expr*, Type> types;
  TypeLookup lookup = [this](const Expr* expression) {
    const auto found = types.find(expression);
    if (found != types.end()) return found->second;
    if (const auto* constant = as<Constant>(expression)) {
      return type_of_literal(constant->value, context.arena());
    }
    return Type::unknown();
  };

  Arena& arena() { return context.arena(); }
  Type array(const std::vector<Dim>& dims, DType dtype = DType::Float64) {
    return Type::array(dtype, arena().copy(dims));
  }
  std::string binary(BinaryOperator op, const Type& left, const Type& right) {
    return to_text(type_of_binary(op, left, right, arena()));
  }
  const Expr* typed(const Type& type) {
    const Expr* expression = context.local(context.symbol("v"));
    types[expression] = type;
    return expression;
  }
  const Expr* integer(std::int64_t value) {
    if (value >= 0) return context.integer(value);
    return context.make<UnaryOperation>({}, UnaryOperator::Minus,
                                        static_cast<const Expr*>(context.integer(-value)));
  }
  const Expr* slice(const Expr* lower, const Expr* upper, const Expr* step = nullptr) {
    return context.make<Slice>({}, lower, upper, step);
  }
  const Expr* all() { return slice(nullptr, nullptr); }
  const Expr* ellipsis() {
    return context.make<Constant>({}, Literal{.kind = LiteralKind::Ellipsis});
  }
  const Expr* tuple(const std::vector<const Expr*>& elements) {
    return context.make<TupleDisplay>({}, Exprs(context.list(elements)));
  }
  std::string subscript(const Type& value, const Expr* index) {
    return to_text(type_of_subscript(value, index, lookup, arena()));
  }
  std::string subscript(const Type& value, const std::vector<const Expr*>& index) {
    return subscript(value, tuple(index));
  }

  const Dim n{2}, m{3}, k{4};
  const Type f = Type::number(DType::Float64);
  const Type i = Type::number(DType::Integer);
  const Type literal = Type::python_number(DType::Float64);
};

TEST_F(Transfer, BroadcastsDims) {
  const auto add = [&](const std::vector<Dim>& a, const std::vector<Dim>& b) {
    return binary(BinaryOperator::Add, array(a), array(b));
  };
  const Dim one = Dim::one();
  const Dim unknown = Dim::unknown();
  EXPECT_EQ(add({n}, {n}), "f64[n2]");
  EXPECT_EQ(add({n}, {one}), "f64[n2]");
  EXPECT_EQ(add({one}, {n}), "f64[n2]");
  EXPECT_EQ(add({one}, {one}), "f64[1]");
  EXPECT_EQ(add({n}, {m}), "f64[n2]");  // both are not 1, so they are equal or NumPy raises
  EXPECT_EQ(add({unknown}, {n}), "f64[n2]");
  EXPECT_EQ(add({n}, {unknown}), "f64[n2]");
  EXPECT_EQ(add({unknown}, {unknown}), "f64[_]");
  EXPECT_EQ(add({unknown}, {one}), "f64[_]");
  EXPECT_EQ(add({n, m}, {m}), "f64[n2, n3]");
  EXPECT_EQ(add({m}, {n, m}), "f64[n2, n3]");
  EXPECT_EQ(add({n, one}, {one, m}), "f64[n2, n3]");
  EXPECT_EQ(add({n}, {m, one}), "f64[n3, n2]");
  EXPECT_EQ(add({n.less(1)}, {n.less(1)}), "f64[n2 - 1]");
  EXPECT_EQ(add({n.less(1)}, {m}), "f64[n3]");
  EXPECT_EQ(add({n.less(1)}, {m.less(1)}), "f64[_]");  // either may be 1
  EXPECT_EQ(add({n.less(1)}, {one}), "f64[n2 - 1]");
  EXPECT_EQ(add({n.less(1)}, {unknown}), "f64[_]");
}

TEST_F(Transfer, KindsOfOperands) {
  const Type numeric = Type::numeric(DType::Float64);
  const Type open = Type::array(DType::Float64);
  EXPECT_EQ(binary(BinaryOperator::Add, f, f), "float");
  EXPECT_EQ(binary(BinaryOperator::Add, f, array({n})), "f64[n2]");
  EXPECT_EQ(binary(BinaryOperator::Add, array({}), f), "float");  // 0-d arrays give scalars
  EXPECT_EQ(binary(BinaryOperator::Add, array({}), array({n})), "f64[n2]");
  EXPECT_EQ(binary(BinaryOperator::Add, numeric, f), "numeric");
  EXPECT_EQ(binary(BinaryOperator::Add, numeric, array({})), "numeric");
  EXPECT_EQ(binary(BinaryOperator::Add, numeric, array({n})), "f64[...]");
  EXPECT_EQ(binary(BinaryOperator::Add, open, array({n})), "f64[...]");
  const Type either = join(f, array({n}), arena());
  EXPECT_EQ(binary(BinaryOperator::Add, either, array({n})), "f64[n2]");
  EXPECT_EQ(binary(BinaryOperator::Add, array({m}), either), "f64[n3]");
  EXPECT_EQ(binary(BinaryOperator::Add, array({Dim::one()}), either), "f64[_]");
  EXPECT_EQ(binary(BinaryOperator::Add, either, f), "numeric[n2]");
  EXPECT_EQ(binary(BinaryOperator::Add, either, either), "numeric[n2]");
  EXPECT_EQ(binary(BinaryOperator::Add, either, join(f, array({m}), arena())), "numeric[_]");
  EXPECT_EQ(binary(BinaryOperator::Add, either, array({k, m})), "f64[n4, n3]");
  EXPECT_EQ(binary(BinaryOperator::Add, either, array({k, Dim::one()})), "f64[n4, _]");
  EXPECT_EQ(binary(BinaryOperator::Add, join(f, array({k, m}), arena()), array({n})), "f64[...]");
  EXPECT_EQ(binary(BinaryOperator::MatrixMultiply, either, array({n})), "float");
  EXPECT_EQ(binary(BinaryOperator::Add, Type::unknown(), array({n})), "Any");
  EXPECT_EQ(binary(BinaryOperator::Add, {}, array({n})), "never");
}

TEST_F(Transfer, Promotes) {
  const auto mul = [&](const Type& a, const Type& b) {
    return binary(BinaryOperator::Multiply, a, b);
  };
  const auto of = [&](DType dtype) { return array({n}, dtype); };
  EXPECT_EQ(mul(of(DType::Float32), literal), "f32[n2]");  // a Python float is weak
  EXPECT_EQ(mul(of(DType::Float32), f), "f64[n2]");        // it may be an np.float64
  EXPECT_EQ(mul(of(DType::Float32), Type::python_number(DType::Integer)), "f32[n2]");
  EXPECT_EQ(mul(of(DType::Float32), of(DType::Integer)), "f64[n2]");
  EXPECT_EQ(mul(of(DType::Integer), literal), "f64[n2]");
  EXPECT_EQ(mul(of(DType::Integer), i), "i64[n2]");
  EXPECT_EQ(mul(of(DType::Bool), of(DType::Bool)), "bool[n2]");
  EXPECT_EQ(mul(of(DType::Bool), of(DType::Float32)), "f32[n2]");
  EXPECT_EQ(mul(of(DType::Float64), of(DType::Complex64)), "c128[n2]");
  EXPECT_EQ(mul(of(DType::Float32), Type::python_number(DType::Complex128)), "c64[n2]");
  EXPECT_EQ(binary(BinaryOperator::Divide, i, i), "float");
  EXPECT_EQ(binary(BinaryOperator::Divide, of(DType::Integer), i), "f64[n2]");
  EXPECT_EQ(binary(BinaryOperator::FloorDivide, of(DType::Integer), i), "i64[n2]");
  EXPECT_EQ(binary(BinaryOperator::Power, of(DType::Integer), i), "i64[n2]");
  EXPECT_EQ(mul(Type::python_number(DType::Bool), Type::python_number(DType::Bool)), "int");
}

TEST_F(Transfer, WhatMayBeAnIntIsNotFloating) {
  const Type mixed = join(i, f, arena());
  const Type product =
      type_of_binary(BinaryOperator::Multiply, array({n}, DType::Integer), mixed, arena());
  EXPECT_EQ(to_text(product), "real[n2]");
  EXPECT_EQ(binary(BinaryOperator::Multiply, array({n}), mixed), "f64[n2]");
  EXPECT_EQ(binary(BinaryOperator::Divide, array({n}, DType::Integer), mixed), "f64[n2]");
  EXPECT_EQ(binary(BinaryOperator::Add, product, array({n})), "f64[n2]");
  // A Python int to a negative int is a float.
  const Type power = type_of_binary(BinaryOperator::Power, i, i, arena());
  EXPECT_TRUE(power.mixed);
  EXPECT_EQ(power.dtype, DType::Float64);
  const Type squared = type_of_binary(
      BinaryOperator::Power, i,
      type_of_literal({.kind = LiteralKind::Integer, .integer = 2}, arena()), arena());
  EXPECT_EQ(to_text(squared), "int");
}

TEST_F(Transfer, Products) {
  const auto at = [&](const std::vector<Dim>& a, const std::vector<Dim>& b) {
    return binary(BinaryOperator::MatrixMultiply, array(a), array(b));
  };
  EXPECT_EQ(at({n}, {n}), "float");
  EXPECT_EQ(at({n, m}, {m}), "f64[n2]");
  EXPECT_EQ(at({m}, {m, k}), "f64[n4]");
  EXPECT_EQ(at({n, m}, {m, k}), "f64[n2, n4]");
  EXPECT_EQ(at({k, n, m}, {m, n}), "f64[n4, n2, n2]");
  EXPECT_EQ(at({n, m}, {k, m, n}), "f64[n4, n2, n2]");
  EXPECT_EQ(at({Dim::one(), n, m}, {k, m, n}), "f64[n4, n2, n2]");
  EXPECT_EQ(at({n}, {k, n, m}), "f64[n4, n3]");
  EXPECT_EQ(binary(BinaryOperator::MatrixMultiply, Type::array(DType::Float64), array({n})),
            "numeric");
  EXPECT_EQ(binary(BinaryOperator::MatrixMultiply, Type::array(DType::Float64), array({n, m})),
            "f64[...]");
  EXPECT_EQ(binary(BinaryOperator::MatrixMultiply, f, array({n})), "Any");
}

TEST_F(Transfer, OtherOperands) {
  const Type text = Type::of(TypeKind::String);
  EXPECT_EQ(binary(BinaryOperator::Add, text, text), "str");
  EXPECT_EQ(binary(BinaryOperator::Modulo, text, f), "str");
  Type pair = Type::of(TypeKind::Tuple);
  pair.elements = arena().copy(std::vector<Type>{f, i});
  EXPECT_EQ(binary(BinaryOperator::Add, pair, pair), "tuple[float, int, float, int]");
  Type list = pair;
  list.kind = TypeKind::List;
  EXPECT_EQ(binary(BinaryOperator::Add, array({Dim::one()}), list), "f64[2]");
  EXPECT_EQ(binary(BinaryOperator::Multiply, list, Type::python_number(DType::Integer)),
            "list[float, ...]");
  EXPECT_EQ(binary(BinaryOperator::Add, list, Type::of(TypeKind::None)), "Any");
}

TEST_F(Transfer, Comparisons) {
  const auto less = [&](const Type& a, const Type& b) {
    return to_text(type_of_comparison(ComparisonOperator::Less, a, b, arena()));
  };
  EXPECT_EQ(less(f, f), "bool");
  EXPECT_EQ(less(array({n}), f), "bool[n2]");
  EXPECT_EQ(less(Type::numeric(DType::Float64), f), "numeric");
  EXPECT_EQ(less(Type::unknown(), f), "Any");
  EXPECT_EQ(to_text(type_of_comparison(ComparisonOperator::Is, Type::unknown(), f, arena())),
            "bool");
}

TEST_F(Transfer, BasicSubscripts) {
  const Type x = array({n, m});
  EXPECT_EQ(subscript(x, integer(0)), "f64[n3]");
  EXPECT_EQ(subscript(x, integer(-1)), "f64[n3]");
  EXPECT_EQ(subscript(x, typed(i)), "f64[n3]");
  EXPECT_EQ(subscript(x, {integer(0), integer(1)}), "float");
  EXPECT_EQ(subscript(x, {all(), integer(1)}), "f64[n2]");
  EXPECT_EQ(subscript(x, {all(), context.none()}), "f64[n2, 1, n3]");
  EXPECT_EQ(subscript(x, {ellipsis(), context.none()}), "f64[n2, n3, 1]");
  EXPECT_EQ(subscript(x, {ellipsis(), integer(0)}), "f64[n2]");
  EXPECT_EQ(subscript(x, ellipsis()), "f64[n2, n3]");
  EXPECT_EQ(subscript(x, all()), "f64[n2, n3]");
  EXPECT_EQ(subscript(array({n}), context.none()), "f64[1, n2]");
  EXPECT_EQ(subscript(array({n}), {integer(0), ellipsis()}), "f64[()]");  // a 0-d array
  EXPECT_EQ(subscript(x, {integer(0), integer(0), integer(0)}), "Any");   // NumPy raises
}

TEST_F(Transfer, Slices) {
  const Type x = array({n});
  EXPECT_EQ(subscript(x, slice(integer(1), nullptr)), "f64[n2 - 1]");
  EXPECT_EQ(subscript(x, slice(nullptr, integer(-1))), "f64[n2 - 1]");
  EXPECT_EQ(subscript(x, slice(integer(1), integer(-1))), "f64[n2 - 2]");
  EXPECT_EQ(subscript(x, slice(integer(0), nullptr)), "f64[n2]");
  EXPECT_EQ(subscript(x, slice(nullptr, integer(3))), "f64[min(n2, 3)]");
  EXPECT_EQ(subscript(x, slice(integer(-3), nullptr)), "f64[min(n2, 3)]");
  EXPECT_EQ(subscript(x, slice(nullptr, integer(0))), "f64[0]");
  EXPECT_EQ(subscript(x, slice(nullptr, integer(1))), "f64[_]");
  EXPECT_EQ(subscript(x, slice(integer(1), integer(3))), "f64[_]");
  EXPECT_EQ(subscript(x, slice(nullptr, typed(i))), "f64[_]");
  EXPECT_EQ(subscript(x, slice(nullptr, nullptr, integer(-1))), "f64[n2]");
  EXPECT_EQ(subscript(x, slice(nullptr, nullptr, integer(2))), "f64[_]");
  EXPECT_EQ(subscript(x, slice(integer(-1), integer(-3))), "f64[_]");
  const Type fixed = array({Dim::length(5)});
  EXPECT_EQ(subscript(fixed, slice(integer(1), integer(3))), "f64[2]");
  EXPECT_EQ(subscript(fixed, slice(integer(1), integer(9))), "f64[4]");
  EXPECT_EQ(subscript(fixed, slice(integer(3), integer(1))), "f64[0]");
  EXPECT_EQ(subscript(fixed, slice(integer(4), nullptr)), "f64[1]");
  // x[1:n - 1] with n = len(x), but not x[:n - 3], which counts from the end if n is 2.
  const auto end = [&](std::int64_t count) {
    Type type = Type::python_number(DType::Integer);
    type.dims = arena().copy(std::vector<Dim>{n.less(count)});
    return typed(type);
  };
  EXPECT_EQ(subscript(x, slice(integer(1), end(1))), "f64[n2 - 2]");
  EXPECT_EQ(subscript(x, slice(nullptr, end(0))), "f64[n2]");
  EXPECT_EQ(subscript(x, slice(nullptr, end(3))), "f64[_]");
}

TEST_F(Transfer, AdvancedSubscripts) {
  const Type x = array({n, m, k});
  const Expr* indices = typed(array({Dim::length(5)}, DType::Integer));
  const Expr* table = typed(array({Dim::length(6), Dim::length(7)}, DType::Integer));
  const Expr* mask = typed(array({n, m}, DType::Bool));
  EXPECT_EQ(subscript(x, indices), "f64[5, n3, n4]");
  EXPECT_EQ(subscript(x, table), "f64[6, 7, n3, n4]");
  EXPECT_EQ(subscript(x, {all(), indices}), "f64[n2, 5, n4]");
  EXPECT_EQ(subscript(x, {indices, indices}), "f64[5, n4]");
  EXPECT_EQ(subscript(x, {indices, all(), indices}), "f64[5, n3]");
  EXPECT_EQ(subscript(x, {all(), integer(0), indices}), "f64[n2, 5]");
  EXPECT_EQ(subscript(x, {integer(0), all(), indices}), "f64[5, n3]");  // separated: to the front
  EXPECT_EQ(subscript(x, {all(), integer(0), ellipsis(), indices}), "f64[5, n2]");
  EXPECT_EQ(subscript(x, {all(), context.none(), indices}), "f64[n2, 1, 5, n4]");
  EXPECT_EQ(subscript(x, mask), "f64[_, n4]");
  EXPECT_EQ(subscript(x, {all(), typed(array({m, k}, DType::Bool))}), "f64[n2, _]");
  EXPECT_EQ(subscript(array({n}), typed(array({n}, DType::Bool))), "f64[_]");
  Type list = Type::of(TypeKind::List);
  list.elements = arena().copy(std::vector<Type>{i, i, i});
  EXPECT_EQ(subscript(x, typed(list)), "f64[3, n3, n4]");
  // What may be a mask or an index array, or a bool, settles nothing.
  const Type unclear = join(array({n}, DType::Bool), array({n}, DType::Integer), arena());
  EXPECT_EQ(subscript(x, typed(unclear)), "numeric");
  EXPECT_EQ(subscript(x, typed(Type::unknown())), "numeric");
  EXPECT_EQ(subscript(x, typed(Type::number(DType::Bool))), "numeric");
}

TEST_F(Transfer, SubscriptsOfUnknownRank) {
  const Type open = Type::array(DType::Float64);
  EXPECT_EQ(subscript(open, integer(0)), "numeric");
  EXPECT_EQ(subscript(open, slice(integer(1), nullptr)), "f64[...]");
  EXPECT_EQ(subscript(open, {integer(0), all()}), "f64[...]");
  EXPECT_EQ(subscript(open, context.none()), "f64[...]");
  EXPECT_EQ(subscript(Type::numeric(DType::Float64), integer(0)), "numeric");
  EXPECT_EQ(subscript(Type::numeric(DType::Float64), ellipsis()), "numeric");
}

TEST_F(Transfer, SubscriptsOfSequences) {
  Type pair = Type::of(TypeKind::Tuple);
  pair.elements = arena().copy(std::vector<Type>{f, array({n})});
  EXPECT_EQ(subscript(pair, integer(1)), "f64[n2]");
  EXPECT_EQ(subscript(pair, integer(-2)), "float");
  EXPECT_EQ(subscript(pair, integer(2)), "Any");
  EXPECT_EQ(subscript(pair, typed(i)), "numeric[n2]");
  EXPECT_EQ(subscript(pair, slice(integer(1), nullptr)), "tuple[f64[n2]]");
  EXPECT_EQ(subscript(pair, slice(nullptr, integer(-1))), "tuple[float]");
  EXPECT_EQ(subscript(Type::of(TypeKind::Dict), integer(0)), "Any");
}

TEST_F(Transfer, Attributes) {
  const auto attribute = [&](const Type& value, std::string_view name) {
    const auto found = type_of_attribute(value, context.symbol(name), arena());
    return found ? to_text(*found) : "none";
  };
  EXPECT_EQ(attribute(array({n, m}), "T"), "f64[n3, n2]");
  EXPECT_EQ(attribute(array({n}), "T"), "f64[n2]");
  EXPECT_EQ(attribute(array({n, m}), "shape"), "tuple[int, int]");
  EXPECT_EQ(attribute(Type::array(DType::Float64), "shape"), "list[int, ...]");
  EXPECT_EQ(attribute(f, "shape"), "tuple[()]");
  EXPECT_EQ(attribute(array({n}), "size"), "int");
  EXPECT_EQ(attribute(array({n}), "dtype"), "dtype");
  EXPECT_EQ(attribute(array({n}, DType::Complex64), "real"), "f32[n2]");
  EXPECT_EQ(attribute(array({n}), "nonsense"), "none");
  EXPECT_EQ(attribute(Type::unknown(), "T"), "none");
  const auto shape = type_of_attribute(array({n, m}), context.symbol("shape"), arena());
  EXPECT_EQ(shape->elements[1].dims[0], m);
}

TEST_F(Transfer, Methods) {
  RuleBook rules(std::make_shared<Symbols>(), {});
  EXPECT_EQ(function_of_method(array({n}), "sum", Library::NumPy, rules), "numpy.sum");
  EXPECT_EQ(function_of_method(f, "mean", Library::NumPy, rules), "numpy.mean");
  EXPECT_EQ(function_of_method(Type::numeric(DType::Float64), "var", Library::NumPy, rules),
            "numpy.var");
  EXPECT_EQ(function_of_method(array({n}), "flatten", Library::NumPy, rules), "numpy.ravel");
  EXPECT_EQ(function_of_method(array({n}), "append", Library::NumPy, rules), std::nullopt);
  EXPECT_EQ(function_of_method(Type::of(TypeKind::List), "sum", Library::NumPy, rules),
            std::nullopt);
}

}  // namespace
}  // namespace tangent
