"""Only errors of ours come out, whatever is given for whatever."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import vtreat_py as vt
from tests.laws import designs
from tests.laws.designs import RefusedError
from tests.laws.options import JUNK

_DESIGN = [
    "outcome", "outcome_type", "target", "variables", "sample_weight", "groups", "cv",
    "random_state", "row_id", "min_fraction", "smoothing", "rare_count", "rare_sig", "collar_prob",
    "coders", "quantile", "y_dependent_coders", "cat_scaling", "imputation", "imputation_map",
    "significance", "force_split", "n_jobs", "keep_statistics", "categorical", "missing_values",
    "weight_kind", "max_classes", "calendar", "composites", "hierarchies",
]  # fmt: skip
_CHOICE = [
    "prune_sig", "prune_by", "scale", "collar", "variables", "coders", "extra_columns", "row_id",
    "sparse_output",
]  # fmt: skip


def wrong_arguments(random: Random) -> None:
    """One argument of a design, or of a verb of its plan, is anything."""
    case = designs.case(random, random.choice([1, 2]), share=0.05)
    if random.random() < 0.5:
        for option in random.sample([*_DESIGN, *_CHOICE[:4], "sparse_output"], 6):
            given = case.options | {option: random.choice(JUNK)}
            make = vt.design_treatments if option in _DESIGN else vt.cross_frame_experiment
            ours_or_none(lambda m=make, g=given: m(case.frame, **g))  # type: ignore[misc]
            ours_or_none(lambda g=given: vt.cross_frame_experiment(case.frame, **g))  # type: ignore[misc]
        return
    plan, new = case.design(), case.new_rows(random)
    junk = random.choice(JUNK)
    verbs: list[Any] = [
        lambda: vt.prepare(plan, new, **{random.choice(_CHOICE): junk}),
        lambda: vt.prepare(plan, junk),
        lambda: vt.prepare(junk, new),
        lambda: plan.audit(new, **{random.choice(["sample_weight", "psi", "sig"]): junk}),
        lambda: plan.audit(junk),
        lambda: plan.level_effects(junk),
        lambda: plan.level_effects(random.choice(plan.variables), junk),
        lambda: plan.diff(junk),
        lambda: plan.to_sql(junk),
        lambda: plan.to_sql("rows", dialect=junk),
        lambda: plan.to_sql("rows", **{random.choice(_CHOICE[:-1]): junk}),
        lambda: plan.check_sql(junk, new),
        lambda: vt.TreatmentPlan.from_json(_no_path(junk)),
        lambda: vt.DesignStatistics.load(_no_path(junk)),
    ]
    for verb in random.sample(verbs, 4):
        ours_or_none(verb)


def wrong_frames(random: Random) -> None:
    """A frame to prepare that is of another design: its columns are others, or hold others."""
    case, other = (designs.case(random, random.choice([1, 2, 3])) for _ in range(2))
    plan, new = case.design(), other.new_rows(random)
    ours_or_none(lambda: vt.prepare(plan, new))
    ours_or_none(lambda: plan.audit(new))
    ours_or_none(lambda: plan.diff(other.design()))
    assert pickle.loads(pickle.dumps(plan)).feature_names == plan.feature_names


def ours_or_none(call: Any) -> None:
    """Do something that may be refused in our words."""
    try:
        call()
    except (vt.VtreatError, FileNotFoundError) as error:  # as documented
        designs.check_words(error)
    except RefusedError:
        pass


def _no_path(junk: Any) -> Any:
    """Numbers would be taken for open files."""
    return None if type(junk) in (int, bool) else junk
