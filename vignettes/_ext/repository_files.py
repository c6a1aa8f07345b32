"""Links from pages to files of the repository that are no pages: they are copied to the site.

A link such as ``../../benchmarks/size_study.txt`` works where the page lies in the repository, and
on the site, where the browser shows the file.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import download_reference, pending_xref

FOLDER = "_files"


def linked_path(app: Any, link: nodes.Element) -> Path:
    """Return the file that a link leads to; one that might be a page has lost its suffix."""
    folder = Path(app.env.doc2path(app.env.docname)).parent
    path = Path(os.path.normpath(folder / link["reftarget"]))
    named = [path, *(path.with_name(path.name + end) for end in app.config.source_suffix)]
    return next((path for path in named if path.is_file()), path)


def copy_linked_files(app: Any, document: nodes.document) -> None:
    """Replace links to files beside the sources by links to copies of them."""
    root = Path(app.srcdir).parent
    links = [
        *document.findall(download_reference),
        *(link for link in document.findall(pending_xref) if link.get("refdomain") == "doc"),
    ]
    for link in links:
        path = linked_path(app, link)
        if path.is_relative_to(app.srcdir) or not path.is_relative_to(root) or not path.is_file():
            continue
        copy = Path(FOLDER, path.relative_to(root))
        Path(app.outdir, copy.parent).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, Path(app.outdir, copy))
        uri = "../" * app.env.docname.count("/") + copy.as_posix()
        link.replace_self(nodes.reference("", "", *link.children, internal=False, refuri=uri))


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-read", copy_linked_files, priority=400)  # before Sphinx collects them
    return {"parallel_read_safe": True, "parallel_write_safe": True}
