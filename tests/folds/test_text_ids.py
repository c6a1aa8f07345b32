"""Row ids of text and UUIDs, in any kind of frame in memory: folds by the number of each text."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.conftest import FrameKind
from vtreat_py.base.errors import FrameError, InvalidOptionError
from vtreat_py.folds.row_ids import PRIME, RowIdFolds

N = 60
UUIDS = [UUID(int=(i + 1) * 10**36 + 7) for i in range(N)]
UUID_TEXTS = [str(one) for one in UUIDS]
AWKWARD = [
    "", " ", "a", "A", "a ", "é", "e\u0301", "😀", "nul\0in", "NULL", "NaN", "17", "it's \"q\"",
    "\\x41", "new\nline", "x" * 55, "x" * 56, "é" * 32, "long " * 20_000,
]  # fmt: skip
TEXTS = [*AWKWARD, *(f"cust-{i // 2:05d}" for i in range(N - len(AWKWARD)))]


def fold_of(text: str, n_folds: int, seed: int) -> int:
    """The fold of a text, by hashlib and whole numbers of any size."""
    number = int.from_bytes(hashlib.md5(text.encode()).digest()[:8], "little") % 2**60
    mixing = RowIdFolds.seeded(n_folds, seed)
    for multiplier, addend in zip(mixing.multipliers, mixing.addends, strict=True):
        number = pow(multiplier * number + addend, 3, PRIME)
    return number % n_folds


def columns(ids: list[Any]) -> dict[str, list[Any]]:
    random = np.random.default_rng(0)
    z, y = random.normal(size=(2, N)).tolist()
    return {"id": ids, "town": ["a", "b", "c"] * (N // 3), "z": z, "y": y}


def experiment(frame: Any) -> vt.CrossFrameExperiment[Any]:
    return vt.cross_frame_experiment(frame, outcome="y", row_id="id", cv=3, random_state=5)


def test_folds_are_those_of_the_reference(kind: FrameKind) -> None:
    found = experiment(kind.make(columns(TEXTS)))
    assert found.fold_numbers.tolist() == [fold_of(text, 3, 5) for text in TEXTS]
    assert found.plan.variables == ("town", "z")


def with_ids(ids: Any) -> pa.Table:
    return pa.table({**columns([]), **columns(TEXTS), "id": ids})


FIXED = pa.array([one.bytes for one in UUIDS], pa.binary(16))
OF_ARROW = FIXED.cast(pa.uuid())
OF_UUIDS: dict[str, Callable[[], Any]] = {
    "Python's in pandas": lambda: pd.DataFrame(columns(UUIDS)),
    "some of them text": lambda: pd.DataFrame(columns(UUIDS[:9] + UUID_TEXTS[9:])),
    "categories of pandas": lambda: pd.DataFrame(columns(pd.Categorical(UUIDS))),
    "Arrow's in pandas": lambda: with_ids(OF_ARROW).to_pandas(types_mapper=pd.ArrowDtype),
    "objects of polars": lambda: pl.DataFrame(columns(UUIDS), schema_overrides={"id": pl.Object}),
    "dicts": lambda: pd.DataFrame(columns(UUIDS)).to_dict("records"),
    "Arrow's": lambda: with_ids(OF_ARROW),
    "16 bytes": lambda: with_ids(FIXED),
    "a slice": lambda: with_ids(pa.concat_arrays([FIXED[:3], FIXED])[3:]),
    "chunks": lambda: with_ids(pa.chunked_array([OF_ARROW[:7], OF_ARROW[7:7], OF_ARROW[7:]])),
}


@pytest.mark.parametrize("make", OF_UUIDS.values(), ids=list(OF_UUIDS))
def test_uuids_are_their_text(make: Callable[[], Any]) -> None:
    found = experiment(make())
    assert found.fold_numbers.tolist() == [fold_of(text, 3, 5) for text in UUID_TEXTS]


def test_some_categories_have_no_rows() -> None:
    ids = pd.Categorical(TEXTS, [*sorted(set(TEXTS), reverse=True), "no row"])
    found = experiment(pd.DataFrame(columns(TEXTS)).assign(id=ids))
    assert found.fold_numbers.tolist() == [fold_of(text, 3, 5) for text in TEXTS]


def test_integers_are_no_text() -> None:
    numbers = experiment(pd.DataFrame(columns(list(range(N)))))
    expected = RowIdFolds.seeded(3, 5).of(np.arange(N))
    assert numbers.fold_numbers.tolist() == expected.tolist()
    texts = experiment(pd.DataFrame(columns([str(i) for i in range(N)])))
    assert texts.fold_numbers.tolist() != expected.tolist()


def test_groups_go_before_ids_of_text() -> None:
    options: dict[str, Any] = {"outcome": "y", "groups": "town", "cv": 3, "random_state": 5}
    found, expected = (
        vt.cross_frame_experiment(pd.DataFrame(columns(ids)), row_id="id", **options).fold_numbers
        for ids in (TEXTS, list(range(N)))
    )
    np.testing.assert_array_equal(found, expected)


def test_statistics_are_kept_under_the_folds_of_texts() -> None:
    frame = pd.DataFrame(columns(TEXTS))
    options: dict[str, Any] = {"outcome": "y", "row_id": "id", "cv": 3, "keep_statistics": True}
    found = vt.cross_frame_experiment(frame, random_state=5, **options)
    again = found.plan.statistics.cross_frame(frame, folds=found.folds)
    names = list(again)
    np.testing.assert_allclose(again, found.cross_frame[names], rtol=1e-12, atol=1e-12)
    assert found.fold_numbers.tolist() == [fold_of(text, 3, 5) for text in TEXTS]


def test_the_cross_frame_has_the_ids_in_front() -> None:
    for frame in (pd.DataFrame(columns(UUIDS)), pl.DataFrame(columns(TEXTS))):
        found = experiment(frame)
        assert list(found.cross_frame["id"]) == list(frame["id"])
        assert list(vt.prepare(found.plan, frame[:9], row_id="id")["id"]) == list(frame["id"][:9])


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "fractions": (np.arange(N) / 2, InvalidOptionError, "it must hold integers, text or UUIDs"),
    "flags": ([True, False] * 30, InvalidOptionError, "is of type Boolean; it must hold"),
    "dates": ([dt.date(2020, 1, 1)] * N, InvalidOptionError, "of type date; objects must be"),
    "times": (pd.Timestamp(0) + pd.to_timedelta(range(N), "s"), InvalidOptionError, "Datetime"),
    "bytes": ([b"id"] * N, InvalidOptionError, "holds b'id' of type bytes; objects must be text"),
    "integers among objects": (
        pd.Series([1, "a"] * 30, dtype=object),
        InvalidOptionError,
        "row_id='id' holds 1 of type int; objects must be text or UUIDs there. Convert the column",
    ),
    "decimals": ([Decimal(1)] * N, InvalidOptionError, "of type Decimal; objects must be text"),
    "categories of numbers": (
        pd.Categorical([1, 2] * 30),
        InvalidOptionError,
        "it must hold integers, text or UUIDs",
    ),
    "missing text": ([None, float("nan"), *TEXTS[2:]], FrameError, "'id' has 2 missing values"),
    "missing UUIDs": ([None, *UUIDS[1:]], FrameError, "row_id='id' has 1 missing values"),
    "missing categories": (pd.Categorical([None, *TEXTS[1:]]), FrameError, "has 1 missing values"),
    "nothing": ([None] * N, FrameError, "row_id='id' has 60 missing values; each row needs an id"),
    "lone surrogates": (
        pd.Series(["\ud800", *TEXTS[1:]], dtype=object),
        InvalidOptionError,
        "row_id='id' holds text with lone surrogates, which has no UTF-8",
    ),
    "numbers as Arrow": (
        pd.Series([1.5] * N, dtype=pd.ArrowDtype(pa.float64())),
        InvalidOptionError,
        "it must hold integers, text or UUIDs",
    ),
    "periods": (pd.period_range("2020", periods=N), InvalidOptionError, r"type period\[.*must"),
}


@pytest.mark.parametrize(("ids", "error", "told"), BAD.values(), ids=list(BAD))
def test_what_is_no_id(ids: Any, error: type[Exception], told: str) -> None:
    frame = pd.DataFrame(columns(TEXTS)).assign(id=ids)
    with pytest.raises(error, match=told):
        experiment(frame)


@pytest.mark.parametrize(
    ("ids", "told"),
    [
        (pa.array([b"id"] * N), "row_id='id' is of type Binary; it must hold integers, text or"),
        (pa.array([b"15 bytes, no id"] * N, pa.binary(15)), "it must hold integers, text or UUIDs"),
        (pa.array([["a"]] * N), "is of type List"),
        (pa.array([1, 2] * 30).dictionary_encode(), "it must hold integers, text or UUIDs"),
    ],
)
def test_what_is_no_id_in_arrow(ids: pa.Array, told: str) -> None:
    with pytest.raises(InvalidOptionError, match=told):
        experiment(with_ids(ids))


@pytest.mark.parametrize("ids", [OF_ARROW, pa.array(TEXTS), pa.array(TEXTS).dictionary_encode()])
def test_missing_ids_in_arrow(ids: pa.Array) -> None:
    kept = pa.array([i if i > 1 else None for i in range(N)])
    with pytest.raises(FrameError, match="row_id='id' has 2 missing values"):
        experiment(with_ids(ids.take(kept)))
