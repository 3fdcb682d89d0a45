"""Whether the suite would notice a fault in emitted code: of 500 mutants at least 98 % are found.

The mutants are made of gradients of generated programs and, where the shared folder is there, of
the golden primals. A mutant is found if, on one of its sets of arguments, it raises, gives
another gradient (at the suite's own tolerance), prints something else or leaves its arguments
otherwise than the primal."""
# ruff: noqa: B905, SIM905

import ast
import contextlib
import copy
import difflib
import functools
import importlib.util
import io
import itertools
import os
import pathlib
import random

import fuzz
import mutants
import numpy as np
import oracle
import programs
import pytest

COUNT = int(os.environ.get('TANGENT_MUTANTS', '500'))
FOUND_AT_LEAST = 0.98
WRONG_AT_MOST = 0.05  # of the programs have a gradient that is not right to begin with
FIRST_LABEL = 1_000_000  # programs that test_generated does not use
SHARED = pathlib.Path(os.environ.get('SHARED', pathlib.Path(__file__).parents[2] / 'shared'))

# What makes faults invisible in the numbers is not written into these programs: equal elements
# (v[0] and v[1], rows of one number), parts of records that nothing reads, zeros and ones (a + 0
# and a - 0, 1 * a and a ** 1), factors that are False, loops without a trip, operands that are not
# chosen, spreads that do not depend on a scale.
FEATURES = programs.FOUNDATION | {
    '-' + name
    for name in (
        'constant.ones constant.zeros constant.full constant.eye raises zero_trips counter ternary'
        ' comparison_as_number value_of_and_or argument_int argument_int_array int_for_float'
        ' dimension_1 function_of_two where array_of_two array_ternary assign_int unpack_nested'
        ' argument_container absolute_value np.abs np.absolute np.fabs math.fabs np.sign'
        ' np.max np.min np.std slice_step rows_written records_stepped'
    ).split()
}


def telling(gradients):
    """Whether every element of every gradient is there to be wrong, and told from the others."""
    parts = [np.asarray(part) for each in gradients for part in each]
    return all(np.all(np.abs(p) > 1e-3) and np.unique(p).size == p.size for p in parts)


def subjects(folder):
    """(name, function, wrt, sets of arguments, what the primal prints for each) without end."""
    yield from golden()
    for label in itertools.count(FIRST_LABEL):
        program = programs.program(label, FEATURES, sets=6)
        f = program.load(folder / f'program_{label}.py')
        yield f'program {label}', f, program.wrt, program.argument_sets, program.prints


def golden():
    path = SHARED / 'golden' / 'adjoints.py'
    if not path.exists():
        return
    spec = importlib.util.spec_from_file_location('golden_adjoints', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in GOLDEN:
        cases = [case for case in module.CASES if case[0] == name]
        sets = [change(case[1], factor) for case in cases for factor in (1.0, 1.01, 0.97)]
        yield f'golden {name}', getattr(module, name), cases[0][2], sets, [''] * len(sets)


GOLDEN = ('polynomial', 'recurrence', 'mlp', 'affine_loss', 'energy', 'discharge', 'first_crossing')


def change(args, factor):
    return tuple(a * factor if np.asarray(a).dtype.kind == 'f' else a for a in args)


def seed_for(value):
    """A seed that tells the elements and the parts of the result apart."""
    if isinstance(value, tuple):
        return tuple(seed_for(part) * (1 + k) for k, part in enumerate(value))
    return np.linspace(0.5, 1.5, np.size(value)).reshape(np.shape(value)) if np.ndim(value) else 1.5


def left_by(f, args):
    """The arguments as a call leaves them: a function may store into them."""
    left = copy.deepcopy(args)
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all='ignore'):
        f(*left)
    return left


def gradient_mutants(tangent, f, wrt, argument_sets, prints):
    """The mutants of the gradient that serves the first set of arguments, and how to run them."""
    with contextlib.redirect_stdout(io.StringIO()):
        seeds = [seed_for(oracle.value(f, args)) for args in argument_sets]
        right = [oracle.gradient(f, args, wrt, seed) for args, seed in zip(argument_sets, seeds)]
    if not telling(right):
        return [], None, None
    df = tangent.grad(f, wrt=wrt)
    text = mutants.normal(df.source(*argument_sets[0]))
    variant = df.variant(*argument_sets[0])
    space, name = variant.__globals__, text[text.index('def ') + 4 : text.index('(')]
    emitted = mutants.function_of(text, name, space, variant)
    parameter = variant.__code__.co_varnames[variant.__code__.co_argcount - 1]
    seeds = [{parameter: seed} for seed in seeds]
    answers = list(zip(right, prints, [left_by(f, args) for args in argument_sets]))
    for args, seed, (want, printed, left) in zip(argument_sets, seeds, answers):
        got, printed_now, given = mutants.call(emitted, args, **seed)
        assert oracle.error(mutants.as_tuple(got), want) <= mutants.TOLERANCE
        assert printed == printed_now
        assert oracle.error(given, left) == 0.0
    runs = {'name': name, 'space': space, 'argument_sets': argument_sets, 'like': variant,
            'seeds': seeds}  # fmt: skip
    differs = functools.partial(mutants.differs, answers=answers, **runs)
    facts = mutants.observed(text, name, space, argument_sets, seeds, variant)
    if not mutants.all_run(text, facts.lines):
        return [], None, None  # its arguments do not try enough of it
    facts.lines -= mutants.idle(text, differs)
    return (
        mutants.mutants(text, facts),
        lambda mutant: differs(mutant.text),
        functools.partial(mutants.leaves_state, **runs),
    )


def some(draw, made, of_each=2):
    """A few mutants of each kind."""
    kinds = sorted({mutant.kind for mutant in made})
    of_kind = {kind: [mutant for mutant in made if mutant.kind == kind] for kind in kinds}
    return [
        m for kind in kinds for m in draw.sample(of_kind[kind], min(of_each, len(of_kind[kind])))
    ]


def test_mutants_of_emitted_gradients_are_found(tmp_path):
    import tangent

    draw, tried, missed, wrong, programs_tried = random.Random(0), 0, [], [], 0
    for name, f, wrt, argument_sets, prints in subjects(tmp_path):
        programs_tried += 1
        try:
            made, found, same = gradient_mutants(tangent, f, wrt, argument_sets, prints)
        except Exception as problem:  # refused, or a fault: test_generated counts both
            if not fuzz.is_refusal(problem):
                wrong.append(f'{name}: {type(problem).__name__}: {problem}')
            continue
        for mutant in some(draw, made):
            if mutant.text == mutant.original or same(mutant):
                continue
            tried += 1
            if not found(mutant):
                missed.append((name, mutant))
        if tried >= COUNT:
            break
    report = '\n\n'.join(
        f'{name}: {mutant.kind}\n{difference(mutant)}' for name, mutant in missed
    )
    print(f'{len(missed)} of {tried} mutants missed\n{report}')
    assert len(wrong) <= WRONG_AT_MOST * programs_tried, '\n'.join(wrong)
    assert len(missed) <= (1 - FOUND_AT_LEAST) * tried, (
        f'{len(missed)} of {tried} mutants missed\n\n{report}'
    )


def difference(mutant):
    """The original text, with what the mutant has in place of some lines."""
    lines = difflib.ndiff(mutant.original.splitlines(), mutant.text.splitlines())
    return '\n'.join(line for line in lines if not line.startswith('?'))


# The maker of mutants itself.

TEXT = mutants.normal("""
def dfdx(x, v, by=1.0):
    x_tape = []
    label = f'{x}'
    spare = v[0] * 2.0
    for i in range(3):
        x_tape.append(x)
        x = x * v[i] + 0.5
    if x > 100.0:
        raise ValueError('large')
    bv = np.zeros_like(1.0 * v)
    bx = by
    total = 0.0
    for i in reversed(range(3)):
        x = x_tape.pop()
        bv[i] += bx * x
        total += bx
        bx = bx * v[i]
    return bx, bv, total
""")
ARGUMENTS = [
    (0.7, np.array([0.3, -0.8, 1.1])),
    (0.2, np.array([1.3, 0.4, -0.6])),
    (-0.9, np.array([0.5, 0.7, 0.2])),
]


def made_of_text():
    f = mutants.function_of(TEXT, 'dfdx', {'np': np})
    answers = [mutants.call(f, args) for args in ARGUMENTS]
    facts = mutants.observed(TEXT, 'dfdx', {'np': np}, ARGUMENTS, [{}] * len(ARGUMENTS))
    assert len(facts.zero_sums) == 1 and not facts.flat_tapes
    return mutants.mutants(TEXT, facts), answers


def test_every_kind_of_mutant_is_made_and_none_where_it_cannot_matter():
    made, _ = made_of_text()
    assert {mutant.kind for mutant in made} == {
        'flip a sign', 'swap + and *', 'drop a push', 'pop nothing', 'drop a statement',
        'swap statements', '+= to =',
        'replace a constant', 'change an index',
    }  # fmt: skip
    for part in (
        "label = f'{x}'",
        'spare = v[0] * 2.0',
        'if x > 100.0',
        "raise ValueError('large')",
    ):
        assert all(part in mutant.text for mutant in made), part
    assert all(
        'zeros_like(1.0 * v)' in mutant.text for mutant in made if 'zeros_like' in mutant.text
    )
    assert all(mutant.text != TEXT for mutant in made)


def test_each_of_them_is_found():
    made, answers = made_of_text()
    space = {'np': np}
    assert not [
        m.text for m in made if not mutants.differs(m.text, 'dfdx', space, ARGUMENTS, answers)
    ]


def test_idle_assignments_are_those_that_nan_does_not_change():
    text = mutants.normal("""
def dfdx(x, by=1.0):
    a = x * 2
    b = x * 3
    bx = 0.0 * b + by
    if x > 100.0:
        bx = a
    return bx
""")
    f = mutants.function_of(text, 'dfdx', {})
    answers = [mutants.call(f, (x,)) for x in (0.5, 1.5)]
    idle = mutants.idle(
        text, lambda other: mutants.differs(other, 'dfdx', {}, [(0.5,), (1.5,)], answers)
    )
    assert idle == {2, 6}


@pytest.mark.parametrize(
    ('one', 'other', 'expected'),
    [
        ('a = b', 'c = d', False),
        ('a = b', 'c = a', True),
        ('a = c', 'c = d', True),
        ('a = b', 'a = c', True),
        ('a += b', 'a += c', False),
        ('a += b', 'a += a', True),
        ('a *= b', 'a /= c', False),
        ('a[:] *= b', 'a[:] /= c', False),
        ('a *= b', 'a /= a[0]', True),
        ('a *= b', 'a += c', True),
        ('v[-1] = b', 'v[-2] = c', False),
        ('v[-1] = b', 'v[1] = c', True),
        ('v[0] = b', 'v[1] = v[0]', True),
        ('v[0] += b', 'v[1] -= c', False),
        ('v[0] = b', 'a = v[1]', True),
        ('t.append(a)', 'a = b', True),
        ('t.append(a)', 's.append(b)', False),
        ('a = t.pop()', 'b = t.pop()', True),
    ],
)
def test_which_swaps_can_matter(one, other, expected):
    assert mutants.dependent(ast.parse(one).body[0], ast.parse(other).body[0]) is expected


def test_a_swap_that_leaves_the_state_is_told_from_one_that_changes_it():
    text = mutants.normal("""
def dfdx(x, v, by=1.0):
    a = v[1]
    v[0] = 2.0 * by
    b = v[0]
    return a + b + x
""")
    facts = mutants.Facts({2, 3, 4, 5})
    swaps = [m for m in mutants.mutants(text, facts) if m.kind == 'swap statements']
    arguments = [(0.5, np.array([3.0, 1.0]))]
    same = [mutants.leaves_state(m, 'dfdx', {}, arguments) for m in swaps]
    assert same[:2] == [True, False]
