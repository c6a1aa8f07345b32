"""What the y-aware transformers share: how they read frames of numbers and outcomes."""

from __future__ import annotations

from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, NumberArray
from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import InvalidOptionError, OutcomeError
from vtreat_py.estimators.base import FrameTransformer, check_columns, training_frame
from vtreat_py.frames.frame import InputFrame
from vtreat_py.outcome.outcome import Outcome
from vtreat_py.outcome.reading import read_outcome, read_weight
from vtreat_py.yaware.matrix import LARGE, read_numbers


class YAwareTransformer(FrameTransformer):
    """A transformer of frames of numbers that has learned a slope and a mean of each column."""

    outcome_type: str | None
    target: Any
    link: bool
    mean_: FloatArray
    scale_: FloatArray

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, groups: Any
    ) -> tuple[Outcome, list[NumberArray]]:
        """Read and check outcome, weights and columns."""
        source = training_frame(self, X, y)
        weight = read_weight(source, sample_weight)
        outcome = read_outcome(source, y, self.outcome_type, self.target, weight)
        self._check_outcome(outcome)
        self._remember_columns(source, y, sample_weight, groups)
        columns = self._fitted_columns.columns
        check_columns(source, columns)
        return outcome, read_numbers(source, columns)

    def _check_outcome(self, outcome: Outcome) -> None:
        largest = float(np.abs(outcome.y).max())
        if outcome.kind == "numeric" and not 1.0 / LARGE < largest < LARGE:
            raise OutcomeError(
                f"the outcome reaches {largest:g} from its mean: squares of such numbers leave the "
                "range of floats; give it in another unit"
            )
        if check_flag("link", self.link) and outcome.kind == "numeric":
            raise InvalidOptionError(
                "link=True asks for slopes in log odds, which only classes have; this outcome is "
                f'{outcome.note}. For classes that are numbers give outcome_type="binomial" or '
                '"multinomial"'
            )

    def _read_new(self, X: Any) -> tuple[InputFrame, list[NumberArray]]:
        """Read the columns seen in fit from a frame."""
        source = self._fitted_columns.found_in(InputFrame.of(X))
        return source, read_numbers(source, self._fitted_columns.columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def as_floats(values: list[NumberArray], n_rows: int) -> FloatArray:
    """Columns as the rows of a new matrix."""
    out = np.empty((len(values), n_rows))
    for row, column in zip(out, values, strict=True):
        row[:] = column
    return out
