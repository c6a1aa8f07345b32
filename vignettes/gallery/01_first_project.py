# %% [markdown]
# # A first project: from a raw frame to a model that holds up
#
# The data are Fair's survey of extramarital affairs (6,366 married women, Redbook magazine, 1974),
# which ships with statsmodels. Occupations are numeric codes that mean categories, and we add a
# category with a thousand levels: the life situation (age, years married, children, religion and
# education together). Codes of such columns are where data preparation goes wrong.

# %%
import importlib.util
import warnings
from typing import Any

import pandas as pd
import statsmodels.api as sm
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder

import vtreat_py as vt

JOBS = {
    1: "student",
    2: "farming, unskilled",
    3: "white-collar",
    4: "teacher, nurse, artist",
    5: "managerial",
    6: "professional",
}

survey = sm.datasets.fair.load_pandas().data
life = survey[["age", "yrs_married", "children", "religious", "educ"]].astype(str)
frame = survey.drop(columns="affairs").assign(
    occupation=survey["occupation"].map(JOBS),
    occupation_husb=survey["occupation_husb"].map(JOBS),
    life=life.agg("/".join, axis=1),
    had_affair=survey["affairs"] > 0,
)
train, test = train_test_split(frame, test_size=0.4, random_state=0, stratify=frame["had_affair"])
print(f"{len(train)} rows to train on, {len(test)} held out; {train['life'].nunique()} life levels")

# %% [markdown]
# ## Design and cross-frame
#
# One call learns the plan and codes each training row by what the *other* folds know. The plan
# says how strong each derived variable is, and which are worth a model's attention.

# %%
experiment = vt.cross_frame_experiment(train, outcome="had_affair", target=True, random_state=0)
plan = experiment.plan
print(plan)

# %% [markdown]
# ## The model, three times
#
# The same logistic regression on the same variables: once trained on the cross-frame, once on
# naive codes, that is, on the training rows coded by a plan that has seen their own outcomes. And
# once on what scikit-learn's `TargetEncoder` gives, which codes training rows out of fold, too.

# %%
treated_test = vt.prepare(plan, test, prune_sig="plausible")
kept = list(treated_test.columns)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", vt.VtreatWarning)  # the warning against what we do next
    naive = vt.prepare(plan, train, prune_sig="plausible")

names = ["occupation", "occupation_husb", "life"]
encoder = make_column_transformer(
    (TargetEncoder(), names), ("drop", ["had_affair"]), remainder="passthrough"
)
encoded = encoder.fit_transform(train, train["had_affair"])


def evaluate(training_frame: Any, test_frame: Any) -> dict[str, float]:
    """Fit on a treated training frame; AUC there and on the held-out rows."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(training_frame, train["had_affair"])

    def auc(treated: Any, outcome: "pd.Series[bool]") -> float:
        return float(roc_auc_score(outcome, model.predict_proba(treated)[:, 1]))

    return {
        "AUC on training rows": auc(training_frame, train["had_affair"]),
        "AUC on held-out rows": auc(test_frame, test["had_affair"]),
    }


results = pd.DataFrame(
    {
        "cross-frame": evaluate(experiment.cross_frame[kept], treated_test),
        "naive codes": evaluate(naive, treated_test),
        "TargetEncoder": evaluate(encoded, encoder.transform(test)),
    }
).T
print(results.round(3))

# %% tags=["hide-input"]
if importlib.util.find_spec("matplotlib"):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
    promised, delivered = (results[f"AUC on {rows} rows"] for rows in ("training", "held-out"))
    ax.hlines(results.index, delivered, promised, color="#999999", lw=3)
    ax.plot(promised, results.index, "o", color="#D55E00", ms=9, mfc="white", label="promised")
    ax.plot(delivered, results.index, "o", color="#0072B2", ms=9, label="delivered")
    ax.margins(y=0.25)
    ax.invert_yaxis()
    ax.set_xlabel("AUC: promised by the training rows, delivered on the held-out rows")
    figure.legend(loc="outside upper center", ncol=2)
    plt.show()

# %% [markdown]
# The naive codes promise more and deliver less: the model believed a column that knew the answers.
# Trained on the cross-frame, it promises what it delivers. So does the one on `TargetEncoder`:
# on a column like this one the two tie. The README says where they do not.

# %%
assert results.loc["cross-frame", "AUC on held-out rows"] > 0.73
gain = results["AUC on held-out rows"]
assert gain["cross-frame"] > gain["naive codes"] + 0.01
promise = results["AUC on training rows"] - results["AUC on held-out rows"]
assert promise["cross-frame"] < 0.03 < 0.08 < promise["naive codes"]
