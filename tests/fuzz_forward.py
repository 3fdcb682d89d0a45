"""Generated programs against forward mode: each directional derivative is compared with the oracle.

    python tests/fuzz_forward.py --seeds 0:300         failures are printed
    python tests/fuzz_forward.py --seeds 1234 -v       one program and its emitted text

What is checked of a program, on two sets of arguments: the Jacobian times a direction to 1e-10, in
the structure of the result; with `preserve_result` the value bit for bit; prints, exceptions and
what becomes of the arguments, as in fuzz.py; that the tangents stay as they are."""
# ruff: noqa: B905

import os

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import argparse
import collections
import copy
import sys
import tempfile
import traceback
import warnings

import fuzz
import numpy as np
import oracle
import programs


def direction(size):
    """A direction without zeros and without symmetry."""
    return np.random.default_rng(size).uniform(0.5, 1.5, size) * np.resize([1.0, -1.0, 1.0], size)


def numbers(tree):
    """The numbers of a result, in order."""
    parts = [np.ravel(np.asarray(leaf, float)) for leaf in oracle._leaves_of_result(tree)]
    return np.concatenate([np.zeros(0), *parts])


def shapes(tree):
    if isinstance(tree, (tuple, list)):
        return [shapes(part) for part in tree]
    if isinstance(tree, dict):
        return {key: shapes(part) for key, part in tree.items()}
    return np.shape(tree)


def compare(got, want, value):
    if shapes(got) != shapes(value):
        raise fuzz.Wrong(f'shapes {shapes(got)} for a value of shapes {shapes(value)}')
    found = numbers(got)
    off = oracle.error(found, want)
    if not off <= fuzz.TOLERANCE:
        raise fuzz.Wrong(f'off by {off:.1e}\n  got  {found}\n  want {want}')


def with_tangents(derivative, tangents):
    return lambda *given: derivative(*given, *tangents)


def examine(program, f, tangent):
    """Raises fuzz.Wrong, or the engine's refusal, or whatever went wrong in it."""
    jf = tangent.jvp(f, wrt=program.wrt)
    with_value = tangent.jvp(f, wrt=program.wrt, preserve_result=True)
    for args, answer, prints, after in zip(
        program.argument_sets, program.answers, program.prints, program.after
    ):
        raises = isinstance(answer, type)
        size = sum(np.size(x) for k in program.wrt for x in oracle.leaves(args[k]))
        size = size if raises else answer.jacobian.shape[1]
        move = direction(size)
        if raises:
            move = np.resize(move, 10000)
        tangents = oracle.as_gradients(move, args, program.wrt)
        kept = copy.deepcopy(tangents)
        got = fuzz.run(with_tangents(jf, tangents), args, answer, prints, after)
        both = fuzz.run(
            with_tangents(with_value, tangents), args, answer, prints, after, with_value=1
        )
        if not fuzz.same_bits(tangents, kept):
            raise fuzz.Wrong('changes the tangents')
        if raises:
            continue
        want = answer.jacobian @ move
        compare(got, want, answer.value)
        compare(both[0], want, answer.value)
        if not fuzz.same_bits(both[1], answer.value):
            raise fuzz.Wrong(f'value {both[1]!r} with the tangent, {answer.value!r} without')


def check(program, folder):
    """The outcome of one program."""
    import tangent

    path = os.path.join(folder, f'forward_{program.label}.py')
    f = program.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            examine(program, f, tangent)
        except Exception as problem:
            if fuzz.is_refusal(problem):
                what = fuzz.refusal(problem)
                return fuzz.Outcome(program.label, 'refused', what, '', program.census)
            ours = isinstance(problem, fuzz.Wrong)
            what = str(problem) if ours else f'{type(problem).__name__}: {problem}'
            trace = ''.join(traceback.format_exception(problem))
            report = f'{described(program, f, tangent)}\n\n{trace}'
            return fuzz.Outcome(program.label, 'failed', what, report, program.census)
    return fuzz.Outcome(program.label, 'ok', '', '', program.census)


def described(program, f, tangent):
    """The program, its arguments and the emitted text, for a person."""
    parts = [
        f'reproduce: python tests/fuzz_forward.py --seeds {program.label} -v',
        program.source,
    ]
    for args in program.argument_sets:
        parts.append(f'arguments {args!r}, wrt={program.wrt}')
        tangents = [1.0 for _ in program.wrt]
        try:
            emitted = tangent.jvp(f, wrt=program.wrt).source(*copy.deepcopy(args), *tangents)
        except Exception as problem:
            emitted = f'no source: {type(problem).__name__}: {problem}'
        if emitted not in parts:
            parts.append(emitted)
    return '\n\n'.join(parts)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--seeds', default='0:300')
    parser.add_argument('--show', type=int, default=3)
    parser.add_argument('-v', action='store_true')
    options = parser.parse_args()
    first, _, last = options.seeds.partition(':')
    refused = collections.Counter()
    failed = []
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for label in range(int(first), int(last) if last else int(first) + 1):
            program = programs.program(label)
            count += 1
            if options.v:
                import tangent

                path = os.path.join(folder, f'program_{label}.py')
                print(described(program, program.load(path), tangent))
            outcome = check(program, folder)
            if outcome.kind == 'refused':
                refused[outcome.what] += 1
            if outcome.kind == 'failed':
                failed.append(outcome)
                print(f'{outcome.label}: {outcome.what}', flush=True)
    for outcome in failed[: options.show]:
        print('=' * 100)
        print(outcome.report)
    for what, number in refused.most_common(20):
        print(f'{number:5} refused: {what}')
    print(f'{count} programs, {len(failed)} failed, {sum(refused.values())} refused')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
