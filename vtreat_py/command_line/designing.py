"""The verbs that learn a plan of a table, and code the table out of fold."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from vtreat_py.api.design import cross_frame_experiment, design_treatments
from vtreat_py.api.experiment import CrossFrameExperiment
from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.errors import listed
from vtreat_py.command_line.errors import CommandLineError, about
from vtreat_py.command_line.options import DESIGN, PRUNING, given
from vtreat_py.command_line.plans import say, write_plan
from vtreat_py.command_line.tables import DuckDbTable, Table, rows
from vtreat_py.command_line.values import names, number
from vtreat_py.command_line.writing import check_output, write_table
from vtreat_py.folds.named import names_fold_column
from vtreat_py.frames.made import n_added
from vtreat_py.lazy.on_duckdb import quoted
from vtreat_py.outcome.rates import SURVIVAL

# What the second column of an outcome is called, of times and events.
_EVENTS = "outcome's events"
# Options that name a column which is not treated.
_BESIDE = ("outcome", "exposure", "sample_weight", "groups", "row_id", "cv")
# Those that a model needs beside its input.
_LAST = ("sample_weight", "exposure", "outcome", _EVENTS)


@dataclass(frozen=True)
class Asked:
    """What a design is asked for.

    Attributes
    ----------
    table : Table
    design, pruning : dict from name of an option to its value
    keep : list of str
        Columns that are not treated.
    cross_frame : str or None
        Where the cross-frame goes.
    progress : bool
    """

    table: Table
    design: dict[str, Any]
    pruning: dict[str, Any]
    keep: list[str]
    cross_frame: str | None
    progress: bool

    @property
    def beside(self) -> dict[str, str]:
        """Columns that options name and that are not treated, by the options."""
        named = {name: self.design[name] for name in _BESIDE if name in self.design}
        if not names_fold_column(named.get("cv")):
            named.pop("cv", None)
        if isinstance(named.get("outcome"), tuple):
            named["outcome"], named[_EVENTS] = named["outcome"]
        return named

    @property
    def variables(self) -> list[str]:
        """The columns to treat."""
        if "variables" in self.design:
            return list(self.design["variables"])
        aside = {*self.keep, *self.beside.values()}
        return [name for name in self.table.names if name not in aside]

    @property
    def first(self) -> list[str]:
        """Columns that come before the variables of the cross-frame."""
        row_id = self.beside.get("row_id")
        return [*dict.fromkeys(([] if row_id is None else [row_id]) + self.keep)]

    @property
    def last(self) -> list[str]:
        """Columns that come after them: what a model needs beside its input."""
        named = [self.beside[name] for name in _LAST if name in self.beside]
        return [name for name in named if name not in self.first]

    @property
    def read(self) -> list[str]:
        """The columns to read: all where pairs or parents are, which need not be treated."""
        if "composites" in self.design or "hierarchies" in self.design:
            return self.table.names
        names = {*self.first, *self.variables, *self.beside.values()}
        return [name for name in self.table.names if name in names]

    def check(self) -> None:
        """Refuse what cannot be done, before the rows are read."""
        unsupervised = self.design.get("outcome_type") == "unsupervised"
        if "outcome" not in self.design and not unsupervised:
            raise CommandLineError(
                "--outcome is missing: name the column to predict, one of "
                f"{listed(self.table.names)}, or ask for --outcome-type unsupervised"
            )
        for name, column in self.beside.items():
            self.table.check(f"--{name.replace('_', '-')}".removesuffix("'s events"), [column])
        self.table.check("--keep", self.keep)
        self.table.check("--variables", self.design.get("variables", []))
        both = sorted({*self.keep} & {*self.design.get("variables", [])})
        if both:
            raise CommandLineError(
                f"--variables names {both[0]!r}, which --keep leaves untreated; name it in one "
                "of the two"
            )
        if self.pruning and self.cross_frame is None:
            flag = f"--{next(iter(self.pruning)).replace('_', '-')}"
            raise CommandLineError(f"{flag} is for the cross-frame; say where by --cross-frame")

    @property
    def options(self) -> dict[str, Any]:
        """Options of the design, without names of columns that are worked out."""
        return {**self.design, "variables": self.variables, "progress": self.progress}


def run(options: Namespace) -> int:
    """Learn the plan, write it, and the cross-frame if asked."""
    check_output(options.cross_frame)
    check_output(options.plan, (".json", ".json.gz"))
    if options.plan == options.cross_frame == "-":
        raise CommandLineError("plan and cross-frame cannot both go to standard output")
    with about(options.table):
        design = _with_events(given(options, DESIGN))
        missing = tuple(design.get("missing_values", ()))
        kept = tuple(options.keep)
        table = Table(options.table, options.delimiter, options.lazy, missing, kept=kept)
        asked = Asked(
            table,
            design,
            given(options, PRUNING),
            options.keep,
            options.cross_frame,
            options.progress and sys.stderr.isatty(),
        )
        asked.check()
        plan, n_written = _in_duckdb(asked) if table.is_large else _in_memory(asked)
    where = "in DuckDB" if table.is_large else "in memory"
    say(options.table, f"{rows(plan.n_rows)}, designed {where}; outcome {plan.note}")
    if options.plan is not None:
        write_plan(plan, options.plan)
        say(
            options.plan,
            f"{len(plan.variables) - n_added(plan.made)} columns -> "
            f"{len(plan.derived)} variables ({sum(plan.recommended)} recommended)",
        )
    if options.cross_frame is not None:
        beside = [*asked.first, *asked.last]
        say(options.cross_frame, f"{rows(n_written)}; beside the variables: {', '.join(beside)}")
    return 0


def _with_events(design: dict[str, Any]) -> dict[str, Any]:
    """Take the outcome apart where it is times and events: two names with a comma between them."""
    if design.get("outcome_type") != SURVIVAL or "outcome" not in design:
        return design
    columns = names(design["outcome"])
    if len(columns) > 2:
        raise CommandLineError(
            f"--outcome names {len(columns)} columns; times to an event have two, TIME,EVENT"
        )
    return design | {"outcome": columns[0] if len(columns) == 1 else tuple(columns)}


def _in_memory(asked: Asked) -> tuple[TreatmentPlan, int]:
    options = asked.options
    table = asked.table.read(asked.read)
    if "target" in options:
        options["target"] = _as_held(options["target"], table.schema.field(options["outcome"]).type)
    if asked.cross_frame is None:
        return design_treatments(table, **options), 0
    experiment = cross_frame_experiment(table, **options, **asked.pruning)
    rows_of = experiment.cross_rows
    kept = table.select([*asked.first, *asked.last]).take(pa.array(rows_of))
    derived = experiment.cross_frame
    derived = derived.drop_columns([one for one in asked.first if one in derived.column_names])
    whole = {name: kept[name] for name in asked.first}
    whole |= {name: derived[name] for name in derived.column_names}
    whole |= {name: kept[name] for name in asked.last}
    return experiment.plan, write_table(asked.cross_frame, pa.table(whole).to_batches())


def _in_duckdb(asked: Asked) -> tuple[TreatmentPlan, int]:
    options, beside = asked.options, asked.beside
    supervised = "outcome" in beside
    dealt = "groups" not in beside and "cv" not in beside
    numbered = supervised and "row_id" not in beside and (dealt or asked.cross_frame is not None)
    with asked.table.in_duckdb(numbered) as table:
        if table.number is not None:
            options["row_id"] = table.number
        if "target" in options:
            types = dict(zip(table.relation.columns, table.relation.types, strict=True))
            options["target"] = _as_held(options["target"], types[options["outcome"]])
        if asked.cross_frame is None:
            return design_treatments(table.relation, **options), 0
        experiment = cross_frame_experiment(table.relation, **options, **asked.pruning)
        found = _with_columns(table, experiment, options["row_id"], asked.first, asked.last)
        return experiment.plan, write_table(asked.cross_frame, found)


def _with_columns(
    table: DuckDbTable,
    experiment: CrossFrameExperiment[Any],
    row_id: str,
    first: Sequence[str],
    last: Sequence[str],
) -> Any:
    """Put columns of the table beside the cross-frame, by the row id."""
    key = quoted(row_id)
    if table.number is None:
        counted = table.relation.aggregate(f"count(*), count(DISTINCT {key})").fetchall()[0]
        if counted[0] > counted[1]:
            raise CommandLineError(
                f"--row-id {row_id} has {counted[0] - counted[1]} values more than once; the "
                "cross-frame needs one that tells all rows apart"
            )
    coded = experiment.cross_frame
    derived = [name for name in coded.columns if name != row_id]
    wanted = [f"t.{quoted(name)}" for name in first]
    wanted += [f"c.{quoted(name)}" for name in derived]
    wanted += [f"t.{quoted(name)}" for name in last]
    joined = coded.set_alias("c").join(table.relation.set_alias("t"), f"c.{key} = t.{key}")
    return pa.RecordBatchReader.from_stream(joined.project(", ".join(wanted)))


def _as_held(text: str, type_: Any) -> Any:
    """A class as its column has it: a number where that holds numbers or booleans."""
    name = str(type_).lower()
    if name.startswith("bool"):
        return {"true": True, "false": False}.get(text.lower(), text)
    if "char" in name or "string" in name or "utf8" in name:
        return text
    try:
        held = number(text)
    except ArgumentTypeError:
        return text
    return int(held) if float(held).is_integer() else held
