"""The page for users of R vtreat names all of R vtreat, and nothing that is not here."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt

HOME = Path(__file__).parents[1]
PAGE = (HOME / "vignettes" / "moving" / "from_r_vtreat.md").read_text(encoding="utf-8")

R_FUNCTIONS = """
    designTreatmentsC designTreatmentsN designTreatmentsZ prepare mkCrossFrameCExperiment
    mkCrossFrameNExperiment mkCrossFrameMExperiment value_variables_C value_variables_N
    variable_values design_missingness_treatment prepare.simple_plan track_values
    novel_value_summary vnames vorig buildEvalSets kWayCrossValidation kWayStratifiedY
    kWayStratifiedYReplace makekWayCrossValidationGroupedByColumn oneWayHoldout pre_comp_xval
    getSplitPlanAppLabels problemAppPlan BinomialOutcomeTreatment NumericOutcomeTreatment
    MultinomialOutcomeTreatment UnsupervisedTreatment classification_parameters
    regression_parameters multinomial_parameters unsupervised_parameters fit fit_transform
    fit_prepare apply_transform get_score_frame get_transform get_feature_names solve_piecewise
    solve_piecewisec square_window square_windowc spline_variable spline_variablec center_scale
    patch_columns_into_frame .wmean as_rquery_plan rquery_prepare materialize_treated
    rqdatatable_prepare flatten_fn_list ppCoderN ppCoderC solveNonDecreasing solveNonIncreasing
    solveIsotone
""".split()  # noqa: SIM905 (a list of words)
R_OPTIONS = """
    dframe varlist outcomename outcometarget weights minFraction smFactor rareCount rareSig
    collarProb codeRestriction customCoders splitFunction ncross forceSplit catScaling verbose
    parallelCluster use_parallel missingness_imputation imputation_map y_dependent_treatments
    invalid_mark drop_constant_columns pruneSig scale doCollar varRestriction trackedValues
    extracols check_for_duplicate_frames var_list outcome_name outcome_target cols_to_copy params
""".split()  # noqa: SIM905 (a list of words)


def section(title: str) -> list[list[str]]:
    """Cells of the tables of a section, without their heads."""
    (body,) = re.findall(rf"^#+ {title}\n(.*?)(?=^#|\Z)", PAGE, flags=re.MULTILINE | re.DOTALL)
    rows = [line.strip("| ").split(" | ") for line in body.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


FUNCTIONS = [
    row
    for title in ("Design and application", "Split plans", "Coders and tools")
    for row in section(title)
]
DESIGN = section("Of the design")
OTHERS = section("Of prepare, the cross-frame and the treatments")


@pytest.mark.parametrize(
    ("rows", "names"),
    [(FUNCTIONS, R_FUNCTIONS), (DESIGN + OTHERS, R_OPTIONS)],
    ids=["functions", "options"],
)
def test_all_of_r_is_on_the_page(rows: list[list[str]], names: list[str]) -> None:
    mapped = [name for row in rows for name in code(row[0])]
    assert sorted(set(names) - set(mapped)) == []


def named_here() -> list[str]:
    """What the function tables call by name: ``f(...)`` and ``module.f(...)``."""
    cells = [call for row in FUNCTIONS for call in code(row[1])]
    return [match[1] for c in cells if (match := re.match(r"([a-z_.]+)\(", c))]


def test_functions_that_are_named_exist() -> None:
    treatment = vt.BinomialOutcomeTreatment()
    names = named_here()
    assert len(names) > 15
    for name in names:
        owner: object = vt
        parts = name.split(".")
        if parts[0] == "treatment":
            owner, parts = treatment, parts[1:]
        for part in parts:
            assert hasattr(owner, part), name
            owner = getattr(owner, part)


def test_nothing_of_r_is_without_an_answer() -> None:
    answers = [row[1] for row in FUNCTIONS + DESIGN + OTHERS]
    assert [answer for answer in answers if not answer or answer.startswith("not ")] == []


def test_codes_that_are_named_exist() -> None:
    named = {name for row in FUNCTIONS for name in re.findall(r'coders=\[\.\.\., "(\w+)"', row[1])}
    assert named == {"piecewise", "spline", "window", "isotonic"}
    frame, y = pd.DataFrame({"x": np.arange(60.0)}), np.arange(60.0) % 7
    made = vt.design_treatments(frame, outcome=y, coders=[*named], random_state=0)
    assert set(made.score_frame["code"]) == named


def test_options_that_are_named_exist() -> None:
    design = set(inspect.signature(vt.design_treatments).parameters)
    for row in DESIGN:
        if row[1].endswith("of `design_missingness`"):
            assert code(row[1])[0] in inspect.signature(vt.design_missingness).parameters, row
        else:
            assert set(code(row[1])) <= design, row
    treatment = set(inspect.signature(vt.BinomialOutcomeTreatment).parameters)
    for row in OTHERS:
        (name, *_) = code(row[1]) or [""]
        if row[1].endswith("of `prepare`"):
            assert name in inspect.signature(vt.prepare).parameters, row
        elif name.startswith("plan."):
            assert hasattr(vt.TreatmentPlan, name.removeprefix("plan.")), row
        elif name:
            assert name in treatment, row


def test_columns_of_the_score_frame_are_all_on_the_page() -> None:
    frame = pd.DataFrame({"x": ["a", "b", "c"] * 20, "z": np.arange(60.0)})
    made = vt.design_treatments(frame, outcome=["p", "q", "r", "p", "p", "q"] * 10)
    mapped = [name for row in section("Columns of the score frame") for name in code(row[1])]
    new = ["level", "sig_fdr", "sig_fwer"]
    assert sorted([*mapped, *new]) == sorted(made.score_frame)
    (said,) = re.findall(r"^New here: `level`.*?(?=\n\n)", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert set(new) <= set(code(said))
