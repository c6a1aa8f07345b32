"""Parameters of the treatments, each written once: the fields of dataclasses."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, dataclass_transform, get_args

from sklearn.base import BaseEstimator

from vtreat_py.coders.clean import Imputer
from vtreat_py.coders.custom import CustomCoder
from vtreat_py.coders.prior import Smoothing
from vtreat_py.design.checks import Calendar
from vtreat_py.outcome.weights import WeightKind
from vtreat_py.plan.differential_privacy import DifferentialPrivacy
from vtreat_py.plan.options import Significance
from vtreat_py.plan.pruning import PLAUSIBLE, SIG, PruneBy, PruneSig

T = TypeVar("T")

# What to do where no variable is left; the first is the default.
IfEmpty = Literal["best", "error", "empty"]
IF_EMPTY: tuple[IfEmpty, ...] = get_args(IfEmpty)


@dataclass_transform(kw_only_default=True, eq_default=False)
def parameters(cls: type[T]) -> type[T]:
    """Make a constructor of the annotated fields; comparing and printing stay scikit-learn's."""
    return dataclass(kw_only=True, eq=False, repr=False)(cls)


@parameters
class ColumnParameters(BaseEstimator):  # type: ignore[misc]
    """What treatments with and without an outcome take."""

    variables: Sequence[Hashable] | None = None
    categorical: Sequence[Hashable] = ()
    missing_values: Sequence[str] = ()
    weight_kind: WeightKind = "frequency"
    calendar: Calendar = "auto"
    composites: Sequence[tuple[Hashable, ...]] = ()
    hierarchies: Mapping[Hashable, Hashable] | None = None
    min_fraction: float = 0.02
    rare_count: float = 0
    collar_prob: float = 0.0
    coders: Sequence[str] | None = None
    imputation: Imputer = "mean"
    imputation_map: Mapping[Hashable, Imputer] | None = None
    n_jobs: int | None = None
    progress: bool = False
    privacy: DifferentialPrivacy | None = None
    collar: bool = False
    sparse_output: bool = False


@parameters
class OutcomeParameters(ColumnParameters):
    """What treatments with an outcome take beside."""

    cv: Any = None
    random_state: Any = None
    custom_coders: Mapping[str, CustomCoder] | None = None
    smoothing: Smoothing = "auto"
    rare_sig: float | None = None
    significance: Significance = "calibrated"
    force_split: bool = False
    prune_sig: PruneSig = PLAUSIBLE
    prune_by: PruneBy = SIG
    scale: bool = False
    if_empty: IfEmpty = IF_EMPTY[0]
