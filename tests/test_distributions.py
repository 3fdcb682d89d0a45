"""Densities of scipy.stats: values as SciPy's, slopes as differences of SciPy's values say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
import tangent
from scipy.stats import multivariate_normal, norm
from tangent.errors import TangentError

POINTS = np.array([0.35, 0.8, 0.6])
COUNTS = np.array([1, 3, 2])
# The distribution, its methods, what it is asked at, its parameters as they are passed.
CONTINUOUS: list[tuple[str, str, tuple[float, ...]]] = [
    ('norm', 'logpdf pdf cdf sf logcdf logsf', ()),
    ('norm', 'logpdf pdf cdf sf logcdf logsf', (0.3,)),
    ('norm', 'logpdf pdf cdf sf logcdf logsf ppf', (0.3, 1.7)),
    ('expon', 'logpdf pdf cdf sf ppf', (0.1, 1.7)),
    ('uniform', 'logpdf pdf cdf', (0.1, 1.7)),
    ('laplace', 'logpdf pdf', (0.1, 1.7)),
    ('logistic', 'logpdf pdf cdf sf', (0.1, 1.7)),
    ('cauchy', 'logpdf pdf', (0.1, 1.7)),
    ('halfnorm', 'logpdf pdf', (0.1, 1.7)),
    ('t', 'logpdf pdf', (3.2, 0.1, 1.7)),
    ('t', 'logpdf pdf', (3.2,)),
    ('gamma', 'logpdf pdf', (2.3, 0.1, 1.7)),
    ('gamma', 'logpdf pdf', (2.3,)),
    ('beta', 'logpdf pdf', (2.3, 1.4)),
    ('beta', 'logpdf pdf', (2.3, 1.4, -0.1, 1.7)),
    ('lognorm', 'logpdf pdf', (0.6, 0.1, 1.7)),
]
DISCRETE: list[tuple[str, str, tuple[float, ...]]] = [
    ('poisson', 'logpmf pmf', (2.2,)),
    ('bernoulli', 'logpmf pmf', (0.3,)),
    ('binom', 'logpmf pmf', (7, 0.3)),
    ('nbinom', 'logpmf pmf', (4.5, 0.3)),
]


def slopes(function: Callable[..., Any], at: list[Any], position: int) -> Any:
    """Differences of fourth order, element by element."""
    base = np.asarray(at[position], dtype=float)
    found = np.zeros_like(base)
    h = 1e-3

    def moved(index: Any, by: float) -> float:
        there = base.copy()
        there[index] += by
        return float(function(*at[:position], there[()], *at[position + 1 :]))

    for index in np.ndindex(base.shape):
        near = moved(index, h) - moved(index, -h)
        far = moved(index, 2 * h) - moved(index, -2 * h)
        found[index] = (8 * near - far) / (12 * h)
    return found


def check(function: Callable[..., Any], at: list[Any], wrt: tuple[int, ...]) -> None:
    *got, value = tangent.grad(function, wrt=wrt, preserve_result=True)(*at)
    np.testing.assert_allclose(value, function(*at), rtol=1e-12)
    for position, gradient in zip(wrt, got, strict=True):
        np.testing.assert_allclose(gradient, slopes(function, at, position), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(
    ('name', 'method', 'parameters'),
    [(n, m, p) for n, methods, p in CONTINUOUS for m in methods.split()],
)
def test_continuous(name: str, method: str, parameters: tuple[float, ...], tmp_path: Any) -> None:
    function = written(name, method, len(parameters), tmp_path)
    check(function, [POINTS, *parameters], tuple(range(1 + len(parameters))))


@pytest.mark.parametrize(
    ('name', 'method', 'parameters'),
    [(n, m, p) for n, methods, p in DISCRETE for m in methods.split()],
)
def test_discrete(name: str, method: str, parameters: tuple[float, ...], tmp_path: Any) -> None:
    at = COUNTS if name != 'bernoulli' else np.array([1, 0, 1])
    function = written(name, method, len(parameters), tmp_path)
    real = [1 + k for k, each in enumerate(parameters) if isinstance(each, float)]
    check(function, [at, *parameters], tuple(real))


def written(name: str, method: str, count: int, folder: Any) -> Callable[..., Any]:
    """A function of a file of its own that sums what the method gives."""
    import importlib.util

    arguments = ', '.join(['x', *(f'p{k}' for k in range(count))])
    path = folder / 'program.py'
    path.write_text(
        f'import numpy as np\nfrom scipy.stats import {name} as d\n\n\n'
        f'def f({arguments}):\n'
        f'    return np.sum(np.array([1.0, -0.7, 0.4]) * d.{method}({arguments}))\n'
    )
    spec = importlib.util.spec_from_file_location('program', path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[..., Any] = module.f
    return function


def keywords(x, m, s):
    return np.sum(norm.logpdf(x, scale=s, loc=m)) + norm.pdf(m, scale=s) + norm(m, s).logcdf(x[0])


def many(x, m, low):
    cov = low @ low.T + np.eye(2)
    rows = np.sum(multivariate_normal.logpdf(x, mean=m, cov=cov))
    return rows + multivariate_normal.pdf(x[0], m, cov) - multivariate_normal(m, cov).logpdf(x[1])


def test_keywords_and_frozen() -> None:
    check(keywords, [POINTS, 0.2, 1.3], (0, 1, 2))


def test_multivariate_normal() -> None:
    x = np.array([[0.5, 1.0], [-0.3, 0.2], [1.2, -0.8]])
    check(many, [x, np.array([0.1, 0.3]), np.array([[1.0, 0.0], [0.4, 0.8]])], (0, 1, 2))


def outside(x, s):
    return np.sum(scipy.stats.expon.logpdf(x, scale=s))


def test_outside_of_the_support() -> None:
    at = np.array([-1.0, 0.5])
    gradient, value = tangent.grad(outside, wrt=0, preserve_result=True)(at, 2.0)
    assert value == -np.inf
    np.testing.assert_allclose(gradient, [0.0, -0.5])


def spread(x, s):
    return np.sum(norm.cdf(x, 0.0, s))


def test_a_scale_that_is_not_positive_raises() -> None:
    with pytest.raises(ValueError, match='scale'):
        tangent.grad(spread, wrt=(0, 1))(POINTS, -1.0)


def held(x, s):
    d = norm(0.0, s)
    return np.sum(d.logpdf(x))


def unfrozen(x, s):
    return np.sum(norm.logpdf(x, 0.0, s))


def test_a_frozen_distribution_under_a_name() -> None:
    got = tangent.grad(held, wrt=(0, 1))(POINTS, 1.5)
    want = tangent.grad(unfrozen, wrt=(0, 1))(POINTS, 1.5)
    assert np.array_equal(got[0], want[0])
    assert got[1] == want[1]


def returned(x, s):
    return norm(x, s)


def test_a_frozen_distribution_as_a_value_is_refused() -> None:
    with pytest.raises(TangentError, match=r'functools\.partial'):
        tangent.grad(returned)(1.0, 1.0)
