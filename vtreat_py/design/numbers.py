"""Learning a numeric column: from its moments to its treatment and its cross-frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from vtreat_py.coders.shape_code import NO_SHAPE
from vtreat_py.design.context import NO_BAD_VALUES, DesignContext
from vtreat_py.design.curves import CurvePart, curve_parts
from vtreat_py.design.facts import NumberFacts
from vtreat_py.design.filled import FilledNumbers
from vtreat_py.design.hints import hints_of_numbers
from vtreat_py.design.missingness import kept_numbers
from vtreat_py.design.number_codes import NumberPart, copied, number_parts
from vtreat_py.design.shape_codes import shape_parts
from vtreat_py.design.steps import step_parts
from vtreat_py.plan.range_statistics import RangeOutcome, RangeStatistics
from vtreat_py.plan.treatments import CurveCodes, NumericTreatment, RangeCodes
from vtreat_py.plan.variables import DerivedVariable


@dataclass(frozen=True, eq=False)
class LearnedNumbers:
    """A treated numeric column, and what is needed to write its cross-frame.

    Attributes
    ----------
    parts : sequence of NumberPart
        Its variables, in the order of the treatment.
    hints : tuple of str
        What a user may want to know of it.
    declined : tuple of str
        Codes of one's own that there are none of, and why.
    """

    treatment: NumericTreatment
    parts: Sequence[NumberPart]
    hints: tuple[str, ...] = ()
    statistics: None = None
    dropped: tuple[()] = ()
    declined: tuple[str, ...] = ()


def learn_number_facts(facts: NumberFacts, context: DesignContext) -> LearnedNumbers | str:
    """Learn a numeric column from what is known of it; a string says why not."""
    if not facts.has_good:
        return "it has no finite value"
    return learn_filled(FilledNumbers(facts, context))


def learn_filled(filled: FilledNumbers) -> LearnedNumbers | str:
    """Learn a column that has a good value; a string says why nothing can be derived."""
    if filled.context.invalid_mark is not None:
        return LearnedNumbers(_treatment(filled, kept_numbers(filled)), ())
    copy = cache(lambda: copied(filled))
    curves = [*shape_parts(filled, copy), *curve_parts(filled, copy)]
    reasons = dict.fromkeys(one for one in curves if isinstance(one, str))
    declined = tuple(reason for reason in reasons if reason != NO_SHAPE)
    parts: list[NumberPart] = [
        *number_parts(filled, copy),
        *step_parts(filled.facts, filled.context),
        *(one for one in curves if isinstance(one, CurvePart)),
    ]
    if not parts:
        reason = NO_BAD_VALUES if filled.varies else "it is constant"
        return "; ".join(reasons) or reason
    treatment = _treatment(
        filled, [part.variable for part in parts], [part.codes for part in parts]
    )
    hints = hints_of_numbers(treatment.variables, filled.context)
    return LearnedNumbers(treatment, parts, hints, declined=declined)


def _treatment(
    filled: FilledNumbers,
    variables: Sequence[DerivedVariable],
    codes: Sequence[RangeCodes | CurveCodes | None] = (),
) -> NumericTreatment:
    facts = filled.facts
    return NumericTreatment(
        facts.name,
        facts.kind,
        filled.value,
        *filled.cuts(None),
        tuple(variables),
        facts.digest,
        filled.profile,
        tuple(one for one in codes if isinstance(one, RangeCodes)),
        tuple(one for one in codes if isinstance(one, CurveCodes)),
        _by_range(filled) if filled.context.supervised else None,
    )


def _by_range(filled: FilledNumbers) -> RangeStatistics:
    """What the tests saw of the outcome along the numbers, for the eye."""
    outcomes = []
    for contrast, sums in zip(filled.context.contrasts, filled.range_sums, strict=True):
        some = sums.weight > 0
        rows = np.where(some, sums.weight, 1.0)
        outcomes.append(
            RangeOutcome(
                None if contrast.class_number is None else contrast.outcome.target,
                np.where(some, sums.mean + sums.centre, 0.0),
                None if contrast.is_binary else sums.squares / rows,
            )
        )
    return RangeStatistics(filled.range_sums[0].weight, tuple(outcomes))
