"""A progress line for long designs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def tracked(items: Sequence[T], show: bool) -> Iterable[T]:
    """Go through items; with ``show``, say on standard error how far it got."""
    return _shown(items) if show else items


def _shown(items: Sequence[T]) -> Iterator[T]:
    for done, item in enumerate(items):
        sys.stderr.write(f"\rvtreat_py: column {done + 1} of {len(items)}")
        sys.stderr.flush()
        yield item
    sys.stderr.write("\n")
