"""The lazy cross-frame is that of memory, when both learned the same in each fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.lazy.frames import OUTCOMES, TREATED, assert_same_bits, awkward_table
from vtreat_py.api.design import design_with
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.lazy.columns import lazy_column
from vtreat_py.lazy.crossing import LevelCells, NumberFolds, cross_lazy
from vtreat_py.lazy.folds import LazyFolds, lazy_folds
from vtreat_py.lazy.source import LazySource
from vtreat_py.memory.crossing import LearnedLevelRows, LearnedNumberRows
from vtreat_py.memory.design import Design

pytestmark = pytest.mark.filterwarnings("ignore:.* does not tell upper from lower case")

Lazy = Callable[[pa.Table], Any]
CROSSED = [name for name in TREATED if name != "huge"]


def level_cells(design: Design, one: LearnedLevelRows, variables: Any, scale: bool) -> Any:
    """What each (level, fold) got in memory: the values of one of its rows."""
    column = design.source.read(one.treatment.column)
    codes, levels = column.encode()  # type: ignore[union-attr]
    fold = design.rows.folds.fold.astype(np.int64)
    _, row = np.unique(codes.astype(np.int64) * 100 + fold, return_index=True)
    values = {}
    for place, variable in enumerate(variables):
        out = np.empty(len(codes))
        one.write_cross({place: out}, scale, False)
        values[variable.name] = out[row]
    return levels.labels, codes[row], fold[row], values


def parts_of(design: Design, learned: Any, plan: Any, source: LazySource, options: Any) -> Any:
    parts: list[LevelCells | NumberFolds] = []
    used = [one for one in learned if isinstance(one, LearnedLevelRows | LearnedNumberRows)]
    for treatment, one in zip(plan.treatments, used, strict=True):
        column = lazy_column(source, treatment.column)
        if isinstance(one, LearnedLevelRows):
            cells = level_cells(design, one, treatment.variables, options["scale"])
            parts.append(LevelCells(column, *cells))  # type: ignore[arg-type]
            continue
        for variable, part in zip(treatment.variables, one.learned.parts, strict=True):
            scaling = part.fold_scales() if options["scale"] else None
            form = part.fold_form(options["collar"])
            parts.append(NumberFolds(column, variable.name, form, scaling))  # type: ignore[arg-type]
    return parts


@pytest.mark.halved
@pytest.mark.parametrize(
    ("outcome", "folds", "options"),
    [
        ("numeric", {"cv": 3, "row_id": "id"}, {"scale": True, "collar": True}),
        ("binomial", {"cv": "part", "row_id": "id"}, {"scale": False, "collar": False}),
        ("multinomial", {"cv": 4, "groups": "town", "row_id": "id"}, {"scale": True}),
    ],
)
def test_cross_frames_are_those_of_memory(
    outcome: str, folds: dict[str, Any], options: dict[str, Any], engine: str, lazy: Lazy
) -> None:
    table, options = awkward_table(), {"scale": False, "collar": False} | options
    given = {"outcome": OUTCOMES[outcome], "variables": CROSSED, "random_state": 1, **folds}
    expected = vt.cross_frame_experiment(table, **given, **options)
    assert expected.cross_frame.column_names[0] == "id"
    design = design_with(table, **given, scaled=options["scale"])
    source = LazySource.of(lazy(table)).making(design.source.made.values())
    made = lazy_folds(source, random_state=1, **folds)
    learned = design.learn()
    parts = parts_of(design, learned, expected.plan, source, options)
    names = expected.plan.feature_names
    found = cross_lazy(made, parts, names, names, row_id="id")
    assert_same_bits(found, expected.cross_frame)


def test_many_levels_are_joined(lazy: Lazy, engine: str) -> None:
    n_rows = 300
    random = np.random.default_rng(0)
    code = random.integers(61, size=n_rows)
    fold = random.integers(3, size=n_rows)
    text = np.array([*(f"level {i}" for i in range(60)), None], dtype=object)
    table = pa.table({"id": range(n_rows), "x": text[code], "fold": fold})
    source = LazySource.of(lazy(table))
    value = random.normal(size=(61, 3))
    level, of = np.divmod(np.arange(183), 3)
    cells = LevelCells(
        lazy_column(source, "x"),  # type: ignore[arg-type]
        pa.array(text[:-1], pa.large_string()),
        level,
        of,
        {"v": value[level, of], "one": (level == 3) * 1.0, "none": (level == 60) * 1.0},
    )
    made: LazyFolds = lazy_folds(source, cv="fold")
    alone = cross_lazy(made, [cells], [], ["v", "one", "none"], row_id="id")
    assert_same_bits(alone, table.select(["id"]))
    with pytest.raises(InvalidOptionError, match="a lazy frame cannot be without columns"):
        cross_lazy(made, [cells], [], ["v", "one", "none"])
    found = cross_lazy(made, [cells], ["none", "v", "one"], ["v", "one", "none"], row_id="id")
    columns = {
        "id": np.arange(n_rows),
        "none": (code == 60) * 1.0,
        "v": value[code, fold],
        "one": (code == 3) * 1.0,
    }
    assert_same_bits(found, pa.table(columns))
