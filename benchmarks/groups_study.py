"""Groups: how far codes are from true effects of levels, where rows of a group are alike.

300 customers of ten rows each go to one of the shops, or to any of them each time. Numbers are the
effect of the shop, of deviation 1, that of the customer, and noise of deviation 1. Classes have a
rate in each shop, of mean .5 and deviation .2; a row is of its customer's class, which is drawn
once, or else of a class of its own. Codes (of classes the rates that they stand for) are held
against true effects of the levels that have rows, about the means of both: their slope on codes, 1
of codes that are as far apart as they should be, and the squared error over that of no code at all.
Beside it the same without ``groups``, in folds of customers, too, and of a number for ``smoothing``
of 100; "oracle" shrinks means of levels of numbers by true variances. Writes groups_study.txt.

Run: python benchmarks/groups_study.py [designs of each cell, 150]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from simulation import Array, in_parallel
from sklearn.model_selection import GroupKFold

import vtreat_py as vt

HERE = Path(__file__).parent
CUSTOMERS, ROWS = 300, 10
SHOPS = (20, 150)
GOES_TO = ("one shop", "any shop each time")
# Deviations of customers beside 1 of shops; probabilities that a row is of its customer's class.
APART = {"numeric": (0.0, 1.0, 3.0), "binomial": (0.0, 0.5, 0.9)}
WAYS: dict[str, dict[str, Any]] = {
    "groups": {"groups": "customer"},
    "rows": {},
    "100 rows": {"smoothing": 100},
}


def visits(
    random: np.random.Generator, kind: str, n_shops: int, goes_to: str, apart: float
) -> tuple[pd.DataFrame, Array]:
    """Visits, and what is true of each shop."""
    customer = np.arange(CUSTOMERS).repeat(ROWS)
    shop = random.integers(0, n_shops, CUSTOMERS)[customer]
    if goes_to != GOES_TO[0]:
        shop = random.integers(0, n_shops, len(customer))
    if kind == "numeric":
        true = random.normal(size=n_shops)
        y = true[shop] + apart * random.normal(size=CUSTOMERS)[customer]
        y += random.normal(size=len(shop))
    else:
        true = random.beta(2.625, 2.625, n_shops)
        lucky = random.random(CUSTOMERS)[customer]
        own = random.random(len(shop)) > apart
        y = np.where(own, random.random(len(shop)), lucky) < true[shop]
    return pd.DataFrame({"shop": shop.astype(str), "customer": customer, "y": y}), true


def coded(frame: pd.DataFrame, kind: str, **options: Any) -> pd.DataFrame:
    """Level effects, also of a column that has no code."""
    folds = list(GroupKFold(5).split(frame, groups=frame["customer"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)
        plan = vt.design_treatments(
            frame,
            outcome="y",
            outcome_type=kind,
            target=None if kind == "numeric" else True,
            variables=["shop"],
            cv=folds,
            random_state=0,
            **options,
        )
    effects = plan.level_effects("shop")
    effects = effects[effects["kind"] == "level"]
    if kind == "binomial":
        odds = np.exp(effects["effect"]) * frame["y"].mean() / (1.0 - frame["y"].mean())
        effects = effects.assign(effect=odds / (1.0 + odds))
    return effects


def oracle(frame: pd.DataFrame, apart: float) -> Array:
    """Means of levels shrunk by true variances."""
    cells = frame.groupby(["shop", "customer"])["y"].count()
    rows = cells.groupby("shop").sum()
    of_group = (cells**2).groupby("shop").sum() / rows**2
    belief = 1.0 / (1.0 + apart**2 * of_group + 1.0 / rows)
    off = frame.groupby("shop")["y"].mean() - frame["y"].mean()
    return np.asarray(belief * off)


def one_design(seed: list[int], kind: str, n_shops: int, goes_to: str, apart: float) -> Array:
    """For each way products of codes and true effects, squares of codes, errors and squares."""
    frame, true = visits(np.random.default_rng(seed), kind, n_shops, goes_to, apart)
    found, size = [], frame.groupby("shop").size().to_numpy()
    at = frame.groupby("shop").size().index.astype(int)
    codes = [
        coded(frame, kind, **options).set_index("level")["effect"].loc[at.astype(str)].to_numpy()
        for options in WAYS.values()
    ]
    codes.append(oracle(frame, apart) if kind == "numeric" else np.zeros(len(at)))
    effect = true[at] - np.average(true[at], weights=size)
    for values in codes:
        code = values - np.average(values, weights=size)
        found.append([code @ effect, code @ code, ((code - effect) ** 2).sum(), effect @ effect])
    return np.array(found)


def row_of(kind: str, n_shops: int, goes_to: str, apart: float, each: Array) -> dict[str, Any]:
    """One line of the table, from designs x ways x sums."""
    row: dict[str, Any] = {
        "outcome": kind,
        "shops": n_shops,
        "a customer goes to": goes_to,
        "customers": apart,
    }
    for way, sums in zip([*WAYS, "oracle"], each.transpose(1, 0, 2), strict=True):
        product, square, error, none = sums.T
        if way == "oracle":
            row["error oracle"] = error.sum() / none.sum() if square.any() else np.nan
            continue
        slope, share = product.sum() / max(square.sum(), 1e-300), error.sum() / none.sum()
        row[f"slope {way}"] = slope if square.any() else np.nan
        row[f"error {way}"] = share
        if way == "groups":
            n = len(each)
            row["se of slope"] = (
                np.std(product - slope * square) / np.sqrt(n) / max(square.mean(), 1e-300)
            )
            row["se of error"] = np.std(error - share * none) / np.sqrt(n) / none.mean()
    return row


def main() -> None:
    """Simulate all cells, and write the table."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    rows = []
    for kind, apart_of_kind in APART.items():
        for n_shops in SHOPS:
            for goes_to in GOES_TO:
                for apart in apart_of_kind:
                    cell = (kind, n_shops, goes_to, apart)
                    each = in_parallel(one_design, [([len(rows), i], *cell) for i in range(n)])
                    rows.append(row_of(*cell, np.array(each)))
    table = pd.DataFrame(rows).round(3).to_string(index=False)
    (HERE / "groups_study.txt").write_text(
        f"Codes of shops, {n} designs of {CUSTOMERS} customers of {ROWS} rows each\n\n{table}\n"
    )


if __name__ == "__main__":
    main()
