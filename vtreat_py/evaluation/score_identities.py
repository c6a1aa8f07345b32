"""Which scores of a binary classifier are the same score, or order alike, with proofs."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import count, pairwise, product
from typing import Any, Literal

import pandas as pd

from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation._formulas import SCORES, Counts
from vtreat_py.evaluation._order_proofs import order_is_proved
from vtreat_py.evaluation._refusals import shown
from vtreat_py.evaluation._score_expressions import check_expression, everywhere, exactly

# Counts at which expressions that are different are hardly ever equal, looked at before a proof.
_SOMEWHERE = Counts(*map(Fraction, (2, 3, 5, 7)))
# Totals of counts that are searched for two that are ordered otherwise.
_MOST_ROWS = 9


def same_score(one: str, other: str) -> Literal[True] | pd.DataFrame:
    """Prove that two scores are the same, or show counts for which they differ.

    Parameters
    ----------
    one, other : str
        Names of scores, as in :func:`confusion_scores`, or expressions in them: ``"1 - fnr"``,
        ``"2 * balanced_accuracy - 1"``, ``"tp / (tp + fp)"``. There are the four arithmetic
        operations, powers with whole exponents of up to 8, brackets, decimal numbers (exactly:
        0.1 is a tenth), and the counts ``tp``, ``fp``, ``fn`` and ``tn``. Nothing else is computed.

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
        If it is neither a score nor an expression, or is defined nowhere.

    See Also
    --------
    same_order : Whether two scores order confusion matrices alike, without being equal.

    Notes
    -----
    True is a proof. Scores are fractions of polynomials in the four counts, two of them over the
    square root of another. Sums, products and quotients of such are sums of fractions times a
    product of these roots; neither root is such a fraction, nor is their product, so that a
    difference is 0 everywhere only if each of its fractions is: over a common denominator, all
    coefficients cancel.

    Examples
    --------
    >>> from vtreat_py.evaluation import same_score
    >>> same_score("ppv", "precision")
    True
    >>> same_score("2 * balanced_accuracy - 1", "informedness")
    True
    >>> same_score("fowlkes_mallows ** 2", "precision * recall")
    True
    >>> same_score("precision", "specificity")
       tp  fp  fn  tn precision specificity difference
    0   0   1   0   1         0         1/2       -1/2
    """
    for expression in (one, other):
        check_expression(expression)
    return True if _are_same(one, other) else _smallest_example(one, other)


def same_order(one: str, other: str) -> Literal[True] | pd.DataFrame:
    """Prove that two scores prefer the same classifiers, or show two that they order otherwise.

    Scores that are not equal may order alike: whoever is better by F1 is better by Jaccard's index,
    on any rows. Then it does not matter by which of them models or thresholds are chosen.

    Parameters
    ----------
    one, other : str
        As for :func:`same_score`. Of scores of which less is better give the negative:
        ``same_order("-error_rate", "accuracy")``.

    Returns
    -------
    True or DataFrame
        True: for any two confusion matrices, not only of the same rows, for which both scores are
        defined, one score is higher, equal or lower as the other is. Else a table of two rows,
        of confusion matrices with few rows: ``tp``, ``fp``, ``fn``, ``tn`` and the two scores of
        each, which one score orders otherwise than the other does, or calls equal.

    Raises
    ------
    InvalidOptionError
        As :func:`same_score`; and if neither a proof nor two matrices of up to nine rows are found.

    See Also
    --------
    same_score : Whether two scores are equal.

    Notes
    -----
    True is a proof: an identity ``other = (a one + b) / (c one + d)`` with ad > bc, or one in the
    square of a score that is never negative. Such a function rises on either side of its pole.
    Where all counts are positive both scores are defined and continuous, so that no value on the
    way is the pole.

    Examples
    --------
    >>> from vtreat_py.evaluation import same_order
    >>> same_order("f1", "jaccard"), same_order("informedness", "balanced_accuracy")
    (True, True)
    >>> same_order("fowlkes_mallows", "precision * recall")
    True
    >>> same_order("accuracy", "balanced_accuracy")
       tp  fp  fn  tn accuracy balanced_accuracy
    0   1   1   1   0      1/3               1/4
    1   0   0   2   1      1/3               1/2
    """
    for expression in (one, other):
        check_expression(expression)
    if _are_same(one, other) or order_is_proved(one, other):
        return True
    found = _ordered_otherwise(one, other)
    if found is None:
        raise InvalidOptionError(
            f"{shown(one)} and {shown(other)} order all matrices of up to {_MOST_ROWS} rows alike, "
            "but there is no proof that they do so always"
        )
    return found


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
    try:
        if (exactly(one, _SOMEWHERE) - exactly(other, _SOMEWHERE)).normal():
            return False
    except ZeroDivisionError:  # by what is 0 there, or everywhere
        pass
    difference = everywhere(one) - everywhere(other)
    return all(value.is_zero() for value in difference.terms.values())


def _smallest_example(one: str, other: str) -> pd.DataFrame:
    for counts in _small_counts():
        try:
            values = [exactly(name, counts) for name in (one, other)]
        except ZeroDivisionError:  # one of them is not defined
            continue
        if (values[0] - values[1]).normal():
            break
    a, b = (_shown_number(value.number()) for value in values)
    row = {**_whole(counts), one: a, other: b}
    return pd.DataFrame([row | {"difference": a - b}])


def _ordered_otherwise(one: str, other: str) -> pd.DataFrame | None:
    """The first two matrices that two scores order otherwise, those of few rows first."""
    rows: list[tuple[Any, Any, Counts]] = []
    for total in range(1, _MOST_ROWS + 1):
        for counts in _counts_of(total):
            try:
                values = [exactly(name, counts).number() for name in (one, other)]
            except ZeroDivisionError:
                continue
            rows.append((_comparable(values[0]), _comparable(values[1]), counts))
        rows.sort(key=lambda row: row[:2])
        for (a, b, first), (c, d, second) in pairwise(rows):
            if (a == c) != (b == d) or b > d:
                table = [
                    {**_whole(n), **{name: _value(name, n) for name in (one, other)}}
                    for n in (first, second)
                ]
                return pd.DataFrame(table)
    return None


def _value(name: str, counts: Counts) -> Any:
    return _shown_number(exactly(name, counts).number())


def _comparable(value: Fraction | Decimal) -> Fraction:
    """A number that can be compared with fractions; irrational ones in sixty digits."""
    return Fraction(value)


def _shown_number(value: Fraction | Decimal) -> Any:
    return value if isinstance(value, Fraction) else float(value)


def _whole(counts: Counts) -> dict[str, int]:
    return {name: int(value) for name, value in counts._asdict().items()}


def _small_counts() -> Iterator[Counts]:
    """All counts, without end, those of few rows first."""
    for total in count(1):
        yield from _counts_of(total)


def _counts_of(total: int) -> Iterator[Counts]:
    """All counts of so many rows."""
    for tp, fp, fn in product(range(total + 1), repeat=3):
        if (tn := total - tp - fp - fn) >= 0:
            yield Counts(*map(Fraction, (tp, fp, fn, tn)))
