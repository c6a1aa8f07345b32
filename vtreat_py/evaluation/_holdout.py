"""A holdout whose labels are kept: what it gives away is a mean of bounded losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.labels import check_same_rows
from vtreat_py.evaluation._inputs import check_length, checked_weight, one_dimensional
from vtreat_py.evaluation._paired_rows import check_no_missing, units
from vtreat_py.evaluation._refusals import refused_as, shown
from vtreat_py.evaluation.paired_scores import Loss, per_row_loss

_BOUNDED = ("zero-one", "brier")
_FEWEST_UNITS = 2


class Holdout:
    """Rows with labels, and the mean loss of predictions on them.

    Units are what is independent of each other: rows, or groups of rows.
    """

    def __init__(
        self,
        y: Any,
        metric: Loss,
        bounds: Sequence[float] | None,
        pos_label: Any,
        sample_weight: Any,
        groups: Any,
    ) -> None:
        check_same_rows({"y": y, "sample_weight": sample_weight, "groups": groups})
        self._labelled, self._y = y, one_dimensional(y, "y")
        check_no_missing(self._y, "y", "; leave those rows out")
        self._metric, self._pos_label = metric, pos_label
        self.low, self.high = _checked_bounds(bounds, metric)
        self._weight = checked_weight(sample_weight, len(self._y))
        self._unit = units(groups, len(self._y))
        self._masses = np.bincount(self._unit, self._weight)
        if (n_counting := int(np.count_nonzero(self._masses))) < _FEWEST_UNITS:
            raise InvalidOptionError(
                f"rows or groups of the holdout that count are {n_counting}; two at least are "
                "wanted"
            )

    @property
    def metric(self) -> str:
        """The name of the loss."""
        return getattr(self._metric, "__name__", "loss") if callable(self._metric) else self._metric

    @property
    def width(self) -> float:
        """The greatest loss less the least."""
        return self.high - self.low

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self._y)

    @property
    def shares(self) -> FloatArray:
        """Share of the weight of each unit that has some."""
        counting = self._masses[self._masses > 0]
        return np.asarray(counting / counting.sum(), dtype=np.float64)

    @property
    def effective_n(self) -> float:
        """Equal units of which a mean would be as sure, 1 / (sum of squared shares)."""
        return float(1.0 / np.square(self.shares).sum())

    def losses(self, predictions: Any) -> FloatArray:
        """Loss of each row, within the bounds.

        What is refused says nothing of single labels: that would be an answer, too.
        """
        check_same_rows({"y": self._labelled, "predictions": predictions})
        values = one_dimensional(predictions, "predictions")
        check_length(values, self.n_rows, "predictions")
        losses = self._called(values) if callable(self._metric) else self._named(values)
        return np.clip(losses, self.low, self.high)

    def mean(self, losses: FloatArray) -> Fraction:
        """Weighted mean, as exact as losses and weights are."""
        total = Fraction(math.fsum(self._weight * losses))
        return total / Fraction(math.fsum(self._weight))

    def error_of_difference(self, losses: FloatArray, others: FloatArray) -> float:
        """Standard error of the mean difference of two submissions' losses, from how units differ.

        The weighted form of s / sqrt(n).
        """
        difference = losses - others
        off = difference - np.average(difference, weights=self._weight)
        of_units = np.bincount(self._unit, self._weight * off)
        n = len(self.shares)
        return float(np.sqrt(n / (n - 1) * np.square(of_units).sum()) / self._weight.sum())

    def _named(self, values: Any) -> FloatArray:
        options = {"metric": self._metric, "pos_label": self._pos_label}
        return per_row_loss(self._y, values, **options).to_numpy(dtype=np.float64)

    def _called(self, values: Any) -> FloatArray:
        with refused_as(f"{self.metric} of y and predictions must be numbers"):
            losses = np.asarray(self._metric(self._y, values), dtype=np.float64)  # type: ignore[operator]
        if losses.shape != self._y.shape:
            raise InvalidOptionError(
                f"{self.metric} gives values of shape {losses.shape} for {self.n_rows} rows; a "
                "loss of each row is wanted, since only means of rows are guarded"
            )
        if np.isnan(losses).any():
            raise InvalidOptionError(f"{self.metric} is NaN in some rows")
        return losses


def _checked_bounds(bounds: Any, metric: Any) -> tuple[float, float]:
    """Read what losses lie between; each named loss that is bounded has bounds of its own."""
    if bounds is None:
        if isinstance(metric, str) and metric in _BOUNDED:
            return 0.0, 1.0
        raise InvalidOptionError(
            f"bounds is missing: metric={shown(metric)} has none of its own, and the guarantee is "
            "of losses that have; give bounds=(least, greatest). Losses beyond count as the bound"
        )
    wanted = f"bounds={shown(bounds)}; give (least, greatest)"
    with refused_as(wanted):
        shape = np.shape(bounds)
    if isinstance(bounds, str) or shape != (2,):
        raise OptionTypeError(wanted)
    low, high = (check_number("bounds", float(b), -np.inf) for b in bounds)
    if not low < high:
        raise InvalidOptionError(f"bounds={shown(bounds)}; the first must be the lesser")
    return low, high
