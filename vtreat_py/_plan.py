"""The plan: everything that was learned, as data."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pandas as pd

from vtreat_py._audit_counts import count_frame
from vtreat_py._audit_report import AuditReport, audit_report, check_limits
from vtreat_py._column_treatment import DerivedVariable, OutcomeScore, Treatment
from vtreat_py._errors import InvalidOptionError, OptionTypeError, counted
from vtreat_py._html import plan_html
from vtreat_py._level_effects import LevelStatistics, level_effects
from vtreat_py._levels import Levels
from vtreat_py._options import (
    DesignOptions,
    NamedFunction,
    check_coders,
    check_number,
    function_name,
)
from vtreat_py._plan_diff import plan_diff
from vtreat_py._plan_file import write_whole
from vtreat_py._plan_json import plan_from_json, plan_to_json
from vtreat_py._pruning import SIG, adjusted, check_pruning
from vtreat_py._typing import FloatArray

if TYPE_CHECKING:  # statistics make plans, and engines apply them
    from vtreat_py._kept_statistics import DesignStatistics
    from vtreat_py.engines.sql.check import SqlCheck


@dataclass(frozen=True, eq=False)
class TreatmentPlan:
    """What `design_treatments` learned: data, immutable, comparable, printable.

    A plan holds no training rows. It can be compared by ``==``, printed, and pickled, alone or
    with the model that was trained on its output; `to_json` writes it as text.

    Attributes
    ----------
    outcome_type : str
        ``"numeric"``, ``"binomial"``, ``"multinomial"`` or ``"unsupervised"``.
    outcome_name : hashable or None
        The outcome's column, when it was given by name.
    target : object
        The positive class of a binomial outcome.
    note : str
        How outcome type and target were chosen.
    variables : tuple of hashable
        The input columns the plan was designed on.
    treatments : tuple
        What was learned, one entry for each column that can be used.
    unused : tuple of (column, reason)
        Columns that nothing was derived from. `prepare` does not need them.
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
    variable orig_variable  code   rsq      sig  recommended
           z             z clean 0.481 0.000699         True
     z_isBAD             z isBAD 0.462 0.000986         True
    """

    outcome_type: str
    outcome_name: Hashable | None
    target: Any
    note: str
    variables: tuple[Hashable, ...]
    treatments: tuple[Treatment, ...]
    unused: tuple[tuple[Hashable, str], ...]
    derived: tuple[DerivedVariable, ...]
    options: DesignOptions
    n_rows: int
    version: str
    classes: tuple[Any, ...] = ()
    level_statistics: tuple[LevelStatistics, ...] = ()
    statistics: DesignStatistics | None = field(default=None, compare=False)

    @property
    def feature_names(self) -> list[str]:
        """Names of all derived variables, in the order of the treated frame."""
        return [v.name for v in self.derived]

    @cached_property
    def _scored(self) -> list[tuple[DerivedVariable, OutcomeScore]]:
        """The rows of the score frame: what classes share, class by class, then the others."""
        shared = [v for v in self.derived if v.target is None]
        own = [(v, score) for v in self.derived if v.target is not None for score in v.scores]
        return [(v, v.scores[k]) for k in range(max(len(self.classes), 1)) for v in shared] + own

    @cached_property
    def _thresholds(self) -> list[float]:
        """For each row of the score frame, 1 / (number of codes x rows of its code).

        Each kind of code gets an equal share of one expected false inclusion.
        """
        codes = [v.code for v, _ in self._scored]
        count = Counter(codes)
        return [1.0 / (len(count) * count[code]) for code in codes]

    @cached_property
    def _passed(self) -> list[bool]:
        """For each row of the score frame, whether its p-value is below its threshold."""
        if self.outcome_type == "unsupervised":
            return [True] * len(self._scored)
        rows = zip(self._scored, self._thresholds, strict=True)
        return [score.sig < threshold for (_, score), threshold in rows]

    @cached_property
    def _adjusted(self) -> dict[str, FloatArray]:
        """By column, the p-value of each row of the score frame in view of their number."""
        return adjusted([score.sig for _, score in self._scored])

    @property
    def recommended(self) -> list[bool]:
        """For each derived variable, whether it is recommended (for at least one class)."""
        return self._with_any(self._passed)

    def _with_any(self, passed: Iterable[bool]) -> list[bool]:
        """For each derived variable, whether a row of it in the score frame has passed."""
        rows = zip(self._scored, passed, strict=True)
        names = {variable.name for (variable, _), one in rows if one}
        return [v.name in names for v in self.derived]

    @property
    def score_frame(self) -> pd.DataFrame:
        """The derived variables and their scores, as a pandas frame of a row each.

        A new frame each time; changing it does not change the plan. Its columns:

        variable
            Name of the derived variable, a column of the treated frame.
        orig_variable
            The column it comes from.
        code
            What it is: ``clean``, ``isBAD``, ``lev``, ``catP``, ``catB``, ``catN``, ``catD``.
        level
            The level that an indicator marks, as it is in the data; None for the missing level,
            the pool of rare levels and all other codes.
        varies
            True: variables that do not vary are not made.
        rsq, sig
            Of a regression of the outcome on this variable alone: the share of variance (of
            deviance, for classes) that it explains, and the p-value. Without outcome 0 and 1.
        sig_fdr, sig_fwer
            ``sig`` adjusted for the number of rows of this table: by Benjamini and Hochberg [1]_
            and by Holm [2]_. See the notes.
        needs_split
            Whether rows must be coded out of fold; ``rsq`` and ``sig`` are then those of the
            cross-frame.
        extra_model_degrees
            Degrees of freedom that building it has spent: the number of levels less one.
        default_threshold
            1 / (number of different codes x rows of the same code): if all variables were noise,
            one would be expected to score below its threshold.
        recommended
            Whether ``sig`` is below that threshold; always, without outcome. The treatments
            return these variables only, unless told otherwise (``prune_sig``).
        outcome_target
            With several classes only: the class that the scores are for, against all others.
            A variable has a row for each class it is scored for; codes that are built once for
            each class are scored for their own.

        See Also
        --------
        prepare : Its options ``prune_sig`` and ``prune_by`` select variables by these columns.

        Notes
        -----
        With many variables some noise has a small ``sig``: of 1,000 noise variables about 50 are
        below 0.05. Three rules reckon with that:

        * ``recommended`` bounds a number: at most one noise variable is expected to pass, however
          many there are. For a model that stands a little noise, and by default.
        * ``sig_fdr <= q`` bounds a share, the false discovery rate: of the rows that pass, a share
          of at most q is expected to be noise. For many columns of which many matter: where more
          is found, more noise is let in beside it. (A row is a variable; with several classes it
          is a variable and a class.)
        * ``sig_fwer <= a`` bounds a probability, the family-wise error: that even one noise
          variable passes has a probability of at most a. Where each variable is a claim that must
          stand by itself.

        The second bound is proven for p-values that are independent or positively dependent; those
        of codes of one column rise and fall together, which is of the latter kind. The third holds
        for any dependence. All of them hold only as far as the p-values do: they must call noise
        significant as often as they say (see ``significance`` of `design_treatments`).

        References
        ----------
        .. [1] Y. Benjamini and Y. Hochberg (1995). "Controlling the False Discovery Rate: A
           Practical and Powerful Approach to Multiple Testing". Journal of the Royal Statistical
           Society, Series B, 57(1), 289-300.
        .. [2] S. Holm (1979). "A Simple Sequentially Rejective Multiple Test Procedure".
           Scandinavian Journal of Statistics, 6(2), 65-70.
        """
        frame = self._score_table
        for place, column in enumerate(self._adjusted, start=list(frame).index(SIG) + 1):
            frame.insert(place, column, self._adjusted[column])
        return frame

    @property
    def _score_table(self) -> pd.DataFrame:
        """The score frame without adjusted p-values, for those who do not look at them."""
        variables = [v for v, _ in self._scored]
        scores = [score for _, score in self._scored]
        frame = pd.DataFrame(
            {
                "variable": _objects(v.name for v in variables),
                "orig_variable": _objects(v.orig_variable for v in variables),
                "code": _objects(v.code for v in variables),
                "level": _objects(v.level for v in variables),
                "varies": np.ones(len(variables), dtype=bool),
                "rsq": np.array([score.rsq for score in scores], dtype=float),
                "sig": np.array([score.sig for score in scores], dtype=float),
                "needs_split": np.array([v.needs_split for v in variables], dtype=bool),
                "extra_model_degrees": np.array(
                    [v.extra_model_degrees for v in variables], dtype=float
                ),
                "default_threshold": np.array(self._thresholds, dtype=float),
                "recommended": np.array(self._passed, dtype=bool),
            }
        )
        if self.classes:
            frame["outcome_target"] = _objects(score.target for score in scores)
        return frame

    def level_effects(self, column: Hashable, target: Any = None) -> pd.DataFrame:
        """Show what each level of a column does to the outcome, and how far that is believed.

        Parameters
        ----------
        column : column name
            A categorical column that the design built an impact code of, or would have built,
            had its levels differed more than chance makes them.
        target : object
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
            stands for, as raw rates of few rows are 0 and 1 too easily. NaN without rows.
        effect
            The impact code: what `prepare` gives. In units of the outcome, or log odds for a
            class, relative to the mean (rate) over all rows. Where an impact code was not built
            because levels differ no more than by chance, all effects are 0; where because
            indicators of two levels say the same, they are what it would have been.
        effect_se
            Standard deviation of what the level's effect may be, given the data. For a number
            ``sqrt(within / (n + k))``, with n the rows behind the effect and k the weight of the
            prior, in rows: ``within / between`` with ``smoothing="auto"``, else the number given.
            For a class the standard deviation of the beta distribution of the rate, by the
            delta method: ``1 / sqrt(p * (1 - p) * (n + k + 1))``, where a number for ``smoothing``
            is so many rows of each class, that is k of twice as many. It is 0 where levels
            differ no more than by chance, and that of the prior where no row is behind the
            effect; k is taken for known.
        belief
            ``n / (n + k)``: the share of the rows' own mean in the effect; the rest is the mean
            over all rows.
        pooled
            Whether effect, effect_se and belief are those of the pool of rare levels.
        suppressed
            Whether the effect is 0 because of ``rare_sig``.

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
        0   Ayr   -0.64       0.68    0.63
        1  Bath    0.83       0.68    0.63
        2  Cork   -0.64       0.68    0.63
        3  Deal    0.95       0.98    0.22
        4  None   -0.01       0.68    0.63
        5  None    0.00       1.11    0.00
        """
        return level_effects(self, column, target)

    def select(
        self,
        prune_sig: float | str | None = None,
        variables: Iterable[str] | None = None,
        coders: Any = None,
        prune_by: str = SIG,
    ) -> list[DerivedVariable]:
        """Choose derived variables by p-value, name and code, in the order of the treated frame.

        Parameters
        ----------
        prune_sig, variables, coders, prune_by
            As for `prepare`.

        Returns
        -------
        list of DerivedVariable

        Raises
        ------
        InvalidOptionError
            If a name or a code is unknown, ``prune_sig`` is no probability, or ``prune_by`` does
            not go with it.
        """
        keep = self._kept_by_sig(prune_sig, prune_by)
        if variables is not None:
            if isinstance(variables, str):
                raise OptionTypeError(f"variables={variables!r} must be a list of names")
            wanted = list(variables)
            unknown = [v for v in wanted if v not in set(self.feature_names)]
            if unknown:
                raise InvalidOptionError(
                    f"variables names {unknown}, which the plan does not derive; "
                    "plan.feature_names lists what it does"
                )
            keep = [k and v.name in set(wanted) for k, v in zip(keep, self.derived, strict=True)]
        codes = check_coders("coders", coders)
        return [v for k, v in zip(keep, self.derived, strict=True) if k and v.code in codes]

    @overload
    def to_json(self, path: None = None) -> str: ...

    @overload
    def to_json(self, path: str | os.PathLike[str]) -> None: ...

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write the plan as JSON: everything that it holds, exactly, without any code.

        Parameters
        ----------
        path : str, path or None
            A file to write, or to replace as a whole: who reads it meanwhile finds the old plan
            or the new one. None: the text is returned.

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
        ``vignettes/plan_json.md`` describes the format field by field. Floats are the shortest
        decimals that read as the same float. Levels keep their type and code points. An imputation
        function is written by its name: the numbers it gave are in the plan, and `prepare` needs
        no more.

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
        write_whole(path, f"{text}\n".encode("ascii"))
        return None

    @classmethod
    def from_json(cls, text_or_path: str | os.PathLike[str]) -> TreatmentPlan:
        """Read a plan that `to_json` has written.

        Parameters
        ----------
        text_or_path : str or path
            The text, which starts with a brace, or the path of a file.

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

    def to_sql(
        self,
        source: str | Sequence[str],
        *,
        dialect: str = "duckdb",
        row_id: Hashable | None = None,
        prune_sig: float | str | None = None,
        prune_by: str = SIG,
        scale: bool = False,
        collar: bool = False,
        variables: Iterable[str] | None = None,
        coders: Iterable[str] | None = None,
        extra_columns: Iterable[Hashable] = (),
    ) -> str:
        """Write the plan as a SQL query that treats a table as `prepare` treats a frame.

        Parameters
        ----------
        source : str or sequence of str
            The table: its name, which is quoted as it is (a dot is part of the name), or the parts
            of its name, as in ``("schema", "table")``. Text that starts with SELECT, WITH, VALUES
            or FROM and a space, or with ``(``, is a query of your own (in the latter case, one in
            parentheses) and goes in as it is, so never make it of text that you do not trust; a
            table that is called so can be given as a sequence of one part.
        dialect : str
            ``"duckdb"``, ``"sqlite"``, ``"postgres"`` or ``"spark"``, which are tested to give the
            numbers of `prepare`; or any other that sqlglot translates to (such as ``"bigquery"``
            or ``"snowflake"``), whose text starts with a comment that says that it is unverified.
        row_id : column name or None
            A column of the table to put first, as SQL promises no order of rows.
        prune_sig, prune_by, scale, collar, variables, coders
            As for `prepare`.
        extra_columns : iterable of column names
            Columns of the table to append as they are.

        Returns
        -------
        str
            One SELECT. Its columns are the row id, the derived variables in the order of the plan,
            and the extra columns. The table is read once.

        Raises
        ------
        InvalidOptionError, OptionTypeError
            If an option cannot be used, a name cannot be written in the dialect, or a column holds
            what the dialect has no type for. The column is named.
        VtreatError
            If a dialect needs sqlglot, and it is not installed.

        Warns
        -----
        VtreatWarning
            If a level is left out because no table of the engine can hold it, such as text with
            NUL in PostgreSQL; if a variable is renamed, see the notes; if no variable is left.

        See Also
        --------
        TreatmentPlan.load_coding_tables : Needed before a query on columns of very many levels.
        TreatmentPlan.check_sql : Compare the query with `prepare`.

        Notes
        -----
        Columns of up to 20 levels are coded by CASE, of up to 2,000 by one join with a list of
        VALUES, and of more by one join with a coding table, which `load_coding_tables` makes.
        Levels that get what novel levels get do not count.

        NULL is what a missing value is to `prepare`; so is NaN, and infinite numbers are bad ones.
        Floats are written so that the engine reads the same bits, and computed in the same order:
        the results are those of `prepare` bit for bit (but for the sign of zero). Exceptions are
        numbers stored as DECIMAL of more than 15 digits, which engines may read a bit off.

        Levels are compared by code point, whatever collation the column has: text is cast to
        plain text and compared as ``COLLATE "binary"`` (DuckDB), BINARY (SQLite), ``"C"``
        (PostgreSQL) or UTF8_BINARY (Spark). Columns of fixed length, CHAR(n), are compared as the
        engine gives them, without their spaces at the end (PostgreSQL) or with them (Spark). The
        cast turns numbers into text, too: give the table the types of the frame.

        SQLite has no dates: it is to hold ISO text (``2024-02-29``, ``2024-02-29 13:30:00.5``), and
        anything else is a bad value, as is text in a column of numbers. Spark reads TIMESTAMP as a
        point in time and TIMESTAMP_NTZ by its clock, as aware and naive datetimes are read.

        DuckDB, SQLite and Spark take names that differ by case only for one, as do many engines
        that are translated to. There the later of two such variables of the plan, for instance
        ``x_lev_x_a`` after ``x_lev_x_A``, gets ``_2`` (or the first number that is free), as in
        `prepare` of a lazy frame, whichever variables are chosen.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"x": ["it's", "a", None, "a"] * 5, "y": [2, 3, 7, 8] * 5})
        >>> plan = vt.design_treatments(frame, outcome="y", random_state=0)
        >>> print(plan.to_sql("customers", row_id="id", variables=["x_lev_x_a", "x_catP"]))
        WITH vtreat_rows AS (
          SELECT
            vtreat_source."id" AS c1,
            CAST(vtreat_source."x" AS VARCHAR) COLLATE "binary" AS c2
          FROM "customers" AS vtreat_source
        )
        SELECT
          vtreat_rows.c1 AS "id",
          CASE
            WHEN vtreat_rows.c2 IS NULL THEN 0.25e0
            WHEN vtreat_rows.c2 IN ('it''s') THEN 0.25e0
            WHEN vtreat_rows.c2 IN ('a') THEN 0.5e0
            ELSE 0.025e0
          END AS "x_catP",
          CASE
            WHEN vtreat_rows.c2 IN ('a') THEN 1.0e0
            ELSE 0.0e0
          END AS "x_lev_x_a"
        FROM vtreat_rows
        """
        from vtreat_py.engines.sql.choice import Choice
        from vtreat_py.engines.sql.query import plan_to_sql

        choice = Choice.of(
            self, prune_sig, prune_by, scale, collar, variables, coders, extra_columns
        )
        return plan_to_sql(self, source, choice, dialect, row_id)

    def coding_tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables that `to_sql` joins with columns of more than 2,000 levels.

        Returns
        -------
        dict from str to pandas.DataFrame
            By the name that queries use. A name is ``vtreat_``, up to 30 plain characters of the
            column's name, and a digest of the table's content: the same plan gives the same names,
            and the tables of different plans can lie side by side. The columns of a table are
            ``level`` (text, bytes, or floats: numbers as they are, dates as days and datetimes as
            seconds since 1970) and ``code_1``, ``code_2``, ...: the derived variables of the column
            in the order of the plan, not scaled. They serve queries of all options. Levels that
            get what novel levels get are left out.

        Raises
        ------
        InvalidOptionError
            If such a column has levels that have no form in SQL.

        See Also
        --------
        TreatmentPlan.load_coding_tables : Loads them.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"user id": [f"u{i % 3000}" for i in range(5000)]})
        >>> plan = vt.design_treatments(frame, outcome_type="unsupervised", coders=["catP"])
        >>> {name: table.head(2) for name, table in plan.coding_tables().items()}
        {'vtreat_user_id_36de55a3dfac41f9':   level  code_1
        0    u0  0.0004
        1    u1  0.0004}
        """
        from vtreat_py.engines.sql.coding_tables import coding_tables

        return {table.name: table.to_pandas() for table in coding_tables(self, self.treatments)}

    def load_coding_tables(self, connection: Any, *, dialect: str | None = None) -> list[str]:
        """Make the coding tables in a database, where they are not there yet.

        Parameters
        ----------
        connection : connection of duckdb, sqlite3 or psycopg, or SparkSession
            Tables are made in its current schema, as a whole or not at all, and committed if no
            transaction was open. In Spark they are temporary views; to keep them, write the frames
            of `coding_tables` under their names.
        dialect : str or None
            What the connection talks to, where its type does not say it.

        Returns
        -------
        list of str
            The names of the tables, those that were there already among them: as names hold a
            digest of the content, such tables are not touched.

        Raises
        ------
        OptionTypeError, InvalidOptionError
            If the connection is of an unknown type, or `coding_tables` raises it.

        Examples
        --------
        >>> import sqlite3
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"x": ["a", "b"] * 5, "y": range(10)})
        >>> plan = vt.design_treatments(frame, outcome="y", random_state=0)
        >>> plan.load_coding_tables(sqlite3.connect(":memory:"))
        []
        """
        from vtreat_py.engines.sql.connections import connected
        from vtreat_py.engines.sql.loading import load_coding_tables

        return load_coding_tables(self, connected(connection, dialect))

    def check_sql(
        self,
        connection: Any,
        frame: Any,
        *,
        dialect: str | None = None,
        prune_sig: float | str | None = None,
        prune_by: str = SIG,
        scale: bool = False,
        collar: bool = False,
        variables: Iterable[str] | None = None,
        coders: Iterable[str] | None = None,
        tolerance: float = 0.0,
    ) -> SqlCheck:
        """Treat a frame by `to_sql` in an engine and by `prepare`, and compare.

        Parameters
        ----------
        connection : connection of duckdb, sqlite3 or psycopg, or SparkSession
            The frame and the coding tables are loaded as temporary objects, which are removed;
            nothing else is changed, and no transaction of yours is committed or undone.
        frame : pandas, polars or pyarrow data frame, or array
            Rows to compare, such as some that the design has not seen.
        dialect : str or None
            What the connection talks to, where its type does not say it.
        prune_sig, prune_by, scale, collar, variables, coders
            As for `prepare`.
        tolerance : float
            Absolute difference up to which numbers count as the same.

        Returns
        -------
        SqlCheck
            ``passed``, ``largest_difference``, ``rows_that_differ`` and, by variable,
            ``differences``.

        Raises
        ------
        OptionTypeError, InvalidOptionError, SchemaError
            As `prepare` and `to_sql` do.
        FrameError
            If the engine cannot hold the values of a column.

        Examples
        --------
        >>> import sqlite3
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"z": [1, 2, 3, None] * 5, "y": [2, 3, 7, 8] * 5})
        >>> plan = vt.design_treatments(frame, outcome="y", random_state=0)
        >>> plan.check_sql(sqlite3.connect(":memory:"), frame, scale=True)
        SqlCheck: sqlite passed, 20 rows x 2 variables, largest difference 0, 0 rows that differ
        """
        from vtreat_py.engines.sql.check import check_sql
        from vtreat_py.engines.sql.choice import Choice
        from vtreat_py.engines.sql.connections import connected

        tolerance = check_number("tolerance", tolerance, 0, np.inf)
        choice = Choice.of(self, prune_sig, prune_by, scale, collar, variables, coders)
        return check_sql(self, connected(connection, dialect), frame, choice, tolerance)

    def audit(
        self,
        frame: Any,
        *,
        sample_weight: Any = None,
        psi: float = 0.25,
        sig: float = 0.01,
        on_drift: str = "ignore",
    ) -> AuditReport:
        """Compare a frame, such as one to be scored, with the rows of the design.

        Nothing is fitted, and nothing that `prepare` gives changes.

        Parameters
        ----------
        frame : pandas, polars or pyarrow data frame, or array, of n rows
            Read as `prepare` reads it: it must have all treated columns.
        sample_weight : column name or array of shape (n,)
            Frequency weights, 0 or more: weight 2 counts as two equal rows. The p-values believe
            that: weights that sum to 1 are one row.
        psi : float
            The population stability index from which on a move is large.
        sig : float
            The p-value, adjusted for the number of columns, up to which a move is not by chance. A
            column has drifted when its move is large and not by chance.
        on_drift : "ignore", "warn" or "raise"
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
        limits = check_limits(psi, sig, on_drift)
        return audit_report(self, count_frame(self, frame, sample_weight), *limits)

    def _kept_by_sig(self, prune_sig: float | str | None, prune_by: str) -> list[bool]:
        limit = check_pruning(prune_sig, prune_by)
        if limit is None or self.outcome_type == "unsupervised":
            return [True] * len(self.derived)
        if isinstance(limit, str):
            return self.recommended
        if prune_by == SIG:
            return [v.sig <= limit for v in self.derived]
        return self._with_any(self._adjusted[prune_by] <= limit)

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lines = [
            f"TreatmentPlan: outcome {self.note}",
            f"{counted(len(self.variables), 'column')} -> "
            f"{counted(len(self.derived), 'derived variable')} "
            f"({sum(self.recommended)} recommended), designed on {self.n_rows} rows",
        ]
        lines += [f"not used: {column!r}, {reason}" for column, reason in self.unused[:10]]
        if len(self.unused) > 10:
            lines.append(f"not used: {len(self.unused) - 10} more columns")
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


def _objects(values: Iterable[Any]) -> pd.Series[Any]:
    """A column of Python values as they are: pandas would turn None among text into NaN."""
    listed = list(values)
    return pd.Series(listed, dtype=object, index=range(len(listed)))


def same(a: Any, b: Any) -> bool:
    """Equality of plain data that may hold arrays."""
    if isinstance(a, NamedFunction) or isinstance(b, NamedFunction):
        return function_name(a) == function_name(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and bool(np.array_equal(a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Levels):
        return bool(a == b)
    if is_dataclass(a):
        compared = [f.name for f in fields(a) if f.compare]
        return all(same(getattr(a, name), getattr(b, name)) for name in compared)
    return bool(a == b)
