"""Helpers of python/tangent/_runtime_layers.py: convolutions, pooling and losses over classes.

Each is linear in what it is given to differentiate, so that they are the derivatives of each other.
"""


@adjoint("tangent.runtime._conv", shape="repeat",
         sample=("(stack2354, stack4322)", "(stack2454, stack4222, (2, 1), (1, 0), 1, 2)",
                 "(stack235, stack432, 1, 'same')", "(stack35, stack432)"))
def _conv(y, x, w, stride=1, padding=0, dilation=1, groups=1):
    d[x] = _conv_input(full(d[y], y), x, w, stride, padding, dilation, groups)
    d[w] = _conv_weight(full(d[y], y), x, w, stride, padding, dilation, groups)


@tangent("tangent.runtime._conv")
def _conv(y, x, w, stride=1, padding=0, dilation=1, groups=1):
    d[y] = _conv(d[x], w, stride, padding, dilation, groups)
    d[y] = _conv(x, d[w], stride, padding, dilation, groups)


@adjoint("tangent.runtime._conv_input", shape="like_second",
         sample=("(stack2443, stack2354, stack4322)",
                 "(stack2433, stack2454, stack4222, (2, 1), (1, 0), 1, 2)"))
def _conv_input(y, b, x, w, stride=1, padding=0, dilation=1, groups=1):
    d[x] = 0
    d[b] = _conv(full(d[y], y), w, stride, padding, dilation, groups)
    d[w] = _conv_weight(b, full(d[y], y), w, stride, padding, dilation, groups)


@tangent("tangent.runtime._conv_input")
def _conv_input(y, b, x, w, stride=1, padding=0, dilation=1, groups=1):
    d[y] = _conv_input(d[b], x, w, stride, padding, dilation, groups)
    d[y] = _conv_input(b, x, d[w], stride, padding, dilation, groups)


@adjoint("tangent.runtime._conv_weight", shape="like_third",
         sample=("(stack2443, stack2354, stack4322)",
                 "(stack2433, stack2454, stack4222, (2, 1), (1, 0), 1, 2)"))
def _conv_weight(y, b, x, w, stride=1, padding=0, dilation=1, groups=1):
    d[w] = 0
    d[b] = _conv(x, full(d[y], y), stride, padding, dilation, groups)
    d[x] = _conv_input(b, x, full(d[y], y), stride, padding, dilation, groups)


@tangent("tangent.runtime._conv_weight")
def _conv_weight(y, b, x, w, stride=1, padding=0, dilation=1, groups=1):
    d[y] = _conv_weight(d[b], x, w, stride, padding, dilation, groups)
    d[y] = _conv_weight(b, d[x], w, stride, padding, dilation, groups)


@adjoint("tangent.runtime._conv_bias", linear=("b",),
         sample=("(stack2354, stack3222)", "(stack354, stack3222)"))
def _conv_bias(y, b, w):
    d[w] = 0
    d[b] = _spread_bias(full(d[y], y), b, w)


@adjoint("tangent.runtime._spread_bias", shape="like_second", linear=("bias",),
         sample=("(vector3, stack2354, stack3222)",))
def _spread_bias(y, bias, like, w):
    d[like] = 0
    d[w] = 0
    d[bias] = _conv_bias(full(d[y], y), w)


@adjoint("tangent.runtime._channel", linear=("v",),
         sample=("(vector3, stack2354, 1)", "(vector3, matrix23, 1)"))
def _channel(y, v, like, axis):
    d[like] = 0
    d[v] = _channel_sums(full(d[y], y), axis)


@adjoint("tangent.runtime._channel_sums", linear=("b",), sample=("(stack2354, 1)",))
def _channel_sums(y, b, axis):
    d[b] = np.broadcast_to(_channel(full(d[y], y), b, axis), np.shape(b))


@adjoint("tangent.runtime._max_pool_adjoint", shape="like_second", linear=("b",),
         sample=("(stack2322, stack2354, stack2322b, 2, None, 0, 1, 2)",))
def _max_pool_adjoint(r, b, x, y, size, stride, padding, dilation, count):
    d[x] = 0
    d[y] = 0
    d[b] = _max_pool_tangent(full(d[r], r), x, y, size, stride, padding, dilation, count)


@adjoint("tangent.runtime._max_pool_tangent", shape="like_third", linear=("t",),
         sample=("(stack2354b, stack2354, stack2322b, 2, None, 0, 1, 2)",))
def _max_pool_tangent(r, t, x, y, size, stride, padding, dilation, count):
    d[x] = 0
    d[y] = 0
    d[t] = _max_pool_adjoint(d[r], x, y, size, stride, padding, dilation, count)


@adjoint("tangent.runtime._avg_pool", shape="repeat", linear=("x",),
         sample=("(stack2354, 2, None, 0, True, 2)", "(stack235, 3, 1, 1, False, 1)"))
def _avg_pool(y, x, size, stride, padding, with_padding, count):
    d[x] = _avg_pool_adjoint(full(d[y], y), x, size, stride, padding, with_padding, count)


@adjoint("tangent.runtime._avg_pool_adjoint", shape="like_second", linear=("b",),
         sample=("(stack2322, stack2354, 2, None, 0, True, 2)",
                 "(stack235b, stack235, 3, 1, 1, False, 1)"))
def _avg_pool_adjoint(y, b, x, size, stride, padding, with_padding, count):
    d[x] = 0
    d[b] = _avg_pool(full(d[y], y), size, stride, padding, with_padding, count)


@adjoint("tangent.runtime._nll", shape="scalar", linear=("x",),
         sample=("(matrix43, np.array([0, 2, 1, 1]))", "(vector3, np.array(1), 'sum')"))
def _nll(y, x, target, reduction="mean"):
    d[x] = _nll_adjoint(d[y], x, target, reduction)


@adjoint("tangent.runtime._nll_adjoint", shape="like_second", linear=("b",),
         sample=("(number, matrix43, np.array([0, 2, 1, 1]))",))
def _nll_adjoint(y, b, x, target, reduction="mean"):
    d[x] = 0
    d[b] = _nll(full(d[y], y), target, reduction)
