"""y-aware components: their speed, and what regressions on them predict beside others.

    python benchmarks/yaware.py [--rows N] [--seeds N]

Speed is measured on 200 columns, in one process, as ratios. Predictions are those of new rows of
the recipe of tests/yaware/data.py: five columns that share the causes of the outcome, and 45 or
245 that share causes of their own, each column in a larger unit than the one before. Writes
yaware.txt.
"""

from __future__ import annotations

import argparse
import gc
import platform
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import vtreat_py as vt

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from tests.yaware.data import shared_causes  # noqa: E402

COLUMNS = 200
NEW_ROWS = 10_000
LINES: list[str] = []


def say(text: str = "") -> None:
    print(text, flush=True)
    LINES.append(text)


def seconds(run: Callable[[], Any], times: int = 2) -> float:
    """Seconds of the fastest of a few runs."""
    shortest = np.inf
    for _ in range(times):
        gc.collect()
        start = time.perf_counter()
        run()
        shortest = min(shortest, time.perf_counter() - start)
    return float(shortest)


def speed(rows: int) -> None:
    say(f"{COLUMNS} columns, {rows:,} rows: time over that of YAwarePCA(5).fit")
    random = np.random.default_rng(0)
    x = random.normal(size=(COLUMNS, rows)).T
    y = x[:, :5].sum(axis=1) + random.normal(size=rows)
    frame = pd.DataFrame(x, copy=False).add_prefix("x")
    ours = seconds(lambda: vt.YAwarePCA(5).fit(frame, y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)
        permuted = vt.YAwarePCA(n_permutations=100, random_state=0)
        ratios = {
            "... with the choice by 100 permutations": seconds(lambda: permuted.fit(frame, y)),
            '... with n_components="significance", 100 permutations': seconds(
                lambda: vt.YAwarePCA("significance", n_permutations=100).fit(frame, y)
            ),
        }
    ratios["YAwareScaler().fit"] = seconds(lambda: vt.YAwareScaler().fit(frame, y), 1)
    for solver in ("covariance_eigh", "randomized"):
        pca = PCA(5, svd_solver=solver, random_state=0)
        ratios[f'scikit-learn PCA(5, svd_solver="{solver}").fit, no y'] = seconds(
            lambda pca=pca: pca.fit(x), 1
        )
    ratios["scikit-learn PLSRegression(5).fit"] = seconds(lambda: PLSRegression(5).fit(x, y), 1)
    for what, time_taken in ratios.items():
        say(f"  {what:<58}{time_taken / ours:>7.2f}")
    say()


def models(n_columns: int) -> dict[str, Any]:
    """Regressions with as many components, then with a number of their own choice."""
    pls = GridSearchCV(PLSRegression(), {"n_components": range(1, 11)}, cv=5)
    two = {
        "YAwarePCR(2)": vt.YAwarePCR(2),
        "... on components out of fold": make_pipeline(
            vt.YAwarePCA(2, random_state=0), LinearRegression()
        ),
        "x-only PCR, 2 components": make_pipeline(PCA(2), LinearRegression()),
        "... of standardised columns": make_pipeline(StandardScaler(), PCA(2), LinearRegression()),
        "PLS, 2 components": PLSRegression(2),
        "YAwarePCR(5)": vt.YAwarePCR(5),
        "... on components out of fold, 5": make_pipeline(
            vt.YAwarePCA(5, random_state=0), LinearRegression()
        ),
        "x-only PCR, 5 components": make_pipeline(PCA(5), LinearRegression()),
        "PLS, 5 components": PLSRegression(5),
    }
    chosen = {
        'YAwarePCR("permutation")': vt.YAwarePCR(random_state=0),
        'YAwarePCR("significance")': vt.YAwarePCR("significance", random_state=0),
        "PLS, 1 to 10 components by cross-validation": pls,
        "least squares of all columns": LinearRegression(),
    }
    if n_columns < 100:
        chosen["x-only PCR, 20 components"] = make_pipeline(PCA(20), LinearRegression())
    return two | chosen


def predictions(rows: int, groups: int, seeds: int) -> None:
    say(f"{5 * groups} columns, {rows:,} rows: R2 of {NEW_ROWS:,} new rows, {seeds} seeds")
    say(f"  {'':<46}{'mean':>8}{'least':>8}{'most':>8}   worse than the first")
    found: dict[str, list[float]] = {}
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        x, y = shared_causes(rows, groups, random)
        new, expected = shared_causes(NEW_ROWS, groups, random)
        for name, model in models(5 * groups).items():
            fitted = model.fit(x.to_numpy(), y)
            score = r2_score(expected, fitted.predict(new.to_numpy()).ravel())
            found.setdefault(name, []).append(score)
    first = np.array(next(iter(found.values())))
    for name, scores in found.items():
        of = np.array(scores)
        worse = "" if of is first else f"{int((of < first).sum())} of {seeds}"
        say(f"  {name:<46}{of.mean():>8.3f}{of.min():>8.3f}{of.max():>8.3f}   {worse}")
    say()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=20)
    given = parser.parse_args()
    say(f"{platform.machine()}, 2 cores, Python {platform.python_version()}")
    packages = ("vtreat_py", "numpy", "scikit-learn")
    say(", ".join(f"{package} {version(package)}" for package in packages) + "\n")
    speed(given.rows)
    predictions(1_000, 10, given.seeds)
    predictions(1_000, 50, given.seeds)
    predictions(300, 50, given.seeds)
    (HERE / "yaware.txt").write_text("\n".join(LINES).rstrip() + "\n")


if __name__ == "__main__":
    main()
