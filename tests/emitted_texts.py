"""The texts that gradients of whole programs get, as digests: for tests/test_same_texts.py.

    python emitted_texts.py ORDER      the programs in an order of their own, one JSON object

With an order other than 0 each program is differentiated three times, as function objects of their
own between which memory is taken, and all three texts have to be the same.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import io
import json
import random
import sys
import types
import warnings
from typing import Any

import tangent
from whole_programs import CASES

OPTIONS: list[dict[str, Any]] = [
    {},
    {'optimized': False},
    {'optimizations': {'cse': True, 'algebraic': True, 'tape_liveness': True}},
    {'checkpoint': True},
]


def again(function: Any) -> Any:
    """The same function as another object, which is captured anew."""
    made = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        function.__closure__,
    )  # fmt: skip
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    return made


def texts_of(function: Any, arguments: Any, wrt: Any) -> list[str]:
    texts = []
    for options in OPTIONS:
        try:
            gradient = tangent.grad(function, wrt=tuple(wrt), **options)
            texts.append(gradient.source(*copy.deepcopy(arguments)))
        except (tangent.errors.TangentError, NotImplementedError, SyntaxError) as error:
            texts.append(f'{type(error).__name__}: {error}')
    return texts


def main(order: int) -> None:
    warnings.simplefilter('ignore')
    jobs = [(f, make(), wrt) for f, make, wrt in CASES]
    taken = random.Random(order)
    taken.shuffle(jobs)
    found: dict[str, str] = {}
    kept = []
    for function, arguments, wrt in jobs * (3 if order else 1):
        with contextlib.redirect_stdout(io.StringIO()):
            texts = texts_of(again(function), arguments, wrt)
        digest = hashlib.sha256('\n'.join(texts).encode()).hexdigest()
        name = f'{function.__module__}.{function.__qualname__}'
        if found.setdefault(name, digest) != digest:
            found[name] = 'differs within one process'
        kept.append(bytearray(taken.randrange(10, 5000)))
    print(json.dumps(found))


if __name__ == '__main__':
    main(int(sys.argv[1]))
