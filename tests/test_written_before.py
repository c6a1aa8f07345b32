"""Plans and cross-frames that an earlier version wrote: read, applied and made again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import vtreat_py as vt

# By commit a259676, before the package had folders; never to be written anew.
HOME = Path(__file__).parent / "data" / "written_before"
CASES = sorted(path.stem for path in HOME.glob("*.json") if path.stem != "frames")
FRAMES = json.loads((HOME / "frames.json").read_text(encoding="utf-8"))
TRAIN = pd.DataFrame(FRAMES["train"])
NEW = pd.DataFrame(FRAMES["new"]).astype({"flag": object})

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")


def case_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HOME / f"{name}.json").read_text(encoding="utf-8"))
    return found


def with_exact_tests(plan: dict[str, Any]) -> dict[str, Any]:
    """A column of two values against a class had no exact test then, where it decided something."""
    for treatment in plan["treatments"]:
        if treatment.get("column") != "flag" or not plan["classes"]:
            continue
        for score in treatment["variables"][0]["scores"]:
            if score["sig"] < 0.1:
                is_target = TRAIN[plan["outcome_name"]] == score["target"]
                score["sig"] = stats.fisher_exact(pd.crosstab(TRAIN["flag"], is_target))[1]
    return plan


IMPACT = ("catN", "catB")


def without_impact(plan: dict[str, Any], *, grouped: bool) -> dict[str, Any]:
    """Leave out impact codes by empirical Bayes: those were estimated by moments then.

    Where rows come in groups also what these are worth: each row was one then.
    """
    if plan["options"]["smoothing"] != "auto" or plan["options"]["significance"] == "classic":
        return plan
    for treatment in plan["treatments"]:
        for part in treatment.get("parts", ()):
            part["variables"] = [v for v in part["variables"] if v["code"] not in IMPACT]
            part["tables"] = {k: v for k, v in part["tables"].items() if k not in IMPACT}
    plan["derived"] = [name for name in plan["derived"] if not name.endswith(IMPACT)]
    for statistics in plan["level_statistics"]:
        for outcome in statistics["outcomes"]:
            del outcome["effect"], outcome["prior_weight"]
            if grouped:
                del outcome["within"]
                outcome.pop("worth", None)
    return plan


def without_sig(plan: dict[str, Any], *, grouped: bool) -> dict[str, Any]:
    """Leave out p-values that were others then.

    Where rows come in groups all, of which those knew nothing; else those of numbers, which were of
    a line alone.
    """
    if plan["options"]["significance"] == "classic":
        return plan
    for treatment in plan["treatments"]:
        parts = treatment.get("parts", [treatment])
        for variable in (v for part in parts for v in part["variables"]):
            if grouped or (variable["code"] == "clean" and treatment["column"] != "flag"):
                for score in variable["scores"]:
                    del score["sig"]
    return plan


def without_additions(plan: dict[str, Any]) -> None:
    """Leave out what was not kept then: the outcome along numbers, and which levels are rare."""
    for treatment in plan["treatments"]:
        treatment.pop("by_range", None)
        for part in treatment.get("parts", []):
            for variable in part["variables"]:
                variable.pop("few_events", None)


def comparable(plan: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    grouped = case["options"].get("groups") is not None
    return without_sig(without_impact(plan, grouped=grouped), grouped=grouped)


def made_again(case: dict[str, Any]) -> vt.CrossFrameExperiment:
    return vt.cross_frame_experiment(TRAIN, **case["options"], **case["chosen"])


def assert_same_tree(found: Any, expected: Any, where: str = "plan") -> None:
    """JSON trees agree; floats to rounding, as sums are added in another order elsewhere."""
    if isinstance(expected, dict):
        assert list(found) == list(expected), where
        for key, value in expected.items():
            assert_same_tree(found[key], value, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, value in enumerate(expected):
            assert_same_tree(found[i], value, f"{where}[{i}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), where
    else:
        assert found == expected, where


@pytest.mark.parametrize("name", CASES)
def test_plans_are_read_and_treat_rows_to_the_bit(name: str) -> None:
    case = case_of(name)
    plan = vt.TreatmentPlan.from_json(json.dumps(case["plan"]))
    treated = vt.prepare(plan, NEW, **case["chosen"])
    assert {column: treated[column].tolist() for column in treated} == case["treated"]
    assert json.loads(plan.to_json()) == case["plan"]


@pytest.mark.parametrize("name", CASES)
def test_designs_are_as_they_were(name: str) -> None:
    case = case_of(name)
    if "cross_frame" not in case:
        plan = vt.design_treatments(TRAIN, **case["options"])
    else:
        made = made_again(case)
        plan, cross_frame = made.plan, made.cross_frame.drop(columns="id", errors="ignore")
        of_moments = plan.options.shrinkage == "auto"
        kept = [c for c in case["cross_frame"] if not (of_moments and c.endswith(IMPACT))]
        assert [c for c in cross_frame if not (of_moments and c.endswith(IMPACT))] == kept
        for column in kept:
            values = case["cross_frame"][column]
            np.testing.assert_allclose(
                cross_frame[column], values, rtol=1e-9, atol=1e-12, err_msg=column
            )
    found = comparable(json.loads(plan.to_json()), case)
    for not_then in ("marks", "dropped"):
        found.pop(not_then, None)
    without_additions(found)
    expected = comparable(with_exact_tests(case["plan"]), case)
    assert_same_tree(found | {"version": ""}, expected | {"version": ""})


def test_kept_statistics_are_read_and_make_the_plan() -> None:
    statistics = vt.DesignStatistics.load(HOME / "kept.zip")
    case = case_of("kept")
    found = comparable(json.loads(statistics.plan().to_json()), case)
    found.pop("dropped")
    without_additions(found)
    assert_same_tree(found, comparable(case["plan"], case))
    assert statistics == made_again(case).plan.statistics
