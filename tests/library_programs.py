"""Programs of NumPy's and SciPy's functions that have records or are written out, one each."""

# ruff: noqa: E501
import numpy as np
from library_programs_scipy import (
    of_betaincinv,
    of_binom,
    of_cdf_9,
    of_cdf_10,
    of_cdf_11,
    of_cdf_12,
    of_ellipk,
    of_ellipkinc,
    of_entropy,
    of_fdtr,
    of_fresnel,
    of_gammaincinv,
    of_gmean,
    of_hyp0f1,
    of_j0,
    of_jv,
    of_logpdf,
    of_logpdf_2,
    of_logpdf_3,
    of_logpdf_4,
    of_logpdf_5,
    of_logpdf_6,
    of_logpdf_7,
    of_logpdf_8,
    of_logpdf_9,
    of_logpdf_10,
    of_logpdf_11,
    of_logpdf_12,
    of_logpdf_13,
    of_logpdf_14,
    of_logpdf_15,
    of_logpdf_16,
    of_norm_7,
    of_owens_t,
    of_pdf,
    of_poch,
    of_sem,
    of_sf_7,
    of_sf_8,
    of_sici,
    of_skew,
    of_spence,
    of_stdtr,
    of_variation,
    of_zscore,
)
from scipy import integrate, linalg, ndimage, signal, special, stats

RNG = np.random.default_rng(3)
COUNTS = np.arange(5)
SQUARE = RNG.normal(size=(3, 3)) + 3 * np.eye(3)


def of_logsumexp(v, w):
    return np.sum(special.logsumexp(v, b=w))


def of_solve_banded(ab, v):
    return np.sum(linalg.solve_banded((1, 1), ab, v) ** 2)


def of_solveh_banded(abh, v):
    return np.sum(linalg.solveh_banded(abh, v) ** 2)


def of_cho_factor(sy, b3):
    c = linalg.cho_factor(sy)
    return np.sum(linalg.cho_solve(c, b3) ** 2)


def of_cho_factor_2(sy, b3):
    c, low = linalg.cho_factor(sy, lower=True)
    return np.sum(linalg.cho_solve((c, low), b3) ** 2)


def of_toeplitz(v, w):
    return np.sum(linalg.toeplitz(v, w) ** 2)


def of_toeplitz_2(v):
    return np.sum(linalg.toeplitz(v) ** 2)


def of_solve_toeplitz(v, w):
    return np.sum(linalg.solve_toeplitz((v + 5 * (COUNTS == 0), v), w) ** 2)


def of_circulant(v):
    return np.sum(linalg.circulant(v) ** 2)


def of_sqrtm(sq):
    return np.sum(linalg.sqrtm(sq @ sq.T) ** 2)


def of_solve_sylvester(sq, sy):
    return np.sum(linalg.solve_sylvester(sq, sy, sq) ** 2)


def of_eigvalsh(sq):
    return np.sum(linalg.eigvalsh(sq @ sq.T) ** 2)


def of_eigh(sq):
    e, V = linalg.eigh(sq @ sq.T)
    return np.sum(e * V[0] ** 2)


def of_svd(sq):
    return np.sum(linalg.svd(sq)[1] ** 2)


def of_svd_2(m):
    U, s, Vt = linalg.svd(m, full_matrices=False)
    return np.sum(U ** 2 @ s + Vt[0, 0] ** 2)


def of_gammainc(p, x):
    return np.sum(special.gammainc(p, x))


def of_gammaincc(p, x):
    return np.sum(special.gammaincc(p, x))


def of_betainc(p, q, u):
    return np.sum(special.betainc(p, q, u))


def of_betaincc(p, q, u):
    return np.sum(special.betaincc(p, q, u))


def of_norm(sq):
    return np.sum(np.linalg.norm(sq, 2))


def of_norm_2(sq):
    return np.sum(np.linalg.norm(sq, 'nuc'))


def of_norm_3(sq):
    return np.sum(np.linalg.norm(sq, 1))


def of_norm_4(sq):
    return np.sum(np.linalg.norm(sq, np.inf))


def of_norm_5(sq):
    return np.sum(np.linalg.norm(sq, -2))


def of_norm_6(sq):
    return np.sum(np.linalg.norm(sq, -1))


def of_multi_dot(m, m2, v):
    return np.sum(np.linalg.multi_dot([m, m2, v]) ** 2)


def of_cond(sq):
    return np.sum(np.linalg.cond(sq))


def of_cond_2(sq):
    return np.sum(np.linalg.cond(sq, 'fro'))


def of_svdvals(m):
    return np.sum(np.linalg.svdvals(m) ** 2)


def of_vector_norm(m):
    return np.sum(np.linalg.vector_norm(m))


def of_matrix_norm(m):
    return np.sum(np.linalg.matrix_norm(m))


def of_matrix_transpose(m):
    return np.sum(np.linalg.matrix_transpose(m) ** 2)


def of_trace(sq):
    return np.sum(np.linalg.trace(sq) ** 2)


def of_diagonal(sq):
    return np.sum(np.linalg.diagonal(sq) ** 2)


def of_outer(v, w):
    return np.sum(np.linalg.outer(v, w) ** 2)


def of_matrix_transpose_2(m):
    return np.sum(np.matrix_transpose(m) ** 2)


def of_vecdot(v, w):
    return np.sum(np.vecdot(v, w) ** 2)


def of_cross(b3, sq):
    return np.sum(np.linalg.cross(b3, sq) ** 2)


def of_interp(v, t8, v8):
    return np.sum(np.interp(v + 4.13, t8, v8))


def of_correlate(v, v8):
    return np.sum(np.correlate(v8, v, 'full') ** 2)


def of_correlate_2(v, v8):
    return np.sum(np.correlate(v8, v) ** 2)


def of_correlate_3(v, v8):
    return np.sum(np.correlate(v, v8, 'same') ** 2)


def of_trapezoid(v8, t8):
    return np.sum(integrate.trapezoid(v8 ** 2, t8))


def of_cumulative_trapezoid(v8, t8):
    return np.sum(integrate.cumulative_trapezoid(v8 ** 2, t8, initial=0) ** 2)


def of_cumulative_trapezoid_2(v8):
    return np.sum(integrate.cumulative_trapezoid(v8 ** 2, dx=0.5) ** 2)


def of_lfilter(v8, b3, p):
    return np.sum(signal.lfilter([p, 0.5], [1.0, 0.3], v8) ** 2)


def of_lfilter_2(v8, b3):
    return np.sum(signal.lfilter(b3, np.array([1.0, 0.3]), v8) ** 2)


def of_lfilter_3(v8, b3, w):
    return np.sum(signal.lfilter(b3, w, v8) ** 2)


def of_convolve(v8, v):
    return np.sum(signal.convolve(v8, v) ** 2)


def of_convolve_2(v8, v):
    return np.sum(signal.convolve(v8, v, mode='same') ** 2)


def of_fftconvolve(v8, v):
    return np.sum(signal.fftconvolve(v8, v, mode='valid') ** 2)


def of_convolve2d(m8, m):
    return np.sum(signal.convolve2d(m8, m, mode='valid') ** 2)


def of_convolve2d_2(m8, m):
    return np.sum(signal.convolve2d(m8, m, mode='same') ** 2)


def of_correlate2d(m8, m):
    return np.sum(signal.correlate2d(m8, m) ** 2)


def of_fftconvolve_2(m8, m):
    return np.sum(signal.fftconvolve(m8, m) ** 2)


def of_correlate_4(v8, v):
    return np.sum(signal.correlate(v8, v) ** 2)


def of_gaussian_filter1d(v8):
    return np.sum(ndimage.gaussian_filter1d(v8, 1.5) ** 2)


def of_gaussian_filter(m8):
    return np.sum(ndimage.gaussian_filter(m8, 1.0) ** 2)


def of_uniform_filter1d(v8):
    return np.sum(ndimage.uniform_filter1d(v8, 3) ** 2)


def of_laplace(m8):
    return np.sum(ndimage.laplace(m8) ** 2)


def of_quantile(v8):
    return np.sum(np.quantile(v8, [0.1, 0.5, 0.9]) ** 2)


def of_quantile_2(v8):
    return np.sum(np.quantile(v8, 0.3, method='lower') ** 2)


def of_quantile_3(v8):
    return np.sum(np.quantile(v8, 0.3, method='nearest') ** 2)


def of_quantile_4(v8):
    return np.sum(np.quantile(v8, 0.3, method='hazen') ** 2)


def of_quantile_5(v8):
    return np.sum(np.quantile(v8, 0.3, method='midpoint') ** 2)


def of_percentile(v8):
    return np.sum(np.percentile(v8, 30, method='median_unbiased') ** 2)


def of_quantile_6(m8):
    return np.sum(np.quantile(m8, [0.25, 0.5], axis=1) ** 2)


def of_nanmedian(v8):
    return np.sum(np.nanmedian(v8) ** 2)


def of_nanpercentile(v8):
    return np.sum(np.nanpercentile(v8, 30) ** 2)


def of_nanquantile(v8):
    return np.sum(np.nanquantile(v8, 0.3) ** 2)


def of_nanprod(v8):
    return np.sum(np.nanprod(v8) ** 2)


def of_nancumsum(v8):
    return np.sum(np.nancumsum(v8) ** 2)


def of_nancumprod(v8):
    return np.sum(np.nancumprod(v8) ** 2)


def of_unwrap(v8):
    return np.sum(np.unwrap(3 * v8) ** 2)


def of_polyfit(v8, t8):
    return np.sum(np.polyfit(t8, v8, 2) ** 2)


def of_poly(b3):
    return np.sum(np.poly(b3) ** 2)


def of_polyder(v):
    return np.sum(np.polyder(v) ** 2)


def of_polyint(v):
    return np.sum(np.polyint(v) ** 2)


def of_polymul(v, w):
    return np.sum(np.polymul(v, w) ** 2)


def of_polyadd(v, b3):
    return np.sum(np.polyadd(v, b3) ** 2)


def of_polysub(v, b3):
    return np.sum(np.polysub(v, b3) ** 2)


def of_polyval(v, x):
    return np.sum(np.polynomial.polynomial.polyval(x, v) ** 2)


def of_chebval(v, x):
    return np.sum(np.polynomial.chebyshev.chebval(x, v) ** 2)


def of_legval(v, x):
    return np.sum(np.polynomial.legendre.legval(x, v) ** 2)


def of_vander(v):
    return np.sum(np.vander(v) ** 2)


def of_vander_2(v):
    return np.sum(np.vander(v, 3, increasing=True) ** 2)


def of_bincount(v):
    return np.sum(np.bincount(np.array([0, 1, 1, 2, 0]), weights=v) ** 2)


def of_bincount_2(v):
    return np.sum(np.bincount(np.array([0, 1, 1, 2, 0]), v, 5) ** 2)


def of_piecewise(v):
    return np.sum(np.piecewise(v, [v < 0, v >= 0], [lambda t: t ** 2, lambda t: 3 * t]))


def of_piecewise_2(v):
    return np.sum(np.piecewise(v, [v < 0], [lambda t: t ** 2, 1.0]))


def of_select(v, w):
    return np.sum(np.select([v < 0, v < 1], [v ** 2, w * v], default=w))


def of_select_2(v, w):
    return np.sum(np.select([v < 0, v < 1], [v ** 2, w * v]))


def of_lexsort(v, w):
    return np.sum(v[np.lexsort((v, w))] * COUNTS)


def of_r(v, w, x):
    return np.sum(np.r_[v, x, w] ** 2)


def of_c(v, w):
    return np.sum(np.c_[v, w] ** 2)


def of_fromiter(v):
    return np.sum(np.fromiter((t ** 2 for t in v), float) ** 2)


def of_fromiter_2(v):
    return np.sum(np.fromiter([t ** 2 for t in v], dtype=float) ** 2)


def of_fromfunction(x):
    return np.sum(np.fromfunction(lambda i, j: x * i + j ** 2, (3, 4)) ** 2)


def of_sliding_window_view(v8, b3):
    return np.sum(np.lib.stride_tricks.sliding_window_view(v8, 3) @ b3 ** 2)


def of_sliding_window_view_2(m8):
    return np.sum(np.lib.stride_tricks.sliding_window_view(m8, (2, 3)) ** 2)


def of_cov(m):
    return np.sum(np.cov(m) ** 2)


def of_cov_2(m):
    return np.sum(np.cov(m, rowvar=False) ** 2)


def of_cov_3(v, w):
    return np.sum(np.cov(v, w) ** 2)


def of_corrcoef(m):
    return np.sum(np.corrcoef(m) ** 2)


def of_corrcoef_2(v, w):
    return np.sum(np.corrcoef(v, w)[0, 1] ** 2)


def of_ediff1d(v):
    return np.sum(np.ediff1d(v) ** 2)


def of_accumulate(m):
    return np.sum(np.maximum.accumulate(m[:, 0]) ** 2)


def of_accumulate_2(v):
    return np.sum(np.maximum.accumulate(v) ** 2)


def of_accumulate_3(v):
    return np.sum(np.minimum.accumulate(v) ** 2)


def of_accumulate_4(v):
    return np.sum(np.add.accumulate(v) ** 2)


def of_accumulate_5(v):
    return np.sum(np.multiply.accumulate(v) ** 2)


def of_reduce(v):
    return np.sum(np.add.reduce(v) ** 2)


def of_reduce_2(v):
    return np.sum(np.multiply.reduce(v) ** 2)


def of_reduce_3(v):
    return np.sum(np.maximum.reduce(v) ** 2)


def of_outer_2(v, w):
    return np.sum(np.multiply.outer(v, w) ** 2)


def of_outer_3(v, w):
    return np.sum(np.subtract.outer(v, w) ** 2)


def of_outer_4(v, w):
    return np.sum(np.add.outer(v, w) ** 2)


def of_sinc(v):
    return np.sum(np.sinc(v) ** 2 + np.i0(v) + np.deg2rad(v) + np.rad2deg(v) + np.cbrt(v) + np.exp2(v) + np.square(v) + np.reciprocal(v) + np.positive(v) + np.fabs(v))


def of_extract(v):
    return np.sum(np.extract(v > 0, v) ** 2)


def of_compress(v):
    return np.sum(np.compress(v > 0, v) ** 2)


def of_delete(m):
    return np.sum(np.delete(m, 1, axis=0) ** 2)


def of_delete_2(v):
    return np.sum(np.delete(v, [0, 2]) ** 2)


def of_insert(v, x):
    return np.sum(np.insert(v, 2, x) ** 2)


def of_resize(v):
    return np.sum(np.resize(v, (3, 4)) ** 2)


def of_array_split(m):
    return np.sum(np.array_split(m, 3)[0] ** 2)


def of_vsplit(m):
    a, b = np.vsplit(m, 2)
    return np.sum(a * b)


def of_rollaxis(m):
    return np.sum(np.rollaxis(m, 1) ** 2)


def of_unique(v):
    return np.sum(np.unique(v) ** 2)


def of_partition(v):
    return np.sum(np.partition(v, 2) * COUNTS)


def of_diagflat(m):
    return np.sum(np.diagflat(m[0]) ** 2)


def of_logspace(v):
    return np.sum(np.logspace(v[0], v[1], 4))


def of_geomspace(p, q):
    return np.sum(np.geomspace(p, q, 4) ** 2)


def of_matvec(v, w):
    return np.sum(np.matvec(np.outer(v, w), v) ** 2)


def of_vecmat(v, w):
    return np.sum(np.vecmat(v, np.outer(v, w)) ** 2)


def of_cumulative_sum(v):
    return np.sum(np.cumulative_sum(v) ** 2)


def of_cumulative_prod(v):
    return np.sum(np.cumulative_prod(v) ** 2)


def of_divmod(v):
    return np.sum(np.divmod(v, 0.7)[1] ** 2)


def of_modf(v):
    return np.sum(np.modf(v)[0] ** 2)


def of_frexp(v):
    return np.sum(np.frexp(v)[0] ** 2)


def of_angle(v):
    return np.sum(np.angle(v) + np.imag(v) + v)


def of_cdf(p, w):
    return np.sum(stats.t.cdf(w, p))


def of_sf(p, w):
    return np.sum(stats.t.sf(w, p))


def of_cdf_2(p, w):
    return np.sum(stats.gamma.cdf(w, p))


def of_sf_2(p, w):
    return np.sum(stats.gamma.sf(w, p))


def of_logsf(p, w):
    return np.sum(stats.gamma.logsf(w, p))


def of_cdf_3(p, q, pr):
    return np.sum(stats.beta.cdf(pr, p, q))


def of_sf_3(p, q, pr):
    return np.sum(stats.beta.sf(pr, p, q))


def of_cdf_4(p, w):
    return np.sum(stats.lognorm.cdf(w, p))


def of_sf_4(p, w):
    return np.sum(stats.lognorm.sf(w, p))


def of_logcdf(q, w):
    return np.sum(stats.expon.logcdf(w, scale=q) + stats.expon.logsf(w, scale=q))


def of_cdf_5(p):
    return np.sum(stats.poisson.cdf(COUNTS, p))


def of_sf_5(p):
    return np.sum(stats.poisson.sf(COUNTS, p) + stats.poisson.logcdf(COUNTS, p))


def of_cdf_6(u):
    return np.sum(stats.binom.cdf(COUNTS, 6, u))


def of_sf_6(u):
    return np.sum(stats.binom.sf(COUNTS, 6, u))


def of_cdf_7(u, p):
    return np.sum(stats.nbinom.cdf(COUNTS, p, u))


def of_logpmf(u):
    return np.sum(stats.geom.logpmf(COUNTS + 1, u))


def of_cdf_8(u):
    return np.sum(stats.geom.cdf(COUNTS + 1, u))


ARGUMENTS = {
    'x': 0.7,
    'p': 1.3,
    'q': 2.2,
    'u': 0.4,
    'v': RNG.permutation(np.linspace(-1.73, 1.94, 5)),
    'w': RNG.permutation(np.linspace(0.35, 2.1, 5)),
    'pr': RNG.uniform(0.1, 0.9, 5),
    's3': np.sort(RNG.normal(size=5)),
    'm': RNG.permutation(np.linspace(-1.6, 1.9, 12)).reshape(4, 3),
    'm2': RNG.normal(size=(3, 5)),
    'sq': SQUARE,
    'sy': SQUARE @ SQUARE.T,
    'st': RNG.normal(size=(2, 4, 3)),
    'b3': RNG.normal(size=3),
    'v8': RNG.permutation(np.linspace(-1.9, 2.3, 8)),
    't8': np.cumsum(RNG.uniform(0.5, 1.5, 8)),
    'ab': np.array(
        [[0.0, 0.3, 0.2, 0.1, 0.4], [3.0, 4.0, 5.0, 6.0, 4.0], [0.2, 0.3, 0.4, 0.5, 0.0]]
    ),
    'abh': np.array([[0.0, 0.3, 0.2, 0.1, 0.4], [3.0, 4.0, 5.0, 6.0, 4.0]]),
    'm8': RNG.permutation(np.linspace(-2.0, 2.2, 42)).reshape(6, 7),
}

# With the names of its arguments, and whether the second order is supported.
PROGRAMS = [
    (of_logsumexp, ('v', 'w'), True),
    (of_solve_banded, ('ab', 'v'), True),
    (of_solveh_banded, ('abh', 'v'), True),
    (of_cho_factor, ('sy', 'b3'), True),
    (of_cho_factor_2, ('sy', 'b3'), True),
    (of_toeplitz, ('v', 'w'), True),
    (of_toeplitz_2, ('v',), True),
    (of_solve_toeplitz, ('v', 'w'), True),
    (of_circulant, ('v',), True),
    (of_sqrtm, ('sq',), True),
    (of_solve_sylvester, ('sq', 'sy'), True),
    (of_eigvalsh, ('sq',), True),
    (of_eigh, ('sq',), True),
    (of_svd, ('sq',), False),
    (of_svd_2, ('m',), True),
    (of_gammainc, ('p', 'x'), True),
    (of_gammaincc, ('p', 'x'), True),
    (of_betainc, ('p', 'q', 'u'), True),
    (of_betaincc, ('p', 'q', 'u'), True),
    (of_norm, ('sq',), False),
    (of_norm_2, ('sq',), False),
    (of_norm_3, ('sq',), True),
    (of_norm_4, ('sq',), True),
    (of_norm_5, ('sq',), False),
    (of_norm_6, ('sq',), True),
    (of_multi_dot, ('m', 'm2', 'v'), True),
    (of_cond, ('sq',), False),
    (of_cond_2, ('sq',), False),
    (of_svdvals, ('m',), False),
    (of_vector_norm, ('m',), True),
    (of_matrix_norm, ('m',), True),
    (of_matrix_transpose, ('m',), True),
    (of_trace, ('sq',), True),
    (of_diagonal, ('sq',), True),
    (of_outer, ('v', 'w'), True),
    (of_matrix_transpose_2, ('m',), True),
    (of_vecdot, ('v', 'w'), True),
    (of_cross, ('b3', 'sq'), True),
    (of_interp, ('v', 't8', 'v8'), False),
    (of_correlate, ('v', 'v8'), True),
    (of_correlate_2, ('v', 'v8'), True),
    (of_correlate_3, ('v', 'v8'), True),
    (of_trapezoid, ('v8', 't8'), True),
    (of_cumulative_trapezoid, ('v8', 't8'), True),
    (of_cumulative_trapezoid_2, ('v8',), True),
    (of_lfilter, ('v8', 'b3', 'p'), True),
    (of_lfilter_2, ('v8', 'b3'), True),
    (of_lfilter_3, ('v8', 'b3', 'w'), True),
    (of_convolve, ('v8', 'v'), True),
    (of_convolve_2, ('v8', 'v'), True),
    (of_fftconvolve, ('v8', 'v'), True),
    (of_convolve2d, ('m8', 'm'), True),
    (of_convolve2d_2, ('m8', 'm'), True),
    (of_correlate2d, ('m8', 'm'), True),
    (of_fftconvolve_2, ('m8', 'm'), True),
    (of_correlate_4, ('v8', 'v'), True),
    (of_gaussian_filter1d, ('v8',), True),
    (of_gaussian_filter, ('m8',), True),
    (of_uniform_filter1d, ('v8',), True),
    (of_laplace, ('m8',), True),
    (of_quantile, ('v8',), True),
    (of_quantile_2, ('v8',), True),
    (of_quantile_3, ('v8',), True),
    (of_quantile_4, ('v8',), True),
    (of_quantile_5, ('v8',), True),
    (of_percentile, ('v8',), True),
    (of_quantile_6, ('m8',), True),
    (of_nanmedian, ('v8',), True),
    (of_nanpercentile, ('v8',), True),
    (of_nanquantile, ('v8',), True),
    (of_nanprod, ('v8',), True),
    (of_nancumsum, ('v8',), True),
    (of_nancumprod, ('v8',), True),
    (of_unwrap, ('v8',), True),
    (of_polyfit, ('v8', 't8'), False),
    (of_poly, ('b3',), True),
    (of_polyder, ('v',), True),
    (of_polyint, ('v',), True),
    (of_polymul, ('v', 'w'), True),
    (of_polyadd, ('v', 'b3'), True),
    (of_polysub, ('v', 'b3'), True),
    (of_polyval, ('v', 'x'), True),
    (of_chebval, ('v', 'x'), True),
    (of_legval, ('v', 'x'), True),
    (of_vander, ('v',), True),
    (of_vander_2, ('v',), True),
    (of_bincount, ('v',), True),
    (of_bincount_2, ('v',), True),
    (of_piecewise, ('v',), True),
    (of_piecewise_2, ('v',), True),
    (of_select, ('v', 'w'), True),
    (of_select_2, ('v', 'w'), True),
    (of_lexsort, ('v', 'w'), False),
    (of_r, ('v', 'w', 'x'), True),
    (of_c, ('v', 'w'), True),
    (of_fromiter, ('v',), True),
    (of_fromiter_2, ('v',), True),
    (of_fromfunction, ('x',), True),
    (of_sliding_window_view, ('v8', 'b3'), True),
    (of_sliding_window_view_2, ('m8',), True),
    (of_cov, ('m',), True),
    (of_cov_2, ('m',), True),
    (of_cov_3, ('v', 'w'), True),
    (of_corrcoef, ('m',), False),
    (of_corrcoef_2, ('v', 'w'), False),
    (of_ediff1d, ('v',), True),
    (of_accumulate, ('m',), True),
    (of_accumulate_2, ('v',), True),
    (of_accumulate_3, ('v',), True),
    (of_accumulate_4, ('v',), True),
    (of_accumulate_5, ('v',), True),
    (of_reduce, ('v',), True),
    (of_reduce_2, ('v',), True),
    (of_reduce_3, ('v',), True),
    (of_outer_2, ('v', 'w'), True),
    (of_outer_3, ('v', 'w'), True),
    (of_outer_4, ('v', 'w'), True),
    (of_sinc, ('v',), True),
    (of_extract, ('v',), True),
    (of_compress, ('v',), True),
    (of_delete, ('m',), True),
    (of_delete_2, ('v',), True),
    (of_insert, ('v', 'x'), True),
    (of_resize, ('v',), True),
    (of_array_split, ('m',), False),
    (of_vsplit, ('m',), True),
    (of_rollaxis, ('m',), True),
    (of_unique, ('v',), True),
    (of_partition, ('v',), True),
    (of_diagflat, ('m',), True),
    (of_logspace, ('v',), True),
    (of_geomspace, ('p', 'q'), True),
    (of_matvec, ('v', 'w'), True),
    (of_vecmat, ('v', 'w'), True),
    (of_cumulative_sum, ('v',), True),
    (of_cumulative_prod, ('v',), True),
    (of_divmod, ('v',), False),
    (of_modf, ('v',), False),
    (of_frexp, ('v',), False),
    (of_angle, ('v',), True),
    (of_cdf, ('p', 'w'), True),
    (of_sf, ('p', 'w'), True),
    (of_cdf_2, ('p', 'w'), True),
    (of_sf_2, ('p', 'w'), True),
    (of_logsf, ('p', 'w'), True),
    (of_cdf_3, ('p', 'q', 'pr'), True),
    (of_sf_3, ('p', 'q', 'pr'), True),
    (of_cdf_4, ('p', 'w'), True),
    (of_sf_4, ('p', 'w'), True),
    (of_logcdf, ('q', 'w'), True),
    (of_cdf_5, ('p',), True),
    (of_sf_5, ('p',), True),
    (of_cdf_6, ('u',), True),
    (of_sf_6, ('u',), True),
    (of_cdf_7, ('u', 'p'), True),
    (of_logpmf, ('u',), True),
    (of_cdf_8, ('u',), True),
    (of_logpdf, ('p', 'w'), True),
    (of_pdf, ('p', 'q', 'w'), True),
    (of_cdf_9, ('p', 'w'), True),
    (of_sf_7, ('p', 'w'), True),
    (of_logpdf_2, ('p', 'w'), True),
    (of_cdf_10, ('p', 'w'), True),
    (of_logpdf_3, ('w',), True),
    (of_logpdf_4, ('p', 'w'), True),
    (of_cdf_11, ('p', 'w'), True),
    (of_sf_8, ('p', 'w'), True),
    (of_logpdf_5, ('p', 'w'), True),
    (of_logpdf_6, ('p', 'w'), True),
    (of_logpdf_7, ('p', 'q', 'w'), True),
    (of_cdf_12, ('p', 'q', 'w'), True),
    (of_logpdf_8, ('w',), True),
    (of_logpdf_9, ('w',), True),
    (of_logpdf_10, ('w',), True),
    (of_logpdf_11, ('u', 'w'), True),
    (of_logpdf_12, ('p', 'w'), True),
    (of_logpdf_13, ('p', 'v'), True),
    (of_logpdf_14, ('v',), True),
    (of_logpdf_15, ('v',), True),
    (of_logpdf_16, ('v',), True),
    (of_zscore, ('v',), True),
    (of_gmean, ('w',), True),
    (of_skew, ('v',), True),
    (of_entropy, ('pr',), True),
    (of_sem, ('v',), True),
    (of_variation, ('w',), True),
    (of_jv, ('w',), True),
    (of_j0, ('w',), True),
    (of_sici, ('w',), True),
    (of_fresnel, ('w',), True),
    (of_ellipk, ('pr',), True),
    (of_ellipkinc, ('x', 'pr'), True),
    (of_spence, ('w',), True),
    (of_hyp0f1, ('w',), True),
    (of_gammaincinv, ('p', 'w'), True),
    (of_betaincinv, ('p', 'q', 'pr'), True),
    (of_binom, ('w',), True),
    (of_poch, ('w',), True),
    (of_owens_t, ('v',), True),
    (of_stdtr, ('p', 'u'), True),
    (of_fdtr, ('p', 'q', 'u'), True),
    (of_norm_7, ('sq',), False),
]
