"""The y-aware estimators keep scikit-learn's contract."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

import vtreat_py as vt
from tests.estimators.test_contract import INNER_CHECKS

CROSSED = (
    "fit_transform scales each row by the slopes of other folds, fit and transform by those of "
    "all rows, as is documented"
)
TRANSFORMERS = [
    vt.YAwareScaler(),
    vt.YAwarePCA(),
    vt.YAwarePCA(1),
    vt.YAwarePCA("significance"),
    vt.YAwarePCA(0.5),
]
MODELS = [
    vt.YAwarePCR(),
    vt.YAwarePCR(1),
    vt.YAwarePCRClassifier(),
    vt.YAwarePCRClassifier("significance"),
]


def expected_failures(estimator: Any) -> dict[str, str]:
    """The checks that ask for the same output of fit_transform, and of fit and transform."""
    if not hasattr(estimator, "transform"):
        return {}
    return dict.fromkeys(
        ("check_transformer_general", "check_transformer_data_not_an_array"), CROSSED
    )


@pytest.mark.parametrize("estimator", [*TRANSFORMERS, *MODELS], ids=repr)
def test_scikit_learns_own_checks_pass(estimator: Any) -> None:
    with warnings.catch_warnings():
        # The checks give columns of noise, of which no component is kept.
        warnings.simplefilter("ignore", vt.VtreatWarning)
        results = check_estimator(
            estimator,
            on_skip=None,
            on_fail=None,
            expected_failed_checks=expected_failures(estimator),
        )
    assert len(results) > 40
    assert [r["exception"] for r in results if r["status"] == "failed"] == []


@pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")
@pytest.mark.filterwarnings("ignore:X .* feature names")  # they mix frames and arrays
@pytest.mark.parametrize("check", INNER_CHECKS)
@pytest.mark.parametrize("estimator", [vt.YAwareScaler(), vt.YAwarePCA(1)], ids=repr)
def test_scikit_learns_checks_of_its_own_transformers_pass(estimator: Any, check: str) -> None:
    getattr(estimator_checks, check)(type(estimator).__name__, estimator)
