"""A plan as files of a dbt project: a model, its seeds, and what dbt is to test."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Sequence

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.sql.coding_tables import LEVEL, CodingPlace, CodingTable, coding_tables
from vtreat_py.sql.dialect import Dialect
from vtreat_py.sql.dialects import check_dialect
from vtreat_py.sql.query import is_query, output_names, plan_to_sql
from vtreat_py.sql.seeds import seed_text
from vtreat_py.sql.templates import as_template, is_reference

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def dbt_files(
    plan: Plan,
    source: str | Sequence[str],
    choice: Choice,
    dialect: str,
    row_id: Hashable | None,
    model: str,
    schema: str | Sequence[str] | None = None,
) -> dict[str, str]:
    """Write a plan as files of a dbt project.

    Parameters
    ----------
    plan, choice, dialect, row_id
        As `plan_to_sql` has them.
    source : str or sequence of str
        The model or seed that is treated, the two parts of the name of a source of dbt, or a
        reference or query that goes in as it is.
    model : str
        What the treated model is called.
    schema : str or sequence of str, default=None
        Where coding tables are; None: they become seeds.

    Returns
    -------
    dict from str to str
        Texts by their paths within the project.

    Raises
    ------
    InvalidOptionError
        If a name is none that dbt takes, or a coding table cannot be a seed.
    """
    if not _PLAIN.fullmatch(model):
        raise InvalidOptionError(
            f"model={model!r} is no name of a dbt model: letters, digits and underscores"
        )
    found = check_dialect(dialect)
    place = CodingPlace.of(schema, is_dbt=True)
    query = plan_to_sql(plan, _reference(source), choice, dialect, row_id, place)
    treatments = choice.treatments(plan)
    seeds = [] if place.schema else coding_tables(plan, treatments, query)
    files = {f"models/{model}/{model}.sql": f"{query}\n"}
    for seed in seeds:  # in one place for all models of a plan: dbt takes a name once
        files[f"seeds/vtreat/{seed.name}.csv"] = seed_text(seed, found)
        files[f"seeds/vtreat/{seed.name}.yml"] = _seed_schema(seed, found)
    derived = output_names(plan, choice, found).values()
    return files | {f"models/{model}/schema.yml": _schema(model, row_id, derived)}


def _reference(source: str | Sequence[str]) -> str:
    """Refer to a model or a source, unless that is done already."""
    if isinstance(source, str) and (is_reference(source) or is_query(source)):
        return source
    parts = [source] if isinstance(source, str) else list(source)
    if len(parts) > 2 or not all(_PLAIN.fullmatch(part) for part in parts):
        raise InvalidOptionError(
            f"source={source!r} is no name of a dbt model, nor the two parts of that of a source: "
            "letters, digits and underscores. A reference goes in as it is: {{ ref('visits') }}"
        )
    call = "ref" if len(parts) == 1 else "source"
    return f"{{{{ {call}({', '.join(map(repr, parts))}) }}}}"


def _schema(model: str, row_id: Hashable | None, derived: Iterable[str]) -> str:
    """Write what dbt is to test of the model."""
    columns = [] if row_id is None else [_column(str(row_id), "unique", "not_null")]
    columns += [_column(name, "not_null") for name in derived]
    lines = ["version: 2", "", "models:", f"  - name: {model}"]
    lines += ["    description: Written by vtreat_py; another plan writes another model."]
    lines += ["    columns:", *columns]
    return "\n".join(lines) + "\n"


def _seed_schema(seed: CodingTable, dialect: Dialect) -> str:
    """Write what dbt is to test of a seed, and types of its columns."""
    is_text = seed.codes.kind == "text"
    kinds = [is_text, *[seed.codes.values.dtype == object] * (len(seed.columns) - 1)]
    types = [dialect.text_type if text else dialect.double_type for text in kinds]
    lines = ["version: 2", "", "seeds:", f"  - name: {seed.name}"]
    lines += ["    config:", "      quote_columns: true", "      column_types:"]
    lines += [f"        {c}: {json.dumps(t)}" for c, t in zip(seed.columns, types, strict=True)]
    lines += ["    columns:", _column(LEVEL, "unique", "not_null")]
    return "\n".join(lines) + "\n"


def _column(name: str, *tests: str) -> str:
    quoted = as_template(json.dumps(name, ensure_ascii=False), {})
    return f"      - name: {quoted}\n        quote: true\n        data_tests: [{', '.join(tests)}]"
