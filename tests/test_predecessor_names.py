"""Every function of JAX, torch and tinygrad that `tangent-ad` 0.4.0 has a rule for has one here.

`tests/test_library_rules.py` compares each record under each of its names with the library's own
derivative, in both modes; here is held that no name is missing there.
"""

from __future__ import annotations

import pytest
from library_calls import functions_of
from rule_bodies import EVERY_RECORD, SYNONYMS

JAX_NUMPY = """
    abs absolute acos add arccos arcsin arctan asin atan ceil clip concatenate cos cosh divide dot
    exp exp2 expand_dims expm1 floor log log10 log1p log2 matmul max maximum mean min minimum
    multiply negative power reciprocal reshape round sign sin sinh sqrt square squeeze stack
    subtract sum take tan tanh transpose true_divide where
"""
JAX_NN = 'elu gelu leaky_relu log_sigmoid log_softmax relu selu sigmoid softmax softplus'
JAX_CONSTANTS = """
    arange empty empty_like eye full full_like identity linspace ndim ones ones_like shape
    size zeros zeros_like
"""
TORCH = """
    abs acos add arccos arcsin arctan asin atan cat ceil clamp concat concatenate cos cosh div
    divide dot exp exp2 expm1 floor log log10 log1p log2 log_softmax matmul max maximum mean min
    minimum mm mul multiply mv neg negative permute pow reciprocal relu reshape round rsqrt sigmoid
    sign sin sinh softmax sqrt square squeeze stack sub subtract sum tan tanh transpose unsqueeze
    where nn.functional.log_softmax nn.functional.softmax
"""
TORCH_CONSTANTS = """
    arange as_tensor empty empty_like eye full full_like linspace logspace ones ones_like rand randn
    tensor zeros zeros_like
"""
TINYGRAD = """
    abs acos add asin atan avg_pool2d ceil clamp clip conv2d cos cosh cumsum div dot elu exp
    exp2 expand flip floor gelu leaky_relu log log10 log2 log_softmax logsumexp matmul max
    max_pool2d maximum mean min minimum mul neg permute pow prod reciprocal relu reshape round rsqrt
    sigmoid sign silu sin sinh softmax softplus softsign sqrt square squeeze std sub sum tan tanh
    transpose unsqueeze var where batchnorm layernorm
"""
TINYGRAD_CONSTANTS = 'argmax argmin zeros_like ones_like full_like'


def known_names() -> set[str]:
    names = {name for record in EVERY_RECORD for name in (record.name, *record.aliases)}
    return names | {synonym.name for synonym in SYNONYMS}


@pytest.mark.parametrize(
    ('library', 'prefix', 'names'),
    [
        ('jax', 'jax.numpy', JAX_NUMPY),
        ('jax', 'jax.nn', JAX_NN),
        ('torch', 'torch', TORCH),
        ('tinygrad', 'tinygrad.Tensor', TINYGRAD),
    ],
)
def test_every_name_has_a_derivative(library: str, prefix: str, names: str) -> None:
    tested = functions_of(library)
    constants = {'ceil', 'floor', 'round', 'sign'}
    missing = [
        name
        for name in names.split()
        if f'{prefix}.{name}' not in (known_names() if name in constants else tested)
    ]
    assert not missing


@pytest.mark.parametrize(
    ('prefix', 'names'),
    [
        ('jax.numpy', JAX_CONSTANTS),
        ('torch', TORCH_CONSTANTS),
        ('tinygrad.Tensor', TINYGRAD_CONSTANTS),
    ],
)
def test_every_constant_is_known(prefix: str, names: str) -> None:
    known = known_names()
    assert not [name for name in names.split() if f'{prefix}.{name}' not in known]


def test_both_modes_are_there() -> None:
    """A record whose tangent does not follow from it has a twin."""
    follows = {'elementwise', 'arithmetic', 'where'}
    for library in ('jax', 'torch', 'tinygrad'):
        for name, record in functions_of(library).items():
            linear = record.options.get('linear')
            shape = record.options.get('shape')
            assert shape in follows or linear or record.twin is not None, name
