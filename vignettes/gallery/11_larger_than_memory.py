# %% [markdown]
# # A table that does not fit in memory: a fit is a GROUP BY
#
# Target encoders want all rows in memory, and fit once for each fold. Ours does not: all that it
# ever asks of a column is how many rows of each level, in each fold, had which outcomes. That is a
# GROUP BY, and engines that hold tables larger than memory are good at it. So the rows stay where
# they are, in a Parquet file, a database or a cluster; small tables of sums come back; and the plan
# that is made of them is the one that a machine of any size would have made.

# %%
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import roc_auc_score

import vtreat_py as vt

# %% [markdown]
# ## A table on disk
#
# Visits to a shop: 400,000 here, so that this page runs in seconds. Nothing below would change with
# 400 million. They are made up, for want of a real table: who came (20,000 customers, some of whom
# buy more than others), from which of 50 sites, and how long they stayed, unless it is unknown.


# %%
def some_visits(first: int, n_rows: int) -> pd.DataFrame:
    """Visits by number."""
    random = np.random.default_rng(first)
    customer = random.integers(20_000, size=n_rows)
    site = random.integers(50, size=n_rows)
    seconds = random.gamma(2.0, 100.0, n_rows).round(1)
    chance = 0.05 + 0.5 * (customer % 7 == 0) + 0.004 * site + 0.0002 * seconds
    return pd.DataFrame(
        {
            "visit": np.arange(first, first + n_rows),
            "customer": [f"customer {number}" for number in customer],
            "site": [f"site {number}" if number < 46 else None for number in site],
            "seconds": np.where(random.random(n_rows) < 0.05, np.nan, seconds),
            "bought": (random.random(n_rows) < chance).astype(int),
        }
    )


folder = tempfile.TemporaryDirectory()
visits = Path(folder.name, "visits.parquet")
some_visits(0, 400_000).to_parquet(visits)

# %% [markdown]
# ## The design
#
# A path opens DuckDB. (A DuckDB relation, a polars `LazyFrame`, a Spark, Dask or Ibis table does as
# well.) One thing is new: `row_id=` names a column that tells the rows apart. A table in an engine
# has no order, and two reads of it may bring the rows in two orders; the fold of a row is therefore
# a piece of integer arithmetic on its id, the same on each engine and each day. (An id may be text
# or a UUID, too: its MD5 makes a number of it.)

# %%
options = {
    "outcome": "bought",
    "row_id": "visit",
    "cv": 5,
    "random_state": 0,
    "coders": ["clean", "isBAD", "catB"],
    "scale": True,
}
experiment = vt.cross_frame_experiment(visits, **options)
plan = experiment.plan
print(plan)

# %% [markdown]
# ## The same plan
#
# These rows fit in memory after all, so we can look. With the same option `row_id=` the folds are
# the same, and so are the codes: for a class outcome, counts are all there is to them, and counts
# are exact. Means of numbers are sums of floats, which engines add up in an order of their own, and
# regressions start from other rows: equal to ten digits.

# %%
in_memory = vt.cross_frame_experiment(pd.read_parquet(visits), **options)
theirs, ours = plan.score_frame, in_memory.plan.score_frame
assert plan.feature_names == in_memory.plan.feature_names
assert np.allclose(theirs[["rsq", "sig"]], ours[["rsq", "sig"]], rtol=1e-9, atol=1e-10)
levels = plan.level_effects("customer")
assert levels.equals(in_memory.plan.level_effects("customer"))

# %% [markdown]
# ## The cross-frame stays where it is
#
# A model may train only on the cross-frame: each row coded by what the *other* folds know. Here it
# is a query that has not run yet. Write it to Parquet, and read it piece by piece into a model that
# learns that way. The row id comes first, because the order of the rows is nobody's promise. With
# `scale=True` all columns are in units of the outcome, which such models want.

# %%
treated = Path(folder.name, "treated.parquet")
visit_outcomes = duckdb.read_parquet(str(visits)).project("visit, bought")
experiment.cross_frame.join(visit_outcomes, "visit").order("visit").write_parquet(str(treated))

model = SGDClassifier(loss="log_loss", alpha=1e-5, random_state=0)
for piece in duckdb.read_parquet(str(treated)).to_arrow_reader(50_000):
    table = piece.to_pandas()
    model.partial_fit(table[plan.feature_names], table["bought"], classes=[0, 1])

# %% [markdown]
# ## Scoring
#
# `prepare` gives a query as well. New visits, another table, another day: a customer never seen has
# next to no impact. The AUC on them is what the model may promise.

# %%
tomorrow = Path(folder.name, "tomorrow.parquet")
news = some_visits(1_000_000, 20_000)
news.loc[0, "customer"] = "somebody never seen"
news.to_parquet(tomorrow)
scored = vt.prepare(plan, tomorrow, row_id="visit", extra_columns=["bought"], scale=True)
scored = scored.order("visit").df()
auc = roc_auc_score(scored["bought"], model.decision_function(scored[plan.feature_names]))
print(f"AUC {auc:.3f}")
assert 0.68 < auc < 0.73

# %% [markdown]
# ## How far this goes
#
# [benchmarks/larger_than_memory.txt](../../benchmarks/larger_than_memory.txt) has the measurement:
# a Parquet file of 50 million rows, with columns of a hundred, a hundred thousand and two million
# levels, is designed and treated by a process that is not allowed more than 2 GB. What comes back
# to Python is a table of levels by folds, so it is the number of *levels* that memory must hold,
# not that of rows.
#
# Where there is a warehouse, the plan itself goes there as SQL:
# see [Scoring in the warehouse](10_scoring_in_the_warehouse.py).
