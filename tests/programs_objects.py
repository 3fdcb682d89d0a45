"""Objects, recursive functions and closures that rebind, in generated programs.

In: the `Writer` (programs.py). Out: the texts of classes and functions that stand in the module
before the function (`definitions`), lines that use them, and names in the census. Each program gets
its constructs of `CONSTRUCTS` besides its statements, so that the other constructs stay as frequent
as they are. What an object holds stays tame: a method halves its state before it adds to it."""

import dataclasses

from programs_expressions import (
    ATOM,
    NUMBERS,
    TAME,
    Expression,
    form,
    index,
    joined,
    number,
    scaled_to,
    squashed,
)
from programs_statements import loop

CONSTRUCTS = {}
HELD = 3 * TAME  # the bound of what an object holds


def construct(weight):
    def add(function):
        CONSTRUCTS[function.__name__] = (function, weight)
        return function

    return add


def write_constructs(w):
    """One or two of the constructs, in the function or in a block of it."""
    table = [(function, weight) for function, weight in CONSTRUCTS.values()]
    for _ in range(w.weighted([(1, 3), (2, 1)])):
        found = w.weighted(table)
        if w.allows(found.__name__):
            w.mark(found.__name__)
            found(w)


def definitions(w):
    """The texts that stand before the function."""
    return w.__dict__.setdefault('definitions', [])


def unique(w, base):
    """A name of the module: those of helpers end like the helper."""
    ending = f'_{w.call_stack[-1][-1]}' if len(w.call_stack) > 1 else ''
    return w.fresh(base + ending)


def define_text(w, lines):
    definitions(w).append('\n'.join(lines))


def define_result(w, text, uses, bound=HELD):
    """A new number that is a call's result."""
    name = w.fresh()
    w.line(f'{name} = {text}')
    w.define(name, 'float', bound=bound, uses=uses)


# Objects of a class with state.


@dataclasses.dataclass(eq=False)
class Kept:
    """An object in scope: what it holds and which of its methods take a number."""

    name: str
    methods: list
    fields: list
    uses: frozenset


def kept(w):
    return [one for one in w.__dict__.get('objects', []) if one.name in w.scope]


def keep(w, one):
    w.__dict__.setdefault('objects', []).append(one)
    w.define(one.name, 'object', uses=one.uses, fixed=True)
    for field, shape in one.fields:
        kind = 'float' if shape is None else 'array'
        w.define(f'{one.name}.{field}', kind, shape=shape, bound=HELD, uses=one.uses, fixed=True)


def changes(w, shape):
    """Lines of a method that change the state of `self` by a number x."""
    options = [
        ['self.value = 0.5 * self.value + self.rate * np.tanh(x)'],
        ['self.value *= 0.5', 'self.value += 0.4 * np.sin(x)'],
        ['if x > 0.137:', '    self.value = 0.6 * self.value * np.cos(x)', 'else:',
         '    self.value = 0.5 * self.value + 0.2 * x'],
        ['old = self.value', 'self.value = 0.3 * self.total + 0.2 * x',
         'self.total = 0.5 * self.total + 0.3 * old * np.sin(old)'],
        ['for k in range(2):', '    self.value = 0.5 * self.value + 0.1 * k * np.sin(x)',
         '    self.total = 0.4 * self.total + 0.3 * self.value'],
    ]  # fmt: skip
    if shape is not None:
        i = index(w, shape[0])
        i = i if i.lstrip('-').isdigit() else '0'
        place = f'self.field[{i}]'
        options += [
            [f'{place} = 0.5 * {place} + 0.3 * self.value'],
            ['self.field *= 0.6', f'{place} += 0.4 * np.tanh(x)'],
            ['self.field = 0.5 * self.field + 0.2 * x'],
            ['self.value = 0.5 * self.value + 0.1 * np.sum(self.field * self.field)'
             ' / (1.0 + np.sum(self.field ** 2))'],
        ] * 2  # fmt: skip
    return w.pick(options)


def class_with_state(w, shape):
    """Writes a class; its name, and its methods that take a number."""
    name, lines = unique(w, w.pick(['Cell', 'Filter', 'Tank'])), []
    results = ['self.value', 'self.value * np.cos(x)', 'self.value + 0.2 * x',
               'self.damped(x) + 0.1 * self.total']  # fmt: skip
    if shape is not None:
        results.append('np.tanh(np.sum(self.field) * self.rate)')
    damped = ['def damped(self, x, gain=0.5):', f'    return gain * {w.pick(results[:3])}']
    total = 0.0 if w.allows('constant.zeros') else 0.35
    made = ['self.value = value', 'self.rate = rate', f'self.total = {total}']
    if w.chance(0.25):
        w.mark('object_inherits')
        base = unique(w, 'Base')
        lines += [f'class {base}:', '    def __init__(self, value, rate):']
        lines += ['        ' + line for line in made]
        lines += ['', *('    ' + line for line in damped), '', '']
        made, head, damped = ['super().__init__(value, rate)'], f'class {name}({base}):', []
    else:
        head = f'class {name}:'
    if shape is not None:
        made.append('self.field = np.array(field)')
    field = '' if shape is None else ', field'
    lines += [head, f'    def __init__(self, value, rate{field}):', *(' ' * 8 + x for x in made)]
    methods = ['step']
    if w.chance(0.3):
        methods.append('push')
    for method in methods:
        lines += ['', f'    def {method}(self, x):']
        for _ in range(w.integer(1, 2)):
            lines += [' ' * 8 + line for line in changes(w, shape)]
        if w.chance(0.15):
            w.mark('method_returns_early')
            lines += ['        if self.value > 0.2371:', '            return self.value * 0.5']
        lines.append(f'        return {w.pick(results)}')
    lines += ['', *('    ' + line for line in damped)] if damped else []
    if w.chance(0.3):
        lines += ['', '    @property', '    def both(self):',
                  '        return 0.5 * self.value + 0.3 * self.total * self.rate']  # fmt: skip
        w.mark('object_property')
    define_text(w, lines)
    return name, [*methods, 'damped'], any('def both' in line for line in lines)


def method_call(w, one, depth=1):
    e = squashed(w, number(w, depth))
    return Expression(f'{one.name}.{w.pick(one.methods)}({e.text})', ATOM, HELD, one.uses | e.uses)


@construct(5)
def object_made(w):
    """An object made inside whose methods change it, in a loop and behind it."""
    shape = w.shape(1) if w.dims and w.chance(0.4) else None
    cls, methods, has_property = class_with_state(w, shape)
    value, rate = squashed(w, number(w, 1)), scaled_to(w, number(w, 1), 0.5)
    given, uses = [value.text, rate.text], joined(value, rate)
    if shape is not None:
        sources = [v for v in w.variables('array') if v.shape == shape]
        v = w.pick(sources) if sources else None
        given.append(v.name if v else f'np.zeros({shape[0]})')
        uses |= v.uses if v else frozenset()
        w.mark('object_holds_array')
    name = w.fresh(w.pick(['cell', 'thing', 'unit']))
    w.line(f'{name} = {cls}({", ".join(given)})')
    fields = [('value', None), ('total', None)] + [('field', shape)] * (shape is not None)
    fields += [('both', None)] * has_property
    one = Kept(name, methods, fields, uses)
    keep(w, one)
    if w.chance(0.75):
        w.mark('object_in_loop')
        i, trips = w.fresh('i'), w.integer(1, 3)

        def change(w):
            e = method_call(w, one)
            if w.chance(0.3):
                w.line(e.text)
                return
            total = w.fresh('total')
            w.line(f'{total} = np.tanh({e.text})')
            w.define(total, 'float', bound=1.0, uses=e.uses)

        loop(w, f'for {i} in range({trips}):', trips,
             [((i, 'int'), {'low': 0, 'high': trips - 1})], low=0, high=1,
             before=change)  # fmt: skip
    if w.chance(0.3):
        w.mark('object_attribute_set')
        e = squashed(w, number(w, 1))
        w.line(f'{name}.value = {e.text}' if w.chance(0.5) else f'{name}.value *= 0.5')
    if w.chance(0.5):
        w.mark('method_twice')
        a, b = method_call(w, one), method_call(w, one)
        text = f'{a.text} {w.pick(["+", "-", "*"])} {b.text}'
        define_result(w, f'np.tanh({text})', joined(a, b), 1.0)
    if w.chance(0.3):
        alias(w, one)
    e = method_call(w, one)
    define_result(w, f'np.sin({e.text})', e.uses, 1.0)


def alias(w, one):
    """A second name of the object; each changes what the other reads."""
    w.mark('object_alias')
    name = w.fresh('same')
    w.line(f'{name} = {one.name}')
    other = Kept(name, one.methods, one.fields, one.uses)
    keep(w, other)
    a, b = method_call(w, other), method_call(w, one)
    define_result(w, f'np.tanh({a.text} * {b.text})', joined(a, b), 1.0)


def machine_parameter(w):
    """An argument with methods (programs_containers.Machine): (name, how to make its value, the
    texts of what it holds with kind and shape)."""
    name, shape = 'machine', w.shape(1) if w.dims and w.chance(0.5) else None
    makers = [('value', ('real',)), ('rate', ('real',)), ('total', ('real',))]
    parts = [(f'{name}.{field}', 'float', None) for field, _ in makers]
    cls, methods = 'machine', ['step', 'damped']
    if shape is not None:
        w.mark('object_holds_array')
        cls, methods = 'array_machine', ['step', 'damped', 'push', 'push']
        makers.append(('field', ('array', *shape)))
        parts.append((f'{name}.field', 'array', shape))
    w.mark('argument_with_methods')
    uses = frozenset(text for text, _, _ in parts)
    w.__dict__.setdefault('objects', []).append(Kept(name, methods, [], uses))
    w.define(name, 'object', uses=uses, fixed=True)
    return name, ('container', cls, makers), parts


@construct(2)
def argument_called(w):
    """Methods of an argument that change it, in a loop and twice in one expression."""
    found = [one for one in kept(w) if one.name == 'machine']
    if not found:
        w.mark('object_made')
        return object_made(w)
    one, total = found[0], w.fresh('total')
    w.line(f'{total} = 0.0')
    w.line(f'for {w.fresh("k")} in range({w.pick(["2", "3", "STEPS"])}):')
    with w.indented():
        w.line(f'{total} = 0.5 * {total} + np.tanh({method_call(w, one).text})')
    w.define(total, 'float', bound=2.0, uses=one.uses)
    a, b = method_call(w, one), method_call(w, one)
    define_result(w, f'np.sin({a.text} - {b.text})', joined(a, b), 1.0)
    return w.mark('argument_methods_called')


@form(NUMBERS, 1.5)
def object_method(w, depth):
    found = kept(w)
    return method_call(w, w.pick(found), min(depth - 1, 1)) if found else None


# Tuples with names, and frozen dataclasses: bound anew.


@construct(3)
def record_rebound(w):
    """A namedtuple or frozen dataclass that a loop binds anew, by itself or by a method."""
    kind = w.pick(['namedtuple', 'typed', 'frozen', 'frozen'])
    cls = unique(w, w.pick(['State', 'Point']))
    step = ['    def step(self, dt):',
            f'        return {cls}(0.9 * self.x + dt * self.v, 0.8 * self.v - dt * np.sin(self.x))',
            '', '    def energy(self):',
            '        return 0.3 * (self.x * self.x + self.v ** 2)']  # fmt: skip
    if kind == 'namedtuple':
        define_text(w, ['import collections', '',
                        f"{cls} = collections.namedtuple('{cls}', ['x', 'v'])"])  # fmt: skip
    elif kind == 'typed':
        define_text(w, ['import typing', '', '', f'class {cls}(typing.NamedTuple):',
                        '    x: float', '    v: float', '', *step])  # fmt: skip
    else:
        define_text(w, ['import dataclasses', '', '', '@dataclasses.dataclass(frozen=True)',
                        f'class {cls}:', '    x: float', '    v: float', '', *step])  # fmt: skip
    w.mark(f'record_{kind}')
    a, b = squashed(w, number(w, 1)), squashed(w, number(w, 1))
    name, dt = w.fresh('state'), w.pick(['0.1', '0.25', 'RATE'])
    w.line(f'{name} = {cls}({a.text}, {b.text})')
    uses = joined(a, b)
    options = [f'{name} = {cls}(0.8 * {name}.x + {dt} * {name}.v, 0.9 * {name}.v - {dt})',
               f'{name} = {cls}({name}.v, 0.7 * {name}.x)']  # fmt: skip
    if kind != 'frozen':
        options.append(f'{name} = {name}._replace(x=0.7 * {name}.x + {dt} * np.sin({name}.v))')
    else:
        options.append(f'{name} = dataclasses.replace({name}, v=0.6 * {name}.v + {dt} * {name}.x)')
    if kind != 'namedtuple':
        options += [f'{name} = {name}.step({dt})'] * 3
    total, trips = w.fresh('total'), w.pick(['2', '3', 'STEPS'])
    w.line(f'{total} = 0.0')
    w.line(f'for {w.fresh("k")} in range({trips}):')
    with w.indented():
        if w.chance(0.4):
            w.line(f'if {name}.x > 0.1173:')
            with w.indented():
                w.line(w.pick(options))
        w.line(w.pick(options))
        w.line(f'{total} = 0.5 * {total} + {name}.x * np.tanh({name}.v)')
    w.define(total, 'float', bound=HELD, uses=uses)
    result = f'{name}.x - 0.5 * {name}.v' if kind == 'namedtuple' else f'{name}.energy()'
    define_result(w, f'np.tanh({result})', uses, 1.0)


# Recursion.


@construct(3)
def recursion_counter(w):
    """A function that calls itself with a smaller integer."""
    f = unique(w, w.pick(['power', 'series', 'descend']))
    again = f'{f}({w.pick(["x", "0.7 * x", "np.sin(x)"])}, n - 1)'
    step = w.pick([f'np.tanh(x * {again})', f'0.5 * {again} + 0.2 * x', f'{again} * np.cos(x)'])
    lines = [f'def {f}(x, n):', f'    if n {w.pick(["<= 0", "< 1"])}:',
             f'        return {w.pick(["x", "1.0", "0.3 * x * x"])}']  # fmt: skip
    how = w.pick(['plain', 'twice', 'branch', 'loop'])
    if how == 'twice':
        step = f'0.4 * {f}(0.6 * x, n - 2) - 0.3 * x * {again}'
    elif how == 'branch':
        lines += ['    if n % 2 == 0:', f'        half = {f}(x, n // 2)',
                  '        return np.sin(half * half)']  # fmt: skip
    elif how == 'loop':
        lines += ['    for k in range(n):', '        x = 0.8 * x + 0.1 * k * np.cos(x)']
    define_text(w, [*lines, f'    return {step}'])
    w.mark(f'recursion_{how}')
    e = squashed(w, number(w, 1))
    text = f'{f}({e.text}, {w.pick(["2", "3", "STEPS"])})'
    if w.chance(0.3):
        text = f'{text} * {f}({e.text}, 1)'
    define_result(w, f'np.tanh({text})', e.uses, 1.0)


@construct(2)
def recursion_slices(w):
    """A function that calls itself with parts of an array."""
    sources = [v for v in w.variables('array') if len(v.shape) == 1 and v.shape[0] > 1]
    if not sources:
        recursion_counter(w)
        return w.mark('recursion_counter')
    v, f = w.pick(sources), unique(w, w.pick(['fold', 'halves']))
    end = w.pick(['v[0]', 'np.sin(v[0])'])
    lines = [f'def {f}(v):', '    if len(v) == 1:', f'        return {end}']
    if w.chance(0.5):
        more = w.pick(['0.3', 'v[0]'])
        lines.append('    m = len(v) // 2')
        lines.append(f'    return np.tanh({f}(v[:m]) * {f}(v[m:]) + {more})')
    else:
        part = w.pick([('v[1:]', 'v[0]'), ('v[:-1]', 'v[-1]')])
        lines += [f'    return 0.6 * {f}({part[0]}) + {part[1]} * np.cos({f}({part[0]}))']
    define_text(w, lines)
    define_result(w, f'np.tanh({f}({w.pick([v.name, f"0.7 * {v.name}", f"{v.name}[::-1]"])}))',
                  v.uses, 1.0)  # fmt: skip
    return None


# Closures.


@construct(3)
def closure_nonlocal(w):
    """A local function that binds a variable of the function around it."""
    state, f, x = w.fresh('level'), w.fresh('advance'), w.fresh('q')
    start, other = squashed(w, number(w, 1)), w.fresh('gain')
    gain = scaled_to(w, number(w, 1), 1.0)
    w.line(f'{state} = {start.text}')
    w.line(f'{other} = {gain.text}')
    w.line(f'def {f}({x}):')
    with w.indented():
        w.line(f'nonlocal {state}')
        how = w.pick(['plain', 'augmented', 'branch'])
        if how == 'plain':
            w.line(f'{state} = 0.5 * {state} + {other} * np.sin({x})')
        elif how == 'augmented':
            w.line(f'{state} *= 0.5')
            w.line(f'{state} += {other} * np.tanh({x})')
        else:
            w.line(f'if {x} > 0.1171:')
            with w.indented():
                w.line(f'{state} = 0.7 * {state} * np.cos({x})')
        w.line(f'return {w.pick([state, f"{state} * {x}", f"np.sin({state}) + 0.1 * {other}"])}')
    uses = joined(start, gain)
    w.define(state, 'float', bound=HELD, uses=uses, fixed=True)
    w.define(other, 'float', bound=TAME, uses=uses, fixed=not w.chance(0.2))
    texts = []
    for _ in range(2):
        e = squashed(w, number(w, 1))
        uses |= e.uses
        texts.append(f'{f}({e.text})')
    if w.chance(0.5):
        w.mark('nonlocal_in_loop')
        total, k = w.fresh('total'), w.fresh('k')
        w.line(f'{total} = 0.0')
        w.line(f'for {k} in range({w.pick(["2", "3"])}):')
        with w.indented():
            w.line(f'{total} = 0.5 * {total} + {w.pick([f"{f}({total} + {k})", f"{f}({state})"])}')
        w.define(total, 'float', bound=4 * TAME * TAME, uses=uses)
    w.scope[state].uses = uses
    text = texts[0]
    if w.chance(0.6):
        w.mark('nonlocal_twice')
        text = w.pick([f'{texts[0]} - {texts[1]}', f'{texts[0]} * {state} * {texts[1]}'])
    define_result(w, f'np.tanh({text})', uses, 1.0)
