"""Rates: counts of events, each per exposure."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy.special import xlogy

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import is_one_of
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, OutcomeError
from vtreat_py.frames.beside import read_along
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.outcome.outcome import Exposure, OutcomeType

RATE: OutcomeType = "rate"
SURVIVAL: OutcomeType = "survival"
COUNTS = RATE, SURVIVAL
# Floats hold the products of such exposures and counts, and the squares of their rates.
_SMALLEST, _GREATEST = 1e-50, 1e50


def type_asked(outcome_type: Any, exposure: Any) -> Any:
    """Type of outcome that options ask for; they need not have been checked."""
    return RATE if outcome_type is None and exposure is not None else outcome_type


def counts_events(outcome_type: Any, exposure: Any) -> bool:
    """Whether options ask for a rate, or for times to an event, which are told as rates."""
    return is_one_of(type_asked(outcome_type, exposure), COUNTS)


def check_exposure_asked(exposure: Any, outcome_type: str | None) -> None:
    """Refuse an exposure of an outcome that is no rate."""
    if exposure is not None and outcome_type not in (None, RATE):
        raise InvalidOptionError(
            f'exposure= is what counts are per, of outcome_type="{RATE}"; this one is '
            f'"{outcome_type}". Leave it out, or give it as sample_weight= if rows count so often'
        )


def check_weighed_once(exposure: Any, sample_weight: Any) -> None:
    """Refuse an exposure that is the weight, too."""
    same = exposure is sample_weight or (
        isinstance(exposure, str) and isinstance(sample_weight, str) and exposure == sample_weight
    )
    if exposure is not None and same:
        raise InvalidOptionError(
            "exposure and sample_weight are the same, so that rows would count by the square of "
            "their exposure; leave sample_weight out: rows weigh what they are exposed to"
        )


def counts_and_exposures(y: Any) -> tuple[Any, Any]:
    """Take an outcome of two columns apart: counts, then exposures; None where there is one.

    Raises
    ------
    OutcomeError
        If there are other columns than two.
    """
    columns = list(y) if is_pair_of_arrays(y) else columns_of(y)
    if not 1 <= len(columns) <= 2:
        raise OutcomeError(
            f"y has {len(columns)} columns; a rate has two, counts and what they are per"
        )
    return columns[0], columns[1] if len(columns) == 2 else None


def is_pair_of_arrays(y: Any) -> bool:
    """Whether a tuple or list has two arrays."""
    listed = isinstance(y, tuple | list) and len(y) == 2
    return listed and all(len(getattr(one, "shape", ())) == 1 for one in y)


def columns_of(y: Any) -> list[Any]:
    """Take an outcome apart: a structured array, a frame or an array of two dimensions, or one."""
    fields = getattr(getattr(y, "dtype", None), "names", None)
    if fields is not None:
        return [y[name] for name in fields]
    if len(getattr(y, "shape", ())) != 2:
        return [y]
    if hasattr(y, "iloc"):  # its names may repeat
        return [y.iloc[:, k] for k in range(y.shape[1])]
    frame = nw.from_native(y, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return [column.to_native() for column in frame.iter_columns()]
    return list(np.asarray(y).T)


def read_exposure(frame: InputFrame, exposure: Any) -> FloatArray:
    """Read what counts are per, from a column name or an array; 1 each where none is given.

    Raises
    ------
    OutcomeError
        If it is missing, not finite, or not above 0 in a row.
    """
    if exposure is None:
        return np.ones(frame.n_rows)
    column = read_along(frame, "exposure", exposure)
    if not isinstance(column, NumericColumn) or column.kind != "number":
        raise no_exposure()
    values = column.values.astype(np.float64, copy=False)
    wrong = ~(values > 0.0) if column.bad is None else column.bad | ~(values > 0.0)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise never_at_risk(int(wrong.sum()), f", the first is {values[row]:g} in row {row}")
    check_size_of_exposures(float(values.min()), float(values.max()))
    return values


def no_exposure() -> OptionTypeError:
    """Error for exposures of another type."""
    return OptionTypeError("exposure must hold numbers above 0: what the counts are per")


def never_at_risk(number: int, such_as: str) -> OutcomeError:
    """Error for rows without exposure."""
    return OutcomeError(
        f"exposure has {number} values that are no numbers above 0{such_as}; remove those rows, "
        "which were never at risk, or give their exposure"
    )


def check_size_of_exposures(low: float, high: float) -> None:
    """Refuse exposures that floats cannot multiply and square, given their ends."""
    if low < _SMALLEST or high > _GREATEST:
        raise OutcomeError(
            f"exposure goes from {low:g} to {high:g}; allowed are numbers from {_SMALLEST:g} to "
            f"{_GREATEST:g}: give it in another unit"
        )


def rates_of(count: FloatArray, exposure: FloatArray, weight: FloatArray | None) -> dict[str, Any]:
    """What `OutcomeRows` has of counts and exposures.

    Raises
    ------
    OutcomeError
        If a count is below 0 or very large, or if there is no event, or nothing varies.
    """
    check_counts(count)
    w = np.ones(len(count)) if weight is None else weight
    rows = float(w.sum())
    mean_exposure = float((w * exposure).sum()) / rows
    events, some = float((w * count).sum()), w > 0
    rate, share = count / exposure, exposure / mean_exposure
    check_rates(events, float(rate[some].min()), float(rate[some].max()))
    of_weight = share if weight is None else weight * share
    overall = events / (rows * mean_exposure)
    deviance = 2.0 * float((w * xlogy(count, rate / overall)).sum())
    return {
        "y": rate,
        "labels": rate,
        "weight": None if (of_weight == 1.0).all() else of_weight,
        "exposure": Exposure(count, exposure, share, weight),
        "null_deviance": deviance / mean_exposure,
        "mean_exposure": mean_exposure,
    }


def note_of_rate(outcome_type: str | None) -> str:
    """Say why an outcome was taken for a rate."""
    why = "as asked" if outcome_type == RATE else "because exposure= is given"
    return f"rate of events per exposure, {why}"


def check_no_target(target: Any, outcome_type: OutcomeType) -> None:
    """Refuse a class of an outcome that has none."""
    if target is not None:
        raise OutcomeError(f'target= names a class; outcome_type="{outcome_type}" has none')


def no_counts() -> OutcomeError:
    """Error for counts of another type."""
    return OutcomeError(
        f'the outcome holds no numbers, but outcome_type="{RATE}" counts events; convert it'
    )


def negative_counts(number: int, such_as: str) -> OutcomeError:
    """Error for counts below 0."""
    return OutcomeError(
        f'the outcome has {number} negative numbers{such_as}; with outcome_type="{RATE}" it '
        'counts events. For numbers of any sign ask for outcome_type="numeric"'
    )


def check_counts(count: FloatArray) -> None:
    """Refuse counts below 0, and very large ones."""
    negative = np.flatnonzero(count < 0.0)
    if len(negative):
        row = int(negative[0])
        raise negative_counts(len(negative), f", the first is {count[row]:g} in row {row}")
    check_size_of_counts(float(count.max()))


def check_size_of_counts(largest: float) -> None:
    """Refuse counts of which floats lose the squares."""
    if largest > _GREATEST:
        raise OutcomeError(
            f"the outcome holds {largest:g}, more than the {_GREATEST:g} events that sums of "
            "squares can take: give it in another unit"
        )


def check_rates(events: float, low: float, high: float) -> None:
    """Refuse an outcome without events, or one that does not vary."""
    if not events > 0.0:
        raise OutcomeError("the outcome is 0 in every row that counts; a rate needs some event")
    if low == high:
        raise OutcomeError(f"the rate is {low:g} in every row that counts; it must vary")
