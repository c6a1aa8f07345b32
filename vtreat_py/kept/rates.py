"""What kept statistics have beside of rates, so that residuals can be tested without rows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError, OutcomeError
from vtreat_py.kept.design import KeptDesign
from vtreat_py.outcome.outcome import OutcomeValues, Weighting
from vtreat_py.outcome.rates import check_rates
from vtreat_py.significance.interaction_draws import Residuals
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.rates import rate_correlation, rate_effects
from vtreat_py.significance.row_tests import sample_of
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.pair_table import PairTable


@dataclass(frozen=True, eq=False)
class RowsOfRates:
    """Counts and exposures of rows that count, and how often each does."""

    count: FloatArray
    exposure: FloatArray
    times: FloatArray

    def moments(self, group: IntArray, n_groups: int) -> Moments:
        """Moments of exposures and counts in groups of the rows."""
        return Moments.of_rows(group, n_groups, self.exposure, self.count, self.times)

    def pairs(self) -> PairTable:
        """The different pairs of exposure and count."""
        return PairTable.of_rows(self.exposure, self.count, self.times)


@dataclass(frozen=True, eq=False)
class KeptResiduals:
    """Residuals of all rows: counts less what exposures let one expect, per mean exposure.

    Attributes
    ----------
    rate : float
        Of all rows.
    mean : float
        Mean exposure.
    sample : Sample
        Residuals of the rows.
    """

    rate: float
    mean: float
    sample: Sample

    @classmethod
    def of(cls, pairs: PairTable) -> KeptResiduals:
        """Look at the pairs of exposure and count of all rows."""
        (exposure, count), weight = pairs.points(), pairs.weight
        exposed, events = float((weight * exposure).sum()), float((weight * count).sum())
        rate, mean = events / exposed, exposed / float(weight.sum())
        return cls(rate, mean, sample_of((count - rate * exposure) / mean, weight))

    @property
    def powers(self) -> OutcomePowers:
        """Their powers."""
        return OutcomePowers.of_sample(self.sample)

    def sums(self, pairs: Moments) -> OutcomeSums:
        """Residuals of groups of rows, of which moments of exposures and counts are known."""
        n, rate = pairs.weight, self.rate
        inner = pairs.yy - 2.0 * rate * pairs.xy + rate * rate * pairs.xx
        total = n * (pairs.y - rate * pairs.x)
        return OutcomeSums(n, total / self.mean, np.maximum(inner, 0.0) / self.mean**2)

    def exposures(self, pairs: Moments) -> tuple[FloatArray, FloatArray]:
        """Sums of their exposures, and of squares, in units of the mean."""
        exposed = pairs.weight * pairs.x
        return exposed / self.mean, (pairs.xx + exposed * pairs.x) / self.mean**2


def outcome_of_pairs(pairs: PairTable, design: KeptDesign) -> OutcomeValues:
    """Outcome of rows that have these pairs of exposure and count.

    Raises
    ------
    OutcomeError
        If there is no event, or the rate is the same in all rows.
    """
    (exposure, count), weight = pairs.points(), pairs.weight
    if not len(weight):
        raise OutcomeError("the statistics have no rows; a plan needs at least two")
    rate = count / exposure
    exposed, events = float((weight * exposure).sum()), float((weight * count).sum())
    check_rates(events, float(rate.min()), float(rate.max()))
    n_rows, overall = float(weight.sum()), events / exposed
    deviance = 2.0 * float((weight * xlogy(count, rate / overall)).sum())
    return OutcomeValues(
        kind=design.outcome_type,
        name=design.outcome_name,
        note=design.note,
        y=np.array([overall]),
        weight=np.array([n_rows]),
        weighting=Weighting(),
        null_deviance=deviance * n_rows / exposed,
        mean_exposure=exposed / n_rows,
    )


@dataclass(frozen=True, eq=False)
class KeptRateLevels:
    """The `LevelRows` of a categorical column of a rate, by sums.

    Attributes
    ----------
    name : hashable
    pairs : Moments
        Of exposures and counts, by level; the last is that of missing values.
    residuals : KeptResiduals
    """

    name: Hashable
    pairs: Moments
    residuals: KeptResiduals

    def level_effects(self, number: int) -> float:  # noqa: ARG002 (there is one contrast)
        """p-value of the test whether the rate differs from level to level."""
        exposed, own = self.residuals.exposures(self.pairs)
        return rate_effects(self.residuals.sums(self.pairs), exposed, own, self.residuals.powers)

    def correlation(self, number: int, values: FloatArray) -> float:  # noqa: ARG002
        """p-value of the correlation of the rate with a number for each level."""
        exposed, _ = self.residuals.exposures(self.pairs)
        apart = values - float((exposed * values).sum() / exposed.sum())
        product = float((apart * self.residuals.sums(self.pairs).total).sum())
        x = sample_of(values, self.pairs.weight)
        spread = float((exposed * apart * apart).sum())
        return rate_correlation(product, spread, x, self.residuals.sample, self.residuals.rate)

    def score_sums(self) -> OutcomeSums:
        """Rates have no normal scores."""
        raise NotImplementedError

    def spread(self) -> None:
        """Rates have no test of spread."""

    def apart(self, number: int, cell: IntArray, fitted: FloatArray, n_rows: float) -> Residuals:
        """Tests of what pairs of columns add take the rows; see `effects_beyond`."""
        raise NotImplementedError

    def effects_beyond(
        self,
        number: int,  # noqa: ARG002
        cell: IntArray,  # noqa: ARG002
        fitted: FloatArray,  # noqa: ARG002
    ) -> float:
        """Such tests take the rows."""
        raise InvalidOptionError(
            f"composites: the p-value of {self.name!r} takes the rows of a rate, which "
            "keep_statistics=True does not keep; leave one of the two out"
        )
