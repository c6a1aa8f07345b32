"""Parts of dates: how often a trend, or noise, is taken for a season, and what seasons score.

One column of days, one row a day. ``size``: the share of p-values of parts at or below .05 and
.01 where the outcome is noise, or noise around a trend, by kind of code; and variables of parts
that are recommended, for each design (0.05 where p-values are uniform). ``power``: an effect of
Saturdays.
Writes calendar_study.csv and calendar_study.txt.

Run: python benchmarks/calendar_study.py [designs of each cell, 200]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from simulation import Array, in_parallel

import vtreat_py as vt

HERE = Path(__file__).parent
SIZES = (0.05, 0.01)
TRENDS: dict[str, Callable[[Array], Array]] = {
    "none": lambda t: 0.0 * t,
    "line": lambda t: 6.0 * t,
    "line of a decline": lambda t: -2.0 * t,
    "exponential": lambda t: np.exp(3.0 * t) / 3.0,
    "random walk": np.zeros_like,
}
OUTCOMES = ("normal", "lognormal", "class", "class of 5%")
DAYS = (700, 5 * 365)


def outcome(random: np.random.Generator, kind: str, trend: str, n: int) -> Array:
    """Noise around a trend, in units of its own spread."""
    t = np.linspace(0.0, 1.0, n)
    drift = TRENDS[trend](t)
    if trend == "random walk":
        drift = np.cumsum(random.normal(size=n)) / np.sqrt(n) * 3.0
    if kind == "lognormal":
        noise = np.exp(random.normal(size=n))
        return np.asarray(drift + noise / noise.std())
    y = drift + random.normal(size=n)
    if kind == "normal":
        return np.asarray(y)
    return (y > np.quantile(y, 0.5 if kind == "class" else 0.95)).astype(np.int8)


def scores(days: pd.DatetimeIndex, y: Array) -> pd.DataFrame:
    """The score frame of one column of days, with impact codes that were tried and dropped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)
        plan = vt.design_treatments(
            pd.DataFrame({"when": days}),
            outcome=y,
            outcome_type="binomial" if y.dtype == np.int8 else "numeric",
            calendar="auto",
            random_state=0,
        )
    dropped = pd.DataFrame(
        [(one.column, one.code, one.sig) for one in plan.dropped if one.n_tests == 1],
        columns=["orig_variable", "code", "sig"],
    )
    return pd.concat([plan.score_frame, dropped.assign(recommended=False)], ignore_index=True)


def size_cell(n_designs: int, days: int, kind: str, trend: str) -> list[dict[str, Any]]:
    """Shares of small p-values of parts where there is no season."""
    random = np.random.default_rng([days, OUTCOMES.index(kind), list(TRENDS).index(trend)])
    when = pd.date_range("2019-01-01", periods=days)
    found = [scores(when, outcome(random, kind, trend, days)) for _ in range(n_designs)]
    parts = pd.concat([one[one["orig_variable"] != "when"] for one in found])
    rows = []
    for code, of_code in parts.groupby("code"):
        row = {"cell": "size", "days": days, "outcome": kind, "trend": trend, "code": code}
        for size in SIZES:
            row[f"at {size}"] = float((of_code["sig"] <= size).mean())
        rows.append(row | {"tests": len(of_code)})
    recommended = [one[one["orig_variable"] != "when"]["recommended"].sum() for one in found]
    error = np.std(recommended) / np.sqrt(n_designs)
    rows.append(
        {"cell": "recommended", "days": days, "outcome": kind, "trend": trend}
        | {"a design": float(np.mean(recommended)), "s.e.": float(error)}
        | {"designs with one": float(np.mean(np.array(recommended) > 0))}
    )
    return rows


def power_cell(n_designs: int, effect: float) -> list[dict[str, Any]]:
    """An effect of Saturdays over 700 days: what the impact code scores."""
    random = np.random.default_rng([int(100 * effect)])
    when = pd.date_range("2019-01-01", periods=700)
    rsq, truth, passed = [], [], []
    for _ in range(n_designs):
        y = random.normal(size=700) + effect * (when.day_of_week == 5)
        one = scores(when, y).set_index("variable")
        best = one.loc["when_weekday_catN"] if "when_weekday_catN" in one.index else None
        rsq.append(0.0 if best is None else best["rsq"])
        passed.append(best is not None and bool(best["recommended"]))
        truth.append(np.corrcoef(y, when.day_of_week == 5)[0, 1] ** 2)
    return [
        {"cell": "power", "effect": effect, "recommended": float(np.mean(passed))}
        | {"rsq": float(np.mean(rsq)), "rsq of Saturday": float(np.mean(truth))}
        | {"furthest": float(np.max(np.abs(np.subtract(rsq, truth))))}
    ]


def main() -> None:
    """Run all cells, and write them."""
    n_designs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    sizes: list[tuple[Any, ...]] = [
        (n_designs, days, kind, trend) for days in DAYS for kind in OUTCOMES for trend in TRENDS
    ]
    effects: list[tuple[Any, ...]] = [
        (max(n_designs // 4, 1), effect) for effect in (0.25, 0.5, 1.0, 5.0)
    ]
    cells = [*in_parallel(size_cell, sizes), *in_parallel(power_cell, effects)]
    found = pd.DataFrame([row for rows in cells for row in rows])
    found.to_csv(HERE / "calendar_study.csv", index=False, float_format="%.6g")
    told = [
        __doc__.split("\n\n")[0] if __doc__ else "",
        f"{n_designs} designs of each cell; a share of .05 of 200 designs x its variables has a "
        "standard error that is larger than that of as many draws, as variables of a column go "
        "together.",
    ]
    for cell, rows in found.groupby("cell", sort=False):
        kept = rows.dropna(axis=1, how="all").drop(columns="cell")
        told.append(f"{cell}\n{kept.to_string(index=False, float_format=lambda x: f'{x:.4g}')}")
    text = "\n\n".join(told)
    (HERE / "calendar_study.txt").write_text(text + "\n")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
