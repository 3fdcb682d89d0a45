"""600 generated programs: forward mode against the oracle's Jacobian at 1e-10.

The programs are those of test_generated.py, from another place on; TANGENT_PROGRAMS changes the
number. What fuzz_forward.py checks of each is said there."""

import os

import fuzz_forward
import programs
import pytest

COUNT = int(os.environ.get('TANGENT_PROGRAMS', '600'))
CHUNK = 50
CHUNKS = [range(first, min(first + CHUNK, COUNT)) for first in range(0, COUNT, CHUNK)]
REFUSED_AT_MOST = 0.4  # of a group of 50: recursion is refused in forward mode


@pytest.mark.parametrize('labels', CHUNKS, ids=lambda labels: f'{labels.start}-{labels.stop - 1}')
def test_tangents_of_generated_programs(labels, tmp_path):
    found = [fuzz_forward.check(programs.program(label), str(tmp_path)) for label in labels]
    failed = [one for one in found if one.kind == 'failed']
    lines = '\n'.join(f'{one.label}: {one.what}' for one in failed)
    assert not failed, f'{lines}\n\n{failed[0].report}'
    refused = [one.what for one in found if one.kind == 'refused']
    assert len(refused) <= REFUSED_AT_MOST * len(found), refused
