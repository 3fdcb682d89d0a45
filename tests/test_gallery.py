"""The examples: each gradient against the oracle, and what they print."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import oracle
import pytest
import tangent

ROOT = Path(__file__).resolve().parent.parent


def example(name: str) -> ModuleType:
    path = ROOT / 'examples' / f'{name}.py'
    spec = importlib.util.spec_from_file_location(f'example_{name}', path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


gallery = example('gallery')
building = example('building')
PIECES = sorted(gallery.GALLERY.items())


def test_there_are_ten():
    assert len(PIECES) == 10


@pytest.mark.parametrize(('name', 'piece'), PIECES, ids=[name for name, _ in PIECES])
def test_gradients(name: str, piece: Any) -> None:
    want = oracle.gradient(piece.function, piece.arguments(), piece.wrt)
    got = tangent.grad(piece.function, wrt=piece.wrt)(*piece.arguments())
    got = got if len(piece.wrt) > 1 else (got,)
    # The size of the gradient, not of each number in it: some of the programs are chaotic.
    scale = max(1.0, *(float(np.max(np.abs(gallery.row_of(each)))) for each in want))
    for ours, exact in zip(got, want, strict=True):
        np.testing.assert_allclose(
            gallery.row_of(ours) / scale, gallery.row_of(exact) / scale, rtol=1e-10, atol=1e-12
        )
    assert gallery.checked(piece) < 1e-5


@pytest.mark.parametrize(('name', 'piece'), PIECES, ids=[name for name, _ in PIECES])
def test_every_line_maps_to_the_users(name: str, piece: Any) -> None:
    report = tangent.explain(piece.function, *piece.arguments(), wrt=piece.wrt, out=None)
    lines = (ROOT / 'examples' / 'gallery.py').read_text().splitlines()
    first = piece.function.__code__.co_firstlineno
    inside = 0
    for entry in report['source_map']:
        if not entry['code'].strip():
            continue
        assert entry['file'] == gallery.__file__, entry
        assert entry['primal'].split('\n')[0].strip() in lines[entry['primal_line'] - 1]
        inside += first <= entry['primal_line'] < first + 30
    assert inside >= 3
    assert report['passes']
    for value in report['saved']:
        assert value['made'] and value['read_by']


def test_what_the_gallery_prints(capsys, monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['gallery.py', 'queue', 'neuron', '--width', '190'])
    gallery.main()
    out = capsys.readouterr().out
    assert 'def queue(arrivals, service, gaps, works):' in out
    assert ' │ def dqueuedarrivalsservice(' in out
    assert out.count('Gradient and central differences are') == 2
    monkeypatch.setattr(sys, 'argv', ['gallery.py', 'queue', '--width', '80'])
    gallery.main()
    assert '│' not in capsys.readouterr().out
    monkeypatch.setattr(sys, 'argv', ['gallery.py', 'nothing'])
    with pytest.raises(SystemExit, match='no nothing in the gallery'):
        gallery.main()


def test_texts_side_by_side():
    assert gallery.hung('a\nbb', 'c', 20) == 'a  │ c\nbb │'
    assert gallery.hung('a\nbb', 'c', 5) == 'a\nbb\n\nc'


# ------------------------------------------------------------------------------------------------
# The building


def test_the_building_by_the_oracle():
    day = building.a_day_in_march()
    rng = np.random.default_rng(3)
    # Cold in the morning, warm in the evening.
    plan = {
        'power': np.where(np.arange(building.HOURS) < 10, 0.1, 2.9),
        'shutters': rng.uniform(0.0, 1.0, building.HOURS),
    }
    ours = tangent.grad(building.simulate)(plan, building.HOUSE, day)
    hand = building.by_hand(plan, building.HOUSE, day)
    (exact,) = oracle.gradient(building.simulate, (plan, building.HOUSE, day), (0,))
    for key in plan:
        np.testing.assert_allclose(ours[key], exact[key], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(hand[key], exact[key], rtol=1e-9, atol=1e-12)
    # Both ends of the band of comfort are met, so all of the text ran.
    air = building.temperatures(plan, day)
    assert np.any(air < day['low']) and np.any(air > day['high'])


def test_what_the_building_prints(tmp_path):
    pytest.importorskip('matplotlib')
    picture = tmp_path / 'day.png'
    done = subprocess.run(
        [sys.executable, 'examples/building.py', '--rounds', '2', '--plot', str(picture)],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert 'def dsimulatedplan(plan, house, day, ' in done.stdout
    for row in ('differences', 'tangent', 'by hand', 'the first plan'):
        assert f'\n    {row:14}' in done.stdout
    assert picture.stat().st_size > 10000
