"""A plan and its cross-frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.folds.plan import FoldPlan
from vtreat_py.frames.kinds import FrameT


@dataclass(frozen=True, eq=False)
class CrossFrameExperiment(Generic[FrameT]):
    """A plan, and the training frame coded out of fold.

    Attributes
    ----------
    plan : TreatmentPlan
        Learned on all rows; treats tomorrow's frames.
    cross_frame : data frame
        The training frame, each row coded by what the other folds know: the frame to train a
        model on. Of the caller's kind, with its index; rows that are in no application set of
        ``cv`` are left out, and rows in several of them are repeated, fold by fold. With
        ``sparse_output``, a scipy matrix.
    cross_weights : ndarray or None
        Weights of the rows of the cross-frame, in its order; None when no weights were given,
        or all are 1.
    fold_plan : FoldPlan
        The split that was used, as the package holds it; read it by ``folds``.

    See Also
    --------
    cross_frame_experiment : Makes one.

    Examples
    --------
    Where ``cv`` repeats rows, or leaves some out, ``cross_rows`` finds the outcomes that belong to
    the cross-frame:

    >>> import numpy as np
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> from sklearn.model_selection import RepeatedKFold
    >>> frame = pd.DataFrame({"z": [1.0, 2.0, None, 4.0], "y": [0, 1, 1, 0]})
    >>> twice = RepeatedKFold(n_splits=2, n_repeats=2, random_state=0)
    >>> experiment = vt.cross_frame_experiment(frame, outcome="y", cv=twice)
    >>> experiment.cross_frame.shape, len(experiment.folds)
    ((8, 2), 4)
    >>> np.asarray(frame["y"])[experiment.cross_rows]
    array([1, 0, 0, 1, 0, 1, 1, 0])
    """

    plan: TreatmentPlan
    cross_frame: FrameT
    cross_weights: FloatArray | None
    fold_plan: FoldPlan

    @property
    def cross_rows(self) -> IntArray:
        """For each row of the cross-frame, the number of the row of the frame it stands for.

        All rows in their order, unless ``cv`` repeats some or leaves some out.
        """
        return self.fold_plan.cross_rows()

    @property
    def folds(self) -> list[tuple[IntArray, IntArray]]:
        """The split that was used, as (training rows, application rows) pairs."""
        return self.fold_plan.pairs()

    @property
    def fold_numbers(self) -> IntArray:
        """For each row of the frame, the number of its fold: its place in ``folds``.

        To be stored along the rows, where they are to be coded, or forgotten, later on.

        Raises
        ------
        InvalidOptionError
            If ``cv`` repeats rows, or leaves some out.
        """
        if not self.fold_plan.applies_once:
            raise InvalidOptionError(
                "rows have no fold of their own, because cv repeats some or leaves some out; "
                "folds has its index pairs"
            )
        return self.fold_plan.fold

    def __repr__(self) -> str:
        shown: Any = self.cross_frame
        n_rows, n_columns = shown.shape
        return (
            f"CrossFrameExperiment: cross_frame of {n_rows} rows and {n_columns} columns, "
            f"{self.fold_plan.n_folds} folds\n{self.plan!r}"
        )
