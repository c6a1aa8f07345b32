"""A table of awkward levels and numbers, and frames compared to the bit."""

from __future__ import annotations

import datetime as dt
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.names import told_apart
from vtreat_py.lazy.source import collect

AWKWARD = [
    "", "NaN", "NULL", None, "a", "A", "a ", "é", "e\u0301", "😀", "nul\0in", "it's \"q\"",
    "';--", "new\nline",
]  # fmt: skip
NOVEL = ["never seen", "nan", "É"]
TREATED = ["x", "many", "bytes", "z", "huge", "flag", "day", "moment", "size"]
OUTCOMES = {"numeric": "y", "binomial": "c", "multinomial": "m"}


def awkward_table(n_rows: int = 400, seed: int = 3, novel: bool = False) -> pa.Table:
    """Rows of awkward levels and numbers, with three outcomes, ids, folds and groups."""
    random = np.random.default_rng(seed)
    levels = AWKWARD + NOVEL if novel else AWKWARD
    code = random.integers(len(levels), size=n_rows)
    many = random.integers(70, size=n_rows)
    z = random.normal(size=n_rows)
    z[::7], z[1::11], z[2::13], z[3::17] = np.nan, np.inf, -np.inf, -0.0
    huge = random.choice([1e308, -1e308, 1e-308, 1.0], n_rows)
    signal = np.sin(code) + np.cos(many) + np.nan_to_num(z, posinf=1, neginf=-1)
    signal = signal + random.normal(size=n_rows)
    days = random.integers(-9000, 20000, n_rows)
    start = dt.datetime(1970, 1, 1)
    moments = [start + dt.timedelta(days=int(d), microseconds=int(d) * 7919) for d in days]
    return pa.table(
        {
            "id": random.permutation(n_rows) - n_rows // 3,
            "x": [levels[i] for i in code],
            "many": [None if i == 69 else f"level {i}" for i in many],
            "bytes": pa.array([None if i == 3 else bytes([i % 9, 0]) for i in code], pa.binary()),
            "z": pa.array(z, mask=np.arange(n_rows) % 5 == 1),
            "huge": huge,
            "flag": [None if v < 0.1 else v < 0.5 for v in random.random(n_rows)],
            "day": [None if d % 9 == 0 else m.date() for d, m in zip(days, moments, strict=True)],
            "moment": pa.array(moments, pa.timestamp("us")),
            "size": pa.array(random.integers(-4, 9, n_rows), pa.int32()),
            "y": signal,
            "c": ["yes" if v > 0 else "no" for v in signal],
            "m": ["low" if v < -0.7 else "high" if v > 0.7 else "mid" for v in signal],
            "part": [("é", "b", "B")[i % 3] for i in many],
            "town": [f"town {i % 11}" for i in many],
            "w": pa.array(random.integers(0, 4, n_rows).astype(float)),
        }
    )


def by_id(frame: Any) -> dict[str, np.ndarray]:
    """Columns of a lazy frame, or one in memory, as bits in the order of the ids."""
    wrapped = nw.from_native(frame)
    table = collect(wrapped) if isinstance(wrapped, nw.LazyFrame) else wrapped.to_arrow()
    order = np.argsort(table["id"].to_numpy(), kind="stable")
    return {name: _bits(table[name].to_numpy()[order]) for name in table.column_names}


def _bits(values: np.ndarray) -> np.ndarray:
    return values.view(np.int64) if values.dtype == np.float64 else values


def assert_same_bits(found: Any, expected: Any) -> None:
    """Two frames have the same rows, to the bit, and the same columns, in order.

    Names may have a number more, where an engine does not tell their case.
    """
    ours, theirs = by_id(found), by_id(expected)
    assert list(ours) in (list(theirs), list(told_apart(list(theirs)).values()))
    for name, found_bits, bits in zip(theirs, ours.values(), theirs.values(), strict=True):
        np.testing.assert_array_equal(found_bits, bits, err_msg=name)
