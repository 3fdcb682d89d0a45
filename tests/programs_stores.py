"""Statements of generated programs that write into arrays, and the names that share their memory.

In: the `Writer` (programs.py). Out: as in programs_statements, whose table the constructs join. A
store keeps the array tame: what is added is small and the place is halved before, so that no bound
is passed in a loop either. Most stores go into arrays that no other name in scope shares memory
with (`apart`); the others are what an engine has to follow or to refuse."""
# ruff: noqa: B905

import ast
import math

from programs_expressions import (
    NUMBERS,
    PRODUCT,
    SUM,
    TAME,
    Expression,
    array,
    broadcastable,
    called,
    condition,
    decimal,
    form,
    index,
    joined,
    number,
    piece,
    positive,
    scaled_to,
    sliced,
    squashed,
)
from programs_statements import loop, statement

ALIASED = 0.06  # of the stores go into an array that is known by another name, too
VIEWS = ('reshape', 'ravel', 'transpose', 'asarray')


# Which names share memory.


def roots(node, names):
    """The names whose memory the value of an expression may share."""
    text = ast.unparse(node).replace("'", '"')
    if text in names:
        return {text}
    if isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred, ast.NamedExpr)):
        return roots(node.value, names)
    parts = []
    if isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, (ast.Tuple, ast.List)):
        parts = node.elts
    elif isinstance(node, (ast.Dict, ast.BoolOp)):
        parts = node.values
    elif isinstance(node, ast.Call):
        method = isinstance(node.func, ast.Attribute)
        if method and node.func.attr in VIEWS:
            parts = [node.func.value, *node.args[:1]]
        elif not method and node.func.id not in ('len', 'range', 'int', 'abs', 'max', 'min'):
            parts = [*node.args, *(keyword.value for keyword in node.keywords)]
    return set().union(*(roots(part, names) for part in parts)) if parts else set()


def bindings(line):
    """(target, value) of every name that a line binds."""
    text = line.strip()
    try:
        one = ast.parse(text + ' pass' if text.endswith(':') else text).body[0]
    except SyntaxError:  # elif, else
        return
    if isinstance(one, ast.For):
        yield from paired(one.target, one.iter)
    elif isinstance(one, ast.Assign):
        for target in one.targets:
            yield from paired(target, one.value)
    for part in ast.walk(one):
        if isinstance(part, ast.NamedExpr):
            yield part.target.id, part.value


def paired(target, value):
    if isinstance(target, (ast.Tuple, ast.List)):
        same = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
        for k, part in enumerate(target.elts):
            yield from paired(part, value.elts[k] if same else value)
        return
    name = ast.unparse(target).replace("'", '"')
    if isinstance(value, ast.Dict):
        for key, part in zip(value.keys, value.values):
            yield f'{name}["{key.value}"]', part
    elif isinstance(value, (ast.Tuple, ast.List)):
        for k, part in enumerate(value.elts):
            yield f'{name}[{k}]', part
    else:
        yield name, value


def relatives(w, name):
    """The other names in scope that may share memory with a name."""
    names = {v.name for v in w.scope.values() if v.kind in ('array', 'accumulator', 'int_array')}
    names.add('TABLE')
    group = {one: {one} for one in names}
    for line in w.lines:
        for target, value in bindings(line):
            if target not in names:
                group[target] = {target}
            for root in roots(value, names | set(group)):
                both = group[target] | group[root]
                for member in both:
                    group[member] = both
    return (group.get(name, set()) - {name}) & names


def targets(w, kind='array', rank=None):
    """Arrays to write into: mostly those that only one name can see."""
    found = [v for v in w.scope.values() if v.kind == kind and rank in (None, len(v.shape))]
    others = {v.name: relatives(w, v.name) for v in found if all(v.shape)}
    # What is not the program's own stays as it is.
    found = [v for v in found if v.name in others and 'TABLE' not in others[v.name]]
    if not found or w.chance(ALIASED):
        return found
    return [v for v in found if not others[v.name]]


def written(w, v, e=None):
    """Notes that an array has got elements of e; the names that may see it are bound alike."""
    for name in {v.name, *relatives(w, v.name)} - {'TABLE'}:
        one = w.scope[name]
        one.bound = max(one.bound, TAME)
        one.uses |= e.uses if e is not None else frozenset()
        w.written.add(name)
    w.mark('stores_in_helper' if len(w.call_stack) > 1 else 'stores')


# Places and what is stored.


def element_place(w, v):
    if len(v.shape) == 1:
        return f'{v.name}[{index(w, v.shape[0], v, 0)}]', None
    i, j = index(w, v.shape[0], v, 0), index(w, v.shape[1], v, 1)
    w.mark('store_element_2d')
    return (f'{v.name}[{i}, {j}]' if w.chance(0.8) else f'{v.name}[{i}][{j}]'), None


def slice_place(w, v):
    shape = tuple(w.integer(1, n) for n in v.shape)
    return f'{v.name}[{", ".join(piece(w, n, k) for n, k in zip(v.shape, shape))}]', shape


def row_place(w, v):
    if len(v.shape) != 2:
        return None
    i = index(w, v.shape[0], v, 0)
    return (f'{v.name}[{i}]' if w.chance(0.6) else f'{v.name}[{i}, :]'), (v.shape[1],)


def column_place(w, v):
    if len(v.shape) != 2:
        return None
    return f'{v.name}[:, {index(w, v.shape[1], v, 1)}]', (v.shape[0],)


def whole_place(w, v):
    return w.pick([f'{v.name}[:]', f'{v.name}[...]']), v.shape


PLACES = {
    'element': (element_place, 7),
    'slice': (slice_place, 4),
    'row': (row_place, 3),
    'column': (column_place, 3),
    'whole': (whole_place, 1.5),
}


def stored_value(w, v, shape, depth=2):
    """What is stored in a place: a number, or what broadcasts to it; often read from the array."""
    if shape is None:
        return number(w, depth)
    if w.chance(0.3):
        e = sliced(w, shape, 0)
        if e is not None:
            w.mark('store_reads_slice')
            other = number(w, 1)
            return Expression(
                f'{e.at(PRODUCT)} * {other.at(80)}',
                PRODUCT,
                e.bound * other.bound,
                joined(e, other),
            )
    e = broadcastable(w, shape, depth)
    if e.text and 'np.' not in e.text and w.chance(0.1):
        w.mark('store_plain')
    return e


def store(w, v, text, shape, kind, ops=('=',) * 4 + ('+=', '+=', '-=', '*=', '*=', '/=', '**=')):
    """One write of the place `text` of v."""
    op = w.pick(ops)
    is_array = shape is not None
    if op == '**=' and v.bound > TAME:
        op = '*='
    if op == '=':
        e = squashed(w, stored_value(w, v, shape), array=is_array)
        if w.chance(0.25):
            e = scaled_to(w, e, 0.8)
            e = Expression(f'0.6 * {text} + {e.at(PRODUCT)}', SUM, TAME, e.uses)
            w.mark('store_recurrence')
    elif op in ('+=', '-='):
        e = scaled_to(w, stored_value(w, v, shape), 1.0)
        if w.loops or len(w.call_stack) > 1 or v.bound > 4.0:
            w.line(f'{text} *= 0.5')
        else:
            v.bound += e.bound
    elif op == '*=':
        e = scaled_to(w, stored_value(w, v, shape), 1.0)
    elif op == '/=':
        e = positive(w, scaled_to(w, stored_value(w, v, shape, 1), 3.0))
        w.line(f'{text} *= 0.5')
    else:
        w.line(f'{text} *= 0.7')
        e = Expression('2')
    w.line(f'{text} {op} {e.text}')
    w.mark(f'store_{kind}')
    w.mark(f'store_{op}')
    if w.loops:
        w.mark('store_in_loop')
        if len(w.loops) > 1:
            w.mark('store_in_nested_loop')
    written(w, v, e)


def store_somewhere(w, v):
    for _ in range(5):
        kind = w.weighted([(name, weight) for name, (_, weight) in PLACES.items()])
        found = PLACES[kind][0](w, v)
        if found is not None:
            break
    else:
        kind, found = 'element', element_place(w, v)
    store(w, v, *found, kind)
    if v.name in w.parameters:
        w.mark('store_argument')


@statement(9)
def store_place(w):
    found = targets(w)
    if not found:
        return False
    store_somewhere(w, w.pick(found))
    return True


@statement(2)
def store_whole_augmented(w):
    """`x += e` of a whole array, which the caller sees. A part of a tuple cannot be bound."""
    found = [v for v in targets(w) if not v.name.startswith('pair')]
    if not found:
        return False
    v = w.pick(found)
    store(w, v, v.name, v.shape, 'augmented_array', ('+=', '+=', '-=', '*=', '*=', '/='))
    return True


@statement(2.5)
def store_mask(w):
    """A write where a condition holds, of the array itself or of another one."""
    found = targets(w)
    if not found:
        return False
    v = w.pick(found)
    asked = w.pick([u for u in w.variables('array') if u.shape == v.shape])
    mask = f'{asked.name} {w.pick("<>")} {decimal(w.integer(-90, 90) / 100 or 0.25)}'
    if w.chance(0.5):
        name = w.fresh('mask')
        w.line(f'{name} = {mask}')
        mask = w.pick([name, name, f'~{name}'])
        w.mark('store_mask_named')
    op = w.pick(['=', '=', '*=', '-='])
    if w.chance(0.4):
        other = w.pick([u for u in w.variables('array') if u.shape == v.shape])
        e = scaled_to(w, Expression(f'{other.name}[{mask}]', 100, other.bound, other.uses), 0.7)
        w.mark('store_mask_of_same')
    else:
        e = scaled_to(w, number(w, 2), 1.0)
    if op == '-=':
        w.line(f'{v.name}[{mask}] *= 0.5')
    w.line(f'{v.name}[{mask}] {op} {e.text}')
    written(w, v, e)
    return True


@statement(3.5)
def store_index_array(w):
    """A write of several places by an index array or a list, with repeats in it."""
    found = targets(w, rank=1)
    if not found:
        return False
    v = w.pick(found)
    tables = [t for t in w.variables('int_array') if t.low >= -v.shape[0] and t.high < v.shape[0]]
    if tables and w.chance(0.6):
        t = w.pick(tables)
        places, size = t.name, t.shape[0]
    else:
        size = w.integer(1, v.shape[0])
        draws = [w.integer(0, v.shape[0] - 1) for _ in range(size)]
        places = str(draws) if w.chance(0.4) else f'np.array({draws})'
        if len(set(draws)) < size:
            w.mark('store_index_repeated')
    store(w, v, f'{v.name}[{places}]', (size,), 'index_array')
    return True


@statement(4)
def store_tuple(w):
    """Elements as targets of one assignment: swapped, or bound with another name."""
    found = targets(w, rank=1)
    found = [v for v in found if v.shape[0] > 1]
    if not found:
        return False
    v = w.pick(found)
    a, b = element_place(w, v)[0], element_place(w, v)[0]
    how = w.pick(['swap', 'two', 'chain', 'chain_name'])
    e = squashed(w, number(w, 2))
    inside = e.text if e.level > 20 else f'({e.text})'
    if how == 'swap':
        w.line(f'{a}, {b} = {b}, {a}')
    elif how == 'two':
        w.line(f'{a}, {b} = {inside}, {a}')
    elif how == 'chain':
        w.line(f'{a} = {b} = {e.text}')
    else:
        name = w.fresh()
        w.line(f'{name} = {a} = {e.text}')
        w.define(name, 'float', bound=max(e.bound, 0.01), uses=e.uses)
    w.mark('store_swap' if how == 'swap' else f'store_{how}')
    written(w, v, e)
    return True


@statement(1.2)
def store_int_array(w):
    """Integers are written into an integer array: a table of places, or counts."""
    n = w.integer(2, 3)
    name = w.fresh('idx')
    w.line(f'{name} = {w.pick([f"np.zeros({n}, dtype=int)", f"np.arange({n}) % 2"])}')
    v = w.define(name, 'int_array', shape=(n,), low=0, high=1, bound=1.0)
    i = index(w, n)
    if w.chance(0.4):
        w.line(f'{name}[{i}] = {w.pick(["1", "0"])}')
    elif w.chance(0.5):
        w.line(f'if {condition(w, 1).text}:')
        with w.indented():
            w.line(f'{name}[{i}] = 1')
    else:  # the fraction is cut off
        e = scaled_to(w, number(w, 1), 1.9)
        w.line(f'{name}[{i}] = {e.text}')
        v.low = -1
        w.mark('store_truncated')
    return True


# Buffers, sweeps, stencils.


def copied_text(w, v):
    return w.pick(
        [f'{v.name}.copy()', f'np.copy({v.name})', f'{v.name} * 1.0', f'np.array({v.name})']
    )


@statement(3)
def copied(w):
    """A copy, and a write into it or into what it was made of."""
    found = w.variables('array')
    if not found:
        return False
    v = w.pick(found)
    name = w.fresh('copy')
    w.line(f'{name} = {copied_text(w, v)}')
    one = w.define(name, 'array', shape=v.shape, bound=v.bound, uses=v.uses)
    free = not relatives(w, v.name)
    store_somewhere(w, w.scope[v.name] if free and w.chance(0.4) else one)
    return True


@statement(3.6, deep=True)
def buffer_filled(w):
    """An array that is made empty and filled in a loop."""
    if not w.dims:
        return False
    found = w.variables('array')
    v = w.pick(found) if found and w.chance(0.5) else None
    shape = v.shape if v is not None else w.shape()
    size = shape[0] if len(shape) == 1 else shape
    name = w.fresh('out')
    made = w.pick([f'np.zeros({size})', f'np.zeros({size})', f'np.ones({size})'])
    if v is not None:
        made = w.pick([f'np.zeros_like({v.name})', f'np.empty_like({v.name})', f'{v.name}.copy()'])
    w.line(f'{name} = {made}')
    i = w.fresh('i')
    one = w.define(name, 'array', shape=shape, bound=TAME, uses=v.uses if v else frozenset())
    fill = made.startswith('np.empty')
    low = 0 if fill or w.chance(0.6) or shape[0] < 2 else 1
    how = w.pick([f'range({low}, {shape[0]})', f'range({low}, len({name}))'])
    if fill:  # nothing is read before it is written
        del w.scope[name]
    w.line(f'for {i} in {how if low else how.replace("0, ", "")}:')
    scope = dict(w.scope)
    with w.indented(), w.looping(shape[0]):
        w.define(i, 'int', low=low, high=shape[0] - 1, fixed=True)
        if len(shape) == 2 and w.chance(0.8):
            j = w.fresh('j')
            w.line(f'for {j} in range({shape[1]}):')
            w.mark('buffer_double_loop')
            with w.indented(), w.looping(shape[1]):
                w.define(j, 'int', low=0, high=shape[1] - 1, fixed=True)
                e = squashed(w, number(w, 2))
                w.line(f'{name}[{i}, {j}] = {e.text}')
        else:
            row = shape[1:] or None
            e = squashed(
                w, number(w, 2) if row is None else array(w, row, 2), array=row is not None
            )
            w.line(f'{name}[{i}] = {e.text}')
            if row is None and low and w.chance(0.7):
                w.line(f'{name}[{i}] += 0.4 * {name}[{i} - 1]')
    w.scope = scope
    w.scope[name] = one
    written(w, one, e)
    one.bound = TAME + 2.0 if low else TAME
    return True


@statement(2, deep=True)
def sweep(w):
    """A recurrence along an array, in place."""
    found = [v for v in targets(w, rank=1) if v.shape[0] > 1]
    if not found:
        return False
    v = w.pick(found)
    i = w.fresh('i')
    forwards = w.chance(0.6)
    other = f'{v.name}[{i} - 1]' if forwards else f'{v.name}[{i} + 1]'
    header = f'range(1, len({v.name}))' if forwards else f'range(len({v.name}) - 2, -1, -1)'
    low, high = (1, v.shape[0] - 1) if forwards else (0, v.shape[0] - 2)

    def step(w):
        e = scaled_to(w, number(w, 2), 0.6)
        how = w.integer(0, 2)
        if how == 0:
            w.line(f'{v.name}[{i}] = 0.7 * {other} + {e.at(PRODUCT)}')
        elif how == 1:
            w.line(f'{v.name}[{i}] = 0.4 * {v.name}[{i}] + 0.3 * np.sin({other}) * {e.at(80)}')
        else:
            w.line(f'{v.name}[{i}] *= {e.text}')
            w.line(f'{v.name}[{i}] -= 0.2 * {other} ** 2')
        written(w, w.scope[v.name], e)

    loop(w, f'for {i} in {header}:', v.shape[0] - 1,
         [((i, 'int'), {'low': low, 'high': high})], low=0, high=1, before=step)  # fmt: skip
    written(w, w.scope[v.name])
    return True


@statement(9, deep=True)
def stencil(w):
    """Time by space, with one buffer or two."""
    found = [v for v in w.variables('array') if len(v.shape) == 1 and v.shape[0] > 2]
    if not found:
        return False
    v = w.pick(found)
    u, un, t = w.fresh('u'), w.fresh('un'), w.fresh('t')
    w.line(f'{u} = {copied_text(w, v)}')
    made = [f'np.zeros_like({v.name})', f'{u}.copy()', f'np.zeros({v.shape[0]})']
    w.line(f'{un} = {w.pick(made if w.allows("constant.zeros") else made[1:2])}')
    for name in (u, un):
        w.define(name, 'array', shape=v.shape, bound=max(v.bound, TAME), uses=v.uses, fixed=True)
    e = scaled_to(w, number(w, 1), 0.3)
    rate = w.fresh('r')
    w.line(f'{rate} = {e.text}')
    w.define(rate, 'float', bound=0.3, uses=e.uses, fixed=True)
    w.line(f'for {t} in range({w.pick(["2", "3", "STEPS"])}):')
    with w.indented(), w.looping(3):
        how = w.pick(['element', 'element', 'slices'])
        if how == 'slices':
            text = f'{un}[1:-1] = 0.5 * {u}[1:-1] + {rate} * ({u}[2:] - {u}[1:-1] * {u}[:-2])'
            w.line(text)
        else:
            i = w.fresh('i')
            w.line(f'for {i} in range(1, len({u}) - 1):')
            with w.indented():
                w.line(f'{un}[{i}] = 0.5 * {u}[{i}] + {rate} * {u}[{i} - 1] * {u}[{i} + 1]')
                if w.chance(0.3):
                    w.line(f'if {un}[{i}] > 0.35:')
                    with w.indented():
                        w.line(f'{un}[{i}] *= 0.7')
        w.mark(f'stencil_{how}')
        if w.chance(0.4):
            w.line(f'{un}[0] = {un}[-1] = {rate}')
        swap = w.pick(['swap', 'swap', 'copy', 'copy', 'whole', 'whole', 'part', 'part'])
        w.line({'swap': f'{u}, {un} = {un}, {u}', 'copy': f'{u} = {un}.copy()',
                'whole': f'{u}[:] = {un}', 'part': f'{u}[1:-1] = {un}[1:-1]'}[swap])  # fmt: skip
        w.mark(f'stencil_{swap}')
    both = w.scope[u].uses | e.uses
    for name in (u, un):
        w.scope[name].uses, w.scope[name].fixed = both, False
    w.written |= {u, un}
    if swap == 'copy':
        return True
    return True


@statement(1.5, deep=True)
def iterate_written(w):
    """A loop over an array whose elements it writes."""
    found = [v for v in targets(w, rank=1) if v.shape[0] > 1]
    if not found:
        return False
    v = w.pick(found)
    k, e = w.fresh('k'), w.fresh('e')
    n = v.shape[0]

    def step(w):
        value = scaled_to(w, number(w, 2), 1.0)
        place = w.pick([f'{v.name}[{k}]', f'{v.name}[{n - 1} - {k}]', f'{v.name}[-1]'])
        w.line(f'{place} = 0.4 * {place} + {value.at(PRODUCT)}')
        written(w, w.scope[v.name], value)

    names = [((k, 'int'), {'low': 0, 'high': n - 1}),
             ((e,), {'kind': 'float', 'bound': max(v.bound, TAME), 'uses': v.uses})]  # fmt: skip
    loop(w, f'for {k}, {e} in enumerate({v.name}):', n, names, low=0, high=1, before=step)
    return True


# Views.


@statement(8)
def view(w):
    """A second name for an array or a part of it; then one of the two is written, and mostly the
    other one is not read any more."""
    found = [v for v in w.scope.values() if v.kind == 'array' and not relatives(w, v.name)]
    if not found:
        return False
    v = w.pick(found)
    shape = v.shape
    kinds = ['alias', 'slice', 'slice']
    if len(shape) == 2:
        kinds += ['row', 'row', 'row', 'transpose', 'transpose', 'transpose'] * 2 + ['ravel'] * 6
    kinds += ['reshape'] if len(shape) == 1 else []
    kind = w.pick(kinds)
    if kind == 'alias':
        text = v.name
    elif kind == 'slice':
        text, shape = slice_place(w, v)
    elif kind == 'row':
        text, shape = row_place(w, v)
    elif kind == 'transpose':
        text, shape = f'{v.name}.T', shape[::-1]
    elif kind == 'ravel':
        text, shape = w.pick([f'{v.name}.ravel()', f'{v.name}.reshape(-1)']), (math.prod(shape),)
    else:
        shape = (1, shape[0]) if shape[0] % 2 or w.chance(0.3) else (2, shape[0] // 2)
        text = f'{v.name}.reshape{shape}'
    name = w.fresh({'row': 'row', 'slice': 'mid'}.get(kind, 'view'))
    w.line(f'{name} = {text}')
    one = w.define(name, 'array', shape=shape, bound=v.bound, uses=v.uses)
    w.mark(f'view_{kind}')
    how = w.weighted([('write_view', 4), ('write_base', 3), ('both', 0.8), ('read', 2)])
    if how == 'read':
        return True
    w.mark(f'view_{how}')
    one, other = (one, v) if how != 'write_base' else (v, one)
    if how == 'write_base' and w.chance(0.5):  # the view is read before
        e = squashed(w, number(w, 2))
        before = w.fresh()
        w.line(f'{before} = np.sum({name}) * {e.at(80)}' if e.bound < 3 else f'{before} = 0.5')
        w.line(f'{before} = np.tanh({before})')
        w.define(before, 'float', bound=1.0, uses=one.uses | e.uses)
    store_somewhere(w, one)
    # `row = g[i]; row[j] = e` may be read through both names where the view is spelled out.
    spelled = kind in ('alias', 'slice', 'row') and w.chance(0.3)
    if how != 'both' and not spelled and other.name in w.scope and not w.loops:
        if other.name in w.parameters and other.uses:
            one.uses |= other.uses
        w.hidden.add(other.name)
        del w.scope[other.name]
    return True


# Helpers that write their arguments.


def writers(w):
    return [h for h in w.helpers if h.writes]


def call_of_writer(w, helper, depth=1):
    """A call of a helper that writes its argument, with an array of ours: (text, expression)."""
    for p in helper.parameters:
        if p.name in helper.writes:
            whole = [v for v in targets(w) if v.shape == p.shape]
            e = sliced(w, p.shape, 0) if not whole or w.chance(0.4) else None
            if e is None and not whole:
                return None
            if e is not None and any(mark in e.text for mark in ('::', '-')) and w.chance(0.5):
                return None
            if e is None:
                v = w.pick(whole)
                e = Expression(v.name, 100, v.bound, v.uses)
                w.mark('call_writes_whole')
            else:
                v = next(v for v in w.scope.values() if e.text.startswith(v.name + '['))
                if relatives(w, v.name) and not w.chance(ALIASED):
                    return None
                w.mark('call_writes_slice')
            return called(w, helper, depth, {p.name: e})
    return None


@statement(8)
def call_writes(w):
    helpers = writers(w)
    e = call_of_writer(w, w.pick(helpers)) if helpers else None
    if e is None:
        return False
    if w.chance(0.5):
        w.mark('call_for_effect')
        w.line(e.text)
        return True
    helper = next(h for h in w.helpers if e.text.startswith(h.name + '('))
    if helper.result == 'pair':
        w.line(e.text)
        return True
    name = w.fresh()
    w.line(f'{name} = {e.text}')
    if helper.result == 'float':
        w.define(name, 'float', bound=TAME, uses=e.uses)
    else:
        w.define(name, 'array', shape=helper.result, bound=TAME, uses=e.uses)
    return True


@form(NUMBERS, 11)
def call_writes_twice(w, depth):
    """Two calls that write, in one expression: the order of evaluation shows."""
    helpers = [h for h in writers(w) if h.result == 'float']
    if not helpers:
        return None
    a, b = (call_of_writer(w, w.pick(helpers), 0) for _ in range(2))
    if a is None or b is None or a.text == b.text:
        return None
    return Expression(f'{a.text} {w.pick("+-")} {b.text}', SUM, 2 * TAME, joined(a, b))
