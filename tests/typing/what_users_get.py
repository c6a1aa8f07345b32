"""Calls as users write them, and the types that they are to have; `test_types.py` has mypy read it.

A line that is wrong ends with the code of the error that mypy is to find there.
"""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
from matplotlib.axes import Axes

import vtreat_py as vt
from vtreat_py.api.lazy_experiment import LazyCrossFrameExperiment

Floats = npt.NDArray[np.float64]


def frames_come_back_as_they_went_in(
    d: pd.DataFrame, p: pl.DataFrame, lazy: pl.LazyFrame, a: npt.NDArray[np.int64], junk: Any
) -> None:
    plan = vt.design_treatments(d, outcome="y")
    assert_type(plan, vt.TreatmentPlan)
    assert_type(vt.prepare(plan, d), pd.DataFrame)
    assert_type(vt.prepare(plan, p, scale=True), pl.DataFrame)
    assert_type(vt.prepare(plan, lazy, row_id="id"), pl.LazyFrame)
    assert_type(vt.prepare(plan, a), npt.NDArray[Any])
    assert_type(vt.prepare(plan, [{"x": 1, "y": "a"}]), pd.DataFrame)
    assert_type(vt.prepare(plan, "visits.parquet"), Any)
    assert_type(vt.prepare(plan, d, sparse_output=True), Any)
    assert_type(vt.prepare(plan, junk), Any)


def cross_frames_are_of_the_callers_kind(
    d: pd.DataFrame, p: pl.DataFrame, lazy: pl.LazyFrame, a: npt.NDArray[np.int64]
) -> None:
    assert_type(vt.cross_frame_experiment(d, outcome="y").cross_frame, pd.DataFrame)
    assert_type(vt.cross_frame_experiment(p, outcome="y").cross_frame, pl.DataFrame)
    assert_type(vt.cross_frame_experiment(a, outcome=[0, 1]).cross_frame, Floats)
    assert_type(vt.cross_frame_experiment(d, outcome="y", sparse_output=True).cross_frame, Any)
    on_engine = vt.cross_frame_experiment(lazy, outcome="y", row_id="id")
    assert_type(on_engine, LazyCrossFrameExperiment[pl.LazyFrame])
    assert_type(on_engine.fold_frame, pl.LazyFrame)
    files = vt.cross_frame_experiment("visits.parquet", outcome="y")
    assert_type(files, LazyCrossFrameExperiment[Any])


def transformers(d: pd.DataFrame, p: pl.DataFrame, a: Floats) -> None:
    treatment = vt.BinomialOutcomeTreatment(prune_sig=0.1, prune_by="sig_fdr")
    assert_type(treatment.fit(d, d["y"]), vt.BinomialOutcomeTreatment)
    assert_type(treatment.fit_transform(d, d["y"]), pd.DataFrame)
    assert_type(treatment.transform(p), pl.DataFrame)
    assert_type(treatment.transform([[1.0], [2.0]]), Any)
    assert_type(treatment.plan_, vt.TreatmentPlan)
    assert_type(vt.UnsupervisedTreatment().fit(d), vt.UnsupervisedTreatment)
    assert_type(vt.YAwareScaler().fit_transform(a, a[:, 0]), Floats)
    assert_type(vt.YAwarePCA(2).fit(p, "y").transform(p), pl.DataFrame)
    assert_type(vt.YAwarePCR(0.9).fit(d, "y").predict(d), Floats)


def what_a_plan_says(plan: vt.TreatmentPlan, d: pd.DataFrame, p: pl.DataFrame) -> None:
    assert_type(plan.to_json(), str)
    assert_type(plan.novel_levels(p), pd.DataFrame)
    assert_type(plan.audit(d, on_drift="warn"), vt.AuditReport)
    assert_type(plan.audit(d).plot(), Axes)
    assert_type(plan.to_sql("visits", dialect="snowflake"), str)
    assert_type(vt.variable_importance(d, outcome="y"), pd.DataFrame)
    assert_type(vt.split_plans.k_way(n_rows=3)[0][0], npt.NDArray[np.integer[Any]])


def words_that_there_are_not(plan: vt.TreatmentPlan, d: pd.DataFrame) -> None:
    vt.design_treatments(d, "y")  # error: call-arg
    vt.design_treatments(d, outcome_type="number")  # error: arg-type
    vt.design_treatments(d, weight_kind="counts")  # error: arg-type
    vt.design_treatments(d, significance="permuted")  # error: arg-type
    vt.design_treatments(d, smoothing="mixture")  # error: arg-type
    vt.design_treatments(d, imputation="mode")  # error: arg-type
    vt.design_treatments(d, calendar=["year"])  # error: list-item
    vt.design_treatments(d, collars=True)  # error: call-arg
    vt.prepare(plan, d, prune_sig="best")  # error: call-overload
    vt.prepare(plan, d, prune_by="rsq")  # error: call-overload
    vt.cross_frame_experiment(d, outcome="y", weight_kind="counts")  # error: call-overload
    vt.BinomialOutcomeTreatment(if_empty="warn")  # error: arg-type
    vt.NumericOutcomeTreatment(prune_sig="best")  # error: arg-type
    vt.YAwarePCA(n_components="kaiser")  # error: arg-type
    vt.LevelCoder(max, of="levels")  # error: arg-type
    vt.Curve(np.zeros(1), np.zeros(1), "cubic")  # error: arg-type
    plan.audit(d, on_drift="stop")  # error: arg-type
    plan.check_sql(None, d, dialect="oracle")  # error: arg-type
    vt.evaluation.randomization_test([1], [2], alternative="more")  # error: arg-type
    vt.evaluation.StreamingBinaryEvaluator(bins="deciles")  # error: arg-type
    vt.evaluation.weighted_cross_validate(None, d, d, fold_weight="sum")  # error: arg-type
    vt.evaluation.repeated_cross_val_predict(None, d, d, method="score")  # error: arg-type
