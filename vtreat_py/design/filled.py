"""A numeric column with its bad values filled in, for all rows and fold by fold."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, NumberArray
from vtreat_py.base.errors import FrameError, InvalidOptionError
from vtreat_py.design.context import DesignContext
from vtreat_py.design.facts import NumberFacts
from vtreat_py.statistics.coordinates import FAR
from vtreat_py.statistics.number_profile import NumberProfile
from vtreat_py.statistics.numeric_sums import NumericSums
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Folds with less variation than this share of all of it are looked at value by value.
_NEARLY_CONSTANT = 1e-9
# What rounding may change of a y-aware column, as a share of the outcome's spread.
_LOST = 1e-9


class FilledNumbers:
    """A column with its bad values filled in, as all rows say and as each fold's training rows say.

    Attributes
    ----------
    value : float
        What stands for bad values.
    range : tuple of float
        The smallest and the largest good value.
    wholes : list of NumericSums
        Sums over all rows, for each contrast.
    varies, any_bad : bool
        Whether the filled column varies, and whether there is anything to fill in.
    """

    def __init__(self, facts: NumberFacts, context: DesignContext) -> None:
        self.context, self.facts = context, facts
        self._coordinates = facts.coordinates
        self._sums = facts.sums()
        self.wholes = [sums.merged() for sums in self._sums]
        self.whole = self.wholes[0]  # for what does not depend on the outcome
        extent = facts.extent(None)
        assert extent is not None
        self.range = extent
        self.value = self._near(self._imputed_value(None))
        self.any_bad = bool(self.whole.bad.weight[0] > 0)
        self.varies = extent[0] < extent[1] or (self.any_bad and self.value != extent[0])

    @cached_property
    def profile(self) -> NumberProfile:
        """How all good values are spread."""
        return self.facts.profile(float(self.whole.bad.weight[0]))

    @cached_property
    def range_sums(self) -> list[OutcomeSums]:
        """Sums of each range of the profile, and of the bad values, for each contrast."""
        sums = self.facts.range_sums(self.profile.edges, scored=False)
        assert sums is not None  # all engines have those of the outcome itself
        return sums

    @cached_property
    def trainings(self) -> list[NumericSums]:
        """Sums over each fold's training rows, for each contrast."""
        folds, trained = self.context.folds, self.facts.training_sums()
        if trained is not None:
            return trained
        if folds.in_order:
            return [sums.all_before() for sums in self._sums]
        return [sums.all_but_own().take(slice(folds.n_folds)) for sums in self._sums]

    @property
    def training(self) -> NumericSums:
        """The same, for what does not depend on the outcome."""
        return self.trainings[0]

    def _imputed_value(self, fold: int | None) -> float:
        """What stands for bad values, learned on all rows or on a fold's training rows."""
        imputer = self.context.options.imputer(self.facts.name)
        if isinstance(imputer, int | float):
            return float(imputer)
        if imputer == "mean" and not self.context.is_survival:
            good = self.whole.good if fold is None else self.training.good
            place = 0 if fold is None else fold
            # Without a good training value nothing was learned: use the value of all rows.
            if good.weight[place] <= 0:
                return self.value
            return float(np.clip(self._coordinates.outer(good.x[place]), *self.range))
        value = self.facts.imputed(fold, imputer)
        return self.value if value is None else value

    def _near(self, value: float) -> float:
        """Refuse what lies so far from the good values that floats cannot square it."""
        if self.facts.has_bad and abs(float(self.inner(value)[0])) > FAR:
            low, high = self.range
            raise InvalidOptionError(
                f"the imputation of column {self.facts.name!r} is {value:g}, but its numbers are "
                f"{low:g} to {high:g}: squares of such a distance leave the range of floats; give "
                "a number that is not as far off"
            )
        return value

    @cached_property
    def fold_values(self) -> FloatArray:
        """What stands for bad values in each fold, and in rows that are in none."""
        n_folds = self.context.folds.n_folds
        values = np.full(n_folds + 1, self.value)
        as_r = self.context.n_classes > 0 and self.context.options.follows_r
        if self.facts.has_bad and not as_r:  # R codes by fold only what is built for a class
            learned = [self._near(self._imputed_value(k)) for k in range(n_folds)]
            values[:-1] = np.where(self.constant_in, self.value, learned)
        return values

    @cached_property
    def constant_in(self) -> BoolArray:
        """Folds whose training rows hold one value of the clean column only."""
        good, bad = self.training.good, self.training.bad
        constant = good.xx <= _NEARLY_CONSTANT * self.whole.good.xx
        for k in np.flatnonzero(constant):
            extent = self.facts.extent(int(k))
            if extent is not None:
                filled = bad.weight[k] == 0 or self._fills_with(int(k), extent[0])
                constant[k] = extent[0] == extent[1] and filled
        return np.asarray(constant)

    def _fills_with(self, fold: int, only: float) -> bool:
        """Whether bad values of a fold get the one good value that it has."""
        mean = self.context.options.imputer(self.facts.name) == "mean"
        return mean or self._imputed_value(fold) == only

    def cuts(self, fold: int | None) -> tuple[float, float]:
        """Collar cuts, learned on all rows or on a fold's training rows."""
        p = self.context.options.collar_prob
        if p == 0:
            return self.facts.extent(fold) or self.range
        cuts = self.facts.quantiles(fold, [p, 1.0 - p])
        if cuts is None:
            return self.cuts(None)
        return float(cuts[0]), float(cuts[1])

    @cached_property
    def fold_cuts(self) -> tuple[FloatArray, FloatArray]:
        """Collar cuts of each fold, and of rows that are in none."""
        folds = range(self.context.folds.n_folds)
        lower, upper = np.array([*map(self.cuts, folds), self.cuts(None)]).T.copy()
        return lower, upper

    def outer_slopes(self, slopes: FloatArray, outcome_spread: float) -> FloatArray:
        """Slopes per unit of the column, of slopes per unit of its inner coordinates.

        Raises
        ------
        FrameError
            If floats do not hold them.
        """
        unit, good = self._coordinates.unit, self.whole.good
        with np.errstate(over="ignore", invalid="ignore"):
            found = slopes / unit
            lost = np.abs(found * unit - slopes) * np.sqrt(good.xx[0])
        if not (lost <= _LOST * outcome_spread * np.sqrt(good.weight[0])).all():
            low, high = self.range
            raise FrameError(
                f"column {self.facts.name!r} holds numbers from {low:g} to {high:g}, on which the "
                "outcome's slope leaves the range of floats: give the column in another unit, "
                "leave it out with variables=, or make such numbers missing values"
            )
        return np.asarray(found)

    def inner(self, values: NumberArray | float) -> FloatArray:
        """Inner coordinates of values."""
        return self._coordinates.inner(np.atleast_1d(values))

    @property
    def inner_values(self) -> FloatArray:
        """What stands for bad values in each fold, in inner coordinates."""
        return self.inner(self.fold_values[:-1])
