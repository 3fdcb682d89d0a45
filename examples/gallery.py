"""Ten programs from ten fields, each beside the adjoint that tangent writes for it.

    python examples/gallery.py                  all of them
    python examples/gallery.py orbit filter     some of them

On a wide terminal (or with `--width 190`) function and adjoint stand side by side, else one after
the other. Each gradient is held against central differences.
"""

# The programs are written as users write them.
# ruff: noqa: B905

from __future__ import annotations

import argparse
import copy
import inspect
import math
import shutil
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tangent


class Piece(NamedTuple):
    """A program of the gallery: what it is, and where its gradient is taken."""

    function: Callable[..., float]
    arguments: Callable[[], tuple[Any, ...]]
    wrt: tuple[int, ...]


GALLERY: dict[str, Piece] = {}


def piece(arguments: Callable[[], tuple[Any, ...]], wrt: tuple[int, ...] = (0,)) -> Callable:
    def hang(function: Callable[..., float]) -> Callable[..., float]:
        GALLERY[function.__name__] = Piece(function, arguments, wrt)
        return function

    return hang


def counted(seed: int, size: int) -> np.ndarray:
    return random(seed).poisson(2.0, size)


def waited(seed: int, size: int) -> np.ndarray:
    return random(seed).exponential(size=size)


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


# ------------------------------------------------------------------------------------------------
# The programs


@piece(lambda: (np.array([0.2, -0.4, 0.7]), random(1).normal(size=(40, 3)), counted(2, 40)))
def likelihood(weights, features, counts):
    """Poisson regression: the negative log-likelihood of counts, with a ridge."""
    rates = np.exp(features @ weights)
    fit = np.sum(rates - counts * np.log(rates))
    return fit + 0.1 * np.sum(weights**2)


@piece(
    lambda: (
        {"melt": 3.0, "threshold": 0.5, "capacity": 80.0, "shape": 2.0, "recession": 0.15},
        random(3).gamma(0.6, 6.0, 60),
        6.0 * np.sin(np.arange(60) / 9.0) + 2.0,
        random(4).gamma(2.0, 1.5, 60),
    )
)
def catchment(p, rain, temperature, measured):
    """A river's flow from snow, soil and groundwater; the squared error of the hydrograph."""
    snow = 0.0
    soil = 40.0
    ground = 10.0
    error = 0.0
    for t in range(len(rain)):
        if temperature[t] < p["threshold"]:
            snow += rain[t]
            water = 0.0
        else:
            melted = min(snow, p["melt"] * (temperature[t] - p["threshold"]))
            snow -= melted
            water = rain[t] + melted
        wet = min(soil / p["capacity"], 1.0)
        recharge = water * wet ** p["shape"]
        soil += water - recharge - 0.5 * wet
        ground += recharge
        flow = p["recession"] * ground
        ground -= flow
        error += (flow - measured[t]) ** 2
    return error / len(rain)


@piece(
    lambda: (np.array([1.0, 0.0]), np.array([0.1, 0.95]), 1.0, np.array([-0.4, 0.8])), wrt=(0, 1, 2)
)
def orbit(position, velocity, mass, target):
    """A planet by leapfrog, and how far from a target it is in the end."""
    step = 0.02
    for _ in range(60):
        velocity = velocity + 0.5 * step * pull(position, mass)
        position = position + step * velocity
        velocity = velocity + 0.5 * step * pull(position, mass)
    return np.sum((position - target) ** 2)


def pull(position, mass):
    return -mass * position / np.sum(position * position) ** 1.5


@piece(lambda: (0.5, 0.08, np.linspace(-1.0, 1.0, 80)), wrt=(0, 1))
def neuron(current, rate, recorded):
    """FitzHugh and Nagumo's neuron: the misfit of its voltage to a recording."""
    v = -1.0
    w = -0.5
    misfit = 0.0
    for observed in recorded:
        dv = v - v**3 / 3.0 - w + current
        dw = rate * (v + 0.7 - 0.8 * w)
        v = v + 0.1 * dv
        w = w + 0.1 * dw
        misfit = misfit + (v - observed) ** 2
    return misfit


@piece(lambda: (100.0, 0.25, 0.03, 105.0), wrt=(0, 1, 2))
def option(spot, volatility, rate, strike):
    """An American put on a binomial tree."""
    steps = 30
    dt = 0.5 / steps
    up = math.exp(volatility * math.sqrt(dt))
    discount = math.exp(-rate * dt)
    chance = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    prices = spot * up ** np.arange(-steps, steps + 1, 2.0)
    values = np.maximum(strike - prices, 0.0)
    for _ in range(steps):
        prices = prices[1:] / up
        held = discount * (chance * values[1:] + (1.0 - chance) * values[:-1])
        values = np.maximum(held, strike - prices)
    return values[0]


@piece(lambda: (np.array([1.5, 2.0, 12.0, 2.5]), np.array([0.3, 0.0, 0.2, 0.0])), wrt=(0, 1))
def control(gains, start):
    """A pole on a cart that a linear controller balances: effort and deviation of two seconds."""
    x, speed, angle, turning = start
    cost = 0.0
    for _ in range(100):
        force = gains @ np.array([x, speed, angle, turning])
        sine, cosine = math.sin(angle), math.cos(angle)
        pushed = (force + 0.05 * turning**2 * sine) / 1.1
        turn = (9.8 * sine - cosine * pushed) / (0.5 * (4.0 / 3.0 - 0.1 * cosine**2 / 1.1))
        push = pushed - 0.05 * turn * cosine / 1.1
        x, speed = x + 0.02 * speed, speed + 0.02 * push
        angle, turning = angle + 0.02 * turning, turning + 0.02 * turn
        cost += 0.02 * (x**2 + 10.0 * angle**2 + 0.01 * force**2)
    return cost


@piece(lambda: (np.sin(np.linspace(0.0, 6.0, 40)), 0.05, np.zeros(40)), wrt=(0, 1))
def burgers(u, viscosity, target):
    """Burgers' equation by upwind differences: the distance of its end from a target."""
    dx = 0.15
    dt = 0.02
    for _ in range(20):
        left = (u[1:-1] - u[:-2]) / dx
        right = (u[2:] - u[1:-1]) / dx
        slope = np.where(u[1:-1] > 0.0, left, right)
        spread = (u[2:] - 2.0 * u[1:-1] + u[:-2]) / dx**2
        new = u.copy()
        new[1:-1] += dt * (viscosity * spread - u[1:-1] * slope)
        u = new
    return np.mean((u - target) ** 2)


@piece(lambda: (0.8, 1.1, waited(5, 50), waited(6, 50)), wrt=(0, 1))
def queue(arrivals, service, gaps, works):
    """The mean wait in a queue (Lindley's recursion), and the price of a faster server."""
    wait = 0.0
    total = 0.0
    for gap, work in zip(gaps, works):
        wait = max(0.0, wait + work / service - gap / arrivals)
        total += wait
    return total / len(gaps) + 0.3 * service**2


@piece(lambda: ([0.45, 0.2, 0.1], np.array([1.0, 2.0, 4.0, 9.0, 16.0, 30.0, 41.0, 38.0])))
def epidemic(rates, reported):
    """Susceptible, exposed, infectious, removed: the misfit to weekly reports."""
    contact, onset, recovery = rates
    susceptible, exposed, infectious = 990.0, 6.0, 4.0
    misfit = 0.0
    for week in range(len(reported)):
        cases = 0.0
        for _ in range(7):
            caught = contact * susceptible * infectious / 1000.0
            ill = onset * exposed
            susceptible -= caught
            exposed += caught - ill
            infectious += ill - recovery * infectious
            cases += ill
        misfit += (cases - reported[week]) ** 2 / (reported[week] + 1.0)
    return misfit


@piece(
    lambda: (
        np.array([[1.0, 0.1], [-0.05, 0.97]]),
        np.diag([0.02, 0.03]),
        0.2,
        random(7).normal(size=25),
    ),
    wrt=(0, 1, 2),
)
def kalman(transition, noise, variance, measured):
    """A Kalman filter of two states of which one is seen: the log-likelihood."""
    mean = np.zeros(2)
    covariance = np.eye(2)
    seen = np.array([1.0, 0.0])
    total = 0.0
    for y in measured:
        mean = transition @ mean
        covariance = transition @ covariance @ transition.T + noise
        error = y - seen @ mean
        spread = seen @ covariance @ seen + variance
        gain = covariance @ seen / spread
        mean = mean + gain * error
        covariance = covariance - np.outer(gain, seen @ covariance)
        total = total - 0.5 * (math.log(spread) + error**2 / spread)
    return total


# ------------------------------------------------------------------------------------------------
# The walls


def central_differences(function: Callable[..., float], at: list[Any], k: int) -> np.ndarray:
    """The slopes along every number of an argument, in one row."""
    return np.array([slope(function, at, k, part) for part in parts_of(at[k])])


def parts_of(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, list):
        return list(range(len(value)))
    return list(np.ndindex(np.shape(value)))


def slope(function: Callable[..., float], at: list[Any], k: int, part: Any) -> float:
    width = 1e-5
    ends = []
    for move in (width, -width):
        moved = copy.deepcopy(at)
        if part == ():
            moved[k] = moved[k] + move
        else:
            moved[k][part] += move
        ends.append(function(*moved))
    return (ends[0] - ends[1]) / (2.0 * width)


def row_of(value: Any) -> np.ndarray:
    if isinstance(value, dict):
        value = list(value.values())
    return np.ravel(np.asarray(value, dtype=float))


def checked(one: Piece) -> float:
    """How far gradient and differences are apart, of the size of the gradient."""
    at = list(one.arguments())
    got = tangent.grad(one.function, wrt=one.wrt)(*copy.deepcopy(at))
    ours = np.concatenate([row_of(each) for each in (got if len(one.wrt) > 1 else (got,))])
    theirs = np.concatenate([central_differences(one.function, at, k) for k in one.wrt])
    return float(np.max(np.abs(ours - theirs)) / max(np.max(np.abs(ours)), 1e-300))


def hung(left: str, right: str, width: int) -> str:
    """Two texts side by side, or one after the other where they are too wide for that."""
    lefts, rights = left.splitlines(), right.splitlines()
    first = max(map(len, lefts))
    if first + 3 + max(map(len, rights)) > width:
        return f"{left}\n\n{right}"
    lefts += [""] * (len(rights) - len(lefts))
    rights += [""] * (len(lefts) - len(rights))
    pairs = zip(lefts, rights, strict=True)
    return "\n".join(f"{one:{first}} │ {other}".rstrip() for one, other in pairs)


def source_of(function: Callable[..., Any]) -> str:
    """The text of a function, without what stands above its `def`."""
    text = inspect.getsource(function)
    return text[text.index("def ") :].rstrip("\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Ten programs and their adjoints.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(GALLERY))
    parser.add_argument("--width", type=int, default=shutil.get_terminal_size((100, 50)).columns)
    options = parser.parse_args()
    for name in options.names:
        if name not in GALLERY:
            sys.exit(f"no {name} in the gallery: it has {', '.join(GALLERY)}")
    worst = 0.0
    for name in options.names or GALLERY:
        one = GALLERY[name]
        adjoint = tangent.grad(one.function, wrt=one.wrt).source(*one.arguments()).rstrip("\n")
        error = checked(one)
        worst = max(worst, error)
        title = f"{name}: {inspect.getdoc(one.function)}"
        print(f"{title}\n{'─' * min(len(title), options.width)}")
        print(hung(source_of(one.function), adjoint, options.width))
        print(f"\nGradient and central differences are {error:.0e} apart.\n\n")
    if worst > 1e-5:
        sys.exit(f"a gradient is {worst:.1e} from central differences")


if __name__ == "__main__":
    main()
