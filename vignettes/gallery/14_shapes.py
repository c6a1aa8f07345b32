# %% [markdown]
# # Shapes: what a column says that no straight line does
#
# A linear model sees of a number what a straight line through it says. Much of the world is not
# like that: houses need energy when it is cold *and* when it is hot, the day goes up and down, a
# machine starts at a threshold, the tenth visitor counts for less than the first.
#
# Five codes learn such shapes from the outcome, and hand the model a column that is straight
# again. They are not built unless asked for:
#
# | code | what it is | good at |
# |---|---|---|
# | `spline` | a smooth curve, as smooth as the likelihood has it | nearly all: begin here |
# | `piecewise` | up to 64 straight lines that meet | bends; it is short in SQL |
# | `bins` | means in up to 128 steps, each drawn to its neighbours | steps, up and down |
# | `isotonic` | a curve that only rises, or only falls | thresholds, and what never turns |
# | `window` | mean of the 20 rows around, or of 1 in 10,000 | what R gives; it is rough |
#
# All of them are in units of the outcome, for classes log odds less those overall, and are
# cross-fitted as all codes are: a training row gets the curve of the other folds.

# %%
import warnings

import duckdb
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy.special import expit, logit
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import d2_log_loss_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import vtreat_py as vt

SHAPES = ["spline", "piecewise", "bins", "isotonic", "window"]
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#666666"  # Okabe and Ito's

# %% [markdown]
# ## Four questions to one table
#
# The energy that a building takes, hour by hour. We have made the table, and so know the truth:
# a U, a wave, a threshold and a curve that levels off; the wind and the number of the meter have
# nothing to do with it.

# %%
TRUTH = {
    "temperature": lambda x: 0.05 * (x - 16) ** 2,
    "hour": lambda x: 4 * np.sin(2 * np.pi * (x - 9) / 24),
    "humidity": lambda x: np.where(x > 60, 6.0, 0.0),
    "people": lambda x: 2.5 * np.log1p(x),
}
NOISE = 4.0


def hours(n_rows: int, seed: int) -> pd.DataFrame:
    """Hours of a building, and the energy that it took."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "temperature": random.normal(14, 8, n_rows).clip(-8, 38),
            "hour": random.uniform(0, 24, n_rows),
            "humidity": random.uniform(20, 95, n_rows),
            "people": random.gamma(0.7, 60, n_rows).round(),
            "wind": random.gamma(2, 3, n_rows),
            "meter": random.integers(1_000, 9_999, n_rows).astype(float),
        }
    )
    effects = sum(effect(frame[name]) for name, effect in TRUTH.items())
    return frame.assign(kwh=20 + effects + random.normal(0, NOISE, n_rows))


train, later = hours(3_000, seed=1), hours(10_000, seed=2)
experiment = vt.cross_frame_experiment(
    train, outcome="kwh", coders=["clean", *SHAPES], random_state=0
)
scores = experiment.plan.score_frame


def by_code(scores: pd.DataFrame, what: str = "rsq") -> pd.DataFrame:
    """A row for each column, and beside each other the codes."""
    table = scores.pivot_table(index="orig_variable", columns="code", values=what)
    return table[["clean", *SHAPES]]


rsq = by_code(scores)
rsq["the truth"] = [
    np.corrcoef(TRUTH[name](train[name]), train["kwh"])[0, 1] ** 2 if name in TRUTH else 0.0
    for name in rsq.index
]
print(rsq.round(3).to_string())
assert rsq.loc["temperature", "spline"] > 5 * rsq.loc["temperature", "clean"]
assert (rsq.loc[list(TRUTH), "spline"] > 0.85 * rsq.loc[list(TRUTH), "the truth"]).all()

# %% [markdown]
# `clean` is the column itself, and its `rsq` what a straight line explains; those of the shapes are
# of rows that their curves have not seen. The last column is what the true shape explains, which
# nothing could beat but by luck.
#
# To a line the U is an eighth of what it is, and the wave a third. Neither has one direction, so
# that `isotonic` finds two thirds of them; at the threshold it is the best there is.
#
# `sig` is another matter: it asks whether the outcome changes with the *column*, in any shape. That
# is one question, so that all shapes of a column have one answer. The clean copy asks nearly the
# same, but for lines first: of a weak wave or parabola it may not know.

# %%
sig = by_code(scores, "sig")
shapes = sig.drop(columns="clean")
assert (shapes["spline"] == shapes.T).all(axis=None)
print(sig[["clean", "spline"]].map("{:.2g}".format).to_string())
assert not scores.set_index("orig_variable").loc[["wind", "meter"], "recommended"].any()

# %% [markdown]
# ## The curves
#
# The curve of a plan is what `prepare` makes of a column that runs from end to end. Grey: some of
# the rows; black, dashed: the truth; blue: what each code has learned of it.


# %%
def along(
    plan: vt.TreatmentPlan, frame: pd.DataFrame, name: str
) -> tuple[np.ndarray, pd.DataFrame]:
    """Return the codes of a column that runs from end to end."""
    at = np.linspace(frame[name].min(), frame[name].max(), 801)
    return at, vt.prepare(plan, frame.iloc[[0] * len(at)].assign(**{name: at}))


# %% tags=["hide-input"]
UNITS = {"temperature": "temperature, °C", "hour": "hour", "humidity": "humidity, %",
         "people": "people"}  # fmt: skip
figure, axes = plt.subplots(
    4, 5, figsize=(10.5, 10), sharex="row", sharey=True, layout="constrained"
)
shown = train.sample(500, random_state=0)
overall = {name: effect(train[name]).mean() for name, effect in TRUTH.items()}
for row, name in zip(axes, TRUTH, strict=True):
    at, curves = along(experiment.plan, train, name)
    truth = train["kwh"].mean() + TRUTH[name](at) - overall[name]
    for ax, shape in zip(row, SHAPES, strict=True):
        ax.plot(shown[name], shown["kwh"], ".", color="#cccccc", ms=3)
        ax.plot(at, curves[f"{name}_{shape}"], color=BLUE, lw=2.2)
        ax.plot(at, truth, color="black", lw=1.1, ls=(0, (4, 2)))
        ax.text(0.98, 0.98, f"rsq {rsq.loc[name, shape]:.3f}", transform=ax.transAxes,
                ha="right", va="top", backgroundcolor="white")  # fmt: skip
        ax.set_xlabel(UNITS[name])
    row[0].set_ylabel(f"kWh\n(straight line: rsq {rsq.loc[name, 'clean']:.3f})")
for ax, shape in zip(axes[0], SHAPES, strict=True):
    ax.set_title(shape, weight="bold")
axes[0, 0].set_ylim(10, 72)
plt.show()

# %% [markdown]
# The spline is smooth and near, but rounds the step. Piecewise bends at corners; for the step it
# needs so many that it is restless elsewhere. Bins are steps, and level where rows are few.
# Isotonic goes level where it should turn, and its ends may follow a row or two (see the hour 0).
# The window follows every few rows, which is most of what it shows.
#
# The ends stay ends: beyond the training rows a curve is level. It does not extrapolate, which for
# a trend in time is wrong, and then `clean` is the code. Nor does it know that hour 24 is hour 0.

# %%
ends = train.drop(columns="kwh").head(2).assign(temperature=[train["temperature"].max(), 60.0])
hottest, beyond = vt.prepare(experiment.plan, ends)["temperature_spline"]
assert hottest == beyond

# %% [markdown]
# ## A linear model, with and without
#
# Trained on the cross-frame, and tried on hours that nobody has seen. 0.760 is what the truth
# itself would have.


# %%
def variables_of(plan: vt.TreatmentPlan, codes: list[str]) -> list[str]:
    """Variables of these codes."""
    table = plan.score_frame
    return table.loc[table["code"].isin(codes), "variable"].tolist()


plan, cross_frame = experiment.plan, experiment.cross_frame
with warnings.catch_warnings():
    warnings.simplefilter("ignore", vt.VtreatWarning)  # that this leaks, which we want to see
    naive = vt.prepare(plan, train)
prepared = vt.prepare(plan, later)

held_out = {}
for codes in [["clean"], *(["clean", shape] for shape in SHAPES), ["clean", *SHAPES]]:
    names = variables_of(plan, codes)
    held_out["all of them" if len(codes) > 2 else " + ".join(codes)] = {
        kind: LinearRegression().fit(x[names], train["kwh"]).score(prepared[names], later["kwh"])
        for kind, x in (("cross-frame", cross_frame), ("naive", naive))
    }
held_out = pd.DataFrame(held_out).T
print(held_out.round(3).to_string())
possible = 1 - NOISE**2 / later["kwh"].var()
assert held_out.loc["clean", "cross-frame"] < 0.3
assert held_out.loc["clean + spline", "cross-frame"] > possible - 0.02
assert held_out.loc["all of them", "naive"] < held_out.loc["all of them", "cross-frame"] - 0.01

# %% [markdown]
# From 0.27 to 0.75. Which shape matters less than that there is one; all together add little to the
# spline alone. And where a code is rough, or there are many, it matters that the model has been
# trained on the cross-frame: by `naive` codes it learns to trust what has seen the answer.
#
# ## What noise gets
#
# Sixty columns that have nothing to do with the outcome. On the rows that it has seen, any shape
# finds something; the window most: 20 rows agree with each of them by a twentieth. Out of fold
# there is nothing. (Correlations lean a little below 0, as those of all means of other rows do: a
# row that is high leaves others that are low.)

# %%
random = np.random.default_rng(7)
nothing = pd.DataFrame(random.normal(size=(1_000, 60))).add_prefix("noise_")
outcome, new_outcome = random.normal(size=(2, 1_000))
of_noise = vt.cross_frame_experiment(
    nothing, outcome=outcome, coders=["clean", *SHAPES], random_state=0
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", vt.VtreatWarning)
    seen = vt.prepare(of_noise.plan, nothing)
table = of_noise.plan.score_frame
table["in sample"] = [np.corrcoef(seen[name], outcome)[0, 1] ** 2 for name in table["variable"]]
table["out of fold"] = [
    np.corrcoef(of_noise.cross_frame[name], outcome)[0, 1] for name in table["variable"]
]
print(table.groupby("code")[["in sample", "out of fold"]].median().round(4).to_string())
windows = variables_of(of_noise.plan, ["window"])
fit = LinearRegression().fit(seen[windows], outcome)
print(f"60 windows, R2 in sample: {fit.score(seen[windows], outcome):.2f}")
found = table.drop_duplicates("orig_variable")["sig"]
print(f"columns with sig < .05: {(found < 0.05).sum()} of 60; recommended variables:", end=" ")
print(f"{table['recommended'].sum()} of {len(table)}")
assert fit.score(seen[windows], outcome) > 0.5
assert (found < 0.05).sum() <= 7

# %% [markdown]
# ## A real table
#
# Fair's survey of 6,366 married women (Redbook magazine, 1974), which ships with statsmodels: who
# has had an affair? For classes, shapes are log odds; with several classes there is one for each.
# Where a shape meets no case at all, one row more that is like all rows keeps them finite.

# %%
survey = sm.datasets.fair.load_pandas().data
survey = survey.assign(had_affair=survey["affairs"] > 0).drop(columns="affairs")
of_survey = vt.cross_frame_experiment(
    survey, outcome="had_affair", target=True, coders=["clean", *SHAPES], random_state=0
)
real = by_code(of_survey.plan.score_frame)
print(real.round(3).to_string())
assert real.loc["yrs_married", "isotonic"] > 1.5 * real.loc["yrs_married", "clean"]

# %% [markdown]
# The years of marriage level off after nine, and half a year is unlike all others; women without
# children are unlike those with one. The happiness of the marriage is a line in log odds, and no
# shape says more.

# %% tags=["hide-input"]
columns = {
    "yrs_married": "years married",
    "children": "children",
    "age": "age",
    "rate_marriage": "how happy the marriage is (1 to 5)",
}
overall = logit(survey["had_affair"].mean())
figure, axes = plt.subplots(1, 4, figsize=(10.5, 3.9), sharey=True, layout="constrained")
for ax, (name, label) in zip(axes, columns.items(), strict=True):
    at, curves = along(of_survey.plan, survey, name)
    share = survey.groupby(name)["had_affair"].agg(["mean", "size"])
    error = np.sqrt(share["mean"] * (1 - share["mean"]) / share["size"])
    line = LogisticRegression(C=1e6).fit(survey[[name]], survey["had_affair"])
    ax.errorbar(share.index, share["mean"], 2 * error, fmt="o", color="black", ms=4,
                elinewidth=1, label="share, ± 2 standard errors")  # fmt: skip
    ax.plot(at, line.predict_proba(pd.DataFrame({name: at}))[:, 1], ":", color=GREY, lw=1.8,
            label="a straight line")  # fmt: skip
    for shape, colour, dash in (("spline", BLUE, "-"), ("isotonic", VERMILION, "--")):
        ax.plot(at, expit(overall + curves[f"{name}_{shape}"]), dash, color=colour, lw=1.8,
                label=shape)  # fmt: skip
    line_s, spline_s = real.loc[name, ["clean", "spline"]]
    ax.set_title(f"rsq: line {line_s:.3f}, spline {spline_s:.3f}", size=10)
    ax.set_xlabel(label)
axes[0].set_ylabel("share who had an affair")
axes[0].set_ylim(0, 0.85)
handles, labels = axes[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside upper center", ncol=4, frameon=False)
plt.show()

# %% [markdown]
# ## Trees find shapes themselves
#
# Do you need this? Not for boosted trees, which cut each column wherever it pays. Three tables,
# each model with and without the shapes beside the clean copies: the building; the survey, in six
# splits; and a table whose answer is in no column alone, for the sun costs energy in summer and
# saves it in winter.


# %%
def summers(n_rows: int, seed: int) -> pd.DataFrame:
    """Days of which neither column says anything alone."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(n_rows, 2)), columns=["sun", "temperature"])
    product = frame["sun"] * frame["temperature"]
    return frame.assign(kwh=20 + 3 * product + random.normal(0, 2, n_rows))


def explained(frame: pd.DataFrame, new: pd.DataFrame, outcome: str) -> dict[tuple[str, str], float]:
    """Share of variance, or of deviance, that models explain of new rows."""
    made = vt.cross_frame_experiment(
        frame, outcome=outcome, coders=["clean", "spline", "piecewise"], random_state=0
    )
    treated, y, new_y = vt.prepare(made.plan, new), frame[outcome], new[outcome]
    of_class = y.dtype == bool
    linear = LogisticRegression(max_iter=1_000) if of_class else LinearRegression()
    boosted = HistGradientBoostingClassifier if of_class else HistGradientBoostingRegressor
    found = {}
    for name, model in (
        ("linear", make_pipeline(StandardScaler(), linear)),
        ("trees", boosted(max_iter=60, learning_rate=0.06, random_state=0)),
    ):
        for with_what, codes in (
            ("clean", ["clean"]),
            ("with spline", ["clean", "spline"]),
            ("with piecewise", ["clean", "piecewise"]),
        ):
            names = variables_of(made.plan, codes)
            model.fit(made.cross_frame[names], y)
            found[name, with_what] = (
                d2_log_loss_score(new_y, model.predict_proba(treated[names]))
                if of_class
                else model.score(treated[names], new_y)
            )
    return found


splits = [
    train_test_split(survey, test_size=0.4, random_state=seed, stratify=survey["had_affair"])
    for seed in range(6)
]
with threadpool_limits(1):  # trees of so few rows are grown faster by one thread
    models = pd.DataFrame(
        {
            "the building": explained(train, later, "kwh"),
            "the survey": pd.DataFrame([explained(*s, "had_affair") for s in splits]).mean(),
            "sun in summer": explained(summers(3_000, 3), summers(10_000, 4), "kwh"),
        }
    )
print(models.round(3).to_string())
linear, trees = models.loc["linear"], models.loc["trees"]
assert linear.loc["with spline", "the building"] > trees["the building"].max()
assert linear.loc["with piecewise", "the survey"] > trees["the survey"].max()
assert trees["the survey"].max() < trees.loc["clean", "the survey"] + 0.003
assert linear["sun in summer"].max() < 0.02 < 0.5 < trees["sun in summer"].min()

# %% [markdown]
# In a picture:

# %% tags=["hide-input"]
figure, axes = plt.subplots(1, 3, figsize=(11, 3.1), sharey=True, layout="constrained")
marks = {
    "clean": (0.2, "o", GREY, "clean copies alone"),
    "with spline": (0.0, "D", BLUE, "with spline"),
    "with piecewise": (-0.2, "s", VERMILION, "with piecewise"),
}
for ax, name in zip(axes, models, strict=True):
    for with_what, (offset, mark, colour, label) in marks.items():
        values = [models.loc[(model, with_what), name] for model in ("trees", "linear")]
        ax.plot(values, np.arange(2) + offset, mark, color=colour, ms=7, label=label)
    ax.set(title=name, yticks=[0, 1], ylim=(-0.5, 1.5), yticklabels=["trees", "linear"])
    ax.set_xlabel(f"{'deviance' if name == 'the survey' else 'variance'} explained, held out")
    ax.grid(color="#e4e4e4", axis="x")
    ax.set_axisbelow(True)
    ax.margins(x=0.08)
    ax.locator_params(axis="x", nbins=4)
handles, labels = axes[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside upper center", ncol=3, frameon=False)
plt.show()

# %% [markdown]
# * Where effects add up, the linear model with shapes is not only shorter than the trees: it is
#   better. On the survey, too, which nobody has made so.
# * The trees win next to nothing by shapes, and on the survey they rather lose: codes that are
#   estimates carry noise, and the column itself says all that they do. Give trees the clean copies.
# * A shape is of one column. Where columns act by each other, as in the sun in summer, it finds
#   nothing, and a model that needs no help does.
#
# ## A number that is an id
#
# A curve that bends often enough can learn a table by heart. In the RAND health insurance study
# (statsmodels, too) rows are years of persons in families, and `lpi` is the log of what a family
# was paid for taking part: hundreds of families have a number of their own.

# %%
study = sm.datasets.randhie.load_pandas().data[["mdvis", "lpi", "fmde"]]
family = study.groupby(["lpi", "fmde"]).ngroup()
told = {}
for what, groups in (("rows as they come", None), ("families together", family)):
    plan_of_visits = vt.design_treatments(
        study, outcome="mdvis", outcome_type="numeric", groups=groups,
        coders=["clean", *SHAPES], random_state=0,
    )  # fmt: skip
    told[what] = by_code(plan_of_visits.score_frame).loc["lpi"]
told = pd.DataFrame(told).T
print(told.round(4).to_string())
assert told.loc["rows as they come", "window"] > 50 * told.loc["rows as they come", "clean"]
assert told.loc["families together"].max() < 0.005

# %% [markdown]
# The window finds seventy times what the line does, out of fold: other years of the same family
# are in the other folds. For families that are new it is worth nothing, as `groups=` says. The
# rougher the code, the more it is taken in.
#
# ## The plan has the curves
#
# As data: in JSON, and in SQL. Up to 20 knots are a CASE; more are a table of ranges that the query
# joins.

# %%
short = vt.design_treatments(
    survey, outcome="had_affair", target=True, variables=["children"],
    coders=["isotonic"], random_state=0,
)  # fmt: skip
query = short.to_sql("survey")
print(query[query.index("CASE WHEN vtreat_rows") :].replace(" WHEN", "\n    WHEN"))
with duckdb.connect() as connection:
    report = plan.check_sql(connection, later)
print(report)
assert report.passed
assert "CASE WHEN" in query

# %% [markdown]
# Curves are learned from sums in at most 1,024 bins of a column, for all folds at once. So the five
# cost little, in a database as well (`vt.design_treatments` of a lazy frame), or from statistics
# that were kept of last month's rows.
