"""Labels, scores and weights of rows, read from any container and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation._inputs import check_length, non_negative_weight, one_dimensional
from vtreat_py.evaluation._refusals import refused_as, shortened, shown

Missing = Literal["raise", "count"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Scored rows; none of them is missing."""

    positive: BoolArray
    score: Any  # floats, as wide as they were given
    weight: FloatArray | None  # None: 1 for each row
    n_missing: int  # rows that were left out
    other_label: Any  # the label of negative rows, if there is one
    has_whole_weights: bool

    @property
    def low(self) -> float:
        """The least score."""
        return float(self.score.min(initial=np.inf))

    @property
    def high(self) -> float:
        """The greatest score."""
        return float(self.score.max(initial=-np.inf))

    @property
    def smallest_chance(self) -> float:
        """What log loss takes for 0, as scikit-learn does: it depends on the type of the scores."""
        return float(np.finfo(self.score.dtype).eps)

    def block(self, start: int, stop: int) -> Rows:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[start:stop]
        positive, score = self.positive[start:stop], self.score[start:stop]
        return Rows(positive, score, weight, 0, self.other_label, self.has_whole_weights)


def read_rows(
    y: Any, score: Any, sample_weight: Any, *, pos_label: Any, other_label: Any, missing: Missing
) -> Rows:
    """Read rows; ``other_label`` is the label of negative rows, if it is known."""
    labels, scores = one_dimensional(y, "y"), _floats(score)
    check_length(scores, len(labels), "score")
    weight = None if sample_weight is None else non_negative_weight(sample_weight, len(labels))
    without_score = np.isnan(scores)
    absent = is_missing(labels) | without_score
    if missing == "raise":
        refuse_missing(absent, without_score)
    n_missing = int(absent.sum())
    if n_missing:
        labels, scores = labels[~absent], scores[~absent]
        weight = None if weight is None else weight[~absent]
    positive = is_label(labels, pos_label)
    return Rows(
        positive,
        scores,
        weight,
        n_missing,
        _label_of_others(labels, positive, pos_label, other_label),
        sample_weight is None or np.asarray(sample_weight).dtype.kind in "biu",
    )


def refuse_missing(absent: BoolArray, without_score: BoolArray) -> None:
    """Refuse rows of which label or score is missing."""
    if absent.any():
        row = int(np.argmax(absent))
        raise InvalidOptionError(
            f"{'score' if without_score[row] else 'y'} is missing in row {row}, and rows with a "
            f"missing value are {int(absent.sum())} of {len(absent)}; leave them out, or let "
            "missing='count' leave them out and count them"
        )


def _floats(score: Any) -> Any:
    """Scores as floats of the type they have, NaN where missing."""
    scores = one_dimensional(score, "score")
    if scores.dtype.kind == "f" and scores.itemsize <= np.dtype(np.float64).itemsize:
        return scores
    if scores.dtype.kind == "c":
        raise OptionTypeError("score must hold real numbers, and holds complex ones")
    try:
        if scores.dtype.kind == "O":
            scores = np.where(is_missing(scores), np.nan, scores)
        return scores.astype(np.float64)
    except (TypeError, ValueError, ArithmeticError) as reason:
        raise OptionTypeError(f"score must hold numbers: {shortened(str(reason))}") from reason


def is_missing(values: Any) -> BoolArray:
    """Whether each of several values is NaN, None or the like."""
    if values.dtype.kind in "biuUS":
        return np.zeros(len(values), dtype=bool)
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    import pandas as pd

    return np.asarray(pd.isna(values), dtype=bool)


def is_label(labels: Any, label: Any) -> BoolArray:
    """Whether each of several labels is this one."""
    with refused_as(f"{shown(label)} is no label"):
        return np.broadcast_to(np.asarray(labels == label, dtype=bool), labels.shape)


def _label_of_others(labels: Any, positive: BoolArray, pos_label: Any, known: Any) -> Any:
    """Find the one label of the rows that are not positive; None if there are none."""
    others = len(labels) - np.count_nonzero(positive)
    if not others:
        return known
    found = labels[np.argmin(positive)]
    label = found if known is None else known
    if np.count_nonzero(is_label(labels, label)) != others:
        strays = labels[~(positive | is_label(labels, label))]
        raise InvalidOptionError(
            f"y has the labels {shown(plain(label))} and {shown(plain(strays[0]))} beside "
            f"pos_label={pos_label!r}; two labels are wanted, one of them pos_label"
        )
    if isinstance(plain(label), str) != isinstance(pos_label, str):
        raise InvalidOptionError(
            f"y has the label {shown(plain(label))}, which is not of the type of "
            f"pos_label={pos_label!r}; say which label is the positive one"
        )
    return plain(label)


def plain(label: Any) -> Any:
    """A label as Python has it, for messages and comparisons."""
    return label.item() if isinstance(label, np.generic) else label
