"""torch: what is the same as in NumPy and SciPy, and what takes other arguments there.

What gives back its argument itself where NumPy makes a copy (`positive`, `conj`, `contiguous`) is
not the same: a store would be seen through both.
"""

same("torch", "numpy", """
    absolute abs square sqrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin
    asin arccos acos arctan atan sinh cosh tanh arcsinh asinh arccosh acosh arctanh atanh
    deg2rad rad2deg sinc real nan_to_num maximum minimum fmax fmin float_power arctan2
    atan2 hypot logaddexp logaddexp2 fmod copysign where sign floor ceil trunc fix heaviside
    isnan isfinite isinf signbit isposinf isneginf isclose logical_not logical_and logical_or
    logical_xor reshape swapaxes moveaxis broadcast_to flip zeros_like ones_like empty_like
    full_like round roll
    tile tril triu kron outer inner tensordot einsum add subtract multiply divide true_divide
    pow remainder floor_divide negative matmul equal not_equal less less_equal greater
    greater_equal cross trace vdot diag diagonal flipud fliplr allclose count_nonzero
    """, clip="clip", clamp="clip", neg="negative", sub="subtract", mul="multiply", div="divide",
     mm="matmul", mv="matmul", bmm="matmul", dot="matmul", clone="copy", eq="equal", ne="not_equal",
     lt="less", le="less_equal", gt="greater", ge="greater_equal", ger="outer", swapdims="swapaxes",
     movedim="moveaxis")

same("torch.linalg", "numpy.linalg", "solve inv det cholesky slogdet matrix_power eigvalsh")
same("torch", "numpy.linalg", "det slogdet matrix_power cholesky", inverse="inv")

same("torch", "scipy.special", "erf erfc erfinv logit digamma xlogy", sigmoid="expit",
     lgamma="gammaln")
same("torch.special", "scipy.special", "erf erfc erfinv logit digamma xlogy xlog1py entr expit "
     "gammaln ndtr log_ndtr")
same("torch.nn.functional", "scipy.special", "", sigmoid="expit", logsigmoid="log_expit")
same("torch.nn.functional", "numpy", "tanh")

same("torch.Tensor", "numpy", "ndim", view="reshape")
same("torch.Tensor", "builtins", "", item="float")


# Reductions


@adjoint("torch.sum", aliases=("tinygrad.Tensor.sum",), shape="sum", linear=("input",),
         sample=("(matrix23,)", "(matrix23, dim=0)", "(matrix23, 1)", "(matrix23, -1, True)",
                 "(stack423, dim=(0, 2))", "(vector3,)"))
def sum(y, input, dim=None, keepdim=False):
    d[input] = spread(d[y], input, dim, keepdim)


@adjoint("torch.mean", aliases=("tinygrad.Tensor.mean",), shape="reduction", linear=("input",),
         sample=("(matrix23,)", "(matrix23, dim=0)", "(matrix23, 1)", "(matrix23, -1, True)",
                 "(stack423, dim=(0, 2))", "(vector3,)"))
def mean(y, input, dim=None, keepdim=False):
    if dim is None:
        d[input] = spread(d[y], input, dim, keepdim) / max(np.size(input), 1)
    elif integer(dim) and rank(dim) == 0 and rank(input) > 0:
        d[input] = spread(d[y], input, dim, keepdim) / max(input.shape[dim], 1)
    else:
        d[input] = spread(d[y], input, dim, keepdim) / max(_count(input, dim), 1)


@adjoint("torch.var", aliases=("tinygrad.Tensor.var",), shape="reduction",
         sample=("(matrix23,)", "(matrix23, dim=0)", "(matrix23, 1, correction=0)",
                 "(matrix23, dim=-1, keepdim=True)"))
def var(y, input, dim=None, *, correction=1, keepdim=False):
    by = spread(d[y], input, dim, keepdim)
    if dim is None:
        d[input] = by * (2 / (np.size(input) - correction)) * (input - np.mean(input))
    else:
        count = _count(input, dim) - correction
        d[input] = by * (2 / count) * (input - np.mean(input, axis=dim, keepdims=True))


@tangent("torch.var")
def var(y, input, dim=None, *, correction=1, keepdim=False):
    if dim is None:
        total = np.sum(d[input] * (input - np.mean(input)))
        d[y] = total * (2 / (np.size(input) - correction))
    else:
        centred = input - np.mean(input, axis=dim, keepdims=True)
        total = np.sum(d[input] * centred, axis=dim, keepdims=keepdim)
        d[y] = total * (2 / (_count(input, dim) - correction))


@adjoint("torch.std", aliases=("tinygrad.Tensor.std",), shape="reduction",
         sample=("(matrix23,)", "(matrix23, dim=0)", "(matrix23, 1, correction=0)",
                 "(matrix23, dim=-1, keepdim=True)"))
def std(y, input, dim=None, *, correction=1, keepdim=False):
    by = spread(mask(y != 0, d[y] / y), input, dim, keepdim)
    if dim is None:
        d[input] = by / (np.size(input) - correction) * (input - np.mean(input))
    else:
        count = _count(input, dim) - correction
        d[input] = by / count * (input - np.mean(input, axis=dim, keepdims=True))


@tangent("torch.std")
def std(y, input, dim=None, *, correction=1, keepdim=False):
    if dim is None:
        total = np.sum(d[input] * (input - np.mean(input)))
        d[y] = mask(y != 0, total / (np.size(input) - correction) / y)
    else:
        centred = input - np.mean(input, axis=dim, keepdims=True)
        total = np.sum(d[input] * centred, axis=dim, keepdims=keepdim)
        d[y] = mask(y != 0, total / (_count(input, dim) - correction) / y)


@adjoint("torch.prod", aliases=("tinygrad.Tensor.prod",),
         shape="sum", sample=("(matrix23,)", "(matrix23, 0)", "(matrix23, 1, True)"))
def prod(y, input, dim=None, keepdim=False):
    d[input] = spread(d[y], input, dim, keepdim) * _product_of_others(input, dim)


@tangent("torch.prod")
def prod(y, input, dim=None, keepdim=False):
    d[y] = np.sum(d[input] * _product_of_others(input, dim), axis=dim, keepdims=keepdim)


@adjoint("torch.amax",
         aliases=("torch.amin", "tinygrad.Tensor.max", "tinygrad.Tensor.min"), shape="sum",
         sample=("(matrix23,)", "(matrix23, dim=0)", "(matrix23, 1)", "(matrix23, -1, True)"),
         note="`torch.amax`, `torch.amin`, `torch.max`, `torch.min`: equal elements share evenly.")
def amax(y, input, dim=None, keepdim=False):
    if dim is None or keepdim:
        hits = input == y
    elif rank(input) > 0 and integer(dim) and not keepdim:
        hits = input == np.expand_dims(y, dim)
    else:
        hits = input == _spread(y, input, dim, keepdim)
    by = spread(d[y], input, dim, keepdim)
    if dim is None:
        d[input] = mask(hits, by / max(int(np.count_nonzero(hits)), 1))
    else:
        d[input] = mask(hits, by / _ties(hits, input, dim))


@tangent("torch.amax")
def amax(y, input, dim=None, keepdim=False):
    if dim is None or keepdim:
        hits = input == y
    elif rank(input) > 0 and integer(dim) and not keepdim:
        hits = input == np.expand_dims(y, dim)
    else:
        hits = input == _spread(y, input, dim, keepdim)
    total = np.sum(mask(hits, d[input]), axis=dim, keepdims=keepdim)
    d[y] = total / np.count_nonzero(hits, axis=dim, keepdims=keepdim)


@adjoint("torch.logsumexp", shape="reduction",
         sample=("(vector3, 0)", "(matrix23, 0)", "(matrix23, dim=-1, keepdim=True)"))
def logsumexp(y, input, dim, keepdim=False):
    d[input] = spread(d[y], input, dim, keepdim) * np.exp(input - _spread(y, input, dim, keepdim))


@tangent("torch.logsumexp")
def logsumexp(y, input, dim, keepdim=False):
    shares = np.exp(input - _spread(y, input, dim, keepdim))
    d[y] = np.sum(d[input] * shares, axis=dim, keepdims=keepdim)


@adjoint("torch.cumsum", aliases=("tinygrad.Tensor.cumsum",), shape="cumulative", linear=("input",),
         sample=("(matrix23, 0)", "(matrix23, dim=1)", "(vector3, 0)"))
def cumsum(y, input, dim):
    d[input] = _cumsum_adjoint(full(d[y], y), input, dim)


@adjoint("torch.linalg.norm", aliases=("torch.linalg.vector_norm", "torch.norm"), shape="scalar",
         sample=("(matrix23,)", "(vector3,)"))
def norm(y, x):
    d[x] = mask(y != 0, d[y] * x / y)


@tangent("torch.linalg.norm")
def norm(y, x):
    d[y] = mask(y != 0, np.sum(d[x] * x) / y)


# Shapes


@adjoint("torch.unsqueeze", aliases=("tinygrad.Tensor.unsqueeze",), shape="expand_dims",
         linear=("input",),
         sample=("(matrix23, 0)", "(matrix23, dim=-1)"))
def unsqueeze(y, input, dim):
    d[input] = np.reshape(full(d[y], y), np.shape(input))


@adjoint("torch.squeeze", aliases=("tinygrad.Tensor.squeeze",), shape="squeeze", linear=("input",),
         sample=("(stack131,)", "(stack131, 0)"))
def squeeze(y, input, dim=None):
    d[input] = np.reshape(full(d[y], y), np.shape(input))


@adjoint("torch.transpose", aliases=("tinygrad.Tensor.transpose",), shape="swapaxes",
         linear=("input",),
         sample=("(stack423, 0, 2)", "(matrix23, -1, -2)"))
def transpose(y, input, dim0, dim1):
    d[input] = np.swapaxes(full(d[y], y), dim0, dim1)


@adjoint("torch.t", shape="transpose", linear=("input",), sample=("(matrix23,)", "(vector3,)"))
def t(y, input):
    d[input] = np.transpose(full(d[y], y))


@adjoint("torch.permute", aliases=("tinygrad.Tensor.permute",), shape="transpose",
         linear=("input",),
         sample=("(stack423, (1, 2, 0))", "(stack423, dims=(2, 1, 0))"))
def permute(y, input, dims):
    d[input] = np.transpose(full(d[y], y), np.argsort(dims))


@adjoint("torch.ravel", aliases=("torch.flatten", "tinygrad.Tensor.flatten"), shape="ravel",
         linear=("input",),
         sample=("(matrix23,)", "(vector3,)"))
def ravel(y, input):
    d[input] = np.reshape(full(d[y], y), np.shape(input))


@adjoint("torch.Tensor.expand", aliases=("tinygrad.Tensor.expand",), shape="broadcast_to",
         linear=("input",),
         sample=("(vector3, (2, 3))",))
def expand(y, input, sizes):
    d[input] = _unbroadcast(full(d[y], y), input)


@adjoint("torch.cat", aliases=("torch.concat", "torch.concatenate"), shape="concatenate",
         linear=("tensors",),
         sample=("((matrix23, matrix23b),)", "((matrix23, matrix23b, matrix23), 1)",
                 "([vector3, vector2],)", "((matrix23, matrix23b), -1)"))
def cat(y, tensors, dim=0):
    d[tensors] = pieces(full(d[y], y), tensors, dim)


@adjoint("torch.stack", shape="stack", linear=("tensors",),
         sample=("((matrix23, matrix23b),)", "((matrix23, matrix23b), 1)",
                 "([vector3, vector3b], -1)"))
def stack(y, tensors, dim=0):
    d[tensors] = layers(full(d[y], y), dim)


# Elementwise


@adjoint("torch.rsqrt", aliases=("tinygrad.Tensor.rsqrt",), shape="elementwise", domain=(0.1, 4),
         singular="input == 0")
def rsqrt(y, input):
    d[input] = -d[y] * 0.5 * y * y * y


@adjoint("torch.rsub", shape="arithmetic", domain=(-3, 3))
def rsub(y, input, other):
    d[input] = -d[y]
    d[other] = d[y]


@adjoint("torch.lerp", shape="elementwise", domain=(-3, 3))
def lerp(y, input, end, weight):
    d[input] = d[y] * (1 - weight)
    d[end] = d[y] * weight
    d[weight] = d[y] * (end - input)


@adjoint("torch.nn.functional.softplus", shape="elementwise", domain=(-3, 3))
def softplus(y, input):
    d[input] = d[y] * -np.expm1(-y)


# torch.nn.functional and the methods of the same name


@adjoint("torch.softmax", aliases=("torch.nn.functional.softmax",), shape="same_float",
         sample=("(vector3, 0)", "(matrix23, dim=0)", "(matrix23, -1)"))
def softmax(y, input, dim):
    by = full(d[y], y)
    d[input] = y * (by - np.sum(by * y, axis=dim, keepdims=True))


@tangent("torch.softmax")
def softmax(y, input, dim):
    d[y] = y * (d[input] - np.sum(d[input] * y, axis=dim, keepdims=True))


@adjoint("torch.log_softmax", aliases=("torch.nn.functional.log_softmax",), shape="same_float",
         sample=("(vector3, 0)", "(matrix23, dim=0)", "(matrix23, -1)"))
def log_softmax(y, input, dim):
    by = full(d[y], y)
    d[input] = by - np.exp(y) * np.sum(by, axis=dim, keepdims=True)


@tangent("torch.log_softmax")
def log_softmax(y, input, dim):
    d[y] = d[input] - np.sum(d[input] * np.exp(y), axis=dim, keepdims=True)


@adjoint("torch.nn.functional.linear",
         sample=("(matrix23, matrix43)", "(matrix23, matrix43, vector4)", "(vector3, matrix43)",
                 "(stack423, matrix53, vector5)"))
def linear(y, input, weight, bias=None):
    d[input] = full(d[y], y) @ weight
    if rank(input) == 1:
        d[weight] = np.outer(full(d[y], y), input)
    elif rank(input) == 2:
        d[weight] = full(d[y], y).T @ input
    else:
        rows = np.reshape(full(d[y], y), (-1, weight.shape[0]))
        d[weight] = rows.T @ np.reshape(input, (-1, weight.shape[1]))
    d[bias] = _unbroadcast(full(d[y], y), bias)


@tangent("torch.nn.functional.linear")
def linear(y, input, weight, bias=None):
    d[y] = d[input] @ weight.T
    d[y] = input @ d[weight].T
    d[y] = d[bias]


# Without a derivative


@constant("torch.argmax", aliases=("torch.argmin", "torch.all", "torch.any", "torch.numel",
                                   "torch.argsort", "torch.searchsorted", "torch.is_tensor"))
def argmax(y, *args, **kwargs): ...


@constant("torch.zeros",
          aliases=("torch.ones", "torch.empty", "torch.full", "torch.arange", "torch.linspace",
                   "torch.logspace", "torch.eye", "torch.tensor", "torch.as_tensor"))
def zeros(y, *args, **kwargs): ...


@constant("torch.rand",
          aliases=("torch.randn", "torch.randint", "torch.randperm", "torch.rand_like",
                   "torch.randn_like", "torch.manual_seed"),
          random=True)
def rand(y, *args, **kwargs): ...


@constant("torch.Tensor.size", aliases=("torch.Tensor.dim",))
def size(y, *args, **kwargs): ...
