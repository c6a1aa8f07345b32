"""The command line: labels and scores as text in, the scores of a binary classifier out."""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from vtreat_py.base.errors import FrameError, VtreatError
from vtreat_py.evaluation._curves import at_most
from vtreat_py.evaluation._formulas import score_values
from vtreat_py.evaluation._stream_files import evaluate_bytes, opened_file
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

_NAME = "python -m vtreat_py.evaluation"
_DESCRIPTION = """\
Evaluate a binary classifier in one pass, in constant memory.

Each line is a label (1 for positive rows, another number for the others) and a score, with a comma,
a tab or spaces between them; missing values are written NA or nan. With --label and --score the
first line names the columns, and there may be others. Text may be compressed by gzip; a file may be
Parquet."""
_EPILOG = """\
ACC accuracy, PRE precision, REC recall, PRF F1, LFT lift (all at the threshold), ROC area under the
ROC curve, RMS root mean squared error. Exit status 2: bad input or usage."""
# What options of the evaluator are called here.
_OPTIONS = {
    "bins='decimals'": "--decimals",
    "bins='float'": "--bits 16",
    "let missing='count'": "let --count-missing",
    "missing='count'": "--count-missing",
    "give label and score by name": "give --label and --score",
    "one of them pos_label": "one of them the number 1",
    "say which label is the positive one": "labels must be numbers, or true and false",
}
_FIXED = {"ACC": "accuracy", "PRE": "precision", "REC": "recall", "PRF": "f1", "LFT": "lift"}


def main(arguments: Sequence[str] | None = None, name: str = _NAME) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str or None
        None: those the program was called with.
    name : str
        What the program is called, in messages.

    Returns
    -------
    int
        Exit status: 0, or 2 if the input is bad, which one line on standard error explains.
    """
    parser = _parser(name)
    options = parser.parse_args(arguments)
    if (options.label is None) != (options.score is None):
        parser.error("--label and --score go together")
    try:
        with warnings.catch_warnings(record=True, action="always") as caught:
            found = _found(options)
    except (VtreatError, OSError) as error:
        message = str(error)
        for word, here in _OPTIONS.items():
            message = message.replace(word, here)
        print(f"{name}: {message}", file=sys.stderr, flush=True)
        return 2
    for warning in caught:
        print(f"{name}: warning: {warning.message}", file=sys.stderr, flush=True)
    print(found, flush=True)
    return 0


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=name,
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=100),
    )
    parser.add_argument("file", nargs="?", default="-", help="default: standard input")
    parser.add_argument("--label", metavar="NAME", help="the column of labels")
    parser.add_argument("--score", metavar="NAME", help="the column of scores")
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        metavar="T",
        help="scores of at least this are called positive (default: 0.5)",
    )
    bins = parser.add_mutually_exclusive_group()
    bins.add_argument(
        "--decimals",
        type=int,
        metavar="D",
        help="bins of width 10**-D for scores in [0, 1] (default: 3)",
    )
    bins.add_argument(
        "--bits",
        type=int,
        metavar="B",
        help="bins by the first B bits of the score, for scores of any range (16 is good)",
    )
    parser.add_argument(
        "--count-missing",
        action="store_true",
        help="leave out lines with missing values, and count them",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _found(options: argparse.Namespace) -> str:
    """What is printed."""
    evaluator = StreamingBinaryEvaluator(
        threshold=options.threshold,
        missing="count" if options.count_missing else "raise",
        **_bins(options),
    )
    columns = [0, 1] if options.label is None else [options.label, options.score]
    if options.file == "-":
        evaluate_bytes(sys.stdin.buffer, columns, evaluator)
    else:
        evaluate = opened_file(Path(options.file), columns)[0]
        evaluate(evaluator, lambda _: None)
    if not evaluator.n_rows:
        raise FrameError("no line has a label and a score")
    return _as_json(evaluator) if options.json else _as_text(evaluator)


def _bins(options: argparse.Namespace) -> dict[str, Any]:
    if options.bits is not None:
        return {"bins": "float", "bits": options.bits}
    return {} if options.decimals is None else {"decimals": options.decimals}


def _as_text(evaluator: StreamingBinaryEvaluator) -> str:
    values = _values(evaluator)
    low, high = values.pop("ROC_low"), values.pop("ROC_high")
    notes = dict.fromkeys(_FIXED, f"threshold {evaluator.thresholds[0]:g}")
    if low <= high:  # not NaN
        notes["ROC"] = f"off by {at_most((high - low) / 2)} at most"
    lines = [f"{name}  {value:10.6f}  {notes.get(name, '')}" for name, value in values.items()]
    if evaluator.n_missing:
        lines.append(f"{evaluator.n_missing} lines with missing values left out")
    return "\n".join(line.rstrip() for line in lines)


def _as_json(evaluator: StreamingBinaryEvaluator) -> str:
    import json

    found = {
        "rows": evaluator.n_rows,
        "missing": evaluator.n_missing,
        "threshold": evaluator.thresholds[0],
        **_values(evaluator),
    }
    return json.dumps({name: None if math.isnan(v) else v for name, v in found.items()}, indent=2)


def _values(evaluator: StreamingBinaryEvaluator) -> dict[str, float]:
    """Scores by what they are called here."""
    counts = evaluator.confusion(0)
    values = {short: float(score_values(name, counts)) for short, name in _FIXED.items()}
    low, high = evaluator.auc_bounds()
    areas = {"ROC": (low + high) / 2, "ROC_low": low, "ROC_high": high}
    return values | areas | {"RMS": evaluator.rmse()}
