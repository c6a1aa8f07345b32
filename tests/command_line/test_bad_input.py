"""Errors are one line that says where, what, and what to do; never a traceback."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pandas as pd
import pytest

import vtreat_py as vt
from tests.command_line.conftest import Run
from vtreat_py.command_line.program import main

OUTCOME = ("--outcome", "c", "--plan", "p.json")


def refused(run: Run, *arguments: str, text: str = "") -> str:
    status, out, said = run(*arguments, text=text)
    assert (status, out) == (2, "")
    assert said.count("\n") == 1
    return said.removeprefix("vtreat_py: ").rstrip("\n")


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (("design", "no.csv", *OUTCOME), "no.csv: there is no such file"),
        (("design", "no*.csv", *OUTCOME), "no*.csv: there is no such file"),
        (("design", "train.xls", *OUTCOME), "train.xls: the name ends neither like CSV"),
        (("design", "train.csv", "--plan", "p.json"), "train.csv: --outcome is missing: name"),
        (("design", "train.csv", *OUTCOME, "--keep", "Id"), "train.csv: --keep names 'Id', which"),
        (
            ("design", "train.csv", *OUTCOME, "--variables", "x,sise"),
            "train.csv: --variables names 'sise', which is no column; the table has 'id', 'x'",
        ),
        (("design", "train.csv", *OUTCOME, "--cv", "part"), "train.csv: --cv names 'part'"),
        (
            ("design", "train.csv", *OUTCOME, "--keep", "x", "--variables", "x"),
            "train.csv: --variables names 'x', which --keep leaves untreated",
        ),
        (("design", "train.csv", *OUTCOME, "--scale"), "train.csv: --scale is for the cross-frame"),
        (("design", "train.csv", *OUTCOME, "--smoothing", "x"), "train.csv: --smoothing x; give"),
        (("design", "train.csv", *OUTCOME, "--target", "maybe"), "train.csv: target 'maybe' does"),
        (("design", "train.csv", "--outcome", "c", "--plan", "p.txt"), "p.txt: the name says what"),
        (("design", "train.csv", "--outcome", "c", "--plan", "no/p.json"), "no/p.json: there is"),
        (("scores", "train.csv"), "train.csv: "),
        (("scores", "no.json"), "no.json: there is no such file"),
        (("effects", "plan.json", "z"), "plan.json: no level effects of column 'z'"),
        (
            ("prepare", "plan.json", "new.csv", "-o", "o.csv", "--keep", "z"),
            "new.csv: --keep names",
        ),
        (("prepare", "plan.json", "new.csv", "-o", "o.txt"), "o.txt: the name says what is writ"),
        (
            ("prepare", "plan.json", "new.csv", "-o", "o.csv", "--coders", "cat"),
            "new.csv: --coders",
        ),
        (("prepare", "plan.json", "-", "-o", "-", "--lazy"), "standard input: standard input is"),
        (("audit", "plan.json", "new.csv", "--sample-weight", "w"), "new.csv: --sample-weight nam"),
        (("sql", "plan.json", "--table", "t", "--dialect", "cobol"), "plan.json: "),
        (("report", "plan.json", "-o", "r.txt"), "r.txt: the name says what is written"),
        (("scores", "-"), "standard input: the text is empty"),
        (
            ("sql", "plan.json", "--table", "t", "--coding-tables", "new.csv/tables"),
            "new.csv/tables: ",
        ),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) else "",
)
def test_what_is_wrong_is_named(
    folder: Path, run: Run, plan: vt.TreatmentPlan, arguments: tuple[str, ...], start: str
) -> None:
    assert refused(run, *arguments).startswith(start)


def test_a_name_that_is_meant_is_named(folder: Path, run: Run) -> None:
    said = refused(run, "design", "train.csv", "--outcome", "flg", "--plan", "p.json")
    assert said.endswith("; did you mean 'flag'?")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty; its first line must name the columns"),
        (b"x,c\n", "the table has no rows"),
        (b"x,c\n1,2\n3\n", "this is no CSV that can be read: Expected 2 columns, got 1: 3"),
        (b"x,c,x\n1,2,3\n", "several columns are called 'x'; give each a name of its own"),
        ("x,c\n\xe4,1\n".encode("latin-1"), "the text is not UTF-8; convert it, for instance by"),
    ],
)
@pytest.mark.parametrize("how", ["--in-memory", "--lazy"])
def test_csv_that_cannot_be_read(
    folder: Path, run: Run, content: bytes, said: str, how: str
) -> None:
    (folder / "bad.csv").write_bytes(content)
    found = refused(run, "design", "bad.csv", *OUTCOME, how)
    assert found.replace("Row #3: ", "").startswith(f"bad.csv: {said}")  # which one core tells


def test_fields_that_are_apart_by_another_sign(folder: Path, run: Run) -> None:
    (folder / "semi.csv").write_text("x;c\n" + "a;1\nb;2\na;2\nb;5\n" * 10)
    assert "by --delimiter ';'?" in refused(run, "design", "semi.csv", *OUTCOME)
    assert run("design", "semi.csv", *OUTCOME, "--delimiter", ";")[0] == 0


def test_the_end_of_a_name_says_what_is_between_fields(folder: Path, run: Run) -> None:
    (folder / "was.tsv.csv").write_text("x,c\n" + "a,1\nb,2\na,2\nb,5\n" * 10)
    assert run("design", "was.tsv.csv", *OUTCOME)[0] == 0


def test_parquet_that_cannot_be_read(folder: Path, run: Run) -> None:
    (folder / "bad.parquet").write_bytes(b"nothing of the kind")
    said = refused(run, "design", "bad.parquet", *OUTCOME)
    assert said.startswith("bad.parquet: this is no Parquet that can be read")


def test_columns_that_are_lacking_are_named(folder: Path, run: Run, plan: vt.TreatmentPlan) -> None:
    pd.read_csv("new.csv", dtype={"zip": str}).drop(columns=["x", "z"]).to_csv("less.csv")
    said = refused(run, "prepare", "plan.json", "less.csv", "-o", "o.csv")
    assert said.startswith("less.csv: the table lacks 2 columns: 'x', 'z'")


def test_a_plan_that_is_no_text(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe")))
    assert main(["scores", "-"]) == 2
    assert capfd.readouterr().err.startswith("vtreat_py: standard input: this is no text in UTF-8")


def test_a_table_that_cannot_be_written_is_named(
    folder: Path, run: Run, plan: vt.TreatmentPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, content: bytes) -> None:
        raise PermissionError(13, "Permission denied", f".{path}.0123")

    monkeypatch.setattr("vtreat_py.command_line.printed.write_whole", refuse)
    for verb in (("scores", "plan.json"), ("effects", "plan.json", "g")):
        assert refused(run, *verb, "-o", "out.json") == "out.json: Permission denied"


def test_levels_that_cannot_be_written(folder: Path, run: Run) -> None:
    towns = pd.Series(["Ayr\x1b[31m", "Bath\udc80"] * 10, dtype=object)
    frame = pd.DataFrame({"town": towns, "y": range(20)})
    vt.design_treatments(frame, outcome="y", random_state=0).to_json(folder / "odd.json")
    said = refused(run, "effects", "odd.json", "town", "--csv")
    assert said == "'\\udc80' cannot be written in utf-8; --json writes any text"
    assert r"Bath\udc80" in run("effects", "odd.json", "town", "--json")[1]
    shown = run("effects", "odd.json", "town")[1]
    assert r"Bath\udc80" in shown
    assert r"Ayr\x1b[31m" in shown


def test_training_rows_are_recognised(folder: Path, run: Run) -> None:
    options = ("--outcome", "y", "--keep", "id,c", "--plan", "p.json", "--coders", "catN,clean")
    assert run("design", "train.csv", *options)[0] == 0
    status, _, said = run("prepare", "p.json", "train.csv", "-o", "o.csv")
    assert status == 0
    assert said.startswith("vtreat_py: warning: this looks like the table the plan was designed on")


def test_outputs_are_whole_or_not_there(
    folder: Path, run: Run, plan: vt.TreatmentPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vtreat_py.command_line.csv_files._BLOCK", 300)
    (folder / "o.csv").write_text("as before")
    broken = (folder / "new.csv").read_text() + "only,three,fields\n"
    (folder / "broken.csv").write_text(broken)
    refused(run, "prepare", "plan.json", "broken.csv", "-o", "o.csv", "--lazy")
    assert (folder / "o.csv").read_text() == "as before"
    assert not [name for name in os.listdir() if name.startswith(".o")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("design", "t.csv"), "vtreat_py design: the following arguments are required: --plan"),
        (("desing",), "vtreat_py: argument VERB: invalid choice: 'desing'"),
        (("design", "t.csv", "--plan", "p.json", "--cv", ""), "vtreat_py: t.csv: there is no"),
        (("design", "t.csv", "--plan", "p", "--n-jobs", "x"), "vtreat_py design: argument --n-j"),
        (("sql", "p.json", "--table", "a..b"), "vtreat_py sql: argument --table: a name is empty"),
    ],
)
def test_usage_is_a_line(folder: Path, run: Run, arguments: tuple[str, ...], said: str) -> None:
    status, out, error = run(*arguments)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert error.startswith(said)
