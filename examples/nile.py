"""The annual flow of the Nile: fitting a local-level model with the gradient that tangent writes.

The level of the river is a random walk, and what is measured is the level and noise:

    flow[t] = level[t] + noise,   level[t + 1] = level[t] + step

The Kalman filter gives the likelihood of the two variances as a plain Python loop. `tangent` reads
that loop and writes its adjoint. Durbin and Koopman (Time Series Analysis by State Space Methods,
section 2.10) give the maximum: variance of the noise 15,099, of the steps 1,469.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import tangent
from scipy.optimize import OptimizeResult, minimize

# 10^8 cubic metres a year at Aswan, 1871 to 1970.
FLOW = np.array(
    """
    1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958 1140
    1100 1210 1150 1250 1260 1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969
    831 726 456 824 702 1120 1100 832 764 821 768 845 864 862 698 845 744 796 1040 759
    781 865 845 944 984 897 822 1010 771 676 649 846 812 742 801 1040 860 874 848 890
    744 749 838 1050 918 986 797 923 975 815 1020 906 901 1170 912 746 919 718 714 740
    """.split(),
    dtype=float,
)
PUBLISHED = 15099.0, 1469.0
# The variance of the whole series is about 28,600; both start at a round number below it.
START = np.log([20000.0, 20000.0])


def log_likelihood(log_noise, log_step, flow):
    noise = math.exp(log_noise)
    step = math.exp(log_step)
    # Nothing is known before the first year: it gives the level, and says nothing of the variances.
    level = flow[0]
    variance = noise + step
    total = -0.5 * (len(flow) - 1) * math.log(2.0 * math.pi)
    for y in flow[1:]:
        error = y - level
        spread = variance + noise
        total = total - 0.5 * (math.log(spread) + error * error / spread)
        gain = variance / spread
        level = level + gain * error
        variance = variance * (1.0 - gain) + step
    return total


def central_differences(at: np.ndarray, width: float = 1e-5) -> np.ndarray:
    slopes = []
    for direction in np.eye(len(at)) * width:
        above = log_likelihood(*(at + direction), FLOW)
        below = log_likelihood(*(at - direction), FLOW)
        slopes.append((above - below) / (2.0 * width))
    return np.array(slopes)


class Counted:
    """A function for the optimiser that counts its calls."""

    def __init__(self, function: Callable[[np.ndarray], object]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, at: np.ndarray) -> object:
        self.calls += 1
        return self.function(at)


def fit(function: Callable[[np.ndarray], object], jac: bool) -> tuple[OptimizeResult, int, float]:
    """The fit, how often it called the function, and its time in milliseconds: the best of five."""
    best = math.inf
    for _ in range(5):
        counted = Counted(function)
        start = time.perf_counter()
        found = minimize(
            counted, START, method="L-BFGS-B", jac=jac or None, options={"ftol": 1e-12}
        )
        best = min(best, time.perf_counter() - start)
    return found, counted.calls, 1e3 * best


def main() -> None:
    gradient = tangent.grad(log_likelihood, wrt=(0, 1))
    both = tangent.value_and_grad(log_likelihood, wrt=(0, 1))

    print("The adjoint of the Kalman filter, as tangent writes it:\n")
    print(gradient.source(*map(float, START), FLOW))

    print("The gradient where the fit starts:\n")
    ours = np.array(gradient(*map(float, START), FLOW))
    differences = central_differences(START)
    print(f"    {'':22}{'log noise':>16}{'log step':>16}")
    print(f"    {'tangent':22}{ours[0]:16.9f}{ours[1]:16.9f}")
    print(f"    {'central differences':22}{differences[0]:16.9f}{differences[1]:16.9f}")
    np.testing.assert_allclose(ours, differences, rtol=1e-6)

    def with_gradient(at: np.ndarray) -> tuple[float, np.ndarray]:
        value, slopes = both(*at.tolist(), FLOW)
        return -value, -np.array(slopes)

    def without_gradient(at: np.ndarray) -> float:
        return -log_likelihood(*at.tolist(), FLOW)

    print("\nThe maximum of the likelihood (SciPy, L-BFGS-B):\n")
    print(f"    {'':22}{'noise':>10}{'step':>10}{'log lik.':>12}{'calls':>8}{'time':>12}")
    for title, function, jac in (
        ("with the gradient", with_gradient, True),
        ("without", without_gradient, False),
    ):
        found, calls, milliseconds = fit(function, jac)
        noise, step = np.exp(found.x)
        print(
            f"    {title:22}{noise:10.1f}{step:10.1f}{-found.fun:12.4f}{calls:8d}"
            f"{milliseconds:9.2f} ms"
        )
        if jac:
            np.testing.assert_allclose((noise, step), PUBLISHED, rtol=0.005)
    print(f"    {'Durbin and Koopman':22}{PUBLISHED[0]:10.1f}{PUBLISHED[1]:10.1f}")


if __name__ == "__main__":
    main()
