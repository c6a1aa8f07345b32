"""Several models side by side: how each does, and which differ by more than chance."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.errors import InvalidOptionError, counted, listed
from vtreat_py.base.figures import BLUE, GREY, axes_or_new, with_rows_named
from vtreat_py.evaluation._inputs import near_one
from vtreat_py.evaluation._refusals import shown
from vtreat_py.evaluation._scored_models import is_of_data_sets, read_scores
from vtreat_py.evaluation.comparison import compare_models


@dataclass(frozen=True, eq=False)
class ComparisonReport:
    """What `comparison_report` found.

    Attributes
    ----------
    performance : DataFrame
        Mean score of each model: a row for each data set and model (for each model, of one data
        set), a column for each metric.
    pairs : DataFrame
        What `compare_models` gives.
    level : float
        Of the intervals.
    alternative, adjust, margin
        As they were given.

    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py.evaluation import comparison_report
    >>> losses = pd.DataFrame({"linear": [0.3, 0.2, 0.5, 0.4, 0.6, 0.3],
    ...                        "trees": [0.2, 0.1, 0.3, 0.3, 0.4, 0.2]})
    >>> report = comparison_report(losses)
    >>> report.performance.round(3)
            score
    linear  0.383
    trees   0.250
    >>> report.pairs[["model_a", "model_b", "difference", "p"]].round(3)
      model_a model_b  difference      p
    0  linear   trees       0.133  0.031
    >>> report.plot().get_title()
    '1 pair of models'
    """

    performance: pd.DataFrame
    pairs: pd.DataFrame
    level: float
    alternative: str
    adjust: str | None
    margin: float | None

    def __repr__(self) -> str:
        tables = [table.to_string(**options) for table, options in self._tables()]
        means, of_means, differences, of_differences = self._with_headings(tables)
        return f"{means}\n{of_means}\n\n{differences}\n{of_differences}"

    def _repr_html_(self) -> str:
        tables = [table.to_html(border=0, **options) for table, options in self._tables()]
        means, of_means, differences, of_differences = self._with_headings(tables)
        return f"<p>{means}</p>{of_means}<p>{escape(differences)}</p>{of_differences}"

    def _with_headings(self, tables: list[str]) -> list[str]:
        adjusted = "not adjusted" if self.adjust is None else f"adjusted by {self.adjust!r}"
        differences = (
            f"Differences, with intervals of {self.level:g}; p is {self.alternative}, {adjusted} "
            f"for {counted(len(self.pairs), 'comparison')}"
        )
        return ["Mean scores", tables[0], differences, tables[1]]

    def _tables(self) -> list[tuple[pd.DataFrame, dict[str, Any]]]:
        figures = {"float_format": "{:.4g}".format}
        return [(self.performance, figures), (self.pairs, figures | {"index": False})]

    def plot(self, metric: Hashable = None, ax: Any = None, *, data_set: Hashable = None) -> Any:
        """Draw the difference of each two models by a metric, with its interval.

        Parameters
        ----------
        metric : hashable, default=None
            None: the first one.
        ax : matplotlib Axes or None, default=None
            None: those of a new figure.
        data_set : hashable, default=None
            Of several data sets; None: the first one.

        Returns
        -------
        matplotlib Axes
            With a row for each two models. Those that differ by more than chance, by the adjusted
            p-value, are filled.

        Raises
        ------
        InvalidOptionError
            If there is no such metric or data set.
        """
        pairs, title = self._of("metric", self.pairs, metric)
        if "data_set" in pairs:
            pairs, name = self._of("data_set", pairs, data_set)
            title = f"{title}, {name}"
        elif data_set is not None:
            raise InvalidOptionError(
                f"data_set={shown(data_set)}; the scores are of one data set, which has no name"
            )
        place, differ = np.arange(len(pairs)), (pairs["adjusted_p"] <= 1.0 - self.level).to_numpy()
        ax = axes_or_new(ax, figsize=(6.4, 1.6 + 0.32 * len(pairs)))
        if self.margin is not None:
            ax.axvspan(-self.margin, self.margin, color="0.93", zorder=0, label="equivalent")
        ax.axvline(0, color="black", linewidth=0.8)
        ax.hlines(place, *_drawn_ends(pairs), color=GREY, linewidth=2)
        for which, fill, label in (
            (differ, BLUE, "more than chance makes"),
            (~differ, "white", "not more"),
        ):
            at = pairs["difference"][which], place[which]
            ax.scatter(*at, color=fill, edgecolor=BLUE, zorder=3, label=label)
        ax.set(xlabel=f"difference of mean {title}, with its {self.level:.0%} interval")
        names = [f"{a} - {b}" for a, b in zip(pairs["model_a"], pairs["model_b"], strict=True)]
        return with_rows_named(ax, names, f"{counted(len(pairs), 'pair')} of models")

    @staticmethod
    def _of(column: str, pairs: pd.DataFrame, wanted: Hashable) -> tuple[pd.DataFrame, Hashable]:
        """Rows of one metric or data set, and its name."""
        known = pairs[column].unique().tolist()
        wanted = known[0] if wanted is None else wanted
        if wanted not in known:
            raise InvalidOptionError(f"{column}={shown(wanted)}; {listed(known)} are here")
        return pairs[pairs[column] == wanted].reset_index(drop=True), wanted


def comparison_report(
    scores: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    missing: str | float = "raise",
    alternative: Any = "two-sided",
    adjust: str | None = "holm",
    level: float = 0.95,
    margin: float | None = None,
    **options: Any,
) -> ComparisonReport:
    """Put several models side by side, over metrics and data sets, with tests of all pairs.

    Parameters
    ----------
    scores, groups, sample_weight, missing, alternative, adjust, level, margin
        As for `compare_models`.
    **options
        Further options of `compare_models`: ``n_resamples``, ``random_state``, ``n_jobs``,
        ``progress``.

    Returns
    -------
    ComparisonReport
        To be printed, drawn, or shown in a notebook.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        As `compare_models` does.

    Examples
    --------
    >>> import numpy as np
    >>> from vtreat_py.evaluation import comparison_report, ranking_metrics
    >>> random = np.random.default_rng(0)
    >>> relevance = random.integers(0, 4, 600)
    >>> scores = {"old": relevance + random.normal(size=600) * 3,
    ...           "new": relevance + random.normal(size=600)}
    >>> of_queries = ranking_metrics(relevance, scores, sizes=[20] * 30, metrics=["ndcg@10", "mrr"])
    >>> comparison_report(of_queries, random_state=0).performance.round(2)
         ndcg@10   mrr
    old     0.69  0.94
    new     0.89  1.00
    """
    pairs = compare_models(
        scores,
        groups=groups,
        sample_weight=sample_weight,
        missing=missing,
        alternative=alternative,
        adjust=adjust,
        level=level,
        margin=margin,
        **options,
    )
    means: dict[Hashable, dict[tuple[Hashable, Hashable], float]] = {}
    for scored in read_scores(scores, groups, sample_weight, missing):
        for model, values in scored.scores.items():
            scaled, exponent = near_one(values)
            mean = np.ldexp(np.average(scaled, weights=scored.weight), exponent)
            means.setdefault(scored.metric, {})[scored.data_set, model] = float(mean)
    rows = dict.fromkeys(row for of_metric in means.values() for row in of_metric)
    index = pd.MultiIndex.from_tuples(rows, names=["data_set", "model"])
    columns = {name: [of.get(row, np.nan) for row in rows] for name, of in means.items()}
    table = pd.DataFrame(columns, index=index)
    if not is_of_data_sets(scores):
        table = table.droplevel("data_set").rename_axis(index=None)
    return ComparisonReport(table, pairs, level, alternative, adjust, margin)


def _drawn_ends(pairs: pd.DataFrame) -> list[pd.Series[float]]:
    """Ends of intervals; those that are infinite go a little beyond all that is finite."""
    ends = pairs[["low", "high", "difference"]].to_numpy()
    reach = 1.15 * float(np.abs(ends[np.isfinite(ends)]).max())
    return [pairs[end].clip(-reach, reach) for end in ("low", "high")]
