"""Options against programs: whatever is asked for, the gradient is that of the plain call.

    python tests/fuzz_options.py --seeds 0:300     every option, and 30 random combinations, on the
                                                   golden functions and the generated programs
    --orders 1,2,3  --jobs N  --sample K           K choices for each program and order, not all

At 1e-11 and at orders 1 to 3: the gradient, what becomes of the arguments, what is printed, and
the class of what is raised. What the plain call refuses is counted and left out; what it takes, the
call with options has to take, too. At orders 2 and 3 a text with options may be refused where the
plain one is not (a snapshot of a list is a list in a list): counted, and never wrong. Golden
functions are the whole programs of the tests, those of order 2, and the twins of
`../shared/golden`, where it is there."""

from __future__ import annotations

import os

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import argparse
import collections
import contextlib
import copy
import importlib.util
import io
import multiprocessing
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import oracle
from option_choices import keeps_the_primal

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent.parent / 'shared' / 'golden' / 'adjoints.py'
TOLERANCE = 1e-11
# Two ways of rounding part company in what is as steep as that.
STEEPEST = 1e6
# Its second derivative is 0, and rounding at 1e-9 is all that is left of it.
LINEAR = ('first_crossing 9',)


class Case(NamedTuple):
    name: str
    f: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[int, ...]


class Result(NamedTuple):
    """What a call did: its gradients, or what it raised; its arguments afterwards; its prints."""

    got: Any
    args: Any
    out: str


def golden() -> list[Case]:
    """Functions that people wrote."""
    from test_higher_order import PROGRAMS
    from whole_programs import CASES

    cases = [Case(f.__name__, f, make(), wrt) for f, make, wrt in CASES]
    cases += [Case(f.__name__, f, args, (0,)) for f, args in PROGRAMS]
    if GOLDEN.exists():
        spec = importlib.util.spec_from_file_location('golden_adjoints', GOLDEN)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules['golden_adjoints'] = module
        spec.loader.exec_module(module)
        for number, (name, args, wrt, *_) in enumerate(module.CASES):
            cases.append(Case(f'{name} {number}', getattr(module, name), args, wrt))
    return cases


def generated(seed: int, folder: str) -> list[Case]:
    """A generated program, with each of its sets of arguments."""
    import programs

    program = programs.program(seed)
    f = program.load(os.path.join(folder, f'options_{seed}.py'))
    return [
        Case(f'program {seed}.{number}', f, args, program.wrt)
        for number, args in enumerate(program.argument_sets)
    ]


def derivative(case: Case, order: int, **options: Any) -> Any:
    """The gradient of that order, each with respect to the same parameters."""
    import tangent

    keeps = options.pop('preserve_result', False)
    made: Any = case.f
    for _ in range(order - 1):
        made = tangent.grad(made, wrt=case.wrt[:1], **options)
    return tangent.grad(made, wrt=case.wrt, preserve_result=keeps, **options)


def run(case: Case, order: int, **options: Any) -> Result:
    args, out = copy.deepcopy(case.args), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        np.errstate(all='ignore'),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter('ignore')
        try:
            got = derivative(case, order, **options)(*args)
        except Exception as problem:
            return Result(problem, args, out.getvalue())
    if options.get('preserve_result'):
        got = got[:-1] if len(case.wrt) > 1 else got[0]
    return Result(got, args, out.getvalue())


def refused(result: Result) -> bool:
    import tangent

    return isinstance(result.got, Exception) and getattr(result.got, 'kind', None) is not None and (
        not isinstance(result.got, tangent.TangentInternalError)
    )


def excused(case: Case, order: int, options: dict[str, Any]) -> bool:
    if case.name in LINEAR:
        return order > 1
    naive = options.get('optimized') is False
    # Three times naive, and run again in stretches: texts of many thousand lines, and minutes.
    return naive and order > 2 and bool({'checkpoint', 'checkpoint_config'} & set(options))


def steep(got: Any) -> bool:
    leaves = [np.abs(np.asarray(leaf)) for leaf in oracle.leaves(got) if not isinstance(leaf, str)]
    with np.errstate(all='ignore'):
        return any(np.any(~(leaf < STEEPEST)) for leaf in leaves if leaf.dtype.kind in 'fiu')


def complaint(plain: Result, mine: Result, options: dict[str, Any]) -> str:
    """What is not as without the options; empty: nothing."""
    if isinstance(plain.got, Exception) or isinstance(mine.got, Exception):
        if type(mine.got) is type(plain.got):
            return ''
        return f'gives {mine.got!r}, the plain call {plain.got!r}'
    if mine.out != plain.out and not options.get('verbose') and keeps_the_primal(options):
        return f'prints {mine.out!r}, the plain call {plain.out!r}'
    off = oracle.error(mine.got, plain.got)
    if not off <= TOLERANCE:
        return f'is off by {off:.1e}: {mine.got!r}, the plain call {plain.got!r}'
    off = oracle.error(list(mine.args), list(plain.args))
    if not off <= TOLERANCE:
        return f'leaves its arguments as {mine.args!r}, the plain call as {plain.args!r}'
    return ''


def examine(
    case: Case, orders: list[int], choices: list[dict[str, Any]], sample: int = 0
) -> Iterator[tuple[str, str]]:
    """For each order and choice what came out, and what is to be said about it: 'ok', 'failed',
    'refused' by the plain call, 'more' (with the options alone), 'steep'."""
    for order in orders:
        plain = run(case, order)
        if refused(plain):
            yield 'refused', f'order {order}: {getattr(plain.got, "kind", "")}'
            return
        if not isinstance(plain.got, Exception) and steep(plain.got):
            yield 'steep', f'order {order}'
            return
        chosen = choices
        if sample and sample < len(choices):
            chosen = random.Random(f'{case.name}/{order}').sample(choices, sample)
        for options in chosen:
            if excused(case, order, options):
                continue
            mine = run(case, order, **options)
            wrong = complaint(plain, mine, options)
            if wrong and order > 1 and refused(mine):
                yield 'more', f'order {order}: {mine.got.kind}'
            elif wrong:
                yield 'failed', f'{case.name}, order {order}, {options}: {wrong}'
            else:
                yield 'ok', ''


def examined(work: tuple[Any, list[int], list[dict[str, Any]], int, str]) -> collections.Counter:
    """The counts of a golden function (by its number) or of a generated program (by its seed)."""
    (kind, number), orders, choices, sample, folder = work
    counts: collections.Counter = collections.Counter()
    cases = golden()[number : number + 1] if kind == 'golden' else generated(number, folder)[:1]
    for case in cases:
        for outcome, what in examine(case, orders, choices, sample):
            counts[outcome] += 1
            if outcome == 'failed':
                counts[f'! {what}'] += 1
            elif outcome in ('refused', 'more'):
                counts[f'{outcome} {what}'] += 1
    return counts


def main() -> int:
    from option_choices import every_option, random_options

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--seeds', default='0:300')
    parser.add_argument('--orders', default='1,2,3')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--sample', type=int, default=0)
    parser.add_argument('--no-golden', action='store_true')
    asked = parser.parse_args()
    first, _, last = asked.seeds.partition(':')
    seeds = range(int(first), int(last) if last else int(first) + 1)
    orders = [int(each) for each in asked.orders.split(',')]
    counts: collections.Counter = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        choices = [*every_option(folder), *random_options(folder)]
        things = [] if asked.no_golden else [('golden', k) for k in range(len(golden()))]
        things += [('program', seed) for seed in seeds]
        work = [(thing, orders, choices, asked.sample, folder) for thing in things]
        with multiprocessing.get_context('fork').Pool(asked.jobs, maxtasksperchild=8) as pool:
            for found in pool.imap_unordered(examined, work):
                for what in found:
                    if what.startswith('!'):
                        print(what[2:600], flush=True)
                counts += found
    for what, count in counts.most_common():
        if what.startswith(('refused ', 'more ')):
            print(f'{count:6} {what}')
    print(
        f'{counts["ok"] + counts["failed"]} gradients, {counts["failed"]} failed; '
        f'{counts["refused"]} refused by the plain call, {counts["more"]} by the options alone, '
        f'{counts["steep"]} too steep'
    )
    return 1 if counts['failed'] else 0


if __name__ == '__main__':
    sys.path.insert(0, str(HERE))
    sys.exit(main())
