"""Names in pages and docstrings lead to their pages, and a name of ours that is none is an error.

In docstrings single backticks are references; in Markdown, code that is just a public name
(``design_treatments``, ``vt.prepare``, ``plan.audit``, ``plots.scree``) becomes one.
"""

from __future__ import annotations

from functools import cache
from pydoc import locate
from typing import Any

from api_pages import members, public_names
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform


@cache
def targets() -> dict[str, str]:
    """Return what users write for each public name, and the name in full."""
    found = {}
    for full, thing in public_names().items():
        short = full.removeprefix("vtreat_py.")
        found |= dict.fromkeys((full, short, f"vt.{short}"), full)
        if isinstance(thing, type) and full.count(".") == 1:
            properties, methods, _ = members(thing)
            for member in (*properties, *methods):
                found[f"{short}.{member}"] = f"{full}.{member}"
                if short == "TreatmentPlan":
                    found[f"plan.{member}"] = found[f"plan_.{member}"] = f"{full}.{member}"
    in_evaluation = (full for full in public_names() if full.startswith("vtreat_py.evaluation."))
    return {full.rpartition(".")[2]: full for full in in_evaluation} | found


class LinkedNames(SphinxTransform):
    """Code in Markdown that is a public name becomes a reference to it."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Wrap each such piece of code, unless it is in a link already."""
        if not str(self.env.doc2path(self.env.docname)).endswith((".md", ".py")):
            return
        for code in list(self.document.findall(nodes.literal)):
            full = targets().get(code.astext().removesuffix("()"))
            if full and not isinstance(code.parent, nodes.reference | nodes.title | pending_xref):
                reference = pending_xref(
                    refdomain="py", reftype="obj", reftarget=full, refexplicit=True, refwarn=True
                )
                reference["refdoc"] = self.env.docname
                code.replace_self(reference)
                reference += code


def resolve(app: Any, env: Any, reference: pending_xref, content: Any) -> Any:
    """Find the page of a name that is written as users write it.

    A name in full that exists, but is not public, stays code.
    """
    if reference.get("refdomain") != "py":
        return None
    target = reference["reftarget"]
    full = targets().get(target)
    if full and full != target:
        domain, builder, refdoc = env.domains.python_domain, app.builder, reference["refdoc"]
        return domain.resolve_xref(env, refdoc, builder, "obj", full, reference, content)
    if target.startswith("vtreat_py.") and locate(target) is not None:
        return content
    return None


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_transform(LinkedNames)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
