"""Pictures: `tangent.visualize` and `tangent.compare_gradients`. They need matplotlib.

In: a function, for some pictures also arguments. Out: a matplotlib Figure. The graph is that of the
function's own text (`tangent._dataflow`), laid out in layers here.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tangent
from tangent import _differences, _options
from tangent._dataflow import Flow, definition_of
from tangent._explain import _positions, _shown, kind_of
from tangent._source_map import source_map

_MOST_BOXES = 24  # in a column of a picture
_LONGEST = 38  # characters in a box

_BLUE, _GREEN, _ORANGE, _GREY = '#dbe9f6', '#d9f0d3', '#fde0c5', '#eeeeee'


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError(
            'this picture needs matplotlib, which is not installed: `pip install matplotlib`'
        ) from error
    return pyplot


# ------------------------------------------------------------------------------------------------
# visualize


def visualize(
    func: Callable[..., Any],
    mode: str = 'graph',
    wrt: _options.Wrt = (0,),
    inputs: Sequence[Any] | None = None,
    figsize: tuple[float, float] = (12, 8),
) -> Any:
    """A picture of a function: what depends on what, or the two directions of its gradient.

    Parameters
    ----------
    func
        The function.
    mode
        'graph': the names of the function as a graph, from the parameters down to the result.
        'flow': the lines of the function beside the lines that its gradient answers them with,
        with the values at both ends; needs `inputs`.
    wrt
        The parameters that are differentiated, as in `grad`: coloured in the graph.
    inputs
        The arguments of the call that 'flow' shows.
    figsize
        Width and height of the figure in inches.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If there is no such mode, or 'flow' is asked for without `inputs`.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> figure = tangent.visualize(lambda x, y: x * y)
    >>> figure.axes[0].get_title()
    'Computation Graph: <lambda>'
    """
    if mode not in ('graph', 'flow'):
        raise ValueError(f"mode={mode!r}: mode is 'graph' or 'flow'")
    if mode == 'flow' and inputs is None:
        raise ValueError("mode='flow' shows a call: give its arguments as inputs=(…)")
    pyplot = _pyplot()
    if mode == 'graph':
        figure, axes = pyplot.subplots(figsize=figsize)
        _draw_graph(axes, func, wrt)
    else:
        figure, (left, right) = pyplot.subplots(1, 2, figsize=figsize)
        _draw_flow(left, right, func, wrt, inputs or ())
    return figure


def _draw_graph(axes: Any, func: Callable[..., Any], wrt: _options.Wrt) -> None:
    name = getattr(func, '__name__', 'f')
    axes.set_title(f'Computation Graph: {name}')
    axes.axis('off')
    flow = Flow(definition_of(func))
    chosen = {flow.params[at] for at in _positions(func, wrt)[0]}
    reached = flow.influential()
    edges = dict.fromkeys(
        (source, target) for target, sources in flow.shown for source in sources if source != target
    )
    result = 'result'
    while result in flow.params or any(result in edge for edge in edges):
        result += '_'
    edges |= dict.fromkeys((source, result) for source in flow.out_names)
    place = _layers([*flow.params, result], list(edges))
    for source, target in edges:
        dashed = target != result and target not in reached
        axes.annotate(
            '',
            xy=place[target],
            xytext=place[source],
            arrowprops={
                'arrowstyle': '->',
                'color': '0.6' if dashed else '0.25',
                'linestyle': '--' if dashed else '-',
                'shrinkA': 14,
                'shrinkB': 14,
                'connectionstyle': 'arc3,rad=0.06',
            },
        )
    for node, (x, y) in place.items():
        color = (
            _ORANGE if node == result else _GREEN if node in chosen
            else _BLUE if node in reached else _GREY
        )  # fmt: skip
        _box(axes, x, y, node, color)
    _frame(axes, place.values())


def _layers(first: list[str], edges: list[tuple[str, str]]) -> dict[str, tuple[float, float]]:
    """A place for each node: below all that it depends on, as far as edges go one way."""
    nodes = list(dict.fromkeys([*first, *(node for edge in edges for node in edge)]))
    level = dict.fromkeys(nodes, 0)
    # A value that depends on itself through others stops at the number of nodes.
    for _ in nodes:
        for source, target in edges:
            if level[target] <= level[source] < len(nodes) - 1:
                level[target] = level[source] + 1
    rows: dict[int, list[str]] = {}
    for node in nodes:
        rows.setdefault(level[node], []).append(node)
    place: dict[str, tuple[float, float]] = {}
    for depth, at in enumerate(sorted(rows)):
        row = rows[at]
        # Beneath what it depends on.
        above: dict[str, float] = {}
        for node in row:
            sources = [source for source, target in edges if target == node and source in place]
            over = [place[source][0] for source in sources]
            above[node] = sum(over) / len(over) if over else 0.0
        row.sort(key=lambda node: above[node])
        for k, node in enumerate(row):
            place[node] = (k - (len(row) - 1) / 2, -float(depth))
    return place


def _box(axes: Any, x: float, y: float, text: str, color: str) -> None:
    axes.text(
        x, y, text, ha='center', va='center', fontsize=9, family='monospace',
        bbox={'boxstyle': 'round,pad=0.4', 'facecolor': color, 'edgecolor': '0.4'},
    )  # fmt: skip


def _frame(axes: Any, places: Any) -> None:
    across, up = zip(*places, strict=True)
    axes.set_xlim(min(across) - 0.8, max(across) + 0.8)
    axes.set_ylim(min(up) - 0.6, max(up) + 0.6)


def _draw_flow(
    left: Any, right: Any, func: Callable[..., Any], wrt: _options.Wrt, inputs: Sequence[Any]
) -> None:
    df = tangent.grad(func, wrt)
    gradient = df(*copy.deepcopy(inputs))
    value = func(*copy.deepcopy(inputs))
    positions, single = _positions(func, wrt)
    names = Flow(definition_of(func)).params
    entries = [entry for entry in source_map(df) if entry['primal'] is not None]
    turn = df.__tangent_source__.split('\n\n')[0].count('\n') + 1
    lines = [x for x in entries[1:] if not x['code'].lstrip().startswith('#')]
    forward = [x['code'].strip() for x in lines if x['line'] <= turn]
    backward = [x['code'].strip() for x in lines if x['line'] > turn]
    if not backward:  # the backward part needs nothing of the forward part
        seen = dict.fromkeys(
            (x['file'], x['primal_line'], x['primal']) for x in lines[:-1]
        )
        forward, backward = [text for _, _, text in sorted(seen)], forward
    given = [f'{name} = {_brief(each)}' for name, each in zip(names, inputs, strict=False)]
    _column(left, 'Forward', given, forward, [f'value = {_brief(value)}'])
    slopes = (gradient,) if single else gradient
    ends = [f'b{names[at]} = {_brief(each)}' for at, each in zip(positions, slopes, strict=True)]
    _column(right, 'Backward', ['adjoint of the result = 1.0'], backward, ends)


def _brief(value: Any) -> str:
    """A value, or the type of one that fills more than a box."""
    text = ' '.join(_shown(value).split())
    return text if len(text) <= _LONGEST - 8 else kind_of(value)


def _column(axes: Any, title: str, start: list[str], lines: list[str], end: list[str]) -> None:
    axes.set_title(title)
    axes.axis('off')
    if len(lines) > _MOST_BOXES:
        half = _MOST_BOXES // 2
        lines = [*lines[:half], f'… {len(lines) - 2 * half} lines …', *lines[-half:]]
    boxes = [(text, _GREEN) for text in start] + [(text, _BLUE) for text in lines]
    boxes += [(text, _ORANGE) for text in end]
    for k, (text, color) in enumerate(boxes):
        text = ' '.join(text.split())
        text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'
        _box(axes, 0.0, -float(k), text, color)
        if k:
            axes.annotate(
                '', xy=(0.0, -k + 0.35), xytext=(0.0, -k + 0.65),
                arrowprops={'arrowstyle': '->', 'color': '0.4'},
            )  # fmt: skip
    _frame(axes, [(0.0, 0.0), (0.0, 1.0 - len(boxes))])


# ------------------------------------------------------------------------------------------------
# compare_gradients


def compare_gradients(
    func: Callable[..., Any],
    inputs: Sequence[Any],
    wrt: _options.Wrt = (0,),
    eps: float = 1e-7,
    figsize: tuple[float, float] = (12, 5),
) -> Any:
    """A picture of a gradient beside central differences.

    Parameters
    ----------
    func
        The function.
    inputs
        Its positional arguments: numbers, arrays, and containers of them.
    wrt
        The parameters that are differentiated, as in `grad`: one picture each.
    eps
        The step of the differences, times the size of the number where that is above 1.
    figsize
        Width and height of the figure in inches.

    Returns
    -------
    matplotlib.figure.Figure
        One axis for each of `wrt`, with two bars for a number and two series of points for an
        array, in the order of its elements.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> figure = tangent.compare_gradients(lambda x, y: x * y, (2.0, 3.0), wrt=(0, 1))
    >>> [axis.get_title() for axis in figure.axes]
    ['∇x[0]', '∇x[1]']
    """
    pyplot = _pyplot()
    positions, single = _positions(func, wrt)
    gradient = tangent.grad(func, wrt)(*copy.deepcopy(tuple(inputs)))
    gradients = (gradient,) if single else tuple(gradient)
    figure, axes = pyplot.subplots(1, len(positions), figsize=figsize, squeeze=False)
    for axis, at, each in zip(axes[0], positions, gradients, strict=True):
        numeric, _ = _differences.differences(func, inputs, at, eps)
        ours, theirs = _flat(each), _flat(numeric)
        axis.set_title(f'∇x[{at}]')
        if len(ours) == 1:
            axis.bar(['tangent', 'differences'], [ours[0], theirs[0]], color=['C0', 'C1'])
        else:
            axis.plot(ours, 'o', color='C0', label='tangent', markersize=7)
            axis.plot(theirs, 'x', color='C1', label='differences')
            axis.set_xlabel('element')
            axis.legend()
        axis.text(
            0.5, 0.98, f'max |Δ| = {_differences.worst(each, numeric):.1e}',
            ha='center', va='top', transform=axis.transAxes, fontsize=9,
        )  # fmt: skip
    return figure


def _flat(value: Any) -> np.ndarray[Any, Any]:
    parts = [np.ravel(leaf).astype(float) for _, leaf in _differences.leaves(value)]
    return np.concatenate(parts) if parts else np.zeros(0)
