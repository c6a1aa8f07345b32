"""Rows a few at a time."""

from __future__ import annotations

from collections.abc import Iterator

# Rows at a time: what is made of them stays in the cache of the processor.
ROWS = 1 << 15


def blocks(n: int, size: int = ROWS) -> Iterator[slice]:
    """Cut n rows into pieces that stay in the processor's cache."""
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))
