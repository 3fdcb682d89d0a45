"""Generated programs against the engine: each is differentiated and compared with the oracle.

    python tests/fuzz.py --seeds 0:20000           long runs; failures are reduced and printed
    python tests/fuzz.py --seeds 1234 -v           one program, its emitted gradient and both
    answers --census        how often each construct and each pair of constructs occurred
    --no-reduce     print failures as they are --jobs N        processes (default: one per core)

What is checked of a program, on two sets of arguments: the gradient to 1e-12; its kind, shape and
dtype; a seed other than one; with `preserve_result` the value bit for bit; what the primal prints
is printed once; the arguments end as the primal leaves them, the seed stays as it is; what the
primal raises is raised. A program
that the engine refuses by an error of its own counts as refused. Each process is watched: a crash
or an endless loop is one failure, not the end."""
# ruff: noqa: B905

import os

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import argparse
import ast
import collections
import contextlib
import copy
import dataclasses
import functools
import io
import itertools
import multiprocessing
import multiprocessing.pool
import sys
import tempfile
import time
import traceback
import warnings

import mutants
import numpy as np
import oracle
import programs

TOLERANCE = 1e-12
LIMIT_S = 60
HERE = os.path.dirname(os.path.abspath(__file__))


class Wrong(Exception):
    """The engine's answer is not the right one."""


@dataclasses.dataclass
class Outcome:
    label: object
    kind: str  # 'ok', 'refused', 'failed'
    what: str = ''  # of a refusal the class and message, of a failure one line
    report: str = ''
    census: frozenset = frozenset()


NOT_REFUSALS = ('TangentInternalError', 'ShapeError')  # a fault of the engine; a seed that does fit


def is_refusal(problem):
    """The engine's own errors, but those that it has no reason to raise here."""
    ours = type(problem).__module__.partition('.')[0] == 'tangent'
    return ours and type(problem).__name__ not in NOT_REFUSALS


def same_bits(got, want):
    if isinstance(want, (tuple, list)):
        return type(got) is type(want) and len(got) == len(want) and all(map(same_bits, got, want))
    if isinstance(want, dict):
        return got.keys() == want.keys() and all(same_bits(got[key], want[key]) for key in want)
    if isinstance(want, programs.Model):
        return type(got) is type(want) and same_bits(vars(got), vars(want))
    got, want = np.asarray(got), np.asarray(want)
    return (
        got.shape == want.shape
        and got.dtype == want.dtype
        and np.array_equal(got, want, equal_nan=True)
    )


def run(df, args, answer, prints, after, seed=None, with_value=0):
    """One call of the gradient. Returns what it gave; raises Wrong if it did to the world what f
    does not."""
    given, kept, out = copy.deepcopy(args), copy.deepcopy(seed), io.StringIO()
    keywords = {} if seed is None else {'init_grad': seed}
    problem = None
    with contextlib.redirect_stdout(out), np.errstate(all='ignore'):
        try:
            got = df(*given, **keywords)
        except Exception as raised:
            if is_refusal(raised):
                raise
            problem = raised
    if isinstance(answer, type):
        if type(problem) is not answer:
            raise Wrong(
                f'raises {type(problem).__name__} where the primal raises {answer.__name__}'
            ) from problem
    elif problem is not None:
        raise Wrong(f'raises {type(problem).__name__}: {problem}') from problem
    if out.getvalue() != prints:
        raise Wrong(f'prints {out.getvalue()!r}, the primal {prints!r}')
    if not same_bits(tuple(given), tuple(after)):
        raise Wrong(f'leaves its arguments as {given}, the primal as {after}')
    if seed is not None and not same_bits(seed, kept):
        raise Wrong('changes the seed')
    if problem is not None:
        return None
    apart(got[: len(got) - with_value] if with_value else got, given)
    return got


def compare(got, want, args, wrt):
    got = got if len(wrt) > 1 else (got,)
    off = oracle.error(got, want)
    if not off <= TOLERANCE:
        raise Wrong(f'off by {off:.1e}\n  got  {got}\n  want {want}')
    for k, gradient in zip(wrt, got):
        container = not isinstance(args[k], np.ndarray | float | int)
        if container and type(gradient) is not type(args[k]):
            raise Wrong(f'gradient of argument {k} is a {type(gradient).__name__}')
        for leaf, part in zip(oracle.leaves(args[k]), oracle.leaves(gradient)):
            if (
                isinstance(leaf, np.ndarray) != isinstance(part, np.ndarray)
                or np.asarray(part).dtype != float
            ):
                raise Wrong(
                    f'gradient of argument {k} is a {type(part).__name__}'
                    f' of {np.asarray(part).dtype}'
                )


def apart(got, given):
    """Raises Wrong if a gradient shares memory with an argument or another gradient."""
    parts = [leaf for leaf in oracle.leaves(got) if np.ndim(leaf)]
    theirs = [leaf for leaf in oracle.leaves(given) if np.ndim(leaf)]
    for k, part in enumerate(parts):
        if any(np.shares_memory(part, other) for other in theirs + parts[:k]):
            raise Wrong('a gradient shares memory with an argument or another gradient')


def examine(program, f, tangent):
    """Raises Wrong, or the engine's refusal, or whatever went wrong in it."""
    df = tangent.grad(f, wrt=program.wrt)
    with_value = tangent.grad(f, wrt=program.wrt, preserve_result=True)
    for args, answer, prints, after in zip(
        program.argument_sets, program.answers, program.prints, program.after
    ):
        got = run(df, args, answer, prints, after)
        if isinstance(answer, type):
            run(with_value, args, answer, prints, after, with_value=1)
            continue
        compare(got, answer.gradients, args, program.wrt)
        *got, value = run(with_value, args, answer, prints, after, with_value=1)
        compare(tuple(got) if len(got) > 1 else got[0], answer.gradients, args, program.wrt)
        if not same_bits(value, answer.value):
            raise Wrong(f'value {value!r} with the gradient, {answer.value!r} without')
        if not isinstance(answer.value, tuple):
            shape = np.shape(answer.value)
            seed = (
                np.linspace(0.5, 1.5, max(1, int(np.prod(shape)))).reshape(shape) if shape else 2.5
            )
            row = np.reshape(seed, -1) @ answer.jacobian
            want = oracle.as_gradients(row, args, program.wrt)
            compare(run(df, args, answer, prints, after, seed), want, args, program.wrt)


def check(program, folder):
    """The outcome of one program."""
    import tangent

    path = os.path.join(folder, f'program_{program.label}.py')
    f = program.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            examine(program, f, tangent)
        except Exception as problem:
            if is_refusal(problem):
                return Outcome(
                    program.label,
                    'refused',
                    refusal(problem),
                    '',
                    program.census,
                )
            what = (
                str(problem)
                if isinstance(problem, Wrong)
                else f'{type(problem).__name__}: {problem}'
            )
            trace = ''.join(traceback.format_exception(problem))
            report = f'{described(program, f, tangent)}\n\n{trace}'
            return Outcome(program.label, 'failed', what, report, program.census)
    return Outcome(program.label, 'ok', '', '', program.census)


def refusal(problem):
    """What a refusal says, without the place."""
    kind = getattr(problem, 'kind', None) or type(problem).__name__
    lines = (getattr(problem, 'summary', '') or str(problem)).splitlines()
    return f'{kind}: {next((line.strip() for line in lines if line.strip()), "")}'


def described(program, f, tangent):
    """The program, its arguments, the emitted gradient and the right answers, for a person."""
    parts = [
        f'reproduce: python tests/fuzz.py --seeds {str(program.label).partition("-")[0]} -v',
        program.source,
    ]
    for args, answer in zip(program.argument_sets, program.answers):
        parts.append(f'arguments {args!r}, wrt={program.wrt}')
        parts.append(f'right: {answer.gradients if isinstance(answer, oracle.Answer) else answer}')
        try:
            emitted = tangent.grad(f, wrt=program.wrt).source(*copy.deepcopy(args))
        except Exception as problem:
            emitted = f'no source: {type(problem).__name__}: {problem}'
        if emitted not in parts:
            parts.append(emitted)
    return '\n\n'.join(parts)


# Many programs, in processes that may die.


def _work(labels, folder, answers):
    sys.stdin = open(os.devnull)  # noqa: SIM115 - a program that reads input must not wait
    for label in labels:
        answers.send(('begin', label))
        try:
            outcome = check(programs.program(label), folder)
        except Exception as problem:
            outcome = Outcome(
                label,
                'failed',
                f'harness: {type(problem).__name__}: {problem}',
                traceback.format_exc(),
            )
        answers.send(('done', outcome))
    answers.send(('end', None))


def outcomes(labels, folder):
    """The outcome of each program, from a child process; one that dies or hangs is replaced."""
    labels = list(labels)
    context = multiprocessing.get_context('fork')
    while labels:
        ours, theirs = context.Pipe(duplex=False)
        child = context.Process(target=_work, args=(labels, folder, theirs))
        child.start()
        theirs.close()
        current, ended = labels[0], None
        while ended is None:
            try:
                word, content = ours.recv() if ours.poll(LIMIT_S) else ('hangs', None)
            except EOFError:
                child.join()
                word, content = 'dies', child.exitcode
            if word == 'begin':
                current = content
            elif word == 'done':
                yield content
            elif word == 'end':
                ended, labels = True, []
            else:
                ended = True
                how = (
                    f'no answer in {LIMIT_S} s'
                    if word == 'hangs'
                    else f'the process ended with {content}'
                )
                yield Outcome(
                    current,
                    'failed',
                    how,
                    f'{how}\nreproduce: python tests/fuzz.py --seeds {current} -v',
                )
                labels = labels[labels.index(current) + 1 :]
        if child.is_alive():
            child.kill()
        child.join()


# Reduction: statements, then parts of expressions, are taken out while the program still fails
# in the same way.


COMPOUND = (ast.BinOp, ast.BoolOp, ast.IfExp, ast.Call, ast.UnaryOp, ast.NamedExpr)


def smaller(source):
    """Texts with one thing less than the source, as functions that make them; large things first."""  # noqa: E501
    made = []
    for number, node in enumerate(ast.walk(ast.parse(source))):
        for field in ('body', 'orelse'):
            block = getattr(node, field, None)
            for k, one in enumerate(block if isinstance(block, list) else []):
                made.append(functools.partial(edited, source, number, field, k, False))
                if hasattr(one, 'body') and not isinstance(one, ast.FunctionDef):
                    made.append(functools.partial(edited, source, number, field, k, True))
    for number, node in enumerate(ast.walk(ast.parse(source))):
        if isinstance(node, COMPOUND):
            parts = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
            made += [functools.partial(replaced, source, number, k) for k in range(len(parts))]
    return made


def edited(source, number, field, k, keep_inside):
    tree = ast.parse(source)
    node = next(itertools.islice(ast.walk(tree), number, None))
    block = getattr(node, field)
    block[k : k + 1] = block[k].body if keep_inside else []
    if not block and field == 'body':
        block.append(ast.Pass())
    return ast.unparse(tree)


def replaced(source, number, k):
    tree = ast.parse(source)
    target = next(itertools.islice(ast.walk(tree), number, None))
    part = [c for c in ast.iter_child_nodes(target) if isinstance(c, ast.expr)][k]

    class Replace(ast.NodeTransformer):
        def visit(self, node):
            return part if node is target else super().visit(node)

    return ast.unparse(Replace().visit(tree))


def kind_of(outcome):
    return outcome.kind, *outcome.what.split()[:2]


def reduced(program, folder, limit_s=120):
    """A smaller program that fails in the same way, as far as the time reaches."""
    wanted, number, stop = kind_of(check(program, folder)), 0, time.monotonic() + limit_s
    progress = True
    while progress:
        progress, at = False, 0
        while at < len(texts := smaller(program.source)) and time.monotonic() < stop:
            number += 1
            label = f'{str(program.label).partition("-")[0]}-{number}'
            candidate = dataclasses.replace(program, source=texts[at](), label=label)
            if fails(candidate, wanted, folder):
                program, progress = candidate, True
            else:
                at += 1
    return program


def fails(candidate, wanted, folder):
    """Whether it fails in that way. A loop that has lost what ends it does not."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), mutants.limited(1.0):
            return programs.judged(candidate) and kind_of(check(candidate, folder)) == wanted
    except Exception:
        return False


def report_census(found):
    singles = collections.Counter(name for outcome in found for name in outcome.census)
    pairs = collections.Counter(
        pair for outcome in found for pair in itertools.combinations(sorted(outcome.census), 2)
    )
    lines = [
        f'{count:6} {name}' for name, count in sorted(singles.items(), key=lambda item: item[1])
    ]
    possible = len(singles) * (len(singles) - 1) // 2
    lines.append(
        f'pairs of constructs: {len(pairs)} of {possible} occurred,'
        f' {sum(n >= 10 for n in pairs.values())} at least 10 times'
    )
    return singles, pairs, '\n'.join(lines)


def _chunk(arguments):
    labels, folder = arguments
    return list(outcomes(labels, folder))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--seeds', default='0:2000')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--census', action='store_true')
    parser.add_argument('--no-reduce', action='store_true')
    parser.add_argument('--show', type=int, default=2, help='failures of each kind to print')
    parser.add_argument('-v', action='store_true')
    options = parser.parse_args()
    first, _, last = options.seeds.partition(':')
    labels = list(range(int(first), int(last) if last else int(first) + 1))
    with tempfile.TemporaryDirectory() as folder:
        if options.v:
            import tangent

            for label in labels:
                program = programs.program(label)
                print(
                    described(
                        program, program.load(os.path.join(folder, f'program_{label}.py')), tangent
                    ),
                    '\n',
                )
        size = max(1, min(50, len(labels) // (options.jobs or 1)))
        chunks = [(labels[k : k + size], folder) for k in range(0, len(labels), size)]
        found = []
        with multiprocessing.pool.ThreadPool(options.jobs) as pool:
            for part in pool.imap_unordered(_chunk, chunks):
                found += part
                for outcome in part:
                    if outcome.kind == 'failed':
                        print(f'{outcome.label}: {outcome.what}', flush=True)
        failed = [outcome for outcome in found if outcome.kind == 'failed']
        refused = collections.Counter(
            outcome.what for outcome in found if outcome.kind == 'refused'
        )
        kinds = collections.defaultdict(list)
        for outcome in failed:
            kinds[kind_of(outcome)].append(outcome)
        for outcome in [one for same in kinds.values() for one in same[: options.show]]:
            print('=' * 100)
            dead = not outcome.census
            if options.no_reduce or dead:
                print(outcome.report)
            else:
                print(check(reduced(programs.program(outcome.label), folder), folder).report)
        if options.census:
            print(report_census(found)[2])
        for what, count in refused.most_common(20):
            print(f'{count:5} refused: {what}')
        print(f'{len(found)} programs, {len(failed)} failed, {sum(refused.values())} refused')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.path.insert(0, HERE)
    sys.exit(main())
