"""Every kind of error that a user can cause, provoked once, and what its exception says."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tangent
from tangent import _core, errors

PROVOKED: dict[str, Callable[[], object]] = {}


def _label(value: object) -> str:
    """A name for a row that is the same in every process: no addresses."""
    return re.sub(r' at 0x[0-9a-f]+', '', repr(value))


def provokes(kind: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    def register(function: Callable[[], object]) -> Callable[[], object]:
        PROVOKED[kind] = function
        return function

    return register


@provokes('SourceNotAvailable')
def no_source():
    names: dict[str, Any] = {}
    exec('def f(x): return x', names)
    tangent.grad(names['f'])


@provokes('SourceChanged')
def changed():
    names: dict[str, Any] = {}
    exec(compile('def f(x):\n    return 2.0 * x\n', '<edited>', 'exec'), names)
    text = 'def f(x):\n    return 3.0 * x\n'
    linecache.cache['<edited>'] = (len(text), None, text.splitlines(True), '<edited>')
    tangent.grad(names['f'])


@provokes('SyntaxNotParsed')
def not_parsed():
    _core.check_rule('@adjoint("a.b")\ndef b(y, x:\n', 'rules.py', 1)


@provokes('UnsupportedSyntax')
def unsupported_syntax():
    def f(x):
        yield x

    tangent.grad(f)


@provokes('NotAFunction')
def not_a_function():
    tangent.grad(np.sin)


@provokes('NoRule')
def no_rule():
    def f(x):
        return np.sum(np.roots(x))

    tangent.grad(f)(np.ones(3))


@provokes('NoSuchRuleArgument')
def no_such_rule_argument():
    def f(x):
        return np.sum(x, where=x > 0.0)

    tangent.grad(f)(np.ones(3))


class Callable_:
    def __call__(self, x):
        return x


@provokes('UnresolvedCall')
def unresolved_call():
    def f(x):
        return undefined_helper(x)  # noqa: F821

    tangent.grad(f)(1.0)


def recursive(x, n):
    x[n] = 0.0
    return x[0] if n == 0 else recursive(x, n - 1)


@provokes('RecursiveCall')
def recursive_call():
    tangent.grad(recursive)(np.ones(3), 2)


TABLE = np.zeros(3)


@provokes('WriteInPlace')
def write_in_place():
    def f(x):
        TABLE[0] = 0.0
        return np.sum(TABLE * x)

    tangent.grad(f)(np.ones(3))


@provokes('UnsupportedType')
def unsupported_type():
    def f(x):
        return x * x

    tangent.grad(f)(1.0 + 2.0j)


@provokes('NotNumeric')
def not_numeric():
    def f(x):
        return x

    tangent.grad(f)('text')


@provokes('BadWrt')
def bad_wrt():
    tangent.grad(recursive, 3)


@provokes('BadOption')
def bad_option():
    tangent.grad(recursive, compile='numba')


@provokes('OnlyDecidesStructure')
def only_decides_structure():
    def f(x, n):
        for _ in range(n):
            x = 2.0 * x
        return x

    tangent.grad(f, 'n')(1.0, 3)


@provokes('BadRule')
def bad_rule():
    _core.check_rule('@adjoint("a.b")\ndef b(y, x):\n    import os\n', 'rules.py', 1)


@provokes('MixedLibraries')
def mixed_libraries():
    import jax.numpy as jnp

    def f(x):
        return np.sum(np.sin(x))

    tangent.grad(f)(jnp.ones(2))


@provokes('NotInLibrary')
def not_in_library():
    import jax.numpy as jnp

    def f(x):
        return np.sum(np.asanyarray(x))

    tangent.grad(f, compile='jax')(jnp.ones(2))


@provokes('NotTraceable')
def not_traceable():
    import jax.numpy as jnp

    def f(x):
        if jnp.sum(x) > 0.0:
            x = x * x
        return jnp.sum(x)

    tangent.grad(f, compile='jax')(jnp.ones(2))


@provokes('TooDeep')
def too_deep():
    text = f'def f(x):\n    return {"-" * 900}x\n'
    linecache.cache['<deep>'] = (len(text), None, text.splitlines(True), '<deep>')
    names: dict[str, Any] = {}
    exec(compile(text, '<deep>', 'exec'), names)
    tangent.grad(names['f'])


KINDS = dict(_core.diagnostic_kinds())


def test_every_registered_kind_is_provoked():
    assert set(PROVOKED) == set(KINDS)


@pytest.mark.parametrize('kind', KINDS)
def test_kind(kind: str):
    with pytest.raises(getattr(errors, KINDS[kind])) as caught:
        PROVOKED[kind]()
    error = caught.value
    assert error.kind == kind
    assert error.summary
    assert str(error).startswith(error.summary)
    if kind not in ('SyntaxNotParsed', 'BadRule'):
        assert error.remedy, 'what to write instead'
        assert error.remedy in str(error)


@pytest.mark.parametrize('kind', sorted(set(KINDS) - {
    'SourceNotAvailable', 'SourceChanged', 'NotAFunction', 'BadWrt', 'BadOption', 'TooDeep',
}))  # fmt: skip
def test_kinds_that_mark_a_place(kind: str):
    with pytest.raises(Exception) as caught:
        PROVOKED[kind]()
    error = caught.value
    assert error.filename
    assert error.lineno >= 1
    line, column, end_line, end_column = error.range
    assert line == error.lineno
    assert (end_line, end_column) > (line, column)
    assert error.source_line is not None
    if '<' not in error.filename and error.filename == __file__:
        assert linecache.getline(__file__, line).rstrip('\n') == error.source_line
    text = str(error)
    assert f'File "{error.filename}", line {line}' in text
    assert '^' in text


def test_the_carets_stand_under_the_code():
    with pytest.raises(tangent.InplaceModificationError) as caught:
        write_in_place()
    lines = str(caught.value).splitlines()
    source = next(line for line in lines if 'TABLE[0] = 0.0' in line)
    carets = lines[lines.index(source) + 1]
    start = len(carets) - len(carets.lstrip())
    assert set(carets.strip()) == {'^'}
    assert source[start : start + len(carets.strip())].startswith('TABLE[0]')


@pytest.mark.parametrize('kind', KINDS)
def test_no_class_hides_among_those_that_user_code_catches(kind: str):
    hidden = (AttributeError, KeyError, IndexError, NameError, AssertionError, RecursionError)
    assert not issubclass(getattr(errors, KINDS[kind]), hidden)


def test_the_predecessors_classes():
    assert issubclass(errors.TangentParseError, SyntaxError)
    assert issubclass(errors.UnsupportedSyntaxError, (errors.TangentParseError))
    assert issubclass(errors.UnsupportedSyntaxError, (errors.TangentError))
    assert issubclass(errors.ReverseNotImplementedError, NotImplementedError)
    assert issubclass(errors.ForwardNotImplementedError, NotImplementedError)
    assert issubclass(errors.ShapeError, ValueError)
    assert issubclass(errors.TangentValueError, ValueError)
    error = errors.TangentError('m', func=len, node=None, suggestion='s', original_error=KeyError())
    assert (error.message, error.func, error.suggestion) == ('m', len, 's')
    assert isinstance(error.original_error, KeyError)
    assert str(error) == 'm\nInstead: s'


@pytest.mark.parametrize(
    'value',
    [len, np.sin, int, 3, 'text', None, Callable_(), Callable_, print, np.linalg.solve],
    ids=_label,
)
def test_what_is_no_function(value):
    with pytest.raises(tangent.TangentError) as caught:
        tangent.grad(value)
    assert caught.value.kind == 'NotAFunction'
    assert caught.value.remedy


def test_a_partial_of_what_has_no_source():
    import functools

    with pytest.raises(tangent.TangentError, match=r'functools\.partial'):
        tangent.grad(functools.partial(np.sin, 3.0))


@pytest.mark.parametrize(
    'value', ['text', None, b'bytes', np.array(['a']), np.array([None]), object(), {}],
    ids=_label,
)
def test_arguments_that_are_no_numbers(value):
    def f(x):
        return x

    with pytest.raises(tangent.TypeMismatchError, match='x') as caught:
        tangent.grad(f)(value)
    assert caught.value.kind in ('NotNumeric', 'UnsupportedType')
    assert caught.value.lineno == f.__code__.co_firstlineno


def test_an_argument_that_is_not_differentiated_may_be_anything():
    def f(x, mode):
        if mode == 'square':
            return x * x
        return x

    assert tangent.grad(f)(3.0, 'square') == 6.0
    assert tangent.grad(f)(3.0, None) == 1.0


def test_no_color_but_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(tangent.InplaceModificationError) as caught:
        write_in_place()
    assert '\x1b' not in str(caught.value)
    monkeypatch.setattr(errors.sys.stderr, 'isatty', lambda: True, raising=False)
    monkeypatch.setenv('TERM', 'xterm')
    monkeypatch.delenv('NO_COLOR', raising=False)
    assert '\x1b[31;1m^' in str(caught.value)
    monkeypatch.setenv('NO_COLOR', '1')
    assert '\x1b' not in str(caught.value)


def test_a_long_line_is_shown_around_the_carets():
    text = 'y = ' + ' + '.join(f'x{k}' for k in range(300))
    column = text.index('x150')
    lines = errors.excerpt(('f.py', 1, column, 1, column + 4, text)).splitlines()
    assert len(lines[1]) <= 110
    start = lines[2].index('^')
    assert lines[1][start : start + 4] == 'x150'
    assert lines[2].strip() == '^^^^'


def test_wide_and_combining_characters_and_tabs():
    place = ('f.py', 3, 6, 3, 9, '\té漢字 = bad + 1')
    lines = errors.excerpt(place).splitlines()
    assert lines[0] == '  File "f.py", line 3'
    assert lines[1] == '    é漢字 = bad + 1'
    assert lines[2] == '    ' + ' ' * 7 + '^' * 3 or lines[2].endswith('^^^')


def test_internal_errors_ask_for_a_report():
    error = errors.internal_error('broken')
    assert 'report' in str(error)
    assert not isinstance(error, errors.TangentError)
