"""References of dbt: a query as a template of Jinja, in which all but these stays what it is."""

from __future__ import annotations

import re
from collections.abc import Mapping

_REFERENCE = re.compile(r"\s*\{\{.*\}\}\s*", re.DOTALL)
# What Jinja reads as its own, and ends of lines that it would write in another way.
_OWN = re.compile(r"\{(?=[{%#])|\r")
_WRITTEN = {"{": "{{ '{' }}", "\r": r"{{ '\r' }}"}
# No name and no literal holds NUL, so nothing else can look like that.
_STAND_IN = "\0{}\0"


def is_reference(source: object) -> bool:
    """Whether a source is an expression of Jinja, such as ``{{ ref('visits') }}``."""
    return isinstance(source, str) and _REFERENCE.fullmatch(source) is not None


def stand_in(number: int) -> str:
    """Stand in for a reference until `as_template` puts it in."""
    return _STAND_IN.format(number)


def as_template(text: str, references: Mapping[str, str]) -> str:
    """Write text so that Jinja gives it back, with references where their stand-ins are."""
    text = _OWN.sub(lambda found: _WRITTEN[found[0]], text)
    for where, reference in references.items():
        text = text.replace(where, reference)
    return text
