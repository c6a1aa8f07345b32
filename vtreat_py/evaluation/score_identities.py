"""Which scores of a binary classifier are the same score, with proofs and counter-examples."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import count, product
from math import isqrt, sqrt
from typing import Any, Literal

import pandas as pd

from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation._formulas import SCORES, Counts
from vtreat_py.evaluation._rational_functions import RationalFunction
from vtreat_py.evaluation._refusals import shown

# Counts for which no score is 0, and no two different scores agree.
_SOMEWHERE = Counts(*map(Fraction, (2, 3, 5, 7)))


def same_score(one: str, other: str) -> Literal[True] | pd.DataFrame:
    """Prove that two scores are the same, or show counts for which they differ.

    Parameters
    ----------
    one, other : str
        Names of scores, as in :func:`confusion_scores`.

    Returns
    -------
    True or DataFrame
        True: the scores are equal for all counts (weighted ones, too) for which both are defined.
        Else a table of one row, the smallest example: ``tp``, ``fp``, ``fn``, ``tn``, the two
        scores there and their ``difference``, as exact fractions (as floats where a score is
        irrational). Compare with ``is True``: pandas gives a table no truth value.

    Raises
    ------
    InvalidOptionError
        If a name is no score's.

    Notes
    -----
    True is a proof. Almost all scores are fractions of polynomials in the four counts; they are
    equal if, over a common denominator, all coefficients of their difference cancel. The others
    are such a fraction over the square root of another one. Of those, the squares are compared:
    scores f and g are analytic where all counts are positive, so that (f - g)(f + g) = 0
    everywhere there only if one of the factors is, and one place where the scores are not 0 tells
    which.

    Examples
    --------
    >>> from vtreat_py.evaluation import same_score
    >>> same_score("ppv", "precision")
    True
    >>> same_score("precision", "specificity")
       tp  fp  fn  tn precision specificity difference
    0   0   1   0   1         0         1/2       -1/2
    """
    for name in (one, other):
        if not isinstance(name, str) or name not in SCORES:
            raise InvalidOptionError(f"{shown(name)} is no score; scores are {', '.join(SCORES)}")
    return True if _are_same(one, other) else _smallest_example(one, other)


def equivalence_classes() -> list[list[str]]:
    """Sort all scores into classes of scores that are the same under several names.

    Returns
    -------
    list of list of str
        Classes and their members in the order of :func:`confusion_scores`.

    Examples
    --------
    >>> from vtreat_py.evaluation import equivalence_classes
    >>> [names for names in equivalence_classes() if len(names) > 2]
    [['sensitivity', 'recall', 'tpr']]
    """
    classes: list[list[str]] = []
    for name in SCORES:
        for members in classes:
            if _are_same(members[0], name):
                members.append(name)
                break
        else:
            classes.append([name])
    return classes


def score_formulas() -> dict[str, Any]:
    """Return the formula of each score, in lowest terms.

    Returns
    -------
    dict of str to sympy expression
        In the symbols ``TP``, ``FP``, ``FN`` and ``TN``, none of them negative.

    Raises
    ------
    DependencyError
        If sympy is not installed, or too old; it says how to install it.

    Examples
    --------
    >>> from vtreat_py.evaluation import score_formulas
    >>> score_formulas()["f1"]
    2*TP/(FN + FP + 2*TP)
    """
    sympy = optional_module("sympy", "formulas of scores")
    counts = Counts(*sympy.symbols("TP FP FN TN", nonnegative=True))
    return {
        name: sympy.factor(score.formula(counts)) / sympy.sqrt(score.under_root(counts))
        for name, score in SCORES.items()
    }


@cache
def _are_same(one: str, other: str) -> bool:
    if _exactly(one, _SOMEWHERE) != _exactly(other, _SOMEWHERE):
        return False
    everywhere = Counts(*RationalFunction.variables(4))
    return bool((_square(one, everywhere) - _square(other, everywhere)).is_zero())


def _square(name: str, counts: Counts) -> Any:
    score = SCORES[name]
    value = score.formula(counts)
    return value * value / score.under_root(counts)


def _exactly(name: str, counts: Counts) -> tuple[bool, Fraction]:
    """Whether the score is negative, and its square."""
    return SCORES[name].formula(counts) < 0, _square(name, counts)


def _smallest_example(one: str, other: str) -> pd.DataFrame:
    for counts in _small_counts():
        try:
            values = [_exactly(name, counts) for name in (one, other)]
        except ZeroDivisionError:  # one of them is not defined
            continue
        if values[0] != values[1]:
            break
    a, b = (_signed_root(*value) for value in values)
    row = {**{k: int(v) for k, v in counts._asdict().items()}, one: a, other: b}
    return pd.DataFrame([row | {"difference": a - b}])


def _small_counts() -> Iterator[Counts]:
    """All counts, without end, those of few rows first."""
    for total in count(1):
        for tp, fp, fn in product(range(total + 1), repeat=3):
            if (tn := total - tp - fp - fn) >= 0:
                yield Counts(*map(Fraction, (tp, fp, fn, tn)))


def _signed_root(negative: bool, square: Fraction) -> Fraction | float:
    above, below = isqrt(square.numerator), isqrt(square.denominator)
    exact = above * above == square.numerator and below * below == square.denominator
    root = Fraction(above, below) if exact else sqrt(square)
    return -root if negative else root
