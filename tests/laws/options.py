"""Options of designs and of prepare: each at random, and at its edges."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Sequence
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, TimeSeriesSplit
from sklearn.tree import DecisionTreeRegressor

import vtreat_py as vt

SHAPES = ["piecewise", "spline", "window", "isotonic", "bins"]
CODERS = ["clean", "isBAD", "lev", "catP", "catB", "catN", "catR", "catD", "catQ", "text", *SHAPES]
_CLASS_CODERS = ["lev", "catP", "catB", "text", "spline", "bins"]
_SPARSE = ["lev", "isBAD"]


def median_of(values: Any, weights: Any) -> float:
    """Impute as users' own functions do."""
    with np.errstate(over="ignore"):
        return float(np.median(values))


def zero(values: Any, weights: Any) -> int:
    """Impute by something else than a float."""
    return 0


def of_rows(levels: Any, y: Any, weight: Any) -> Any:
    """Give each row the largest outcome of its level; nothing where rows are few."""
    return pd.Series(y).groupby(pd.Series(levels, dtype=object), dropna=False).transform("max")


def of_table(table: Any) -> Any:
    """Give each level the root of its weight, with the sign of its mean."""
    return np.sign(table["mean"]) * np.sqrt(table["weight"])


def steep(x: Any, y: Any, weight: Any) -> Any:
    """Follow the numbers themselves, squeezed; nothing where there are few."""
    return None if len(x) < 3 else np.tanh(x)


# Coders of one's own: those that need rows, and one that does not.
OWN: dict[str, Any] = {
    "own_rows": vt.LevelCoder(of_rows, center=True),
    "own_table": vt.LevelCoder(of_table, of="table"),
    "own_steep": vt.NumberCoder(steep),
    "own_tree": vt.NumberCoder(DecisionTreeRegressor(max_depth=2, random_state=0), center=True),
}
_IMPUTERS: list[Any] = ["mean", "median", "median", 0.0, -1, 1e308, -1e-300, median_of, zero]
_DESIGN: dict[str, Callable[[Random], Any]] = {
    "min_fraction": lambda r: r.choice([0.0, 1e-300, 0.02, 0.1, 0.5, 1.0, 1]),
    "smoothing": lambda r: r.choice(
        ["auto", "mixed", "mixed", 0, 0.0, 1e-300, 0.5, 1.0, 7, 1e15, 1e300]
    ),
    "rare_count": lambda r: r.choice([0, 1, 1.5, 3, 10, 1e300]),
    "rare_sig": lambda r: r.choice([None, 0.0, 1e-300, 0.05, 0.3, 1.0]),
    "quantile": lambda r: r.choice([0.5, 0.25, 0.125, 0.9990234375]),
    "collar_prob": lambda r: r.choice([0.0, 1e-300, 0.01, 0.1, 0.25, 0.4999999999]),
    "coders": lambda r: r.sample(CODERS, r.randint(1, len(CODERS))),
    "custom_coders": lambda r: {name: OWN[name] for name in r.sample(list(OWN), r.randint(1, 2))},
    "y_dependent_coders": lambda r: r.sample(_CLASS_CODERS, r.randrange(4)),
    "cat_scaling": lambda r: r.random() < 0.5,
    "imputation": lambda r: r.choice(_IMPUTERS),
    "significance": lambda r: r.choice(["classic", "calibrated", "ordered"]),
    "force_split": lambda r: r.random() < 0.5,
    "weight_kind": lambda r: r.choice(["frequency", "importance"]),
    "missing_values": lambda r: r.choice([(), ("?", "NA"), ["", "nan", "a0"], {"x" * 300, "a"}]),
    "calendar": lambda r: r.choice([None, ["hour", "weekday"], ["week", "day", "is_month_end"]]),
    "max_classes": lambda r: r.choice([2, 5, 10**9]),
    "n_jobs": lambda r: r.choice([None, None, None, 1, 2, -1]),
}
_PREPARE: dict[str, Callable[[Random], Any]] = {
    "prune_sig": lambda r: r.choice(
        [None, 0.0, 1e-300, 0.05, 0.5, 1.0, 1, "plausible", "recommended"]
    ),
    "scale": lambda r: r.random() < 0.6,
    "collar": lambda r: r.random() < 0.6,
}
# What an option may be by mistake.
JUNK: list[Any] = [
    None, True, False, 0, 1, -1, 2**70, -0.5, 1e308, float("nan"), float("inf"), "", "x0", "y",
    "mean", "a\ud800", b"x", [], ["x0"], [None], {}, {"x0": "mean"}, {"x0": None}, (), ("x0", 1),
    object(), len, Random, np.array([]), np.array([1, 2]), np.array(3), np.float64(0.1), 1j,
    np.zeros((2, 2)), [[0], [1]], [([0], [1])], KFold(2), range(5), "ordered", slice(2), ...,
]  # fmt: skip


def some(random: Random, table: dict[str, Callable[[Random], Any]], share: float) -> dict[str, Any]:
    """Draw some of the options of a table."""
    return {name: draw(random) for name, draw in table.items() if random.random() < share}


def design_options(
    random: Random, names: Sequence[Hashable], kind: str, share: float = 0.15
) -> dict[str, Any]:
    """Draw options of a design that go together, for an outcome of some kind."""
    drawn = some(random, _DESIGN, share)
    if kind in ("rate", "survival", "unsupervised"):
        drawn.pop("custom_coders", None)
    if "coders" in drawn:
        drawn["coders"] += list(drawn.get("custom_coders", ()))
    if kind != "multinomial":
        drawn.pop("y_dependent_coders", None)
        drawn.pop("max_classes", None)
    if "coders" in drawn and not set(drawn["coders"]) & {"clean", "isBAD", "lev", "catP"}:
        drawn["coders"].append(random.choice(["clean", "lev"]))
    if names and random.random() < share:
        drawn["imputation_map"] = {random.choice(names): random.choice(_IMPUTERS)}
    if names and random.random() < share / 2:
        drawn["categorical"] = random.sample(list(names), 1)
    if len(names) > 1 and random.random() < share:
        pair = random.sample(list(names), random.choice([2, 2, min(3, len(names))]))
        how = random.random()
        if how < 0.7:
            drawn["composites"] = [tuple(pair)]
        if how > 0.5:
            drawn["hierarchies"] = dict(itertools.pairwise(pair))
    if len(names) > 1 and random.random() < share / 2:
        chosen = random.sample(list(names), random.randint(1, len(names)))
        drawn["variables"] = chosen
        mapped = drawn.get("imputation_map", {}).items()
        drawn["imputation_map"] = {name: value for name, value in mapped if _is_among(name, chosen)}
        drawn["categorical"] = [
            name for name in drawn.get("categorical", ()) if _is_among(name, chosen)
        ]
    return drawn


def _is_among(name: Any, names: list[Any]) -> bool:
    """Whether it is one of them; pandas' missing value is not to be compared."""
    return any(name is one for one in names)


def choice_options(random: Random, kind: str, share: float = 0.4) -> dict[str, Any]:
    """Draw what is to come out of a plan."""
    drawn = some(random, _PREPARE, share)
    if kind == "unsupervised":
        drawn.pop("scale", None)
    if random.random() < 0.1 and isinstance(drawn.get("prune_sig"), float):
        drawn["prune_by"] = random.choice(["sig", "sig_fdr", "sig_fwer"])
    return drawn


def with_codes(random: Random, choice: dict[str, Any]) -> dict[str, Any]:
    """Add the options that only `prepare` has to others of a choice."""
    if random.random() < 0.1:
        return choice | {"coders": random.sample(CODERS, random.randint(1, len(CODERS)))}
    if random.random() < 0.05:
        sparse = {"coders": _SPARSE, "sparse_output": True, "scale": False}
        return choice | sparse
    return choice


def folds(random: Random, n: int) -> Any:
    """Draw what ``cv`` may be but for columns; None leaves it to the default."""
    most = max(2, min(n, 7))
    number = random.randint(2, most)
    return random.choice(
        [
            None, None, None, number, number, n, "ordered", KFold(number),
            KFold(number, shuffle=True, random_state=3), TimeSeriesSplit(2),
            RepeatedKFold(n_splits=2, n_repeats=2, random_state=0), list(_halves(n)),
        ]
    )  # fmt: skip


def _halves(n: int) -> Any:
    rows = np.arange(n)
    yield rows[::2], rows[1::2]
    yield rows[1::2], rows[::2]


def folds_of_groups(random: Random, n_groups: int) -> Any:
    """Draw folds that keep groups together."""
    return random.choice([None, 2, max(2, n_groups), GroupKFold(2)])
