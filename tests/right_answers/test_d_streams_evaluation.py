"""D10: the command line and `evaluate_stream` read the same, and say briefly what is wrong."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from vtreat_py.base.errors import FrameError, InvalidOptionError, VtreatError
from vtreat_py.evaluation import StreamingBinaryEvaluator, evaluate_stream
from vtreat_py.evaluation.command_line import main

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame({"chance": RANDOM.random(300), "bought": RANDOM.integers(0, 2, 300)})
FRAME["name"] = "x"
NAMES = {"label": "bought", "score": "chance"}
NAMED = ["--label", "bought", "--score", "chance"]


def pairs(delimiter: str) -> bytes:
    lines = zip(FRAME["bought"], FRAME["chance"].tolist(), strict=True)
    return "".join(f"{a}{delimiter}{b!r}\n" for a, b in lines).encode()


def table(delimiter: str) -> bytes:
    return FRAME.to_csv(index=False, sep=delimiter).encode()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(raw: bytes, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        status = main(arguments)
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def printed(run: Any) -> str:
    return str(run(pairs("\t"))[1])


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("delimiter", [",", "\t", " ", " , "])
def test_d10_lines_without_names(
    run: Any, printed: str, delimiter: str, packed: bool, tmp_path: Path
) -> None:
    raw = pairs(delimiter)
    raw = gzip.compress(raw) if packed else raw
    assert run(raw) == (0, printed, "")
    path = tmp_path / "scores.txt"
    path.write_bytes(raw)
    assert run(b"", str(path)) == (0, printed, "")
    expected = StreamingBinaryEvaluator().update(FRAME["bought"], FRAME["chance"])
    found = evaluate_stream(path, label=0, score=1)
    assert found.auc_bounds() == expected.auc_bounds()
    assert found.n_rows == 300


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.txt", "x.dat"])
def test_d10_text_with_names(
    run: Any, printed: str, name: str, packed: bool, tmp_path: Path
) -> None:
    raw = table({"x.csv": ",", "x.tsv": "\t", "x.txt": " ", "x.dat": ","}[name])
    raw = gzip.compress(raw) if packed else raw
    assert run(raw, *NAMED) == (0, printed, "")
    path = tmp_path / (name + (".gz" if packed else ""))
    path.write_bytes(raw)
    assert run(b"", str(path), *NAMED) == (0, printed, "")
    assert evaluate_stream(path, **NAMES).n_rows == 300


def test_d10_parquet(run: Any, printed: str, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    FRAME.to_parquet(path)
    assert run(b"", str(path), *NAMED) == (0, printed, "")
    status, _, error = run(b"", str(path))
    assert status == 2
    assert error.endswith("columns are 'chance', 'bought', 'name'; give --label and --score\n")
    status, _, error = run(path.read_bytes(), *NAMED)
    assert status == 2
    assert error.endswith("Parquet cannot be read from a pipe; give the name of the file\n")
    FRAME[["bought", "chance"]].to_parquet(path)
    assert run(b"", str(path)) == (0, printed, "")
    (tmp_path / "y.parquet").write_bytes(b"bought,chance\n")
    with pytest.raises(FrameError, match="does not begin as Parquet does"):
        evaluate_stream(tmp_path / "y.parquet", **NAMES)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FrameError):
        evaluate_stream(path, **NAMES)


def test_d10_weights_in_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("0.5 1 2\n0.25 0 3\n\n0.75 0 NA\n".replace("NA", "4"))
    found = evaluate_stream(path, label=1, score=0, sample_weight=2)
    expected = StreamingBinaryEvaluator().update([1, 0, 0], [0.5, 0.25, 0.75], [2.0, 3, 4])
    pd.testing.assert_frame_equal(found.fixed(), expected.fixed())
    with pytest.raises(InvalidOptionError, match="such lines hold what is asked for and no more"):
        evaluate_stream(path, label=0, score=2)
    path.write_text("0.5 1 2\n0.25 0\n")
    with pytest.raises(FrameError, match=r"line 2: '0\.25 0' is not a label, a score and a weight"):
        evaluate_stream(path, label=1, score=0, sample_weight=2)


JUNK = {
    "a long line": b"0 0.5\n" + b"x" * 2_000_000 + b"\n",
    "a long line without end": b"y" * 3_000_000,
    "bytes": bytes(range(256)) * 1000,
    "broken gzip": gzip.compress(pairs("\t"))[:-600],
    "gzip of another thing": gzip.compress(b"x" * 1_000_000),
    "zeros": bytes(100_000),
    "a table": table(","),
}


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("named", [[], NAMED])
def test_d10_what_is_wrong_is_one_short_line(
    run: Any, junk: str, named: list[str], tmp_path: Path
) -> None:
    if junk == "a table" and named:
        return
    for raw, *file in ([JUNK[junk]], [b"", str(tmp_path / "x.txt")]):
        (tmp_path / "x.txt").write_bytes(JUNK[junk])
        status, out, error = run(raw, *file, *named)
        assert (status, out) == (2, "")
        assert error.count("\n") == 1
        assert len(error) < 500
    with pytest.raises(VtreatError):
        evaluate_stream(tmp_path / "x.txt", **(NAMES if named else {"label": 0, "score": 1}))


def test_d10_a_line_of_names_is_recognised(run: Any) -> None:
    status, _, error = run(b"bought,chance\n1,0.5\n")
    assert status == 2
    assert "line 1: 'bought,chance' is not a label and a score, both numbers" in error
    assert error.endswith("if these are names of columns, give --label and --score\n")
    assert "names of columns" not in run(b"1,0.5\nbought,chance\n")[2]


def test_d10_a_label_needs_a_score(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(b"", "--label", "bought")
    assert "--label and --score go together" in capsys.readouterr().err
    status, _, error = run(b"a,b\nyes,0.5\nno,0.25\n", "--label", "a", "--score", "b")
    assert (status, error.count("\n")) == (2, 1)
    assert error.endswith("two labels are wanted, one of them the number 1\n")
