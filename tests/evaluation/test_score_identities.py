"""Which scores are the same: proofs are checked by algebra of others, counter-examples by hand."""

from __future__ import annotations

import itertools
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation._formulas import SCORES, Counts
from vtreat_py.evaluation._rational_functions import RationalFunction
from vtreat_py.evaluation._score_expressions import exactly
from vtreat_py.evaluation.score_identities import (
    _SOMEWHERE,
    equivalence_classes,
    same_order,
    same_score,
    score_formulas,
)
from vtreat_py.evaluation.scores import confusion_scores

CLASSES = equivalence_classes()
COUNTS = ["tp", "fp", "fn", "tn"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ppv", "precision"),
        ("npv", "inverse_precision"),
        ("hard_auc", "balanced_accuracy"),
        ("sensitivity", "recall"),
        ("tnr", "specificity"),
        ("f1", "f1"),
        ("matthews_correlation", "matthews_correlation"),
    ],
)
def test_scores_that_are_the_same(one: str, other: str) -> None:
    assert same_score(one, other) is True
    assert same_score(other, one) is True


def test_precision_and_specificity_differ_by_a_half() -> None:
    found = same_score("precision", "specificity")
    assert isinstance(found, pd.DataFrame)
    assert found.to_dict("records") == [
        {"tp": 0, "fp": 1, "fn": 0, "tn": 1, "precision": 0, "specificity": Fraction(1, 2),
         "difference": Fraction(-1, 2)}
    ]  # fmt: skip


def test_irrational_scores_are_compared_exactly() -> None:
    found = same_score("fowlkes_mallows", "f1")
    assert isinstance(found, pd.DataFrame)
    row = found.iloc[0]
    scores = confusion_scores(row["tp"], row["fp"], row["fn"], row["tn"])
    assert row["fowlkes_mallows"] == pytest.approx(scores["fowlkes_mallows"], rel=1e-14)
    assert row["f1"] == Fraction(row["f1"])
    assert row["difference"] != 0
    negative = same_score("kappa", "matthews_correlation")
    assert isinstance(negative, pd.DataFrame)
    assert negative["matthews_correlation"].tolist() == [-1]


def test_classes_are_those_that_sympy_finds() -> None:
    """In lowest terms, scores that are the same have the same formula."""
    formulas = score_formulas()
    assert list(formulas) == list(SCORES)
    found: dict[sympy.Expr, list[str]] = {}
    for name, formula in formulas.items():
        found.setdefault(formula, []).append(name)
    assert list(found.values()) == CLASSES


def test_classes_hold_every_score_once() -> None:
    assert sorted(itertools.chain(*CLASSES)) == sorted(SCORES)
    assert ["balanced_accuracy", "hard_auc"] in CLASSES
    assert ["precision", "ppv"] in CLASSES
    assert ["inverse_precision", "npv"] in CLASSES


def test_every_pair_of_classes_has_a_counter_example_that_floats_confirm() -> None:
    for one, other in itertools.combinations([members[0] for members in CLASSES], 2):
        found = same_score(one, other)
        assert isinstance(found, pd.DataFrame)
        row = found.iloc[0]
        scores = confusion_scores(row["tp"], row["fp"], row["fn"], row["tn"])
        assert scores[one] == pytest.approx(float(row[one]), abs=1e-12)
        assert scores[one] - scores[other] == pytest.approx(float(row["difference"]), abs=1e-12)
        assert abs(row["difference"]) > 1e-6


def test_different_scores_differ_where_they_are_looked_at_first() -> None:
    values = [exactly(members[0], _SOMEWHERE).number() for members in CLASSES]
    assert len(set(values)) == len(CLASSES)


def test_formulas_in_symbols() -> None:
    tp, fp, fn, tn = sympy.symbols("TP FP FN TN", nonnegative=True)
    formulas = score_formulas()
    assert formulas["f1"] == 2 * tp / (fn + fp + 2 * tp)
    assert formulas["ppv"] == formulas["precision"] == tp / (tp + fp)
    assert formulas["npv"] == tn / (fn + tn)
    for name, formula in formulas.items():
        value = float(formula.subs({tp: 3, fp: 1, fn: 2, tn: 4}))
        assert value == pytest.approx(confusion_scores(3, 1, 2, 4)[name], rel=1e-14)


def test_formulas_say_that_they_need_sympy() -> None:
    program = """
import sys
sys.modules["sympy"] = None
from vtreat_py.evaluation.score_identities import same_score, score_formulas
assert same_score("ppv", "precision") is True
try:
    score_formulas()
except ImportError as error:
    print(error)
"""
    command = [sys.executable, "-c", program]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith("formulas of scores need sympy, which is not installed: pip install ")


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InvalidOptionError, match=r"'auc' is no score .*; scores are accuracy"):
        same_score("precision", "auc")


@given(st.tuples(*[st.integers(1, 9)] * 4), st.sampled_from(list(SCORES)))
def test_algebra_agrees_with_arithmetic(counts: tuple[int, int, int, int], name: str) -> None:
    """A score less its value somewhere is 0 there, as a fraction of polynomials."""
    at = Counts(*map(Fraction, counts))
    value = SCORES[name].formula(at)
    symbols = SCORES[name].formula(Counts(*RationalFunction.variables(4)))
    above, below = (
        sum(c * _power(at, exponents) for exponents, c in part.items())
        for part in (symbols._above, symbols._below)
    )
    assume(below != 0)
    assert above / below == value


def _power(at: Counts, exponents: tuple[int, ...]) -> Fraction:
    product = Fraction(1)
    for base, exponent in zip(at, exponents, strict=True):
        product *= base**exponent
    return product


def test_fractions_of_polynomials() -> None:
    x, y = RationalFunction.variables(2)
    assert ((x + y) * (x - y) / (x - y) - (x + y)).is_zero()
    assert (1 - (1 - x / y) - x / y).is_zero()
    assert (2 * x / y * y - x - x).is_zero()
    assert not (x / y - y / x).is_zero()
    with pytest.raises(ZeroDivisionError):
        x / (y - y)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 - fnr", "recall"),
        ("2 * tpr - 1", "tpr + tpr - 1"),
        ("2*balanced_accuracy - 1", "informedness"),
        ("tp / (tp + fp)", "ppv"),
        ("2 / (1/precision + 1/recall)", "f1"),
        ("2*jaccard / (1 + jaccard)", "f1"),
        ("fowlkes_mallows ** 2", "precision * recall"),
        ("matthews_correlation**2", "informedness * markedness"),
        ("matthews_correlation / fowlkes_mallows", "matthews_correlation*fowlkes_mallows/tpr/ppv"),
        ("0.1 + 0.2 * lift", "(1 + 2*lift) / 10"),
        ("1e-3 * tpr", "tpr / 1000"),
        ("-(-kappa)", "+kappa"),
        ("accuracy ** 0", "1"),
    ],
)
def test_expressions_that_are_equal(one: str, other: str) -> None:
    assert same_score(one, other) is True
    assert same_order(one, other) is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 - fnr", "specificity"),
        ("2 * tpr", "tpr"),
        ("matthews_correlation", "informedness"),
        ("fowlkes_mallows", "f1"),
        ("0.1 * tpr", "tpr / 11"),
        ("fowlkes_mallows", "-fowlkes_mallows"),
    ],
)
def test_expressions_that_differ(one: str, other: str) -> None:
    found = same_score(one, other)
    assert isinstance(found, pd.DataFrame)
    row = found.iloc[0]
    a, b = (
        float(pd.eval(name, local_dict=confusion_scores(*row[list(COUNTS)]).to_dict()))
        for name in (one, other)
    )
    assert float(row[one]) == pytest.approx(a)
    assert float(row[other]) == pytest.approx(b)
    assert float(row["difference"]) == pytest.approx(a - b)
    assert a != b


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f1", "jaccard"),
        ("informedness", "balanced_accuracy"),
        ("informedness", "hard_auc"),
        ("-error_rate", "accuracy"),
        ("-fnr", "recall"),
        ("1 / negative_likelihood_ratio", "tnr / fnr"),
        ("fowlkes_mallows", "precision * recall"),
        ("(1 + matthews_correlation) / 2", "matthews_correlation"),
        ("f1 / (2 - f1)", "f1"),
        ("kappa", "3 * kappa - 2"),
    ],
)
def test_scores_that_order_alike(one: str, other: str) -> None:
    assert same_order(one, other) is True
    assert same_order(other, one) is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("accuracy", "balanced_accuracy"),
        ("f1", "fowlkes_mallows"),
        ("recall", "fnr"),
        ("f1", "-jaccard"),
        ("matthews_correlation", "matthews_correlation ** 2"),
        ("1 / (tpr - 0.5)", "-tpr"),
        ("kappa", "matthews_correlation"),
        ("prevalence", "1"),
    ],
)
def test_scores_that_order_otherwise(one: str, other: str) -> None:
    found = same_order(one, other)
    assert isinstance(found, pd.DataFrame)
    assert len(found) == 2
    assert found.columns.tolist() == [*COUNTS, one, other]
    (a, c), (b, d) = (found[name].astype(float) for name in (one, other))
    assert np.sign(round(a - c, 12)) != np.sign(round(b - d, 12))


def test_what_is_neither_proved_nor_refuted_is_said() -> None:
    with pytest.raises(InvalidOptionError, match="order all matrices of up to 9 rows alike, but"):
        same_order("tpr", "tpr * tpr * tpr + tpr")


def test_names_of_scores_order_alike_as_floats_say() -> None:
    """What is proved holds for random weights; all others are refuted by small counts."""
    counts = np.random.default_rng(0).exponential(size=(4, 300)) ** 2
    scores = confusion_scores(*counts)
    for one, other in [("f1", "jaccard"), ("informedness", "balanced_accuracy")]:
        np.testing.assert_array_equal(scores[one].argsort(), scores[other].argsort())


@pytest.mark.parametrize(
    "expression",
    [
        "gini", "tpr.real", "abs(tpr)", "tpr if 1 else 2", "tpr ** 9", "tpr ** fnr", "tpr ** -1",
        "tpr ** True", "tpr // 2", "tpr % 2", "tpr @ 2", "[tpr]", "'tpr'", "lambda: 1", "1e999",
        "tpr, fnr", "tpr = 1", "", "(" * 90, "__import__('os')", "not tpr", "tpr < fnr", "2j", None,
        3, "True",
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused(expression: Any) -> None:
    for ask in (same_score, same_order):
        with pytest.raises(InvalidOptionError, match=r"is no score.*; scores are accuracy, "):
            ask(expression, "tpr")


def test_other_refusals() -> None:
    with pytest.raises(InvalidOptionError, match=r"\(recal is unknown; did you mean 'recall'\?\)"):
        same_score("1 - recal", "recall")
    with pytest.raises(InvalidOptionError, match="has 400 characters; 200 are taken"):
        same_score("-" * 400, "recall")
    with pytest.raises(InvalidOptionError, match="divides by what is 0 for all counts"):
        same_score("1 / (tpr - recall)", "recall")
