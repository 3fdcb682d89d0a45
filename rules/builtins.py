"""Records of Python's builtin functions."""


@adjoint("builtins.abs", shape="arithmetic", domain=(-3, 3))
def abs(y, x):
    d[x] = d[y] * np.sign(x)


@adjoint("builtins.float", shape="elementwise", domain=(-3, 3))
def float(y, x):
    d[x] = d[y]


@constant("builtins.int", shape="integer_scalar", sample=("(number,)",))
def int(y, x): ...


@constant("builtins.bool", shape="boolean", sample=("(number,)",))
def bool(y, x): ...


@constant("builtins.len", shape="integer_scalar", sample=("(vector3,)",))
def len(y, obj): ...
