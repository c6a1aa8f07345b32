"""Applying a plan to a lazy frame: the treated frame is lazy, too."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.frames.columns import is_utf8
from vtreat_py.frames.made import sources_of
from vtreat_py.frames.schema import Changed, check_kinds, check_present
from vtreat_py.lazy.arithmetic import coded, scaled
from vtreat_py.lazy.columns import (
    LazyColumn,
    LazyEmpty,
    LazyJoint,
    LazyLevels,
    LazyNumber,
    LazyPart,
    exactly,
    kept_column,
    lazy_columns,
    literal,
    typed_frame,
)
from vtreat_py.lazy.source import LazySource
from vtreat_py.lazy.tables import LevelValues, Lookup, completed
from vtreat_py.plan.choice import Choice, check_reads_no_text
from vtreat_py.plan.data import Plan
from vtreat_py.plan.keyed_codes import check_exact
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment, Treatment, Wanted
from vtreat_py.plan.variables import DerivedVariable


def prepare_lazy(source: LazySource, plan: Plan, choice: Choice) -> Any:
    """Build the query for a treated frame; see `vtreat_py.prepare`. It reads no data.

    Returns
    -------
    lazy frame of the caller's kind
        Its rows are in no certain order.

    Raises
    ------
    SchemaError
        If columns are missing, or of another type than at design.
    FrameError
        If columns of the result share a name, to an engine that does not tell case.
    InvalidOptionError
        If the treated frame would have no column.
    """
    check_reads_no_text(plan, choice, "a query")
    treatments, names = choice.treatments(plan), choice.names
    needed = sources_of((t.column for t in treatments), plan.made)
    check_present([*needed, *choice.first, *choice.extra], source.columns)
    front, back = [*map(str, choice.first)], [*map(str, choice.extra)]
    output = [*front, *source.output_names(plan.feature_names, names, front + back), *back]
    columns = treated_columns(source, plan, treatments)
    place = {name: f"v{i}" for i, name in enumerate(names)}
    kept = [kept_column(source, name) for name in front + back]
    rows = typed_frame(source, [*columns, *(kept or [kept_column(source, source.columns[0])])])
    values: dict[str, nw.Expr] = {}
    lookups: list[Lookup] = []
    for treatment, column in zip(treatments, columns, strict=True):
        wanted = [v for v in treatment.variables if v.name in place]
        if isinstance(treatment, NumericTreatment):
            found = [_number(treatment, column, v, choice) for v in wanted]
        else:
            found = _levels(lookups, treatment, column, wanted, choice.scale)
        values |= {place[v.name]: value for v, value in zip(wanted, found, strict=True)}
    aliases = [c.alias for c in kept]
    aliases[len(front) : len(front)] = place.values()
    return completed(source, rows, lookups, values, zip(aliases, output, strict=True))


def treated_columns(
    source: LazySource, plan: Plan, treatments: Sequence[Treatment]
) -> list[LazyColumn]:
    """Type the columns that treatments need; refuse those of another type than at design.

    Raises
    ------
    SchemaError
        Naming all of them.
    """
    names = {t.column for t in treatments if isinstance(t, LevelTreatment) and t.holds_numbers}
    integers = [name for name in names if source.dtypes[str(name)].is_integer()]
    source = source.read_by(plan.options.missing_values, integers).making(plan.made)
    changed: list[Changed] = []
    columns = lazy_columns(source, [str(t.column) for t in treatments], changed)
    unfit = [
        (t.column, t.designed_on, column.kind if isinstance(column, LazyNumber) else "levels")
        for t, column in zip(treatments, columns, strict=True)
        if not _fits(t, column)
    ]
    check_kinds([*changed, *unfit])
    for treatment, column in zip(treatments, columns, strict=True):
        if isinstance(column, LazyNumber) and column.dtype.is_decimal():
            _check_exact(treatment)
    joined = [part for one in columns if isinstance(one, LazyJoint) for part in one.columns]
    parts = [one for one in [*columns, *joined] if isinstance(one, LazyPart)]
    for part in {one.part.column: one.part for one in parts if _lacks_zone(one)}.values():
        part.warn_of_lost_zone()
    return columns


def _check_exact(treatment: Treatment) -> None:
    """Refuse decimals for levels that floats, which they are here, do not tell apart."""
    if isinstance(treatment, LevelTreatment):
        check_exact(treatment.column, treatment.levels.to_list(), "a lazy frame of decimals")


def _lacks_zone(column: LazyPart) -> bool:
    """Whether points in time have none, but had one at the design."""
    dtype = column.dtype
    return column.part.needs_zone and isinstance(dtype, nw.Datetime) and dtype.time_zone is None


def _fits(treatment: Treatment, column: LazyColumn) -> bool:
    """Whether a column is of the type a treatment was designed for; see `Treatment.fits`."""
    if isinstance(column, LazyEmpty):
        return True
    if isinstance(treatment, NumericTreatment):
        return isinstance(column, LazyNumber) and column.kind == treatment.kind
    if isinstance(column, LazyNumber):
        return column.kind == "number" and not treatment.levels.is_text
    return column.of_integers or not treatment.holds_numbers


def _number(
    treatment: NumericTreatment, column: LazyColumn, variable: DerivedVariable, wanted: Wanted
) -> nw.Expr:
    """One variable of a column of numbers; see `NumericTreatment.write`."""
    form = treatment.form(variable, wanted.collar)
    value = exactly(form.of_bad)
    if isinstance(column, LazyNumber):
        value = coded(column, form, float)
    return scaled(value, variable.slope, variable.mean) if wanted.scale else value


def _levels(
    lookups: list[Lookup],
    treatment: LevelTreatment,
    column: LazyColumn,
    variables: Sequence[DerivedVariable],
    scale: bool,
) -> list[nw.Expr]:
    """The variables of a column of levels; what must be joined for them is added to ``lookups``."""
    levels, tables = treatment.levels, [treatment.table(one, scale) for one in variables]
    if isinstance(column, LazyEmpty):
        return [literal(table[levels.missing]) for table in tables]
    alias = column.alias
    if isinstance(column, LazyNumber):
        level = column.value
        is_missing = level.is_null() | level.is_nan().fill_null(value=True)
    else:
        level, is_missing = column.level, column.is_missing
    keys, codes = _keys(levels.labels, column)
    found, many = [], {}
    of_parts = _of_parts(lookups, treatment, column, variables)
    for i, table in enumerate(tables):
        if (novel := of_parts.get(variables[i].name)) is not None:
            if scale:
                novel = scaled(novel, variables[i].slope, variables[i].mean)
            many[f"{alias}_{i}"] = table[codes]
            known = nw.col(f"{alias}_{i}")
            found.append(nw.when(known.is_null()).then(novel).otherwise(known))
            continue
        values = LevelValues(keys, table[codes], table[levels.missing], table[levels.novel])
        if values.few():
            found.append(values.spelt_out(level, is_missing))
        else:
            many[f"{alias}_{i}"] = values.values
            found.append(values.joined(nw.col(f"{alias}_{i}"), is_missing))
    if many:
        table = pa.table({f"{alias}_level": keys, **many})
        lookups.append(Lookup(table, {alias: f"{alias}_level"}))
    return found


def _of_parts(
    lookups: list[Lookup],
    treatment: LevelTreatment,
    column: LazyColumn,
    variables: Sequence[DerivedVariable],
) -> dict[str, nw.Expr]:
    """What the parts of a level that was never seen say; see `LevelTreatment.of_parts`."""
    sums = {v.name: treatment.sums(v) for v in variables if treatment.reads_parts(v)}
    values = {name: exactly(float(base[0])) for name, (base, *_) in sums.items()}
    if not isinstance(column, LazyJoint) or not sums:
        return {}
    for number, key in enumerate(treatment.keys):
        alias = column.key_alias(number)
        table = {f"{alias}_level": key.labels}
        for place, (name, effects) in enumerate(sums.items()):
            table[f"{alias}_{place}"] = pa.array(effects[number + 1])
            found = nw.col(f"{alias}_{place}")
            own = nw.when(found.is_null()).then(nw.lit(0.0)).otherwise(found)
            values[name] = values[name] + own
        lookups.append(Lookup(pa.table(table), {alias: f"{alias}_level"}))
    return values


def _keys(labels: Any, column: LazyNumber | LazyLevels) -> tuple[pa.Array, Any]:
    """The levels that a column can hold, as it holds them, and their codes."""
    if isinstance(labels, pa.Array):
        held = (column.kind == "bytes") == pa.types.is_large_binary(labels.type)
        return (labels, np.arange(len(labels))) if held else (labels[:0], np.arange(0))
    if isinstance(column, LazyLevels) and column.of_integers:
        codes = [i for i, v in enumerate(labels) if v == int(v)]
        return pa.array([str(int(labels[i])) for i in codes], pa.string()), np.array(codes, int)
    if isinstance(column, LazyNumber):
        codes = [i for i, v in enumerate(labels) if _is_float(v)]
        return pa.array([float(labels[i]) for i in codes], pa.float64()), np.array(codes, int)
    kind = bytes if column.kind == "bytes" else str
    codes = [i for i, v in enumerate(labels) if type(v) is kind and _is_held(v)]
    type_ = pa.large_binary() if kind is bytes else pa.large_string()
    return pa.array([labels[i] for i in codes], type_), np.array(codes, int)


def _is_float(value: Any) -> bool:
    """Whether a level is a number that a float is equal to."""
    number: Any = value if isinstance(value, numbers.Number) else None
    try:
        return number is not None and bool(float(number) == number)
    except (TypeError, ValueError, OverflowError):
        return False


def _is_held(value: str | bytes) -> bool:
    """Whether engines can hold a level: as bytes, or text that is UTF-8."""
    return isinstance(value, bytes) or is_utf8(value)
