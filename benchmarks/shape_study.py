"""Shapes of numbers: how well they fit, whether noise passes, and what their p-values find.

``fit``: sin x with noise, 500 rows; how far the squared correlation of each code, out of fold,
stays below that of the best shape there is. ``noise``: columns of noise that are recommended, or
have a small ``sig``. ``power``: shapes that ``sig`` finds beside single tests, each at the p-value
that 5% of columns of noise reach with it. Writes shape_study.csv and shape_study.txt.

Run: python benchmarks/shape_study.py [share of the cases, 1]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from combination_study import SHAPES as EFFECTS
from combination_study import STRENGTH, noisy, number, standardised
from power_study import NOISE_PER_COLUMN, NOISE_PER_OUTCOME, SIZE, power
from scipy import optimize, stats
from simulation import Array, in_parallel, plain_test

import vtreat_py as vt
from vtreat_py.significance.normal_scores import NormalScores

HERE = Path(__file__).parent
ROWS = 500
CODES = ["piecewise", "spline", "window", "isotonic", "bins"]
FITS, FRAMES, FRAMES_OF_ALL, COLUMNS, FOUND = 200, 40, 5, 100, 1_000
NUMBERS = ("normal", "lognormal(1.5)", "5 values")
SIZES = (0.05, 0.01)
# Shapes of which the study asks whether one p-value does for all; others are information.
ASKED = ("square", "|x|", "sin 2x", "log of a lognormal(1.5)")
SHAPES: dict[str, tuple[str, Callable[[Array], Array], float]] = {
    "square": EFFECTS["square"],
    "|x|": ("normal", np.abs, 4.2),
    "sin 2x": EFFECTS["sin 2x"],
    "log of a lognormal(1.5)": EFFECTS["log of a lognormal(1.5)"],
    "line": EFFECTS["line"],
    "line of a lognormal(1)": EFFECTS["line of a lognormal(1)"],
    "sin x up to 15": ("waves", np.sin, 4.2),
}
INFORMATION = ("normal", "t(2)")
SINGLE = ("line", "ranks", "deciles", "deciles of scores", "quadratic", *CODES)


def designed(columns: dict[str, Array], y: Array, coders: list[str]) -> tuple[vt.CrossFrame, Any]:
    """A cross-frame, with all variables, and its scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)  # columns without a code
        made = vt.cross_frame_experiment(
            pd.DataFrame(columns),
            outcome=y,
            outcome_type="binomial" if y.dtype == np.int8 else "numeric",
            coders=coders,
            prune_sig=None,
            random_state=0,
        )
    return made, made.plan.score_frame


def best_monotone(low: float, high: float) -> Callable[[Array], Array]:
    """The function that only rises, or only falls, that is nearest to sin between two numbers."""
    grid = np.linspace(low, high, 20_001)
    ways = [optimize.isotonic_regression(np.sin(grid), increasing=up).x for up in (True, False)]
    nearest = max(ways, key=np.var)
    return lambda x: np.interp(x, grid, nearest)


def fit_cell(n: int, between: tuple[float, float], noise: float | None) -> list[dict[str, Any]]:
    """How far each code stays below the best; without noise the outcome is a class."""
    random = np.random.default_rng([n, int(between[1]), int(10 * (noise or 0.0))])
    monotone, apart = best_monotone(*between), []
    for _ in range(n):
        x = random.uniform(*between, ROWS)
        truth = np.sin(x)
        if noise is None:
            y = (random.random(ROWS) < 1.0 / (1.0 + np.exp(-2.0 * truth))).astype(np.int8)
        else:
            y = truth + noise * random.normal(size=ROWS)
        rsq = designed({"x": x}, y, CODES)[1].set_index("code")["rsq"].reindex(CODES).fillna(0.0)
        best = designed({"any": truth, "monotone": monotone(x)}, y, ["clean"])[1]
        best = best.set_index("orig_variable")["rsq"]
        for code in CODES:
            of = best["monotone" if code == "isotonic" else "any"]
            apart.append({"code": code, "best": of, "out of fold": rsq[code]})
    table = pd.DataFrame(apart)
    table["below"] = table["best"] - table["out of fold"]
    found = []
    for code, rows in table.groupby("code", sort=False):
        found.append(
            {
                "x": "0 to 15" if between[0] == 0.0 else "-pi/2 to pi/2",
                "noise": "class" if noise is None else str(noise),
                "code": code,
                **rows[["best", "out of fold", "below"]].mean().to_dict(),
                "error": rows["below"].sem(),
            }
        )
    return found


def column_of(kind: str, random: np.random.Generator) -> Array:
    if kind == "5 values":
        return random.integers(0, 5, ROWS).astype(np.float64)
    return random.uniform(0.0, 15.0, ROWS) if kind == "waves" else number(kind, random)


def noise_cell(n_frames: int, n_of_all: int, of_x: str, of_y: str) -> dict[str, Any]:
    """Columns of noise in frames of so many, and how many pass; errors are between frames."""
    random = np.random.default_rng([n_frames, len(of_x), len(of_y), ord(of_y[0])])

    def frame(codes: list[str]) -> pd.DataFrame:
        columns = {f"x{k}": column_of(of_x, random) for k in range(COLUMNS)}
        return designed(columns, noisy(of_y, np.zeros(ROWS), random), codes)[1]

    one = [frame(["window"]) for _ in range(n_frames)]
    every = [frame(CODES) for _ in range(n_of_all)]
    sig = np.array([f.loc[f["code"] == "window", "sig"].to_numpy() for f in one + every])
    row: dict[str, Any] = {"x": of_x, "outcome": of_y, "columns": sig.size}
    for size in SIZES:
        shares = (sig <= size).mean(axis=1)
        row |= {f"at {size}": shares.mean(), f"error {size}": shares.std() / np.sqrt(len(shares))}
    for name, frames in (("one code", one), ("all codes", every)):
        passed = np.array([f["recommended"].mean() for f in frames])
        row |= {
            f"recommended, {name}": passed.mean(),
            f"error, {name}": passed.std(ddof=1) / np.sqrt(len(passed)),
            f"allowed, {name}": np.mean([f["default_threshold"].mean() for f in frames]),
        }
    return row


def correlated(x: Array, y: Array) -> float:
    """p-value of a line."""
    return float(stats.pearsonr(x, y).pvalue)


def of_folds(code: Array, y: Array, fold: Array) -> float:
    """One-sided p-value of whether the outcome goes up with a code within folds."""
    size = np.bincount(fold)
    code, y = (v - (np.bincount(fold, v) / size)[fold] for v in (code, y))
    both = float(np.sqrt((code @ code) * (y @ y)))
    return float(stats.norm.sf(np.sqrt(len(y)) * (code @ y) / both)) if both > 0.0 else 1.0


def quadratic(x: Array, y: Array) -> float:
    """p-value of the F test of a parabola against no effect."""
    x = standardised(x)
    basis, _ = np.linalg.qr(np.column_stack([np.ones_like(x), x, x * x]))
    shares = (basis[:, 1:].T @ standardised(y)) ** 2 / len(y)
    left = len(y) - 3
    return float(stats.f.sf(shares.sum() / 2.0 / ((1.0 - shares.sum()) / left), 2, left))


def tested(columns: list[Array], y: Array) -> Array:
    """p-values of each column by ``sig``, that of the clean copy, and single tests."""
    named = {f"x{k}": column for k, column in enumerate(columns)}
    made, table = designed(named, y, ["clean", *CODES])
    sig = table.set_index("variable")["sig"]
    frame, fold = made.cross_frame, made.fold_numbers
    scored = y if y.dtype == np.int8 else NormalScores.of_values(y).of(y)
    found = []
    for name, x in named.items():
        ranks = stats.rankdata(x)
        decile = (10.0 * (ranks - 0.5) / len(x)).astype(np.intp)
        shapes = [f"{name}_{code}" for code in CODES]
        found.append(
            [
                next(sig[one] for one in shapes if one in sig),
                sig[name],
                correlated(x, y),
                correlated(stats.norm.ppf((ranks - 0.5) / len(x)), scored),
                plain_test(decile, y),
                plain_test(decile, scored),
                quadratic(x, y),
                *(of_folds(frame[s].to_numpy(), y, fold) if s in frame else 1.0 for s in shapes),
            ]
        )
    return np.array(found).T


def power_cell(n: int, what: str, kind: str) -> dict[str, Any]:
    """Power of ``sig`` and of single tests, and how sure their difference is."""
    random = np.random.default_rng([n, len(what), ord(what[0]), len(kind), ord(kind[0])])
    of_x, shape, strength = SHAPES[what]
    effect = strength * STRENGTH[kind] / np.sqrt(ROWS)
    noise = [
        tested(
            [column_of(of_x, random) for _ in range(NOISE_PER_OUTCOME)],
            noisy(kind, np.zeros(ROWS), random),
        )
        for _ in range(NOISE_PER_COLUMN * n // NOISE_PER_OUTCOME)
    ]
    parts = []
    for _ in range(n):
        x = column_of(of_x, random)
        parts.append(tested([x], noisy(kind, effect * standardised(shape(x)), random)))
    tests = ("sig", "clean copy", *SINGLE)
    p, of_noise = (
        dict(zip(tests, np.concatenate(some, axis=1), strict=True)) for some in (parts, noise)
    )
    found = {test: power(p[test], of_noise[test]) for test in tests}
    best = max(SINGLE, key=lambda test: found[test].mean())
    gain = found["sig"] - found[best]
    moved = [_moved(p[test], of_noise[test]) for test in ("sig", best)]
    return {
        "shape": what,
        "outcome": kind,
        "sig": found["sig"].mean(),
        "best": best,
        "of best": found[best].mean(),
        "sig - best": gain.mean(),
        "error": np.sqrt(gain.var() / n + moved[0] ** 2 + moved[1] ** 2),
        **{test: found[test].mean() for test in tests[1:]},
        "size": (of_noise["sig"] <= SIZE).mean(),
    }


def _moved(p: Array, noise: Array) -> float:
    """How far power moves with the error of the critical p-value."""
    error = np.sqrt(SIZE * (1.0 - SIZE) / len(noise))
    high, low = (power(p, noise, SIZE + off).mean() for off in (error, -error))
    return float(high - low) / 2.0


def lines(table: pd.DataFrame, digits: int = 3) -> str:
    return table.to_string(index=False, float_format=lambda x: f"{x:.{digits}f}") + "\n"


def report(fits: pd.DataFrame, noise: pd.DataFrame, found: pd.DataFrame, share: float) -> str:
    """The tables as text, with what holds."""
    of_numbers = fits[fits["noise"] != "class"]
    worst = of_numbers.loc[of_numbers["below"].idxmax()]
    asked = found[found["shape"].isin(ASKED)]
    short = asked[asked["sig - best"] < -0.05]
    cells = "; ".join(
        f"{row['shape']}, {row['outcome']} ({row['sig - best']:.3f} +- {row['error']:.3f})"
        for _, row in short.iterrows()
    )
    errors = [(noise[f"at {size}"] - size) / noise[f"error {size}"] for size in SIZES]
    over = [(noise[f"at {size}"] / size).max() for size in SIZES]
    return (
        f"fit: {int(FITS * share)} columns of {ROWS} rows each, y = sin x + noise; out of fold: "
        "rsq of the cross-frame.\n"
        "best: of sin x itself; for isotonic, of the best function that only rises or falls, which "
        "on 0 to 15\nis nearly flat: sin is not monotone there. class: P = logistic(2 sin x), "
        "shares of deviance, as\ninformation.\n\n"
        f"{lines(fits, 4)}\n"
        f"Farthest below the best, of numbers: {worst['code']}, {worst['x']}, noise "
        f"{worst['noise']}: {worst['below']:.4f} +- {worst['error']:.4f} (asked for: .03).\n\n\n"
        f"noise: frames of {COLUMNS} columns of {ROWS} rows, {int(FRAMES * share)} with one code, "
        f"{int(FRAMES_OF_ALL * share)} with all five, whose\np-values are the same. Shares of sig "
        "at .05 and .01, and of variables recommended beside default_threshold.\n\n"
        f"{lines(noise, 4)}\n"
        f"At most {over[0]:.2f} times .05 ({errors[0].max():.1f} errors above), and "
        f"{over[1]:.2f} times .01 ({errors[1].max():.1f}).\n\n\n"
        f"power: at an actual size of {SIZE}, {int(FOUND * share)} columns a cell, "
        f"{int(FOUND * share) * NOISE_PER_COLUMN} of noise. sig: of any shape; best: of the\n"
        "single tests: a line; a line of normal scores; analysis of variance of deciles, and of "
        "those of normal\nscores; F test of a parabola; each code out of fold, one-sided, within "
        "folds. error: of sig - best, with\nthat of critical p-values; the best is looked for in "
        "the same columns, which favours it a little.\nsize: of sig <= .05 among the columns of "
        "noise.\n\n"
        f"{lines(found)}\n"
        f"Asked for, of {', '.join(ASKED)}: within .05 of the best. "
        f"{len(asked) - len(short)} of {len(asked)} cells are"
        + (f"; not: {cells}.\n" if len(short) else ".\n")
    )


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    n_fits, n_frames, n_all, n_found = (
        int(n * share) for n in (FITS, FRAMES, FRAMES_OF_ALL, FOUND)
    )
    half = np.pi / 2.0
    fit_cells = [
        (n_fits, between, noise)
        for between in ((0.0, 15.0), (-half, half))
        for noise in (0.3, 0.5, 0.8, None)
    ]
    fits = pd.DataFrame([row for rows in in_parallel(fit_cell, fit_cells) for row in rows])
    noise = pd.DataFrame(
        in_parallel(
            noise_cell, [(n_frames, n_all, of_x, of_y) for of_x in NUMBERS for of_y in STRENGTH]
        )
    )
    power_cells = [
        (n_found, what, kind)
        for what in SHAPES
        for kind in (STRENGTH if what in ASKED else INFORMATION)
    ]
    found = pd.DataFrame(in_parallel(power_cell, power_cells))
    parts = {"fit": fits, "noise": noise, "power": found}
    table = pd.concat([rows.assign(part=part) for part, rows in parts.items()])
    table.insert(0, "part", table.pop("part"))
    table.to_csv(HERE / "shape_study.csv", index=False, float_format="%.4g")
    text = report(fits, noise, found, share)
    (HERE / "shape_study.txt").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
