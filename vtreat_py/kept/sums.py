"""Sums of a design that are kept: they merge, and forget rows."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Self

import numpy as np

from vtreat_py.base.arrays import FloatArray, NumberArray
from vtreat_py.base.errors import InvalidOptionError, OutcomeError, counted
from vtreat_py.design.context import DesignContext
from vtreat_py.kept.columns import KeptColumn, added, less
from vtreat_py.kept.design import KeptDesign, check_part, moved_sums
from vtreat_py.kept.file import read_statistics, write_statistics
from vtreat_py.kept.numbers import values_less
from vtreat_py.kept.rates import KeptResiduals, outcome_of_pairs
from vtreat_py.outcome.outcome import OutcomeValues, Weighting
from vtreat_py.plan.data import same
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by
from vtreat_py.statistics.pair_table import PairTable
from vtreat_py.statistics.value_table import ValueTable


@dataclass(frozen=True, eq=False)
class KeptSums:
    """The sums that a plan is made of; `DesignStatistics` is the same with verbs."""

    design: KeptDesign
    n_rows: int
    rows: OutcomeSums
    outcome_values: ValueTable | PairTable | None
    columns: tuple[KeptColumn, ...]

    def __add__(self, other: object) -> Self:
        if not isinstance(other, KeptSums):
            return NotImplemented
        design = self.design.joined(other.design)
        one, two = self._under(design), other._under(design)
        return replace(
            one,
            n_rows=one.n_rows + two.n_rows,
            rows=one.rows + two.rows,
            outcome_values=_added(one.outcome_values, two.outcome_values),
            columns=tuple(map(added, one.columns, two.columns)),
        )._recentred()

    def __sub__(self, other: object) -> Self:
        if not isinstance(other, KeptSums):
            return NotImplemented
        design = self.design.joined(other.design)
        if other.n_rows > self.n_rows:
            raise InvalidOptionError(
                f"there are {counted(self.n_rows, 'row')} in the statistics, from which "
                f"{other.n_rows} cannot be taken away; subtract only rows that were added"
            )
        whole, part = self._under(design), other._under(design)
        columns = map(partial(less, design=design), whole.columns, part.columns)
        values = _less(whole.outcome_values, part.outcome_values)
        left = replace(
            whole,
            n_rows=whole.n_rows - part.n_rows,
            columns=tuple(columns),
            rows=whole.rows - part.rows,
            outcome_values=values,
        )
        return left._of_classes_with_rows()._recentred()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the statistics to a file.

        Parameters
        ----------
        path : str or path
            A file to write, or to replace as a whole: who reads it meanwhile finds the old
            statistics or the new ones.

        Raises
        ------
        PlanFormatError
            If a level, a class or a column name is of a type that JSON cannot be made of, or if
            the design has an imputation function.

        Notes
        -----
        The file is a zip: ``header.json`` has the design in the words of `TreatmentPlan.to_json`,
        and the levels; the other entries are arrays of 64-bit floats and integers, the lowest byte
        first. There is no code in it. The same statistics give the same bytes.

        Examples
        --------
        >>> import os, tempfile
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"x": ["a", "b", None, "c"] * 5, "y": [2, 3, 7, 8] * 5})
        >>> plan = vt.design_treatments(frame, outcome="y", keep_statistics=True)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     plan.statistics.save(os.path.join(folder, "may.zip"))
        ...     vt.DesignStatistics.load(os.path.join(folder, "may.zip")) == plan.statistics
        True
        """
        write_statistics(path, **{f.name: getattr(self, f.name) for f in fields(self)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read statistics that `save` has written.

        Parameters
        ----------
        path : str or path

        Returns
        -------
        DesignStatistics
            Equal to those that were written.

        Raises
        ------
        PlanFormatError
            If the file is none that `save` has written, is truncated or changed, or is of a later
            format than this version knows.
        FileNotFoundError
            If there is no such file.

        Examples
        --------
        >>> import os, tempfile
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"x": ["a", "b"] * 5, "y": [0, 1, 1, 0, 1] * 2})
        >>> plan = vt.design_treatments(frame, outcome="y", random_state=0, keep_statistics=True)
        >>> path = os.path.join(tempfile.mkdtemp(), "monday.stats")
        >>> plan.statistics.save(path)
        >>> vt.DesignStatistics.load(path).plan() == plan
        True
        """
        return cls(**read_statistics(path))

    def _context(self, *, scaled: bool = False) -> DesignContext:
        """Context of a design on the statistics."""
        outcome, n_folds = self._outcome(), self.design.n_folds
        weight = sum_by(self.design.fold_and_class[0], self.rows.weight, n_folds)
        if n_folds > 1 and (weight > 0).sum() == 1:
            raise InvalidOptionError(
                f"all rows of the statistics are in fold {int(weight.argmax())}; there must be "
                "rows of other folds, by which they can be coded"
            )
        return self.design.context(outcome, scaled=scaled)

    def _outcome(self) -> OutcomeValues:
        """The different values of the outcome, with the weight of each."""
        if isinstance(self.outcome_values, PairTable):
            return outcome_of_pairs(self.outcome_values, self.design)
        weight = self._class_weights()
        values: NumberArray = np.arange(self.design.n_classes)
        if self.outcome_values is not None:
            table = self.outcome_values
            values, weight = table.points(table.cells.weight)
        present = values[weight > 0]
        if not len(present):
            raise OutcomeError("the statistics have no rows; a plan needs at least two")
        if self.design.outcome_type != "unsupervised" and len(present) < 2:
            raise OutcomeError(
                f"the outcome is {self.design.outcome_label(present[0])} in every row of the "
                "statistics; it must vary"
            )
        return self.design.outcome(values, weight, self.rows.centre).values(Weighting())

    def _check_weight_given(self, sample_weight: Any) -> None:
        """Refuse rows without weights where those in the statistics had some that are not 1."""
        pairs = self.outcome_values
        weight = pairs.weight if isinstance(pairs, PairTable) else self.rows.weight
        if sample_weight is None and (
            weight.sum() != self.n_rows or (weight != np.rint(weight)).any()
        ):
            raise InvalidOptionError(
                f"sample_weight is missing: the {counted(self.n_rows, 'row')} in the statistics "
                f"have weights, {weight.sum():g} in all; give those of these rows (1, if they "
                "have none)"
            )

    def _class_weights(self) -> FloatArray:
        return sum_by(self.design.fold_and_class[1], self.rows.weight, self.design.n_classes)

    def _under(self, design: KeptDesign) -> Self:
        """Return the same sums as part of a design, which may have other classes."""
        if design.classes == self.design.classes:
            return replace(self, design=design)
        places, n_blocks = self.design.places(design), design.n_blocks
        columns = tuple(column.moved(places, n_blocks) for column in self.columns)
        rows = moved_sums(self.rows, places, n_blocks)
        return replace(self, design=design, rows=rows, columns=columns)

    def _of_classes_with_rows(self) -> Self:
        """Leave out classes that no row is of any more."""
        classes, weight = self.design.classes, self._class_weights()
        left = tuple(label for label, of_class in zip(classes, weight, strict=False) if of_class)
        return self if left == classes else self._under(self.design.of_classes(left))

    def _recentred(self) -> Self:
        """Put the reference point of a numeric outcome where its mean is now."""
        if self.design.outcome_type != "numeric":
            return self
        whole = self.rows.merged()
        centre = whole.centre + float(whole.mean[0])
        columns = tuple(column.recentred(centre) for column in self.columns)
        return replace(self, rows=self.rows.recentred(centre), columns=columns)

    @property
    def _residuals(self) -> KeptResiduals | None:
        """Those of a rate."""
        pairs = self.outcome_values
        return KeptResiduals.of(pairs) if isinstance(pairs, PairTable) else None

    @property
    def _columns_per_row(self) -> tuple[KeptColumn, ...]:
        """The columns with weights that are, on the average, those of rows."""
        pairs = self.outcome_values
        if not isinstance(pairs, PairTable):
            return self.columns
        unit = float(pairs.weight.sum()) / float(self.rows.weight.sum())
        return tuple(column.scaled(unit) for column in self.columns)

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    __hash__ = None  # type: ignore[assignment]


Outcomes = ValueTable | PairTable | None


def _added(one: Outcomes, two: Outcomes) -> Outcomes:
    """Outcomes of all rows of two parts."""
    if isinstance(one, ValueTable) and isinstance(two, ValueTable):
        return one + two
    if isinstance(one, PairTable) and isinstance(two, PairTable):
        return one + two
    return None


def _less(whole: Outcomes, part: Outcomes) -> Outcomes:
    """Take away those of a part."""
    if isinstance(whole, ValueTable) and isinstance(part, ValueTable):
        return values_less(whole, part, lambda value, _: f"outcome {value:g}")
    if isinstance(whole, PairTable) and isinstance(part, PairTable):
        return _pairs_less(whole, part)
    return None


def _pairs_less(whole: PairTable, part: PairTable) -> PairTable:
    """Take away pairs of exposure and count, which must be there."""
    bits = min(whole.bits, part.bits)
    whole, part = whole.coarsened(bits), part.coarsened(bits)

    def of_pair(k: int) -> str:
        return f"outcome {part.second[k]:g} per {part.first[k]:g}"

    check_part(whole.weight_of(part), part.weight, of_pair)
    return whole - part
