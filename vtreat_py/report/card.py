"""What folds out of a column: what was read, how it goes with the outcome, what was made of it."""

from __future__ import annotations

from vtreat_py.base.errors import counted
from vtreat_py.base.markup import safe, share
from vtreat_py.frames.calendar import CalendarPart
from vtreat_py.frames.joint import JointColumn
from vtreat_py.frames.made import MadeColumn
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import NumericTreatment, TextTreatment
from vtreat_py.report.columns import PlanColumn
from vtreat_py.report.level_table import level_table
from vtreat_py.report.made import left_out, made_table
from vtreat_py.report.markup import data, names, pairs
from vtreat_py.report.number_chart import number_charts
from vtreat_py.report.spread import most_common, quantile
from vtreat_py.report.values import value_text


def card(plan: Plan, column: PlanColumn, most_levels: int, most_variables: int, sure: bool) -> str:
    """Show all that is known of a column, so many levels and variables of it at most."""
    told = [
        *(f'<p class="note">{safe(reason, 2_000)}</p>' for reason in _why_not(column)),
        *(f'<p class="note">Hint: it {safe(hint, 2_000)}</p>' for hint in column.hints),
    ]
    facts = _facts(plan, column)
    read = pairs(facts) if facts else ""
    seen = ""
    if isinstance(column.treatment, NumericTreatment) and column.treatment.profile is not None:
        seen = f'<div class="charts">{number_charts(plan, column)}</div>'
    elif column.statistics is not None:
        title = "Levels and the outcome" if column.statistics.outcomes else "Levels"
        seen = _scrolled(level_table(column, plan.options, most_levels, sure, title), title)
    made = _scrolled(made_table(plan, column, most_variables), "What was made of it")
    dropped = "".join(f"<li>{one}</li>" for one in left_out(plan, column.dropped))
    if dropped:
        dropped = f"<p>Tried and left out:</p><ul>{dropped}</ul>"
    return f"{''.join(told)}{read}{seen}{made}{dropped}"


def _why_not(column: PlanColumn) -> list[str]:
    if column.scored:
        return column.reasons
    return [f"Not used: {reason}" for reason in column.reasons]


def _scrolled(table: str, name: str) -> str:
    """Put a table where it can be scrolled by itself, also by keys."""
    if not table:
        return ""
    return f'<div class="wide" role="region" aria-label="{name}" tabindex="0">{table}</div>'


def _facts(plan: Plan, column: PlanColumn) -> list[tuple[str, str]]:
    facts = []
    if column.made is not None:
        facts.append(("Made of", _made_of(column.made)))
    if column.missing is not None:
        facts.append(("Missing", share(column.missing)))
    treatment, statistics = column.treatment, column.statistics
    if isinstance(treatment, NumericTreatment):
        return facts + _of_numbers(plan, treatment)
    if statistics is not None:
        n_levels = len(most_common(statistics))
        facts.append(("Levels", f"{n_levels:,}"))
        if pool := float(statistics.count[-1]):
            part = share(pool / float(statistics.count[:-1].sum()))
            of_levels = statistics.count[: len(statistics.levels)]
            rare = int(((of_levels > 0) & (of_levels <= plan.options.rare_weight)).sum())
            facts.append(("Pooled as rare", f"{counted(rare, 'level')}, {part} of the rows"))
    if isinstance(treatment, TextTreatment):
        facts.append(("Missing and new levels become", f"<q>{data(treatment.mark)}</q>"))
    return facts


def _of_numbers(plan: Plan, treatment: NumericTreatment) -> list[tuple[str, str]]:
    profile, kind = treatment.profile, treatment.kind
    facts = []
    if profile is not None:
        tenths = (value_text(quantile(profile, part), kind) for part in (0.1, 0.5, 0.9))
        facts += [
            ("Smallest", value_text(profile.low, kind)),
            ("Largest", value_text(profile.high, kind)),
            ("10%, 50%, 90% are up to", ", ".join(tenths)),
        ]
    imputer = plan.options.imputer(treatment.column)
    how = imputer if isinstance(imputer, str) else "as the options say"
    bad = f"{value_text(treatment.imputed, kind)} <small>{how}</small>"
    facts.append(("Bad values become", bad))
    uncut = () if plan.scoring is None else plan.scoring.uncut
    if plan.options.collar_prob and treatment.column not in uncut:
        cuts = (value_text(cut, kind) for cut in (treatment.lower, treatment.upper))
        facts.append(("Collar", " to ".join(cuts)))
    return facts


def _made_of(made: MadeColumn) -> str:
    if isinstance(made, CalendarPart):
        clock = "" if made.kind == "date" else f", by the clock of {safe(made.zone)}"
        return f"{names([made.column])}: its {made.part.replace('_', ' ')}{clock}"
    assert isinstance(made, JointColumn)
    return names(made.columns) + (", each inside the one before" if made.nested else ", together")
