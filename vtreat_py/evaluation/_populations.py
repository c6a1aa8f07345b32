"""Populations whose true scores are known: those that a callable draws from, and tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from vtreat_py.base.errors import OptionTypeError
from vtreat_py.evaluation._fold_scores import LabelledRows
from vtreat_py.evaluation._inputs import whole_number

Sampler: TypeAlias = Callable[[int, float, np.random.Generator], tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class SampledPopulation:
    """A population that a callable draws from; its truth is a large sample of its own."""

    sample: Sampler
    truth_size: int

    def truth(self, rate: float, rng: np.random.Generator) -> LabelledRows:
        """Draw rows on which a model's score is as good as its expected score."""
        return LabelledRows.checked(*self.sample(self.truth_size, rate, rng))


@dataclass(frozen=True, eq=False)
class FinitePopulation:
    """The rows of a table, those of each class equally likely; its truth is exact."""

    rows: LabelledRows

    def sample(self, size: int, rate: float, rng: np.random.Generator) -> tuple[Any, Any]:
        """Draw rows with replacement: the class first, then a row of the class."""
        is_positive = self.rows.y == self.rows.pos_label
        wanted = rng.random(size) < rate
        chosen = np.empty(size, dtype=np.intp)
        for value in (False, True):
            of_class = np.flatnonzero(is_positive == value)
            chosen[wanted == value] = rng.choice(of_class, int((wanted == value).sum()))
        drawn = self.rows.rows(chosen)
        return drawn.X, drawn.y

    def truth(self, rate: float, rng: np.random.Generator) -> LabelledRows:  # noqa: ARG002
        """Return the whole table, weighted to the rate."""
        is_positive = self.rows.y == self.rows.pos_label
        share = is_positive.mean()
        weight = np.where(is_positive, rate / share, (1.0 - rate) / (1.0 - share))
        return LabelledRows(self.rows.X, self.rows.y, weight, self.rows.pos_label)


Population: TypeAlias = SampledPopulation | FinitePopulation


def as_population(population: Any, truth_size: int) -> Population:
    """Read a sampler, or a pair of X and y."""
    if callable(population):
        truth_size = whole_number(truth_size, "truth_size", 1)
        return SampledPopulation(population, truth_size)
    if isinstance(population, tuple) and len(population) == 2:
        return FinitePopulation(LabelledRows.checked(*population))
    raise OptionTypeError(
        f"population is a {type(population).__name__}; a callable of size, rate and a random "
        "generator that returns X and y is wanted, or a tuple of X and y"
    )
