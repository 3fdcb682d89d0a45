"""Activations and losses of jax.nn, torch and tinygrad: one record for all of them.

`np` is the library's own: the engine spells it for the arrays that the program computes with.
"""


@adjoint("jax.nn.relu",
         aliases=("torch.relu", "torch.nn.functional.relu", "tinygrad.Tensor.relu"),
         shape="arithmetic", domain=(-3, 3), note="`relu` at 0 has slope 0.",
         edges=("(0.0,) -> 0.0",))
def relu(y, x):
    d[x] = mask(x > 0, d[y])


@adjoint("jax.nn.relu6", aliases=("torch.nn.functional.relu6", "tinygrad.Tensor.relu6"),
         shape="arithmetic", domain=(-3, 9))
def relu6(y, x):
    d[x] = mask((x > 0) & (x < 6), d[y])


@adjoint("jax.nn.softplus", aliases=("tinygrad.Tensor.softplus",), shape="elementwise",
         domain=(-3, 3))
def softplus(y, x):
    d[x] = d[y] * -np.expm1(-y)


@adjoint("jax.nn.soft_sign",
         aliases=("torch.nn.functional.softsign", "tinygrad.Tensor.softsign"),
         shape="elementwise", domain=(-3, 3))
def soft_sign(y, x):
    d[x] = d[y] / np.square(1 + np.abs(x))


@adjoint("jax.nn.silu",
         aliases=("jax.nn.swish", "torch.nn.functional.silu", "tinygrad.Tensor.silu",
                  "tinygrad.Tensor.swish"),
         shape="elementwise", domain=(-3, 3))
def silu(y, x):
    share = scipy.special.expit(x)
    d[x] = d[y] * (share + y * (1 - share))


@tangent("jax.nn.silu")
def silu(y, x):
    share = scipy.special.expit(x)
    d[y] = d[x] * (share + y * (1 - share))


@adjoint("jax.nn.elu", aliases=("torch.nn.functional.elu", "tinygrad.Tensor.elu"),
         shape="elementwise", sample=("(matrix23,)", "(matrix23, 0.5)"))
def elu(y, x, alpha=1.0):
    d[x] = d[y] * np.where(x > 0, 1.0, y + alpha)


@adjoint("jax.nn.celu", aliases=("torch.nn.functional.celu", "tinygrad.Tensor.celu"),
         shape="elementwise", sample=("(matrix23,)", "(matrix23, 0.5)"))
def celu(y, x, alpha=1.0):
    d[x] = d[y] * np.where(x > 0, 1.0, y / alpha + 1)


@adjoint("jax.nn.selu", aliases=("torch.selu", "torch.nn.functional.selu"),
         shape="elementwise", domain=(-3, 3))
def selu(y, x):
    d[x] = d[y] * np.where(x > 0, 1.0507009873554805, y + 1.7580993408473766)


@adjoint("jax.nn.leaky_relu",
         aliases=("torch.nn.functional.leaky_relu", "tinygrad.Tensor.leaky_relu"),
         shape="elementwise", sample=("(matrix23,)", "(matrix23, 0.1)"))
def leaky_relu(y, x, negative_slope=0.01):
    d[x] = d[y] * np.where(x > 0, np.ones_like(x), negative_slope)


@adjoint("jax.nn.hard_tanh",
         aliases=("torch.nn.functional.hardtanh", "tinygrad.Tensor.hardtanh"),
         shape="arithmetic", domain=(-3, 3))
def hard_tanh(y, x):
    d[x] = mask((x > -1) & (x < 1), d[y])


# Hendrycks, Gimpel: Gaussian Error Linear Units, https://arxiv.org/abs/1606.08415


@adjoint("jax.nn.gelu", aliases=("tinygrad.Tensor.gelu",), shape="elementwise", domain=(-3, 3))
def gelu(y, x, approximate=True):
    if approximate:
        bend = np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))
        slope = 0.7978845608028654 * (1 + 0.134145 * x * x)
        d[x] = d[y] * (0.5 * (1 + bend) + 0.5 * x * (1 - bend * bend) * slope)
    elif not approximate:
        d[x] = d[y] * (0.5 * (1 + scipy.special.erf(0.7071067811865476 * x))
                       + 0.3989422804014327 * x * np.exp(-0.5 * x * x))
    else:
        d[x] = refuse(d[y], "`approximate` that is no literal")


@tangent("jax.nn.gelu")
def gelu(y, x, approximate=True):
    if approximate:
        bend = np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))
        slope = 0.7978845608028654 * (1 + 0.134145 * x * x)
        d[y] = d[x] * (0.5 * (1 + bend) + 0.5 * x * (1 - bend * bend) * slope)
    elif not approximate:
        d[y] = d[x] * (0.5 * (1 + scipy.special.erf(0.7071067811865476 * x))
                       + 0.3989422804014327 * x * np.exp(-0.5 * x * x))
    else:
        d[y] = refuse(d[x], "`approximate` that is no literal")


@adjoint("torch.nn.functional.gelu", shape="elementwise", domain=(-3, 3))
def torch_gelu(y, input, approximate="none"):
    if approximate == "none":
        d[input] = d[y] * (0.5 * (1 + scipy.special.erf(0.7071067811865476 * input))
                           + 0.3989422804014327 * input * np.exp(-0.5 * input * input))
    elif approximate == "tanh":
        bend = np.tanh(0.7978845608028654 * (input + 0.044715 * input * input * input))
        slope = 0.7978845608028654 * (1 + 0.134145 * input * input)
        d[input] = d[y] * (0.5 * (1 + bend) + 0.5 * input * (1 - bend * bend) * slope)
    else:
        d[input] = refuse(d[y], "`approximate` that is no literal")


@tangent("torch.nn.functional.gelu")
def torch_gelu(y, input, approximate="none"):
    if approximate == "none":
        d[y] = d[input] * (0.5 * (1 + scipy.special.erf(0.7071067811865476 * input))
                           + 0.3989422804014327 * input * np.exp(-0.5 * input * input))
    elif approximate == "tanh":
        bend = np.tanh(0.7978845608028654 * (input + 0.044715 * input * input * input))
        slope = 0.7978845608028654 * (1 + 0.134145 * input * input)
        d[y] = d[input] * (0.5 * (1 + bend) + 0.5 * input * (1 - bend * bend) * slope)
    else:
        d[y] = refuse(d[input], "`approximate` that is no literal")


@adjoint("jax.nn.softmax", aliases=("tinygrad.Tensor.softmax",), shape="same_float",
         sample=("(vector3,)", "(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=-1)"))
def softmax(y, x, axis=-1):
    by = full(d[y], y)
    d[x] = y * (by - np.sum(by * y, axis=axis, keepdims=True))


@tangent("jax.nn.softmax")
def softmax(y, x, axis=-1):
    d[y] = y * (d[x] - np.sum(d[x] * y, axis=axis, keepdims=True))


@adjoint("jax.nn.log_softmax", aliases=("tinygrad.Tensor.log_softmax",), shape="same_float",
         sample=("(vector3,)", "(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=-1)"))
def log_softmax(y, x, axis=-1):
    by = full(d[y], y)
    d[x] = by - np.exp(y) * np.sum(by, axis=axis, keepdims=True)


@tangent("jax.nn.log_softmax")
def log_softmax(y, x, axis=-1):
    d[y] = d[x] - np.sum(d[x] * np.exp(y), axis=axis, keepdims=True)


@constant("jax.nn.one_hot", aliases=("torch.nn.functional.one_hot", "tinygrad.Tensor.one_hot"))
def one_hot(y, *args, **kwargs): ...


@constant("jax.lax.stop_gradient", aliases=("torch.Tensor.detach", "tinygrad.Tensor.detach"),
          shape="same", sample="(matrix23,)")
def stop_gradient(y, x): ...
