"""Finite numbers come out, or an error of ours; and nothing that was given is changed."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import vtreat_py as vt
from tests.laws import designs, frames
from tests.laws.designs import refusable
from tests.laws.options import choice_options, with_codes


def finite_or_refused(random: Random) -> None:
    """Every verb of every plan gives finite numbers."""
    wide = random.random() < 0.002
    case = designs.case(random, random.choice([300, 1000, 5000]) if wide else None)
    plan = case.design()
    check_plan(plan)
    new = case.new_rows(random)
    choice = choice_options(random, case.outcome_kind)
    treated = refusable(lambda: vt.prepare(plan, new, **with_codes(random, choice)))
    if not sparse.issparse(treated):
        check_finite(treated, frames.n_rows(new))
    if not wide:
        check_verbs(plan, new)
    if case.outcome_kind != "unsupervised":
        scaled = refusable(lambda: vt.prepare(plan, new, scale=True))
        check_finite(scaled, frames.n_rows(new))


def finite_cross_frames(random: Random) -> None:
    """So does a cross-frame, whose plan is that of a design."""
    case = designs.case(random)
    options = case.options | choice_options(random, case.outcome_kind)
    made = refusable(lambda: vt.cross_frame_experiment(case.frame, **options))
    rows = made.cross_rows
    check_finite(made.cross_frame, len(rows))
    if made.cross_weights is not None:
        assert len(made.cross_weights) == len(rows)
    assert sum(len(application) for _, application in made.folds) == len(rows)
    check_plan(made.plan)
    assert made.plan == case.design()


def check_plan(plan: vt.TreatmentPlan) -> None:
    """Scores are numbers that mean what they say."""
    scores = plan.score_frame
    assert list(scores["variable"].drop_duplicates()) == plan.feature_names
    assert len(plan.recommended) == len(plan.feature_names)
    for column in ("rsq", "sig", "sig_fdr", "sig_fwer", "default_threshold"):
        values = scores[column].to_numpy(dtype=float)
        assert ((values >= 0) & (values <= 1)).all(), (column, values)
    assert repr(plan)
    assert plan._repr_html_()


def check_finite(treated: Any, n: int) -> None:
    """A treated frame has a finite number in each cell."""
    values = frames.treated_values(treated)
    # Not all frames keep their rows without columns.
    assert len(values) == n or not values.shape[1], (len(values), n)
    assert values.dtype == np.float64
    assert np.isfinite(values).all(), values


def check_verbs(plan: vt.TreatmentPlan, new: Any) -> None:
    """Tables and texts can be made of a plan, or a reason is given."""
    effects: list[Callable[[], Any]] = [
        lambda c=treatment.column, t=target: plan.level_effects(c, t)  # type: ignore[misc]
        for treatment in plan.treatments[:5]
        for target in (None, *plan.classes[:1])
    ]
    verbs: list[Callable[[], Any]] = [
        lambda: plan.to_sql("rows", dialect="duckdb"),
        lambda: plan.to_sql("rows", dialect="sqlite", scale=True, collar=True),
        lambda: plan.coding_tables(),
        lambda: _check_audit(plan.audit(new)),
        lambda: plan.diff(plan),
        *effects,
    ]
    for verb in verbs:
        try:
            verb()
        except vt.VtreatError as error:
            designs.check_words(error)


def _check_audit(report: vt.AuditReport) -> None:
    assert repr(report)
    assert report._repr_html_()
    numbers = report.frame.select_dtypes("number").to_numpy()
    assert not np.isinf(numbers).any()


def untouched(random: Random) -> None:
    """Frames, arrays, options and plans are after all verbs what they were before."""
    case = designs.case(random)
    given = {"frame": case.frame, **case.options}
    before = {name: kept(value) for name, value in given.items()}
    plan = case.design()
    new, choice = case.new_rows(random), choice_options(random, case.outcome_kind)
    held, text, pickled = kept(new), _text(plan), pickle.dumps(plan)
    for verb in (
        lambda: vt.prepare(plan, new, **choice),
        lambda: check_verbs(plan, new),
        lambda: vt.cross_frame_experiment(case.frame, **case.options),
        lambda: _written_to(vt.prepare(plan, new)),
        lambda: _written_to(plan.score_frame),
        lambda: plan.statistics,
    ):
        try:
            verb()
        except vt.VtreatError:
            continue
    check_plan(plan)
    assert _text(plan) == text
    again = pickle.loads(pickle.dumps(plan))
    if again == plan:  # no level is equal to itself alone
        assert pickle.loads(pickled) == plan
    assert same(kept(new), held)
    for name, value in given.items():
        assert same(kept(value), before[name]), name


def kept(value: Any) -> Any:
    """What is compared later: a copy of what can change."""
    if isinstance(value, dict):
        return dict(value)
    return value.copy() if isinstance(value, list) else frames.cells(value)


def same(one: Any, other: Any) -> bool:
    """Whether a value is what it was."""
    if isinstance(one, pd.DataFrame | pd.Series):
        index = one.index.equals(other.index)
        return (index and pickle.dumps(one) == pickle.dumps(other)) or _same_cells(one, other)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and repr(one.tolist()) == repr(other.tolist())
    return one is other or repr(one) == repr(other)


def _same_cells(one: Any, other: Any) -> bool:
    """Whether cells are alike in print: missing values are not equal to themselves."""
    if isinstance(one, pd.DataFrame):
        return repr(one.dtypes) == repr(other.dtypes) and repr(one.to_dict("list")) == repr(
            other.to_dict("list")
        )
    return bool(one.dtype == other.dtype) and repr(one.tolist()) == repr(other.tolist())


def _text(plan: vt.TreatmentPlan) -> str:
    """The plan as text; of what JSON has no form for, what is printed."""
    try:
        return plan.to_json()
    except vt.VtreatError:
        return repr(plan)


def _written_to(table: Any) -> None:
    """Write over what a plan has handed out."""
    if isinstance(table, pd.DataFrame):
        for place in range(table.shape[1]):
            table.isetitem(place, 7)
    elif isinstance(table, np.ndarray):
        table[...] = 7
