"""D. Rows in other forms than frames: the numbers are those of a list of what once went wrong."""

from __future__ import annotations

import inspect
import sqlite3
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import FrameError, InvalidOptionError, OptionTypeError, VtreatError

N = 60


@pytest.fixture(scope="module")
def given(rows: pd.DataFrame, y: Any) -> pd.DataFrame:
    return rows.assign(y=y, id=np.arange(N), w=np.arange(N) % 3 + 1)


def test_d11_a_list_of_dicts_is_a_frame(given: pd.DataFrame) -> None:
    some = given.astype(object).where(given["z"] > -1, None)
    listed = [{k: v for k, v in row.items() if v is not None} for row in some.to_dict("records")]
    listed = [row | {"y": y, "w": w} for row, y, w in zip(listed, given.y, given.w, strict=True)]
    options: dict[str, Any] = {"outcome": "y", "sample_weight": "w", "variables": ["c", "z"]}
    made = vt.design_treatments(listed, random_state=0, **options)
    frame = some.assign(z=some["z"].astype(float), y=given.y, w=given.w)
    assert made == vt.design_treatments(frame, random_state=0, **options)
    found = vt.prepare(made, listed[:7], extra_columns=["y"])
    expected = vt.prepare(made, frame[:7], extra_columns=["y"])
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_d11_columns_of_dicts_come_in_the_order_they_are_met() -> None:
    rows: list[dict[Any, Any]] = [{"b": 1.5, "a": "u"}, {"a": "v\ud800", ("t", 1): 2}, {}] * 10
    made = vt.design_treatments(rows, outcome_type="unsupervised")
    assert made.variables == ("b", "a", ("t", 1))


@pytest.mark.parametrize("rows", [[{"x": 1}, 3], [[1], {"x": 1}], [{"x": 1}, None]])
def test_d11_a_list_of_dicts_and_others_is_refused(rows: Any) -> None:
    with pytest.raises(OptionTypeError, match=r"of which row [01] is of type .*; give a dict for"):
        vt.design_treatments(rows, outcome_type="unsupervised")


@pytest.fixture(scope="module")
def folder(given: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("rows")
    (home / "more").mkdir()
    given[:20].to_parquet(home / "part-0.parquet")
    given[20:45].to_parquet(home / "part-1.parquet")
    given[45:].to_parquet(home / "more" / "part-2.PARQUET")
    (home / "_SUCCESS.parquet").write_text("")
    given[:20].to_csv(home / "a.csv", index=False)
    given[20:].drop(columns="c").to_csv(home / "b.csv", index=False)
    return home


def test_d11_folders_and_lists_of_paths_are_lazy_frames(given: pd.DataFrame, folder: Path) -> None:
    options: dict[str, Any] = {"outcome": "y", "row_id": "id", "cv": 3, "variables": ["c", "z"]}
    expected = vt.design_treatments(duckdb.from_df(given), **options)
    paths = [folder / "part-0.parquet", str(folder / "part-1.parquet"), folder / "more"]
    for one in (folder, str(folder), paths):
        made = vt.design_treatments(one, **options)
        assert made.feature_names == expected.feature_names
        np.testing.assert_allclose(made.score_frame["sig"], expected.score_frame["sig"], rtol=1e-9)
    treated = vt.prepare(expected, paths, row_id="id")
    assert sorted(treated.df()["id"]) == list(range(N))


def test_d11_what_one_file_lacks_is_missing_there(folder: Path) -> None:
    made = vt.design_treatments(
        [str(folder / "a.csv"), str(folder / "b.csv")], outcome="y", row_id="id", cv=3
    )
    assert made.n_rows == N
    effects = made.level_effects("c").set_index("kind")["count"]
    assert effects["missing"] == N - 20


def test_d11_paths_that_cannot_be_opened_are_refused(folder: Path, tmp_path: Path) -> None:
    for paths, error, message in [
        ([folder / "a.csv", folder / "part-0.parquet"], InvalidOptionError, "some are Parquet and"),
        ([folder / "none.parquet"], FrameError, "cannot be opened"),
        ([tmp_path], FrameError, "is a folder without Parquet files"),
        (tmp_path, FrameError, "is a folder without Parquet files"),
        (folder / "none", InvalidOptionError, "ends neither like Parquet .*, and no folder"),
    ]:
        with pytest.raises(error, match=message):
            vt.design_treatments(paths, outcome="y", row_id="id")
    with pytest.raises(OptionTypeError, match="lazy frames and paths to files are for"):
        vt.NumericOutcomeTreatment().fit([folder], [1.0])


def busy() -> AbstractContextManager[Any]:
    """What DuckDB says of a result that is not read; older versions forget it, and say nothing."""
    if hasattr(duckdb, "ResourceInUseException"):
        return pytest.raises(VtreatError, match="unfinished result")
    return nullcontext()


def test_d11_connections_are_no_frames_and_may_be_busy(
    given: pd.DataFrame, plan: vt.TreatmentPlan
) -> None:
    with closing(sqlite3.connect(":memory:")) as other, duckdb.connect() as connection:
        for one in (connection, other):
            with pytest.raises(OptionTypeError, match="a connection; give rows of it, such as the"):
                vt.design_treatments(one, outcome="y")
        connection.register("rows", given)
        relation = connection.table("rows")
        connection.execute("SELECT * FROM range(100000)")
        for verb in (
            lambda: vt.design_treatments(relation, outcome="y", row_id="id", cv=3),
            lambda: plan.check_sql(connection, given),
        ):
            with busy():
                verb()
        connection.execute("SELECT 1").fetchall()


POSITIONAL: list[tuple[Any, str]] = [
    (
        vt.design_treatments,
        r"'y' is a positional argument; .* design_treatments\(frame, outcome='y'\)",
    ),
    (vt.cross_frame_experiment, r"by name: cross_frame_experiment\(frame, outcome='y'\)"),
    (vt.variable_importance, r"by name: variable_importance\(frame, outcome='y'\)"),
    (vt.find_interactions, r"by name: find_interactions\(frame, outcome='y'\)"),
]


@pytest.mark.parametrize(("function", "message"), POSITIONAL)
def test_d12_options_by_position_say_how_to_name_them(
    given: pd.DataFrame, function: Any, message: str
) -> None:
    with pytest.raises(OptionTypeError, match=message):
        function(given, "y")
    parameters = list(inspect.signature(function).parameters.values())
    assert {p.kind for p in parameters[1:]} == {inspect.Parameter.KEYWORD_ONLY}
    with pytest.raises(TypeError, match="colour"):
        function(given, colour="y")


def test_d12_prepare_says_so_too(given: pd.DataFrame, plan: vt.TreatmentPlan) -> None:
    with pytest.raises(
        OptionTypeError,
        match=r"float is a positional argument; options .* prepare\(plan, frame, prune_sig",
    ):
        vt.prepare(plan, given, 0.05)  # type: ignore[arg-type]
    assert vt.prepare(plan=plan, frame=given[:3]).shape[0] == 3
