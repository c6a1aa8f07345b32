"""The command line: labels and scores as text in, the scores of a binary classifier out."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from vtreat_py.base.errors import FrameError, VtreatError
from vtreat_py.evaluation._command_line_numbers import Found, command_line_numbers
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
ROC curve, APR average precision, RMS root mean squared error.

--all adds PPV and NPV (calls that are right), SEN and SPC (sensitivity and specificity), SAR (mean
of ACC, ROC and 1 - RMS), PRB break-even point of precision and recall, AUPRC area under straight
lines of precision and recall, R50 mean recall at the first 50 false positives, RKL rank of the last
positive row, TOP1 and TOP10 (1 if a positive row is first, or among the first ten, for certain),
SLQ (purity of 100 groups), CXE log loss in bits, NRM1 mean absolute error, CA1 calibration error of
19 windows; ECE expected calibration error, and BRR, BRS and BRU, the Brier score's reliability,
resolution and uncertainty, in ten groups of like weight; BF1 the best F1, and BTH its threshold.

--percent adds PPRE, PREC and PLFT: precision, recall and lift where so many are called positive.
--cost adds CST, the cost at the threshold, CMIN, the least, and CTH, the threshold of that.

Exit status 2: bad input or usage."""
# What options of the evaluator are called here.
_OPTIONS = {
    "bins='decimals'": "--decimals",
    "bins='float'": "--bits 19",
    "let missing='count'": "let --count-missing",
    "missing='count'": "--count-missing",
    "give label and score by name": "give --label and --score",
    "one of them pos_label": "one of them the number 1",
    "say which label is the positive one": "--positive LABEL says which text is positive",
}


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
    if options.label is None and (options.weight is not None or options.positive is not None):
        parser.error("--weight and --positive need --label and --score")
    try:
        print(_found(options, name), flush=True)
    except (VtreatError, OSError) as error:
        message = str(error)
        wanted = (
            {}
            if options.positive is None
            else {"one of them pos_label": "one of them that of --positive"}
        )
        for word, here in (_OPTIONS | wanted).items():
            message = message.replace(word, here)
        print(f"{name}: {message}", file=sys.stderr, flush=True)
        return 2
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
    parser.add_argument("--weight", metavar="NAME", help="the column of weights")
    parser.add_argument(
        "--positive", metavar="LABEL", help="the label of positive rows, which is text"
    )
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
        help="bins of width 10**-D for scores in [0, 1]",
    )
    bins.add_argument(
        "--bits",
        type=int,
        metavar="B",
        help="bins by the first B bits of the score, for scores of any range (default: 19)",
    )
    parser.add_argument(
        "--count-missing",
        action="store_true",
        help="leave out lines with missing values, and count them",
    )
    parser.add_argument(
        "--percent",
        type=float,
        metavar="P",
        help="call the P per cent of the lines with the highest scores positive, too",
    )
    parser.add_argument(
        "--cost",
        type=float,
        nargs=2,
        metavar=("FP", "FN"),
        help="what a false positive and a false negative cost: print CST, the cost of all lines, "
        "and the threshold at which it is least",
    )
    parser.add_argument("--all", action="store_true", help="print all numbers")
    parser.add_argument(
        "--state", metavar="FILE", help="write what is known of the lines to a file, as JSON"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _found(options: argparse.Namespace, name: str) -> str:
    """What is printed."""
    evaluator = StreamingBinaryEvaluator(
        threshold=options.threshold,
        missing="count" if options.count_missing else "raise",
        pos_label=1 if options.positive is None else options.positive,
        **_bins(options),
    )
    columns = [0, 1] if options.label is None else [options.label, options.score]
    columns += [] if options.weight is None else [options.weight]
    if options.file == "-":
        evaluate_bytes(sys.stdin.buffer, columns, evaluator)
    else:
        evaluate = opened_file(Path(options.file), columns)[0]
        evaluate(evaluator, lambda _: None)
    if not evaluator.n_rows:
        raise FrameError("no line has a label and a score")
    if options.state is not None:
        evaluator.to_json(Path(options.state))
    found = command_line_numbers(evaluator, options.all, options.percent, options.cost)
    for warning in found.warnings:
        print(f"{name}: warning: {warning}", file=sys.stderr, flush=True)
    return _as_json(evaluator, found) if options.json else _as_text(evaluator, found)


def _bins(options: argparse.Namespace) -> dict[str, Any]:
    if options.bits is not None:
        return {"bins": "float", "bits": options.bits}
    return {} if options.decimals is None else {"decimals": options.decimals}


def _as_text(evaluator: StreamingBinaryEvaluator, found: Found) -> str:
    lines = [f"{n:<5}{_shown(v)}  {found.notes.get(n, '')}" for n, v in found.values.items()]
    if evaluator.n_missing:
        lines.append(f"{evaluator.n_missing} lines with missing values left out")
    return "\n".join(line.rstrip() for line in lines)


def _shown(value: float) -> str:
    """A number, with decimals unless it is a count."""
    is_count = math.isfinite(value) and abs(value) > 1 and value == math.floor(value)
    return f"{value:10.0f}" if is_count else f"{value:10.6f}"


def _as_json(evaluator: StreamingBinaryEvaluator, found: Found) -> str:
    import json

    numbers = {
        "rows": evaluator.n_rows,
        "missing": evaluator.n_missing,
        "threshold": evaluator.thresholds[0],
        **found.values,
        **found.bounds,
    }
    return json.dumps(
        {name: v if math.isfinite(v) else None for name, v in numbers.items()}, indent=2
    )
