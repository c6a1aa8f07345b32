"""Private plans, and training frames that are coded by them."""

from __future__ import annotations

from typing import Any

import numpy as np

from vtreat_py.api.experiment import CrossFrameExperiment
from vtreat_py.api.plan import TreatmentPlan, with_verbs
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.labels import check_same_rows
from vtreat_py.base.seeds import random_numbers
from vtreat_py.design.checks import no_cross_frame
from vtreat_py.design.request import DesignRequest
from vtreat_py.folds.plan import FoldPlan
from vtreat_py.frames.lazy_frames import is_lazy
from vtreat_py.memory.prepare import treated_frame
from vtreat_py.plan.choice import Choice
from vtreat_py.private.crossing import cross_frame
from vtreat_py.private.design import PrivateDesign

_FOLDS = 5


def private_plan(frame: Any, request: DesignRequest, keep: bool = False) -> TreatmentPlan:
    """Make a plan under differential privacy; see `design_treatments`."""
    return with_verbs(_design(frame, request, keep).plan())


def private_experiment(
    frame: Any, request: DesignRequest, choice: Any, keep: bool = False
) -> CrossFrameExperiment[Any]:
    """Make a private plan, and code the training frame by private plans of the other folds.

    ``choice`` gives, of the plan, what is to come out.
    """
    if request.outcome_type == "unsupervised":
        raise no_cross_frame()
    design = _design(frame, request, keep)
    plan, n_rows = with_verbs(design.plan()), design.source.n_rows
    chosen: Choice = choice(plan)
    fold = random_numbers(request.random_state).permutation(n_rows) % _FOLDS
    folds = FoldPlan(fold.astype(np.int8), _FOLDS)
    if chosen.sparse:  # no code of these knows the outcome
        return CrossFrameExperiment(plan, treated_frame(plan, design.source, chosen), None, folds)
    plans = [design.plan(fold != k) for k in range(_FOLDS)]
    treated = cross_frame(plan, plans, fold, design.source, chosen)
    return CrossFrameExperiment(plan, treated, None, folds)


def _design(frame: Any, request: DesignRequest, keep: bool) -> PrivateDesign:
    if keep:
        raise InvalidOptionError(
            "keep_statistics=True keeps sums as they are, which privacy= does not allow; leave one "
            "of the two out"
        )
    if is_lazy(frame):
        raise InvalidOptionError("privacy= is for frames in memory; collect the lazy frame")
    check_same_rows({"frame": frame, "outcome": request.outcome})
    return PrivateDesign(frame, request)
