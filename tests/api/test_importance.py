"""What each column says of the outcome."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.oracle import COMMITTED, Case
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.coders import codes
from vtreat_py.coders.shape_code import ShapeCode
from vtreat_py.plan.variables import DerivedVariable, OutcomeScore

UNITS = Path(__file__).parents[1] / "data" / "units"


def made(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    town = rng.choice(["Ayr", "Bath", "Cork", "Deal"], n)
    size = rng.normal(size=n)
    return pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "size": np.where(rng.random(n) < 0.1, np.nan, size),
            "constant": 1,
            "empty": [None] * n,
            "town": town,
            "two": rng.choice(["a", "b"], n),
            "word": rng.choice([f"w{i}" for i in range(150)], n),
            "y": (town == "Bath") * 2.0 + 0.4 * size + rng.normal(size=n),
            "w": rng.integers(1, 4, n).astype(float),
            "id": np.arange(n),
        }
    )


FRAME = made()
pytestmark = pytest.mark.filterwarnings("ignore:nothing is derived from")


def ranked(frame: Any = FRAME, **options: Any) -> pd.DataFrame:
    names = [c for c in FRAME if c not in ("y", "id", "w")]
    given = {"outcome": "y", "variables": names, "random_state": 0} | options
    return vt.variable_importance(frame, **given)


def of_r(found: dict[str, list[Any]]) -> pd.DataFrame:
    return pd.DataFrame(found).set_index("var")


def test_the_rule_is_that_of_r() -> None:
    given = json.loads((UNITS / "value_variables.json").read_text())
    # R cuts numbers in pieces by chance: the scores are those of the runs that its table is of.
    theirs = of_r(given["value_variables"])
    plan = vt.design_treatments(
        FRAME.rename(columns={"size": "x"}),
        outcome="y",
        variables=["x", "noise"],
        significance="classic",
        random_state=0,
    )
    derived = tuple(
        DerivedVariable(name, column, "clean", scores=(OutcomeScore(None, rsq, sig),))
        for name, column, rsq, sig in given["score_frame"]
    )
    ours = replace(plan, derived=derived).variable_importance().set_index("variable")
    assert list(ours.index) == ["x", "noise"]
    for name in ("rsq", "sig", "count"):
        np.testing.assert_allclose(ours.loc[theirs.index, name], theirs[name], rtol=1e-9)


def test_importance_by_classic_tests_is_that_of_r() -> None:
    case = Case(COMMITTED / "e3_synth_M_mixed")
    found = json.loads((case.folder / "variable_values.json").read_text())["variable_values"]
    theirs, options = of_r(found), case.options()
    del options["collar_prob"], options["cat_scaling"]
    ours = vt.variable_importance(case.frame("train"), **options).set_index("variable")
    assert list(ours["rsq"]) == sorted(ours["rsq"], reverse=True)
    ours = ours.loc[theirs.index]
    np.testing.assert_allclose(ours["rsq"], theirs["rsq"], rtol=1e-9)
    np.testing.assert_allclose(ours["sig"], theirs["sig"], rtol=1e-6)
    assert (ours["count"] == theirs["count"]).all()


def test_all_columns_are_there_the_best_first() -> None:
    table = ranked()
    assert list(table) == ["variable", "rsq", "sig", "count"]
    assert list(table["variable"][:2]) == ["town", "size"]
    assert sorted(table["variable"]) == [
        "constant",
        "empty",
        "noise",
        "size",
        "town",
        "two",
        "word",
    ]
    assert (np.diff(table["rsq"]) <= 0).all()
    by_name = table.set_index("variable")
    assert by_name.loc["constant"].tolist() == by_name.loc["empty"].tolist() == [0.0, 1.0, 0]
    assert by_name.loc["two", "count"] == 1  # its indicators are each other's complement
    tried = [c.name for c in codes.CODES if c.by_default or isinstance(c, ShapeCode)]
    plan = vt.design_treatments(
        FRAME, outcome="y", variables=list(table["variable"]), coders=tried, random_state=0
    )
    scores = plan.score_frame.groupby("orig_variable")
    best = scores["rsq"].max()
    assert (by_name.loc[best.index, "rsq"] == best).all()
    size = plan.score_frame.query("orig_variable == 'size'")
    assert set(size["code"]) >= {"clean", "isBAD", "spline", "window"}
    assert by_name.loc["size", "count"] == 3  # shapes are one question
    assert by_name.loc["size", "sig"] == 3 * size["sig"].min()


def test_by_r_rules_each_shape_that_is_named_counts() -> None:
    given = {"coders": ["clean", "spline", "window"], "variables": ["noise"]}
    for significance, count in (("classic", 3), ("calibrated", 2)):
        table = ranked(**given, significance=significance)
        assert table.loc[0, "count"] == count
    assert ranked(significance="classic", variables=["noise"]).loc[0, "count"] == 1


def test_codes_that_were_dropped_count() -> None:
    noise = np.random.default_rng(2).choice([f"w{i}" for i in range(30)], len(FRAME))
    frame = FRAME.assign(word=noise)
    plan = vt.design_treatments(frame, outcome="y", variables=["word"], random_state=0)
    assert plan.dropped
    table = plan.variable_importance()
    tests = len(plan.derived) + sum(one.n_tests for one in plan.dropped)
    assert table.loc[0, "count"] == tests > len(plan.derived)
    smallest = min(plan.score_frame["sig"].min(), *(one.sig for one in plan.dropped))
    assert table.loc[0, "sig"] == min(1.0, tests * smallest)


def test_every_kind_of_frame_gives_the_same() -> None:
    table = ranked(row_id="id")
    for frame in (pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)):
        pd.testing.assert_frame_equal(ranked(frame, row_id="id"), table)
    lazy = ranked(pl.from_pandas(FRAME).lazy(), row_id="id")
    pd.testing.assert_frame_equal(lazy, table, rtol=1e-9)


def test_kept_statistics_have_it_too() -> None:
    plan = vt.design_treatments(
        FRAME, outcome="y", variables=["town", "noise"], row_id="id", keep_statistics=True
    )
    again = plan.statistics.plan()
    pd.testing.assert_frame_equal(plan.variable_importance(), again.variable_importance())


def test_a_class_is_a_test_of_its_own() -> None:
    frame = FRAME.assign(y=pd.cut(FRAME["y"], 3, labels=["low", "mid", "high"]).astype(object))
    table = ranked(frame, variables=["noise", "town"]).set_index("variable")
    assert table.loc["noise", "count"] == 6  # as it is, and its shapes
    assert table.loc["town", "rsq"] > 0.1 > table.loc["noise", "rsq"]


def test_options_are_those_of_a_design() -> None:
    weighted = ranked(sample_weight="w", coders=["clean", "catN"], categorical=["constant"])
    assert set(weighted["count"]) == {0, 1}
    split = ranked(force_split=True).set_index("variable")
    assert split.loc["size", "rsq"] != ranked().set_index("variable").loc["size", "rsq"]
    with pytest.raises(InvalidOptionError, match="significance='rank'"):
        ranked(significance="rank")
    with pytest.raises(OptionTypeError, match="options are given by name"):
        vt.variable_importance(FRAME, "y", outcome="y")


def test_without_outcome_nothing_is_important() -> None:
    with pytest.raises(InvalidOptionError, match="this plan has not: it is unsupervised"):
        ranked(outcome=None, outcome_type="unsupervised", random_state=None)


def test_all_options_that_change_scores_are_there() -> None:
    design = inspect.signature(vt.design_treatments).parameters
    ours = inspect.signature(vt.variable_importance).parameters
    left_out = {"cat_scaling", "collar_prob", "keep_statistics", "privacy"}
    assert set(design) - set(ours) == left_out
    assert set(ours) <= set(design)
    shared = [name for name in ours if name != "outcome"]
    assert [name for name in shared if ours[name].default != design[name].default] == []


def test_a_type_of_outcome_that_is_none_is_refused_in_words() -> None:
    frame = pd.DataFrame({"x": ["a", "b"] * 20})
    with pytest.raises(InvalidOptionError, match="it must be one of"):
        vt.variable_importance(frame, outcome=range(40), outcome_type=np.array(["rate", "rate"]))
