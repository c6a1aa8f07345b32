# %% [markdown]
# # How sure is cross-validation?
#
# A model is about to go live, and somebody asks two questions: how good is it, and how sure are
# you? Cross-validation answers the first. For the second, people look at how far the scores of the
# folds spread. If the event is rare they *stratify* the folds, as every guide advises, and find
# that the scores hardly spread at all. How sure we are!
#
# We are not. Stratified folds all hold the same share of the rare class, and that share is most of
# what we do not know. Here is a case in which the truth is known, so that we can count how often
# each answer is right:
#
# * half of all intervals should hold the truth, if that is what they promise;
# * from stratified folds, not even a quarter do;
# * from folds drawn blindly, with the right formula, half of them do.

# %%
import os
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: threads only wait

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from vtreat_py import VtreatWarning
from vtreat_py.evaluation import coverage_study, cv_spread

# %% [markdown]
# ## A world, and the sample we have of it
#
# The world is the RAND Health Insurance Experiment, as it ships with statsmodels: 20,190
# person-years. The event is a year with 15 visits to the doctor or more, which is rare. Our project
# does not have the world. It has 1,500 rows.

# %%
study = sm.datasets.randhie.load_pandas().data
world, often = study.drop(columns="mdvis").to_numpy(), (study["mdvis"] >= 15).to_numpy()
rate = often.mean()
print(f"{rate:.1%} of {len(world):,} person-years have 15 visits or more")

rows = np.random.default_rng(2024).choice(len(world), 1500, replace=False)
X, y = world[rows], often[rows]
print(f"in our sample: {y.sum()} of {len(y):,}")
assert 0.02 < rate < 0.03
assert y.sum() == 36

# %% [markdown]
# ## Two kinds of folds, two stories
#
# One model, one sample, 100 splits of each kind with 20% of the rows to test on. *Vanilla* folds
# are drawn blindly, *stratified* folds class by class.

# %%
model = make_pipeline(StandardScaler(), LogisticRegression())
spread = cv_spread(model, X, y, scoring=["nll", "brier", "roc_auc"], random_state=0)
print(spread)

width = spread.summary()["iqr"].unstack("strategy")
print("\nvanilla folds spread so many times as far:")
print((width["vanilla"] / width["stratified"]).round(1).to_string())
assert width["vanilla"]["nll"] > 2.5 * width["stratified"]["nll"]
assert width["vanilla"]["brier"] > 5 * width["stratified"]["brier"]
assert width["vanilla"]["roc_auc"] < 1.3 * width["stratified"]["roc_auc"]

spread.plot("nll")
plt.show()

# %% [markdown]
# The means agree. The widths do not: for the log loss (`nll`) the middle half of the vanilla folds
# is three times as wide, for the Brier score six times. Only the
# area under the ROC curve does not care: it compares rows of one class with rows of the other, and
# never asks how many of each there are.

# %% [markdown]
# ## Where the difference comes from
#
# A row of the rare class costs a model that calls it unlikely about 4 nats; any other row costs
# next to nothing. So the log loss of a fold is, more or less, the number of rare rows in it. That
# number moves from fold to fold as it moves from sample to sample. Let a constant chance, the rate
# of the sample, stand for the model, and the price of a rare row is the log odds against it:

# %%
summary = spread.summary().xs("nll", level="metric")
price = np.log((1 - y.mean()) / y.mean())
from_the_share = price * summary["rate_test_std"]
print(f"one more point in the share of rare rows costs {price / 100:.3f} nats")
print(f"spread that the shares alone make: {from_the_share['vanilla']:.3f}", end="")
print(f", spread of the vanilla folds: {summary['std']['vanilla']:.3f}")
assert from_the_share["stratified"] < 1e-12
assert from_the_share["vanilla"] > 0.9 * summary["std"]["vanilla"]

# %% [markdown]
# Stratification sets this part to zero. That makes folds easy to compare with each other, which is
# why people like it. But the 36 rare rows of the sample could as well have been 28 or 44, and no
# stratified fold ever shows it.
#
# Ask for an interval from such folds, and you are warned:

# %%
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", VtreatWarning)
    interval = spread.interval(method="nadeau-bengio")
(warning,) = caught
print(warning.message)
assert "'stratified' hold the classes in fixed shares" in str(warning.message)

# %% [markdown]
# ## Count how often each is right
#
# Now we play the game many times: draw 1,500 rows of the world, cross-validate, write down an
# interval that promises to hold the truth in half of all cases, look the truth up. The truth is
# what the model, fitted on all of the sample, scores on the whole world.
#
# There are two ways to make an interval of the folds' scores:
#
# * `iqr`: from their lower to their upper quartile. It says where the next *fold* will land.
# * `nadeau-bengio`: around their mean, as wide as the mean is unsure. Folds share their rows, so
#   a hundred folds are by no means a hundred experiments. C. Nadeau and Y. Bengio (2003) put that
#   in a formula, which needs nothing but the scores.

# %%
splits = {"n_splits": 20, "test_size": 0.2, "random_state": 0}
game = coverage_study(
    (world, often),
    {"logistic regression": model},
    sizes=[1500],
    rates=[rate],
    seeds=range(30),
    strategies={
        "vanilla": ShuffleSplit(**splits),
        "stratified": StratifiedShuffleSplit(**splits),
    },
    scoring=["nll"],
)
print(game)

right = game.coverage(["strategy", "method"])
game.plot()
plt.show()
assert (right.loc["stratified", "coverage"] < 0.25).all()
assert (right.loc["stratified", "high"] < 0.5).all()
assert right.loc[("vanilla", "iqr"), "low"] > 0.5
assert right.loc[("vanilla", "nadeau-bengio"), "low"] < 0.5
assert right.loc[("vanilla", "nadeau-bengio"), "high"] > 0.5

# %% [markdown]
# * Stratified folds promise half and deliver less than a quarter. Both formulas fail, because both
#   look at scores from which the doubt has been removed.
# * The quartiles of vanilla folds err on the other side: one fold is less sure than the mean of
#   many, so they hold the truth in about three of four cases.
# * Nadeau and Bengio's interval, from vanilla folds, keeps its promise.
#
# [benchmarks/coverage_study.txt](../../benchmarks/coverage_study.txt) has the same for other rates,
# sizes, models and metrics.

# %% [markdown]
# ## What to report
#
# Log loss and Brier score of a rare class: folds drawn without regard to the class, and Nadeau and
# Bengio's interval. With 36 rare rows it is wide. That is no defect of the method; it is the
# answer to the second question.

# %%
blind = cv_spread(
    model,
    X,
    y,
    strategies={"vanilla": ShuffleSplit(50, test_size=0.2, random_state=0)},
    scoring=["nll", "roc_auc"],
)
report = blind.interval(0.9, "nadeau-bengio")
print(report.round(3))

of_world = log_loss(often, model.fit(X, y).predict_proba(world))
low, high = report.loc[("vanilla", "nll"), ["low", "high"]]
print(f"and the truth, which a project never gets to see: {of_world:.3f}")
assert low < of_world < high

# %% [markdown]
# One thing to look at before you trust any of it: with very few rare rows, a blind fold may hold
# none. The losses have an answer there, the area under the ROC curve has none, and a model cannot
# learn from one class. `cv_spread` says so, and counts such folds under `undefined` and
# `one_class`; it never drops them in silence.

# %%
few = np.concatenate([np.flatnonzero(y)[:6], np.flatnonzero(~y)[:294]])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", VtreatWarning)
    scarce = cv_spread(
        model,
        X[few],
        y[few],
        strategies={"vanilla": ShuffleSplit(50, test_size=0.2, random_state=0)},
        scoring=["nll", "roc_auc"],
    )
print(caught[0].message)
counted = scarce.summary()[["count", "undefined", "one_class"]]
print(counted)
assert counted.loc[("vanilla", "nll"), "undefined"] == 0
assert counted.loc[("vanilla", "roc_auc"), "undefined"] > 0.1
