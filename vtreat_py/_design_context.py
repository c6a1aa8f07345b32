"""What the design of every column shares."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from vtreat_py._columns import CodedColumn, Column, EmptyColumn, NumericColumn, TextColumn
from vtreat_py._folds import FoldPlan
from vtreat_py._options import DesignOptions
from vtreat_py._outcome import Outcome
from vtreat_py._typing import FloatArray
from vtreat_py.significance.linear import linear_score, linear_slope
from vtreat_py.significance.logistic import logistic_fit, logistic_score
from vtreat_py.significance.score import Score
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.tally import Rows

# Values of variables, with the weight of all rows (None: 1 each) and of the target rows at each.
Points = tuple[FloatArray, FloatArray | None, FloatArray]

# Why a column is not used when the user asked for no code of its type: no cause for a warning.
NO_CODE_APPLIES = "no code that was asked for applies to its type"

_SAMPLED_ROWS = 64


@dataclass(frozen=True, eq=False)
class DesignContext:
    """Outcome, folds and options of a design.

    Attributes
    ----------
    coders : tuple of str
        The codes to build for this type of outcome.
    scaled_cross_frame : bool
        Whether slopes are needed for every fold.
    """

    outcome: Outcome
    folds: FoldPlan
    options: DesignOptions
    coders: tuple[str, ...]
    scaled_cross_frame: bool = False

    @property
    def rows(self) -> Rows:
        """The rows as the statistics take them, each in the block of its fold."""
        outcome, folds = self.outcome, self.folds
        return Rows(outcome.y, outcome.weight, folds.fold, folds.n_blocks, outcome.centre)

    @property
    def is_binary(self) -> bool:
        """Whether the outcome is a class."""
        return self.outcome.kind == "binomial"

    @property
    def supervised(self) -> bool:
        """Whether there is an outcome."""
        return self.outcome.kind != "unsupervised"

    @property
    def link_slopes(self) -> bool:
        """Whether y-aware slopes are in link (log odds) units."""
        return self.is_binary and self.options.cat_scaling

    def score(self, moments: Moments, points: Points | None) -> Score:
        """Score variables, given their moments and, for a class outcome, their points.

        The seam for significance: ``options.significance`` chooses the test here.
        """
        if not self.supervised:
            none = np.zeros(len(moments.weight))
            return Score(none, none, none + 1.0)
        test = self.test(moments, points)
        if self.is_binary and not self.link_slopes:
            return replace(test, slope=linear_slope(moments))
        return test

    def test(self, moments: Moments | None, points: Points | None) -> Score:
        """Score variables by the outcome's own regression; it asks for one of the two."""
        if self.is_binary:
            assert points is not None
            return logistic_score(logistic_fit(*points))
        assert moments is not None
        return linear_score(moments)

    def slopes(self, moments: Moments, points: Points | None) -> FloatArray:
        """y-aware slopes alone."""
        if not self.supervised:
            return np.zeros(len(moments.weight))
        if not self.link_slopes:
            return linear_slope(moments)
        assert points is not None
        return logistic_fit(*points).slope


def digest(column: Column) -> str:
    """Digest of a column's values in a few evenly spaced rows, whatever kind of frame has them."""
    rows = np.unique(np.linspace(0, len(column) - 1, min(len(column), _SAMPLED_ROWS)).astype(int))
    if isinstance(column, NumericColumn):
        sampled: list[object] = column.values[rows].astype(np.float64).tolist()
    elif isinstance(column, TextColumn):
        sampled = column.text.take(rows).to_pylist()
    elif isinstance(column, CodedColumn):
        labels = column.levels
        codes = column.codes[rows].tolist()
        sampled = [labels[c] if 0 <= c < len(labels) else None for c in codes]
    elif isinstance(column, EmptyColumn):
        sampled = [None] * len(rows)
    else:
        sampled = [None if pd.isna(v) else v for v in column.values[rows]]
    return hashlib.blake2b(repr(sampled).encode("utf-8", "replace"), digest_size=8).hexdigest()
