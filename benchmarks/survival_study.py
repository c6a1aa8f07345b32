"""Times to an event: how often noise passes the tests, and how far codes are from the truth.

``size``: columns of noise; the share of p-values at or below .05 and .01 of impact codes (whether
levels differ), of a number and of prevalences. Times are exponential, or those of things that age
(Weibull's, of shape 3). A third of the rows are censored, or nine tenths; censoring does not go
with the column, or comes ten times as fast in a quarter of its levels, and the number goes with it.
``shrinkage``: hazards of 100 levels are drawn from a gamma distribution; the mean squared error of
what codes say of the ratio of their events to those expected, by the events that are expected, over
that of the posterior means by the true variance; beside it that of observed over expected events
and of no difference at all. Writes survival_study.txt.

Run: python benchmarks/survival_study.py [designs of each cell, 200]
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
from vtreat_py.statistics.hazard import Times

HERE = Path(__file__).parent
TIMES = {"exponential": 1.0, "ageing": 3.0}
CENSORED = (1 / 3, 0.9)
CENSORING = ("alike", "ten times as fast in a quarter of the levels")
LEVELS, ROWS = (2, 20, 200), 2000
SIZES = (0.05, 0.01)


def lives(
    random: np.random.Generator, hazard: Array, shape: float, share: float, faster: Array
) -> tuple[Array, Array]:
    """Times and events; ``share`` are censored where hazards are 1 and losses no faster."""
    own = random.exponential(1.0 / hazard) ** (1.0 / shape)
    lost = random.exponential((1.0 - share) / share / faster) ** (1.0 / shape)
    return np.minimum(own, lost), own <= lost


def plan_of(frame: pd.DataFrame, time: Array, event: Array, **options: Any) -> Any:
    """A design, without warnings of columns that have no code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)
        given = {"outcome": (time, event), "outcome_type": "survival", "random_state": 0}
        return vt.design_treatments(frame, **given, **options)


def one_of_noise(seed: list[int], shape: float, share: float, how: str, n_levels: int) -> Array:
    """p-values of levels, of a number that goes with their censoring, and of prevalences."""
    random = np.random.default_rng(seed)
    level = level_column(ROWS, n_levels, "Zipf", random)
    quarter = level % 4 == 1
    faster = np.where(quarter & (how != CENSORING[0]), 10.0, 1.0)
    time, event = lives(random, np.ones(ROWS), shape, share, faster)
    frame = pd.DataFrame(
        {"x": pd.Categorical(level.astype(str)), "z": quarter + random.normal(size=ROWS)}
    )
    plan = plan_of(frame, time, event, smoothing=0, coders=["catR", "catP", "clean", "lev"])
    scores = plan.score_frame.set_index("variable")["sig"]
    tried = [one.sig for one in plan.dropped if one.code == "catR"]
    levels = scores.get("x_catR", tried[0] if tried else scores.filter(like="x_lev").min())
    return np.array([levels, scores["z"], scores.get("x_catP", np.nan)])


def size_cell(n: int, times: str, share: float, how: str, n_levels: int) -> dict[str, Any]:
    """Shares of small p-values."""
    cell = [list(TIMES).index(times), int(10 * share), CENSORING.index(how), n_levels]
    found = [one_of_noise([*cell, k], TIMES[times], share, how, n_levels) for k in range(n)]
    row = {"times": times, "censored": round(share, 2), "censoring": how, "levels": n_levels}
    for size in SIZES:
        for name, p in zip(("levels", "number", "catP"), np.array(found).T, strict=True):
            known = p[np.isfinite(p)]
            row[f"{name} {size:g}"] = float((known <= size).mean()) if len(known) else np.nan
    return row


def true_ratio(ratio: Array, share: float, time: Array, hazard: Array) -> Array:
    """Events of levels over those expected, in the long run: less than the ratio of hazards.

    A row of a level is seen up to a time with the probability ``exp(-(ratio + loss) * time)``.
    """
    loss, order = share / (1.0 - share), np.argsort(time)
    growth = np.diff(hazard[order], prepend=0.0)
    some = growth > 0.0
    seen = np.exp(-np.outer(ratio + loss, time[order][some]))
    return ratio / (ratio + loss) / (seen @ growth[some])


def shrinkage_cell(n: int, rows: int, spread: float, share: float, sizes: str) -> dict[str, Any]:
    """Errors of codes over that of the oracle."""
    errors = []
    for k in range(n):
        random = np.random.default_rng([7, rows, int(100 * spread), int(10 * share), len(sizes), k])
        level = level_column(rows, 100, sizes, random)
        ratio = random.gamma(1.0 / spread**2, spread**2, 100)
        time, event = lives(random, ratio[level], 1.0, share, np.ones(rows))
        hazard = Times.of(time, event).hazard(np.ones(rows))
        expected, events = (np.bincount(level, v, 100) for v in (hazard, event.astype(float)))
        plan = plan_of(pd.DataFrame({"x": level.astype(str)}), time, event, coders=["catR"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", vt.VtreatWarning)  # no code where levels do not differ
            new = vt.prepare(plan, pd.DataFrame({"x": np.arange(100).astype(str)})).to_numpy()
        ours = np.exp(new[:, 0]) if new.shape[1] else np.ones(100)
        raw = np.where(expected > 0, events / np.where(expected > 0, expected, 1.0), 1.0)
        truth = true_ratio(ratio, share, time, hazard)
        between = float(np.average((truth - 1.0) ** 2, weights=expected))
        believed = expected * between / (expected * between + 1.0)
        oracle = 1.0 + believed * (raw - 1.0)
        errors.append(
            [((one - truth) ** 2 @ expected) for one in (oracle, ours, raw, np.ones(100))]
        )
    mean, each = np.mean(errors, axis=0), np.array(errors)
    off = (each[:, 1] - each[:, 0]) / mean[0]
    return {
        "rows": rows, "sd of hazards": spread, "censored": round(share, 2), "sizes": sizes,
        **dict(zip(("catR", "observed/expected", "none"), mean[1:] / mean[0], strict=True)),
        "se of catR": float(off.std() / np.sqrt(n)),
    }  # fmt: skip


def main(n: int) -> None:
    """Run all cells and write the tables."""
    sizes = in_parallel(
        size_cell,
        [(n, t, s, how, k) for t in TIMES for s in CENSORED for how in CENSORING for k in LEVELS],
    )
    shrinkage = in_parallel(
        shrinkage_cell,
        [
            (n // 4, rows, spread, share, of)
            for rows in (ROWS, 10 * ROWS)
            for spread in (0.1, 0.3, 1.0)
            for share in CENSORED
            for of in ("balanced", "Zipf")
        ],
    )
    error = np.sqrt(0.05 * 0.95 / n)
    text = [
        f"Noise: shares of p-values at or below .05 and .01; {n} designs of {ROWS} rows each",
        f"(standard error of a share of .05: {error:.3f}; nan: a code that is constant)\n",
        pd.DataFrame(sizes).round(3).to_string(index=False),
        f"\n\nMean squared error over the oracle's, {n // 4} designs of 100 levels each\n",
        pd.DataFrame(shrinkage).round(3).to_string(index=False),
    ]
    (HERE / "survival_study.txt").write_text("\n".join(text) + "\n")
    print("\n".join(text))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
