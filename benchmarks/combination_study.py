"""The power of combined p-values beside that of a line, or of means, alone.

``clean``: 500 rows, one number with a shape in the outcome. ``catN``: one level of many with an
effect. Each test rejects below the p-value that 5% of columns of noise reach with it, so that none
gains by calling noise significant. Writes combination_study.csv and combination_study.txt.

Run: python benchmarks/combination_study.py [columns per cell, 300]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from power_study import NOISE_PER_COLUMN, NOISE_PER_OUTCOME, SIZE, power
from simulation import Array, frame_of, in_parallel, level_column, outcome, powers_of, scores

from vtreat_py.significance.correlation import correlation_test
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

HERE = Path(__file__).parent
ROWS = 500
# How far a sum of so many normal deviates is off for an effect of 1, in standard errors: a shape
# has the correlation strength / sqrt(rows) with a normal outcome.
SHAPES: dict[str, tuple[str, Callable[[Array], Array], float]] = {
    "line": ("normal", lambda x: x, 2.35),
    "line of a lognormal(1)": ("lognormal(1)", lambda x: x, 2.55),
    "square": ("normal", lambda x: x * x, 4.7),
    "sin 2x": ("uniform(-2, 2)", lambda x: np.sin(2.0 * x), 3.7),
    "log of a lognormal(1.5)": ("lognormal(1.5)", np.log, 2.8),
}
# What makes them about as visible in other outcomes.
STRENGTH = {"normal": 1.0, "t(2)": 2.1, "lognormal": 1.0, "10%": 1.7}
LEVELS = ((2_000, 20, "balanced"), (2_000, 50, "Zipf"), (400, 10, "balanced"))
OF_LEVELS = {"normal": 1.0, "t(2)": 1.6, "lognormal": 1.0, "amounts": 2.2}


def number(kind: str, random: np.random.Generator) -> Array:
    if kind.startswith("uniform"):
        return random.uniform(-2.0, 2.0, ROWS)
    x = random.normal(size=ROWS)
    return x if kind == "normal" else np.exp(float(kind[10:-1]) * x)


def noisy(kind: str, effect: Array, random: np.random.Generator) -> Array:
    """An outcome of a kind; amounts are 0 in four of five rows."""
    if kind == "t(2)":
        return effect + random.standard_t(2, len(effect))
    if kind == "amounts":
        return outcome("lognormal", len(effect), random, effect) * (
            random.random(len(effect)) < 0.2
        )
    return outcome(kind, len(effect), random, effect)


def standardised(shape: Array) -> Array:
    return (shape - shape.mean()) / shape.std()


def tested_numbers(columns: list[Array], y: Array) -> Array:
    """p-values of a line alone, and combined ones."""
    frame = pd.DataFrame({f"x{k}": column for k, column in enumerate(columns)})
    table = scores(frame, y, coders=["clean"]).set_index("orig_variable").reindex(frame.columns)
    of_y = Sample.of_values(y)
    if y.dtype == np.int8:
        of_y = Sample.of_values(np.array([0.0, 1.0]), np.array([len(y) - y.sum(), y.sum()]) * 1.0)

    def line(x: Array) -> float:
        r = float(np.corrcoef(x, y)[0, 1])
        return correlation_test(r, len(y), lambda: Sample.of_values(x), of_y)

    return np.array([[line(x) for x in columns], table["sig"]])


def tested_levels(columns: list[Array], y: Array) -> Array:
    """p-values of means alone, and combined ones."""
    frame, powers = frame_of(columns), powers_of(y)
    table = scores(frame, y, coders=["catN"]).set_index("orig_variable").reindex(frame.columns)
    sums = [OutcomeSums.of_rows(level, int(level.max()) + 1, y) for level in columns]
    return np.array([[level_effects_test(one, powers) for one in sums], table["sig"].fillna(1.0)])


def cell(n: int, code: str, what: Any, kind: str) -> dict[str, Any]:
    """Power of both tests in a cell, and the standard error of its difference."""
    random = np.random.default_rng([ROWS, len(code), len(str(what)), len(kind), ord(kind[0])])
    if code == "clean":
        of, shape, strength = SHAPES[what]
        effect = strength * STRENGTH[kind] / np.sqrt(ROWS)
        n_rows, tested = ROWS, tested_numbers

        def column() -> tuple[Array, Array]:
            x = number(of, random)
            return x, effect * standardised(shape(x))
    else:
        (n_rows, n_levels, sizes), tested = what, tested_levels
        effect = OF_LEVELS[kind] * (2.5 + n_levels**0.15) / np.sqrt(n_rows / n_levels)

        def column() -> tuple[Array, Array]:
            level = level_column(n_rows, n_levels, sizes, random)
            return level, effect * (level == random.integers(max(n_levels // 5, 1)))

    n_outcomes = NOISE_PER_COLUMN * n // NOISE_PER_OUTCOME
    noise = np.concatenate(
        [
            tested(
                [column()[0] for _ in range(NOISE_PER_OUTCOME)],
                noisy(kind, np.zeros(n_rows), random),
            )
            for _ in range(n_outcomes)
        ],
        axis=1,
    )
    parts = []
    for _ in range(n):
        x, shift = column()
        parts.append(tested([x], noisy(kind, shift, random)))
    alone, combined = (
        power(p, of_noise, SIZE)
        for p, of_noise in zip(np.concatenate(parts, axis=1), noise, strict=True)
    )
    return {
        "code": code,
        "effect": what if code == "clean" else "one hot level of {1}, {2}, {0} rows".format(*what),
        "outcome": kind,
        "strength": effect,
        "alone": alone.mean(),
        "combined": combined.mean(),
        "gain": (combined - alone).mean(),
        "error": (combined - alone).std() / np.sqrt(n),
        "size alone": (noise[0] <= SIZE).mean(),
        "size combined": (noise[1] <= SIZE).mean(),
    }


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    cells: list[tuple[Any, ...]] = [(n, "clean", s, kind) for s in SHAPES for kind in STRENGTH]
    cells += [(n, "catN", what, kind) for what in LEVELS for kind in OF_LEVELS]
    table = pd.DataFrame(in_parallel(cell, cells))
    table.to_csv(HERE / "combination_study.csv", index=False, float_format="%.4g")
    text = (
        f"Power at an actual size of {SIZE}, {n} columns a cell, {NOISE_PER_COLUMN * n} of noise.\n"
        f"clean: {ROWS} rows; alone: a line (the correlation). catN: alone: means.\n"
        "strength: of the effect on the latent outcome, in standard deviations (scale of t(2)).\n"
        "error: of the gain, without that of the critical values (about .01).\n"
        f"size: of p <= {SIZE} among the columns of noise.\n\n"
    )
    text += table.to_string(index=False, float_format=lambda x: f"{x:.3f}") + "\n"
    (HERE / "combination_study.txt").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
