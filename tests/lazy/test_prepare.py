"""Treated lazy frames are those that memory gives, to the bit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.lazy.frames import OUTCOMES, TREATED, assert_same_bits, awkward_table
from tests.versions import older
from vtreat_py.base.errors import FrameError, InvalidOptionError, SchemaError

pytestmark = pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case")

Lazy = Callable[[pa.Table], Any]


@cache
def plan_for(outcome: str, **options: Any) -> vt.TreatmentPlan:
    given: dict[str, Any] = {"variables": TREATED, "random_state": 0, "row_id": "id"}
    return vt.design_treatments(awkward_table(), outcome=OUTCOMES[outcome], **given | options)


@cache
def fresh() -> pa.Table:
    return awkward_table(300, seed=5, novel=True)


@pytest.mark.halved
@pytest.mark.parametrize(
    ("outcome", "options"),
    [
        ("numeric", {"scale": True, "collar": True}),
        ("binomial", {}),
        ("multinomial", {"scale": True}),
    ],
)
def test_treated_frames_are_those_of_memory(
    outcome: str, options: dict[str, Any], engine: str, lazy: Lazy
) -> None:
    plan = plan_for(outcome, collar_prob=0.05)
    expected = vt.prepare(plan, fresh(), row_id="id", extra_columns=["y"], **options)
    given = lazy(fresh())
    found = vt.prepare(plan, given, row_id="id", extra_columns=["y"], **options)
    assert type(found) is type(given)
    assert_same_bits(found, expected)


@pytest.mark.parametrize("options", [{"rare_count": 10}, {"rare_sig": 0.3}])
def test_pooled_and_suppressed_levels(options: dict[str, Any], engine: str, lazy: Lazy) -> None:
    plan = plan_for("binomial", **options)
    assert_same_bits(
        vt.prepare(plan, lazy(fresh()), row_id="id", scale=True),
        vt.prepare(plan, fresh(), row_id="id", scale=True),
    )


def test_nothing_is_read(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    rows = polars.from_arrow(fresh()).lazy()

    def never(_: Any) -> Any:
        raise AssertionError("the frame was read")

    unread = rows.map_batches(never, schema=rows.collect_schema())
    vt.prepare(plan_for("binomial"), unread, row_id="id")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_files_come_back_as_duckdb_relations(suffix: str, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / f"rows.{suffix}"
    table = fresh().drop_columns(["bytes"] if suffix == "csv" else [])
    relation = duckdb.from_arrow(table)
    relation.write_parquet(str(path)) if suffix == "parquet" else relation.write_csv(str(path))
    named = [v for v in plan_for("numeric").feature_names if suffix != "csv" or "byt" not in v]
    found = vt.prepare(plan_for("numeric"), path, row_id="id", variables=named)
    assert isinstance(found, duckdb.DuckDBPyRelation)
    if suffix == "csv":  # which does not tell "" from a missing value
        table = duckdb.read_csv(str(path)).to_arrow_table()
    expected = vt.prepare(plan_for("numeric"), table, row_id="id", variables=named)
    assert_same_bits(found, expected)


def test_a_relation_outlives_all_names() -> None:
    duckdb = pytest.importorskip("duckdb")

    def treated() -> tuple[Any, Any]:
        connection = duckdb.connect()
        connection.execute("SET default_collation = 'NOCASE'")
        connection.register("rows", fresh())
        connection.execute("CREATE TABLE held AS SELECT * FROM rows")
        relation = vt.prepare(plan_for("binomial"), connection.table("held"), row_id="id")
        left = connection.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        ours = [name for (name,) in left if name.startswith("vtreat_py_")]
        assert sorted(left) == sorted([("rows",), *((name,) for name in ours)])
        assert not ours or older("duckdb", "2.0")  # which keeps a view of what was queried
        return relation, connection if older("duckdb", "1.5") else None  # it closed relations, too

    relation, _ = treated()
    expected = vt.prepare(plan_for("binomial"), fresh(), row_id="id")
    assert_same_bits(relation, expected)
    assert_same_bits(relation, expected)


def test_a_connection_that_does_not_look_at_tables_of_python() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("rows", fresh())
    connection.execute("SET python_enable_replacements = false")
    with pytest.raises(FrameError, match=r"has python_enable_replacements or .* switched off"):
        vt.prepare(plan_for("binomial"), connection.table("rows"))


def test_levels_that_are_numbers_and_text(engine: str, lazy: Lazy) -> None:
    values = [1, 2.5, "1", "two", True, None, 2**60 + 1] * 30
    train = pd.DataFrame({"x": pd.Series(values, dtype=object), "y": np.arange(210) % 13 % 2})
    plan = vt.design_treatments(train, outcome="y", random_state=0, smoothing=1)
    texts = {"id": [0, 1, 2, 3], "x": ["1", "two", "other", None]}
    figures = {"id": [0, 1, 2, 3], "x": [1.0, 2.5, 7.0, None]}
    for new in (texts, figures):
        expected = vt.prepare(plan, pd.DataFrame(new).astype({"x": object}), row_id="id")
        assert_same_bits(vt.prepare(plan, lazy(pa.table(new)), row_id="id"), expected)


def test_a_column_of_the_null_type(engine: str, lazy: Lazy) -> None:
    if engine in ("spark", "ibis"):
        pytest.skip(f"{engine} makes no column of the null type from Arrow")
    if engine == "duckdb" and older("duckdb", "2.0"):
        pytest.skip("DuckDB before 2.0 makes a column of integers of one of the null type")
    table = fresh()
    for name in ("x", "z"):
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.nulls(len(table)))
    plan = plan_for("numeric")
    expected = vt.prepare(plan, table, row_id="id", scale=True, collar=True)
    found = vt.prepare(plan, lazy(table), row_id="id", scale=True, collar=True)
    assert_same_bits(found, expected)


def test_all_columns_may_be_of_the_null_type() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.LazyFrame({"x": [None, None], "z": [None, None]})
    found = vt.prepare(plan_for("numeric"), frame, variables=["z", "z_isBAD"])
    assert found.collect()["z_isBAD"].to_list() == [1.0, 1.0]


def test_schemas_are_checked(engine: str, lazy: Lazy) -> None:
    plan = plan_for("binomial")
    with pytest.raises(SchemaError, match="the frame lacks 2 columns: 'x', 'nowhere'"):
        vt.prepare(plan, lazy(fresh().drop_columns(["x"])), extra_columns=["nowhere"])
    swapped = fresh().rename_columns({"x": "z", "z": "x"})
    told = r"'x' \(designed on levels, found number\); 'z' \(designed on number, found levels\)"
    with pytest.raises(SchemaError, match=f"2 columns changed type since the design: {told}"):
        vt.prepare(plan, lazy(swapped))


def test_row_ids_come_first_in_memory_too() -> None:
    table = fresh()
    for frame in (table, table.to_pandas(), pytest.importorskip("polars").from_arrow(table)):
        found = vt.prepare(plan_for("numeric"), frame, row_id="id", extra_columns=["y"])
        assert list(nw.from_native(found).columns)[:2] == ["id", "x_catP"]
        assert nw.from_native(found).columns[-1] == "y"
    array = np.random.default_rng(0).random((50, 3)).round(1)
    plan = vt.design_treatments(array, outcome=array[:, 0], variables=["x1"], random_state=0)
    assert np.array_equal(vt.prepare(plan, array, row_id="x2"), array[:, [2, 1]])


def test_options_that_cannot_be_served() -> None:
    polars = pytest.importorskip("polars")
    frame, plan = polars.from_arrow(fresh()).lazy(), plan_for("binomial")
    for given in (frame, fresh()):
        with pytest.raises(InvalidOptionError, match="row_id='x_catB' is the name of a derived"):
            vt.prepare(plan, given, row_id="x_catB")
        with pytest.raises(InvalidOptionError, match="extra_columns names 'id', which row_id="):
            vt.prepare(plan, given, row_id="id", extra_columns=["id"])
    with pytest.raises(InvalidOptionError, match="sparse_output=True returns a matrix in memory"):
        vt.prepare(plan, frame, coders=["lev"], sparse_output=True)
    with pytest.raises(InvalidOptionError, match="which has no room for row_id='id'"):
        vt.prepare(plan, fresh(), coders=["lev"], sparse_output=True, row_id="id")
    with pytest.warns(vt.VtreatWarning, match="no derived variable is left"):
        nothing = vt.prepare(plan, frame, prune_sig=0.0, row_id="id")
    assert nothing.collect().columns == ["id"]
    with (
        pytest.warns(vt.VtreatWarning, match="no derived variable is left"),
        pytest.raises(InvalidOptionError, match="a lazy frame cannot be without columns"),
    ):
        vt.prepare(plan, frame, prune_sig=0.0)


def test_names_that_differ_in_case_only() -> None:
    duckdb = pytest.importorskip("duckdb")
    train = pd.DataFrame({"x": ["a", "A", "b", None] * 5, "y": [0, 1, 1, 1] * 5})
    plan = vt.design_treatments(train, outcome="y", cv=2, random_state=0)
    relation = duckdb.sql("SELECT 'a' AS x, 2 AS X_CATB")
    told = "duckdb does not tell upper from lower case .*'x_lev_x_a' is called 'x_lev_x_a_2' in"
    for variables in (None, ["x_lev_x_a"]):
        with pytest.warns(vt.VtreatWarning, match=told):
            found = vt.prepare(plan, relation, variables=variables)
        assert found.df()["x_lev_x_a_2"].tolist() == [1.0]
    told = "'X_CATB' and the derived variable 'x_catB' are one name to duckdb"
    with pytest.raises(FrameError, match=told):
        vt.prepare(plan, relation, row_id="X_CATB", variables=["x_catB"])


def test_transformers_refuse_lazy_frames() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(fresh()).lazy()
    told = "paths to files are for design_treatments, cross_frame_experiment and prepare only"
    for transformer in (vt.NumericOutcomeTreatment(), vt.YAwareScaler()):
        for given in (frame, "rows.parquet"):
            with pytest.raises(TypeError, match=told):
                transformer.fit(given, "y")


def test_many_joined_columns_are_one_statement_of_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step of a query made DuckDB bind all of it: 60 columns took 5 seconds to build."""
    duckdb = pytest.importorskip("duckdb")
    random = np.random.default_rng(0)
    columns = {f"c{i}": [f"l{v}" for v in random.integers(30, size=300)] for i in range(40)}
    table = pa.table({**columns, "y": random.random(300), "id": np.arange(300)})
    plan = vt.design_treatments(table, outcome="y", coders=["catP"], variables=list(columns))
    connection = duckdb.connect()
    connection.execute("CREATE TABLE vtreat_py_table AS SELECT 1 AS c0")  # it must not be found
    relation = connection.from_arrow(table)
    module = import_module("vtreat_py.lazy.on_duckdb")
    asked: list[int] = []

    def look_up(native: Any, lookups: Any) -> Any:
        asked.append(len(lookups))
        return joined(native, lookups)

    joined = module.look_up
    monkeypatch.setattr(module, "look_up", look_up)
    found = vt.prepare(plan, relation, row_id="id")
    assert asked == [40]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)
        expected = vt.prepare(plan, table, row_id="id")
    assert_same_bits(found, expected)


@pytest.mark.long
def test_many_variables_are_no_slow_frame_to_dask() -> None:
    """It added column to column, of which pandas warns from a hundred on."""
    frames = pytest.importorskip("dask.dataframe")
    random = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{i}": random.choice(list("abcde"), 400) for i in range(24)})
    frame = frame.assign(id=range(400), y=random.normal(size=400))
    plan = vt.design_treatments(frame[:200], outcome="y", coders=["lev", "catP"])
    assert len(plan.feature_names) > 130
    rows = frames.from_pandas(frame[200:], npartitions=8)
    expected = vt.prepare(plan, frame[200:], row_id="id")
    assert_same_bits(vt.prepare(plan, rows, row_id="id"), expected)
