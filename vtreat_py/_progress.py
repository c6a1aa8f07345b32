"""A progress line for long designs: of tqdm or rich where installed, else a plain one."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

_NAME = "vtreat_py"
_SECONDS_APART = 0.1
# Updates in a log file, where a line cannot be written over.
_LOGGED = 4

# How to say that one more item is done, and how to close the line.
Line = tuple[Callable[[], Any], Callable[[], Any]]


@contextmanager
def progress_line(total: int, show: bool) -> Iterator[Callable[[], Any]]:
    """Show on standard error how many of ``total`` columns are done.

    Yields a function to call when one more is done, in any order and from any thread. The line
    is closed on the way out, after an error too.
    """
    if not show:
        yield _nothing
        return
    advance, close = _tqdm_line(total) or _rich_line(total) or _plain_line(total)
    lock = threading.Lock()

    def advance_alone() -> None:
        with lock:
            advance()

    try:
        yield advance_alone
    finally:
        close()


def _nothing() -> None:
    pass


def _tqdm_line(total: int) -> Line | None:
    try:
        from tqdm.auto import tqdm
    except ModuleNotFoundError as error:
        _check_not_installed("tqdm", error)
        return None
    bar = tqdm(total=total, desc=_NAME, unit="column")
    return bar.update, bar.close


def _rich_line(total: int) -> Line | None:
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ModuleNotFoundError as error:
        _check_not_installed("rich", error)
        return None
    progress = Progress(console=Console(stderr=True))
    task = progress.add_task(_NAME, total=total)
    progress.start()
    return partial(progress.advance, task), progress.stop


def _check_not_installed(package: str, error: ModuleNotFoundError) -> None:
    """Let an installed package complain that one of its own parts is missing."""
    if error.name is None or error.name.partition(".")[0] != package:
        raise error


def _plain_line(total: int) -> Line:
    line = _PlainLine(total)
    return line.advance, line.close


class _PlainLine:
    """Writes over itself on a terminal; elsewhere adds a few lines in all."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._stream = sys.stderr
        self._over = self._stream.isatty()
        self._next = time.monotonic()
        self._write()

    def advance(self) -> None:
        self._done += 1
        if self._done == self._total or self._is_due():
            self._write()

    def _is_due(self) -> bool:
        if self._over:
            return time.monotonic() >= self._next
        return self._done * _LOGGED // self._total > (self._done - 1) * _LOGGED // self._total

    def _write(self) -> None:
        text = f"{_NAME}: {self._done} of {self._total} columns"
        self._stream.write(f"\r{text}" if self._over else f"{text}\n")
        self._stream.flush()
        self._next = time.monotonic() + _SECONDS_APART

    def close(self) -> None:
        if self._over:
            self._stream.write("\n")
            self._stream.flush()
