"""Sparse output: indicators and marks as a scipy matrix, straight from the codes of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config

from vtreat_py._column_treatment import (
    DerivedVariable,
    LevelCodes,
    LevelTreatment,
    Places,
    Treatment,
    wanted_places,
)
from vtreat_py._columns import Column, NumericColumn
from vtreat_py._design_levels import LearnedLevelRows
from vtreat_py._design_numbers import LearnedNumberRows
from vtreat_py._errors import InvalidOptionError
from vtreat_py._typing import IntArray

SPARSE_CODES = ("lev", "isBAD")
_SHOWN = 5

# Rows and columns of the ones that an input column puts into the matrix.
Ones = tuple[IntArray, IntArray]


def check_sparse_options(scale: bool, extra: Sequence[Any] = (), row_id: Any = None) -> None:
    """Refuse options that a sparse matrix cannot serve.

    Raises
    ------
    InvalidOptionError
    """
    if scale:
        raise InvalidOptionError(
            "sparse_output=True and scale=True exclude each other: a scaled indicator is 0 "
            "nowhere; leave one of the two out"
        )
    if row_id is not None:
        raise InvalidOptionError(
            f"sparse_output=True returns a matrix of derived variables only, which has no room for "
            f"row_id={row_id!r}; leave one of the two out"
        )
    if extra:
        raise InvalidOptionError(
            f"sparse_output=True returns a matrix of derived variables only, but extra_columns "
            f"names {list(extra)}; take those from the frame yourself"
        )


def check_sparse_variables(variables: Sequence[DerivedVariable]) -> None:
    """Refuse variables that are not mostly 0.

    Raises
    ------
    InvalidOptionError
    """
    dense = [v for v in variables if v.code not in SPARSE_CODES]
    if dense:
        shown = ", ".join(f"{v.name!r} ({v.code})" for v in dense[:_SHOWN])
        more = f" and {len(dense) - _SHOWN} more" if len(dense) > _SHOWN else ""
        raise InvalidOptionError(
            f"sparse_output=True, but {len(dense)} of the {len(variables)} chosen variables are "
            f"dense: {shown}{more}. Only indicators and marks of bad values are sparse; choose "
            'them with coders=["lev", "isBAD"], or leave sparse_output out'
        )


def check_container(transformer: Any, sparse_output: bool) -> None:
    """Refuse a sparse matrix where ``set_output`` asks for a data frame, as scikit-learn does.

    Raises
    ------
    InvalidOptionError
    """
    own = getattr(transformer, "_sklearn_output_config", {}).get("transform")
    container = own or get_config()["transform_output"]
    if sparse_output and container != "default":
        raise InvalidOptionError(
            f"{container.capitalize()} output does not support sparse data: set "
            'sparse_output=False, or ask for set_output(transform="default")'
        )


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
        codes, first, ones = treatment.codes(column), 0, []
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
    learned.write_cross(own, False, False, mark)
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
