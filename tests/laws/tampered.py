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
from vtreat_py.plan.treatments import LevelTreatment

# A text that was tampered with is refused, or is a plan that works, within so many seconds.
_PATIENCE = 1.0
_TEXTS = 10  # of a case: most are refused at once
# Written as a number that no float holds, which readers of JSON take for infinity.
_BEYOND = 1.25e300
_NUMBERS: list[float] = [
    0.0, -1, 1, 2, 0.5, 1.5, 1e308, -1e308, 1e-300, 5e-324, 1e17, 1e154, 2**63, _BEYOND, -_BEYOND,
]  # fmt: skip
_MISSING: list[Any] = [
    None, {"type": "float", "value": "NaN"}, {"type": "Decimal", "value": "NaN"},
    {"type": "tuple", "value": ["c", {"type": "float", "value": "NaN"}]},
    {"type": "numpy.datetime64", "value": [-(2**63), 1, "D"]},
]  # fmt: skip
# Words of which each may stand in the place of the others.
_WORDS_OF: list[list[Any]] = [
    ["numeric", "binomial", "multinomial", "rate", "survival", "unsupervised"],
    ["clean", "isBAD", "lev", "catP", "catB", "catN", "catR", "catD"],
    ["levels", "number", "date", "datetime", "duration", "time"],
    ["z", "c", "k", "d", "e", "o"], ["", "a", "yes", "x", "u"],
]  # fmt: skip
_WORDS = [word for words in _WORDS_OF for word in words]
_JUNK: list[Any] = [
    *_NUMBERS, *_MISSING, *_WORDS, 2**70, -(2**63), "NaN", "Infinity", "-Infinity", True, [], {},
    {"type": "tuple", "value": [1, "a"]}, {"type": "Decimal", "value": "1.5"},
    {"type": "Decimal", "value": "sNaN"}, {"type": "datetime", "value": ["2020-01-01", None]},
]  # fmt: skip
_Path = tuple[Any, ...]


def frame() -> pd.DataFrame:
    """Levels, numbers and dates, with missing values among the first two."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "c": rng.choice(list("abcdefgh"), 120),
            "z": np.where(rng.random(120) < 0.1, np.nan, rng.normal(size=120)),
            "d": pd.date_range("2020", periods=120)[rng.permutation(120)],
            "k": rng.choice([None, "u", "v"], 120),
            "e": [None] * 120,
            "o": 1.0,
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
        {"outcome": rng.poisson(1.0, 120), "exposure": weight},
        {"outcome": (np.abs(number), won == "yes"), "outcome_type": "survival"},
        {"outcome": number, "sample_weight": weight, "rare_count": 3, "collar_prob": 0.05},
        {"outcome": won, "target": "yes", "rare_sig": 0.3, "smoothing": 2.0},
        {"outcome": number, "composites": [("c", "k")], "coders": ["catN", "lev", "bins"]},
        {"outcome": won, "hierarchies": {"c": "k"}, "coders": ["catB", "text", "piecewise"]},
    ]
    plans = [vt.design_treatments(rows, random_state=0, **design) for design in designs]
    return [*plans, plans[0].for_scoring(min_rows=20)]


@cache
def texts() -> list[str]:
    """The same as JSON."""
    return [plan.to_json() for plan in plans()]


def tampered(rng: random.Random) -> None:
    """A text that was tampered with is refused, or is a plan that works in every verb."""
    number = rng.randrange(len(texts()))
    for _ in range(_TEXTS):
        found = json.loads(texts()[number])
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            _tamper(found, rng)
        try_to_read(json.dumps(found).replace(json.dumps(_BEYOND), "1e999"), plans()[number])


def try_to_read(text: str, other: vt.TreatmentPlan) -> None:
    """Read a text that may be refused at once, and use the plan if it is not."""
    start = time.process_time()
    try:
        plan = vt.TreatmentPlan.from_json(text)
    except vt.VtreatError:
        assert time.process_time() - start < _PATIENCE
        return
    fits_together(plan, other)
    use(plan, other)


def _tamper(found: Any, rng: random.Random) -> None:
    """Change, drop, repeat or swap one thing of a text."""
    alike = _fields(found)  # of a long array a place is changed as often as a single number
    how = rng.random()
    lists = how < 0.4
    fields = [field for field in alike if field[-1] is None] if lists else list(alike)
    paths = alike[rng.choice(fields)]
    path = rng.choice(paths)
    host, value = _at(found, path[:-1]), _at(found, path)
    if how < 0.15:
        host.insert(rng.choice([path[-1], len(host)]), _copy(value))
    elif how < 0.3:
        del host[path[-1]]
    elif how < 0.4:
        host[path[-1]] = _copy(_at(found, rng.choice(paths)))
    elif how < 0.45:
        host[path[-1]] = _copy(_at(found, rng.choice(rng.choice(list(alike.values())))))
    elif how < 0.5:
        del host[path[-1]]
    elif how < 0.6 and isinstance(value, str):
        _everywhere(found, value, rng.choice(_instead_of(value)))
    else:
        host[path[-1]] = _copy(rng.choice(_instead_of(value)))


def _instead_of(value: Any) -> list[Any]:
    """What may stand in the place of a value: mostly something of its kind."""
    if type(value) in (int, float):
        return [*_NUMBERS, -value, value * 2, value + 1, value - 1]
    if isinstance(value, str | None):
        near = next((words for words in _WORDS_OF if value in words), _WORDS)
        return near + _MISSING
    return _JUNK


def _everywhere(found: Any, value: str, other: Any) -> None:
    """Put something else in all places of a text."""
    for path in [path for paths in _fields(found).values() for path in paths]:
        if _at(found, path) == value:
            _at(found, path[:-1])[path[-1]] = _copy(other)


def _fields(found: Any) -> dict[_Path, list[_Path]]:
    """The ways to all that a text holds, by field: entries of a list are one."""
    alike: dict[_Path, list[_Path]] = {}
    for path in _places(found, ()):
        field = tuple(None if isinstance(key, int) else key for key in path)
        alike.setdefault(field, []).append(path)
    return alike


def _places(node: Any, path: _Path) -> Iterator[_Path]:
    """The way to each thing that a text holds."""
    if path:
        yield path
    if isinstance(node, dict | list):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from _places(value, (*path, key))


def _at(node: Any, path: _Path) -> Any:
    for key in path:
        node = node[key]
    return node


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def fits_together(plan: vt.TreatmentPlan, other: vt.TreatmentPlan) -> None:
    """What a plan says in one place goes with what it says in others."""
    columns, unused = [t.column for t in plan.treatments], [column for column, _ in plan.unused]
    counted = [statistics.column for statistics in plan.level_statistics]
    for names in (plan.variables, columns, unused, counted, plan.classes, plan.feature_names):
        assert len(set(names)) == len(names), names
        assert all(name == name for name in names), names
    assert {*columns, *unused, *counted} <= set(plan.variables)
    if not plan.options.custom_coders and plan.scoring is None:  # else some codes may be declined
        assert not set(columns) & set(unused)
    assert {v.orig_variable for v in plan.derived} == set(columns)
    if other.level_statistics:  # plans for scoring have none
        assert {t.column for t in plan.treatments if t.kind == "levels"} <= set(counted)
    assert len(plan.classes) >= 2 if plan.outcome_type == "multinomial" else not plan.classes
    for treatment in plan.treatments:
        assert isinstance(treatment, LevelTreatment) or treatment.lower <= treatment.upper
    for variable in plan.derived:
        assert [score.target for score in variable.scores] in ([variable.target], [*plan.classes])
        assert all(0 <= score.sig <= 1 for score in variable.scores)
    assert plan.marks is None or plan.marks.column in columns


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
        lambda: plan.report(),
        lambda: plan.for_scoring(min_rows=2),
        lambda: _same_numbers(plan, rows),
    ]
    for treatment in plan.treatments:
        for target in (None, *plan.classes):
            verbs.append(lambda c=treatment.column, t=target: plan.level_effects(c, t))  # type: ignore[misc]
            verbs.append(lambda c=treatment.column, t=target: plan.number_effects(c, t))  # type: ignore[misc]
    for verb in verbs:
        try:
            verb()
        except vt.VtreatError:
            continue


def _same_numbers(plan: vt.TreatmentPlan, rows: pd.DataFrame) -> None:
    """One row at a time is treated as all of them."""
    score, treated = plan.row_scorer(), vt.prepare(plan, rows[:2])
    for place, row in enumerate(rows[:2].to_dict("records")):
        assert list(score(row).values()) == treated.iloc[place].tolist()


def _finite(treated: pd.DataFrame) -> None:
    assert np.isfinite(treated.to_numpy(dtype=float)).all()
