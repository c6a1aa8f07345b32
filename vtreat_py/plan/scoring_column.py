"""What is left of a column in a plan that only treats rows."""

from __future__ import annotations

from dataclasses import dataclass

from vtreat_py.plan.treatments import Treatment


@dataclass(frozen=True)
class ScoringColumn:
    """A column without what would tell of few rows.

    Attributes
    ----------
    treatment : Treatment or None
        None where nothing is left.
    reasons : tuple of str
        Why variables were left out, but indicators of levels that are hidden.
    of_few : frozenset of str
        Variables that are 0, or 1, in few rows: their slopes and scores are those rows' outcomes.
    with_few : frozenset of str
        Variables of a column in which few rows are hidden: slopes and scores would tell theirs, as
        the rest of what all rows add up to.
    renewed : frozenset of str
        Variables for which levels never seen have another value, as theirs told of few rows.
    uncut : bool
        Whether few rows lie beyond a cut of the collar.
    """

    treatment: Treatment | None
    reasons: tuple[str, ...] = ()
    of_few: frozenset[str] = frozenset()
    with_few: frozenset[str] = frozenset()
    renewed: frozenset[str] = frozenset()
    uncut: bool = False
