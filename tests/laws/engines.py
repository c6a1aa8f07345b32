"""Memory, lazy engines, kept sums and SQL say the same."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from random import Random
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
from sklearn.model_selection import KFold

import vtreat_py as vt
from tests.laws import designs
from tests.laws.designs import refusable
from tests.laws.options import OWN, SHAPES, choice_options
from tests.laws.symmetries import assert_alike, drop_series, is_classic
from tests.laws.tables import counts, table
from tests.lazy.frames import assert_same_bits
from vtreat_py.api.statistics import DesignStatistics

KINDS = ["numeric", "binomial", "multinomial", "rate", "unsupervised"]


def lazily_the_same(random: Random) -> None:
    """A lazy frame makes the plan that memory makes, and prepares to the same bits."""
    drawn = table(random, random.choice(KINDS))
    if random.random() < 0.3:
        drawn.weight = counts(random, drawn.n_rows)
        if random.random() < 0.5:
            drawn.weight = [weight * 0.37 for weight in drawn.weight]
    drop_series(drawn)
    drawn.options.pop("rare_sig", None)  # a p-value at the limit may fall to either side
    drawn.options.pop("categorical", None)  # is for integers only, there
    if drawn.outcome_kind == "rate" or drawn.options.get("weight_kind") == "importance":
        drawn.options.pop("composites", None)  # whose p-values take the rows
    _without_rows(drawn)
    given = drawn.given | {"row_id": "id"}
    lazy = _lazy(random)
    rows = drawn.arrow()
    expected = refusable(lambda: vt.design_treatments(rows, **given))
    found = vt.design_treatments(lazy(rows), **given)
    assert_alike(random, drawn, found, expected, {}, ties=True)
    new = drawn.new_rows(random, 7, with_id=True)
    choice = choice_options(random, drawn.outcome_kind)
    choice = {name: choice[name] for name in ("scale", "collar") if name in choice}
    if any(v.code == "text" for v in expected.derived):  # queries do not read new texts
        choice["variables"] = [v.name for v in expected.derived if v.code != "text"]
    treated = vt.prepare(expected, lazy(new), row_id="id", **choice)
    assert_same_bits(treated, vt.prepare(expected, new, row_id="id", **choice))


def _without_rows(drawn: Any) -> None:
    """Leave out codes that are made of rows in memory."""
    options = drawn.options
    if "custom_coders" in options:
        own = options["custom_coders"]
        options["custom_coders"] = {name: own[name] for name in own if name == "own_table"}
    if "coders" in options:
        of_rows = {"catQ", *OWN} - {"own_table"}
        if options.get("significance") == "classic" and options.get("smoothing") not in (
            *("auto", "mixed", None),
        ):
            of_rows |= set(SHAPES) - {"bins"}  # R's are made of rows
        options["coders"] = [code for code in options["coders"] if code not in of_rows]


def _lazy(random: Random) -> Any:
    if random.random() < 0.7:
        return lambda rows: pl.from_arrow(rows).lazy()
    connection = duckdb.connect()
    return connection.from_arrow


def kept_the_same(random: Random) -> None:
    """Sums that are kept make the plan of their rows, whole, in parts, and with some taken away."""
    drawn = table(random, random.choice(KINDS))
    if random.random() < 0.3:
        drawn.weight = counts(random, drawn.n_rows)
    rows, given = drawn.pandas(), drawn.given
    parts = given.get("calendar", "auto")
    parts = None if parts == "auto" else parts  # other rows may cover other cycles
    direct = refusable(lambda: vt.design_treatments(rows, **given | {"calendar": parts}))
    kept = refusable(lambda: vt.design_treatments(rows, **given, keep_statistics=True))
    whole = kept.statistics
    assert isinstance(whole, DesignStatistics)
    assert whole.plan() == kept
    has_all_levels = drawn.weight is None or all(drawn.weight)  # those without weight are none
    if has_all_levels and not parts:  # sums do not know the trend along dates
        # The calibrated test of spread needs rows, and so do ranks of the outcome.
        by_ranks = drawn.outcome_kind == "numeric" and not is_classic(drawn)
        ranks = ["catN", "clean", "text", *SHAPES] if by_ranks else []
        if drawn.outcome_kind == "rate":  # whose shapes are tested by rows in ranges
            ranks = SHAPES
        assert_alike(random, drawn, kept, direct, {}, without=["catD"], ties=True, untested=ranks)
    if drawn.weight is not None and drawn.options.get("weight_kind") == "importance":
        return  # each part is scaled by its own effective number of rows
    cut = random.randrange(1, drawn.n_rows)
    weight = None if drawn.weight is None else "weight"
    folds = None if drawn.outcome_kind == "unsupervised" else "fold"
    first, second = (
        refusable(lambda p=part: whole.of_rows(p, folds=folds, sample_weight=weight))  # type: ignore[misc]
        for part in (rows.iloc[:cut], rows.iloc[cut:])
    )
    both = first + second
    assert both.n_rows == drawn.n_rows
    assert_alike(random, drawn, both.plan(), kept, {})
    assert_alike(random, drawn, ((both - second) + second).plan(), kept, {})
    known = rows.iloc[:cut][list(drawn.columns)].notna().any().all()
    if drawn.outcome_kind in ("binomial", "multinomial") and known:
        assert both - second == first


def sql_the_same(random: Random) -> None:
    """A query gives what `prepare` gives, on whatever an engine can hold."""
    case = designs.case(random, shares=random.choice([None, _IN_TABLES]))
    plan = designs.perhaps_for_scoring(random, case.design())
    n = random.choice([1, 4, 9])
    new = case.new_rows(random, n) if random.random() < 0.3 else case.kind.telling_frame(random, n)
    choice = choice_options(random, case.outcome_kind)
    if random.random() < 0.7:
        with closing(sqlite3.connect(":memory:")) as connection:
            report = refusable(lambda: plan.check_sql(connection, new, **choice))
    else:
        report = refusable(lambda: plan.check_sql(_DUCKDB, new, **choice))
    assert report.passed, report


_DUCKDB = duckdb.connect()
# What most tables of databases hold.
_IN_TABLES = {"many": 6, "words": 5, "texts": 3, "numbers": 4, "small": 2, "flags": 1, "dates": 1}


def estimators_the_same(random: Random) -> None:
    """Treatments of scikit-learn's kind are designs under another name."""
    kind = random.choice(KINDS)
    drawn = table(random, kind)
    rows = drawn.pandas()[list(drawn.columns)]
    options: Any = {k: v for k, v in drawn.options.items() if k in _PARAMETERS[kind]}
    choice = choice_options(random, kind)
    new = drawn.new_rows(random, 3).to_pandas()
    if kind == "unsupervised":
        choice = {name: value for name, value in choice.items() if name == "collar"}
        treatment: Any = vt.UnsupervisedTreatment(**options, **choice)
        refusable(lambda: treatment.fit(rows))
        plan = vt.design_treatments(rows, outcome_type=kind, **options)
        pd.testing.assert_frame_equal(treatment.transform(new), vt.prepare(plan, new, **choice))
        return
    choice.setdefault("prune_sig", None)
    options |= {"random_state": random.choice([0, 1]), "cv": random.choice([None, 2, 3, KFold(3)])}
    beside: Any = {"sample_weight": None, "groups": None}
    if random.random() < 0.3:
        beside["sample_weight"] = np.array(counts(random, drawn.n_rows))
    if random.random() < 0.3 and not isinstance(options["cv"], KFold):
        beside["groups"] = np.array([i // 2 for i in range(drawn.n_rows)])
    treatment = _TREATMENTS[kind](**options, **choice, if_empty="empty")
    y: Any = drawn.y
    given: dict[str, Any] = {"outcome": y, "outcome_type": kind}
    if drawn.exposure is not None:
        y, given["exposure"] = np.column_stack([y, drawn.exposure]), drawn.exposure
    made = refusable(lambda: treatment.fit_transform(rows, y, **beside))
    expected = vt.cross_frame_experiment(rows, **given, **options, **choice, **beside)
    assert treatment.plan_ == expected.plan
    pd.testing.assert_frame_equal(made, expected.cross_frame)
    treated = treatment.transform(new)
    assert list(treated) == list(treatment.get_feature_names_out())
    pd.testing.assert_frame_equal(treated, vt.prepare(expected.plan, new, **choice))
    fitted = _TREATMENTS[kind](**options, **choice, if_empty="empty")
    assert fitted.fit(rows, y, **beside).plan_ == expected.plan


_TREATMENTS: dict[str, Any] = {
    "numeric": vt.NumericOutcomeTreatment,
    "binomial": vt.BinomialOutcomeTreatment,
    "multinomial": vt.MultinomialOutcomeTreatment,
    "rate": vt.RateOutcomeTreatment,
}
_PARAMETERS = {
    kind: set(treatment().get_params()) - {"variables", "exposure"}
    for kind, treatment in (_TREATMENTS | {"unsupervised": vt.UnsupervisedTreatment}).items()
}
