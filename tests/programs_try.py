"""`try` in generated programs: divisions by integers that are zero for some data, in some rounds.

In: the `Writer` (programs.py). Out: lines of text, as programs_statements.py describes it. The
constructs have the feature `try`."""

from programs_expressions import number, scaled_to
from programs_statements import branch, overwritable, statement


def divisor(w):
    """An integer that may be zero: the name of one in scope less a value that it takes."""
    found = w.variables('int')
    if not found:
        w.line(f'{(name := w.fresh("k"))} = int({scaled_to(w, number(w, 1), 2.0).text})')
        v = w.define(name, 'int', low=-2, high=2)
    else:
        v = w.pick(found)
    return f'({v.name} - {w.integer(v.low, max(v.low, v.high))})'


@statement(9, 'try', deep=True)
def try_except(w):
    floats = overwritable(w, ('float',))
    if not floats:
        return False
    by = divisor(w)
    v = w.pick(floats)
    e = scaled_to(w, number(w, 1), 0.5)
    w.line('try:')
    if w.chance(0.5):
        w.mark('try_earlier')
        branch(w, 1, 2)
    with w.indented():
        how = w.pick(['=', '+=', 'raise'])
        if how == 'raise':
            w.line(f'if {by} == 0:')
            with w.indented():
                w.line("raise ZeroDivisionError('by hand')")
            w.line(f'{v.name} = 0.5 * {v.name} + {e.at(70)}')
        elif how == '=':
            w.line(f'{v.name} = 0.4 * float({v.name}) / {by} + {e.at(70)}')
        else:
            w.line(f'{v.name} *= 0.5')
            w.line(f'{v.name} += float({e.text}) / {by}')
        w.mark(f'try_{how}')
    v.rebound(e)
    if w.chance(0.3):
        w.mark('try_later')
        branch(w, 1, 2)
    name = w.pick(['ZeroDivisionError', 'ZeroDivisionError', 'ArithmeticError',
                   '(KeyError, ZeroDivisionError)', 'Exception'])  # fmt: skip
    if w.chance(0.2):
        w.mark('try_several')
        w.line('except KeyError:')
        with w.indented():
            w.line('pass')
    w.line(f'except {name}:')
    if w.chance(0.2):
        with w.indented():
            w.line('pass')
    elif w.loops and w.chance(0.25):
        w.mark('try_leaves_loop')
        with w.indented():
            w.line(w.pick(['break', 'continue']))
    else:
        branch(w, 1, 2)
    if w.chance(0.25):
        w.mark('try_else')
        w.line('else:')
        branch(w, 1, 2)
    return True
