"""No row's code in the cross-frame knows its outcome."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

import vtreat_py as vt
from tests.laws.designs import refusable
from tests.laws.tables import counts, table

_KINDS = ["numeric", "binomial", "multinomial", "rate"]


def own_fold_unseen(random: Random) -> None:
    """Rows of a fold are coded alike, however their outcomes are dealt among them."""
    drawn = table(random, random.choice(_KINDS))
    if random.random() < 0.3:
        drawn.weight = counts(random, drawn.n_rows)
    rows = drawn.pandas()
    own = np.flatnonzero(rows["fold"] == random.choice(rows["fold"]))
    y = rows["y"].tolist()
    for place, value in zip(own, random.sample([y[k] for k in own], len(own)), strict=True):
        y[place] = value
    classic = drawn.options.get("significance") == "classic"
    scale = random.random() < 0.5 and not classic
    one, other = (
        refusable(lambda f=frame: vt.cross_frame_experiment(f, scale=scale, **drawn.given))  # type: ignore[misc]
        for frame in (rows, rows.assign(y=y))
    )
    for name in one.cross_frame.columns.intersection(other.cross_frame.columns):
        found, expected = (made.cross_frame[name].to_numpy()[own] for made in (other, one))
        if classic and all(_is_of_the_plan(made, rows, name, own) for made in (one, other)):
            continue  # as R has it where the training rows of a fold do not support a code
        size = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(found, expected, err_msg=name, rtol=1e-7, atol=1e-9 * size)


def _is_of_the_plan(made: vt.CrossFrameExperiment, rows: Any, name: str, own: Any) -> bool:
    """Whether the codes of a fold's rows are those of the plan, which all rows have taught."""
    treated = vt.prepare(made.plan, rows.iloc[own], variables=[name])[name]
    return bool((treated.to_numpy() == made.cross_frame[name].to_numpy()[own]).all())
