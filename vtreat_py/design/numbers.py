"""Learning a numeric column: from its moments to its treatment and its cross-frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vtreat_py.design.context import NO_BAD_VALUES, DesignContext
from vtreat_py.design.facts import NumberFacts
from vtreat_py.design.filled import FilledNumbers
from vtreat_py.design.hints import hints_of_numbers
from vtreat_py.design.missingness import kept_numbers
from vtreat_py.design.number_codes import NumberPart, number_parts
from vtreat_py.design.steps import step_parts
from vtreat_py.plan.treatments import NumericTreatment, RangeCodes
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
    """

    treatment: NumericTreatment
    parts: Sequence[NumberPart]
    hints: tuple[str, ...] = ()
    statistics: None = None
    dropped: tuple[()] = ()


def learn_number_facts(facts: NumberFacts, context: DesignContext) -> LearnedNumbers | str:
    """Learn a numeric column from what is known of it; a string says why not."""
    if not facts.has_good:
        return "it has no finite value"
    return learn_filled(FilledNumbers(facts, context))


def learn_filled(filled: FilledNumbers) -> LearnedNumbers | str:
    """Learn a column that has a good value; a string says why nothing can be derived."""
    if filled.context.invalid_mark is not None:
        return LearnedNumbers(_treatment(filled, kept_numbers(filled)), ())
    parts = [*number_parts(filled), *step_parts(filled.facts, filled.context)]
    if not parts:
        return NO_BAD_VALUES if filled.varies else "it is constant"
    codes = [part.codes for part in parts if part.codes is not None]
    treatment = _treatment(filled, [part.variable for part in parts], codes)
    return LearnedNumbers(treatment, parts, hints_of_numbers(treatment.variables, filled.context))


def _treatment(
    filled: FilledNumbers,
    variables: Sequence[DerivedVariable],
    codes: Sequence[RangeCodes] = (),
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
        tuple(codes),
    )
