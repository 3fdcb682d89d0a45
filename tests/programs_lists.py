"""Lists of generated programs: filled in loops, read by an index and by loops, used as stacks.

In: the `Writer` (programs.py). Out: as in programs_statements, whose table the constructs join. A
list holds numbers or arrays of one shape and is read while it is written; behind the construct it
stays in scope for `list_read` alone."""
# ruff: noqa: B905

import dataclasses

from programs_expressions import (
    NUMBERS,
    TAME,
    Expression,
    array,
    form,
    number,
    squashed,
)
from programs_statements import loop, overwritable, statement


@dataclasses.dataclass(eq=False)
class Made:
    """A list in scope: how its items look, and how many it surely has."""

    name: str
    shape: tuple
    least: int
    uses: frozenset


def item(w, made, depth=2):
    """A value to put into a list."""
    e = number(w, depth) if made.shape is None else array(w, made.shape, depth)
    e = squashed(w, e, array=made.shape is not None)
    made.uses |= e.uses
    return e


def lists(w):
    """The lists in scope: those whose name still is."""
    return [one for one in w.__dict__.get('lists', []) if one.name in w.scope]


def keep(w, made):
    w.__dict__.setdefault('lists', []).append(made)
    w.define(made.name, 'list', uses=made.uses, fixed=True)


def read_of(made, place):
    """An item as a number."""
    text = f'{made.name}[{place}]'
    return text if made.shape is None else f'np.sum({text})'


def bound_of(made):
    size = 1
    for n in made.shape or ():
        size *= n
    return TAME * size


def define_total(w, made, text):
    """A number made of a list, kept tame."""
    name = w.fresh('total')
    w.line(f'{name} = np.tanh({text})')
    w.define(name, 'float', bound=1.0, uses=made.uses)


@statement(2.6, deep=True)
def list_filled(w):
    """`xs.append(…)` in a loop, with an item that may read the one before; then it is read."""
    shape = w.shape() if w.chance(0.5) else None
    made = Made(w.fresh(w.pick(['xs', 'trace', 'parts'])), shape, 1, frozenset())
    start = item(w, made, 1)
    w.line(f'{made.name} = [{start.text}]')
    w.mark('list_of_arrays' if shape else 'list_of_numbers')
    i, trips = w.fresh('i'), w.integer(1, 3)

    def last(w):
        e = item(w, made)
        if w.chance(0.6):
            w.mark('list_recurrence')
            w.line(f'{made.name}.append(0.6 * {made.name}[-1] + 0.2 * {e.at(70)})')
        else:
            w.line(f'{made.name}.append({e.text})')

    loop(w, f'for {i} in range({trips}):', trips, [((i, 'int'), {'low': 0, 'high': trips - 1})],
         low=0, high=1, last=last)  # fmt: skip
    keep(w, made)
    for more in (list_changed, list_loop):
        if w.chance(0.8):
            more(w)


@statement(1.2, deep=True)
def list_loop(w):
    """A loop over a list, by its items or by their index."""
    found = lists(w)
    if not found:
        return False
    made = w.pick(found)
    how = w.pick(['items', 'items', 'index', 'index', 'reversed', 'reversed'])
    if how == 'items' or (how == 'reversed' and made.shape is not None):
        name = w.fresh('q')
        fields = {'kind': 'float' if made.shape is None else 'array', 'shape': made.shape}
        names = [((name,), {**fields, 'bound': TAME, 'uses': made.uses})]
        w.mark('list_items')
        kept = w.scope.pop(made.name)  # it does not grow while it is walked
        loop(w, f'for {name} in {made.name}:', 4, names, low=0, high=1)
        w.scope[made.name] = kept
        return True
    total, k = w.fresh('total'), w.fresh('k')
    w.mark('list_index' if how == 'index' else 'list_reversed')
    w.line(f'{total} = 0.0')
    ks = f'range(len({made.name}))'
    w.line(f'for {k} in {ks if how == "index" else f"reversed({ks})"}:')
    with w.indented():
        w.line(f'{total} = 0.5 * {total} + 0.3 * {read_of(made, k)}')
    w.define(total, 'float', bound=bound_of(made), uses=made.uses)
    return True


@statement(1.2)
def list_changed(w):
    """An item is replaced, taken off, or put on."""
    found = lists(w)
    if not found:
        return False
    made = w.pick(found)
    how = w.pick(['store', 'store_augmented', 'store_augmented', 'append', 'stack'])
    e = item(w, made)
    w.mark(f'list_{how}')
    if how == 'store':
        w.line(f'{made.name}[{w.pick(["0", "-1"])}] = {e.text}')
    elif how == 'store_augmented' and (made.shape is None or w.chance(0.1)):
        w.line(f'{made.name}[0] *= 0.4')
        w.line(f'{made.name}[0] += 0.5 * {e.at(80)}')
    elif how == 'store_augmented':
        w.line(f'{made.name}[0] = 0.4 * {made.name}[0] + 0.5 * {e.at(80)}')
    elif how == 'stack':
        w.line(f'{made.name}.append({e.text})')
        define_total(w, made, read_of(made, '-1'))
        w.line(f'{made.name}.pop()')
    else:
        w.line(f'{made.name}.append({e.text})')
    w.scope[made.name].uses |= e.uses
    return True


@statement(0.8)
def list_comprehension(w):
    """A list of numbers made from an array or from another list."""
    arrays = [v for v in w.variables('array') if len(v.shape) == 1]
    sources = [(v.name, v.uses) for v in arrays]
    sources += [(one.name, one.uses) for one in lists(w) if one.shape is None]
    if not sources:
        return False
    source, uses = w.pick(sources)
    q = w.fresh('q')
    made = Made(w.fresh('ys'), None, 1, frozenset(uses))
    value = w.pick([f'np.sin({q})', f'0.5 * {q}', f'{q} * {q} / (1.0 + {q} ** 2)', f'0.3 - {q} / 2'])
    w.line(f'{made.name} = [{value} for {q} in {source}]')
    w.mark('list_comprehension')
    keep(w, made)
    return True


@form(NUMBERS, 2.5)
def list_item(w, depth):
    found = lists(w)
    if not found:
        return None
    made = w.pick(found)
    w.mark('list_item')
    text = read_of(made, w.pick(['0', '-1', 'len({}) - 1'.format(made.name)]))
    return Expression(text, 100, bound_of(made), made.uses | w.scope[made.name].uses)


@form(NUMBERS, 1.6)
def list_sum(w, depth):
    found = [one for one in lists(w) if one.shape is None]
    if not found:
        return None
    made = w.pick(found)
    w.mark('list_sum')
    uses = made.uses | w.scope[made.name].uses
    return Expression(f'np.tanh(sum({made.name}))', 100, 1.0, uses)


# A name that goes on as another array.


@statement(3)
def rebound_to_view(w):
    """`t = w.T + t`: the old value of `t` has other uses, and the new one sees no other array."""
    pairs = []
    for v in overwritable(w, ('array',)):
        for other in w.variables('array'):
            same = [f'{other.name}[::-1]', f'{other.name}[:]'] if other.shape == v.shape else []
            if len(v.shape) == 2 and other.shape == v.shape[::-1]:
                same += [f'{other.name}.T'] * 3
            if other.name != v.name:
                pairs += [(v, other, text) for text in same]
    if not pairs:
        return False
    v, other, text = w.pick(pairs)
    if w.chance(0.7):
        e = w.fresh('old')
        w.line(f'{e} = np.tanh(np.sum({v.name} * {w.pick([v.name, "0.7"])}))')
        w.define(e, 'float', bound=1.0, uses=v.uses)
    w.line(f'{v.name} *= 0.4' if w.chance(0.05) else f'{v.name} = 0.4 * {v.name}')
    w.line(f'{v.name} = {w.pick([f"{text} + {v.name}", f"{v.name} + {text}"])}')
    w.line(f'{v.name} = np.tanh({v.name})')
    v.rebound(Expression('', 100, 1.0, v.uses | other.uses))
    return True
