"""What a design promises to those whose rows it sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError

# Budgets are multiples of this, so that noise can be drawn by whole numbers.
GRAIN = 2.0**-20
_MOST_EPSILON = 2.0**10
# Ends of ranges are so far apart that floats can square them.
_LARGEST = 1e100

Range = tuple[float, float]


@dataclass(frozen=True)
class DifferentialPrivacy:
    """A budget of differential privacy, and what is known before rows are seen.

    Whatever is in a plan that is designed so, is about as likely whether a row was among the
    training rows or not: for all sets of plans, ``P(plan | with the row) <= exp(epsilon) * P(plan |
    without it) + delta``, and the other way round (C. Dwork and A. Roth, *The Algorithmic
    Foundations of Differential Privacy*, 2014). Neighbours differ by one row that is added or taken
    away; who has several rows has as many times epsilon.

    Parameters
    ----------
    epsilon : float
        Above 0, and at most 1,024. It is split evenly: between the outcome of all rows and each
        column.
    delta : float, default=0.0
        Below 1: the probability by which a level of one row is published. It is split evenly
        between the columns of levels, which need it: well below 1 over the number of rows.
    outcome_range : (float, float), default=None
        Of a numeric outcome: the smallest and the largest, known without looking at the rows.
        Those beyond are cut off.
    number_ranges : dict from column to (float, float), default=None
        The same of each column of numbers.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        If a number is not as said.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({
    ...     "town": rng.choice(["Ayr", "Bath", "Cork"], 5_000), "age": rng.integers(18, 90, 5_000),
    ...     "paid": rng.uniform(size=5_000) < 0.3})
    >>> privacy = vt.DifferentialPrivacy(1.0, 1e-6, number_ranges={"age": (18, 90)})
    >>> plan = vt.design_treatments(
    ...     frame, outcome="paid", outcome_type="binomial", target=True, privacy=privacy)
    >>> plan.privacy.epsilon, plan.level_statistics
    (1.0, ())
    """

    epsilon: float
    delta: float = 0.0
    outcome_range: Range | None = None
    number_ranges: Any = None  # a dict, once checked

    def __post_init__(self) -> None:
        epsilon = check_number("epsilon", self.epsilon, GRAIN, _MOST_EPSILON)
        delta = check_number("delta", self.delta, 0.0, 1.0, below=True)
        ranges = {} if self.number_ranges is None else self.number_ranges
        if not isinstance(ranges, Mapping):
            raise OptionTypeError(
                f"number_ranges must be a dict from column to (smallest, largest); found "
                f"{type(ranges).__name__}"
            )
        given = self.outcome_range
        checked = {
            "epsilon": epsilon,
            "delta": delta,
            "outcome_range": None if given is None else _range("outcome_range", given),
            "number_ranges": {c: _range(f"number_ranges[{c!r}]", one) for c, one in ranges.items()},
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def told(self) -> str:
        """What it is, in a sentence."""
        return (
            f"Made of noisy counts and sums: ({self.epsilon:g}, {self.delta:g})-differential "
            "privacy, of rows that are added or taken away."
        )


def _range(name: str, given: Any) -> Range:
    try:
        low, high = map(float, given)
    except (TypeError, ValueError) as reason:
        raise OptionTypeError(f"{name}={given!r} must be two numbers") from reason
    if not (-_LARGEST <= low < high <= _LARGEST) or high / 2.0 == low / 2.0:
        raise InvalidOptionError(
            f"{name}={given!r}; the first must be smaller than the second, and both within "
            f"{_LARGEST:g}"
        )
    return low, high
