"""Sparse output: indicators and marks as a scipy matrix, straight from the codes of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config

from vtreat_py.base.arrays import IntArray
from vtreat_py.frames.columns import Column, NumericColumn
from vtreat_py.memory.crossing import LearnedLevelRows, LearnedNumberRows
from vtreat_py.plan.treatments import LevelCodes, LevelTreatment, Places, Treatment, wanted_places

# Rows and columns of the ones that an input column puts into the matrix.
Ones = tuple[IntArray, IntArray]


def sparse_treated(
    treatments: Sequence[Treatment],
    columns: Sequence[Column],
    place: Mapping[str, int],
    n_rows: int,
) -> Any:
    """Treat a frame; ``place`` has the column of the matrix for each name that is wanted."""
    ones = [
        _ones(treatment, column, wanted_places(treatment, place))
        for treatment, column in zip(treatments, columns, strict=True)
    ]
    return _as_matrix(ones, n_rows, len(place))


def sparse_cross_frame(
    treatments: Sequence[Treatment],
    learned: Sequence[LearnedNumberRows | LearnedLevelRows],
    place: Mapping[str, int],
    n_rows: int,
) -> Any:
    """Code the training frame out of fold; ``place`` is as for `sparse_treated`."""
    ones = []
    for treatment, one in zip(treatments, learned, strict=True):
        places = wanted_places(treatment, place)
        if not places:
            continue
        if isinstance(one, LearnedLevelRows):
            ones.append(_ones_by_cell(one, places))
        else:
            ones.append(_marked_out_of_fold(one, places, n_rows))
    return _as_matrix(ones, n_rows, len(place))


def _as_matrix(ones: Sequence[Ones], n_rows: int, n_columns: int) -> Any:
    """Put the ones of all input columns into a matrix of the class scikit-learn's encoders use."""
    n_ones = sum(len(rows) for rows, _ in ones)
    # Many of scikit-learn's models take indices of 32 bits only.
    small = max(n_ones, n_rows, n_columns) <= np.iinfo(np.int32).max
    kind: type[np.integer[Any]] = np.int32 if small else np.int64
    nothing = np.empty(0, dtype=kind)
    rows = np.concatenate([nothing, *(r for r, _ in ones)], dtype=kind)
    columns = np.concatenate([nothing, *(c for _, c in ones)], dtype=kind)
    pairs = sparse.coo_array((np.ones(n_ones), (rows, columns)), shape=(n_rows, n_columns))
    as_array = get_config().get("sparse_interface") == "sparray"
    return pairs.tocsr() if as_array else sparse.csr_matrix(pairs.tocsr())


def _ones(treatment: Treatment, column: Column, places: Places) -> Ones:
    """Ones of a column to prepare: a row has the one that its level has, if any."""
    if isinstance(treatment, LevelTreatment):
        codes, first, ones = treatment.encode(column), 0, []
        for part in treatment.parts:
            here = range(first, first + len(part.variables))
            ones.append(
                _ones_of_part(part, codes, {o - first: places[o] for o in here if o in places})
            )
            first += len(part.variables)
        return np.concatenate([r for r, _ in ones]), np.concatenate([c for _, c in ones])
    if not isinstance(column, NumericColumn):  # it has missing values only
        rows = np.arange(len(column))
    elif column.bad is None:
        rows = np.empty(0, dtype=np.intp)
    else:
        rows = np.flatnonzero(column.bad)
    return rows, _all_in(places, rows)


def _ones_of_part(part: LevelCodes, codes: IntArray, places: Places) -> Ones:
    """Ones of the indicators that are built for one target: a level has one at most."""
    place_of_slot = np.full(len(part.slots), -1, dtype=np.int32)
    for own, place in places.items():
        place_of_slot[part.variables[own].slot] = place
    place_of_code = np.where(part.slots < 0, -1, place_of_slot[part.slots])
    place_of_row = place_of_code[codes]
    rows = np.flatnonzero(place_of_row >= 0)
    return rows, place_of_row[rows]


def _marked_out_of_fold(learned: LearnedNumberRows, places: Places, n_rows: int) -> Ones:
    """Ones of a numeric column in the cross-frame: a mark does not depend on the fold."""
    mark = np.empty(n_rows)
    (own,) = places
    learned.write_cross({own: mark}, False, False)
    rows = np.flatnonzero(mark)
    return rows, _all_in(places, rows)


def _all_in(places: Places, rows: IntArray) -> IntArray:
    """Matrix column of the one mark that a numeric column has."""
    (place,) = places.values()
    return np.full(len(rows), place, dtype=np.int32)


def _ones_by_cell(learned: LearnedLevelRows, places: Places) -> Ones:
    """Rows of a (level, fold) cell share their ones, of which a pool may be a second one."""
    index = learned.index
    marked = [index.cell_key[np.flatnonzero(learned.learned.values[own])] for own in places]
    place = np.repeat(list(places.values()), [len(keys) for keys in marked])
    keys = np.concatenate(marked)
    place = place[np.argsort(keys, kind="stable")].astype(np.int32)
    count = np.bincount(keys, minlength=index.n_keys)
    start = np.cumsum(count) - count
    row_key = index.keys(slice(None))
    ones = count[row_key]
    rows = np.repeat(np.arange(len(row_key)), ones)
    before = np.cumsum(ones) - ones
    nth = np.arange(len(rows)) - before[rows]
    return rows, place[start[row_key[rows]] + nth]
