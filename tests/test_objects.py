"""Objects of the user's classes that are made inside: their attributes are variables.

Every value is checked against the oracle, which runs the classes themselves. Where two names hold
one object, the gradient is right or refused.
"""
# ruff: noqa: SIM108

from __future__ import annotations

import collections
import copy
import dataclasses
from typing import Any, ClassVar, NamedTuple

import numpy as np
import oracle
import pytest
import tangent


class Oscillator:
    def __init__(self, stiffness, damping):
        self.stiffness = stiffness
        self.damping = damping

    def force(self, position, velocity):
        return -self.stiffness * position - self.damping * velocity


def swing(stiffness, position):
    oscillator = Oscillator(stiffness, 0.1)
    velocity = 0.0
    for _ in range(5):
        velocity = velocity + 0.01 * oscillator.force(position, velocity)
        position = position + 0.01 * velocity
    return position


class Account:
    total = 0.0
    RATE = 0.25

    def __init__(self, scale):
        self.scale = scale

    def add(self, x):
        self.total += self.scale * x
        return self

    @property
    def twice(self):
        return 2.0 * self.total

    @twice.setter
    def twice(self, value):
        self.total = 0.5 * value

    @classmethod
    def doubled(cls, scale):
        return cls(scale * 2.0)

    @staticmethod
    def square(x):
        return x * x


def class_values_and_methods(x, n):
    account = Account(x)
    for i in range(n):
        account.add(account.total * 0.1 + i).add(x)
    account.twice = account.twice * x
    return account.twice + Account.doubled(x).add(3.0).total + Account.square(x) * account.RATE


@dataclasses.dataclass(frozen=True)
class Vector:
    x: float
    y: float = 1.0

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, scale):
        return Vector(self.x * scale, self.y * scale)

    __rmul__ = __mul__

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __lt__(self, other):
        return self.x < other.x

    def __len__(self):
        return 2

    def dot(self, other):
        return self.x * other.x + self.y * other.y


def orbit(x, y, n):
    position = Vector(x, y)
    velocity = Vector(0.0)
    old = velocity
    for _ in range(n):
        squared = position.dot(position)
        acceleration = -position * (1.0 / (squared * np.sqrt(squared)))
        velocity = velocity + acceleration * 0.01
        old = position
        position = position + 0.01 * velocity
        if old.x > 5.0 or position < Vector(-9.0):
            break
    return position.dot(velocity) + old.x * len(old)


class Base:
    def __init__(self, a):
        self.a = a

    def f(self, x):
        return self.a * x


class Derived(Base):
    def __init__(self, a, b):
        super().__init__(a)
        self.b = b

    def f(self, x):
        return super().f(x) + self.b * x * x

    def __call__(self, x):
        return self.f(x)

    def __getitem__(self, i):
        return self.a if i == 0 else self.b


def inheritance(a, b, x):
    model = Derived(a, b)
    return model(x) + model[0] * model.b * isinstance(model, Base)


class Network:
    def __init__(self, weights, act):
        self.weights = weights
        self.act = act
        self.history = []
        self.inner = Base(weights[0])

    def step(self, x):
        self.x = self.act(self.weights * x) + self.inner.f(x)
        self.weights[0] = self.weights[0] * 1.5
        self.weights[1] += 0.5
        self.history.append(np.sum(self.x))
        return self.x


def arrays_lists_and_functions(w, x):
    network = Network(w * 1.0, np.tanh)
    for _ in range(3):
        x = network.step(x)
    total = 0.0
    for value in network.history:
        total += value * value
    return total + network.inner.a


def made_in_both_arms(x, c):
    if c > 0:
        model = Derived(x, 1.0)
    elif c < 0:
        model = Derived(2.0, x)
    else:
        raise ValueError('c')
    return model(x) * model.b


class Counter:
    def __init__(self):
        self.n = 0.0
        self.last = None

    def tick(self, x):
        self.n, self.m = self.n + x, x * 2
        return self.n * self.m


def two_names_of_one(x):
    counter = Counter()
    other = counter
    y = counter.tick(x) + other.tick(x * x)
    other.n *= 2
    return y * counter.n


class Leaky:
    """A neuron with state."""

    def __init__(self, tau, v=0.0):
        self.tau, self.v = tau, v
        self.spikes = 0

    def run(self, current):
        for i in range(len(current)):
            self.v += 0.5 * (-self.v + current[i]) / self.tau
            if self.v > 1.0:
                self.v = 0.0
                self.spikes += 1
        return self.v


def leaky(tau, current):
    neuron = Leaky(tau)
    return neuron.run(current) + neuron.spikes


def made_in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        model = Derived(x * k, total)
        total = total + model(x)
        if total > 50.0:
            break
    return total


def state_in_and_out(x, n):
    def advance(state, dt):
        return Vector(state.x + dt * state.y, state.y - dt * state.x)

    state = Vector(x, x * x)
    for _ in range(n):
        state = advance(state, 0.1)
    return state.x * state.y


def returned_in_pairs(x):
    def both(a):
        return Vector(a, 2.0), Derived(a * a, 1.0)

    vector, model = both(x)
    return vector.x * model(vector.y)


class State(NamedTuple):
    position: float
    velocity: float
    time: float = 0.0

    def energy(self):
        return self.position**2 + self.velocity**2


Point = collections.namedtuple('Point', 'a b', defaults=(2.0,))


def named_tuples(x, n):
    def product(p, v, t):
        return p * v + t

    state = State(x, 1.0)
    for _ in range(n):
        state = State(state.position + 0.1 * state.velocity, state.velocity - x, state.time + 0.1)
    position, velocity, _ = state
    state = state._replace(velocity=velocity * x)
    point = Point(a=state[0])._replace(b=x)
    return state.energy() + product(*state) * position + point.a * point.b * len(point)


MODEL = Derived(2.0, 3.0)


def of_the_module(x):
    return MODEL(x) * MODEL.a + MODEL[1]


@pytest.mark.parametrize(
    ('f', 'args', 'wrt'),
    [
        (swing, (2.0, 1.0), (0, 1)),
        (class_values_and_methods, (1.5, 4), (0,)),
        (orbit, (1.0, 0.2, 8), (0, 1)),
        (inheritance, (1.1, 2.2, 0.5), (0, 1, 2)),
        (arrays_lists_and_functions, (np.array([1.0, 0.5]), np.array([0.3, 0.4])), (0, 1)),
        (made_in_both_arms, (1.3, 1), (0,)),
        (made_in_both_arms, (1.3, -1), (0,)),
        (two_names_of_one, (1.2,), (0,)),
        (leaky, (3.0, np.array([1.0, 2.0, 3.0, 4.0])), (0, 1)),
        (made_in_a_loop, (1.2, 4), (0,)),
        (state_in_and_out, (1.2, 4), (0,)),
        (returned_in_pairs, (1.2,), (0,)),
        (named_tuples, (1.2, 3), (0,)),
        (of_the_module, (1.2,), (0,)),
    ],
    ids=lambda part: getattr(part, '__name__', None),
)
def test_value_and_gradient(f: Any, args: tuple[Any, ...], wrt: tuple[int, ...]):
    value, got = tangent.value_and_grad(f, wrt=wrt)(*copy.deepcopy(args))
    got = got if len(wrt) > 1 else (got,)
    assert value == f(*copy.deepcopy(args))
    assert oracle.error(got, oracle.gradient(f, copy.deepcopy(args), wrt)) <= 1e-10


def test_the_text_has_no_object():
    text = tangent.grad(swing, wrt=(0, 1)).source(2.0, 1.0)
    assert 'scillator' not in text.split('return')[0].replace('oscillator.force(position', '')
    assert '-stiffness * position - 0.1 * velocity' in text


# ------------------------------------------------------------------------------------------------
# Arguments


class Layer:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


class Model:
    def __init__(self, first, second):
        self.first = first
        self.second = second
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.second(self.first(x))

    @property
    def size(self):
        return self.first.w.shape[0]


def model_of_layers(model, x):
    return np.sum(model.forward(x) ** 2) * model.size + model.calls


class Spring:
    def __init__(self, k):
        self.k = k
        self.x, self.v = 1.0, 0.0
        self.last = None
        self.last = 0.0

    def step_size(self):
        return self.x

    def rate(self):
        return self.k

    def step(self, dt):
        self.v = self.v - dt * self.k * self.x
        self.x += dt * self.v
        self.last, self.new = self.x, self.v
        return self.last + self.new


def state_of_an_argument(spring, dt, n):
    total = 0.0
    for _ in range(n):
        total = total + spring.step(dt) * spring.x
    return total + spring.v + spring.last


class Weights:
    def __init__(self):
        self.a = np.array([1.0, 2.0, 3.0])

    def go(self, x):
        self.a[0] = self.a[1] * x
        self.a += x
        return np.sum(self.a * self.a)


def array_of_an_argument(weights, x):
    return weights.go(x) + weights.go(2 * x)


def advance(state, dt):
    state = State(state.position + dt * state.velocity, state.velocity)
    return state._replace(velocity=state.velocity - dt * state.position)


def tuple_bound_anew(state, dt):
    total = 0.0
    for _ in range(4):
        total = total + state.position
        state = advance(state, dt)
    return state.energy() * total


@pytest.mark.parametrize(
    ('f', 'make'),
    [
        (
            model_of_layers,
            lambda: (
                Model(
                    Layer(np.array([[1.0, 0.5], [0.2, 0.3]]), np.array([0.1, 0.2])),
                    Layer(np.array([[0.4, -0.5], [0.7, 0.3]]), np.array([0.3, 0.2])),
                ),
                np.array([0.3, 0.4]),
            ),
        ),
        (state_of_an_argument, lambda: (Spring(2.0), 0.1, 4)),
        (array_of_an_argument, lambda: (Weights(), 1.5)),
        (tuple_bound_anew, lambda: (State(1.0, 2.0), 0.1)),
    ],
    ids=lambda part: getattr(part, '__name__', None),
)
def test_objects_as_arguments(f: Any, make: Any):
    given, expected = make(), make()
    got = tangent.grad(f, wrt=(0, 1))(*given)
    assert oracle.error(got, oracle.gradient(f, make(), (0, 1))) <= 1e-10
    f(*expected)
    assert parts(given[0]) == parts(expected[0])  # left as the function leaves it
    # Again, with the objects as they are now.
    again = tangent.grad(f, wrt=(0, 1))(*given)
    assert oracle.error(again, oracle.gradient(f, expected, (0, 1))) <= 1e-10


def parts(thing: Any) -> Any:
    if isinstance(thing, np.ndarray):
        return thing.tolist()
    if hasattr(thing, '__dict__'):
        return {name: parts(value) for name, value in vars(thing).items()}
    return thing


def test_the_class_of_an_argument_is_asked_at_every_call():
    def f(model, x):
        return model.f(x)

    df = tangent.grad(f, wrt=1)
    assert df(Base(2.0), 3.0) == 2.0
    assert df(Derived(2.0, 1.0), 3.0) == 8.0
    assert df(Base(5.0), 3.0) == 5.0


def test_an_object_whose_attributes_are_set_may_not_be_another_argument():
    def f(spring, other, dt):
        return spring.step(dt) * other.x

    spring = Spring(2.0)
    df = tangent.grad(f, wrt=2)
    df(Spring(2.0), Spring(2.0), 0.1)
    with pytest.raises(tangent.InplaceModificationError, match='share memory'):
        df(spring, spring, 0.1)
    assert spring.x == 1.0


def test_a_method_of_the_users_is_differentiated_with_its_object():
    spring, other = Spring(2.0), Spring(2.0)
    got = tangent.grad(spring.step)(0.1)
    assert got == pytest.approx(-0.4 - 2.0, rel=1e-12)
    other.step(0.1)
    assert parts(spring) == parts(other)


# ------------------------------------------------------------------------------------------------
# What Python evaluates once, in place, and by which method


class Tally:
    def __init__(self):
        self.total = 0.0
        self.calls = 0

    def bump(self, x):
        self.calls += 1
        self.total += x * self.calls
        return self

    @property
    def count(self):
        self.calls += 1
        return self.calls


def owner_with_effects(x):
    tally = Tally()
    tally.bump(x).total += x
    tally.bump(x).total *= x
    return tally.total * tally.calls * isinstance(tally.count, int) * tally.calls


class Holder:
    def __init__(self, w):
        self.w = w


class Nest:
    def __init__(self, w):
        self.inner = Holder(w)


def array_changed_through_a_path(x):
    nest = Nest(x * 1.0)
    a = nest.inner.w
    nest.inner.w += x
    return np.sum(a * a * nest.inner.w)


class Product:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Product(self.x + other.x)

    def __iadd__(self, other):
        self.x = self.x * other.x
        return self

    def __radd__(self, other):
        return Product(self.x * other.x)


class OtherProduct(Product):
    def __radd__(self, other):
        return OtherProduct(self.x * other.x * 3)


def in_place_operator(x):
    a = Product(x)
    b = a
    a += Product(x * 2)
    return a.x + b.x


def operator_of_the_derived_class(x):
    return (Product(x) + OtherProduct(x * 2)).x


@dataclasses.dataclass
class Hits:
    x: float
    count: ClassVar[float] = 1.0

    def hit(self):
        self.count += self.x


def value_of_a_dataclass(x):
    hits = Hits(x)
    for _ in range(3):
        hits.hit()
    return hits.count


class Named:
    """Attributes that are called as builtins are."""

    def __init__(self, x):
        self.sum = 0.0
        self.max = self.range = self.reversed = self.float = x
        self.len = 2.0 * x

    def go(self, v):
        for e in v:
            self.sum += e * self.max * self.range
            self.max = self.max * self.sum
            self.len = self.len * e + self.reversed * self.float
        return self.sum * self.len


def attributes_like_builtins(v):
    return Named(v[0]).go(v)


def locals_like_builtins(v, range):
    sum = 0.0
    max = v[0]
    len = 1.0
    for e in v:
        sum += e * max * range
        max = max * sum
        len = len * e
    return sum * len


class Negated:
    def __init__(self, v):
        self.a = -v


def array_changed_by_another_name(v):
    w = v * 1.0
    u = w
    negated = Negated(w)
    u *= 2.0
    return np.sum(negated.a * u)


@pytest.mark.parametrize(
    ('f', 'args'),
    [
        (owner_with_effects, (1.3,)),
        (array_changed_through_a_path, (np.array([0.4, -1.2]),)),
        (in_place_operator, (1.3,)),
        (operator_of_the_derived_class, (1.3,)),
        (value_of_a_dataclass, (1.3,)),
        (attributes_like_builtins, (np.array([0.5, 0.7, 1.1]),)),
        (locals_like_builtins, (np.array([0.5, 0.7, 1.1]), 0.3)),
        (array_changed_by_another_name, (np.array([0.4, -1.2]),)),
    ],
    ids=lambda part: getattr(part, '__name__', None),
)
def test_evaluated_as_python_does(f: Any, args: tuple[Any, ...]):
    value, got = tangent.value_and_grad(f)(*copy.deepcopy(args))
    assert value == f(*copy.deepcopy(args))
    assert oracle.error((got,), oracle.gradient(f, copy.deepcopy(args), (0,))) <= 1e-10
    direction = np.ones_like(args[0])
    along = tangent.jvp(f)(*copy.deepcopy(args), direction if np.ndim(direction) else 1.0)
    assert along == pytest.approx(np.sum(got), rel=1e-10)


def test_what_raises_stays_where_it_is():
    def f(z):
        holder = Holder(1.0 / z)
        return holder.w if z != 0 else 0.0

    with pytest.raises(ZeroDivisionError):
        tangent.grad(f)(0.0)


SHARED = Spring(2.0)


def test_an_object_of_the_module_may_not_be_an_argument_whose_attributes_are_set():
    def f(spring, dt):
        return spring.step(dt) * SHARED.step_size()

    def g(spring, dt):
        return spring.step(dt) * SHARED.k * SHARED.rate()

    for function in (f, g):
        with pytest.raises(tangent.InplaceModificationError, match='shares memory'):
            tangent.grad(function, wrt=1)(SHARED, 0.1)
    assert SHARED.x == 1.0


# ------------------------------------------------------------------------------------------------
# Two names, one object: what is not followed is refused, and nothing is stale.


class Cell:
    def __init__(self, v):
        self.v = v

    def put(self, v):
        self.v = v


class Pair:
    def __init__(self, first, second):
        self.first = first
        self.second = second


def replaced_under_one_name(x):
    a = Cell(x)
    b = a
    a = Cell(x * x)
    b.put(b.v + 1.0)
    return a.v * b.v


def replaced_in_a_loop(x):
    a = Cell(x)
    b = Cell(2.0 * x)
    for _ in range(3):
        b = a
        a = Cell(a.v * x)
        b.put(b.v + a.v)
    return a.v * b.v


def shared_attribute(x):
    cell = Cell(x)
    pair = Pair(cell, cell)
    pair.first.put(x * x)
    return pair.second.v * cell.v


def attribute_replaced(x):
    cell = Cell(x)
    pair = Pair(cell, Cell(3.0 * x))
    pair.first = Cell(x * x)
    cell.put(cell.v * x)
    return pair.first.v * cell.v * pair.second.v


def replaced_while_a_parameter(x):
    def exchange(pair, old):
        pair.first = Cell(7.0 * x)
        return old.v * pair.first.v

    pair = Pair(Cell(x), Cell(x))
    return exchange(pair, pair.first)


def pending_operand(x):
    def exchange(pair):
        pair.first = Cell(7.0 * x)
        return 1.0

    def product(cell, factor):
        return cell.v * factor

    pair = Pair(Cell(x), Cell(x))
    return product(pair.first, exchange(pair))


def in_one_arm(x, c):
    cell = Cell(x)
    if c > 0:
        cell.extra = x * x
    return cell.v + (cell.extra if c > 0 else 1.0)


def alias_in_one_arm(x, c):
    a = Cell(x)
    if c > 0:
        b = a
    else:
        b = Cell(2.0 * x)
    b.put(b.v * x)
    return a.v * b.v


def swapped(x):
    a, b = Cell(x), Cell(x * x)
    a, b = b, a
    a.put(a.v * x)
    return a.v + 3.0 * b.v


def first_of_a_loop(x):
    last = Cell(0.0)
    total = 0.0
    for k in range(3):
        total = total + last.v
        last = Cell(x * k)
    return total * last.v


def in_a_list(x):
    cells = [Cell(x), Cell(x * x)]
    return sum(cell.v for cell in cells)


def returned(x):
    return Cell(x)


class Lazy:
    def __getattr__(self, name):
        return 3.0


def made_by_getattr(x):
    return Lazy().anything * x


class Grown(dict):
    pass


def of_a_builtin(x):
    return Grown(a=x)['a']


@pytest.mark.parametrize(
    ('f', 'args'),
    [
        (replaced_under_one_name, (1.3,)),
        (replaced_in_a_loop, (1.3,)),
        (shared_attribute, (1.3,)),
        (attribute_replaced, (1.3,)),
        (replaced_while_a_parameter, (1.3,)),
        (pending_operand, (1.3,)),
        (in_one_arm, (1.3, 1)),
        (in_one_arm, (1.3, -1)),
        (alias_in_one_arm, (1.3, 1)),
        (alias_in_one_arm, (1.3, -1)),
        (swapped, (1.3,)),
        (first_of_a_loop, (1.3,)),
        (in_a_list, (1.3,)),
        (returned, (1.3,)),
        (made_by_getattr, (1.3,)),
        (of_a_builtin, (1.3,)),
    ],
    ids=lambda part: getattr(part, '__name__', None),
)
def test_right_or_refused(f: Any, args: tuple[Any, ...]):
    try:
        got = tangent.grad(f)(*args)
    except tangent.TangentError as problem:
        assert problem.lineno is not None
        return
    assert oracle.error((got,), oracle.gradient(f, args, (0,))) <= 1e-10


# An argument that names an attribute which the call sets before it reads the parameter.


class Damped:
    def __init__(self, value, rate):
        self.value = value
        self.rate = rate

    def step(self, x):
        self.value = 0.5 * self.value + self.rate
        return self.value + 3.0 * x

    @property
    def halved(self):
        self.value = 0.5 * self.value
        return self.value

    def __add__(self, other):
        self.value = 0.25 * self.value
        return other


def steps_of(damped, x):
    return damped.step(1.0) * x


def reads_a_property(damped, x):
    half = damped.halved
    return half * x


def adds(damped, x):
    total = damped + 1.0
    return total * x


def own_attribute(r):
    damped = Damped(r, r * r)
    return damped.step(damped.value) * damped.step(x=damped.value)


def own_attribute_of_a_function(r):
    damped = Damped(r, r * r)
    return steps_of(damped, damped.value)


def own_attribute_and_a_property(r):
    damped = Damped(r, r * r)
    return reads_a_property(damped, damped.value)


def own_attribute_and_an_operator(r):
    damped = Damped(r, r * r)
    return adds(damped, damped.value)


def captured_by_a_callee(x):
    level = x

    def put():
        nonlocal level
        level = 0.5 * level

    def product(q):
        put()
        return q * level

    return product(level)


@pytest.mark.parametrize(
    'f',
    [
        own_attribute,
        own_attribute_of_a_function,
        own_attribute_and_a_property,
        own_attribute_and_an_operator,
        captured_by_a_callee,
    ],
)
def test_an_argument_is_what_it_was_at_the_call(f: Any):
    got = tangent.grad(f, preserve_result=True)(1.3)
    assert oracle.error((got[0],), oracle.gradient(f, (1.3,), (0,))) <= 1e-10
    assert got[1] == f(1.3)


def own_attribute_of_an_argument(damped, n):
    total = 0.0
    for _ in range(n):
        total = total + damped.step(damped.value) * steps_of(damped, damped.value)
    return total


def test_an_attribute_of_an_argument_is_what_it_was_at_the_call():
    got = tangent.grad(own_attribute_of_an_argument)(Damped(1.3, 0.4), 3)
    want = oracle.gradient(own_attribute_of_an_argument, (Damped(1.3, 0.4), 3), (0,))
    assert oracle.error((got,), want) <= 1e-10


def test_a_class_that_changes_is_differentiated_anew():
    class Rate:
        K = 2.0

        def f(self, x):
            return self.K * x

    def g(x):
        return Rate().f(x)

    df = tangent.grad(g)
    assert df(3.0) == 2.0
    Rate.K = 5.0
    assert df(3.0) == 5.0
    Rate.f = lambda self, x: self.K * x * x
    assert df(3.0) == 30.0
