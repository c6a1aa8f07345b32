"""params: known keys, checked values, defaults that are one's own."""

from __future__ import annotations

from typing import Any

import pytest

import vtreat_py as vt
import vtreat_py.compat as vtreat
from tests.compat.data import example

SUPERVISED = {
    "use_hierarchical_estimate": True,
    "coders": {
        "clean_copy",
        "missing_indicator",
        "indicator_code",
        "prevalence_code",
        "impact_code",
        "deviation_code",
        "logit_code",
    },
    "filter_to_recommended": True,
    "indicator_min_fraction": 0.02,
    "cross_validation_k": 5,
    "user_transforms": [],
    "sparse_indicators": False,
    "check_for_duplicate_frames": True,
    "error_on_duplicate_frames": False,
    "retain_cross_plan": True,
    "tunable_params": ["indicator_min_fraction"],
}
UNSUPERVISED = {
    "coders": {"clean_copy", "missing_indicator", "indicator_code", "prevalence_code"},
    "indicator_min_fraction": 0.0,
    "indicator_max_levels": 1000,
    "user_transforms": [],
    "sparse_indicators": False,
    "tunable_params": ["indicator_min_fraction", "indicator_max_levels"],
}


@pytest.mark.parametrize(
    ("make", "expected"),
    [(vtreat.vtreat_parameters, SUPERVISED), (vtreat.unsupervised_parameters, UNSUPERVISED)],
)
def test_defaults_are_those_of_the_python_package(make: Any, expected: dict[str, Any]) -> None:
    """As vtreat 1.3.1 shows them."""
    found = make()
    assert {key: found[key] for key in expected} == expected
    assert set(found) - set(expected) <= {"cross_validation_plan", "missingness_imputation"}
    found["coders"].clear()
    assert make()["coders"] == expected["coders"]
    changed = make({"indicator_min_fraction": 0.5})
    assert changed == {**make(), "indicator_min_fraction": 0.5} | {
        key: changed[key] for key in changed if key == "cross_validation_plan"
    }


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"filter_recommended": True}, "unknown key 'filter_recommended'; known are use_hier"),
        ({"a": 1, "b": 2}, "unknown keys 'a', 'b'"),
        ({"filter_to_recommended": 1}, "filter_to_recommended=1 must be True or False"),
        ({"indicator_min_fraction": 2}, "indicator_min_fraction=2; it must be >= 0 and <= 1"),
        ({"indicator_max_levels": 3}, "unknown key 'indicator_max_levels'"),
        ({"cross_validation_k": 2.5}, "cross_validation_k=2.5 must be a whole number"),
        ({"cross_validation_plan": 5}, "cross_validation_plan=5 must be a CrossValidationPlan"),
        ({"cross_validation_plan": None}, "cross_validation_plan=None must be a CrossValidation"),
        ({"coders": "clean_copy"}, "coders='clean_copy' must be a list"),
        ({"coders": {"clean"}}, r"coders holds unknown \['clean'\]; known are \['clean_copy'"),
        ({"coders": set()}, "coders is empty"),
        ({"user_transforms": [3]}, "user_transforms holds 3, which is no UserTransform"),
        ({"tunable_params": ["k"]}, r"tunable_params names \['k'\], which are no parameters"),
    ],
)
def test_bad_parameters_are_errors_at_once_and_in_fit(params: dict[str, Any], message: str) -> None:
    with pytest.raises(vt.VtreatError, match=message):
        vtreat.vtreat_parameters(params)
    treatment = vtreat.NumericOutcomeTreatment(outcome_name="y", params=params)
    with pytest.raises(vt.VtreatError, match=message):
        treatment.fit(example())
    with pytest.raises(vt.VtreatError, match="unknown key 'cross_validation_k'"):
        vtreat.unsupervised_parameters({"cross_validation_k": 3})


def test_an_imputer_must_return_a_number() -> None:
    params = {"missingness_imputation": lambda values: "a lot"}
    treatment = vtreat.NumericOutcomeTreatment(outcome_name="y", params=params)
    with pytest.raises(vt.VtreatError, match=r"the imputation function of column .* 'a lot'"):
        treatment.fit(example())


def test_coders_choose_the_treatments() -> None:
    frame = example()
    for coders in ({"clean_copy"}, {"missing_indicator"}, {"indicator_code", "logit_code"}):
        treatment = vtreat.BinomialOutcomeTreatment(
            var_list=["z", "xc"],
            outcome_name="yc",
            params={"coders": coders, "filter_to_recommended": False},
        )
        treatment.fit(frame)
        assert set(treatment.score_frame_["treatment"]) == coders
