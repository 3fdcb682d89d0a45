"""Assignments, as the user writes them and as the core program has them."""

import numpy as np


def chained(x):
    a = b = x * 2.0
    return a + b


def chained_constant(x):
    a = b = 0.0
    a += x
    return a - b


def chained_patterns(x):
    a = (b, c) = (x, x * 2.0)
    return a[0] + b * c


def chained_pattern_first(x):
    (b, c) = a = (x, x * 2.0)
    return a[0] + b * c


def swap(x, y):
    x, y = y, x
    return x - 2.0 * y


def fibonacci(x, y):
    for _ in range(5):
        x, y = y, x + y
    return x


def rotate(x, y):
    z = x * y
    x, y, z = y, z, x
    x, y, z = z + 1.0, x, y
    return x * 100.0 + y * 10.0 + z


def parallel_independent(x):
    a, b = x * 2.0, x * 3.0
    return a * b


def parallel_repeated(x):
    a, a = x, x * 2.0
    return a


def unpack_value(p):
    a, b = p
    return a - b


def unpack_nested(x):
    (a, b), c = (x, 2.0), x * 3.0
    return a * b * c


def unpack_nested_value(p):
    (a, b), [c, d] = p
    return a + b * c - d


def unpack_nested_displays(x, y):
    (x, y), [z, (w,)] = (y, x * 2.0), (x - y, [x])
    ((x, y), z) = (z, w), y
    return x + 10.0 * y + 100.0 * z + 1000.0 * w


def unpack_pattern_and_name(x, y):
    p = (x * 2.0, x * 3.0)
    (x, y), z = p, y
    return x + 10.0 * y + 100.0 * z


def unpack_nothing(x):
    () = ()
    return x


def unpack_list(x):
    [a, b] = [x, x + 1.0]
    return a * b


def unpack_wrong(x):
    a, b = (x, x, x)
    return a


def annotated(x):
    y: float = x * 2.0
    z: float
    z = y + 1.0
    return z


def augmented(x):
    x += 1.0
    x *= x
    x -= 0.5
    x /= 3.0
    x **= 2
    return x


def augmented_with_walrus(x):
    x += (x := x * 2.0) + 1.0
    return x


def walrus_in_sum(x):
    return x + (y := x * 2.0) * y


def walrus_changes_operand(x):
    return x + (x := x * 2.0) + x


def walrus_in_condition(x):
    return y if (y := x - 1.0) > 0.0 else -y


def walrus_short_circuit(x):
    if x > 1.0 and (y := x * 2.0) > 3.0 and y < 10.0:
        return y
    return x


def walrus_short_circuit_or(x):
    z = x < 0.0 or (y := x * 2.0) > 3.0
    return z


def walrus_in_chain(x):
    return 0.0 < (y := x * 2.0) < 3.0 + y


def walrus_late_in_chain(x):
    return 0.0 < x < (x := x * 2.0) < 5.0, x


def walrus_in_index(v):
    return v[(i := 1)] + v[i - 1 : i + 1].sum()


def walrus_in_call(x):
    return np.maximum(x * 3.0, (x := 2.0)) + x


def walrus_statement(x):
    (y := x + 1.0)
    return y


def walrus_in_fstring(x):
    print(f"{x} {(x := x + 1.0):{4}.1f} {x}")
    return x


def short_circuit_values(x):
    y = x and 2.0
    z = x or 3.0
    return y + z


def deleted(x):
    y = x * 2.0
    z = y + 1.0
    del y
    return z


def subscripts(v):
    return v[0] + v[-1] * v[1:2].sum() + v[..., ::2].sum() + v[None, 1:][0, 0]


def attributes(v):
    return v.T.sum() + v.shape[0] * v.size


def methods(v):
    return v.sum() + v.mean(axis=0) + v.reshape(1, -1).sum(axis=1)[0] + v.dot(v)


def tuples_of_results(x):
    return x, x * 2.0


def lists_of_values(x):
    return np.array([x, x * 2.0]) + np.stack([np.ones(2), np.zeros(2)]).sum(axis=0)


def builtins_of_values(x):
    return max(x, 1.0) + min((x, 2.0)) + sum([x, x]) + abs(x) + pow(x, 2) + float(int(x))


def literals(x):
    return x * 1e-4 + 2.0 - 3 + 1_000 * x + 0.1 + -1.5 * x


def operators(x):
    n = int(x)
    return (n // 2 % 3) + (n & 1 | 2) + (n ^ 3) + (n << 2 >> 1) + (+x) + (-x) ** 2 + (not x) + (~n)


def identity_tests(x):
    y = None
    if y is None and x is not None and 1 not in (2, 3):
        y = x
    return y


def formatted(x):
    print(f"x = {x:8.3f}, {x!r:>10}, {{}} {x=}")
    return x


def prints_in_order(x):
    print("a", x, sep="-")
    print("b")
    return x


def stores(v):
    v[0] = v[1] * 2.0
    v[1:] += v[0]
    v[v > 3.0] = 3.0
    return v.sum()


def stores_swapped(v):
    v[0], v[-1] = v[-1], v[0]
    return v[0] - v[1]


def stores_in_order(v):
    i = 0
    i, v[i] = 1, 5.0
    v[i] = i = 0
    return v[i] + v[1]


def stores_in_a_pattern(v):
    (a, v[0]), [v[1]] = (v[1], 2.0), [v[0]]
    return a + 10.0 * v[0] + 100.0 * v[1]


def stores_of_a_call(v):
    def twice(t):
        t[0] = 2.0 * t[0]
        return t[0]

    v[1] = twice(v)
    return v[1] + twice(v)


def store_that_raises(v):
    v[0] = 7.0
    v[9] = v[0]
    return v


def store_into_a_loop_target(v):
    total = 0.0
    for i, v[0] in enumerate(v):
        total += i * v[0]
    return total


def display_of_a_dict(x):
    d = {"a": x, "b": x * 2.0}
    d["a"] = d["a"] * d["b"]
    return d["a"] - d["b"]


NUMBERS = [(0.5,), (1.5,), (3.0,), (-2.0,), (40.0,), (0.0,)]
PAIRS = [(0.5, 2.0), (1.5, -1.0), (3.0, 20.0), (-2.0, 2.0), (0.0, 0.0), (2.0, 1.0)]
VECTORS = [(np.array([1.0, 2.0, 3.0]),), (np.array([0.5, -1.5]),)]
ARGUMENTS = {
    "unpack_value": [((1.0, 2.0),), ((1.0,),), (np.array([3.0, 4.0]),)],
    "unpack_nested_value": [(((1.0, 2.0), (3.0, 4.0)),)],
    "walrus_in_index": VECTORS,
    "subscripts": VECTORS,
    "attributes": VECTORS,
    "methods": VECTORS,
    "stores": VECTORS,
    "stores_swapped": VECTORS,
    "stores_in_order": VECTORS,
    "stores_in_a_pattern": VECTORS,
    "stores_of_a_call": VECTORS,
    "store_that_raises": VECTORS,
    "store_into_a_loop_target": VECTORS,
}

EXPECTED: dict[str, str] = {
    "stores_swapped": """\
def stores_swapped(v):
    first = v[-1]
    second = v[0]
    v[0] = first
    v[-1] = second
    return v[0] - v[1]
""",
    "stores_in_order": """\
def stores_in_order(v):
    i = 0
    i = 1
    v[i] = 5.0
    v[i] = 0
    i = 0
    return v[i] + v[1]
""",
    "stores_in_a_pattern": """\
def stores_in_a_pattern(v):
    new_a = v[1]
    third = v[0]
    a = new_a
    v[0] = 2.0
    v[1] = third
    return a + 10.0 * v[0] + 100.0 * v[1]
""",
    "stores_of_a_call": """\
def stores_of_a_call(v):
    v[0] = 2.0 * v[0]
    v[1] = v[0]
    v_item = v[1]
    v[0] = 2.0 * v[0]
    return v_item + v[0]
""",
    "store_into_a_loop_target": """\
def store_into_a_loop_target(v):
    total = 0.0
    for i, second in enumerate(v):
        v[0] = second
        total += i * v[0]
    return total
""",
    "chained": """\
def chained(x):
    a = x * 2.0
    b = a
    return a + b
""",
    "swap": """\
def swap(x, y):
    new_x = y
    y = x
    x = new_x
    return x - 2.0 * y
""",
    "fibonacci": """\
def fibonacci(x, y):
    for _ in range(5):
        new_x = y
        y = x + y
        x = new_x
    return x
""",
    "unpack_nested_value": """\
def unpack_nested_value(p):
    pair, pair2 = p
    a, b = pair
    c, d = pair2
    return a + b * c - d
""",
    "augmented_with_walrus": """\
def augmented_with_walrus(x):
    x_before = x
    x = x * 2.0
    x_before += x + 1.0
    x = x_before
    return x
""",
    "walrus_short_circuit": """\
def walrus_short_circuit(x):
    test = x > 1.0
    if test:
        y = x * 2.0
        test = y > 3.0 and y < 10.0
    if test:
        return y
    else:
        return x
""",
    "walrus_late_in_chain": """\
def walrus_late_in_chain(x):
    x_before = x
    test = 0.0 < x_before
    if test:
        x = x * 2.0
        test = x_before < x < 5.0
    return test, x
""",
    "literals": """\
def literals(x):
    return x * 1e-4 + 2.0 - 3 + 1_000 * x + 0.1 + -1.5 * x
""",
    "formatted": """\
def formatted(x):
    print(f'x = {x:8.3f}, {x!r:>10}, {{}} x={x!r}')
    return x
""",
}
