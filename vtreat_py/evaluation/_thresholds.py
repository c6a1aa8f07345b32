"""Which threshold is best, of those that the bins of scores can tell apart."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, meant
from vtreat_py.evaluation._formulas import SCORES, Counts, score_values
from vtreat_py.evaluation._inputs import finite_numbers
from vtreat_py.evaluation._refusals import shown

_LEAST_IS_BEST = {
    "error_rate",
    "fpr",
    "fnr",
    "false_discovery_rate",
    "false_omission_rate",
    "negative_likelihood_ratio",
}
_NOT_TO_BE_BEST = {"prevalence", "detection_prevalence"}


class Costs(NamedTuple):
    """What one row costs, by truth and call."""

    true_positive: float
    false_positive: float
    false_negative: float
    true_negative: float

    @classmethod
    def checked(cls, **costs: Any) -> Costs:
        """Read costs; each is a finite number."""
        return cls(**{name: float(finite_numbers([cost], name)[0]) for name, cost in costs.items()})

    def of(self, counts: Counts) -> FloatArray:
        """Sum of the costs of all rows."""
        return np.asarray(sum(cost * count for cost, count in zip(self, counts, strict=True)))


def best_place(metric: Any, counts: Counts) -> int:
    """Where a score of a classifier is best; the first of several such places."""
    known = [name for name in SCORES if name not in _NOT_TO_BE_BEST]
    if not isinstance(metric, str) or metric not in known:
        raise InvalidOptionError(
            f"metric is {shown(metric)}; it can be a score of confusion_scores that calls decide, "
            f"such as 'f1', 'accuracy' or 'informedness'{meant(metric, known)}"
        )
    values = score_values(metric, counts)
    if np.isnan(values).all():
        raise InvalidOptionError(
            f"{metric} is not defined at any threshold; there are rows of one class only"
        )
    return int(np.nanargmin(values) if metric in _LEAST_IS_BEST else np.nanargmax(values))
