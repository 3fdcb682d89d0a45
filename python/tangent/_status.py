"""What is installed, and whether it works: `tangent.backend_status` and the command `doctor`."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import logging
import os
import platform
from collections.abc import Callable

# Name in the report -> the module that has to be there.
_BACKENDS = {
    'numpy': 'numpy',
    'tensorflow': 'tensorflow',
    'jax': 'jax',
    'torch': 'torch',
    'keras': 'keras',
    'tinygrad': 'tinygrad',
    'scipy': 'scipy',
    'visualization': 'matplotlib',
}


def backend_status() -> dict[str, str]:
    """Which optional packages can be used.

    Returns
    -------
    dict of str to str
        For each of numpy, tensorflow, jax, torch, keras, tinygrad, scipy and visualization
        (matplotlib): 'available', 'not installed', or 'broken: ' and what its import raises.

    Notes
    -----
    Each package that is installed is imported, which takes seconds for the large ones. The logger
    `tangent` gets a line per missing package (DEBUG) and per broken one (WARNING).

    Examples
    --------
    >>> tangent.backend_status()['numpy']
    'available'
    """
    log = logging.getLogger('tangent')
    found = {}
    for name, module in _BACKENDS.items():
        found[name] = _status(module)
        if found[name] == 'not installed':
            log.debug('%s is not installed', module)
        elif found[name] != 'available':
            log.warning('%s is %s', module, found[name])
    return found


def _status(module: str) -> str:
    try:
        if importlib.util.find_spec(module) is None:
            return 'not installed'
        importlib.import_module(module)
    except Exception as error:  # whatever a package does when it is imported
        return f'broken: {type(error).__name__}: {error}'
    return 'available'


# ------------------------------------------------------------------------------------------------
# doctor

Check = tuple[bool, str]


def doctor() -> int:
    """Prints what works here; 0 if all that has to work does."""
    failed = 0
    for check in CHECKS:
        ok, text = check()
        failed += not ok
        print(f'{"ok  " if ok else "FAIL"}  {text}')
    return 1 if failed else 0


def _versions() -> Check:
    import tangent

    where = os.path.dirname(tangent.__file__)
    return True, f'tangent {tangent.__version__} in {where}, Python {platform.python_version()}'


def _other_package() -> Check:
    """Other distributions that install a package of this name."""
    others = []
    for name in ('tangent', 'tangent-ad'):
        try:
            others.append(f'{name} {importlib.metadata.version(name)}')
        except importlib.metadata.PackageNotFoundError:
            continue
    if others:
        listed = ', '.join(others)
        return False, f'{listed} is installed under the same import name: `pip uninstall` it'
    return True, 'no other package is called tangent'


def _smoke_gradient() -> Check:
    import tangent

    try:
        slope = tangent.grad(_cube)(2.0)
    except Exception as error:  # the report is about any failure
        return False, f'a gradient raises {type(error).__name__}: {error}'
    return slope == 12.0, f'the gradient of x ** 3 at 2 is {slope}'


def _cube(x: float) -> float:
    return x**3


def _disk_cache() -> Check:
    return True, 'no gradients are kept on disk'


def _packages() -> Check:
    found = backend_status()
    listed = ', '.join(f'{name}: {state}' for name, state in found.items())
    return found['numpy'] == 'available', listed


CHECKS: tuple[Callable[[], Check], ...] = (
    _versions, _other_package, _smoke_gradient, _disk_cache, _packages,
)  # fmt: skip
