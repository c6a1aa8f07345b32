"""How often intervals from cross-validation hold the true score, over many samples.

    python benchmarks/coverage_study.py [--output FILE]

Samples are drawn from a population of known chances. Two models are cross-validated on each, on
splits drawn without regard to the class (vanilla) and on stratified ones, and an interval is made
for each metric: between the quantiles of the fold scores, and by Nadeau and Bengio. The truth is
the score of the model that is fitted on the whole sample, on 100,000 other rows.

A second population has ten columns, each of which matters a little, so that a model goes on
learning: what it lacks for having seen 80% of the rows, and how that varies, is no part of what
folds differ by. On it the area under the ROC curve is looked at, by sizes and rates.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: threads only wait

from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB

from vtreat_py.evaluation import CoverageStudy, coverage_study

SIZES, RATES, SEEDS, SPLITS = (500, 2_000), (0.02, 0.2), range(60), 25
AUC_SEEDS = range(100)
# An interval at .9 is so much wider than one at .5, of Student's t.
NINE_TENTHS = float(stats.t.ppf(0.95, SPLITS - 1) / stats.t.ppf(0.75, SPLITS - 1))
MODELS = {"logistic regression": LogisticRegression(), "naive Bayes": GaussianNB()}
RANDOMLY: dict[str, Any] = {"n_splits": SPLITS, "test_size": 0.2, "random_state": 0}
STRATEGIES = {
    "vanilla": ShuffleSplit(**RANDOMLY),
    "stratified": StratifiedShuffleSplit(**RANDOMLY),
}
METRICS = ["nll", "brier", "roc_auc", "average_precision"]
# Of the second population: rates and sizes, with 10 to 200 positive rows.
CELLS = ((0.02, 500), (0.02, 2_000), (0.02, 5_000), (0.2, 500), (0.2, 1_000))
SLOPES = np.array([0.9, 0.8, 1.0, -0.3, 0.0, 0.3, 0.1, 0.0, -0.3, -0.9])
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


def ten_columns(size: int, rate: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Ten columns, all of which but two matter a little."""
    X = rng.random((size, len(SLOPES)))
    return X, (rng.random(size) < expit(X @ SLOPES + base_of(rate))).astype(int)


@cache
def base_of(rate: float) -> float:
    """Log odds at 0 that give the classes their rate."""
    above = np.random.default_rng(0).random((100_000, len(SLOPES))) @ SLOPES
    return float(brentq(lambda base: expit(above + base).mean() - rate, -20.0, 20.0))


def report_auc() -> None:
    """A line for each rate and size: coverage at two levels, and what is wrong."""
    say(
        "Area under the ROC curve where ten columns matter a little: logistic regression, vanilla\n"
        f"splits, Nadeau and Bengio's interval, {len(AUC_SEEDS)} samples in each line, with "
        "Wilson's 95% intervals. Half-width\nof the interval at 50%, and that which would hold the "
        "truth in half of these samples; mean of\n(estimate - truth), and its standard error.\n"
    )
    say(
        f"{'rows':>6}{'positive':>10}{'coverage, for .5':>20}{'for .9':>20}"
        f"{'half-width':>12}{'wanted':>9}{'bias':>17}"
    )
    for rate, size in CELLS:
        table = auc_study(rate, size).table
        off = (table["low"] + table["high"]) / 2 - table["truth"]
        reach = table["width"] / 2
        shares = [share_within(off.abs() <= reach * times) for times in (1.0, NINE_TENTHS)]
        say(
            f"{size:>6,}{rate * size:>10.0f}{shares[0]:>20}{shares[1]:>20}"
            f"{reach.mean():>12.4f}{off.abs().median():>9.4f}"
            f"{off.mean():>9.4f} ({stats.sem(off):.4f})"
        )
    say()


def share_within(held: Any) -> str:
    of_chance = stats.binomtest(int(held.sum()), len(held)).proportion_ci(method="wilson")
    return f"{held.mean():.2f} [{of_chance.low:.2f}, {of_chance.high:.2f}]"


def auc_study(rate: float, size: int) -> CoverageStudy:
    return coverage_study(
        ten_columns,
        LogisticRegression(),
        sizes=[size],
        rates=[rate],
        seeds=AUC_SEEDS,
        strategies={"vanilla": ShuffleSplit(**RANDOMLY)},
        scoring=["roc_auc"],
        methods=["nadeau-bengio"],
    )


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
            + f"{pooled.loc[of, 'coverage']:>8.2f}"
        )
    say()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".txt"))
    output = parser.parse_args().output
    say(
        f"Share of intervals that hold the true score: {len(SEEDS)} samples for each class rate "
        f"and size,\n{' and '.join(MODELS)}, {SPLITS} splits with 20% of rows to test on.\n"
        "Columns: rate of the positive class and rows of the sample; then all of them together. "
        "A share of\n60 samples has a standard error of .065 at .5, one of all 240 of .03. No "
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
    report_auc()
    say(", ".join(f"{package} {version(package)}" for package in ("scikit-learn", "numpy")))
    output.write_text("\n".join(LINES) + "\n")


if __name__ == "__main__":
    main()
