"""A sum that forgets next to nothing of what is added, in any order and any parts."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class RunningSum:
    """A sum and what rounding took from it (T. Dekker and D. Knuth's two-sum)."""

    rounded: float = 0.0
    lost: float = 0.0

    @property
    def value(self) -> float:
        """The sum."""
        return self.rounded + self.lost

    def add(self, term: float) -> None:
        """Add one more term."""
        before, self.rounded = self.rounded, self.rounded + term
        if math.isfinite(self.rounded):
            of_term = self.rounded - before
            self.lost += (before - (self.rounded - of_term)) + (term - of_term)

    def merge(self, other: RunningSum) -> None:
        """Add all terms of another sum."""
        self.add(other.rounded)
        self.add(other.lost)
