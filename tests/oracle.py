"""Reads the frames that R vtreat computed, and compares ours with them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

COMMITTED = Path(__file__).parent / "data" / "oracle"
# The other cases hold public data sets that are not part of this repository.
BESIDE = Path(__file__).parents[2] / "shared" / "oracle"
KINDS = {"C": "binomial", "N": "numeric", "M": "multinomial", "Z": "unsupervised"}


@dataclass(frozen=True)
class Case:
    """One run of R vtreat: its inputs, options and results."""

    folder: Path

    @property
    def config(self) -> dict[str, Any]:
        return json.loads((self.folder / "config.json").read_text())

    @property
    def outcome(self) -> str | None:
        return self.config["outcome"]

    def frame(self, role: str) -> pd.DataFrame | None:
        config = self.config
        name = config["files"].get(role)
        if name is None or not (self.folder / name).exists():
            return None
        types = {"train": "column_types", "test": "test_column_types"}.get(role)
        return read(self.folder / name, config[types] if types else {})

    def options(self) -> dict[str, Any]:
        config = self.config
        given = config.get("design_args") or config["cross_args"]
        options = {
            "outcome": config["outcome"],
            "outcome_type": KINDS[config["kind"]],
            "variables": config["varlist"],
            "min_fraction": given["minFraction"],
            "smoothing": given.get("smFactor") or 0.0,
            "rare_count": given["rareCount"],
            "rare_sig": given.get("rareSig"),
            "collar_prob": given["collarProb"],
            "coders": given.get("codeRestriction"),
            "significance": "classic",
        }
        if config["kind"] == "C":
            options |= {"target": config["target"], "cat_scaling": given["catScaling"]}
        if config["kind"] == "M":
            options["cat_scaling"] = given["catScaling"]
            options["y_dependent_coders"] = given["y_dependent_treatments"]
        if config["kind"] != "Z":
            options["force_split"] = given["forceSplit"]
            options["cv"] = pairs(config["split_plan"])
        return options

    def prepare_options(self) -> dict[str, Any]:
        given = self.config["prepare_args"] or {}
        return {
            "prune_sig": given.get("pruneSig"),
            "scale": bool(given.get("scale")),
            "collar": bool(given.get("doCollar")),
        }

    def cross_options(self) -> dict[str, Any]:
        given = self.config["cross_args"]
        return {"scale": bool(given["scale"]), "collar": bool(given["doCollar"])}


def pairs(plan: list[dict[str, list[int]]]) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(np.array(fold["train"]), np.array(fold["app"])) for fold in plan]


def read(path: Path, types: dict[str, dict[str, Any]]) -> pd.DataFrame:
    """Read a frame; the token backslash N is missing, "NA" is a level."""
    text = {name: str for name, t in types.items() if t["class"] in ("character", "factor")}
    frame = pd.read_csv(path, keep_default_na=False, na_values=["\\N"], dtype=text)
    for name, kind in types.items():
        if name not in frame:
            continue
        if kind["class"] == "logical":
            frame[name] = frame[name].map({"TRUE": True, "FALSE": False, True: True, False: False})
        elif name not in text:
            frame[name] = frame[name].astype(float)
    return frame


def assert_frames_agree(
    ours: pd.DataFrame, theirs: pd.DataFrame, outcome: str | None, tolerance: float
) -> None:
    names = [name for name in theirs if name != outcome]
    missing = [name for name in names if name not in ours]
    assert not missing
    expected = theirs[names].to_numpy(float)
    apart = np.abs(ours[names].to_numpy(float) - expected) / np.maximum(1.0, np.abs(expected))
    assert apart.max(initial=0.0) <= tolerance, names[int(apart.max(axis=0).argmax())]


def assert_scores_agree(ours: pd.DataFrame, theirs: pd.DataFrame) -> None:
    theirs_by, ours_by = ["varName"], ["variable"]
    if "outcome_level" in theirs:
        theirs_by, ours_by = [*theirs_by, "outcome_level"], [*ours_by, "outcome_target"]
        theirs = theirs[theirs["code"] != "catP"]  # R scores it on the training rows
    both = theirs.merge(ours, left_on=theirs_by, right_on=ours_by, how="left")
    assert both["variable"].notna().all()
    assert (both["code_x"] == both["code_y"]).all()
    assert (both["needsSplit"] == both["needs_split"]).all()
    assert (both["extraModelDegrees"] == both["extra_model_degrees"]).all()
    np.testing.assert_allclose(both["rsq_y"], both["rsq_x"], atol=1e-9)
    np.testing.assert_allclose(both["sig_y"], both["sig_x"], rtol=1e-6, atol=1e-290)
    if "default_threshold_x" in both:
        np.testing.assert_allclose(both["default_threshold_y"], both["default_threshold_x"])
        clear = (both["sig_x"] / both["default_threshold_x"] - 1).abs() > 1e-6
        assert (both["recommended_x"] == both["recommended_y"])[clear].all()
