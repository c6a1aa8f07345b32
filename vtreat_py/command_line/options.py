"""Options of a design, and of what is to come out of a plan: each is written once, here.

They have the names of `vtreat_py.design_treatments` and `vtreat_py.prepare`, with dashes. One that
is not given is not passed on, so that defaults are those of the functions.
"""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from vtreat_py.command_line import values


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes
    ----------
    name : str
        Its name in the function.
    help : str
    read : callable or None
        Makes a value of text; None for a flag.
    shown : str
        What stands for the value in the help.
    several : bool
        Whether it may be given more than once, each time with several values.
    """

    name: str
    help: str
    read: Callable[[str], Any] | None = str
    shown: str = "NAME"
    several: bool = False

    @property
    def flag(self) -> str:
        """How it is written."""
        return f"--{self.name.replace('_', '-')}"

    def add_to(self, parser: Any) -> None:
        """Add it to a parser, without a default."""
        given: dict[str, Any] = {"dest": self.name, "default": SUPPRESS, "help": self.help}
        if self.read is None:
            parser.add_argument(self.flag, action="store_true", **given)
            return
        action = "extend" if self.several else "store"
        given |= {"type": self.read, "metavar": self.shown}
        parser.add_argument(self.flag, action=action, **given)


def _names(name: str, help: str, shown: str = "NAMES") -> Option:  # noqa: A002 (as argparse has it)
    return Option(name, help, values.names, shown, several=True)


DESIGN = (
    Option(
        "outcome",
        "the column that is to be predicted; with --outcome-type survival two: TIME,EVENT",
    ),
    Option(
        "outcome_type",
        "numeric, binomial, multinomial, rate, survival or unsupervised (default: told by the "
        "outcome)",
        shown="TYPE",
    ),
    Option(
        "target", "the positive class (default: the last of two in sorted order)", shown="CLASS"
    ),
    Option("exposure", "the column that counts are per: the outcome is then a rate"),
    _names("variables", "columns to treat (default: all but those that other options name)"),
    _names("categorical", "columns of numbers that are names, such as zip codes: levels"),
    _names("missing_values", "texts that mean missing, such as ?,unknown", "TEXTS"),
    Option("sample_weight", "the column of weights"),
    Option("weight_kind", "frequency or importance (default: frequency)", shown="KIND"),
    Option("groups", "the column whose equal values share a fold"),
    Option(
        "cv",
        'number of folds, a column that says which fold a row is in, or "ordered" (default: 5)',
        values.number_or_word,
        "FOLDS",
    ),
    Option("random_state", "seed of the folds", values.whole_number, "SEED"),
    Option("row_id", "integers or text that tell the rows apart; folds are dealt by them"),
    Option(
        "calendar",
        "parts that are made of dates: auto, none, or some of month, week, day, is_month_end, "
        "weekday, hour (default: auto)",
        values.calendar,
        "PARTS",
    ),
    Option(
        "composites", "columns that are coded together", values.composites, "A:B,...", several=True
    ),
    Option(
        "hierarchies",
        "whose effect a level's is shrunk to",
        values.pairs,
        "ZIP=COUNTY,...",
        several=True,
    ),
    Option(
        "min_fraction",
        "share of the rows a level needs for an indicator (default: 0.02)",
        values.number,
        "SHARE",
    ),
    Option(
        "smoothing",
        "shrinkage of impact codes: auto, mixed or a number of rows (default: auto)",
        values.number_or_word,
        "ROWS",
    ),
    Option(
        "rare_count", "levels of at most this many rows are pooled (default: 0)", values.number, "N"
    ),
    Option(
        "rare_sig",
        "levels that do not differ from the rest at this p-value get no indicator and no impact",
        values.number,
        "P",
    ),
    Option(
        "collar_prob",
        "share of the rows that --collar cuts off at each end (default: 0.0)",
        values.number,
        "SHARE",
    ),
    _names("coders", "codes to build, such as clean,isBAD,catB", "CODES"),
    Option("quantile", "the quantile that catQ is of (default: 0.5)", values.number, "Q"),
    _names("y_dependent_coders", "codes that are built once for each of several classes", "CODES"),
    Option(
        "max_classes",
        "more classes than this are refused (default: 100)",
        values.whole_number,
        "N",
    ),
    Option("cat_scaling", "slopes of a class outcome in logistic units", read=None),
    Option(
        "imputation",
        "what stands for bad numbers: mean, median or a number (default: mean)",
        values.number_or_word,
        "BY",
    ),
    Option(
        "imputation_map", "the same by column", values.pairs, "COLUMN=BY,...", several=True
    ),
    Option(
        "significance",
        "tests: calibrated, ordered or classic (default: calibrated)",
        shown="TESTS",
    ),
    Option("force_split", "score every variable on the cross-frame", read=None),
    Option("n_jobs", "threads; -1: as many as there are cores", values.whole_number, "N"),
)  # fmt: skip

PRUNING = (
    Option(
        "prune_sig",
        "keep variables of at most this p-value, or those that are plausible or recommended "
        "(default: all)",
        values.number_or_word,
        "P",
    ),
    Option("prune_by", "sig, sig_fdr or sig_fwer: the p-value that is meant (default: sig)",
           shown="WHICH"),
    Option("scale", "y-aware scaling: variables in units of the outcome", read=None),
    Option("collar", "clip numbers to the range of the design", read=None),
)  # fmt: skip

CHOICE = (
    *PRUNING,
    _names("variables", "derived variables to return (default: all)"),
    _names("coders", "codes to return (default: all)", "CODES"),
)

# Options of the functions that a command line has no words for, or other ones.
NOT_OF_DESIGN = (
    "frame", "custom_coders", "progress", "keep_statistics", "privacy",
)  # fmt: skip


def add(parser: ArgumentParser, title: str, options: Iterable[Option]) -> None:
    """Add options under a title."""
    group = parser.add_argument_group(title)
    for option in options:
        option.add_to(group)


def given(options: Namespace, known: Iterable[Option]) -> dict[str, Any]:
    """Those that were given, as the functions take them."""
    found = {one.name: getattr(options, one.name) for one in known if hasattr(options, one.name)}
    if "hierarchies" in found:
        found["hierarchies"] = dict(found["hierarchies"])
    if "imputation_map" in found:
        by_column = found["imputation_map"]
        found["imputation_map"] = {name: values.number_or_word(by) for name, by in by_column}
    return found
