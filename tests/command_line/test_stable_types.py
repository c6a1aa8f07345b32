"""What a column was at the design, it is later: zip codes, codes of numbers, numbers, dates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.command_line.conftest import Run


def rows(column: str, values: list[str]) -> str:
    return "".join([f"{column},y\n", *(f"{value},{i % 3}\n" for i, value in enumerate(values))])


def designed(folder: Path, run: Run, text: str, *options: str) -> vt.TreatmentPlan:
    (folder / "then.csv").write_text(text)
    done = run("design", "then.csv", "--outcome", "y", *options, "--plan", "then.json")
    assert done[0] == 0, done[2]
    return vt.TreatmentPlan.from_json(folder / "then.json")


def prepared(folder: Path, run: Run, text: str, *options: str) -> pd.DataFrame:
    (folder / "now.csv").write_text(text)
    found = []
    for how in ("--in-memory", "--lazy"):
        done = run("prepare", "then.json", "now.csv", "-o", "now.parquet", how, *options)
        assert done[0] == 0, done[2]
        found.append(pd.read_parquet("now.parquet"))
    pd.testing.assert_frame_equal(*found, check_exact=True)
    return found[0]


ZIPS = ["01234", "94110", "10001", "94110"] * 10


def test_numbers_with_leading_zeros_are_levels(folder: Path, run: Run) -> None:
    plan = designed(folder, run, rows("zip", ZIPS), "--coders", "lev")
    assert plan.feature_names == ["zip_lev_x_01234", "zip_lev_x_10001", "zip_lev_x_94110"]


def test_what_was_text_is_text_where_all_fields_look_like_numbers(folder: Path, run: Run) -> None:
    designed(folder, run, rows("zip", ZIPS), "--coders", "lev")
    now = prepared(folder, run, rows("zip", ["94110", "10001", "1234"]))
    assert now["zip_lev_x_94110"].tolist() == [1, 0, 0]
    assert now["zip_lev_x_01234"].tolist() == [0, 0, 0]


def test_what_was_numbers_as_levels_is_so_with_zeros_or_a_point(folder: Path, run: Run) -> None:
    options = ("--categorical", "zip", "--coders", "lev")
    plan = designed(folder, run, rows("zip", ["94110", "10001"] * 20), *options)
    assert plan.level_statistics == () or plan.treatments[0].designed_on == "numbers as levels"
    now = prepared(folder, run, rows("zip", ["94110.0", "010001", "7"]))
    assert now["zip_lev_x_94110"].tolist() == [1, 0, 0]
    assert now["zip_lev_x_10001"].tolist() == [0, 1, 0]


def test_what_was_numbers_is_numbers(folder: Path, run: Run) -> None:
    designed(folder, run, rows("age", ["1", "2.5", "NA", "4"] * 10), "--coders", "clean,isBAD")
    now = prepared(folder, run, rows("age", ["007", " 8 ", "", "inf"]))
    assert now["age"].tolist() == [7, 8, 2.5, 2.5]
    assert now["age_isBAD"].tolist() == [0, 0, 1, 1]


def test_an_empty_column_is_what_it_was(folder: Path, run: Run) -> None:
    designed(folder, run, rows("age", ["1", "2", "6", "NA"] * 10), "--coders", "clean")
    assert prepared(folder, run, rows("age", ["", "NA"]))["age"].tolist() == [3, 3]


def test_texts_that_mean_missing_are_in_the_plan(folder: Path, run: Run) -> None:
    options = ("--missing-values", "?,unknown", "--coders", "clean")
    designed(folder, run, rows("age", ["1", "?", "5", "unknown"] * 10), *options)
    assert prepared(folder, run, rows("age", ["?", "4"]))["age"].tolist() == [3, 4]


def test_na_may_be_a_name(folder: Path, run: Run) -> None:
    text = rows("country", ["NA", "DE", "", "NA"] * 10)
    plan = designed(folder, run, text, "--coders", "lev")
    assert plan.feature_names == ["country_lev_NA", "country_lev_x_DE", "country_lev_x_NA"]


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (["1", "2"] * 20, ["1"] * 20 + ["2.0"] * 20),
        (["2020-01-01 10:00Z"] * 40, [""] * 20 + ["2020-01-02 10:00Z"] * 20),
    ],
)
def test_parts_of_a_column_are_of_one_type(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, then: list[str], now: list[str]
) -> None:
    designed(folder, run, rows("x", then), *(["--categorical", "x"] if then[0] == "1" else []))
    whole = prepared(folder, run, rows("x", now))
    assert run("audit", "then.json", "now.csv", "--lazy", "--psi", "99")[0] == 0
    monkeypatch.setattr("vtreat_py.command_line.csv_files._BLOCK", 128)
    pd.testing.assert_frame_equal(prepared(folder, run, rows("x", now)), whole)
    assert run("audit", "then.json", "now.csv", "--lazy", "--psi", "99")[0] == 0


def test_kinds_that_are_mixed_between_parts_are_refused(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = ["2020-01-01 10:00Z", "2020-01-02 10:00Z"] * 20
    designed(folder, run, rows("x", moments))
    monkeypatch.setattr("vtreat_py.command_line.csv_files._BLOCK", 128)
    (folder / "now.csv").write_text(rows("x", moments + ["2020-01-02 10:00"] * 40))
    for how in ("--in-memory", "--lazy"):
        status, _, said = run("prepare", "then.json", "now.csv", "-o", "now.parquet", how)
        assert (status, said.count("\n")) == (2, 1)
        assert "column 'x' mixes fields of several kinds; datetimes are meant" in said


def test_dates_are_dates(folder: Path, run: Run) -> None:
    days = pd.date_range("2023-11-01", periods=40).strftime("%Y-%m-%d").tolist()
    designed(folder, run, rows("day", days), "--coders", "clean")
    now = prepared(folder, run, rows("day", ["2024-02-29"]))
    assert now["day"].tolist() == [(pd.Timestamp("2024-02-29") - pd.Timestamp("1970-01-01")).days]


def test_parts_of_pairs_and_hierarchies_are_what_they_were(folder: Path, run: Run) -> None:
    then = pd.DataFrame(
        {
            "zip": ["01001", "01002", "02001", "02002"] * 30,
            "county": ["01", "01", "02", "02"] * 30,
            "size": [1, 2, 3] * 40,
            "y": np.arange(120) % 7,
        }
    )
    plan = designed(
        folder, run, then.to_csv(index=False), "--hierarchies", "zip=county",
        "--composites", "county:size",
    )  # fmt: skip
    now = then.replace({"zip": {"01001": "11001"}, "county": {"01": "11"}}).head(8)
    assert now["county"].tolist()[2] == "02"
    now = now[now["county"] == "11"]
    expected = vt.prepare(plan, now)
    found = prepared(folder, run, now.to_csv(index=False))
    pd.testing.assert_frame_equal(found, expected.reset_index(drop=True), check_exact=True)


@pytest.mark.parametrize("how", ["--in-memory", "--lazy"])
def test_parts_of_pairs_need_not_be_treated(folder: Path, run: Run, how: str) -> None:
    then = pd.DataFrame({"id": range(40), "a": ["u", "v"] * 20, "b": ["s", "t", "t", "s"] * 10})
    then["y"] = then["id"] % 7
    then.to_csv("pairs.csv", index=False)
    options = ("--outcome", "y", "--row-id", "id", "--random-state", "0", "--plan", "pairs.json")
    options = (*options, "--variables")
    assert run("design", "pairs.csv", how, *options, "a", "--composites", "a:b")[0] == 0
    plan = vt.TreatmentPlan.from_json(folder / "pairs.json")
    assert plan.variables == ("a", "a:b")
    assert run("design", "pairs.csv", how, *options, "a", "--hierarchies", "a=b")[0] == 0


def test_kept_columns_are_what_all_their_fields_are(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vtreat_py.command_line.csv_files._BLOCK", 64)
    designed(folder, run, rows("x", ["a", "b"] * 20))
    text = "x,id,code,when\n" + "".join(f"a,{i},{i:03d},2024-01-01\n" for i in range(40))
    now = prepared(folder, run, f"{text}b,,x,\n", "--keep", "when,id,code")
    assert now.columns[:3].tolist() == ["when", "id", "code"]
    assert now["id"].tolist()[:2] == [0, 1]
    assert now["code"].tolist()[1] == "001"


def test_what_changed_is_named_with_its_row(folder: Path, run: Run) -> None:
    designed(folder, run, rows("age", ["1", "2", "3", "4"] * 10))
    (folder / "now.csv").write_text(rows("age", ["5", "old"]))
    for how in ("--in-memory", "--lazy"):
        status, out, said = run("prepare", "then.json", "now.csv", "-o", "now.parquet", how)
        assert (status, out) == (2, "")
        assert said == (
            "vtreat_py: now.csv: column 'age' holds 'old' in row 2, and the plan was designed on "
            "numbers; correct it, or name it in --missing-values of the design\n"
        )
        assert not (folder / "now.parquet").exists()


def test_large_ids_are_told_apart_beside_one_with_zeros(folder: Path, run: Run) -> None:
    first, last = (str(2**53 + k) for k in range(2))
    options = ("--categorical", "id", "--coders", "lev")
    designed(folder, run, rows("id", [first, last] * 20), *options)
    now = prepared(folder, run, rows("id", [first, last, "007"]))
    assert now[f"id_lev_x_{first}"].tolist() == [1, 0, 0]
    assert now[f"id_lev_x_{last}"].tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        (["9007199254740992", "9007199254740993", "007"], None),
        (["9007199254740992", "9007199254740993", "1.5"], None),
        (["9007199254740992", "9007199254740993"], [2**53, 2**53 + 1]),
        (["1.5", "2"], [1.5, 2.0]),
    ],
)
@pytest.mark.filterwarnings("ignore:column 'id' is categorical and holds")
def test_columns_that_are_treated_are_kept_as_they_are(
    folder: Path, run: Run, fields: list[str], kept: list[float] | None
) -> None:
    text = "".join([f"{i % 3},{'ab'[i % 2]},{i % 3}\n" for i in range(40)])
    designed(folder, run, "id,t,y\n" + text, "--categorical", "id", "--coders", "lev")
    now = "".join([f"{field},a,0\n" for field in fields])
    done = prepared(folder, run, "id,t,y\n" + now, "--keep", "id", "--variables", "id_lev_x_1")
    assert done["id"].tolist() == (fields if kept is None else kept)
