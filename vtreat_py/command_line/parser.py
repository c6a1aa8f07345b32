"""The verbs and their options; nothing is imported to parse them that takes time."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from vtreat_py.base.version import __version__
from vtreat_py.command_line import values
from vtreat_py.command_line.options import CHOICE, DESIGN, PRUNING, add

NAME = "vtreat_py"
_DESCRIPTION = """\
Turn tables "from the wild" into numbers that are safe to model.

Tables are CSV (.csv, .tsv, compressed .csv.gz or .csv.zst), Parquet (.parquet, .pq; a folder of
them), or - for CSV on standard input or output. Plans are JSON."""
_EPILOG = """\
examples:
  {name} design train.csv --outcome bought --plan plan.json --cross-frame to_model.parquet
  {name} prepare plan.json tomorrow.csv --output to_score.parquet

`{name} VERB --help` has the options and examples of a verb.
Exit status: 0 good; 1 an audit found drift, or plans differ; 2 bad input or options."""
_VERBS = {
    "design": "learn a plan from a training table",
    "cross-frame": "code a training table out of fold, to train a model on",
    "prepare": "treat another table by a plan",
    "scores": "show the variables of a plan and their scores",
    "effects": "show what the levels of a column do to the outcome",
    "audit": "compare a table with the rows of the design",
    "sql": "write a plan as a SQL query",
    "diff": "show what differs between two plans",
    "report": "write a plan as a page to look at",
    "evaluate": "evaluate a binary classifier by labels and scores",
}
_EXAMPLES = {
    "design": """\
  {name} design train.csv --outcome bought --plan plan.json
  {name} design train.csv --outcome bought --plan plan.json --cross-frame to_model.parquet
  {name} design visits.parquet --outcome spent --keep id,date --categorical zip --plan plan.json
  {name} design train.csv --outcome bought --target yes --composites town:shop --plan plan.json""",
    "cross-frame": """\
  {name} cross-frame train.csv --outcome bought --output to_model.parquet
  {name} cross-frame train.csv --outcome bought --output - --prune-sig plausible | head""",
    "prepare": """\
  {name} prepare plan.json tomorrow.csv --output to_score.parquet --keep id
  cat tomorrow.csv | {name} prepare plan.json - --output - --prune-sig recommended""",
    "scores": """\
  {name} scores plan.json
  {name} scores plan.json --output scores.csv""",
    "effects": """\
  {name} effects plan.json town
  {name} effects plan.json town --target hot --json""",
    "audit": """\
  {name} audit plan.json june.csv || echo "June is not like the design"
  {name} audit plan.json june.parquet --csv""",
    "sql": """\
  {name} sql plan.json --table shop.visits --row-id id --dialect postgres
  {name} sql plan.json --table visits --coding-tables tables --output treat.sql
  {name} sql plan.json --table visits --row-id id --dbt shop --dialect snowflake""",
    "diff": """\
  {name} diff may.json june.json""",
    "report": """\
  {name} report plan.json --output report.html""",
}


class _Parser(argparse.ArgumentParser):
    """One whose errors are a line, as all errors are."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


_formatter = partial(argparse.RawDescriptionHelpFormatter, width=100, max_help_position=30)


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    whole = _Parser(
        prog=NAME,
        description=_DESCRIPTION,
        epilog=_EPILOG.format(name=NAME),
        formatter_class=_formatter,
        allow_abbrev=False,
    )
    whole.add_argument("--version", action="version", version=f"{NAME} {__version__}")
    verbs = whole.add_subparsers(metavar="VERB", required=True, title="verbs")
    for verb, said in _VERBS.items():
        _OPTIONS_OF[verb](_verb(verbs, verb, said))
    return whole


def _verb(verbs: Any, verb: str, said: str) -> _Parser:
    examples = _EXAMPLES.get(verb)
    one: _Parser = verbs.add_parser(
        verb,
        help=said,
        description=f"{said[0].upper()}{said[1:]}.",
        epilog=None if examples is None else f"examples:\n{examples.format(name=NAME)}",
        formatter_class=_formatter,
        allow_abbrev=False,
    )
    one.add_argument(
        "-v", "--verbose", action="count", default=0, help="say what is done; -vv: all of it"
    )
    return one


def _table(one: Any, what: str) -> None:
    one.add_argument("table", metavar="TABLE", help=f"{what}: CSV, Parquet, or - for CSV")
    one.add_argument(
        "--delimiter",
        type=values.sign,
        metavar="SIGN",
        help="what is between the fields of CSV (default: , or tab)",
    )
    where = one.add_mutually_exclusive_group()
    where.add_argument(
        "--lazy",
        dest="lazy",
        action="store_true",
        default=None,
        help="leave the table on the disk (default: where it has over 500 MB)",
    )
    where.add_argument(
        "--in-memory", dest="lazy", action="store_false", help="read the whole table"
    )


def _keep(one: Any, help: str) -> None:  # noqa: A002 (as argparse has it)
    one.add_argument(
        "--keep", type=values.names, action="extend", default=[], metavar="NAMES", help=help
    )


def _output(one: Any, help: str, **more: Any) -> None:  # noqa: A002
    one.add_argument("-o", "--output", metavar="FILE", help=help, **more)


def _progress(one: Any) -> None:
    one.add_argument(
        "--progress", action="store_true", help="show a line of progress, on a terminal"
    )


def _plan(one: Any) -> None:
    one.add_argument("plan", metavar="PLAN", help="a plan that design has written")


def _as_table(one: Any) -> None:
    """Options of verbs that show a table."""
    form = one.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_const", dest="form", const="csv", help="print CSV")
    form.add_argument("--json", action="store_const", dest="form", const="json", help="print JSON")
    _output(form, "write CSV, Parquet or JSON to a file, by the end of its name")


def _design(one: argparse.ArgumentParser) -> None:
    one.set_defaults(runs="designing")
    _table(one, "the training rows")
    one.add_argument("--plan", metavar="FILE", required=True, help="where the plan goes: JSON")
    one.add_argument("--cross-frame", metavar="FILE", help="where the cross-frame goes, if asked")
    _of_design(one)


def _cross_frame(one: argparse.ArgumentParser) -> None:
    one.set_defaults(runs="designing")
    _table(one, "the training rows")
    one.add_argument(
        "-o", "--output", dest="cross_frame", metavar="FILE", required=True,
        help="where the cross-frame goes: CSV, Parquet, or - for CSV",
    )  # fmt: skip
    one.add_argument("--plan", metavar="FILE", help="where the plan goes, if asked: JSON")
    _of_design(one)


def _of_design(one: argparse.ArgumentParser) -> None:
    _keep(one, "columns that are not treated, and put before the variables as they are")
    _progress(one)
    add(one, "the design", DESIGN)
    add(one, "the cross-frame", PRUNING)


def _prepare(one: argparse.ArgumentParser) -> None:
    one.set_defaults(runs="preparing")
    _plan(one)
    _table(one, "rows that the plan was not designed on")
    _output(one, "where the rows go: CSV, Parquet, or - for CSV", required=True)
    _keep(one, "columns of the table to put before the variables as they are")
    _progress(one)
    add(one, "what comes out", CHOICE)


def _scores(one: argparse.ArgumentParser) -> None:
    one.set_defaults(runs="looking", shows="scores")
    _plan(one)
    _as_table(one)


def _effects(one: argparse.ArgumentParser) -> None:
    one.set_defaults(runs="looking", shows="effects")
    _plan(one)
    one.add_argument("column", metavar="COLUMN", help="a column of levels")
    one.add_argument("--target", metavar="CLASS", help="of several classes: the one that is meant")
    _as_table(one)


def _audit(one: argparse.ArgumentParser) -> None:
    one.set_defaults(runs="auditing")
    _plan(one)
    _table(one, "the rows to compare")
    one.add_argument("--sample-weight", metavar="NAME", help="the column of weights")
    one.add_argument(
        "--psi", type=values.number, metavar="INDEX", default=argparse.SUPPRESS,
        help="the stability index from which on a move is large (default: 0.25)",
    )  # fmt: skip
    one.add_argument(
        "--sig", type=values.number, metavar="P", default=argparse.SUPPRESS,
        help="the p-value up to which a move is not by chance (default: 0.01)",
    )  # fmt: skip
    _as_table(one)


def _sql(one: argparse.ArgumentParser) -> None:
    one.set_defaults(runs="querying")
    _plan(one)
    one.add_argument(
        "--table", type=values.table_name, metavar="NAME", required=True,
        help="the table, with dots between the parts of its name, or a query",
    )  # fmt: skip
    one.add_argument(
        "--dialect",
        metavar="NAME",
        default="duckdb",
        help="duckdb, sqlite, postgres, spark, mysql or clickhouse, which tests execute; or "
        "snowflake, bigquery, tsql, redshift, trino, athena, databricks or oracle, which they do "
        "not (default: duckdb)",
    )
    one.add_argument("--row-id", metavar="NAME", help="a column to put first")
    _keep(one, "columns of the table to append as they are")
    one.add_argument(
        "--coding-tables", metavar="FOLDER",
        help="where tables go that the query joins (columns of over 2,000 levels): Parquet",
    )  # fmt: skip
    one.add_argument(
        "--coding-schema", type=values.table_name, metavar="NAME",
        help="the schema that these tables are in, with dots between the parts of its name",
    )  # fmt: skip
    one.add_argument(
        "--coding-upper-case", action="store_true",
        help="their names are in upper case",
    )  # fmt: skip
    one.add_argument(
        "--dbt", metavar="FOLDER",
        help="write a model, seeds for the tables it joins, and tests, into a dbt project instead",
    )  # fmt: skip
    one.add_argument(
        "--model", metavar="NAME",
        help="what the model is called (default: the name of the table and _treated)",
    )  # fmt: skip
    _output(one, "where the query goes (default: standard output)", default="-")
    add(one, "what comes out", CHOICE)


def _diff(one: argparse.ArgumentParser) -> None:
    one.set_defaults(runs="looking", shows="diff")
    _plan(one)
    one.add_argument("other", metavar="OTHER", help="another plan")
    _as_table(one)


def _report(one: argparse.ArgumentParser) -> None:
    one.set_defaults(runs="reporting")
    _plan(one)
    _output(one, "where the page goes: HTML, or - for standard output", required=True)


def _evaluate(one: argparse.ArgumentParser) -> None:
    """Nothing: `program` hands its arguments over to the command line of the evaluation."""
    del one


_OPTIONS_OF: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "design": _design,
    "cross-frame": _cross_frame,
    "prepare": _prepare,
    "scores": _scores,
    "effects": _effects,
    "audit": _audit,
    "sql": _sql,
    "diff": _diff,
    "report": _report,
    "evaluate": _evaluate,
}
