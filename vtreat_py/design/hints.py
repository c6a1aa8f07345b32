"""What a user may want to know of a column, as far as tables that are there anyway tell."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import counted
from vtreat_py.coders.text import Text
from vtreat_py.design.context import DesignContext
from vtreat_py.design.facts import LevelFacts
from vtreat_py.frames.text_that_reads import ReadText, read_text
from vtreat_py.frames.words import words_per_level
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.significance.curve import curve_tests
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Chance alone is not taken to make a column determine the outcome, or numbers look like names.
BY_CHANCE = 1e-9
_NAMES_BY_CHANCE = 1e-6
# Up to this distance from 1 a share of variance is 1; fits of classes stop on the way there.
_ROUNDING, _FITTED = 1e-9, 1e-3
# Text of fewer levels does well as levels; text reads as something else where so many rows do, or
# so many beside a few texts, which stand for missing values.
_FEW_LEVELS, _MOST_ROWS = 10, 0.9
_MANY_ROWS, _FEW_MARKS = 0.5, 3
# Text of so many levels, of so many words on average, that have less than so many rows on average,
# tells by its words what it cannot tell level by level.
_TEXTS, _WORDS, _ROWS = 50, 4.0, 2.0
# A curve that explains the outcome so clearly, and is left so little by the levels.
_CLEAR, _NOTHING_LEFT = 1e-3, 1e-3

DETERMINES = "determines the outcome; leave it out if it is not known before the outcome is"
_NOT_IMPUTED = (
    "has levels, one of which is that of missing values: imputation_map says nothing here"
)


def hints_of_numbers(
    variables: Sequence[DerivedVariable], context: DesignContext
) -> tuple[str, ...]:
    """Say so if a variable of a numeric column is the outcome in other words."""
    all_of_it = 1.0 - (_FITTED if context.contrasts[0].is_binary else _ROUNDING)
    for variable in variables:
        scores = [] if variable.needs_split else variable.scores
        known = [score.rsq > all_of_it and score.sig < BY_CHANCE for score in scores]
        if known and all(known):
            return (DETERMINES,)
    return ()


def hints_of_levels(facts: LevelFacts, context: DesignContext) -> tuple[str, ...]:
    """Say so if levels determine the outcome, or are numbers or dates that were written as text.

    And if they are sentences, which the code of texts is for, or if a number was given to stand
    for missing values, which are a level.
    """
    unused = (_NOT_IMPUTED,) if facts.name in context.options.imputation_map else ()
    return unused + _of_values(facts, context)


def _of_values(facts: LevelFacts, context: DesignContext) -> tuple[str, ...]:
    sums = [table.by_level() for table in facts.tables]
    if context.supervised and _determine(sums, context):
        return (DETERMINES,)
    text = None
    if len(facts.levels) >= _FEW_LEVELS:
        text = read_text(facts.levels, sums[0].weight[:-1])
    if text is not None and _reads(text, sums, context):
        return (_of_text(text),)
    return _of_words(facts, sums[0].weight[:-1], context)


def _reads(text: ReadText, sums: Sequence[OutcomeSums], context: DesignContext) -> bool:
    """Whether levels were meant to be what they read as."""
    enough = _MANY_ROWS if text.n_others <= _FEW_MARKS else _MOST_ROWS
    return text.share >= enough and (text.is_telling or _follows(text, sums, context))


def _of_words(facts: LevelFacts, weight: FloatArray, context: DesignContext) -> tuple[str, ...]:
    asked = Text.name in (context.options.coders or ())
    if asked or context.outcome.kind not in Text.outcomes or facts.parts is not None:
        return ()
    n_levels, rows = int((weight > 0).sum()), float(weight.sum()) * context.outcome.weighting.unit
    if n_levels < _TEXTS or rows >= _ROWS * n_levels:
        return ()
    words = words_per_level(facts.levels)
    if words < _WORDS:
        return ()
    return (
        f"is text, and its {n_levels} levels, of {words:.0f} words on average, are hardly ever "
        f'seen twice: coders= with "{Text.name}" codes them by their words',
    )


def looks_like_names(numbers: FloatArray, sums: Sequence[OutcomeSums]) -> bool:
    """Whether whole numbers tell far more one by one than a curve over them does."""
    beyond = [curve_tests(numbers, one)[1] for one in sums]
    return bool(min(beyond) * len(beyond) < _NAMES_BY_CHANCE)


def hint_of_names(n_values: int) -> str:
    """Say that numbers look like names."""
    return (
        f"holds {n_values} different whole numbers that look like names: each has its own effect, "
        "and no curve follows them; categorical= treats them as levels"
    )


def _determine(sums: Sequence[OutcomeSums], context: DesignContext) -> bool:
    """Whether all rows of a level have one outcome, which chance does not explain."""
    sums = [one.take(np.flatnonzero(one.weight > 0)) for one in sums]
    if any(map(_varies_within, sums)):
        return False
    chances = list(map(_log_chance, sums, context.contrasts))
    return bool(min(chances) < math.log(BY_CHANCE))


def _varies_within(sums: OutcomeSums) -> bool:
    """Whether the outcome varies within a level."""
    if sums.inner is None:
        return bool(((sums.total > 0) & (sums.total < sums.weight)).any())
    return bool(sums.inner.sum() > _ROUNDING**2 * sums.merged().squares[0])


def _log_chance(sums: OutcomeSums, context: DesignContext) -> float:
    """Logarithm of a bound on the chance that no level has two outcomes."""
    n, k = float(sums.weight.sum()), len(sums.weight)
    if n <= k:
        return 0.0
    if sums.inner is None:
        # Ways to choose the rows of the target, and how many of them are unions of levels.
        hits = float(sums.total.sum())
        ways = special.gammaln([n + 1, hits + 1, n - hits + 1]) @ [1, -1, -1]
        return float(k * np.log(2.0) - ways)
    y, weight = context.outcome.y, context.outcome.weight
    _, value = np.unique(y, return_inverse=True)
    most = float(np.bincount(value, weight).max()) / (len(y) if weight is None else weight.sum())
    return float((n - k) * np.log(most))


def _follows(text: ReadText, sums: Sequence[OutcomeSums], context: DesignContext) -> bool:
    """Whether the outcome follows the numbers that a text stands for, and not each of them."""
    if not context.supervised or text.numbers is None:
        return False
    places = text.places[sums[0].weight[text.places] > 0]
    numbers = text.numbers[sums[0].weight[text.places] > 0]
    if len(numbers) < _FEW_LEVELS:
        return False
    tests = [curve_tests(numbers, one.take(places)) for one in sums]
    curve, beyond = (min(p) * len(tests) for p in zip(*tests, strict=True))
    return bool(curve < _CLEAR and beyond > _NOTHING_LEFT)


def _of_text(text: ReadText) -> str:
    kind, convert = "number", "pandas.to_numeric"
    if text.numbers is None:
        kind, convert = "date", "pandas.to_datetime"
    share = f"{100.0 * text.share:.4g}%"
    others = f", all but {', '.join(map(repr, text.others))}" if text.others else ""
    reads = f"is text, and {share} of its rows read as"
    if not text.is_text:
        reads = f"holds values of several types, and {share} of its rows are"
    return (
        f"{reads} {kind}s{others}: convert it "
        f'({convert}(..., errors="coerce")), or each of its {counted(text.n_levels, "level")} is '
        "coded for itself"
    )
