"""The four treatments and their parameters, under the name of their module."""

from vtreat_py.base.on_use import public_names
from vtreat_py.compat._parameters import unsupervised_parameters, vtreat_parameters
from vtreat_py.compat._treatments import (
    BinomialOutcomeTreatment,
    MultinomialOutcomeTreatment,
    NumericOutcomeTreatment,
    UnsupervisedTreatment,
)

__all__ = [
    "BinomialOutcomeTreatment",
    "MultinomialOutcomeTreatment",
    "NumericOutcomeTreatment",
    "UnsupervisedTreatment",
    "unsupervised_parameters",
    "vtreat_parameters",
]
__dir__ = public_names(globals())
