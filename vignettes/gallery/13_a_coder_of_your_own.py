# %% [markdown]
# # A coder of your own
#
# Codes that you know better than any package: how people in your trade have always scored a county,
# the curve that physics says, a small model of one column. Such a code is easily written, and is
# easily wrong: it has seen the outcomes of the rows that it codes, so that a model trained on them
# believes it too much.
#
# `custom_coders=` takes functions and scikit-learn models, and does the rest: training rows are
# coded by the other folds, each code has a score and a p-value, is pruned and scaled as all others
# are, and what it has learned is kept as data. The plan runs where your function never was.

# %%
import duckdb
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

import vtreat_py as vt

# %% [markdown]
# ## R's example: partial pooling
#
# Radon in houses, by county; most counties have a few houses only. The pages of R vtreat code them
# by a mixed model of its package lme4. In R that is `customCoders = list('n.pp.center.num' = f)`,
# where the words in the name say how `f` is called. Here the name is the name, and a `LevelCoder`
# says how. `f` gets the levels, the outcome and the weights of some rows, and returns a number for
# each of them.
#
# This one shrinks the mean of a county to that of all houses, by the variances that statsmodels'
# mixed model finds.


# %%
def houses(n_rows: int, seed: int) -> pd.DataFrame:
    """Houses, their county, the uranium in its soil, and the radon."""
    rng, counties = np.random.default_rng(seed), np.random.default_rng(1)
    county = rng.zipf(1.3, n_rows) % 60
    effect = counties.normal(0.0, 0.5, 60)
    uranium = rng.gamma(3.0, 1.0, n_rows)
    radon = 1.0 + effect[county] + np.sin(uranium) + rng.normal(0.0, 0.8, n_rows)
    uranium[rng.random(n_rows) < 0.05] = np.nan
    return pd.DataFrame(
        {"county": [f"county {k}" for k in county], "uranium": uranium, "radon": radon}
    )


def partial_pooling(levels, y, weight):  # noqa: ARG001
    """Predictions of y ~ (1 | level)."""
    fit = sm.MixedLM(y, np.ones((len(y), 1)), groups=levels).fit(reml=True)
    return fit.fittedvalues


train, later = houses(900, seed=2), houses(4_000, seed=3)
coders = {"pp": vt.LevelCoder(partial_pooling, center=True)}
experiment = vt.cross_frame_experiment(train, outcome="radon", custom_coders=coders, random_state=0)
scores = experiment.plan.score_frame.set_index("variable")
print(scores[["code", "rsq", "sig", "needs_split"]])

# %% [markdown]
# `center=True` takes the mean from the codes, so that a county that was never seen gets 0. The code
# stands beside `county_catN`, which shrinks counties by the same thought: they are hardly apart.

# %%
both = experiment.cross_frame[["county_pp", "county_catN"]]
print(both.corr().round(3))
assert both.corr().iloc[0, 1] > 0.98
new = pd.DataFrame({"county": ["county 1", "never seen"], "uranium": [1.0, 2.0]})
print(vt.prepare(experiment.plan, new)[["county_pp", "county_catN"]])

# %% [markdown]
# ## What the folds are for
#
# A coder that believes every house: the mean of its county, however few houses that has. On the
# rows that it has seen it looks better than it is.


# %%
def plain_mean(table):
    """The mean of a level, from sums by level."""
    return table["mean"]


coders["plain"] = vt.LevelCoder(plain_mean, of="table")
made = vt.cross_frame_experiment(
    train, outcome="radon", custom_coders=coders, coders=["pp", "plain"], random_state=0
)
seen = train.groupby("county")["radon"].transform("mean")
unseen = vt.prepare(made.plan, later)["county_plain"]
rsq = {
    "on the rows that it has seen": np.corrcoef(seen, train["radon"])[0, 1] ** 2,
    "in the cross-frame": np.corrcoef(made.cross_frame["county_plain"], train["radon"])[0, 1] ** 2,
    "on later rows": np.corrcoef(unseen, later["radon"])[0, 1] ** 2,
}
print(pd.Series(rsq).round(3))
assert rsq["in the cross-frame"] < rsq["on the rows that it has seen"]

# %% [markdown]
# `of="table"` gives the function the sums by level in place of rows: a DataFrame of `level`,
# `weight`, `mean` and `squares`. Such a coder runs wherever the rows are, here in DuckDB.

# %%
in_duckdb = vt.design_treatments(
    duckdb.from_df(train.assign(id=np.arange(len(train)))),
    outcome="radon", row_id="id", random_state=0,
    custom_coders={"plain": coders["plain"]}, coders=["plain"],
)  # fmt: skip
np.testing.assert_allclose(
    vt.prepare(in_duckdb, new)["county_plain"], vt.prepare(made.plan, new)["county_plain"]
)

# %% [markdown]
# ## Numbers: a function, a curve, a model
#
# A `NumberCoder` gets the rows whose number is good. It may return a number for each row, a
# `vt.Curve`, or anything that can be called; or it is a scikit-learn model, which is cloned and
# fitted anew for each fold. All of them become a curve. Missing values get the
# mean of the rows that have a number.


# %%
def by_the_book(x, y, weight):
    """The shape is known, and what is learned is its size."""
    shape = np.column_stack([np.ones_like(x), np.sin(x)])
    fit = LinearRegression(fit_intercept=False).fit(shape, y, weight)
    return lambda at: fit.predict(np.column_stack([np.ones_like(at), np.sin(at)]))


numbers = {
    "book": vt.NumberCoder(by_the_book),
    "tree": vt.NumberCoder(DecisionTreeRegressor(max_leaf_nodes=8)),
    "line": vt.NumberCoder(LinearRegression()),
}
shapes = vt.cross_frame_experiment(
    train, outcome="radon", variables=["uranium"], custom_coders=numbers, random_state=0
)
table = shapes.plan.score_frame.set_index("variable")[["rsq", "sig"]]
print(table)
assert table["rsq"].idxmax() == "uranium_book"
assert table.loc["uranium_line", "rsq"] < table.loc["uranium_tree", "rsq"]

uranium = pd.DataFrame({"county": "county 1", "uranium": np.linspace(0, 10, 400)})
curves = vt.prepare(shapes.plan, uranium)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(train["uranium"], train["radon"], ".", color="#bbbbbb", ms=3)
for name, dash in zip(numbers, ("-", "-.", "--"), strict=True):
    ax.plot(uranium["uranium"], curves[f"uranium_{name}"], dash, label=name)
ax.set(xlabel="uranium", ylabel="radon", xlim=(0, 10))
ax.legend(title="coder")
plt.show()

# %% [markdown]
# Mind the difference of the two columns: `rsq` is that of the code, in rows of other folds; `sig`
# asks first whether the outcome changes with the *column*, in any shape. So a straight line through
# a wave has the `sig` of the wave, and a third of its `rsq`.
#
# A function may have too little to go on, and say so by returning None: then there is no such code,
# and `plan.unused` says of which column.
#
# ## The plan has no function
#
# It is text, it is a query, and it prepares the same frame in a process that has never heard of
# your function.

# %%
again = vt.TreatmentPlan.from_json(shapes.plan.to_json())
pd.testing.assert_frame_equal(vt.prepare(again, later), vt.prepare(shapes.plan, later))
with duckdb.connect() as connection:
    report = again.check_sql(connection, later)
print(report)
assert report.passed
print({name: coder.function for name, coder in again.options.custom_coders.items()})
