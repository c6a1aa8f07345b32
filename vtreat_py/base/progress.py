"""A progress line for long work: of tqdm or rich where installed, else a plain one."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

_NAME = "vtreat_py"
_SECONDS_APART = 0.1
# Updates in a log file, where a line cannot be written over.
_LOGGED = 4

# How to say that more items are done (one, or a number of them), and how to close the line.
Line = tuple[Callable[..., Any], Callable[[], Any]]


@contextmanager
def progress_line(
    total: int | None, show: bool, unit: str = "column"
) -> Iterator[Callable[..., Any]]:
    """Show on standard error how many of ``total`` items are done; None if nobody knows the total.

    Yields a function to call when one more is done, or a number of them, in any order and from
    any thread. The line is closed on the way out, after an error too.
    """
    if not show:
        yield lambda items=1: None  # noqa: ARG005
        return
    advance, close = _tqdm_line(total, unit) or _rich_line(total) or _PlainLine(total, unit).line
    lock = threading.Lock()

    def advance_alone(items: int = 1) -> None:
        with lock:
            advance(items)

    try:
        yield advance_alone
    finally:
        close()


def _tqdm_line(total: int | None, unit: str) -> Line | None:
    tqdm = _if_installed("tqdm.auto")
    if tqdm is None:
        return None
    bar = tqdm.tqdm(total=total, desc=_NAME, unit=unit)
    return bar.update, bar.close


def _rich_line(total: int | None) -> Line | None:
    console, progress = _if_installed("rich.console"), _if_installed("rich.progress")
    if console is None or progress is None:
        return None
    line = progress.Progress(console=console.Console(stderr=True))
    task = line.add_task(_NAME, total=total)
    line.start()
    return partial(line.advance, task), line.stop


def _if_installed(module: str) -> Any:
    """Import a module; an installed package may complain that one of its own parts is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        return None


class _PlainLine:
    """Writes over itself on a terminal; elsewhere adds a few lines in all."""

    def __init__(self, total: int | None, unit: str) -> None:
        self._total, self._unit, self._done = total, unit, 0
        self._stream = sys.stderr
        self._over = self._stream.isatty()
        self._next = time.monotonic()
        self.line: Line = self._advance, self._close
        self._write()

    def _advance(self, items: int = 1) -> None:
        before, self._done = self._done, self._done + items
        if self._done == self._total or self._is_due(before):
            self._write()

    def _is_due(self, before: int) -> bool:
        if self._over:
            return time.monotonic() >= self._next
        if self._total is None:  # twice as many as at the line before
            return self._done.bit_length() > before.bit_length()
        return self._done * _LOGGED // self._total > before * _LOGGED // self._total

    def _write(self) -> None:
        of_all = "" if self._total is None else f" of {self._total}"
        text = f"{_NAME}: {self._done}{of_all} {self._unit}s"
        self._stream.write(f"\r{text}" if self._over else f"{text}\n")
        self._stream.flush()
        self._next = time.monotonic() + _SECONDS_APART

    def _close(self) -> None:
        if self._over:
            self._stream.write("\n")
            self._stream.flush()
