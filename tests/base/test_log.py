"""What is said to the standard library's logging, and that nothing is where nobody listens."""

from __future__ import annotations

import logging

import pandas as pd
import pytest

import vtreat_py as vt
from vtreat_py.base.log import logger, query, tells, timed

FRAME = pd.DataFrame(
    {"id": range(40), "x": ["a", "b", "c", None] * 10, "z": range(40), "y": [0, 1, 1, 0, 1] * 8}
)


def design(frame: object, caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    with caplog.at_level(level, "vtreat_py"):
        vt.cross_frame_experiment(frame, outcome="y", row_id="id", random_state=0)
    return [f"{one.levelname} {one.getMessage()}" for one in caplog.records]


def test_nothing_is_said_unasked(caplog: pytest.LogCaptureFixture) -> None:
    assert design(FRAME, caplog, logging.WARNING) == []
    assert not tells(logging.INFO)


def test_the_library_shows_nothing_itself() -> None:
    assert [type(one) for one in logger.handlers] == [logging.NullHandler]
    assert logger.level == logging.NOTSET


def test_steps_have_sizes_and_seconds(caplog: pytest.LogCaptureFixture) -> None:
    said = design(FRAME, caplog, logging.INFO)
    assert said[0].startswith("INFO design begun: 40 rows, 2 columns, 5 folds, outcome binomial")
    assert said[1].startswith("INFO design: 0.")
    assert said[2].startswith("INFO cross-frame begun: 40 rows, ")
    assert said[3].startswith("INFO cross-frame: 0.")
    assert len(said) == 4


def test_columns_have_seconds(caplog: pytest.LogCaptureFixture) -> None:
    said = design(FRAME, caplog, logging.DEBUG)
    debug = [one.partition(": ")[0] for one in said if one.startswith("DEBUG")]
    assert debug == ["DEBUG column 'x'", "DEBUG column 'z'"]


def test_queries_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    pl = pytest.importorskip("polars")
    said = design(pl.from_pandas(FRAME).lazy(), caplog, logging.DEBUG)
    start = next(i for i, one in enumerate(said) if one.startswith("INFO design begun in polars"))
    queries = [one for one in said[start:] if one.startswith("DEBUG query of polars: 0.")]
    (counted,) = [one for one in said if one.startswith("INFO design: ") and "queries" in one]
    assert counted.startswith(f"INFO design: {len(queries)} queries, 0.")
    assert "DEBUG column 'x'" in [one.partition(": ")[0] for one in said]


def test_errors_pass(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "vtreat_py"):
        for work in (timed("work"), query("none")):
            with pytest.raises(ValueError, match="as it is"), work:
                raise ValueError("as it is")
    assert caplog.records == []
