"""Every emitted line maps to the lines of the user's text that it comes from."""

from __future__ import annotations

import copy
import functools
import inspect
from pathlib import Path
from typing import Any

import forward_programs
import forward_programs_arrays
import numpy as np
import programs
import programs_containers
import pytest
import tangent
import whole_programs

HERE = str(Path(__file__).resolve())


def helper(y):
    return y * y


def calls(x, a):
    t = helper(x)
    u = t + a
    return u * x


def loops(x, n):
    total = 0.0
    for i in range(n):
        if x > 1.0:
            x = x * 0.5
        total += x ** i
    return total


def first_line(function: Any) -> int:
    return inspect.getsourcelines(function)[1]


def entry_of(entries: list[dict[str, Any]], code: str) -> dict[str, Any]:
    (found,) = [entry for entry in entries if entry['code'].strip().startswith(code)]
    return found


def check_entries(df: Any, files: set[str]) -> None:
    """One entry per line, in order, each with places in the user's text."""
    entries = tangent.source_map(df)
    text = df.__tangent_source__.splitlines()
    assert [entry['line'] for entry in entries] == list(range(1, len(text) + 1))
    assert [entry['code'] for entry in entries] == text
    for entry in entries:
        if not entry['code'].strip():
            assert entry['primal'] is None and entry['primal_line'] is None
            assert entry['ranges'] == []
            continue
        assert entry['ranges'], f'no place for {entry["code"]!r}'
        for file, line, column, end_line, end_column in entry['ranges']:
            assert file in files, (entry, files)
            assert 1 <= line <= end_line
            assert column >= 0 and (end_line > line or end_column > column)
        assert (entry['file'], entry['primal_line']) == entry['ranges'][0][:2]
        assert entry['primal'].strip()


def test_the_lines_of_calls():
    df = tangent.grad(calls, wrt=(0, 1))
    df(2.0, 3.0)
    entries = tangent.source_map(df)
    start = first_line(calls)
    product = entry_of(entries, 't = x * x')
    # The call, and what it evaluates.
    assert product['primal'] == 't = helper(x)'
    assert [place[:2] for place in product['ranges']] == [
        (HERE, start + 1),
        (HERE, first_line(helper) + 1),
    ]
    assert entry_of(entries, 'u = t + a')['primal'] == 'u = t + a'
    assert entry_of(entries, 'def ')['primal_line'] == start
    last = entries[-1]
    # The work of three statements, and the parameters whose gradients come back.
    assert {place[1] - start for place in last['ranges']} == {0, 1, 3}
    assert [place[1] for place in last['ranges']][-2:] == [start] * 2
    check_entries(df, {HERE})


def test_the_lines_of_loops():
    df = tangent.grad(loops)
    df(3.0, 4)
    entries = tangent.source_map(df)
    start = first_line(loops)
    for code, line, text in [
        ('x_tape = []', 4, 'x = x * 0.5'),
        ('for i in range(n)', 2, 'for i in range(n)'),
        ('for i in reversed', 2, 'for i in range(n)'),
        ('cond = x > 1.0', 3, 'if x > 1.0'),
        ('bx *= 0.5', 4, 'x = x * 0.5'),
        ('x_tape.append', 4, 'x = x * 0.5'),
    ]:
        found = entry_of(entries, code)
        assert (found['primal_line'], found['primal']) == (start + line, text)
    check_entries(df, {HERE})


def test_statements_of_several_lines():
    def f(x):
        y = (
            x
            * x
        )
        return y

    df = tangent.grad(f)
    first = tangent.source_map(tangent.value_and_grad(f))[1]
    assert first['primal'].split() == ['y', '=', '(', 'x', '*', 'x', ')']
    assert first['ranges'][0][3] == first['ranges'][0][1] + 3
    check_entries(df, {HERE})


def test_the_text_of_the_last_call():
    def f(x):
        return x * x * np.ones(3)

    df = tangent.grad(f)
    df(2.0)
    check_entries(df, {HERE})
    df(np.ones(3))
    check_entries(df, {HERE})


def test_before_the_first_call():
    check_entries(tangent.grad(calls), {HERE})


def test_second_order_maps_to_the_users_lines():
    second = tangent.grad(tangent.grad(calls))
    second(2.0, 3.0)
    check_entries(second, {HERE})
    assert {entry['primal_line'] for entry in tangent.source_map(second)} <= {
        None, *range(first_line(helper), first_line(helper) + 2),
        *range(first_line(calls), first_line(calls) + 4),
    }  # fmt: skip


def test_a_wrapper_of_a_gradient():
    df = tangent.grad(calls)

    @functools.wraps(df)
    def wrapper(*args):
        return df(*args)

    assert tangent.source_map(wrapper) == tangent.source_map(df)


def test_functions_that_stay_calls():
    def power(x, n):
        if n == 0:
            return 1.0
        return x * power(x, n - 1)

    df = tangent.grad(power)
    df(1.3, 4)
    check_entries(df, {HERE})


@pytest.mark.parametrize('thing', [len, 3, calls, None])
def test_what_is_no_gradient(thing):
    with pytest.raises(ValueError, match='carries no generated source'):
        tangent.source_map(thing)


def test_text_that_depends_on_the_arguments():
    def f(p, x):
        for value in p.values():
            x = x * value
        return x

    df = tangent.grad(f)
    with pytest.raises(ValueError, match='depends on its arguments'):
        tangent.source_map(df)
    with pytest.raises(ValueError, match='depends on its arguments'):
        tangent.source_map(tangent.grad(tangent.grad(calls)))
    df.source({'a': 2.0, 'b': 3.0}, 4.0)
    check_entries(df, {HERE})


def test_the_gradient_of_another_function():
    df = tangent.grad(calls)
    assert tangent.source_map(df, calls) == tangent.source_map(df)
    with pytest.raises(ValueError, match='no gradient of loops'):
        tangent.source_map(df, loops)


def name_of(value: Any) -> str:
    return getattr(value, '__name__', '')


@pytest.mark.parametrize(('f', 'arguments', 'wrt'), whole_programs.CASES, ids=name_of)
def test_whole_programs(f, arguments, wrt):
    files = {whole_programs.__file__}
    df = tangent.grad(f, wrt=wrt)
    df.source(*arguments())
    check_entries(df, files)
    if f.__name__ not in whole_programs.IN_REVERSE_ONLY:
        forward = tangent.jvp(f, wrt=wrt)
        args = arguments()
        forward.source(*args, *(copy.deepcopy(args[at]) for at in wrt))
        check_entries(forward, files)


@pytest.mark.parametrize('module', [forward_programs, forward_programs_arrays], ids=name_of)
def test_programs_of_forward_mode(module):
    for f, args, wrt in module.PROGRAMS:
        given = copy.deepcopy(args)
        for df, more in (
            (tangent.grad(f, wrt=wrt), []),
            (tangent.jvp(f, wrt=wrt), [copy.deepcopy(args[at]) for at in wrt]),
        ):
            try:
                df.source(*given, *more)
            except (tangent.TangentError, NotImplementedError):
                continue  # the tests of these programs say which are refused
            check_entries(df, {module.__file__})


def test_generated_programs(tmp_path):
    looked_at = 0
    for seed in range(40):
        program = programs.program(seed)
        path = str(tmp_path / f'program_{seed}.py')
        f = program.load(path)
        df = tangent.grad(f, wrt=program.wrt)
        try:
            df.source(*copy.deepcopy(program.argument_sets[0]))
        except (tangent.TangentError, NotImplementedError):
            continue
        check_entries(df, {path, programs_containers.__file__})
        looked_at += 1
    assert looked_at >= 30
