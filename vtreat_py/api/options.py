"""Options by their types, for signatures that differ in the kind of frame alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

from vtreat_py.coders.clean import Imputer
from vtreat_py.coders.custom import CustomCoder
from vtreat_py.coders.prior import Smoothing
from vtreat_py.design.checks import Calendar
from vtreat_py.outcome.weights import WeightKind
from vtreat_py.plan.differential_privacy import DifferentialPrivacy
from vtreat_py.plan.options import OutcomeType, Significance
from vtreat_py.plan.pruning import PruneBy, PruneSig


class ChoiceOptions(TypedDict, total=False):
    """Those of `prepare` and of cross-frames, but ``sparse_output``."""

    prune_sig: PruneSig
    prune_by: PruneBy
    scale: bool
    collar: bool


class PrepareOptions(ChoiceOptions, total=False):
    """Those of `prepare`, but ``sparse_output``."""

    variables: Iterable[str] | None
    coders: Iterable[str] | None
    extra_columns: Iterable[Hashable]
    row_id: Hashable | None


class CrossFrameOptions(ChoiceOptions, total=False):
    """Those of `cross_frame_experiment`, but ``sparse_output``."""

    outcome: Any
    outcome_type: OutcomeType | None
    target: Any
    exposure: Any
    variables: Sequence[Hashable] | None
    categorical: Sequence[Hashable]
    missing_values: Sequence[str]
    sample_weight: Any
    weight_kind: WeightKind
    groups: Any
    cv: Any
    random_state: Any
    row_id: Hashable | None
    calendar: Calendar
    composites: Sequence[tuple[Hashable, ...]]
    hierarchies: Mapping[Hashable, Hashable] | None
    min_fraction: float
    smoothing: Smoothing
    rare_count: float
    rare_sig: float | None
    collar_prob: float
    coders: Sequence[str] | None
    quantile: float
    custom_coders: Mapping[str, CustomCoder] | None
    y_dependent_coders: Sequence[str] | None
    max_classes: int
    cat_scaling: bool
    imputation: Imputer
    imputation_map: Mapping[Hashable, Imputer] | None
    significance: Significance
    force_split: bool
    n_jobs: int | None
    progress: bool
    keep_statistics: bool
    privacy: DifferentialPrivacy | None


class KeptFrameOptions(ChoiceOptions, total=False):
    """Those of the cross-frame of statistics, but ``sparse_output``."""

    outcome: Any
    exposure: Any
    sample_weight: Any
    n_jobs: int | None
