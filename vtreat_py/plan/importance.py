"""What each column of a frame says of the outcome, whatever codes were made of it."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.plan.data import Plan


def variable_importance(plan: Plan) -> pd.DataFrame:
    """Put the scores of each column together; see `TreatmentPlan.variable_importance`."""
    if plan.outcome_type == "unsupervised":
        raise InvalidOptionError(
            "variables are important for an outcome, which this plan has not: it is unsupervised. "
            "Design with outcome="
        )
    place: dict[Hashable, int] = {name: i for i, name in enumerate(plan.variables)}
    rsq, smallest = np.zeros(len(place)), np.ones(len(place))
    count = np.zeros(len(place), dtype=np.int64)
    for test in plan.tests:
        i = place[test.column]
        rsq[i] = max(rsq[i], test.rsq)
        smallest[i] = min(smallest[i], test.sig)
        count[i] += test.n_tests
    sig = np.where(count > 0, np.minimum(smallest * count, 1.0), 1.0)
    table = pd.DataFrame(
        {"variable": pd.Series(list(place), dtype=object), "rsq": rsq, "sig": sig, "count": count}
    )
    order = np.lexsort((sig, -rsq))
    return table.iloc[order].reset_index(drop=True)
