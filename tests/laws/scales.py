"""Scores and codes do not change with the units of numbers, outcome and weights."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import vtreat_py as vt
from tests.laws.designs import RefusedError, refusable
from tests.laws.options import SHAPES
from tests.laws.tables import Table, counts, table

_UNITLESS = ["variable", "code", "rsq", "sig", "sig_fdr", "sig_fwer", "needs_split", "recommended"]
_OF_OUTCOME = ("catN", "catD", "catQ", "text", *SHAPES)


def units_of_numbers(random: Random) -> None:
    """Columns times a power of two: scores stay, and cleaned numbers are multiplied."""
    kind = random.choice(["numeric", "binomial", "multinomial"])
    drawn = table(random, kind, numbers=4, small=1, words=1)
    _without_numbers_of_options(drawn)
    for option in ("categorical", "composites", "hierarchies"):  # ranges are named by their ends
        drawn.options.pop(option, None)
    of_numbers = [name for name, values in drawn.columns.items() if _are_numbers(values)]
    power = _power(random, [v for name in of_numbers for v in drawn.columns[name]])
    columns = {
        name: _times(values, power) if name in of_numbers else values
        for name, values in drawn.columns.items()
    }
    _compare(random, drawn, replace(drawn, columns=columns), {"clean": power})


def units_of_outcome(random: Random) -> None:
    """An outcome times a power of two: scores stay, and impact codes are multiplied."""
    drawn = table(random, "numeric")
    _without_numbers_of_options(drawn)
    power = _power(random, drawn.y)
    scaled = replace(drawn, y=_times(drawn.y, power))
    _compare(random, drawn, scaled, dict.fromkeys(_OF_OUTCOME, power))


def units_of_weights(random: Random) -> None:
    """Weights times a power of two: what rests on ratios of weights alone stays.

    Weights are counts of rows: twice the weights are twice the rows, and p-values, shrinkage and
    impact codes know that. Numbers, indicators and how much of the outcome they explain do not.
    """
    kind = random.choice(["numeric", "binomial", "multinomial"])
    drawn = table(random, kind)
    drawn.options["coders"] = ["clean", "isBAD", "lev"]
    _without_numbers_of_options(drawn)  # a median, too, is that of so many rows
    of_so_many_rows = ("y_dependent_coders", "rare_count", "rare_sig", "collar_prob")
    for option in (*of_so_many_rows, "composites", "hierarchies"):
        drawn.options.pop(option, None)
    drawn.weight = counts(random, drawn.n_rows)
    power = random.choice([1, 2, -1, -2, 10, -10, 200, -200 if kind == "numeric" else -3])
    scaled = replace(drawn, weight=_times(drawn.weight, power))
    one, other = (refusable(lambda t=t: _plan(t)) for t in (drawn, scaled))  # type: ignore[misc]
    ours, theirs = one.score_frame, other.score_frame
    assert list(ours["variable"]) == list(theirs["variable"])
    # R's rule for when a logistic fit is done stops early where weights are far below a row, and
    # what repairs one of separated classes is so many rows.
    np.testing.assert_allclose(ours["rsq"], theirs["rsq"], rtol=5e-3, atol=1e-6)
    new = drawn.new_rows(random, 5).to_pandas()
    found, expected = (vt.prepare(plan, new) for plan in (other, one))
    pd.testing.assert_frame_equal(found, expected, rtol=1e-9, atol=1e-9)


def units_of_importance(random: Random) -> None:
    """Weights of importance times a power of two: nothing changes at all."""
    drawn = table(random, random.choice(["numeric", "binomial", "multinomial", "unsupervised"]))
    drawn.options["weight_kind"] = "importance"
    drawn.weight = [random.choice([0.0, 1.0, 3.5, random.random()]) for _ in range(drawn.n_rows)]
    power = random.choice([1, -2, 50, -50, 250, -250])
    _compare(random, drawn, replace(drawn, weight=_times(drawn.weight, power)), {})


def units_of_exposure(random: Random) -> None:
    """Exposures, or times, times a power of two: nothing changes at all."""
    drawn = table(random, random.choice(["rate", "survival"]))
    _without_numbers_of_options(drawn)
    if drawn.exposure is not None:
        power = _power(random, drawn.exposure)
        scaled = replace(drawn, exposure=_times(drawn.exposure, power))
    elif drawn.outcome_kind == "survival":
        scaled = replace(drawn, y=_times(drawn.y, _power(random, drawn.y)))
    else:
        raise RefusedError("no exposure to multiply")
    _compare(random, drawn, scaled, {})


def _compare(random: Random, drawn: Table, scaled: Table, moved: dict[str, int]) -> None:
    """Scores are the same to the bit; codes, but for those that have the unit."""
    one = refusable(lambda: _plan(drawn))
    other = refusable(lambda: _plan(scaled))
    pd.testing.assert_frame_equal(one.score_frame[_UNITLESS], other.score_frame[_UNITLESS])
    rows = drawn.pandas()[list(drawn.columns)].iloc[: random.choice([1, 5])]
    found = vt.prepare(other, scaled.pandas()[list(drawn.columns)].iloc[: len(rows)])
    expected = vt.prepare(one, rows)
    for variable in one.derived:
        values = np.ldexp(expected[variable.name], moved.get(variable.code, 0))
        if (np.abs(values) > 1e-300).all():  # smaller ones lose digits, when they are scaled
            np.testing.assert_array_equal(found[variable.name], values, err_msg=variable.name)


def _plan(drawn: Table) -> vt.TreatmentPlan:
    return vt.design_treatments(drawn.pandas(), **drawn.given)


def _power(random: Random, values: list[Any]) -> int:
    """Draw a power of two by which all values can be multiplied without loss."""
    sizes = [math.frexp(v)[1] for v in values if v and math.isfinite(v)]
    smallest = [abs(v) for v in values if v and math.isfinite(v)]
    if not sizes or min(smallest) < 1e-290:
        raise RefusedError("no number to multiply, or one that has lost digits already")
    low, high = -950 - min(sizes), 1020 - max(sizes)
    if low > high:
        raise RefusedError("numbers from end to end of what floats hold")
    near = [power for power in (1, -3, 30, -30, 200, -200) if low <= power <= high]
    return random.choice([*near, *near, random.randint(low, high), low, high])


def _times(values: list[Any], power: int) -> list[Any]:
    return [v if v is None else math.ldexp(v, power) for v in values]


def _are_numbers(values: list[Any]) -> bool:
    known = [v for v in values if v is not None]
    return all(type(v) in (int, float) for v in known)


def _without_numbers_of_options(drawn: Table) -> None:
    """Take out imputed numbers, which would have units of their own."""
    drawn.options.pop("imputation", None)
    drawn.options.pop("imputation_map", None)
    if isinstance(drawn.options.get("smoothing"), float) and drawn.options["smoothing"] > 1e9:
        del drawn.options["smoothing"]
