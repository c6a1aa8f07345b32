"""Rates: how often noise passes the tests, and how far shrunk rates are from the truth.

``size``: columns of noise; the share of p-values of impact codes (whether the rate differs between
levels) and of a number at or below .05 and .01. Counts are those of Poisson, of Poisson with rates
of rows that vary ("gamma": the variance is no multiple of the mean), or multiples ("tripled": three
events at a time). Exposures do not go with the column, or are ten times as long in a quarter of
its levels. ``shrinkage``: rates of levels are drawn from a gamma distribution; the mean squared
error of codes, by the exposure of new rows, over that of the posterior means by the true
parameters; beside it that of rates as they are and of the mean of all rows; and how often the
interval of 1.645 ``effect_se`` about an effect has the level's own logarithm of the ratio of rates
(weighted by exposure; 0.90 is wanted).
Writes rates_study.txt.

Run: python benchmarks/rates_study.py [designs of each cell, 400]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from simulation import Array, in_parallel, level_column

import vtreat_py as vt

HERE = Path(__file__).parent
COUNTS = ("Poisson", "gamma", "tripled")
EXPOSURES = ("alike", "ten times as long in a quarter of the levels")
LEVELS, ROWS = (2, 20, 200), 2000
SIZES = (0.05, 0.01)


def counts(random: np.random.Generator, kind: str, expected: Array) -> Array:
    """Events whose mean is what is expected."""
    if kind == "gamma":
        return random.poisson(expected * random.gamma(2.0, 0.5, len(expected)))
    return 3 * random.poisson(expected / 3.0) if kind == "tripled" else random.poisson(expected)


def plan_of(frame: pd.DataFrame, count: Array, exposure: Array, **options: Any) -> Any:
    """A design, without warnings of columns that have no code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)
        return vt.design_treatments(
            frame, outcome=count, exposure=exposure, random_state=0, **options
        )


def one_of_noise(seed: list[int], kind: str, exposed: str, n_levels: int) -> tuple[float, float]:
    """p-values of levels and of a number that goes with their exposures."""
    random = np.random.default_rng(seed)
    level = level_column(ROWS, n_levels, "Zipf", random)
    exposure = random.gamma(2.0, size=ROWS) + 0.1
    if exposed != EXPOSURES[0]:
        exposure *= np.where(level % 4 == 1, 10.0, 1.0)
    count = counts(random, kind, 0.3 * exposure)
    number = (level % 4 == 1) + random.normal(size=ROWS)
    frame = pd.DataFrame({"x": pd.Categorical(level.astype(str)), "z": number})
    plan = plan_of(frame, count, exposure, smoothing=0, coders=["catR", "clean", "lev"])
    scores = plan.score_frame.set_index("variable")["sig"]
    tried = [one.sig for one in plan.dropped if one.code == "catR"]
    of_levels = scores.get("x_catR", tried[0] if tried else scores.filter(like="x_lev").min())
    return float(of_levels), float(scores["z"])


def size_cell(n: int, kind: str, exposed: str, n_levels: int) -> dict[str, Any]:
    """Shares of small p-values."""
    cell = [COUNTS.index(kind), EXPOSURES.index(exposed), n_levels]
    found = np.array([one_of_noise([*cell, k], kind, exposed, n_levels) for k in range(n)])
    row: dict[str, Any] = {"counts": kind, "exposures": exposed, "levels": n_levels}
    for size in SIZES:
        for name, p_values in zip(("levels", "number"), found.T, strict=True):
            row[f"{name} {size:g}"] = float((p_values <= size).mean())
    return row


def covered(plan: Any, rate: Array, total: Array, overall: float) -> float:
    """Share of levels, by exposure, whose logarithm of a ratio of rates is in its interval."""
    found = plan.level_effects("x")
    found = found[found["kind"] == "level"]
    place = found["level"].astype(int).to_numpy()
    off = np.abs(found["effect"] - np.log(rate[place] / overall))
    return float(np.average(off <= 1.645 * found["effect_se"], weights=total[place]))


def shrinkage_cell(n: int, rows: int, kind: str, spread: float, sizes: str) -> dict[str, Any]:
    """Errors of codes over that of the oracle."""
    errors, coverage = [], []
    for k in range(n):
        random = np.random.default_rng([7, COUNTS.index(kind), int(100 * spread), len(sizes), k])
        level = level_column(rows, 100, sizes, random)
        rate = 0.3 * random.gamma(1.0 / spread**2, spread**2, 100)
        exposure = random.gamma(2.0, size=rows) + 0.1
        count = counts(random, kind, rate[level] * exposure)
        plan = plan_of(pd.DataFrame({"x": level.astype(str)}), count, exposure, coders=["catR"])
        overall = count.sum() / exposure.sum()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", vt.VtreatWarning)  # no code where levels do not differ
            new = vt.prepare(plan, pd.DataFrame({"x": np.arange(100).astype(str)})).to_numpy()
        ours = overall * np.exp(new[:, 0]) if new.shape[1] else np.full(100, overall)
        total = np.bincount(level, exposure, 100)
        coverage.append(covered(plan, rate, total, overall))
        events = np.bincount(level, count, 100)
        raw = np.where(total > 0, events / np.where(total > 0, total, 1.0), overall)
        dispersion = {"Poisson": 1.0, "tripled": 3.0}.get(kind)
        if dispersion is None:  # the variance of a row is m + m * m / 2
            squares = np.bincount(level, exposure * exposure, 100)
            within = 0.3 + 0.5 * 0.09 * (1.0 + spread**2) * squares / np.maximum(total, 1e-12)
        else:
            within = np.full(100, 0.3 * dispersion)
        between = (0.3 * spread) ** 2
        believed = total * between / (total * between + within)
        oracle = 0.3 + believed * (raw - 0.3)
        error = [((one - rate) ** 2 @ total) for one in (oracle, ours, raw, overall)]
        errors.append(error)
    mean = np.mean(errors, axis=0)
    ratios = np.array(errors)[:, 1:] / mean[0]
    return {
        "rows": rows, "counts": kind, "sd of rates": spread, "sizes": sizes,
        **dict(zip(("catR", "raw rate", "mean"), mean[1:] / mean[0], strict=True)),
        "covered": float(np.mean(coverage)),
        "se of catR": float((ratios[:, 0] - np.array(errors)[:, 0] / mean[0]).std() / np.sqrt(n)),
    }  # fmt: skip


def main(n: int) -> None:
    """Run all cells and write the tables."""
    sizes = in_parallel(
        size_cell, [(n, kind, how, k) for kind in COUNTS for how in EXPOSURES for k in LEVELS]
    )
    shrinkage = in_parallel(
        shrinkage_cell,
        [
            (n // 4, rows, kind, spread, of)
            for rows in (ROWS, 10 * ROWS)
            for kind in COUNTS
            for spread in (0.1, 0.3, 1.0)
            for of in ("balanced", "Zipf")
        ],
    )
    error = np.sqrt(0.05 * 0.95 / n)
    text = [
        f"Noise: shares of p-values at or below .05 and .01; {n} designs of {ROWS} rows each",
        f"(standard error of a share of .05: {error:.3f})\n",
        pd.DataFrame(sizes).round(3).to_string(index=False),
        f"\n\nMean squared error of rates over the oracle's, {n // 4} designs of 100 levels each\n",
        pd.DataFrame(shrinkage).round(3).to_string(index=False),
    ]
    (HERE / "rates_study.txt").write_text("\n".join(text) + "\n")
    print("\n".join(text))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
