"""The command line: what it prints, and what it says about bad input."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from vtreat_py.evaluation import _lines
from vtreat_py.evaluation.command_line import main
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

NAME = "python -m vtreat_py.evaluation"
TEXT = "1\t0.9\n0\t0.4\n1\t0.6\n0\t0.7\n1\t0.2\n"
PRINTED = """\
ACC    0.600000  threshold 0.5
PRE    0.666667  threshold 0.5
REC    0.666667  threshold 0.5
PRF    0.666667  threshold 0.5
LFT    1.111111  threshold 0.5
ROC    0.500000  off by 0 at most
APR    0.755556  off by 0 at most
RMS    0.540370
"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run on text as standard input; gives status, output and errors."""

    def run(text: str | bytes, *arguments: str) -> tuple[int, str, str]:
        raw = text.encode() if isinstance(text, str) else text
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        status = main(arguments)
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    score = random.random(n)
    return (random.random(n) < score).astype(int), score


def text_of(label: Any, score: Any) -> str:
    return "".join(f"{a}\t{b!r}\n" for a, b in zip(label, score.tolist(), strict=True))


def test_what_is_printed(run: Any) -> None:
    assert run(TEXT) == (0, PRINTED, "")


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\t", " "),
        TEXT.replace("\t", "   "),
        TEXT.replace("\t", " \t "),
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("\n", "\n\n"),
        TEXT.rstrip("\n"),
        TEXT.replace("1\t", "1.0\t"),
        "  " + TEXT,
        TEXT.replace("0\t", "-1 ").replace("0.4", "4e-1"),
    ],
)
def test_text_of_other_shapes(run: Any, text: str) -> None:
    assert run(text) == (0, PRINTED, "")


def test_scores_are_those_of_scikit_learn(run: Any) -> None:
    label, score = rows(2_000)
    status, out, _ = run(text_of(label, score), "--json", "--threshold", "0.4", "--decimals", "4")
    assert status == 0
    found = json.loads(out)
    precise = metrics.average_precision_score(label, score)
    assert found.pop("APR_low") <= precise <= found.pop("APR_high")
    assert found.pop("APR") == pytest.approx(precise, abs=1e-4)
    called = score >= 0.4
    precision = metrics.precision_score(label, called)
    expected = {
        "rows": 2_000,
        "missing": 0,
        "threshold": 0.4,
        "ACC": metrics.accuracy_score(label, called),
        "PRE": precision,
        "REC": metrics.recall_score(label, called),
        "PRF": metrics.f1_score(label, called),
        "LFT": precision / label.mean(),
        "RMS": np.sqrt(metrics.brier_score_loss(label, score)),
    }
    auc = metrics.roc_auc_score(label, score)
    assert found.pop("ROC_low") <= auc <= found.pop("ROC_high")
    assert found.pop("ROC") == pytest.approx(auc, abs=1e-4)
    assert found == pytest.approx(expected, rel=1e-12)


def test_scores_of_any_range(run: Any) -> None:
    label, score = rows(500)
    text = text_of(label, np.log(score / (1 - score)))
    status, out, error = run(text, "--decimals", "3")
    assert (status, out) == (2, "")
    first = 1 + int(np.argmax((score < 0.5) | (score > 1 / (1 + np.exp(-1)))))
    assert error.startswith(f"{NAME}: line {first}: a score is ")
    assert error.endswith("and --decimals needs scores in [0, 1]; use --bits 19, which takes any\n")
    status, out, _ = run(text, "--threshold", "0", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["ROC"] == pytest.approx(metrics.roc_auc_score(label, score), abs=1e-4)
    assert found["ACC"] == pytest.approx(metrics.accuracy_score(label, score >= 0.5))


def test_files_are_read(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text(TEXT)
    assert run("", str(path)) == (0, PRINTED, "")
    status, out, error = run("", str(tmp_path / "none.txt"))
    assert (status, out) == (2, "")
    assert error == f"{NAME}: [Errno 2] No such file or directory: '{tmp_path / 'none.txt'}'\n"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("0,0.5", "'0,0.5' is not a label and a score, both numbers"),
        ("0\t0.5\t1", "'0\\t0.5\\t1' is not a label and a score"),
        ("0", "'0' is not a label and a score"),
        ("0\thigh", "'0\\thigh' is not a label and a score"),
        ("0\t1_0", "'0\\t1_0' is not a label and a score"),
        ("yes\t0.5", "'yes\\t0.5' is not a label and a score"),
        ("\ufffd\t0.5", "'\ufffd\\t0.5' is not a label and a score"),
        ("0\t1.5", "a score is 1.5, and --decimals needs scores in [0, 1]; use --bits 19"),
        ("0\tNA", "a value is missing; --count-missing leaves such lines out"),
        ("nan\t0.5", "a value is missing; --count-missing leaves such lines out"),
        ("2\t0.5", "y has the labels 0.0 and 2.0 beside pos_label=1; two labels are wanted"),
    ],
)
@pytest.mark.parametrize("block", [16, 2**20])
def test_bad_lines_are_named(
    run: Any, bad: str, message: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_lines, "_BYTES_A_BLOCK", block)
    options = ["--decimals", "3"] if "1.5" in bad else []
    for line in (1, 2, 14, 40):
        lines = ["0\t0.25", "1\t0.5", "0\t0.75", "", *["1\t0.5", "0\t0.5"] * 18]
        if line == 1 and bad.startswith(("2", "0,")):
            continue  # what is wrong is the next label, or that there is no comma
        lines[line - 1] = bad
        status, out, error = run("\n".join(lines), *options)
        assert (status, out) == (2, "")
        assert error.startswith(f"{NAME}: line {line}: {message}")
        assert error.count("\n") == 1


def test_lines_of_bad_bytes_are_named(run: Any) -> None:
    status, _, error = run(b"0\t0.5\n\xff\xfe\t0.5\n")
    assert status == 2
    assert error.startswith(f"{NAME}: line 2: '")


def test_missing_values_are_counted_if_asked(run: Any) -> None:
    text = TEXT.replace("\n", "\nNA\t0.5\n", 1) + "1\tnan\n"
    status, out, error = run(text, "--count-missing")
    assert (status, error) == (0, "")
    assert out == f"{PRINTED}2 lines with missing values left out\n"
    assert json.loads(run(text, "--count-missing", "--json")[1])["missing"] == 2


def test_one_class_only(run: Any) -> None:
    status, out, error = run("1\t0.5\n1\t0.25\n")
    assert status == 0
    assert out.splitlines()[5] == "ROC         nan"
    assert error.startswith(f"{NAME}: warning: Only one class is present in y_true.")
    assert json.loads(run("1\t0.5\n", "--json")[1])["ROC"] is None
    assert out.splitlines()[6] == "APR    1.000000  off by 0 at most"
    status, out, error = run("0\t0.5\n", "--all", "--percent", "50", "--cost", "1", "2")
    assert status == 0
    assert error.count("Only one class") == error.count("No positive class") == 1


def test_all_numbers(run: Any) -> None:
    label, score = rows(500)
    status, out, error = run(
        text_of(label, score), "--all", "--percent", "20", "--cost", "1", "3", "--json"
    )
    assert (status, error) == (0, "")
    found = json.loads(out)
    evaluator = StreamingBinaryEvaluator().update(label, score)
    for name, value in evaluator.perf_scores().items():
        assert found[name] == value, name
    parts = evaluator.brier_decomposition()
    assert found["ECE"] == evaluator.calibration_error()
    assert [found[n] for n in ("BRR", "BRS", "BRU")] == list(parts.values())[1:4]
    best = evaluator.best_threshold()
    assert (found["BTH"], found["BF1"]) == (best["threshold"], best["f1"])
    top = evaluator.at_share(0.2).iloc[0]
    shares = found["PPRE"], found["PREC"], found["PLFT"]
    assert shares == pytest.approx((top["precision"], top["recall"], top["lift"]))
    assert found["PPRE_low"] <= found["PPRE"] <= found["PPRE_high"]
    cheap = evaluator.least_cost(false_negative=3)
    assert found["CST"] == evaluator.cost(false_negative=3)["cost"][0]
    assert (found["CMIN"], found["CTH"]) == (cheap["cost"], cheap["threshold"])
    printed = run(text_of(label, score), "--all", "--cost", "1", "3")[1]
    assert f"\nRKL  {found['RKL']:10.0f}\n" in printed
    assert f"\nCMIN {cheap['cost']:10.0f}  threshold {cheap['threshold']:g}\n" in printed


def test_weights_and_labels_of_text(run: Any) -> None:
    text = "w,bought,chance\n2,yes,0.75\n1,no,0.5\n4,yes,0.25\n1,no,0.125\n"
    named = ["--label", "bought", "--score", "chance"]
    status, out, error = run(text, *named, "--weight", "w", "--positive", "yes", "--json")
    assert (status, error) == (0, "")
    assert json.loads(out)["REC"] == pytest.approx(2 / 6)
    status, _, error = run(text, *named)
    assert status == 2
    assert error.endswith("two labels are wanted, one of them the number 1\n")
    status, _, error = run(text, *named, "--positive", "maybe")
    assert status == 2
    assert error.endswith("two labels are wanted, one of them that of --positive\n")


def test_the_state_is_written(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    status, out, _ = run(TEXT, "--state", str(path))
    assert (status, out) == (0, PRINTED)
    assert StreamingBinaryEvaluator.from_json(path).n_rows == 5


@pytest.mark.parametrize("text", ["", "\n", " \n\n"])
def test_no_rows(run: Any, text: str) -> None:
    assert run(text) == (2, "", f"{NAME}: no line has a label and a score\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--decimals", "9"], f"{NAME}: decimals is 9; it must be from 1 to 6\n"),
        (["--bits", "3"], f"{NAME}: bits is 3; it must be from 8 to 24\n"),
        (["--threshold", "nan"], f"{NAME}: threshold has 1 values that are missing"),
    ],
)
def test_bad_options(run: Any, arguments: list[str], message: str) -> None:
    status, out, error = run(TEXT, *arguments)
    assert (status, out) == (2, "")
    assert error.startswith(message)


def test_usage(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(TEXT, "--decimals", "3", "--bits", "16")
    assert "not allowed with argument" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        run(TEXT, "--weight", "w")
    assert "--weight and --positive need --label and --score" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="0"):
        run(TEXT, "--help")
    said = capsys.readouterr().out
    assert said.startswith(f"usage: {NAME} ")
    assert "--count-missing" in said


def test_the_program(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "vtreat_py.evaluation"]
    done = subprocess.run(command, input=TEXT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (PRINTED, "")
    bad = subprocess.run(command, input="0\tx\n", capture_output=True, text=True, check=False)
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith(f"{NAME}: line 1: ")


def test_the_program_starts_without_heavy_packages() -> None:
    program = """
import sys, io
sys.stdin = io.TextIOWrapper(io.BytesIO(b"1\\t0.5\\n0\\t0.25\\n"))
from vtreat_py.evaluation.command_line import main
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator
main(["--all", "--percent", "50", "--cost", "1", "1"])
heavy = {"pandas", "sklearn", "scipy", "narwhals", "joblib", "matplotlib", "sympy"}
print(sorted(heavy & set(sys.modules)))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
