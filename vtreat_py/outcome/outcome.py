"""What is predicted: kind, rows and weights."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from vtreat_py.base.arrays import FloatArray, NumberArray

OutcomeType = Literal["numeric", "binomial", "multinomial", "unsupervised"]


# Weights with a larger sum are not taken for counts of rows that could be permuted one by one.
MOST_SPELT_OUT = 1e7


@dataclass(frozen=True)
class Weighting:
    """What weights are.

    Attributes
    ----------
    counts_rows : bool
        Whether they are whole numbers, so few in all that rows can be spelt out.
    unit : float
        What they are multiplied by to sum to the effective number of rows,
        ``(sum w)**2 / sum w**2`` (L. Kish, *Survey Sampling*, 1965); 1 where they count rows.
    """

    counts_rows: bool = True
    unit: float = 1.0

    @classmethod
    def of(cls, weight: FloatArray | None) -> Weighting:
        """Look at the weights of all rows."""
        if weight is None or counts_rows(weight):
            return cls()
        scaled = weight / weight.max()
        return cls(False, float(scaled.sum() / (scaled * scaled).sum() / weight.max()))


def counts_rows(weight: FloatArray) -> bool:
    """Whether weights are whole numbers, so few in all that rows can be spelt out."""
    return bool((weight == np.rint(weight)).all()) and float(weight.sum()) <= MOST_SPELT_OUT


@dataclass(frozen=True, eq=False)
class Outcome:
    """The outcome as the statistics take it.

    Where the rows are elsewhere, ``y`` has the different values of the outcome, ``weight`` the
    weight of each, and ``weighting`` says what the rows' own weights are.

    Attributes
    ----------
    kind : "numeric", "binomial", "multinomial" or "unsupervised"
    name : hashable or None
        The column it came from.
    target : object
        The positive class.
    y : ndarray of shape (n,)
        0 and 1 (int8) for a class, numbers less ``centre``, zeros without outcome; with several
        classes the place of the row's class in ``classes`` (unsigned).
    centre : float
        The outcome's weighted mean, when numeric.
    labels : ndarray of shape (n,)
        What splitters stratify on: classes by number, or the numbers as they were given.
    weight : ndarray of shape (n,) or None
        Frequency weights; None when all are 1.
    note : str
        How type and target were chosen.
    classes : tuple
        The classes of a multinomial outcome, sorted.
    weighting : Weighting or None
        None: as ``weight`` says.
    """

    kind: OutcomeType
    name: Hashable | None
    target: Any
    y: NumberArray
    centre: float
    labels: NumberArray
    weight: FloatArray | None
    note: str
    classes: tuple[Any, ...] = ()
    weighting: Weighting | None = None

    def of_class(self, number: int) -> Outcome:
        """One of several classes against the others."""
        y = (self.y == number).astype(np.int8)
        return replace(
            self, kind="binomial", target=self.classes[number], y=y, labels=y, classes=()
        )
