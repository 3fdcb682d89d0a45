"""tinygrad: the methods of its tensors that are functions of NumPy, SciPy or torch."""

same("tinygrad.Tensor", "numpy", """
    abs acos acosh add asin asinh atan atanh ceil cos cosh exp exp2 floor log log10 log2 maximum
    minimum pow reciprocal round sign sin sinh sqrt square tan tanh trunc isnan isinf isfinite
    logical_not where matmul reshape flip clip logaddexp copysign zeros_like ones_like full_like
    ndim
    """, div="divide", mul="multiply", neg="negative", sub="subtract", dot="matmul", clamp="clip",
     view="reshape", clone="copy", contiguous="copy", realize="copy", eq="equal", ne="not_equal")

same("tinygrad.Tensor", "scipy.special", "erf logsumexp", sigmoid="expit", logsigmoid="log_expit")
same("tinygrad.Tensor", "builtins", "", item="float")


@constant("tinygrad.Tensor.argmax",
          aliases=("tinygrad.Tensor.argmin", "tinygrad.Tensor.numel", "tinygrad.Tensor.size",
                   "tinygrad.Tensor.all", "tinygrad.Tensor.any", "tinygrad.Tensor.argsort"))
def argmax(y, *args, **kwargs): ...


@constant("tinygrad.tensor.Tensor",
          aliases=("tinygrad.tensor.Tensor.zeros", "tinygrad.tensor.Tensor.ones",
                   "tinygrad.tensor.Tensor.full", "tinygrad.tensor.Tensor.arange",
                   "tinygrad.tensor.Tensor.eye", "tinygrad.tensor.Tensor.linspace"))
def Tensor(y, *args, **kwargs): ...


@constant("tinygrad.tensor.Tensor.rand",
          aliases=("tinygrad.tensor.Tensor.randn", "tinygrad.tensor.Tensor.randint",
                   "tinygrad.tensor.Tensor.uniform", "tinygrad.tensor.Tensor.normal"),
          random=True)
def rand(y, *args, **kwargs): ...
