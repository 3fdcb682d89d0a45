"""Objects in lists, in each other and under several names: right in both modes, or refused.

Every value is checked against the oracle, which runs the classes themselves
(`object_list_programs.py`).
"""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import object_list_programs as programs
import oracle
import pytest
import tangent

NAMES = [f'{f.__name__}-{k}' for k, (f, _) in enumerate(programs.PROGRAMS)]


def differentiable(args: Any) -> tuple[int, ...]:
    return tuple(k for k, value in enumerate(args) if not isinstance(value, int))


@pytest.mark.parametrize(('f', 'args'), programs.PROGRAMS, ids=NAMES)
def test_reverse_mode(f: Any, args: Any):
    wrt = differentiable(args)
    got = tangent.grad(f, wrt=wrt)(*copy.deepcopy(args))
    assert oracle.error(got, oracle.gradient(f, args, wrt)) <= 1e-10


@pytest.mark.parametrize(('f', 'args'), programs.PROGRAMS, ids=NAMES)
def test_forward_mode(f: Any, args: Any):
    for k in differentiable(args):
        if not isinstance(args[k], float | np.ndarray):
            continue
        tangent_of = np.ones_like(args[k]) if isinstance(args[k], np.ndarray) else 1.0
        got = tangent.jvp(f, wrt=(k,))(*copy.deepcopy(args), tangent_of)
        assert abs(got - np.sum(oracle.gradient(f, args, (k,)))) <= 1e-10


@pytest.mark.parametrize(('f', 'args'), programs.PROGRAMS, ids=NAMES)
def test_the_value_is_that_of_the_function(f: Any, args: Any):
    value = tangent.value_and_grad(f, wrt=differentiable(args))(*copy.deepcopy(args))[0]
    assert value == f(*copy.deepcopy(args))
