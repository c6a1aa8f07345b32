"""Plans and cross-frames are the same wherever the frame is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.lazy.frames import OUTCOMES, TREATED, assert_same_bits, awkward_table
from tests.lazy.plans import assert_same_plan
from vtreat_py.base.errors import FrameError, InvalidOptionError, OptionTypeError, OutcomeError
from vtreat_py.lazy import (
    crossing,
    level_queries,
    logistic_queries,
    quantile_queries,
    regressions,
    spread_query,
    values,
)
from vtreat_py.lazy.source import collect
from vtreat_py.significance import logistic, newton
from vtreat_py.significance.logistic_bins import BinGrid

pytestmark = [
    pytest.mark.usefixtures("few_draws"),
    pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case"),
    pytest.mark.filterwarnings("ignore:nothing is derived from"),
]

Lazy = Callable[[pa.Table], Any]
# What rests on counts alone is the same to the bit for a class outcome.
COUNTED = ("catB", "catP", "lev", "isBAD")
# Engines that take seconds to plan a query get few columns, and few cases; three classes, which are
# three outcomes to each column, get one column of each type.
MORE = ["shifted", "nothing", "one", "endless"]
FEW = ["x", "z", "day"]
OF_EACH_TYPE = ["x", "many", "z", "flag", "day", "shifted"]
SLOW = ("spark", "dask")
EAGER = {"pandas": pa.Table.to_pandas, "polars": pl.from_arrow, "pyarrow": lambda table: table}


@cache
def table() -> pa.Table:
    rows = awkward_table(400).sort_by("id")  # levels then appear in the order of their ids
    random = np.random.default_rng(9)
    shifted = 1e6 + random.normal(size=400)
    return (
        rows.append_column("share", pa.array(random.random(400) + 0.1))
        .append_column("shifted", pa.array(shifted))
        .append_column("nothing", pa.nulls(400, pa.string()))
        .append_column("one", pa.array(np.ones(400)))
        .append_column("endless", pa.array(np.full(400, np.inf)))
    )


def options(of: str, engine: str, **given: Any) -> dict[str, Any]:
    columns = OF_EACH_TYPE if of == "multinomial" else [*TREATED, *MORE]
    columns = FEW if engine in SLOW else columns
    plain: dict[str, Any] = {
        "outcome": OUTCOMES.get(of),
        "variables": columns,
        "row_id": "id",
        "cv": "part",
    }
    return plain | given


def counted(outcome: str) -> tuple[str, ...]:
    return () if outcome == "numeric" else COUNTED


@pytest.mark.halved
@pytest.mark.parametrize("kind", EAGER)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_plans_in_memory(outcome: str, kind: str) -> None:
    rows = table().drop_columns(["day"]) if kind == "pandas" else table()
    columns = [c for c in TREATED if c in rows.column_names]
    given = options(outcome, "", variables=columns)
    found = vt.design_treatments(EAGER[kind](rows), **given)
    assert_same_plan(found, vt.design_treatments(rows, **given), COUNTED)
    duckdb = pytest.importorskip("duckdb")
    assert found.check_sql(duckdb.connect(), EAGER[kind](rows)).passed


@pytest.mark.halved
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_plans_cross_frames_and_json(outcome: str, engine: str, lazy: Lazy) -> None:
    given = options(outcome, engine)
    rows = lazy(table())
    found = vt.cross_frame_experiment(rows, **given)
    expected = vt.cross_frame_experiment(table(), **given)
    assert_same_plan(found.plan, expected.plan, counted(outcome))
    assert type(found.cross_frame) is type(rows)
    assert_close(found.cross_frame, expected.cross_frame)
    again = vt.TreatmentPlan.from_json(found.plan.to_json())
    assert_same_plan(again, found.plan)
    assert_same_bits(
        vt.prepare(again, rows, row_id="id"), vt.prepare(found.plan, table(), row_id="id")
    )
    duckdb = pytest.importorskip("duckdb")
    assert again.check_sql(duckdb.connect(), table(), scale=True, collar=True).passed


def assert_close(found: Any, expected: Any) -> None:
    """Cross-frames have the same numbers to 1e-12 of the largest of their column."""
    ours, theirs = (rows_of(f) for f in (found, expected))
    for mine, name in zip(ours.column_names, theirs.column_names, strict=True):
        a, b = ours[mine].to_numpy(), theirs[name].to_numpy()
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max(), err_msg=name)


def rows_of(frame: Any) -> pa.Table:
    wrapped = nw.from_native(frame)
    found = collect(wrapped) if isinstance(wrapped, nw.LazyFrame) else wrapped.to_arrow()
    return found.sort_by("id")


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "counting weights": ("binomial", {"sample_weight": "w"}),
    "counting weights, numbers": ("numeric", {"sample_weight": "w"}),
    "weights": ("binomial", {"sample_weight": "share"}),
    "weights, numbers": ("numeric", {"sample_weight": "share"}),
    "weights, classes": ("multinomial", {"sample_weight": "share"}),
    "groups": (
        "binomial",
        {"groups": "town", "cv": 3, "random_state": 1, "significance": "classic"},
    ),
    "row ids": ("numeric", {"cv": 3, "random_state": 2}),
    "rare": ("binomial", {"rare_count": 9, "rare_sig": 0.3}),
    "rare, numbers": ("numeric", {"rare_count": 9, "rare_sig": 0.3}),
    "collar": ("numeric", {"collar_prob": 0.07, "imputation": "median"}),
    "collar, weights": (
        "binomial", {"collar_prob": 0.07, "imputation": "median", "sample_weight": "share"},
    ),
    "link units": ("binomial", {"cat_scaling": True}),
    "link units, classes": ("multinomial", {"cat_scaling": True, "variables": ["z", "x"]}),
    "classic": ("binomial", {"significance": "classic", "smoothing": 0.0}),
    "classic, numbers": ("numeric", {"significance": "classic", "smoothing": 2.0}),
    "all split": ("binomial", {"force_split": True}),
    "all split, numbers": ("numeric", {"force_split": True}),
    "codes of classes": ("multinomial", {"y_dependent_coders": ["lev", "catP", "catB"]}),
    "imputed": ("binomial", {"imputation": 3.0, "imputation_map": {"z": "median"}}),
    "classes by number": ("", {"outcome": "size", "outcome_type": "multinomial",
                               "variables": ["x", "z"]}),
    "flag": ("", {"outcome": "w", "target": 2, "variables": ["x", "z"]}),
}  # fmt: skip


@pytest.mark.halved
@pytest.mark.parametrize("kind", ["polars", pytest.param("duckdb", marks=pytest.mark.long)])
@pytest.mark.parametrize("case", CASES)
def test_options(case: str, kind: str) -> None:
    outcome, more = CASES[case]
    columns = ["x", "many", "z", "flag", "shifted"]
    given = options(outcome, kind, **{"variables": columns} | more)
    given |= {"scale": True, "collar": True}
    found = vt.cross_frame_experiment(engine_frame(kind), **given)
    expected = vt.cross_frame_experiment(table(), **given)
    assert_same_plan(found.plan, expected.plan)
    assert_close(found.cross_frame, expected.cross_frame)


def test_p_values_of_a_lazy_frame_know_nothing_of_groups() -> None:
    given = options("binomial", "polars", groups="town", cv=3, random_state=1)
    with pytest.warns(vt.VtreatWarning, match="p-values of a lazy frame take rows of one group"):
        found = vt.design_treatments(engine_frame("polars"), **given)
    alone = vt.design_treatments(table(), **given | {"groups": None})
    assert [v.sig for v in found.derived if v.code == "lev"] == pytest.approx(
        [v.sig for v in alone.derived if v.code == "lev"]
    )


def test_a_lazy_frame_is_no_series() -> None:
    given = options("binomial", "polars", significance="ordered")
    with pytest.raises(InvalidOptionError, match="a lazy frame has no order"):
        vt.design_treatments(engine_frame("polars"), **given)


def engine_frame(kind: str) -> Any:
    if kind == "polars":
        return pl.from_arrow(table()).lazy()
    return pytest.importorskip("duckdb").from_arrow(table())


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
def test_unsupervised(kind: str) -> None:
    given: dict[str, Any] = {"outcome_type": "unsupervised", "variables": TREATED, "row_id": "id"}
    found = vt.design_treatments(engine_frame(kind), **given)
    assert_same_plan(found, vt.design_treatments(table(), **given), COUNTED)


def test_levels_without_row_id_are_in_order() -> None:
    given = options("binomial", "polars", row_id=None)
    found = vt.design_treatments(engine_frame("polars"), **given)
    levels = [t.levels.to_list() for t in found.treatments if t.column == "x"]
    assert levels == [sorted(levels[0])]


@pytest.mark.halved
@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (logistic_queries, "MANY_POINTS", 100),
        (crossing, "_FEW_FOLDS", 1),
        (regressions, "_BATCH", 2),
        (level_queries, "_SIDE_BY_SIDE", 2),
        (quantile_queries, "_FEW_ROWS", 3),
        (quantile_queries, "_BINS", 4),
    ],
)
def test_large_frames_take_the_same_ways(
    module: Any, name: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = options("binomial", "polars", collar_prob=0.1, imputation="median", scale=True)
    expected = vt.cross_frame_experiment(table(), **given)
    monkeypatch.setattr(module, name, value)
    found = vt.cross_frame_experiment(engine_frame("polars"), **given)
    if name != "MANY_POINTS":
        assert_same_plan(found.plan, expected.plan, COUNTED)
    else:  # another start: what is left of Newton's method is of the order of 1e-8
        np.testing.assert_allclose(
            found.plan.score_frame["rsq"], expected.plan.score_frame["rsq"], rtol=1e-6, atol=1e-9
        )
    assert_close(found.cross_frame, expected.cross_frame)


def test_condensed_values_stand_for_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    given = options("numeric", "polars", variables=["x", "many", "z"], coders=["catN", "clean"])
    expected = vt.design_treatments(table(), **given).score_frame
    monkeypatch.setattr(values, "MOST_VALUES", 50)
    found = vt.design_treatments(engine_frame("polars"), **given).score_frame
    np.testing.assert_allclose(found["rsq"], expected["rsq"], rtol=1e-12)
    np.testing.assert_allclose(found["sig"], expected["sig"], rtol=0.02)


@pytest.mark.parametrize("force_split", [False, True])
def test_classes_that_a_column_separates(force_split: bool) -> None:
    """No logistic fit has an end there; both engines stop at the same place."""
    random = np.random.default_rng(0)
    x = random.normal(size=200)
    won = (x > 0).astype(int)
    frame = pl.DataFrame({"id": np.arange(200), "x": x, "z": random.normal(size=200) + 3 * won})
    frame = frame.with_columns(c=np.where(won == 1, "a", "b"), y=won)
    given: dict[str, Any] = {"outcome": "y", "outcome_type": "binomial", "scale": True}
    given |= {"row_id": "id", "random_state": 0, "variables": ["x", "z", "c"]}
    expected, found = (
        vt.cross_frame_experiment(one, force_split=force_split, **given)
        for one in (frame, frame.lazy())
    )
    assert_same_plan(found.plan, expected.plan)
    of_rows = found.cross_frame.collect().sort("id")
    np.testing.assert_allclose(of_rows, expected.cross_frame.sort("id"), rtol=0, atol=1e-15)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_rough_fits_have_the_deviances(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = options("multinomial", engine, variables=["z", "many"], coders=["clean", "isBAD"])
    expected = vt.design_treatments(table(), **given).score_frame
    bent, bends = newton.Derivatives.bent, []

    def seen(found: newton.Derivatives, step: Any) -> Any:
        bends.append(step)
        return bent(found, step)

    monkeypatch.setattr(newton.Derivatives, "bent", seen)
    for module in (newton, logistic, logistic_queries):
        monkeypatch.setattr(module, "MANY_POINTS", 100)
    by_bins, in_engine = (
        vt.design_treatments(frame, **given) for frame in (table(), engine_frame(engine))
    )
    np.testing.assert_allclose(by_bins.score_frame["rsq"], expected["rsq"], rtol=1e-6, atol=1e-8)
    assert_same_plan(in_engine, by_bins)
    assert not bends
    monkeypatch.setattr(BinGrid, "of", lambda *_: None)
    for frame in (table(), engine_frame(engine)):
        bends.clear()
        found = vt.design_treatments(frame, **given).score_frame
        np.testing.assert_allclose(found["rsq"], expected["rsq"], rtol=1e-6, atol=1e-8)
        assert bends


@pytest.mark.parametrize("most", [10, 200])
def test_spread_of_a_part_of_the_rows(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    level = random.integers(6, size=3000)
    noise = (1.0 + level) * random.normal(size=3000)
    rows = {"id": np.arange(3000), "x": [f"l{i}" for i in level], "y": noise, "part": level % 2}
    monkeypatch.setattr(spread_query, "MOST_ROWS", 60 * most)
    given: dict[str, Any] = {"outcome": "y", "cv": 2, "random_state": 0, "coders": ["catD"]}
    plan = vt.design_treatments(pl.LazyFrame(rows), row_id="id", variables=["x"], **given)
    assert plan.score_frame["sig"][0] < 1e-6
    assert plan.feature_names == ["x_catD"]


def test_the_folds_by_row_id() -> None:
    given = options("binomial", "polars", cv=4, random_state=3)
    found = vt.cross_frame_experiment(engine_frame("polars"), **given)
    expected = vt.cross_frame_experiment(table(), **given)
    fold = found.fold_frame.collect().sort("id")["fold"].to_numpy()
    np.testing.assert_array_equal(fold, expected.fold_plan.fold)
    assert "4 folds" in repr(found)
    with pytest.raises(FrameError, match="folds numbers the rows of a frame"):
        _ = found.folds
    with pytest.raises(FrameError, match="cross_rows numbers the rows"):
        _ = found.cross_rows
    with pytest.raises(FrameError, match="fold_numbers numbers the rows"):
        _ = found.fold_numbers
    unnamed = vt.cross_frame_experiment(
        engine_frame("polars"), **given | {"row_id": None, "cv": "part"}
    )
    with pytest.raises(InvalidOptionError, match="fold_frame needs a column"):
        _ = unnamed.fold_frame


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"outcome": "none"}, InvalidOptionError, "outcome='none' names no column"),
        ({"outcome": np.zeros(400)}, OptionTypeError, "it must be the name of a column"),
        ({"outcome": "nothing"}, OutcomeError, "missing values only"),
        ({"outcome": "z"}, OutcomeError, "missing values and .* infinite values in 400 rows"),
        ({"outcome": "x"}, OutcomeError, "the outcome has .* missing values in 400 rows"),
        ({"outcome": "one"}, OutcomeError, "is 1 in every row"),
        ({"target": "maybe"}, OutcomeError, "target 'maybe' does not occur"),
        ({"sample_weight": "x"}, OptionTypeError, "sample_weight must hold numbers"),
        ({"sample_weight": "z"}, OutcomeError, "sample_weight has .* missing or infinite"),
        ({"sample_weight": "size"}, OutcomeError, "negative values, the smallest is -4"),
        ({"groups": "town"}, InvalidOptionError, "group .town .* is in several folds"),
        ({"groups": [1, 2]}, OptionTypeError, "groups is of type list"),
        ({"row_id": None, "cv": 3}, InvalidOptionError, "the rows of a lazy frame have no order"),
        ({"cv": "ordered"}, InvalidOptionError, "goes by the order of the rows"),
        ({"cv": [([0], [1])]}, OptionTypeError, "cannot be used on a lazy frame"),
        ({"imputation": max}, InvalidOptionError, "column 'z' is a function"),
        ({"sparse_output": True}, InvalidOptionError, "a matrix in memory"),
        ({"outcome": None, "outcome_type": "unsupervised"}, InvalidOptionError, "takes no cv"),
        ({"variables": ["id"]}, InvalidOptionError, "variables names"),
        ({"n_jobs": 0}, InvalidOptionError, "n_jobs=0"),
        ({"outcome_type": "ordinal"}, InvalidOptionError, "outcome_type='ordinal'"),
        ({"y_dependent_coders": ["lev"]}, InvalidOptionError, "outcomes of several classes"),
    ],
)
def test_errors(given: dict[str, Any], error: type[Exception], message: str) -> None:
    asked = options("binomial", "polars", variables=["x", "z"]) | given
    with pytest.raises(error, match=message):
        vt.cross_frame_experiment(engine_frame("polars"), **asked)


def test_large_integers_are_warned_of() -> None:
    rows = pl.LazyFrame({"id": range(6), "x": [2**60, 1, 2, 3, 4, 5], "y": [0, 1, 0, 1, 0, 1]})
    with pytest.warns(UserWarning, match="'x' holds the integer"):
        vt.design_treatments(rows, outcome="y", row_id="id", cv=2, random_state=0)
