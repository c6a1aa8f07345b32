"""What pictures of plans share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, counted
from vtreat_py.base.figures import GREY
from vtreat_py.base.markup import plain

# So many standard errors on both sides hold 90% of a normal distribution.
INTERVAL = 1.645
FAINT = "#cccccc"
# Longer names are cut.
_LONGEST = 34


def check_supervised(plan: Any, what: str) -> None:
    """Refuse what is no plan, or has no outcome."""
    if not isinstance(plan, TreatmentPlan):
        raise OptionTypeError(
            f"plan is of type {type(plan).__name__}; give a TreatmentPlan, such as plan_ of a "
            "treatment, or plan of an experiment"
        )
    if plan.outcome_type == "unsupervised":
        raise InvalidOptionError(f"a plan without outcome has no {what} to draw")


def shortened(name: Any) -> str:
    """A name that leaves room for the picture, in one line; its end tells codes apart.

    It is no formula, and legends leave it out not even where it starts with an underscore.
    """
    text = plain(" ".join(str(name).split()), _LONGEST).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def in_quotes(name: Any) -> str:
    """The same, as the name of a column in a title."""
    return f"'{shortened(name)}'"


def outcome_words(plan: TreatmentPlan, target: Any) -> str:
    """What a mean of the outcome is."""
    name = None if plan.outcome_name is None else shortened(plan.outcome_name)
    of_class = plan.target if target is None else target
    if of_class is not None:
        return f"rate of {shortened(of_class)}" + (f" in {name}" if name else "")
    return f"mean of {name}" if name else "mean of the outcome"


def outcome_name(plan: TreatmentPlan, target: Any) -> str:
    """What a picture is about."""
    of_class = plan.target if target is None else target
    if of_class is not None:
        return f"Rate of {shortened(of_class)}"
    return "Outcome" if plan.outcome_name is None else shortened(plan.outcome_name)


def mark_overall(ax: Any, overall: float, *, along_x: bool) -> None:
    """Draw the mean of all rows as a dashed line."""
    line = ax.axvline if along_x else ax.axhline
    line(overall, color=GREY, linestyle="--", linewidth=1, zorder=1, label="all rows")


def beside(ax: Any, title: str, texts: Sequence[str]) -> None:
    """Write a column of texts at the right of the rows of a picture."""
    look = {"transform": ax.get_yaxis_transform(), "fontsize": "small", "color": GREY}
    for place, text in enumerate(texts):
        ax.text(1.02, place, text, va="center", **look)
    ax.annotate(
        title, (1.02, 1.0), (0, 4), "axes fraction", "offset points", color=GREY, fontsize="small"
    )


def as_count(number: float) -> str:
    """Rows, or their weight, in few digits."""
    return f"{number:,.0f}" if number >= 100 or number == round(number) else f"{number:.3g}"


def areas(count: FloatArray, largest: float = 220.0) -> FloatArray:
    """Areas of markers in proportion to numbers of rows, of which none is too small to see."""
    return np.maximum(largest * count / max(float(count.max()), 1e-300), 6.0)


def classes_of(outcome: Any) -> Any:
    """Distinct outcomes and the place of each row's among them."""
    missing = pd.isna(outcome)
    if missing.any():
        raise InvalidOptionError(
            f"y is missing in {counted(int(missing.sum()), 'row')}, the first in row "
            f"{int(np.argmax(missing))}; leave those rows out"
        )
    try:
        return np.unique(outcome, return_inverse=True)
    except TypeError as reason:
        raise InvalidOptionError(f"y mixes values that have no order: {reason}") from reason


def numbers_of(outcome: Any) -> FloatArray:
    """Outcomes that must be numbers."""
    try:
        return np.asarray(outcome, dtype=np.float64)
    except (TypeError, ValueError) as reason:
        raise InvalidOptionError(f"y must hold numbers, as the outcome does: {reason}") from reason
