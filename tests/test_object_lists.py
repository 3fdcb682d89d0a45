"""Objects in lists, in each other and under several names: right in both modes, or refused.

Every value is checked against the oracle, which runs the classes themselves
(`object_list_programs.py`).
"""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import object_list_programs as programs
import oracle
import pytest
import tangent

NAMES = [f'{f.__name__}-{k}' for k, (f, _) in enumerate(programs.PROGRAMS)]


def differentiable(args: Any) -> tuple[int, ...]:
    return tuple(k for k, value in enumerate(args) if not isinstance(value, int))


def whole(gradients: Any, wrt: tuple[int, ...]) -> Any:
    """A tuple of gradients, also of one."""
    return gradients if len(wrt) > 1 or isinstance(gradients, tuple) else (gradients,)


@pytest.mark.parametrize(('f', 'args'), programs.PROGRAMS, ids=NAMES)
def test_reverse_mode(f: Any, args: Any):
    wrt = differentiable(args)
    got = whole(tangent.grad(f, wrt=wrt)(*copy.deepcopy(args)), wrt)
    assert oracle.error(got, whole(oracle.gradient(f, args, wrt), wrt)) <= 1e-10


@pytest.mark.parametrize(('f', 'args'), programs.PROGRAMS, ids=NAMES)
def test_forward_mode(f: Any, args: Any):
    if f is programs.sorted_by_level:
        # The keys that `sorted` compares are no list of the function's own there.
        with pytest.raises(tangent.TypeMismatchError):
            tangent.jvp(f, wrt=(1,))(*copy.deepcopy(args), 1.0)
        return
    for k in differentiable(args):
        if not isinstance(args[k], float | np.ndarray):
            continue
        tangent_of = np.ones_like(args[k]) if isinstance(args[k], np.ndarray) else 1.0
        got = tangent.jvp(f, wrt=(k,))(*copy.deepcopy(args), tangent_of)
        assert abs(got - np.sum(oracle.gradient(f, args, (k,)))) <= 1e-10


@pytest.mark.parametrize(('f', 'args'), programs.PROGRAMS, ids=NAMES)
def test_the_value_is_that_of_the_function(f: Any, args: Any):
    value = tangent.value_and_grad(f, wrt=differentiable(args))(*copy.deepcopy(args))[0]
    assert value == f(*copy.deepcopy(args))


# ------------------------------------------------------------------------------------------------
# What may not be silently wrong


class Item:
    def __init__(self, v):
        self.v = v
        self.log = []

    def move(self, x):
        self.v += x


class Doubled(Item):
    def move(self, x):
        self.v += 2.0 * x


class Blob:
    def __init__(self, place, speed):
        self.place = place
        self.speed = speed

    def move(self, dt):
        self.place += dt * self.speed


@dataclasses.dataclass
class Mark:
    a: float
    b: float


def one_object_twice(xs, k):
    items = [Item(x) for x in xs]
    for item in [items[0], items[1], items[0]]:
        item.move(k)
    return items[0].v * items[1].v


def two_names_of_a_list(xs, k):
    items = [Item(x) for x in xs]
    others = items
    others.append(Item(k))
    items[0].v *= k
    return sum((i + 1) * item.v for i, item in enumerate(others))


def swapped(xs, k):
    items = [Item(x) for x in xs]
    items[0], items[2] = items[2], items[0]
    items[0].v *= k
    return items[0].v + 2.0 * items[1].v + 3.0 * items[2].v


def arrays_of_their_own(xs, k):
    blobs = [Blob(np.array([x, x * x]), np.array([k, 1.0])) for x in xs]
    for _ in range(3):
        for blob in blobs:
            blob.move(0.1)
    return sum(np.sum(blob.place * blob.place) for blob in blobs)


def another_each_round(xs, k):
    total = 0.0
    state = Item(k)
    for x in xs:
        old = state
        state = Item(old.v * x)
        old.v += 1.0
        total += old.v * state.v
    return total


def keys_of_a_dict(xs, k):
    items = [Item(x) for x in xs]
    weights = {}
    for item in items:
        weights[item] = item.v * k
    return sum(weights[item] * item.v for item in items)


def membership(xs, k):
    items = [Item(x) for x in xs]
    some = [items[0], items[2]]
    return sum(item.v * k for item in items if item in some) + (items[1] == items[1]) * k


def arrays_in_a_plain_list(xs, k):
    rows = []
    for x in xs:
        rows.append(x * np.ones(2))
    for i in range(3):
        rows[i] += k * rows[0]
        rows[i] *= rows[1]
    return np.sum(rows[0] * rows[1]) + np.sum(rows[2])


RIGHT = [
    arrays_in_a_plain_list,
    one_object_twice,
    two_names_of_a_list,
    swapped,
    arrays_of_their_own,
    another_each_round,
    keys_of_a_dict,
    membership,
]


@pytest.mark.parametrize('f', RIGHT, ids=lambda f: f.__name__)
def test_all_names_of_an_object_reach_it(f: Any):
    args = ([1.0, 2.0, 3.0], 0.5)
    got = tangent.grad(f, wrt=(0, 1))(*copy.deepcopy(args))
    assert oracle.error(got, oracle.gradient(f, args, (0, 1))) <= 1e-10


def classes_mixed(xs, k):
    items = []
    for i, x in enumerate(xs):
        items.append(Item(x) if i % 2 else Doubled(x))
    for item in items:
        item.move(k)
    return sum(item.v for item in items)


def arrays_shared(xs, k):
    place = np.array([k, k])
    blobs = [Blob(place, np.array([x, 1.0])) for x in xs]
    for blob in blobs:
        blob.move(0.1)
    return sum(np.sum(blob.place * blob.place) for blob in blobs)


def array_read_under_a_name(xs, k):
    blobs = [Blob(np.array([x, x * x]), np.array([k, 1.0])) for x in xs]
    place = blobs[0].place
    for blob in blobs:
        blob.move(0.1)
    return np.sum(place * blobs[1].place)


def list_that_grows_in_an_object(xs, k):
    items = [Item(x) for x in xs]
    for item in items:
        item.log.append(item.v * k)
    return sum(item.log[-1] for item in items)


def compared_by_attributes(xs, k):
    marks = [Mark(x, k) for x in xs]
    return sum(p.a * q.b for p in marks for q in marks if p == q)


def object_as_result(xs, k):
    items = [Item(x * k) for x in xs]
    return items[0]


def number_beside_objects(xs, k):
    items = [Item(x) for x in xs]
    items[0] = 3.0
    return items[0] + items[1].v * k


def attribute_set_later(xs, k):
    items = [Item(x) for x in xs]
    for item in items:
        item.weight = item.v * k
    return sum(item.weight for item in items)


REFUSED = [
    classes_mixed,
    arrays_shared,
    array_read_under_a_name,
    compared_by_attributes,
    object_as_result,
    number_beside_objects,
    attribute_set_later,
]


def test_a_list_of_an_object_grows():
    of_xs, of_k = tangent.grad(list_that_grows_in_an_object, wrt=(0, 1))([1.0, 2.0, 3.0], 0.5)
    assert list(of_xs) == [0.5, 0.5, 0.5]
    assert of_k == 6.0


@pytest.mark.parametrize('f', REFUSED, ids=lambda f: f.__name__)
def test_what_is_not_supported_is_refused_with_its_line(f: Any):
    with pytest.raises((tangent.TangentError, NotImplementedError), match='File'):
        tangent.grad(f, wrt=(0, 1))([1.0, 2.0, 3.0], 0.5)


class Branch:
    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right

    def total(self, rate):
        total = self.value * rate
        if self.left is not None:
            total += self.left.total(rate * 0.5)
        if self.right is not None:
            total += 2.0 * self.right.total(rate)
        return total


def depth(tree, rate):
    if tree is None:
        return 0.0
    return tree.value * rate + depth(tree.left, rate * 0.5) * depth(tree.right, rate)


def method_down_a_tree(x, rate):
    tree = Branch(x, Branch(x * x), Branch(rate, Branch(2.0), None))
    return tree.total(rate)


def function_down_a_tree(x, rate):
    tree = Branch(x, Branch(x * x, Branch(x)), Branch(rate, Branch(2.0), Branch(x)))
    return depth(tree, rate)


@pytest.mark.parametrize('f', [method_down_a_tree, function_down_a_tree], ids=lambda f: f.__name__)
def test_calls_down_a_tree_that_the_text_writes_out(f: Any):
    got = tangent.grad(f, wrt=(0, 1))(0.7, 1.3)
    want = oracle.gradient(f, (0.7, 1.3), (0, 1))
    assert oracle.error(got, want) <= 1e-10
    along = tangent.jvp(f, wrt=(0, 1))(0.7, 1.3, 1.0, 2.0)
    assert abs(along - (want[0] + 2.0 * want[1])) <= 1e-10
