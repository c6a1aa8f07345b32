"""Plans in and out."""

from __future__ import annotations

import sys
from pathlib import Path

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.command_line.errors import CommandLineError, about


def read_plan(path: str) -> TreatmentPlan:
    """Read a plan of a file, or of standard input."""
    with about(path):
        return TreatmentPlan.from_json(_standard_input() if path == "-" else Path(path))


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        raise CommandLineError(f"this is no text in UTF-8: {reason}") from reason


def write_plan(plan: TreatmentPlan, path: str) -> None:
    """Write a plan to a file, or to standard output."""
    if path == "-":
        print(plan.to_json())
        return
    with about(path):
        plan.to_json(path)


def say(path: str, done: str) -> None:
    """Say on standard error what was done with a file: standard output is for data."""
    shown = "standard output" if path == "-" else path
    print(f"{shown}: {done}", file=sys.stderr, flush=True)
