"""How far catQ is from the median of new rows, beside simpler ways to code levels.

    python benchmarks/quantile_study.py [--output FILE]

Levels shift the outcome by what is drawn from a normal distribution. The loss is the mean absolute
error on 20,000 new rows (for another quantile the quantile loss), over that of the weight of the
prior which does best on them, one for all levels: no way to shrink by sizes of levels can know it.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import vtreat_py as vt

Array = np.ndarray[Any, Any]
REPEATS, NEW = 60, 20_000
NOISES = {
    "normal": lambda random, n: random.normal(size=n),
    "Laplace": lambda random, n: random.laplace(size=n),
    "t(2)": lambda random, n: random.standard_t(2, n),
    "lognormal": lambda random, n: np.exp(random.normal(size=n)),
    "60% zeros": lambda random, n: (random.random(n) < 0.4) * np.exp(random.normal(size=n)),
}
# Levels, mean number of rows, standard deviation between levels, quantile, and Zipf's sizes.
CELLS = [
    (50, 4, 0.5, 0.5, False),
    (100, 5, 0.0, 0.5, False),
    (100, 5, 1.5, 0.5, False),
    (200, 10, 0.3, 0.5, False),
    (30, 60, 0.3, 0.5, False),
    (300, 6, 0.5, 0.5, True),
    (100, 12, 0.5, 0.9, False),
]
WEIGHTS = np.exp(np.linspace(-3, 6, 40))
LINES: list[str] = []


def say(text: str) -> None:
    print(text, flush=True)
    LINES.append(text)


def losses(noise: Any, cell: tuple[Any, ...], random: np.random.Generator) -> dict[str, float]:
    """Losses on new rows, over the least one."""
    n_levels, rows, spread, p, by_zipf = cell
    share = 1.0 / np.arange(1, n_levels + 1) ** by_zipf
    share /= share.sum()
    shift = spread * random.normal(size=n_levels)
    train, new = (random.choice(n_levels, n, p=share) for n in (n_levels * rows, NEW))
    y, y_new = (shift[level] + noise(random, len(level)) for level in (train, new))

    def loss(of_level: Array) -> float:
        off = y_new - of_level[new]
        return float(np.maximum(p * off, (p - 1.0) * off).mean())

    overall = np.quantile(y, p)
    by_level = pd.Series(y).groupby(train)
    every = range(n_levels)
    raw = by_level.quantile(p).reindex(every, fill_value=overall).to_numpy()
    n = by_level.size().reindex(every, fill_value=0).to_numpy()
    found = {"level": loss(raw), "overall": loss(np.full(n_levels, overall))}
    frame = pd.DataFrame({"x": [f"level {k}" for k in train], "y": y})
    levels = pd.DataFrame({"x": [f"level {k}" for k in every]})
    for code in ("catQ", "catN"):
        plan = vt.design_treatments(frame, outcome="y", coders=[code], quantile=p, cv=5)
        effect = vt.prepare(plan, levels).to_numpy().sum(axis=1)
        found[code] = loss(overall + effect)
    least = min(loss(overall + n / (n + k) * (raw - overall)) for k in WEIGHTS)
    return {name: value / least for name, value in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    output = parser.parse_args().output
    warnings.simplefilter("ignore", vt.VtreatWarning)
    say("Mean absolute error (quantile loss) on new rows, over that of the best weight of a prior:")
    say(f"mean of {REPEATS} samples, in brackets its largest standard error; vtreat_py, numpy")
    say(
        f"{version('numpy')}. level: the quantile of the level; overall: that of all rows, for all."
    )
    say("")
    say(f"{'noise':10}{'levels':>7}{'rows':>6}{'sd':>5}{'p':>5}{'sizes':>9}"
        f"{'catQ':>8}{'level':>8}{'overall':>9}{'catN':>8}")  # fmt: skip
    for name, noise in NOISES.items():
        for cell in CELLS:
            random = np.random.default_rng(0)
            table = pd.DataFrame([losses(noise, cell, random) for _ in range(REPEATS)])
            mean, error = table.mean(), (table.std() / REPEATS**0.5).max()
            sizes = "Zipf" if cell[4] else "equal"
            say(f"{name:10}{cell[0]:7}{cell[1]:6}{cell[2]:5}{cell[3]:5}{sizes:>9}"
                f"{mean['catQ']:8.3f}{mean['level']:8.3f}{mean['overall']:9.3f}{mean['catN']:8.3f}"
                f"  ({error:.3f})")  # fmt: skip
    if output:
        output.write_text("\n".join(LINES) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
