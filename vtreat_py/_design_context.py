"""What the design of every column shares."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py._calibrated import CalibratedTests
from vtreat_py._column_treatment import OutcomeScore
from vtreat_py._columns import CodedColumn, Column, EmptyColumn, NumericColumn, TextColumn
from vtreat_py._folds import FoldPlan
from vtreat_py._names import munge
from vtreat_py._options import CALIBRATED, Y_AWARE, DesignOptions
from vtreat_py._outcome import Outcome
from vtreat_py._typing import FloatArray, IntArray
from vtreat_py.significance.linear import linear_score, linear_slope
from vtreat_py.significance.logistic import logistic_fit, logistic_score
from vtreat_py.significance.newton import LogisticFit
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.score import Score
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.row_groups import RowGroups
from vtreat_py.statistics.tally import Rows

# Values of variables, with the weight of all rows (None: 1 each) and of the target rows at each.
PointSums = tuple[FloatArray, FloatArray | None, FloatArray]

# Why a column is not used when the user asked for no code of its type: no cause for a warning.
NO_CODE_APPLIES = "no code that was asked for applies to its type"
CODES_WOULD_BE_CONSTANT = (
    "the codes asked for would be constant: its levels are too rare for indicators, or differ no "
    "more than chance makes them"
)
NO_BAD_VALUES = "it has no bad value to mark, and no other code was asked for"

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
    class_number : int or None
        With several classes: the one that this context sets against the others.
    """

    outcome: Outcome
    folds: FoldPlan
    options: DesignOptions
    coders: tuple[str, ...]
    scaled_cross_frame: bool = False
    class_number: int | None = None

    @property
    def rows(self) -> Rows:
        """The rows as the statistics take them, each in the block of its fold."""
        folds = self.folds
        return rows_of(self.outcome, folds.fold, folds.n_blocks)

    @cached_property
    def coded_rows(self) -> Rows:
        """The rows of the cross-frame, where those are not the rows; see `FoldPlan.repeats`.

        The times that a row is repeated share its weight.
        """
        folds, outcome = self.folds, self.outcome
        assert folds.repeats is not None
        rows, fold = folds.repeats
        weight = 1.0 / np.maximum(np.bincount(rows, minlength=len(outcome.y)), 1)
        if outcome.weight is not None:
            weight *= outcome.weight
        return rows_of(replace(outcome, weight=weight), fold, folds.n_folds, rows)

    @cached_property
    def blocks(self) -> RowGroups:
        """The rows in order of their blocks, with several classes also of their classes."""
        return self._in_order(self.folds.fold, self.folds.n_blocks)

    @cached_property
    def training_blocks(self) -> RowGroups:
        """Training rows in order of their folds, where folds have training sets of their own."""
        assert self.folds.training is not None
        rows, owner = self.folds.training
        return self._in_order(owner, self.folds.n_folds, rows)

    def _in_order(self, group: IntArray, n_groups: int, rows: IntArray | None = None) -> RowGroups:
        outcome, n_classes = self.outcome, self.n_classes
        if not n_classes:
            return RowGroups.of(group, n_groups, outcome.y, outcome.weight, outcome.centre, rows)
        own = outcome.y if rows is None else outcome.y[rows]
        pair = np.add(group.astype(np.intp) * n_classes, own, dtype=np.intp)
        none = np.zeros(len(outcome.y), dtype=np.int8)
        return RowGroups.of(pair, n_groups * n_classes, none, outcome.weight, 0.0, rows)

    @property
    def n_classes(self) -> int:
        """Number of classes, of a multinomial outcome; else 0."""
        return len(self.outcome.classes)

    @property
    def contrasts(self) -> tuple[DesignContext, ...]:
        """What variables are scored against: the outcome, or each class against the others."""
        return self._class_contrasts if self.n_classes else (self,)

    @cached_property
    def _class_contrasts(self) -> tuple[DesignContext, ...]:
        """For each class, the context that builds the codes that classes share, once.

        Levels are not suppressed then, because classes may not agree on that.
        """
        options = replace(self.options, rare_sig=None)
        coders = tuple(c for c in self.coders if c not in Y_AWARE)
        return tuple(
            replace(
                self,
                outcome=self.outcome.of_class(k),
                options=options,
                coders=coders,
                class_number=k,
            )
            for k in range(self.n_classes)
        )

    @cached_property
    def class_contexts(self) -> tuple[DesignContext, ...]:
        """For each class, the context that builds the codes of this one class."""
        options = self.options
        return tuple(
            replace(contrast, options=options, coders=options.class_coders())
            for contrast in self.contrasts
            if self.n_classes
        )

    @cached_property
    def class_prefixes(self) -> list[str]:
        """What the names of codes of one class start with."""
        return munge([_label(c) for c in self.outcome.classes])

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

    def outcome_score(self, score: Score | None = None, place: int = 0) -> OutcomeScore:
        """Label one of several scores with the class it is for; without scores, the worst one."""
        target = None if self.class_number is None else self.outcome.target
        if score is None:
            return OutcomeScore(target)
        return OutcomeScore(target, float(score.rsq[place]), float(score.sig[place]))

    @cached_property
    def calibrated(self) -> CalibratedTests | None:
        """The calibrated tests, where they are wanted."""
        wanted = self.supervised and self.options.significance == CALIBRATED
        return CalibratedTests(self.outcome) if wanted else None

    def score(
        self,
        moments: Moments,
        fit: LogisticFit | None,
        sample: Callable[[int], Sample],
        reach: float = math.inf,
    ) -> Score:
        """Score variables, given their moments and, for a class outcome, their regressions.

        ``sample`` gives one of them over all rows, ``reach`` is their largest standardised size.
        """
        if not self.supervised:
            none = np.zeros(len(moments.weight))
            return Score(none, none, none + 1.0)
        score = self.test(moments, fit)
        if self.is_binary and not self.link_slopes:
            score = replace(score, slope=linear_slope(moments))
        if self.calibrated is not None:
            score = replace(score, sig=self.calibrated.correlation(moments, sample, reach))
        return score

    def test(self, moments: Moments | None, fit: LogisticFit | None) -> Score:
        """Score variables by the outcome's own regression; it asks for one of the two."""
        if self.is_binary:
            assert fit is not None
            return logistic_score(fit)
        assert moments is not None
        return linear_score(moments)

    def slopes(self, moments: Moments, points: PointSums | None) -> FloatArray:
        """y-aware slopes alone."""
        if not self.supervised:
            return np.zeros(len(moments.weight))
        if not self.link_slopes:
            return linear_slope(moments)
        assert points is not None
        x, total, hits = points
        if total is None:
            return logistic_fit(x, None, hits).slope
        slope, known = np.zeros(len(total)), total.sum(axis=1) > 0  # some folds have no past
        if known.any():
            slope[known] = logistic_fit(x[known], total[known], hits[known]).slope
        return slope


def rows_of(outcome: Outcome, group: IntArray, n_groups: int, rows: Any = None) -> Rows:
    """Rows as the statistics take them, each in a group; ``rows`` picks some, perhaps repeated."""
    y, weight = outcome.y, outcome.weight
    if rows is not None:
        y, weight = y[rows], None if weight is None else weight[rows]
    return Rows(y, weight, group, n_groups, outcome.centre, len(outcome.classes) or 2)


def _label(outcome_class: Any) -> str:
    """A class as a part of a name; whole numbers without their decimals."""
    if isinstance(outcome_class, float) and outcome_class.is_integer():
        return str(int(outcome_class))
    return str(outcome_class)


def combined_slopes(slopes: Sequence[FloatArray]) -> FloatArray:
    """One y-aware slope from those of each contrast.

    Several classes give the length of the vector of slopes: distances in a frame scaled so are
    those in the frame that has a copy of the variable for each class, each scaled for it.
    """
    if len(slopes) == 1:
        return slopes[0]
    return np.asarray(np.sqrt(np.sum(np.square(slopes), axis=0)))


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
