"""Lists in dicts and lists that grow, arrays in lists that are written, items that are taken out,
and views by reshape, in generated programs.

In: the `Writer` (programs.py). Out: as in programs_statements, whose table the constructs join.
Each makes its container, fills and reads it, and leaves a number."""

from programs_maps import leave, tame
from programs_statements import statement


@statement(0.7)
def lists_in_dict(w):
    """`d[k].append(…)` under keys that come again; then the lists are read."""
    d, k, g, total = w.fresh('groups'), w.fresh('k'), w.fresh('g'), w.fresh('total')
    how = w.pick(['setdefault', 'tested', 'made', 'named'])
    w.mark('lists_in_dict')
    w.line(f'{d} = {{{k}: [] for {k} in range(3)}}' if how == 'made' else f'{d} = {{}}')
    w.line(f'for {k} in range(6):')
    with w.indented():
        e = tame(w)
        if how == 'setdefault':
            w.line(f'{d}.setdefault({k} % 3, []).append(({e.text}) + 0.1 * {k})')
        else:
            if how != 'made':
                w.line(f'if {k} % 3 not in {d}:')
                w.line(f'    {d}[{k} % 3] = []')
            if how == 'named':
                w.line(f'{g} = {d}[{k} % 3]')
                w.line(f'{g}.append(({e.text}) + 0.1 * {k})')
            else:
                w.line(f'{d}[{k} % 3].append(({e.text}) + 0.1 * {k})')
            if w.chance(0.4):
                w.line(f'if len({d}[{k} % 3]) > 1:')
                w.line(f'    {d}[{k} % 3][0] *= {d}[{k} % 3][-1]')
    uses = frozenset(e.uses)
    if w.chance(0.3):
        w.line(f'{d}[1] = [{d}[1].pop(), {tame(w, 1).text}]')
    w.line(f'{total} = 0.0')
    if w.chance(0.5):
        w.line(f'for {k}, {g} in {d}.items():')
        w.line(f'    {total} = 0.7 * {total} + {g}[-1] * sum({g}) / ({k} + 2.0)')
    else:
        w.line(f'for {k} in {d}:')
        w.line(f'    {total} = 0.7 * {total} + sum({d}[{k}]) * {d}[{k}][0]')
    leave(w, total, uses)
    return True


@statement(0.6)
def rows_grown(w):
    """Lists in a list that grow and shrink, and their columns."""
    m, k, row, total = w.fresh('rows'), w.fresh('k'), w.fresh('row'), w.fresh('total')
    w.mark('rows_grown')
    w.line(f'{m} = [[{tame(w, 1).text}] for {k} in range(2)]')
    w.line(f'for {k} in range(4):')
    with w.indented():
        e = tame(w)
        if w.chance(0.4):
            w.line(f'{row} = {m}[{k} % 2]')
            w.line(f'{row}.append(({e.text}) * {row}[-1])')
        else:
            w.line(f'{m}[{k} % 2].append(({e.text}) * {m}[{k} % 2][0])')
    uses = frozenset(e.uses)
    w.line(f'{total} = 0.0')
    how = w.pick(['popped', 'columns', 'replaced'])
    if how == 'popped':
        w.line(f'while len({m}[0]) > 0:')
        w.line(f'    {total} = 0.6 * {total} + {m}[0].pop() * {m}[1][0]')
    elif how == 'columns':
        w.line(f'for {row} in zip(*{m}):')
        w.line(f'    {total} = 0.6 * {total} + {row}[0] * {row}[1]')
    else:
        w.line(f'{m}[0] = [{tame(w, 1).text}, {m}[1][-1]]')
        w.line(f'{total} += {m}[0][-1] * sum({m}[1])')
    leave(w, total, uses)
    return True


@statement(0.6)
def arrays_in_list(w):
    """Arrays in a list that are written in place."""
    xs, k, x = w.fresh('xs'), w.fresh('k'), w.fresh('x')
    w.mark('arrays_in_list')
    w.line(f'{xs} = [np.ones(3) * {k} for {k} in range(2)]')
    w.line(f'for {k} in range(3):')
    with w.indented():
        e = tame(w)
        how = w.pick(['whole', 'element', 'row'])
        if how == 'whole':
            w.line(f'{xs}[{k} % 2] {w.pick(["+=", "-=", "*="])} {e.text}')
        elif how == 'element':
            w.line(f'{xs}[{k} % 2][{k}] = ({e.text}) * {xs}[0][1]')
        else:
            w.line(f'{x} = {xs}[{k} % 2]')
            w.line(f'{x}[{k}] += {e.text}')
    leave(w, f'np.sum({xs}[0] * {xs}[1])', frozenset(e.uses))
    return True


@statement(0.5)
def items_taken_out(w):
    """Items that lists and dicts lose by a variable index or key."""
    xs, k, total = w.fresh('xs'), w.fresh('k'), w.fresh('total')
    w.mark('items_taken_out')
    e = tame(w, 1)
    if w.chance(0.5):
        w.line(f'{xs} = [({e.text}) * {k} for {k} in range(1, 6)]')
        w.line(f'{total} = 0.0')
        w.line(f'for {k} in (1, -1):')
        w.line(f'    {total} += {xs}[{k}] * {xs}[0]')
        w.line(f'    {w.pick([f"del {xs}[{k}]", f"{total} += {xs}.pop({k})"])}')
        leave(w, f'{total} + sum({xs})', e.uses)
        return True
    w.line(f'{xs} = {{{k}: ({e.text}) * {k} for {k} in range(1, 5)}}')
    w.line(f'{total} = 0.0')
    w.line(f'for {k} in (2, 3):')
    w.line(f'    {total} += {xs}[{k}] * {xs}[1]')
    w.line(f'    {w.pick([f"del {xs}[{k}]", f"{total} += {xs}.pop({k})"])}')
    leave(w, f'{total} + sum({xs}.values()) * {xs}.get(2, 0.5)', e.uses)
    return True


@statement(0.5)
def reshaped_view(w):
    """An array that is stored into under another shape."""
    y, z, k = w.fresh('y'), w.fresh('z'), w.fresh('k')
    w.mark('reshaped_view')
    e = tame(w, 1)
    w.line(f'{y} = np.ones((2, 2)) * ({e.text})')
    w.line(f'{z} = {y}.{w.pick(["reshape(4)", "ravel()", "reshape(-1)"])}')
    w.line(f'for {k} in range(3):')
    w.line(f'    {z}[{k}] {w.pick(["=", "+=", "*="])} {tame(w).text}')
    if w.chance(0.5):
        w.line(f'{y}[1] *= {z}[0]')
    leave(w, f'np.sum({y} * {y}) + {z}[3]', e.uses)
    return True
