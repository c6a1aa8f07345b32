"""Kept statistics of a lazy frame: those of parts of its rows, added up."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from vtreat_py.api.lazy_experiment import LazyCrossFrameExperiment
from vtreat_py.api.statistics import DesignStatistics, kept_statistics
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.design.request import DesignRequest
from vtreat_py.frames.made import sources_of
from vtreat_py.kept.design import KeptDesign
from vtreat_py.kept.learning import learn_kept
from vtreat_py.kept.rows import rows_of_frame
from vtreat_py.lazy.columns import LazyEmpty, LazyNumber
from vtreat_py.lazy.design import LazyDesign
from vtreat_py.lazy.parts import parts_of_rows
from vtreat_py.memory.design import Design
from vtreat_py.outcome.weights import IMPORTANCE
from vtreat_py.plan.choice import Choice


def lazy_statistics(
    design: LazyDesign, request: DesignRequest, *, coded: bool = False
) -> DesignStatistics:
    """Sum up the rows of a lazy frame.

    ``coded``: the rows are to be coded by the sums, so that all of them must be in there.

    Raises
    ------
    InvalidOptionError
        If no row id tells the rows apart, weights are of importance (or 0, of rows that are to be
        coded), or the engine has numbers where frames in memory have levels.
    """
    _check(design, request)
    context, source = design.context, design.rows.source
    kept = KeptDesign.of_context(
        context, design.names, source.columns, design.made, request.exposure
    )
    given = (request.outcome, request.exposure, request.sample_weight)
    beside = [one for one in given if one is not None]
    names = dict.fromkeys(map(str, [*sources_of(kept.variables, kept.made), *beside]))
    parts = []
    for table, fold in parts_of_rows(design.rows, list(names)):
        part = rows_of_frame(
            kept,
            table,
            folds=np.asarray(fold),
            outcome=request.outcome,
            exposure=request.exposure,
            sample_weight=request.sample_weight,
            n_jobs=request.n_jobs,
            centre=context.outcome.centre,
        )
        if coded:
            _check_all_count(part, request.sample_weight)
        parts.append(kept_statistics(part))
    whole = reduce(add, parts)
    _check_kinds(design, whole)
    return replace(whole, design=replace(whole.design, columns=kept.columns))


def lazy_kept_experiment(
    design: LazyDesign, request: DesignRequest, **options: Any
) -> LazyCrossFrameExperiment[Any]:
    """Sum up the rows of a lazy frame, and build the query for its cross-frame.

    ``options`` say what is to come out; see `Choice`.
    """
    statistics = lazy_statistics(design, request, coded=True)
    context = statistics._context(scaled=design.context.scaled_cross_frame)
    learned = [
        learn_kept(one, statistics.design, context, statistics._residuals)
        for one in statistics._columns_per_row
    ]
    plan, rows = statistics._plan_of(learned, context), design.rows
    assert rows.folds is not None
    assert rows.row_id is not None
    frame = design.cross_frame(plan, learned, Choice.of(plan, **options))
    return LazyCrossFrameExperiment(plan, frame, None, rows.folds, rows.row_id.name)


def _check_all_count(part: Design, sample_weight: Any) -> None:
    weight = part.rows.outcome.weight
    if weight is not None and not weight.all():
        raise InvalidOptionError(
            f"{sample_weight!r} is 0 in some rows, which are in no sums that could code them: "
            "leave them out of the frame, or make their cross-frame without keep_statistics"
        )


def _check(design: LazyDesign, request: DesignRequest) -> None:
    if design.rows.row_id is None:
        raise InvalidOptionError(
            "keep_statistics=True reads the rows of a lazy frame some at a time, by a column that "
            "tells them apart: name it as row_id="
        )
    if request.weight_kind == IMPORTANCE:
        raise InvalidOptionError(
            f'weight_kind="{IMPORTANCE}" scales weights by all of the rows, and '
            "keep_statistics=True reads those of a lazy frame some at a time; collect it, part by "
            "part if it is too large, and add the parts' statistics"
        )


def _check_kinds(design: LazyDesign, statistics: DesignStatistics) -> None:
    """Refuse columns that are of another type in the engine than in memory."""
    for column, kept in zip(design.columns, statistics.columns, strict=True):
        if isinstance(column, LazyEmpty) or not kept.has_values:
            continue
        found = column.kind if isinstance(column, LazyNumber) else "levels"
        if found != kept.kind:
            raise InvalidOptionError(
                f"column {column.name!r} holds {found} to {design.rows.source.engine} and "
                f"{kept.kind} to frames in memory, where keep_statistics=True sums it up; cast it "
                "to a type that both read alike"
            )
