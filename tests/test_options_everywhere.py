"""Every option, and random combinations of all, on golden functions and generated programs, at
orders 1 to 3: the gradient of the plain call (fuzz_options.py, whose command line is the long form:
all choices on all programs). Here each program gets some of the choices, and each choice many
programs."""

from __future__ import annotations

import collections
from pathlib import Path

import fuzz_options
import pytest
from option_choices import every_option, random_options

GOLDEN = fuzz_options.golden()
GENERATED = range(0, 300, 30)


def judged(counts: collections.Counter) -> None:
    failed = [what for what in counts if what.startswith('!')]
    assert not failed, '\n'.join(failed[:3])


@pytest.mark.parametrize('number', range(len(GOLDEN)), ids=lambda k: GOLDEN[k].name)
def test_golden_functions(number: int, tmp_path: Path) -> None:
    folder = str(tmp_path)
    choices = [*every_option(folder), *random_options(folder)]
    for orders, sample in (([1], 5), ([2], 2), ([3], 1)):
        judged(fuzz_options.examined((('golden', number), orders, choices, sample, folder)))


@pytest.mark.parametrize('first', GENERATED)
def test_generated_programs(first: int, tmp_path: Path) -> None:
    folder = str(tmp_path)
    choices = [*every_option(folder), *random_options(folder)]
    counts: collections.Counter = collections.Counter()
    for seed in range(first, first + 10):
        work = (('program', seed), [1], choices, 3, folder)
        counts += fuzz_options.examined(work)
    for seed in (first, first + 5):
        counts += fuzz_options.examined((('program', seed), [2], choices, 2, folder))
    judged(counts)
    assert counts['ok'] > 10


def test_every_option_is_among_the_choices() -> None:
    """A new option of tangent.grad has to be tried, or named here with the reason."""
    import inspect

    import tangent

    choices = [*every_option('/tmp'), *random_options('/tmp')]
    tried = {key for choice in choices for key in choice}
    elsewhere = {
        'func', 'wrt',
        'output_index', 'output_weights',  # of tuples: tests/test_api.py, tests/test_drop_in.py
        'source',  # another text is another function: tests/test_capture.py
    }  # fmt: skip
    assert set(inspect.signature(tangent.grad).parameters) - elsewhere <= tried
