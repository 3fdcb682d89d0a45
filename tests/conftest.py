"""What all tests share: one hypothesis profile, and one thread for BLAS.

The tests run side by side (pytest -n); more threads than cores would only make them slower.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

from hypothesis import settings

settings.register_profile("tangent", deadline=None, print_blob=True)
settings.load_profile("tangent")
