"""Times to an event, some of which are censored, as they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.base.errors import OptionTypeError, OutcomeError
from vtreat_py.frames.columns import Column, NumericColumn
from vtreat_py.outcome.outcome import Exposure, OutcomeRows
from vtreat_py.outcome.rates import SURVIVAL, columns_of
from vtreat_py.outcome.times import Survival
from vtreat_py.statistics.hazard import Times


def times_and_events(outcome: Any) -> tuple[Any, Any]:
    """Take an outcome apart: times, then events; None where all times are those of events.

    Parameters
    ----------
    outcome : tuple of two arrays or column names, array of shape (n, 2), list of pairs, frame
        Times, then events. In a structured array or a frame, the one that holds booleans is the
        events, wherever it stands. One column alone is that of the times.

    Raises
    ------
    OutcomeError
        If there are other columns than one or two.
    """
    names = isinstance(outcome, list) and all(isinstance(one, str) for one in outcome)
    if (names or isinstance(outcome, tuple)) and len(outcome) == 2:
        return outcome[0], outcome[1]
    columns = columns_of(np.array(outcome) if isinstance(outcome, list) else outcome)
    if len(columns) > 2:
        raise OutcomeError(
            f"the outcome has {len(columns)} columns; times to an event have two, the time and "
            "whether the event was seen"
        )
    if len(columns) == 1:
        return columns[0], None
    first, second = columns
    return (second, first) if _holds_flags(first) else (first, second)


def _holds_flags(column: Any) -> bool:
    kind = getattr(column, "dtype", getattr(column, "type", ""))  # Arrow's columns have a type
    return str(kind).lower() in ("bool", "boolean", "bool[pyarrow]")


def read_survival(
    time: Column, event: Column | None, name: Any, weight: FloatArray | None
) -> OutcomeRows:
    """Check times and events, and take them for the outcome.

    Raises
    ------
    OutcomeError
        If a time is missing, infinite or below 0, if an event is neither seen nor not, or if none
        is seen in a row that counts.
    """
    seen = np.ones(len(time), dtype=bool) if event is None else _events(event)
    count = np.ones(len(seen)) if weight is None else weight
    if not (seen & (count > 0)).any():
        raise OutcomeError(
            "no event is seen in a row that counts: all times are censored, so that there is "
            "nothing to learn from"
        )
    survival = Survival(Times.of(_times(time), seen), count)
    expected = survival.known_to(count)
    hazard = expected.mean * expected.share
    residual = (seen - hazard)[count > 0]
    if residual.min() == residual.max():
        raise OutcomeError("all rows that count have their event at the same time; times must vary")
    rate = np.where(expected.rate > 0.0, expected.rate, 1.0)  # 0 where rows that count tell nothing
    deviance = 2.0 * float((count * xlogy(seen, rate)).sum())
    return OutcomeRows(
        kind=SURVIVAL,
        name=name,
        note="times to an event, as asked",
        y=expected.rate,
        labels=seen.astype(np.int8),
        weight=count * expected.share,
        exposure=Exposure(seen.astype(np.float64), hazard, expected.share, weight),
        null_deviance=deviance / expected.mean,
        noise=expected.noise,
        survival=survival,
    )


def _times(time: Column) -> FloatArray:
    if not isinstance(time, NumericColumn) or time.kind not in ("number", "duration"):
        raise OptionTypeError(
            'outcome_type="survival" takes (times, events): times must be numbers or durations '
            "since each row began"
        )
    values = time.values.astype(np.float64, copy=False)
    wrong = ~(values >= 0.0) if time.bad is None else time.bad | ~(values >= 0.0)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise OutcomeError(
            f"the outcome has {int(wrong.sum())} times that are no numbers from 0 on, the first is "
            f"{values[row]:g} in row {row}; give the time since each row began until its event, or "
            "until it was last seen"
        )
    return values


def _events(event: Column) -> BoolArray:
    """Whether events were seen, of booleans or of 0 and 1."""
    if not isinstance(event, NumericColumn):
        raise OptionTypeError(
            'outcome_type="survival" takes (times, events): events must be True or 1 where the '
            "event was seen, and False or 0 where not"
        )
    wrong = ~np.isin(event.values, (0, 1))
    if event.bad is not None:
        wrong |= event.bad
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise OutcomeError(
            f"events of the outcome are {event.values[row]:g} in row {row}; they must be True or 1 "
            "where the event was seen, False or 0 where not: of codes such as 1 and 2 give "
            "status == 2. (Times come first, then events)"
        )
    return np.asarray(event.values == 1)
