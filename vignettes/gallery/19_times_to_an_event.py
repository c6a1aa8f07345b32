# %% [markdown]
# # Who leaves, and when: times to an event
#
# A telephone company wants to know which customers will leave soon. It has sold contracts through
# 600 shops, most of them small, and it knows of each customer how long they have stayed so far.
# Most are still there: when they will leave is not known, only that it was not yet. What is a code
# of the shop that a model may be trained on?
#
# The share of a shop's customers that have left is none, because the customers of old shops had
# more time to leave. The mean of their times is none, because the longest times are those that have
# not ended. What tells shops apart is how many have left *for the time they were watched*.
#
# The data are made, so that the truth is known.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm
from sklearn.preprocessing import TargetEncoder
from statsmodels.duration.hazard_regression import PHReg
from statsmodels.duration.survfunc import SurvfuncRight

import vtreat_py as vt

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#666666"  # Okabe and Ito's
random = np.random.default_rng(0)
SHOPS, YEARS = 600, 6.0
of_shop = random.normal(0.0, 0.6, SHOPS)
opened = random.uniform(0.0, YEARS, SHOPS)
popular = 1.0 / np.sqrt(np.arange(1, SHOPS + 1))


def customers(n: int) -> pd.DataFrame:
    """Draw customers, who join any time after their shop has opened."""
    shop = random.choice(SHOPS, n, p=popular / popular.sum())
    age = random.integers(18, 80, n)
    hazard = 0.25 * np.exp(of_shop[shop] - 0.02 * (age - 45))
    leaves, watched = random.exponential(1.0 / hazard), YEARS - random.uniform(opened[shop], YEARS)
    return pd.DataFrame(
        {
            "shop": [f"shop {i}" for i in shop],
            "age": age,
            "years": np.ceil(12 * np.minimum(leaves, watched)) / 12,  # contracts end with a month
            "left": leaves <= watched,
            "truth": of_shop[shop],
            "opened": opened[shop],
        }
    )


train, new = customers(5_000), customers(5_000)
size = train["shop"].value_counts()
print(f"{len(size)} shops, half of them with {size.median():.0f} customers or fewer;")
print(f"{train['left'].mean():.0%} have left")

# %% [markdown]
# ## What is expected
#
# The hazard of all customers, summed up to the time at which one was last seen, is how often
# somebody who was watched so long is *expected* to have left. Events over expected events is then a
# rate like any other. `SurvivalOutcomeTreatment` does that for the training rows of each fold by
# themselves, and shrinks the result as far as shops differ no more than chance makes them.

# %%
columns = ["shop", "age"]
treatment = vt.SurvivalOutcomeTreatment(coders=["clean", "catR"], random_state=0)
cross = treatment.fit_transform(train[columns], (train["years"], train["left"]))
later = treatment.transform(new[columns])
treatment.score_frame_[["variable", "code", "rsq", "sig"]]

# %%
seen = SurvfuncRight(train["years"], train["left"])
hazard = np.append(0.0, np.cumsum(seen.n_events / seen.n_risk))
expected = hazard[np.searchsorted(seen.surv_times, train["years"], side="right")]
shops = pd.DataFrame({"shop": train["shop"], "seen": train["left"], "expected": expected})
shops = shops.groupby("shop").sum()
shops["naive"] = np.log((shops["seen"] + 0.5) / (shops["expected"] + 0.5))
effects = treatment.plan_.level_effects("shop").set_index("level")
shops["believed"] = effects["effect"].reindex(shops.index)
shops["truth"] = train.groupby("shop")["truth"].first()

fig, axes = plt.subplots(1, 2, figsize=(12.5, 4.6), sharey=True, constrained_layout=True)
wide = np.geomspace(0.1, shops["expected"].max() * 1.1, 200)
for ax, code, title in (
    (axes[0], "naive", "Seen: events over expected events"),
    (axes[1], "believed", "Believed: the code"),
):
    dots = ax.scatter(
        shops["expected"], np.exp(shops[code]), c=np.exp(shops["truth"]), s=16, cmap="coolwarm",
        norm=LogNorm(0.25, 4.0), edgecolor="#00000055", linewidth=0.4,
    )  # fmt: skip
    ax.axhline(1.0, color=GREY, linewidth=0.8)
    ax.set(xscale="log", yscale="log", title=title, xlabel="expected events of the shop")
    ax.set(xlim=(0.1, wide[-1]), ylim=(0.12, 6.5))
    ax.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
    ax.set_yticks([0.25, 0.5, 1, 2, 4], ["¼", "½", "1", "2", "4"])
    ax.minorticks_off()
for sign in (-1.0, 1.0):
    axes[0].plot(wide, np.exp(sign * 1.96 / np.sqrt(wide)), "--", color=GREY, linewidth=0.8)
axes[0].set_ylabel("times as many as expected")
axes[0].text(6.5, 3.1, "about 95% by chance", color=GREY, fontsize=8.5)
bar = fig.colorbar(dots, ax=axes, ticks=[0.25, 0.5, 1, 2, 4], pad=0.01)
bar.ax.set_yticklabels(["¼", "½", "1", "2", "4"])
bar.ax.minorticks_off()
bar.set_label("true ratio of hazards")
plt.show()

# %% [markdown]
# Each dot is a shop; its colour is the truth. Of small shops, at the left, next to nothing is
# known: what was seen of them is chance, and the code hardly believes it. Of large ones it believes
# the more, the more was expected.
#
# ## Beside means
#
# Codes are compared with the true effects of shops, over new customers. Those of scikit-learn's
# `TargetEncoder` are of who has left, and of the logarithm of the time; it knows no censored times.

# %%
codes = {"events over expected (catR)": later["shop_catR"].to_numpy()}
for name, outcome in {
    "share that has left": train["left"].astype(float),
    "mean of log time, turned round": -np.log(train["years"]),
}.items():
    encoder = TargetEncoder(target_type="continuous").fit(train[["shop"]], outcome)
    codes[name] = encoder.transform(new[["shop"]])[:, 0]
found = {name: np.corrcoef(code, new["truth"])[0, 1] for name, code in codes.items()}
fig, axes = plt.subplots(1, 3, figsize=(12.5, 4.2), sharey=True, constrained_layout=True)
some = random.choice(len(new), 1_500, replace=False)
for ax, (name, code) in zip(axes, codes.items(), strict=True):
    dots = ax.scatter(
        code[some], new["truth"].to_numpy()[some], c=YEARS - new["opened"].to_numpy()[some],
        s=9, cmap="viridis_r", alpha=0.8,
    )  # fmt: skip
    ax.set(title=f"{name}\ncorrelation {found[name]:.2f}", xlabel="code")
axes[0].set_ylabel("true effect of the shop, log hazard")
fig.colorbar(dots, ax=axes, pad=0.01, label="years since the shop opened")
plt.show()
assert found["events over expected (catR)"] > max(list(found.values())[1:]) + 0.1

# %% [markdown]
# The means sort shops by when they opened (dark: long ago): few customers of a new shop can have
# left, and none can have stayed for long.
#
# ## Why the cross-frame
#
# The code on view above knows all training customers. A model that is trained on it sees, of each
# customer, a number in which this customer's own leaving is counted; in a small shop it is most of
# what is counted. Here is how far apart the codes of those who left are from those of all others.

# %%
naive = {
    "training": shops["naive"].reindex(train["shop"]).to_numpy(),
    "new": shops["naive"].reindex(new["shop"]).fillna(0.0).to_numpy(),
}
out_of_fold = {"training": cross["shop_catR"].to_numpy(), "new": later["shop_catR"].to_numpy()}
edges = [0, 2, 4, 8, 16, 32, 1_000]
names = ["1, 2", "3, 4", "5-8", "9-16", "17-32", "more"]


def apart(code: np.ndarray, rows: pd.DataFrame) -> pd.DataFrame:
    """Mean code of those who left, less that of others in shops of that size, and its error."""
    table = pd.DataFrame({"code": code, "left": rows["left"].to_numpy()})
    table["size"] = pd.cut(rows["shop"].map(size).to_numpy(), edges, labels=names)
    each = table.pivot_table("code", "size", "left", ["mean", "sem"], observed=True)
    difference = each["mean"][True] - each["mean"][False]
    return pd.DataFrame({"apart": difference, "error": np.hypot(*each["sem"].to_numpy().T)})


fig, axes = plt.subplots(1, 2, figsize=(12.5, 4.0), sharey=True, constrained_layout=True)
gaps = {}
for ax, (title, code) in zip(
    axes, {"Naive codes": naive, "Cross-frame": out_of_fold}.items(), strict=True
):
    for (rows_name, rows), color in zip(
        {"training": train, "new": new}.items(), (ORANGE, BLUE), strict=True
    ):
        gap = apart(code[rows_name], rows)
        gaps[title, rows_name] = gap["apart"]
        ax.errorbar(
            gap.index, gap["apart"], 2 * gap["error"], marker="o", color=color, capsize=3,
            label=f"{rows_name} customers",
        )  # fmt: skip
    ax.axhline(0.0, color=GREY, linewidth=0.8)
    ax.set(title=title, xlabel="training customers of the shop")
axes[0].set_ylabel("code of those who left,\nless code of others")
axes[0].legend()
plt.show()
assert gaps["Naive codes", "training"]["1, 2"] > gaps["Naive codes", "new"]["1, 2"] + 0.4
assert abs(gaps["Cross-frame", "training"] - gaps["Cross-frame", "new"]).mean() < 0.1

# %% [markdown]
# In the cross-frame a training customer's code says no more than that of a new one: it comes of
# other customers, and so does what was expected of them.
#
# ## What a Cox regression promises, and keeps
#
# Two Cox regressions, on the age and on a code of the shop: the naive one, and that of the
# cross-frame. Customers are put into thirds by the risk they are told, and of each third the share
# that is still there is drawn as time goes by (Kaplan and Meier's curves): dashed for the customers
# that the model was trained on, solid for new ones.

# %%


def concordance(rows: pd.DataFrame, risk: np.ndarray) -> float:
    """Of pairs of which it is known who left first: how often it was the one of more risk."""
    years, pairs, right = rows["years"].to_numpy(), 0, 0.0
    for i in np.flatnonzero(rows["left"]):
        longer = risk[years > years[i]]
        pairs += len(longer)
        right += (longer < risk[i]).sum() + 0.5 * (longer == risk[i]).sum()
    return right / pairs


fig, axes = plt.subplots(1, 2, figsize=(12.5, 4.6), sharey=True, constrained_layout=True)
kept = {}
for ax, (title, code) in zip(
    axes, {"Naive codes": naive, "Cross-frame": out_of_fold}.items(), strict=True
):
    x = {name: np.column_stack([code[name], rows["age"]]) for name, rows in
         {"training": train, "new": new}.items()}  # fmt: skip
    cox = PHReg(train["years"], x["training"], status=train["left"]).fit()
    risk = {name: values @ cox.params for name, values in x.items()}
    kept[title] = concordance(train, risk["training"]), concordance(new, risk["new"])
    for name, rows, style in (("training", train, (0, (4, 2))), ("new", new, "solid")):
        third = pd.qcut(risk[name], 3, labels=False)
        for k, color in enumerate((BLUE, GREY, ORANGE)):
            curve = SurvfuncRight(rows["years"][third == k], rows["left"][third == k])
            ax.step(
                np.append(0.0, curve.surv_times), np.append(1.0, curve.surv_prob), where="post",
                color=color, linestyle=style, linewidth=1.6,
            )  # fmt: skip
    promised, delivered = kept[title]
    ax.set(
        title=f"{title}: concordance {promised:.2f} promised, {delivered:.2f} kept",
        xlabel="years", xlim=(0, 5.0), ylim=(0, 1.0),
    )  # fmt: skip
axes[0].set_ylabel("still there")
lines = [plt.Line2D([], [], color=c) for c in (BLUE, GREY, ORANGE)]
lines += [plt.Line2D([], [], color="black", linestyle=s) for s in ((0, (4, 2)), "solid")]
axes[0].legend(
    lines, ["least risk", "middle", "most risk", "training customers", "new customers"],
    loc="lower left",
)  # fmt: skip
plt.show()
assert kept["Naive codes"][0] > kept["Naive codes"][1] + 0.05
assert abs(kept["Cross-frame"][0] - kept["Cross-frame"][1]) < 0.03

# %% [markdown]
# ## What a reviewer asks for
#
# `level_effects` has each shop's ratio of observed over expected events, shrunk, with its standard
# error. Here are the fifteen shops of which most was expected, with 90% intervals; the truth is the
# ratio of hazards to that of a shop of the mean effect.

# %%
table = effects[effects["kind"] == "level"].sort_values("count").tail(15)
table = table.sort_values("effect")
truth = train.groupby("shop")["truth"].first().reindex(table.index) - train["truth"].mean()
place = np.arange(len(table))
fig, ax = plt.subplots(figsize=(8.5, 4.8), constrained_layout=True)
reach = 1.645 * table["effect_se"]
ax.hlines(
    place, np.exp(table["effect"] - reach), np.exp(table["effect"] + reach), color=BLUE, linewidth=2
)
ax.plot(table["rate_ratio"], place, "o", color=BLUE, label="believed, with a 90% interval")
ax.plot(table["mean"], place, "o", mfc="none", color=ORANGE, label="seen")
ax.plot(np.exp(truth), place, "x", color="black", label="truth")
ax.axvline(1.0, color=GREY, linewidth=0.8)
ax.set(xscale="log", xlabel="ratio to all customers", yticks=place, yticklabels=table.index)
ax.set_xticks([0.25, 0.5, 1, 2, 4], ["¼", "½", "1", "2", "4"])
ax.minorticks_off()
ax.legend(loc="lower right")
plt.show()

# %% [markdown]
# The plan is data as all plans are: JSON, an SQL query, an ONNX model. New customers need no times.
# [The page on times to an event](../guide/survival.md) says what the codes are when many rows have
# their event, and what is not there.
