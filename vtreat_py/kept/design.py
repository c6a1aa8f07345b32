"""What kept statistics are sums for: the outcome, the folds and the options of a design."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.design.context import DesignContext
from vtreat_py.folds.plan import FoldScheme
from vtreat_py.frames.made import MadeColumn
from vtreat_py.memory.design import Design
from vtreat_py.outcome.outcome import Exposure, OutcomeRows, OutcomeType, OutcomeValues
from vtreat_py.outcome.reading import note_of_classes, sorted_classes
from vtreat_py.plan.options import DesignOptions
from vtreat_py.statistics.outcome_sums import ROUNDING, OutcomeSums

# What parts must have in common, beside their options.
_OF_ONE_DESIGN = (
    "outcome_type", "outcome_name", "target", "variables", "n_folds", "made", "exposure_name",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class KeptDesign:
    """A design without its rows.

    Rows are summed in blocks: of a fold and, where the outcome is a class, of one class. Counts
    by block hold all there is to know of classes.

    Attributes
    ----------
    outcome_type, outcome_name, target, note, classes, variables, options
        As in the plan.
    columns : tuple of hashable
        All columns of the frames: no derived variable gets the name of one.
    n_folds : int
        Each fold is trained on all rows that are not its own.
    made : tuple of CalendarPart and JointColumn
        Columns that are made of others.
    exposure_name : hashable or None
        The column that counts of a rate are per.
    """

    outcome_type: OutcomeType
    outcome_name: Hashable | None
    target: Any
    note: str
    classes: tuple[Any, ...]
    variables: tuple[Hashable, ...]
    columns: tuple[Hashable, ...]
    options: DesignOptions
    n_folds: int
    made: tuple[MadeColumn, ...] = ()
    exposure_name: Hashable | None = None

    @classmethod
    def of(cls, design: Design) -> KeptDesign:
        """Leave out the rows of a design."""
        source, exposure = design.source, design.rows.outcome.exposure
        made, name = tuple(source.made.values()), None if exposure is None else exposure.name
        return cls.of_context(design.context, design.variables, source.columns, made, name)

    @classmethod
    def of_context(
        cls,
        context: DesignContext,
        variables: Sequence[Hashable],
        columns: Sequence[Hashable],
        made: tuple[MadeColumn, ...],
        exposure_name: Hashable | None = None,
    ) -> KeptDesign:
        """Take what a design knows beside its rows."""
        outcome = context.outcome
        return cls(
            outcome.kind,
            outcome.name,
            outcome.target,
            outcome.note,
            outcome.classes,
            tuple(variables),
            tuple(columns),
            context.options,
            context.folds.n_folds,
            made,
            exposure_name,
        )

    @property
    def counts_classes(self) -> bool:
        """Whether the outcome is a class."""
        return self.outcome_type in ("binomial", "multinomial")

    @property
    def is_rate(self) -> bool:
        """Whether the outcome counts events per exposure."""
        return self.outcome_type == "rate"

    @property
    def n_classes(self) -> int:
        """Classes that rows are told apart by: two of a binomial outcome, one of no classes."""
        return len(self.classes) or 1 + self.counts_classes

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return self.n_folds * self.n_classes

    @property
    def contrasted(self) -> range:
        """The classes that a design has a contrast for; see `DesignContext.contrasts`."""
        return range(self.n_classes) if self.classes else range(1, 2)

    def blocks(self, fold: IntArray, y: NumberArray) -> IntArray:
        """Block of rows of these folds and outcomes."""
        block = fold.astype(np.intp) * self.n_classes
        return np.asarray(block + y.astype(np.intp)) if self.counts_classes else block

    @cached_property
    def fold_and_class(self) -> tuple[IntArray, IntArray]:
        """Fold and class of all blocks."""
        fold, own = np.divmod(np.arange(self.n_blocks), self.n_classes)
        return fold, own

    def block_name(self, block: int) -> str:
        """Say in words which rows a block has, for messages."""
        fold, own = divmod(block, self.n_classes)
        outcome = f", outcome {self.outcome_label(own)}" if self.counts_classes else ""
        return f"fold {fold}{outcome}"

    def outcome_label(self, value: Any) -> str:
        """Say in words what a number, or the number of a class, stands for."""
        if self.classes:
            return repr(self.classes[value])
        if self.counts_classes:
            return f"{'' if value else 'not '}{self.target!r}"
        return f"{value:g}"

    def joined(self, other: KeptDesign) -> KeptDesign:
        """Return the design of the rows of both, if they are of one design.

        Raises
        ------
        InvalidOptionError
            Naming the first thing that differs.
        """
        for name in _OF_ONE_DESIGN:
            _check_same(name, getattr(self, name), getattr(other, name))
        for field in fields(DesignOptions):
            ours, theirs = (getattr(one.options, field.name) for one in (self, other))
            _check_same(field.name, ours, theirs)
        columns = dict.fromkeys((*self.columns, *other.columns))
        classes = sorted_classes(list(dict.fromkeys((*self.classes, *other.classes))))
        return replace(self.of_classes(tuple(classes)), columns=tuple(columns))

    def of_classes(self, classes: tuple[Any, ...]) -> KeptDesign:
        """Return the same design for more or fewer classes."""
        counted = self.note == note_of_classes(len(self.classes))
        note = note_of_classes(len(classes)) if counted else self.note
        return replace(self, classes=classes, note=note)

    def places(self, blocks_of: KeptDesign) -> IntArray:
        """For each block, its number in a design of other classes; -1 where there is none."""
        fold, own = self.fold_and_class
        if self.classes:
            number = {label: k for k, label in enumerate(blocks_of.classes)}
            own = np.array([number.get(label, -1) for label in self.classes])[own]
        return np.where(own < 0, -1, fold * blocks_of.n_classes + own)

    def context(self, outcome: OutcomeValues, *, scaled: bool = False) -> DesignContext:
        """Context of a design on these values of the outcome."""
        coders = self.options.coders_for(self.outcome_type)
        return DesignContext(outcome, FoldScheme(self.n_folds), self.options, coders, scaled)

    def rate(
        self, count: FloatArray, exposure: FloatArray, weight: FloatArray | None
    ) -> OutcomeRows:
        """Return an outcome of these counts and exposures."""
        mean, rate = float(np.average(exposure, weights=weight)), count / exposure
        share = exposure / mean
        return OutcomeRows(
            kind=self.outcome_type,
            name=self.outcome_name,
            note=self.note,
            y=rate,
            labels=rate,
            weight=share if weight is None else weight * share,
            exposure=Exposure(count, exposure, share, weight, self.exposure_name),
        )

    def outcome(
        self, values: NumberArray, weight: FloatArray | None, centre: float = 0.0
    ) -> OutcomeRows:
        """Return an outcome of these values, or class numbers."""
        y: NumberArray = values
        if self.classes:
            y = values.astype(np.min_scalar_type(len(self.classes)))
        elif self.counts_classes:
            y = values.astype(np.int8)
        elif self.outcome_type == "numeric":
            y = np.subtract(values, centre, dtype=np.float64)
        return OutcomeRows(
            kind=self.outcome_type,
            name=self.outcome_name,
            target=self.target,
            note=self.note,
            classes=self.classes,
            y=y,
            centre=centre,
            labels=values,
            weight=weight,
        )


def moved_sums(sums: OutcomeSums, places: IntArray, n_blocks: int) -> OutcomeSums:
    """Put sums by block in their places among other blocks; see `KeptDesign.places`."""
    kept = np.flatnonzero(places >= 0)
    return OutcomeSums.nothing(n_blocks, sums).replaced(places[kept], sums.take(kept))


def check_part(have: FloatArray, part: FloatArray, rows: Callable[[int], str]) -> None:
    """Refuse to take away more rows than there are; ``rows`` says which those of an entry are.

    Raises
    ------
    InvalidOptionError
    """
    more = np.flatnonzero(part > have * (1.0 + ROUNDING))
    if len(more):
        k = int(more[0])
        raise InvalidOptionError(
            f"{rows(k)}: there are rows of weight {have[k]:g}, from which {part[k]:g} cannot be "
            "taken away; subtract only rows that were added, under the folds and with the outcome "
            "they had then"
        )


def _check_same(name: str, ours: Any, theirs: Any) -> None:
    if ours != theirs:
        raise InvalidOptionError(
            f"the statistics do not fit together: {name} is {ours!r} in one and {theirs!r} in the "
            "other; statistics of one design can be added and subtracted"
        )
