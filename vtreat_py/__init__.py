"""Statistically sound, y-aware preparation of data frames for modelling."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vtreat_py._version import __version__

if TYPE_CHECKING:
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

__all__ = [
    "BinomialOutcomeTreatment",
    "CrossFrameExperiment",
    "MultinomialOutcomeTreatment",
    "NumericOutcomeTreatment",
    "TreatmentPlan",
    "UnsupervisedTreatment",
    "VtreatError",
    "VtreatWarning",
    "__version__",
    "cross_frame_experiment",
    "design_treatments",
    "prepare",
    "split_plans",
]

# Names are imported on first use: the command line of the evaluation starts without pandas and
# scikit-learn.
_MODULE_OF = {
    "BinomialOutcomeTreatment": "_treatments",
    "CrossFrameExperiment": "_design_steps",
    "MultinomialOutcomeTreatment": "_treatments",
    "NumericOutcomeTreatment": "_treatments",
    "TreatmentPlan": "_plan",
    "UnsupervisedTreatment": "_treatments",
    "VtreatError": "_errors",
    "VtreatWarning": "_errors",
    "cross_frame_experiment": "_design",
    "design_treatments": "_design",
    "prepare": "_prepare",
}


def __getattr__(name: str) -> Any:
    if name == "split_plans":
        return import_module("vtreat_py.split_plans")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'vtreat_py' has no attribute {name!r}")
    value = getattr(import_module(f"vtreat_py.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
