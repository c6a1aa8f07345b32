"""How rows are dealt to folds is of the cross-frame, and of no code that the plan has."""

from __future__ import annotations

from random import Random

import numpy as np

import vtreat_py as vt
from tests.laws.designs import refusable
from tests.laws.tables import counts, table

_KINDS = ["numeric", "binomial", "multinomial", "rate", "survival"]


def dealt_another_way(random: Random) -> None:
    """Plans of two ways to deal rows code them alike, whatever both have."""
    drawn = table(random, random.choice(_KINDS))
    if random.random() < 0.3:
        drawn.weight = counts(random, drawn.n_rows)
    rows = drawn.pandas()
    other_rows = rows.assign(fold=random.sample(range(drawn.n_rows), drawn.n_rows))
    other_rows["fold"] %= random.choice([2, 4, drawn.n_rows])
    one, other = (
        refusable(lambda f=frame: vt.design_treatments(f, **drawn.given))  # type: ignore[misc]
        for frame in (rows, other_rows)
    )
    new = drawn.new_rows(random, 6).to_pandas()
    found, expected = (vt.prepare(plan, new, prune_sig=None) for plan in (one, other))
    for name in found.columns.intersection(expected.columns):
        size = max(1.0, float(expected[name].abs().max()))
        np.testing.assert_allclose(
            found[name], expected[name], err_msg=name, rtol=1e-7, atol=1e-9 * size
        )
