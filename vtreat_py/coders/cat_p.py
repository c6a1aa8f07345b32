"""catP: the prevalence of a level."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.code import CodeOptions
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.table_code import TableCode
from vtreat_py.statistics.blocks import by_blocks
from vtreat_py.statistics.level_view import LevelView


class CatP(TableCode):
    """The prevalence of a level."""

    name = "catP"
    of_class = True

    def values(
        self,
        levels: PooledLevels,
        options: CodeOptions,  # noqa: ARG002
    ) -> tuple[FloatArray, FloatArray]:
        """Code the levels."""
        return cat_p(levels.view)


def cat_p(view: LevelView) -> tuple[FloatArray, FloatArray]:
    """Code levels by their share of the rows; levels are never pooled here.

    Returns
    -------
    codes : ndarray of shape (entries,)
    novel : ndarray of shape (training sets,)
        The code of unseen levels: half a row.
    """
    size, group = view.entries.size, view.group
    n_rows = np.where(view.whole.size > 0, view.whole.size, 1.0)
    novel = 0.5 / n_rows

    def share(some: slice) -> FloatArray:
        own, of_set = size[some], group[some]
        return np.where(own > 0, own / n_rows[of_set], novel[of_set])

    return by_blocks(len(size), share), novel
