"""Learning columns that are only to lose their missing values: numbers filled, texts kept."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.names import munge
from vtreat_py.coders import codes
from vtreat_py.coders.code import Code
from vtreat_py.coders.forms import Copy
from vtreat_py.design.facts import LevelFacts
from vtreat_py.design.filled import FilledNumbers
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.plan.treatments import TextTreatment
from vtreat_py.plan.variables import DerivedVariable, OutcomeScore


def kept_numbers(filled: FilledNumbers) -> list[DerivedVariable]:
    """Variables of a numeric column: its copy, constant or not, and the mark of bad values."""
    return [
        _variable(code, filled.facts.name)
        for code in filled.context.number_codes
        if filled.any_bad or isinstance(code.form(filled.value, None), Copy)
    ]


def kept_text(facts: LevelFacts, mark: str) -> tuple[TextTreatment, LevelStatistics]:
    """Treatment of a categorical column, and the weights of its levels.

    Raises
    ------
    InvalidOptionError
        If a level reads as the mark does.
    """
    variable = _variable(codes.KEPT, facts.name)
    treatment = TextTreatment.of(facts.name, facts.levels, variable, facts.digest, mark)
    if treatment.holds_mark:
        raise InvalidOptionError(
            f"column {facts.name!r} has the level {mark!r}, which invalid_mark= is to make of "
            "missing and unknown values: they could not be told apart. Give another mark, or leave "
            "the column out with variables="
        )
    count = np.append(facts.tables[0].by_level().weight, 0.0)
    return treatment, LevelStatistics(facts.name, facts.levels, count, ())


def _variable(code: Code, column: Hashable) -> DerivedVariable:
    name = munge([code.named_after(column)])[0]
    return DerivedVariable(name, column, code.name, scores=(OutcomeScore(),))
