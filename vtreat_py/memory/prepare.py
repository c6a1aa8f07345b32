"""Treated frames of those in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vtreat_py.base.arrays import IntArray
from vtreat_py.base.log import logger
from vtreat_py.base.warn import warn
from vtreat_py.frames.columns import Column
from vtreat_py.frames.digest import digest
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.joint import JointColumn
from vtreat_py.memory.dates import warn_of_lost_zones
from vtreat_py.memory.sparse import sparse_treated
from vtreat_py.memory.treated import read_treated
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, TextTreatment, Treatment
from vtreat_py.plan.variables import DerivedVariable


def treated_frame(plan: Plan, source: InputFrame, choice: Choice) -> Any:
    """Treat a frame; see `vtreat_py.prepare`."""
    treatments = choice.treatments(plan)
    source = source.read_by(plan.options.missing_values).making(plan.made)
    columns = read_treated(source, treatments, choice.first + choice.extra)
    warn_of_lost_zones(source, [treatment.column for treatment in treatments])
    looked_at: dict[int, Any] = {}  # columns encoded before their turn
    _warn_on_training_frame(plan, source, treatments, columns, choice.variables, looked_at)
    if choice.sparse:
        place_of = {name: place for place, name in enumerate(choice.names)}
        return sparse_treated(treatments, columns, place_of, source.n_rows)
    out = np.empty((len(choice.variables), source.n_rows))
    texts: dict[int, NDArray[np.object_]] = {}
    wanted = choice.by_column
    for number, (treatment, column) in enumerate(zip(treatments, columns, strict=True)):
        encoded: Any = looked_at.pop(number, None)
        if encoded is None:
            encoded = treatment.encode(column)
        for place, variable in wanted[treatment.column]:
            if isinstance(treatment, TextTreatment):
                texts[place] = np.empty(source.n_rows, dtype=object)
            treatment.write(encoded, variable, choice, texts.get(place, out[place]))
        if isinstance(treatment, LevelTreatment):
            joint = source.made.get(treatment.column)
            joint = joint if isinstance(joint, JointColumn) else None
            _write_novel(treatment, column, encoded, choice, out, joint)
    logger.debug("prepared %d rows, %d variables", source.n_rows, len(choice.variables))
    return source.like(choice.names, out, choice.extra, first=choice.first, texts=texts)


def _write_novel(
    treatment: LevelTreatment,
    column: Column,
    encoded: IntArray,
    choice: Choice,
    out: NDArray[np.float64],
    joint: JointColumn | None,
) -> None:
    """Write what rests on the texts, or parts, of levels that the plan does not know."""
    reading = [
        (place, variable)
        for place, variable in choice.by_column[treatment.column]
        if treatment.reads_novel(variable)
    ]
    if reading:
        novel = treatment.novel_levels(column, encoded)
        for place, variable in reading:
            treatment.write_novel(novel, variable, choice, out[place], joint)


def _warn_on_training_frame(
    plan: Plan,
    source: InputFrame,
    treatments: list[Treatment],
    columns: list[Column],
    chosen: list[DerivedVariable],
    looked_at: dict[int, Any],
) -> None:
    def encode(place: int) -> Any:
        looked_at[place] = treatments[place].encode(columns[place])
        return looked_at[place]

    if plan.outcome_type == "unsupervised" or not any(v.needs_split for v in chosen):
        return
    if source.n_rows == plan.n_rows and all(
        digest(c) == t.sample for t, c in zip(treatments, columns, strict=True)
    ):
        found = "this looks like the frame the plan was designed on"
    elif (
        plan.marks is not None
        and len(treatments) == len(plan.treatments)
        and plan.marks.are_most_of(plan.n_rows, treatments, columns, encode)
    ):
        found = "these look like rows of the frame the plan was designed on"
    else:
        return
    warn(
        f"{found}: its codes have seen these rows' own outcomes, and a model trained on them "
        "over-fits. Train on fit_transform (or cross_frame_experiment), which codes each row from "
        "the other folds",
    )
