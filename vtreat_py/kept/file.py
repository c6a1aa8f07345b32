"""Kept statistics in a file: a zip of a JSON header and the bytes of arrays, without any code."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.base.errors import OptionTypeError, PlanFormatError
from vtreat_py.base.files import no_file, write_whole
from vtreat_py.base.version import __version__
from vtreat_py.frames.columns import Kind
from vtreat_py.kept.columns import KeptColumn
from vtreat_py.kept.design import KeptDesign
from vtreat_py.kept.levels import KeptLevels
from vtreat_py.kept.numbers import KeptNumbers
from vtreat_py.outcome.reading import GREATEST_NUMBER
from vtreat_py.plan.json import MADE, OPTIONS, check_version, parsed
from vtreat_py.plan.json_schema import (
    LEVELS,
    NUMBER,
    TEXT,
    VALUE,
    WHOLE,
    check_distinct,
    fields_of,
    maybe,
    read,
    record,
    several,
    text,
)
from vtreat_py.plan.json_values import described
from vtreat_py.plan.options import OUTCOME_TYPES, function_name
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by
from vtreat_py.statistics.pair_table import PairTable
from vtreat_py.statistics.value_table import ALL_BITS, ValueTable, truncated

FORMAT, FORMAT_VERSION = "vtreat_py statistics", 1
_HEADER = "header.json"
_FLOATS, _WHOLE = "<f8", "<i8"
# The files of one set of statistics are the same bytes whenever they are written.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_MOMENTS = ("weight", "x", "y", "xx", "xy", "yy")
_PAIR = ("first", "second")
# Weights of a column add up to those of all rows, but for rounding of weights that are no counts.
_ROUNDING = 1e-9
# Outcomes are not larger, nor are weights in all; those of importance are not smaller, as scaled.
_MOST, _LEAST = GREATEST_NUMBER, 1e-210
_LARGER = 1e3 * _MOST

# What zipfile raises where bytes of an archive are others; encrypted ones are a RuntimeError.
_NO_ARCHIVE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, struct.error)

_HEADER_SCHEMA = record(
    SimpleNamespace,
    format=text((FORMAT,)),
    format_version=WHOLE,
    version=TEXT,
    design=record(
        KeptDesign,
        ("made", "exposure_name"),
        **fields_of(KeptDesign, outcome_type=text(OUTCOME_TYPES), options=OPTIONS, made=MADE),
    ),
    n_rows=WHOLE,
    centre=NUMBER,
    outcome_bits=maybe(WHOLE),
    kept=several(
        record(
            SimpleNamespace,
            column=VALUE,
            kind=text(("levels", *get_args(Kind))),
            levels=maybe(LEVELS),
            bits=maybe(WHOLE),
        )
    ),
)


def write_statistics(
    path: str | os.PathLike[str],
    design: KeptDesign,
    n_rows: int,
    rows: OutcomeSums,
    outcome_values: ValueTable | PairTable | None,
    columns: tuple[KeptColumn, ...],
) -> None:
    """Write the parts of statistics; see `DesignStatistics.save`."""
    for imputer in (design.options.imputation, *design.options.imputation_map.values()):
        if function_name(imputer) is not None:
            raise PlanFormatError(
                f"options: the imputation function {function_name(imputer)} cannot be saved, and "
                'no plan could be made without it; use a number, "mean" or "median", or pickle '
                "the statistics"
            )
    if design.options.custom_coders:
        raise PlanFormatError(
            f"options: the functions of custom_coders={list(design.options.custom_coders)} cannot "
            "be saved, and no plan could be made without them; pickle the statistics"
        )
    arrays = _sums("rows", rows)
    if isinstance(outcome_values, PairTable):
        arrays |= {f"outcome/{name}": getattr(outcome_values, name) for name in _PAIR}
        arrays["outcome/sums"] = outcome_values.sums.ravel()
    elif outcome_values is not None:
        arrays |= _values("outcome", outcome_values)
    kept = []
    for i, column in enumerate(columns):
        arrays |= _sums(f"{i}/missing", column.missing)
        levels = bits = None
        if isinstance(column, KeptLevels):
            levels, table = column.levels, column.table
            arrays |= {f"{i}/level": table.level, f"{i}/block": table.fold}
            arrays |= _sums(f"{i}/cells", table.cells)
            if column.pairs is not None:
                arrays |= _moments(f"{i}/pairs", column.pairs)
        else:
            bits = column.table.bits
            arrays |= _values(str(i), column.table)
            if column.counts is not None:
                arrays |= _values(f"{i}/counts", column.counts)
                arrays[f"{i}/missing_rows"] = np.array([column.missing_rows])
        one = {"column": column.name, "kind": column.kind, "levels": levels, "bits": bits}
        kept.append(SimpleNamespace(**one))
    header = SimpleNamespace(
        format=FORMAT,
        format_version=FORMAT_VERSION,
        version=__version__,
        design=design,
        n_rows=n_rows,
        centre=rows.centre,
        outcome_bits=None if outcome_values is None else outcome_values.bits,
        kept=kept,
    )
    text = json.dumps(_HEADER_SCHEMA.to_json(header, ""), allow_nan=False)
    entries = {_HEADER: text.encode("ascii")}
    for name, array in arrays.items():
        kind = _WHOLE if name.endswith(("level", "block")) else _FLOATS
        entries[name] = np.ascontiguousarray(array, dtype=kind).tobytes()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name, _NO_TIME)
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, compresslevel=1)
    write_whole(path, out.getvalue())


def _sums(name: str, sums: OutcomeSums) -> dict[str, NumberArray]:
    """Arrays of sums under their names in the file."""
    given = {"weight": sums.weight, "total": sums.total, "inner": sums.inner}
    return {f"{name}/{field}": array for field, array in given.items() if array is not None}


def _moments(name: str, moments: Moments) -> dict[str, NumberArray]:
    """Arrays of moments under their names in the file."""
    return {f"{name}/{field}": getattr(moments, field) for field in _MOMENTS}


def _values(name: str, table: ValueTable) -> dict[str, NumberArray]:
    """Arrays of a table of values under their names in the file."""
    cells = _moments(name, table.cells)
    return {f"{name}/value": table.value, f"{name}/block": table.block, **cells}


def read_statistics(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the parts of statistics; see `DesignStatistics.load`."""
    if not isinstance(path, str | os.PathLike):
        raise OptionTypeError(f"path is of type {type(path).__name__}; give the path of a file")
    where = os.fspath(path)
    if not os.path.isfile(where):
        raise no_file(where, "give the path of what save has written")
    content = io.BytesIO(Path(where).read_bytes())
    try:
        with zipfile.ZipFile(content) as archive:
            return _read(_Archive(archive))
    except PlanFormatError as reason:
        raise PlanFormatError(f"{where}: {reason}") from reason
    except _NO_ARCHIVE as reason:
        raise PlanFormatError(
            f"{where}: the file is no statistics that save has written, or not all of it is there: "
            f"{reason}"
        ) from reason


class _Archive:
    """The entries of a file, checked as they are read."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive, self._names = archive, set(archive.namelist())

    def content(self, name: str) -> bytes:
        if name not in self._names:
            raise PlanFormatError(f"{name} is missing")
        known = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)
        if self._archive.getinfo(name).compress_type not in known:
            raise PlanFormatError(f"{name} is compressed in a way that save does not use")
        return self._archive.read(name)

    def floats(self, name: str, length: int | None = None) -> FloatArray:
        found: FloatArray = self._array(name, _FLOATS, length).astype(np.float64)
        if not np.isfinite(found).all():
            raise PlanFormatError(f"{name} holds a number that is not finite")
        return found

    def places(self, name: str, below: int, length: int | None = None) -> IntArray:
        found: IntArray = self._array(name, _WHOLE, length).astype(np.int64)
        if len(found) and not 0 <= found.min() <= found.max() < below:
            raise PlanFormatError(f"{name} holds a number that is not in 0 to {below - 1}")
        return found

    def _array(self, name: str, kind: str, length: int | None) -> Any:
        content = self.content(name)
        if len(content) % 8 or (length is not None and len(content) != 8 * length):
            expected = "a multiple of 8" if length is None else 8 * length
            raise PlanFormatError(f"{name} has {len(content)} bytes; expected {expected}")
        return np.frombuffer(content, dtype=kind)

    def sums(self, name: str, length: int, design: KeptDesign, centre: float) -> OutcomeSums:
        weight, total = self.floats(f"{name}/weight", length), self.floats(f"{name}/total", length)
        inner = None if design.counts_classes else self.floats(f"{name}/inner", length)
        if (weight < 0).any() or (inner is not None and (inner < 0).any()):
            raise PlanFormatError(f"{name} holds a negative weight or sum of squares")
        _check_sizes(name, weight, total, inner)
        return OutcomeSums(weight, total, inner, centre)

    def values(self, name: str, bits: int | None, n_blocks: int, centre: float) -> ValueTable:
        value = self.floats(f"{name}/value")
        n_cells = len(value)
        block = self.places(f"{name}/block", n_blocks, n_cells)
        if bits is None or bits > ALL_BITS or (truncated(value, bits) != value).any():
            raise PlanFormatError(f"{name}/value holds more digits than the header says")
        _check_order(name, value, block)
        cells = self.moments(name, n_cells, centre)
        _check_weights(name, cells.weight)
        return ValueTable(bits, value, block, cells)

    def moments(self, name: str, length: int, centre: float = 0.0) -> Moments:
        weight, x, y, xx, xy, yy = (self.floats(f"{name}/{field}", length) for field in _MOMENTS)
        if min(one.min(initial=0.0) for one in (weight, xx, yy)) < 0.0:
            raise PlanFormatError(f"{name} holds a negative weight or sum of squares")
        for mean, squares in ((x, xx), (y, yy), (y, np.abs(xy))):
            total = np.clip(mean, -_LARGER, _LARGER) * np.minimum(weight, _MOST)
            _check_sizes(name, weight, total, squares)
        return Moments(weight, x, y, xx, xy, yy, 0.0, centre)

    def pairs(self, name: str, bits: int | None) -> PairTable:
        first, second = (self.floats(f"{name}/{field}") for field in _PAIR)
        sums = self.floats(f"{name}/sums", 3 * len(first))
        bits = -1 if bits is None else bits
        known = 0 <= bits <= ALL_BITS and len(first) == len(second)
        if not known or not all((truncated(one, bits) == one).all() for one in (first, second)):
            raise PlanFormatError(f"{name}: its pairs are not those that save writes")
        table = PairTable(bits, first, second, sums.reshape(3, -1))
        _check_weights(name, table.weight)
        exposure, count = table.points()
        _check_sizes(name, table.weight, np.minimum(table.weight, _MOST) * count, None)
        if not ((exposure > 0.0) & (exposure < _MOST) & (count >= 0.0)).all():
            raise PlanFormatError(f"{name} holds an exposure or a count that is none")
        return table


def _read(archive: _Archive) -> dict[str, Any]:
    header = _header(archive)
    design, centre = header.design, header.centre
    _check_design(design)
    if abs(centre) > _MOST:
        raise PlanFormatError(f"centre: {centre:g} is no mean of outcomes that a design takes")
    rows = archive.sums("rows", design.n_blocks, design, centre)
    if design.outcome_type == "multinomial" and not design.classes and rows.weight.any():
        raise PlanFormatError("design.classes is empty, but there are rows")
    outcome: ValueTable | PairTable | None = None
    if design.outcome_type == "numeric":
        outcome = archive.values("outcome", header.outcome_bits, 1, 0.0)
    if design.is_rate:
        outcome = archive.pairs("outcome", header.outcome_bits)
    if [one.column for one in header.kept] != list(design.variables):
        raise PlanFormatError("kept: its columns are not the variables of the design")
    columns = []
    for i, one in enumerate(header.kept):
        columns.append(_column(archive, str(i), one, design, centre))
        _check_sums(columns[-1], rows, design)
    return {
        "design": design,
        "n_rows": header.n_rows,
        "rows": rows,
        "outcome_values": outcome,
        "columns": tuple(columns),
    }


def _header(archive: _Archive) -> Any:
    try:
        found = parsed(archive.content(_HEADER).decode("ascii"))
    except UnicodeDecodeError as reason:
        raise PlanFormatError(f"{_HEADER} is no text: {reason}") from reason
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        other = found.get("format") if isinstance(found, dict) else found
        raise PlanFormatError(f'format: expected "{FORMAT}", found {described(other)}')
    check_version(found, FORMAT_VERSION, "file")
    return read(_HEADER_SCHEMA, found)


def _column(
    archive: _Archive, name: str, header: Any, design: KeptDesign, centre: float
) -> KeptColumn:
    n_blocks = design.n_blocks
    missing = archive.sums(f"{name}/missing", n_blocks, design, centre)
    if header.kind != "levels":
        table = archive.values(name, header.bits, n_blocks, centre)
        kept = KeptNumbers(header.column, header.kind, table, missing)
        return _with_counts(archive, name, kept) if design.is_rate else kept
    if header.levels is None:
        raise PlanFormatError(f"kept: column {header.column!r} has no levels")
    n_levels = len(header.levels)
    level = archive.places(f"{name}/level", n_levels)
    block = archive.places(f"{name}/block", n_blocks, len(level))
    _check_order(name, level, block)
    cells = archive.sums(f"{name}/cells", len(level), design, centre)
    _check_weights(name, cells.weight)
    if len(np.unique(level)) < n_levels:
        raise PlanFormatError(f"{name}/level: some levels have no rows")
    levels = LevelTable(n_levels, n_blocks, level, block, cells)
    pairs = archive.moments(f"{name}/pairs", n_levels + 1) if design.is_rate else None
    return KeptLevels(header.column, header.levels, levels, missing, pairs)


def _with_counts(archive: _Archive, name: str, kept: KeptNumbers) -> KeptNumbers:
    """The same with the numbers of rows, of which rates weigh another."""
    counts = archive.values(f"{name}/counts", kept.table.bits, 1, 0.0)
    (lost,) = archive.floats(f"{name}/missing_rows", 1)
    if lost < 0.0:
        raise PlanFormatError(f"{name}/missing_rows is negative")
    return replace(kept, counts=counts, missing_rows=float(lost))


def _check_design(design: KeptDesign) -> None:
    check_distinct(design.variables, "design.variables")
    check_distinct(design.classes, "design.classes")
    if design.classes and design.outcome_type != "multinomial":
        raise PlanFormatError("design.classes does not go with design.outcome_type")
    if design.n_folds < 1 + (design.outcome_type != "unsupervised"):
        raise PlanFormatError(f"design.n_folds: {design.n_folds} are too few")


def _check_order(name: str, key: FloatArray | IntArray, block: IntArray) -> None:
    same = key[1:] == key[:-1]
    if ((key[1:] < key[:-1]) | (same & (block[1:] <= block[:-1]))).any():
        raise PlanFormatError(f"{name}: its cells are not in order")


def _check_weights(name: str, weight: FloatArray) -> None:
    if (weight <= 0).any():
        raise PlanFormatError(f"{name}: a cell has no weight")


def _check_sizes(
    name: str, weight: FloatArray, total: FloatArray, squares: FloatArray | None
) -> None:
    """Refuse weights, and sums of numbers, that no design takes, as floats do not hold more."""
    is_wrong = (weight > _MOST) | ((weight > 0.0) & (weight < _LEAST))
    weight = np.minimum(weight, _MOST)
    is_wrong |= np.abs(total) / _MOST > 3.0 * weight
    if squares is not None:
        is_wrong |= squares / _MOST / _MOST > 9.0 * weight
    if is_wrong.any():
        raise PlanFormatError(f"{name} holds sums that no design takes")


def _check_sums(column: KeptColumn, rows: OutcomeSums, design: KeptDesign) -> None:
    """Each row is in one cell of each column."""
    block = column.table.fold if isinstance(column, KeptLevels) else column.table.block
    found = sum_by(block, column.table.cells.weight, design.n_blocks) + column.missing.weight
    if (np.abs(found - rows.weight) > _ROUNDING * rows.weight).any():
        raise PlanFormatError(f"column {column.name!r}: its sums are not those of all rows")
