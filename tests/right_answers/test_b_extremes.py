"""B. Numbers at the edge of floats: the numbers are those of a list of what once went wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import OutcomeError

N = 60


@pytest.mark.parametrize("lazily", [False, True])
@pytest.mark.parametrize("factor", [1e160, 1e-160])
def test_b_weights_that_cannot_be_squared_are_refused(
    rows: pd.DataFrame, y: Any, factor: float, lazily: bool
) -> None:
    frame: Any = pl.from_pandas(rows.assign(y=y, w=np.arange(N) * factor, id=np.arange(N)))
    given = {"outcome": "y", "sample_weight": "w", "row_id": "id"}
    with pytest.raises(OutcomeError, match="multiply them by one number"):
        vt.design_treatments(frame.lazy() if lazily else frame, random_state=0, **given)
