"""Records of SciPy's filters and convolutions."""


@adjoint("scipy.signal.convolve", aliases=("scipy.signal.fftconvolve", "scipy.signal.convolve2d",
                                           "scipy.signal.oaconvolve"),
         shape="", sample=("(matrix34, matrix22)", "(matrix34, matrix22, 'same')",
                           "(matrix34, matrix22, 'valid')", "(matrix22, matrix34, 'same')",
                           "(matrix22, matrix34, 'valid')"))
def convolve(y, in1, in2, mode="full"):
    d[in1] = _unconvolve_grids(full(d[y], y), in1, in2, mode, in2)
    d[in2] = _unconvolve_grids(full(d[y], y), in2, in1, mode, in2)


@tangent("scipy.signal.convolve")
def convolve(y, in1, in2, mode="full"):
    d[y] = scipy.signal.convolve(d[in1], in2, mode)
    d[y] = scipy.signal.convolve(in1, d[in2], mode)


@adjoint("tangent.runtime._unconvolve_grids",
         sample=("(matrix45, matrix34, matrix22, 'full', matrix22)",
                 "(matrix34, matrix34, matrix22, 'same', matrix22)",
                 "(matrix34, matrix22, matrix34, 'same', matrix22)"))
def _unconvolve_grids(y, by, a, v, mode, second):
    d[a] = 0
    d[second] = 0
    d[by] = _convolve_grids(full(d[y], y), v, mode, by)
    d[v] = _unconvolve_grids(by, v, full(d[y], y), mode, second)


@tangent("tangent.runtime._unconvolve_grids")
def _unconvolve_grids(y, by, a, v, mode, second):
    d[y] = _unconvolve_grids(d[by], a, v, mode, second)
    d[y] = _unconvolve_grids(by, a, d[v], mode, second)


@adjoint("tangent.runtime._convolve_grids",
         sample=("(matrix34, matrix22, 'full', matrix45)",
                 "(matrix34, matrix22, 'same', matrix34)"))
def _convolve_grids(y, a, v, mode, like):
    d[like] = 0
    d[a] = _unconvolve_grids(full(d[y], y), a, v, mode, v)
    d[v] = _unconvolve_grids(full(d[y], y), v, a, mode, v)


@tangent("tangent.runtime._convolve_grids")
def _convolve_grids(y, a, v, mode, like):
    d[y] = _convolve_grids(d[a], v, mode, like)
    d[y] = _convolve_grids(a, d[v], mode, like)


# a * y = b * x, as products of polynomials in the delay.
@adjoint("scipy.signal.lfilter", shape="like_third",
         sample=("(vector2, vector3p, vector6)", "(vector3, vector2p, matrix34, 0)",
                 "(vector2, vector3p, matrix34)"))
def lfilter(y, b, a, x, axis=-1):
    r = np.flip(scipy.signal.lfilter(_one(x), a, np.flip(full(d[y], y), axis), axis), axis)
    d[b] = _lagged_products(r, x, b, axis)
    d[a] = -_lagged_products(r, y, a, axis)
    d[x] = np.flip(scipy.signal.lfilter(b, _one(x), np.flip(r, axis), axis), axis)


@tangent("scipy.signal.lfilter")
def lfilter(y, b, a, x, axis=-1):
    d[y] = scipy.signal.lfilter(d[b], a, x, axis)
    d[y] = -scipy.signal.lfilter(d[a], a, y, axis)
    d[y] = scipy.signal.lfilter(b, a, d[x], axis)


@adjoint("tangent.runtime._lagged_products", shape="like_third",
         sample=("(vector6, vector6b, vector3, -1)", "(matrix34, matrix34b, vector2, 0)"))
def _lagged_products(y, r, x, b, axis):
    d[b] = 0
    d[r] = scipy.signal.lfilter(full(d[y], y), _one(x), x, axis)
    d[x] = np.flip(scipy.signal.lfilter(full(d[y], y), _one(x), np.flip(r, axis), axis), axis)


@tangent("tangent.runtime._lagged_products")
def _lagged_products(y, r, x, b, axis):
    d[y] = _lagged_products(d[r], x, b, axis)
    d[y] = _lagged_products(r, d[x], b, axis)


@constant("tangent.runtime._one", sample=("(vector3,)",))
def _one(y, x): ...


# Filters of images: correlation with what does not vary. `origin` moves a filter, `cval` is what
# stands outside for mode="constant".


@adjoint("scipy.ndimage.correlate", shape="same", linear=("input",),
         sample=("(matrix45, matrix33)", "(matrix45, matrix33, mode='constant')",
                 "(matrix45, matrix33, mode='nearest')", "(matrix45, matrix33, mode='wrap')",
                 "(matrix45, matrix33, mode='mirror')"))
def correlate(y, input, weights, *, mode="reflect"):
    d[input] = _uncorrelate(full(d[y], y), input, weights, mode)


@adjoint("scipy.ndimage.convolve", shape="same", linear=("input",),
         sample=("(matrix45, matrix33)", "(matrix45, matrix33, mode='constant')"))
def convolve_image(y, input, weights, *, mode="reflect"):
    d[input] = _uncorrelate(full(d[y], y), input, np.flip(weights), mode)


@adjoint("tangent.runtime._uncorrelate", shape="like_second", linear=("b",),
         sample=("(matrix45, matrix45, matrix33, 'reflect')",))
def _uncorrelate(y, b, input, weights, mode):
    d[input] = 0
    d[b] = scipy.ndimage.correlate(np.copy(full(d[y], y)), weights, mode=mode)


@adjoint("scipy.ndimage.correlate1d", shape="same", linear=("input",),
         sample=("(matrix45, vector3)", "(matrix45, vector3, 0)",
                 "(vector6, vector5, mode='constant')", "(vector6, vector3, mode='nearest')"))
def correlate1d(y, input, weights, axis=-1, *, mode="reflect"):
    d[input] = _uncorrelate_axis(full(d[y], y), input, weights, axis, mode)


@adjoint("scipy.ndimage.convolve1d", shape="same", linear=("input",),
         sample=("(matrix45, vector3)", "(matrix45, vector3, 0)"))
def convolve1d(y, input, weights, axis=-1, *, mode="reflect"):
    d[input] = _uncorrelate_axis(full(d[y], y), input, np.flip(weights), axis, mode)


@adjoint("tangent.runtime._uncorrelate_axis", shape="like_second", linear=("b",),
         sample=("(matrix45, matrix45, vector3, 0, 'reflect')",))
def _uncorrelate_axis(y, b, input, weights, axis, mode):
    d[input] = 0
    d[b] = scipy.ndimage.correlate1d(full(d[y], y), weights, axis, mode=mode)


@adjoint("scipy.ndimage.gaussian_filter1d", shape="same", linear=("input",),
         sample=("(vector8, 1.2)", "(matrix45, 0.7, 0)", "(matrix45, 0.7, mode='nearest')"))
def gaussian_filter1d(y, input, sigma, axis=-1, *, mode="reflect"):
    d[input] = _uncorrelate_axis(
        full(d[y], y), input, _gaussian_weights(sigma), axis, mode)


@adjoint("scipy.ndimage.gaussian_filter", shape="same", linear=("input",),
         sample=("(vector8, 1.2)", "(matrix45, 0.7)", "(matrix45, 0.7, mode='nearest')"))
def gaussian_filter(y, input, sigma, *, mode="reflect"):
    d[input] = _ungaussian(full(d[y], y), input, sigma, mode)


@adjoint("tangent.runtime._ungaussian", shape="like_second", linear=("b",),
         sample=("(matrix45, matrix45, 0.7, 'reflect')",))
def _ungaussian(y, b, input, sigma, mode):
    d[input] = 0
    d[b] = scipy.ndimage.gaussian_filter(full(d[y], y), sigma, mode=mode)


@constant("tangent.runtime._gaussian_weights", sample=("(1.2,)",))
def _gaussian_weights(y, sigma): ...


@adjoint("scipy.ndimage.uniform_filter1d", shape="same", linear=("input",),
         sample=("(vector8, 3)", "(matrix45, 3, 0)"))
def uniform_filter1d(y, input, size, axis=-1, *, mode="reflect"):
    d[input] = _uncorrelate_axis(full(d[y], y), input, np.full(size, 1.0 / size), axis, mode)


@adjoint("scipy.ndimage.laplace", shape="same", linear=("input",),
         sample=("(vector8,)", "(matrix45,)"))
def laplace(y, input, *, mode="reflect"):
    d[input] = _unlaplace(full(d[y], y), input, mode)


@adjoint("tangent.runtime._unlaplace", shape="like_second", linear=("b",),
         sample=("(matrix45, matrix45, 'reflect')",))
def _unlaplace(y, b, input, mode):
    d[input] = 0
    d[b] = scipy.ndimage.laplace(full(d[y], y), mode=mode)
