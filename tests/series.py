"""Truncated power series: derivatives of any order of the user's own function, run by CPython.

`derivative(f, x, n)` runs f on x + t and reads the n-th derivative off the coefficient of t**n. No
code is shared with the engine, nor with the dual numbers of the oracle. NumPy's functions of an
object call its method of that name, so `np.sin(series)` works as it stands. An array argument goes
along (1, 1, …): what `tangent.grad` gives at each order, summed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


class Series:
    """a[0] + a[1] t + … + a[n] t**n."""

    __array_priority__ = 1000

    def __init__(self, coefficients: list[float]) -> None:
        self.a = coefficients

    def _other(self, other: Any) -> Series:
        if isinstance(other, Series):
            return other
        return Series([float(other)] + [0.0] * (len(self.a) - 1))

    def __add__(self, other: Any) -> Series:
        return Series([p + q for p, q in zip(self.a, self._other(other).a, strict=True)])

    __radd__ = __add__

    def __neg__(self) -> Series:
        return Series([-p for p in self.a])

    def __sub__(self, other: Any) -> Series:
        return self + -self._other(other)

    def __rsub__(self, other: Any) -> Series:
        return -self + other

    def __mul__(self, other: Any) -> Series:
        b = self._other(other).a
        return Series([sum(self.a[i] * b[k - i] for i in range(k + 1)) for k in range(len(b))])

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Series:
        b = self._other(other).a
        quotient: list[float] = []
        for k, p in enumerate(self.a):
            quotient.append((p - sum(quotient[i] * b[k - i] for i in range(k))) / b[0])
        return Series(quotient)

    def __rtruediv__(self, other: Any) -> Series:
        return self._other(other) / self

    def __pow__(self, n: Any) -> Series:
        if isinstance(n, int) and n >= 0:
            power = self._other(1.0)
            for _ in range(n):
                power = power * self
            return power
        return (self.log() * n).exp()

    def exp(self) -> Series:
        e = [math.exp(self.a[0])]
        for k in range(1, len(self.a)):
            e.append(sum(i * self.a[i] * e[k - i] for i in range(1, k + 1)) / k)
        return Series(e)

    def log(self) -> Series:
        return self._integral(self._slope() / self, math.log(self.a[0]))

    def sqrt(self) -> Series:
        return (self.log() * 0.5).exp()

    def _sine_and_cosine(self) -> tuple[Series, Series]:
        s, c = [math.sin(self.a[0])], [math.cos(self.a[0])]
        for k in range(1, len(self.a)):
            s.append(sum(i * self.a[i] * c[k - i] for i in range(1, k + 1)) / k)
            c.append(-sum(i * self.a[i] * s[k - i] for i in range(1, k + 1)) / k)
        return Series(s), Series(c)

    def sin(self) -> Series:
        return self._sine_and_cosine()[0]

    def cos(self) -> Series:
        return self._sine_and_cosine()[1]

    def tanh(self) -> Series:
        e = (self * 2.0).exp()
        return (e - 1.0) / (e + 1.0)

    def _slope(self) -> Series:
        return Series([k * p for k, p in enumerate(self.a)][1:] + [0.0])

    def _integral(self, slope: Series, constant: float) -> Series:
        return Series([constant] + [p / (k + 1) for k, p in enumerate(slope.a[:-1])])

    def __lt__(self, other: Any) -> bool:
        return self.a[0] < self._other(other).a[0]

    def __gt__(self, other: Any) -> bool:
        return self.a[0] > self._other(other).a[0]

    def __le__(self, other: Any) -> bool:
        return self.a[0] <= self._other(other).a[0]

    def __ge__(self, other: Any) -> bool:
        return self.a[0] >= self._other(other).a[0]


def derivative(f: Callable[..., Any], args: tuple[Any, ...], order: int) -> float:
    """The derivative of that order with respect to the first argument."""
    x, *rest = args
    if np.ndim(x):
        moved: Any = np.array([Series([float(p), 1.0] + [0.0] * (order - 1)) for p in x])
    else:
        moved = Series([float(x), 1.0] + [0.0] * (order - 1))
    return f(moved, *rest).a[order] * math.factorial(order)
