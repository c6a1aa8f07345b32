"""Statistically sound, y-aware preparation of data frames for modelling.

Learn a plan and treat frames by it: `design_treatments`, `prepare`, and for the training frame,
coded out of fold, `cross_frame_experiment`. The same as scikit-learn transformers:
`BinomialOutcomeTreatment`, `NumericOutcomeTreatment`, `MultinomialOutcomeTreatment`,
`RateOutcomeTreatment`, `SurvivalOutcomeTreatment`, `UnsupervisedTreatment`. What each column says
alone: `variable_importance`; what pairs add: `find_interactions`. Missing values only, text staying
text: `design_missingness`. y-aware components and regressions on them:
`YAwareScaler`, `YAwarePCA`, `YAwarePCR`, `YAwarePCRClassifier`. A plan (`TreatmentPlan`) is data:
text, SQL, audits (`AuditReport`), sums that are kept (`DesignStatistics`).

Beside them, loaded when they are first used: `vtreat_py.evaluation` judges models,
`vtreat_py.split_plans` makes folds, `vtreat_py.plots` draws, `vtreat_py.testing` looks for leaks,
`vtreat_py.onnx_models` converts pipelines to ONNX, and `vtreat_py.compat` stands in for the Python
package vtreat. What long work does it says to the
logger ``"vtreat_py"`` of the standard library: at INFO its steps, at DEBUG each column and query.
``python -m vtreat_py --help`` is the command line.
"""

from typing import TYPE_CHECKING

from vtreat_py.base.on_use import names_on_use
from vtreat_py.base.version import __version__

if TYPE_CHECKING:
    from vtreat_py import compat, evaluation, onnx_models, plots, split_plans, testing
    from vtreat_py.api.design import cross_frame_experiment, design_treatments
    from vtreat_py.api.experiment import CrossFrameExperiment
    from vtreat_py.api.importance import variable_importance
    from vtreat_py.api.interactions import find_interactions
    from vtreat_py.api.missingness import design_missingness
    from vtreat_py.api.plan import TreatmentPlan
    from vtreat_py.api.prepare import prepare
    from vtreat_py.api.statistics import DesignStatistics
    from vtreat_py.audit.report import AuditReport
    from vtreat_py.base.errors import DriftError, VtreatError, VtreatWarning
    from vtreat_py.coders.curve import Curve
    from vtreat_py.coders.custom import LevelCoder, NumberCoder
    from vtreat_py.estimators.treatments import (
        BinomialOutcomeTreatment,
        MultinomialOutcomeTreatment,
        NumericOutcomeTreatment,
        RateOutcomeTreatment,
        SurvivalOutcomeTreatment,
        UnsupervisedTreatment,
    )
    from vtreat_py.plan.differential_privacy import DifferentialPrivacy
    from vtreat_py.yaware.pca import YAwarePCA
    from vtreat_py.yaware.pcr import YAwarePCR, YAwarePCRClassifier
    from vtreat_py.yaware.scaler import YAwareScaler
else:  # so that the command line of the evaluation starts without pandas and scikit-learn
    __getattr__, __dir__ = names_on_use(
        globals(),
        {
            "AuditReport": "audit.report",
            "BinomialOutcomeTreatment": "estimators.treatments",
            "CrossFrameExperiment": "api.experiment",
            "Curve": "coders.curve",
            "DesignStatistics": "api.statistics",
            "DifferentialPrivacy": "plan.differential_privacy",
            "DriftError": "base.errors",
            "LevelCoder": "coders.custom",
            "MultinomialOutcomeTreatment": "estimators.treatments",
            "NumberCoder": "coders.custom",
            "NumericOutcomeTreatment": "estimators.treatments",
            "RateOutcomeTreatment": "estimators.treatments",
            "SurvivalOutcomeTreatment": "estimators.treatments",
            "TreatmentPlan": "api.plan",
            "UnsupervisedTreatment": "estimators.treatments",
            "VtreatError": "base.errors",
            "VtreatWarning": "base.errors",
            "YAwarePCA": "yaware.pca",
            "YAwarePCR": "yaware.pcr",
            "YAwarePCRClassifier": "yaware.pcr",
            "YAwareScaler": "yaware.scaler",
            "compat": "compat",
            "cross_frame_experiment": "api.design",
            "design_missingness": "api.missingness",
            "design_treatments": "api.design",
            "evaluation": "evaluation",
            "find_interactions": "api.interactions",
            "onnx_models": "onnx_models",
            "plots": "plots",
            "prepare": "api.prepare",
            "split_plans": "split_plans",
            "testing": "testing",
            "variable_importance": "api.importance",
        },
    )

__all__ = [
    "AuditReport",
    "BinomialOutcomeTreatment",
    "CrossFrameExperiment",
    "Curve",
    "DesignStatistics",
    "DifferentialPrivacy",
    "DriftError",
    "LevelCoder",
    "MultinomialOutcomeTreatment",
    "NumberCoder",
    "NumericOutcomeTreatment",
    "RateOutcomeTreatment",
    "SurvivalOutcomeTreatment",
    "TreatmentPlan",
    "UnsupervisedTreatment",
    "VtreatError",
    "VtreatWarning",
    "YAwarePCA",
    "YAwarePCR",
    "YAwarePCRClassifier",
    "YAwareScaler",
    "__version__",
    "compat",
    "cross_frame_experiment",
    "design_missingness",
    "design_treatments",
    "evaluation",
    "find_interactions",
    "onnx_models",
    "plots",
    "prepare",
    "split_plans",
    "testing",
    "variable_importance",
]
