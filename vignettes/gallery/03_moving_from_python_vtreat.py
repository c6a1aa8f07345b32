# %% [markdown]
# # Moving a project from the Python package vtreat: change one import
#
# A project written for the Python package `vtreat` runs on this package when
#
#     import vtreat
#
# becomes
#
#     import vtreat_py.compat as vtreat
#
# Nothing else changes: not the classes, not their arguments, not the names of the derived columns.
# What does change are some numbers, and for a reason. The data below are made up so that the truth
# is known, and are as frames from the wild are: a column of 800 shops, a tariff whose *absence*
# says most about the customer, an income with gaps. The numbers of `vtreat` 1.3.1 are those it gave
# on these very rows; they stand here as recorded, so that this program runs without it.

# %%
import importlib.util
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import vtreat_py.compat as vtreat

OF_SHOP = np.random.default_rng(99).normal(size=800)


def customers(seed: int, n_rows: int = 4000) -> pd.DataFrame:
    """Customers of a month; did they leave?"""
    random = np.random.default_rng(seed)
    shop = random.integers(0, 800, n_rows)
    no_tariff = random.random(n_rows) < 0.25
    income = np.exp(random.normal(3, 0.6, n_rows))
    log_odds = -1.0 + 0.8 * OF_SHOP[shop] + 1.6 * no_tariff
    return pd.DataFrame(
        {
            "shop": [f"s{number:03d}" for number in shop],
            "tariff": np.where(no_tariff, None, random.choice(["basic", "plus"], n_rows)),
            "income": np.where(random.random(n_rows) < 0.1, np.nan, income),
            "left": random.random(n_rows) < 1 / (1 + np.exp(-log_odds)),
        }
    )


march, april = customers(1), customers(2)
print(march.head(3))

# %% [markdown]
# ## The project, as it was
#
# Every line of it is as its authors wrote it.

# %%
treatment = vtreat.BinomialOutcomeTreatment(
    outcome_name="left",
    outcome_target=True,
    params=vtreat.vtreat_parameters({"filter_to_recommended": True}),
)
to_model = treatment.fit_transform(march, march["left"])
scores = treatment.score_frame_
features = list(scores.loc[scores["recommended"], "variable"])
treated_april = treatment.transform(april)
model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
model.fit(to_model[features], march["left"])


def auc(treated: pd.DataFrame, outcome: "pd.Series[bool]") -> float:
    """AUC of the project's model."""
    return float(roc_auc_score(outcome, model.predict_proba(treated[features])[:, 1]))


promised, delivered = auc(to_model, march["left"]), auc(treated_april, april["left"])
shown = scores[["variable", "treatment", "PearsonR", "significance", "recommended"]]
print(shown.round(3).to_string(index=False))
print(f"AUC on training rows {promised:.3f}, on next month's {delivered:.3f}")

# %% [markdown]
# The model promises what it delivers. That is the work of `fit_transform`, in both packages: it
# codes each row by what the *other* folds know. Coding a shop by the mean outcome of its rows, own
# row included, promises more and delivers less.

# %%
means = march.groupby("shop")["left"].mean()


def with_naive_codes(treated: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """The same features, the shop coded by the mean outcome of March."""
    return treated.assign(shop_logit_code=frame["shop"].map(means).fillna(march["left"].mean()))


model.fit(with_naive_codes(to_model, march)[features], march["left"])
naive_promised = auc(with_naive_codes(to_model, march), march["left"])
naive_delivered = auc(with_naive_codes(treated_april, april), april["left"])
print(
    f"naive codes: AUC on training rows {naive_promised:.3f}, on next month's {naive_delivered:.3f}"
)
assert abs(promised - delivered) < 0.02 < 0.08 < naive_promised - naive_delivered
assert delivered > naive_delivered + 0.01

# %% [markdown]
# ## What the old package got wrong here
#
# **Missing.** A customer without a tariff leaves with a probability of about .6, the others with
# about .3. `vtreat` 1.3.1 codes the missing tariff by 0, as if nothing were known; here missing is
# a level like any other.

# %%
treatment.set_result_restriction(["tariff_logit_code"])
new = pd.DataFrame({"tariff": [None, "basic", "plus", "never seen"]})
codes = treatment.transform(new)["tariff_logit_code"]
RECORDED_CODE_OF_MISSING = 0.0


def log_odds(outcome: "pd.Series[bool]") -> float:
    """Log odds of the outcome in some rows."""
    return float(np.log(outcome.mean() / (1 - outcome.mean())))


of_april = log_odds(april.loc[april["tariff"].isna(), "left"]) - log_odds(april["left"])
print(f"missing: {codes[0]:.2f} here, {RECORDED_CODE_OF_MISSING} there; {of_april:.2f} in April")
assert abs(codes[0] - of_april) < 0.15
assert abs(codes[3]) < 0.2  # a level that was never seen: hardly any impact

# %% [markdown]
# **Types that change.** In April the tariffs come as numbers, "1" and "2" in March, one of them
# missing, so that pandas makes 2.0 of 2. The old package compares text: to it "2.0" is a tariff
# never seen, and so is every other. Here 2.0 is "2".

# %%
coded = march.assign(tariff=march["tariff"].map({"basic": "1", "plus": "2"}))
by_number = vtreat.BinomialOutcomeTreatment(
    outcome_name="left", outcome_target=True, params={"filter_to_recommended": False}
).fit(coded)
by_number.set_result_restriction(["tariff_lev_1", "tariff_lev_2"])
RECORDED_INDICATORS = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
indicators = by_number.transform(pd.DataFrame({"tariff": [2.0, np.nan, 1.0]})).to_numpy().tolist()
print(f"indicators: {indicators} here, {RECORDED_INDICATORS} there")
assert indicators == [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]

# %% [markdown]
# **Other frames.** Of a polars frame the old package keeps neither kind nor column names: a pandas
# frame with `1_is_bad`, `0_logit_code`, ... comes back. Here polars (or pyarrow) goes in and the
# same comes out, with the same numbers.

# %%
if importlib.util.find_spec("polars"):
    import polars as pl

    again = vtreat.BinomialOutcomeTreatment(outcome_name="left", outcome_target=True)
    from_polars = again.fit_transform(pl.from_pandas(march))
    assert isinstance(from_polars, pl.DataFrame)
    assert from_polars.columns == to_model.columns.tolist()
    np.testing.assert_allclose(from_polars[features].to_numpy(), to_model[features].to_numpy())
    print(f"polars in, {type(from_polars).__module__.split('.')[0]} out")

# %% [markdown]
# **Nothing recommended.** The old package then returns *all* variables, noise included. Here the
# answer to "which of these help?" may be "none", with a warning.

# %%
noise = pd.DataFrame({"dice": np.tile(np.arange(1.0, 7.0), 100)})
coin = np.repeat([True, False], 300)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    nothing = vtreat.BinomialOutcomeTreatment().fit_transform(noise, coin)
print(nothing.shape, caught[0].message.args[0][:32])
assert nothing.shape == (600, 0)

# %% [markdown]
# ## What stays as it was: the outcome leaves with the frame
#
# With `outcome_name`, a frame that holds the outcome's column keeps it, in both packages, so that
# the treated frame is all that a modelling step needs. A pipeline of scikit-learn would train on
# the answer: give it X without that column.

# %%
assert to_model["left"].equals(march["left"])
assert "left" not in treatment.get_feature_names()
inputs = march.drop(columns="left")
pipeline = make_pipeline(
    vtreat.BinomialOutcomeTreatment(outcome_target=True),
    StandardScaler(),
    LogisticRegression(max_iter=1000),
).fit(inputs, march["left"])
of_pipeline = roc_auc_score(april["left"], pipeline.predict_proba(april[inputs.columns])[:, 1])
print(f"pipeline: AUC {of_pipeline:.3f} on next month's rows")
assert abs(of_pipeline - delivered) < 1e-9

# %% [markdown]
# ## Going on
#
# `treatment.plan_` is this package's own plan. [From the Python
# package](../moving/from_python_vtreat.md) lists all that differs, and how each class reads in the
# native API.

# %%
print(treatment.plan_)
assert treatment.plan_.outcome_type == "binomial"
