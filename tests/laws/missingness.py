"""A plan for missing values leaves none, whatever comes, and a query gives what it gives."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from random import Random

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

import vtreat_py as vt
from tests.laws import frames
from tests.laws.designs import refusable
from vtreat_py.base.errors import PlanFormatError


def nothing_is_missing(random: Random) -> None:
    """Cells are finite numbers or text; JSON and SQL say the same; what is marked is listed."""
    kind = frames.kind(random)
    frame = kind.frame(random, frames.some_rows(random))
    plan = refusable(lambda: vt.design_missingness(frame))
    new = kind.frame(random, random.choice([0, 1, 3, 9]), novel=random.choice([0.0, 0.3]))
    treated = refusable(lambda: vt.prepare(plan, new))
    cells = cells_of(treated)
    assert all(len(column) == frames.n_rows(new) for column in cells)
    texts = [v.code == "kept" for v in plan.derived]
    assert len(cells) == len(texts)
    for column, is_text in zip(cells, texts, strict=True):
        if is_text:
            assert all(isinstance(value, str) for value in column)
        else:
            assert np.isfinite(np.array(column, dtype=np.float64)).all()
    marked = sum(column.count("_invalid_") for column in cells)
    novel = refusable(lambda: plan.novel_levels(new))
    assert (
        novel["level"].notna().sum() == 0 or marked >= novel["rows"][novel["level"].notna()].sum()
    )
    try:
        again = vt.TreatmentPlan.from_json(plan.to_json())
    except PlanFormatError:
        return  # levels may be what JSON cannot be made of
    assert cells_of(vt.prepare(again, new)) == cells
    with closing(sqlite3.connect(":memory:")) as connection:
        report = refusable(lambda: plan.check_sql(connection, new))
    assert report.passed, report


def cells_of(treated: object) -> list[list[object]]:
    """Columns of a treated frame."""
    if isinstance(treated, np.ndarray):
        return [column.tolist() for column in treated.T]
    if isinstance(treated, pd.DataFrame):
        return [treated.iloc[:, i].tolist() for i in range(treated.shape[1])]
    frame = nw.from_native(treated, eager_only=True)
    return [frame.get_column(name).to_list() for name in frame.columns]
