"""Typed columns of a lazy frame: what `vtreat_py.frames.reading` is for frames in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, ClassVar, Literal

import narwhals.stable.v2 as nw
import pyarrow as pa

from vtreat_py.base.arrays import IntArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, UnsupportedColumnError
from vtreat_py.frames.beside import check_column, check_integers, wrong_type
from vtreat_py.frames.calendar import CalendarPart
from vtreat_py.frames.columns import Kind
from vtreat_py.frames.joint import BETWEEN, ESCAPED, NAMES, TEXT, JointColumn, JointPart
from vtreat_py.frames.joint import MISSING as MISSING_PART
from vtreat_py.frames.levels import Levels
from vtreat_py.frames.schema import Changed, ChangedTypesError, check_kinds
from vtreat_py.lazy.source import LazySource, collect

PlainKind = Kind | Literal["text", "bytes", "integer", "text id", "as it is"]

_KINDS: dict[PlainKind, tuple[Any, ...]] = {
    "text": (nw.String, nw.Categorical, nw.Enum),
    "bytes": (nw.Binary,),
    "number": (nw.Boolean,),
    "date": (nw.Date,),
    "datetime": (nw.Datetime,),
    "duration": (nw.Duration,),
    "time": (nw.Time,),
}
_WIDER = (nw.UInt64, nw.Int128, nw.UInt128)
_WIDE = (nw.Int64, *_WIDER)
# Engines that tell the time by no clock but that of UTC.
WITHOUT_ZONES = ("ibis",)
# Engines whose joins warn of text of two kinds.
WITH_KINDS_OF_TEXT = ("dask",)
# What an engine module says of types that narwhals has no name for.
EMPTY = "empty"


@dataclass(frozen=True)
class PlainColumn:
    """A column to compute with: a name without pitfalls, and one of a few types.

    Attributes
    ----------
    name : str
        Its name in the caller's frame.
    alias : str
        Its name in a `typed_frame`.
    kind : str
        ``"number"`` and times become Float64, ``"text"`` String, ``"bytes"`` Binary, ``"integer"``
        Int64, and so does ``"text id"``, text or UUIDs that tell rows apart; ``"as it is"`` leaves
        the type.
    dtype : narwhals dtype
        Its type in the caller's frame.
    """

    name: str
    alias: str
    kind: PlainKind
    dtype: Any

    @property
    def read_from(self) -> str:
        """Name of the column of the caller's frame that it is made of."""
        return self.name

    @property
    def value(self) -> nw.Expr:
        """The column, in a `typed_frame`."""
        return nw.col(self.alias)


@dataclass(frozen=True)
class LazyNumber(PlainColumn):
    """A column of numbers, the same floats as a `NumericColumn` has; bad ones are null, NaN or inf.

    The kind says what they stand for: themselves, days since 1970 (date), seconds since 1970
    (datetime), seconds (duration), seconds since midnight (time).
    """

    kind: Kind

    @property
    def is_wide(self) -> bool:
        """Whether these were integers of 64 bits or more, of which those beyond 2**53 are rounded.

        Frames in memory are warned of them; here only who looks at the largest number can tell.
        """
        return self.dtype in _WIDE

    @property
    def is_bad(self) -> nw.Expr:
        """Boolean, never null."""
        return self.value.is_null() | ~self.value.is_finite().fill_null(value=True)

    @property
    def good(self) -> nw.Expr:
        """The number, null where it is bad."""
        return nw.when(self.value.is_finite()).then(self.value)


@dataclass(frozen=True)
class LazyWeight(LazyNumber):
    """A column of weights, and what they are multiplied by."""

    unit: float = 1.0

    @property
    def value(self) -> nw.Expr:
        """The weight of a row."""
        return super().value if self.unit == 1.0 else super().value * exactly(self.unit)


@dataclass(frozen=True)
class LazyExposure(LazyNumber):
    """A column of exposures, as weights: over their mean, times weights of the rows."""

    unit: float = 1.0
    times: PlainColumn | None = None

    @property
    def given(self) -> nw.Expr:
        """Exposure of a row."""
        return super().value

    @property
    def share(self) -> nw.Expr:
        """Exposure of a row, over the mean."""
        return self.given * exactly(self.unit)

    @property
    def value(self) -> nw.Expr:
        """The same, times the weight of the row."""
        return self.share if self.times is None else self.share * self.times.value


@dataclass(frozen=True)
class LazyLevels(PlainColumn):
    """A column of levels: text by exact code points, or bytes; null where missing.

    Attributes
    ----------
    missing_values : tuple of str
        Texts that are missing, too.
    of_integers : bool
        Whether its text is that of integers, which the levels are.
    """

    missing_values: tuple[str, ...] = ()
    of_integers: bool = False

    known: ClassVar[Levels | None] = None

    @property
    def level(self) -> nw.Expr:
        """String or Binary; null where missing."""
        if not self.missing_values:
            return self.value
        return nw.when(~self.value.is_in(self.missing_values)).then(self.value)

    def levels(self, labels: pa.Array) -> Levels:
        """The levels that labels of an answer are."""
        if self.of_integers:
            return Levels.of([int(label) for label in labels.to_pylist()])
        return Levels.of_text(labels)

    def labels(self, levels: Levels) -> pa.Array:
        """The levels as the column has them."""
        if self.of_integers:
            return pa.array([str(level) for level in levels.to_list()], pa.large_string())
        return levels.labels

    def codes(self, levels: Levels, labels: pa.ChunkedArray) -> IntArray:
        """Code of each label of an answer; null is missing."""
        codes = self.levels_of_labels(levels).codes_of_text(
            labels.combine_chunks().cast(self.labels(levels).type)
        )
        assert codes is not None
        return codes

    def levels_of_labels(self, levels: Levels) -> Levels:
        """The levels with their labels in place of what these stand for."""
        return Levels(self.labels(levels)) if self.of_integers else levels

    @property
    def is_missing(self) -> nw.Expr:
        """Boolean, never null."""
        return self.level.is_null()


@dataclass(frozen=True, kw_only=True)
class LazyPart(LazyLevels):
    """A column of levels that is made of one of dates; an engine's own functions make the text.

    The kind is that of the dates.
    """

    part: CalendarPart

    @property
    def read_from(self) -> str:
        """Name of the column of dates."""
        return str(self.part.column)

    @property
    def date(self) -> PlainColumn:
        """The column of dates."""
        return PlainColumn(self.read_from, self.alias, self.kind, self.dtype)


@dataclass(frozen=True, kw_only=True)
class LazyJoint(LazyLevels):
    """A column of levels that is made of several, each of which is read by itself.

    Attributes
    ----------
    joint : JointColumn
    columns : tuple of LazyColumn
        Those that it is made of.
    """

    joint: JointColumn
    columns: tuple[LazyNumber | LazyLevels | LazyEmpty, ...]

    @property
    def texts(self) -> dict[str, nw.Expr]:
        """The column, under its alias, and its keys (see `LevelParts`), of what is read."""
        parts = [_joint_text(*one) for one in zip(self.joint.parts, self.columns, strict=True)]
        keys = parts
        if self.joint.nested:
            keys = [_together(parts[:n]) for n in range(1, len(parts))]
        named = {self.key_alias(number): key for number, key in enumerate(keys)}
        return {self.alias: _together(parts)} | named

    def key_alias(self, number: int) -> str:
        """Name of a key in a `typed_frame`."""
        return f"{self.alias}_key{number}"


@dataclass(frozen=True)
class LazyEmpty:
    """A column of the null type. Columns of other types may hold nulls only, too: as data says."""

    name: str


LazyColumn = LazyNumber | LazyLevels | LazyEmpty


def _together(texts: list[nw.Expr]) -> nw.Expr:
    return texts[0] if len(texts) == 1 else nw.concat_str(texts, separator=BETWEEN)


def _joint_text(part: JointPart, column: LazyNumber | LazyLevels | LazyEmpty) -> nw.Expr:
    """A part of a joint level, as `JointPart.texts` has it."""
    if isinstance(column, LazyEmpty):
        return nw.lit(MISSING_PART)
    if isinstance(column, LazyNumber):
        *ranges, text = map(nw.lit, part.ranges)
        for name, edge in zip(reversed(ranges), reversed(part.edges), strict=True):
            text = nw.when(column.value <= exactly(edge)).then(name).otherwise(text)
        return nw.when(column.is_bad).then(nw.lit(MISSING_PART)).otherwise(text)
    text = column.level
    for plain, written in ESCAPED:
        text = text.str.replace_all(plain, written, literal=True)
    return nw.when(column.is_missing).then(nw.lit(MISSING_PART)).otherwise(text)


# Takes numbers between 1e-4 and 1e16 to where they are written with an exponent.
_POWER = 2.0**100


def exactly(number: float) -> nw.Expr:
    """A number in a query.

    Ibis writes those of a common size as decimals, which databases round twice; as a number with an
    exponent, times a power of 2, they arrive as they are.
    """
    number = float(number)
    written = repr(number)
    if "e" in written or written in ("0.0", "1.0"):
        return nw.lit(number)
    if not number:
        return nw.lit(-1e-300) * nw.lit(1e-300)  # -0.0
    return nw.lit(number / _POWER) * nw.lit(_POWER)


def literal(value: float | str) -> nw.Expr:
    """A number, exactly, or text in a query."""
    return nw.lit(value) if isinstance(value, str) else exactly(value)


def lazy_column(source: LazySource, name: str) -> LazyColumn:
    """Type one column, by its schema.

    Raises
    ------
    UnsupportedColumnError
        If the column holds lists, structs or the like.
    """
    made = source.made.get(name)
    if isinstance(made, CalendarPart):
        return _part(source, made)
    return _own(source, name) if made is None else _joint(source, made)


def _own(source: LazySource, name: str) -> LazyColumn:
    """Type a column that the frame has."""
    kind, dtype = _kind(source, name), source.dtypes[name]
    if kind == EMPTY:
        return LazyEmpty(name)
    alias = f"c{source.columns.index(name)}"
    if name in source.categorical and dtype.is_integer():
        return LazyLevels(name, alias, "text", dtype, of_integers=True)
    if kind in ("text", "bytes"):
        missing_values = source.missing_values if kind == "text" else ()
        return LazyLevels(name, alias, kind, dtype, missing_values)
    if name in source.categorical:
        raise InvalidOptionError(
            f"categorical names {name!r}, a column of type {dtype}; on a lazy frame it is for "
            "integers: cast the column to integers or to text"
        )
    return LazyNumber(name, alias, kind, dtype)


def _joint(source: LazySource, joint: JointColumn) -> LazyJoint:
    """Type a column that is made of several."""
    names = [str(part.column) for part in joint.parts if part.kind == NAMES]
    own = replace(source, categorical=source.categorical | set(names))
    columns, found = [], []
    for part in joint.parts:
        made = source.made.get(part.column)
        name = str(part.column)
        column = _part(source, made) if isinstance(made, CalendarPart) else _own(own, name)
        if isinstance(column, LazyLevels) and column.kind == "bytes":
            raise UnsupportedColumnError(name, "bytes, in composites or hierarchies")
        if (kind := _part_kind(column, part)) != part.kind:
            found.append((part.column, part.kind, kind))
        columns.append(column)
    check_kinds(found)
    alias = f"j{list(source.made).index(joint.name)}"
    return LazyJoint(
        name=str(joint.name),
        alias=alias,
        kind="text",
        dtype=nw.String(),
        joint=joint,
        columns=tuple(columns),
    )


def _part_kind(column: LazyColumn, part: JointPart) -> str:
    if isinstance(column, LazyLevels):
        return NAMES if column.of_integers else TEXT
    return part.kind if isinstance(column, LazyEmpty) else column.kind


def _part(source: LazySource, part: CalendarPart) -> LazyPart | LazyEmpty:
    """Type a column that is made of dates."""
    column = str(part.column)
    kind, dtype = _kind(source, column), source.dtypes[column]
    if kind == EMPTY:
        return LazyEmpty(part.name)
    if kind != part.kind:
        found = "levels" if kind in ("text", "bytes") else kind
        check_kinds([(part.column, part.kind, found)])
    if source.engine in WITHOUT_ZONES and part.offset is None:
        raise InvalidOptionError(
            f"column {part.name!r} goes by the clock of {part.zone}, which {source.engine} does "
            "not tell; prepare other variables (variables=), or the frame in memory"
        )
    alias = f"c{source.columns.index(column)}_{part.part}"
    return LazyPart(name=part.name, alias=alias, kind=kind, dtype=dtype, part=part)


def _kind(source: LazySource, name: str) -> Any:
    dtype: Any = source.dtypes[name]
    if dtype.is_numeric():
        return "number"
    for kind, types in _KINDS.items():
        if dtype in types:
            return kind
    if dtype == nw.Unknown:
        module = native_module(source)
        dtype = module.type_name(source.native, name)
        if dtype in module.KINDS:
            return module.KINDS[dtype]
    raise UnsupportedColumnError(name, f"values of type {dtype}")


def named_column(source: LazySource, option: str, given: Any) -> LazyColumn:
    """Take a column by name; a lazy frame has no rows that an array could go along."""
    if not isinstance(given, str):
        raise OptionTypeError(
            f"{option} is of type {type(given).__name__}; on a lazy frame it must be the name of a "
            "column"
        )
    check_column(option, given, source.columns)
    return lazy_column(source, given)


def lazy_columns(
    source: LazySource, names: Sequence[str], changed: list[Changed] | None = None
) -> list[LazyColumn]:
    """Type several columns, by the schema; one error names all that are not supported.

    Those made of columns that changed type are empty, and what they are made of is added to
    ``changed``.

    Raises
    ------
    UnsupportedColumnError, FrameError
    """
    columns: list[LazyColumn] = []
    failed = []
    found: list[Changed] = [] if changed is None else changed
    for name in names:
        try:
            columns.append(lazy_column(source, name))
        except UnsupportedColumnError as error:
            failed.append(error)
        except ChangedTypesError as error:
            found += error.changed
            columns.append(LazyEmpty(name))
    if failed:
        raise UnsupportedColumnError.of_all(failed)
    if changed is None:
        check_kinds(found)
    return columns


def integer_column(source: LazySource, option: str, name: Any) -> PlainColumn:
    """Take an integer column, exactly: a row id, or a fold.

    Raises
    ------
    InvalidOptionError
        If the frame has no such column, it is not of integers, or they have more than 64 bits.
    """
    check_column(option, name, source.columns)
    dtype = source.dtypes[name]
    if not dtype.is_integer():
        raise wrong_type(option, name, dtype)
    if dtype in _WIDER:
        ends = collect(source.frame.select(low=nw.col(name).min(), high=nw.col(name).max()))
        check_integers(option, name, [end[0].as_py() for end in ends.columns])
    return PlainColumn(name, f"i{source.columns.index(name)}", "integer", dtype)


def group_column(source: LazySource, name: Any) -> LazyColumn | PlainColumn:
    """Take a column that tells groups of rows: integers exactly, levels and floats as they are.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        If there is no such column, or numbers in it are floats here that may merge several.
    """
    column = named_column(source, "groups", name)
    if not isinstance(column, LazyNumber):
        return column
    if column.dtype.is_integer():
        return integer_column(source, "groups", name)
    if _merges(source, column):
        raise InvalidOptionError(
            f"groups={name!r} is of type {column.dtype}, and engines take floats for it, which are "
            "the same for several values; cast it to integers or to text"
        )
    return column


def _merges(source: LazySource, column: LazyNumber) -> bool:
    """Whether floats are the same for several nanoseconds or decimals."""
    if not (column.dtype.is_decimal() or getattr(column.dtype, "time_unit", None) == "ns"):
        return False
    given = kept_column(source, column.name)
    frame = typed_frame(source, [column, given])
    (found,) = collect(
        frame.select(floats=column.value.n_unique(), values=given.value.n_unique())
    ).to_pylist()
    return bool(found["floats"] < found["values"])


def row_id_column(source: LazySource, name: Any) -> PlainColumn:
    """Take a column that tells rows apart: integers as they are, text and UUIDs as numbers.

    Raises
    ------
    InvalidOptionError
        If the frame has no such column, or it is of another type.

    See Also
    --------
    vtreat_py.folds.text_ids.numbers_of_texts : The number of a text, which each engine computes.
    """
    check_column("row_id", name, source.columns)
    dtype: Any = source.dtypes[name]
    if dtype.is_integer():
        return integer_column(source, "row_id", name)
    module = native_module(source)
    if dtype in (nw.Unknown, nw.Object):
        dtype = module.type_name(source.native, name)
    if not (dtype in _KINDS["text"] or dtype in module.UUIDS):
        raise wrong_type("row_id", name, dtype)
    return PlainColumn(name, f"i{source.columns.index(name)}", "text id", dtype)


def kept_column(source: LazySource, name: str) -> PlainColumn:
    """Take a column along as it is."""
    return PlainColumn(name, f"k{source.columns.index(name)}", "as it is", source.dtypes[name])


def typed_frame(
    source: LazySource, columns: Sequence[PlainColumn | LazyEmpty]
) -> nw.LazyFrame[Any]:
    """Build the query for columns to compute with: what all further queries start from.

    It has the columns that their expressions read, under their aliases, and nothing else; columns
    that are given twice are there once.

    Notes
    -----
    The engine's own expressions make the columns, because narwhals lacks some for times, and
    stumbles over some names (Spark's with dots). A column that no name is given for is not read.

    Examples
    --------
    >>> import polars as pl
    >>> source = LazySource.of(pl.LazyFrame({"town.name": ["Ayr", None], "size": [1, 2]}))
    >>> town, size = lazy_columns(source, source.columns)
    >>> frame = typed_frame(source, [town, size])
    >>> frame.select(level=town.level, number=size.value, bad=size.is_bad).collect().to_native()
    shape: (2, 3)
    ┌───────┬────────┬───────┐
    │ level ┆ number ┆ bad   │
    │ ---   ┆ ---    ┆ ---   │
    │ str   ┆ f64    ┆ bool  │
    ╞═══════╪════════╪═══════╡
    │ Ayr   ┆ 1.0    ┆ false │
    │ null  ┆ 2.0    ┆ false │
    └───────┴────────┴───────┘
    """
    joint = {c.alias: c for c in columns if isinstance(c, LazyJoint)}
    parts = [part for one in joint.values() for part in one.columns]
    plain = [c for c in [*columns, *parts] if not isinstance(c, LazyEmpty | LazyJoint)]
    wanted = list({c.alias: c for c in plain}.values())
    frame: nw.LazyFrame[Any] = nw.from_native(native_module(source).project(source.native, wanted))
    made = {alias: text for one in joint.values() for alias, text in one.texts.items()}
    if source.engine in WITH_KINDS_OF_TEXT:
        made = {alias: text.cast(nw.String()) for alias, text in made.items()}
    return frame.with_columns(**made) if made else frame


def native_module(source: LazySource) -> Any:
    """Return the module of an engine's own expressions; the engine itself is imported already."""
    return import_module(f"vtreat_py.lazy.on_{source.engine}")
