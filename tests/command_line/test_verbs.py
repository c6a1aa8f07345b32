"""What each verb gives: the API's results, to the bit in Parquet, and to all decimals in CSV."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import vtreat_py as vt
from tests.command_line.conftest import DESIGN, Run
from vtreat_py.command_line.writing import write_table

TREATED = ["x", "g", "z", "flag", "size", "zip"]
# As the command line reads it: zip codes are text.
READ: dict[str, Any] = {"dtype": {"zip": str}}
UUIDS = [str(UUID(int=(i + 1) * 10**35)) for i in range(240)]


def experiment(frame: Any, **options: Any) -> vt.CrossFrameExperiment:
    given = {"outcome": "c", "variables": TREATED, "random_state": 0} | options
    return vt.cross_frame_experiment(frame, **given)


def test_the_main_job_is_that_of_the_api(folder: Path, run: Run) -> None:
    frame = pd.read_csv("train.csv", **READ)
    expected = experiment(frame)
    status, out, said = run(
        "design", "train.csv", *DESIGN, "--plan", "plan.json", "--cross-frame", "cross.parquet"
    )
    assert (status, out) == (0, "")
    assert said.splitlines()[0].startswith("train.csv: 240 rows, designed in memory; outcome bino")
    assert vt.TreatmentPlan.from_json(folder / "plan.json") == expected.plan
    found = pd.read_parquet("cross.parquet")
    assert found.columns.tolist() == ["id", "y", *expected.cross_frame.columns, "c"]
    assert found["id"].tolist() == frame["id"].tolist()
    assert found["c"].tolist() == frame["c"].tolist()
    pd.testing.assert_frame_equal(
        found[expected.cross_frame.columns], expected.cross_frame, check_exact=True
    )
    status, out, said = run("prepare", "plan.json", "new.csv", "-o", "out.parquet", "--keep", "id")
    assert (status, out, said) == (0, "", "out.parquet: 60 rows, treated in memory\n")
    treated = vt.prepare(expected.plan, pd.read_csv("new.csv", **READ), extra_columns=["id"])
    treated = treated[["id", *treated.columns[:-1]]]
    pd.testing.assert_frame_equal(pd.read_parquet("out.parquet"), treated, check_exact=True)


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.csv.gz", "out.csv.zst"])
def test_csv_has_all_decimals(folder: Path, run: Run, plan: vt.TreatmentPlan, name: str) -> None:
    treated = vt.prepare(plan, pd.read_csv("new.csv", **READ))
    assert run("prepare", "plan.json", "new.csv", "-o", name)[0] == 0
    if name.endswith("zst"):
        text = pa.input_stream(name, compression="zstd").read().decode()
    else:
        content = Path(name).read_bytes()
        text = (gzip.decompress(content) if name.endswith("gz") else content).decode()
    sign = "\t" if name.endswith("tsv") else ","
    lines = [line.split(sign) for line in text.splitlines()]
    assert [one.strip('"') for one in lines[0]] == treated.columns.tolist()
    np.testing.assert_array_equal(np.array(lines[1:], dtype=float), treated.to_numpy())


def test_standard_input_and_output(folder: Path, run: Run, plan: vt.TreatmentPlan) -> None:
    text = (folder / "new.csv").read_text()
    assert run("prepare", "plan.json", "new.csv", "-o", "file.csv", "--keep", "id")[0] == 0
    status, out, said = run("prepare", "plan.json", "-", "-o", "-", "--keep", "id", text=text)
    assert (status, said) == (0, "standard output: 60 rows, treated in memory\n")
    assert out == (folder / "file.csv").read_text()
    status, out, _ = run("design", "train.csv", *DESIGN, "--plan", "-")
    assert vt.TreatmentPlan.from_json(out) == plan


def test_parts_give_what_the_whole_gives(
    folder: Path, run: Run, plan: vt.TreatmentPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vtreat_py.command_line.tables._ROWS_AT_ONCE", 7)
    monkeypatch.setattr("vtreat_py.command_line.csv_files._BLOCK", 300)
    arguments = ("--keep", "id,c", "--scale", "--collar")
    assert run("prepare", "plan.json", "new.csv", "-o", "whole.parquet", *arguments)[0] == 0
    for table in ("new.csv", "new.parquet"):
        done = run("prepare", "plan.json", table, "-o", "parts.parquet", "--lazy", *arguments)
        assert done == (0, "", "parts.parquet: 60 rows, treated part by part\n")
        parts, whole = map(pq.read_table, ("parts.parquet", "whole.parquet"))
        assert parts.cast(whole.schema).equals(whole)


def test_files_beyond_a_size_are_left_on_the_disk(
    folder: Path, run: Run, plan: vt.TreatmentPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vtreat_py.command_line.tables.MOST_BYTES", 100)
    assert "part by part" in run("prepare", "plan.json", "new.parquet", "-o", "out.csv")[2]
    done = run("prepare", "plan.json", "new.parquet", "-o", "out.csv", "--in-memory")
    assert "in memory" in done[2]


@pytest.mark.parametrize("table", ["train.csv", "train.parquet"])
def test_duckdb_gives_the_plan_of_the_api(folder: Path, run: Run, table: str) -> None:
    pytest.importorskip("duckdb")
    frame = pd.read_parquet("train.parquet")
    expected = experiment(frame, row_id="id")
    arguments = ("--outcome", "c", "--row-id", "id", "--keep", "y", "--lazy", "--random-state", "0")
    done = run("design", table, *arguments, "--plan", "p.json", "--cross-frame", "cross.parquet")
    assert done[0] == 0, done[2]
    assert "designed in DuckDB" in done[2]
    plan = vt.TreatmentPlan.from_json(folder / "p.json")
    assert plan.feature_names == expected.plan.feature_names
    found = pd.read_parquet("cross.parquet").sort_values("id", ignore_index=True)
    derived = expected.cross_frame.columns.tolist()
    assert found.columns.tolist() == ["id", "y", *derived[1:], "c"]
    assert found["c"].tolist() == frame["c"].tolist()
    np.testing.assert_allclose(found[derived], expected.cross_frame, rtol=1e-9, atol=1e-12)


def test_rows_without_an_id_are_numbered_in_duckdb(folder: Path, run: Run) -> None:
    pytest.importorskip("duckdb")
    frame = pd.read_parquet("train.parquet").assign(number=range(240))
    expected = experiment(frame, row_id="number").cross_frame
    arguments = ("--outcome", "c", "--keep", "id,y", "--random-state", "0", "--lazy")
    done = run("cross-frame", "train.parquet", *arguments, "-o", "cross.parquet")
    assert done[0] == 0, done[2]
    found = pd.read_parquet("cross.parquet").sort_values("id", ignore_index=True)
    derived = expected.columns.tolist()[1:]
    assert found.columns.tolist() == ["id", "y", *derived, "c"]
    np.testing.assert_allclose(found[derived], expected[derived], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("where", ["--lazy", "--in-memory"])
def test_ids_may_be_text(folder: Path, run: Run, ending: str, where: str) -> None:
    pytest.importorskip("duckdb")
    frame = pd.read_parquet("train.parquet").assign(id=[f"no. {i:03}" for i in range(240)])
    frame.to_parquet("named.parquet")
    frame.to_csv("named.csv", index=False)
    expected = experiment(frame, row_id="id").cross_frame
    arguments = ("--outcome", "c", "--row-id", "id", "--keep", "y", "--random-state", "0", where)
    done = run("cross-frame", f"named.{ending}", *arguments, "-o", "cross.parquet")
    assert done[0] == 0, done[2]
    found = pd.read_parquet("cross.parquet").sort_values("id", ignore_index=True)
    derived = expected.columns.tolist()
    assert found["id"].tolist() == frame["id"].tolist()
    assert found.columns.tolist() == ["id", "y", *derived[1:], "c"]
    np.testing.assert_allclose(found[derived[1:]], expected[derived[1:]], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("where", ["--lazy", "--in-memory"])
def test_ids_may_be_uuids(folder: Path, run: Run, where: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = pd.read_parquet("train.parquet").assign(id=UUIDS, y=range(240))
    with duckdb.connect() as connection:
        whole = connection.from_df(frame).project("* REPLACE (CAST(id AS UUID) AS id)")
        whole.write_parquet("uuids.parquet")
    expected = experiment(frame, row_id="id").cross_frame.iloc[:, 1:]
    arguments = ("--outcome", "c", "--row-id", "id", "--keep", "y", "--random-state", "0", where)
    done = run("cross-frame", "uuids.parquet", *arguments, "-o", "cross.parquet")
    assert done[0] == 0, done[2]
    found = pd.read_parquet("cross.parquet").sort_values("y")[expected.columns]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_uuids_are_text_in_csv(folder: Path) -> None:
    bytes_of = pa.array([UUID(one).bytes for one in UUIDS[:2]] + [None], pa.binary(16))
    table = pa.table({"id": bytes_of.cast(pa.uuid()), "n": [1, 2, 3]})
    assert write_table("uuids.csv", table.to_batches()) == 3
    text = f'"id","n"\n"{UUIDS[0]}",1\n"{UUIDS[1]}",2\n,3\n'
    assert (folder / "uuids.csv").read_text() == text


def test_ids_that_repeat_cannot_bring_columns_to_a_cross_frame(folder: Path, run: Run) -> None:
    pytest.importorskip("duckdb")
    pd.read_parquet("train.parquet").assign(id=[*range(120)] * 2).to_parquet("twice.parquet")
    arguments = ("--outcome", "c", "--row-id", "id", "--lazy", "--keep", "y")
    done = run("cross-frame", "twice.parquet", *arguments, "-o", "cross.parquet")
    assert done[0] == 2
    assert done[2].startswith("vtreat_py: twice.parquet: --row-id id has 120 values more than once")
    assert not (folder / "cross.parquet").exists()


def test_folders_and_patterns_are_tables(folder: Path, run: Run, plan: vt.TreatmentPlan) -> None:
    (folder / "parts").mkdir()
    frame = pd.read_csv("new.csv", **READ)
    for part in range(3):
        rows = frame.iloc[20 * part : 20 * part + 20]
        rows.to_parquet(f"parts/{part}.parquet", index=False)
        rows.to_csv(f"parts/{part}.csv", index=False)
    assert run("prepare", "plan.json", "new.csv", "-o", "whole.csv", "--keep", "id")[0] == 0
    for table in ("parts", "parts/*.csv"):
        assert run("prepare", "plan.json", table, "-o", "out.csv", "--keep", "id")[0] == 0
        assert Path("out.csv").read_text() == Path("whole.csv").read_text()


def test_files_of_a_table_may_differ_in_what_one_type_holds(folder: Path, run: Run) -> None:
    first = pd.DataFrame({"x": [1, 2, 3] * 10, "t": ["a", "b"] * 15, "y": np.arange(30) % 4})
    (folder / "parts").mkdir()
    first.to_parquet("parts/a.parquet", index=False)
    first.drop(columns="t").assign(x=0.5).to_parquet("parts/b.parquet", index=False)
    assert run("design", "parts", "--outcome", "y", "--plan", "p.json")[0] == 0
    plan = vt.TreatmentPlan.from_json(folder / "p.json")
    assert plan.n_rows == 60
    assert float(plan.level_statistics[0].count[2]) == 30.0


@pytest.mark.parametrize("how", ["--in-memory", "--lazy"])
@pytest.mark.parametrize("output", ["out.csv", "out.parquet"])
def test_files_that_are_not_one_table_are_refused(
    folder: Path, run: Run, plan: vt.TreatmentPlan, how: str, output: str
) -> None:
    frame = pd.read_csv("new.csv", **READ)
    (folder / "parts").mkdir()
    frame.to_parquet("parts/a.parquet", index=False)
    frame.assign(id="one").to_parquet("parts/b.parquet", index=False)
    (folder / output).write_text("as before")
    status, out, said = run("prepare", "plan.json", "parts", how, "-o", output, "--keep", "id")
    assert (status, out, said.count("\n")) == (2, "", 1)
    assert said.startswith("vtreat_py: parts: ")
    assert (folder / output).read_text() == "as before"


def test_options_of_a_design_reach_it(folder: Path, run: Run) -> None:
    arguments = (
        "--outcome", "c", "--target", "no", "--variables", "x,g,z", "--cv", "3",
        "--random-state", "4", "--composites", "x:g", "--imputation-map", "z=median",
        "--coders", "clean,isBAD,catB", "--smoothing", "5", "--missing-values", "u",
        "--prune-sig", "0.5", "--scale",
    )  # fmt: skip
    done = run("design", "train.csv", *arguments, "--plan", "p.json", "--cross-frame", "c.parquet")
    assert done[0] == 0, done[2]
    expected = experiment(
        pd.read_csv("train.csv", **READ), target="no", variables=["x", "g", "z"], cv=3,
        random_state=4, composites=[("x", "g")], imputation_map={"z": "median"},
        coders=["clean", "isBAD", "catB"], smoothing=5, missing_values=["u"], prune_sig=0.5,
        scale=True,
    )  # fmt: skip
    assert vt.TreatmentPlan.from_json(folder / "p.json") == expected.plan
    found = pd.read_parquet("c.parquet")
    assert found.columns.tolist() == [*expected.cross_frame.columns, "c"]
    pd.testing.assert_frame_equal(
        found[expected.cross_frame.columns], expected.cross_frame, check_exact=True
    )


def test_weights_go_with_the_cross_frame(folder: Path, run: Run) -> None:
    frame = pd.read_csv("train.csv", **READ).assign(w=lambda f: 1 + f["size"])
    frame.to_csv("weighted.csv", index=False)
    arguments = ("--outcome", "c", "--sample-weight", "w", "--variables", "x,z")
    assert run("cross-frame", "weighted.csv", *arguments, "-o", "cross.csv")[0] == 0
    found = pd.read_csv("cross.csv", engine="pyarrow")
    assert found.columns[-2:].tolist() == ["w", "c"]
    assert found["w"].tolist() == frame["w"].tolist()


def test_rows_that_folds_repeat_bring_their_outcomes(folder: Path, run: Run) -> None:
    done = run("cross-frame", "train.csv", *DESIGN, "--cv", "ordered", "-o", "cross.parquet")
    assert done[0] == 0, done[2]
    frame, found = pd.read_csv("train.csv"), pd.read_parquet("cross.parquet")
    by_id = frame.set_index("id").loc[found["id"]]
    assert by_id["c"].tolist() == found["c"].tolist()


def test_scores_are_the_score_frame(folder: Path, run: Run, plan: vt.TreatmentPlan) -> None:
    status, out, said = run("scores", "plan.json")
    assert (status, said) == (0, "")
    assert len(out.splitlines()) == 1 + len(plan.score_frame)
    assert out.split()[:4] == ["variable", "orig_variable", "code", "rsq"]
    records = json.loads(run("scores", "plan.json", "--json")[1])
    assert [one["sig"] for one in records] == plan.score_frame["sig"].tolist()
    assert list(records[0]) == plan.score_frame.columns.tolist()
    assert run("scores", "plan.json", "-o", "scores.csv")[:2] == (0, "")
    assert (
        pd.read_csv("scores.csv", engine="pyarrow")["rsq"].tolist()
        == plan.score_frame["rsq"].tolist()
    )
    assert run("scores", "plan.json", "-o", "scores.parquet")[0] == 0
    assert pd.read_parquet("scores.parquet")["sig"].tolist() == plan.score_frame["sig"].tolist()


def test_effects_are_those_of_levels(folder: Path, run: Run, plan: vt.TreatmentPlan) -> None:
    status, out, _ = run("effects", "plan.json", "x", "--csv")
    assert status == 0
    (folder / "effects.csv").write_text(out)
    found, expected = (
        pd.read_csv("effects.csv", engine="pyarrow"),
        plan.level_effects("x"),
    )
    assert found["effect"].tolist() == expected["effect"].tolist()
    assert found["level"].fillna("").tolist() == expected["level"].fillna("").tolist()


def test_effects_of_one_of_several_classes(folder: Path, run: Run) -> None:
    frame = pd.read_csv("train.csv", **READ)
    frame["three"] = [3, 1, 2] * 80
    frame.to_csv("three.csv", index=False)
    options = ("--outcome", "three", "--outcome-type", "multinomial", "--variables", "x,z")
    assert run("design", "three.csv", *options, "--plan", "three.json")[0] == 0
    assert run("effects", "three.json", "x", "--target", "2")[0] == 0
    status, _, said = run("effects", "three.json", "x", "--target", "9")
    assert status == 2
    assert said.startswith("vtreat_py: three.json: ")


def test_drift_is_worth_a_status(folder: Path, run: Run, plan: vt.TreatmentPlan) -> None:
    status, out, _ = run("audit", "plan.json", "new.csv")
    assert (status, out) == (0, f"{plan.audit(pd.read_csv('new.csv', **READ))!r}\n")
    moved = pd.read_csv("new.csv", **READ).assign(z=lambda f: f["z"] + 100)
    moved.to_csv("moved.csv", index=False)
    status, out, _ = run("audit", "plan.json", "moved.csv", "--json")
    assert status == 1
    assert [one["column"] for one in json.loads(out) if one["drifted"]] == ["z"]
    assert run("audit", "plan.json", "moved.csv", "--psi", "99")[0] == 0
    pytest.importorskip("duckdb")
    assert run("audit", "plan.json", "moved.csv", "--json", "--lazy")[0] == 1


def test_queries_are_those_of_the_plan(folder: Path, run: Run, plan: vt.TreatmentPlan) -> None:
    options = ("--table", "shop.visits", "--row-id", "id", "--coders", "clean,lev")
    status, out, said = run("sql", "plan.json", *options, "--dialect", "postgres", "--keep", "c")
    assert (status, said) == (0, "")
    expected = plan.to_sql(
        ("shop", "visits"), row_id="id", coders=["clean", "lev"], dialect="postgres",
        extra_columns=["c"],
    )  # fmt: skip
    assert out == f"{expected}\n"
    assert run("sql", "plan.json", *options, "-o", "q.sql")[:2] == (0, "")
    assert "shop" in (folder / "q.sql").read_text()


def test_coding_tables_come_with_queries(folder: Path, run: Run) -> None:
    frame = pd.DataFrame({"who": [f"u{i % 3000}" for i in range(5000)]})
    frame.to_csv("who.csv", index=False)
    options = ("--outcome-type", "unsupervised", "--coders", "catP")
    assert run("design", "who.csv", *options, "--plan", "who.json")[0] == 0
    (name,) = vt.TreatmentPlan.from_json(folder / "who.json").coding_tables()
    assert f"the query joins {name}; --coding-tables" in run("sql", "who.json", "--table", "t")[2]
    done = run("sql", "who.json", "--table", "t", "--coding-tables", "tables")
    assert done[0] == 0
    assert len(pd.read_parquet(f"tables/{name}.parquet")) == 3000


def test_a_plan_is_a_model_of_dbt(folder: Path, run: Run) -> None:
    frame = pd.DataFrame({"who": [f"u{i % 3000}" for i in range(5000)]})
    frame.to_csv("who.csv", index=False)
    options = ("--outcome-type", "unsupervised", "--coders", "catP")
    assert run("design", "who.csv", *options, "--plan", "who.json")[0] == 0
    plan = vt.TreatmentPlan.from_json(folder / "who.json")
    (name,) = plan.coding_tables()
    status, out, said = run("sql", "who.json", "--table", "raw.who", "--dbt", "shop")
    assert (status, out) == (0, "")
    files = [
        "models/who_treated/who_treated.sql",
        f"seeds/vtreat/{name}.csv",
        f"seeds/vtreat/{name}.yml",
        "models/who_treated/schema.yml",
    ]
    assert said == f"shop: wrote {', '.join(files)}\n"
    assert all((folder / "shop" / file).stat().st_size for file in files)
    assert "{{ source('raw', 'who') }}" in (folder / "shop" / files[0]).read_text()
    given = ("--table", "{{ ref('who') }}", "--dbt", "shop", "--coding-schema", "db.codes")
    assert run("sql", "who.json", *given, "--model", "coded", "--dialect", "snowflake")[0] == 0
    text = (folder / "shop/models/coded/coded.sql").read_text()
    assert f'LEFT JOIN "db"."codes"."{name}" AS' in text
    status, _, said = run("sql", "who.json", *given, "--output", "q.sql")
    assert (status, "--dbt writes the query and its tables: leave out" in said) == (2, True)
    status, _, said = run("sql", "who.json", "--table", "two words", "--dbt", "shop")
    assert (status, "is no name of a dbt model" in said) == (2, True)


def test_plans_that_differ_are_worth_a_status(folder: Path, run: Run, plan: Any) -> None:
    assert run("diff", "plan.json", "plan.json") == (0, "the plans are equal\n", "")
    other = ("--outcome", "c", "--keep", "id,y", "--random-state", "0", "--rare-count", "3")
    assert run("design", "train.csv", *other, "--plan", "other.json")[0] == 0
    status, out, _ = run("diff", "plan.json", "other.json", "--json")
    assert status == 1
    assert {"where": "options.rare_count", "self": 0, "other": 3}.items() <= {
        **next(one for one in json.loads(out) if one["where"] == "options.rare_count")
    }.items()


def test_reports_are_pages(folder: Path, run: Run, plan: vt.TreatmentPlan) -> None:
    status, out, said = run("report", "plan.json", "-o", "report.html")
    assert (status, out) == (0, ""), said
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<html" in page[:500].lower()
    status, out, _ = run("report", "plan.json", "-o", "-")
    assert (status, out) == (0, page)
    assert not (folder / "-").exists()


def test_large_classes_are_told_apart(folder: Path, run: Run) -> None:
    frame = pd.DataFrame({"x": ["a", "b", "c"] * 20, "y": [2**53 + 1, 2**53 + 3] * 30})
    frame.to_csv("large.csv", index=False)
    options = ("--outcome", "y", "--target", str(2**53 + 1), "--plan", "large.json")
    assert run("design", "large.csv", *options)[0] == 0
    assert vt.TreatmentPlan.from_json(folder / "large.json").target == 2**53 + 1


def test_predictions_are_evaluated(folder: Path, run: Run) -> None:
    (folder / "scored.csv").write_text("1,0.9\n0,0.4\n1,0.6\n0,0.7\n")
    status, out, _ = run("evaluate", "scored.csv")
    assert (status, out.split()[:2]) == (0, ["ACC", "0.750000"])
    status, _, said = run("evaluate", "nope.csv")
    assert (status, said.startswith("vtreat_py evaluate: ")) == (2, True)


NAMES = ["price, net", 'a "b"', "ä ö", "-x", "it's", "a:b", "a=b"]


@pytest.mark.parametrize("name", NAMES)
def test_names_may_be_anything(folder: Path, run: Run, name: str) -> None:
    frame = pd.read_csv("train.csv", **READ)[["x", "z", "id", "c"]].rename(columns={"x": name})
    frame.to_csv("odd.csv", index=False)
    quoted = '"' + name.replace('"', '""') + '"'
    done = run("design", "odd.csv", "--outcome", "c", f"--variables={quoted}", "--plan", "p.json")
    assert done[0] == 0, done[2]
    assert vt.TreatmentPlan.from_json(folder / "p.json").variables == (name,)
    done = run("prepare", "p.json", "odd.csv", f"--keep={quoted}", "-o", "out.csv")
    assert done[0] == 0, done[2]
    assert pd.read_csv("out.csv").columns[0] == name
    frame.rename(columns={name: "t", "c": name}).to_csv("odd.csv", index=False)
    done = run("cross-frame", "odd.csv", f"--outcome={name}", "--keep", "id", "-o", "out.csv")
    assert done[0] == 0, done[2]
    assert pd.read_csv("out.csv").columns[-1] == name


def test_times_and_events_are_an_outcome_of_two_columns(folder: Path, run: Run) -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({
        "ward": random.choice(["a", "b"], 300), "days": random.exponential(9.0, 300).round(2),
        "died": random.random(300) < 0.6,
    })  # fmt: skip
    frame.to_csv("lives.csv", index=False)
    asked = ["design", "lives.csv", "--outcome-type", "survival", "--random-state", "0"]
    made = ["--plan", "plan.json", "--cross-frame", "cross.parquet"]
    status, _, said = run(*asked, "--outcome", "days,died", *made)
    assert status == 0
    assert "outcome times to an event, as asked" in said
    given: dict[str, Any] = {"outcome": ("days", "died"), "outcome_type": "survival"}
    expected = vt.design_treatments(frame, **given, random_state=0)
    assert vt.TreatmentPlan.from_json(folder / "plan.json") == expected
    assert pd.read_parquet("cross.parquet").columns.tolist()[-2:] == ["days", "died"]
    assert run(*asked, "--outcome", "days", *made[:2])[0] == 0  # all of them died
    status, _, said = run(*asked, "--outcome", "days,died,ward", *made)
    assert status == 2
    assert "--outcome names 3 columns; times to an event have two" in said
    status, _, said = run(*asked, "--outcome", "days,dead", *made)
    assert status == 2
    assert "--outcome names 'dead', which is no column" in said


def test_ids_of_nineteen_digits_are_kept(folder: Path, run: Run) -> None:
    ids = [1234567890123456700 + i for i in range(60)]
    rows = [f"{one},{one // 7},{i % 7},{i * 7 % 11}" for i, one in enumerate(ids)]
    (folder / "posts.csv").write_text("\n".join(["post,user,x,y", *rows]) + "\n")
    design = ("design", "posts.csv", "--outcome", "y", "--keep", "post", "--random-state", "0")
    status, _, said = run(*design, "--plan", "p.json", "--cross-frame", "c.csv")
    assert status == 0, said
    assert pd.read_csv(folder / "c.csv")["post"].tolist() == ids


def test_an_empty_line_beside_no_other_column_is_a_row(folder: Path, run: Run) -> None:
    pd.DataFrame({"x": range(40), "y": range(40)}).to_csv(folder / "n.csv", index=False)
    assert run("design", "n.csv", "--outcome", "y", "--plan", "n.json")[0] == 0
    (folder / "one.csv").write_text("x\n1\n\n3\n")
    status, out, said = run("prepare", "n.json", "one.csv", "--output", "-")
    assert status == 0, said
    assert len(out.splitlines()) == 4
