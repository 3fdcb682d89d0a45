// Rules of complex values, and adjoints of real ones among them; see complex_values.h.
#include "autodiff/complex_values.h"

#include <algorithm>
#include <array>

#include "autodiff/reverse.h"
#include "syntax/visit.h"

namespace tangent {

namespace {

// Records that hold for complex operands as they stand: the function has a complex derivative in
// each differentiable parameter, or moves and adds elements.
constexpr auto kHolomorphic = std::to_array<std::string_view>({
    "builtins.complex",
    "builtins.sum",
    "numpy.add",
    "numpy.append",
    "numpy.array",
    "numpy.asarray",
    "numpy.atleast_1d",
    "numpy.broadcast_to",
    "numpy.concatenate",
    "numpy.copy",
    "numpy.cos",
    "numpy.cosh",
    "numpy.cumsum",
    "numpy.diag",
    "numpy.diff",
    "numpy.divide",
    "numpy.dot",
    "numpy.einsum",
    "numpy.exp",
    "numpy.expand_dims",
    "numpy.fft.fft",
    "numpy.fft.fft2",
    "numpy.fft.fftn",
    "numpy.fft.fftshift",
    "numpy.fft.ifft",
    "numpy.fft.ifft2",
    "numpy.fft.ifftn",
    "numpy.fft.ifftshift",
    "numpy.fft.irfft",
    "numpy.fft.rfft",
    "numpy.flip",
    "numpy.fliplr",
    "numpy.flipud",
    "numpy.full",
    "numpy.full_like",
    "numpy.hstack",
    "numpy.inner",
    "numpy.kron",
    "numpy.linalg.inv",
    "numpy.linalg.matrix_power",
    "numpy.linalg.solve",
    "numpy.log",
    "numpy.matmul",
    "numpy.mean",
    "numpy.moveaxis",
    "numpy.multiply",
    "numpy.negative",
    "numpy.outer",
    "numpy.positive",
    "numpy.ravel",
    "numpy.reciprocal",
    "numpy.repeat",
    "numpy.reshape",
    "numpy.roll",
    "numpy.sin",
    "numpy.sinh",
    "numpy.square",
    "numpy.squeeze",
    "numpy.stack",
    "numpy.subtract",
    "numpy.sum",
    "numpy.swapaxes",
    "numpy.take",
    "numpy.tan",
    "numpy.tanh",
    "numpy.tensordot",
    "numpy.tile",
    "numpy.trace",
    "numpy.transpose",
    "numpy.tril",
    "numpy.triu",
    "numpy.vstack",
    "numpy.where",
    "operator.add",
    "operator.matmul",
    "operator.mul",
    "operator.neg",
    "operator.pow",
    "operator.sub",
    "operator.truediv",
    "scipy.special.lambertw",
    "scipy.special.wofz",
    "tangent.runtime._dot_left_adjoint",
    "tangent.runtime._dot_right_adjoint",
    "tangent.runtime._fit_length",
    "tangent.runtime._full",
    "tangent.runtime._mask",
    "tangent.runtime._matmul_left_adjoint",
    "tangent.runtime._matmul_right_adjoint",
    "tangent.runtime._spread",
    "tangent.runtime._unbroadcast",
    "tangent.runtime._unirfft",
});
static_assert(std::ranges::is_sorted(kHolomorphic));

struct Counterpart {
  std::string_view name;
  std::string_view of_complex;
};
// What has no complex derivative has a record of its own for complex operands.
constexpr auto kCounterparts = std::to_array<Counterpart>({
    {"numpy.absolute", "tangent.runtime._complex_absolute"},
    {"builtins.abs", "tangent.runtime._complex_absolute"},
    {"numpy.angle", "tangent.runtime._complex_angle"},
    {"numpy.conjugate", "tangent.runtime._complex_conjugate"},
    {"numpy.imag", "tangent.runtime._complex_imag"},
    {"numpy.real", "tangent.runtime._complex_real"},
    {"numpy.sqrt", "tangent.runtime._complex_sqrt"},
    {"numpy.vdot", "tangent.runtime._complex_vdot"},
});

bool reads_complex(const Expr* node, Typing& typing) {
  const auto complex = [&](const Expr* part) { return is_complex(typing.of(part).dtype); };
  if (complex(node)) return true;
  const auto display = [&](const Expr* part) {
    const Type type = typing.of(part);
    return std::ranges::any_of(type.elements,
                               [](const Type& each) { return is_complex(each.dtype); });
  };
  if (const auto* operation = as<BinaryOperation>(node))
    return complex(operation->left) || complex(operation->right);
  const auto* call = as<Call>(node);
  if (call == nullptr) return false;
  if (const auto* method = as<Attribute>(call->function); method && complex(method->value))
    return true;
  for (const Expr* argument : call->arguments)
    if (complex(argument) || display(argument)) return true;
  return std::ranges::any_of(call->keywords, [&](const Keyword* keyword) {
    return complex(keyword->value) || display(keyword->value);
  });
}

}  // namespace

const Rule& rule_of_values(const Rule& rule, const Expr* node, RuleBook& rules, Typing& typing) {
  // Rules live in the book, never in an expression.
  if (rule.constant || !reads_complex(node, typing))
    return rule;  // NOLINT(bugprone-return-const-ref-from-parameter): see above
  const std::string_view name = rule.name.text();
  const auto found = std::ranges::find(kCounterparts, name, &Counterpart::name);
  if (found != kCounterparts.end()) {
    const Rule* other = rules.find(found->of_complex);
    if (other == nullptr) throw InternalError("no record of " + std::string(found->of_complex));
    return *other;
  }
  // What is complex has to be known as such by what reads it.
  const bool followed = typing.of(node).kind != TypeKind::Unknown;
  if (!rule.given && followed && std::ranges::binary_search(kHolomorphic, name))
    return rule;  // NOLINT(bugprone-return-const-ref-from-parameter): see above
  throw Diagnostic(DiagnosticKind::UnsupportedType,
                   "`" + std::string(name) +
                       "` of complex values that depend on the differentiated "
                       "arguments",
                   node->ranges,
                   "compute with the real and imaginary parts as numbers of their own");
}

void refuse_complex_result(const Expr* value) {
  throw Diagnostic(DiagnosticKind::UnsupportedType, "a complex result", value->ranges,
                   "return what is real of it: `z.real`, `abs(z)`, or `z.real, z.imag`");
}

Linear Reverse::real_where_real(Linear adjoint, const Expr* node) {
  const Type type = typing_.of(node);
  if (!typing_.has_complex() || is_complex(type.dtype) || adjoint.is_zero() ||
      (!type.is_number() && !type.is_array() && type.kind != TypeKind::Numeric))
    return adjoint;
  const Expr* value = algebra_.build(adjoint);
  const Type made = typing_.of(value);
  if (!is_complex(made.dtype) && made.is_numeric() && made.dtype != DType::Other) return adjoint;
  const Expr* real = algebra_.numpy_call("real", {value});
  Type settled = made;
  if (made.is_numeric()) {
    settled.dtype = made.dtype == DType::Complex64 ? DType::Float32 : DType::Float64;
    typing_.set(real, settled);
  }
  Linear result = algebra_.of(real);
  result.lazy = adjoint.lazy;
  return result;
}

const Expr* Reverse::imaginary_unit() {
  const Expr* unit =
      context_.make<Constant>({}, Literal{.kind = LiteralKind::Imaginary, .number = 1.0});
  typing_.set(unit, Type::number(DType::Complex128));
  return unit;
}

}  // namespace tangent
