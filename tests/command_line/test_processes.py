"""The program as users start it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd

from tests.command_line.conftest import Run


def program(
    *arguments: str, cwd: Path, text: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vtreat_py", *arguments],
        cwd=cwd, input=text, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_two_commands_do_the_main_job(folder: Path) -> None:
    options = ("--outcome", "c", "--keep", "id,y", "--plan", "plan.json", "-v")
    done = program("design", "train.csv", *options, "--cross-frame", "train_c.parquet", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert "design begun: 240 rows, 6 columns, 5 folds" in done.stderr
    done = program(
        "prepare", "plan.json", "-", "-o", "-", cwd=folder, text=Path("new.csv").read_text()
    )
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 61
    names = [name.strip('"') for name in done.stdout.splitlines()[0].split(",")]
    assert pd.read_parquet("train_c.parquet").columns.tolist() == ["id", "y", *names, "c"]


def test_errors_have_no_traceback(folder: Path) -> None:
    done = program("design", "no.csv", "--outcome", "c", "--plan", "p.json", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "vtreat_py: no.csv: there is no such file\n"


def test_a_reader_that_goes_away_is_no_error(folder: Path, run: Run) -> None:
    frame = pd.concat([pd.read_csv("train.csv", dtype={"zip": str})] * 200)
    frame.to_csv("long.csv", index=False)
    command = [sys.executable, "-m", "vtreat_py", "cross-frame", "long.csv", "--outcome", "c"]
    with subprocess.Popen(
        [*command, "--variables", "x,z", "-o", "-"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 141


def test_help_loads_nothing_that_takes_time(tmp_path: Path) -> None:
    program = """
import json, sys
from vtreat_py.command_line.program import main
status = [main([*verb, "--help"]) for verb in ([], ["design"], ["prepare"], ["audit"])]
print(json.dumps([status, sorted({"numpy", "pandas", "pyarrow", "sklearn"} & {*sys.modules})]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout.splitlines()[-1]) == [[0, 0, 0, 0], []]
    assert done.stdout.count("examples:") == 4
