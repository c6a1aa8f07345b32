"""Frames that the tests of the layer share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import vtreat_py.compat as vtreat

ROWS = 240
INPUTS = ["z", "xc", "k"]


def example(seed: int = 0, n_rows: int = ROWS) -> pd.DataFrame:
    """A number with gaps, two columns of levels (one with gaps), three outcomes; odd index."""
    random = np.random.default_rng(seed)
    xc = random.choice(["a", "b", "c d"], n_rows)
    z = random.normal(size=n_rows)
    y = 2.0 * (xc == "a") + 0.5 * z + random.normal(size=n_rows)
    frame = pd.DataFrame(
        {"z": z, "xc": xc.astype(object), "k": random.choice(list("pqrs"), n_rows), "y": y},
        index=pd.RangeIndex(1000, 1000 + n_rows),
    )
    frame.loc[random.random(n_rows) < 0.1, "z"] = np.nan
    frame.loc[random.random(n_rows) < 0.1, "xc"] = None
    frame["yc"] = frame["y"] > 1
    frame["ym"] = np.select([y > 1.5, y > 0], ["high", "mid"], "so low")
    return frame


TREATMENTS: dict[str, Any] = {
    "y": vtreat.NumericOutcomeTreatment,
    "yc": vtreat.BinomialOutcomeTreatment,
    "ym": vtreat.MultinomialOutcomeTreatment,
}


def all_variables(outcome: str, **arguments: Any) -> Any:
    """A treatment of the inputs for one of the outcomes, with all variables in its output."""
    params = {"filter_to_recommended": False, **arguments.pop("params", {})}
    arguments = {"var_list": INPUTS, "outcome_name": outcome, **arguments}
    return TREATMENTS[outcome](params=params, **arguments)
