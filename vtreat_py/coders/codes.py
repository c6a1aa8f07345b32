"""The register of codes."""

from __future__ import annotations

from collections.abc import Iterable

from vtreat_py.coders.bins import Bins
from vtreat_py.coders.cat_b import CatB
from vtreat_py.coders.cat_d import CatD
from vtreat_py.coders.cat_n import CatN
from vtreat_py.coders.cat_p import CatP
from vtreat_py.coders.cat_q import CatQ
from vtreat_py.coders.cat_r import CatR
from vtreat_py.coders.clean import Clean
from vtreat_py.coders.code import Code
from vtreat_py.coders.is_bad import IsBad
from vtreat_py.coders.isotonic import Isotonic
from vtreat_py.coders.kept_text import KeptText
from vtreat_py.coders.lev import Lev
from vtreat_py.coders.piecewise import Piecewise
from vtreat_py.coders.spline import Spline
from vtreat_py.coders.table_code import ImpactCode
from vtreat_py.coders.text import Text
from vtreat_py.coders.window import Window

# In the order of a column's variables.
CODES: list[Code] = [
    *(Clean(), IsBad(), Lev(), CatP(), CatB(), CatN(), CatR(), CatD(), CatQ(), Text()),
    *(Piecewise(), Spline(), Window(), Isotonic(), Bins()),
]
# What other plans are made of, beside these.
KEPT = KeptText()


def every(own: Iterable[Code] = ()) -> list[Code]:
    """All codes: those of the package, then a design's own."""
    return [*CODES, *own]


def names(codes: Iterable[Code] | None = None) -> tuple[str, ...]:
    """Names of all codes of the package, or of some."""
    return tuple(code.name for code in (CODES if codes is None else codes))


def names_in_plans(own: Iterable[Code] = ()) -> tuple[str, ...]:
    """Names of the codes that variables of a plan can have."""
    return names([*every(own), KEPT])


def named(name: str, own: Iterable[Code] = ()) -> Code:
    """Return the code of a name."""
    return next(code for code in [*every(own), KEPT] if code.name == name)


def for_outcome(outcome_type: str, own: Iterable[Code] = ()) -> list[Code]:
    """Codes that are built for a type of outcome."""
    return [code for code in every(own) if outcome_type in code.outcomes]


def of_classes(own: Iterable[Code] = ()) -> list[Code]:
    """Codes that can be built once for each of several classes."""
    return [code for code in for_outcome("multinomial", own) if code.y_aware or code.of_class]


def names_of_levels(own: Iterable[Code] = ()) -> tuple[str, ...]:
    """Names of the codes of categorical columns."""
    return names(code for code in every(own) if code.reads == "levels")


def names_of_texts() -> tuple[str, ...]:
    """Names of the codes that read the texts of levels never seen."""
    return names(code for code in CODES if isinstance(code, Text))


def names_of_impact() -> tuple[str, ...]:
    """Names of the codes that joint columns have by their parts."""
    return names(code for code in CODES if isinstance(code, ImpactCode))


def with_impact(asked: Iterable[str], outcome_type: str) -> tuple[str, ...]:
    """Add the impact code of a type of outcome to codes, where codes have their place."""
    wanted = {*asked, impact_code(outcome_type).name}
    return (*(name for name in names() if name in wanted), *(n for n in asked if n not in names()))


def impact_code(outcome_type: str) -> ImpactCode:
    """Return the impact code of a type of outcome."""
    return next(code for code in for_outcome(outcome_type) if isinstance(code, ImpactCode))
