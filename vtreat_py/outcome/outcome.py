"""What is predicted: kind, rows and weights."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self

import numpy as np

from vtreat_py.base.arrays import FloatArray, NumberArray
from vtreat_py.outcome.times import Survival

OutcomeType = Literal["numeric", "binomial", "multinomial", "rate", "survival", "unsupervised"]


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
class Exposure:
    """Events of rows, and what they are per.

    Attributes
    ----------
    events, given : ndarray of shape (n,)
        Counts, and the exposure of each; of times, the events that are expected.
    share : ndarray of shape (n,)
        Exposure over its mean.
    weight : ndarray of shape (n,) or None
        Weights of the rows, without it.
    name : hashable or None
        The column it came from.
    """

    events: FloatArray
    given: FloatArray
    share: FloatArray
    weight: FloatArray | None
    name: Hashable | None = None

    @property
    def rate(self) -> float:
        """Events over exposures, of all rows."""
        if self.weight is None:
            return float(self.events.sum() / self.given.sum())
        return float((self.weight * self.events).sum() / (self.weight * self.given).sum())


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """What is predicted.

    Attributes
    ----------
    kind : "numeric", "binomial", "multinomial", "rate", "survival" or "unsupervised"
    name : hashable or None
        The column it came from.
    target : object
        The positive class.
    note : str
        How type and target were chosen.
    classes : tuple
        The classes of a multinomial outcome, sorted.
    """

    kind: OutcomeType
    name: Hashable | None
    target: Any = None
    note: str
    classes: tuple[Any, ...] = ()

    @property
    def is_number(self) -> bool:
        """Whether rows have a number: one of their own, or a rate."""
        return self.kind == "numeric" or self.is_rate

    @property
    def is_rate(self) -> bool:
        """Whether rows have events, each per exposure: of times, per expected event."""
        return self.kind in ("rate", "survival")

    def side(self, mean: float) -> float:
        """-1 for a class that most rows are of, else 1: what is drawn is then of the rarer one."""
        return -1.0 if self.kind == "binomial" and mean > 0.5 else 1.0

    def _of_class(self, number: int, **changes: Any) -> Self:
        """One of several classes against the others."""
        target = self.classes[number]
        return replace(self, kind="binomial", target=target, classes=(), **changes)


@dataclass(frozen=True, eq=False, kw_only=True)
class OutcomeRows(Outcome):
    """The outcome in the rows of a frame, as the statistics take it.

    Attributes
    ----------
    y : ndarray of shape (n,)
        0 and 1 (int8) for a class, numbers less ``centre``, zeros without outcome; with several
        classes the place of the row's class in ``classes`` (unsigned); counts per unit of exposure
        for rates.
    centre : float
        The outcome's weighted mean, when numeric.
    labels : ndarray of shape (n,)
        What splitters stratify on: classes by number, or the numbers as they were given.
    weight : ndarray of shape (n,) or None
        Frequency weights, for rates times the exposure; None when all are 1.
    exposure : Exposure or None
        For rates.
    null_deviance, mean_exposure : float
        See `OutcomeValues`.
    noise : float or None
        For times to an event: variance of the outcome in a row of average exposure, which rows
        themselves do not tell.
    survival : Survival or None
        Those times.
    """

    y: NumberArray
    centre: float = 0.0
    labels: NumberArray
    weight: FloatArray | None
    exposure: Exposure | None = None
    null_deviance: float = 0.0
    mean_exposure: float = 1.0
    noise: float | None = None
    survival: Survival | None = None

    @property
    def told_by(self) -> tuple[NumberArray, ...]:
        """The outcome in each way in which a column may copy it."""
        if self.survival is not None:
            return self.survival.times.place, self.survival.times.event.view(np.uint8)
        return (self.y,) if self.exposure is None else (self.y, self.exposure.events)

    @property
    def model_weight(self) -> FloatArray | None:
        """Weights to train a model with: of times those that were given."""
        if self.survival is not None and self.exposure is not None:
            return self.exposure.weight
        return self.weight

    def of_class(self, number: int) -> OutcomeRows:
        """One of several classes against the others."""
        y = (self.y == number).astype(np.int8)
        return self._of_class(number, y=y, labels=y)

    def values(self, weighting: Weighting | None = None) -> OutcomeValues:
        """The outcome of each row as a value of its own."""
        of_rows = ("labels", "exposure", "noise", "survival")
        kept = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in of_rows}
        weight = self.weight if self.exposure is None else self.exposure.weight
        return OutcomeValues(**kept, weighting=weighting or Weighting.of(weight))


@dataclass(frozen=True, eq=False, kw_only=True)
class OutcomeValues(Outcome):
    """The values of the outcome: what is asked of it as a whole, wherever the rows are.

    Attributes
    ----------
    y : ndarray of shape (values,)
        The values, as `OutcomeRows` has them; they may repeat.
    centre : float
    weight : ndarray of shape (values,) or None
        Weight of each; None when all are 1.
    weighting : Weighting
        What the weights of the rows are.
    null_deviance : float
        For rates: of the Poisson regression without variables, over the mean exposure.
    mean_exposure : float
        For rates: what deviances are in units of; of times the mean of the expected events.
    """

    y: NumberArray
    centre: float = 0.0
    weight: FloatArray | None
    weighting: Weighting
    null_deviance: float = 0.0
    mean_exposure: float = 1.0

    def of_class(self, number: int) -> OutcomeValues:
        """One of several classes against the others."""
        return self._of_class(number, y=(self.y == number).astype(np.int8))

    def counted(self) -> OutcomeValues:
        """The values whose weight is not 0."""
        if self.weight is None or self.weight.all():
            return self
        some = self.weight > 0
        return replace(self, y=self.y[some], weight=self.weight[some])
