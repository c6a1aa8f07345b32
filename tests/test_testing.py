"""The probe finds leaks where there are some; tests/test_leak.py turns it on the treatments."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler, TargetEncoder

import vtreat_py as vt
from tests.conftest import TREATED, example_columns
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.testing import OwnOutcomeInfluence, own_outcome_influence

ROWS = 60
FRAME = pd.DataFrame(example_columns(ROWS))
X = FRAME[TREATED]
Y = {
    "numeric": FRAME["y"].to_numpy(),
    "binomial": FRAME["c"].to_numpy(),
    "multinomial": np.array(["low", "mid", "high"])[np.digitize(FRAME["y"], [-1, 1])],
}
TREATMENTS = {
    "numeric": vt.NumericOutcomeTreatment,
    "binomial": vt.BinomialOutcomeTreatment,
    "multinomial": vt.MultinomialOutcomeTreatment,
}
FOLDS = KFold(4, shuffle=True, random_state=1)

pytestmark = pytest.mark.filterwarnings("ignore:nothing is derived from")


class NaiveEncoder(TransformerMixin, BaseEstimator):
    """The mean outcome of all rows of the level, the own row included."""

    def fit_transform(self, X: pd.DataFrame, y: Any, weight: float = 1.0) -> pd.DataFrame:
        mean = pd.Series(y, index=X.index).groupby(X["x"].fillna("")).transform("mean")
        return pd.DataFrame({"x": weight * mean, "z": X["z"].fillna(0.0)})


class Coin(TransformerMixin, BaseEstimator):
    def fit_transform(self, X: pd.DataFrame, y: Any) -> np.ndarray:
        return np.random.default_rng().random((len(X), 1))


def test_an_encoder_that_counts_the_own_row_is_found_out() -> None:
    size = X["x"].fillna("").map(X["x"].fillna("").value_counts()).to_numpy()
    found = own_outcome_influence(NaiveEncoder(), X, Y["numeric"], rows=range(10))
    np.testing.assert_allclose(found.moves["x"], 100.0 / size[:10])
    assert (found.moves["z"] == 0).all()
    assert found.largest == found.moves["x"].max()
    assert found.by_column.index.tolist() == ["x", "z"]
    assert repr(found).startswith(f"OwnOutcomeInfluence: {found.largest:.3g} at most, over 10 rows")


def test_push_and_parameters_of_fit_are_passed_on() -> None:
    once = own_outcome_influence(NaiveEncoder(), X, Y["numeric"])
    twice = own_outcome_influence(NaiveEncoder(), X, Y["numeric"], push=50.0, weight=4.0)
    assert len(once.moves) == 20
    np.testing.assert_allclose(twice.moves, 2 * once.moves)


@pytest.mark.parametrize("kind", TREATMENTS)
def test_folds_stratified_on_the_outcome_leave_a_little(kind: str) -> None:
    """The folds move, not the rows' own part in their codes."""
    default = TREATMENTS[kind](prune_sig=None, coders=None, random_state=0)
    found = own_outcome_influence(default, X, Y[kind], rows=range(0, ROWS, 11))
    naive = own_outcome_influence(NaiveEncoder(), X, Y["numeric"])
    assert 0 < found.largest < naive.largest


def test_other_encoders_and_other_containers_can_be_tried() -> None:
    text = X[["x"]].fillna("none")
    encoder = TargetEncoder(cv=4, shuffle=True, random_state=0, target_type="continuous")
    found = own_outcome_influence(encoder, text, Y["numeric"], rows=[0, 5])
    assert found.largest <= 1e-10
    assert found.moves.columns.tolist() == [0]
    probe = functools.partial(own_outcome_influence, y=Y["binomial"], rows=[3, 4])
    options = {"cv": FOLDS, "coders": ["lev"], "prune_sig": None}
    sparse = probe(vt.BinomialOutcomeTreatment(**options, sparse_output=True), X)
    dense = probe(vt.BinomialOutcomeTreatment(**options), pl.DataFrame(text))
    assert isinstance(sparse, OwnOutcomeInfluence)
    assert sparse.largest == dense.largest == 0


def test_classes_as_zeros_and_ones_are_flipped() -> None:
    y = (Y["numeric"] > 0).astype(int)
    found = own_outcome_influence(NaiveEncoder(), X, y, rows=[0])
    assert 0 < found.largest < 1


@pytest.mark.filterwarnings("ignore:no derived variable is left")
def test_columns_that_come_out_once_only_are_not_compared() -> None:
    treatment = vt.NumericOutcomeTreatment(cv=FOLDS, prune_sig=1e-4, if_empty="empty")
    found = own_outcome_influence(treatment, X, Y["numeric"], rows=range(0, ROWS, 11), push=1e4)
    assert found.moves.isna().any(axis=None)
    assert found.largest <= 1e-8


def test_bad_questions_are_refused() -> None:
    with pytest.raises(InvalidOptionError, match="Coin gives different output for the same data"):
        own_outcome_influence(Coin(), X, Y["numeric"])
    with pytest.raises(InvalidOptionError, match="rows holds 60, but rows are 0 to 59"):
        own_outcome_influence(StandardScaler(), X[["z"]].fillna(0), Y["numeric"], rows=[1, 60])
