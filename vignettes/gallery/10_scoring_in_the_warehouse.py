# %% [markdown]
# # Scoring in the warehouse: the plan as SQL
#
# The customers live in a table of forty million rows. The model lives in Python. So each night a
# job pulls the table out, codes its towns and plans and ages, and pushes scores back; and once a
# year somebody rewrites the coding by hand, in SQL, and gets three things wrong: what NULL means,
# what a quote in a name does, and the ninth digit of a number.
#
# A treatment plan is data: small tables of levels and codes. So it can be *written as a query*, and
# the rows stay where they are. `plan.to_sql` writes it, for DuckDB, SQLite, PostgreSQL, Spark,
# MySQL and ClickHouse; `plan.check_sql` proves on rows of yours that both ways agree, to the last
# bit.

# %%
import sqlite3

import duckdb
import numpy as np
import pandas as pd

import vtreat_py as vt

rng = np.random.default_rng(0)
TOWNS = ["Ayr", "AYR", "L'Aquila", "King's Lynn", "NULL", "Bath; DROP TABLE customers; --", None]


def customers(rows: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": np.arange(rows),
            "town": rng.choice(np.array(TOWNS, dtype=object), rows),
            "agent": [f"agent {k}" for k in rng.integers(0, 3_000, rows)],
            "income": np.where(rng.random(rows) < 0.1, np.nan, rng.lognormal(10, 1, rows)),
            "joined": np.datetime64("2020-01-01") + rng.integers(0, 2_000, rows),
        }
    )


train, table = customers(12_000), customers(5_000)
skill = pd.Series(rng.normal(size=3_000), index=[f"agent {k}" for k in range(3_000)])
spent = (
    skill[train["agent"]].to_numpy()
    + train["town"].isna() * 2.0
    + np.log(train["income"].fillna(20_000))
    + rng.normal(size=len(train))
)
plan = vt.design_treatments(train.drop(columns="id"), outcome=spent, random_state=0)
print(plan)

# %% [markdown]
# ## One query
#
# The row id comes first, as SQL promises no order of rows. Then come the columns of
# `vt.prepare(plan, table)`, by the same names, and with the same options: here two of them, scaled
# to units of the outcome.

# %%
print(plan.to_sql("customers", row_id="id", variables=["town_catN", "income"], scale=True))

# %% [markdown]
# Read what it does, as the hand-written query would not:
#
# * NULL is a level of its own, because the design saw missing towns (and here they spend more).
#   The town that is *called* NULL is another. Mix them up, and one row in seven has a wrong code.
# * `L'Aquila` has its quote doubled, and the town that would drop a table is a town.
# * `Ayr` and `AYR` differ, whatever collation the column has.
# * Numbers are written so that the database reads the same 64 bits, and computed in the same order.
#   Infinite ones and NaN get what was imputed.
# * Each column is read once. A column of more than 20 levels becomes *one* join, not a CASE of
#   thousands of arms, and the join serves all the variables of that column.

# %% [markdown]
# ## Load the large tables once
#
# The 3,000 agents are too many to write into a query. Their codes are a table that the query joins;
# `load_coding_tables` makes it. Its name holds a digest of what is in it, so the plans of May and
# June can lie side by side, and no query can join the wrong one.

# %%
connection = duckdb.connect()
connection.register("customers", table)
print(plan.load_coding_tables(connection))
[(name, codes)] = plan.coding_tables().items()
print(codes.head(3))
assert len(codes) == train["agent"].nunique()

CODES = ["clean", "isBAD", "catN", "catP"]
scored = connection.execute(plan.to_sql("customers", row_id="id", coders=CODES)).df()
scored = scored.sort_values("id")
treated = vt.prepare(plan, table, coders=CODES)
assert scored.columns.tolist() == ["id", *treated.columns]
assert (scored.drop(columns="id").to_numpy() == treated.to_numpy()).all()

# %% [markdown]
# (Why not the indicators, too? `town_lev_x_Ayr` and `town_lev_x_AYR` are two columns here, but to
# DuckDB, SQLite and Spark names that differ by case are one. There the later one gets `_2`, and a
# warning says so: a table that is made from the query keeps both.)
#
# ## Do not trust, compare
#
# Another version of the database, another driver, a column that is stored as DECIMAL: see for
# yourself, on a few thousand rows. `check_sql` loads them as temporary tables, runs the query and
# `prepare`, compares, and leaves nothing behind. Here it is in DuckDB, and in SQLite, which comes
# with Python.

# %%
for database in (connection, sqlite3.connect(":memory:")):
    report = plan.check_sql(database, table, coders=CODES, scale=True, collar=True)
    print(report)
    assert report.passed
    assert report.largest_difference == 0

# %% [markdown]
# What such a comparison finds, when there is something to find: prices that a table keeps as
# 32-bit floats have seven digits, not sixteen.

# %%
coarse = table.assign(income=table["income"].astype("float32"))
connection.register("coarse", coarse)
rounded = connection.execute(plan.to_sql("coarse", row_id="id", variables=["income"])).df()
off = np.abs(rounded.sort_values("id")["income"].to_numpy() - treated["income"].to_numpy())
print(f"largest difference {off.max():.4f} of incomes about {treated['income'].median():.0f}")
assert 0 < off.max() < 0.1

# %% [markdown]
# ## Keep the plan beside the query
#
# The query is what runs; the plan is what you keep. `plan.to_json()` is the whole of it, without
# any code, and the query of the plan that comes back is the same, letter by letter. In review a
# changed plan then is a changed query, and `plan.diff(other)` says what changed.

# %%
restored = vt.TreatmentPlan.from_json(plan.to_json())
texts = [p.to_sql("customers", row_id="id", coders=CODES) for p in (plan, restored)]
assert texts[0] == texts[1]

# %% [markdown]
# Other engines (BigQuery, Snowflake, ...) get a query by the rules of their documentation,
# `dialect="bigquery"`, whose first line says that no test has run it: compare a few thousand rows
# with `prepare` before you do. Where dbt runs your queries, the command line writes a model of it.
