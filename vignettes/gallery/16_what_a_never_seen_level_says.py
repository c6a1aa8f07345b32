# %% [markdown]
# # What a never-seen level says
#
# Tomorrow's rows have zip codes, shops and product names that no training row had. An impact code
# gives them what it gives to all: the mean of levels. But a new zip code lies in a county that is
# known; a new pair is made of a known town and a known product; a new name is spelled much like
# old ones. This page shows what these three say, and how to ask for it.
#
# The data are made, so that the truth is known: deliveries to 12,000 zip codes of 800 counties in
# 40 states, of products that have names, and what each delivery costs.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import vtreat_py as vt

random = np.random.default_rng(20)
STATES, COUNTIES, ZIPS = 40, 800, 12_000
county_of, state_of = np.arange(ZIPS) % COUNTIES, np.arange(COUNTIES) % STATES
of_state, of_county, of_zip = (
    random.normal(0.0, spread, size)
    for spread, size in ((0.5, STATES), (0.4, COUNTIES), (0.3, ZIPS))
)
ADJECTIVES = [
    *(
        "small",
        "large",
        "heavy",
        "frozen",
        "fragile",
        "used",
        "wooden",
        "steel",
        "folding",
        "garden",
    )
]
THINGS = [
    *("table", "chair", "lamp", "pump", "fridge", "mirror"),
    *("drill", "bench", "shelf", "stove", "ladder", "mower"),
]
COLOURS = [
    *("red", "blue", "green", "black", "white", "grey"),
    *("oak", "ash", "walnut", "brass", "chrome", "copper"),
]
of_adjective, of_thing = (random.normal(0.0, 0.8, size) for size in (10, 12))


def deliveries(n: int) -> pd.DataFrame:
    """Draw deliveries, with the mean that their costs vary around."""
    share = 1.0 / np.arange(1, ZIPS + 1)
    place = random.permutation(ZIPS)[random.choice(ZIPS, n, p=share / share.sum())]
    place = np.where(random.random(n) < 0.5, place, random.integers(0, ZIPS, n))
    adjective, thing = random.integers(0, 10, n), random.integers(0, 12, n)
    colour, season = random.integers(0, 12, n), random.integers(0, 4, n)
    county = county_of[place]
    by_place = of_state[state_of[county]] + of_county[county] + of_zip[place]
    by_product = of_adjective[adjective] - of_adjective.mean() + of_thing[thing] - of_thing.mean()
    names = zip(adjective, COLOURS_OF[colour], thing, strict=True)
    return pd.DataFrame(
        {
            "state": [f"state {i}" for i in state_of[county]],
            "county": [f"county {i}" for i in county],
            "zip": 10_000 + place,
            "product": [f"{ADJECTIVES[a]} {c} {THINGS[t]}" for a, c, t in names],
            "season": np.array(["spring", "summer", "autumn", "winter"])[season],
            "by_place": by_place,
            "by_product": by_product,
            "cost": 10.0 + by_place + by_product + random.normal(size=n),
        }
    )


COLOURS_OF = np.array(COLOURS)
train, later = deliveries(20_000), deliveries(20_000)
novel = ~later["zip"].isin(train["zip"])
print(
    f"{train['zip'].nunique()} zip codes in training, {novel.mean():.0%} of later rows have others"
)


# %% [markdown]
# ## Its parent
#
# `hierarchies={"zip": "county", "county": "state"}` says whose effect a level is shrunk to. The
# variances of the nested model are estimated from the tables of levels, in each fold by itself; a
# zip code without rows gets what is believed of its county, and a new county its state.


# %%
def explained(plan: vt.TreatmentPlan, variable: str, rows: pd.DataFrame, truth: str) -> float:
    """Return the share of the variance of true effects that a code explains in some rows."""
    code, true = vt.prepare(plan, rows, variables=[variable])[variable], rows[truth]
    return 1.0 - float(((true - code) ** 2).mean() / (true**2).mean())


places = {"outcome": "cost", "categorical": ["zip"], "coders": ["catN"], "random_state": 0}
flat = vt.design_treatments(train, variables=["zip", "county", "state"], **places)
nested = vt.design_treatments(
    train,
    variables=["zip", "county", "state"],
    hierarchies={"zip": "county", "county": "state"},
    **places,
)
table = pd.DataFrame(
    {
        which: {
            "zip alone": explained(flat, "zip_catN", later[rows], "by_place"),
            "zip in its county": explained(nested, "zip_catN", later[rows], "by_place"),
        }
        for which, rows in (("zip codes seen", ~novel), ("never seen", novel))
    }
)
print(table.round(3).to_string())
assert abs(table.loc["zip alone", "never seen"]) < 0.02
assert (table.loc["zip in its county"] > table.loc["zip alone"] + 0.2).all()

# %% [markdown]
# The code of a county that was seen is not its plain mean: it is shrunk to its state, and the zip
# codes in it do not count by their rows, but as far as each tells of the county. `level_effects`
# shows both shares: what the parts of a level say, and the level's own.

# %%
effects = nested.level_effects("zip")
print(
    effects[["level", "count", "mean", "of_parts", "effect", "belief"]].head().round(2).to_string()
)

# %% [markdown]
# ## Its parts
#
# `composites=[("product", "season")]` makes one column of two. Its impact code is shrunk to the sum
# of what the two say by themselves; the pair's own is what its rows say beyond. Where there is
# nothing beyond, as here, nothing is stored, and a pair never seen has the sum. A plain code of
# the pair, made by hand, knows nothing of it:

# %%
few = train.sample(2_500, random_state=0)
pairs = vt.design_treatments(
    few, outcome="cost", variables=["product", "season"], composites=[("product", "season")],
    random_state=0,
)  # fmt: skip
by_hand = {"pair": few["product"] + "/" + few["season"]}
joined = vt.design_treatments(
    few.assign(**by_hand), outcome="cost", variables=["pair"], random_state=0
)
known = set(by_hand["pair"])
later_pair = later["product"] + "/" + later["season"]
unseen = later[~later_pair.isin(known) & later["product"].isin(set(few["product"]))]
unseen_pair = unseen.assign(pair=unseen["product"] + "/" + unseen["season"])
of_parts = explained(pairs, "product_colon_season_catN", unseen, "by_product")
of_pair = explained(joined, "pair_catN", unseen_pair, "by_product")
print(f"{len(unseen)} rows of new pairs: composite {of_parts:.3f}, the pair by hand {of_pair:.3f}")
scores = pairs.score_frame.set_index("variable")
print(scores.loc[["product_catN", "product_colon_season_catN"], ["rsq", "sig", "recommended"]])
assert of_parts > of_pair + 0.1
assert not scores.loc["product_colon_season_catN", "recommended"]

# %% [markdown]
# `rsq` of the composite is as good as that of the product alone, because its code holds the sum.
# `sig` is of what the pair says beyond its parts, and there is nothing: it is not recommended.
# [Which pairs matter](15_which_pairs_matter.py) finds those that do.
#
# ## Its spelling
#
# `coders=["text"]` lets levels whose texts are alike share what is known of them: a regression of
# the means of levels on their n-grams, and each level's rows beside it. 1,440 names are made of 34
# words here; the 2,500 rows have seen but some of them:

# %%
names = vt.design_treatments(
    few, outcome="cost", variables=["product"], coders=["catN", "text"], random_state=0
)
new_names = later[~later["product"].isin(few["product"])]
spelling = {
    code: explained(names, f"product_{code}", new_names, "by_product") for code in ("catN", "text")
}
print(f"{new_names['product'].nunique()} names never seen, explained by code: {spelling}")
assert spelling["text"] > spelling["catN"] + 0.2

# %% [markdown]
# ## The picture
#
# For levels never seen, what each code says beside the truth: a flat line knows nothing.

# %% tags=["hide-input"]
figure, axes = plt.subplots(1, 3, figsize=(10.5, 4.2), layout="constrained")
of_names = (names, "product_catN", "catN"), (names, "product_text", "text")
shown = (
    (
        "a zip code: its county",
        later[novel],
        "by_place",
        ((flat, "zip_catN", "zip alone"), (nested, "zip_catN", "zip in its county")),
    ),
    (
        "a pair: its parts",
        unseen_pair,
        "by_product",
        (
            (joined, "pair_catN", "pair by hand"),
            (pairs, "product_colon_season_catN", "composite"),
        ),
    ),
    ("a name: its spelling", new_names, "by_product", of_names),
)
for ax, (title, rows, truth, codes) in zip(axes, shown, strict=True):
    for (plan, variable, label), colour in zip(codes, ("tab:grey", "tab:blue"), strict=True):
        some = rows.iloc[:700]
        code = vt.prepare(plan, some, variables=[variable])[variable]
        ax.plot(some[truth], code, ".", ms=3, alpha=0.6, color=colour, label=label)
    low, high = np.percentile(rows[truth], [0.5, 99.5])
    ax.plot([low, high], [low, high], color="black", lw=0.8, ls=":")
    ax.set(title=title, xlabel="true effect")
    ax.legend(markerscale=3, fontsize=8)
axes[0].set_ylabel("code")
plt.show()

# %% [markdown]
# None of this needs a test at home: `sig` and `rsq` of these codes come out of fold as all others,
# and a cross-frame has rows of zip codes that the other folds never saw: a model learns on them how
# far the code of a county is to be trusted. How the codes do beside oracles, and how often noise is
# taken for something: [benchmarks/parts_study.txt](../../benchmarks/parts_study.txt) and
# `benchmarks/text_study.txt`.
