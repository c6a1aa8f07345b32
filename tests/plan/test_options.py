"""Every option is checked, takes effect, and is part of the plan."""

from __future__ import annotations

import inspect
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.conftest import TREATED, example_columns
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.coders import codes
from vtreat_py.plan.options import DesignOptions
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

FRAME = pd.DataFrame(
    {"x": ["a", "b", "c", None] * 10, "z": np.arange(40) % 7, "y": np.arange(40) % 9}
)


def designed(**options: Any) -> vt.TreatmentPlan:
    return vt.design_treatments(FRAME, **{"outcome": "y", "random_state": 0} | options)


BAD: dict[str, tuple[str, Any, type[Exception], str]] = {
    "min_fraction below": ("min_fraction", -0.1, InvalidOptionError, r"must be >= 0 and <= 1"),
    "min_fraction above": ("min_fraction", 1.1, InvalidOptionError, r"must be >= 0 and <= 1"),
    "min_fraction NaN": ("min_fraction", np.nan, InvalidOptionError, r"must be >= 0 and <= 1"),
    "min_fraction text": ("min_fraction", "a", OptionTypeError, r"must be a number"),
    "min_fraction None": ("min_fraction", None, OptionTypeError, r"must be a number"),
    "min_fraction flag": ("min_fraction", True, OptionTypeError, r"must be a number"),
    "smoothing below": ("smoothing", -1, InvalidOptionError, r"must be >= 0"),
    "smoothing infinite": ("smoothing", np.inf, InvalidOptionError, r"must be >= 0"),
    "smoothing word": ("smoothing", "much", InvalidOptionError, r'number >= 0, "auto" or "mixed"'),
    "smoothing None": ("smoothing", None, OptionTypeError, r"must be a number"),
    "rare_count below": ("rare_count", -1, InvalidOptionError, r"must be >= 0"),
    "rare_count None": ("rare_count", None, OptionTypeError, r"must be a number"),
    "rare_sig above": ("rare_sig", 1.5, InvalidOptionError, r"must be >= 0 and <= 1"),
    "rare_sig text": ("rare_sig", "x", OptionTypeError, r"must be a number"),
    "collar_prob half": ("collar_prob", 0.5, InvalidOptionError, r"must be >= 0 and < 0\.5"),
    "collar_prob below": ("collar_prob", -0.1, InvalidOptionError, r"must be >= 0 and < 0\.5"),
    "cat_scaling": ("cat_scaling", 1, OptionTypeError, r"must be True or False"),
    "force_split": ("force_split", "yes", OptionTypeError, r"must be True or False"),
    "progress": ("progress", None, OptionTypeError, r"must be True or False"),
    "coders text": ("coders", "catN", OptionTypeError, r"must be a list of codes"),
    "coders number": ("coders", 3, OptionTypeError, r"must be a list of codes"),
    "coders unknown": ("coders", ["catN", "catX"], InvalidOptionError, r"\['catX'\]; known are"),
    "coders case": ("coders", ["catn"], InvalidOptionError, r"\['catn'\]; known are"),
    "coders empty": ("coders", [], InvalidOptionError, r"is empty; name at least one"),
    "coders of classes": ("coders", ["catB"], InvalidOptionError, r"no code for .*'numeric'"),
    "imputation word": ("imputation", "mode", InvalidOptionError, r"a number, one of \['mean', 'm"),
    "imputation infinite": ("imputation", np.inf, InvalidOptionError, r"imputation=inf.*finite"),
    "imputation None": ("imputation", None, OptionTypeError, r"a number.*'mean'.*or a function"),
    "imputation_map list": ("imputation_map", ["z"], OptionTypeError, r"must be a dict from"),
    "imputation_map word": ("imputation_map", {"z": "x"}, InvalidOptionError, r"_map\['z'\]='x'"),
    "imputation_map column": ("imputation_map", {"q": 1}, InvalidOptionError, r"names \['q'\], w"),
    "imputation_map outcome": ("imputation_map", {"y": 1}, InvalidOptionError, r"names \['y'\], w"),
    "significance": ("significance", "exact", InvalidOptionError, r"significance='exact'"),
    "outcome_type": ("outcome_type", "Binary", InvalidOptionError, r"must be one of \['numeric'"),
    "outcome_type list": ("outcome_type", ["numeric"], InvalidOptionError, r"must be one of"),
    "variables text": ("variables", "xz", OptionTypeError, r"variables='xz' must be a list"),
    "variables number": ("variables", 3, OptionTypeError, r"variables=3 must be a list"),
    "variables empty": ("variables", [], InvalidOptionError, r"variables is empty; name at least"),
    "variables unknown": ("variables", ["x", "q"], InvalidOptionError, r"\['q'\], which the frame"),
    "variables twice": ("variables", ["x", "x"], InvalidOptionError, r"\['x'\] more than once"),
    "variables outcome": ("variables", ["x", "y"], InvalidOptionError, r"\['y'\], which is the"),
    "variables lists": ("variables", [["x"]], vt.VtreatError, r"variables"),
    "y_dependent_coders": ("y_dependent_coders", ["catB"], InvalidOptionError, r"several classes"),
    "n_jobs zero": ("n_jobs", 0, vt.VtreatError, r"n_jobs"),
    "n_jobs text": ("n_jobs", "two", vt.VtreatError, r"n_jobs"),
}  # fmt: skip


@pytest.mark.parametrize(("option", "value", "error", "message"), BAD.values(), ids=BAD)
def test_an_option_that_cannot_be_used_is_refused_by_name(
    option: str, value: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        designed(**{option: value})
    assert option in str(caught.value)
    assert isinstance(caught.value, vt.VtreatError)
    assert isinstance(caught.value, ValueError | TypeError)


def test_a_misspelt_option_is_refused() -> None:
    with pytest.raises(TypeError, match="smothing"):
        designed(smothing=1)
    with pytest.raises(TypeError, match="smothing"):
        vt.NumericOutcomeTreatment(smothing=1)  # type: ignore[call-arg]


def test_options_are_given_by_name_only() -> None:
    with pytest.raises(TypeError, match="positional"):
        vt.design_treatments(FRAME, "y")  # type: ignore[arg-type]


@pytest.mark.parametrize("outcome_type", ["numeric", "binomial", "multinomial"])
def test_calibrated_significance_changes_p_values_and_nothing_else(outcome_type: str) -> None:
    """But for the codes of classes, where R has rows of each class beside levels."""
    frame = pd.DataFrame(example_columns())
    y = {"numeric": frame["y"], "binomial": frame["y"] > 0}.get(
        outcome_type, np.sign(frame["y"].round()).astype(str)
    )
    options = {"outcome_type": outcome_type, "variables": TREATED, "smoothing": 1, "cv": 3}
    options |= {"sample_weight": 1 + np.arange(240) % 2, "random_state": 0}
    classic, calibrated = (
        vt.design_treatments(frame, outcome=y, significance=kind, **options).score_frame
        for kind in ("classic", "calibrated")
    )
    impact = classic["code"].isin(["catB", "catN"])
    assert impact.sum() >= 2
    same = [c for c in classic if c not in ("sig", "sig_fdr", "sig_fwer", "recommended")]
    other = classic["code"] != "catB"
    pd.testing.assert_frame_equal(classic.loc[other, same], calibrated.loc[other, same])
    for _, row in calibrated[impact].iterrows():
        level = frame[row["orig_variable"]].fillna("missing").factorize()[0]
        hit = y if outcome_type != "multinomial" else y == row["outcome_target"]
        values, w = np.asarray(hit, dtype=float), np.asarray(options["sample_weight"], dtype=float)
        sums = OutcomeSums.of_rows(level, level.max() + 1, values, w)
        if outcome_type != "numeric":
            sums = OutcomeSums(sums.weight, sums.total)
        expected = level_effects_test(sums, OutcomePowers.of_sample(Sample.of_values(values, w)))
        assert row["sig"] == pytest.approx(expected, rel=1e-6)


def test_options_are_part_of_the_plan() -> None:
    plan = designed(min_fraction=0.1, smoothing=2, rare_count=3, coders=["lev", "clean"])
    assert plan.options == DesignOptions(
        min_fraction=0.1, smoothing=2.0, rare_count=3.0, coders=("clean", "lev")
    )


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("min_fraction", [0.5, np.float64(0.5), np.float32(0.5)]),
        ("rare_count", [2, 2.0, np.int64(2)]),
        ("force_split", [True, np.True_]),
        ("coders", [["clean", "lev"], ("lev", "clean"), {"lev", "clean"}]),
        ("imputation", [3, 3.0, np.float64(3)]),
    ],
)
def test_an_option_means_the_same_in_any_spelling(option: str, values: list[Any]) -> None:
    plans = [designed(**{option: value}) for value in values]
    assert all(plan == plans[0] for plan in plans[1:])


def test_numbers_that_are_no_floats_are_refused() -> None:
    with pytest.raises(OptionTypeError, match="must be a number"):
        designed(min_fraction=Decimal("0.1"))


def test_variables_may_come_in_any_sequence() -> None:
    for given in (["z", "x"], ("z", "x"), np.array(["z", "x"], dtype=object)):
        assert designed(variables=given).variables == ("z", "x")


def test_variables_may_be_the_columns_of_a_pandas_frame() -> None:
    assert designed(variables=FRAME.columns.drop("y")).variables == ("x", "z")


def test_min_fraction_is_the_share_of_weight_a_level_needs() -> None:
    frame = pd.DataFrame({"x": ["a"] * 50 + ["b"] * 40 + ["c"] * 10, "y": np.arange(100) % 7})
    for share, levels in ((0.1, "abc"), (0.11, "ab"), (0.5, "a"), (0.51, "")):
        plan = vt.design_treatments(
            frame, outcome="y", min_fraction=share, coders=["lev", "catP"], random_state=0
        )
        assert "".join(v.level for v in plan.derived if v.code == "lev") == levels


@pytest.mark.parametrize("code", codes.names(codes.for_outcome("numeric")))
def test_one_code_may_be_asked_for_alone(frame: pd.DataFrame, code: str) -> None:
    other = "x" if codes.named(code).reads == "numbers" else "z"
    plan = vt.design_treatments(frame, outcome="y", variables=["x", "z"], coders=[code])
    assert {v.code for v in plan.derived} == {code}
    assert [name for name, _ in plan.unused] == [other]


def test_codes_that_do_not_apply_to_the_outcome_are_left_out(frame: pd.DataFrame) -> None:
    given = {"variables": ["x"], "random_state": 0}
    codes = {"y": {"catP", "catN", "catD"}, "c": {"catP", "catB"}}
    for outcome, expected in codes.items():
        plan = vt.design_treatments(
            frame, outcome=outcome, coders=["catP", "catB", "catN", "catD"], **given
        )
        assert {v.code for v in plan.derived} == expected


def test_force_split_scores_every_variable_on_the_cross_frame(
    frame: pd.DataFrame, outcome: str
) -> None:
    given = {"outcome": outcome, "variables": TREATED, "random_state": 0}
    plan = vt.design_treatments(frame, force_split=True, **given)
    usual = vt.design_treatments(frame, **given)
    assert plan.score_frame["needs_split"].all()
    assert not usual.score_frame["needs_split"].all()
    assert plan.feature_names == usual.feature_names
    split = usual.score_frame["needs_split"]
    pd.testing.assert_series_equal(plan.score_frame["sig"][split], usual.score_frame["sig"][split])


def test_design_and_experiment_have_the_same_options_and_defaults() -> None:
    design = inspect.signature(vt.design_treatments).parameters
    experiment = inspect.signature(vt.cross_frame_experiment).parameters
    own = ["scale", "collar", "prune_sig", "prune_by", "sparse_output"]
    assert list(experiment) == [*design, *own]
    assert all(experiment[name].default == p.default for name, p in design.items())


@pytest.mark.parametrize(
    "treatment",
    [vt.BinomialOutcomeTreatment, vt.NumericOutcomeTreatment, vt.UnsupervisedTreatment],
)
def test_the_transformers_have_the_defaults_of_the_design(treatment: Any) -> None:
    design = inspect.signature(vt.design_treatments).parameters
    for name, value in treatment().get_params().items():
        own = {"prune_sig": "plausible", "prune_by": "sig", "scale": False, "collar": False}
        own |= {"sparse_output": False, "if_empty": "best"}
        assert value == (own[name] if name in own else design[name].default), name


def test_follows_r_means_classic_tests_and_smoothing_by_a_number() -> None:
    assert DesignOptions(smoothing=0, significance="classic").follows_r
    assert not DesignOptions(smoothing="auto").follows_r
