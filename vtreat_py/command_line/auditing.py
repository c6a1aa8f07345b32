"""The verb that compares a table with the rows of the design."""

from __future__ import annotations

from argparse import Namespace

from vtreat_py.command_line.errors import about
from vtreat_py.command_line.plans import read_plan
from vtreat_py.command_line.printed import check_asked, show
from vtreat_py.command_line.tables import Table
from vtreat_py.command_line.treated import columns_of


def run(options: Namespace) -> int:
    """Show the audit; drift is worth an exit status of 1."""
    check_asked(options)
    plan = read_plan(options.plan)
    limits = {name: getattr(options, name) for name in ("psi", "sig") if hasattr(options, name)}
    weight = options.sample_weight
    with about(options.table):
        missing = plan.options.missing_values
        table = Table(options.table, options.delimiter, options.lazy, missing, plan)
        beside = [] if weight is None else [weight]
        table.check("--sample-weight", beside)
        if table.is_large:
            with table.in_duckdb() as opened:
                report = plan.audit(opened.relation, sample_weight=weight, **limits)
        else:
            rows = table.read(columns_of(plan, table, beside))
            report = plan.audit(rows, sample_weight=weight, **limits)
    show(report.frame, options, repr(report))
    return 1 if report.flagged else 0
