"""The vignettes as pages: notebooks and programs to download, pictures for the gallery."""

from __future__ import annotations

import shutil
from pathlib import Path
from textwrap import wrap
from typing import Any

import jupytext
import matplotlib as mpl
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

mpl.use("Agg")
import matplotlib.pyplot as plt

FOLDER = "gallery"
NOTEBOOKS, PICTURES = "_notebooks", "_thumbnails"


def is_vignette(docname: str) -> bool:
    """Whether a page is a vignette."""
    return docname.startswith(f"{FOLDER}/") and docname[len(FOLDER) + 1].isdigit()


def read_program(text: str) -> Any:
    """Return a program of cells as a notebook of Python, run or not."""
    notebook = jupytext.reads(text, fmt="py:percent")
    notebook.metadata["kernelspec"] = {
        "name": "python3", "display_name": "Python 3", "language": "python",
    }  # fmt: skip
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    return notebook


def title_of(path: Path) -> str:
    """Return the title of a vignette, which its first cell begins with."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# # "):
            return line.removeprefix("# # ")
    raise ValueError(f"{path} has no line '# # Title'")


class VignetteCard(SphinxDirective):
    """A vignette in the gallery: picture, title, and the line that is the content."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return a card that leads to the vignette."""
        (name,) = self.arguments
        title = title_of(Path(self.env.srcdir, FOLDER, f"{name}.py"))
        card = nodes.container(classes=["vignette-card"])
        picture = f'<img src="../{PICTURES}/{name}.png" alt="" loading="lazy" width="480">'
        card += nodes.raw("", picture, format="html")
        text = nodes.container(classes=["vignette-card-text"])
        link = pending_xref(
            "", nodes.inline("", title), refdomain="std", reftype="doc", refexplicit=True,
            refdoc=self.env.docname, reftarget=name, refwarn=True,
        )  # fmt: skip
        text += nodes.paragraph("", "", link, classes=["vignette-card-title"])
        self.state.nested_parse(self.content, self.content_offset, text)
        card += text
        return [card]


def spread(_app: Any, _env: Any, docnames: list[str]) -> None:
    """Put vignettes, which take long, evenly among all pages, of which processes take shares."""
    slow = [name for name in docnames if is_vignette(name)]
    others = [name for name in docnames if not is_vignette(name)]
    step = max(1, round(len(docnames) / max(1, len(slow))))
    for number, name in enumerate(slow):
        others.insert(number * step, name)
    docnames[:] = others


def offer_downloads(app: Any, document: nodes.document) -> None:
    """Put links to the notebook and the program under a vignette's title."""
    if not is_vignette(app.env.docname):
        return
    name = Path(app.env.docname).name
    line = nodes.paragraph("", "Download this page: ", classes=["vignette-downloads"])
    for number, (text, end) in enumerate((("notebook", "ipynb"), ("program", "py"))):
        line += nodes.Text(", " if number else "")
        line += nodes.reference("", f"{text} (.{end})", refuri=f"../{NOTEBOOKS}/{name}.{end}")
    title = next(document.findall(nodes.title))
    title.parent.insert(title.parent.index(title) + 1, line)


def write_files(app: Any, failure: Exception | None) -> None:
    """Write what pages of vignettes lead to: notebooks, programs and pictures."""
    if failure or app.builder.format != "html":
        return
    for folder in (NOTEBOOKS, PICTURES):
        Path(app.outdir, folder).mkdir(exist_ok=True)
    for docname in filter(is_vignette, sorted(app.env.found_docs)):
        source = Path(app.env.doc2path(docname))
        shutil.copy(source, Path(app.outdir, NOTEBOOKS))
        notebook = read_program(source.read_text(encoding="utf-8"))
        jupytext.write(notebook, Path(app.outdir, NOTEBOOKS, f"{source.stem}.ipynb"))
        _write_picture(app, docname, Path(app.outdir, PICTURES, f"{source.stem}.png"))


def _write_picture(app: Any, docname: str, path: Path) -> None:
    """Write the first picture of a page, or its title where it has none, for the gallery."""
    figure = plt.figure(figsize=(4.8, 2.7), dpi=150, facecolor="white")
    ax = figure.add_axes((0.03, 0.04, 0.94, 0.92))
    ax.set_axis_off()
    uris = (image["uri"] for image in app.env.get_doctree(docname).findall(nodes.image))
    first = next((uri for uri in uris if uri.endswith(".png")), None)
    if first is not None:
        ax.imshow(plt.imread(Path(app.outdir, "_images", app.env.images[first][1])))
    else:
        figure.set_facecolor("#eaf2f8")
        title = title_of(Path(app.env.doc2path(docname)))
        words = "\n".join(wrap(title.partition(":")[0], 18))
        ax.text(0.5, 0.5, words, size=22, color="#005a8f", ha="center", va="center", weight="bold")
    figure.savefig(path)
    plt.close(figure)


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("vignette", VignetteCard)
    app.connect("env-before-read-docs", spread)
    app.connect("doctree-read", offer_downloads)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
