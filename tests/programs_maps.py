"""Dicts by keys that the run decides, lists of lists that are written, and lists of records and
pairs, in generated programs.

In: the `Writer` (programs.py). Out: as in programs_statements, whose table the constructs join.
Each makes its container, fills and reads it, and leaves a number."""

from programs_expressions import number, squashed
from programs_statements import statement


def tame(w, depth=2):
    """A number of the scope, kept small."""
    return squashed(w, number(w, depth))


def leave(w, text, uses):
    name = w.fresh('total')
    w.line(f'{name} = np.tanh({text})')
    w.define(name, 'float', bound=1.0, uses=uses)


@statement(0.8)
def map_filled(w):
    """`d[k] = …` in a loop whose keys may come again; then its entries are read."""
    d, k = w.fresh('table'), w.fresh('k')
    how = w.pick(['counted', 'overwritten', 'recurrence', 'branch'])
    w.mark('map_filled')
    w.line(f'{d} = {{0: {tame(w, 1).text}}}' if how == 'recurrence' else f'{d} = {{}}')
    keys = w.pick(['range(1, 4)', '(1, 2, 1, 2, 3)']) if how != 'branch' else 'range(4)'
    uses = frozenset()
    w.line(f'for {k} in {keys}:')
    with w.indented():
        e = tame(w)
        uses |= e.uses
        if how == 'counted':
            w.line(f'{d}[{k}] = 0.6 * {d}.get({k}, 0.0) + {e.at(70)}')
        elif how == 'recurrence':
            w.line(f'{d}[{k}] = 0.5 * {d}[{k} - 1] * {d}[0] + {e.at(70)}')
        elif how == 'branch':
            w.line(f'if {k} % 2 in {d}:')
            w.line(f'    {d}[{k} % 2] *= {e.at(80)}')
            w.line('else:')
            w.line(f'    {d}[{k} % 2] = {e.text} + {k}')
        else:
            w.line(f'{d}[{k}] = {e.text}')
            w.line(f'{d}[{k} + 1] = 0.3 * {d}[{k}] * {d}[{k}]')
    if w.chance(0.5):
        w.mark('map_walked')
        v, total = w.fresh('v'), w.fresh('total')
        w.line(f'{total} = 0.0')
        w.line(f'for {k}, {v} in {d}.items():')
        w.line(f'    {total} = 0.7 * {total} + {v} * {v} / ({k} + 2.0)')
        leave(w, total, uses)
    else:
        leave(w, f'sum({d}.values()) * {d}[1]', uses)
    return True


@statement(0.8)
def rows_written(w):
    """A list of lists that is stored into, element by element."""
    m, i, j = w.fresh('grid'), w.fresh('i'), w.fresh('j')
    w.mark('rows_written')
    w.line(f'{m} = [[0.1 * {i}] * 3 for {i} in range(2)]')
    w.line(f'for {i} in range(2):')
    with w.indented():
        w.line(f'for {j} in range(3):')
        with w.indented():
            e = tame(w)
            w.line(f'{m}[{i}][{j}] {w.pick(["=", "+=", "-="])} {e.text}')
            if w.chance(0.6):
                w.line(f'if {j} > 0:')
                w.line(f'    {m}[{i}][{j}] += 0.4 * {m}[{i}][{j} - 1] * {m}[0][{j}]')
    uses = frozenset(e.uses)
    if w.chance(0.5):
        row, total = w.fresh('row'), w.fresh('total')
        w.line(f'{total} = 0.0')
        w.line(f'for {row} in {m}:')
        w.line(f'    {total} += {row}[0] * {row}[-1] + 0.1 * sum({row})')
        leave(w, total, uses)
    else:
        leave(w, f'{m}[0][1] * {m}[1][2]', uses)
    return True


@statement(0.8)
def records_stepped(w):
    """A list of dicts or pairs, made by a display or a loop; dicts are written in loops."""
    ps, p, k = w.fresh('parts'), w.fresh('p'), w.fresh('k')
    e, f = tame(w, 1), tame(w, 1)
    uses = frozenset(e.uses | f.uses)
    total = w.fresh('total')
    if w.chance(0.4):
        w.mark('pairs_in_list')
        a, b = w.fresh('a'), w.fresh('b')
        w.line(f'{ps} = [({e.text}, 0.5)]')
        w.line(f'for {k} in range(3):')
        w.line(f'    {a}, {b} = {ps}[-1]')
        w.line(f'    {ps}.append((0.5 * {a} + {b} * {k}, {f.at(80)} * {a}))')
        w.line(f'{total} = 0.0')
        w.line(f'for {a}, {b} in {ps}:')
        w.line(f'    {total} = 0.5 * {total} + {a} * {b}')
        leave(w, total, uses)
        return True
    w.mark('records_in_list')
    w.line(f"{ps} = [{{'x': {e.text}, 'v': {k} * {f.at(80)}}} for {k} in range(3)]")
    w.line(f'for {k} in range(2):')
    w.line(f'    for {p} in {ps}:')
    w.line(f"        {p}['x'] += 0.1 * {p}['v'] * {p}['x']")
    if w.chance(0.5):
        w.line(f"        {p}['v'] = 0.8 * {p}['v'] + {ps}[0]['x']")
    leave(w, f"sum({p}['x'] for {p} in {ps}) * {ps}[-1]['v']", uses)
    return True
