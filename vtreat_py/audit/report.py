"""What an audit of a deployed plan found, to be read, drawn and acted on."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from vtreat_py.audit.columns import ColumnAudit, audit_columns
from vtreat_py.audit.counts import FrameCounts
from vtreat_py.audit.flags import adjusted, complaint, flagged
from vtreat_py.audit.html import audit_html
from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.base.checks import check_most
from vtreat_py.base.errors import DriftError, InvalidOptionError, counted, listed
from vtreat_py.base.figures import BLUE, GREY, VERMILION, axes_or_new, with_rows_named
from vtreat_py.base.warn import warn
from vtreat_py.plan.data import Plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHARES = (
    "missing_then", "missing_now", "novel_then", "novel_now", "rare_then", "rare_now", "below",
    "above", "clipped",
)  # fmt: skip
_SHOWN = ("column", "kind", "drifted", "psi", "p_adjusted")
_SHOWN_SHARES = ("missing_now", "novel_now", "below", "above")
_MOST_ROWS = 20
# Smaller indices are drawn here.
_SMALLEST = 1e-3


@dataclass(frozen=True, eq=False)
class AuditReport:
    """How the columns of a frame have moved since a plan was designed.

    Attributes
    ----------
    columns : tuple of ColumnAudit
        What was found in each treated column, in the order of the plan.
    n_rows : int
        Rows of the frame.
    weight : float
        Sum of their weights; without weights their number.
    psi, sig : float
        A column has drifted if its stability index is at least ``psi`` and its adjusted p-value at
        most ``sig``.

    See Also
    --------
    TreatmentPlan.audit : Makes one.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> may = pd.DataFrame({"town": ["Ayr", "Bath", "Cork", "Cork"] * 50, "y": range(200)})
    >>> plan = vt.design_treatments(may, outcome="y", random_state=0)
    >>> june = pd.DataFrame({"town": ["Ayr", "Bath", "Cork", "Deal"] * 50})
    >>> report = plan.audit(june)
    >>> report
    AuditReport: 1 of 1 column drifted since the design, 200 rows
    column   kind drifted  psi p_adjusted missing_now novel_now below above
      town levels    True 1.31   2.71e-15        0.0%     25.0%
    >>> report.levels("town")
      level   kind  then   now  rows_then  rows_now
    0  Cork  level  0.50  0.25      100.0      50.0
    1  Deal  novel  0.00  0.25        0.0      50.0
    2   Ayr  level  0.25  0.25       50.0      50.0
    3  Bath  level  0.25  0.25       50.0      50.0
    """

    columns: tuple[ColumnAudit, ...]
    n_rows: int
    weight: float
    psi: float
    sig: float

    @cached_property
    def drifted(self) -> BoolArray:
        """For each of ``columns``, whether it has drifted."""
        return flagged(self.columns, self.psi, self.sig)

    @cached_property
    def worst_first(self) -> IntArray:
        """Places of ``columns``: those that have drifted first, then by their index."""
        index = np.array([one.psi for one in self.columns])
        return np.lexsort((-index, ~self.drifted))

    @property
    def flagged(self) -> list[Hashable]:
        """Names of the columns that have drifted, the worst first."""
        return [one.column for one in self._drifted]

    @property
    def _drifted(self) -> list[ColumnAudit]:
        return [self.columns[i] for i in self.worst_first if self.drifted[i]]

    @property
    def frame(self) -> pd.DataFrame:
        """The report as a pandas frame: a row for each treated column, the worst first.

        Columns that have drifted come first, and among them those with the largest index. A new
        frame each time. Shares are of all rows, by weight; NaN where a number does not apply.

        column, kind
            The column, and what it holds: ``"levels"``, ``"number"``, ``"date"``, ...
        rows
            Its rows now, that is the sum of their weights.
        drifted
            Whether ``psi`` and ``p_adjusted`` both say so.
        psi
            Population stability index: how far the column has moved. See the notes.
        psi_by_chance
            What the index exceeds in 5% of frames without any drift: it is not 0, and grows with
            the number of bins and as rows become few.
        p_value
            Of the hypothesis that rows of the design and of now come from one population: whether
            the move is more than chance makes it.
        p_adjusted
            The same in view of the number of columns, by Holm's rule: where no column has drifted,
            the smallest of them is at most ``sig`` with a probability of at most ``sig``.
        missing_then, missing_now
            Share of missing values; among numbers NaN and infinite ones count as such.
        novel_then, novel_now
            Share of rows with a level that no row of the design has; then: that no other row has,
            which is what to expect of new rows (I. J. Good, "The population frequencies of species
            and the estimation of population parameters", Biometrika 40, 1953).
        rare_then, rare_now
            Share of rows with a level of the design that was too rare for an indicator: below
            ``min_fraction`` of its weight, or pooled (``rare_count``).
        below, above
            Share of rows below the smallest and above the largest number of the design.
        clipped
            Share of rows that ``collar=True`` would change; that of ``below`` and ``above`` unless
            ``collar_prob`` cut more.

        Notes
        -----
        The index of population stability is ``sum((now - then) * log(now / then))`` over bins. For
        numbers these are the bins of the design (about a tenth of its rows each), the values below
        and above all of the design, and missing values. For
        levels they are the common ones, all other levels of the design together, novel ones (as
        in ``novel_then``) and missing values; a level is common where 20 rows of it or more are to
        be expected in the smaller of the two samples. Each bin gets half a row beforehand, so that
        an empty one does not make the index infinite.

        That 0.1 to 0.25 is a moderate change and more a large one is a convention of credit
        scoring, not a theorem. It knows nothing of the number of rows: among few, chance alone gets
        there. ``psi_by_chance`` follows from the index's distribution in large samples
        (B. Yurdakul, "Statistical Properties of Population Stability Index", dissertation,
        Western Michigan University, 2018).

        The p-value is of a permutation test: rows are dealt to design and frame at random. It holds
        for levels of any number of rows, each novel one being a level like others. Numbers have
        three tests, of their bins and of how many are below and above the range; the p-value is
        three times the smallest (Bonferroni). Their bins were chosen by the design's own rows; in
        large samples that makes no difference. Among very many rows any move is significant, and
        among very few any index is large; hence drift must be both.
        """
        columns = [self.columns[i] for i in self.worst_first]

        def values(name: str) -> FloatArray:
            return np.array([getattr(one, name) for one in columns], dtype=np.float64)

        return pd.DataFrame(
            {
                "column": pd.Series([one.column for one in columns], dtype=object),
                "kind": pd.Series([one.kind for one in columns], dtype=object),
                "rows": np.full(len(columns), self.weight),
                "drifted": self.drifted[self.worst_first],
                "psi": values("psi"),
                "psi_by_chance": values("psi_by_chance"),
                "p_value": values("p_value"),
                "p_adjusted": adjusted(self.columns)[self.worst_first],
                **{name: values(name) for name in _SHARES},
            }
        )

    def levels(self, column: Hashable, most: int = _MOST_ROWS) -> pd.DataFrame:
        """Show the levels of a column then and now, those that moved most first.

        Parameters
        ----------
        column : column name
        most : int, default=20
            How many levels to show.

        Returns
        -------
        pandas.DataFrame
            A row for each level: ``level`` (None for missing values), ``kind`` (``"level"``,
            ``"missing"`` or ``"novel"``), its share ``then`` and ``now``, and the weights
            ``rows_then`` and ``rows_now``.

        Raises
        ------
        InvalidOptionError
            If there is no such column, or it holds numbers.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> may = pd.DataFrame({"town": ["Ayr", "Bath", "Cork", "Cork"] * 50, "y": range(200)})
        >>> plan = vt.design_treatments(may, outcome="y", random_state=0)
        >>> june = pd.DataFrame({"town": ["Ayr", "Bath", "Cork", "Deal"] * 50})
        >>> plan.audit(june).levels("town", most=2)[["level", "kind", "then", "now"]]
          level   kind  then   now
        0  Cork  level   0.5  0.25
        1  Deal  novel   0.0  0.25
        """
        most = check_most(most)
        one = self._column(column)
        if one.levels is None:
            raise InvalidOptionError(
                f"column {column!r} holds numbers; bins({column!r}) shows how they moved"
            )
        table = one.levels.table("level")
        n_known = len(table) - 1 - one.n_novel
        kinds = ["missing", *["level"] * n_known, *["novel"] * one.n_novel]
        table.insert(1, "kind", pd.Series(kinds, dtype=object))
        seen = table[(one.levels.then > 0) | (one.levels.now > 0)]
        moved = seen["now"].to_numpy() - seen["then"].to_numpy()
        order = np.argsort(-np.abs(moved), kind="stable")
        return seen.iloc[order[:most]].reset_index(drop=True)

    def bins(self, column: Hashable) -> pd.DataFrame:
        """Show the bins of a column then and now, and what each adds to its stability index.

        Parameters
        ----------
        column : column name

        Returns
        -------
        pandas.DataFrame
            A row for each bin: ``bin``, its share ``then`` and ``now``, the weights ``rows_then``
            and ``rows_now``, and ``psi``, which sums to the index of the column. A bin of numbers
            includes its upper end; those of the design count the rows that its histogram looked at.

        Raises
        ------
        InvalidOptionError
            If there is no such column.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> may = pd.DataFrame({"kg": range(50, 150), "y": [1, 2, 4, 3, 5] * 20})
        >>> plan = vt.design_treatments(may, outcome="y", random_state=0)
        >>> report = plan.audit(may.assign(kg=may["kg"] + 30))
        >>> report.bins("kg")[["bin", "then", "now", "psi"]].tail(3)
                   bin  then  now       psi
        10  129 to 139   0.1  0.1  0.000000
        11  139 to 149   0.1  0.1  0.000000
        12   above 149   0.0  0.3  1.168969
        """
        one = self._column(column)
        return one.bins.table("bin").assign(psi=one.bins.stability())

    def _column(self, column: Hashable) -> ColumnAudit:
        for one in self.columns:
            if one.column == column:
                return one
        names = listed([one.column for one in self.columns])
        raise InvalidOptionError(
            f"the audit has no column {column!r}; it has those that the plan treats: {names}"
        )

    @property
    def summary(self) -> str:
        """How many columns have drifted, in a few words."""
        of = f"{len(self.flagged)} of {counted(len(self.columns), 'column')}"
        return f"{of} drifted since the design"

    def plot(self, ax: Axes | None = None, *, most: int = _MOST_ROWS) -> Axes:
        """Draw the stability index of each column beside what chance alone makes.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
        most : int, default=20
            How many columns to draw.

        Returns
        -------
        matplotlib Axes
            With a row for each column, the worst on top; filled where the column has drifted. Grey
            bars reach as far as chance does in 95% of frames.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> may = pd.DataFrame({"kg": range(50, 150), "y": [1, 2, 4, 3, 5] * 20})
        >>> plan = vt.design_treatments(may, outcome="y", random_state=0)
        >>> axes = plan.audit(may.assign(kg=1_000 * may["kg"])).plot()
        >>> axes.get_title()
        '1 of 1 column drifted since the design'
        """
        worst = self.worst_first[: check_most(most)]
        columns, drifted = [self.columns[i] for i in worst], self.drifted[worst]
        place = np.arange(len(columns))
        index = np.maximum([one.psi for one in columns], _SMALLEST)
        chance = np.maximum([one.psi_by_chance for one in columns], _SMALLEST)
        limit = max(self.psi, _SMALLEST)
        ax = axes_or_new(ax, figsize=(7.0, 1.6 + 0.3 * len(columns)))
        ax.set_xscale("log")
        ax.barh(place, chance, height=0.5, color="#dddddd", label="95% of what chance makes")
        ax.axvline(limit, color=GREY, linestyle="--", linewidth=1, label=f"limit, {self.psi:g}")
        for which, colour, fill, label in (
            (drifted, VERMILION, VERMILION, "drifted"),
            (~drifted, BLUE, "white", "not drifted"),
        ):
            points = index[which], place[which]
            ax.scatter(*points, color=fill, edgecolor=colour, zorder=3, label=label)
        ax.set(xlabel="population stability index", xlim=(_SMALLEST * 0.8, None))
        names = [str(one.column) for one in columns]
        return with_rows_named(ax, names, self.summary)

    def _table(self) -> pd.DataFrame:
        """The frame as it is shown: fewer columns, rounded, empty where nothing applies."""
        frame = self.frame.head(_MOST_ROWS)
        table = frame[list(_SHOWN)].astype({"drifted": object})
        for name in ("psi", "p_adjusted"):
            table[name] = [f"{v:.3g}" for v in frame[name]]
        for name in _SHOWN_SHARES:
            table[name] = ["" if np.isnan(v) else f"{v:.1%}" for v in frame[name]]
        return table

    def _more(self) -> str:
        left = len(self.columns) - _MOST_ROWS
        return f"... {left} more in report.frame" if left > 0 else ""

    def __repr__(self) -> str:
        lines = [f"AuditReport: {self.summary}, {counted(self.n_rows, 'row')}"]
        if self.columns:
            table = self._table().to_string(index=False)
            lines += [line.rstrip() for line in table.split("\n")]
        return "\n".join(filter(None, [*lines, self._more()]))

    def _repr_html_(self) -> str:
        told, table = f"{self.summary}, {counted(self.n_rows, 'row')}", self._table()
        return audit_html(told, table, self.drifted[self.worst_first][: len(table)], self._more())


def audit_report(
    plan: Plan, counts: FrameCounts, psi: float, sig: float, on_drift: str
) -> AuditReport:
    """Judge the counts of a frame, and act on what was found; see `TreatmentPlan.audit`."""
    columns = tuple(audit_columns(plan, counts))
    report = AuditReport(columns, counts.n_rows, counts.weight, psi, sig)
    if not report.flagged or on_drift == "ignore":
        return report
    message = complaint(report._drifted, report.summary, psi, sig)
    if on_drift == "raise":
        raise DriftError(message, report)
    warn(message)
    return report
