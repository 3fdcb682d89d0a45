"""A day of heating a house on prices that change by the hour, planned with a gradient.

The house is two lumps of heat, its air and its walls. A heat pump, which is weaker and dearer to
run the colder it is outside, warms the air; the sun comes in at the windows, and shutters keep it
out and warmth in. For each hour the plan says with how much power the pump runs and how far the
shutters are closed: 48 numbers. A day costs the power at the hour's price, a charge for every
minute in which it is colder or warmer than the people at home like, and the heat that the walls
have lost by midnight.

`simulate` goes through the day minute by minute, 1,440 steps of plain Python. `tangent` writes its
adjoint; `by_hand` is the one that a person wrote for it. L-BFGS-B finds the plan with either, and
with differences.

    python examples/building.py                     the adjoint and the table
    python examples/building.py --plot day.png      also a picture (needs matplotlib)
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import numpy as np
import tangent
from scipy.optimize import OptimizeResult, minimize

HOURS = 24
STEPS = HOURS * 60

# Kilowatts, kilowatt hours, degrees; heat that flows per degree in kilowatts.
HOUSE = {
    "air": 0.9,  # kWh per degree: the air and what stands in it
    "walls": 8.0,  # kWh per degree
    "inside": 0.55,  # from the air to the walls
    "outer": 0.06,  # from the walls to the outside
    "leak": 0.07,  # from the air to the outside, by draughts and the frames
    "glass": 0.06,  # from the air to the outside, by the panes
    "insulation": 0.7,  # what closed shutters keep of that
    "window": 4.0,  # square metres that the sun sees
    "cop": 4.6,  # heat per power of the pump at 7 degrees outside …
    "cop_slope": 0.07,  # … and what a degree more adds
    "start": 20.0,  # of the air at midnight; the walls are a degree colder
    "stored": 0.09,  # what a kWh is worth that is in the walls at the end
}
MOST_POWER = 3.0


def a_day_in_march() -> dict[str, np.ndarray]:
    """Per minute: temperature outside, sun on the windows, price, and the band of comfort."""
    hour = np.arange(STEPS) / 60.0
    outside = 2.5 + 4.5 * np.sin((hour - 9.5) * math.pi / 12.0)
    sun = 0.45 * np.maximum(np.sin((hour - 6.5) * math.pi / 11.5), 0.0)
    price = np.full(STEPS, 0.22)
    price[(hour >= 6) & (hour < 9)] = 0.34
    price[(hour >= 11) & (hour < 15)] = 0.12
    price[(hour >= 17) & (hour < 21)] = 0.46
    away = (hour >= 8) & (hour < 16)
    asleep = (hour < 6) | (hour >= 22)
    low = np.where(away, 16.0, np.where(asleep, 17.5, 20.5))
    high = np.where(away, 27.0, 24.0)
    return {"outside": outside, "sun": sun, "price": price, "low": low, "high": high}


def simulate(plan, house, day):
    """What the day costs, in euros."""
    minute = 1.0 / 60.0
    air = house["start"]
    walls = house["start"] - 1.0
    cost = 0.0
    for t in range(STEPS):
        hour = t // 60
        power = plan["power"][hour]
        shutters = plan["shutters"][hour]
        outside = day["outside"][t]

        cop = house["cop"] + house["cop_slope"] * (outside - 7.0)
        panes = house["glass"] * (1.0 - house["insulation"] * shutters)
        into_walls = house["inside"] * (air - walls)
        lost = (house["leak"] + panes) * (air - outside)
        gained = house["window"] * (1.0 - shutters) * day["sun"][t]

        cost += minute * day["price"][t] * power
        if air < day["low"][t]:
            cost += minute * 0.4 * (day["low"][t] - air) ** 2
        elif air > day["high"][t]:
            cost += minute * 0.4 * (air - day["high"][t]) ** 2

        air += minute / house["air"] * (cop * power + gained - lost - into_walls)
        walls += minute / house["walls"] * (into_walls - house["outer"] * (walls - outside))
    return cost + house["stored"] * house["walls"] * (house["start"] - 1.0 - walls)


def by_hand(plan, house, day):
    """The gradient of `simulate` by the plan, as a person writes it.

    The model is linear but for the band of comfort, so of the whole day only the temperature of the
    air has to be kept, and backwards the adjoints of two temperatures are carried.
    """
    minute = 1.0 / 60.0
    inside, leak, outer = house["inside"], house["leak"], house["outer"]
    heats, sinks = minute / house["air"], minute / house["walls"]
    power, shutters = plan["power"], plan["shutters"]
    outsides, suns, lows, highs = day["outside"], day["sun"], day["low"], day["high"]

    airs = []
    air = house["start"]
    walls = house["start"] - 1.0
    for t in range(STEPS):
        hour = t // 60
        airs.append(air)
        outside = outsides[t]
        closed = shutters[hour]
        panes = house["glass"] * (1.0 - house["insulation"] * closed)
        cop = house["cop"] + house["cop_slope"] * (outside - 7.0)
        into_walls = inside * (air - walls)
        lost = (leak + panes) * (air - outside)
        gained = house["window"] * (1.0 - closed) * suns[t]
        air += heats * (cop * power[hour] + gained - lost - into_walls)
        walls += sinks * (into_walls - outer * (walls - outside))

    bpower = np.zeros(HOURS)
    bshutters = np.zeros(HOURS)
    bair = 0.0
    bwalls = -house["stored"] * house["walls"]
    for t in reversed(range(STEPS)):
        hour = t // 60
        air = airs[t]
        outside = outsides[t]
        warmed, stored = heats * bair, sinks * bwalls
        cop = house["cop"] + house["cop_slope"] * (outside - 7.0)
        bpower[hour] += warmed * cop + minute * day["price"][t]
        kept = house["glass"] * house["insulation"] * (air - outside)
        bshutters[hour] += warmed * (kept - house["window"] * suns[t])
        panes = house["glass"] * (1.0 - house["insulation"] * shutters[hour])
        bwalls += inside * (warmed - stored) - outer * stored
        bair -= warmed * (leak + panes + inside) - stored * inside
        if air < lows[t]:
            bair -= minute * 0.8 * (lows[t] - air)
        elif air > highs[t]:
            bair += minute * 0.8 * (air - highs[t])
    return {"power": bpower, "shutters": bshutters}


# ------------------------------------------------------------------------------------------------
# Planning


def plan_of(numbers: np.ndarray) -> dict[str, np.ndarray]:
    return {"power": numbers[:HOURS], "shutters": numbers[HOURS:]}


def numbers_of(plan: dict[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([plan["power"], plan["shutters"]])


START = numbers_of({"power": np.full(HOURS, 0.8), "shutters": np.full(HOURS, 0.5)})
BOUNDS = [(0.0, MOST_POWER)] * HOURS + [(0.0, 1.0)] * HOURS


class Objective:
    """The cost of a plan and its gradient, in one of three ways; counts the days gone through."""

    def __init__(self, gradient: Callable[[dict], dict] | None, day: dict[str, np.ndarray]) -> None:
        self.gradient = gradient
        self.day = day
        self.days = 0
        self.gradients = 0

    def cost(self, numbers: np.ndarray) -> float:
        self.days += 1
        return simulate(plan_of(numbers), HOUSE, self.day)

    def slopes(self, numbers: np.ndarray) -> np.ndarray:
        self.gradients += 1
        if self.gradient is not None:
            return numbers_of(self.gradient(plan_of(numbers)))
        return differences(self.cost, numbers)


def differences(cost: Callable[[np.ndarray], float], numbers: np.ndarray) -> np.ndarray:
    """Central differences, as a person without an adjoint takes them."""
    width = 1e-5
    steps = np.eye(len(numbers)) * width
    return np.array([(cost(numbers + s) - cost(numbers - s)) / (2.0 * width) for s in steps])


def planned(objective: Objective, rounds: int) -> tuple[OptimizeResult, float]:
    """The best plan that L-BFGS-B finds, and the seconds it took."""
    start = time.perf_counter()
    found = minimize(
        objective.cost,
        START,
        jac=objective.slopes,
        method="L-BFGS-B",
        bounds=BOUNDS,
        options={"maxiter": rounds, "ftol": 1e-9},
    )
    return found, time.perf_counter() - start


def seconds(function: Callable[[], object], least: int = 5) -> float:
    best = math.inf
    for _ in range(least):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def draw(filename: str, plans: dict[str, dict], day: dict[str, np.ndarray]) -> None:
    """A picture of the day under each plan."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise SystemExit("--plot needs matplotlib: pip install matplotlib") from None
    hours = np.arange(STEPS) / 60.0
    figure = Figure(figsize=(10, 7), layout="constrained")
    warm, shades, costs = figure.subplots(3, 1, sharex=True)
    warm.fill_between(hours, day["low"], day["high"], color="0.9", label="comfort")
    for color, (title, plan) in zip(("C7", "C0"), plans.items(), strict=True):
        warm.plot(hours, temperatures(plan, day), color, label=title)
        for axis, values in (costs, plan["power"]), (shades, plan["shutters"]):
            axis.step(range(HOURS + 1), [*values, values[-1]], color, where="post")
    warm.set_ylabel("air, °C")
    warm.legend(loc="upper left", ncols=3, frameon=False)
    shades.set_ylabel("shutters closed")
    costs.set_ylabel("power, kW")
    costs.set_xlabel("hour")
    prices = costs.twinx()
    prices.plot(hours, day["price"], "C3", linewidth=0.8)
    prices.set_ylabel("€ per kWh", color="C3")
    costs.set_xlim(0, HOURS)
    figure.savefig(filename)


def temperatures(plan: dict[str, np.ndarray], day: dict[str, np.ndarray]) -> np.ndarray:
    """The temperature of the air, minute by minute."""
    air, walls, found = HOUSE["start"], HOUSE["start"] - 1.0, []
    for t in range(STEPS):
        found.append(air)
        power, shutters = plan["power"][t // 60], plan["shutters"][t // 60]
        outside = day["outside"][t]
        cop = HOUSE["cop"] + HOUSE["cop_slope"] * (outside - 7.0)
        panes = HOUSE["glass"] * (1.0 - HOUSE["insulation"] * shutters)
        flow = HOUSE["inside"] * (air - walls)
        heat = cop * power + HOUSE["window"] * (1.0 - shutters) * day["sun"][t]
        loss = (HOUSE["leak"] + panes) * (air - outside)
        air, walls = (
            air + (heat - loss - flow) / 60.0 / HOUSE["air"],
            walls + (flow - HOUSE["outer"] * (walls - outside)) / 60.0 / HOUSE["walls"],
        )
    return np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description="Plans the heating of a house for a day.")
    parser.add_argument("--plot", metavar="FILE", help="draws the day (needs matplotlib)")
    parser.add_argument("--rounds", type=int, default=200, help="of L-BFGS-B, at most")
    options = parser.parse_args()
    day = a_day_in_march()
    gradient = tangent.grad(simulate)

    start = plan_of(START)
    print("The adjoint of a day of heating, as tangent writes it:\n")
    print(gradient.source(start, HOUSE, day))

    ours = numbers_of(gradient(start, HOUSE, day))
    hand = numbers_of(by_hand(start, HOUSE, day))
    apart = differences(lambda numbers: simulate(plan_of(numbers), HOUSE, day), START)
    scale = np.max(np.abs(ours))
    print("Largest difference of the gradients at the first plan, of", f"{scale:.3f}:")
    print(f"    tangent and by hand        {np.max(np.abs(ours - hand)):.1e}")
    print(f"    tangent and differences    {np.max(np.abs(ours - apart)):.1e}\n")
    np.testing.assert_allclose(ours, hand, rtol=1e-9, atol=1e-12 * scale)
    np.testing.assert_allclose(ours, apart, rtol=1e-5, atol=1e-7 * scale)

    once = seconds(lambda: simulate(start, HOUSE, day))
    ways: list[tuple[str, Callable[[dict], dict] | None]] = [
        ("differences", None),
        ("tangent", lambda plan: gradient(plan, HOUSE, day)),
        ("by hand", lambda plan: by_hand(plan, HOUSE, day)),
    ]
    print(f"The plan (L-BFGS-B, {len(START)} numbers); one day takes {1e3 * once:.2f} ms:\n")
    print(
        f"    {'gradient':14}{'gradient, ms':>14}{'of a day':>10}{'days':>8}{'gradients':>11}"
        f"{'seconds':>9}{'cost':>9}"
    )
    best = start
    for title, way in ways:
        objective = Objective(way, day)
        each = seconds(lambda objective=objective: objective.slopes(START), 1 if way is None else 5)
        objective.days = objective.gradients = 0
        found, took = planned(objective, options.rounds)
        print(
            f"    {title:14}{1e3 * each:14.2f}{each / once:9.1f}x{objective.days:8d}"
            f"{objective.gradients:11d}{took:9.2f}{found.fun:9.4f}"
        )
        best = plan_of(found.x) if way is not None else best
    print(f"    {'the first plan':14}{'':52}{simulate(start, HOUSE, day):9.4f}")
    if options.plot:
        draw(options.plot, {"even": start, "planned": best}, day)
        print(f"\nThe day is drawn in {options.plot}.")


if __name__ == "__main__":
    main()
