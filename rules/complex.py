"""Records of complex numbers and Fourier transforms.

The adjoint of a complex value z is the b with dL = Re(b dz), so that a function with a complex
derivative has the rule that it has for real numbers. What has none stands here; `_complex_…` are
the records that the engine takes for complex operands (src/autodiff/complex_values.cpp).
"""


@adjoint("builtins.complex", shape="complex_number", sample="(number, number)")
def complex(z, real, imag=0.0):
    d[real] = np.real(d[z])
    d[imag] = -np.imag(d[z])


@tangent("builtins.complex")
def complex(z, real, imag=0.0):
    d[z] = d[real]
    d[z] = d[imag] * 1j


# Of real numbers: 0, and constant.
@adjoint("numpy.imag", shape="arithmetic", domain=(-3, 3))
def imag(y, val):
    d[val] = 0


@adjoint("numpy.angle", shape="arithmetic", domain=(0.3, 3))
def angle(y, z, deg=False):
    d[z] = 0


@adjoint("tangent.runtime._complex_absolute", shape="", domain=(0.3, 3),
         note="`abs` of a complex 0 has slope 0.", edges=("(0.0,) -> 0.0",))
def _complex_absolute(y, x):
    d[x] = mask(y != 0, d[y] / y) * np.conj(x)


@tangent("tangent.runtime._complex_absolute")
def _complex_absolute(y, x):
    d[y] = mask(y != 0, np.real(np.conj(x) * d[x]) / y)


@adjoint("tangent.runtime._complex_angle", shape="", sample="(number,)")
def _complex_angle(y, z, deg=False):
    if not deg:
        d[z] = d[y] / z * -1j
    else:
        d[z] = refuse(d[y], "np.angle(deg=True) has no derivative rule")


@tangent("tangent.runtime._complex_angle")
def _complex_angle(y, z, deg=False):
    if not deg:
        d[y] = np.imag(d[z] / z)


@adjoint("tangent.runtime._complex_conjugate", shape="", linear=("x",),
         domain=(-3, 3))
def _complex_conjugate(y, x):
    d[x] = np.conj(d[y])


@adjoint("tangent.runtime._complex_imag", shape="", linear=("val",), sample="(number,)")
def _complex_imag(y, val):
    d[val] = d[y] * -1j


@adjoint("tangent.runtime._complex_real", shape="", linear=("val",), domain=(-3, 3))
def _complex_real(y, val):
    d[val] = d[y]


@adjoint("tangent.runtime._complex_sqrt", shape="elementwise", domain=(0.1, 4),
         singular="x == 0")
def _complex_sqrt(y, x):
    d[x] = d[y] * 0.5 / y


@adjoint("tangent.runtime._complex_vdot", shape="scalar", sample="(vector3, vector3b)")
def _complex_vdot(y, a, b):
    d[a] = np.conj(d[y] * np.reshape(b, np.shape(a)))
    d[b] = d[y] * np.reshape(np.conj(a), np.shape(b))


@tangent("tangent.runtime._complex_vdot")
def _complex_vdot(y, a, b):
    d[y] = np.vdot(d[a], b)
    d[y] = np.vdot(a, d[b])


# The matrix of a Fourier transform is symmetric.


@adjoint("numpy.fft.fft", aliases=("scipy.fft.fft",), shape="complex_like", linear=("a",),
         sample=("(vector4,)", "(matrix23, None, 0)"))
def fft(y, a, n=None, axis=-1, norm=None):
    if n is None:
        d[a] = np.fft.fft(full(d[y], y), None, axis, norm)
    else:
        d[a] = _fit_length(np.fft.fft(full(d[y], y), None, axis, norm), a, axis)


@adjoint("numpy.fft.ifft", aliases=("scipy.fft.ifft",), shape="complex_like", linear=("a",),
         sample=("(vector4,)", "(matrix23, None, 0)"))
def ifft(y, a, n=None, axis=-1, norm=None):
    if n is None:
        d[a] = np.fft.ifft(full(d[y], y), None, axis, norm)
    else:
        d[a] = _fit_length(np.fft.ifft(full(d[y], y), None, axis, norm), a, axis)


@adjoint("numpy.fft.fft2", aliases=("scipy.fft.fft2",), shape="complex_like", linear=("a",),
         sample=("(matrix23,)",))
def fft2(y, a, s=None, axes=(-2, -1), norm=None):
    if s is None:
        d[a] = np.fft.fft2(full(d[y], y), None, axes, norm)
    else:
        d[a] = refuse(d[y], "np.fft.fft2 has a derivative rule for s=None alone")


@adjoint("numpy.fft.ifft2", aliases=("scipy.fft.ifft2",), shape="complex_like", linear=("a",),
         sample=("(matrix23,)",))
def ifft2(y, a, s=None, axes=(-2, -1), norm=None):
    if s is None:
        d[a] = np.fft.ifft2(full(d[y], y), None, axes, norm)
    else:
        d[a] = refuse(d[y], "np.fft.ifft2 has a derivative rule for s=None alone")


@adjoint("numpy.fft.fftn", aliases=("scipy.fft.fftn",), shape="complex_like", linear=("a",),
         sample=("(matrix23,)",))
def fftn(y, a, s=None, axes=None, norm=None):
    if s is None:
        d[a] = np.fft.fftn(full(d[y], y), None, axes, norm)
    else:
        d[a] = refuse(d[y], "np.fft.fftn has a derivative rule for s=None alone")


@adjoint("numpy.fft.ifftn", aliases=("scipy.fft.ifftn",), shape="complex_like", linear=("a",),
         sample=("(matrix23,)",))
def ifftn(y, a, s=None, axes=None, norm=None):
    if s is None:
        d[a] = np.fft.ifftn(full(d[y], y), None, axes, norm)
    else:
        d[a] = refuse(d[y], "np.fft.ifftn has a derivative rule for s=None alone")


# Half of a spectrum: the other half is its conjugate.


@adjoint("numpy.fft.rfft", aliases=("scipy.fft.rfft",), shape="half_spectrum", linear=("a",),
         sample=("(vector4,)", "(matrix23, None, 0)"))
def rfft(y, a, n=None, axis=-1):
    if n is None:
        d[a] = np.real(np.fft.fft(full(d[y], y), np.shape(a)[axis], axis))
    else:
        d[a] = np.real(_fit_length(np.fft.fft(full(d[y], y), n, axis), a, axis))


@adjoint("numpy.fft.irfft", aliases=("scipy.fft.irfft",), shape="signal", linear=("a",),
         sample=("(vector4,)", "(matrix23, None, 0)"))
def irfft(y, a, n=None, axis=-1):
    d[a] = _unirfft(full(d[y], y), a, axis)


@adjoint("tangent.runtime._unirfft", shape="like_second", linear=("b",),
         sample=("(vector4, vector3)",))
def _unirfft(y, b, a, axis=-1):
    d[a] = 0
    d[b] = np.fft.irfft(full(d[y], y), np.shape(b)[axis], axis)


@adjoint("tangent.runtime._fit_length", shape="like_second", linear=("b",),
         sample=("(vector4, vector3)", "(vector3, vector4)", "(matrix23, matrix24, 1)"))
def _fit_length(y, b, a, axis=-1):
    d[a] = 0
    d[b] = _fit_length(full(d[y], y), b, axis)


@adjoint("numpy.fft.fftshift", aliases=("scipy.fft.fftshift",), shape="same", linear=("x",),
         sample=("(vector5,)", "(matrix23, 1)"))
def fftshift(y, x, axes=None):
    d[x] = np.fft.ifftshift(full(d[y], y), axes)


@adjoint("numpy.fft.ifftshift", aliases=("scipy.fft.ifftshift",), shape="same", linear=("x",),
         sample=("(vector5,)", "(matrix23, 1)"))
def ifftshift(y, x, axes=None):
    d[x] = np.fft.fftshift(full(d[y], y), axes)


@adjoint("scipy.special.lambertw", shape="complex_like", sample="(0.7,)")
def lambertw(y, z, k=0):
    d[z] = d[y] / (np.exp(y) * (1 + y))


@tangent("scipy.special.lambertw")
def lambertw(y, z, k=0):
    d[y] = d[z] / (np.exp(y) * (1 + y))


@adjoint("scipy.special.wofz", shape="complex_like", sample="(0.7,)")
def wofz(y, z):
    d[z] = d[y] * (1.1283791670955126j - 2 * z * y)


@tangent("scipy.special.wofz")
def wofz(y, z):
    d[y] = d[z] * (1.1283791670955126j - 2 * z * y)
