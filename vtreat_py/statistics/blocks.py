"""Rows a few at a time."""

from __future__ import annotations

from collections.abc import Iterator


def blocks(n: int, size: int) -> Iterator[slice]:
    """Cut n rows into pieces that stay in the processor's cache."""
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))
