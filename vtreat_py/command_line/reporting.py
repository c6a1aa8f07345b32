"""The verb that writes a plan as a page."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

from vtreat_py.command_line.errors import about
from vtreat_py.command_line.plans import read_plan, say
from vtreat_py.command_line.writing import check_output


def run(options: Namespace) -> int:
    """Write the page."""
    check_output(options.output, (".html", ".htm"))
    plan: Any = read_plan(options.plan)
    with about(options.output):
        if options.output == "-":
            sys.stdout.buffer.write(plan.report().html.encode())
        else:
            plan.report(options.output)
    say(options.output, f"{len(plan.variables)} columns")
    return 0
