# %% [markdown]
# # Watching a deployed plan: the model still answers, but to another question
#
# A model in production does not crash when the world changes. A warehouse starts to send grams in
# place of kilograms, a new town opens, a feed breaks: `prepare` still returns clean numbers, the
# model still returns scores, and for weeks nobody knows that they mean nothing. Outcomes would
# tell, but those come months later. The columns tell at once.
#
# A plan remembers how each column was spread when it was designed. `plan.audit(frame)` holds a new
# frame against that, in one call, before it is scored.

# %%
import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

import vtreat_py as vt

# %% [markdown]
# ## A model that is scored monthly
#
# Parcels: what will it cost to deliver one? The depot, the shop that sends it, its weight, and the
# distance, which is missing at times.


# %%
def parcels(n_rows: int, seed: int) -> pd.DataFrame:
    """A month of parcels, as they were when the model was made."""
    random = np.random.default_rng(seed)
    depot = random.choice(["Ayr", "Bath", "Cork", "Deal"], n_rows, p=[0.4, 0.3, 0.2, 0.1])
    shop = [f"shop {number}" for number in random.zipf(1.5, n_rows) % 3_000]
    weight = random.lognormal(1.0, 0.6, n_rows)
    distance = np.where(random.random(n_rows) < 0.03, np.nan, random.gamma(2.0, 40.0, n_rows))
    fee = pd.Series(depot).map({"Ayr": 2.0, "Bath": 4.0, "Cork": 9.0, "Deal": 5.0})
    cost = fee + 0.8 * weight + 0.05 * np.nan_to_num(distance, nan=80.0)
    cost += random.normal(0.0, 1.0, n_rows)
    return pd.DataFrame(
        {"depot": depot, "shop": shop, "weight": weight, "distance": distance, "cost": cost}
    )


january = parcels(20_000, seed=1)
experiment = vt.cross_frame_experiment(january, outcome="cost", random_state=0)
plan = experiment.plan
model = LinearRegression().fit(experiment.cross_frame, january["cost"])

# %% [markdown]
# ## A month like any other
#
# Nothing has drifted. Not that all numbers are 0: two samples of one world are never the same.

# %%
february = parcels(8_000, seed=2)
calm = plan.audit(february)
print(calm)
assert calm.flagged == []
assert calm.frame["psi"].between(1e-6, 0.02).all()

# %% [markdown]
# ## What each number means
#
# - `psi`, the population stability index, says *how far* a column has moved: cut it into bins, and
#   add up `(now - then) * log(now / then)` over the shares of the bins. Missing values are a bin,
#   and so are levels never seen, and numbers below and above all that the design has seen.
# - `psi_by_chance` is how far chance alone moves it, in one month of twenty.
# - `p_adjusted` says *how surely* it has moved: the p-value of a test that deals all rows, those of
#   the design and those of the month, to two heaps at random. It is adjusted for the number of
#   columns: among calm months at most one in a hundred gives a false alarm (`sig=0.01`).
# - `drifted` asks for both. With ten million rows everything is significant, and with twelve the
#   index is large by chance; only what is large *and* no accident is worth getting up for. That 0.1
#   is a moderate index and 0.25 a large one is a custom of credit scoring; it has no theorem behind
#   it. Set `psi=` to what your model can bear.

# %%
shown = ["column", "psi", "psi_by_chance", "p_adjusted", "missing_then", "missing_now"]
print(calm.frame[shown].round(4))
few = plan.audit(february.head(12)).frame
assert few["psi"].max() > 0.25
assert not few["drifted"].any()

many = parcels(400_000, seed=3)
many["weight"] *= 1.05
hair = plan.audit(many).frame.set_index("column").loc["weight"]
assert hair["p_adjusted"] < 1e-4
assert hair["psi"] < 0.01
assert not hair["drifted"]

# %% [markdown]
# Shops are many, and each month brings some that the design has not seen: 3% of the rows. Is that
# news? The design can say: so many of its own rows came from a shop that no other row of it had. As
# many are to be expected in any month, and as many came. (I. J. Good's estimate of 1953, after an
# idea of Turing's.)

# %%
shops = calm.frame.set_index("column").loc["shop"]
print(f"unseen shops: {shops['novel_then']:.1%} to be expected, {shops['novel_now']:.1%} came")
assert abs(shops["novel_now"] - shops["novel_then"]) < 0.01 < 0.02 < shops["novel_now"]

# %% [markdown]
# ## March: a depot opens, grams for kilograms, and a feed breaks
#
# All three at once, and the model does not mind. It predicts.

# %%
march = parcels(8_000, seed=4)
opened = np.random.default_rng(5).random(8_000) < 0.12
march.loc[opened, "depot"] = "Ely"
march["weight"] *= 1_000
march.loc[march.index >= 5_000, "distance"] = np.nan

predicted = {
    name: model.predict(vt.prepare(plan, month)).mean()
    for name, month in (("February", february), ("March", march))
}
print({name: round(cost, 2) for name, cost in predicted.items()})
assert predicted["March"] > 100 * predicted["February"]

report = plan.audit(march)
print(report)
assert report.flagged == ["weight", "distance", "depot"]

# %% [markdown]
# The picture says which columns to look at: dots right of the dashed line, and far out of the grey
# that chance explains.

# %%
report.plot()
plt.show()

# %% [markdown]
# ## Why: column by column
#
# The depot: a level that was not there, with an eighth of the rows. Its code is that of "never
# seen", which is what is known of depots at large; the model is not wrong about it, it knows
# nothing of it.

# %%
depots = report.levels("depot")
print(depots.round(3))
new = depots.iloc[0]
assert (new["level"], new["kind"], new["then"]) == ("Ely", "novel", 0.0)
assert new["now"] == opened.mean()

# %% [markdown]
# The weight: nearly all numbers are above the largest of January. A collar (`collar=True`) would
# clip them to it: the model would see only the heaviest parcels. Whether that is better than
# nonsense in grams is a question for people; that it happens, they should know.

# %%
weight = report.frame.set_index("column").loc["weight"]
print(f"above the range: {weight['above']:.1%}")
assert weight["above"] == (march["weight"] > january["weight"].max()).mean() > 0.9

# %% [markdown]
# The distance: missing in 3% of January, and in 39% of March. `bins` shows what each bin adds to
# the index. Nearly all of it comes from missing values; the numbers that still come are as they
# were.

# %%
bins = report.bins("distance")
print(bins[["bin", "then", "now", "psi"]].round(3).head(4))
assert bins["psi"].idxmax() == 0
assert bins["now"][0] == march["distance"].isna().mean()
assert bins["psi"].sum() == report.frame.set_index("column").loc["distance", "psi"]

# %% [markdown]
# ## In a pipeline
#
# `on_drift="warn"` says it and goes on; `on_drift="raise"` stops before anything is scored, and the
# error has the report. Nothing that `prepare` returns ever changes.

# %%
stopped = None
try:
    plan.audit(march, on_drift="raise")
except vt.DriftError as drift:
    stopped = drift
print(stopped)
assert stopped is not None
assert stopped.report.flagged == report.flagged

assert plan.audit(february, on_drift="raise").flagged == []

# %% [markdown]
# The plan that audits may come from a file: what it remembers is in its JSON, without any row of
# January. And it costs next to nothing.

# %%
again = vt.TreatmentPlan.from_json(plan.to_json()).audit(march)
pd.testing.assert_frame_equal(again.frame, report.frame)

start = time.perf_counter()
plan.audit(many)
print(f"{(time.perf_counter() - start) / len(many) * 1e9:.0f} ns a row for four columns")

# %% [markdown]
# ## What an audit does not see
#
# It looks at one column at a time, and never at the outcome. If heavy parcels become cheap, or if
# weight and distance change their ways *together* while each of them looks as ever, only outcomes
# will tell. Then design again, and let `plan.diff(other)` show what moved.
