"""Calls of the user's functions, as written and as the core program has them."""

import math

import numpy as np

SCALE = 3.0
trace = []


def square(x):
    return x * x


def affine(x, a, b=1.0):
    return a * x + b


def logged(x):
    print("logged", x)
    return x + 1.0


def steps(x, n=3):
    total = x
    for i in range(n):
        total = total * 0.5 + i
    return total


def relu(x):
    if x > 0.0:
        return x
    return 0.0


def bounded(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


def search(x):
    for i in range(5):
        x = x * 1.5
        if x > 3.0:
            return x + i
        if x < -3.0:
            return x - i
    return 0.0


def pair(x):
    double = 2.0 * x
    return x, double


def scaled(x):
    return SCALE * x


def nothing(x):
    x + 1.0


def by_keyword(x, /, a, *, b, c=2.0):
    return x * a + b * c


def variadic(first, *rest):
    total = first
    for r in rest:
        total = total + r * len(rest)
    return total


def first_of(*args):
    return args[0] * 2.0 + len(args)


def forwards(*args):
    return affine(*args)


def apply(function, x):
    return function(x) + function(x * 2.0)


def apply_after(x, function):
    return function(x)


def repeated(x):
    _half = x * 0.5
    for _ in range(2):
        x = x * _half
    return x


def changes_parameter(x):
    x = x + 1.0
    x *= 2.0
    return x


def maybe_unbound(x):
    for i in range(int(x)):
        last = i
    return last


def recursive(n):
    return 1.0 if n < 1.0 else n * recursive(n - 1.0)


def even(n):
    return 1.0 if n < 1.0 else odd(n - 1.0)


def odd(n):
    return even(n)


def one_expression(x):
    return square(x) + square(x + 1.0)


def keyword_arguments(x):
    return affine(x, b=2.0, a=x) + affine(a=1.0, x=x) + by_keyword(x, 2.0, b=x)


def order_of_arguments(x):
    return affine(b=logged(x), x=logged(x + 1.0), a=logged(x + 2.0))


def order_of_operands(x):
    return logged(x) * 2.0 + logged(x + 1.0) / logged(3.0)


def statements_of_callee(x):
    y = steps(x)
    return y * steps(y, n=2) + x


def result_named(x):
    x = steps(x * 2.0)
    y = steps(x, 1)
    return x + y


def result_of_branches(x):
    y = relu(x) + relu(-x) * 2.0
    z = bounded(y, -1.0, x * 2.0)
    return z


def result_returned(x):
    return bounded(x, 0.0, 2.0)


def result_in_loop(x):
    for i in range(3):
        x = relu(x - i) + search(x)
    return x


def result_thrown_away(x):
    steps(x)
    relu(x)
    logged(x)
    nothing(x)
    return x


def result_pair(x):
    a, b = pair(x)
    c, d = pair(a * b)
    return a + b * c - d


def result_none(x):
    y = nothing(x)
    return y is None


def globals_of_callee(x):
    return scaled(x) + SCALE + math.sin(x)


def nested_calls(x):
    return square(affine(square(x), 2.0, relu(x)))


def calls_in_ternary(x):
    return steps(x) if x > 1.0 else logged(x)


def calls_in_and(x):
    y = x > 0.0 and steps(x) > 1.0 and logged(x) > 2.0
    return y


def calls_in_or(x):
    return x > 0.0 or relu(x) > -1.0


def calls_in_while(x):
    while steps(x, 1) > 1.0:
        x = x * 0.5
    return x


def calls_in_while_continue(x):
    n = 0
    while relu(x) > 1.0:
        x = x * 0.5
        n += 1
        if n == 2:
            continue
        x = x - 0.25
    return x


def calls_in_chain(x):
    return 0.0 < x < relu(x) + 1.0 < logged(5.0)


def calls_in_assert(x):
    assert x > 0.0, logged(x)
    return x


def calls_in_index(v):
    return v[int(relu(1.0))] + v[: int(steps(4.0))].sum()


def calls_in_display(x):
    return np.array([relu(x), steps(x), x * 2.0, relu(-x)])


def calls_in_fstring(x):
    print(f"{x + 1.0} {relu(x)} {steps(x):.3f}")
    return x


def calls_in_range(x):
    for i in range(int(relu(x)) % 7):
        x = x + i
    return x


def calls_in_elif(x):
    if x > 2.0:
        return 1.0
    elif relu(x) > 1.0:
        return 2.0
    return 3.0


def calls_augmented(x):
    x += relu(x)
    x *= steps(x)
    return x


def calls_method_of_result(v):
    return affine(v, 2.0).sum() + np.abs(relu(v[0])).sum()


def star_arguments(x):
    return affine(*(x, 2.0)) + affine(x, *[3.0], **{"b": x}) + forwards(x, 2.0 * x, 3.0)


def variadic_calls(x):
    return variadic(x) + variadic(x, 2.0, x * x) + first_of(x, 1.0)


def functions_as_arguments(x):
    return apply(square, x) + apply(math.sin, x) + apply(lambda t: t * SCALE + x, x)


def lambda_named(x):
    area = lambda r, h=2.0: math.pi * r * r * h  # noqa: E731
    return area(x) + area(x, 3.0)


def lambda_called(x):
    return (lambda a, b: a * b - a)(x + 1.0, 2.0)


def local_function(x, y):
    def weighted(a):
        t = a * y
        return t + x

    y = y + 1.0
    return weighted(2.0) + weighted(x)


def local_function_of_two_levels(x):
    def outer(a):
        def inner(b):
            return a * b + x

        return inner(a + 1.0)

    return outer(x) * outer(2.0)


def local_default(x):
    scale = x * 2.0

    def weighted(a, s=scale):
        return a * s

    scale = 100.0
    return weighted(x) + scale


def local_alias(x):
    sin = np.sin
    return sin(x) + sin(2.0 * x)


def local_import(x):
    import math

    return math.cos(x)


def parameter_written(x):
    return changes_parameter(x) + x


def parameter_written_and_named(x):
    x = changes_parameter(x)
    return x


def names_clash(x):
    total = x * 2.0
    y = steps(total)
    i = 5.0
    return total + y + i


def argument_unused(x):
    return (lambda a, b: a)(x, logged(x))


def argument_used_late(x):
    return (lambda a, b: logged(1.0) + a * b)(x * 2.0, logged(x))


cube = lambda x: x * x * x  # noqa: E731
clipped = lambda x: steps(x) if x > 0.0 else 0.0  # noqa: E731


def lambdas_of_module(x):
    return cube(x + 1.0) + clipped(x) * clipped(-x)


def underscores(x):
    return repeated(x) + repeated(x + 1.0)


def lambda_default_after_argument(x):
    return apply_after(logged(x), lambda t, s=logged(2.0): t * s)


def unbound_of_callee(x):
    return maybe_unbound(x)


def reads_global_only(x):
    global SCALE
    return x * SCALE


NUMBERS = [(0.5,), (1.5,), (3.0,), (-2.0,), (7.0,), (0.0,)]
PAIRS = [(0.5, 2.0), (1.5, -1.0), (3.0, 20.0), (-2.0, 2.0)]
VECTORS = [(np.array([1.0, 2.0, 3.0]),), (np.array([0.5, -1.5]),)]
ARGUMENTS = {
    "calls_in_index": VECTORS,
    "calls_method_of_result": VECTORS,
}
# Not for lowering by themselves.
HELPERS = {
    "variadic", "first_of", "forwards", "apply", "by_keyword", "affine", "bounded", "recursive",
    "even", "odd", "apply_after", "cube", "clipped",
}  # fmt: skip

EXPECTED: dict[str, str] = {
    "one_expression": """\
def one_expression(x):
    product = x * x
    x2 = x + 1.0
    return product + x2 * x2
""",
    "order_of_arguments": """\
def order_of_arguments(x):
    print('logged', x)
    total = x + 1.0
    x2 = x + 1.0
    print('logged', x2)
    total2 = x2 + 1.0
    x3 = x + 2.0
    print('logged', x3)
    return (x3 + 1.0) * total2 + total
""",
    "statements_of_callee": """\
def statements_of_callee(x):
    y = x
    for i in range(3):
        y = y * 0.5 + i
    total = y
    for i2 in range(2):
        total = total * 0.5 + i2
    return y * total + x
""",
    "result_of_branches": """\
def result_of_branches(x):
    if x > 0.0:
        relu_of_x = x
    else:
        relu_of_x = 0.0
    x2 = -x
    if x2 > 0.0:
        relu_value = x2
    else:
        relu_value = 0.0
    y = relu_of_x + relu_value * 2.0
    high = x * 2.0
    if y < -1.0:
        z = -1.0
    elif y > high:
        z = high
    else:
        z = y
    return z
""",
    "result_returned": """\
def result_returned(x):
    if x < 0.0:
        return 0.0
    elif x > 2.0:
        return 2.0
    else:
        return x
""",
    "calls_in_ternary": """\
def calls_in_ternary(x):
    if x > 1.0:
        total = x
        for i in range(3):
            total = total * 0.5 + i
        return total
    else:
        print('logged', x)
        return x + 1.0
""",
    "calls_in_and": """\
def calls_in_and(x):
    test = x > 0.0
    if test:
        total = x
        for i in range(3):
            total = total * 0.5 + i
        test = total > 1.0
        if test:
            print('logged', x)
            test = x + 1.0 > 2.0
    y = test
    return y
""",
    "calls_in_while": """\
def calls_in_while(x):
    while True:
        total = x
        for i in range(1):
            total = total * 0.5 + i
        if not total > 1.0:
            break
        x = x * 0.5
    return x
""",
    "star_arguments": """\
def star_arguments(x):
    total = 2.0 * x + 1.0 + (3.0 * x + x)
    product = 2.0 * x
    return total + (product * x + 3.0)
""",
    "functions_as_arguments": """\
def functions_as_arguments(x):
    product = x * x
    x2 = x * 2.0
    return (
        product
        + x2 * x2
        + (math.sin(x) + math.sin(x * 2.0))
        + (x * SCALE + x + (x * 2.0 * SCALE + x))
    )
""",
    "local_function": """\
def local_function(x, y):
    y = y + 1.0
    t = 2.0 * y
    total = t + x
    t2 = x * y
    return total + (t2 + x)
""",
    "parameter_written_and_named": """\
def parameter_written_and_named(x):
    x = x + 1.0
    x *= 2.0
    return x
""",
    "names_clash": """\
def names_clash(x):
    total = x * 2.0
    y = total
    for i2 in range(3):
        y = y * 0.5 + i2
    i = 5.0
    return total + y + i
""",
}
