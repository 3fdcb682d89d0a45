"""torch and tinygrad: values along an axis and where they are, which come as a pair.

`y[0]` is the values, `y[1]` their places: what reaches the values goes to those places.
"""


@adjoint("torch.max", aliases=("torch.min", "torch.median"), shape="top",
         sample=("(matrix23,)", "(vector3,)", "(matrix23, 1)", "(matrix23, dim=-2)",
                 "(matrix23, 0, True)", "(vector3, 0)"),
         note="`torch.max`, `torch.min`, `torch.median`: of all elements equal ones share evenly, "
              "along an axis the one whose place is given has the slope.")
def max(y, input, dim=None, keepdim=False):
    if dim is None:
        hits = input == y
        d[input] = mask(hits, d[y] / max(int(np.count_nonzero(hits)), 1))
    elif integer(dim) and rank(dim) == 0 and keepdim:
        d[input] = _untake_along_axis(full(d[y][0], y[0]), input, y[1], dim)
    elif integer(dim) and rank(dim) == 0 and not keepdim:
        by = np.expand_dims(full(d[y][0], y[0]), dim)
        d[input] = _untake_along_axis(by, input, np.expand_dims(y[1], dim), dim)
    else:
        d[input] = refuse(d[y], "a second tensor (`torch.maximum` takes two) or flags that are no "
                                "literals")


@tangent("torch.max")
def max(y, input, dim=None, keepdim=False):
    if dim is None:
        hits = input == y
        d[y] = np.sum(mask(hits, d[input])) / np.count_nonzero(hits)
    elif integer(dim) and rank(dim) == 0 and keepdim:
        d[y] = (np.take_along_axis(d[input], y[1], dim), 0.0)
    elif integer(dim) and rank(dim) == 0 and not keepdim:
        places = np.expand_dims(y[1], dim)
        d[y] = (np.squeeze(np.take_along_axis(d[input], places, dim), dim), 0.0)
    else:
        d[y] = refuse(d[input], "a second tensor (`torch.maximum` takes two) or flags that are no "
                                "literals")


@adjoint("torch.kthvalue", shape="top",
         sample=("(matrix23, 2)", "(matrix23, 1, 0)", "(matrix23, 2, dim=1, keepdim=True)"))
def kthvalue(y, input, k, dim=-1, keepdim=False):
    if keepdim:
        d[input] = _untake_along_axis(full(d[y][0], y[0]), input, y[1], dim)
    elif not keepdim:
        by = np.expand_dims(full(d[y][0], y[0]), dim)
        d[input] = _untake_along_axis(by, input, np.expand_dims(y[1], dim), dim)
    else:
        d[input] = refuse(d[y], "`keepdim` that is no literal")


@tangent("torch.kthvalue")
def kthvalue(y, input, k, dim=-1, keepdim=False):
    if keepdim:
        d[y] = (np.take_along_axis(d[input], y[1], dim), 0.0)
    elif not keepdim:
        places = np.expand_dims(y[1], dim)
        d[y] = (np.squeeze(np.take_along_axis(d[input], places, dim), dim), 0.0)
    else:
        d[y] = refuse(d[input], "`keepdim` that is no literal")


@adjoint("torch.sort", aliases=("tinygrad.Tensor.sort",), shape="sorted",
         sample=("(matrix23,)", "(matrix23, 0)", "(matrix23, dim=1, descending=True)",
                 "(vector3,)"))
def sort(y, input, dim=-1, descending=False):
    d[input] = _untake_along_axis(full(d[y][0], y[0]), input, y[1], dim)


@tangent("torch.sort")
def sort(y, input, dim=-1, descending=False):
    d[y] = (np.take_along_axis(d[input], y[1], dim), 0.0)


@adjoint("torch.topk", aliases=("tinygrad.Tensor.topk",), shape="sorted",
         sample=("(matrix23, 2)", "(matrix23, 1, 0)", "(vector5, 3)"))
def topk(y, input, k, dim=-1, largest=True):
    d[input] = _untake_along_axis(full(d[y][0], y[0]), input, y[1], dim)


@tangent("torch.topk")
def topk(y, input, k, dim=-1, largest=True):
    d[y] = (np.take_along_axis(d[input], y[1], dim), 0.0)


@adjoint("torch.cummax", aliases=("torch.cummin",), shape="sorted",
         sample=("(matrix23, 0)", "(matrix23, dim=1)"))
def cummax(y, input, dim):
    d[input] = _untake_along_axis(full(d[y][0], y[0]), input, y[1], dim)


@tangent("torch.cummax")
def cummax(y, input, dim):
    d[y] = (np.take_along_axis(d[input], y[1], dim), 0.0)
