"""Statistically sound, y-aware preparation of data frames for modelling."""

from vtreat_py import split_plans
from vtreat_py._design import cross_frame_experiment, design_treatments
from vtreat_py._design_steps import CrossFrameExperiment
from vtreat_py._errors import VtreatError, VtreatWarning
from vtreat_py._plan import TreatmentPlan
from vtreat_py._prepare import prepare
from vtreat_py._treatments import (
    BinomialOutcomeTreatment,
    MultinomialOutcomeTreatment,
    NumericOutcomeTreatment,
    UnsupervisedTreatment,
)
from vtreat_py._version import __version__
from vtreat_py.yaware.pca import YAwarePCA
from vtreat_py.yaware.pcr import YAwarePCR, YAwarePCRClassifier
from vtreat_py.yaware.scaler import YAwareScaler

__all__ = [
    "BinomialOutcomeTreatment",
    "CrossFrameExperiment",
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
