"""Expressions of generated programs: numbers, arrays of a wanted shape, conditions, indices.

In: the `Writer` (programs.py), which draws at random, knows the variables in scope and keeps the
census. Out: `Expression`s: text, how tightly it binds, a bound on its absolute value and the
parameters it depends on. The bound keeps programs tame: logarithms, roots, powers and divisions
only ever see safe operands, and what is stored in a variable is squashed back to TAME. Every form
is one function in a table, with a weight."""
# ruff: noqa: B905

import dataclasses
import math

TAME = 2.0  # no variable that is read again exceeds this, but accumulators after their loop
ATOM, POWER, UNARY, PRODUCT, SUM = 100, 90, 80, 70, 60
COMPARE, NOT, AND, OR, TERNARY = 50, 40, 35, 30, 20


@dataclasses.dataclass(frozen=True)
class Expression:
    text: str
    level: int = ATOM
    bound: float = TAME
    uses: frozenset = frozenset()

    def at(self, level):
        """The text as an operand of an operator that binds at that level."""
        return self.text if self.level >= level else f'({self.text})'


@dataclasses.dataclass
class Form:
    name: str
    write: object
    weight: float
    feature: str


NUMBERS, ARRAYS, CONDITIONS = {}, {}, {}


def form(table, weight, feature='foundation'):
    """Registers a way to write an expression. It returns None where it does not apply."""

    def add(function):
        table[function.__name__] = Form(function.__name__, function, weight, feature)
        return function

    return add


def joined(*parts):
    return frozenset().union(*(part.uses for part in parts))


def decimal(x):
    """A constant as a person writes it, rounded towards zero."""
    return (
        f'{math.floor(abs(x) * 100) / 100 * (1 if x > 0 else -1):g}' if abs(x) >= 0.01 else '0.01'
    )


def scaled_to(w, e, limit):
    """e, made to stay within the limit by a constant factor."""
    if e.bound <= limit:
        return e
    factor = decimal(limit / e.bound)
    return Expression(f'{factor} * {e.at(UNARY)}', PRODUCT, float(factor) * e.bound, e.uses)


def squashed(w, e, limit=TAME, array=False):
    """e, made to stay within the limit in one of the ways that models use."""
    if e.bound <= limit:
        return e
    how = w.pick(['scale', 'scale', 'tanh', 'sin'] if e.bound < 40 else ['tanh', 'sin'])
    if how == 'scale':
        return scaled_to(w, e, limit)
    module = 'np' if array or w.chance(0.7) else 'math'
    w.mark(f'{module}.{how}')
    out = Expression(f'{module}.{how}({e.text})', ATOM, 1.0, e.uses)
    return out if limit >= 1.0 else scaled_to(w, out, limit)


# Numbers.


def number(w, depth):
    """A number: a Python float, an int or a NumPy scalar."""
    return w.write(NUMBERS, depth) if depth > 0 else number_leaf(w)


def two_numbers(w, depth):
    """Two operands: not the same text twice, and not two constants."""
    a = number(w, depth)
    for _ in range(5):
        b = number(w, depth)
        if b.text != a.text and (a.uses or b.uses):
            break
    return a, b


def two_arrays(w, shape, depth, other):
    """The same for an array and what is combined with it."""
    a = array(w, shape, depth)
    for _ in range(5):
        b = other(w, shape, depth)
        if b.text != a.text and (a.uses or b.uses):
            break
    return a, b


def number_leaf(w):
    for _ in range(4):
        leaf = w.weighted(
            [(variable, 6), (constant, 2), (element, 4), (named_constant, 1), (counter, 1)]
        )(w, 0)
        if leaf is not None:
            return leaf
    return constant(w, 0)


@form(NUMBERS, 3)
def variable(w, depth):
    found = w.variables('float')
    if not found:
        return None
    v = w.pick(found)
    return Expression(v.name, ATOM, v.bound, v.uses)


@form(NUMBERS, 0.5)
def constant(w, depth):
    x = w.integer(1, 150) / 100
    return Expression(f'{x:g}' if w.chance(0.8) or x != int(x) else f'{int(x)}.0', ATOM, x)


@form(NUMBERS, 0.3)
def named_constant(w, depth):
    w.mark('global')
    name, bound = w.pick(
        [('RATE', 0.4), ('SCALE', 1.3), ('math.pi', math.pi), ('np.pi', math.pi), ('np.e', math.e)]
    )
    return Expression(name, ATOM, bound)


@form(NUMBERS, 0.6)
def counter(w, depth):
    found = w.variables('int')
    if not found:
        return None
    w.mark('int_in_arithmetic')
    v = w.pick(found)
    return Expression(f'{decimal(1.0 / max(4, v.bound))} * {v.name}', PRODUCT, 1.0, v.uses)


@form(NUMBERS, 4)
def element(w, depth):
    """A read by index of a vector or a matrix."""
    found = [a for a in w.variables('array') if all(a.shape)]
    if not found:
        return None
    a = w.pick(found)
    if len(a.shape) == 2:
        w.mark('index_2d')
        text = f'{a.name}[{index(w, a.shape[0], a, 0)}, {index(w, a.shape[1], a, 1)}]'
        if w.chance(0.2):
            w.mark('index_of_index')
            text = f'{a.name}[{index(w, a.shape[0], a, 0)}][{index(w, a.shape[1], a, 1)}]'
    else:
        text = f'{a.name}[{index(w, a.shape[0], a, 0)}]'
    return Expression(text, ATOM, a.bound, a.uses)


@form(NUMBERS, 6)
def sum_of_two(w, depth):
    a, b = two_numbers(w, depth - 1)
    sign = w.pick('+-')
    return Expression(f'{a.at(SUM)} {sign} {b.at(PRODUCT)}', SUM, a.bound + b.bound, joined(a, b))


@form(NUMBERS, 6)
def product_of_two(w, depth):
    a, b = two_numbers(w, depth - 1)
    return Expression(f'{a.at(PRODUCT)} * {b.at(UNARY)}', PRODUCT, a.bound * b.bound, joined(a, b))


@form(NUMBERS, 2)
def quotient(w, depth):
    w.mark('division')
    a, b = number(w, depth - 1), positive(w, number(w, depth - 1))
    return Expression(f'{a.at(PRODUCT)} / {b.at(UNARY)}', PRODUCT, a.bound / 0.5, joined(a, b))


def positive(w, e):
    """Something made of e that is at least 0.5."""
    c = w.pick([0.5, 0.8, 1.0, 1.5])
    if w.chance(0.5) and e.bound < 20:
        w.mark('power')
        return Expression(f'{c} + {e.at(ATOM)} ** 2', SUM, c + e.bound**2, e.uses)
    c = math.ceil((e.bound + c) * 10) / 10
    sign = w.pick('+-')
    return Expression(f'{c} {sign} {e.at(PRODUCT)}', SUM, c + e.bound, e.uses)


@form(NUMBERS, 2)
def power(w, depth):
    w.mark('power')
    e = scaled_to(w, number(w, depth - 1), 3.0)
    how = w.integer(0, 4)
    if how == 0:
        n = w.pick([0, 1, 2, 2, 3, 4])
        return Expression(f'{e.at(ATOM)} ** {n}', POWER, e.bound**n + (e.bound < 1), e.uses)
    if how == 1:
        base = positive(w, e)
        return Expression(
            f'{base.at(ATOM)} ** {w.pick(["0.5", "-1", "1.5", "-0.5"])}',
            POWER,
            base.bound**1.5 + 2,
            e.uses,
        )
    if how == 2:
        w.mark('power_variable_exponent')
        base, e = positive(w, e), scaled_to(w, number(w, depth - 1), 2.0)
        return Expression(
            f'{base.at(ATOM)} ** {e.at(UNARY)}', POWER, base.bound**2 + 4, joined(base, e)
        )
    if how == 3:
        w.mark('power_constant_base')
        return Expression(f'1.5 ** {e.at(UNARY)}', POWER, 1.5**e.bound, e.uses)
    return Expression(f'{e.at(ATOM)} ** 2', POWER, e.bound**2, e.uses)


@form(NUMBERS, 1)
def negated(w, depth):
    w.mark('unary_minus')
    e = number(w, depth - 1)
    return Expression(f'-{e.at(UNARY)}', UNARY, e.bound, e.uses)


# name: (what is done to the operand first, bound of the result as a function of the operand's)
UNARY_FUNCTIONS = {
    'sin': ('', lambda b: 1), 'cos': ('', lambda b: 1), 'tanh': ('', lambda b: 1),
    'arctan': ('', lambda b: 1.6),
    'arcsinh': ('', lambda b: math.asinh(b)), 'exp': ('small', math.exp),
    'expm1': ('small', math.exp),
    'exp2': ('small', lambda b: 2.0**b), 'sinh': ('small', math.sinh), 'cosh': ('small', math.cosh),
    'log': ('positive', lambda b: math.log(b) + 0.7),
    'log2': ('positive', lambda b: math.log2(b) + 1),
    'log10': ('positive', lambda b: math.log10(b) + 0.4),
    'log1p': ('positive', lambda b: math.log1p(b)),
    'sqrt': ('positive', lambda b: math.sqrt(b)), 'cbrt': ('positive', lambda b: b),
    'arcsin': ('unit', lambda b: 1.6), 'arccos': ('unit', lambda b: 3.2),
    'arctanh': ('unit', lambda b: 1.5),
    'tan': ('unit', lambda b: 1.6), 'fabs': ('', lambda b: b),
}  # fmt: skip
NUMPY_ONLY = {
    'square': ('small', lambda b: b * b), 'reciprocal': ('positive', lambda b: 2.0),
    'abs': ('', lambda b: b),
    'absolute': ('', lambda b: b), 'negative': ('', lambda b: b), 'sign': ('', lambda b: 1),
}  # fmt: skip
MATH_ONLY = {'erf': ('', lambda b: 1), 'erfc': ('', lambda b: 2)}
MATH_NAMES = {
    'arctan': 'atan',
    'arcsinh': 'asinh',
    'arcsin': 'asin',
    'arccos': 'acos',
    'arctanh': 'atanh',
}


def applied(w, e, module):
    """A function of the module applied to e, or to what of e is in its domain."""
    table = UNARY_FUNCTIONS | (NUMPY_ONLY if module == 'np' else MATH_ONLY)
    name = w.pick([one for one in sorted(table) if w.allows(f'{module}.{one}')])
    domain, bound = table[name]
    if domain == 'small':
        e = scaled_to(w, e, 2.0)
    elif domain == 'unit':
        e = scaled_to(w, e, 0.8)
    elif domain == 'positive':
        e = positive(w, e)
    spelled = name if module == 'np' else MATH_NAMES.get(name, name)
    w.mark(f'{module}.{spelled}')
    return Expression(f'{module}.{spelled}({e.text})', ATOM, bound(e.bound), e.uses)


@form(NUMBERS, 3)
def numpy_function(w, depth):
    return applied(w, number(w, depth - 1), 'np')


@form(NUMBERS, 3)
def math_function(w, depth):
    return applied(w, number(w, depth - 1), 'math')


@form(NUMBERS, 1.5)
def function_of_two(w, depth):
    a, b = two_numbers(w, depth - 1)
    name = w.pick(['math.hypot', 'np.hypot', 'math.atan2', 'np.arctan2', 'np.maximum',
                   'np.minimum', 'np.logaddexp',
                   'max', 'min', 'max', 'min', 'math.pow', 'np.power'])  # fmt: skip
    if 'tan2' in name:
        b = positive(w, b)
    if 'hypot' in name:
        a = positive(w, a)
    if 'pow' in name:
        a, b = positive(w, scaled_to(w, a, 2.0)), scaled_to(w, b, 2.0)
        w.mark(name)
        return Expression(f'{name}({a.text}, {b.text})', ATOM, a.bound**2 + 4, joined(a, b))
    w.mark(name)
    return Expression(f'{name}({a.text}, {b.text})', ATOM, a.bound + b.bound + 1.6, joined(a, b))


@form(NUMBERS, 1)
def absolute_value(w, depth):
    w.mark('abs')
    e = number(w, depth - 1)
    return Expression(f'abs({e.text})', ATOM, e.bound, e.uses)


@form(NUMBERS, 1.2)
def ternary(w, depth):
    w.mark('ternary')
    (a, b), c = two_numbers(w, depth - 1), condition(w, 1)
    return Expression(
        f'{a.at(OR)} if {c.at(OR)} else {b.at(TERNARY)}',
        TERNARY,
        max(a.bound, b.bound),
        joined(a, b, c),
    )


@form(NUMBERS, 0.8)
def value_of_and_or(w, depth):
    w.mark('and_or_value')
    a, b = two_numbers(w, depth - 1)
    word, level = w.pick([('and', AND), ('or', OR)])
    return Expression(f'{a.at(NOT)} {word} {b.at(NOT)}', level, max(a.bound, b.bound), joined(a, b))


@form(NUMBERS, 0.8)
def walrus(w, depth):
    """Only where the expression is always evaluated is the name known afterwards; so it is used
    here alone."""
    e = squashed(w, number(w, depth - 1))
    name = w.fresh('t')
    w.mark('walrus')
    w.reserved.add(name)
    return Expression(
        f'({name} := {e.text}) * (1.0 + {name})', PRODUCT, e.bound * (1 + e.bound), e.uses
    )


@form(NUMBERS, 1.2)
def comparison_as_number(w, depth):
    e, c = number(w, depth - 1), condition(w, 0)
    w.mark('comparison_as_number')
    return Expression(f'{e.at(PRODUCT)} * ({c.text})', PRODUCT, e.bound, joined(e, c))


@form(NUMBERS, 5)
def reduction(w, depth):
    shape = w.shape()
    if shape is None:
        return None
    a = array(w, shape, depth - 1)
    count = math.prod(shape)
    names = ['sum', 'sum', 'sum', 'mean', 'mean', 'max', 'min', 'prod', 'std', 'var']
    name = w.pick([name for name in names if w.allows(f'np.{name}')])
    if name == 'prod':
        a = scaled_to(w, a, 1.3)
    bound = {'sum': a.bound * count, 'prod': max(1.0, a.bound) ** count, 'var': a.bound**2}.get(
        name, a.bound
    )
    method = a.text.isidentifier() and name != 'prod' and w.chance(0.6)
    w.mark(f'method.{name}' if method else f'np.{name}')
    return Expression(
        f'{a.text}.{name}()' if method else f'np.{name}({a.text})', ATOM, bound, a.uses
    )


@form(NUMBERS, 2)
def inner_product(w, depth):
    shape = w.shape(1)
    if shape is None:
        return None
    a, b = array(w, shape, depth - 1), array(w, shape, depth - 1)
    bound, uses = a.bound * b.bound * shape[0], joined(a, b)
    how = w.pick(['dot', '@', '@'])
    w.mark(f'inner_{how}')
    if how == 'dot':
        return Expression(f'np.dot({a.text}, {b.text})', ATOM, bound, uses)
    return Expression(f'{a.at(PRODUCT)} @ {b.at(UNARY)}', PRODUCT, bound, uses)


@form(NUMBERS, 2.5)
def call(w, depth):
    """A call of a helper with numbers (and perhaps an array), by position, keyword and default."""
    helpers = [h for h in w.helpers if h.result == 'float']
    return called(w, w.pick(helpers), depth) if helpers else None


def called(w, helper, depth, given=()):
    """A call; `given` are arguments that are settled, by the name of the parameter."""
    arguments, parts = [], []
    keyword = False
    for p in helper.parameters:
        if p.name in given:
            e = given[p.name]
        elif p.default and w.chance(0.4):
            w.mark('call_default')
            keyword = True
            continue
        elif p.shape:
            e = squashed(w, array(w, p.shape, depth - 1), array=True)
        else:
            e = squashed(w, number(w, depth - 1))
        if p.name in helper.writes:  # the array may be one of ours, and must not be the module's
            if 'TABLE' in e.text:
                e = Expression(f'np.copy({e.text})', ATOM, e.bound, e.uses)
            for v in w.scope.values():
                if v.kind == 'array' and v.name in e.text:
                    w.written.add(v.name)
                    v.bound = max(v.bound, TAME)
        parts.append(e)
        if keyword or p.keyword_only or w.chance(0.15):
            w.mark('call_keyword')
            keyword = True
            arguments.append(f'{p.name}={e.text}')
        else:
            arguments.append(e.text)
    w.mark('call')
    if len(w.call_stack) > 1:
        w.mark('call_in_helper')
    return Expression(f'{helper.name}({", ".join(arguments)})', ATOM, TAME, joined(*parts))


# Indices: every one is in range for an axis of that length.


def index(w, length, a=None, axis=0):
    found = [v for v in w.variables('int') if v.low >= -length and v.high < length]
    wide = w.variables('int')
    how = w.weighted(
        [
            ('constant', 3),
            ('counter', 6),
            ('shifted', 2),
            ('mirrored', 1),
            ('modulo', 0.7),
            ('array', 0.5),
        ]
    )
    if how == 'counter' and found:
        w.mark('index_counter')
        return w.pick(found).name
    if how == 'shifted' and wide:
        v = w.pick(wide)
        shifts = [
            k for k in range(-3, 4) if k and v.low + k >= 0 and v.high + k < length and v.low >= 0
        ]
        if shifts:
            k = w.pick(shifts)
            w.mark('index_shifted')
            return f'{v.name} {"+" if k > 0 else "-"} {abs(k)}'
    if how == 'mirrored' and found:
        v = w.pick(found)
        if v.low >= 0:
            w.mark('index_mirrored')
            size = (
                f'len({a.name})' if a is not None and axis == 0 and w.chance(0.5) else str(length)
            )
            return w.pick([f'-1 - {v.name}', f'{size} - 1 - {v.name}'])
    if how == 'modulo' and wide:
        w.mark('index_modulo')
        return f'{w.pick(wide).name} % {length}'
    if how == 'array':
        tables = [v for v in w.variables('int_array') if v.low >= -length and v.high < length]
        if tables:
            w.mark('index_by_int_array')
            table = w.pick(tables)
            return f'{table.name}[{w.integer(0, table.shape[0] - 1)}]'
    k = w.integer(-length, length - 1)
    w.mark('index_negative' if k < 0 else 'index_constant')
    return str(k)


# Arrays.


def array(w, shape, depth):
    """An expression whose value is an array of exactly that shape."""
    if depth > 0:
        return w.write(ARRAYS, shape, depth)
    return array_variable(w, shape, 0) or constant_array(w, shape, 0)


@form(ARRAYS, 5)
def array_variable(w, shape, depth):
    found = [v for v in w.variables('array') if v.shape == shape]
    if not found:
        return None
    v = w.pick(found)
    return Expression(v.name, ATOM, v.bound, v.uses)


@form(ARRAYS, 0.7)
def constant_array(w, shape, depth):
    size = str(shape[0]) if len(shape) == 1 else str(shape)
    options = ['ones', 'zeros', 'full', 'eye']
    options += ['linspace', 'arange', 'array', 'TABLE'] if len(shape) == 1 else ['grid', 'grid']
    how = w.pick([one for one in options if w.allows(f'constant.{one}')])
    if (how == 'eye' and (len(shape) != 2 or shape[0] != shape[1])) or (
        how == 'TABLE' and shape != (3,)
    ):
        how = 'linspace' if len(shape) == 1 else 'grid'
    w.mark(f'constant.{how}')
    text, bound = {
        'ones': (f'np.ones({size})', 1.0),
        'zeros': (f'np.zeros({size})', 0.0),
        'full': (f'np.full({size}, 0.7)', 0.7),
        'eye': (f'np.eye({shape[0]})', 1.0),
        'linspace': (f'np.linspace(0.1, 1.0, {size})', 1.0),
        'arange': (f'np.arange({size}) * 0.2', 0.2 * shape[0]),
        'array': (f'np.array([{", ".join(f"{0.3 * k - 0.4:.1f}" for k in range(shape[0]))}])', 1.0),
        'TABLE': ('TABLE', 1.0),
        'grid': (f'np.linspace(-0.5, 1.2, {math.prod(shape)}).reshape{shape}', 1.2),
    }[how]
    return Expression(text, PRODUCT if how == 'arange' else ATOM, bound)


def broadcastable(w, shape, depth):
    """A number, or an array that broadcasts to the shape."""
    options = [(shape, 4), ((), 3)]
    if len(shape) == 2:
        options += [((shape[1],), 2), ((shape[0], 1), 2), ((1, shape[1]), 0.5)]
    chosen = w.weighted(options)
    if chosen == ():
        w.mark('broadcast_scalar')
        return number(w, depth)
    if chosen != shape:
        w.mark('broadcast_vector' if len(chosen) == 1 else 'broadcast_column')
    return array(w, chosen, depth)


@form(ARRAYS, 6)
def array_arithmetic(w, shape, depth):
    a, b = two_arrays(w, shape, depth - 1, broadcastable)
    if w.chance(0.3):
        a, b = b, a
    how = w.weighted([('+', 3), ('-', 2), ('*', 4), ('/', 1.5)])
    if how in '+-':
        return Expression(
            f'{a.at(SUM)} {how} {b.at(PRODUCT)}', SUM, a.bound + b.bound, joined(a, b)
        )
    if how == '*':
        return Expression(
            f'{a.at(PRODUCT)} * {b.at(UNARY)}', PRODUCT, a.bound * b.bound, joined(a, b)
        )
    w.mark('array_division')
    b = positive(w, b)
    return Expression(f'{a.at(PRODUCT)} / {b.at(UNARY)}', PRODUCT, a.bound / 0.5, joined(a, b))


@form(ARRAYS, 3)
def array_function(w, shape, depth):
    return applied(w, array(w, shape, depth - 1), 'np')


@form(ARRAYS, 1.2)
def array_power(w, shape, depth):
    w.mark('array_power')
    a = scaled_to(w, array(w, shape, depth - 1), 3.0)
    if w.chance(0.6):
        n = w.pick([2, 2, 3])
        return Expression(f'{a.at(ATOM)} ** {n}', POWER, max(a.bound, 1.0) ** n, a.uses)
    a, b = positive(w, a), scaled_to(w, broadcastable(w, shape, depth - 1), 1.5)
    return Expression(f'{a.at(ATOM)} ** {b.at(UNARY)}', POWER, a.bound**1.5 + 3, joined(a, b))


@form(ARRAYS, 1)
def array_negated(w, shape, depth):
    a = array(w, shape, depth - 1)
    return Expression(f'-{a.at(UNARY)}', UNARY, a.bound, a.uses)


@form(ARRAYS, 1.5)
def where(w, shape, depth):
    w.mark('np.where')
    (a, b), c = two_arrays(w, shape, depth - 1, broadcastable), array(w, shape, 0)
    if w.chance(0.3):
        a, b = b, a
    limit = decimal(w.integer(-60, 60) / 100 or 0.1)
    test = f'{c.at(SUM)} {w.pick("<>")} {limit}'
    return Expression(
        f'np.where({test}, {a.text}, {b.text})', ATOM, max(a.bound, b.bound), joined(a, b, c)
    )


@form(ARRAYS, 1.6)
def array_of_two(w, shape, depth):
    a, b = two_arrays(w, shape, depth - 1, broadcastable)
    name = w.pick(
        [
            'maximum',
            'minimum',
            'hypot',
            'arctan2',
            'logaddexp',
            'clip',
            'clip',
            'add',
            'multiply',
            'subtract',
            'divide',
        ]
    )
    w.mark(f'np.{name}')
    if name == 'clip':
        return Expression(f'np.clip({a.text}, -0.7, 0.9)', ATOM, 0.9, a.uses)
    if name in ('arctan2', 'divide', 'hypot'):
        b = positive(w, b)
    bound = max(a.bound * b.bound if name == 'multiply' else 0.0, a.bound * 2 + b.bound + 1.6)
    return Expression(f'np.{name}({a.text}, {b.text})', ATOM, bound, joined(a, b))


@form(ARRAYS, 2)
def matrix_product(w, shape, depth):
    inner = w.integer(2, 3)
    if len(shape) == 1:
        known = [v.shape for v in w.variables('array') if len(v.shape) == 2 and shape[0] in v.shape]
        if known:
            one = w.pick(known)
            inner = one[1] if one[0] == shape[0] else one[0]
        left, right = (
            ((shape[0], inner), (inner,)) if w.chance(0.6) else ((inner,), (inner, shape[0]))
        )
    else:
        left, right = (shape[0], inner), (inner, shape[1])
    a, b = array(w, left, depth - 1), array(w, right, depth - 1)
    bound, uses = a.bound * b.bound * inner, joined(a, b)
    how = w.pick(['@', '@', 'dot', 'matmul'])
    w.mark(f'product_{how}')
    if how == '@':
        return Expression(f'{a.at(PRODUCT)} @ {b.at(UNARY)}', PRODUCT, bound, uses)
    return Expression(f'np.{how}({a.text}, {b.text})', ATOM, bound, uses)


@form(ARRAYS, 1)
def outer_product(w, shape, depth):
    if len(shape) != 2:
        return None
    w.mark('np.outer')
    a, b = array(w, (shape[0],), depth - 1), array(w, (shape[1],), depth - 1)
    return Expression(f'np.outer({a.text}, {b.text})', ATOM, a.bound * b.bound, joined(a, b))


@form(ARRAYS, 2.5)
def sliced(w, shape, depth):
    """A slice, row or column of a larger variable."""
    found = []
    for v in w.variables('array'):
        if len(v.shape) == len(shape) == 1 and v.shape[0] >= shape[0]:
            found.append((v, 'slice'))
        elif len(v.shape) == 2 and len(shape) == 1:
            found += [(v, 'row')] * (v.shape[1] == shape[0]) + [(v, 'column')] * (
                v.shape[0] == shape[0]
            )
        elif len(v.shape) == len(shape) == 2 and all(n >= k for n, k in zip(v.shape, shape)):
            found.append((v, 'block'))
    if not found:
        return None
    v, how = w.pick(found)
    w.mark(f'read_{how}')
    if how == 'row':
        text = f'{index(w, v.shape[0], v, 0)}'
        text = text if w.chance(0.6) else f'{text}, :'
    elif how == 'column':
        text = f':, {index(w, v.shape[1], v, 1)}'
    else:
        text = ', '.join(piece(w, n, k) for n, k in zip(v.shape, shape))
    return Expression(f'{v.name}[{text}]', ATOM, v.bound, v.uses)


def piece(w, length, wanted):
    """A slice of so many elements."""
    if wanted == length:
        how = w.pick([':', '::-1', f':{length}', '0:'])
        w.mark('slice_reversed' if how == '::-1' else 'slice_whole')
        return how
    if 2 * wanted - 1 <= length and w.chance(0.65) and w.allows('slice_step'):
        w.mark('slice_step')
        return (
            w.pick(['::2', f'0:{length}:2', '::-2'])
            if length == 2 * wanted - 1
            else f':{2 * wanted}:2'
        )
    start = w.integer(0, length - wanted)
    w.mark('slice_part')
    if start + wanted == length:
        return w.pick([f'{start}:', f'-{wanted}:'])
    return f'{start or ""}:{start + wanted - (length if w.chance(0.4) else 0)}'


@form(ARRAYS, 1.2)
def read_by_list(w, shape, depth):
    found = [v for v in w.variables('array') if len(v.shape) == 1] if len(shape) == 1 else []
    if not found:
        return None
    v = w.pick(found)
    places = [w.integer(0, v.shape[0] - 1) for _ in range(shape[0])]
    return Expression(f'{v.name}[{places}]', ATOM, v.bound, v.uses)


@form(ARRAYS, 4)
def read_by_array(w, shape, depth):
    tables = [v for v in w.variables('int_array') if v.shape == shape]
    found = [v for v in w.variables('array') if len(v.shape) == 1 and v.shape[0] > 1]
    if not tables or not found:
        return None
    v = w.pick(found)
    return Expression(f'{v.name}[{w.pick(tables).name}]', ATOM, v.bound, v.uses)


@form(ARRAYS, 1.5)
def reshaped(w, shape, depth):
    w.mark('reshape')
    if len(shape) == 1:
        factors = [k for k in range(1, shape[0] + 1) if shape[0] % k == 0]
        k = w.pick(factors)
        a = array(w, (k, shape[0] // k), depth - 1)
        how = w.pick(
            ['.reshape(-1)', f'.reshape({shape[0]})', '.ravel()', 'np.ravel', 'np.reshape']
        )
    else:
        a = array(w, (shape[0] * shape[1],), depth - 1)
        how = w.pick(
            [
                f'.reshape({shape[0]}, {shape[1]})',
                f'.reshape({shape})',
                f'.reshape({shape[0]}, -1)',
                'np.reshape',
            ]
        )
    if how.startswith('np'):
        extra = f', {shape if len(shape) == 2 else shape[0]}' if how == 'np.reshape' else ''
        return Expression(f'{how}({a.text}{extra})', ATOM, a.bound, a.uses)
    return Expression(a.at(ATOM) + how, ATOM, a.bound, a.uses)


@form(ARRAYS, 1.5)
def transposed(w, shape, depth):
    if len(shape) != 2:
        return None
    w.mark('transpose')
    a = array(w, shape[::-1], depth - 1)
    how = w.pick(['.T', '.T', 'np.transpose', '.transpose()'])
    text = f'{how}({a.text})' if how == 'np.transpose' else a.at(ATOM) + how
    return Expression(text, ATOM, a.bound, a.uses)


@form(ARRAYS, 2.2)
def axis_reduction(w, shape, depth):
    name = w.pick(['sum', 'mean', 'max', 'min', 'sum'])
    extra = w.integer(2, 3)
    if len(shape) == 1:
        axis = w.integer(0, 1)
        whole, keep = ((extra, shape[0]) if axis == 0 else (shape[0], extra)), ''
    elif 1 in shape:
        axis = shape.index(1)
        whole, keep = (
            tuple(extra if k == axis else n for k, n in enumerate(shape)),
            ', keepdims=True',
        )
        w.mark('keepdims')
    else:
        return None
    a = array(w, whole, depth - 1)
    w.mark(f'axis_{name}')
    written = axis - 2 if w.chance(0.3) else axis
    text = f'np.{name}({a.text}, axis={written}{keep})'
    if a.text.isidentifier() and w.chance(0.3):
        text = f'{a.text}.{name}(axis={written}{keep})'
    return Expression(text, ATOM, a.bound * (extra if name == 'sum' else 1), a.uses)


@form(ARRAYS, 1.2)
def concatenated(w, shape, depth):
    if shape[0] < 2:
        return None
    k = w.integer(1, shape[0] - 1)
    a, b = array(w, (k, *shape[1:]), depth - 1), array(w, (shape[0] - k, *shape[1:]), depth - 1)
    w.mark('concatenate')
    pair = f'{a.text}, {b.text}'
    axis = ', axis=0' if w.chance(0.2) else ''
    return Expression(
        f'np.concatenate({w.pick([f"({pair})", f"[{pair}]"])}{axis})',
        ATOM,
        max(a.bound, b.bound),
        joined(a, b),
    )


@form(ARRAYS, 1.2)
def stacked(w, shape, depth):
    if len(shape) == 1:
        parts = [number(w, depth - 1) for _ in range(shape[0])]
        w.mark('array_of_numbers')
        name, axis = 'np.array', ''
    else:
        axis = w.integer(0, 1)
        parts = [array(w, (shape[1 - axis],), depth - 1) for _ in range(shape[axis])]
        name, axis = 'np.stack', ', axis=1' if axis else ''
        w.mark('stack')
    return Expression(
        f'{name}([{", ".join(p.text for p in parts)}]{axis})',
        ATOM,
        max(p.bound for p in parts),
        joined(*parts),
    )


@form(ARRAYS, 1)
def running(w, shape, depth):
    if len(shape) != 1:
        return None
    name = w.pick(['cumsum', 'diff', 'sort', 'copy'])
    a = array(w, (shape[0] + (name == 'diff'),), depth - 1)
    w.mark(f'np.{name}')
    bound = a.bound * {'cumsum': shape[0], 'diff': 2}.get(name, 1)
    return Expression(f'np.{name}({a.text})', ATOM, bound, a.uses)


@form(ARRAYS, 1.8)
def solved(w, shape, depth):
    n = shape[0]
    if n > 3 or (len(shape) == 2 and shape[1] != n):
        return None
    matrix, right = scaled_to(w, array(w, (n, n), depth - 1), 0.4), array(w, shape, depth - 1)
    regular = f'2.0 * np.eye({n}) + {matrix.at(PRODUCT)}'
    if len(shape) == 2 and w.chance(0.95):
        w.mark('linalg.inv')
        return Expression(f'np.linalg.inv({regular})', ATOM, 1.5, matrix.uses)
    w.mark('linalg.solve')
    return Expression(
        f'np.linalg.solve({regular}, {right.text})',
        ATOM,
        1.5 * n * right.bound,
        joined(matrix, right),
    )


@form(ARRAYS, 5)
def array_call(w, shape, depth):
    helpers = [h for h in w.helpers if h.result == shape]
    if not helpers:
        return None
    w.mark('call_with_array')
    return called(w, w.pick(helpers), depth)


@form(ARRAYS, 0.7)
def array_ternary(w, shape, depth):
    w.mark('array_ternary')
    (a, b), c = two_arrays(w, shape, depth - 1, array), condition(w, 1)
    return Expression(
        f'{a.at(OR)} if {c.at(OR)} else {b.at(TERNARY)}',
        TERNARY,
        max(a.bound, b.bound),
        joined(a, b, c),
    )


@form(ARRAYS, 3)
def int_array_in_arithmetic(w, shape, depth):
    found = [v for v in w.variables('int_array') if v.shape == shape]
    if not found:
        return None
    w.mark('int_array_in_arithmetic')
    v, a = w.pick(found), array(w, shape, depth - 1)
    return Expression(f'{v.name} * {a.at(UNARY)}', PRODUCT, v.bound * a.bound, joined(v, a))


# Conditions.


def condition(w, depth):
    return w.write(CONDITIONS, depth)


def threshold(w):
    return decimal(w.integer(-90, 90) / 100 or 0.25)


@form(CONDITIONS, 6)
def compared(w, depth):
    a = number(w, min(depth, 1))
    for _ in range(5):  # a test of constants alone is none
        a = a if a.uses else number(w, min(depth, 1))
    if w.chance(0.3):
        b = number(w, 0)
        b = b if b.text != a.text else Expression(threshold(w))
        return Expression(
            f'{a.at(SUM)} {w.pick(["<", ">", "<=", ">="])} {b.at(SUM)}', COMPARE, 1.0, joined(a, b)
        )
    return Expression(
        f'{a.at(SUM)} {w.pick(["<", ">", "<=", ">="] * 5 + ["!="])} {threshold(w)}',
        COMPARE,
        1.0,
        a.uses,
    )


@form(CONDITIONS, 1.2)
def chained(w, depth):
    w.mark('chained_comparison')
    a = number(w, min(depth, 1))
    return Expression(
        f'{decimal(-w.integer(10, 90) / 100)} < {a.at(SUM)} <= {decimal(w.integer(1, 90) / 100)}',
        COMPARE,
        1.0,
        a.uses,
    )


@form(CONDITIONS, 1)
def both(w, depth):
    if depth <= 0:
        return None
    a, b = condition(w, depth - 1), condition(w, depth - 1)
    word, level = w.pick([('and', AND), ('or', OR)])
    w.mark(f'test_{word}')
    return Expression(f'{a.at(NOT)} {word} {b.at(NOT)}', level, 1.0, joined(a, b))


@form(CONDITIONS, 0.6)
def inverted(w, depth):
    w.mark('test_not')
    a = condition(w, depth - 1) if depth > 0 else compared(w, 0)
    return Expression(f'not {a.at(COMPARE)}', NOT, 1.0, a.uses)


@form(CONDITIONS, 2)
def of_counter(w, depth):
    found = [v for v in w.variables('int') if v.high > v.low]
    if not found:
        return None
    v = w.pick(found)
    w.mark('test_counter')
    k = w.integer(v.low, v.high)
    return Expression(
        w.pick([f'{v.name} == {k}', f'{v.name} % 2 == 0', f'{v.name} > {k}', f'{v.name} != {k}']),
        COMPARE,
    )


@form(CONDITIONS, 3)
def flag(w, depth):
    found = w.variables('bool')
    if not found:
        return None
    w.mark('test_flag')
    v = w.pick(found)
    return Expression(v.name, ATOM, 1.0, v.uses)


@form(CONDITIONS, 0.6)
def of_accumulator(w, depth):
    found = [v for v in w.scope.values() if v.kind == 'accumulator' and v.shape is None]
    if not found:
        return None
    w.mark('test_accumulator')
    return Expression(f'{w.pick(found).name} > {threshold(w)}', COMPARE)


@form(CONDITIONS, 0.6)
def of_array(w, depth):
    found = w.variables('array')
    if not found:
        return None
    v = w.pick(found)
    w.mark('test_array')
    test = f'{v.name} > {threshold(w)}'
    return Expression(
        w.pick(
            [
                f'np.all({test})',
                f'np.any({test})',
                f'np.sum({v.name}) > 0.3',
                f'{v.name}.shape[0] > 2',
            ]
        ),
        COMPARE,
    )
