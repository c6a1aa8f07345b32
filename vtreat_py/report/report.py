"""A report, as notebooks show it and as files have it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from vtreat_py.base.errors import counted


@dataclass(frozen=True)
class PlanReport:
    r"""A plan as a page; a notebook shows it.

    Attributes
    ----------
    html : str
        The page: one file, that needs nothing beside itself.
    n_columns : int
        Columns of the frame that the plan is for.

    See Also
    --------
    TreatmentPlan.report : Makes one.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> frame = pd.DataFrame({"x": ["a", "b", None, "c"] * 5, "y": [2, 3, 7, 8] * 5})
    >>> report = vt.design_treatments(frame, outcome="y", random_state=0).report()
    >>> report.html[:38]
    '<!DOCTYPE html>\n<html lang="en"><head>'
    """

    html: str = field(repr=False)
    n_columns: int

    def __repr__(self) -> str:
        return (
            f"PlanReport of {counted(self.n_columns, 'column')}; a notebook shows it, and "
            "report(path) writes it as a file"
        )

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that neither it nor the notebook is changed."""
        return (
            '<iframe title="Report of a treatment plan" sandbox="allow-scripts" '
            'style="width: 100%; height: 720px; max-height: 85vh; border: 1px solid #8884; '
            f'border-radius: 6px" srcdoc="{escape(self.html)}"></iframe>'
        )
