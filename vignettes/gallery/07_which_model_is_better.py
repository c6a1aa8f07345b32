# %% [markdown]
# # Which model is better, and is the difference real?
#
# One model has a loss of 0.200, another of 0.206. Take the first? Three questions come before that:
#
# * *Is it luck?* On other rows the second might have won. Fisher's randomization test tells.
# * *How many have you compared?* Of many models one is always ahead. Adjusted p-values tell.
# * *Why is it better?* A model that is wrong whatever it learns from needs better columns. One that
#   is wrong differently each time needs more rows. Bias and variance tell, and they tell which
#   model will be ahead when there are more rows. Here it is the other one.
#
# The data are the RAND Health Insurance Experiment (20,190 person-years, 1974 to 1982), in the form
# that ships with statsmodels. Does a person see a doctor this year?

# %%
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small data: threads of boosted trees only wait

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import vtreat_py as vt
from vtreat_py.evaluation import (
    bias_variance,
    comparison_report,
    per_row_loss,
    randomization_test,
    repeated_cross_val_predict,
)

study = sm.datasets.randhie.load_pandas().data
rate = (np.exp(study["lncoins"]) - 1).round().astype(int).astype(str) + "%"
payment, limit = np.exp(study["lpi"]).round(2), np.exp(study["fmde"]).round(2)
frame = pd.DataFrame(
    {
        "coinsurance": rate,
        "account": rate + "/" + payment.astype(str) + "/" + limit.astype(str),
        "payment": payment,
        "limit": limit,
        "limitation": study["physlm"].map({0.0: "no", 1.0: "yes"}),
        "diseases": study["disea"],
        "health": np.select(
            [study[dummy] == 1 for dummy in ("hlthg", "hlthf", "hlthp")],
            ["good", "fair", "poor"],
            "excellent",
        ),
        "saw_doctor": study["mdvis"] > 0,
    }
)
sample = frame.sample(2000, random_state=0)
print(f"{len(sample)} rows of {len(frame)}: {sample['saw_doctor'].mean():.0%} saw a doctor")

# %% [markdown]
# ## Two models, and what they say of each row
#
# Suppose that 2,000 rows are all we have so far. Each row is predicted five times, always by a
# model trained on a random half of the rows that it is not in. The treatment of the columns is part
# of the model: it is learned anew with it, from the same half.


# %%
def pipeline(*steps: object) -> Pipeline:
    """A model on the columns that are recommended."""
    treatment = vt.BinomialOutcomeTreatment(target=True, random_state=0, prune_sig="recommended")
    return make_pipeline(treatment, *steps)


MODELS = {
    "logistic": pipeline(StandardScaler(), LogisticRegression()),
    "boosted": pipeline(HistGradientBoostingClassifier(max_iter=30, random_state=0)),
}


def predicted(models: dict[str, Pipeline], rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Five probabilities of each row by each model."""
    X, y = rows.drop(columns="saw_doctor"), rows["saw_doctor"]
    options = {"L": 5, "k": 2, "method": "predict_proba", "random_state": 0}
    return {name: repeated_cross_val_predict(m, X, y, **options) for name, m in models.items()}


chances = predicted(MODELS, sample)
losses = per_row_loss(sample["saw_doctor"], chances, metric="brier")
print(losses.mean().round(4))

# %% [markdown]
# ## Is the difference luck?
#
# Every row has two losses, one of each model. If the models were equally good, those two could as
# well have been the other way round: their labels would mean nothing. So exchange them, row by row,
# by the toss of a coin, look at the difference of the means again, and do it a hundred thousand
# times. Chance makes a difference as large as ours less than once in a hundred.

# %%
found = randomization_test(losses["logistic"], losses["boosted"], random_state=0)
print(found)
assert found.statistic < 0  # of losses: logistic regression has the lower one
assert 0.001 < found.pvalue < 0.01

found.plot()
plt.show()

# %% [markdown]
# A larger difference, but of sixty rows, is worth less. Means alone do not tell:

# %%
few = randomization_test(losses["logistic"].head(60), losses["boosted"].head(60), random_state=0)
print(few)
assert few.statistic < 1.5 * found.statistic
assert few.pvalue > 0.1

# %% [markdown]
# ## More models, more luck
#
# Let two more take part: one deep tree, and a forest, the mean of fifty such trees. Four models
# make six pairs. The report has the mean loss of each model, and for each pair the difference, the
# interval of all differences that the test does not reject, and p-values, at last adjusted for
# there being six (Holm's method; any of statsmodels' may be named). A negative difference is in
# favour of the first of the two.
#
# The tree loses to all, beyond doubt. The forest is as good as the logistic regression: who
# preferred the one for its third digit would have had no reason to. And the boosted trees' defeat
# by the logistic regression, one of six looks, is worth less than it was as the only one.

# %%
trees = {
    "tree": pipeline(DecisionTreeClassifier(min_samples_leaf=5, random_state=0)),
    "forest": pipeline(RandomForestClassifier(50, min_samples_leaf=5, random_state=0)),
}
chances |= predicted(trees, sample)
losses = per_row_loss(sample["saw_doctor"], chances, metric="brier")
report = comparison_report(losses, random_state=0)
print(report)

report.plot()
plt.show()

pairs = report.pairs.set_index(["model_a", "model_b"])
adjusted = pairs["adjusted_p"]
for pair in [("logistic", "tree"), ("boosted", "tree"), ("tree", "forest")]:
    assert adjusted[pair] < 0.001
assert adjusted["logistic", "forest"] > 0.1
assert adjusted["logistic", "boosted"] > 1.5 * pairs["p"]["logistic", "boosted"]

# %% [markdown]
# ## Why is it better?
#
# Each row was predicted five times by each kind of model, from other training rows each time. Where
# the *mean* of the five is wrong, the kind of model is wrong, or nobody can know: bias. Where
# single predictions differ from their mean, it is the training rows that speak: variance. The two
# add up to the error. (`correct=True` makes up for there being but five.)
#
# * The logistic regression hardly varies. What it gets wrong, it gets wrong whatever it is given.
# * The boosted trees are *less* biased. They know more, but they also learn from the accidents of a
#   thousand training rows, and that costs them the victory.
# * A deep tree's variance is a quarter of its error. The forest, of the same bias, loses most of
#   that variance by taking means: that is what forests are for.

# %%
parts = bias_variance(chances, y=sample["saw_doctor"], method="predict_proba", correct=True)
print(parts.round(4))

bias, variance = parts["bias"], parts["variance"]
np.testing.assert_allclose(parts["error"], bias + variance)
np.testing.assert_allclose(parts["error"], losses.mean())
assert bias["boosted"] < bias["logistic"] - 0.003
assert variance["boosted"] > 3 * variance["logistic"]
assert abs(bias["forest"] - bias["tree"]) < 0.004
assert variance["forest"] < variance["tree"] / 4

# %% [markdown]
# ## With ten times the rows
#
# Variance shrinks as rows are added, bias does not. So that table makes a prophecy: with more rows
# the boosted trees win. Here are all 20,190, and they do:

# %%
chances = predicted(MODELS, frame)
losses = per_row_loss(frame["saw_doctor"], chances, metric="brier")
of_rows = randomization_test(losses["logistic"], losses["boosted"], random_state=0)
print(of_rows)
later = bias_variance(chances, y=frame["saw_doctor"], method="predict_proba", correct=True)
print(later.round(4))

assert of_rows.statistic > 0.001  # now the boosted trees have the lower loss
assert of_rows.pvalue < 0.001
assert later["variance"]["boosted"] < variance["boosted"] / 2

# %% [markdown]
# ## Rows that belong together
#
# That p-value is too good. The rows are years of the same households, and an account all but names
# one: a model that is right about a household is so in all of its years, so that these 20,190 rows
# are not as many pieces of news. With `groups` the losses of an account are exchanged together. The
# difference is the same, its p-value another: an honest one.

# %%
of_accounts = randomization_test(
    losses["logistic"], losses["boosted"], groups=frame["account"], random_state=0
)
print(of_accounts)
assert np.isclose(of_accounts.statistic, of_rows.statistic)
assert 20 * of_rows.pvalue < of_accounts.pvalue < 0.1
assert of_accounts.n_groups == 787

# %% [markdown]
# Which model is better has an answer for the rows at hand, with a p-value. The answer to *why*
# outlives them.
