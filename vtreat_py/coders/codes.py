"""The register of codes."""

from __future__ import annotations

from collections.abc import Iterable

from vtreat_py.coders.cat_b import CatB
from vtreat_py.coders.cat_d import CatD
from vtreat_py.coders.cat_n import CatN
from vtreat_py.coders.cat_p import CatP
from vtreat_py.coders.cat_q import CatQ
from vtreat_py.coders.clean import Clean
from vtreat_py.coders.code import Code
from vtreat_py.coders.is_bad import IsBad
from vtreat_py.coders.lev import Lev
from vtreat_py.coders.table_code import ImpactCode
from vtreat_py.coders.text import Text

# In the order of a column's variables.
CODES: list[Code] = [Clean(), IsBad(), Lev(), CatP(), CatB(), CatN(), CatD(), CatQ()]
# What other plans are made of, beside these.
TEXT = Text()


def names(codes: Iterable[Code] | None = None) -> tuple[str, ...]:
    """Names of all codes, or of some."""
    return tuple(code.name for code in (CODES if codes is None else codes))


def names_in_plans() -> tuple[str, ...]:
    """Names of the codes that variables of a plan can have."""
    return names([*CODES, TEXT])


def named(name: str) -> Code:
    """Return the code of a name."""
    return next(code for code in [*CODES, TEXT] if code.name == name)


def for_outcome(outcome_type: str) -> list[Code]:
    """Codes that are built for a type of outcome."""
    return [code for code in CODES if outcome_type in code.outcomes]


def of_classes() -> list[Code]:
    """Codes that can be built once for each of several classes."""
    return [code for code in for_outcome("multinomial") if code.y_aware or code.of_class]


def names_of_levels() -> tuple[str, ...]:
    """Names of the codes of categorical columns."""
    return names(code for code in CODES if code.reads == "levels")


def impact_code(outcome_type: str) -> ImpactCode:
    """Return the impact code of a type of outcome."""
    return next(code for code in for_outcome(outcome_type) if isinstance(code, ImpactCode))
