"""A numeric column of a lazy frame: what a design asks of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vtreat_py._columns import Kind
from vtreat_py._design_context import DesignContext
from vtreat_py._errors import InvalidOptionError
from vtreat_py._typing import FloatArray
from vtreat_py.coders.clean import Imputer
from vtreat_py.engines.lazy.columns import LazyNumber
from vtreat_py.engines.lazy.number_queries import Extents
from vtreat_py.engines.lazy.rows import DesignRows
from vtreat_py.significance.logistic import LogisticFit
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.score import Score
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.numeric_sums import NumericSums


@dataclass(eq=False)
class EngineNumbers:
    """The `NumberFacts` of a column of a lazy frame.

    Sums of all columns come from the same queries, before; quantiles, and values that a
    permutation test asks for, are queried when they are asked for.
    """

    rows: DesignRows
    context: DesignContext
    column: LazyNumber
    extents: Extents
    fold_sums: list[NumericSums]
    digest: str = ""

    @property
    def name(self) -> Hashable:
        """The column."""
        return self.column.name

    @property
    def kind(self) -> Kind:
        """What its numbers stand for."""
        return self.column.kind

    @property
    def has_good(self) -> bool:
        """Whether there is a good value."""
        return self.extents.has_good

    @property
    def has_bad(self) -> bool:
        """Whether there is a bad value, in a row of any weight."""
        return self.extents.has_bad

    @property
    def coordinates(self) -> Coordinates:
        """Coordinates near the good values."""
        return self.extents.coordinates

    def extent(self, fold: int | None) -> tuple[float, float] | None:
        """Smallest and largest good value; None without one."""
        low, high = self._by_fold(self.extents.low), self._by_fold(self.extents.high)
        if fold is not None:
            others = np.arange(len(low)) != fold
            low, high = low[others], high[others]
        if np.isnan(low).all():
            return None
        return float(np.nanmin(low)), float(np.nanmax(high))

    def _by_fold(self, cells: FloatArray) -> FloatArray:
        return cells.reshape(self.rows.n_folds, -1)

    def sums(self) -> list[NumericSums]:
        """Sums of each fold, for each contrast."""
        return self.fold_sums

    def training_sums(self) -> list[NumericSums]:
        """Never asked for: training sets are all other folds."""
        raise NotImplementedError
