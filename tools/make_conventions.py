"""rules/*.py -> docs/conventions.md: every choice at a singular point or a tie, from the records.

Usage: make_conventions.py [--check]. With --check nothing is written; the exit status is 1 if the
file is not what it would be.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from index_rules import Record, read_records

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / 'docs' / 'conventions.md'

HEAD = """\
# Conventions

What a derivative is where there is more than one right answer. This file is made from the rule
records by `tools/make_conventions.py`; `tests/test_rules.py` checks each example.

- The adjoint of a value is a number or an array of the floating type of that value; integers count
  as float64.
- A zero adjoint times an infinite or undefined partial derivative is zero. Where such a product can
  occur, at the singular points below, the emitted gradient has a guard; elsewhere it has none.
- Ties share evenly in NumPy's `maximum minimum max min sort median`; Python's own `max` and `min`
  give the slope to the value that they return.
- The derivative part of a gradient never raises where the function itself did not.
- A gradient stores into its arguments where the function does. Of indices that repeat in one store
  (`x[[0, 0]] = e`, and `+=` alike) the last one counts, as in NumPy. What is stored into an array
  of integers is cut off: nothing flows through it.
- Arguments whose memory overlaps are refused if the function stores into one of them.
- The gradient of a dict, list, tuple or object is one of its own kind. Parts that are not read, and
  integers among them, have zeros of floating type; texts, truth values and None stay.

"""


def records() -> list[Record]:
    return [r for path in sorted((ROOT / 'rules').glob('*.py')) for r in read_records(path)]


def texts(record: Record, option: str) -> tuple[str, ...]:
    value = record.options.get(option, ())
    return (value,) if isinstance(value, str) else tuple(value)  # type: ignore[call-overload]


def example(record: Record, edge: str) -> str:
    """"numpy.maximum(1.0, 1.0) → 0.5, 0.5" for an edge of a record."""
    arguments, _, slopes = edge.partition('->')
    arguments = arguments.strip()
    if arguments.endswith(',)'):
        arguments = arguments[:-2] + ')'
    return f'`{record.name}{arguments}` → `{slopes.strip()}`'


def conventions() -> str:
    lines = [HEAD.rstrip('\n'), '', '## Ties and singular points', '']
    lines.append('The numbers are the slopes in the arguments, in their order.')
    lines.append('')
    found = [r for r in records() if r.options.get('note') or r.options.get('edges')]
    for record in sorted(found, key=lambda r: r.name):
        if record.name.startswith('tangent.'):
            continue
        note = record.options.get('note')
        examples = '; '.join(example(record, edge) for edge in texts(record, 'edges'))
        text = f'{note} {examples}.' if note else f'{examples}.'
        lines.append(f'- {text}')
    lines += ['', '## Guarded points', '']
    lines.append('Where the partial derivatives of a function are infinite or undefined:')
    lines += ['', '| function | where |', '|---|---|']
    for record in sorted(records(), key=lambda r: r.name):
        singular = record.options.get('singular')
        if singular:
            names = [f'`{name}({", ".join(record.parameters)})`' for name in
                     (record.name, *record.aliases)]
            escaped = str(singular).replace('|', '\\|')
            lines.append(f'| {", ".join(names)} | `{escaped}` |')
    return '\n'.join(lines) + '\n'


def main(arguments: list[str]) -> int:
    text = conventions()
    if '--check' in arguments:
        return 0 if TARGET.exists() and TARGET.read_text(encoding='utf-8') == text else 1
    TARGET.write_text(text, encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
