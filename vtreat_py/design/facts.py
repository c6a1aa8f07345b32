"""What a design asks of the rows of a column, wherever they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.clean import Imputer
from vtreat_py.coders.forms import Form
from vtreat_py.coders.rows import RowsOfLevels, RowsOfNumbers
from vtreat_py.coders.text_features import TextFeatures
from vtreat_py.design.binned import BinnedNumbers
from vtreat_py.frames.columns import Kind
from vtreat_py.frames.joint import JointColumn, LevelParts
from vtreat_py.frames.levels import Levels
from vtreat_py.significance.interaction_draws import Residuals
from vtreat_py.significance.newton import RegressionFit
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.grouped_levels import GroupedLevels
from vtreat_py.statistics.level_order import LevelOrder
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.number_profile import NumberProfile
from vtreat_py.statistics.numeric_sums import NumericSums
from vtreat_py.statistics.outcome_sums import OutcomeSums


@dataclass(frozen=True, eq=False)
class CrossedCodes:
    """A variable as the cross-frame has it, in the rows that count.

    Attributes
    ----------
    values, y : ndarray of shape (n,)
    weight : ndarray of shape (n,) or None
    """

    values: FloatArray
    y: FloatArray
    weight: FloatArray | None


class NumbersByRows(Protocol):
    """What codes ask that are learned by rows; ``number`` is that of the contrast."""

    def training(self, number: int, fold: int | None) -> RowsOfNumbers:
        """Training rows of a fold, or all rows, as far as they count."""

    def crossed(self, number: int, form: Form) -> CrossedCodes:
        """A variable as the cross-frame has it, by a form of its folds."""

    def correlations(self, number: int, form: Form) -> tuple[list[float], list[float]]:
        """p-values of the folds, whether the outcome goes up with a variable, and their weights."""


class NumberFacts(Protocol):
    """A numeric column, as far as a design looks at it.

    A fold stands for its training rows, None for all rows. Only rows that count (of weight above
    0) are meant, unless said otherwise. Sums are in inner coordinates (`Coordinates`), one for
    each of the design's contrasts.
    """

    @property
    def name(self) -> Hashable:
        """The column."""

    @property
    def kind(self) -> Kind:
        """What its numbers stand for."""

    @property
    def has_good(self) -> bool:
        """Whether there is a good value."""

    @property
    def has_bad(self) -> bool:
        """Whether there is a bad value, in a row of any weight."""

    @property
    def coordinates(self) -> Coordinates:
        """Coordinates near the good values."""

    @property
    def digest(self) -> str:
        """Of a few values, to recognise the training frame; empty where the rows are elsewhere."""

    @property
    def by_rows(self) -> NumbersByRows | None:
        """What codes ask that are learned by rows; None where rows are not kept."""

    def extent(self, fold: int | None) -> tuple[float, float] | None:
        """Smallest and largest good value; None without one."""

    def imputed(self, fold: int | None, imputer: Imputer) -> float | None:
        """What an imputer other than a number or the mean makes of the good values, if any."""

    def quantiles(self, fold: int | None, probabilities: Sequence[float]) -> FloatArray | None:
        """Quantiles of the good values (`weighted_quantiles`), if any."""

    def profile(self, bad_weight: float) -> NumberProfile:
        """How all good values are spread; ``bad_weight`` is that of the rows without one."""

    def sums(self) -> list[NumericSums]:
        """Sums of each block of rows: a fold each, and one for the rows that are in none."""

    def training_sums(self) -> list[NumericSums] | None:
        """Sums of the training rows of each fold; None where they follow from those of blocks."""

    def crossed_sums(self) -> list[NumericSums]:
        """Sums of the rows of the cross-frame, by fold."""

    def crossed_fits(self, imputed: FloatArray) -> list[RegressionFit]:
        """Fit them on the clean column as the cross-frame has it, in inner coordinates."""

    def link_fits(self, imputed: float) -> list[RegressionFit]:
        """Fit each class, or the rate, on the clean column, in inner coordinates."""

    def link_slopes(self, imputed: FloatArray) -> list[FloatArray]:
        """Slopes of those fits in each fold, in inner coordinates."""

    def sample(self, imputed: float) -> Sample:
        """The clean column over all rows, in inner coordinates."""

    def correlation(self, number: int, imputed: float | None) -> float | None:
        """p-value of the correlation with the outcome, by rows (see `LevelRows`), if they are kept.

        Of the clean column or, without a number for bad values, of their mark.
        """

    def range_sums(self, edges: FloatArray, *, scored: bool) -> list[OutcomeSums] | None:
        """Sums of the good values in each range, and of the bad ones, for each contrast.

        ``scored``: of the outcome's normal scores (`CombinedTests.scores`); None where no rows
        can be had for them.
        """

    def binned(self) -> BinnedNumbers:
        """Sums of the good values by bin."""

    def ranges(self, edges: FloatArray) -> LevelFacts:
        """The column as one of levels: a level for each range (see `Steps`), in their order."""


class LevelRows(Protocol):
    """What the calibrated tests of a categorical column ask beyond its sums by level.

    All but that of spread are asked for where sums are not enough (`DesignContext.tests_rows`);
    ``number`` is that of the contrast.
    """

    def level_effects(self, number: int) -> float:
        """p-value of the test whether the outcome differs from level to level."""

    def correlation(self, number: int, values: FloatArray) -> float:
        """p-value of the correlation of the outcome with a number for each level."""

    def score_sums(self) -> OutcomeSums:
        """Sums by level of the outcome's normal scores, where `CombinedTests.scores` has some."""

    def spread(self) -> float | None:
        """p-value of the test of spread; None where no rows can be had for it."""

    def apart(self, number: int, cell: IntArray, fitted: FloatArray, n_rows: float) -> Residuals:
        """The outcome less what is fitted to cells, which levels are in; or shaped like that.

        A cell beyond those is of rows that are left out.
        """

    def effects_beyond(self, number: int, cell: IntArray, fitted: FloatArray) -> float:
        """p-value of the test whether that differs from cell to cell."""


@dataclass(frozen=True, eq=False)
class LevelFacts:
    """A categorical column, as far as a design looks at it.

    Attributes
    ----------
    tables : list of LevelTable
        Sums by (level, block of rows), for each contrast; missing values are the last level.
    coded : list of LevelTable
        The same over the rows of the cross-frame, which are others where ``cv`` repeats rows.
    trained : list of LevelTable
        Sums by (level, training set); empty where training sets are all other folds, or the
        earlier ones.
    rows : LevelRows or None
        None where rows are not kept.
    digest : str
        Of a few values, to recognise the training frame; empty where the rows are elsewhere.
    order : callable or None
        Gives the rows in order of their outcomes; None where they are not in memory.
    training_rows : sequence of callable, or None
        For each contrast, gives the training rows of a fold, or all that count for None. None
        where rows are not kept.
    parts : LevelParts or None
        What levels are made of, of a joint column.
    grouped : sequence of pairs of GroupedLevels
        For each contrast, how levels go with groups whose rows may be alike: in all rows, and in
        the training sets of folds. Empty where that is not asked.
    """

    name: Hashable
    levels: Levels
    tables: list[LevelTable]
    coded: list[LevelTable]
    trained: list[LevelTable]
    rows: LevelRows | None
    digest: str
    order: Callable[[], LevelOrder] | None = None
    training_rows: Sequence[Callable[[int | None], RowsOfLevels]] | None = None
    parts: LevelParts | None = None
    grouped: Sequence[tuple[GroupedLevels, GroupedLevels]] = ()

    def grouped_whole(self, number: int) -> GroupedLevels | None:
        """How levels of all rows go with groups, for a contrast, where that is asked."""
        return self.grouped[number][0] if self.grouped else None

    def made_of(self, joint: JointColumn | None) -> LevelFacts:
        """The same of a column that is made of several, if it is."""
        return self if joint is None else replace(self, parts=LevelParts.of(self.levels, joint))

    @cached_property
    def texts(self) -> TextFeatures:
        """The levels as texts, the same for all contrasts."""
        return TextFeatures.of(self.levels, self.tables[0].by_level().weight)
