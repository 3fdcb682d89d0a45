"""Functions as values, keys that loops choose, and starred targets, in generated programs.

In: the `Writer` (programs.py). Out: lines that use them, and names in the census. What a function
that a program picks gives back stays tame: all of them map a number to one of at most the bound.
`programs.py` does not import it yet (docs/notes.md, known faults)."""

from programs_expressions import condition, joined, number, squashed
from programs_objects import HELD, construct, define_result, define_text, unique


def small_function(w, captured=()):
    """The text of a function that keeps numbers small, maybe reading variables around it."""
    options = ['np.sin', 'np.tanh', 'math.cos', 'lambda t: 0.5 * t']
    options.append('lambda t: 0.3 * t * np.cos(t)')
    options += [f'lambda t: 0.5 * t + 0.2 * np.tanh({name})' for name in captured] * 2
    return w.pick(options)


def numbers_in_scope(w):
    return [v for v in w.variables('float') if '.' not in v.name and '[' not in v.name]


@construct(3)
def function_chosen(w):
    """A function that a test picks, called after what the test read has changed."""
    x, name = squashed(w, number(w, 1)), w.fresh('act')
    found = numbers_in_scope(w)
    around = [w.pick(found).name] if found and w.chance(0.6) else []
    uses = joined(x) | (w.scope[around[0]].uses if around else frozenset())
    test = condition(w, 1)
    uses |= test.uses
    first, other = small_function(w, around), small_function(w, around)
    if w.chance(0.5):
        w.mark('function_chosen_by_if')
        w.line(f'if {test.text}:')
        with w.indented():
            w.line(f'{name} = {first}')
        w.line('else:')
        with w.indented():
            w.line(f'{name} = {other}')
    else:
        if 'lambda' in first:
            first = f'({first})'
        w.line(f'{name} = {first} if {test.text} else {other}')
    define_result(w, f'{name}({x.text}) - 0.4 * {name}(0.3)', uses, HELD)


@construct(2)
def function_table(w):
    """A loop over functions, or one that a key or position picks."""
    x, name = squashed(w, number(w, 1)), w.fresh('value')
    found = numbers_in_scope(w)
    around = [w.pick(found).name] if found and w.chance(0.6) else []
    uses = joined(x) | (w.scope[around[0]].uses if around else frozenset())
    functions = [small_function(w, around) for _ in range(w.integer(2, 3))]
    table, g, i = w.fresh('table'), w.fresh('g'), w.fresh('i')
    if w.chance(0.5):
        w.mark('loop_over_functions')
        w.line(f'{name} = {x.text}')
        w.line(f'for {g} in [{", ".join(functions)}]:')
        with w.indented():
            w.line(f'{name} = {g}({name}) + 0.1 * {name}')
    else:
        w.mark('function_by_position')
        if w.chance(0.5):
            w.line(f'{table} = ({", ".join(functions)})')
            key = f'{i} % {len(functions)}'
        else:
            entries = ', '.join(f'{k}: {f}' for k, f in enumerate(functions))
            w.line(f'{table} = {{{entries}}}')
            key = f'({i} + 1) % {len(functions)}'
        w.line(f'{name} = {x.text}')
        w.line(f'for {i} in range({w.pick(["2", "3", "STEPS"])}):')
        with w.indented():
            w.line(f'{name} = 0.5 * {table}[{key}]({name}) + 0.2')
    w.define(name, 'float', bound=HELD, uses=uses)


@construct(2)
def function_made(w):
    """A function that another one makes, or binds arguments to; they change before the call."""
    a, x, f = squashed(w, number(w, 1)), squashed(w, number(w, 1)), w.fresh('made')
    kept = w.fresh('kept')
    maker = unique(w, 'maker')
    w.line(f'{kept} = {a.text}')
    if w.chance(0.5):
        w.mark('function_from_function')
        define_text(w, [f'def {maker}(a, b=0.5):', '    scale = 0.5 * a',
                        '    def inner(t):', '        return np.sin(scale * t) + 0.2 * b',
                        '    return inner'])  # fmt: skip
        w.line(f'{f} = {maker}({kept})')
    else:
        w.mark('function_partial')
        define_text(w, ['import functools', '', '', f'def {maker}(a, t, b=0.25):',
                        '    return np.tanh(a * t) * b'])  # fmt: skip
        w.line(f'{f} = functools.partial({maker}, {kept}, b=0.75)')
    w.line(f'{kept} = 0.5 * {kept} + 0.1')
    w.define(kept, 'float', bound=HELD, uses=a.uses)
    define_result(w, f'{f}({x.text}) + 0.3 * {f}(0.7)', joined(a, x), HELD)


@construct(2)
def key_loop(w):
    """A dict whose entries a loop over its keys makes or changes."""
    a, b = squashed(w, number(w, 1)), squashed(w, number(w, 1))
    d, k, total = w.fresh('entries'), w.fresh('key'), w.fresh('total')
    if w.chance(0.5):
        w.mark('dict_comprehension')
        w.line(f'{d} = {{{k}: {a.text} + 0.1 * {k} for {k} in range(3)}}')
        keys = '(0, 2, 1)'
    else:
        w.line(f"{d} = {{'a': {a.text}, 'b': {b.text}}}")
        keys = "('a', 'b')"
    w.line(f'for {k} in {keys}:')
    with w.indented():
        w.line(f'{d}[{k}] = 0.5 * {d}[{k}] + 0.2 * np.sin({b.text})')
    w.line(f'{total} = np.tanh(sum({d}.values()))')
    w.define(total, 'float', bound=1.0, uses=joined(a, b))


@construct(1)
def starred_target(w):
    """`first, *rest`, of a display or of a list."""
    parts = [squashed(w, number(w, 1)) for _ in range(3)]
    first, rest, xs = w.fresh('first'), w.fresh('rest'), w.fresh('xs')
    texts = ', '.join(e.text for e in parts)
    if w.chance(0.5):
        w.line(f'{first}, *{rest} = [{texts}]')
    else:
        w.line(f'{xs} = [{texts}]')
        w.line(f'*{rest}, {first} = {xs}')
    w.line(f'{rest}[0] = 0.5 * {rest}[0] * {first}')
    define_result(w, f'np.tanh(sum({rest}) - 0.5 * {first})', joined(*parts), 1.0)
