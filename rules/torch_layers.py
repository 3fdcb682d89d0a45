"""torch and tinygrad: convolutions, pooling, and the losses of torch.nn.functional."""


# Convolutions


@adjoint("torch.nn.functional.conv2d",
         aliases=("torch.nn.functional.conv1d", "torch.conv1d", "torch.conv2d"), shape="repeat",
         sample=("(stack2354, stack4322)", "(stack2354, stack4322, vector4, 2, 1)",
                 "(stack2354, stack4322, padding=(1, 0), dilation=2)",
                 "(stack2454, stack4222, vector4, stride=(2, 1), groups=2)",
                 "(stack2354, stack4322, padding='same')", "(stack354, stack4322, vector4)",
                 "(stack235, stack432)", "(stack235, stack432, vector4, 2, 1)",
                 "(stack245, stack422, groups=2)", "(stack35, stack432, vector4)"))
def conv2d(y, input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    d[input] = _conv_input(full(d[y], y), input, weight, stride, padding, dilation, groups)
    d[weight] = _conv_weight(full(d[y], y), input, weight, stride, padding, dilation, groups)
    d[bias] = _conv_bias(full(d[y], y), weight)


@tangent("torch.nn.functional.conv2d")
def conv2d(y, input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    d[y] = _conv(d[input], weight, stride, padding, dilation, groups)
    d[y] = _conv(input, d[weight], stride, padding, dilation, groups)
    d[y] = _spread_bias(d[bias], y, weight)


@adjoint("tinygrad.Tensor.conv2d", shape="repeat",
         sample=("(stack2354, stack4322)", "(stack2354, stack4322, vector4, 1, 2)",
                 "(stack2454, stack4222, groups=2, padding=1)"))
def tinygrad_conv2d(y, input, weight, bias=None, groups=1, stride=1, dilation=1, padding=0):
    d[input] = _conv_input(full(d[y], y), input, weight, stride, padding, dilation, groups)
    d[weight] = _conv_weight(full(d[y], y), input, weight, stride, padding, dilation, groups)
    d[bias] = _conv_bias(full(d[y], y), weight)


@tangent("tinygrad.Tensor.conv2d")
def tinygrad_conv2d(y, input, weight, bias=None, groups=1, stride=1, dilation=1, padding=0):
    d[y] = _conv(d[input], weight, stride, padding, dilation, groups)
    d[y] = _conv(input, d[weight], stride, padding, dilation, groups)
    d[y] = _spread_bias(d[bias], y, weight)


# Pooling


@adjoint("torch.nn.functional.max_pool2d", shape="repeat",
         sample=("(stack2354, 2)", "(stack2354, (3, 2), 1)", "(stack2354, 3, 2, 1)",
                 "(stack2354, 2, dilation=2)", "(stack354, 2)"),
         note="`max_pool`: equal elements of a window share evenly.")
def max_pool2d(y, input, kernel_size, stride=None, padding=0, dilation=1):
    d[input] = _max_pool_adjoint(d[y], input, y, kernel_size, stride, padding, dilation, 2)


@tangent("torch.nn.functional.max_pool2d")
def max_pool2d(y, input, kernel_size, stride=None, padding=0, dilation=1):
    d[y] = _max_pool_tangent(d[input], input, y, kernel_size, stride, padding, dilation, 2)


@adjoint("torch.nn.functional.max_pool1d", shape="repeat",
         sample=("(stack235, 2)", "(stack235, 3, 1, 1)", "(matrix25, 2)"))
def max_pool1d(y, input, kernel_size, stride=None, padding=0, dilation=1):
    d[input] = _max_pool_adjoint(d[y], input, y, kernel_size, stride, padding, dilation, 1)


@tangent("torch.nn.functional.max_pool1d")
def max_pool1d(y, input, kernel_size, stride=None, padding=0, dilation=1):
    d[y] = _max_pool_tangent(d[input], input, y, kernel_size, stride, padding, dilation, 1)


@adjoint("tinygrad.Tensor.max_pool2d", shape="repeat",
         sample=("(stack2354,)", "(stack2354, (3, 2), 1)", "(stack2354, (2, 2), padding=1)"))
def tinygrad_max_pool2d(y, input, kernel_size=(2, 2), stride=None, dilation=1, padding=0):
    d[input] = _max_pool_adjoint(d[y], input, y, kernel_size, stride, padding, dilation, 2)


@tangent("tinygrad.Tensor.max_pool2d")
def tinygrad_max_pool2d(y, input, kernel_size=(2, 2), stride=None, dilation=1, padding=0):
    d[y] = _max_pool_tangent(d[input], input, y, kernel_size, stride, padding, dilation, 2)


@adjoint("torch.nn.functional.avg_pool2d", shape="repeat", linear=("input",),
         sample=("(stack2354, 2)", "(stack2354, (3, 2), 1)", "(stack2354, 3, 2, 1)",
                 "(stack2354, 3, 2, 1, count_include_pad=False)", "(stack354, 2)"))
def avg_pool2d(y, input, kernel_size, stride=None, padding=0, *, count_include_pad=True):
    d[input] = _avg_pool_adjoint(full(d[y], y), input, kernel_size, stride, padding,
                                 count_include_pad, 2)


@adjoint("torch.nn.functional.avg_pool1d", shape="repeat", linear=("input",),
         sample=("(stack235, 2)", "(stack235, 3, 1, 1)", "(matrix25, 2)"))
def avg_pool1d(y, input, kernel_size, stride=None, padding=0, *, count_include_pad=True):
    d[input] = _avg_pool_adjoint(full(d[y], y), input, kernel_size, stride, padding,
                                 count_include_pad, 1)


@adjoint("tinygrad.Tensor.avg_pool2d", shape="repeat", linear=("input",),
         sample=("(stack2354,)", "(stack2354, (3, 2), 1)"))
def tinygrad_avg_pool2d(y, input, kernel_size=(2, 2), stride=None, *, padding=0,
                        count_include_pad=True):
    d[input] = _avg_pool_adjoint(full(d[y], y), input, kernel_size, stride, padding,
                                 count_include_pad, 2)


# Norms


@adjoint("tinygrad.Tensor.layernorm", shape="same_float",
         sample=("(matrix23,)", "(stack423, -1, 0.001)", "(matrix23, 0)"))
def layernorm(y, input, axis=-1, eps=1e-05):
    centred = input - np.mean(input, axis=axis, keepdims=True)
    scale = np.sqrt(np.mean(centred * centred, axis=axis, keepdims=True) + eps)
    by = full(d[y], y)
    d[input] = (by - np.mean(by, axis=axis, keepdims=True)
                - y * np.mean(by * y, axis=axis, keepdims=True)) / scale


@tangent("tinygrad.Tensor.layernorm")
def layernorm(y, input, axis=-1, eps=1e-05):
    centred = input - np.mean(input, axis=axis, keepdims=True)
    scale = np.sqrt(np.mean(centred * centred, axis=axis, keepdims=True) + eps)
    d[y] = (d[input] - np.mean(d[input], axis=axis, keepdims=True)
            - y * np.mean(d[input] * y, axis=axis, keepdims=True)) / scale


@adjoint("tinygrad.Tensor.batchnorm", shape="same_float",
         sample=("(stack2354, vector3, vector3b, vector3c, vector3p)",
                 "(matrix23, vector3, vector3b, vector3c, vector3p)"))
def batchnorm(y, input, weight, bias, mean, invstd, axis=1):
    by = full(d[y], y)
    scale = _channel(weight * invstd, y, axis)
    d[input] = by * scale
    d[mean] = -_channel_sums(by * scale, axis)
    d[weight] = _channel_sums(by * (input - _channel(mean, y, axis)), axis) * invstd
    d[invstd] = _channel_sums(by * (input - _channel(mean, y, axis)), axis) * weight
    d[bias] = _channel_sums(by, axis)


@tangent("tinygrad.Tensor.batchnorm")
def batchnorm(y, input, weight, bias, mean, invstd, axis=1):
    d[y] = d[input] * _channel(weight * invstd, y, axis)
    d[y] = -_channel(d[mean] * weight * invstd, y, axis)
    d[y] = _channel(d[weight] * invstd, y, axis) * (input - _channel(mean, y, axis))
    d[y] = _channel(d[invstd] * weight, y, axis) * (input - _channel(mean, y, axis))
    d[y] = _channel(d[bias], y, axis)


# Losses. Those that broadcast mean over what comes out.


@adjoint("torch.nn.functional.mse_loss", shape="loss",
         sample=("(matrix23, matrix23b)", "(matrix23, matrix23b, reduction='sum')",
                 "(matrix23, matrix23b, reduction='none')"))
def mse_loss(y, input, target, *, reduction="mean"):
    if reduction == "mean":
        error = input - target
        d[input] = _unbroadcast(d[y] / np.size(error) * (2 * error), input)
        d[target] = _unbroadcast(-(d[y] / np.size(error)) * (2 * error), target)
    elif reduction == "sum" or reduction == "none":
        error = input - target
        d[input] = _unbroadcast(d[y] * (2 * error), input)
        d[target] = _unbroadcast(-d[y] * (2 * error), target)
    else:
        d[input] = refuse(d[y], "`reduction` that is no literal")
        d[target] = refuse(d[y], "`reduction` that is no literal")


@tangent("torch.nn.functional.mse_loss")
def mse_loss(y, input, target, *, reduction="mean"):
    if reduction == "mean":
        error = input - target
        d[y] = np.mean(d[input] * (2 * error))
        d[y] = -np.mean(d[target] * (2 * error))
    elif reduction == "sum":
        error = input - target
        d[y] = np.sum(d[input] * (2 * error))
        d[y] = -np.sum(d[target] * (2 * error))
    elif reduction == "none":
        error = input - target
        d[y] = d[input] * (2 * error)
        d[y] = -d[target] * (2 * error)
    else:
        d[y] = refuse(d[input], "`reduction` that is no literal")
        d[y] = refuse(d[target], "`reduction` that is no literal")


@adjoint("torch.nn.functional.l1_loss", shape="loss",
         sample=("(matrix23, matrix23b)", "(matrix23, matrix23b, reduction='sum')",
                 "(matrix23, matrix23b, reduction='none')"))
def l1_loss(y, input, target, *, reduction="mean"):
    if reduction == "mean":
        error = input - target
        d[input] = _unbroadcast(d[y] / np.size(error) * np.sign(error), input)
        d[target] = _unbroadcast(-(d[y] / np.size(error)) * np.sign(error), target)
    elif reduction == "sum" or reduction == "none":
        error = input - target
        d[input] = _unbroadcast(d[y] * np.sign(error), input)
        d[target] = _unbroadcast(-d[y] * np.sign(error), target)
    else:
        d[input] = refuse(d[y], "`reduction` that is no literal")
        d[target] = refuse(d[y], "`reduction` that is no literal")


@tangent("torch.nn.functional.l1_loss")
def l1_loss(y, input, target, *, reduction="mean"):
    if reduction == "mean":
        error = input - target
        d[y] = np.mean(d[input] * np.sign(error))
        d[y] = -np.mean(d[target] * np.sign(error))
    elif reduction == "sum":
        error = input - target
        d[y] = np.sum(d[input] * np.sign(error))
        d[y] = -np.sum(d[target] * np.sign(error))
    elif reduction == "none":
        error = input - target
        d[y] = d[input] * np.sign(error)
        d[y] = -d[target] * np.sign(error)
    else:
        d[y] = refuse(d[input], "`reduction` that is no literal")
        d[y] = refuse(d[target], "`reduction` that is no literal")


@adjoint("torch.nn.functional.smooth_l1_loss", shape="loss",
         sample=("(matrix23, matrix23b)", "(matrix23, matrix23b, reduction='sum')",
                 "(matrix23, matrix23b, reduction='none')", "(matrix23, matrix23b, beta=0.5)"))
def smooth_l1_loss(y, input, target, *, reduction="mean", beta=1.0):
    if reduction == "mean":
        error = input - target
        d[input] = _unbroadcast(d[y] / np.size(error) * np.clip(error / beta, -1.0, 1.0), input)
        d[target] = _unbroadcast(
            -(d[y] / np.size(error)) * np.clip(error / beta, -1.0, 1.0), target)
    elif reduction == "sum" or reduction == "none":
        error = input - target
        d[input] = _unbroadcast(d[y] * np.clip(error / beta, -1.0, 1.0), input)
        d[target] = _unbroadcast(-d[y] * np.clip(error / beta, -1.0, 1.0), target)
    else:
        d[input] = refuse(d[y], "`reduction` that is no literal")
        d[target] = refuse(d[y], "`reduction` that is no literal")


@tangent("torch.nn.functional.smooth_l1_loss")
def smooth_l1_loss(y, input, target, *, reduction="mean", beta=1.0):
    if reduction == "mean":
        error = input - target
        d[y] = np.mean(d[input] * np.clip(error / beta, -1.0, 1.0))
        d[y] = -np.mean(d[target] * np.clip(error / beta, -1.0, 1.0))
    elif reduction == "sum":
        error = input - target
        d[y] = np.sum(d[input] * np.clip(error / beta, -1.0, 1.0))
        d[y] = -np.sum(d[target] * np.clip(error / beta, -1.0, 1.0))
    elif reduction == "none":
        error = input - target
        d[y] = d[input] * np.clip(error / beta, -1.0, 1.0)
        d[y] = -d[target] * np.clip(error / beta, -1.0, 1.0)
    else:
        d[y] = refuse(d[input], "`reduction` that is no literal")
        d[y] = refuse(d[target], "`reduction` that is no literal")


@adjoint("torch.nn.functional.huber_loss", shape="loss",
         sample=("(matrix23, matrix23b)", "(matrix23, matrix23b, reduction='sum')",
                 "(matrix23, matrix23b, reduction='none')", "(matrix23, matrix23b, delta=0.5)"))
def huber_loss(y, input, target, reduction="mean", delta=1.0):
    if reduction == "mean":
        error = input - target
        d[input] = _unbroadcast(d[y] / np.size(error) * np.clip(error, -delta, delta), input)
        d[target] = _unbroadcast(-(d[y] / np.size(error)) * np.clip(error, -delta, delta), target)
    elif reduction == "sum" or reduction == "none":
        error = input - target
        d[input] = _unbroadcast(d[y] * np.clip(error, -delta, delta), input)
        d[target] = _unbroadcast(-d[y] * np.clip(error, -delta, delta), target)
    else:
        d[input] = refuse(d[y], "`reduction` that is no literal")
        d[target] = refuse(d[y], "`reduction` that is no literal")


@tangent("torch.nn.functional.huber_loss")
def huber_loss(y, input, target, reduction="mean", delta=1.0):
    if reduction == "mean":
        error = input - target
        d[y] = np.mean(d[input] * np.clip(error, -delta, delta))
        d[y] = -np.mean(d[target] * np.clip(error, -delta, delta))
    elif reduction == "sum":
        error = input - target
        d[y] = np.sum(d[input] * np.clip(error, -delta, delta))
        d[y] = -np.sum(d[target] * np.clip(error, -delta, delta))
    elif reduction == "none":
        error = input - target
        d[y] = d[input] * np.clip(error, -delta, delta)
        d[y] = -d[target] * np.clip(error, -delta, delta)
    else:
        d[y] = refuse(d[input], "`reduction` that is no literal")
        d[y] = refuse(d[target], "`reduction` that is no literal")


@adjoint("torch.nn.functional.binary_cross_entropy_with_logits", shape="loss",
         sample=("(matrix23, matrix23b)", "(matrix23, matrix23b, reduction='sum')",
                 "(matrix23, matrix23b, reduction='none')"))
def binary_cross_entropy_with_logits(y, input, target, *, reduction="mean"):
    if reduction == "mean":
        d[input] = d[y] / np.size(input) * (scipy.special.expit(input) - target)
        d[target] = -(d[y] / np.size(input)) * input
    elif reduction == "sum" or reduction == "none":
        d[input] = d[y] * (scipy.special.expit(input) - target)
        d[target] = -d[y] * input
    else:
        d[input] = refuse(d[y], "`reduction` that is no literal")
        d[target] = refuse(d[y], "`reduction` that is no literal")


@tangent("torch.nn.functional.binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(y, input, target, *, reduction="mean"):
    if reduction == "mean":
        d[y] = np.mean(d[input] * (scipy.special.expit(input) - target))
        d[y] = -np.mean(d[target] * input)
    elif reduction == "sum":
        d[y] = np.sum(d[input] * (scipy.special.expit(input) - target))
        d[y] = -np.sum(d[target] * input)
    elif reduction == "none":
        d[y] = d[input] * (scipy.special.expit(input) - target)
        d[y] = -d[target] * input
    else:
        d[y] = refuse(d[input], "`reduction` that is no literal")
        d[y] = refuse(d[target], "`reduction` that is no literal")


@adjoint("torch.nn.functional.binary_cross_entropy", shape="loss",
         sample=("(0.1 + 0.2 * matrix23p, 0.2 * matrix23bp)",
                 "(0.1 + 0.2 * matrix23p, 0.2 * matrix23bp, reduction='sum')"))
def binary_cross_entropy(y, input, target, *, reduction="mean"):
    if reduction == "mean":
        d[input] = d[y] / np.size(input) * ((input - target) / (input * (1 - input)))
        d[target] = d[y] / np.size(input) * (np.log1p(-input) - np.log(input))
    elif reduction == "sum" or reduction == "none":
        d[input] = d[y] * ((input - target) / (input * (1 - input)))
        d[target] = d[y] * (np.log1p(-input) - np.log(input))
    else:
        d[input] = refuse(d[y], "`reduction` that is no literal")
        d[target] = refuse(d[y], "`reduction` that is no literal")


@tangent("torch.nn.functional.binary_cross_entropy")
def binary_cross_entropy(y, input, target, *, reduction="mean"):
    if reduction == "mean":
        d[y] = np.mean(d[input] * ((input - target) / (input * (1 - input))))
        d[y] = np.mean(d[target] * (np.log1p(-input) - np.log(input)))
    elif reduction == "sum":
        d[y] = np.sum(d[input] * ((input - target) / (input * (1 - input))))
        d[y] = np.sum(d[target] * (np.log1p(-input) - np.log(input)))
    elif reduction == "none":
        d[y] = d[input] * ((input - target) / (input * (1 - input)))
        d[y] = d[target] * (np.log1p(-input) - np.log(input))
    else:
        d[y] = refuse(d[input], "`reduction` that is no literal")
        d[y] = refuse(d[target], "`reduction` that is no literal")


@adjoint("torch.nn.functional.nll_loss", shape="scalar", linear=("input",),
         sample=("(matrix43, np.array([0, 2, 1, 1]))",
                 "(matrix43, np.array([0, 2, 1, 1]), reduction='sum')",
                 "(vector3, np.array(1))", "(stack243, np.array([[0, 1, 3], [2, 2, 0]]))",
                 "(matrix43, np.array([0, -100, 1, 1]))"))
def nll_loss(y, input, target, *, reduction="mean"):
    if reduction == "none":
        d[input] = refuse(d[y], "reduction='none'")
    else:
        d[input] = _nll_adjoint(d[y], input, target, reduction)


@adjoint("torch.nn.functional.cross_entropy", shape="scalar",
         sample=("(matrix43, np.array([0, 2, 1, 1]))",
                 "(matrix43, np.array([0, 2, 1, 1]), reduction='sum')",
                 "(vector3, np.array(1))", "(stack243, np.array([[0, 1, 3], [2, 2, 0]]))",
                 "(matrix43, np.array([0, -100, 1, 1]))"))
def cross_entropy(y, input, target, *, reduction="mean"):
    if reduction == "none":
        d[input] = refuse(d[y], "reduction='none'")
    elif known(target) and not integer(target):
        d[input] = refuse(d[y], "shares of classes as the target")
    elif rank(input) == 1:
        by = _nll_adjoint(d[y], input, target, reduction)
        d[input] = by - scipy.special.softmax(input, axis=0) * np.sum(by)
    else:
        by = _nll_adjoint(d[y], input, target, reduction)
        d[input] = by - scipy.special.softmax(input, axis=1) * np.sum(by, axis=1, keepdims=True)


@tangent("torch.nn.functional.cross_entropy")
def cross_entropy(y, input, target, *, reduction="mean"):
    if reduction == "none":
        d[y] = refuse(d[input], "reduction='none'")
    elif known(target) and not integer(target):
        d[y] = refuse(d[input], "shares of classes as the target")
    elif rank(input) == 1:
        shares = scipy.special.softmax(input, axis=0)
        d[y] = _nll(d[input] - np.sum(shares * d[input]), target, reduction)
    else:
        shares = scipy.special.softmax(input, axis=1)
        d[y] = _nll(d[input] - np.sum(shares * d[input], axis=1, keepdims=True), target, reduction)
