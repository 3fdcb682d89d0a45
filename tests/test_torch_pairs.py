"""torch's pairs of values and places, under every spelling; convolutions and losses together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tangent
import torch
import torch.nn.functional as F
from tangent.errors import TangentError

GENERATOR = torch.Generator().manual_seed(3)


def random(*shape: int) -> Any:
    return torch.randn(*shape, dtype=torch.float64, generator=GENERATOR)


M = random(4, 5)
IMAGE, KERNEL, BIAS = random(2, 3, 5, 4), random(4, 3, 2, 2), random(4)


def by_attribute(m: Any) -> Any:
    return (torch.max(m, 1).values ** 2).sum()


def unpacked(m: Any) -> Any:
    values, places = torch.min(m, dim=1)
    return (values**3).sum() + m[0][places[0]]


def named(m: Any) -> Any:
    r = torch.sort(m, dim=0, descending=True)
    return (r.values[0] ** 3).sum() + r.values[1].sum() * m[0, 0] + r.indices[0, 0]


def by_index(m: Any) -> Any:
    return torch.topk(m, 2)[0].prod()


def methods(m: Any) -> Any:
    values, _ = m.sort(1)
    return (m.max(dim=0, keepdim=True).values * m).sum() + (values[:, 1] ** 2).sum()


def of_all(m: Any) -> Any:
    return m.median(1)[0].sum() + torch.median(m) ** 2 + m.max() ** 2 + torch.min(m)


def in_order(m: Any) -> Any:
    return torch.kthvalue(m, 2, dim=1).values.prod() + (torch.cummax(m, 1).values ** 2).sum()


def layers(image: Any, kernel: Any, bias: Any) -> Any:
    h = F.max_pool2d(torch.relu(F.conv2d(image, kernel, bias, padding=1)), 2)
    return F.cross_entropy(h.reshape(2, -1), torch.tensor([1, 2]))


def losses(m: Any) -> Any:
    rows = F.nll_loss(torch.log_softmax(m, 1), torch.tensor([0, 1, -100, 4]))
    return rows + F.huber_loss(m, 2.0 * m, delta=0.5) + F.smooth_l1_loss(m, m * m, beta=0.3)


def broadcast_losses(m: Any) -> Any:
    return F.mse_loss(m, m[:, :1]) + F.l1_loss(m[:1], m, reduction='none').sum()


PROGRAMS = [
    (by_attribute, (M,)),
    (unpacked, (M,)),
    (named, (M,)),
    (by_index, (M,)),
    (methods, (M,)),
    (of_all, (M,)),
    (in_order, (M,)),
    (layers, (IMAGE, KERNEL, BIAS)),
    (losses, (M,)),
    (broadcast_losses, (M,)),
]


@pytest.mark.filterwarnings('ignore:Using a target size')
@pytest.mark.parametrize(
    ('function', 'arguments'), PROGRAMS, ids=[each[0].__name__ for each in PROGRAMS]
)
def test_against_torch(function: Any, arguments: Any) -> None:
    leaves = [each.clone().requires_grad_() for each in arguments]
    value = function(*leaves)
    want = torch.autograd.grad(value, leaves)
    wrt = tuple(range(len(arguments)))
    *got, own = tangent.grad(function, wrt=wrt, preserve_result=True)(*arguments)
    for each, other in zip(got, want, strict=True):
        torch.testing.assert_close(each, other, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(own, value.detach())
    moves = tuple(random(*each.shape) for each in arguments)
    along = torch.autograd.functional.jvp(function, arguments, moves)[1]
    forward = tangent.jvp(function, wrt=wrt)(*arguments, *moves)
    torch.testing.assert_close(forward, along, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize('function', [by_attribute, named, unpacked])
def test_second_order_of_pairs_is_refused(function: Any) -> None:
    with pytest.raises((TangentError, NotImplementedError)):
        tangent.grad(tangent.grad(function))(M)


@pytest.mark.parametrize('function', [losses])
def test_second_order(function: Any) -> None:
    x = M.clone().requires_grad_()
    slope = torch.autograd.grad(function(x), x, create_graph=True)[0]
    want = torch.autograd.grad(slope.sum(), x)[0]
    got = tangent.grad(tangent.grad(function))(M)
    torch.testing.assert_close(got, want, rtol=1e-9, atol=1e-9)


def test_two_tensors_are_refused() -> None:
    def larger(a: Any, b: Any) -> Any:
        return torch.max(a, b).sum()

    with pytest.raises((TangentError, NotImplementedError), match=r'torch\.maximum'):
        tangent.grad(larger)(M, 2.0 * M)


def test_shares_of_classes_are_refused() -> None:
    def loss(m: Any, shares: Any) -> Any:
        return F.cross_entropy(m, shares)

    with pytest.raises((TangentError, NotImplementedError), match='shares of classes'):
        tangent.grad(loss)(M, torch.softmax(M, 1))


def test_sorting_in_place_gives_no_value() -> None:
    def numpys(x: Any) -> Any:
        return np.sum([x.sort() is None, x[0]])

    def lists(x: Any) -> Any:
        xs = [x[0], x[1]]
        return 2.0 * xs[0] if xs.sort() is None else x[1]

    for function in (numpys, lists):
        with pytest.raises(TangentError):
            tangent.grad(function)(np.array([2.0, 1.0]))
