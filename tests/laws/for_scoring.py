"""Plans for scoring treat rows as the plans that they are made of."""

from __future__ import annotations

import pickle
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np

import vtreat_py as vt
from tests.laws import designs, frames
from tests.laws.designs import refusable
from vtreat_py.base.errors import PlanFormatError
from vtreat_py.frames.frame import InputFrame
from vtreat_py.memory.treated import read_treated
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment, TextTreatment


def scored_the_same(random: Random) -> None:
    """Levels that stay have the same bits, and others those of a level never seen."""
    case = designs.case(random)
    plan = case.design()
    scoring = refusable(lambda: plan.for_scoring(min_rows=random.choice([1, 2, 2, 3, 5])))
    names = set(scoring.feature_names)
    assert [v.name for v in plan.derived if v.name in names] == scoring.feature_names
    if len(plan.classes) == len(scoring.classes):
        _check_recommended(plan, scoring)
    _check_levels(plan, scoring)
    written = [scoring]
    with suppress(PlanFormatError):  # levels may be objects that are equal to themselves only
        written.append(vt.TreatmentPlan.from_json(scoring.to_json()))
        written.append(pickle.loads(pickle.dumps(scoring)))
    for rows in (case.frame, case.new_rows(random)):
        expected = refusable(lambda given=rows: vt.prepare(plan, given))  # type: ignore[misc]
        for one in written:
            _compare(plan, scoring, rows, expected, vt.prepare(one, rows))
    assert isinstance(scoring.report().html, str)
    assert len(scoring.diff(scoring)) == 0


def _check_recommended(plan: vt.TreatmentPlan, scoring: vt.TreatmentPlan) -> None:
    """The same variables are recommended, but for those without scores that are of few rows."""
    before = dict(zip(plan.feature_names, plan.recommended, strict=True))
    for variable, after in zip(scoring.derived, scoring.recommended, strict=True):
        unscored = variable.name in scoring.scoring.unscaled
        assert before[variable.name] == after or (unscored and not after), variable.name


def _check_levels(plan: vt.TreatmentPlan, scoring: vt.TreatmentPlan) -> None:
    """Levels of fewer rows are gone, and no others."""
    least = scoring.scoring.min_rows
    counts = {s.column: s for s in plan.level_statistics}
    for treatment in scoring.treatments:
        if isinstance(treatment, LevelTreatment):
            known = counts[treatment.column]
            many = np.flatnonzero(known.count[:-2] >= least)
            assert treatment.levels == known.levels.take(many)
        else:
            assert treatment.profile is None
            assert treatment.by_range is None
        assert treatment.sample == ""


def _compare(
    plan: vt.TreatmentPlan, scoring: vt.TreatmentPlan, rows: Any, before: Any, after: Any
) -> None:
    old = dict(zip(plan.feature_names, frames.treated_values(before).T, strict=True))
    new = dict(zip(scoring.feature_names, frames.treated_values(after).T, strict=True))
    source = InputFrame.of(rows).read_by(plan.options.missing_values).making(plan.made)
    was = {t.column: t for t in plan.treatments}
    for treatment, column in zip(
        scoring.treatments, read_treated(source, scoring.treatments), strict=True
    ):
        first = was[treatment.column]
        if isinstance(treatment, NumericTreatment):
            for variable in treatment.variables:
                np.testing.assert_array_equal(new[variable.name], old[variable.name])
            continue
        assert isinstance(first, LevelTreatment)
        assert not isinstance(treatment, TextTreatment)
        codes, own = first.encode(column), treatment.encode(column)
        is_novel = own == treatment.levels.novel
        lost = _hidden_missing(plan, scoring, treatment.column)
        is_novel |= lost & (own == treatment.levels.missing)
        for variable in treatment.variables:
            renewed = variable.name in scoring.scoring.renewed
            found, expected = new[variable.name], old[variable.name]
            if renewed:
                seen = ~is_novel & (codes < first.levels.missing)
                np.testing.assert_array_equal(found[seen], expected[seen])
                continue
            np.testing.assert_array_equal(found[~is_novel], expected[~is_novel])
            if treatment.reads_novel(variable):
                continue  # they have what their texts, or parts, say
            own_variable = next(v for v in first.variables if v.name == variable.name)
            value = first.table(own_variable)[first.levels.novel]
            assert (found[is_novel] == value).all()


def _hidden_missing(plan: vt.TreatmentPlan, scoring: vt.TreatmentPlan, column: Any) -> bool:
    count = next(s.count for s in plan.level_statistics if s.column == column)
    return bool(0 < count[-2] < scoring.scoring.min_rows)
