"""The calls that show a gradient: what they return and print, and what they refuse."""

from __future__ import annotations

import builtins
import io
import logging
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import pytest
import tangent
from tangent import _commands, _dataflow, _differences

ROOT = Path(__file__).resolve().parent.parent


def area(width, height, colour):
    doubled = 2.0 * width
    unused = height + colour  # noqa: F841
    return doubled * height


def decay(x, rate):
    total = 0.0
    for _ in range(4):
        total = total + x * x
        x = x * (1.0 - rate)
    return total


def printed(call: Any) -> str:
    with io.StringIO() as out, redirect_stdout(out):
        call()
        return out.getvalue()


# ------------------------------------------------------------------------------------------------
# explain


def test_explain_returns_everything():
    report = tangent.explain(area, 3.0, 4.0, 5.0, out=None)
    assert set(report) == {
        'value', 'gradient', 'numeric_gradient', 'max_error', 'gradient_source', 'source_map',
        'variant', 'saved', 'passes', 'dataflow', 'dead_inputs',
    }  # fmt: skip
    assert report['value'] == 24.0
    assert report['gradient'] == 8.0
    assert report['numeric_gradient'] == pytest.approx(8.0, abs=1e-6)
    assert report['max_error'] < 1e-6
    df = tangent.grad(area)
    assert report['gradient_source'] == df.source(3.0, 4.0, 5.0)
    assert report['source_map'] == tangent.source_map(df)
    assert report['dataflow'] == {
        'edges': [('doubled', ['width']), ('unused', ['height', 'colour'])],
        'out_names': ['doubled', 'height'],
        'influential': {'doubled', 'height', 'width'},
        'params': ['width', 'height', 'colour'],
    }
    assert report['dead_inputs'] == [2]
    assert report['variant']['name'] == 'dareadwidth'
    assert report['variant']['arguments'] == dict.fromkeys(['width', 'height', 'colour'], 'float')


def test_explain_with_control_flow_says_what_is_saved_and_why():
    report = tangent.explain(decay, 2.0, 0.1, wrt=(0, 1), out=None)
    assert report['dataflow'] is None
    assert report['dead_inputs'] == []
    want = oracle.gradient(decay, (2.0, 0.1), (0, 1))
    assert oracle.error(list(report['gradient']), list(want)) <= 1e-10
    assert isinstance(report['numeric_gradient'], tuple)
    (tape,) = [value for value in report['saved'] if value['form'] == 'tape']
    start = decay.__code__.co_firstlineno
    assert tape['value'] == 'x'
    assert {place[1] for place in tape['made']} == {start + 4}
    assert {place[1] for place in tape['read_by']} == {start + 3, start + 4}
    dead = report['passes'][0]
    assert dead['name'] == 'dead code'
    assert dead['before'] > dead['after']
    assert '-result = total' in dead['diff']


def test_the_record_is_that_of_the_text():
    report = tangent.explain(decay, 2.0, 0.1, out=None)
    names = [value['name'] for value in report['saved']]
    for name in names:
        assert name in report['gradient_source']


def test_what_is_saved_under_a_name():
    def f(x):
        y = np.exp(x)
        return np.sum(y * y)

    report = tangent.explain(f, np.ones(3), out=None)
    (value,) = report['saved']
    assert (value['form'], value['name'], value['value']) == ('name', 'y', 'np.exp(x)')


def test_what_the_tape_of_a_recursive_function_holds():
    def power(x, n):
        if n == 0:
            return 1.0
        return x * power(x, n - 1)

    report = tangent.explain(power, 1.3, 4, out=None)
    held = {value['value'] for value in report['saved'] if value['form'] == 'tuple'}
    assert {'x', 'power_value'} <= held


def test_what_explain_prints():
    text = printed(lambda: tangent.explain(area, 3.0, 4.0, 5.0, wrt=('width', 'colour')))
    for part in (
        '-' * 72,
        'PRIMAL area(width, height, colour)\n',
        'GRADIENT (generated source)\n',
        'def dareadwidthcolour(',
        'DATA FLOW (primal)\n',
        'doubled <- width\n',
        'unused <- height, colour    [dead: does not reach the result]\n',
        'value = 24\n',
        'gradient = (8, 0)\n',
        'fd check = ',
        'OK\n',
        'note: the gradient of colour is zero: the result does not depend on it\n',
    ):
        assert part in text, part
    assert 'MISMATCH' not in text
    assert 'max |Δ| = ' in text
    text = printed(lambda: tangent.explain(decay, 2.0, 0.1))
    assert 'DATA FLOW' not in text
    assert 'SAVED' in text and 'PASSES' in text


def test_explain_says_so_when_the_gradient_is_wrong(monkeypatch):
    real = _differences.differences
    monkeypatch.setattr(
        _differences,
        'differences',
        lambda *args, **kw: (real(*args, **kw)[0] + 1.0, 0),
    )
    lines: list[str] = []
    report = tangent.explain(area, 3.0, 4.0, 5.0, out=lines.append)
    assert report['max_error'] == pytest.approx(1.0, abs=1e-6)
    assert lines[-2].endswith('MISMATCH')


def test_explain_of_containers():
    @dataclass
    class House:
        walls: float
        windows: np.ndarray

    def f(p, house):
        return p['a'] * np.sum(p['b'][0] ** 2) + house.walls * np.sum(house.windows)

    p = {'a': 2.0, 'b': [np.array([1.0, 2.0]), 3.0]}
    house = House(2.0, np.array([1.0, -1.0]))
    report = tangent.explain(f, p, house, wrt=(0, 1), out=None)
    assert report['max_error'] < 1e-6
    slopes, of_house = report['numeric_gradient']
    assert set(slopes) == {'a', 'b'} and isinstance(slopes['b'], list)
    assert slopes['b'][1] == 0.0
    assert isinstance(of_house, House)
    assert p['b'][0].tolist() == [1.0, 2.0]


def test_explain_leaves_the_arguments_alone():
    def f(x):
        x[0] = x[1] * 2.0
        return np.sum(x * x)

    x = np.array([1.0, 2.0, 3.0])
    report = tangent.explain(f, x, out=None)
    assert x.tolist() == [1.0, 2.0, 3.0]
    assert report['max_error'] < 1e-6


def test_explain_of_an_array_result_and_of_integers():
    report = tangent.explain(lambda x: x * np.arange(3.0), 2, out=None)
    assert report['gradient'] == 3.0
    assert report['max_error'] < 1e-6


def test_explain_takes_defaults():
    def f(x, k=3.0):
        return k * x

    report = tangent.explain(f, 2.0, wrt=('k',), out=None)
    assert report['gradient'] == 2.0 and report['max_error'] < 1e-6


def test_explain_of_a_large_array_checks_some_of_it():
    lines: list[str] = []
    report = tangent.explain(lambda x: np.sum(x**3), np.ones(5000), out=lines.append)
    numeric = report['numeric_gradient']
    assert 500 <= np.sum(~np.isnan(numeric)) <= 1000
    assert report['max_error'] < 1e-4
    assert any('left out' in line for line in lines)


def test_explain_of_a_gradient():
    report = tangent.explain(tangent.grad(decay), 2.0, 0.1, out=None)
    assert report['max_error'] < 1e-6
    assert report['dataflow'] is None
    assert all(entry['file'] in (None, __file__) for entry in report['source_map'])


def test_explain_of_what_cannot_be():
    def f(x, *, k):
        return x * k

    with pytest.raises(tangent.TangentValueError, match='no keyword arguments'):
        tangent.explain(lambda x, *, k=2.0: x * k, 2.0, wrt=('k',), out=None)
    with pytest.raises(TypeError):
        tangent.explain(area, 2.0, out=None)
    with pytest.raises(tangent.TangentError):
        tangent.explain(len, [2.0], out=None)
    with pytest.raises(tangent.TangentValueError):
        tangent.explain(area, 1.0, 2.0, 3.0, wrt=(7,), out=None)


def test_show_gradient_code():
    text = printed(lambda: tangent.show_gradient_code(area, wrt=(0, 1)))
    assert text.count('=' * 80) == 4
    assert 'def area(width, height, colour):' in text
    assert 'def dareadwidthheight(' in text


# ------------------------------------------------------------------------------------------------
# Data flow


def flow_of(f: Any) -> _dataflow.Flow:
    return _dataflow.Flow(_dataflow.definition_of(f))


def dead(f: Any) -> list[str]:
    flow = flow_of(f)
    return [flow.params[at] for at in flow.dead_inputs()]


def test_dead_inputs_of_straight_code():
    def unread(x, y):
        return x

    def overwritten(x, y):
        y = x
        return y

    def into_what_dies(x, y):
        t = x * y
        t = x
        return t

    assert dead(unread) == ['y']
    assert dead(overwritten) == ['y']
    assert dead(into_what_dies) == ['y']
    assert flow_of(into_what_dies).straight


def test_inputs_that_live_by_another_way():
    def through_an_alias(x, y):
        z = x
        z[0] = y
        return x

    def through_a_view(x, y):
        z = x[1:]
        z *= y
        return x

    def through_a_test(x, y):
        t = x
        if y > 0.0:
            t = 2.0 * x
        return t

    def through_a_loop(x, y):
        for _ in range(2):
            x, y = y, x
        return x

    def through_a_method(x, y):
        xs = [x]
        xs.append(y)
        return xs[1]

    def through_an_argument(x, y):
        np.multiply(x, y, out=x)
        return x

    def through_a_walrus(x, y):
        z = (t := y) + x
        return t + z

    def through_a_closure(x, y):
        def inner():
            return y

        return x * inner()

    for f in (
        through_an_alias, through_a_view, through_a_test, through_a_loop, through_a_method,
        through_an_argument, through_a_walrus, through_a_closure,
    ):  # fmt: skip
        assert dead(f) == [], f.__name__
    assert not flow_of(through_a_test).straight
    assert not flow_of(through_a_loop).straight


# ------------------------------------------------------------------------------------------------
# verbose


def test_verbose_one():
    def f(x):
        return x * x * x

    text = printed(lambda: tangent.grad(f, verbose=1)(2.0))
    first, second, source = text.split('\n', 2)
    assert first.startswith('[Cache] dfdx: computed variant 1')
    assert second.startswith('[Optimization] ') and 'lines' in second
    assert source.strip() == tangent.grad(f, verbose=1).__tangent_source__.strip()
    # What was made before prints one line, a further call none.
    again = printed(lambda: tangent.grad(f, verbose=1))
    assert again == '[Cache] dfdx: retrieved from memory: made before with these options\n'
    assert printed(lambda: tangent.grad(f, verbose=1)(3.0)) == again


def test_verbose_two_has_the_stages():
    def f(x):
        total = 0.0
        for _ in range(3):
            total = total + x * x
        return total

    text = printed(lambda: tangent.grad(f, verbose=2)(2.0))
    places = [
        text.index(each)
        for each in (
            'CORE: ', 'TYPED: ', 'ADJOINT: ', '[Optimization] after the pass "dead code"',
            '[Cache] dfdx: computed', '[Optimization] dead code', 'def dfdx(',
        )
    ]  # fmt: skip
    assert places == sorted(places)
    text = printed(lambda: tangent.jvp(f, verbose=2)(2.0, 1.0))
    assert 'TANGENT: ' in text


def test_silence_is_the_default():
    assert printed(lambda: tangent.grad(area)(1.0, 2.0, 3.0)) == ''


# ------------------------------------------------------------------------------------------------
# Pictures


@pytest.fixture
def pyplot():
    pyplot = pytest.importorskip('matplotlib.pyplot')
    pyplot.switch_backend('Agg')
    yield pyplot
    pyplot.close('all')


def boxes(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.texts if text.get_text()]


def test_visualize_the_graph(pyplot):
    figure = tangent.visualize(area, wrt=(0, 1), figsize=(6, 4))
    (axis,) = figure.axes
    assert tuple(figure.get_size_inches()) == (6, 4)
    assert axis.get_title() == 'Computation Graph: area'
    assert set(boxes(axis)) == {'width', 'height', 'colour', 'doubled', 'unused', 'result'}
    arrows = [text for text in axis.texts if getattr(text, 'arrow_patch', None) is not None]
    assert len(arrows) == 5
    # What depends on something stands below it.
    place = {text.get_text(): text.get_position() for text in axis.texts if text.get_text()}
    assert place['width'][1] > place['doubled'][1] > place['result'][1]


def test_visualize_the_graph_of_a_loop(pyplot):
    figure = tangent.visualize(decay)
    assert {'x', 'rate', 'total', 'result'} <= set(boxes(figure.axes[0]))


def test_visualize_the_flow(pyplot):
    figure = tangent.visualize(decay, mode='flow', wrt=(0, 1), inputs=(2.0, 0.1))
    left, right = figure.axes
    assert [left.get_title(), right.get_title()] == ['Forward', 'Backward']
    assert boxes(left)[:2] == ['x = 2', 'rate = 0.1']
    assert boxes(left)[-1].startswith('value = ')
    assert boxes(right)[-2].startswith('bx = ') and boxes(right)[-1].startswith('brate = ')
    figure = tangent.visualize(area, mode='flow', inputs=(3.0, 4.0, 5.0))
    assert boxes(figure.axes[1])[-1] == 'bwidth = 8'


def test_bad_modes():
    with pytest.raises(ValueError, match="'graph' or 'flow'"):
        tangent.visualize(area, mode='tree')
    with pytest.raises(ValueError, match='inputs'):
        tangent.visualize(area, mode='flow')


def test_compare_gradients(pyplot):
    figure = tangent.compare_gradients(area, (3.0, 4.0, 5.0), wrt=(0, 1))
    assert [axis.get_title() for axis in figure.axes] == ['∇x[0]', '∇x[1]']
    ours, theirs = (bar.get_height() for bar in figure.axes[0].patches)
    assert ours == 8.0 and theirs == pytest.approx(8.0, abs=1e-5)

    def f(p, x):
        return np.sum(p['w'] * x) ** 2 + p['b']

    p, x = {'w': np.array([1.0, 2.0, 3.0]), 'b': 1.0}, np.array([0.5, -1.0, 2.0])
    figure = tangent.compare_gradients(f, (p, x), wrt=('p', 'x'), figsize=(8, 3))
    left, right = figure.axes
    series = [line.get_ydata() for line in left.lines]
    assert len(series) == 2 and len(series[0]) == 4
    np.testing.assert_allclose(series[0], series[1], rtol=1e-5)
    want = oracle.gradient(f, (p, x), (0, 1))[1]
    np.testing.assert_allclose(right.lines[0].get_ydata(), want, rtol=1e-10)


def test_without_matplotlib(monkeypatch):
    real = builtins.__import__

    def refused(name, *args, **kwargs):
        if name.startswith('matplotlib'):
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, '__import__', refused)
    for name in [name for name in sys.modules if name.startswith('matplotlib')]:
        monkeypatch.delitem(sys.modules, name)
    for call in (
        lambda: tangent.visualize(area),
        lambda: tangent.visualize(area, mode='flow', inputs=(1.0, 2.0, 3.0)),
        lambda: tangent.compare_gradients(area, (1.0, 2.0, 3.0)),
    ):
        with pytest.raises(ImportError, match='pip install matplotlib'):
            call()


# ------------------------------------------------------------------------------------------------
# What is installed, and the commands


def test_backend_status(monkeypatch, caplog):
    caplog.set_level(logging.DEBUG, logger='tangent')
    monkeypatch.setitem(sys.modules, 'keras', None)
    real = __import__('importlib').import_module

    def broken(name, *args):
        if name == 'scipy':
            raise OSError('a library is missing')
        return real(name, *args)

    monkeypatch.setattr('tangent._status.importlib.import_module', broken)
    status = tangent.backend_status()
    assert list(status) == [
        'numpy', 'tensorflow', 'jax', 'torch', 'keras', 'tinygrad', 'scipy', 'visualization',
    ]  # fmt: skip
    assert status['numpy'] == 'available'
    assert status['scipy'] == 'broken: OSError: a library is missing'
    levels = {record.getMessage(): record.levelno for record in caplog.records}
    assert levels['scipy is broken: OSError: a library is missing'] == logging.WARNING
    missing = [name for name, state in status.items() if state == 'not installed']
    for name in missing:
        assert levels.get(f'{name} is not installed', logging.DEBUG) == logging.DEBUG


def test_doctor(capsys, monkeypatch):
    assert _commands.main(['doctor']) == 0
    out = capsys.readouterr().out
    assert 'FAIL' not in out
    assert f'tangent {tangent.__version__} in ' in out
    assert 'the gradient of x ** 3 at 2 is 12.0' in out
    monkeypatch.setattr(
        'tangent._status.importlib.metadata.version', lambda name: '0.1.9'
    )
    assert _commands.main(['doctor']) == 1
    assert 'FAIL  tangent 0.1.9' in capsys.readouterr().out


@pytest.mark.parametrize(
    'words',
    [[], ['nonsense'], ['doctor', 'more'], ['show'], ['show', 'x'], ['show', 'x.py:'],
     ['show', 'x.py:f', '--wrt'], ['show', 'x.py:f', '--what', '1'], ['show', 'x.py:f', 'g']],
)  # fmt: skip
def test_words_that_make_no_sense(words, capsys):
    assert _commands.main(words) == 2
    captured = capsys.readouterr()
    assert 'usage: python -m tangent' in captured.err
    assert captured.out == ''


def test_show(tmp_path, capsys):
    path = tmp_path / 'model.py'
    path.write_text(
        'import numpy as np\n\ndef f(x, y):\n    return x * np.sum(y)\n\n'
        'class Model:\n    def g(self, x):\n        return x * x\n\nmodel = Model()\n'
    )
    assert _commands.main(['show', f'{path}:f', '--wrt', 'y', '--at', '2.0, np.ones(3)']) == 0
    assert capsys.readouterr().out.startswith('def dfdy(x, y, ')
    assert _commands.main(['show', f'{path}:model.g', '--wrt', '0']) == 0
    assert '2 * ' in capsys.readouterr().out
    assert _commands.main(['show', f'{path}:h']) == 1
    assert 'has no h; its functions are: Model, f' in capsys.readouterr().err
    assert _commands.main(['show', f'{tmp_path}/none.py:f']) == 1
    assert 'FileNotFoundError' in capsys.readouterr().err
    assert _commands.main(['show', f'{path}:f', '--wrt', 'z']) == 1
    assert 'no parameter of that name' in capsys.readouterr().err


def test_the_commands_from_outside():
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, '-m', 'tangent', *words], capture_output=True, text=True, cwd=ROOT
        )

    shown = run('show', 'examples/nile.py:log_likelihood', '--wrt', 'log_noise,log_step')
    assert shown.returncode == 0
    assert shown.stdout.startswith('def dlog_likelihooddlog_noiselog_step(')
    wrong = run('nonsense')
    assert wrong.returncode == 2 and 'usage' in wrong.stderr


# ------------------------------------------------------------------------------------------------
# Errors


def test_enhance_traceback():
    def fails():
        return 1.0 / 0.0

    try:
        fails()
    except ZeroDivisionError as error:
        made = tangent.enhance_traceback(error)
        also = tangent.enhance_traceback(sys.exc_info())
        assert made.original_error is error
        assert made.__traceback__ is error.__traceback__
    assert isinstance(made, tangent.TangentError)
    assert (made.filename, made.source_line.strip()) == (__file__, 'return 1.0 / 0.0')
    assert 'ZeroDivisionError' in str(made) and 'return 1.0 / 0.0' in str(made)
    assert str(also) == str(made)
    ours = tangent.TangentValueError('x')
    assert tangent.enhance_traceback(ours) is ours
    with pytest.raises(TypeError):
        tangent.enhance_traceback((None, None, None))


def test_format_error_with_context():
    made = tangent.format_error_with_context(ValueError('no'), area, None)
    assert "ValueError while differentiating 'area': no" in str(made)
    assert made.func is area and isinstance(made.original_error, ValueError)


# ------------------------------------------------------------------------------------------------
# Differences


def test_differences_of_containers():
    def f(p, n):
        return p['a'] ** 2 + n * p['b'][1]

    slopes, left_out = _differences.differences(f, ({'a': 3.0, 'b': (1.0, 2.0), 's': 'x'}, 4), 0)
    assert left_out == 0
    assert slopes['a'] == pytest.approx(6.0) and slopes['b'] == (0.0, pytest.approx(4.0))
    assert slopes['s'] == 'x'
    slopes, _ = _differences.differences(lambda x: x.astype(float) ** 2, (np.arange(3),), 0)
    np.testing.assert_allclose(slopes, [0.0, 2.0, 4.0], atol=1e-6)


def test_worst_ignores_what_was_left_out():
    assert _differences.worst(np.array([1.0, 2.0]), np.array([1.5, np.nan])) == 0.5
    assert np.isnan(_differences.worst(np.array([np.nan]), np.array([1.5])))


def test_later_names_are_not_imported_at_once():
    code = (
        'import sys, tangent\n'
        'late = {"_explain", "_plots", "_shapes", "_shaped_array", "_source_map", "_status"}\n'
        'assert not {f"tangent.{x}" for x in late} & set(sys.modules)\n'
        'assert not {"matplotlib", "difflib"} & set(sys.modules)\n'
        'assert {*tangent._LATER, *tangent.__all__} <= set(dir(tangent))\n'
        'tangent.source_map, tangent.ShapedArray\n'
        'try:\n    tangent.nothing\nexcept AttributeError as error:\n    print(error)\n'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "no attribute 'nothing'" in done.stdout
