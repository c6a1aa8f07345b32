"""How long rows count: for good, less and less, or until others have come."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from vtreat_py.evaluation._rows import Rows
from vtreat_py.evaluation._tally import Tally

NewTally: TypeAlias = Callable[[], Tally]


class AllRows:
    """Rows that count for good."""

    def __init__(self, new_tally: NewTally) -> None:
        self.tally = new_tally()

    def add(self, rows: Rows) -> None:
        """Count rows."""
        self.tally.add(rows)


class FadingRows(AllRows):
    """A row counts half as much when ``half_life`` others have come after it."""

    def __init__(self, new_tally: NewTally, half_life: float) -> None:
        super().__init__(new_tally)
        self._half_life = half_life

    def add(self, rows: Rows) -> None:
        """Let the rows so far fade, and the new ones as far as newer ones follow them."""
        n = len(rows.score)
        self.tally.fade(self._faded(n))
        faded = self._faded(np.arange(n - 1, -1, -1))
        weight = faded if rows.weight is None else faded * rows.weight
        self.tally.add(replace(rows, weight=weight, has_whole_weights=False))

    def _faded(self, age: Any) -> Any:
        return np.exp2(-age / self._half_life)


class LastRows:
    """The last rows, which are kept; what is known of them is counted when it is asked for."""

    def __init__(self, new_tally: NewTally, window: int) -> None:
        self._new_tally, self._window = new_tally, window
        self.parts: deque[Rows] = deque()
        self.n_missing = 0  # of all rows that came
        self._n_kept = 0
        self._known: Tally | None = None

    @property
    def tally(self) -> Tally:
        """The rows of the window, counted."""
        if self._known is None:
            self._known = self._new_tally()
            for part in self.parts:
                self._known.add(part)
            self._known.n_missing = self.n_missing
        return self._known

    def add(self, rows: Rows) -> None:
        """Keep the last rows, and let others go."""
        self._known = None
        self.n_missing += rows.n_missing
        if len(rows.score):
            self.parts.append(_copied(rows, self._window))
            self._n_kept += len(self.parts[-1].score)
        while (surplus := self._n_kept - self._window) > 0:
            oldest = self.parts.popleft()
            n = len(oldest.score)
            if n > surplus:
                self.parts.appendleft(oldest.block(surplus, n))
            self._n_kept -= min(n, surplus)


Ages: TypeAlias = AllRows | LastRows


def _copied(rows: Rows, most: int) -> Rows:
    """The last few rows, in memory of their own."""
    weight = None if rows.weight is None else rows.weight[-most:].copy()
    return replace(
        rows,
        positive=rows.positive[-most:].copy(),
        score=rows.score[-most:].copy(),
        weight=weight,
        n_missing=0,
    )
