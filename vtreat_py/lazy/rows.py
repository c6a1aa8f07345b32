"""The rows of a lazy frame as the queries of a design see them: outcome, weight and fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa

from vtreat_py.lazy.columns import LazyColumn, LazyEmpty, PlainColumn, typed_frame
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
    source : LazySource
    n_rows : int
        All rows, once the outcome is known.
    weight : PlainColumn or None
        Frequency weights; None when all are 1.
    row_id : PlainColumn or None
    folds : LazyFolds or None
        None: all rows are in one fold.
    outcome : OutcomeValues or None
        As tabled by `lazy_outcome`.
    label : PlainColumn or None
        Where the outcome is read.
    classes : pyarrow.Table or None
        Number of each class (``outcome``) by its label (``outcome_label``); for a class outcome.
    """

    source: LazySource
    n_rows: int = 0
    weight: PlainColumn | None = None
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
    def w(self) -> nw.Expr:
        """Weight of a row."""
        return nw.lit(1.0) if self.weight is None else self.weight.value

    @property
    def counts(self) -> nw.Expr:
        """Whether a row counts."""
        return nw.lit(value=True) if self.weight is None else self.weight.value > 0

    def weighted(self, value: nw.Expr) -> nw.Expr:
        """Multiply by the weight."""
        return value if self.weight is None else value * self.weight.value

    def total(self, condition: nw.Expr) -> nw.Expr:
        """Weight of the rows for which a condition holds: a count where all weights are 1."""
        if self.weight is None:
            return nw.when(condition).then(nw.lit(1)).count()
        return nw.when(condition).then(self.weight.value).otherwise(nw.lit(0.0)).sum()

    def of(self, columns: Sequence[LazyColumn]) -> nw.LazyFrame[Any]:
        """Build the query for some columns beside outcome, weight, row id and fold."""
        others = [self.weight, self.row_id, self.label]
        if self.folds is not None:
            others.append(self.folds.column)
        given = [c for c in columns if not isinstance(c, LazyEmpty)]
        frame = typed_frame(self.source, given, [c for c in others if c is not None])
        if self.folds is None:
            frame = frame.with_columns(nw.lit(0).cast(nw.Int64()).alias(FOLD))
        else:
            frame = self.folds.attached(frame)
        return self._with_outcome(frame)

    def _with_outcome(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        if self.outcome is None or self.label is None:
            return frame.with_columns(nw.lit(0.0).alias(Y))
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

    def with_folds(self, folds: LazyFolds) -> DesignRows:
        """Add the folds."""
        return replace(self, folds=folds)
