"""The outcome: its type, its target, its weights."""

from __future__ import annotations

import numbers
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.base.errors import FrameError, OutcomeError, counted, listed
from vtreat_py.base.warn import warn
from vtreat_py.frames.beside import is_name, read_along, read_exactly
from vtreat_py.frames.columns import CodedColumn, Column, EmptyColumn, LevelColumn, NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.outcome.almost_numbers import said_of_fractions, said_of_numbers
from vtreat_py.outcome.outcome import OutcomeRows, OutcomeType
from vtreat_py.outcome.rates import (
    RATE,
    SURVIVAL,
    check_counts,
    check_no_target,
    no_counts,
    note_of_rate,
    rates_of,
    read_exposure,
    type_asked,
)
from vtreat_py.outcome.survival import read_survival, times_and_events

OF_CLASSES = ("binomial", "multinomial")
# Text with less than this many rows a class is no outcome of several classes unless asked for.
_ROWS_PER_CLASS = 2

# More are refused unless asked for: each costs what a design for two classes does.
MOST_CLASSES = 100
# Floats hold the squares of such an outcome, which is taken about its mean.
_SMALLEST_SPREAD, GREATEST_NUMBER = 1e-120, 1e120
# And those of weights times outcomes.
_SMALLEST_PRODUCT, _GREATEST_PRODUCT = 1e-140, 1e140
Known = NumericColumn | LevelColumn


def check_size_of_numbers(low: float, high: float) -> None:
    """Refuse an outcome of numbers that floats cannot square and add up, given its ends."""
    if (largest := max(abs(low), abs(high))) > GREATEST_NUMBER:
        raise _out_of_range(f"holds numbers of size {largest:g}")


def _check_spread(spread: float, weight: FloatArray | None) -> None:
    """Refuse numbers of which floats lose the squares, or those of their weighted sums."""
    if spread < _SMALLEST_SPREAD:
        raise _out_of_range(f"lies within {spread:g} of its mean")
    if weight is None:
        return
    least, total = float(weight[weight > 0].min()), float(weight.sum())
    if spread * least < _SMALLEST_PRODUCT or spread * total > _GREATEST_PRODUCT:
        raise _out_of_range(
            f"lies within {spread:g} of its mean, with weights from {least:g} on, {total:g} in all"
        )


def _out_of_range(what: str) -> OutcomeError:
    return OutcomeError(
        f"the outcome {what}: squares of such numbers leave the range of floats; give it in "
        "another unit, or leave out rows that hold a number like 1e308 for a missing one"
    )


def read_outcome(
    frame: InputFrame,
    outcome: Any,
    outcome_type: str | None,
    target: Any,
    weight: FloatArray | None,
    max_classes: int = MOST_CLASSES,
    exposure: Any = None,
) -> OutcomeRows:
    """Read and check the outcome.

    Raises
    ------
    OutcomeError
        If it has missing or infinite values, does not vary, or lacks the target.
    """
    check_asked(frame.n_rows, outcome, outcome_type)
    if outcome_type == "unsupervised":
        return no_outcome(np.zeros(frame.n_rows), weight)
    asked = type_asked(outcome_type, exposure)
    if asked == SURVIVAL:
        return _survival(frame, outcome, target, weight)
    name = outcome if is_name(outcome, frame) else None
    if name is None and isinstance(outcome, tuple) and any(map(np.ndim, outcome)):
        raise OutcomeError(
            f"the outcome is a tuple of {len(outcome)} arrays: for times to an event, (times, "
            'events), name outcome_type="survival"; for counts per exposure give exposure= apart'
        )
    exact = target is not None or asked in OF_CLASSES
    column = _read(frame, outcome, exact=exact)
    if asked == RATE:
        return _rate(frame, column, exposure, name, outcome_type, target, weight)
    return outcome_of(column, frame.n_rows, name, outcome_type, target, weight, max_classes)


def _read(frame: InputFrame, outcome: Any, *, exact: bool) -> Column:
    """Read the outcome; where numbers are classes, each exactly."""
    return (read_exactly if exact else read_along)(frame, "outcome", outcome)


def _survival(
    frame: InputFrame, outcome: Any, target: Any, weight: FloatArray | None
) -> OutcomeRows:
    """Take times, and whether they ended in an event, for the outcome."""
    check_no_target(target, SURVIVAL)
    time, event = times_and_events(outcome)
    name = time if is_name(time, frame) else None
    seen = None if event is None else read_along(frame, "events of the outcome", event)
    return read_survival(read_along(frame, "times of the outcome", time), seen, name, weight)


def _rate(
    frame: InputFrame,
    column: Column,
    exposure: Any,
    name: Hashable | None,
    outcome_type: str | None,
    target: Any,
    weight: FloatArray | None,
) -> OutcomeRows:
    """Take counts, and what they are per, for the outcome."""
    check_no_target(target, RATE)
    count = _complete(column)
    if not isinstance(count, NumericColumn) or count.kind != "number":
        raise no_counts()
    values = count.values.astype(np.float64, copy=False)
    of_rates = rates_of(values, read_exposure(frame, exposure), weight)
    if exposure is not None and is_name(exposure, frame):
        of_rates["exposure"] = replace(of_rates["exposure"], name=exposure)
    return OutcomeRows(kind=RATE, name=name, note=note_of_rate(outcome_type), **of_rates)


def check_asked(n_rows: int, outcome: Any, outcome_type: str | None) -> None:
    """Refuse frames without rows, and an outcome where none is meant, or none where one is."""
    if n_rows == 0:
        raise FrameError("the frame has no rows; a design needs at least two")
    if outcome_type == "unsupervised" and outcome is not None:
        raise OutcomeError(
            "an unsupervised design takes no outcome; leave outcome= out, or name another "
            "outcome_type"
        )
    if outcome_type != "unsupervised" and outcome is None:
        raise OutcomeError(
            "outcome is missing: give a column name or an array, or ask for "
            'outcome_type="unsupervised"'
        )


def no_outcome(zeros: FloatArray, weight: FloatArray | None) -> OutcomeRows:
    """Stand for the outcome of an unsupervised design."""
    return OutcomeRows(
        kind="unsupervised", name=None, note="no outcome", y=zeros, labels=zeros, weight=weight
    )


def outcome_of(
    column: Column,
    n_rows: int,
    name: Hashable | None,
    outcome_type: str | None,
    target: Any,
    weight: FloatArray | None,
    max_classes: int = MOST_CLASSES,
) -> OutcomeRows:
    """Check a column and take it for the outcome.

    The column has the outcome of each of ``n_rows`` rows, or its different values, with the
    weight of each.
    """
    if isinstance(column, LevelColumn):
        column = CodedColumn(column.name, *column.encode())
    known = _complete(column)
    kind, note = _choose_type(known, n_rows, outcome_type, target)
    if kind == "numeric":
        read = _numeric(known, weight)
    elif kind == "multinomial":
        read = _multinomial(known, weight, max_classes)
    else:
        read = _binomial(known, target, weight, note)
    return OutcomeRows(**{"kind": kind, "name": name, "note": note, "weight": weight, **read})


def read_known_rate(
    frame: InputFrame, outcome: Any, exposure: Any
) -> tuple[FloatArray, FloatArray]:
    """Read more counts and exposures; they need not vary."""
    count = _complete(read_along(frame, "outcome", outcome))
    if not isinstance(count, NumericColumn) or count.kind != "number":
        raise no_counts()
    values = count.values.astype(np.float64, copy=False)
    check_counts(values)
    return values, read_exposure(frame, exposure)


def read_known_outcome(
    frame: InputFrame,
    outcome: Any,
    kind: OutcomeType,
    target: Any,
    weight: FloatArray | None,
) -> tuple[NumberArray, tuple[Any, ...]]:
    """Read more of an outcome whose type is known; it need not vary.

    Returns
    -------
    values : ndarray of shape (n,)
        The numbers, 1 for the target and 0 for others, or the number of the row's class.
    classes : tuple
        The classes of a multinomial outcome that are among these rows.
    """
    if kind == "unsupervised":
        return np.zeros(frame.n_rows), ()
    column = _complete(_read(frame, outcome, exact=kind in OF_CLASSES))
    if kind == "numeric":
        if not isinstance(column, NumericColumn):
            raise OutcomeError(
                f"the outcome holds levels such as {listed(_classes(column))}, but was numbers in "
                "the design; convert it"
            )
        check_size_of_numbers(float(column.values.min()), float(column.values.max()))
        return column.values, ()
    if kind == "binomial":
        number = isinstance(target, numbers.Real | np.bool_)
        if number and not isinstance(column, NumericColumn) and column.encode()[1].is_text:
            raise OutcomeError(
                f"the outcome holds text such as {listed(_classes(column))}, but the target of the "
                f"design is a number, {target!r}; convert it"
            )
        return _is_target(column, target).astype(np.int8), ()
    y, classes = _counted_classes(column, weight)
    return y, tuple(classes)


def _complete(column: Column) -> Known:
    """Refuse an outcome that is not known in all rows."""
    if isinstance(column, EmptyColumn):
        raise OutcomeError("the outcome has missing values only")
    infinite = 0
    if not isinstance(column, NumericColumn):
        codes, levels = column.encode()
        unknown = codes == levels.missing
    elif column.bad is None:
        return column
    else:
        unknown, infinite = column.bad, int(np.isinf(column.values).sum())
    if unknown.any():
        first = int(unknown.argmax())
        raise incomplete(int(unknown.sum()) - infinite, infinite, len(column), first)
    return column


def incomplete(missing: int, infinite: int, n_rows: int, first: int | None = None) -> OutcomeError:
    """Error for rows whose outcome is not known; ``first`` is the first of them, if told."""
    parts = [counted(missing, "missing value")] if missing else []
    parts += [counted(infinite, "infinite value")] if infinite else []
    place = "" if first is None else f", the first in row {first}"
    return OutcomeError(
        f"the outcome has {' and '.join(parts)} in {counted(n_rows, 'row')}{place}; remove those "
        "rows or fill in their outcome first"
    )


def _choose_type(
    column: Known, n_rows: int, outcome_type: str | None, target: Any
) -> tuple[OutcomeType, str]:
    numeric = isinstance(column, NumericColumn)
    if outcome_type == "numeric":
        if not numeric:
            raise OutcomeError(
                f"the outcome holds levels such as {listed(_classes(column))}, not numbers, "
                'but outcome_type is "numeric"; convert it, or ask for another type '
                "(BinomialOutcomeTreatment, MultinomialOutcomeTreatment)"
                + _added(said_of_numbers(column))
            )
        if target is not None:
            raise OutcomeError('target= names a class; outcome_type="numeric" has none')
        return "numeric", "numeric, as asked"
    if outcome_type == "binomial":
        return "binomial", "binomial, as asked"
    if outcome_type == "multinomial":
        if target is not None:
            raise OutcomeError(
                'target= names one class; with outcome_type="multinomial" each class is one'
            )
        return "multinomial", "multinomial, as asked"
    if target is not None:
        return "binomial", "binomial, because target= names a class"
    if numeric and not set(_classes(column, limit=3)) <= {0.0, 1.0}:
        return "numeric", "numeric, because the outcome holds numbers other than 0 and 1"
    classes = _classes(column)
    if _ROWS_PER_CLASS * len(classes) > n_rows and len(classes) > 2:
        raise OutcomeError(
            f"the outcome has {len(classes)} classes ({listed(classes)}) in {n_rows} rows, "
            "too many to be meant: name the one to predict with target=, convert the outcome to "
            'numbers, or insist with outcome_type="multinomial"' + _added(said_of_numbers(column))
        )
    if len(classes) > 2:
        if said := said_of_fractions(column):
            warn(
                f"the outcome is taken for {len(classes)} classes, but {said}: convert it to "
                'numbers, or say outcome_type="multinomial" if classes are meant'
            )
        return "multinomial", note_of_classes(len(classes))
    return "binomial", "binomial, because the outcome has two classes"


def _added(said: str) -> str:
    return said and f". {said}"


def note_of_classes(number: int) -> str:
    """Say why an outcome was taken for one of several classes."""
    return f"multinomial, because the outcome has {number} classes"


def _numeric(column: Known, weight: FloatArray | None) -> dict[str, Any]:
    assert isinstance(column, NumericColumn)
    values = column.values
    check_size_of_numbers(float(values.min()), float(values.max()))
    weighing = values if weight is None else values[weight > 0]
    low, high = weighing.min(), weighing.max()
    if low == high:
        raise OutcomeError(f"the outcome is {low:g} in {_every_row(weight)}; it must vary")
    centre = float(np.average(values, weights=weight))
    _check_spread(max(centre - float(low), float(high) - centre), weight)
    return {"y": np.subtract(values, centre, dtype=np.float64), "centre": centre, "labels": values}


def _every_row(weight: FloatArray | None) -> str:
    return "every row" if weight is None else "every row of positive weight"


def _binomial(column: Known, target: Any, weight: FloatArray | None, note: str) -> dict[str, Any]:
    classes = _classes(column) if weight is None else _counted_classes(column, weight)[1]
    if target is None:
        if len(classes) == 1:
            raise OutcomeError(
                f"the outcome is {classes[0]!r} in {_every_row(weight)}; it must vary"
            )
        if len(classes) != 2:
            raise OutcomeError(
                f"the outcome has {len(classes)} classes ({listed(classes)}), and target= does "
                "not say which one to predict. Name it, or ask for another type of outcome "
                "(MultinomialOutcomeTreatment, NumericOutcomeTreatment)"
            )
        target = classes[-1]
        note += f"; target {target!r}, the last of the two in sorted order"
    hit = _is_target(column, target)
    weighing = hit if weight is None else hit[weight > 0]
    if not weighing.any():
        raise OutcomeError(
            f"target {target!r} does not occur in the outcome; its classes are {listed(classes)}"
        )
    if weighing.all():
        raise OutcomeError(f"the outcome is {target!r} in {_every_row(weight)}; it must vary")
    y = hit.astype(np.int8)
    return {"y": y, "labels": y, "target": target, "note": note}


def _multinomial(column: Known, weight: FloatArray | None, max_classes: int) -> dict[str, Any]:
    y, classes = _counted_classes(column, weight)
    if len(classes) > max_classes:
        raise OutcomeError(
            f"the outcome has {len(classes)} classes ({listed(classes)}), more than "
            f"max_classes={max_classes}: each is coded and tested against all others. Put rare "
            "ones together, name the one to predict with target=, ask for numbers "
            "(NumericOutcomeTreatment), or raise max_classes if all of them are meant"
        )
    if len(classes) < 2:
        raise OutcomeError(
            f"the outcome is {classes[0]!r} in {_every_row(weight)}; it must have two classes or "
            "more"
        )
    y = y.astype(np.min_scalar_type(len(classes)))
    return {"y": y, "labels": y, "classes": tuple(classes)}


def _counted_classes(column: Known, weight: FloatArray | None) -> tuple[IntArray, list[Any]]:
    """Class number of each row, and the classes.

    Classes that only rows of weight 0 have are none; such rows are counted nowhere.
    """
    y: IntArray
    if isinstance(column, NumericColumn):
        y, found = pd.factorize(column.values, sort=True)
        classes = found.tolist() if set(found) - {0, 1} else [int(one) for one in found]
    else:
        classes = _classes(column)
        codes, levels = column.encode()
        number = np.zeros(len(levels) + 1, dtype=np.intp)
        number[levels.codes_of(classes)] = np.arange(len(classes))
        y = number[codes]
    weighing = np.flatnonzero(np.bincount(y, weight, len(classes)) > 0)
    if len(weighing) < len(classes):
        number = np.zeros(len(classes), dtype=np.intp)
        number[weighing] = np.arange(len(weighing))
        y, classes = number[y], [classes[k] for k in weighing]
    return y, classes


def _classes(column: Known, limit: int | None = None) -> list[Any]:
    """Distinct values of the outcome, sorted; at most ``limit`` of a numeric one."""
    if isinstance(column, NumericColumn):
        values = column.values
        if limit is not None and set(values[: 4 * limit]) - {0.0, 1.0}:
            return sorted(set(values[: 4 * limit].tolist()))
        if ((values == 0) | (values == 1)).all():
            return [v for v in (0, 1) if (values == v).any()]
        return list(np.unique(values).tolist())
    codes, levels = column.encode()
    present = np.flatnonzero(np.bincount(codes, minlength=len(levels))[: len(levels)])
    return sorted_classes([levels[int(code)] for code in present])


def sorted_classes(labels: list[Any]) -> list[Any]:
    """Put different classes in order.

    Numbers 0 and 1 are whole numbers where they stand alone, but floats among other numbers.
    """
    kinds = {type(v) for v in labels}
    if kinds == {int, float}:
        return sorted(float(v) for v in labels)
    return sorted(labels, key=str if len(kinds) > 1 else None)


def _is_target(column: Known, target: Any) -> BoolArray:
    if isinstance(column, NumericColumn):
        if not isinstance(target, numbers.Real | np.bool_):
            raise OutcomeError(
                f"target {target!r} is not a number, but the outcome holds numbers such as "
                f"{listed(_classes(column))}"
            )
        return np.asarray(column.values == target)
    if not isinstance(target, Hashable):
        raise OutcomeError(f"target {target!r} must be one class, such as {_classes(column)[0]!r}")
    codes, levels = column.encode()
    return np.asarray(codes == levels.codes_of([target])[0])
