# %% [markdown]
# # Which pairs matter
#
# A column that says nothing alone may say much beside another: a discount works on weekends, a dose
# by weight, a left-wing candidate with voters on the left. Codes of single columns cannot see it,
# and linear models of them cannot either. With a hundred columns there are 4,950 pairs to look at.
#
# `find_interactions` looks at them all: does the outcome depend on the two together in another way
# than what each of them says, added up? It takes a minute for a million rows.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import vtreat_py as vt

# %% [markdown]
# ## Clinton or Dole
#
# 944 voters of the American National Election Study of 1996 (statsmodels has it). They place
# themselves, Clinton and Dole between left (1) and right (7), and say what they read, earn and
# belong to. `vote` is 1 for Dole.

# %%
voters = sm.datasets.anes96.load_pandas().data.drop(columns="popul")
alone = vt.variable_importance(voters, outcome="vote", target=1, random_state=0)
pairs = vt.find_interactions(voters, outcome="vote", target=1, random_state=0)
print(alone.round(4).to_string(index=False))
print(pairs.head().to_string(index=False, float_format="{:.2g}".format))

# %% [markdown]
# One pair stands out: where voters see themselves, and where they see Dole. Nobody told the
# function what political scientists call spatial voting: people vote for who is *near* to them, and
# nearness is of two places.

# %%
assert set(pairs.loc[0, ["first", "second"]]) == {"selfLR", "DoleLR"}
assert pairs["sig_fdr"][0] < 1e-6
assert pairs["sig_fdr"][1] > 0.05
assert 0.05 < pairs["rsq"][0] < 0.08

# %% [markdown]
# The votes by the two places, what the two say by adding up, and what is left for the pair:

# %% tags=["hide-input"]
places = {"index": "selfLR", "columns": "DoleLR"}
n, k = (
    voters.pivot_table(values="vote", **places, aggfunc=what).fillna(0).to_numpy()
    for what in ("count", "sum")
)
design = pd.get_dummies(voters[["selfLR", "DoleLR"]].astype(int).astype(str), drop_first=True)
design = sm.add_constant(design.astype(float))
fit = sm.GLM(voters["vote"], design, family=sm.families.Binomial()).fit()
fitted = voters.assign(fitted=fit.fittedvalues)
added = fitted.pivot_table(values="fitted", **places).to_numpy()
left = (k - n * added) / np.sqrt(n * added * (1 - added))
figure, axes = plt.subplots(1, 3, figsize=(10.5, 4.4), layout="constrained", sharey=True)
shown = (
    ("who votes for Dole", k / np.where(n, n, np.nan), "RdBu_r", 0, 1, "share"),
    ("what the two say,\nlog odds added up", added, "RdBu_r", 0, 1, "share"),
    ("what the pair adds\n(dark: four or more)", left, "PuOr_r", -4, 4, "standard deviations"),
)
for ax, (title, values, colours, low, high, unit) in zip(axes, shown, strict=True):
    image = ax.imshow(values, cmap=colours, vmin=low, vmax=high, origin="lower")
    for (i, j), rows in np.ndenumerate(n):
        if rows:
            dark = abs(values[i, j] - (low + high) / 2) > 0.35 * (high - low)
            text = f"{int(rows)}" if ax is axes[0] else f"{values[i, j]:.2f}"
            text = f"{values[i, j]:+.1f}" if ax is axes[2] else text
            ax.text(j, i, text, ha="center", va="center", size=8,
                    color="white" if dark else "black")  # fmt: skip
    ax.plot([-0.5, 6.5], [-0.5, 6.5], color="black", lw=0.8, ls=":")
    ax.set(title=title, xlabel="where the voter sees Dole", xticks=range(7), yticks=range(7),
           xticklabels=range(1, 8), yticklabels=range(1, 8))  # fmt: skip
    if ax is not axes[0]:
        figure.colorbar(image, ax=ax, shrink=0.8, label=unit)
axes[0].set_ylabel("where the voter stands\n(1: left, 7: right)")
axes[0].set_title("who votes for Dole\n(numbers: voters in the cell)")
plt.show()

# %% [markdown]
# `sig` is of the whole table: 49 cells after what two times seven levels say by adding up on the
# scale of log odds. `rsq` is what these cells add out of fold: six hundredths of the deviance.
#
# ## What to do with a pair
#
# What the table shows is a matter of distance, so that one column has it all. Held out, ten times
# over:


# %%
def deviance_explained(columns: pd.DataFrame) -> float:
    """Return the share of deviance that a logistic regression explains of held-out voters."""
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=0)
    model, found = make_pipeline(StandardScaler(), LogisticRegression(C=1.0)), []
    none = log_loss(voters["vote"], np.full(len(voters), voters["vote"].mean()))
    splits = list(folds.split(columns, voters["vote"]))
    for repeat in range(10):
        chances = cross_val_predict(
            model, columns, voters["vote"], cv=splits[5 * repeat : 5 * repeat + 5],
            method="predict_proba",
        )  # fmt: skip
        found.append(1 - log_loss(voters["vote"], chances) / none)
    return float(np.mean(found))


places = voters[["selfLR", "ClinLR", "DoleLR"]]
others = voters.drop(columns=["vote", "PID"])  # whom one belongs to is nearly the answer
explained = pd.Series(
    {
        "the columns": deviance_explained(others),
        "and the distance to Dole": deviance_explained(
            others.assign(distance=(places["selfLR"] - places["DoleLR"]).abs())
        ),
        "and the product": deviance_explained(
            others.assign(product=(places["selfLR"] - 4) * (places["DoleLR"] - 4))
        ),
    }
)
print(explained.round(3).to_string())
assert explained["and the distance to Dole"] > explained["the columns"] + 0.02

# %% [markdown]
# Trees find pairs by themselves, if there are rows enough. For linear models, and for people who
# want to know, a pair that is found is a column to make: a distance, a product, a ratio. Where no
# formula is at hand, `composites=[("selfLR", "DoleLR")]` makes one of the pair itself, whose code
# is shrunk to what the two say by adding up ([the next page](16_what_a_never_seen_level_says.py)).
#
# ## Noise does not pass
#
# Of 36 pairs some are below .05 by chance, which `sig_fdr` reckons with. Voters whose votes are
# shuffled have no interaction, nor any other effect:

# %%
random = np.random.default_rng(0)
shuffled = pd.concat(
    vt.find_interactions(
        voters.assign(vote=random.permutation(voters["vote"])), outcome="vote", random_state=0
    )
    for _ in range(10)
)
print(f"{(shuffled['sig'] <= 0.05).mean():.3f} of {len(shuffled)} pairs are below .05,", end=" ")
print(f"{(shuffled['sig_fdr'] <= 0.05).sum()} by sig_fdr")
assert (shuffled["sig"] <= 0.05).mean() < 0.08
assert (shuffled["sig_fdr"] <= 0.05).sum() <= 1

# %% [markdown]
# That holds with effects that add up, rare levels, outliers and rare classes, too:
# [benchmarks/interactions_study.txt](../../benchmarks/interactions_study.txt) has the rates.
#
# ## Where a small `sig` means something else
#
# **Rows that belong together.** In the RAND health insurance study rows are years of persons in
# families. A family has a number (`lpi`) and a plan (`fmde`) of its own: together they name it.

# %%
study = sm.datasets.randhie.load_pandas().data[["mdvis", "lpi", "fmde", "hlthp", "disea"]]
families = study.groupby(["lpi", "fmde"], as_index=False).mean()
of_years = vt.find_interactions(study, outcome="mdvis", outcome_type="numeric", random_state=0)
of_families = vt.find_interactions(
    families, outcome="mdvis", outcome_type="numeric", random_state=0
)
for what, table in (("years", of_years), ("families", of_families)):
    print(what)
    print(table.head(3).to_string(index=False, float_format="{:.2g}".format))
assert of_years["sig"][0] < 1e-6
assert of_families["sig"].min() > 1e4 * of_years["sig"][0]

# %% [markdown]
# Rows are taken as independent. Where they are not, make one row of those that belong together, as
# here.
#
# **Columns that go together.** Numbers are cut into eight ranges. If two of them are alike, and the
# outcome goes up *within* their ranges, too, then of two rows in one range the one with the larger
# second number has the larger first one as well: an interaction of ranges that is none of numbers.
# So each range has a slope of its own where columns go together:

# %%
n = 50_000
common, noise = random.normal(size=n), random.normal(size=(3, n))
alike = pd.DataFrame({"a": common + 0.5 * noise[0], "b": common + 0.5 * noise[1]})
y = alike["a"] + alike["b"] + noise[2]
trace = vt.find_interactions(alike, outcome=y, outcome_type="numeric", random_state=0)
print(trace.to_string(index=False, float_format="{:.2g}".format))
assert trace["sig"][0] > 0.01

# %% [markdown]
# What is left of curves may still be found among millions of rows: with many rows everything is
# significant. `rsq` says what it is worth.
