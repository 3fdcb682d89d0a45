"""Calls of every function of JAX and torch that has a rule, as small functions on live arrays.

In: the records and the synonyms of rules/. Out: per library and function the calls that its
record's samples and domain give. tests/test_library_rules.py compares.
"""

from __future__ import annotations

import ast
import importlib
import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rule_bodies import BY_NAME, EVERY_RECORD, SYNONYMS
from test_rules import Samples, elementwise_calls, texts


@dataclass
class LibraryCall:
    """One call: its text, the values of its names as NumPy has them."""

    name: str  # "torch.softmax"
    expression: str
    values: dict[str, Any]
    record: Any
    active: list[str] = field(default_factory=list)  # names that are differentiated


def functions_of(library: str) -> dict[str, Any]:
    """The record of every name that the library has a rule for."""
    found: dict[str, Any] = {}
    for record in EVERY_RECORD:
        for name in (record.name, *record.aliases):
            if name.split('.')[0] == library:
                found[name] = record
    for synonym in SYNONYMS:
        if synonym.name.split('.')[0] == library:
            found[synonym.name] = BY_NAME[synonym.known_as]
    return {
        name: record
        for name, record in sorted(found.items())
        # `item` gives a number, and nothing of arange is active in these samples, nor of full_like
        # where it takes a number.
        if record.kind == 'adjoint'
        and not name.endswith(('.item', '.arange'))
        and not (name.endswith('.full_like') and library != 'jax')
    }


def differentiated(record: Any) -> set[str]:
    """The parameters that have a derivative."""
    from rule_bodies import index_rules

    return {
        index_rules.derivative_of(node.targets[0])
        for node in ast.walk(record.definition)
        if isinstance(node, ast.Assign)
    }


def calls_of(name: str, record: Any) -> Iterator[LibraryCall]:
    """The calls of one function."""
    expressions: list[tuple[str, dict[str, Any]]] = []
    for text in texts(record, 'sample'):
        samples = Samples()
        names = {
            node.id
            for node in ast.walk(ast.parse('_' + text, mode='eval'))
            if isinstance(node, ast.Name) and node.id not in ('_', 'np', 'float', 'int')
        }
        expressions.append((f'{name}{text}', {each: samples[each] for each in sorted(names)}))
    if 'domain' in record.options:
        for arguments in elementwise_calls(record)[1:5:2]:
            parts = [f'x{i}' for i in range(len(arguments))]
            expressions.append(
                (f'{name}({", ".join(parts)})', dict(zip(parts, arguments, strict=True)))
            )
    named = differentiated(record)
    for expression, values in expressions:
        call = ast.parse(expression, mode='eval').body
        assert isinstance(call, ast.Call)
        passed = [*zip(record.parameters, call.args, strict=False)]
        passed += [(keyword.arg, keyword.value) for keyword in call.keywords]
        active = sorted(
            {
                node.id
                for parameter, value in passed
                for node in ast.walk(value)
                if isinstance(node, ast.Name)
                and parameter in named
                and node.id in values
                and np.asarray(values[node.id]).dtype.kind == 'f'
            }
        )
        if active:
            yield LibraryCall(name, expression, values, record, active)


def function_of(call: LibraryCall, scope: dict[str, Any]) -> Callable[..., Any]:
    """The call as a function of all its names."""
    text = f'def f({", ".join(call.values)}):\n    return {call.expression}\n'
    filename = f'<library {call.expression} {sorted(map(np.shape, call.values.values()))}>'
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    scope = dict(scope)
    exec(compile(text, filename, 'exec'), scope)
    made: Callable[..., Any] = scope['f']
    return made


def scope_of(library: str) -> dict[str, Any]:
    """The modules that calls are spelled with."""
    modules = {
        'jax': ('jax', 'jax.numpy', 'jax.nn', 'jax.lax', 'jax.scipy.special', 'jax.scipy.linalg'),
        'torch': ('torch', 'torch.nn.functional', 'torch.special', 'torch.linalg'),
    }[library]
    for module in modules:
        importlib.import_module(module)
    return {library: importlib.import_module(library), 'np': np}


def seed_for(shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(7).uniform(0.5, 2.0, shape)
