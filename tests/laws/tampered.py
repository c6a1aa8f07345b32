"""A text that was tampered with is refused at once, or is a plan that works."""

from __future__ import annotations

import json
import pickle
import random
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import vtreat_py as vt

# A text that was tampered with is refused, or is a plan that works, within so many seconds.
_PATIENCE = 1.0
_NUMBERS: list[float] = [0.0, -1, 1, 2, 0.5, 1e308, -1e308, 1e-300, 5e-324, 1e17, 1e154, 2**63]
_JUNK: list[Any] = [
    *_NUMBERS, 2**70, -(2**63), "", "a", "NaN", "Infinity", "-Infinity", None, True, [], {},
    {"type": "float", "value": "NaN"}, {"type": "tuple", "value": [1, "a"]},
    {"type": "Decimal", "value": "1.5"}, {"type": "datetime", "value": ["2020-01-01", None]},
    "z", "c", "lev", "clean", "isBAD", "catB", "levels", "number", "date", "numeric", "binomial",
    "multinomial", "unsupervised",
]  # fmt: skip


def frame() -> pd.DataFrame:
    """Levels, numbers and dates, with missing values among the first two."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "c": rng.choice(list("abcdefgh"), 120),
            "z": np.where(rng.random(120) < 0.1, np.nan, rng.normal(size=120)),
            "d": pd.date_range("2020", periods=120)[rng.permutation(120)],
            "k": rng.choice([None, "u", "v"], 120),
        }
    )


@cache
def plans() -> list[vt.TreatmentPlan]:
    """A plan of every outcome, and of options that leave their trace in it."""
    rng, rows = np.random.default_rng(1), frame()
    number = rng.normal(size=120) + (rows["c"] == "a").to_numpy()
    won = np.where(number > 0, "yes", "no")
    weight = rng.integers(0, 4, 120) + 0.5
    designs: list[dict[str, Any]] = [
        {"outcome": number},
        {"outcome": won, "target": "yes"},
        {"outcome": rng.choice(list("xyz"), 120)},
        {"outcome_type": "unsupervised"},
        {"outcome": number, "sample_weight": weight, "rare_count": 3, "collar_prob": 0.05},
        {"outcome": won, "target": "yes", "rare_sig": 0.3, "smoothing": 2.0},
    ]
    return [vt.design_treatments(rows, random_state=0, **design) for design in designs]


@cache
def texts() -> list[str]:
    """The same as JSON."""
    return [plan.to_json() for plan in plans()]


def tampered(rng: random.Random) -> None:
    """A text that was tampered with is refused, or is a plan that works in every verb."""
    number = rng.randrange(len(texts()))
    found = json.loads(texts()[number])
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        _tamper(found, rng)
    start = time.process_time()
    try:
        plan = vt.TreatmentPlan.from_json(json.dumps(found))
    except vt.VtreatError:
        assert time.process_time() - start < _PATIENCE
        return
    use(plan, plans()[number])


def _tamper(found: Any, rng: random.Random) -> None:
    """Change, drop, repeat or swap one thing of a text."""
    places = list(_places(found, ()))
    path, value = rng.choice(places)
    host = _at(found, path[:-1])
    how = rng.random()
    if how < 0.35 and type(value) in (int, float):
        host[path[-1]] = rng.choice([*_NUMBERS, -value, value * 2, value + 1])
    elif how < 0.55:
        host[path[-1]] = rng.choice(_JUNK)
    elif how < 0.7:
        del host[path[-1]]
    elif how < 0.85 and isinstance(host, list):
        host.insert(path[-1], _copy(value))
    else:
        host[path[-1]] = _copy(rng.choice(places)[1])


def _places(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """All that a text holds, with the way there."""
    if path:
        yield path, node
    if isinstance(node, dict | list):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from _places(value, (*path, key))


def _at(node: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        node = node[key]
    return node


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def use(plan: vt.TreatmentPlan, other: vt.TreatmentPlan) -> None:
    """Whatever is done with a plan works, or is refused in our words; no number is lost."""
    assert repr(plan)
    assert plan._repr_html_()
    assert len(plan.recommended) == len(plan.score_frame.drop_duplicates("variable"))
    again = vt.TreatmentPlan.from_json(plan.to_json())
    assert again == plan
    assert pickle.loads(pickle.dumps(plan)) == plan
    rows = frame()
    verbs: list[Callable[[], Any]] = [
        lambda: _finite(vt.prepare(plan, rows[:7])),
        lambda: _finite(vt.prepare(plan, rows[:7], scale=True, collar=True)),
        lambda: _finite(vt.prepare(plan, rows[:7], prune_sig=0.5)),
        lambda: plan.to_sql("rows", dialect="duckdb", scale=True),
        lambda: plan.to_sql("rows", dialect="sqlite"),
        lambda: repr(plan.audit(rows)),
        lambda: plan.diff(other),
        lambda: other.diff(plan),
    ]
    for treatment in plan.treatments:
        for target in (None, *plan.classes):
            verbs.append(lambda c=treatment.column, t=target: plan.level_effects(c, t))  # type: ignore[misc]
    for verb in verbs:
        try:
            verb()
        except vt.VtreatError:
            continue


def _finite(treated: pd.DataFrame) -> None:
    assert np.isfinite(treated.to_numpy(dtype=float)).all()
