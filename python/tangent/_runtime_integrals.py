"""Run-time helpers: derivatives of the incomplete gamma and beta functions in their parameters.

The functions are integrals of densities, whose derivatives in the parameters are integrals of the
same densities times polynomials (complete Bell polynomials of the derivatives of the logarithm of
the density: L. Comtet, "Advanced Combinatorics" (1974), 3.3). The integrals are computed by the
double exponential rule of H. Takahasi and M. Mori (1974), over the part of the domain where the
density is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._runtime_base import Numeric

# The rule's abscissae on [0, 1]: the logarithms of w and 1 - w, and the weights.
_STEP = 0.0125
_STEPS: Any = np.arange(-640, 641) * _STEP
_TURNS: Any = np.pi * np.sinh(_STEPS)
_LOG_W: Any = -np.logaddexp(0.0, -_TURNS)
_LOG_REST: Any = -np.logaddexp(0.0, _TURNS)
_LOG_WEIGHTS: Any = _LOG_W + _LOG_REST + np.log(np.pi * np.cosh(_STEPS) * _STEP)


def _bell(derivatives: list[Any]) -> Any:
    """The complete Bell polynomial of the derivatives of a logarithm: f^(n) / f."""
    values: list[Any] = [1.0]
    for n in range(len(derivatives)):
        values.append(
            sum(math.comb(n, k) * values[n - k] * derivatives[k] for k in range(n + 1))
        )
    return values[-1]


def _like(result: Any, *arguments: Any) -> Any:
    """A number for numbers; of the dtype that the arguments have together."""
    if not any(isinstance(a, (np.ndarray, np.generic)) for a in arguments):
        return float(result)
    dtype = np.result_type(*arguments, np.float16)
    return np.asarray(result).astype(dtype, copy=False)[()]


def _gamma_density_slope(a: Numeric, x: Numeric, n: int = 0) -> Numeric:
    """The n-th derivative in `a` of x ** (a - 1) * exp(-x) / gamma(a); 0 for a negative n."""
    from scipy.special import gammaln, polygamma, xlogy  # type: ignore[import-untyped]

    if n < 0:
        return 0.0
    shape, at = np.broadcast_arrays(np.asarray(a, float), np.asarray(x, float))
    with np.errstate(all='ignore'):
        logs = [np.log(at) - polygamma(0, shape)]
        logs += [-polygamma(k, shape) for k in range(1, n)]
        density = np.exp(xlogy(shape - 1, at) - at - gammaln(shape))
        value = density * _bell(logs[:n])
    return _like(np.where(at > 0, value, 0.0 if n else density), a, x)


def _gammainc_slope(a: Numeric, x: Numeric, n: int = 1) -> Numeric:
    """The n-th derivative in `a` of scipy.special.gammainc(a, x), of an n of at least 1."""
    from scipy.special import gammaln, polygamma

    shape, at = np.broadcast_arrays(np.asarray(a, float), np.asarray(x, float))
    shape, at = shape[..., None], at[..., None]
    spread = 40.0 * (np.sqrt(shape) + 1.0)
    lower = at <= shape
    low = np.where(lower, np.maximum(0.0, np.minimum(shape - spread, at)), at)
    reach = np.maximum(shape + spread, at + 40.0 * (1.0 + at / (at - shape + 1.0)))
    high = np.where(lower, at, np.where(at > shape, reach, at + spread))
    with np.errstate(all='ignore'):
        log_width = np.log(high - low)
        log_t = np.where(
            low == 0.0, log_width + _LOG_W, np.log(low + (high - low) * np.exp(_LOG_W))
        )
        log_density = (shape - 1.0) * log_t - np.exp(log_t) - gammaln(shape)
        logs = [log_t - polygamma(0, shape)] + [-polygamma(k, shape) for k in range(1, n)]
        terms = np.exp(log_density + log_width + _LOG_WEIGHTS) * _bell(logs)
    total = np.sum(np.where(np.isfinite(terms), terms, 0.0), axis=-1)
    signed = np.where(lower[..., 0], total, -total)
    return _like(np.where(at[..., 0] > 0, signed, 0.0), a, x)


def _beta_logs(a: Any, b: Any, log_t: Any, log_rest: Any, i: int, j: int) -> Any:
    """The derivative in a (i times) and b (j times) of the beta density, over the density."""
    from scipy.special import polygamma

    def derivative(p: int, q: int) -> Any:
        # Of (a - 1) log t + (b - 1) log(1 - t) - betaln(a, b).
        both = polygamma(p + q - 1, a + b)
        if q == 0:
            return both - polygamma(p - 1, a) + (log_t if p == 1 else 0.0)
        if p == 0:
            return both - polygamma(q - 1, b) + (log_rest if q == 1 else 0.0)
        return both

    # f^(p, q) / f, from one derivative more of f = exp(g): f' = f g'.
    known: dict[tuple[int, int], Any] = {(0, 0): 1.0}
    for p in range(i + 1):
        for q in range(j + 1):
            if p == q == 0:
                continue
            if p > 0:
                known[p, q] = sum(
                    math.comb(p - 1, k) * math.comb(q, m) * known[p - 1 - k, q - m]
                    * derivative(k + 1, m)
                    for k in range(p) for m in range(q + 1)
                )  # fmt: skip
            else:
                known[p, q] = sum(
                    math.comb(q - 1, m) * known[0, q - 1 - m] * derivative(0, m + 1)
                    for m in range(q)
                )
    return known[i, j]


def _beta_density_slope(a: Numeric, b: Numeric, x: Numeric, i: int = 0, j: int = 0) -> Numeric:
    """The derivative, i times in a and j times in b, of the density of the beta distribution; 0 for
    a negative i or j."""
    from scipy.special import betaln, xlog1py, xlogy

    if i < 0 or j < 0:
        return 0.0
    first, second, at = np.broadcast_arrays(*(np.asarray(v, float) for v in (a, b, x)))
    with np.errstate(all='ignore'):
        density = np.exp(xlogy(first - 1, at) + xlog1py(second - 1, -at) - betaln(first, second))
        value = density * _beta_logs(first, second, np.log(at), np.log1p(-at), i, j)
    inside = (at > 0) & (at < 1)
    return _like(np.where(inside, value, 0.0 if i or j else density), a, b, x)


def _betainc_slope(a: Numeric, b: Numeric, x: Numeric, i: int = 1, j: int = 0) -> Numeric:
    """The derivative, i times in a and j times in b, of scipy.special.betainc(a, b, x), of an i + j
    of at least 1."""
    from scipy.special import betaln

    first, second, at = np.broadcast_arrays(*(np.asarray(v, float) for v in (a, b, x)))
    first, second, at = first[..., None], second[..., None], at[..., None]
    mean = first / (first + second)
    deviation = np.sqrt(mean * (1.0 - mean) / (first + second + 1.0))
    lower = at <= mean
    low = np.where(lower, np.maximum(0.0, np.minimum(mean - 40.0 * deviation, at)), at)
    high = np.where(lower, at, np.minimum(1.0, np.maximum(mean + 40.0 * deviation, at)))
    with np.errstate(all='ignore'):
        log_width = np.log(high - low)
        log_t = np.where(
            low == 0.0, log_width + _LOG_W, np.log(low + (high - low) * np.exp(_LOG_W))
        )
        log_rest = np.where(
            high == 1.0, log_width + _LOG_REST,
            np.log1p(-high + (high - low) * np.exp(_LOG_REST)),
        )  # fmt: skip
        log_density = (first - 1.0) * log_t + (second - 1.0) * log_rest - betaln(first, second)
        terms = np.exp(log_density + log_width + _LOG_WEIGHTS)
        terms = terms * _beta_logs(first, second, log_t, log_rest, i, j)
    total = np.sum(np.where(np.isfinite(terms), terms, 0.0), axis=-1)
    signed = np.where(lower[..., 0], total, -total)
    inside = (at[..., 0] > 0) & (at[..., 0] < 1)
    return _like(np.where(inside, signed, 0.0), a, b, x)
