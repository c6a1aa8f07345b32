"""Answers that are too large for an engine to hand over: found before they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from vtreat_py.base.errors import FrameError
from vtreat_py.lazy.columns import LazyLevels, native_module
from vtreat_py.lazy.rows import DesignRows

# Bytes of a number, and of what Arrow has beside a label.
_NUMBER, _BESIDE = 8, 5
# Labels are taken to be shorter, until they are looked at.
_LONG_LABEL = 64
_GIGABYTE = 1 << 30


def check_level_answers(rows: DesignRows, columns: Sequence[LazyLevels]) -> None:
    """Refuse columns of so many levels that the engine would not hand over their sums.

    Only Spark has such a limit. Levels are counted, about, by one query for all columns, and only
    where the table has rows enough for the limit to matter.

    Raises
    ------
    FrameError
        That names the column, its size, and the setting to raise.
    """
    module = native_module(rows.source)
    if not columns or not hasattr(module, "largest_answer"):
        return
    most, width = module.largest_answer(rows.source.native), _width(rows)
    if most is None or rows.n_rows * (width + _LONG_LABEL) <= most:
        return
    levels = {f"level{i}": column.level for i, column in enumerate(columns)}
    found = module.sizes_of_levels(rows.of(columns).select(**levels).to_native())
    for column, (n_levels, label) in zip(columns, found, strict=True):
        size = n_levels * (width + label)
        if size > most:
            raise FrameError(
                f"column {column.name!r} has about {n_levels:,} levels, whose sums are about "
                f"{size / _GIGABYTE:.2g} GB, but Spark hands over {most / _GIGABYTE:.2g} GB at "
                "most: start its session with "
                f'.config("{module.LARGEST_ANSWER}", "{int(1.25 * size / _GIGABYTE) + 1}g"), and '
                "as much more spark.driver.memory; or leave the column out"
            )


def _width(rows: DesignRows) -> int:
    """Bytes of what is asked of a level, but for its label."""
    of_outcome = 1 if rows.n_classes else 3
    of_weights = 0 if rows.weight is None else 2
    n_numbers = rows.n_cells * (of_outcome + of_weights) + (rows.row_id is not None)
    return n_numbers * _NUMBER + _BESIDE
