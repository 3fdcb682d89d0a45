"""`ShapedArray` against NumPy's own shapes, and `check_shapes`."""

from __future__ import annotations

import re

import numpy as np
import pytest
import tangent
from tangent import ShapedArray, ShapeError, TangentError

A = np.arange(6.0).reshape(2, 3) + 1.0
B = np.arange(12.0).reshape(3, 4) + 1.0
V = np.arange(3.0) + 1.0
S = np.eye(3) * 2.0
AT = np.array([0, 2, 1])

# Each is run on arrays and on their shapes; the results have to agree in shape and dtype.
SAME = [
    lambda a, b, v, s: a @ b,
    lambda a, b, v, s: np.matmul(a, b),
    lambda a, b, v, s: a @ v,
    lambda a, b, v, s: v @ b,
    lambda a, b, v, s: v @ v,
    lambda a, b, v, s: np.dot(a, b),
    lambda a, b, v, s: v.dot(v),
    lambda a, b, v, s: np.dot(v, 2.0),
    lambda a, b, v, s: np.outer(v, v),
    lambda a, b, v, s: np.einsum('ij,jk->ik', a, b),
    lambda a, b, v, s: np.tensordot(a, b, axes=1),
    lambda a, b, v, s: np.linalg.solve(s, v),
    lambda a, b, v, s: np.linalg.inv(s),
    lambda a, b, v, s: np.linalg.cholesky(s),
    lambda a, b, v, s: np.linalg.eigh(s)[1],
    lambda a, b, v, s: np.linalg.norm(a, axis=0),
    lambda a, b, v, s: np.trace(s),
    lambda a, b, v, s: a + v,
    lambda a, b, v, s: 2.0 / a,
    lambda a, b, v, s: a**2 - 1,
    lambda a, b, v, s: -np.exp(a),
    lambda a, b, v, s: a > 1.0,
    lambda a, b, v, s: np.maximum(a, 0.5),
    lambda a, b, v, s: np.where(a > 2.0, a, v),
    lambda a, b, v, s: np.clip(a, 0.0, 1.0),
    lambda a, b, v, s: np.float32(2.0) * a.astype(np.float32),
    lambda a, b, v, s: np.modf(a)[1],
    lambda a, b, v, s: a.T,
    lambda a, b, v, s: np.transpose(a),
    lambda a, b, v, s: a.transpose(1, 0),
    lambda a, b, v, s: a.reshape(3, 2),
    lambda a, b, v, s: a.reshape(-1),
    lambda a, b, v, s: np.reshape(a, (1, -1)),
    lambda a, b, v, s: a.ravel(),
    lambda a, b, v, s: a[0],
    lambda a, b, v, s: a[-1, 1],
    lambda a, b, v, s: a[:, 1:],
    lambda a, b, v, s: a[::2],
    lambda a, b, v, s: a[..., 0],
    lambda a, b, v, s: a[None],
    lambda a, b, v, s: a[:, None, 1:],
    lambda a, b, v, s: b[AT],
    lambda a, b, v, s: b[:, AT],
    lambda a, b, v, s: b[AT, 0],
    lambda a, b, v, s: b[[0, 1, 1]],
    lambda a, b, v, s: b[None, AT, :, None],
    lambda a, b, v, s: np.zeros((2, 3, 4))[:1, AT] + b,
    lambda a, b, v, s: np.sum(a),
    lambda a, b, v, s: np.sum(a, axis=0),
    lambda a, b, v, s: a.sum(axis=1, keepdims=True),
    lambda a, b, v, s: np.mean(a, axis=(0, 1)),
    lambda a, b, v, s: a.max(axis=-1),
    lambda a, b, v, s: np.argmax(a, axis=1),
    lambda a, b, v, s: np.std(a, axis=0),
    lambda a, b, v, s: np.any(a > 0.0, axis=0),
    lambda a, b, v, s: np.cumsum(a, axis=1),
    lambda a, b, v, s: np.diff(v),
    lambda a, b, v, s: np.sort(a),
    lambda a, b, v, s: np.concatenate([a, a], axis=1),
    lambda a, b, v, s: np.stack([v, v], axis=1),
    lambda a, b, v, s: np.vstack([a, v]),
    lambda a, b, v, s: np.tile(v, 2),
    lambda a, b, v, s: np.repeat(a, 2, axis=0),
    lambda a, b, v, s: np.expand_dims(v, 1),
    lambda a, b, v, s: np.squeeze(a[:1]),
    lambda a, b, v, s: np.broadcast_to(v, (2, 3)),
    lambda a, b, v, s: np.zeros_like(a),
    lambda a, b, v, s: np.full_like(a, 1.0, dtype=np.float32),
    lambda a, b, v, s: np.add.reduce(a, axis=1),
    lambda a, b, v, s: np.copy(a),
    lambda a, b, v, s: next(iter(a)) + sum(x for x in v),
    lambda a, b, v, s: a.copy().real,
]


@pytest.mark.parametrize('f', SAME, ids=range(len(SAME)))
def test_shapes_are_those_of_numpy(f):
    given = A, B, V, S
    want = np.asarray(f(*given))
    got = f(*(ShapedArray(each.shape, each.dtype) for each in given))
    assert isinstance(got, ShapedArray)
    assert got.shape == want.shape
    assert got.dtype == want.dtype


def test_what_it_knows():
    a = ShapedArray((2, 3), np.float32)
    assert (a.shape, a.dtype, a.ndim, a.size, len(a)) == ((2, 3), np.float32, 2, 6, 2)
    assert a.T.shape == (3, 2)
    assert repr(ShapedArray((2, 3))) == 'ShapedArray(shape=(2, 3), dtype=float64)'
    assert ShapedArray(4).shape == (4,)
    assert [each.shape for each in a] == [(3,), (3,)]
    assert np.shape(a) == (2, 3) and np.ndim(a) == 2 and np.size(a, 1) == 3
    for shape in ((2, -1), (True,)):
        with pytest.raises(ValueError, match='a length is a number'):
            ShapedArray(shape)


def test_unknown_lengths():
    a = ShapedArray((None, 3))
    assert a.size is None
    assert (a @ ShapedArray((3, 4))).shape == (None, 4)
    assert np.sum(a, axis=1).shape == (None,)
    assert np.sum(a, axis=0).shape == (3,)
    assert (a + np.ones((5, 3))).shape == (5, 3)
    assert (a + np.ones(3)).shape == (None, 3)
    assert a[1:].shape == (None, 3) and a[:, 1:].shape == (None, 2) and a[7].shape == (3,)
    assert a.reshape(-1, 1).shape == (None, 1)
    assert np.concatenate([a, a]).shape == (None, 3)
    assert np.cumsum(a, axis=0).shape == (None, 3)
    with pytest.raises(TangentError, match='length of this array is not known'):
        len(a)
    with pytest.raises(ShapeError):
        a @ ShapedArray((4, 4))
    with pytest.raises(TangentError, match='where a length is not known'):
        np.linalg.solve(ShapedArray((3, 3)), ShapedArray((None, 2)))


A2, B3 = ShapedArray((2, 3)), ShapedArray((3, 4))
WRONG = [
    lambda: A2 @ A2,
    lambda: np.matmul(B3, A2),
    lambda: A2 @ 2.0,
    lambda: np.dot(A2, ShapedArray((2, 4, 5))),
    lambda: A2 + B3,
    lambda: A2 + np.ones(4),
    lambda: np.where(A2 > 0.0, B3, 0.0),
    lambda: A2.reshape(4, 2),
    lambda: A2.reshape(-1, 4),
    lambda: A2[2],
    lambda: A2[0, 0, 0],
    lambda: A2[0, 5],
    lambda: A2[np.ones(3, bool)],
    lambda: np.sum(A2, axis=2),
    lambda: np.max(ShapedArray((0, 3)), axis=0),
    lambda: np.concatenate([A2, B3]),
    lambda: np.stack([A2, B3]),
    lambda: np.linalg.inv(A2),
    lambda: np.linalg.solve(ShapedArray((3, 3)), ShapedArray(2)),
    lambda: np.einsum('ij,jk', A2, A2),
    lambda: np.transpose(A2, (0, 0)),
    lambda: A2.__setitem__(0, B3),
    lambda: A2.__setitem__((slice(None), 0), np.ones(3)),
    lambda: A2.__iadd__(ShapedArray((5, 2, 3))),
    lambda: np.add(A2, A2, out=np.ones((3, 3))),
    lambda: np.full_like(A2, B3[None]),
    lambda: A2.item(),
    lambda: A2.fill(np.ones(3)),
    lambda: float(A2),
]


@pytest.mark.parametrize('f', WRONG, ids=range(len(WRONG)))
def test_what_does_not_fit(f):
    with pytest.raises(ShapeError):
        f()


@pytest.mark.parametrize('f', [bool, int, range, lambda a: [0][a], lambda a: np.allclose(a, a)])
def test_no_values(f):
    with pytest.raises(TangentError, match='only shapes are known'):
        f(ShapedArray(()))


# ------------------------------------------------------------------------------------------------
# check_shapes


def predict(w, x, scale):
    h = np.tanh(x @ w) * scale
    return np.sum(h[:, 1:], axis=0)


def test_check_shapes_of_a_function():
    got = tangent.check_shapes(predict, np.ones((3, 4)), ShapedArray((None, 3)), 2.0)
    assert isinstance(got, ShapedArray) and got.shape == (3,)
    assert tangent.check_shapes(lambda x: 2.0 * x, 3.0) == 6.0
    assert tangent.check_shapes(lambda x: x + x, [1.0, 2.0]).shape == (2,)
    got = tangent.check_shapes(lambda p: {'y': p['w'] @ p['x']}, {'w': B.T, 'x': V})
    assert got['y'].shape == (4,)
    got = tangent.check_shapes(lambda xs: xs[0] + xs[1], [A, V])
    assert got.shape == (2, 3)


def test_the_place_of_an_error():
    with pytest.raises(ShapeError) as caught:
        tangent.check_shapes(predict, np.ones((4, 4)), ShapedArray((10, 3)), 2.0)
    line = predict.__code__.co_firstlineno + 1
    assert str(caught.value).endswith(f' at {__file__}:{line}: h = np.tanh(x @ w) * scale')
    assert isinstance(caught.value, ValueError)
    assert (caught.value.filename, caught.value.lineno) == (__file__, line)


def test_loops_that_fill_an_array():
    def f(w, x):
        y = np.zeros(len(w))
        for i in range(len(w)):
            y[i] = np.sum(w[i] * x)
        return y

    assert tangent.check_shapes(f, ShapedArray((2, 3)), ShapedArray(3)).shape == (2,)
    with pytest.raises(ShapeError, match=re.escape('shapes (3,) and (4,) do not fit')):
        tangent.check_shapes(f, ShapedArray((2, 3)), ShapedArray(4))


def test_tests_of_values_are_refused():
    def f(x):
        if np.sum(x) > 0.0:
            return x
        return x @ x

    with pytest.raises(TangentError, match='a test asks for a value') as caught:
        tangent.check_shapes(f, ShapedArray(3))
    assert f'{__file__}:{f.__code__.co_firstlineno + 1}: if np.sum(x)' in str(caught.value)


def test_check_shapes_of_a_gradient():
    def loss(w, x, y):
        h = np.tanh(x @ w)
        return np.sum((h - y) ** 2)

    df = tangent.grad(loss, wrt=(0, 1))
    w, x, y = ShapedArray((3, 4)), ShapedArray((10, 3)), ShapedArray((10, 4))
    dw, dx = tangent.check_shapes(df, w, x, y)
    assert (dw.shape, dx.shape) == (w.shape, x.shape)
    with pytest.raises((ShapeError, ValueError)):
        tangent.check_shapes(df, w, x, ShapedArray((10, 5)))


def test_other_exceptions_pass():
    with pytest.raises(KeyError):
        tangent.check_shapes(lambda x: {}[x.shape], ShapedArray(3))
