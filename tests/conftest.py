"""What all tests share: one hypothesis profile, and one thread for BLAS.

The tests run side by side (pytest -n); more threads than cores would only make them slower.

The user's disk cache is neither read nor written. Tests run without one, so that each sees the
whole road; those of the cache switch it on for folders of their own. TANGENT_DISK_CACHE=1 with
TANGENT_CACHE_DIR runs the suite with one: everything has to pass then, too, from the second run on
with most gradients restored.
"""

from __future__ import annotations

import os
import tempfile

os.environ.setdefault("TANGENT_DISK_CACHE", "0")
if "TANGENT_CACHE_DIR" not in os.environ:
    os.environ["TANGENT_CACHE_DIR"] = os.path.join(tempfile.gettempdir(), "tangent-test-no-cache")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

from hypothesis import settings

settings.register_profile("tangent", deadline=None, print_blob=True)
settings.load_profile("tangent")
