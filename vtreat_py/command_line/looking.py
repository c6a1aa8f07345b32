"""The verbs that show a plan: its scores, the effects of levels, what differs from another."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from typing import Any

import pandas as pd

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.command_line.errors import about
from vtreat_py.command_line.plans import read_plan
from vtreat_py.command_line.printed import as_text, check_asked, show

# Columns of the score frame that are shown as text; all are in CSV and JSON.
_SHOWN = (
    "variable", "outcome_target", "orig_variable", "code", "rsq", "sig", "sig_fdr", "sig_fwer",
    "recommended",
)  # fmt: skip
_NO_DIFFERENCE = "the plans are equal"


def run(options: Namespace) -> int:
    """Show what is asked for; plans that differ are worth an exit status of 1."""
    check_asked(options)
    plan = read_plan(options.plan)
    if options.shows == "diff":
        found = plan.diff(read_plan(options.other))
        show(found, options, _NO_DIFFERENCE if found.empty else None)
        return 1 if len(found) else 0
    if options.shows == "scores":
        scores = plan.score_frame
        shown = [name for name in _SHOWN if name in scores]
        show(scores, options, as_text(scores[shown]))
        return 0
    with about(options.plan):
        show(_effects(plan, options), options)
    return 0


def _effects(plan: TreatmentPlan, options: Namespace) -> pd.DataFrame:
    column = _written_as(options.column, (one.column for one in plan.level_statistics))
    return plan.level_effects(column, _written_as(options.target, plan.classes))


def _written_as(text: str | None, known: Iterable[Any]) -> Any:
    """What is written so, of what the plan knows; otherwise the text."""
    return next((one for one in known if str(one) == text), text)
