"""Kept statistics of rates: moments of exposures and counts say what the rows would."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import vtreat_py as vt
from tests.outcome.claims import FOLDS, GIVEN, claims
from vtreat_py.base.errors import InvalidOptionError, OutcomeError, PlanFormatError
from vtreat_py.statistics import pair_table

WEIGHTS: list[dict[str, Any]] = [{}, {"sample_weight": "w"}]


def rows(weights: dict[str, Any], n: int = 900) -> pd.DataFrame:
    """Claims, with weights if wanted, and a column that is missing in the first rows."""
    frame = claims(n).assign(years=lambda f: f["years"].round(2))
    frame["shop"] = np.where(np.arange(n) < 300, None, frame["fuel"])
    if weights:
        frame["w"] = np.random.default_rng(0).integers(0, 3, n).astype(float)
    return frame


def assert_same(found: vt.TreatmentPlan, expected: vt.TreatmentPlan) -> None:
    """Scores, slopes and effects agree."""
    one, other = (p.score_frame.set_index("variable") for p in (found, expected))
    assert set(one.index) == set(other.index)
    for name in ("rsq", "sig"):
        np.testing.assert_allclose(one.loc[other.index, name], other[name], rtol=1e-9, atol=1e-14)
    slopes = [{v.name: v.slope for v in p.derived} for p in (found, expected)]
    for name, slope in slopes[1].items():
        assert slopes[0][name] == pytest.approx(slope, rel=1e-7, abs=1e-12), name
    effects = [p.level_effects("town").set_index("level")["effect"] for p in (found, expected)]
    kept = effects[0].index  # in memory levels that only rows of weight 0 have are levels, too
    np.testing.assert_allclose(effects[0], effects[1][kept], atol=1e-12)


def folds_of(numbers: Any) -> list[Any]:
    return [(np.flatnonzero(numbers != k), np.flatnonzero(numbers == k)) for k in range(5)]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_plans_of_sums_are_plans_of_rows(weights: dict[str, Any], tmp_path: Path) -> None:
    frame, given = rows(weights), GIVEN | weights
    expected = vt.cross_frame_experiment(frame, **given, scale=True)
    found = vt.cross_frame_experiment(frame, **given, scale=True, keep_statistics=True)
    assert_same(found.plan, expected.plan)
    # Where a fold has no event in a level, its slope has no end.
    np.testing.assert_allclose(found.cross_frame, expected.cross_frame, rtol=1e-6, atol=1e-9)
    statistics, fold = found.plan.statistics, found.fold_numbers
    part = statistics.of_rows(frame.iloc[:400], folds=fold[:400], **weights)
    rest = statistics - part
    later = frame.iloc[400:].reset_index(drop=True)
    alone = vt.design_treatments(later, **given | {"cv": folds_of(fold[400:])})
    assert_same(rest.plan(), alone)
    assert_same((part + rest).plan(), expected.plan)  # the first part lacks a column's type
    coded = statistics.cross_frame(frame.iloc[:400], folds=fold[:400], scale=True, **weights)
    np.testing.assert_allclose(coded, found.cross_frame.iloc[:400], rtol=1e-12)
    statistics.save(tmp_path / "one")
    loaded = vt.DesignStatistics.load(tmp_path / "one")
    assert loaded == statistics
    assert loaded.plan() == found.plan
    nothing = statistics - statistics
    with pytest.raises(OutcomeError, match="the statistics have no rows"):
        nothing.plan()


def test_exposures_may_be_arrays() -> None:
    frame = rows({})
    years, claimed = frame.pop("years"), frame.pop("claims")
    given = {"outcome": claimed, "exposure": years, "cv": FOLDS}
    found = vt.cross_frame_experiment(frame, **given, keep_statistics=True)
    statistics, fold = found.plan.statistics, found.fold_numbers
    given = {"outcome": claimed[:100], "exposure": years[:100], "folds": fold[:100]}
    rest = statistics - statistics.of_rows(frame[:100], **given)
    assert rest.n_rows == 800
    coded = statistics.cross_frame(frame[:100], **given)
    np.testing.assert_allclose(coded, found.cross_frame[:100])
    with pytest.raises(OutcomeError, match="3 negative numbers"):
        statistics.of_rows(frame[:3], **given | {"outcome": -np.ones(3), "exposure": years[:3],
                                                 "folds": fold[:3]})  # fmt: skip
    with pytest.raises(OutcomeError, match="holds no numbers"):
        statistics.of_rows(frame[:3], outcome="town", exposure=years[:3], folds=fold[:3])


def test_lazy_frames_keep_them_too() -> None:
    frame = rows({}).assign(id=np.arange(900)).drop(columns="shop")
    given: dict[str, Any] = {"outcome": "claims", "exposure": "years", "row_id": "id"}
    given |= {"random_state": 0, "keep_statistics": True}
    expected = vt.cross_frame_experiment(frame, **given)
    found = vt.cross_frame_experiment(pl.from_pandas(frame).lazy(), **given)
    assert_same(found.plan, expected.plan)
    coded = found.cross_frame.collect().to_pandas().sort_values("id")
    np.testing.assert_allclose(coded, expected.cross_frame, rtol=1e-9, atol=1e-12)


def test_very_many_pairs_are_told_apart_by_some_digits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pair_table, "MOST_PAIRS", 300)
    frame = rows({}).assign(years=claims(900)["years"])
    expected = vt.design_treatments(frame, **GIVEN)
    found = vt.design_treatments(frame, **GIVEN, keep_statistics=True)
    for name, most in (("rsq", 1e-4), ("sig", 0.02)):
        scores = [plan.score_frame[name] for plan in (found, expected)]
        np.testing.assert_allclose(*scores, atol=most)
    found.statistics.save(tmp_path / "kept")
    assert vt.DesignStatistics.load(tmp_path / "kept") == found.statistics


def test_what_takes_rows_is_refused() -> None:
    frame = rows({})
    given = GIVEN | {"keep_statistics": True}
    with pytest.raises(InvalidOptionError, match=r"composites: the p-value of .* takes the rows"):
        vt.design_treatments(frame, **given, composites=[("town", "fuel")])
    statistics = vt.design_treatments(frame, **given).statistics
    few = statistics.of_rows(frame[:9], folds=np.zeros(9, dtype=int))
    with pytest.raises(InvalidOptionError, match="all rows of the statistics are in fold 0"):
        few.plan()
    named = frame.rename(columns={"years": "y"})
    given |= {"exposure": "y", "variables": ["town", "age", "fuel", "shop"]}
    other = vt.design_treatments(named, **given).statistics
    with pytest.raises(InvalidOptionError, match="exposure_name is 'years' in one"):
        _ = statistics + other


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("outcome/sums", lambda a: -a, "a cell has no weight"),
        ("outcome/first", lambda a: a + 1e-9, "its pairs are not those that save writes"),
        ("outcome/sums", lambda a: np.append(a[: len(a) // 3], -a[len(a) // 3 :]), "that is none"),
        ("0/pairs/xx", lambda a: a - 1e9, "negative weight or sum of squares"),
        ("1/missing_rows", lambda a: a * 0.0 - 1.0, "missing_rows is negative"),
        ("1/counts/weight", lambda a: 0.0 * a, "a cell has no weight"),
    ],
)  # fmt: skip
def test_changed_files_are_refused(
    tmp_path: Path, name: str, change: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_table, "MOST_PAIRS", 300)
    path = tmp_path / "kept"
    vt.design_treatments(rows({}), **GIVEN, keep_statistics=True).statistics.save(path)
    with zipfile.ZipFile(path) as archive:
        entries = {one: archive.read(one) for one in archive.namelist()}
    assert json.loads(entries["header.json"])["design"]["exposure_name"] == "years"
    entries[name] = change(np.frombuffer(entries[name], "<f8")).tobytes()
    with zipfile.ZipFile(path, "w") as archive:
        for one, content in entries.items():
            archive.writestr(one, content)
    with pytest.raises(PlanFormatError, match=message):
        vt.DesignStatistics.load(path)


def test_rows_that_were_never_added_cannot_be_taken_away() -> None:
    frame = rows({})
    statistics = vt.design_treatments(frame, **GIVEN | {"keep_statistics": True}).statistics
    name = GIVEN["outcome"]
    other = frame[:50].assign(**{name: frame[name][:50] + 1.0})
    with pytest.raises(InvalidOptionError, match=r"outcome .* per .*: there are rows of weight"):
        _ = statistics - statistics.of_rows(other, folds=np.zeros(50, dtype=int))
