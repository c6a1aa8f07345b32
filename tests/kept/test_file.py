"""Statistics in a file: exact, whole, checked, and without code."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import OptionTypeError, PlanFormatError
from vtreat_py.statistics import value_table

OUTCOMES = {"binomial": "hit", "numeric": "price", "multinomial": "kind"}


def frame() -> pd.DataFrame:
    random = np.random.default_rng(0)
    n = 200
    x = ["a", "A", "", "NaN", "é", "e\u0301", 'quo"te', "two\nlines", "\0", None]
    mixed = [1, "1", 2.5, None, pd.Timestamp("2026-01-01"), Decimal("1.50")]
    number = random.normal(size=n)
    number[::7] = np.nan
    return pd.DataFrame(
        {
            "x": pd.Series(random.choice(x, n), dtype=object),
            "mixed": pd.Series([mixed[i % len(mixed)] for i in range(n)], dtype=object),
            ("a", 1): number,
            "day": pd.Timestamp("2026-01-01") + pd.to_timedelta(random.integers(0, 99, n), "D"),
            "empty": pd.Series([None] * n, dtype=object),
            "hit": random.integers(0, 2, n) == 1,
            "price": random.normal(size=n) + 1e3,
            "kind": random.choice(["p", "q", "r"], n),
        }
    )


VARIABLES = ["x", "mixed", ("a", 1), "day", "empty"]


@pytest.fixture(scope="module")
def made() -> dict[str, vt.TreatmentPlan]:
    with pytest.warns(vt.VtreatWarning, match="nothing is derived from 1 column"):
        return {
            name: vt.design_treatments(
                frame(),
                outcome=outcome,
                variables=VARIABLES,
                random_state=0,
                keep_statistics=True,
                rare_sig=0.5,
                imputation_map={("a", 1): "median"},
            )
            for name, outcome in OUTCOMES.items()
        }


@pytest.fixture
def path(tmp_path: Path, made: dict[str, vt.TreatmentPlan]) -> Path:
    """A file of binomial statistics."""
    made["binomial"].statistics.save(tmp_path / "kept.zip")
    return tmp_path / "kept.zip"


@pytest.mark.filterwarnings("ignore:nothing is derived")
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_what_is_loaded_is_what_was_saved(
    outcome: str, made: dict[str, vt.TreatmentPlan], tmp_path: Path
) -> None:
    statistics = made[outcome].statistics
    statistics.save(os.fspath(tmp_path / "one"))
    loaded = vt.DesignStatistics.load(tmp_path / "one")
    assert loaded == statistics
    assert loaded.plan() == made[outcome]
    assert loaded + statistics == statistics + loaded
    loaded.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.filterwarnings("ignore:nothing is derived")
def test_other_designs_survive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_table, "MOST_VALUES", 30)
    options: dict[str, Any] = {"keep_statistics": True, "variables": VARIABLES, "random_state": 0}
    for given in ({"outcome_type": "unsupervised"}, {"outcome": "price"}, {"outcome": "hit"}):
        statistics = vt.design_treatments(frame(), **given, **options).statistics
        statistics.save(tmp_path / "kept")
        assert vt.DesignStatistics.load(tmp_path / "kept") == statistics
    nothing = statistics - statistics
    nothing.save(tmp_path / "kept")
    assert vt.DesignStatistics.load(tmp_path / "kept") == nothing
    assert nothing + statistics == statistics


def test_the_file_holds_json_and_bytes(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("header.json"))
        names = set(archive.namelist())
    assert (header["format"], header["format_version"]) == ("vtreat_py statistics", 1)
    assert header["version"] == vt.__version__
    assert header["kept"][0]["levels"][:1] == [frame()["x"].iloc[0]]
    assert {"rows/weight", "0/level", "0/cells/total", "2/value", "2/xx"} <= names


def test_a_file_is_replaced_as_a_whole_or_not_at_all(
    path: Path, made: dict[str, vt.TreatmentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="the disk is full"):
        made["numeric"].statistics.save(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_imputation_functions_are_not_saved(tmp_path: Path) -> None:
    options: dict[str, Any] = {"variables": [("a", 1)], "keep_statistics": True, "outcome": "hit"}
    statistics = vt.design_treatments(frame(), imputation=nan_mean, **options).statistics
    with pytest.raises(PlanFormatError, match=r"the imputation function .*nan_mean cannot be sav"):
        statistics.save(tmp_path / "kept")
    assert not os.listdir(tmp_path)


def nan_mean(values: Any, weights: Any) -> float:
    return float(np.average(values, weights=weights))


class Own:
    """A level that JSON knows nothing of."""


def test_levels_of_other_types_are_not_saved(tmp_path: Path) -> None:
    levels = pd.Series([Own()] * 100 + [None] * 100, dtype=object)
    statistics = vt.design_treatments(
        frame().assign(x=levels), outcome="hit", variables=["x"], keep_statistics=True
    ).statistics
    with pytest.raises(PlanFormatError, match=r"kept\[0\]\.levels\[0\]: .* cannot be written"):
        statistics.save(tmp_path / "kept")


def test_a_file_that_is_cut_anywhere_is_refused(path: Path) -> None:
    whole = path.read_bytes()
    for size in np.linspace(0, len(whole) - 1, 60).astype(int):
        path.write_bytes(whole[:size])
        with pytest.raises(PlanFormatError, match=re.escape(os.fspath(path))):
            vt.DesignStatistics.load(path)


def test_a_changed_byte_is_found_or_harmless(path: Path, made: dict[str, vt.TreatmentPlan]) -> None:
    whole = bytearray(path.read_bytes())
    for place in np.linspace(0, len(whole) - 1, 150).astype(int):
        changed = whole.copy()
        changed[place] ^= 0x55
        path.write_bytes(changed)
        try:
            found = vt.DesignStatistics.load(path)
        except PlanFormatError:
            continue
        assert found == made["binomial"].statistics  # dates and modes of entries say nothing


@pytest.mark.parametrize("method", [9, 12, 14, 93])  # deflate64, bzip2, lzma, zstd
def test_other_compression_is_refused(path: Path, method: int) -> None:
    """Whichever kinds this Python knows, none of their errors may come out."""
    with zipfile.ZipFile(path) as archive:
        place = archive.start_dir + 10  # in the first entry of the directory
    changed = bytearray(path.read_bytes())
    assert changed[place] == zipfile.ZIP_DEFLATED
    changed[place] = method
    path.write_bytes(changed)
    with pytest.raises(PlanFormatError, match="is compressed in a way that save does not use"):
        vt.DesignStatistics.load(path)


@pytest.mark.parametrize("content", [b"", b"{}", b"PK\x05\x06" + bytes(18), b"\x80\x04K\x01."])
def test_foreign_files_are_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(PlanFormatError, match=r"kept\.zip: "):
        vt.DesignStatistics.load(path)


def test_paths(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        vt.DesignStatistics.load(tmp_path / "nowhere")
    with pytest.raises(OptionTypeError, match="path is of type int; give the path of a file"):
        vt.DesignStatistics.load(3)  # type: ignore[arg-type]


Entries = dict[str, bytes]


def tampered(path: Path, change: Callable[[Entries], None]) -> None:
    """Write the file anew, as someone would who knows the format."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def header_with(**changes: Any) -> Callable[[Entries], None]:
    def change(entries: Entries) -> None:
        header = json.loads(entries["header.json"])
        for where, value in changes.items():
            place = header
            *outer, last = where.split("__")
            for name in outer:
                place = place[int(name) if name.isdigit() else name]
            place[last] = value
        entries["header.json"] = json.dumps(header).encode()

    return change


def array_with(name: str, kind: str, place: int, value: Any) -> Callable[[Entries], None]:
    def change(entries: Entries) -> None:
        array = np.frombuffer(entries[name], kind).copy()
        array[place] = value
        entries[name] = array.tobytes()

    return change


def without(name: str) -> Callable[[Entries], None]:
    return lambda entries: entries.__delitem__(name)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("header.json"), "header.json is missing"),
        (without("2/xx"), "2/xx is missing"),
        (lambda e: e.update({"header.json": b"\xff"}), "header.json is no text"),
        (lambda e: e.update({"header.json": b"[1]"}), 'expected "vtreat_py statistics", found a l'),
        (header_with(format="vtreat_py plan"), 'format: expected "vtreat_py statistics", found a'),
        (header_with(format_version=2), "format 2, written by .* reads formats up to 1"),
        (header_with(format_version=0), "expected a whole number, 1 or more, found a number, 0"),
        (header_with(n_rows=-1), "n_rows: expected a whole number"),
        (header_with(extra=1), "extra is no field"),
        (header_with(design__n_folds=1), r"design\.n_folds: 1 are too few"),
        (header_with(design__n_folds=6), "rows/weight has 80 bytes; expected 96"),
        (header_with(design__classes=["a", "b"]), r"design\.classes does not go with"),
        (header_with(design__variables=["x"] * 5), r"design\.variables: 'x' is listed twice"),
        (header_with(design__options__smoothing=-1.0), "options: smoothing"),
        (header_with(kept__0__column="y"), "kept: its columns are not the variables"),
        (header_with(kept__0__levels=None), "column 'x' has no levels"),
        (header_with(kept__0__levels=["a"]), r"0/level holds a number that is not in 0 to 0"),
        (header_with(kept__0__kind="number"), "0/value is missing"),
        (header_with(kept__2__bits=3), "2/value holds more digits than the header says"),
        (header_with(kept__2__bits=None), "2/value holds more digits than the header says"),
        (array_with("0/level", "<i8", -1, 99), r"0/level holds a number that is not in 0 to 8"),
        (array_with("0/level", "<i8", 0, 1), "0: its cells are not in order"),
        (array_with("0/block", "<i8", 0, -1), "0/block holds a number that is not in 0 to 9"),
        (array_with("0/cells/weight", "<f8", 0, 0.0), "0: a cell has no weight"),
        (array_with("0/cells/weight", "<f8", 0, 99.0), "column 'x': its sums are not those of all"),
        (array_with("0/missing/weight", "<f8", 0, -1.0), "0/missing holds a negative weight"),
        (array_with("2/value", "<f8", 0, np.nan), "2/value holds a number that is not finite"),
        (array_with("2/value", "<f8", 0, 9.0), "2: its cells are not in order"),
        (array_with("2/weight", "<f8", 0, -1.0), "2 holds a negative weight"),
        (array_with("2/weight", "<f8", 0, 0.0), "2: a cell has no weight"),
        (lambda e: e.update({"2/x": e["2/x"][:-8]}), r"2/x has \d+ bytes; expected \d+"),
        (lambda e: e.update({"2/value": b"12345"}), "2/value has 5 bytes; expected a multiple"),
    ],
)  # fmt: skip
def test_a_tampered_file_is_refused(
    path: Path, change: Callable[[Entries], None], message: str
) -> None:
    tampered(path, change)
    with pytest.raises(PlanFormatError, match=f"kept.zip: .*{message}"):
        vt.DesignStatistics.load(path)


def test_levels_without_rows_are_refused(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        levels = json.loads(archive.read("header.json"))["kept"][0]["levels"]
    tampered(path, header_with(kept__0__levels=[*levels, "no row has me"]))
    with pytest.raises(PlanFormatError, match="0/level: some levels have no rows"):
        vt.DesignStatistics.load(path)


def test_a_multinomial_outcome_may_be_left_without_classes(
    path: Path, made: dict[str, vt.TreatmentPlan]
) -> None:
    statistics = made["multinomial"].statistics
    assert statistics is not None
    nothing = statistics - statistics
    nothing.save(path)
    assert vt.DesignStatistics.load(path) == nothing
    tampered(path, array_with("rows/weight", "<f8", 0, 1.0))
    with pytest.raises(PlanFormatError, match=r"design\.classes is empty, but there are rows"):
        vt.DesignStatistics.load(path)
