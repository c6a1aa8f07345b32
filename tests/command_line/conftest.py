"""Tables on disk, and the command line on them."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.conftest import example_columns
from vtreat_py.command_line.program import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a table to train on and one of other rows."""
    monkeypatch.chdir(tmp_path)
    for name, seed, n_rows in (("train", 7, 240), ("new", 8, 60)):
        frame = pd.DataFrame(example_columns(n_rows, seed))
        frame.insert(0, "id", np.arange(n_rows) + 1000)
        frame["zip"] = [f"{n % 7:05d}" for n in range(n_rows)]
        frame.to_csv(f"{name}.csv", index=False)
        frame.to_parquet(f"{name}.parquet", index=False)
    return tmp_path


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run on arguments, and text as standard input; gives status, output and errors."""

    def run(*arguments: str, text: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        status = main(arguments)
        said = capfd.readouterr()
        return status, said.out, said.err

    return run


DESIGN = ("--outcome", "c", "--keep", "id,y", "--random-state", "0")


@pytest.fixture
def plan(folder: Path, run: Run) -> vt.TreatmentPlan:
    """The plan of train.csv, which is in plan.json."""
    status, _, said = run("design", "train.csv", *DESIGN, "--plan", "plan.json")
    assert status == 0, said
    return vt.TreatmentPlan.from_json(folder / "plan.json")
