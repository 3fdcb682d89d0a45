"""Containers as people write them: what changes inside of lists and dicts, sets, views by reshape.

Each program is held against the oracle in both modes; what cannot be followed is refused with its
line, never silently wrong."""
