"""What long work says of itself: the logger ``vtreat_py`` of the standard library."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

logger = logging.getLogger("vtreat_py")
logger.addHandler(logging.NullHandler())

# Queries of the work at hand: how many, and how long they took.
_queries: ContextVar[list[float] | None] = ContextVar("queries", default=None)


def tells(level: int) -> bool:
    """Whether anything of a level is listened to."""
    return logger.isEnabledFor(level)


@contextmanager
def timed(text: str, *values: object, level: int = logging.DEBUG) -> Iterator[None]:
    """Log how long something took, if anybody listens.

    Parameters
    ----------
    text : str
        What it is; ``%`` and its like stand for ``values``.
    values : object
    level : int

    Examples
    --------
    >>> with timed("column %r", "town"):
    ...     pass
    """
    if not tells(level):
        yield
        return
    start = time.perf_counter()
    yield
    logger.log(level, f"{text}: %.3f s", *values, time.perf_counter() - start)


@contextmanager
def queries_counted(what: str) -> Iterator[None]:
    """Log how many queries some work takes, and how long they take together."""
    if not tells(logging.INFO):
        yield
        return
    seconds: list[float] = []
    token = _queries.set(seconds)
    try:
        yield
    finally:
        _queries.reset(token)
    logger.info("%s: %d queries, %.3f s", what, len(seconds), sum(seconds))


@contextmanager
def query(engine: str) -> Iterator[None]:
    """Count a query, and log how long it took."""
    if not tells(logging.INFO):
        yield
        return
    start = time.perf_counter()
    yield
    taken, seconds = time.perf_counter() - start, _queries.get()
    if seconds is not None:
        seconds.append(taken)
    logger.debug("query of %s: %.3f s", engine, taken)
