"""Programs of SciPy's distributions and special functions, for `library_programs`."""

# ruff: noqa: E501
import numpy as np
from scipy import linalg, special, stats

COUNTS = np.arange(5)


def of_logpdf(p, w):
    return np.sum(stats.weibull_min.logpdf(w, p))


def of_pdf(p, q, w):
    return np.sum(stats.weibull_min.pdf(w, p, scale=q))


def of_cdf_9(p, w):
    return np.sum(stats.weibull_min.cdf(w, p))


def of_sf_7(p, w):
    return np.sum(stats.weibull_min.sf(w, p) + stats.weibull_min.logsf(w, p))


def of_logpdf_2(p, w):
    return np.sum(stats.pareto.logpdf(w + 1, p))


def of_cdf_10(p, w):
    return np.sum(stats.pareto.cdf(w + 1, p))


def of_logpdf_3(w):
    return np.sum(stats.gumbel_r.logpdf(w) + stats.gumbel_l.logpdf(w) + stats.gumbel_r.cdf(w))


def of_logpdf_4(p, w):
    return np.sum(stats.chi2.logpdf(w, p))


def of_cdf_11(p, w):
    return np.sum(stats.chi2.cdf(w, p))


def of_sf_8(p, w):
    return np.sum(stats.chi2.sf(w, p))


def of_logpdf_5(p, w):
    return np.sum(stats.invgamma.logpdf(w, p))


def of_logpdf_6(p, w):
    return np.sum(stats.invgauss.logpdf(w, p))


def of_logpdf_7(p, q, w):
    return np.sum(stats.f.logpdf(w, p, q))


def of_cdf_12(p, q, w):
    return np.sum(stats.f.cdf(w, p, q))


def of_logpdf_8(w):
    return np.sum(stats.rayleigh.logpdf(w) + stats.rayleigh.cdf(w))


def of_logpdf_9(w):
    return np.sum(stats.halfcauchy.logpdf(w))


def of_logpdf_10(w):
    return np.sum(stats.maxwell.logpdf(w))


def of_logpdf_11(u, w):
    return np.sum(stats.vonmises.logpdf(w, u))


def of_logpdf_12(p, w):
    return np.sum(stats.truncnorm.logpdf(w / 3, -p, p))


def of_logpdf_13(p, v):
    return np.sum(stats.skewnorm.logpdf(v, p))


def of_logpdf_14(v):
    return np.sum(stats.laplace.logpdf(v) + stats.laplace.cdf(v) + stats.laplace.sf(v))


def of_logpdf_15(v):
    return np.sum(stats.logistic.logpdf(v) + stats.logistic.cdf(v) + stats.logistic.logcdf(v) + stats.logistic.logsf(v))


def of_logpdf_16(v):
    return np.sum(stats.cauchy.logpdf(v) + stats.cauchy.cdf(v) + stats.cauchy.sf(v))


def of_zscore(v):
    return np.sum(stats.zscore(v) * COUNTS)


def of_gmean(w):
    return np.sum(stats.gmean(w) + stats.hmean(w))


def of_skew(v):
    return np.sum(stats.skew(v) + stats.kurtosis(v))


def of_entropy(pr):
    return np.sum(stats.entropy(pr))


def of_sem(v):
    return np.sum(stats.sem(v))


def of_variation(w):
    return np.sum(stats.variation(w))


def of_jv(w):
    return np.sum(special.jv(1, w) + special.iv(1, w) + special.kv(1, w) + special.yv(1, w) + special.jn(2, w) + special.kn(1, w))


def of_j0(w):
    return np.sum(special.j0(w) + special.j1(w) + special.i0e(w) + special.i1e(w) + special.ive(1, w) + special.k0e(w) + special.k1e(w) + special.kve(1, w))


def of_sici(w):
    s, c = special.sici(w)
    return np.sum(s * c)


def of_fresnel(w):
    s, c = special.fresnel(w)
    return np.sum(s * c)


def of_ellipk(pr):
    return np.sum(special.ellipk(pr) + special.ellipe(pr) + special.ellipkm1(pr))


def of_ellipkinc(x, pr):
    return np.sum(special.ellipkinc(x, pr) + special.ellipeinc(x, pr))


def of_spence(w):
    return np.sum(special.spence(w))


def of_hyp0f1(w):
    return np.sum(special.hyp0f1(1.5, w))


def of_gammaincinv(p, w):
    return np.sum(special.gammaincinv(p, w / 3))


def of_betaincinv(p, q, pr):
    return np.sum(special.betaincinv(p, q, pr))


def of_binom(w):
    return np.sum(special.binom(5.0, w))


def of_poch(w):
    return np.sum(special.poch(w, 2.0) + special.rgamma(w))


def of_owens_t(v):
    return np.sum(special.owens_t(v, 0.5))


def of_stdtr(p, u):
    return np.sum(special.stdtr(p, u) + special.chdtr(p, u) + special.chdtrc(p, u))


def of_fdtr(p, q, u):
    return np.sum(special.fdtr(p, q, u))


def of_norm_7(sq):
    return np.sum(linalg.norm(sq, 2))
