"""Draw the pictures of the vignettes, beside this program.

Run: pip install '.[plot]' && python vignettes/gallery/pictures/draw.py

size_study.png is drawn from benchmarks/size_study.csv, which benchmarks/size_study.py writes; the
others are simulated here, in a few seconds.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy import stats
from sklearn.feature_selection import f_regression
from sklearn.preprocessing import TargetEncoder

import vtreat_py as vt

HERE = Path(__file__).parent
STUDY = HERE.parents[2] / "benchmarks" / "size_study.csv"
# Okabe and Ito's colours, which the colour-blind can tell apart; each has a marker or dashes, too.
BLUE, VERMILION, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#666666"
STYLE = {
    "figure.dpi": 110,
    "savefig.facecolor": "white",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "axes.axisbelow": True,
    "legend.frameon": False,
}

TESTS = {
    "classic": ("regression on out-of-fold codes", VERMILION, "s"),
    "plain": ("analysis of variance, chi-square", GREY, "^"),
    "calibrated": ("vtreat_py", BLUE, "o"),
}
OUTCOMES = {
    "normal": "normal outcome",
    "lognormal": "lognormal outcome",
    "10%": "class of 10%",
    "1%": "class of 1%",
}


def size_study() -> None:
    """How often noise passes at .05, for each cell of the study of sizes."""
    table = pd.read_csv(STUDY).query("part == 'impact codes'")
    figure, axes = plt.subplots(2, 4, figsize=(9.6, 5.6), sharex=True, sharey=True)
    levels = sorted(table["levels"].unique())
    for row, sizes in zip(axes, ("balanced", "Zipf"), strict=True):
        for ax, kind in zip(row, OUTCOMES, strict=True):
            cells = (table["sizes"] == sizes) & (table["outcome"] == kind)
            _rates(ax, table[cells], levels)
        row[0].set_ylabel(
            f"{'equal sizes' if sizes == 'balanced' else 'sizes by Zipf'}\nshare < .05"
        )
    for ax, title in zip(axes[0], OUTCOMES.values(), strict=True):
        ax.set_title(title)
    axes[0, 0].set_ylim(-0.01, 1.06 * table["at_0.05"].max())
    figure.supxlabel("levels of the column (three marks each: 200, 2,000 and 20,000 rows)", size=11)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.suptitle("Columns of noise that are called significant at .05", x=0.02, ha="left")
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    figure.legend(handles, labels, loc="upper left", bbox_to_anchor=(0.005, 0.955), ncol=3)
    _save(figure, "size_study.png")


def _rates(ax: Axes, cells: pd.DataFrame, levels: list[float]) -> None:
    """One panel: a cloud of cells for each number of levels and test."""
    n_columns = float(cells.loc[cells["test"] == "calibrated", "columns"].median())
    chance = 1.96 * np.sqrt(0.05 * 0.95 / n_columns)
    ax.axhspan(0.05 - chance, 0.05 + chance, color="#cfe3f1", lw=0)
    ax.axhline(0.05, color="black", lw=0.8)
    rows = sorted(cells["rows"].unique())
    for k, (test, (label, colour, marker)) in enumerate(TESTS.items()):
        of_test = cells[cells["test"] == test]
        place = np.searchsorted(levels, of_test["levels"]) + 0.24 * (k - 1)
        place = place + 0.06 * (np.searchsorted(rows, of_test["rows"]) - (len(rows) - 1) / 2)
        ax.plot(place, of_test["at_0.05"], marker, color=colour, ms=4, alpha=0.85, label=label)
    ax.set_xticks(range(len(levels)), [f"{n:.0f}" for n in levels], size=9.5)
    ax.grid(visible=False, axis="x")
    ax.set_xlim(-0.55, len(levels) - 0.45)


def p_values_of_noise() -> None:
    """What share of columns of noise has a p-value below x, for each x: it should be x."""
    random = np.random.default_rng(0)
    least = 0.005
    equal, zipf = np.full(50, 1 / 50), 1 / np.arange(1, 51)
    panels = {
        "50 levels of equal sizes, normal outcome": (equal, random.normal(size=1000)),
        "50 levels by Zipf, class of 2%": (zipf / zipf.sum(), random.permutation(1000) < 20),
    }
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.6), sharey=True)
    for ax, (title, (share, y)) in zip(axes, panels.items(), strict=True):
        levels = random.choice(50, (1000, 1000), p=share)
        for p, label, colour, dash in _p_values(levels, y):
            below = np.append(np.arange(1, len(p) + 1) / len(p), 1.0)
            p_in_order = np.append(np.sort(p).clip(least / 2), 1.0)
            ax.plot(p_in_order, below, dash, color=colour, label=label, lw=1.8)
        ax.plot([least, 1], [least, 1], ":", color="black", lw=1.4, label="as it should be")
        ax.set(title=title, xlabel="p", xscale="log", yscale="log")
        ax.set(xlim=(least, 1), ylim=(least, 1.3))
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_ticks([0.01, 0.05, 0.2, 1], [".01", ".05", ".2", "1"])
        ax.minorticks_off()
    axes[0].set_ylabel("share of noise columns with a smaller p")
    figure.tight_layout(rect=(0, 0, 1, 0.87))
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper left", bbox_to_anchor=(0.05, 1.0), ncol=3)
    _save(figure, "p_values_of_noise.png")


def _p_values(levels: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, str, str, str]]:
    """p-values of each column, by four tests, with label, colour and dashes."""
    is_class = y.dtype == bool
    plan = vt.design_treatments(
        pd.DataFrame(levels).astype("category").add_prefix("x"),
        outcome=y,
        coders=["catB" if is_class else "catN"],
        smoothing=0,
        random_state=0,
    )
    fold = np.arange(len(y)) % 5
    in_sample, out_of_fold, plain = zip(
        *(_codes_and_test(x, fold, y) for x in levels.T), strict=True
    )
    return [
        (f_regression(np.column_stack(in_sample), y)[1], "regression on level means", GREEN, "-."),
        (f_regression(np.column_stack(out_of_fold), y)[1], TESTS["classic"][0], VERMILION, "--"),
        (np.array(plain), TESTS["plain"][0], GREY, "-"),
        (plan.score_frame["sig"].to_numpy(), TESTS["calibrated"][0], BLUE, "-"),
    ]


def _codes_and_test(
    level: np.ndarray, fold: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Level means of all rows and of other folds; analysis of variance, or chi-square."""
    _, level = np.unique(level, return_inverse=True)
    rows, total = np.zeros((2, level.max() + 1, fold.max() + 1))
    np.add.at(rows, (level, fold), 1.0)
    np.add.at(total, (level, fold), y)
    size, sums = rows.sum(axis=1), total.sum(axis=1)
    others = size[:, None] - rows
    means = np.where(others > 0, (sums[:, None] - total) / np.maximum(others, 1), y.mean())
    between = (size * (sums / size - y.mean()) ** 2).sum()
    free = len(size) - 1
    if y.dtype == bool:
        p = stats.chi2.sf(between / y.var(), free)
    else:
        left = len(y) - len(size)
        p = stats.f.sf(between / free / ((len(y) * y.var() - between) / left), free, left)
    return (sums / size)[level], means[level, fold], float(p)


def column_of(spread: float, n_levels: int = 300, n_rows: int = 3000) -> pd.DataFrame:
    """Rows of a column whose levels have true means of this spread, sizes by Zipf."""
    random = np.random.default_rng(1)
    share = 1 / np.arange(1, n_levels + 1)
    level = random.choice(n_levels, n_rows, p=share / share.sum())
    truth = random.normal(0.0, spread, n_levels)[level]
    names = [f"{number:03d}" for number in level]
    return pd.DataFrame({"x": names, "truth": truth, "y": truth + random.normal(size=n_rows)})


def effects_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Level effects by name, with the truth and an estimate by scikit-learn beside them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)
        plan = vt.design_treatments(rows[["x"]], outcome=rows["y"], random_state=0)
    effects = plan.level_effects("x").query("kind == 'level'").set_index("level").sort_index()
    encoder = TargetEncoder().fit(rows[["x"]], rows["y"])
    of_scikit_learn = pd.Series(encoder.encodings_[0], index=encoder.categories_[0])
    truth = rows.groupby("x")["truth"].first()
    return effects.assign(truth=truth, scikit_learn=of_scikit_learn, whole=rows["y"].mean())


def level_effects() -> None:
    """Raw means and shrunken effects of the same levels, against the truth."""
    effects = effects_of(column_of(0.5, n_levels=100, n_rows=600))
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.9), sharex=True, sharey=True)
    shown = {
        "raw means of levels": (effects["mean"], effects["mean_se"]),
        'effects, smoothing="auto"': (effects["whole"] + effects["effect"], effects["effect_se"]),
    }
    few = effects["count"] <= 4
    for ax, (title, (estimate, error)) in zip(axes, shown.items(), strict=True):
        for which, label, colour, marker in (
            (few, "levels of up to 4 rows", VERMILION, "s"),
            (~few, "levels of more rows", BLUE, "o"),
        ):
            ax.errorbar(
                effects["truth"][which],
                estimate[which],
                error[which],
                fmt=marker,
                color=colour,
                ms=4.5,
                elinewidth=0.8,
                alpha=0.75,
                label=label,
            )
        ends = [effects["truth"].min(), effects["truth"].max()]
        ax.plot(ends, ends, ":", color="black")
        squares = ((estimate - effects["truth"]) ** 2).mean()
        ax.set(title=f"{title}: mean squared error {squares:.2f}", xlabel="true mean of the level")
    axes[0].set_ylabel("estimate, ± one standard error")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.tight_layout(rect=(0, 0, 1, 0.93))
    figure.legend(handles, labels, loc="upper left", bbox_to_anchor=(0.05, 1.0), ncol=2)
    _save(figure, "level_effects.png")


def fixed_smoothing() -> None:
    """Mean squared error of codes by a fixed m, for three columns, and of the default."""
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 4.3), sharey=True)
    m = np.geomspace(0.1, 3000, 200)[:, None]
    for ax, spread in zip(axes, (0.1, 0.3, 1.0), strict=True):
        effects = effects_of(column_of(spread))
        truth, count, raw, whole = (
            effects[name].to_numpy() for name in ("truth", "count", "mean", "whole")
        )
        known = 1 / spread**2
        best = ((count * raw / (count + known) - truth) ** 2).mean()
        fixed = (((count * raw + m * whole) / (count + m) - truth) ** 2).mean(axis=1) / best
        ours = ((whole + effects["effect"] - truth) ** 2).mean() / best
        theirs = ((effects["scikit_learn"] - truth) ** 2).mean() / best
        k = (count * (1 / effects["belief"] - 1)).iloc[0]
        ax.plot(m, fixed, color=GREY, label="a fixed m")
        ax.axhline(theirs, color=VERMILION, ls="--", label='TargetEncoder(smooth="auto")')
        ax.plot(k, ours, "*", color=BLUE, ms=14, label='vtreat_py, smoothing="auto"')
        ax.set(xscale="log", yscale="log")
        ax.set_title(f"levels spread by {spread:g}")
        ax.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
        ax.minorticks_off()
    axes[0].set_ylabel("mean squared error\n(best linear estimator: 1)")
    figure.supxlabel("m, the rows at the overall mean that are added to each level", size=11)
    figure.tight_layout(rect=(0, 0, 1, 0.92))
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper left", bbox_to_anchor=(0.05, 1.0), ncol=3)
    _save(figure, "fixed_smoothing.png")


def _save(figure: plt.Figure, name: str) -> None:
    figure.savefig(HERE / name, metadata={"Software": None})
    plt.close(figure)
    print(HERE / name)


if __name__ == "__main__":
    plt.rcParams.update(STYLE)
    p_values_of_noise()
    size_study()
    level_effects()
    fixed_smoothing()
