"""Counts per exposure of a lazy frame, as the outcome of a design."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.lazy.aggregates import Asked, one_where, totals, value_where
from vtreat_py.lazy.columns import (
    LazyExposure,
    LazyNumber,
    named_column,
    typed_frame,
)
from vtreat_py.lazy.rows import DesignRows
from vtreat_py.outcome.outcome import OutcomeValues, Weighting
from vtreat_py.outcome.rates import (
    RATE,
    check_no_target,
    check_rates,
    check_size_of_counts,
    check_size_of_exposures,
    negative_counts,
    never_at_risk,
    no_counts,
    no_exposure,
    note_of_rate,
)
from vtreat_py.outcome.reading import check_asked, incomplete


def with_rate(
    rows: DesignRows,
    weighting: Weighting,
    outcome: Any,
    outcome_type: str | None,
    exposure: Any,
    target: Any,
) -> DesignRows:
    """Read and check counts and exposures; one query looks at all of them.

    Raises
    ------
    OutcomeError, OptionTypeError
        As `vtreat_py.outcome.reading.read_outcome` does.
    """
    check_asked(1, outcome, outcome_type)
    check_no_target(target, RATE)
    count = named_column(rows.source, "outcome", outcome)
    if not isinstance(count, LazyNumber) or count.kind != "number":
        raise no_counts()
    per = _exposure(rows, exposure)
    found = _looked_at(rows, count, per)
    _check(found)
    mean = found["exposed"] / found["weight"]
    overall = found["events"] / found["exposed"]
    counted = found["counted"]
    means = found["weight"] / counted, found["varied"] / mean / counted
    rows = replace(rows, mean_weights=means)
    if per is not None:
        weight = LazyExposure(**vars(per), unit=1.0 / mean, times=rows.weight)
        rows = replace(rows, weight=weight)
    deviance = 2.0 * (found["surprise"] - np.log(overall) * found["events"])
    values = OutcomeValues(
        kind=RATE,
        name=outcome,
        note=note_of_rate(outcome_type),
        y=np.array([overall]),
        weight=np.array([found["weight"]]),
        weighting=weighting,
        null_deviance=deviance / mean,
        mean_exposure=mean,
    )
    return rows.with_outcome(values, int(found["rows"]), count)


def _exposure(rows: DesignRows, exposure: Any) -> LazyNumber | None:
    if exposure is None:
        return None
    column = named_column(rows.source, "exposure", exposure)
    if not isinstance(column, LazyNumber) or column.kind != "number":
        raise no_exposure()
    return column


def _looked_at(rows: DesignRows, count: LazyNumber, per: LazyNumber | None) -> dict[str, float]:
    """What is asked of all rows, and of those that count."""
    beside = [c for c in (rows.weight, per) if c is not None]
    frame = typed_frame(rows.source, [count, *beside])
    c, e = count.good, nw.lit(1.0) if per is None else per.good
    rate = value_where(rows.counts, c / e)
    some = value_where((c > 0.0) & (e > 0.0), c)
    asked: dict[str, Asked] = {
        "rows": ("count", nw.lit(1)),
        "counted": ("count", one_where(rows.counts)),
        "bad": ("count", one_where(count.is_bad)),
        "infinite": ("count", one_where(count.is_bad & ~count.value.is_nan())),
        "negative": ("count", one_where(c < 0.0)),
        "least": ("min", c),
        "most": ("max", c),
        "low": ("min", rate),
        "high": ("max", rate),
        "weight": ("sum", rows.weighted(nw.lit(1.0))),
        "exposed": ("sum", rows.weighted(e)),
        "varied": ("sum", rows.weighted(rows.weighted(e))),
        "events": ("sum", rows.weighted(c)),
        "surprise": ("sum", rows.weighted(some * (some / e).log())),
        "no_exposure": ("count", one_where(nw.lit(value=False) if per is None else _wrong(per))),
        "lowest": ("min", e),
        "highest": ("max", e),
    }
    return totals(frame, asked)


def _wrong(per: LazyNumber) -> nw.Expr:
    return per.is_bad | (per.value <= 0.0).fill_null(value=True)


def _check(found: dict[str, float]) -> None:
    """Refuse counts and exposures that are none."""
    n_rows, bad, infinite = (int(found[name]) for name in ("rows", "bad", "infinite"))
    check_asked(n_rows, "", None)
    if bad:
        raise incomplete(bad - infinite, infinite, n_rows)
    if found["no_exposure"]:
        raise never_at_risk(int(found["no_exposure"]), "")
    check_size_of_exposures(found["lowest"], found["highest"])
    if found["negative"]:
        raise negative_counts(int(found["negative"]), f", the smallest is {found['least']:g}")
    check_size_of_counts(found["most"])
    check_rates(found["events"], found["low"], found["high"])
