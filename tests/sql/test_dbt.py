"""A plan as a dbt project: its files, and that dbt builds the rows of prepare from them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.sql.data import LEVELS
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.command_line.program import main
from vtreat_py.plan.choice import Choice
from vtreat_py.sql.dbt import dbt_files
from vtreat_py.sql.seeds import seed_level

AWKWARD = [
    *LEVELS,
    "{{ 1 }}",
    "{% raw %}",
    "{# no #}",
    "{{{",
    "a\r\nb",
    "null",
    "none",
    "1",
    "true",
]


def visits() -> pd.DataFrame:
    """Awkward text of few levels and of many, numbers, and dates."""
    rng = np.random.default_rng(0)
    many = [*AWKWARD, *(f"u{i}" for i in range(2200))]
    who = np.array([*many, *many, *many], dtype=object)
    rows = len(who)
    frame = pd.DataFrame({"id": np.arange(rows), "who": rng.permutation(who)})
    frame["town"] = rng.choice(np.array([*AWKWARD[:12], "{{x}}", None], dtype=object), rows)
    frame["shop"] = pd.Categorical(rng.integers(0, 2100, rows) / 2)
    frame["z"] = np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows))
    frame["day"] = pd.date_range("2001-01-01", periods=rows).date
    length = frame["who"].str.len().fillna(0)
    frame["y"] = length + (frame["town"] == "a") + rng.normal(size=rows) / 9
    return frame


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return visits()


@pytest.fixture(scope="module")
def plan(frame: pd.DataFrame) -> vt.TreatmentPlan:
    return vt.design_treatments(
        frame, outcome="y", variables=["who", "town", "shop", "z", "day"], calendar=["weekday"],
        coders=["clean", "isBAD", "lev", "catN", "catP"], random_state=0,
    )  # fmt: skip


def rendered(text: str, **known: str) -> str:
    """What Jinja makes of a model, as dbt has it read."""
    jinja2 = pytest.importorskip("jinja2")
    return jinja2.Template(text).render(ref=known.__getitem__, source=lambda *name: ".".join(name))


@pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case")
def test_a_reference_stays_one_and_braces_stay_text(
    plan: vt.TreatmentPlan, frame: pd.DataFrame
) -> None:
    text = plan.to_sql("{{ ref('visits') }}", row_id="id")
    assert "FROM {{ ref('visits') }} AS vtreat_source" in text
    (who, shop) = plan.coding_tables()
    assert f"LEFT JOIN {{{{ ref('{who}') }}}} AS " in text
    plain = plan.to_sql("visits", row_id="id")
    known = {"visits": '"visits"', who: f'"{who}"', shop: f'"{shop}"'}
    assert rendered(text, **known) == plain
    placed = plan.to_sql("{{ source('raw', 'visits') }}", row_id="id", coding_schema="codes")
    assert f'LEFT JOIN "codes"."{who}" AS' in placed
    assert "FROM raw.visits AS" in rendered(placed)


def test_text_of_templates_is_what_it_was() -> None:
    levels = [
        "{{",
        "{{{",
        "{{{{x}}",
        "{%",
        "{#",
        "{ {",
        "}}",
        "cr\rlf\n",
        "crlf\r\n",
        "{{ ref('x') }}",
    ]
    rows = pd.DataFrame({"x": levels * 3})
    made = vt.design_treatments(rows, outcome_type="unsupervised", coders=["lev"])
    plain = made.to_sql("t")
    assert rendered(made.to_sql("{{ref('t')}}"), t='"t"') == plain


def write(plan: vt.TreatmentPlan, *given: Any, **options: Any) -> dict[str, str]:
    choice = Choice.of(plan, **options)
    return dbt_files(plan, "visits", choice, *(given or ("duckdb", "id", "treated")))


@pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case")
def test_files_of_a_project(plan: vt.TreatmentPlan) -> None:
    files = write(plan)
    (who, shop) = plan.coding_tables()
    assert list(files) == [
        "models/treated/treated.sql",
        f"seeds/vtreat/{who}.csv",
        f"seeds/vtreat/{who}.yml",
        f"seeds/vtreat/{shop}.csv",
        f"seeds/vtreat/{shop}.yml",
        "models/treated/schema.yml",
    ]
    schema = files["models/treated/schema.yml"]
    assert schema.startswith("version: 2\n\nmodels:\n  - name: treated\n")
    assert '- name: "id"\n        quote: true\n        data_tests: [unique, not_null]' in schema
    assert schema.count("data_tests: [not_null]") == len(plan.derived)
    of_seed = files[f"seeds/vtreat/{who}.yml"]
    assert f"  - name: {who}\n    config:\n      quote_columns: true\n" in of_seed
    assert '        level: "VARCHAR"\n        code_1: "DOUBLE"' in of_seed
    lines = files[f"seeds/vtreat/{shop}.csv"].split("\n")
    assert lines[0].startswith("level,code_1")
    assert re.fullmatch(r"[\d.]+(,-?[\d.e-]+)+", lines[1])


@pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case")
def test_models_of_one_plan_share_their_seeds(plan: vt.TreatmentPlan) -> None:
    one, other = (write(plan, "duckdb", "id", model) for model in ("one", "other"))
    shared = {path for path in one if path.startswith("seeds/")}
    assert len(shared) == 4
    assert shared == set(one) & set(other)
    assert all(one[path] == other[path] for path in shared)


@pytest.mark.parametrize(
    ("level", "written"),
    [("", "|"), ("null", "null|"), ("a\\\r\n\0", "a\\\\\\r\\n\\0|"), ("\\n", "\\\\n|")],
)
def test_levels_of_seeds(level: str, written: str) -> None:
    assert seed_level(level) == written


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("duckdb", "id", "two words"), "model='two words' is no name of a dbt model"),
        (("duckdb", "id", ""), "model='' is no name"),
        (("presto", "id", "treated"), "dialect='presto' is not known"),
    ],
)
@pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case")
def test_errors_say_what_is_wrong(
    plan: vt.TreatmentPlan, given: tuple[str, str, str], message: str
) -> None:
    with pytest.raises(InvalidOptionError, match=message):
        write(plan, *given)


@pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case")
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("visits", "{{ ref('visits') }}"),
        (["raw", "visits"], "{{ source('raw', 'visits') }}"),
        ("{{ ref('shop', 'visits') }}", "{{ ref('shop', 'visits') }}"),
        ("SELECT * FROM {{ ref('v') }}", "(\nSELECT * FROM {{ ref('v') }}\n)"),
    ],
)
def test_sources_of_models(plan: vt.TreatmentPlan, source: Any, expected: str) -> None:
    choice = Choice.of(plan, variables=["z"])
    files = dbt_files(plan, source, choice, "snowflake", "id", "treated")
    assert f"FROM {expected} AS vtreat_source" in files["models/treated/treated.sql"]


def test_names_that_dbt_has_not_are_refused(plan: vt.TreatmentPlan) -> None:
    for source in ("my visits", ["a", "b", "c"], "it's"):
        with pytest.raises(InvalidOptionError, match="is no name of a dbt model, nor the two"):
            dbt_files(plan, source, Choice.of(plan, variables=["z"]), "duckdb", "id", "treated")


def test_tables_that_can_be_no_seeds_are_refused() -> None:
    level = np.repeat(np.arange(40_000), 1 + np.arange(40_000) % 3)
    rows = pd.DataFrame({"who": [f"user number {i}" for i in level]})
    large = vt.design_treatments(rows, outcome_type="unsupervised", coders=["catP"])
    told = r"of column 'who' would be [\d,]+ bytes, and seeds are up to 1,048,576: .*coding_schema="
    with pytest.raises(InvalidOptionError, match=told):
        write(large)
    files = dbt_files(large, "visits", Choice.of(large), "duckdb", "id", "treated", "codes")
    assert list(files) == ["models/treated/treated.sql", "models/treated/schema.yml"]
    assert 'LEFT JOIN "codes"."vtreat_who_' in files["models/treated/treated.sql"]
    rows = pd.DataFrame({"who": [f"user {i}".encode() for i in level[:9000]]})
    binary = vt.design_treatments(rows, outcome_type="unsupervised", coders=["catP"])
    with pytest.raises(InvalidOptionError, match="of column 'who' has levels that are bytes"):
        write(binary)


def dbt_program() -> str:
    beside = Path(sys.executable).with_name("dbt")
    found = str(beside) if beside.exists() else shutil.which("dbt")
    if found is None:
        pytest.skip("dbt is not installed")
    return found


PROJECT = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\n",
    "profiles.yml": "shop:\n  target: dev\n  outputs:\n    dev:\n      type: duckdb\n"
    "      path: shop.duckdb\n",
    "models/visits.sql": "select * from read_parquet('visits.parquet')\n",
    "models/written.sql": "{{ config(materialized='external', location='treated.parquet') }}\n"
    "select * from {{ ref('visits_treated') }}\n",
}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case")
def test_dbt_builds_the_rows_of_prepare(
    plan: vt.TreatmentPlan, frame: pd.DataFrame, tmp_path: Path, capsys: Any
) -> None:
    program = dbt_program()
    plan.to_json(tmp_path / "plan.json")
    new = frame.sample(frac=1.0, random_state=1)[:3000].reset_index(drop=True)
    new.loc[:3, "who"] = ["never seen", None, "A ", "|"]
    given = ["--table", "visits", "--row-id", "id", "--dbt", str(tmp_path), "--scale"]
    assert main(["sql", str(tmp_path / "plan.json"), *given]) == 0
    assert "wrote models/visits_treated/visits_treated.sql, seeds/" in capsys.readouterr().err
    for name, text in PROJECT.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    new.assign(shop=new["shop"].astype(float)).to_parquet(tmp_path / "visits.parquet")
    done = subprocess.run(
        [program, "--no-use-colors", "build", "--threads", "1"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"DBT_PROFILES_DIR": str(tmp_path), "DBT_SEND_ANONYMOUS_USAGE_STATS": "0"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    results = json.loads((tmp_path / "target/run_results.json").read_text())["results"]
    passed = [one for one in results if one["status"] == "pass"]
    assert len(passed) == len(plan.derived) + 6  # not_null; and of the row id and two seeds, unique
    found = duckdb.sql(f"SELECT * FROM '{tmp_path}/treated.parquet'").df().set_index("id")
    expected = vt.prepare(plan, new, scale=True)
    names = list(expected)
    np.testing.assert_array_equal(found.loc[new["id"]].to_numpy(), expected[names].to_numpy())
