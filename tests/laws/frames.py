"""Frames of every kind, drawn column by column; more rows of the same columns can be drawn."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.laws.columns import column, dtype_for
from tests.laws.values import FAMILIES, family

CONTAINERS = {"pandas": 8, "polars": 4, "arrow": 4, "chunks": 1, "batch": 1, "array": 1}
_AWKWARD: list[Any] = [
    "", " ", "x y", "é", "e\u0301", "a\0b", "\0", 'q"', "it's", "%s", "a.b", "_", "1", "TRUE", "if",
    "x0", "x0_isBAD", "x0_catB", "x0_lev_x_a", "x0_lev_NA", "X0", "y", "weight", "😀", "n" * 300,
]  # fmt: skip
_OF_PANDAS: list[Any] = [
    0, 1, -5, 2.5, None, True, ("a", 1), (), dt.date(2024, 1, 1), pd.Timestamp("2024"), b"a",
    np.str_("np"), ("x0", "clean"), 10**30, "a\ud800",
]  # fmt: skip
_LOST = [math.nan, pd.NaT, pd.NA, ("a", math.nan)]
_FAR = [1.7976931348623157e308, -1.7976931348623157e308, math.inf]
_NOVEL = ["never seen", "nan", "É", "zz", 99, -1.5, True, dt.date(2031, 1, 1), b"new"]


@dataclass(frozen=True)
class Drawn:
    """What a column is drawn from."""

    name: Hashable
    family: str
    pool: tuple[Any, ...]
    dtype: Any
    missing: float

    def values(self, random: Random, n: int, novel: float = 0.0) -> list[Any]:
        """Draw n values; ``novel`` is the share of those that may be new to the column."""
        pool = list(self.pool)
        more = FAMILIES[self.family](random) if novel else []
        if novel and self.family in ("words", "many", "texts"):
            more += _NOVEL[:4]
        if novel and self.family == "numbers":
            more += _FAR
        drawn = []
        for _ in range(n):
            found = random.choice(more if more and random.random() < novel else pool)
            drawn.append(None if random.random() < self.missing else found)
        return drawn


@dataclass(frozen=True)
class Kind:
    """What the frames of a case have in common: container and columns."""

    container: str
    columns: tuple[Drawn, ...]

    @property
    def names(self) -> list[Hashable]:
        return [one.name for one in self.columns]

    def frame(self, random: Random, n: int, novel: float = 0.0) -> Any:
        """Draw a frame of n rows."""
        drawn = [one.values(random, n, novel) for one in self.columns]
        return self.held(drawn, n)

    def telling_frame(self, random: Random, n: int) -> Any:
        """Draw a frame in which each column has a known, a new and a missing value somewhere."""
        drawn = []
        for one in self.columns:
            rows = one.values(random, n) + one.values(random, 1, novel=1.0) + [None]
            drawn.append(random.sample(rows, len(rows)))
        return self.held(drawn, n + 2)

    def held(self, drawn: Sequence[list[Any]], n: int) -> Any:
        """Hold values, column by column, in the container."""
        if self.container == "array":
            return _array(drawn, n)
        base = {"chunks": "arrow", "batch": "arrow"}.get(self.container, self.container)
        columns = [
            column(base, values, one.dtype, list(one.pool))
            for one, values in zip(self.columns, drawn, strict=True)
        ]
        return _FRAMES[self.container](self.names, columns, n)


def kind(
    random: Random, n_columns: int | None = None, shares: dict[str, float] | None = None
) -> Kind:
    """Draw a container and its columns; the shares are those of their families."""
    container = random.choices(list(CONTAINERS), list(CONTAINERS.values()))[0]
    if n_columns is None:
        n_columns = random.choices([0, 1, 2, 3, 5, 9, 40], [1, 15, 20, 15, 10, 4, 1])[0]
    given = names(random, container, n_columns)
    base = {"chunks": "arrow", "batch": "arrow"}.get(container, container)
    drawn = []
    for name in given:
        of = family(random, shares)
        dtype = None if container == "array" else dtype_for(random, base, of)
        missing = random.choice([0.0, 0.0, 0.1, 0.4])
        drawn.append(Drawn(name, of, tuple(FAMILIES[of](random)), dtype, missing))
    return Kind(container, tuple(drawn))


def names(random: Random, container: str, n: int) -> list[Any]:
    """Draw names: mostly plain; for pandas also others than text, rarely ones that are refused."""
    plain: list[Any] = [f"x{i}" for i in range(n)]
    how = random.random()
    if container == "array" or how < 0.7 or not n:
        return plain
    pool = [*_AWKWARD, *(_OF_PANDAS if container == "pandas" else [])]
    awkward = random.sample(pool, min(n, len(pool)))
    found = awkward + plain[len(awkward) :]
    if how > 0.985:
        found[random.randrange(n)] = random.choice([found[0], *_LOST])
    if container == "pandas":
        return found
    texts = [str(name) for name in found]
    return list(dict.fromkeys(texts)) if container == "polars" else texts


def some_rows(random: Random) -> int:
    """Draw a number of rows, most often one that a design can learn from."""
    least = random.choice([0, 1, 2, 3, 5])
    most = random.choice([300, 1500])
    usual = [random.randint(6, 20), random.randint(20, 60)]
    return random.choices([least, *usual, most], [6, 40, 50, 1])[0]


def _rows_of_column(column: pd.Series, rows: Sequence[int]) -> pd.Series:
    if "_view" not in repr(column.dtype):
        return column.iloc[list(rows)]
    # Arrow cannot pick views of text.
    return pd.concat([column.iloc[row : row + 1] for row in rows] or [column.iloc[:0]])


def rows_of(frame: Any, rows: Sequence[int]) -> Any:
    """Take rows of a frame of any kind by their numbers."""
    if isinstance(frame, pd.DataFrame) and "_view" in repr(frame.dtypes.tolist()):
        # pandas cannot join names that are no UTF-8.
        columns = (frame.iloc[:, k].rename(k) for k in range(frame.shape[1]))
        numbered = [_rows_of_column(column, rows) for column in columns]
        return pd.concat(numbered, axis=1).set_axis(frame.columns, axis=1)
    if isinstance(frame, pd.DataFrame | pd.Series):
        return frame.iloc[list(rows)]
    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    if isinstance(frame, pa.Table):
        return pa.concat_tables([frame.slice(0, 0), *(frame.slice(row, 1) for row in rows)])
    return frame[np.array(rows, dtype=np.int64)] if len(rows) else frame[:0]


def n_rows(frame: Any) -> int:
    """Number of rows of a frame of any kind."""
    return frame.num_rows if isinstance(frame, pa.Table | pa.RecordBatch) else len(frame)


def with_column(frame: Any, name: Any, values: Sequence[Any]) -> Any:
    """Append a column; the frame is not changed."""
    if isinstance(frame, pd.DataFrame):
        frame = frame.copy()
        frame[name] = _plain(values)
        return frame
    if isinstance(frame, pl.DataFrame):
        return pl.DataFrame([*frame.get_columns(), pl.Series(name, list(values))])
    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    held = pa.array(list(values))
    return frame.append_column(name, held) if frame.num_columns else pa.table({name: held})


def cells(frame: Any) -> Any:
    """What a frame holds, to be compared with what it holds later."""
    if isinstance(frame, pd.DataFrame | pd.Series):
        return frame.copy(deep=True)
    return frame.copy() if isinstance(frame, np.ndarray) else frame


def treated_values(treated: Any) -> Any:
    """The numbers of a treated frame, a row for each of its rows."""
    if isinstance(treated, np.ndarray):
        return treated
    if isinstance(treated, pd.DataFrame):
        return treated.to_numpy(dtype=np.float64)
    if isinstance(treated, pa.Table):
        listed = [treated.column(i).to_numpy() for i in range(treated.num_columns)]
        return np.array(listed, dtype=np.float64).reshape(len(listed), treated.num_rows).T
    return treated.to_numpy() if treated.width else np.empty((treated.height, 0))


def has_column(kind: Kind, name: str) -> bool:
    """Whether a frame has a column of a name; of those that are missing values, none is."""
    return any(isinstance(one, str) and one == name for one in kind.names)


def _plain(values: Sequence[Any]) -> Any:
    return pd.Series(list(values)).to_numpy()


def _array(drawn: Sequence[list[Any]], n: int) -> Any:
    held = np.empty((n, len(drawn)), dtype=object)
    for place, values in enumerate(drawn):
        held[:, place] = values
    try:
        return held.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return held


def _pandas_frame(names: list[Any], columns: list[Any], n: int) -> pd.DataFrame:
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(n))
    frame.columns = _index(names)
    return frame


def _index(names: list[Any]) -> pd.Index[Any]:
    held = np.empty(len(names), dtype=object)
    held[:] = names
    if all(isinstance(name, str) for name in names) and all(map(_is_unicode, names)):
        return pd.Index(list(names))
    return pd.Index(held, dtype=object, tupleize_cols=False)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _arrow_frame(names: list[Any], columns: list[Any], n: int) -> pa.Table:
    return pa.Table.from_arrays(columns, names=names)


def _chunked(names: list[Any], columns: list[Any], n: int) -> pa.Table:
    """Several chunks, one of them empty."""
    whole, cut = _arrow_frame(names, columns, n), n // 3
    return pa.concat_tables([whole.slice(0, cut), whole.slice(cut, 0), whole.slice(cut)])


def _batch(names: list[Any], columns: list[Any], n: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(columns, names=names)


def _polars_frame(names: list[Any], columns: list[Any], n: int) -> pl.DataFrame:
    return pl.DataFrame([one.alias(name) for one, name in zip(columns, names, strict=True)])


_FRAMES: dict[str, Any] = {
    "pandas": _pandas_frame, "polars": _polars_frame, "arrow": _arrow_frame, "chunks": _chunked,
    "batch": _batch,
}  # fmt: skip
