"""Loops that are written out, and iterators that are lists: for test_known_values.py.

Objects and functions that are read at the target of a loop over a few integers, `continue` in loops
over them, lists beside them in `zip`, iterators of `itertools`, generators that are unpacked."""

# Written as users write, not as this project does.
# ruff: noqa: B905, E501

import itertools
import math

import numpy as np
from case_lists import case_list

CASES, case = case_list()


class Body:
    def __init__(self, m, x, v):
        self.m, self.x, self.v = m, x, v


class Scale:
    def __init__(self, a):
        self.a = a

    def apply(self, x):
        return self.a * x


class Shift:
    def apply(self, x):
        return np.tanh(x) + 0.1 * x


class Chain:
    def __init__(self, *parts):
        self.parts = list(parts)

    def apply(self, x):
        for part in self.parts:
            x = part.apply(x)
        return x


def pull(bodies, i):
    total = 0.0
    for j, other in enumerate(bodies):
        if j != i:
            d = other.x - bodies[i].x
            total = total + other.m * d / (d * d + 0.1) ** 1.5
    return total


@case(0.7, 0.3, wrt=(0, 1))
def bodies_by_index(x, v):
    bodies = [Body(1.0, 0.0, 0.0), Body(0.1, x, v), Body(0.2, -1.5, 0.4)]
    for _ in range(3):
        acc = [pull(bodies, i) for i in range(3)]
        for b, a in zip(bodies, acc):
            b.v = b.v + 0.1 * a
            b.x = b.x + 0.1 * b.v
    return bodies[1].x * bodies[2].v + bodies[0].x


@case(0.7, 0.3, wrt=(0, 1))
def pairs_of_bodies(x, v):
    bodies = [Body(1.0, 0.0, v), Body(0.1, x, v), Body(0.2, -1.5, 0.4)]
    n = len(bodies)
    energy = 0.0
    for i in range(n):
        energy += 0.5 * bodies[i].m * bodies[i].v ** 2
        for j in range(i + 1, n):
            energy -= bodies[i].m * bodies[j].m / abs(bodies[i].x - bodies[j].x)
    return energy


@case(0.7, 0.3, wrt=(0, 1))
def pairs_with_continue(x, v):
    bodies = [Body(1.0, 0.2, v), Body(0.1, x, v), Body(0.2, -1.5, 0.4)]
    total = 0.0
    for i in range(3):
        for j in range(3):
            if i == j:
                continue
            total += bodies[i].m * bodies[j].v * math.sin(bodies[i].x - bodies[j].x)
    return total


@case(0.7)
def continue_on_a_value(x):
    total = 0.0
    for part in (Scale(2.0), Shift(), Scale(x)):
        y = part.apply(x)
        if y > 1.3:
            continue
        total += y * y
    return total


@case(np.array([0.3, -0.8]), 1.7, wrt=(0, 1))
def classes_in_turn(x, a):
    return np.sum(Chain(Scale(a), Shift(), Scale(0.5)).apply(x) ** 2)


@case(0.4)
def neighbours(x):
    cells = [Body(1.0, x, 0.0), Body(1.0, x * x, 0.0), Body(1.0, math.sin(x), 0.0), Body(1.0, 0.2, 0.0)]
    for k in range(1, len(cells) - 1):
        cells[k].v = cells[k - 1].x - 2.0 * cells[k].x + cells[k + 1].x
    return cells[1].v * cells[2].v


@case(0.4)
def functions_by_index(x):
    steps = [math.sin, math.cos, math.exp]
    total = 0.0
    for k in range(3):
        total += (k + 1) * steps[k](x)
    return total * sum(steps[i](x) for i in range(2))


@case(np.array([0.4, 0.9, 1.2]))
def array_beside_objects(x):
    total = 0.0
    for part, weight in zip([Scale(2.0), Shift(), Scale(0.5)], x):
        total += weight * part.apply(weight)
    return total


@case(np.array([0.4, 0.9, -1.2, 0.3]))
def combinations_of_three(x):
    total = 0.0
    for i, j in itertools.combinations(range(4), 2):
        total += x[i] * math.sin(x[j])
    for i, j, k in itertools.combinations(range(4), 3):
        total += x[i] * x[j] * x[k]
    return total


@case(np.array([0.4, 0.9, -1.2, 0.3]))
def combinations_of_a_length(x):
    total = 0.0
    for i, j in itertools.combinations(range(len(x)), 2):
        total += x[i] * math.sin(x[j])
    for i, j in itertools.permutations(range(len(x)), 2):
        total += x[i] ** 2 * x[j]
    return total


@case(np.array([[0.4, 0.9], [-1.2, 0.3]]))
def product_of_ranges(x):
    total = 0.0
    for i, j in itertools.product(range(2), range(2)):
        total += (i + 1) * x[i, j] ** (j + 2)
    for bits in itertools.product((0, 1), repeat=2):
        total += math.exp(x[bits[0], bits[1]])
    return total


@case(np.array([[0.4, 0.9], [-1.2, 0.3]]))
def product_of_lengths(x):
    n, m = x.shape
    return sum(x[i, j] * math.cos(x[j, i]) for i, j in itertools.product(range(n), range(m)))


@case(np.array([0.4, 0.9, -1.2]))
def product_with_itself(x):
    total = 0.0
    for a, b in itertools.product(x * x, repeat=2):
        total += math.sin(a) * b
    return total


@case({1: 0.4, 0: 0.9, 2: -1.2}, np.array([0.3, 0.8, 1.1]), wrt=(1,))
def combinations_of_keys(d, x):
    total = 0.0
    for a, b in itertools.combinations(d, 2):
        total += x[a] * math.sin(x[b]) * (a + 1)
    return total


def counted(x, seen):
    seen[0] += 1.0
    return len(x)


@case(np.array([0.4, 0.9]), np.zeros(1))
def evaluated_once(x, seen):
    a, b = [x[k] * x[k] for k in range(counted(x, seen))]
    total = a * b * seen[0]
    for i, j in itertools.combinations(range(counted(x, seen)), 2):
        total += x[i] * x[j] * seen[0]
    for i, j in itertools.product(range(counted(x, seen)), repeat=2):
        total += x[i] * math.sin(x[j]) * seen[0]
    return total


@case(np.array([0.4, 0.9]))
def range_of_its_own(x):
    def range(n):
        return [0] * n

    total = 0.0
    for i, j in itertools.combinations(range(len(x)), 2):
        total += x[i] * x[j] + x[1]
    return total


@case(np.array([0.4, 0.9, -1.2]))
def pairwise_differences(x):
    total = 0.0
    for a, b in itertools.pairwise(x):
        total += (b - a) ** 2 * b
    return total


@case(np.array([0.4, 0.9, -1.2]))
def chained(x):
    total = 1.0
    for a in itertools.chain([x[0], x[1] * x[1]], x):
        total = total * 0.5 + math.sin(a)
    return total


@case(np.array([0.4, 0.9, -1.2]))
def unpacked_generator(x):
    a, b, c = (v * v for v in x)
    return a * b + c


@case(np.array([0.4, 0.9, -1.2]))
def unpacked_buffers(x):
    k1, k2, k3 = (np.zeros(3) for _ in range(3))
    k1[:] = x * x
    k2[:] = np.sin(k1)
    k3[0] = k1[1] * k2[2]
    return np.sum(k1 * k2) + k3[0]


@case(np.array([0.4, 0.9, -1.2]))
def unpacked_powers(x):
    a, b = [np.sum(x**k) for k in range(1, 3)]
    return a * b


@case(np.array([0.3, 1.2, 2.9]), np.array([1.0, 3.0, 2.0, 5.0]), wrt=(0, 1))
def interpolated_sum(x, values):
    total = 0.0
    for point in x:
        total += np.interp(point, np.array([0.0, 1.0, 2.0, 4.0]), values) ** 2
    return total


@case(np.array([0.3, 1.2, 2.9, 0.8]))
def numbers_of_arrays(x):
    total = 0.0
    total += np.einsum('i,i', x, np.sin(x))
    total += np.einsum('i,i->', x, x)
    total -= np.linalg.det(np.outer(x, x) + np.eye(4))
    return total
