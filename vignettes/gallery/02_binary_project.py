# %% [markdown]
# # A project with a yes-or-no outcome: from the raw frame to a model in use
#
# Put the treatment into the pipeline, and what cross-validation promises is what new rows get:
# discrimination, log loss and calibration.
#
# The data are the RAND Health Insurance Experiment (20,190 person-years, 1974 to 1982), in the form
# that ships with statsmodels. The question: does a person see a doctor this year?

# %%
import os
import pickle

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small data: threads of boosted trees only wait

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from sklearn.calibration import calibration_curve
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import cross_validate, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import vtreat_py as vt

# %% [markdown]
# ## The raw frame
#
# The published table is all numbers, so we take it back to what an insurer's system would hold:
#
# * dummy variables and rates become the text they stand for, and logarithms become money;
# * a physical `limitation` is yes (1) or no (0); the 5% of values between the two are no answers,
#   and become missing;
# * `account` joins the coinsurance rate with the household's yearly payment and spending limit:
#   787 levels, one of 3,508 rows, half of them of fewer than ten. It all but names the household.
#
# Rows are split at random, so that held-out rows are mostly other years of households we know: what
# an insurer asks about its customers. (For households never seen, split by `groups`.)

# %%
study = sm.datasets.randhie.load_pandas().data
rate = (np.exp(study["lncoins"]) - 1).round().astype(int).astype(str) + "%"
payment, limit = np.exp(study["lpi"]).round(2), np.exp(study["fmde"]).round(2)
frame = pd.DataFrame(
    {
        "coinsurance": rate,
        "account": rate + "/" + payment.astype(str) + "/" + limit.astype(str),
        "deductible": np.where(study["idp"] == 1, "individual", "none"),
        "payment": payment,
        "limit": limit,
        "limitation": study["physlm"].map({0.0: "no", 1.0: "yes"}),
        "diseases": study["disea"],
        "health": np.select(
            [study[dummy] == 1 for dummy in ("hlthg", "hlthf", "hlthp")],
            ["good", "fair", "poor"],
            "excellent",
        ),
    }
)
saw_doctor = study["mdvis"] > 0
X_train, X_test, y_train, y_test = train_test_split(
    frame, saw_doctor, test_size=0.3, random_state=0, stratify=saw_doctor
)
print(f"{len(X_train)} rows to train on, {y_train.mean():.0%} saw a doctor")
assert frame["account"].nunique() == 787

# %% [markdown]
# ## What is in the columns
#
# Design once and look, before any model. `rsq` and `sig` of codes that see the outcome, such as
# `account_catB`, are those of the cross-frame: a column gets no credit for having many levels.

# %%
plan = vt.design_treatments(X_train, outcome=y_train, target=True, random_state=0)
scores = plan.score_frame.set_index("variable")
print(scores.sort_values("rsq", ascending=False)[["code", "rsq", "sig", "sig_fdr"]].head(6))
plausible = [variable.name for variable in plan.select("plausible")]  # what the treatments keep
print("left out:", list(scores.index.difference(plausible, sort=False)))

# %% [markdown]
# ## Two models, cross-validated with their treatment
#
# The treatment is the pipeline's first step. Each split fits it on that split's training rows
# alone; inside, the model trains on the cross-frame.


# %%
def pipeline(*steps: object) -> Pipeline:
    """A model on treated columns."""
    return make_pipeline(vt.BinomialOutcomeTreatment(target=True, random_state=0), *steps)


def boosted() -> Pipeline:
    """A few boosted trees on treated columns."""
    return pipeline(HistGradientBoostingClassifier(max_iter=30, random_state=0))


MODELS = {
    "logistic regression": pipeline(StandardScaler(), LogisticRegression()),
    "boosted trees": boosted(),
}
METRICS = {"roc_auc": "AUC", "neg_log_loss": "log loss", "neg_brier_score": "Brier score"}


def promised(model: Pipeline) -> dict[str, float]:
    """Cross-validated metrics on the training rows."""
    found = cross_validate(model, X_train, y_train, cv=5, scoring=list(METRICS))
    return {name: abs(found[f"test_{metric}"].mean()) for metric, name in METRICS.items()}


def delivered(model: Pipeline) -> dict[str, float]:
    """Metrics on the held-out rows."""
    chance = model.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    measures = (roc_auc_score, log_loss, brier_score_loss)
    return {name: f(y_test, chance) for name, f in zip(METRICS.values(), measures, strict=True)}


results = pd.DataFrame(
    {
        (name, what): measure(model)
        for name, model in MODELS.items()
        for what, measure in (("promised", promised), ("delivered", delivered))
    }
).T
print(results.round(3))

base = log_loss(y_test, np.full(len(y_test), y_train.mean()))
for name in MODELS:
    promise, delivery = results.loc[(name, "promised")], results.loc[(name, "delivered")]
    assert (promise - delivery).abs().max() < 0.02  # three standard errors of the AUC
    assert delivery["AUC"] > 0.70
    assert delivery["log loss"] < 0.9 * base

# %% [markdown]
# ## Calibration
#
# Held-out rows in five groups of equal size, by the chance the model gives them: of each group, the
# share that saw a doctor is the chance that was given.

# %%
model = MODELS["boosted trees"]
chance = model.predict_proba(X_test)[:, 1]
share, given = calibration_curve(y_test, chance, n_bins=5, strategy="quantile")
print(pd.DataFrame({"chance given": given, "saw a doctor": share}).round(3))
assert np.abs(share - given).max() < 0.04
assert abs(chance.mean() - y_test.mean()) < 0.01

figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
ax.plot([0.3, 1], [0.3, 1], ":", color="black", lw=1)
for name, fitted in MODELS.items():
    of_model = fitted.predict_proba(X_test)[:, 1]
    seen, said = calibration_curve(y_test, of_model, n_bins=10, strategy="quantile")
    ax.plot(said, seen, "o-", ms=5, label=name)
ax.set(xlabel="chance given, ten groups of held-out rows", ylabel="share that saw a doctor")
ax.legend()
plt.show()

# %% [markdown]
# ## What the account is worth
#
# Without that column the same model knows less. Its 787 levels are no burden: those of few rows
# say little, and are believed little.

# %%
without = boosted()
without.set_params(binomialoutcometreatment__variables=[c for c in frame if c != "account"])
loss = delivered(without)
print({name: round(value, 3) for name, value in loss.items()})
assert loss["AUC"] < results.loc[("boosted trees", "delivered"), "AUC"] - 0.01

# %% [markdown]
# ## Next year
#
# The plan is kept with the model. Next year brings an account and a state of health never seen,
# missing values and an infinite payment: a new account has the code of accounts of few rows, bad
# numbers are replaced by the mean, and the model gets a number in every place.

# %%
kept = pickle.dumps(model)
next_year = pd.DataFrame(
    {
        "coinsurance": ["0%", "25%", None],
        "account": [frame["account"].mode()[0], "25%/1200.0/880.0", None],
        "deductible": ["individual", "none", "none"],
        "payment": [1.0, np.inf, None],
        "limit": [1.0, 880.0, None],
        "limitation": ["no", None, "yes"],
        "diseases": [10.6, None, 58.6],
        "health": ["good", "very good", None],
    }
)
model_in_use = pickle.loads(kept)
treated = model_in_use[0].transform(next_year)
print(treated[["account_catB", "payment", "diseases", "limitation_catB"]].round(2))
print("chance of a visit:", model_in_use.predict_proba(next_year)[:, 1].round(2))

assert np.isfinite(treated).all(axis=None)
assert abs(treated["account_catB"].iloc[1]) < 0.5
assert np.isclose(treated["diseases"].iloc[1], X_train["diseases"].mean())
np.testing.assert_array_equal(model_in_use.predict_proba(X_test)[:, 1], chance)
