"""Ways to say the same twice: weights or repeated rows, one class or the other, any container."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import repeat
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import vtreat_py as vt
from tests.laws.designs import refusable
from tests.laws.options import SHAPES
from tests.laws.tables import Table, counts, table

# Sums of the same rows in another order.
_ROUNDING = {"rtol": 1e-7, "atol": 1e-9}


def weights_or_repeated_rows(random: Random) -> None:
    """A weight of two is two rows, in every score and every code."""
    kinds = ["numeric", "binomial", "multinomial", "rate", "survival", "unsupervised"]
    drawn = table(random, random.choice(kinds))
    drawn.weight = counts(random, drawn.n_rows)
    drawn.options.pop("weight_kind", None)
    drop_series(drawn)
    _without_shapes_of_r(drawn, "piecewise", "window")  # which count rows, whatever their weight
    rows = [i for i, weight in enumerate(drawn.weight) for _ in range(int(weight))]
    repeated = drawn.pandas().iloc[rows].reset_index(drop=True).drop(columns="weight")
    given = {name: value for name, value in drawn.given.items() if name != "sample_weight"}
    one = refusable(lambda: vt.design_treatments(drawn.pandas(), **drawn.given))
    other = vt.design_treatments(repeated, **given)
    assert_alike(random, drawn, one, other, {}, ties=True)


def drop_series(drawn: Table) -> None:
    """Rows in order of time are not repeated, and not to be had of lazy frames."""
    if drawn.options.get("significance") == "ordered":
        del drawn.options["significance"]


def classes_swapped(random: Random) -> None:
    """The other class as target: effects change their sign, and nothing else does."""
    drawn = _with_telling_options(random, table(random, "binomial"))
    classes = sorted(set(drawn.y))
    if random.random() < 0.3:
        drawn.weight = counts(random, drawn.n_rows)
    one, other = (
        refusable(lambda t=t: vt.design_treatments(drawn.pandas(), **drawn.given, target=t))  # type: ignore[misc]
        for t in classes
    )
    turned = ["catB", "text", *SHAPES]
    assert_alike(random, drawn, one, other, dict.fromkeys(turned, -1.0))
    _assert_slopes_turned(drawn, one, other, *turned)


def outcome_negated(random: Random) -> None:
    """An outcome of the other sign does the same to numeric designs."""
    drawn = _with_telling_options(random, table(random, "numeric"))
    if random.random() < 0.3:
        drawn.weight = counts(random, drawn.n_rows)
    if drawn.options.get("weight_kind") == "importance" and "catQ" in drawn.options.get(
        "coders", ()
    ):
        drawn.options["coders"].remove("catQ")  # rounding of weights decides which row is next
    options = drawn.options | {"quantile": 1.0 - drawn.options.get("quantile", 0.5)}
    negated = replace(drawn, y=[-value for value in drawn.y], options=options)
    one, other = (
        refusable(lambda t=t: vt.design_treatments(t.pandas(), **t.given))  # type: ignore[misc]
        for t in (drawn, negated)
    )
    # Blocks of rows, whose spread is compared, are dealt by the order of outcomes.
    without = [] if is_classic(drawn) else ["catD"]
    turned = ["catN", "catQ", "text", *SHAPES]
    assert_alike(random, drawn, one, other, dict.fromkeys(turned, -1.0), without)
    _assert_slopes_turned(drawn, one, other, *turned)


def _with_telling_options(random: Random, drawn: Table) -> Table:
    """Ask often for classic p-values, all digits of which are told, and for tests of levels."""
    if random.random() < 0.5:
        drawn.options["significance"] = "classic"
    if random.random() < 0.3:
        drawn.options["rare_sig"] = random.choice([0.05, 0.3, 0.7])
    _without_shapes_of_r(drawn, "isotonic")  # R's rises where it fits as well as it falls
    return drawn


def _without_shapes_of_r(drawn: Table, *names: str) -> None:
    """Leave out shapes where they are made as R makes them."""
    follows_r = is_classic(drawn) and not isinstance(drawn.options.get("smoothing", "auto"), str)
    if follows_r and "coders" in drawn.options:
        drawn.options["coders"] = [c for c in drawn.options["coders"] if c not in names]


def is_classic(drawn: Table) -> bool:
    return drawn.options.get("significance") == "classic"


def _assert_slopes_turned(
    drawn: Table, one: vt.TreatmentPlan, other: vt.TreatmentPlan, *impact: str
) -> None:
    """Slopes change their sign, but for those of the code that does so itself."""
    for ours, theirs in zip(one.derived, other.derived, strict=True):
        if ours.rsq < 1e-12:  # rounding, in the unit of the column
            continue
        sign = 1 if ours.code in impact else -1
        rounding = 1e-9 * _slope_of_all(drawn, ours)  # of no correlation, but in folds
        np.testing.assert_allclose(ours.slope, sign * theirs.slope, rtol=1e-6, atol=rounding)


def _slope_of_all(drawn: Table, variable: Any) -> float:
    """How steep a copy of numbers would be that says all of the outcome; 1 of other variables."""
    numbers = _numbers(drawn, variable.orig_variable) if variable.code == "clean" else []
    spread = max(numbers, default=1.0) / 2.0 - min(numbers, default=-1.0) / 2.0
    size = 1.0 if drawn.outcome_kind != "numeric" else max(map(abs, drawn.y))
    return max(1.0, size / spread) if spread > 0 else 1.0


def assert_alike(
    random: Random,
    drawn: Table,
    one: vt.TreatmentPlan,
    other: vt.TreatmentPlan,
    factor: dict[str, float],
    without: list[str] | None = None,
    ties: bool = False,
    untested: Sequence[str] = (),
) -> None:
    """Two plans have the same scores, and codes up to a factor.

    Rows of codes ``without`` are not compared, nor p-values of those that are ``untested``.
    """
    kept = ["variable", "code", "rsq", "varies", "needs_split", "default_threshold"]
    ours, theirs = (
        plan.score_frame[~plan.score_frame["code"].isin(without or [])].reset_index(drop=True)
        for plan in (one, other)
    )
    far = [_rounding_of_mean(drawn, name) > _ROUNDING["rtol"] for name in ours["orig_variable"]]
    ours.loc[far, "rsq"] = theirs.loc[far, "rsq"]
    pd.testing.assert_frame_equal(ours[kept], theirs[kept], **_ROUNDING)  # type: ignore[call-overload]
    draws = not is_classic(drawn) or "composites" in drawn.options
    drawn_anew = -1.0 in factor.values() and draws
    tested = ~ours["code"].isin(untested)
    tested &= ~ours["orig_variable"].map(lambda name: _mean_is_rounding(drawn, name))
    assert_same_p_values(ours[tested], theirs[tested], drawn_anew=drawn_anew, ties=ties)
    new = drawn.new_rows(random, 6).to_pandas()
    found, expected = vt.prepare(one, new), vt.prepare(other, new)
    for variable in one.derived:
        values = factor.get(variable.code, 1.0) * expected[variable.name]
        np.testing.assert_allclose(
            found[variable.name], values, err_msg=variable.name, rtol=1e-7,
            atol=1e-9 * max(1.0, float(np.abs(values).max()), _largest(drawn, variable)),
        )  # fmt: skip


def _largest(drawn: Table, variable: Any) -> float:
    """Size of the numbers that a mean was made of."""
    return max(map(abs, _numbers(drawn, variable.orig_variable)), default=0.0)


def _rounding_of_mean(drawn: Table, name: str) -> float:
    """How far the mean that stands for bad values may be rounded, in standard deviations."""
    numbers = _numbers(drawn, name)
    if not numbers or len(numbers) == len(drawn.columns[name]):
        return 0.0
    spread = max(numbers) - min(numbers)
    return 10 * math.ulp(max(map(abs, numbers))) / spread if spread > 0 else 0.0


def _mean_is_rounding(drawn: Table, name: str) -> bool:
    """Whether rounding says which numbers the mean, that stands for bad values, is between."""
    numbers = _numbers(drawn, name)
    if not numbers or len(numbers) == len(drawn.columns[name]):
        return False
    weighted = zip(drawn.columns[name], drawn.weight or repeat(1.0), strict=False)
    known = [(Fraction(x), Fraction(w)) for x, w in weighted if x in numbers]
    total = sum(w for _, w in known)
    mean = sum(x * w for x, w in known) / total if total else Fraction(0)
    rounding = 10 * Fraction(math.ulp(max(map(abs, numbers))))
    return any(abs(x - mean) <= rounding for x in {x for x, _ in known} - {mean})


def _numbers(drawn: Table, name: str) -> list[float]:
    values = drawn.columns.get(name, [])  # parts of dates have none
    numbers = [value for value in values if isinstance(value, float)]
    return [value for value in numbers if math.isfinite(value)]


def assert_same_p_values(
    ours: pd.DataFrame, theirs: pd.DataFrame, *, drawn_anew: bool, ties: bool = False
) -> None:
    """p-values are the same; where permutations are drawn in another order, but for chance.

    A p-value may rest on 1,000 draws; a very small one on a curve that goes on from the largest.
    Where rounding breaks ties of extreme rows, a few draws may move.
    """
    p, q = ours["sig"].to_numpy(), theirs["sig"].to_numpy()
    near = np.isclose(p, q, rtol=1e-6, atol=1e-9)
    if ties:
        near |= (np.abs(p - q) < 6 / 1000) & (np.minimum(p, q) > 1 / 5002)
    if drawn_anew:
        larger = np.maximum(p, q)
        chance = 6 * np.sqrt(2 * larger * (1 - larger) / 1000) + 1 / 1000
        near |= np.abs(p - q) < chance
    assert near.all(), (ours.loc[~near, "variable"].tolist(), p[~near], q[~near])


def containers_agree(random: Random) -> None:
    """The same rows in pandas, polars and Arrow make the same plan and the same frame."""
    drawn = table(random, random.choice(["numeric", "binomial", "multinomial"]), functions=True)
    frames = _in_containers(drawn.arrow())
    plans = [refusable(lambda f=f: vt.design_treatments(f, **drawn.given)) for f in frames]  # type: ignore[misc]
    new = drawn.new_rows(random, 5)
    treated = [
        vt.prepare(plan, rows) for plan, rows in zip(plans, _in_containers(new), strict=True)
    ]
    for plan, found in zip(plans, treated, strict=True):
        assert plan == plans[0]
        if not treated[0].num_columns:  # of which not all containers keep the rows
            continue
        other = found if isinstance(found, pd.DataFrame) else found.to_pandas()
        pd.testing.assert_frame_equal(
            other, treated[0].to_pandas(), check_column_type=False, check_exact=True
        )


def _in_containers(rows: pa.Table) -> list[Any]:
    """The same rows in frames of several kinds, text as it is and as categories."""
    plain, polars, dictionaries = rows.to_pandas(), pl.DataFrame(rows), rows
    coded, categorical, enum = plain.copy(), polars, polars
    for place, name in enumerate(rows.column_names):
        if pa.types.is_string(rows.schema.field(name).type) and name != "y":
            known = sorted({*plain[name].dropna(), "", "b"}, reverse=True)  # some have no rows
            coded[name] = pd.Categorical(plain[name], known)
            as_codes = rows[name].dictionary_encode()
            dictionaries = dictionaries.set_column(place, name, as_codes)
            categorical = categorical.with_columns(pl.col(name).cast(pl.Categorical))
            enum = enum.with_columns(pl.col(name).cast(pl.Enum(known)))
    of_arrow = rows.to_pandas(types_mapper=_arrow)
    return [rows, polars, plain, of_arrow, coded, dictionaries, categorical, enum]


def _arrow(dtype: Any) -> Any:
    return pd.ArrowDtype(dtype)
