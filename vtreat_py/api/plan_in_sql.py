"""What a plan can do where there is SQL."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import VtreatWarning
from vtreat_py.frames.frame import InputFrame
from vtreat_py.memory.prepare import treated_frame
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.plan.pruning import SIG, PruneBy, PruneSig

if TYPE_CHECKING:  # engines apply plans
    from vtreat_py.sql.check import SqlCheck
    from vtreat_py.sql.dialects import NativeDialect, WrittenDialect


@dataclass(frozen=True, eq=False)
class PlanInSql(Plan):
    """The methods of a `TreatmentPlan` that write and run queries; engines are imported on use."""

    def to_sql(
        self,
        source: str | Sequence[str],
        *,
        dialect: NativeDialect | WrittenDialect = "duckdb",
        row_id: Hashable | None = None,
        prune_sig: PruneSig = None,
        prune_by: PruneBy = SIG,
        scale: bool = False,
        collar: bool = False,
        variables: Iterable[str] | None = None,
        coders: Iterable[str] | None = None,
        extra_columns: Iterable[Hashable] = (),
        coding_schema: str | Sequence[str] | None = None,
        coding_upper_case: bool = False,
    ) -> str:
        """Write the plan as a SQL query that treats a table as `prepare` treats a frame.

        Parameters
        ----------
        source : str or sequence of str
            The table: its name, which is quoted as it is (a dot is part of the name), or the parts
            of its name, as in ``("schema", "table")``. Text that starts with SELECT, WITH, VALUES
            or FROM and a space, or with ``(``, is a query of your own (in the latter case, one in
            parentheses) and goes in as it is, so never make it of text that you do not trust; a
            table that is called so can be given as a sequence of one part. So does a reference of
            dbt, as in ``"{{ ref('visits') }}"``: the query is a template of Jinja then, in which
            braces of names and levels are written so that they stay text, and coding tables are
            references, too.
        dialect : str, default="duckdb"
            ``"duckdb"``, ``"sqlite"``, ``"postgres"``, ``"spark"``, ``"mysql"`` (MariaDB, too) or
            ``"clickhouse"``, which are tested to give the numbers of `prepare`; or
            ``"snowflake"``, ``"bigquery"``, ``"tsql"``, ``"redshift"``, ``"trino"``,
            ``"athena"``, ``"databricks"`` or ``"oracle"``, which are written by the rules of their
            documentation, and whose text starts with a comment that says that no test runs it.
        row_id : column name, default=None
            A column of the table to put first, as SQL promises no order of rows.
        prune_sig, prune_by, scale, collar, variables, coders
            As for `prepare`.
        extra_columns : iterable of column names, default=()
            Columns of the table to append as they are.
        coding_schema : str or sequence of str, default=None
            Where coding tables are: a schema, or the parts of its name, as in
            ``("database", "schema")``; None: where the engine looks for tables.
        coding_upper_case : bool, default=False
            Whether coding tables and their columns have names in upper case, as loaders of
            Snowflake and Oracle give them.

        Returns
        -------
        str
            One SELECT. Its columns are the row id, the derived variables in the order of the plan,
            and the extra columns. The table is read once.

        Raises
        ------
        InvalidOptionError, OptionTypeError
            If an option cannot be used, nothing is known about the dialect, a name cannot be
            written in it, or a column holds what it has no type for. The column is named. If the
            text would be longer than the engine takes.

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
        Levels that get what novel levels get do not count. Where the engine takes text of so many
        bytes only (BigQuery, Snowflake and Trino 1,000,000, Athena and ClickHouse 262,144, MySQL,
        Redshift and Databricks 16 million), columns of fewer levels are joined with coding tables
        as well, until it fits: ``coding_tables(query=...)`` gives those of a query.

        NULL is what a missing value is to `prepare`; so is NaN, and infinite numbers are bad ones.
        Floats are written so that the engine reads the same bits, and computed in the same order:
        the results are those of `prepare` bit for bit (but for the sign of zero). Exceptions are
        numbers stored as DECIMAL of more than 15 digits, which engines may read a bit off.

        Levels are compared by code point, whatever collation the column has: text is cast to
        plain text and compared as ``COLLATE "binary"`` (DuckDB), BINARY (SQLite), ``"C"``
        (PostgreSQL), UTF8_BINARY (Spark), or by its bytes (MySQL, ClickHouse). Columns of fixed
        length, CHAR(n), are compared as the engine gives them, without their spaces at the end
        (PostgreSQL, MySQL) or with them (Spark). The cast turns numbers into text, too: give the
        table the types of the frame.

        SQLite has no dates: it is to hold ISO text (``2024-02-29``, ``2024-02-29 13:30:00.5``), and
        anything else is a bad value, as is text in a column of numbers. Spark reads TIMESTAMP as a
        point in time and TIMESTAMP_NTZ by its clock, as aware and naive datetimes are read. MySQL
        reads DATETIME by its clock and TIMESTAMP by that of the session (``SET time_zone =
        '+00:00'`` makes it a point in time), and ClickHouse all as points in time. MySQL has no
        NaN and no infinite numbers.

        Of the engines that tests run, DuckDB, SQLite, Spark and MySQL take names that differ by
        case only for one. There the later of two such variables of the plan, for instance
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
        from vtreat_py.sql.coding_tables import CodingPlace
        from vtreat_py.sql.query import plan_to_sql

        choice = Choice.of(
            self, prune_sig, prune_by, scale, collar, variables, coders, extra_columns
        )
        place = CodingPlace.of(coding_schema, coding_upper_case)
        return plan_to_sql(self, source, choice, dialect, row_id, place)

    def coding_tables(
        self, *, query: str | None = None, upper_case: bool = False
    ) -> dict[str, pd.DataFrame]:
        """Return the tables that `to_sql` joins with columns of more than 2,000 levels.

        Parameters
        ----------
        query : str, default=None
            What `to_sql` has written: the tables that it joins, which in a dialect of short texts
            are also those of fewer levels. None: those that queries of other dialects may join.
        upper_case : bool, default=False
            Whether names are in upper case, for queries of ``coding_upper_case=True``.

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
        from vtreat_py.sql.coding_tables import CodingPlace, coding_tables

        cased = CodingPlace.of(None, upper_case).cased
        return {
            cased(table.name): table.to_pandas().rename(columns=cased)
            for table in coding_tables(self, self.treatments, query)
        }

    def load_coding_tables(
        self,
        connection: Any,
        *,
        dialect: NativeDialect | None = None,
        coding_schema: str | Sequence[str] | None = None,
        query: str | None = None,
    ) -> list[str]:
        """Make the coding tables in a database, where they are not there yet.

        Parameters
        ----------
        connection : connection of duckdb, sqlite3, psycopg, pymysql or chdb, or SparkSession
            Other drivers of MySQL, and sessions of chdb, will do as well. Tables are made as a
            whole or not at all, and committed if no transaction was open; MySQL commits an open
            one, too. In Spark they are temporary views; to keep them, write the frames of
            `coding_tables` under their names.
        dialect : str, default=None
            What the connection talks to, where its type does not say it.
        coding_schema : str or sequence of str, default=None
            Where they are made, as in `to_sql`; None: in the current schema.
        query : str, default=None
            What `to_sql` has written: only the tables that it joins. None: all that queries may
            join, which in ClickHouse, whose queries are short, are those of all columns of more
            than 20 levels.

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
        >>> from contextlib import closing
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"x": ["a", "b"] * 5, "y": range(10)})
        >>> plan = vt.design_treatments(frame, outcome="y", random_state=0)
        >>> with closing(sqlite3.connect(":memory:")) as connection:
        ...     plan.load_coding_tables(connection)
        []
        """
        from vtreat_py.sql.coding_tables import CodingPlace
        from vtreat_py.sql.connections import connected, load_coding_tables

        place = CodingPlace.of(coding_schema)
        return load_coding_tables(self, connected(connection, dialect), place, query)

    def check_sql(
        self,
        connection: Any,
        frame: Any,
        *,
        dialect: NativeDialect | None = None,
        prune_sig: PruneSig = None,
        prune_by: PruneBy = SIG,
        scale: bool = False,
        collar: bool = False,
        variables: Iterable[str] | None = None,
        coders: Iterable[str] | None = None,
        tolerance: float = 0.0,
    ) -> SqlCheck:
        """Treat a frame by `to_sql` in an engine and by `prepare`, and compare.

        Parameters
        ----------
        connection : connection of duckdb, sqlite3, psycopg, pymysql or chdb, or SparkSession
            The frame and the coding tables are loaded as temporary objects, which are removed;
            nothing else is changed, and no transaction of yours is committed or undone.
        frame : pandas, polars or pyarrow data frame, or array
            Rows to compare, such as some that the design has not seen.
        dialect : str, default=None
            What the connection talks to, where its type does not say it.
        prune_sig, prune_by, scale, collar, variables, coders
            As for `prepare`.
        tolerance : float, default=0.0
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

        Notes
        -----
        MySQL has no NaN and no infinite numbers: they are loaded as NULL, which `prepare` codes
        alike in columns of numbers.

        Examples
        --------
        >>> import sqlite3
        >>> from contextlib import closing
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"z": [1, 2, 3, None] * 5, "y": [2, 3, 7, 8] * 5})
        >>> plan = vt.design_treatments(frame, outcome="y", random_state=0)
        >>> with closing(sqlite3.connect(":memory:")) as connection:
        ...     plan.check_sql(connection, frame, scale=True)
        SqlCheck: sqlite passed, 20 rows x 2 variables, largest difference 0, 0 rows that differ
        """
        from vtreat_py.sql.check import check_sql
        from vtreat_py.sql.connections import connected

        tolerance = check_number("tolerance", tolerance, 0, math.inf)
        choice = Choice.of(self, prune_sig, prune_by, scale, collar, variables, coders)
        connection, source = connected(connection, dialect), InputFrame.of(frame)
        with warnings.catch_warnings():  # a comparison may use the training frame
            warnings.simplefilter("ignore", VtreatWarning)
            treated = treated_frame(self, source, choice)
        return check_sql(self, connection, source, treated, choice, tolerance)
