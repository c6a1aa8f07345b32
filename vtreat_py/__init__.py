"""Statistically sound, y-aware preparation of data frames for modelling."""

from vtreat_py._design import CrossFrameExperiment, cross_frame_experiment, design_treatments
from vtreat_py._errors import VtreatError, VtreatWarning
from vtreat_py._plan import TreatmentPlan
from vtreat_py._prepare import prepare
from vtreat_py._version import __version__

__all__ = [
    "CrossFrameExperiment",
    "TreatmentPlan",
    "VtreatError",
    "VtreatWarning",
    "__version__",
    "cross_frame_experiment",
    "design_treatments",
    "prepare",
]
