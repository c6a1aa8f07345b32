"""The rows of a lazy frame as the queries of a design see them: outcome, weight and fold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa

from vtreat_py.folds.row_ids import picked
from vtreat_py.lazy.aggregates import Asked, one_where, value_where
from vtreat_py.lazy.columns import LazyEmpty, LazyExposure, PlainColumn, typed_frame
from vtreat_py.lazy.folds import FOLD, LazyFolds
from vtreat_py.lazy.source import LazySource
from vtreat_py.lazy.tables import brought
from vtreat_py.outcome.outcome import OutcomeValues

# Column that holds the outcome as the statistics take it.
Y = "outcome"
_LABEL = "outcome_label"


@dataclass(frozen=True, eq=False)
class DesignRows:
    """The rows of a lazy frame, as far as a design has looked at them.

    Attributes
    ----------
    n_rows : int
        All rows, once the outcome is known.
    weight : PlainColumn or None
        Frequency weights, for rates times the exposure; None when all are 1.
    mean_weights : tuple of float
        For rates, means over the rows that have a weight: of it, exposure included, and of that
        times the weight without exposure.
    folds : LazyFolds or None
        None: all rows are in one fold.
    outcome : OutcomeValues or None
        As tabled by `with_outcome`.
    label : PlainColumn or None
        Where the outcome is read.
    classes : pyarrow.Table or None
        Number of each class (``outcome``) by its label (``outcome_label``); for a class outcome.
    """

    source: LazySource
    n_rows: int = 0
    weight: PlainColumn | None = None
    mean_weights: tuple[float, float] = (1.0, 1.0)
    largest_weight: float = 1.0
    row_id: PlainColumn | None = None
    folds: LazyFolds | None = None
    outcome: OutcomeValues | None = None
    label: PlainColumn | None = None
    classes: pa.Table | None = None

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return 1 if self.folds is None else self.folds.n_folds

    @property
    def n_classes(self) -> int:
        """Number of classes of a class outcome, two of them binomial; 0 for numbers, or none."""
        return 0 if self.classes is None else int(max(self.classes[Y].to_pylist())) + 1

    @property
    def contrasted(self) -> range:
        """The classes that a design has a contrast for."""
        is_binomial = self.outcome is not None and self.outcome.kind == "binomial"
        return range(1, 2) if is_binomial else range(self.n_classes)

    @property
    def n_cells(self) -> int:
        """Number of cells: of folds or, for a class outcome, of folds and classes."""
        return self.n_folds * max(self.n_classes, 1)

    @property
    def cell(self) -> nw.Expr:
        """The cell of a row."""
        return nw.col(FOLD) * self.n_classes + nw.col(Y) if self.n_classes else nw.col(FOLD)

    @property
    def w(self) -> nw.Expr:
        """Weight of a row."""
        return nw.lit(1.0) if self.weight is None else self.weight.value

    @property
    def exposure(self) -> LazyExposure | None:
        """What the counts of rates are per; None: 1 in each row."""
        return self.weight if isinstance(self.weight, LazyExposure) else None

    @property
    def times(self) -> PlainColumn | None:
        """Weights without exposure."""
        return self.weight if self.exposure is None else self.exposure.times

    @property
    def share(self) -> nw.Expr:
        """Exposure of a row, over its mean."""
        return nw.lit(1.0) if self.exposure is None else self.exposure.share

    @property
    def counts(self) -> nw.Expr:
        """Whether a row counts."""
        return nw.lit(value=True) if self.weight is None else self.weight.value > 0

    def weighted(self, value: nw.Expr) -> nw.Expr:
        """Multiply by the weight."""
        return value if self.weight is None else value * self.weight.value

    def weight_where(self, condition: nw.Expr) -> Asked:
        """Weight of the rows for which a condition holds: a count where all weights are 1."""
        if self.weight is None:
            return "count", one_where(condition)
        return "sum", value_where(condition, self.weight.value)

    def counted(
        self, columns: Sequence[PlainColumn | LazyEmpty], step: int = 1
    ) -> nw.LazyFrame[Any]:
        """Build the query of `of`, for the rows that count."""
        frame = self.of(columns, step)
        return frame if self.weight is None else frame.filter(self.counts)

    def part(self, frame: nw.LazyFrame[Any], n_rows: int, most: int) -> nw.LazyFrame[Any] | None:
        """About ``most`` of so many rows, by arithmetic on the row id; None without one."""
        step = step_of(n_rows, most)
        if step <= 1:
            return frame
        if self.row_id is None:
            return None
        return frame.filter(picked(self.row_id.value, step))

    def of(self, columns: Sequence[PlainColumn | LazyEmpty], step: int = 1) -> nw.LazyFrame[Any]:
        """Build the query for some columns beside outcome, weight, row id and fold.

        Of about one row in ``step``, by arithmetic on the row id, before folds are worked out.
        """
        fold = self.folds.column if self.folds else None
        beside = [self.weight, self.times, self.row_id, self.label, fold]
        frame = typed_frame(self.source, [*columns, *(c for c in beside if c is not None)])
        if step > 1:
            assert self.row_id is not None
            frame = frame.filter(picked(self.row_id.value, step))
        if self.folds is None:
            frame = frame.with_columns(nw.lit(0).cast(nw.Int64()).alias(FOLD))
        else:
            frame = self.folds.attached(frame)
        return self._with_outcome(frame)

    def _with_outcome(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        if self.outcome is None or self.label is None:
            return frame.with_columns(nw.lit(0.0).alias(Y))
        if self.exposure is not None:
            return frame.with_columns((self.label.value / self.exposure.given).alias(Y))
        if self.classes is None:
            return frame.with_columns((self.label.value - self.outcome.centre).alias(Y))
        labels, numbers = self.classes[_LABEL], self.classes[Y].to_pylist()
        if self.outcome.kind == "binomial":
            (hit,) = (labels[i].as_py() for i, number in enumerate(numbers) if number)
            one, none = nw.lit(1).cast(nw.Int64()), nw.lit(0).cast(nw.Int64())
            y = nw.when(self.label.value == nw.lit(hit)).then(one).otherwise(none)
            return frame.with_columns(y.alias(Y))
        classes = brought(self.source, self.classes)
        joined = frame.join(classes, left_on=self.label.alias, right_on=_LABEL, how="left")
        return joined.select(*frame.collect_schema(), Y)

    def with_outcome(
        self,
        outcome: OutcomeValues,
        n_rows: int,
        label: PlainColumn | None = None,
        labels: pa.ChunkedArray | None = None,
    ) -> DesignRows:
        """Add the outcome; ``labels`` are those that its values stand for, of classes."""
        classes = None
        if labels is not None and outcome.kind in ("binomial", "multinomial"):
            classes = pa.table({_LABEL: labels, Y: pa.array(outcome.y, pa.int64())})
        return replace(self, outcome=outcome, n_rows=n_rows, label=label, classes=classes)


def step_of(n_rows: int, most: int) -> int:
    """Of how many rows one is looked at, so that there are about ``most`` at most."""
    return math.ceil(n_rows / most)
