"""What `tangent.autodiff` asks of the derivative that a call brings along."""

from __future__ import annotations

import enum


class INPUT_DERIVATIVE(enum.Enum):
    """How a reverse-mode function gets the adjoint of the result.

    Attributes
    ----------
    Required
        Each call gives it, behind the positional arguments.
    DefaultOne, DefaultOnes
        It is 1.0 unless a call gives it, for an array ones.
    """

    Required = 1
    DefaultOne = 2
    DefaultOnes = 3
