"""Records of random numbers: impure, a second call gives another value.

What is drawn is a function of the stream of bits and of the parameters; the derivative is that
function's, for the stream as it is.
"""


@adjoint("numpy.random.normal", random=True, sample=("(number, 2.0, (2, 3))",))
def normal(y, loc=0.0, scale=1.0, size=None):
    d[loc] = _unbroadcast(full(d[y], y), loc)
    d[scale] = _unbroadcast(full(d[y], y) * (y - loc) / scale, scale)


@tangent("numpy.random.normal")
def normal(y, loc=0.0, scale=1.0, size=None):
    d[y] = d[loc]
    d[y] = d[scale] * (y - loc) / scale


@adjoint("numpy.random.uniform", random=True, sample=("(number, 5.0, (2, 3))",))
def uniform(y, low=0.0, high=1.0, size=None):
    d[low] = _unbroadcast(full(d[y], y) * (high - y) / (high - low), low)
    d[high] = _unbroadcast(full(d[y], y) * (y - low) / (high - low), high)


@tangent("numpy.random.uniform")
def uniform(y, low=0.0, high=1.0, size=None):
    d[y] = d[low] * (high - y) / (high - low)
    d[y] = d[high] * (y - low) / (high - low)


@adjoint("numpy.random.exponential", random=True, sample=("(number, (2, 3))",))
def exponential(y, scale=1.0, size=None):
    d[scale] = _unbroadcast(full(d[y], y) * y / scale, scale)


@tangent("numpy.random.exponential")
def exponential(y, scale=1.0, size=None):
    d[y] = d[scale] * y / scale


@constant("numpy.random.rand", aliases=("numpy.random.randn",), random=True, sample=("(2, 3)",))
def rand(y, *size): ...


@constant("numpy.random.random", random=True, sample=("((2, 3),)",),
          aliases=("numpy.random.standard_normal", "numpy.random.random_sample",
                   "numpy.random.standard_exponential"))
def random(y, size=None): ...


@constant("numpy.random.randint", random=True, sample=("(5,)",))
def randint(y, low, high=None, size=None, dtype=int): ...


@constant("numpy.random.seed", random=True, sample=("(3,)",))
def seed(y, seed=None): ...


@constant("numpy.random.default_rng", random=True, sample=("(3,)",))
def default_rng(y, seed=None): ...


@constant("random.random", random=True, sample=("()",))
def random(y): ...


@constant("random.randint", aliases=("random.randrange",), random=True, sample=("(1, 5)",))
def randint(y, a, b): ...


@adjoint("random.uniform", random=True, sample=("(1.0, 5.0)",))
def uniform(y, a, b):
    d[a] = d[y] * (b - y) / (b - a)
    d[b] = d[y] * (y - a) / (b - a)


@tangent("random.uniform")
def uniform(y, a, b):
    d[y] = d[a] * (b - y) / (b - a)
    d[y] = d[b] * (y - a) / (b - a)


@adjoint("random.gauss", aliases=("random.normalvariate",), random=True, sample=("(1.0, 2.0)",))
def gauss(y, mu=0.0, sigma=1.0):
    d[mu] = d[y]
    d[sigma] = d[y] * (y - mu) / sigma


@tangent("random.gauss")
def gauss(y, mu=0.0, sigma=1.0):
    d[y] = d[mu]
    d[y] = d[sigma] * (y - mu) / sigma
