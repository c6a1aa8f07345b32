# %% [markdown]
# # Which ranker is better, and on how many queries can one tell?
#
# A search engine shows ten documents of a thousand. What counts is not how near a score is to the
# truth, but what comes first, query by query. So rankers are judged by metrics of queries, such as
# NDCG, and two of them by how far these differ on the same queries: *paired* scores, with few
# assumptions that hold. `vtreat_py.evaluation` goes from scores of documents to a table that says
# which difference is more than chance.

# %%
import lightgbm
import numpy as np
import pandas as pd
from sklearn.linear_model import RidgeCV

from vtreat_py.evaluation import (
    bias_variance,
    comparison_report,
    queries_needed,
    ranking_metrics,
    repeated_cross_val_predict,
)

# %% [markdown]
# ## Three collections, three rankers
#
# We make three collections of queries, of fifteen documents each. What a document is worth depends
# on six numbers, in part on products of them, and a grade from 0 to 4 says how relevant it is. The
# collections differ in how noisy grades are, and in size.


# %%
def collection(n_queries: int, noise: float, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Documents of queries (in the column query), and their grades."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(15 * n_queries, 6))).add_prefix("x")
    X["query"] = np.repeat(np.arange(n_queries), 15)
    worth = X["x0"] + X["x1"] + 1.2 * X["x2"] * X["x3"] + np.abs(X["x4"])
    worth += noise * random.normal(size=len(X)) + random.normal(size=n_queries)[X["query"]]
    return X, np.clip(np.floor(worth), 0, 4).astype(int).to_numpy()


COLLECTIONS = {
    "web": collection(120, 0.5, 0),
    "shop": collection(60, 1.0, 1),
    "archive": collection(25, 2.0, 2),
}
TREES = {"n_estimators": 60, "num_leaves": 8, "verbose": -1, "n_jobs": 1, "random_state": 0}
RANKERS = {
    "pairs of documents": lightgbm.LGBMRanker(min_child_samples=10, **TREES),
    "each by itself": lightgbm.LGBMRegressor(min_child_samples=10, **TREES),
    "linear": RidgeCV(),
}

# %% [markdown]
# Each document is scored by rankers that never saw its query: queries stay together in the folds.
# `groups=` says which they are, and rankers whose `fit` asks for queries, as LightGBM's does, are
# told.


# %%
def scored(X: pd.DataFrame, y: np.ndarray) -> dict[str, np.ndarray]:
    """Scores of all documents by each ranker."""
    columns, options = X.drop(columns="query"), {"L": 1, "k": 5, "random_state": 0}
    return {
        name: repeated_cross_val_predict(ranker, columns, y, groups=X["query"], **options)[0]
        for name, ranker in RANKERS.items()
    }


scores = {name: scored(*data) for name, data in COLLECTIONS.items()}

# %% [markdown]
# ## A number for each query
#
# `ranking_metrics` gives a row for each query, and for several rankers columns of (metric, ranker).
# Documents that tie count as in all their orders, on average, and exactly so: a ranker wins nothing
# by the order in which a file happened to be sorted. Queries without a relevant document have no
# NDCG. There they are left out; in other conventions they would be 0, or 1.

# %%
of_queries = {
    name: ranking_metrics(
        y,
        scores[name],
        X["query"],
        metrics=["ndcg@10", "map", "err"],
        max_relevance=4,
        without_relevant="drop",
    )
    for name, (X, y) in COLLECTIONS.items()
}
print(of_queries["archive"]["ndcg@10"].head().round(3))

# %% [markdown]
# ## Three collections, three rankers, three metrics: one call
#
# The report has the mean of each ranker, and for each two of them the difference with the interval
# of all differences that the randomization test does not reject, p-values for one side and for two,
# and one that is adjusted for all 27 looks.

# %%
report = comparison_report(of_queries, random_state=0)
print(report.performance.round(3))
shown = ["data_set", "model_a", "model_b", "difference", "low", "high", "p_greater", "adjusted_p"]
ndcg = report.pairs[report.pairs["metric"] == "ndcg@10"]
print(ndcg[shown].round(3).to_string(index=False))

# %% [markdown]
# On the web both kinds of trees beat the linear ranker beyond doubt, and it pays to train them on
# pairs, if not by much. In the shop, with half the queries, all intervals hold 0. In the archive a
# p-value of .02 (two-sided) speaks against training on pairs; but of 27 looks at nothing, one
# may well have that. Of 25 queries nobody can tell, however different the means look.

# %%
report.plot("ndcg@10", data_set="web")

# %%
report.plot("ndcg@10", data_set="archive")

# %%
of_web = ndcg[ndcg["data_set"] == "web"].set_index(["model_a", "model_b"])
assert (of_web["adjusted_p"].xs("linear", level="model_b") < 0.01).all()
of_archive = ndcg[ndcg["data_set"] == "archive"]
assert (of_archive["adjusted_p"] > 0.05).all()

# %% [markdown]
# ## How many queries would it take?
#
# "Not more than chance" is not "the same". `queries_needed` takes from a first study how far
# differences vary, and says how many queries would find a difference of a size that matters, here
# two hundredths of NDCG, four times of five.

# %%
first = of_queries["archive"]["ndcg@10"]
needed = queries_needed(first["pairs of documents"], first["linear"], difference=0.02)
print(f"{needed} queries, and there are {len(first)}")
assert needed > 10 * len(first)

# %% [markdown]
# The other question, whether two rankers are *equivalent*, has a test of its own: with a `margin`
# the report says how sure it is that the difference is smaller.

# %%
both = comparison_report(of_queries["web"], margin=0.03, random_state=0).pairs
both = both[both["metric"] == "ndcg@10"].set_index(["model_a", "model_b"])
print(both[["difference", "p", "p_equivalent"]].round(3))

# %% [markdown]
# ## Wrong always, or each time differently?
#
# A ranker that was trained on other queries would have given other scores. `bias_variance` trains
# each five times on halves of the queries. By squared error, variance is how far scores of one
# document differ; by NDCG, how far the metric of one query does. A ranker trained on pairs has
# scores on no scale of the grades, so that only the second kind of table is about ranking.
# Queries without a relevant document have no part in it.

# %%
X, y = COLLECTIONS["web"]
has_relevant = pd.Series(y > 0).groupby(X["query"]).transform("any").to_numpy()
X, y = X[has_relevant], y[has_relevant]
options = {"groups": X["query"], "k": 2, "L": 5, "random_state": 0}
by_ndcg = bias_variance(RANKERS, X.drop(columns="query"), y, metric="ndcg@10", ideal=1, **options)
print(by_ndcg.round(4))
by_square = bias_variance(
    {name: RANKERS[name] for name in ("each by itself", "linear")},
    X.drop(columns="query"),
    y,
    **options,
)
print(by_square.round(3))
assert (by_ndcg["variance"] < 0.3 * by_ndcg["error"]).all()
assert by_square["variance"]["linear"] < 0.2 * by_square["variance"]["each by itself"]
