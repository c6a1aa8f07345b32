# %% [markdown]
# # Why the p-values of target encoders lie
#
# A target encoder replaces each level of a column by what the outcome does in its rows. It is then
# tempting to ask, as of any numeric variable: is this one significant? The usual answers are wrong,
# and always in the same direction: noise passes. This page shows why, on noise, where the truth is
# known, and what `sig` in a score frame of this package is instead.
#
# What a p-value owes its reader is simple. Of columns of pure noise a share of .05 may have a
# p-value below .05, a share of .01 one below .01, and so on. Here are five hundred columns of
# thirty levels that have nothing to do with the outcome, and a function that counts how many pass:

# %%
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats
from scipy.signal import lfilter
from sklearn.feature_selection import f_regression, r_regression
from sklearn.model_selection import KFold
from sklearn.preprocessing import TargetEncoder

import vtreat_py as vt

# Okabe and Ito's colours, which the colour-blind can tell apart; all have marks or dashes, too.
BLUE, VERMILION, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#666666"
THRESHOLDS = (0.05, 0.01, 0.001)

random = np.random.default_rng(0)
noise = pd.DataFrame(random.integers(0, 30, (600, 500)).astype(str)).add_prefix("x")
y = random.normal(size=600)


def passing(p: np.ndarray) -> list[float]:
    """Print the share of p-values that pass at each threshold."""
    shares = [float(np.mean(p <= threshold)) for threshold in THRESHOLDS]
    print(", ".join(f"at {a}: {share:.3f}" for a, share in zip(THRESHOLDS, shares, strict=True)))
    return shares


honest = passing(random.random(100_000))  # what it should look like
assert np.allclose(honest, THRESHOLDS, rtol=0.1, atol=5e-4)

# %% [markdown]
# ## First lie: codes that have seen the outcome
#
# Code each level by the mean outcome of its rows, and regress the outcome on the code:

# %%
level_means = noise.apply(lambda x: pd.Series(y).groupby(x).transform("mean"))
assert passing(f_regression(level_means, y)[1]) == [1, 1, 1]

# %% [markdown]
# Every column passes. The regression thinks that it has spent one degree of freedom, on one slope;
# the coding spent twenty-nine more before, one for each level but the last.
#
# ## Second lie: codes out of fold
#
# So code each row by the *other* folds, as `fit_transform` of scikit-learn's `TargetEncoder` does,
# and the cross-frame of this package. No row's code has seen its own outcome:

# %%
out_of_fold = np.empty(noise.shape)
for others, fold in KFold(5, shuffle=True, random_state=0).split(noise):
    encoder = TargetEncoder().fit(noise.iloc[others], y[others])
    out_of_fold[fold] = encoder.transform(noise.iloc[fold])
f, p = f_regression(out_of_fold, y)
out_of_fold_passing = passing(p)
assert (np.array(out_of_fold_passing) > [0.15, 0.06, 0.01]).all()

# %% [markdown]
# Far better, and still wrong: by a factor of more than three at .05, and of far more at .001, which
# is where one chooses among many variables. These codes are right for training a model. Why is the
# *test* wrong?
#
# Because rows of a level code each other. Take two rows of one level, in different folds, with
# outcomes a and b. The first row's code contains b, so the regression's sum of code times outcome
# contains a·b. The second row's code contains a, so the sum contains b·a as well. Each pair counts
# twice, and the regression takes the two for independent evidence. Twice the same product has twice
# the variance of two independent ones; so the t statistic of noise has a standard deviation of √2
# where 1 is assumed:

# %%
t = np.sign(r_regression(out_of_fold, y)) * np.sqrt(f)
print(f"standard deviation of t: {t.std():.1f}")
expected = 2 * stats.norm.sf(stats.norm.isf(np.array(THRESHOLDS) / 2) / np.sqrt(2))
print(", ".join(f"at {a}: {share:.3f}" for a, share in zip(THRESHOLDS, expected, strict=True)))
assert abs(t.std() - np.sqrt(2)) < 0.1
assert np.allclose(out_of_fold_passing, expected, rtol=0.2)

# %% [markdown]
# That is about what the columns just did. More rows do not help, nor do more folds: the factor is
# in every pair. It goes away when each pair counts once, as when one half of the rows codes the
# other half, and the test is done on the latter:

# %%
half = np.arange(600) < 300
encoder = TargetEncoder().fit(noise[half], y[half])
of_halves = passing(f_regression(encoder.transform(noise[~half]), y[~half])[1])
assert of_halves[0] < 0.07

# %% [markdown]
# This is honest, but blind to half of what the rows know: no pair inside either half is looked at.
#
# Here are the p-values of a thousand columns of noise at once, by four tests, on two outcomes.


# %%
def p_values(levels: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, str, str, str]]:
    """p-values of each column by four tests, with label, colour and dashes."""
    is_class = y.dtype == bool
    plan = vt.design_treatments(
        pd.DataFrame(levels).astype("category").add_prefix("x"), outcome=y,
        coders=["catB" if is_class else "catN"], smoothing=0, random_state=0,
    )  # fmt: skip
    fold = np.arange(len(y)) % 5
    in_sample, out_of_fold, plain = zip(
        *(codes_and_test(x, fold, y) for x in levels.T), strict=True
    )
    by_levels = f_regression(np.column_stack(in_sample), y)[1]
    by_others = f_regression(np.column_stack(out_of_fold), y)[1]
    return [
        (by_levels, "regression on level means", GREEN, "-."),
        (by_others, "regression on out-of-fold codes", VERMILION, "--"),
        (np.array(plain), "analysis of variance, chi-square", GREY, "-"),
        (plan.score_frame["sig"].to_numpy(), "vtreat_py", BLUE, "-"),
    ]


def codes_and_test(
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


# %% tags=["hide-input"]
dice, least = np.random.default_rng(0), 0.005
zipf = 1 / np.arange(1, 51)
panels = {
    "50 levels of equal sizes, normal outcome": (np.full(50, 1 / 50), dice.normal(size=1000)),
    "50 levels by Zipf, class of 2%": (zipf / zipf.sum(), dice.permutation(1000) < 20),
}
figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.6), sharey=True, layout="constrained")
for ax, (title, (share, outcome)) in zip(axes, panels.items(), strict=True):
    levels = dice.choice(50, (1000, 1000), p=share)
    for p, label, colour, dash in p_values(levels, outcome):
        below = np.append(np.arange(1, len(p) + 1) / len(p), 1.0)
        p_in_order = np.append(np.sort(p).clip(least / 2), 1.0)
        ax.plot(p_in_order, below, dash, color=colour, label=label, lw=1.8)
    ax.plot([least, 1], [least, 1], ":", color="black", lw=1.4, label="as it should be")
    ax.set(title=title, xlabel="p", xscale="log", yscale="log", xlim=(least, 1), ylim=(least, 1.3))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks([0.01, 0.05, 0.2, 1], [".01", ".05", ".2", "1"])
    ax.minorticks_off()
    ax.grid()
axes[0].set_ylabel("share of noise columns with a smaller p")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncol=3)
plt.show()

# %% [markdown]
# In the picture an honest test runs along the dotted line, but for what chance leaves with a
# thousand columns, and one that lies runs above it. The regression on level means runs along the
# upper edge. The grey line on the right is what comes next.
#
# ## Third lie: the textbook's tests, on columns from the wild
#
# Are levels different? That is the question of the analysis of variance, and for a class of the
# chi-square test. They count degrees of freedom right, and for normal outcomes they are exact:


# %%
def rows_of_levels(frame: pd.DataFrame) -> list[list[np.ndarray]]:
    """Row numbers of each level of each column."""
    return [list(frame.groupby(x).indices.values()) for x in frame]


by_variance = [stats.f_oneway(*[y[r] for r in rows]).pvalue for rows in rows_of_levels(noise)]
assert passing(np.array(by_variance))[0] < 0.07

# %% [markdown]
# But columns from the wild have a few common levels and many rare ones, and their outcomes are
# skewed, or are classes that are rare. Then a single hit in a level of one row is a huge value of
# chi-square, and happens more often than the curve says:

# %%
share = 1 / np.arange(1, 1001)
wild = (
    pd.DataFrame(random.choice(1000, (2000, 400), p=share / share.sum()))
    .add_prefix("x")
    .astype("category")
)
rare = random.permutation(2000) < 70  # 70 rows of 2,000 are of the class


def chi_square(rows: list[np.ndarray]) -> float:
    """p-value of levels against the class."""
    hits = np.array([rare[r].sum() for r in rows])
    misses = np.array([len(r) for r in rows]) - hits
    return stats.chi2_contingency([hits, misses]).pvalue


by_chi_square = np.array([chi_square(rows) for rows in rows_of_levels(wild)])
assert (np.array(passing(by_chi_square)) > [0.2, 0.1, 0.05]).all()

# %% [markdown]
# ## What `sig` is here
#
# The same columns, with `significance="calibrated"`, the default (`smoothing=0` asks for a code of
# each column, however little its levels differ, so that all have a p-value):

# %%
plan = vt.design_treatments(noise, outcome=y, coders=["catN"], smoothing=0, random_state=0)
of_noise = passing(plan.score_frame["sig"])
plan = vt.design_treatments(wild, outcome=rare, coders=["catB"], smoothing=0, random_state=0)
of_wild = passing(plan.score_frame["sig"])
assert max(of_noise[0], of_wild[0]) < 0.07
assert max(of_noise[2], of_wild[2]) < 0.006

# %% [markdown]
# It is a permutation test: were the outcomes dealt to the rows at random, how often would the
# levels differ as much? That is right for any outcome and any sizes of levels. Four ideas make it
# cheap.
#
# * **Pairs, once.** The statistic is a sum over pairs of rows of the same level, of the product of
#   their centred outcomes: the evidence of the cross-frame, each pair counted once, and no row
#   paired with itself. Leaving out the rows' own squares keeps an outlier from being evidence by
#   itself. A level of n rows counts with a factor of 1 / (n + k); k is set by the sizes of the
#   levels alone, such that about eight levels' worth of evidence decides [1].
# * **Moments, not draws.** Mean, variance, skewness and kurtosis of that sum over *all*
#   permutations are closed forms in the sizes of levels and the sums of powers of the outcome. They
#   come from the table of levels, at no pass over the rows [2].
# * **A curve.** The Pearson curve with these four moments gives the p-value, however small [3].
# * **Draws, where it matters.** With few rows of a class the statistic jumps from value to value,
#   and no curve follows. Then the levels of these few rows are drawn, some thousand times, and only
#   if the p-value could decide something [4].
#
# Where a numeric outcome has heavy tails, ranks find what means lose. The same test is then done on
# normal scores of the outcome as well, and the two p-values are combined [7].
#
# Other codes have tests of what they say, likewise by permutation: indicators, prevalence and
# numbers are tested for going up or down with the outcome [5], with draws where both have outliers;
# deviation codes for levels of unequal spread [6]. A number may say much along no line: with its
# p-value are combined those of the ranges between its deciles, as levels, and of its ranks. The
# line has four fifths of the weight, so it loses little: [a
# study](../../benchmarks/combination_study.txt) has the power of each alone and together.
#
# ## The size study
#
# [`benchmarks/size_study.py`](../../benchmarks/size_study.py) does this for columns of 2 to 5,000
# levels, of equal sizes and of Zipf's, 200 to 20,000 rows, and four outcomes;
# [its table](../../benchmarks/size_study.txt) has .01 and .001, too, the other codes and weights.
#
# Columns of noise that are called significant at .05:

# %% tags=["hide-input"]
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


def mark_rates(ax: plt.Axes, cells: pd.DataFrame, levels: list[float]) -> None:
    """Draw one panel: a cloud of cells for each number of levels and test."""
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
    ax.set_xticks(range(len(levels)), [f"{n:.0f}" for n in levels])
    ax.grid(axis="y")
    ax.set_xlim(-0.55, len(levels) - 0.45)


# The table of the study, in the checkout that this page lies in.
table = Path("benchmarks", "size_study.csv")
path = next((p / table for p in (Path.cwd(), *Path.cwd().parents) if (p / table).exists()), None)
if path is not None:
    study = pd.read_csv(path).query("part == 'impact codes'")
    levels = sorted(study["levels"].unique())
    figure, axes = plt.subplots(
        2, 4, figsize=(9.6, 5.6), sharex=True, sharey=True, layout="constrained"
    )
    for row, sizes in zip(axes, ("balanced", "Zipf"), strict=True):
        for ax, kind in zip(row, OUTCOMES, strict=True):
            cells = (study["sizes"] == sizes) & (study["outcome"] == kind)
            mark_rates(ax, study[cells], levels)
        by = "equal sizes" if sizes == "balanced" else "sizes by Zipf"
        row[0].set_ylabel(f"{by}\nshare < .05")
    for ax, title in zip(axes[0], OUTCOMES.values(), strict=True):
        ax.set_title(title)
    axes[0, 0].set_ylim(-0.01, 1.06 * study["at_0.05"].max())
    figure.supxlabel("levels of the column (three marks each: 200, 2,000 and 20,000 rows)", size=10)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncol=3)
    plt.show()

# %% [markdown]
# Each mark is the share of columns of noise that pass at .05, in one cell of the study. The line is
# where it should be, and the band what chance leaves of it for the blue circles. Squares are
# `significance="classic"`, R vtreat's score: the regression on the cross-frame. Circles *below* the
# band are cells where so few p-values are possible (two rows of the class, hardly any pairs) that
# none is close to .05: a test that is right may pass noise less often than it says. The table ends
# with the list of cells, at .01 and .001 too, where the calibrated test passes it more often: none.
#
# ## What to do
#
# **With one column**, read `sig`. Do not compute p-values from treated frames, in-sample or out of
# fold; no regression knows how its variables were made.
#
# **With many columns**, honest p-values are not enough: of a thousand columns of noise, fifty are
# below .05. Three rules reckon with that. Here ten of the five hundred columns have an effect on
# the outcome:

# %%
with_effects = y.copy()
for k in range(10):
    with_effects += 0.6 * random.normal(size=30)[noise[f"x{k}"].astype(int)]
real = [f"x{k}_catN" for k in range(10)]
plan = vt.design_treatments(
    noise, outcome=with_effects, coders=["catN"], smoothing=0, random_state=0
)
scores = plan.score_frame
of_real = scores["variable"].isin(real)
rules = {
    "sig <= .05": scores["sig"] <= 0.05,
    "recommended": scores["recommended"],
    "sig_fdr <= .1": scores["sig_fdr"] <= 0.1,
    "sig_fwer <= .1": scores["sig_fwer"] <= 0.1,
}
kept = pd.DataFrame(
    {
        "real": {rule: (kept & of_real).sum() for rule, kept in rules.items()},
        "noise": {rule: (kept & ~of_real).sum() for rule, kept in rules.items()},
    }
)
print(kept)
assert (kept["real"] >= 8).all()
assert kept.loc["sig <= .05", "noise"] > 10
assert (kept["noise"].iloc[1:] <= 1).all()

# %% [markdown]
# * `recommended` compares `sig` with `default_threshold`, one over the number of variables of that
#   kind: one variable of noise is expected to pass, at most.
# * `sig_fdr` bounds the share of noise among what passes; take it where many columns may matter. A
#   model misses what is left out more than it minds some noise: the treatments keep
#   `sig_fdr <= .7` by default (`prune_sig="plausible"`), by
#   [a study of real tables](../../benchmarks/downstream.txt).
# * `sig_fwer` bounds the probability that any noise passes; take it where each variable is a claim.
#
# None of them works with p-values that lie. Of a thousand columns of noise one should pass at a
# threshold of .001; the regression on out-of-fold codes lets in about twenty.
#
# **And look at `rsq`.** A p-value says whether there is something, not whether it is worth having:
# with rows enough, everything is significant. `rsq` is the share of variance (of deviance, for a
# class) that the variable explains by itself; for codes that see the outcome it is that of the
# cross-frame, so that it is not the coding's own fit. It says how much a model may gain.

# %%
many = pd.DataFrame({"week": random.integers(0, 52, 200_000).astype(str)})
barely = random.normal(size=200_000) + 0.03 * random.normal(size=52)[many["week"].astype(int)]
plan = vt.design_treatments(many, outcome=barely, coders=["catN"], random_state=0)
print(
    plan.score_frame[["variable", "rsq", "sig"]].to_string(
        index=False, formatters={"rsq": "{:.4f}".format, "sig": "{:.0e}".format}
    )
)
assert plan.score_frame["sig"][0] < 1e-20
assert plan.score_frame["rsq"][0] < 0.002

# %% [markdown]
# ## Rows that are not independent
#
# Permuting rows supposes that any row could have had any outcome. Customers of one shop have in
# common whatever is special about the shop, and so all that is the same in a shop seems to matter.
# `groups=` says which rows go together. Here are a hundred columns of noise, each a property of the
# shop, and the share of them that is significant at .05:

# %%
shop = np.repeat(np.arange(70), 10)
dice = np.random.default_rng(5)
sales = dice.normal(size=70)[shop] + dice.normal(size=700)
noise = pd.DataFrame({k: dice.integers(0, 8, 70)[shop] for k in range(100)}).astype(str)


def found(frame: pd.DataFrame, y: np.ndarray, **options: object) -> float:
    """Share of the columns that are significant at .05."""
    plan = vt.design_treatments(frame, outcome=y, smoothing=0, random_state=0, **options)
    return round(float((plan.score_frame["sig"] < 0.05).mean()), 2)


alone = found(noise, sales, coders=["catN"])
grouped = found(noise, sales, coders=["catN"], groups=shop)
print(f"significant: {alone} of them, with groups {grouped}")
assert grouped < 0.1 < 0.8 < alone

# %% [markdown]
# What differs between the customers of a shop is tested less what they have in common, and is found
# as if shops did not differ.
#
# In order of time neighbours are alike, in the outcome and in the columns: all that wanders seems
# to go together. `significance="ordered"` shifts the outcome along the rows in place of permuting
# it. Without it a warning says so, which is silenced here:

# %%
warnings.simplefilter("ignore", vt.VtreatWarning)
weather = pd.DataFrame(lfilter([1.0], [1.0, -0.9], dice.normal(size=(700, 100)), axis=0))
demand = lfilter([1.0], [1.0, -0.9], dice.normal(size=700))
weather.columns = [f"station {k}" for k in weather]
series = {"coders": ["clean"], "cv": "ordered"}
permuted = found(weather, demand, **series)
shifted = found(weather, demand, **series, significance="ordered")
print(f"significant: {permuted} by permuting, {shifted} by shifting")
assert shifted < 0.1 < 0.5 < permuted

# %% [markdown]
# ## What this is not
#
# `sig` tests one variable at a time; it does not say what a variable adds to others.
#
# ## References
#
# 1. M. L. King, "Towards a theory of point optimal testing", Econometric Reviews 6 (1987).
# 2. P. W. Mielke, K. J. Berry and G. W. Brier, "Application of multi-response permutation
#    procedures for examining seasonal changes in monthly mean sea-level pressure patterns", Monthly
#    Weather Review 109 (1981).
# 3. K. Pearson, "Mathematical Contributions to the Theory of Evolution, XIX", Philosophical
#    Transactions A 216 (1916).
# 4. T. Knijnenburg, L. Wessels, M. Reinders and I. Shmulevich, "Fewer permutations, more accurate
#    P-values", Bioinformatics 25 (2009).
# 5. E. J. G. Pitman, "Significance tests which may be applied to samples from any populations, II:
#    the correlation coefficient test", Supplement to the Journal of the Royal Statistical Society 4
#    (1937).
# 6. G. E. P. Box, "Non-normality and tests on variances", Biometrika 40 (1953).
# 7. Y. Liu and J. Xie, "Cauchy combination test: a powerful test with analytic p-value calculation
#    under arbitrary dependency structures", Journal of the American Statistical Association 115
#    (2020).
