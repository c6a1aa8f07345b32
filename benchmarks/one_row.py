"""Time of one row: a row scorer beside dicts by hand, ONNX, `prepare` and `transform` of a row.

    python benchmarks/one_row.py

Fifteen columns, of 20 to 2,000 levels and of numbers, and the variables that are recommended; each
way is timed over the same rows, the best of several turns is taken. Writes one_row.txt.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pandas as pd

import vtreat_py as vt

HERE = Path(__file__).parent
LEVELS = (20, 20, 50, 50, 200, 500, 1000, 2000)
NUMBERS = 7
N_ROWS, TURNS = 20_000, 7


def table() -> pd.DataFrame:
    random = np.random.default_rng(0)
    columns: dict[str, Any] = {}
    signal = random.normal(size=N_ROWS)
    for place, n_levels in enumerate(LEVELS):
        level = random.integers(0, n_levels, N_ROWS)
        signal += random.normal(size=n_levels)[level]
        columns[f"g{place}"] = np.char.add("level ", level.astype(str)).astype(object)
    for place in range(NUMBERS):
        x = random.normal(size=N_ROWS)
        signal += x
        columns[f"x{place}"] = np.where(random.random(N_ROWS) < 0.1, np.nan, x)
    return pd.DataFrame(columns | {"y": signal})


def microseconds(work: Callable[[Any], Any], rows: list[Any]) -> float:
    """Best time for one of the rows."""
    best = np.inf
    for _ in range(TURNS):
        start = time.perf_counter()
        for row in rows:
            work(row)
        best = min(best, (time.perf_counter() - start) / len(rows))
    return best * 1e6


def by_hand(plan: vt.TreatmentPlan) -> Callable[[dict[str, Any]], list[float]]:
    """Code levels by dicts and fill numbers in, with nothing else looked at."""
    codes = {}
    for name in (f"g{place}" for place in range(len(LEVELS))):
        effects = plan.level_effects(name)
        codes[name] = dict(zip(effects["level"], effects["effect"], strict=True))
    numbers = [f"x{place}" for place in range(NUMBERS)]

    def coded(row: dict[str, Any]) -> list[float]:
        levels = [code.get(row[name], 0.0) for name, code in codes.items()]
        return levels + [0.0 if row[name] is None else row[name] for name in numbers]

    return coded


def in_onnxruntime(plan: vt.TreatmentPlan, **choice: Any) -> Callable[[dict[str, Any]], Any]:
    """Run the plan's model on a row that is what the runtime takes."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    model = plan.to_onnx(**choice).SerializeToString()
    session = onnxruntime.InferenceSession(model, options)
    return lambda feeds: session.run(None, feeds)


def main() -> None:
    frame = table()
    treatment = vt.NumericOutcomeTreatment(random_state=0, prune_sig="recommended")
    X = frame.drop(columns="y")
    treatment.fit(X, frame["y"])
    plan = treatment.plan_
    few = X.head(200)
    dicts = few.astype(object).where(few.notna(), None).to_dict("records")
    frames = [few.iloc[[place]] for place in range(20)]
    choice: dict[str, Any] = {"prune_sig": "recommended"}
    arrays = vt.onnx_models.inputs(plan.to_onnx(**choice), few)
    feeds = [{name: one[[place]] for name, one in arrays.items()} for place in range(len(few))]
    ways: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
        "codes by dicts, by hand": (by_hand(plan), dicts),
        "row_scorer, to a tuple": (plan.row_scorer(output="tuple", **choice), dicts),
        "row_scorer, to a dict": (plan.row_scorer(**choice), dicts),
        "row_scorer, to an array": (plan.row_scorer(output="array", **choice), dicts),
        "onnxruntime, of the row's arrays": (in_onnxruntime(plan, **choice), feeds),
        "prepare of a frame of the row": (lambda row: vt.prepare(plan, row, **choice), frames),
        "prepare of [row]": (lambda row: vt.prepare(plan, [row], **choice), dicts[:20]),
        "transform of a frame of the row": (treatment.transform, frames),
    }
    found = {name: microseconds(work, rows) for name, (work, rows) in ways.items()}
    hand = found["codes by dicts, by hand"]
    n_variables = len(plan.select("recommended"))
    lines = [f"{len(LEVELS)} columns of levels, {NUMBERS} of numbers, {n_variables} variables", ""]
    lines += [f"{'':34s} {'microseconds':>12s} {'by hand = 1':>12s}"]
    lines += [f"{name:34s} {t:12.1f} {t / hand:12.1f}" for name, t in found.items()]
    text = "\n".join(lines)
    print(text)
    (HERE / "one_row.txt").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
