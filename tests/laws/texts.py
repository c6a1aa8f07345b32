"""What is written is read, and works as before."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd

import vtreat_py as vt
from tests.laws import designs, frames
from tests.laws.designs import refusable
from tests.laws.options import choice_options
from vtreat_py.base.errors import PlanFormatError


def read_as_written(random: Random) -> None:
    """A plan as JSON or pickled is the plan, and prepares to the same bits."""
    case = designs.case(random)
    plan = case.design()
    written = [pickle.loads(pickle.dumps(plan))]
    try:
        text = plan.to_json()
    except PlanFormatError as error:
        _check_reason(case, error)
    else:
        written.append(vt.TreatmentPlan.from_json(text))
        assert written[-1].to_json() == text
    if len(written) == 1:  # levels may be objects that are equal to themselves only
        assert repr(written[0]) == repr(plan)
        return
    new, choice = case.new_rows(random), choice_options(random, case.outcome_kind)
    treated = refusable(lambda: vt.prepare(plan, new, **choice))
    for again in written:
        assert again.score_frame.equals(plan.score_frame)
        assert repr(again) == repr(plan)
        if not _holds_functions(plan):
            assert again == plan
        found = vt.prepare(again, new, **choice)
        np.testing.assert_array_equal(frames.treated_values(found), frames.treated_values(treated))


def statistics_read_as_written(random: Random) -> None:
    """Kept statistics come out of a file as they went in."""
    case = designs.case(random)
    case.options.pop("n_jobs", None)
    plan = case.design(keep_statistics=True)
    assert plan.statistics is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kept"
        try:
            plan.statistics.save(path)
        except PlanFormatError as error:
            given = _holds_functions(plan) or bool(plan.options.custom_coders)
            _check_reason(case, error, given)
            return
        again = vt.DesignStatistics.load(path)
    assert again == plan.statistics
    assert again.plan() == plan
    pd.testing.assert_frame_equal(again.plan().score_frame, plan.score_frame)


def _check_reason(case: designs.Case, error: Exception, functions: bool = False) -> None:
    """Only objects of users' own types, and functions, need not have a form in a text."""
    odd = any(type(name) not in (str, int) for name in case.kind.names)
    odd |= any(one.family in ("mixed", "unlike") for one in case.kind.columns)
    assert odd or functions, error


def _holds_functions(plan: vt.TreatmentPlan) -> bool:
    """Whether options hold functions, which are read as their names."""
    imputers = [plan.options.imputation, *plan.options.imputation_map.values()]
    return any(callable(one) for one in imputers)
