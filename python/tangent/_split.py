"""Gradients as `tangent.autodiff(f, motion='split')` gives them.

In: what `tangent.grad` takes. Out: a function `df(*args, init_grad=1.0, **kwargs)`, in which the
adjoint of the result goes by its keyword only. It runs the same text as the joint gradient: the
predecessor runs two functions there, which differ in nothing that a caller sees but this signature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tangent._core import Gradient


class Split:
    """A gradient `df(*args, init_grad=1.0, **kwargs)`.

    Parameters
    ----------
    joint
        The gradient whose text it runs.

    Notes
    -----
    `init_grad` left out is the default of the joint gradient: 1.0, ones for an array, one for each
    value of a tuple (or what `output_index` and `output_weights` say).
    """

    __name__: str
    __qualname__: str
    __tangent_motion__ = 'split'

    def __init__(self, joint: Gradient) -> None:
        self._joint = joint
        self.__name__ = joint.__name__
        self.__qualname__ = joint.__qualname__
        self.__doc__ = joint.__doc__
        self.__module__ = getattr(joint, '__module__', __name__)
        self.__tangent_primal__ = getattr(joint, '__tangent_primal__', None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._joint(*args, **kwargs)

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The text that a call with these arguments runs."""
        return self._joint.source(*args, **kwargs)

    @property
    def __tangent_source__(self) -> str:
        """The text of what ran last."""
        return self._joint.__tangent_source__

    @property
    def __tangent_entries__(self) -> list[str]:
        """The names of the functions in the text."""
        return self._joint.__tangent_entries__

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The emitted function."""
        return self._joint.__wrapped__

    @property
    def __signature__(self) -> Any:
        """`(*args, **kwargs)`."""
        import inspect

        return inspect.Signature(
            [
                inspect.Parameter('args', inspect.Parameter.VAR_POSITIONAL),
                inspect.Parameter('kwargs', inspect.Parameter.VAR_KEYWORD),
            ]
        )

    def __repr__(self) -> str:
        return f'<split of {self._joint!r}>'


def split(
    func: Callable[..., Any],
    wrt: Any,
    preserve_result: bool,
    check_dims: bool,
    verbose: int,
    outputs: Mapping[str, Any],
) -> Split:
    """The gradient of a function with the signature of split motion."""
    from tangent import grad

    return Split(
        grad(
            func,
            wrt,
            True,
            preserve_result,
            check_dims,
            verbose,
            output_index=outputs.get('output_index'),
            output_weights=outputs.get('output_weights'),
        )
    )
