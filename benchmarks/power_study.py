"""The power of the tests: how often real effects of levels are found, at equal actual size.

The calibrated test, the classic one (R vtreat's, of the regression on the cross-frame) and the
analysis of variance (for classes, chi-square) see the same columns. Each rejects below the p-value
that 5% of columns of noise of the same shape reach with it, so that no test gains by calling noise
significant. Writes power_study.csv and power_study.txt.

Run: python benchmarks/power_study.py [columns per cell, 500]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from simulation import (
    OUTCOMES,
    SIZES,
    Array,
    frame_of,
    in_parallel,
    level_column,
    outcome,
    plain_test,
    scores,
    usable,
)

HERE = Path(__file__).parent
SHAPES = ((200, 5), (200, 50), (2_000, 5), (2_000, 50), (2_000, 500), (20_000, 500))
EFFECTS = ("random effects", "one hot level", "few levels")
TESTS = ("calibrated", "classic", "plain")
# What makes effects on the latent outcome as visible in each outcome as in a normal one.
STRENGTH = {"normal": 1.0, "lognormal": 1.3, "10%": 1.7, "1%": 3.7}
SIZE = 0.05
# Columns of noise for each column with an effect, and how many of them share an outcome.
NOISE_PER_COLUMN, NOISE_PER_OUTCOME = 4, 25


def level_effects(kind: str, n_rows: int, n_levels: int, random: np.random.Generator) -> Array:
    """Effect of each level on the latent outcome, such that it is sometimes found."""
    unit = 1.0 / np.sqrt(n_rows / n_levels)
    if kind == "random effects":
        return random.normal(size=n_levels) * 1.9 * unit / n_levels**0.25
    effect = np.zeros(n_levels)
    if kind == "one hot level":
        effect[random.integers(max(n_levels // 5, 1))] = (2.5 + n_levels**0.15) * unit
    else:
        effect[random.choice(n_levels, max(n_levels // 10, 2), replace=False)] = 2.0 * unit
    return effect


def tested(columns: list[Array], y: Array) -> dict[str, Array]:
    """p-values of columns by each test; 1 for those without a code."""
    table = scores(frame_of(columns), y, coders=["catB" if y.dtype == np.int8 else "catN"])
    table = table.set_index("orig_variable").reindex([f"x{k}" for k in range(len(columns))])
    return {
        "calibrated": table["sig"].fillna(1.0).to_numpy(),
        "classic": table["classic"].fillna(1.0).to_numpy(),
        "plain": np.array([plain_test(level, y) for level in columns]),
    }


def joined(parts: list[dict[str, Array]]) -> dict[str, Array]:
    return {test: np.concatenate([part[test] for part in parts]) for test in TESTS}


def critical(noise: Array, size: float) -> tuple[float, float]:
    """p-value to reject below, and the share to reject of those that are equal to it."""
    limit = float(np.quantile(noise, size, method="higher"))
    at = float((noise == limit).mean())
    return limit, (size - float((noise < limit).mean())) / at


def power(p: Array, noise: Array, size: float = SIZE) -> Array:
    """For each column, the probability that it is rejected."""
    limit, share = critical(noise, size)
    return np.where(p < limit, 1.0, np.where(p == limit, share, 0.0))


def cell(n: int, n_rows: int, n_levels: int, sizes: str, kind: str) -> list[dict[str, Any]]:
    """Power of each test against each kind of effect, and how sure their differences are."""
    random = np.random.default_rng([n_rows, n_levels, SIZES.index(sizes), OUTCOMES.index(kind)])

    def level() -> Array:
        return level_column(n_rows, n_levels, sizes, random)

    parts = []
    while len(parts) * NOISE_PER_OUTCOME < NOISE_PER_COLUMN * n:
        if usable(y := outcome(kind, n_rows, random)):
            parts.append(tested([level() for _ in range(NOISE_PER_OUTCOME)], y))
    noise = joined(parts)
    error_of_size = np.sqrt(SIZE * (1 - SIZE) / len(noise["plain"]))
    rows = []
    for effect in EFFECTS:
        parts = []
        while len(parts) < n:
            column = level()
            shift = STRENGTH[kind] * level_effects(effect, n_rows, n_levels, random)[column]
            if usable(y := outcome(kind, n_rows, random, shift)):
                parts.append(tested([column], y))
        p = joined(parts)
        found = {test: power(p[test], noise[test]) for test in TESTS}
        moved = {
            test: (
                power(p[test], noise[test], SIZE + error_of_size).mean()
                - power(p[test], noise[test], SIZE - error_of_size).mean()
            )
            / 2.0
            for test in TESTS
        }
        row: dict[str, Any] = {"effect": effect, "rows": n_rows, "levels": n_levels}
        row |= {"sizes": sizes, "outcome": kind, **{t: found[t].mean() for t in TESTS}}
        for other in ("classic", "plain"):
            gain = found["calibrated"] - found[other]
            error = np.sqrt(gain.var() / n + moved["calibrated"] ** 2 + moved[other] ** 2)
            row[f"errors above {other}"] = gain.mean() / max(error, 1e-9)
        rows.append(row)
    return rows


def report(table: pd.DataFrame) -> str:
    """The table as text, with how often each test comes out ahead."""
    lines = [f"Power at an actual size of {SIZE}", ""]
    for effect, rows in table.groupby("effect", sort=False):
        lines += [
            f"{effect}",
            rows.drop(columns="effect").to_string(index=False, float_format=_two),
        ]
        for other in ("classic", "plain"):
            errors = rows[f"errors above {other}"]
            lines.append(
                f"calibrated above {other}: {(rows['calibrated'] > rows[other]).sum()} of "
                f"{len(rows)} cells; by more than 2 standard errors {(errors > 2).sum()}, below by "
                f"more than 2: {(errors < -2).sum()}, by more than 3.5: {(errors < -3.5).sum()}"
            )
        lines.append("")
    return "\n".join(lines)


def _two(x: float) -> str:
    return f"{x:.2f}"


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    cells = [
        (n, rows, levels, sizes, kind)
        for rows, levels in SHAPES
        for sizes in SIZES
        for kind in OUTCOMES
        if not (kind == "1%" and rows == 200)  # two rows of the class
    ]
    table = pd.DataFrame([row for rows in in_parallel(cell, cells) for row in rows])
    table.to_csv(HERE / "power_study.csv", index=False, float_format="%.4g")
    (HERE / "power_study.txt").write_text(report(table))
    print(report(table))


if __name__ == "__main__":
    main()
