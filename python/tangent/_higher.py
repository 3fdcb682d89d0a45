"""Derivatives of derivatives.

A gradient is a Python function for each set of argument types. What differentiates it takes the
function that it has for the arguments of the call, as if a person had written that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tangent._core import Gradient, written_out_gradient

if TYPE_CHECKING:
    import inspect


class HigherOrder:
    """The derivative of a gradient: call it like the gradient, with what it adds behind that.

    Parameters
    ----------
    inner
        The gradient that is differentiated.
    make
        Makes the derivative of a Python function.
    tangents
        How many tangents a call brings along, as its last positional arguments or all by name;
        0 in reverse mode, which adds the adjoint of the result.

    Notes
    -----
    The derivative of `tangent.grad(f)` takes the arguments of `f`, the adjoint of the result of
    `f`, and that of the gradient, both 1.0 by default.
    """

    __name__: str
    __qualname__: str

    def __init__(
        self,
        inner: Gradient | HigherOrder,
        make: Callable[[Any], Gradient],
        tangents: int = 0,
    ) -> None:
        self._inner = inner
        self._make = make
        self._tangents = tangents
        self._last: Gradient | None = None
        self._differentiated: Callable[..., Any] | None = None  # what _last is the derivative of
        self._plain: tuple[Gradient, Gradient] | None = None  # with calls, and without
        self._taken: tuple[int | None, frozenset[str]] | None = None
        self.__name__ = f'd{inner.__name__}'
        self.__qualname__ = self.__name__
        self.__wrapped__ = inner
        # The text has a name of its own for it, which depends on the arguments.
        self._adjoint = f'b{inner.__name__}'
        self.__doc__ = getattr(inner, '__doc__', None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._adjoint in kwargs:
            kwargs['init_grad'] = kwargs.pop(self._adjoint)
        return self.gradient(*args, **kwargs)(*args, **kwargs)

    def gradient(self, *args: Any, **kwargs: Any) -> Gradient:
        """The derivative of the function that the inner gradient has for these arguments."""
        if self._taken is None:
            self._taken = _parameters(self._inner)
        count, names = self._taken
        given = {name: value for name, value in kwargs.items() if name in names}
        if self._tangents and len(given) == len(kwargs):
            args = args[: -self._tangents]
        function = self._written_out(*args[:count], **given)
        if self._last is None or function is not self._differentiated:
            self._last = self._make(function)
            self._differentiated = function
        return self._last

    def _written_out(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """What the inner gradient runs, its calls of long functions written out.

        Calls that stay calls make a text short; their tapes would be tuples to the next order.
        """
        function = self._inner.variant(*args, **kwargs)
        if not any(name.endswith('_forward') for name in function.__code__.co_names):
            return function
        inner = self._inner
        gradient = inner.gradient(*args, **kwargs) if isinstance(inner, HigherOrder) else inner
        if self._plain is None or self._plain[0] is not gradient:
            self._plain = gradient, written_out_gradient(gradient)
        return self._plain[1].variant(*args, **kwargs)

    def variant(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """The function that a call with these arguments runs."""
        return self.gradient(*args, **kwargs).variant(*args, **kwargs)

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The text of what a call with these arguments runs."""
        return self.gradient(*args, **kwargs).source(*args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters of the gradient, and behind them the adjoint of its result."""
        import inspect

        signature = inspect.signature(self._inner)
        parameters = [*signature.parameters.values()]
        behind = sum(each.kind <= inspect.Parameter.VAR_POSITIONAL for each in parameters)
        many = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)
        of_kind = inspect.Parameter
        kind = of_kind.KEYWORD_ONLY if many else of_kind.POSITIONAL_OR_KEYWORD
        added = inspect.Parameter(self._adjoint, kind, default=1.0)
        return signature.replace(parameters=[*parameters[:behind], added, *parameters[behind:]])

    @property
    def __tangent_source__(self) -> str:
        """The text of what ran last."""
        if self._last is None:
            return f'# The text of {self.__name__} depends on its arguments: see source(*args).\n'
        return self._last.__tangent_source__

    @property
    def __tangent_primal__(self) -> Gradient | HigherOrder:
        """The gradient that was differentiated."""
        return self._inner

    def __repr__(self) -> str:
        return f'<derivative {self.__name__} of {self._inner!r}>'

    def __reduce__(self) -> tuple[Any, ...]:
        return HigherOrder, (self._inner, self._make, self._tangents)


def _parameters(derivative: Gradient | HigherOrder) -> tuple[int | None, frozenset[str]]:
    """How many positional arguments a derivative takes, None if any number, and its names."""
    if isinstance(derivative, HigherOrder):
        count, names = _parameters(derivative._inner)
        return None if count is None else count + (derivative._tangents or 1), names
    import inspect  # only where a gradient is differentiated

    parameters = inspect.signature(derivative).parameters.values()
    kinds = [each.kind for each in parameters]
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    many = inspect.Parameter.VAR_POSITIONAL in kinds
    names = frozenset(each.name for each in parameters)
    return None if many else sum(kind in positional for kind in kinds), names
