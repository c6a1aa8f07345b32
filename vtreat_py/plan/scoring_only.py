"""What was taken out of a plan that only treats rows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from vtreat_py.base.errors import counted


@dataclass(frozen=True)
class ScoringOnly:
    """What `TreatmentPlan.for_scoring` took out of a plan.

    Attributes
    ----------
    min_rows : int
        Levels of fewer training rows are novel.
    unscaled : tuple of str
        Variables whose slope and scores would tell the outcomes of fewer rows.
    uncut : tuple of hashable
        Columns of numbers of which fewer rows lie beyond a cut of the collar.
    renewed : tuple of str
        Codes for which levels never seen would tell the outcomes of fewer rows, and have another
        value than in the plan it was made of.
    """

    min_rows: int
    unscaled: tuple[str, ...] = ()
    uncut: tuple[Hashable, ...] = ()
    renewed: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """What it is, in a sentence or two."""
        novel = (
            f"Levels of fewer than {self.min_rows} training rows are novel, and what was seen of "
            "levels and numbers is not in it."
        )
        if not self.unscaled:
            return novel
        return (
            f"{novel} Scores of {counted(len(self.unscaled), 'variable')} are not told: rsq is 0, "
            "and sig 0 if it is recommended, else 1."
        )
