"""What a code is: all that the rest of the package asks of one."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.coders.forms import Form, Number
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.rows import RowsOfLevels
from vtreat_py.coders.text_features import TextFeatures
from vtreat_py.frames.levels import Levels
from vtreat_py.outcome.outcome import OutcomeType
from vtreat_py.significance.logistic import PointSums
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.level_order import LevelOrder
from vtreat_py.statistics.moments import Moments

CLASSES: tuple[OutcomeType, ...] = ("binomial", "multinomial")
SUPERVISED: tuple[OutcomeType, ...] = ("numeric", *CLASSES)
OUTCOMES: tuple[OutcomeType, ...] = (*SUPERVISED, "rate", "survival", "unsupervised")


class Code(ABC):
    """A code: what it is called, and what it is for.

    Attributes
    ----------
    name : str
        In ``coders=``, in the score frame, and behind a column's name in that of a variable.
    reads : "levels" or "numbers"
        The columns that it is a code of.
    outcomes : collection of str
        Types of outcome that it is built for.
    y_aware : bool
        Whether it sees the outcome: training rows need it from the other folds, and with several
        classes it is built once for each.
    of_class : bool
        Whether it can be built once for each of several classes.
    is_sparse : bool
        Whether it is 0 in most rows.
    is_table : bool
        Whether a plan has a number for each level, or range, of it.
    by_default : bool
        Whether it is built where no codes are asked for.
    takes_rows : bool
        Whether it is made of rows, which must be in memory, and not of sums alone.
    """

    name: str
    reads: ClassVar[Literal["levels", "numbers"]]
    outcomes: ClassVar[Collection[str]] = OUTCOMES
    y_aware: ClassVar[bool] = False
    of_class: ClassVar[bool] = False
    is_sparse: ClassVar[bool] = False
    is_table: ClassVar[bool] = False
    by_default: ClassVar[bool] = True
    takes_rows: bool = False

    def needs_rows(self, options: CodeOptions, outcome_type: str) -> bool:  # noqa: ARG002
        """Whether rows must be in memory, with some options."""
        return self.takes_rows

    def named_after(self, column: Hashable) -> str:
        """Name of the variable of a column, before `munge`."""
        return f"{column}_{self.name}"

    def keeps_name(self, column: Hashable) -> str | None:
        """Return the column whose own name the variable has, if it has one."""
        return None if self.named_after(column) != str(column) else str(column)


class CodeOptions(Protocol):
    """The options of a design that codes look at; see `DesignOptions`."""

    @property
    def shrinkage(self) -> float | str:
        """Shrinkage of impact codes: rows, or which empirical Bayes."""

    @property
    def min_fraction(self) -> float:
        """Share of the weight a level needs for an indicator."""

    @property
    def quantile(self) -> float:
        """Quantile that a code of quantiles is of."""

    @property
    def is_classic(self) -> bool:
        """Whether numbers remain what they were in all versions."""

    @property
    def follows_r(self) -> bool:
        """Whether to do exactly what R vtreat does."""


class NumberCode(Code):
    """A code that copies the numbers of a column, or marks the bad ones."""

    reads = "numbers"

    @abstractmethod
    def form(self, imputed: Number, cuts: tuple[Number, Number] | None) -> Form:
        """How rows are coded, in a plan or by fold: a `Copy`, or `MARK`.

        Parameters
        ----------
        imputed : float or ndarray of shape (folds,)
            What stands for bad values.
        cuts : (lower, upper), floats or arrays of shape (folds,), or None
            The collar, if it is wanted.
        """


class LevelTests(Protocol):
    """The calibrated tests of what a code says of the levels of a column."""

    def correlation(self) -> float:
        """Whether the outcome goes up or down with the variable."""

    def effects(self) -> float:
        """Whether the outcome differs from level to level."""

    def spread(self) -> float | None:
        """Whether it varies more in some levels; None where rows that this takes are not kept."""

    def texts(self) -> float:
        """Whether it differs from level to level, or with the texts of levels."""


@dataclass(frozen=True, eq=False)
class ColumnLevels:
    """The levels of a column as all rows have them: what a code is made from.

    Attributes
    ----------
    name : hashable
    beside : sequence of LevelCode
        All codes that are asked for.
    texts : callable
        Gives the levels as texts.
    order : callable or None
        Gives the rows in order of their outcomes; None where they are not in memory.
    rows : callable or None
        Gives the training rows of a fold, or all rows for None; where rows are kept.
    """

    name: Hashable
    levels: Levels
    pooled: PooledLevels
    options: CodeOptions
    beside: Sequence[LevelCode]
    texts: Callable[[], TextFeatures]
    order: Callable[[], LevelOrder] | None = None
    rows: Callable[[int | None], RowsOfLevels] | None = None

    def are_told_apart(self, pooled: PooledLevels) -> bool:
        """Whether a training set knows two levels only, which another code tells apart."""
        few = int((pooled.view.entries.weight > 0).sum()) <= 2
        return few and any(code.tells_apart(pooled, self.options) for code in self.beside)


class TrainingLevels(Protocol):
    """The levels of a column as the training sets of the folds see them."""

    @property
    def pooled(self) -> PooledLevels:
        """All training sets; levels that the fold has no row of may be left out."""

    def alone(self, fold: int) -> PooledLevels:
        """The training set of one fold."""


class FoldValues(Protocol):
    """What the training sets of the folds make of a variable."""

    def values(self, levels: PooledLevels) -> FloatArray:
        """Values of the entries of a view of the training sets."""

    def lacking(self, levels: PooledLevels) -> BoolArray:
        """Training sets that would not have built the variable."""


@dataclass(frozen=True, eq=False)
class LevelVariable:
    """A variable that a code makes of levels.

    Attributes
    ----------
    label : str
        What its name has behind that of the column.
    in_folds : callable
        Gives what the training sets of the folds make of it.
    table : ndarray of shape (n_levels + 2,) or None
        Values of the levels, of the missing one, and of novel ones; None: it marks a slot.
    level, slot : object, int or None
        The level that it marks, and the code of that.
    weights : ndarray of shape (BUCKETS + 1,) or None
        What levels never seen have by their texts: a number, and what is added for each place of
        n-grams (see `NGrams`).
    parts : tuple of ndarray, or None
        What they have by their parts: a number, and what is added for each key (see `LevelParts`).
    """

    label: str
    in_folds: Callable[[TrainingLevels], FoldValues]
    table: FloatArray | None = None
    level: Any = None
    slot: int | None = None
    weights: FloatArray | None = None
    parts: tuple[FloatArray, ...] | None = None


@dataclass(frozen=True, eq=False)
class LevelVariables:
    """The variables that a code makes of a column, and what they are scored by on all rows.

    Attributes
    ----------
    moments : Moments
    points : PointSums
    sample : callable
        Gives one of the variables over all rows, by its place.
    degrees : float
        Degrees of freedom that were spent on each.
    """

    variables: Sequence[LevelVariable]
    moments: Moments
    points: PointSums
    sample: Callable[[int], Sample]
    degrees: float = 0.0


class LevelCode(Code):
    """A code of a categorical column.

    Attributes
    ----------
    is_crossed : bool
        Whether training rows get it from the other folds, by which it is then scored.
    most_apart : float
        Times that it may vary more in the plan than in the cross-frame, or less: a model that was
        trained on the one would else be wrong about the other.
    """

    reads: ClassVar[Literal["levels", "numbers"]] = "levels"
    is_crossed: ClassVar[bool] = True
    most_apart: ClassVar[float] = math.inf

    @abstractmethod
    def made(self, column: ColumnLevels) -> LevelVariables | str | None:
        """Make the variables; None where they would say nothing.

        A string says why they cannot be made, where a user is to know.
        """

    def tells_apart(self, levels: PooledLevels, options: CodeOptions) -> bool:  # noqa: ARG002
        """Whether it tells levels of a training set apart that are two in all."""
        return False

    @abstractmethod
    def ruled_out(self, column: ColumnLevels, n_made: int) -> int:
        """Count the variables that would have been made, had the outcome differed enough.

        ``n_made`` is the number of those that were.
        """

    def significance(self, tests: LevelTests) -> float | None:
        """p-value of a variable that training rows get from the other folds; None: the score's."""
        return tests.effects() if self.y_aware else tests.correlation()
