"""Lists of records that are no variables: objects, namedtuples and dicts of the outside or of an
argument, whose fields have types of their own, so that `total += x * link.length` is a sum."""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tangent

Link = namedtuple('Link', 'length twist')


class Part:
    def __init__(self, length: Any, twist: Any) -> None:
        self.length = length
        self.twist = twist


class Slotted:
    __slots__ = ('length',)

    def __init__(self, length: float) -> None:
        self.length = length


LINKS = [Link(0.4, 0.1), Link(0.3, 0.5)]
PARTS = [Part(0.4, np.ones(2)), Part(0.3, np.zeros(2))]
ENTRIES = [{'length': 0.4, 'twist': 0.1}, {'length': 0.3, 'twist': 0.5}]
PAIRS = [(0.4, 0.1), (0.3, 0.5)]
X = np.array([0.3, 0.4])
SLOPES = np.cos(X) * np.array([0.4, 0.3])


def over_namedtuples(x):
    total = 0.0
    for angle, link in zip(x, LINKS, strict=False):
        total += np.sin(angle) * link.length
    return total


def over_objects(x):
    total = 0.0
    for k, part in enumerate(PARTS):
        total += np.sin(x[k]) * part.length
    return total


def over_dicts(x):
    total = 0.0
    for k, entry in enumerate(ENTRIES):
        total += np.sin(x[k]) * entry['length']
    return total


def over_pairs(x):
    total = 0.0
    for angle, (length, _) in zip(x, PAIRS, strict=False):
        total += np.sin(angle) * length
    return total


def by_place(x):
    total = 0.0
    for k in range(2):
        total += np.sin(x[k]) * PARTS[k].length
    return total


def of_an_argument(x, records):
    total = 0.0
    for angle, record in zip(x, records, strict=False):
        total += np.sin(angle) * record.length
    return total


@pytest.mark.parametrize('f', [over_namedtuples, over_objects, over_dicts, over_pairs, by_place])
def test_records_of_the_outside(f):
    np.testing.assert_allclose(tangent.grad(f)(X), SLOPES, rtol=1e-14)
    value, tangents = tangent.jvp(f)(X, np.array([1.0, 0.0])), SLOPES[0]
    np.testing.assert_allclose(value, tangents, rtol=1e-14)


@pytest.mark.parametrize(
    'records',
    [
        LINKS,
        tuple(LINKS),
        [Part(0.4, None), Part(0.3, 'x')],
        [SimpleNamespace(length=0.4), SimpleNamespace(length=0.3)],
        [Slotted(0.4), Slotted(0.3)],
    ],
    ids=['namedtuples', 'tuple', 'objects', 'namespaces', 'slots'],
)
def test_records_of_an_argument(records):
    def f(x, records):
        total = 0.0
        for angle, record in zip(x, records, strict=False):
            total = total + np.sin(angle) * record.length
        return total

    np.testing.assert_allclose(tangent.grad(f)(X, records), SLOPES, rtol=1e-14)


def test_several_kinds_of_records_one_after_the_other():
    slope = tangent.grad(of_an_argument)
    for records in (LINKS, [Part(0.4, 1), Part(0.3, 2)], [Link(0.4, 0), Part(0.3, 0)]):
        np.testing.assert_allclose(slope(X, records), SLOPES, rtol=1e-14)
    arrays = [Part(np.array([0.4, 1.0]), 0), Part(np.array([0.3, 1.0]), 0)]

    def summed(x, records):
        total = 0.0
        for angle, record in zip(x, records, strict=False):
            total += np.sum(np.sin(angle) * record.length)
        return total

    slope = tangent.grad(summed)
    np.testing.assert_allclose(slope(X, PARTS), SLOPES, rtol=1e-14)
    np.testing.assert_allclose(slope(X, arrays), np.cos(X) * [1.4, 1.3], rtol=1e-14)


def test_what_changes_behind_the_back_is_seen():
    parts = [Part(0.4, np.ones(2)), Part(0.3, np.ones(2))]

    def f(x):
        total = 0.0
        for part in parts:
            total += np.sum(x * part.twist) * part.length
        return total

    slope = tangent.grad(f)
    np.testing.assert_allclose(slope(X), [0.7, 0.7], rtol=1e-14)
    parts[0].length = 3
    np.testing.assert_allclose(slope(X), [3.3, 3.3], rtol=1e-14)
    parts.append(Part(np.float32(1.0), np.array([1.0, 2.0])))
    np.testing.assert_allclose(slope(X), [4.3, 5.3], rtol=1e-7)
    parts[1].twist = 2.0
    np.testing.assert_allclose(slope(X), [4.6, 5.6], rtol=1e-7)


def test_what_a_class_computes_is_no_field():
    class Shifted(Part):
        @property
        def length(self):
            return 0.1 + self.__dict__['length']

        @length.setter
        def length(self, value):
            self.__dict__['length'] = value

    records = [Shifted(0.3, 0), Shifted(0.2, 0)]

    def f(x, records):
        total = 0.0
        for angle, record in zip(x, records, strict=False):
            total = total + np.sin(angle) * record.length
        return total

    np.testing.assert_allclose(tangent.grad(f)(X, records), SLOPES, rtol=1e-14)


def test_what_is_written_is_refused():
    def f(x):
        total = 0.0
        for part in PARTS:
            part.length = part.length + 1
            total += x[0] * part.length
        return total

    with pytest.raises(tangent.InplaceModificationError, match=r'part\.length'):
        tangent.grad(f)(X)


CONFIGURATION = {
    'layers': [{'size': 4, 'kind': 'tanh'}, {'size': 3, 'kind': 'linear'}],
    'scale': 0.5,
}


def slices_by_a_running_place(x):
    place = 0
    total = 0.0
    for layer in CONFIGURATION['layers']:
        part = x[place : place + layer['size']]
        if layer['kind'] == 'tanh':
            part = np.tanh(part)
        total += np.sum(part) * CONFIGURATION['scale']
        place += layer['size']
    return total


class Computed:
    def __init__(self, value):
        self.value = value

    @property
    def weight(self):
        return self.value * 1.0


COMPUTED = [Computed(np.array([0.3, 0.4])), Computed(np.array([0.5, 0.2]))]


def arrays_that_a_property_gives(x):
    total = 1.0
    for record in COMPUTED:
        total += total * total * x * record.weight
    return np.sum(total)


def test_sums_of_what_has_no_known_type():
    x = np.linspace(-1.0, 1.0, 7)
    expected = 0.5 * np.concatenate([1 - np.tanh(x[:4]) ** 2, np.ones(3)])
    np.testing.assert_allclose(tangent.grad(slices_by_a_running_place)(x), expected, rtol=1e-14)
    step = 1e-30j
    by_complex_step = arrays_that_a_property_gives(0.7 + step).imag / 1e-30
    found = tangent.grad(arrays_that_a_property_gives)(0.7)
    np.testing.assert_allclose(found, by_complex_step, rtol=1e-13)


def test_a_sum_that_something_else_holds_is_refused():
    def f(x):
        total = 1.0
        held = []
        for record in COMPUTED:
            total += x * record.weight
            held.append(total)
        return np.sum(held[0])

    with pytest.raises(tangent.InplaceModificationError, match='total'):
        tangent.grad(f)(0.7)
