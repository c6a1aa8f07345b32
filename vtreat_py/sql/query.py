"""The SELECT that treats a table as `prepare` treats a frame."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.names import is_name, told_apart
from vtreat_py.base.warn import warn
from vtreat_py.coders.curve import Curve
from vtreat_py.coders.forms import Curves
from vtreat_py.frames.calendar import CalendarPart
from vtreat_py.frames.joint import MISSING, JointColumn, JointPart
from vtreat_py.frames.made import MadeColumn, sources_of
from vtreat_py.plan.choice import Choice, check_reads_no_text
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.sql.calendar import part_of_date
from vtreat_py.sql.coding_tables import (
    FEW_LEVELS,
    LEVEL,
    MANY_LEVELS,
    CodingPlace,
    CodingTable,
    code_column,
    coding_table,
    variables_of,
)
from vtreat_py.sql.curves import FEW_KNOTS, curve_variable, piece_table
from vtreat_py.sql.dialect import Dialect
from vtreat_py.sql.dialects import check_dialect
from vtreat_py.sql.joint import check_whole, joint_keys, part_text
from vtreat_py.sql.level_codes import SqlCodes, held_codes
from vtreat_py.sql.numbers import good_number, number_variable, scaled_code
from vtreat_py.sql.seeds import seed_key
from vtreat_py.sql.templates import as_template, is_reference, stand_in

_QUERY = re.compile(r"\s*(\(|(SELECT|WITH|VALUES|FROM)\s)", re.IGNORECASE)
_UNVERIFIED = (
    "-- Unverified: written for {dialect} by rules that no test has executed; compare its numbers "
    "with prepare() before use.\n"
)


def plan_to_sql(
    plan: Plan,
    source: str | Sequence[str],
    choice: Choice,
    dialect: str,
    row_id: Hashable | None,
    place: CodingPlace | None = None,
) -> str:
    """Write a plan as a query; see `TreatmentPlan.to_sql`.

    Where its text would be too long for the engine, columns of fewer levels are joined with coding
    tables, too.
    """
    found, place = check_dialect(dialect), place or CodingPlace()
    head = "" if found.executed else _UNVERIFIED.format(dialect=dialect)
    for many in _inline_levels(found):
        text = head + _Query(plan, choice, found, place, many).text(source, row_id)
        size = len(text.encode())
        if found.most_text is None or size <= found.most_text:
            return text
    raise InvalidOptionError(
        f"the query has {size:,} bytes, and {dialect} takes {found.most_text:,}, also with coding "
        f"tables for all columns of more than {FEW_LEVELS} levels. Choose variables (variables=, "
        "prune_sig=), or write several queries"
    )


def _inline_levels(dialect: Dialect) -> list[int]:
    """Numbers of levels up to which columns are coded within the text, to be tried in turn."""
    if dialect.most_text is None:
        return [MANY_LEVELS]
    tried: list[int] = []
    while not tried or tried[-1] > FEW_LEVELS:
        tried.append(max(tried[-1] // 2, FEW_LEVELS) if tried else MANY_LEVELS)
    return tried


def is_query(source: str) -> bool:
    """Whether a source is a query, and no name of a table."""
    return _QUERY.match(source) is not None


def output_names(plan: Plan, choice: Choice, dialect: Dialect) -> dict[str, str]:
    """Name derived variables so that the engine can tell them apart, with a warning.

    The name of one does not depend on which are chosen.
    """
    chosen = [v.name for v in choice.variables]
    if not dialect.folds_case:
        return {name: name for name in chosen}
    apart = told_apart(plan.feature_names)
    renamed = [f"{name!r} is called {apart[name]!r}" for name in chosen if apart[name] != name]
    if renamed:
        warn(
            f"{dialect.name} does not tell upper from lower case in names of columns: "
            f"{', '.join(renamed)} in its results"
        )
    return {name: apart[name] for name in chosen}


@dataclass
class _Query:
    """A query as it is put together: columns are read once, then joined with their codes."""

    plan: Plan
    choice: Choice
    dialect: Dialect
    place: CodingPlace
    many: int
    references: dict[str, str] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    joins: list[str] = field(default_factory=list)
    prefix: str = "vtreat"

    def text(self, source: str | Sequence[str], row_id: Hashable | None) -> str:
        """Put the query together."""
        if not is_name(row_id):
            raise OptionTypeError(f"row_id={row_id!r} is no name of a column")
        kept = [*([] if row_id is None else [row_id]), *self.choice.extra]
        check_reads_no_text(self.plan, self.choice, "SQL")
        treatments = self.choice.treatments(self.plan)
        names = output_names(self.plan, self.choice, self.dialect)
        columns = sources_of((t.column for t in treatments), self.plan.made)
        self._check_names(kept, columns, list(names.values()))
        scanned = self._source(source)
        while self.prefix in str(source).lower():  # our names must not hide those of a subquery
            self.prefix += "_"
        as_they_are = [f"{self._read(self._column(c))} AS {self._name(c)}" for c in kept]
        derived: dict[str, str] = {}
        by_column = self.choice.by_column
        for treatment in treatments:
            variables = [v for _, v in by_column[treatment.column]]
            if isinstance(treatment, LevelTreatment):
                written = self._levels(treatment, variables)
            else:
                written = self._numbers(treatment, variables)
            derived |= zip((v.name for v in variables), written, strict=True)
        selected = [f"{derived[name]} AS {self._name(new)}" for name, new in names.items()]
        first = 0 if row_id is None else 1
        selected = as_they_are[:first] + selected + as_they_are[first:]
        self._check_size(max(len(selected), len(self.read)))
        rows = f"{self.prefix}_rows"
        listed = ",\n    ".join(self.read)
        aliased = f"{scanned}{self.dialect.table_as}{self.prefix}_source"
        scan = f"{rows} AS (\n  SELECT\n    {listed}\n  FROM {aliased}\n)"
        body = "SELECT\n  " + ",\n  ".join(selected) + f"\nFROM {rows}"
        text = "WITH " + ",\n".join([scan, *self.tables]) + "\n" + "\n".join([body, *self.joins])
        return as_template(text, self.references) if self.references else text

    def _check_names(
        self, kept: list[Hashable], columns: list[Hashable], derived: list[str]
    ) -> None:
        if not kept and not columns:
            raise InvalidOptionError(
                "a query needs a column: nothing is derived, so name row_id or extra_columns"
            )
        given = Counter(self._seen(name) for name in [*kept, *derived])
        taken = [c for c in kept if given[self._seen(c)] > 1]
        if taken:
            case = " (in upper or lower case)" if self.dialect.folds_case else ""
            raise InvalidOptionError(
                f"row_id or extra_columns would give {taken[0]!r} twice{case}; rename the column, "
                "or leave the derived variable of that name out with variables="
            )
        names: dict[str, Hashable] = {}
        for column in [*kept, *columns]:
            other = names.setdefault(self._seen(column), column)
            if other != column:
                raise InvalidOptionError(
                    f"columns {other!r} and {column!r} have one name in {self.dialect.name}; "
                    "rename one before the design"
                )

    def _check_size(self, n_columns: int) -> None:
        most = self.dialect.most_columns
        if most is not None and n_columns > most:
            raise InvalidOptionError(
                f"the query has {n_columns} columns; {self.dialect.name} takes {most}. Choose "
                "variables (variables=, prune_sig=), or write several queries"
            )

    def _seen(self, column: Hashable) -> str:
        """Return a name as the engine compares it."""
        return str(column).lower() if self.dialect.folds_case else str(column)

    def _source(self, source: str | Sequence[str]) -> str:
        """Write where rows come from: a quoted name, or a query or reference as it was given."""
        if is_reference(source):
            return self._reference(str(source).strip())
        if isinstance(source, str) and is_query(source):
            query = f"(\n{source.strip().rstrip(';')}\n)"
            return self._reference(query) if self.place.is_dbt else query
        parts = [source] if isinstance(source, str) else source
        if not isinstance(parts, Sequence) or not all(isinstance(p, str) for p in parts):
            raise OptionTypeError(
                f"source={source!r} must be the name of a table, a sequence of the parts of its "
                "name such as ('schema', 'table'), or a query that starts with SELECT or '('"
            )
        if not parts:
            raise InvalidOptionError("source is empty; give the name of a table, or a query")
        return self.dialect.table(parts)

    def _reference(self, written: str) -> str:
        """Put in an expression of Jinja, once all other text is written."""
        where = stand_in(len(self.references))
        self.references[where] = written
        return where

    def _name(self, column: Hashable) -> str:
        return self.dialect.identifier(str(column))

    def _column(self, column: Hashable) -> str:
        """Name a column of the source.

        A bare name that the table lacks would be taken for an alias, and by SQLite for text.
        """
        return f"{self.prefix}_source.{self._name(column)}"

    def _read(self, expression: str) -> str:
        """Read a column of the source under a name that cannot be in the way of others."""
        alias = f"c{len(self.read) + 1}"
        self.read.append(f"{expression} AS {alias}")
        return f"{self.prefix}_rows.{alias}"

    def _numbers(self, treatment: NumericTreatment, variables: list[DerivedVariable]) -> list[str]:
        written = good_number(treatment, self._column(treatment.column), self.dialect)
        if written is None:
            raise self._no_kind(treatment.column, treatment.kind)
        number = self._read(written)
        return [self._number(treatment, v, number) for v in variables]

    def _number(self, treatment: NumericTreatment, variable: DerivedVariable, number: str) -> str:
        form = treatment.form(variable, self.choice.collar)
        if not isinstance(form, Curves):
            return number_variable(treatment, variable, self.choice, number, self.dialect)
        (curve,) = form.curves
        joined = self._join_curve(curve, number) if len(curve.x) > FEW_KNOTS else None
        return curve_variable(form, variable, self.choice, number, joined, self.dialect)

    def _join_curve(self, curve: Curve, number: str) -> str:
        """Join the pieces of a curve as a table of literals; return its name."""
        name = f"{self.prefix}_curve_{len(self.joins) + 1}"
        columns, pieces = piece_table(curve)
        rows = [[self.dialect.double(one) for one in piece] for piece in pieces]
        self.tables.append(self.dialect.values_table(name, self._own(columns), rows))
        lows = [low for low, *_ in rows]
        self._add_join(f"{name} ON {self.dialect.in_piece(number, name, lows)}")
        return name

    def _own(self, names: Iterable[str]) -> list[str]:
        return [self.dialect.own(name) for name in names]

    def _levels(self, treatment: LevelTreatment, variables: list[DerivedVariable]) -> list[str]:
        codes = SqlCodes.of(treatment, variables, self.plan.options.missing_values)
        level, *keys = [self._read(key) for key in self._keys(codes)]
        is_long = len(codes) > self.many
        table = coding_table(self.plan, treatment, self.many) if is_long else None
        if self.choice.scale:
            codes = codes.scaled(variables)
        if table is None:
            codes = held_codes(codes, self.dialect)
        reads_parts = [treatment.reads_parts(v) for v in variables]
        if len(codes) <= FEW_LEVELS and not any(reads_parts):
            return [self._case(level, codes, i) for i in range(len(variables))]
        if table is None:
            found = self._join_values(codes, level)
        else:
            found = self._join_table(table, treatment, variables, level)
        others = [self._missing_or_novel(level, codes, i) for i in range(len(variables))]
        if any(reads_parts):
            of_parts = self._of_parts(treatment, variables, keys)
            others = [of_parts.get(v.name, o) for v, o in zip(variables, others, strict=True)]
        return [f"coalesce({column}, {other})" for column, other in zip(found, others, strict=True)]

    def _of_parts(
        self, treatment: LevelTreatment, variables: list[DerivedVariable], keys: Sequence[str]
    ) -> dict[str, str]:
        """Write what variables have that rest on the parts of levels, by name."""
        chosen = [v for v in variables if treatment.reads_parts(v)]
        sums = [treatment.sums(v) for v in chosen]
        written = [self.dialect.double(float(base[0])) for base, *_ in sums]
        none = np.zeros(len(chosen))
        for number, key in enumerate(keys):
            values = np.column_stack([effects[number + 1] for effects in sums])
            listed = treatment.keys[number].to_list()
            codes = SqlCodes(treatment.column, "text", listed, values, none, none)
            found = self._join_values(held_codes(codes, self.dialect), key)
            zero = self.dialect.double(0.0)
            written = [
                f"{before} + coalesce({one}, {zero})"
                for before, one in zip(written, found, strict=True)
            ]
        if self.choice.scale:
            written = [
                f"{self.dialect.double(v.slope)} * (({one}) - {self.dialect.double(v.mean)})"
                for v, one in zip(chosen, written, strict=True)
            ]
        return {v.name: f"({one})" for v, one in zip(chosen, written, strict=True)}

    def _keys(self, codes: SqlCodes) -> list[str]:
        """Read a column as keys, and those of the parts of a joint one."""
        made = self._made.get(codes.column)
        if not isinstance(made, JointColumn):
            return [self._key(codes)]
        check_whole(made, [key for key in codes.keys if isinstance(key, str)])
        texts = [self._joint_part(part) for part in made.parts]
        return [
            self.dialect.text_key.format(f"({key})")
            for key in joint_keys(made, texts, self.dialect)
        ]

    def _joint_part(self, part: JointPart) -> str:
        made, missing = self._made.get(part.column), self.dialect.text(MISSING)
        if isinstance(made, CalendarPart):
            return f"coalesce({self._part(made)}, {missing})"
        column = self._column(part.column)
        written = part_text(part, column, self.plan.options.missing_values, self.dialect)
        if written is None:
            raise self._no_kind(part.column, part.kind)
        return written

    @property
    def _made(self) -> dict[Hashable, MadeColumn]:
        return {one.name: one for one in self.plan.made}

    def _key(self, codes: SqlCodes) -> str:
        """Read a column as keys; what is no number there is missing, as NaN is."""
        made = self._made.get(codes.column)
        if isinstance(made, CalendarPart):
            return self.dialect.text_key.format(self._part(made))
        column = self._column(codes.column)
        if codes.kind == "text":
            return self.dialect.text_key.format(column)
        if codes.kind == "bytes":
            return self.dialect.as_bytes(column)
        if codes.kind != "number":
            written = self.dialect.moment(codes.kind, column)
            if written is None:
                raise self._no_kind(codes.column, codes.kind)
            return written
        may_be_boolean = all(key in (0.0, 1.0) for key in codes.keys)
        number = self.dialect.number(column, may_be_boolean)
        return f"CASE WHEN abs({number}) <= {self.dialect.most} THEN {number} END"

    def _part(self, part: CalendarPart) -> str:
        written = part_of_date(part, self._column(part.column), self.dialect)
        if written is not None:
            return written
        raise InvalidOptionError(
            f"column {part.name!r} is made of the dates of {part.column!r} by the clock of "
            f"{part.zone}, which cannot be written as SQL of this dialect. Choose variables of "
            "other columns (variables=), or design with calendar=None or dates in UTC"
        )

    def _case(self, level: str, codes: SqlCodes, place: int) -> str:
        """Write one variable of a column of few levels."""
        written = self.dialect.value
        missing, novel = written(codes.missing[place]), written(codes.novel[place])
        arms = [] if missing == novel else [f"WHEN {level} IS NULL THEN {missing}"]
        keys_of: dict[str, list[str]] = {}
        for key, value in zip(codes.keys, codes.values[:, place].tolist(), strict=True):
            keys_of.setdefault(written(value), []).append(self.dialect.key(key))
        keys_of.pop(novel, None)
        arms += [f"WHEN {level} IN ({', '.join(k)}) THEN {v}" for v, k in keys_of.items()]
        return "\n    ".join(["CASE", *arms, f"ELSE {novel}"]) + "\n  END" if arms else novel

    def _missing_or_novel(self, level: str, codes: SqlCodes, place: int) -> str:
        """Write one variable of the rows that a join found no level for."""
        missing = self.dialect.value(codes.missing[place])
        novel = self.dialect.value(codes.novel[place])
        if missing == novel:
            return novel
        return f"CASE WHEN {level} IS NULL THEN {missing} ELSE {novel} END"

    def _join_values(self, codes: SqlCodes, level: str) -> list[str]:
        """Join the codes as a table of literals; return its columns."""
        if not len(codes):
            return ["NULL"] * codes.values.shape[1]
        name = f"{self.prefix}_levels_{len(self.joins) + 1}"
        columns = self._own([LEVEL, *(code_column(i) for i in range(codes.values.shape[1]))])
        rows = [
            [self.dialect.key(key), *map(self.dialect.value, values)]
            for key, values in zip(codes.keys, codes.values.tolist(), strict=True)
        ]
        self.tables.append(self.dialect.values_table(name, columns, rows))
        key = self.dialect.of_list(f"{name}.{columns[0]}", codes.kind)
        return self._join(name, name, level, key, columns[1:])

    def _join_table(
        self,
        table: CodingTable,
        treatment: LevelTreatment,
        variables: list[DerivedVariable],
        level: str,
    ) -> list[str]:
        """Join a coding table; return its columns, scaled where they are to be."""
        alias = f"{self.prefix}_levels_{len(self.joins) + 1}"
        names = [v.name for v in variables_of(self.plan, treatment)]
        named = [LEVEL, *(code_column(names.index(v.name)) for v in variables)]
        columns = [self.place.column(name, self.dialect) for name in named]
        joined = f"{self._coding_table(table)}{self.dialect.table_as}{alias}"
        key, kind = f"{alias}.{columns[0]}", table.codes.kind
        if self.place.is_dbt and not self.place.schema and kind == "text":
            level, key = seed_key(level, self.dialect), self.dialect.of_list(key, kind)
        else:
            key = self.dialect.of_table(key, kind)
        found = self._join(joined, alias, level, key, columns[1:])
        if not self.choice.scale:
            return found
        return [
            scaled_code(v, column, treatment.table(v), self.dialect)
            for v, column in zip(variables, found, strict=True)
        ]

    def _coding_table(self, table: CodingTable) -> str:
        """Name a coding table; beside a reference it is one, unless it is said where it is."""
        name = self.place.cased(table.name)
        if self.references and not self.place.schema:
            return self._reference(f"{{{{ ref('{name}') }}}}")
        return self.dialect.table((*self.place.schema, name))

    def _join(self, table: str, alias: str, level: str, key: str, columns: list[str]) -> list[str]:
        self._add_join(f"{table} ON {level} = {key}")
        return [f"{alias}.{column}" for column in columns]

    def _add_join(self, join: str) -> None:
        self.joins.append(f"LEFT JOIN {join}")
        most = self.dialect.most_joins
        if most is not None and len(self.joins) > most:
            raise InvalidOptionError(
                f"more than {most} columns have more than {FEW_LEVELS} levels, or curves of more "
                f"than {FEW_KNOTS} knots: {self.dialect.name} does not join so many tables. Choose "
                "variables (variables=, prune_sig=), or write several queries"
            )

    def _no_kind(self, column: Hashable, kind: str) -> InvalidOptionError:
        return InvalidOptionError(
            f"column {column!r} holds values of kind {kind!r}, which {self.dialect.name} has no "
            "type for. Convert the column to a number (of seconds) before the design, or choose "
            "variables of other columns (variables=)"
        )
