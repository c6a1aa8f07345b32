"""The plan with its verbs."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any, overload

import pandas as pd

from vtreat_py.api.plan_in_onnx import PlanInOnnx
from vtreat_py.api.plan_in_sql import PlanInSql
from vtreat_py.audit.flags import OnDrift, check_limits
from vtreat_py.audit.novel import novel_levels
from vtreat_py.audit.report import AuditReport, audit_report
from vtreat_py.base.errors import OptionTypeError, counted
from vtreat_py.base.files import write_text, write_whole
from vtreat_py.base.labels import check_same_rows
from vtreat_py.base.warn import warn
from vtreat_py.frames.lazy_frames import is_lazy
from vtreat_py.frames.made import n_added
from vtreat_py.kept.sums import KeptSums
from vtreat_py.memory.row_scorer import MissingKeys, Output, RowScorer
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan, check_is_whole
from vtreat_py.plan.diff import plan_diff
from vtreat_py.plan.for_scoring import for_scoring
from vtreat_py.plan.html import plan_html
from vtreat_py.plan.importance import variable_importance
from vtreat_py.plan.json import plan_from_json, plan_to_json
from vtreat_py.plan.level_effects import level_effects
from vtreat_py.plan.number_effects import number_effects
from vtreat_py.plan.pruning import SIG, PruneBy, PruneSig
from vtreat_py.report.report import PlanReport


@dataclass(frozen=True, eq=False)
class TreatmentPlan(PlanInSql, PlanInOnnx):
    """What `design_treatments` learned: data, immutable, comparable, printable.

    A plan holds no training rows. It can be compared by ``==``, printed, and pickled, alone or
    with the model that was trained on its output; `to_json` writes it as text.

    Attributes
    ----------
    outcome_type : str
        ``"numeric"``, ``"binomial"``, ``"multinomial"``, ``"rate"``, ``"survival"`` or
        ``"unsupervised"``.
    outcome_name : hashable or None
        The outcome's column, when it was given by name.
    target : object
        The positive class of a binomial outcome.
    note : str
        How outcome type and target were chosen.
    variables : tuple of hashable
        The columns the plan was designed on: input columns, and those that are made of them.
    treatments : tuple
        What was learned, one entry for each column that can be used.
    unused : tuple of (column, reason)
        Columns that nothing was derived from, which `prepare` does not need; and where a coder of
        one's own returned None, the column, whatever else was derived from it.
    derived : tuple of DerivedVariable
        The derived variables, in the order of the treated frame; ``feature_names`` has their
        names, and ``score_frame`` shows them as a table.
    options : DesignOptions
        The options of the design, by the names they have in `design_treatments`.
    n_rows : int
        Rows of the training frame.
    version : str
        Version of vtreat_py that made the plan.
    classes : tuple
        The classes of a multinomial outcome, sorted; empty for other outcomes.
    level_statistics : tuple of LevelStatistics
        Weight of each level of the categorical columns, and the outcome in it where impact codes
        were asked for; ``level_effects`` shows a column of those as a table.
    hints : tuple of (column, text)
        What a user may want to know: columns that determine the outcome, whole numbers that look
        like names (of frames in memory), text that reads as numbers or dates. A warning of the
        design says the same. Not looked at by ``==``.
    dropped : tuple of DroppedCode
        Codes that were tried and dropped: impact codes because the outcome differs between the
        levels no more than by chance, indicators because of ``rare_sig``. Each is a test that was
        made, and counts where p-values are looked at in view of their number. Empty with
        ``significance="classic"``.
    made : tuple of CalendarPart and JointColumn
        Columns that are made of others when they are read: parts of dates, each with its ``name``,
        the ``column``, what that holds (``kind``), the ``part`` and the ``zone`` of its clock; and
        columns of several, with the ``parts`` that they are made of, which are ``nested`` or not.
    weighs : bool
        Whether weights did not count rows, although those of levels look as if they did. Not looked
        at by ``==``.
    scoring : ScoringOnly or None
        What was taken out of a plan that `for_scoring` made; None: it is whole.
    privacy : DifferentialPrivacy or None
        What a private design promised; ``n_rows`` and all other numbers then have noise.
    statistics : DesignStatistics or None
        The sums that the plan was made of, where the design was told to keep them
        (``keep_statistics=True``). Not looked at by ``==``, and not written by `to_json`;
        `DesignStatistics.save` writes them. A pickled plan has them.

    See Also
    --------
    design_treatments : Makes a plan.
    prepare : Applies it.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> frame = pd.DataFrame({"z": [1, 2, 3, None] * 5, "y": [2, 3, 7, 8] * 5})
    >>> plan = vt.design_treatments(frame, outcome="y", random_state=0)
    >>> plan
    TreatmentPlan: outcome numeric, because the outcome holds numbers other than 0 and 1
    1 column -> 2 derived variables (2 recommended), designed on 20 rows
    recommended: sig below 0.5
    variable orig_variable  code   rsq      sig  recommended
           z             z clean 0.481 0.000794         True
     z_isBAD             z isBAD 0.462 0.000986         True
    """

    statistics: KeptSums | None = field(default=None, compare=False)

    def level_effects(self, column: Hashable, target: Any = None) -> pd.DataFrame:
        """Show what each level of a column does to the outcome, and how far that is believed.

        Parameters
        ----------
        column : column name
            A categorical column that the design built an impact code of, or would have built,
            had its levels differed more than chance makes them.
        target : object, default=None
            With several classes: the one that the effects are on, against all others.

        Returns
        -------
        pandas.DataFrame
            A row for each training level, for missing values and for the pool of rare levels,
            where there were any, and for levels never seen.

        Raises
        ------
        InvalidOptionError
            If the column has no level effects, or there is no such class.

        Notes
        -----
        The columns of the table:

        level
            The level, as it is in the data; None for missing values, the pool and novel levels.
        kind
            ``"level"``, ``"missing"``, ``"rare"`` (the pool) or ``"novel"``.
        count
            Its rows, that is the sum of their weights.
        mean, mean_se
            Mean of the outcome in these rows (for a class: the rate of the target), and its
            standard error: ``sqrt(within / count)``, with the variance inside levels pooled over
            levels; for a class ``sqrt(p * (1 - p) / count)``, with p the rate that ``effect``
            stands for, as raw rates of few rows are 0 and 1 too easily. NaN without rows. Of a
            design with ``groups`` the error is that of the mean less the mean of all rows, and
            here, and below, as many rows of their own as the level's are worth stand for count and
            n (`vtreat_py.statistics.grouped_levels.GroupedLevels`).
        effect
            The impact code: what `prepare` gives. In units of the outcome, log odds of a class, or
            logarithms of rates (of times to an event, of events over expected ones), relative to
            the mean (rate) over all rows; of a class with ``smoothing="mixed"``, to the mean of the
            log odds over all rows. Where an impact code was not built because levels differ no more
            than by chance, all effects are 0; where because indicators of two levels say the same,
            or because its folds disagree, they are what it would have been.
        of_parts
            Of columns of several (``composites``, ``hierarchies``): what the parts of the level
            say, that is the code of a level of these parts that was never seen. The rest of the
            effect is the level's own. ``effect_se`` and ``belief`` are of that rest, and k is the
            weight of what the parts say, taken for known.
        effect_se
            Standard deviation of what the level's effect may be, given the data. With
            ``smoothing="auto"`` or ``"mixed"`` it counts what is not known of how much levels
            differ, and around which mean: it is averaged over the variances between levels by how
            likely each is, and 86 to 97 in 100 true effects lie within 1.645 of it, from five
            levels on; most, where levels hardly differ (benchmarks/shrinkage_study.txt). Where a
            mixture was taken for the levels, it is that of the normal distribution, which is the
            larger one. With a number for ``smoothing`` (or classic tests) the prior is taken for
            known: ``sqrt(within / (n + k))`` for a number, with n the rows behind the effect and k
            the weight of the prior, in rows; for a class the standard deviation of the beta
            distribution of the rate, by the delta method: ``1 / sqrt(p * (1 - p) * (n + k + 1))``,
            where with classic tests, as in R, a number for ``smoothing`` is so many rows of each
            class, that is k of twice as many.
        belief
            ``n / (n + k)``: the share of the rows' own mean in the effect; the rest is the mean
            of the levels. k is the variance inside levels over that between them; of a class with
            ``smoothing="mixed"``, in log odds, for levels at the mean.
        pooled
            Whether effect, effect_se and belief are those of the pool of rare levels.
        suppressed
            Whether the effect is 0 because of ``rare_sig``.
        rate_ratio, rate_ratio_se
            Of rates: ``exp(effect)``, how many times the rate of all rows, and its standard error.

        With an exposure, rows and counts of rows are exposures over their mean, and ``mean`` is the
        rate; effects are logarithms of ratios of rates. Intervals of 90% by ``effect_se`` covered
        86 to 97% of levels, by exposure (``benchmarks/rates_study.txt``). Of times to an event,
        exposures are what is expected of rows.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({
        ...     "town": ["Ayr", "Bath", "Cork", None] * 6 + ["Deal"],
        ...     "price": [3, 6, 4, 5, 1, 8, 5, 2, 7, 4, 2, 7] * 2 + [9]})
        >>> plan = vt.design_treatments(frame, outcome="price", random_state=0)
        >>> effects = plan.level_effects("town")
        >>> effects[["level", "kind", "count", "mean", "mean_se"]].round(2)
          level     kind  count  mean  mean_se
        0   Ayr    level    6.0  3.67     0.86
        1  Bath    level    6.0  6.00     0.86
        2  Cork    level    6.0  3.67     0.86
        3  Deal    level    1.0  9.00     2.10
        4  None  missing    6.0  4.67     0.86
        5  None    novel    0.0   NaN      NaN
        >>> effects[["level", "effect", "effect_se", "belief"]].round(2)
          level  effect  effect_se  belief
        0   Ayr   -0.47       0.82    0.53
        1  Bath    0.75       0.86    0.53
        2  Cork   -0.47       0.82    0.53
        3  Deal    0.78       1.88    0.16
        4  None    0.05       0.76    0.53
        5  None    0.51       3.34    0.00
        """
        return level_effects(self, column, target)

    def number_effects(self, column: Hashable, target: Any = None) -> pd.DataFrame:
        """Show what the outcome was along a column of numbers, range by range.

        Parameters
        ----------
        column : column name
            A column of numbers, or of dates and times, that something was derived from.
        target : object, default=None
            With several classes: the one that the effects are on, against all others.

        Returns
        -------
        pandas.DataFrame
            A row for each of up to 18 ranges, in order, and one for missing values, where there
            were any.

        Raises
        ------
        InvalidOptionError
            If the column has no such effects, or there is no such class.

        See Also
        --------
        level_effects : The same of a categorical column.
        vtreat_py.plots.number_effect : Draws the table.

        Notes
        -----
        Nothing is fitted here: the table is what was seen of the outcome, and codes of the column
        are made, and tested, whatever it says. The columns of the table:

        low, high
            Ends of the range, as the clean copy has the column's values. It holds the values above
            ``low``, which in the first range is the smallest of all and included, and up to
            ``high``. Ranges end at the deciles; a value that is several deciles at once has a range
            to itself. NaN for missing values.
        kind
            ``"range"``, or ``"bad"`` for missing and infinite values.
        count
            Its rows, that is the sum of their weights.
        mean, mean_se
            Mean of the outcome in these rows (for a class: the rate of the target), and its
            standard error: ``sqrt(within / (count - 1))``, with the variance of the outcome in the
            range, NaN for one row; for a class ``sqrt(p * (1 - p) / count)``, with p the rate after
            one row more that is like all rows, as raw rates of few rows are 0 and 1 too easily.
        effect
            For a number ``mean`` less the mean of all rows. For a class the log odds of p less
            those of the rate of all rows.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"kg": [1, 2, 2, 3, 5, None] * 4, "price": range(24)})
        >>> plan = vt.design_treatments(frame, outcome="price", random_state=0)
        >>> plan.number_effects("kg").round(2)
           low  high   kind  count  mean  mean_se  effect
        0  1.0   1.0  range    4.0   9.0     3.87    -2.5
        1  1.0   2.0  range    8.0  10.5     2.54    -1.0
        2  2.0   3.0  range    4.0  12.0     3.87     0.5
        3  3.0   5.0  range    4.0  13.0     3.87     1.5
        4  NaN   NaN    bad    4.0  14.0     3.87     2.5
        """
        return number_effects(self, column, target)

    def variable_importance(self) -> pd.DataFrame:
        """Show how much each column says of the outcome, by the best of its codes.

        Returns
        -------
        pandas.DataFrame
            A row for each of ``plan.variables``, those that say most first; see
            `vtreat_py.variable_importance`, which makes it of a frame.

        Raises
        ------
        InvalidOptionError
            If the plan has no outcome.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"z": [1, 2, 3, None] * 5, "w": [5, 1, 4, 2, 3] * 4,
        ...                       "y": [2, 3, 7, 8] * 5})
        >>> plan = vt.design_treatments(frame, outcome="y", random_state=0)
        >>> plan.variable_importance().round(2)
          variable   rsq  sig  count
        0        z  0.48  0.0      2
        1        w  0.00  1.0      1
        """
        return variable_importance(self)

    @overload
    def to_json(self, path: None = None) -> str: ...

    @overload
    def to_json(self, path: str | os.PathLike[str]) -> None: ...

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write the plan as JSON: everything that it holds, exactly, without any code.

        Parameters
        ----------
        path : str or path, default=None
            A file to write, or to replace as a whole: who reads it meanwhile finds the old plan
            or the new one. One whose name ends with ``.gz`` is compressed. None: the text is
            returned.

        Returns
        -------
        str or None
            The text, in ASCII; None where a file was written. The same plan gives the same text
            in every process.

        Raises
        ------
        PlanFormatError
            If a level, a class or a column name is of a type that JSON cannot be made of, such
            as one of the user's own.

        See Also
        --------
        TreatmentPlan.from_json : The way back.

        Notes
        -----
        ``vignettes/guide/plan_json.md`` describes the format field by field. Floats are the
        shortest decimals that read as the same float. Levels keep their type and code points. An
        imputation function is written by its name: the numbers it gave are in the plan, and
        `prepare` needs no more.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"x": ["a", "b", None, "c"] * 5, "y": [2, 3, 7, 8] * 5})
        >>> plan = vt.design_treatments(frame, outcome="y", random_state=0)
        >>> text = plan.to_json()
        >>> text[:59]
        '{"format": "vtreat_py plan", "format_version": 1, "version"'
        >>> vt.TreatmentPlan.from_json(text) == plan
        True
        """
        text = plan_to_json(self)
        if path is None:
            return text
        write_text(path, f"{text}\n")
        return None

    @classmethod
    def from_json(cls, text_or_path: str | os.PathLike[str]) -> TreatmentPlan:
        """Read a plan that `to_json` has written.

        Parameters
        ----------
        text_or_path : str or path
            The text, which starts with a brace, or the path of a file, compressed by gzip or not.

        Returns
        -------
        TreatmentPlan
            Equal to the one that was written. Imputation functions are there by name only: a plan
            with them prepares as before, but its options cannot make another design.

        Raises
        ------
        PlanFormatError
            If it is no JSON, no plan, of a later format than this version knows, or if a field is
            missing, of the wrong type, or at odds with others; the field is named by its path.
        FileNotFoundError
            If there is no such file.

        Examples
        --------
        >>> import os, tempfile
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"x": ["a", "b", None, "c"] * 5, "y": [2, 3, 7, 8] * 5})
        >>> plan = vt.design_treatments(frame, outcome="y", random_state=0)
        >>> path = os.path.join(tempfile.mkdtemp(), "plan.json.gz")
        >>> plan.to_json(path)
        >>> vt.TreatmentPlan.from_json(path) == plan
        True
        """
        return cls(**plan_from_json(text_or_path))

    def diff(self, other: TreatmentPlan) -> pd.DataFrame:
        """Show what differs between two plans, such as those of two months.

        Parameters
        ----------
        other : TreatmentPlan

        Returns
        -------
        pandas.DataFrame
            A row for each difference: ``where`` it is, and what ``self`` and ``other`` have there.
            Without rows when the plans are equal. First come the outcome and the options, then
            columns in order, and in a column: its numbers, its variables, levels that came or
            went, and the counts and codes of levels, those that moved most first.

        Raises
        ------
        OptionTypeError
            If ``other`` is no plan.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> may = pd.DataFrame({"x": ["a", "b", "c", "a"] * 5, "y": [2, 3, 7, 1] * 5})
        >>> june = may.replace({"x": {"c": "d"}})
        >>> plans = [vt.design_treatments(f, outcome="y", coders=["catP"]) for f in (may, june)]
        >>> plans[0].diff(plans[1])
                              where     self    other
        0  columns['x'].levels['c']  present   absent
        1  columns['x'].levels['d']   absent  present
        """
        return plan_diff(self, other)

    def audit(
        self,
        frame: Any,
        *,
        sample_weight: Any = None,
        psi: float = 0.25,
        sig: float = 0.01,
        on_drift: OnDrift = "ignore",
    ) -> AuditReport:
        """Compare a frame, such as one to be scored, with the rows of the design.

        Nothing is fitted, and nothing that `prepare` gives changes.

        Parameters
        ----------
        frame : pandas, polars or pyarrow data frame, or array, of n rows
            Read as `prepare` reads it: it must have all treated columns.
        sample_weight : column name or array of shape (n,), default=None
            Frequency weights, 0 or more: weight 2 counts as two equal rows. The p-values believe
            that: weights that sum to 1 are one row. Of rates, the exposures: shares of the design
            are of exposure, so that shares of rows would seem to have moved, with a warning. Which
            move is large is told rightly then; p-values take exposures for rows, and are small too
            often.
        psi : float, default=0.25
            The population stability index from which on a move is large.
        sig : float, default=0.01
            The p-value, adjusted for the number of columns, up to which a move is not by chance. A
            column has drifted when its move is large and not by chance.
        on_drift : {"ignore", "warn", "raise"}, default="ignore"
            What to do if a column has drifted, beside the report.

        Returns
        -------
        AuditReport
            For each treated column the share of missing values, novel and rare levels and numbers
            out of range, the stability index and a test.

        Raises
        ------
        DriftError
            If a column has drifted and ``on_drift`` is "raise"; its ``report`` has the numbers.
        SchemaError
            If columns are missing (all are named), or hold another type than at design.
        FrameError, OutcomeError
            If there are no rows, or the weights cannot be used.
        InvalidOptionError, OptionTypeError
            If an option cannot be used.

        See Also
        --------
        AuditReport : What its numbers mean; its ``frame``, ``levels``, ``bins`` and ``plot``.
        diff : Compares two plans.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> may = pd.DataFrame({"kg": range(50, 100), "y": [1, 2, 4, 3, 5] * 10})
        >>> plan = vt.design_treatments(may, outcome="y", random_state=0)
        >>> plan.audit(may).flagged
        []
        >>> report = plan.audit(may.assign(kg=1_000 * may["kg"]))
        >>> report.flagged, float(report.frame["above"].iloc[0])
        (['kg'], 1.0)
        """
        check_is_whole(self, "an audit compares with what was seen of levels and numbers, which")
        limits = check_limits(psi, sig, on_drift)
        check_same_rows({"frame": frame, "sample_weight": sample_weight})
        if self.outcome_type == "rate" and sample_weight is None:
            warn(
                "what the design of a rate saw are shares of exposure, and these are shares of "
                "rows, which may seem to have drifted: give the exposure of the rows as "
                "sample_weight"
            )
        if is_lazy(frame):
            from vtreat_py.lazy.audit import count_lazy as count
        else:
            from vtreat_py.memory.audit import count_frame as count
        return audit_report(self, count(self, frame, sample_weight), *limits)

    def mark_rows(self, frame: Any) -> pd.DataFrame:
        """Mark which rows of a frame hold what the design has not seen, and where.

        `audit` says how many they are and whether that is too many; this shows which.

        Parameters
        ----------
        frame : pandas, polars or pyarrow data frame, or array, of n rows
            Read as `prepare` reads it: it must have all treated columns.

        Returns
        -------
        pandas.DataFrame
            A row for each row, with its index if the frame is of pandas, and a column for each
            treated one: ``"missing"`` for missing values, NaN and infinite numbers, ``"novel"`` for
            a level that no row of the design had, ``"below"`` and ``"above"`` for numbers that are
            smaller and larger than all of the design, and empty text for the others.

        Raises
        ------
        SchemaError
            If columns are missing (all are named), or hold another type than at design.
        OptionTypeError
            If the frame is lazy.

        See Also
        --------
        audit : Shares of such rows, and tests.
        novel_levels : The levels themselves.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> may = pd.DataFrame({"town": ["Ayr", "Bath"] * 10, "kg": range(20), "y": [1, 5] * 10})
        >>> plan = vt.design_treatments(may, outcome="y", random_state=0)
        >>> june = pd.DataFrame({"town": ["Ayr", "Deal", None], "kg": [9, -1, 99]})
        >>> marks = plan.mark_rows(june)
        >>> marks[(marks != "").any(axis=1)]
              town     kg
        1    novel  below
        2  missing  above
        """
        check_is_whole(self, "mark_rows compares with the numbers that were seen, which")
        if is_lazy(frame):
            raise OptionTypeError("frame is lazy, and has no rows to mark; collect some of them")
        from vtreat_py.memory.marked_rows import marked_rows

        return marked_rows(self, frame)

    def novel_levels(self, frame: Any, *, sample_weight: Any = None) -> pd.DataFrame:
        """List the levels of a frame that no row of the design had.

        Parameters
        ----------
        frame : pandas, polars or pyarrow data frame, or array, of n rows, or a lazy frame
            Read as `prepare` reads it: it must have all categorical columns that are treated. On a
            lazy frame it is one query a column.
        sample_weight : column name or array of shape (n,), default=None
            Weights of the rows, 0 or more; on a lazy frame the name of a column.

        Returns
        -------
        pandas.DataFrame
            A row for each such level, those of most weight first in each column: ``column``;
            ``level``, as it is in the data; ``rows``, how many have it; and ``weight``, the sum of
            their weights, which without weights is their number. Without rows where there are none.

        Raises
        ------
        SchemaError
            If columns are missing (all are named), or hold another type than at design.
        OutcomeError, OptionTypeError
            If the weights cannot be used.

        See Also
        --------
        audit : Says whether they are more than was to be expected.

        Notes
        -----
        What a level is, the plan says: texts of ``missing_values`` are missing, numbers of
        ``categorical`` columns are levels. Missing values are a level (None) like others: they are
        listed if the design saw none in that column. So are levels that only rows of weight 0 had
        there. Levels that were pooled or suppressed (``rare_count``, ``rare_sig``) are not new.
        Columns that the plan does not use are not looked at, nor are numbers.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> may = pd.DataFrame({"town": ["Ayr", "Bath", "Cork", "Bath"] * 5, "y": range(20)})
        >>> plan = vt.design_treatments(may, outcome="y", random_state=0)
        >>> june = pd.DataFrame({"town": ["Bath", "Deal", None, "Ely", "Deal"]})
        >>> plan.novel_levels(june)
          column level  rows  weight
        0   town  Deal     2     2.0
        1   town   Ely     1     1.0
        2   town  None     1     1.0
        """
        check_same_rows({"frame": frame, "sample_weight": sample_weight})
        if is_lazy(frame):
            from vtreat_py.lazy.audit import tally_lazy as tally
        else:
            from vtreat_py.memory.audit import tally_frame as tally
        return novel_levels(self, tally(self, frame, sample_weight))

    def row_scorer(
        self,
        *,
        output: Output = "dict",
        missing_keys: MissingKeys = "raise",
        prune_sig: PruneSig = None,
        prune_by: PruneBy = SIG,
        scale: bool = False,
        collar: bool = False,
        variables: Iterable[str] | None = None,
        coders: Iterable[str] | None = None,
    ) -> RowScorer:
        """Make a function that treats one row at a time, in microseconds.

        For a service that scores what comes in, one by one: `prepare` takes a frame, which costs
        more than the row. What it gives is what `prepare` gives, to the bit.

        Parameters
        ----------
        output : {"dict", "tuple", "array"}, default="dict"
            What comes back: a dict from names to numbers, or the numbers alone, in the order of
            ``names``.
        missing_keys : {"raise", "missing"}, default="raise"
            What it means if a row lacks a column: an error, or a missing value.
        prune_sig, prune_by, scale, collar, variables, coders
            As for `prepare`.

        Returns
        -------
        RowScorer
            To be called with a mapping from column names to values, or with an iterable of those.
            Its ``names`` are those of the variables. Threads may share it, and it can be pickled.

        Raises
        ------
        InvalidOptionError
            If an option is none of those named.

        Notes
        -----
        Values of Python's own types (str, int, float, bool, date, datetime), None and NaN are
        looked up, or counted with, at once. Others, columns that are made of several
        (``composites``, ``hierarchies``), and levels never seen of ``text`` codes go the way of a
        frame of one row, which takes up to a millisecond for each.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({
        ...     "town": ["Ayr", "Ayr", "Cork", None] * 10,
        ...     "size": [1.0, None, 3.0, 4.0, 5.0] * 8, "price": [3, 6, 4, 5, 1, 8, 5, 2] * 5})
        >>> plan = vt.design_treatments(frame, outcome="price", random_state=0)
        >>> score = plan.row_scorer(coders=["clean", "isBAD", "catP"])
        >>> score({"town": "Ayr", "size": None})
        {'town_catP': 0.5, 'size': 3.25, 'size_isBAD': 1.0}
        >>> plan.row_scorer(output="tuple", coders=["clean"])([{"size": 2.0}, {"size": 7.0}])
        [(2.0,), (7.0,)]
        """
        choice = Choice.of(self, prune_sig, prune_by, scale, collar, variables, coders)
        return RowScorer(self, choice, output, missing_keys)

    def for_scoring(self, *, min_rows: int = 10) -> TreatmentPlan:
        """Make a plan that treats rows as this one does, and tells nothing of few of them.

        To be handed on to those who only score: in none of its forms (pickle, JSON, SQL, report)
        is there a level of fewer than ``min_rows`` rows, nor what was seen of levels and numbers.

        Parameters
        ----------
        min_rows : int, default=10
            Levels of fewer training rows are novel: `prepare` takes them for levels never seen. So
            are missing values, in columns of categories where fewer rows had one.

        Returns
        -------
        TreatmentPlan
            Its variables are those of this plan, with the same names and, on all rows of the levels
            that stay, the same values to the bit; but for those that are left out:

            * indicators of levels that are hidden,
            * codes that are made of single rows: ``catQ``, shapes, coders of one's own; and
              ``text``, where levels are hidden. A warning names them, and ``unused`` says why,
            * with several classes, codes of those of fewer rows, which are not named.

        Raises
        ------
        InvalidOptionError
            If ``min_rows`` is no whole number from 1 on; if the design had weights that do not
            count rows; if this is a plan for scoring already; if fewer than two classes of the
            outcome have so many rows, or the plan does not know how many they have.

        See Also
        --------
        TreatmentPlan.to_sql : The query of such a plan has no more in it than the plan.

        Notes
        -----
        What is in the plan, and what is not:

        * There are no counts and means of levels (``level_statistics``), no outcome by range, no
          smallest and largest numbers and no histogram, no marks of rows, no hints (they quote
          levels). So ``audit``, ``mark_rows``, ``level_effects`` and ``number_effects`` refuse:
          use this plan for those.
        * Codes of levels never seen: by default these are coded as levels of one row are. Where
          there are so few of those, or of rows in the pool of ``rare_count``, that the code would
          tell of them, it is 0 in place of it. So is a deviation code (``catD``) that is the one of
          a hidden level: it is then the largest of those that stay. ``plan.scoring.renewed`` names
          these variables; nothing else of them changes.
        * Slopes and scores that would tell the outcomes of fewer rows are not there: of all
          variables of a column whose hidden rows are fewer in all (what all rows add up to, less
          what levels that are told of add up to, is theirs), and of marks and numbers that have one
          value in all but fewer rows. ``plan.scoring.unscaled`` names these; ``scale=True`` refuses
          them, ``rsq`` is 0, and ``sig`` is 0 where the variable was recommended, else 1; 1 for
          marks. All others are recommended, and pruned, as before, but that adjusted p-values
          may move a little.
        * Cuts of the collar that fewer rows lie beyond are not there; ``collar=True`` refuses them.
        * What remains are numbers that rest on ``min_rows`` rows or more: codes and shares of
          levels, slopes, means, scores; the number of rows. A median, and in columns of
          ``composites`` the eighths of numbers, are numbers of rows.
        * It is a rule of thumb: such numbers can be told apart. Where few rows are hidden in a
          column in all, as a warning says, what their outcomes add up to follows from the codes and
          shares of the other levels; and columns of which one has but few rows less than the other
          (``composites`` and their parts) tell of these. Only noise keeps single rows (`privacy=`
          of a design, `DifferentialPrivacy`).

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({
        ...     "town": ["Ayr", "Bath", "Cork"] * 20 + ["Deal", "Ely", "Hull", "Looe", "Rye"],
        ...     "debt": [1.0, 4.0, 2.0] * 20 + [77.7, 3.0, 1.0, 2.0, 5.0]})
        >>> plan = vt.design_treatments(frame, outcome="debt", random_state=0)
        >>> scoring = plan.for_scoring(min_rows=5)
        >>> "Deal" in plan.to_json(), "Deal" in scoring.to_json(), "77.7" in scoring.to_json()
        (True, False, False)
        >>> rows = pd.DataFrame({"town": ["Ayr", "Deal", "Oslo"]})
        >>> vt.prepare(scoring, rows)["town_lev_x_Ayr"].tolist()
        [1.0, 0.0, 0.0]
        """
        return with_verbs(for_scoring(self, min_rows))

    @overload
    def report(self, path: None = None) -> PlanReport: ...

    @overload
    def report(self, path: str | os.PathLike[str]) -> None: ...

    def report(self, path: str | os.PathLike[str] | None = None) -> PlanReport | None:
        """Show the plan as a page to look at: one file, that needs no network and no server.

        It shows sizes, outcome, hints and scores, and a list of the columns that can be searched
        and sorted. Each folds out: how its values are spread, how the outcome goes with them, what
        was made of it, and why that is recommended or not.

        Parameters
        ----------
        path : str or path, default=None
            An HTML file to write, or to replace as a whole. None: the report is returned.

        Returns
        -------
        PlanReport or None
            What notebooks show, with the page as ``html``; None where a file was written. The same
            plan gives the same page in every process.

        See Also
        --------
        score_frame, level_effects, variable_importance : The numbers as tables.

        Notes
        -----
        All of it comes from the plan, which holds no rows: levels with many rows are in it by name,
        so that the page is to be kept as the plan is. Of very many levels or variables the page
        shows the most common, or the most telling, and says how many more there are.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"x": ["a", "b", None, "c"] * 5, "y": [2, 3, 7, 8] * 5})
        >>> plan = vt.design_treatments(frame, outcome="y", random_state=0)
        >>> plan.report()
        PlanReport of 1 column; a notebook shows it, and report(path) writes it as a file
        """
        from vtreat_py.report.page import plan_page

        page = plan_page(self)
        if path is None:
            return PlanReport(page, len(self.variables) - n_added(self.made))
        write_whole(path, page.encode())
        return None

    def __repr__(self) -> str:
        lines = [
            f"TreatmentPlan: outcome {self.note}",
            f"{counted(len(self.variables) - n_added(self.made), 'column')} -> "
            f"{counted(len(self.derived), 'derived variable')} "
            f"({sum(self.recommended)} recommended), designed on {self.n_rows} rows",
        ]
        if self.scoring is not None:
            lines.append(f"for scoring: {self.scoring.told[0].lower()}{self.scoring.told[1:-1]}")
        if self.privacy is not None:
            lines.append(f"private: {self.privacy.told[0].lower()}{self.privacy.told[1:-1]}")
        if limits := self.limits:
            lines.append(f"recommended: sig below {limits}")
        lines += [f"not used: {column!r}, {reason}" for column, reason in self.unused[:10]]
        if len(self.unused) > 10:
            lines.append(f"not used: {len(self.unused) - 10} more columns")
        lines += [f"hint: {column!r} {hint}" for column, hint in self.hints[:10]]
        if self.derived:
            shown = self._score_table.sort_values("sig", kind="stable").head(12)
            columns = ["variable", "orig_variable", "code", "rsq", "sig", "recommended"]
            table = shown[[*columns, "outcome_target"] if self.classes else columns]
            lines.append(table.to_string(index=False, float_format=lambda x: f"{x:.3g}"))
        if len(self._scored) > 12:
            lines.append(f"... {len(self._scored) - 12} more in plan.score_frame")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return plan_html(self)


def with_verbs(plan: Plan, statistics: KeptSums | None = None) -> TreatmentPlan:
    """Make the plan that users get of what was learned."""
    held = {f.name: getattr(plan, f.name) for f in fields(Plan)}
    return TreatmentPlan(**held, statistics=statistics)
