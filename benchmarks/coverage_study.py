"""How often intervals from cross-validation hold the true score, over many samples.

    python benchmarks/coverage_study.py [--output FILE]

Samples are drawn from a population of known chances. Two models are cross-validated on each, on
splits drawn without regard to the class (vanilla) and on stratified ones, and an interval is made
for each metric: between the quantiles of the fold scores, and by Nadeau and Bengio. The truth is
the score of the model that is fitted on the whole sample, on 100,000 other rows.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: threads only wait

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB

from vtreat_py.evaluation import CoverageStudy, coverage_study

SIZES, RATES, SEEDS, SPLITS = (500, 2_000), (0.02, 0.2), range(60), 25
MODELS = {"logistic regression": LogisticRegression(), "naive Bayes": GaussianNB()}
RANDOMLY: dict[str, Any] = {"n_splits": SPLITS, "test_size": 0.2, "random_state": 0}
STRATEGIES = {
    "vanilla": ShuffleSplit(**RANDOMLY),
    "stratified": StratifiedShuffleSplit(**RANDOMLY),
}
METRICS = ["nll", "brier", "roc_auc", "average_precision"]
LINES: list[str] = []


def say(text: str = "") -> None:
    print(text, flush=True)
    LINES.append(text)


def skewed(size: int, rate: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Four columns; the classes differ in the means of two, and in the shape of one."""
    y = (rng.random(size) < rate).astype(int)
    X = rng.normal(size=(size, 4))
    X[:, 0] += y
    X[:, 1] += 0.5 * y
    X[:, 2] = np.where(y, rng.exponential(size=size), np.abs(X[:, 2]))
    return X, y


def report(study: CoverageStudy) -> None:
    """One line for each metric, strategy and method; a column for each rate and size."""
    assert study.table["covered"].notna().all()
    shares = study.coverage(["metric", "strategy", "method", "rate", "size"])
    columns = [(rate, size) for rate in study.table["rate"].unique() for size in SIZES]
    names = [f"{rate:.0%}, {size:,}" for rate, size in columns]
    say(f"{'':<47}" + "".join(f"{name:>11}" for name in names) + f"{'all':>8}")
    pooled = study.coverage(["metric", "strategy", "method"])
    for of in pooled.index:
        metric, strategy, method = of
        cells = [shares.loc[(*of, *column), "coverage"] for column in columns]
        say(
            f"{metric:<19}{strategy:<12}{method:<16}"
            + "".join(f"{cell:>11.2f}" for cell in cells)
            + f"{pooled.loc[of, 'coverage']:>8.2f}  [{pooled.loc[of, 'low']:.2f}, "
            f"{pooled.loc[of, 'high']:.2f}]"
        )
    say()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".txt"))
    output = parser.parse_args().output
    say(
        f"Share of intervals that hold the true score: {len(SEEDS)} samples for each class rate "
        f"and size,\n{' and '.join(MODELS)}, {SPLITS} splits with 20% of rows to test on.\n"
        "Columns: rate of the positive class and rows of the sample; then all of them together, "
        "with Wilson's\n95% interval, which takes the two models of a sample as independent. No "
        "interval was undefined.\n"
    )
    for level, metrics in ((0.5, METRICS), (0.9, ["nll", "brier"])):
        say(f"Nominal coverage {level}\n")
        study = coverage_study(
            skewed,
            MODELS,
            sizes=SIZES,
            rates=RATES,
            seeds=SEEDS,
            strategies=STRATEGIES,
            scoring=metrics,
            level=level,
        )
        report(study)
    say(", ".join(f"{package} {version(package)}" for package in ("scikit-learn", "numpy")))
    output.write_text("\n".join(LINES) + "\n")


if __name__ == "__main__":
    main()
