"""What shapes of numbers cost: a cross-frame with all five beside one without, 50 folds beside 5.

Ten columns, a million rows; ``without`` is the default design, ``with`` asks for the five shapes
alone. All are run in turn, in one process; a ratio is that of two runs side by side, and the table
has its median and quartiles, by the clock and by what the processor did for the process itself
(``user``): the system takes its own time to give memory for the 400 MB of a cross-frame of 50
columns, which differs from one run to the next. Last one column, as a spline and as an isotonic
curve, beside scikit-learn's out of fold, of a million rows.

Run: python benchmarks/shapes.py [rounds, 15]
"""

from __future__ import annotations

import platform
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

import vtreat_py as vt

ROWS, COLUMNS = 1_000_000, 10
CODES = ["piecewise", "spline", "window", "isotonic", "bins"]
WAYS: dict[str, dict[str, Any]] = {
    "without": {"cv": 5},
    "with": {"cv": 5, "coders": CODES},
    "50 folds": {"cv": 50, "coders": CODES},
}
RATIOS = (("with", "without"), ("50 folds", "with"))
CLOCKS = ("clock", "user")
Timed = tuple[float, float]


def timed(run: Callable[[], Any]) -> Timed:
    """Seconds by the clock, and of the processor outside of the system."""
    started = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_utime
    run()
    ended = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_utime
    return ended[0] - started[0], ended[1] - started[1]


def rows() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Numbers, and two outcomes that three of them bear on."""
    random = np.random.default_rng(1)
    x = random.normal(size=(ROWS, COLUMNS))
    effect = np.sin(x[:, 0]) + 0.3 * x[:, 1] ** 2 + 0.2 * x[:, 2]
    hit = random.random(ROWS) < 1.0 / (1.0 + np.exp(-effect))
    frame = pd.DataFrame({f"x{j}": x[:, j] for j in range(COLUMNS)})
    return frame, {"numbers": effect + random.normal(size=ROWS), "classes": hit.astype(np.int8)}


def in_turn(ways: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[Timed]]:
    """Time all ways, one after the other, after a first round that is not counted."""
    times: dict[str, list[Timed]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, run in ways.items():
            taken = timed(run)
            if number:
                times[name].append(taken)
    return times


def ratio(times: dict[str, list[Timed]], above: str, below: str, clock: str) -> str:
    """Median and quartiles of a ratio."""
    of = CLOCKS.index(clock)
    ratios = [a[of] / b[of] for a, b in zip(times[above], times[below], strict=True)]
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    return f"{middle:5.2f} [{low:.2f} {high:.2f}]"


def shapes_alone(frame: pd.DataFrame, y: Any, rounds: int) -> list[str]:
    """One column, as one shape, beside scikit-learn's."""
    one = frame[["x0"]]
    spline = make_pipeline(SplineTransformer(n_knots=33), LinearRegression())
    peers: dict[str, tuple[str, Any]] = {
        "spline": ("SplineTransformer, LinearRegression", spline),
        "isotonic": ("IsotonicRegression", IsotonicRegression()),
    }
    lines = []
    for code, (name, peer) in peers.items():
        ways = {
            "ours": lambda code=code: vt.cross_frame_experiment(
                one, outcome=y, random_state=0, coders=[code]
            ),
            "peer": lambda peer=peer: cross_val_predict(peer, one, y, cv=5),
        }
        times = in_turn(ways, max(rounds // 5, 2))
        lines.append(f"{code:9}{ratio(times, 'peer', 'ours', 'clock')}  {name}")
    return lines


def main(rounds: int) -> None:
    frame, outcomes = rows()
    lines = [
        f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}",
        f"{ROWS:,} rows, {COLUMNS} columns; medians and quartiles of {rounds} rounds",
        "",
        f"{'outcome':9}{'ratio':22}{'clock':>12}{'user':>20}",
    ]
    for name, y in outcomes.items():
        ways = {
            way: lambda y=y, chosen=chosen: vt.cross_frame_experiment(
                frame, outcome=y, random_state=0, **chosen
            )
            for way, chosen in WAYS.items()
        }
        times = in_turn(ways, rounds)
        for above, below in RATIOS:
            of_clocks = "  ".join(ratio(times, above, below, clock) for clock in CLOCKS)
            lines.append(f"{name:9}{f'{above} / {below}':22}{of_clocks}")
    lines += ["", "time of cross_val_predict over ours, one column"]
    lines += shapes_alone(frame, outcomes["numbers"], rounds)
    text = "\n".join(lines)
    print(text)
    Path(__file__).with_suffix(".txt").write_text(text + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
