"""The public API of the Python package ``vtreat``, as a thin layer over this package.

Projects that use that package move by changing an import: ``import vtreat`` becomes
``import vtreat_py.compat as vtreat``. Names are that package's; the statistics are this one's.
``vignettes/moving/from_python_vtreat.md`` says what differs, and why.
"""

from vtreat_py.base.on_use import public_names
from vtreat_py.compat import (
    cross_plan,
    effect_scaler,
    partial_pooling_estimator,
    stats_utils,
    transform,
    util,
    vtreat_api,
)
from vtreat_py.compat.vtreat_api import (
    BinomialOutcomeTreatment,
    MultinomialOutcomeTreatment,
    NumericOutcomeTreatment,
    UnsupervisedTreatment,
    unsupervised_parameters,
    vtreat_parameters,
)

__all__ = [
    "BinomialOutcomeTreatment",
    "MultinomialOutcomeTreatment",
    "NumericOutcomeTreatment",
    "UnsupervisedTreatment",
    "cross_plan",
    "effect_scaler",
    "partial_pooling_estimator",
    "stats_utils",
    "transform",
    "unsupervised_parameters",
    "util",
    "vtreat_api",
    "vtreat_parameters",
]
__dir__ = public_names(globals())
