"""Small random data with a categorical column, and sums of it computed by loops."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from math import fsum

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.tally import Rows, tally

law = settings(max_examples=30, deadline=None, derandomize=True, database=None)

OUTCOMES = ("class", "number")
# Quarters and halves add without rounding, so that no decision hangs on the last digit.
_NUMBERS = st.integers(-40, 40).map(lambda quarters: quarters / 4)
_CLASSES = st.integers(0, 1)
_WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, 3.0])
_WHOLE_WEIGHTS = st.sampled_from([0.0, 1.0, 2.0, 3.0])


@dataclass(frozen=True)
class Example:
    """Rows of a column: level codes, outcome, weights, folds."""

    code: np.ndarray
    n_levels: int
    y: np.ndarray
    weight: np.ndarray | None
    fold: np.ndarray
    n_folds: int
    centre: float = 0.0

    def __len__(self) -> int:
        return len(self.code)

    @property
    def rows(self) -> Rows:
        """What `tally` is given; a class outcome is int8, as in a design."""
        return Rows(self.y, self.weight, self.fold, self.n_folds, self.centre)

    @property
    def w(self) -> np.ndarray:
        return np.ones(len(self)) if self.weight is None else self.weight

    def table(self) -> LevelTable:
        return tally(self.code, self.n_levels, self.rows)[0]

    def sums(self) -> OutcomeSums:
        """Outcome sums by level."""
        return OutcomeSums.of_rows(self.code, self.n_levels, self.y, self.weight, self.centre)

    def where(self, which: np.ndarray) -> Example:
        weight = None if self.weight is None else self.weight[which]
        return replace(
            self, code=self.code[which], y=self.y[which], weight=weight, fold=self.fold[which]
        )

    def repeated(self) -> Example:
        """Each row as often as its weight says."""
        times = np.repeat(np.arange(len(self)), self.w.astype(int))
        return replace(self.where(times), weight=None)


@st.composite
def examples(
    draw,
    outcome: str | None = None,
    weighted: bool | None = None,
    whole_weights: bool = False,
    min_rows: int = 0,
    max_rows: int = 25,
    max_levels: int = 5,
    min_folds: int = 1,
    max_folds: int = 4,
) -> Example:
    """Draw rows; outcome "class" or "number", weighted or not: None draws these too."""
    outcome = outcome or draw(st.sampled_from(OUTCOMES))
    weighted = draw(st.booleans()) if weighted is None else weighted
    n_levels = draw(st.integers(1, max_levels))
    n_folds = draw(st.integers(min_folds, max_folds))
    row = st.tuples(
        st.integers(0, n_levels - 1),
        _CLASSES if outcome == "class" else _NUMBERS,
        _WHOLE_WEIGHTS if whole_weights else _WEIGHTS,
        st.integers(0, n_folds - 1),
    )
    rows = draw(st.lists(row, min_size=min_rows, max_size=max_rows))
    code, y, weight, fold = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Example(
        np.array(code, dtype=np.int32),
        n_levels,
        np.array(y, dtype=np.int8 if outcome == "class" else np.float64),
        np.array(weight, dtype=np.float64) if weighted else None,
        np.array(fold, dtype=np.uint8),
        n_folds,
    )


def masks(n: int) -> st.SearchStrategy[np.ndarray]:
    """Which of n rows belong to one of two parts."""
    return st.lists(st.booleans(), min_size=n, max_size=n).map(lambda m: np.array(m, dtype=bool))


def naive_sums(y, weight) -> tuple[float, float, float]:
    """Weight, mean (0 without weight) and squares about the mean, by loops."""
    total_weight = fsum(weight)
    if total_weight == 0:
        return 0.0, 0.0, 0.0
    mean = fsum(w * v for v, w in zip(y, weight, strict=True)) / total_weight
    return total_weight, mean, fsum(w * (v - mean) ** 2 for v, w in zip(y, weight, strict=True))


def naive_cells(example: Example) -> dict[tuple[int, int], tuple[float, float, float]]:
    """Sums of each occupied (level, fold) cell, row by row."""
    lists = defaultdict(lambda: ([], []))
    for code, y, w, fold in zip(example.code, example.y, example.w, example.fold, strict=True):
        values, weights = lists[int(code), int(fold)]
        values.append(float(y) + example.centre)
        weights.append(float(w))
    return {cell: naive_sums(*lists[cell]) for cell in sorted(lists)}


def cells_of(table: LevelTable, weightless: bool = False) -> dict:
    """Cells of a table in the form of `naive_cells`; those of weight 0 if asked for."""
    sums = table.cells
    return {
        (int(level), int(fold)): (weight, mean + sums.centre if weight > 0 else 0.0, squares)
        for level, fold, weight, mean, squares in zip(
            table.level, table.fold, sums.weight, sums.mean, sums.squares, strict=True
        )
        if weightless or weight > 0
    }


def assert_same_cells(found: dict, expected: dict, scale: float = 1.0) -> None:
    """Compare the cells of two tables; squares to 1e-9 of ``scale``."""
    assert list(found) == list(expected)
    for cell, sums in expected.items():
        np.testing.assert_allclose(found[cell], sums, rtol=1e-11, atol=1e-9 * scale)


def assert_same_sums(found: OutcomeSums, expected: OutcomeSums, scale: float = 1.0) -> None:
    """Compare sums group by group, whatever their centres; squares to 1e-9 of ``scale``."""
    near = {"rtol": 1e-11, "atol": 1e-9 * scale}
    some = expected.weight > 0
    np.testing.assert_allclose(found.weight, expected.weight, **near)
    means = found.mean + found.centre, expected.mean + expected.centre
    np.testing.assert_allclose(means[0][some], means[1][some], **near)
    np.testing.assert_allclose(found.squares, expected.squares, **near)
