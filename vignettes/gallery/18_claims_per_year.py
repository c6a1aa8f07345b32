# %% [markdown]
# # Claims per year, by the model of the car
#
# An insurer knows for each policy how many claims there were, and for how many years it was in
# force: some for a week, some for a decade. The models of cars are many, most of them rare. What is
# a code of the model that a pricing model may be trained on?
#
# Two things go wrong with the codes at hand. The mean of claims forgets the years. The mean of
# claims over years gives a policy of one week, with its one claim, a rate of 52 a year, and as
# much weight as ten years without one. An impact code of rates adds up claims, adds up years, and
# divides; and it shrinks the result as far as the rows say.
#
# The data are made, so that the truth is known.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import PoissonRegressor
from sklearn.metrics import mean_poisson_deviance
from sklearn.preprocessing import TargetEncoder

import vtreat_py as vt

random = np.random.default_rng(7)
MODELS = 1_500
of_model = random.normal(0.0, 0.5, MODELS)
popular = 1.0 / np.arange(1, MODELS + 1)


def policies(n: int) -> pd.DataFrame:
    """Draw policies: years go with the model, as new models have not been on the road for long."""
    model = random.choice(MODELS, n, p=popular / popular.sum())
    age = random.integers(18, 85, n)
    log_rate = np.log(0.15) + of_model[model] + 0.0006 * (age - 50) ** 2 - 0.2
    years = random.gamma(0.7, 2.0, n) * np.where(model % 3 == 0, 0.15, 1.0) + 0.02
    varies = random.gamma(2.0, 0.5, n)  # drivers of one model differ: more than Poisson
    return pd.DataFrame(
        {
            "model": [f"model {i}" for i in model],
            "age": age,
            "years": years,
            "claims": random.poisson(np.exp(log_rate) * varies * years),
            "truth": of_model[model],
        }
    )


train, later = policies(30_000), policies(30_000)
print(f"{train['model'].nunique()} models, {(train['years'] < 0.1).mean():.0%} of policies")
print("were in force for less than five weeks")

# %% [markdown]
# ## The codes
#
# `exposure="years"` makes the outcome a rate. `fit_transform` gives the frame to train on, in which
# a policy's own claims are not in its code.

# %%
columns = ["model", "age", "years"]
treatment = vt.RateOutcomeTreatment(
    exposure="years", coders=["clean", "catR", "isBAD"], random_state=0
)
cross = treatment.fit_transform(train[columns], train["claims"])
treatment.score_frame_[["variable", "code", "rsq", "sig"]]

# %%
fig, axes = plt.subplots(1, 2, figsize=(12.5, 6.0), constrained_layout=True)
vt.plots.level_effects(treatment.plan_, "model", most=18, ax=axes[0])
vt.plots.number_effect(treatment.plan_, "age", ax=axes[1])
plt.show()

# %% [markdown]
# At the left, circles are the rates as they were seen, dots what is believed of them, with 90%
# intervals; at the right the rate along the age, and the line that a Poisson regression on it alone
# would draw, which misses the bend.
#
# ## Beside the means
#
# Each code is compared with the true effect of the model, over later policies. The codes of
# scikit-learn's `TargetEncoder` are of claims, and of claims over years; it takes no exposure.

# %%
codes = {"catR": treatment.transform(later[columns])["model_catR"].to_numpy()}
for name, outcome in {
    "mean of claims": train["claims"],
    "mean of claims / years": train["claims"] / train["years"],
}.items():
    encoder = TargetEncoder(target_type="continuous").fit(train[["model"]], outcome)
    codes[name] = encoder.transform(later[["model"]])[:, 0]
weight = later["years"] / later["years"].sum()


def correlation(code: np.ndarray) -> float:
    """Weighted correlation with the truth."""
    together = np.cov(np.stack([code, later["truth"]]), aweights=weight)
    return float(together[0, 1] / np.sqrt(together[0, 0] * together[1, 1]))


found = {name: correlation(code) for name, code in codes.items()}
fig, axes = plt.subplots(1, 3, figsize=(12.5, 4.2), sharey=True, constrained_layout=True)
for ax, (name, code) in zip(axes, codes.items(), strict=True):
    some = random.choice(len(later), 2_000, replace=False)
    ax.plot(code[some], later["truth"].to_numpy()[some], ".", markersize=3, alpha=0.5)
    ax.set(title=f"{name}: correlation {found[name]:.2f}", xlabel="code")
axes[0].set_ylabel("true effect of the model, log rate")
plt.show()
assert found["catR"] > max(found["mean of claims"], found["mean of claims / years"]) + 0.05

# %% [markdown]
# ## A pricing model
#
# The model is a Poisson regression on the code and on the age and its square, trained on rates with
# years as weights. Beside it stands the one without the car.

# %%


def features(code: np.ndarray | None, frame: pd.DataFrame) -> np.ndarray:
    """Age, its square, and a code."""
    age = (frame["age"].to_numpy() - 50.0) / 20.0
    return np.column_stack([age, age * age] + ([] if code is None else [code]))


def deviance(code: np.ndarray | None, new: np.ndarray | None) -> float:
    """Deviance per year of later policies."""
    fitted = PoissonRegressor(alpha=1e-6, max_iter=1000).fit(
        features(code, train), train["claims"] / train["years"], sample_weight=train["years"]
    )
    predicted = fitted.predict(features(new, later))
    return float(
        mean_poisson_deviance(
            later["claims"] / later["years"], predicted, sample_weight=later["years"]
        )
    )


with_code = deviance(cross["model_catR"].to_numpy(), codes["catR"])
without = deviance(None, None)
truth = deviance(train["truth"].to_numpy(), later["truth"].to_numpy())
print(f"deviance per year: {without:.4f} without the model of the car, {with_code:.4f} with its")
print(f"code, {truth:.4f} with its true effect")
print(f"the code gives {(without - with_code) / (without - truth):.0%} of what can be had")
assert (without - with_code) / (without - truth) > 0.35

# %% [markdown]
# The plan is data as all plans are: `to_sql` gives the codes in a database, and
# `level_effects` the table of rate ratios with standard errors that a reviewer asks for.

# %%
effects = treatment.plan_.level_effects("model").sort_values("count", ascending=False)
effects[["level", "count", "mean", "rate_ratio", "rate_ratio_se", "belief"]].head(8).round(3)
