"""Which columns of a table a plan treats."""

from __future__ import annotations

from collections.abc import Sequence

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.command_line.tables import Table
from vtreat_py.frames.made import sources_of


def columns_of(plan: TreatmentPlan, table: Table, beside: Sequence[str]) -> list[str]:
    """Those that are to be read, in the order of the table; some may be lacking."""
    needed = {str(name) for name in sources_of((t.column for t in plan.treatments), plan.made)}
    needed |= set(beside)
    return [name for name in table.names if name in needed]
