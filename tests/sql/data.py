"""Frames of awkward levels and numbers, and the plans that the SQL tests are about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import vtreat_py as vt

LEVELS: list[Any] = [
    "a", "A", "a ", " a", "it's", 'say "so"', "; DROP TABLE t; --", "/* x */", "*/ x",
    "'; DROP TABLE t; --", "\\'; DROP TABLE t; --", "new\nline", "tab\t", "cr\r",
    "nul\0nul", "back\\slash", "\\", "\\n", "\u00e9", "e\u0301", "", "NaN", "NULL", "null", None,
    "\U0001f600", "%s", "?", ":p", "$1", "${spark.app.name}", "{{x}}", "`", "E'x'", "1", "1.0",
]  # fmt: skip
NUMBERS: list[Any] = [
    np.nan, np.inf, -np.inf, None, -0.0, 0.0, 1e308, -1.7e308, 1e-300, 5e-324, -5e-324, 2.2e-308,
    0.1, 1 / 3, np.pi, -1e-5, 123456789.123456789, 2.0**53 + 2, 1.0, 7.0,
]  # fmt: skip
ROWS = 720


def awkward_frame(seed: int = 0, rows: int = ROWS) -> pd.DataFrame:
    """Columns of every kind; names are awkward, too."""
    rng = np.random.default_rng(seed)

    def some(values: list[Any]) -> Any:
        listed = np.empty(len(values), dtype=object)
        listed[:] = values
        return pd.Series(rng.choice(listed, rows), dtype=object)

    days = np.datetime64("1969-06-01") + rng.integers(0, 9000, rows)
    moments = np.datetime64("1969-12-31T12:00:00", "us") + rng.integers(0, 10**15, rows)
    return pd.DataFrame(
        {
            "few": some([*LEVELS[:12], None]),
            'x"': some(LEVELS),
            "many": some([f"k{i}'" for i in range(60)] + [None]),
            "z": some(NUMBERS).astype(float),
            "small": pd.Series(rng.normal(size=rows)).where(rng.random(rows) < 0.9),
            "single": rng.random(rows).astype(np.float32),
            "whole": rng.integers(-5, 5, rows),
            "truth": rng.random(rows) < 0.3,
            "maybe": some([True, False, None]),
            "day": pd.Series(pd.to_datetime(days).date, dtype=object).where(
                rng.random(rows) < 0.9, None
            ),
            "moment": pd.Series(moments).where(rng.random(rows) < 0.9),
            "Zone": pd.Series(moments).dt.tz_localize("Europe/Paris", ambiguous="NaT",
                                                      nonexistent="NaT"),
            "code": pd.Categorical(rng.integers(0, 30, rows)),
        }
    )  # fmt: skip


def outcome_of(frame: pd.DataFrame, kind: str) -> Any:
    """An outcome that numbers and levels have a say in."""
    rng = np.random.default_rng(7)
    number = (
        frame["few"].map({"a": 2.0, "it's": -1.0}).fillna(0.0).to_numpy()
        + frame["small"].fillna(-1.0).to_numpy()
        + 2.0 * frame["truth"].to_numpy()
        + rng.normal(size=len(frame))
    )
    if kind == "numeric":
        return number
    if kind == "binomial":
        return (number > 0.5).astype(int)
    return np.array(["low", "middle", "it's high"])[np.digitize(number, [0.0, 1.5])]


def awkward_plan(kind: str, **options: Any) -> vt.TreatmentPlan:
    """The plan of the awkward frame; it is made once for each kind of outcome and its options."""
    asked = (kind, repr(options))
    if asked not in _PLANS:
        _PLANS[asked] = _awkward_plan(kind, **options)
    return _PLANS[asked]


_PLANS: dict[tuple[str, str], vt.TreatmentPlan] = {}


def _awkward_plan(kind: str, **options: Any) -> vt.TreatmentPlan:
    frame = awkward_frame()
    if kind == "unsupervised":
        return vt.design_treatments(frame, outcome_type="unsupervised", **options)
    outcome = outcome_of(frame, kind)
    return vt.design_treatments(frame, outcome=outcome, random_state=0, **options)


def written_in(dialect: str, plan: vt.TreatmentPlan) -> list[str]:
    """Variables of a plan that a dialect can write: some have no clock of a zone with summers."""
    no_clock = dialect in ("sqlite", "mysql")
    clocks = {one.name for one in plan.made if one.offset is None and no_clock}
    return [v.name for v in plan.derived if v.orig_variable not in clocks]
