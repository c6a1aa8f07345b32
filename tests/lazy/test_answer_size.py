"""Columns of more levels than an engine hands over are refused before they are asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import vtreat_py as vt
from tests.lazy.frames import awkward_table
from vtreat_py.base.errors import FrameError


@pytest.mark.parametrize(
    ("setting", "n_bytes"),
    [("1g", 2**30), ("512m", 2**29), ("2GB", 2**31), ("100", 100), ("3kb", 3072), ("0", None)],
)
def test_sizes_are_read_as_spark_writes_them(setting: str, n_bytes: int | None) -> None:
    pytest.importorskip("pyspark")
    from vtreat_py.lazy.on_spark import largest_answer

    asked = SimpleNamespace(get=lambda name, _: {"spark.driver.maxResultSize": setting}[name])
    native = SimpleNamespace(sparkSession=SimpleNamespace(conf=asked))
    assert largest_answer(native) == n_bytes


@pytest.mark.long
def test_spark_is_asked_for_no_more_than_it_hands_over(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vtreat_py.lazy import on_spark

    frame = spark.createDataFrame(awkward_table(400).select(["id", "town", "many", "c"]))
    given: dict[str, Any] = {"outcome": "c", "row_id": "id"}
    assert on_spark.largest_answer(frame) == 2**30
    monkeypatch.setattr(on_spark, "largest_answer", lambda _: 4000)
    with pytest.raises(FrameError) as error:
        vt.design_treatments(frame, variables=["town", "many"], **given)
    # 69 levels, about: of each ten counts, the first id, and 8 letters
    assert "column 'many' has about " in str(error.value)
    assert '.config("spark.driver.maxResultSize", "1g"), and' in str(error.value)
    plan = vt.design_treatments(frame, variables=["town"], **given)
    assert plan.feature_names


@pytest.mark.long
def test_levels_are_counted_about(spark: Any) -> None:
    from vtreat_py.lazy.on_spark import sizes_of_levels

    frame = spark.createDataFrame([("ab",), ("cdef",), (None,)] * 50, "x string")
    assert sizes_of_levels(frame) == [(2, 3.0)]
    assert sizes_of_levels(frame.limit(0)) == [(0, 0.0)]
