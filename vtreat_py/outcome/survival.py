"""Times to an event, some of which are censored, as they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.base.errors import OptionTypeError, OutcomeError, counted
from vtreat_py.frames.columns import Column, NumericColumn
from vtreat_py.outcome.outcome import Exposure, OutcomeRows
from vtreat_py.outcome.rates import SURVIVAL, columns_of, is_pair_of_arrays
from vtreat_py.outcome.times import Survival
from vtreat_py.statistics.hazard import Times


def times_and_events(outcome: Any) -> tuple[Any, Any]:
    """Take an outcome apart: times, then events; None where all times are those of events.

    Parameters
    ----------
    outcome : two arrays or column names, array of shape (n, 2), list of pairs, or frame
        Times, then events. In a structured array or a frame, the one that holds booleans is the
        events, wherever it stands. One column alone is that of the times.

    Raises
    ------
    OutcomeError
        If there are other columns than one or two, or a tuple is not of two.
    """
    is_pair = isinstance(outcome, tuple)
    if isinstance(outcome, list) and len(outcome) == 2:
        is_pair = is_pair_of_arrays(outcome) or all(isinstance(one, str) for one in outcome)
    if is_pair and len(outcome) != 2:
        raise OutcomeError(
            f"the outcome is a tuple of {len(outcome)}; times to an event have two, the time and "
            "whether the event was seen: (times, events)"
        )
    if is_pair:
        return outcome[0], outcome[1]
    columns = columns_of(np.array(outcome) if isinstance(outcome, list) else outcome)
    if not 1 <= len(columns) <= 2:
        raise OutcomeError(
            f"the outcome has {len(columns)} columns; times to an event have two, the time and "
            "whether the event was seen: a tuple (times, events), a frame or a structured array"
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
        raise OutcomeError(
            "all events are at the last time, when no row is left to compare with: times must vary"
        )
    rate = np.where(expected.rate > 0.0, expected.rate, 1.0)  # 0 where rows that count tell nothing
    deviance = 2.0 * float((count * xlogy(seen, rate)).sum())
    return OutcomeRows(
        kind=SURVIVAL,
        name=name,
        note=f"{'times that all ended in' if event is None else 'times to'} an event, as asked",
        y=expected.rate,
        labels=seen.astype(np.int8),
        weight=count * expected.share,
        exposure=Exposure(seen.astype(np.float64), hazard, expected.share, weight),
        null_deviance=deviance / expected.mean,
        mean_exposure=expected.mean,
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
            'event was seen, and False or 0 where not; these are texts. Give status == "dead", say'
        )
    if event.bad is not None and event.bad.any():
        raise OutcomeError(
            f"events of the outcome are missing in {counted(int(event.bad.sum()), 'row')}, the "
            f"first is row {int(np.flatnonzero(event.bad)[0])}: remove those rows, or give False "
            "where a row was last seen without the event"
        )
    wrong = ~np.isin(event.values, (0, 1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise OutcomeError(
            f"events of the outcome are {event.values[row]:g} in row {row}; they must be True or 1 "
            "where the event was seen, False or 0 where not: of codes such as 1 and 2 give "
            "status == 2. (Times come first, then events)"
        )
    return np.asarray(event.values == 1)
