"""Statements of generated programs. Each construct is one function in the table STATEMENTS.

In: the `Writer` (programs.py). Out: lines of text written by `w.line`, variables in scope, names in
the census. A statement function returns False where it does not apply. Later constructs (writes in
place, lists, closures) are further functions here, with a `feature` that `program(seed,
features=…)` switches on."""
# ruff: noqa: B905

import math

from programs_expressions import (
    TAME,
    Expression,
    Form,
    array,
    called,
    condition,
    joined,
    number,
    positive,
    scaled_to,
    squashed,
)

STATEMENTS = {}


def statement(weight, feature='foundation', deep=False):
    """Registers a construct. A deep one contains a block, and is not written below depth 3."""

    def add(function):
        STATEMENTS[function.__name__] = Form(function.__name__, function, weight, feature)
        function.deep = deep
        return function

    return add


# Assignments.


def fresh_value(w, depth=3):
    """A value for a new variable: (expression, kind, shape)."""
    shape = w.shape() if w.chance(0.45) else None
    if shape is None:
        return squashed(w, number(w, depth)), 'float', None
    return squashed(w, array(w, shape, depth), array=True), 'array', shape


@statement(7)
def assign_new(w):
    e, kind, shape = fresh_value(w)
    name = w.fresh()
    w.line(f'{name} = {e.text}')
    w.define(name, kind, shape=shape, bound=max(e.bound, 0.01), uses=e.uses)


def value_like(w, v, depth=2):
    e = number(w, depth) if v.kind == 'float' else array(w, v.shape, depth)
    return squashed(w, e, array=v.kind == 'array')


def overwritable(w, kinds=('float', 'array')):
    return [v for v in w.scope.values() if v.kind in kinds and not v.fixed]


@statement(5)
def assign_again(w):
    found = overwritable(w)
    if not found:
        return False
    v = w.pick(found)
    e = value_like(w, v)
    if w.chance(0.4):  # the usual damped step of an iteration
        e = scaled_to(w, e, 0.8)
        e = Expression(f'0.6 * {v.name} + {e.at(70)}', 60, TAME, e.uses)
        w.mark('recurrence')
    w.mark('reassigned')
    w.line(f'{v.name} = {e.text}')
    v.rebound(e)
    return True


@statement(3)
def assign_augmented(w):
    """A scalar updated in place of its name; what it may grow to is taken off first."""
    found = overwritable(w, ('float',))
    if not found:
        return False
    v = w.pick(found)
    how = w.pick(['+=', '+=', '-=', '*=', '/=', '**='])
    w.mark(f'augmented_{how}')
    if how in ('+=', '-='):
        e = scaled_to(w, number(w, 2), 1.0)
        w.line(f'{v.name} *= 0.5')
        w.mark('augmented_*=')
    elif how == '*=':
        e = scaled_to(w, number(w, 2), 1.0)
    elif how == '/=':
        e = positive(w, number(w, 1))
        w.line(f'{v.name} *= 0.5')
    else:
        w.line(f'{v.name} *= 0.7')
        e = Expression('2')
    w.line(f'{v.name} {how} {e.text}')
    v.rebound(e)
    return True


@statement(2)
def assign_tuple(w):
    parts = [fresh_value(w, 2) for _ in range(w.integer(2, 3))]
    names = [w.fresh() for _ in parts]
    left, right = (
        ', '.join(names),
        ', '.join(e.text if e.level > 20 else f'({e.text})' for e, _, _ in parts),
    )
    if len(parts) == 3 and w.chance(0.4) and w.allows('unpack_nested'):
        w.mark('unpack_nested')
        left = f'{names[0]}, ({names[1]}, {names[2]})'
        texts = [e.text if e.level > 20 else f'({e.text})' for e, _, _ in parts]
        right = f'{texts[0]}, ({texts[1]}, {texts[2]})'
    w.line(f'{left} = {right}')
    for name, (e, kind, shape) in zip(names, parts):
        w.define(name, kind, shape=shape, bound=max(e.bound, 0.01), uses=e.uses)
    return True


@statement(1)
def unpack_array(w):
    found = [v for v in w.variables('array') if v.shape[0] in (2, 3)]
    if not found:
        return False
    v = w.pick(found)
    names = [w.fresh() for _ in range(v.shape[0])]
    w.line(f'{", ".join(names)} = {v.name}')
    for name in names:
        kind = 'array' if len(v.shape) == 2 else 'float'
        w.define(name, kind, shape=v.shape[1:] or None, bound=v.bound, uses=v.uses)
    return True


@statement(1.5)
def swap(w):
    floats, arrays = overwritable(w, ('float',)), overwritable(w, ('array',))
    pairs = [
        (a, b)
        for group in (floats, arrays)
        for a in group
        for b in group
        if a is not b and a.shape == b.shape
    ]
    if not pairs:
        return False
    a, b = w.pick(pairs)
    if w.chance(0.5):
        w.line(f'{a.name}, {b.name} = {b.name}, {a.name}')
    else:
        e = value_like(w, a)
        w.mark('simultaneous_update')
        w.line(f'{a.name}, {b.name} = {b.name}, {e.text if e.level > 20 else f"({e.text})"}')
        a.rebound(e)
    a.uses = b.uses = a.uses | b.uses
    a.bound = b.bound = max(a.bound, b.bound)
    return True


@statement(0.7)
def assign_chain(w):
    e, kind, shape = fresh_value(w, 2)
    names = [w.fresh(), w.fresh()]
    w.line(f'{names[0]} = {names[1]} = {e.text}')
    for name in names:
        w.define(name, kind, shape=shape, bound=max(e.bound, 0.01), uses=e.uses)
    return True


@statement(1.5)
def assign_flag(w):
    c = condition(w, 1)
    name = w.fresh('flag')
    w.line(f'{name} = {c.text}')
    w.define(name, 'bool', uses=c.uses)
    return True


@statement(2.6)
def assign_int(w):
    """An int that depends on the data but carries no derivative."""
    name = w.fresh('k')
    found = w.variables('array')
    how = w.pick(['int', 'argmax', 'len', 'size'] if found else ['int'])
    if how == 'int':
        e = squashed(w, number(w, 1))
        w.line(f'{name} = int({e.text})')
        low, high = -2, 2
    else:
        v = w.pick(found)
        size = math.prod(v.shape)
        text = {
            'argmax': f'int(np.argmax({v.name}))',
            'len': f'len({v.name})',
            'size': f'{v.name}.size',
        }[how]
        w.line(f'{name} = {text}')
        low, high = {'argmax': (0, size - 1), 'len': (v.shape[0],) * 2, 'size': (size,) * 2}[how]
    w.mark(f'int_by_{how}')
    w.define(name, 'int', low=low, high=high)
    return True


@statement(2)
def accumulate(w):
    """`total = total + …` where the loop allows it; what it grows to is counted."""
    found = [v for v in w.scope.values() if v.kind == 'accumulator']
    if not found or not w.loops:
        return False
    v = w.pick(found)
    e = number(w, 2) if v.shape is None else array(w, v.shape, 2)
    e = squashed(w, e, array=v.shape is not None)
    v.bound += e.bound * math.prod(w.loops[v.opened :])
    v.uses |= e.uses
    if v.shape is None and w.chance(0.6):
        w.mark('accumulate_augmented')
        w.line(f'{v.name} += {e.text}')
    else:
        w.mark('accumulate')
        w.line(
            f'{v.name} = {v.name} + {e.text}'
            if w.chance(0.8)
            else f'{v.name} = {e.at(70)} + {v.name}'
        )
    return True


# Branches.


def branch(w, low=1, high=3):
    """A nested block; what it defines is gone after it. The variables defined in it are
    returned."""
    before = dict(w.scope)
    with w.indented():
        w.block(w.integer(low, high))
    inside = {name: v for name, v in w.scope.items() if name not in before}
    w.scope = before
    return inside


@statement(4, deep=True)
def if_statement(w):
    c = condition(w, 2)
    w.line(f'if {c.text}:')
    w.mark('if')
    branch(w)
    arms = w.weighted([(0, 4), (1, 2), (2, 1)])
    for _ in range(arms):
        w.mark('elif')
        w.line(f'elif {condition(w, 1).text}:')
        branch(w, 1, 2)
    if w.chance(0.5):
        w.mark('else')
        w.line('else:')
        branch(w, 1, 2)
    return True


@statement(1.5)
def if_defines(w):
    """A variable that every arm defines, with values of one kind."""
    c, (e, kind, shape) = condition(w, 1), fresh_value(w, 2)
    name = w.fresh()
    other = squashed(
        w, number(w, 2) if shape is None else array(w, shape, 2), array=shape is not None
    )
    w.line(f'if {c.text}:')
    with w.indented():
        w.line(f'{name} = {e.text}')
    w.line('else:')
    with w.indented():
        w.line(f'{name} = {other.text}')
    w.define(name, kind, shape=shape, bound=max(e.bound, other.bound, 0.01), uses=joined(e, other))
    return True


# Loops.


def loop(w, header, trips, names=(), low=1, high=3, before=None, last=None):
    """A loop with up to so many trips. names: the variables that its header defines, as arguments
    of define. before(w) writes the first lines of the body, last(w) the last ones."""
    opened = []
    for _ in range(w.weighted([(0, 2), (1, 3), (2, 0.7)])):
        opened.append(open_accumulator(w))
    w.line(header)
    scope = dict(w.scope)
    with w.indented(), w.looping(trips):
        for arguments, keywords in names:
            w.define(*arguments, fixed=not w.chance(0.03), **keywords)
        if before is not None:
            before(w)
        w.block(w.integer(low, high))
        if opened and w.chance(0.9):
            accumulate(w)
        if w.chance(0.22):
            jump(w)
        if last is not None:
            last(w)
    w.scope = scope
    if w.chance(0.12):
        w.mark('loop_else')
        w.line('else:')
        branch(w, 1, 2)
    for v in opened:
        close_accumulator(w, v)


def open_accumulator(w):
    name = w.fresh('total')
    shape = w.shape() if w.chance(0.3) else None
    if shape is None:
        start = w.pick(['0.0', '0.0', '0.0', '0', '1.0', None])
        e = number(w, 1) if start is None else Expression(start, bound=float(start))
        e = squashed(w, e)
        w.line(f'{name} = {e.text}')
    elif w.chance(0.3):
        w.mark('scalar_becomes_array')
        e = Expression('0.0', bound=0.0)
        w.line(f'{name} = 0.0')
    else:
        e = Expression(f'np.zeros({shape[0] if len(shape) == 1 else shape})', bound=0.0)
        w.line(f'{name} = {e.text}')
    v = w.define(name, 'accumulator', shape=shape, bound=e.bound, uses=e.uses)
    v.opened, v.maybe_scalar = len(w.loops), e.text == '0.0' and shape is not None
    return v


def close_accumulator(w, v):
    """From here on it is an ordinary variable; one that may still be a number is reduced to one."""
    if v.shape is not None and v.maybe_scalar:
        e = squashed(
            w, Expression(f'np.sum({v.name})', bound=v.bound * math.prod(v.shape), uses=v.uses)
        )
        w.line(f'{v.name} = {e.text}')
        v.kind, v.shape, v.bound = 'float', None, e.bound
    else:
        v.kind = 'float' if v.shape is None else 'array'
        if v.bound > 6.0 or w.loops:
            e = squashed(
                w, Expression(v.name, bound=v.bound, uses=v.uses), array=v.shape is not None
            )
            w.line(f'{v.name} = {e.text}')
            v.bound = e.bound
    v.bound = max(v.bound, 0.01)


@statement(6, deep=True)
def for_range(w):
    """Every form of range, with bounds that are constants, lengths, arguments or other counters."""
    name = w.pick(['i', 'j', 'k', 'step', 't'])
    name = name if name not in w.taken and w.chance(0.7) else w.fresh(name)
    w.taken.add(name)
    arrays, ints = (
        w.variables('array'),
        [v for v in w.variables('int') if v.low >= 0 and v.high <= 5],
    )
    how = w.pick(['constant', 'length', 'length', 'argument', 'counter', 'step', 'step', 'down',
                  'down', 'from', 'from', 'empty', 'empty', 'global', 'global', 'reversed',
                  'reversed'])  # fmt: skip
    if ints and w.chance(0.4):
        how = w.pick(['argument', 'argument', 'counter'])
    if arrays and w.chance(0.3):
        how = w.pick(['shape', 'length'])
    low, high, empty = 0, 3, False
    text = 'range(4)'
    if how == 'constant':
        high = w.integer(0, 3)
        text = f'range({high + 1})'
    elif how == 'length' and arrays:
        v = w.pick(arrays)
        high = v.shape[0] - 1
        text = w.pick([f'range(len({v.name}))', f'range({v.name}.shape[0])'])
    elif how == 'shape' and arrays:
        v = w.pick(arrays)
        high = v.shape[-1] - 1
        text = f'range({v.name}.shape[{len(v.shape) - 1 if w.chance(0.5) else -1}])'
    elif how in ('argument', 'counter') and ints:
        v = w.pick(ints)
        high, empty = v.high - 1 + (how == 'counter'), v.low == 0 and how == 'argument'
        text = f'range({v.name})' if how == 'argument' else f'range({v.name} + 1)'
    elif how == 'step':
        step = w.integer(2, 3)
        low, stop = w.integer(0, 1), w.integer(4, 6)
        high = low + (stop - 1 - low) // step * step
        text = f'range({low}, {stop}, {step})'
    elif how == 'down':
        high = w.integer(1, 3)
        text = f'range({high}, -1, -1)'
        if arrays and w.chance(0.6):
            v = w.pick(arrays)
            high = v.shape[0] - 1
            text = f'range(len({v.name}) - 1, -1, -1)'
        elif w.chance(0.3):
            text, low, high = 'range(5, 0, -2)', 1, 5
    elif how == 'from':
        low = w.integer(1, 2)
        high = low + w.integer(0, 2)
        text = f'range({low}, {high + 1})'
        if arrays and w.chance(0.6):
            v = w.pick(arrays)
            low, high = 1, max(1, v.shape[0] - 1)
            text, empty = f'range(1, len({v.name}))', v.shape[0] < 2
    elif how == 'empty' and w.allows('zero_trips'):
        text, empty = w.pick(['range(3, 1)', 'range(0)', 'range(2, 2)', 'range(0, 3, -1)']), True
        low, high = 0, 0
    elif how == 'global':
        text, high = 'range(STEPS)', 2
    elif how == 'reversed':
        text = 'reversed(range(4))'
    else:
        how = 'constant'
    w.mark('for_range')
    w.mark(f'range_{how}')
    if empty:
        w.mark('zero_trips')
    trips = max(high - low + 1, 1)
    loop(
        w, f'for {name} in {text}:', trips, [((name, 'int'), {'low': low, 'high': max(low, high)})]
    )
    return True


def row_of(v):
    return {'kind': 'array', 'shape': v.shape[1:]} if len(v.shape) == 2 else {'kind': 'float'}


def iterated(w, v):
    """An array to loop over, and its spelling."""
    if w.chance(0.25):
        text, low, high = w.pick(
            [(f'{v.name}[1:]', 1, 0), (f'{v.name}[::-1]', 0, 0), (f'{v.name}[:-1]', 0, 1)]
        )
        if v.shape[0] - low - high > 0:
            w.mark('iterate_slice')
            return text, v.shape[0] - low - high
    return v.name, v.shape[0]


@statement(2.5, deep=True)
def for_array(w):
    found = w.variables('array')
    if not found:
        return False
    v = w.pick(found)
    text, trips = iterated(w, v)
    w.mark('for_rows' if len(v.shape) == 2 else 'for_elements')
    name = w.fresh('row' if len(v.shape) == 2 else 'e')
    names = [((name,), {**row_of(v), 'bound': v.bound, 'uses': v.uses})]
    loop(w, f'for {name} in {text}:', trips, names)
    return True


@statement(1.5, deep=True)
def for_enumerate(w):
    found = w.variables('array')
    if not found:
        return False
    v = w.pick(found)
    text, trips = iterated(w, v)
    start = w.pick([0, 0, 1])
    i, e = w.fresh('i'), w.fresh('e')
    names = [
        ((i, 'int'), {'low': start, 'high': start + trips - 1}),
        ((e,), {**row_of(v), 'bound': v.bound, 'uses': v.uses}),
    ]
    w.mark('enumerate')
    loop(w, f'for {i}, {e} in enumerate({text}{f", {start}" if start else ""}):', trips, names)
    return True


@statement(1.5, deep=True)
def for_zip(w):
    found = w.variables('array')
    if not found:
        return False
    chosen = [w.pick(found) for _ in range(w.integer(2, 3))]
    names, texts, trips = [], [], 9
    for v in chosen:
        text, count = iterated(w, v)
        e = w.fresh('e')
        names.append(((e,), {**row_of(v), 'bound': v.bound, 'uses': v.uses}))
        texts.append(text)
        trips = min(trips, count)
    if w.chance(0.4):
        name = w.fresh('i')
        names.append(((name, 'int'), {'low': 0, 'high': trips - 1}))
        texts.append('range(10)')
        w.mark('zip_range')
    w.mark('zip')
    loop(
        w,
        f'for {", ".join(arguments[0] for arguments, _ in names)} in zip({", ".join(texts)}):',
        trips,
        names,
    )
    return True


@statement(2, deep=True)
def while_shrinking(w):
    """The test depends on a number that shrinks in every trip."""
    name = w.fresh('gap')
    e = squashed(w, number(w, 1))
    w.line(f'{name} = abs({e.text}) + 0.4')
    w.define(name, 'float', bound=2.4, uses=e.uses, fixed=True)
    test = f'{name} > {w.pick(["0.3", "0.5", "0.35"])}'
    if w.chance(0.3):
        test = f'{test} {w.pick(["and", "or"])} {name} * {name} > 0.4'
        w.mark('while_compound_test')

    def shrink(w):
        factor = w.pick(['0.6', '0.5', '(0.5 + 0.1 * np.sin(SCALE))'])
        if w.chance(0.3):
            e = squashed(w, number(w, 1))
            factor = f'(0.5 + 0.05 * {e.at(80)})'
            w.scope[name].uses |= e.uses
        w.line(w.pick([f'{name} = {name} * {factor}', f'{name} *= {factor}']))

    # Shrinking comes first, so that `continue` cannot skip it.
    w.mark('while')
    loop(w, f'while {test}:', 5, before=shrink)
    return True


@statement(1.2, deep=True)
def while_counting(w):
    name = w.fresh('count')
    limit = w.integer(0 if w.allows('zero_trips') else 1, 4)
    w.line(f'{name} = 0')
    w.define(name, 'int', low=0, high=limit, fixed=True)
    test = f'{name} < {limit}'
    if w.chance(0.6):
        test = f'{test} and {condition(w, 1).at(40)}'
        w.mark('while_compound_test')
    if not limit:
        w.mark('zero_trips')
    w.mark('while')

    def count(w):
        w.line(f'{name} += 1')

    loop(w, f'while {test}:', max(limit, 1), before=count)
    return True


@statement(0.6, deep=True)
def while_true(w):
    """Only a break leaves it."""
    name = w.fresh('x')
    e = squashed(w, number(w, 1))
    w.line(f'{name} = abs({e.text}) + 1.0')
    w.define(name, 'float', bound=3.0, uses=e.uses, fixed=True)

    def leave(w):
        w.line(f'{name} = 0.6 * {name}')
        w.line(f'if {name} < 0.5:')
        with w.indented():
            w.line('break')
        w.mark('break')

    w.mark('while')
    loop(w, 'while True:', 5, before=leave)
    return True


def jump(w):
    """break or continue under a test, as the last but one statement of the body or in its
    middle."""
    word = w.pick(['break', 'continue'])
    w.line(f'if {condition(w, 1).text}:')
    with w.indented():
        if w.chance(0.4):
            before = dict(w.scope)
            w.block(1)
            w.scope = before
        w.line(word)
    w.mark(word)
    w.block(1)


@statement(1.3)
def jump_inside(w):
    if not w.loops or w.depth > 4:
        return False
    jump(w)
    return True


@statement(2.6)
def return_early(w):
    """A return under a test, in any block."""
    if w.returns >= 3 or w.depth > 4:
        return False
    w.returns += 1
    w.line(f'if {condition(w, 1).text}:')
    with w.indented():
        w.return_statement(2)
    w.mark(
        'return_in_nested_loop'
        if len(w.loops) > 1
        else 'return_in_loop'
        if w.loops
        else 'return_early'
    )
    return True


# Statements without a value.


@statement(0.7)
def assert_statement(w):
    found = w.variables('float')
    if not found:
        return False
    v = w.pick(found)
    w.mark('assert')
    w.line(f'assert {v.name} < {math.ceil(v.bound) + 1}.0{w.pick(["", ", " + repr("too large")])}')
    return True


@statement(0.7)
def raise_not_taken(w):
    found = w.variables('float')
    if not found:
        return False
    v = w.pick(found)
    w.mark('raise')
    w.line(f'if {v.name} > {math.ceil(v.bound) + 1}.0:')
    with w.indented():
        plain = '"' in v.name or w.chance(0.5)
        message = "'out of range'" if plain else f'f"{v.name} is {{{v.name}:.2f}}"'
        w.line(f'raise {w.pick(["ValueError", "ArithmeticError"])}({message})')
    return True


@statement(0.7)
def printed(w):
    found = w.variables('float')
    if not found:
        return False
    v = w.pick(found)
    how = w.pick(['print', 'f_string', 'print_f_string'])
    w.mark('print' if how != 'f_string' else 'f_string')
    if how == 'print':
        w.line(f'print({v.name}, {w.integer(1, 9)})')
    elif how == 'f_string':
        w.line(f"{w.fresh('label')} = f'{v.name} = {{{v.name}:.4f}}'")
    else:
        w.mark('f_string')
        w.line(f"print(f'{{{v.name}:.3e}} and {{{v.name} * 2!r}}')")
    return True


@statement(0.3)
def pass_statement(w):
    w.line('pass')
    return True


@statement(1.5)
def call_for_pair(w):
    helpers = [h for h in w.helpers if h.result == 'pair']
    if not helpers:
        return False
    e = called(w, w.pick(helpers), 2)
    names = [w.fresh(), w.fresh()]
    w.mark('unpack_call')
    w.line(f'{", ".join(names)} = {e.text}')
    for name in names:
        w.define(name, 'float', bound=TAME, uses=e.uses)
    return True


@statement(3)
def element_loop(w):
    """The textbook double loop over a matrix, or a sum of neighbours."""
    found = [v for v in w.variables('array') if min(v.shape) > 1]
    if not found:
        return False
    v = w.pick(found)
    total = w.fresh('s')
    w.line(f'{total} = 0.0')
    i, j = w.fresh('i'), w.fresh('j')
    if len(v.shape) == 2:
        w.line(f'for {i} in range({v.name}.shape[0]):')
        with w.indented():
            w.line(f'for {j} in range({v.name}.shape[1]):')
            with w.indented():
                w.line(f'{total} += 0.1 * {v.name}[{i}, {j}] ** 2')
        w.mark('double_loop')
    else:
        w.line(f'for {i} in range(len({v.name}) - 1):')
        with w.indented():
            w.line(f'{total} = {total} + 0.2 * ({v.name}[{i} + 1] - {v.name}[{i}]) ** 2')
        w.mark('neighbours')
    w.define(total, 'float', bound=math.prod(v.shape) * v.bound**2, uses=v.uses)
    if w.loops:
        w.line(f'{total} = np.tanh({total})')
        w.scope[total].bound = 1.0
    return True


@statement(0.5)
def raises_here(w):
    """The primal raises, perhaps in code whose value nobody needs."""
    if not w.may_raise or w.loops or w.depth > 1:
        return False
    w.may_raise = False
    floats, arrays = w.variables('float'), w.variables('array')
    lines = ["raise ValueError('no')", 'assert 1 > 2']
    if floats:
        x = w.pick(floats).name
        lines += [
            f'{w.fresh()} = math.sqrt(-1.0 - {x} * {x})',
            f'if {x} < 1000.0:\n    raise KeyError({x})',
        ]
        lines += [f'{w.fresh()} = math.log({x} * 0.0)']
    if arrays:
        v = w.pick(arrays)
        lines += [
            f'{w.fresh()} = {v.name}[{v.shape[0]}]',
            f'{w.fresh()} = {v.name} + np.ones((2, 5, 7))',
        ]
    w.mark('raises')
    for line in w.pick(lines).split('\n'):
        w.line(line)
    return True
