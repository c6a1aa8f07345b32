"""text: an impact code by which levels whose texts are alike share what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.code import (
    SUPERVISED,
    CodeOptions,
    ColumnLevels,
    LevelCode,
    LevelTests,
    LevelVariables,
)
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.table_code import TableCode
from vtreat_py.coders.text_ridge import GREATEST_RATIO, LEAST_RATIO, LevelMeans, TextRidge
from vtreat_py.statistics.outcome_sums import ROUNDING, OutcomeSums

# Empirical Bayes never believes a level more than as if half a row of prior stood beside it.
_LEAST_PRIOR = 0.5
# Rates of greater log odds are 0 and 1, or nearly so, in floats.
_FARTHEST = 30.0
# Training sets at a time: there is a number for each level and one of them.
_SETS = 64


class Text(LevelCode):
    """The impact code of a level that is a text, with what similar texts say as its prior.

    A ridge regression of the means of levels on their n-grams (`NGrams`, `TextRidge`) predicts the
    mean of a level, whether it was seen or not: by the bytes of its text, by two, three and four,
    and by its words. The mean of the level's own rows is shrunk towards that, instead of towards
    the mean of all rows, as far as levels differ beyond what texts say; levels that were never seen
    have the prediction itself. So do those that ``rare_count`` pools or ``rare_sig`` suppresses:
    their own rows do not count, their text does. Missing values have no text: their prior is the
    mean of levels.

    Codes of a number are in outcome units, less the grand mean. Those of a class are log odds less
    those of all rows; its regression is one step of Fisher scoring from the rate overall, so that
    predictions are linear in log odds, and the rate in a level's own rows is averaged with the
    predicted one.

    Training sets share the directions that texts are told apart by, which rest on texts alone;
    slopes, penalty and variances are each set's own. A plan has a number for each hashed place of
    n-grams.

    Held-out error beside catN's and those of encoders of text: benchmarks/text_study.txt.
    """

    name = "text"
    outcomes = SUPERVISED
    y_aware = True
    is_table = True
    by_default = False
    # The texts that a regression was fitted to vary more by it than others do.
    most_apart = 10.0

    def made(self, column: ColumnLevels) -> LevelVariables | None:
        """Make the one variable, where all rows support it."""
        coder = _OfColumn(column)
        made = coder.made(column)
        if made is None:
            return None
        (variable,) = made.variables
        return replace(made, variables=[replace(variable, weights=coder.weights())])

    def ruled_out(self, column: ColumnLevels, n_made: int) -> int:
        """Count the variable, where it was not made although the levels are there."""
        return _OfColumn(column).ruled_out(column, n_made)

    def significance(self, tests: LevelTests) -> float | None:
        """p-value of whether the outcome differs between levels, or between kinds of texts."""
        return tests.texts()


@dataclass(frozen=True, eq=False)
class _Prior:
    """What texts say in one training set: a number, and a weight of each place, in code units."""

    ridge: TextRidge
    scale: float
    base: float

    def of_text(self, values: FloatArray) -> FloatArray:
        """Codes of texts by the sums of their weights."""
        ridge = self.ridge
        start = ridge.mean - float((ridge.centre * ridge.slopes).sum())
        return self.scale * (start + values)

    @property
    def without(self) -> float:
        """Code of what has no text."""
        return self.scale * self.ridge.mean


class _OfColumn(TableCode):
    """The code, with the texts of a column."""

    name = Text.name
    y_aware = True
    is_of_r = False

    def __init__(self, column: ColumnLevels) -> None:
        self._column = column

    def values(
        self,
        levels: PooledLevels,
        options: CodeOptions,  # noqa: ARG002 (they are those of the column)
    ) -> tuple[FloatArray, FloatArray]:
        """Code the levels, as all rows have them or as the training sets of the folds do."""
        view = levels.view
        codes, novel = np.zeros(len(view.level)), np.zeros(view.n_groups)
        for first in range(0, view.n_groups, _SETS):
            groups = np.arange(first, min(first + _SETS, view.n_groups))
            priors = self._whole if levels is self._column.pooled else self._priors(levels, groups)
            novel[groups] = [prior.without for prior in priors]
            own = np.flatnonzero((view.group >= first) & (view.group <= groups[-1]))
            codes[own] = self._believed(levels, own, first, priors)
        return codes, novel

    @cached_property
    def _whole(self) -> list[_Prior]:
        """What texts say by all rows."""
        return self._priors(self._column.pooled, np.arange(1))

    def weights(self) -> FloatArray:
        """Code of a text without n-grams by all rows, and what each place of n-grams adds."""
        (prior,) = self._whole
        features = self._column.texts()
        start = prior.of_text(np.zeros(1))
        return np.append(start, prior.scale * features.weights(prior.ridge.slopes))

    def _priors(self, levels: PooledLevels, groups: IntArray) -> list[_Prior]:
        """What texts say in some training sets."""
        features, view, is_class = self._column.texts(), levels.view, levels.likelihood.of_class
        shrinkage = self._column.options.shrinkage
        estimated = isinstance(shrinkage, str)
        if estimated:
            ratios = levels.likelihood.ratio
            ratios = np.where(
                levels.likelihood.tells, np.clip(ratios, LEAST_RATIO, GREATEST_RATIO), 0.0
            )
        else:
            rows = max(float(shrinkage), 1.0 / GREATEST_RATIO)
            ratios = np.full(view.n_groups, 1.0 / rows)
        unit, found = levels.likelihood.equal.unit, []
        for group in groups:
            mean = float(view.whole.mean[group])
            sums = view.sums_in(group).take(features.places)
            means = np.where(sums.weight > 0, (sums.mean - mean) / unit, 0.0)
            size = max(abs(mean), float(np.abs(sums.mean).max(initial=0.0))) / unit
            own = LevelMeans(sums.weight, means, _inside(sums) / unit / unit, size)
            ridge = TextRidge.fitted(features, own, float(ratios[group]), estimated=estimated)
            varies = mean * (1.0 - mean)
            scale = unit if not is_class else 1.0 / varies if varies > 0 else 0.0
            found.append(_Prior(ridge, scale, mean))
        return found

    def _believed(
        self, levels: PooledLevels, own: IntArray, first: int, priors: Sequence[_Prior]
    ) -> FloatArray:
        """Average what texts and rows of levels say, for some entries."""
        view, features = levels.view, self._column.texts()
        values = features.values(np.array([prior.ridge.slopes for prior in priors]))
        values = np.array([p.of_text(v) for p, v in zip(priors, values, strict=True)])
        values = np.column_stack([values, [prior.without for prior in priors]])
        group, level = view.group[own] - first, view.level[own]
        said = values[group, level]
        counts = ~(levels.pooled | levels.suppressed)[own]
        ratio = np.array([prior.ridge.ratio for prior in priors])[group]
        return _posterior(levels, own, said, np.where(counts, ratio, 0.0))


def _inside(sums: OutcomeSums) -> float:
    """Squares inside levels; none where all rows of each are of one class but for rounding."""
    inside = float(sums.squares.sum())
    is_rounding = sums.inner is None and inside <= ROUNDING * float(sums.weight.sum())
    return 0.0 if is_rounding else inside


def _posterior(
    levels: PooledLevels, own: IntArray, said: FloatArray, ratio: FloatArray
) -> FloatArray:
    """Codes of entries, whose texts say so much, and whose levels differ so much beside."""
    view = levels.view
    weight, total = view.entries.weight[own], view.entries.total[own]
    mean = view.whole.mean[view.group[own]]
    if not levels.likelihood.of_class:
        belief = weight * ratio / (1.0 + weight * ratio)
        return np.asarray(said + belief * (view.entries.mean[own] - mean - said))
    both = (mean > 0.0) & (mean < 1.0)
    overall = np.log(np.where(both, mean, 0.5) / np.where(both, 1.0 - mean, 0.5))
    odds = np.exp(np.clip(overall + said, -_FARTHEST, _FARTHEST))
    ratio = np.minimum(ratio, 1.0 / _LEAST_PRIOR)
    hits = odds / (1.0 + odds) + ratio * total
    misses = 1.0 / (1.0 + odds) + ratio * np.maximum(weight - total, 0.0)  # but for rounding
    return np.where(both, np.log(hits / misses) - overall, 0.0)
