"""Statistically sound, y-aware preparation of data frames for modelling."""

from typing import TYPE_CHECKING

from vtreat_py._on_use import names_on_use
from vtreat_py._version import __version__

if TYPE_CHECKING:
    from vtreat_py import split_plans
    from vtreat_py._design import cross_frame_experiment, design_treatments
    from vtreat_py._design_steps import CrossFrameExperiment
    from vtreat_py._errors import DriftError, VtreatError, VtreatWarning
    from vtreat_py._plan import TreatmentPlan
    from vtreat_py._prepare import prepare
    from vtreat_py._treatments import (
        BinomialOutcomeTreatment,
        MultinomialOutcomeTreatment,
        NumericOutcomeTreatment,
        UnsupervisedTreatment,
    )
    from vtreat_py.audit.report import AuditReport
    from vtreat_py.kept.statistics import DesignStatistics
    from vtreat_py.yaware.pca import YAwarePCA
    from vtreat_py.yaware.pcr import YAwarePCR, YAwarePCRClassifier
    from vtreat_py.yaware.scaler import YAwareScaler
else:  # so that the command line of the evaluation starts without pandas and scikit-learn
    __getattr__, __dir__ = names_on_use(
        globals(),
        {
            "AuditReport": "audit.report",
            "BinomialOutcomeTreatment": "_treatments",
            "CrossFrameExperiment": "_design_steps",
            "DesignStatistics": "kept.statistics",
            "DriftError": "_errors",
            "MultinomialOutcomeTreatment": "_treatments",
            "NumericOutcomeTreatment": "_treatments",
            "TreatmentPlan": "_plan",
            "UnsupervisedTreatment": "_treatments",
            "VtreatError": "_errors",
            "VtreatWarning": "_errors",
            "YAwarePCA": "yaware.pca",
            "YAwarePCR": "yaware.pcr",
            "YAwarePCRClassifier": "yaware.pcr",
            "YAwareScaler": "yaware.scaler",
            "cross_frame_experiment": "_design",
            "design_treatments": "_design",
            "prepare": "_prepare",
            "split_plans": "split_plans",
        },
    )

__all__ = [
    "AuditReport",
    "BinomialOutcomeTreatment",
    "CrossFrameExperiment",
    "DesignStatistics",
    "DriftError",
    "MultinomialOutcomeTreatment",
    "NumericOutcomeTreatment",
    "TreatmentPlan",
    "UnsupervisedTreatment",
    "VtreatError",
    "VtreatWarning",
    "YAwarePCA",
    "YAwarePCR",
    "YAwarePCRClassifier",
    "YAwareScaler",
    "__version__",
    "cross_frame_experiment",
    "design_treatments",
    "prepare",
    "split_plans",
]
