"""Programs that make objects and keep them in lists, in each other, and under several names.

Written as simulators are: N bodies, cascades of tanks, networks of layers, springs between
particles, packs of cells, queues of orders. `PROGRAMS` has each with arguments for it.
"""

# ruff: noqa: B905, RUF007

from __future__ import annotations

import dataclasses
import math
from collections import deque, namedtuple
from typing import NamedTuple

import numpy as np


class Tank:
    GRAVITY = 9.81

    def __init__(self, area, level):
        self.area = area
        self.level = level
        self.inflow = 0.0
        self.out = 0.0

    def step(self, dt):
        self.out = self.area * math.sqrt(2.0 * self.GRAVITY * self.level)
        self.level += dt * (self.inflow - self.out)


def cascade(levels, area, rain):
    tanks = [Tank(area, level) for level in levels]
    for _ in range(4):
        tanks[0].inflow = rain
        for i in range(1, len(tanks)):
            tanks[i].inflow = tanks[i - 1].out
        for tank in tanks:
            tank.step(0.01)
    return sum(tank.level for tank in tanks) + tanks[-1].out


class Cell:
    def __init__(self, charge, resistance=0.1):
        self.charge = charge
        self.resistance = resistance

    def voltage(self, current):
        return 3.0 + 0.5 * self.charge**2 - current * self.resistance

    def draw(self, current, dt):
        self.charge -= current * dt
        self.resistance *= 1.0 + 0.01 * current


def battery_pack(charges, current):
    cells = []
    for charge in charges:
        cells.append(Cell(charge))
    energy = 0.0
    for _ in range(3):
        for cell in cells:
            energy += current * cell.voltage(current) * 0.1
            cell.draw(current, 0.1)
        weakest = min(cells, key=lambda cell: cell.charge)
        weakest.charge += 0.05 * current
    return energy + max(cell.charge for cell in cells)


class Body:
    def __init__(self, mass, x, v):
        self.mass = mass
        self.x = x
        self.v = v
        self.force = 0.0

    def move(self, dt):
        self.v += dt * self.force / self.mass
        self.x += dt * self.v


def bodies_on_a_line(places, mass):
    bodies = [Body(mass * (1.0 + 0.1 * i), x, 0.0) for i, x in enumerate(places)]
    for _ in range(3):
        for a in bodies:
            a.force = 0.0
            for b in bodies:
                if a is not b:
                    d = b.x - a.x
                    a.force += a.mass * b.mass * d / (abs(d) ** 3 + 0.1)
        for body in bodies:
            body.move(0.05)
    return sum(b.x * b.mass for b in bodies) + sum(0.5 * b.mass * b.v**2 for b in bodies)


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __mul__(self, scale):
        return Vector(self.x * scale, self.y * scale)

    def norm(self):
        return math.sqrt(self.x * self.x + self.y * self.y)


class Planet:
    def __init__(self, mass, position, velocity):
        self.mass = mass
        self.position = position
        self.velocity = velocity

    def pull(self, other):
        difference = other.position - self.position
        r = difference.norm() + 0.05
        return difference * (other.mass / r**3)


def planets(masses, speed):
    system = []
    for i, mass in enumerate(masses):
        system.append(Planet(mass, Vector(1.0 * i, 0.5 * i), Vector(0.0, speed)))
    for _ in range(3):
        for planet in system:
            acceleration = Vector(0.0, 0.0)
            for other in system:
                if other is not planet:
                    acceleration = acceleration + planet.pull(other)
            planet.velocity = planet.velocity + acceleration * 0.01
        for planet in system:
            planet.position = planet.position + planet.velocity * 0.01
    total = 0.0
    for planet in system:
        total += planet.mass * planet.position.norm() + planet.velocity.x
    return total


class Particle:
    def __init__(self, x):
        self.x = x
        self.v = 0.0
        self.force = 0.0


class Spring:
    def __init__(self, first, second, stiffness):
        self.first = first
        self.second = second
        self.stiffness = stiffness
        self.length = 1.0

    def pull(self):
        force = self.stiffness * (self.second.x - self.first.x - self.length)
        self.first.force += force
        self.second.force -= force


def springs(places, stiffness):
    particles = [Particle(x) for x in places]
    links = []
    for i in range(len(particles) - 1):
        links.append(Spring(particles[i], particles[i + 1], stiffness * (1.0 + 0.5 * i)))
    for _ in range(4):
        for p in particles:
            p.force = 0.0
        for link in links:
            link.pull()
        for p in particles:
            p.v += 0.1 * p.force
            p.x += 0.1 * p.v
    energy = 0.0
    for link in links:
        energy += 0.5 * link.stiffness * (link.second.x - link.first.x - 1.0) ** 2
    return energy


class Layer:
    def __init__(self, weights, bias):
        self.weights = weights
        self.bias = bias

    def __call__(self, x):
        return np.tanh(self.weights @ x + self.bias)


class Network:
    def __init__(self, weights, scale):
        self.layers = []
        for w in weights:
            self.layers.append(Layer(w * scale, 0.1 * scale))

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def network(weights, scale):
    model = Network(weights, scale)
    return np.sum(model(np.array([0.5, -0.3])) ** 2)


class Gate:
    def __init__(self, rate, state):
        self.rate = rate
        self.state = state

    def update(self, v, dt):
        target = 1.0 / (1.0 + math.exp(-v))
        self.state += dt * self.rate * (target - self.state)


class Neuron:
    def __init__(self, v, rate):
        self.v = v
        self.m = Gate(rate, 0.1)
        self.h = Gate(0.5 * rate, 0.9)

    def step(self, current, dt):
        self.m.update(self.v, dt)
        self.h.update(-self.v, dt)
        self.v += dt * (current - self.m.state**2 * self.h.state * (self.v - 0.5))


def neurons(starts, rate, current):
    cells = [Neuron(v, rate) for v in starts]
    for _ in range(3):
        for k, cell in enumerate(cells):
            cell.step(current * (k + 1), 0.1)
        cells[0].v += 0.1 * cells[-1].v
    return sum(cell.v * cell.m.state for cell in cells)


class Option:
    def __init__(self, strike, weight):
        self.strike = strike
        self.weight = weight

    def payoff(self, price):
        raise NotImplementedError


class Call(Option):
    def payoff(self, price):
        return self.weight * math.log1p(math.exp(price - self.strike))


@dataclasses.dataclass
class Portfolio:
    options: list = dataclasses.field(default_factory=list)
    cash: float = 0.0

    def add(self, option):
        self.options.append(option)
        return self

    def value(self, price):
        total = self.cash
        for option in self.options:
            total += option.payoff(price)
        return total


def portfolio(strikes, price, cash):
    book = Portfolio(cash=cash)
    for k, strike in enumerate(strikes):
        book.add(Call(strike, 1.0 + k))
    return book.value(price) + 0.5 * book.value(1.1 * price)


@dataclasses.dataclass
class Order:
    price: float
    size: float


def queue_of_orders(prices, size):
    queue = deque()
    for price in prices:
        queue.append(Order(price, size))
    earned = 0.0
    wanted = 2.5 * size
    while queue and wanted > 0.0:
        order = queue.popleft()
        taken = min(order.size, wanted)
        earned += taken * order.price
        wanted -= taken
        order.size -= taken
        if order.size > 0.0:
            queue.append(order)
    return earned + sum(order.size * order.price for order in queue)


class Plant:
    def __init__(self, gain, state):
        self.gain = gain
        self.state = state

    def step(self, u, dt):
        self.state += dt * (self.gain * u - self.state)
        return self.state


class Controller:
    def __init__(self, plant, kp, ki):
        self.plant = plant
        self.kp = kp
        self.ki = ki
        self.integral = 0.0

    def step(self, target, dt):
        error = target - self.plant.state
        self.integral += dt * error
        return self.plant.step(self.kp * error + self.ki * self.integral, dt)


def controllers(gains, kp, ki):
    loops = [Controller(Plant(gain, 0.0), kp, ki) for gain in gains]
    cost = 0.0
    for k in range(5):
        for loop in loops:
            cost += (loop.step(1.0 + 0.1 * k, 0.1) - 1.0) ** 2
    return cost


class Node:
    def __init__(self, value):
        self.value = value
        self.next = None


def linked_list(values, scale):
    head = None
    for value in values:
        node = Node(value * scale)
        node.next = head
        head = node
    total = 0.0
    weight = 1.0
    node = head
    while node is not None:
        total += weight * node.value**2
        weight *= 0.5
        node = node.next
    return total


def chosen_by_a_branch(levels, rate):
    tanks = [Tank(0.1, level) for level in levels]
    a = tanks[0]
    for tank in tanks:
        if tank.level > a.level:
            a = tank
    a.level *= rate
    other = tanks[1] if rate > 0.5 else tanks[2]
    other.level += a.level * rate
    return sum(t.level**2 for t in tanks)


def last_and_best(levels, rate):
    tanks = [Tank(rate, level) for level in levels]
    best = None
    last = None
    for tank in tanks:
        if best is None or tank.level > best.level:
            best = tank
        if last:
            tank.level += rate * last.level
        last = tank
    best.level *= 2.0
    return sum(t.level * (i + 1) for i, t in enumerate(tanks))


class Point(NamedTuple):
    x: float
    y: float


def path_length(xs, scale):
    points = []
    for k, x in enumerate(xs):
        points.append(Point(x * scale, k * 0.5))
    total = 0.0
    for p, q in zip(points, points[1:]):
        total += math.hypot(q.x - p.x, q.y - p.y)
    for x, y in points:
        total += 0.1 * x * y
    return total


Pair = namedtuple('Pair', 'rate value')


def tuples_replaced(values, rate):
    pairs = [Pair(rate, v) for v in values]
    for k in range(len(pairs)):
        pairs[k] = pairs[k]._replace(value=pairs[k].value * pairs[k].rate)
    return sum(p.value**2 for p in pairs)


class Market:
    def __init__(self):
        self.agents = []
        self.price = 1.0

    def join(self, agent):
        self.agents.append(agent)
        agent.market = self


class Agent:
    def __init__(self, wealth, eagerness):
        self.wealth = wealth
        self.eagerness = eagerness

    def demand(self, price):
        return self.eagerness * self.wealth / price


def market(wealths, eagerness):
    place = Market()
    agents = [Agent(w, eagerness) for w in wealths]
    place.agents = agents
    for _ in range(3):
        total = sum(agent.demand(place.price) for agent in place.agents)
        place.price *= 1.0 + 0.1 * (total - 1.0)
        for agent, change in zip(place.agents, (0.1, 0.2, -0.1)):
            agent.wealth += change * place.price
    return place.price + sum(a.wealth for a in agents)


def sorted_by_level(levels, rate):
    tanks = [Tank(0.1, level) for level in levels]
    ranked = sorted(tanks, key=lambda tank: -tank.level)
    for k, tank in enumerate(ranked):
        tank.level *= rate ** (k + 1)
    return sum((k + 1) * t.level for k, t in enumerate(tanks))


class Grid:
    def __init__(self, rows, columns, start):
        self.cells = [[Cell(start * (i + 1) + j) for j in range(columns)] for i in range(rows)]

    def total(self):
        return sum(cell.charge**2 for row in self.cells for cell in row)


def grid_of_cells(start, n):
    grid = Grid(n, 3, start)
    for i in range(1, n):
        for j in range(3):
            grid.cells[i][j].charge += 0.5 * grid.cells[i - 1][j].charge
    return grid.total()


def species_in_a_dict(rates, x):
    species = {}
    for k, rate in enumerate(rates):
        species[k] = Cell(x * rate)
    for k in species:
        species[k].charge *= 1.0 + x
    total = 0.0
    for key, cell in species.items():
        total += cell.charge * (key + 1)
    return total + sum(c.resistance * c.charge for c in species.values())


class Clock:
    ticks = 0

    def __init__(self, rate):
        self.rate = rate

    def tick(self, x):
        self.ticks += 1
        return x * self.rate * self.ticks


def class_values(rates, x):
    clocks = [Clock(rate) for rate in rates]
    for _ in range(2):
        for clock in clocks:
            x = x + clock.tick(x)
    return x


def pairs_of_cells(charges, rate):
    cells = [Cell(c) for c in charges]
    links = [(cells[i], cells[i + 1], rate * (i + 1)) for i in range(len(cells) - 1)]
    for a, b, g in links:
        flow = g * (a.charge - b.charge)
        a.charge -= flow
        b.charge += flow
    return sum(cell.charge**2 for cell in cells)


def made_in_a_helper(levels, area):
    tanks = make_tanks(levels, area)
    drain(tanks, 0.02)
    add_tank(tanks, area)
    return total_level(tanks)


def make_tanks(levels, area):
    return [Tank(area * (1.0 + i), level) for i, level in enumerate(levels)]


def drain(tanks, dt):
    for tank in tanks:
        tank.step(dt)


def add_tank(tanks, area):
    tanks.append(Tank(area, 1.0 + area))


def total_level(tanks):
    return sum(t.level * t.area for t in tanks)


LEVELS = (1.0, 1.5, 0.7)
WEIGHTS = (np.array([[0.4, -0.2], [0.3, 0.8]]), np.array([[1.1, 0.2], [-0.5, 0.6]]))

PROGRAMS = [
    (cascade, (LEVELS, 0.3, 0.8)),
    (cascade, (np.array(LEVELS), 0.3, 0.8)),
    (battery_pack, ([0.9, 0.8, 0.95], 0.7)),
    (bodies_on_a_line, ([0.0, 1.0, 2.5], 1.2)),
    (planets, ((1.0, 0.5, 0.2), 0.7)),
    (springs, ([0.0, 1.2, 2.1, 3.5], 2.0)),
    (network, (WEIGHTS, 1.3)),
    (neurons, ((0.1, -0.3), 2.0, 0.5)),
    (portfolio, ((0.9, 1.1), 1.0, 0.3)),
    (queue_of_orders, ([1.0, 1.2, 0.9, 1.5], 0.8)),
    (controllers, ([1.0, 2.0], 1.5, 0.4)),
    (linked_list, ([1.0, 2.0, 3.0], 0.7)),
    (chosen_by_a_branch, (LEVELS, 0.8)),
    (last_and_best, (LEVELS, 0.8)),
    (path_length, ([0.0, 0.5, 1.7], 1.3)),
    (tuples_replaced, ([1.0, 2.0], 0.8)),
    (market, ([1.0, 2.0, 1.5], 0.4)),
    (sorted_by_level, (LEVELS, 0.8)),
    (grid_of_cells, (0.7, 3)),
    (species_in_a_dict, ([1.0, 2.0], 0.8)),
    (class_values, ([1.0, 2.0], 0.8)),
    (pairs_of_cells, (LEVELS, 0.2)),
    (made_in_a_helper, (LEVELS, 0.2)),
]
