"""Plans of all kinds, and a plan of very many columns."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import vtreat_py as vt
from tests.conftest import TREATED, example_columns

DATA = pd.DataFrame(example_columns())
BEFORE = Path(__file__).parents[1] / "data" / "written_before"


def middle(values: Any, weight: Any) -> float:
    return float(np.median(values))


def design(outcome: str = "c", frame: pd.DataFrame = DATA, **options: Any) -> vt.TreatmentPlan:
    given = {"random_state": 0, "variables": TREATED, "cv": 2} | options
    return vt.design_treatments(frame, outcome=outcome, **given)


def of_classes(**options: Any) -> vt.TreatmentPlan:
    return design(frame=DATA.assign(c=DATA["size"].map(lambda v: f"<{v % 3}>")), **options)


def of_dates() -> vt.TreatmentPlan:
    n = np.arange(len(DATA))
    frame = DATA.assign(
        day=pd.Timestamp("2020-01-01") + pd.to_timedelta(n * 40, unit="h"),
        took=pd.to_timedelta(n * 100.0, unit="s"),
    )
    return design("y", frame, variables=["day", "took", "x"])


def of_pairs() -> vt.TreatmentPlan:
    frame = DATA.assign(county=[f"{one}{k % 4}" for k, one in enumerate(DATA["g"])])
    options = {"composites": [("x", "size")], "hierarchies": {"county": "g"}}
    return design("y", frame, variables=["x", "size", "county", "g"], **options)


def of_extremes() -> vt.TreatmentPlan:
    n = np.arange(60.0)
    columns = {
        "large": (n - 30) * 5e306,
        "small": n * 1e-300,
        "far": np.append(n[:59], 1e308),
        "spike": np.append(np.zeros(57), [1e5, 1e6, 1e7]),
        "offset": 1.7e18 + n,
        "bad": np.append(n[:50], [np.inf] * 10),
    }
    return vt.design_treatments(pd.DataFrame(columns), outcome=n % 2, cv=2, random_state=0)


def lazily() -> vt.TreatmentPlan:
    frame = pl.from_pandas(DATA[[*TREATED, "c"]].assign(row=range(len(DATA)))).lazy()
    return vt.design_treatments(
        frame, outcome="c", row_id="row", variables=TREATED, cv=2, random_state=0
    )


def of_nothing() -> vt.TreatmentPlan:
    return vt.design_treatments(pd.DataFrame({"x": [None] * 4}), outcome=[0, 1, 0, 1], cv=2)


def of_own_codes() -> vt.TreatmentPlan:
    def means(levels: Any, y: Any, weight: Any) -> Any:
        return pd.Series(y).groupby(levels, dropna=False).transform("mean")

    def line(x: Any, y: Any, weight: Any) -> vt.Curve:
        return vt.Curve([-1.0, 1.0], [0.0, 5.0])

    own = {"means": vt.LevelCoder(means), "line": vt.NumberCoder(line)}
    return design("y", custom_coders=own, coders=["clean", "means", "line"])


def written_before(name: str) -> vt.TreatmentPlan:
    case = json.loads((BEFORE / f"{name}.json").read_text(encoding="utf-8"))
    return vt.TreatmentPlan.from_json(json.dumps(case["plan"]))


_PLANS = {
    "numbers": lambda: design("y"),
    "two classes": design,
    "several classes": of_classes,
    "no outcome": lambda: vt.design_treatments(DATA[TREATED], outcome_type="unsupervised"),
    "missing values only": lambda: vt.design_missingness(DATA[TREATED]),
    "as R has it": lambda: design(significance="classic", smoothing=1, cat_scaling=True),
    "a mixed model": lambda: design(smoothing="mixed"),
    "rare levels": lambda: design("y", rare_count=30, rare_sig=0.01, collar_prob=0.05),
    "shapes": lambda: design("y", coders=["clean", "spline", "bins", "isotonic", "catQ", "text"]),
    "shapes of classes": lambda: of_classes(coders=["clean", "spline", "piecewise"]),
    "own codes": of_own_codes,
    "numbers as levels": lambda: design(categorical=["size"], missing_values=["a"]),
    "dates": of_dates,
    "pairs": of_pairs,
    "extremes": of_extremes,
    "lazy": lazily,
    "nothing": of_nothing,
    "an earlier version": lambda: written_before("numeric"),
    "classes of an earlier version": lambda: written_before("multinomial"),
}


@cache
def plan_of(name: str) -> vt.TreatmentPlan:
    """One of the plans of all kinds."""
    return _PLANS[name]()


PLANS = list(_PLANS)


def repeated(plan: vt.TreatmentPlan, times: int) -> vt.TreatmentPlan:
    """The same plan with so many copies of its columns."""
    many: dict[str, list[Any]] = {"variables": [], "treatments": [], "level_statistics": []}
    derived, dropped = [], []
    for k in range(times):
        many["variables"] += [f"{c}{k}" for c in plan.variables]
        many["level_statistics"] += [
            replace(one, column=f"{one.column}{k}") for one in plan.level_statistics
        ]
        dropped += [replace(one, column=f"{one.column}{k}") for one in plan.dropped]
        for one in plan.treatments:
            copy = replace(one, column=f"{one.column}{k}")
            copy = copy.renamed([f"{v.name}{k}" for v in one.variables])
            many["treatments"].append(copy)
        derived += [
            replace(v, name=f"{v.name}{k}", orig_variable=f"{v.orig_variable}{k}")
            for v in plan.derived
        ]
    held = {name: tuple(found) for name, found in many.items()}
    return replace(plan, **held, derived=tuple(derived), dropped=tuple(dropped))
