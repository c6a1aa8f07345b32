"""What a cross-frame experiment on a lazy frame gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import narwhals.stable.v2 as nw

from vtreat_py.api.experiment import CrossFrameExperiment
from vtreat_py.base.errors import FrameError, InvalidOptionError
from vtreat_py.frames.kinds import FrameT
from vtreat_py.lazy.columns import kept_column, typed_frame
from vtreat_py.lazy.folds import FOLD, LazyFolds


@dataclass(frozen=True, eq=False)
class LazyCrossFrameExperiment(CrossFrameExperiment[FrameT]):
    """A plan, and the query for the training frame coded out of fold.

    Attributes
    ----------
    plan : TreatmentPlan
        Learned on all rows; treats tomorrow's frames.
    cross_frame : lazy frame
        Of the caller's kind, the row id first where one is named. Its rows are in no certain
        order: outcomes and weights are joined to them by the row id.
    cross_weights : None
        Weights stay in the caller's frame.
    fold_plan : LazyFolds
        The split that was used, as the package holds it; read it by ``fold_frame``.

    Examples
    --------
    >>> import polars as pl
    >>> import vtreat_py as vt
    >>> frame = pl.LazyFrame({"id": range(6), "x": ["a", "a", "b", "b", "c", "c"],
    ...                       "part": [0, 1, 0, 1, 0, 1], "y": [0, 0, 1, 1, 1, 0]})
    >>> experiment = vt.cross_frame_experiment(frame, outcome="y", cv="part", row_id="id",
    ...                                        coders=["lev"])
    >>> experiment.cross_frame.collect().sort("id").row(2)
    (2, 0.0, 1.0, 0.0)
    >>> experiment.fold_frame.collect().sort("id")["fold"].to_list()
    [0, 1, 0, 1, 0, 1]
    """

    fold_plan: LazyFolds  # type: ignore[assignment]
    row_id: str | None

    @property
    def fold_frame(self) -> FrameT:
        """The row id and the fold of each row, as a lazy frame of the caller's kind."""
        if self.row_id is None:
            raise InvalidOptionError(
                "fold_frame needs a column that tells the rows apart: name it as row_id="
            )
        kept = kept_column(self.fold_plan.source, self.row_id)
        rows = typed_frame(self.fold_plan.source, [self.fold_plan.column, kept])
        rows = self.fold_plan.attached(rows)
        fold_frame: FrameT = rows.select(kept.value.alias(self.row_id), nw.col(FOLD)).to_native()
        return fold_frame

    @property
    def cross_rows(self) -> NoReturn:
        """Rows of a lazy frame have no numbers."""
        raise _without_numbers("cross_rows")

    @property
    def folds(self) -> NoReturn:
        """Rows of a lazy frame have no numbers."""
        raise _without_numbers("folds")

    @property
    def fold_numbers(self) -> NoReturn:
        """Rows of a lazy frame have no numbers."""
        raise _without_numbers("fold_numbers")

    def __repr__(self) -> str:
        return (
            f"LazyCrossFrameExperiment: cross_frame of {type(self.cross_frame).__name__}, "
            f"{self.fold_plan.n_folds} folds\n{self.plan!r}"
        )


def _without_numbers(name: str) -> FrameError:
    return FrameError(
        f"{name} numbers the rows of a frame, and those of a lazy frame have no order; fold_frame "
        "has the fold of each row by its row id"
    )
