"""The sources of the site: nothing public, no vignette and no page is left out, no link is dead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path, PurePosixPath

import pytest

import vtreat_py as vt

HOME = Path(__file__).parents[1]
SOURCES = HOME / "vignettes"
VIGNETTES = sorted((SOURCES / "gallery").glob("*.py"))
PAGES = sorted(p for p in SOURCES.rglob("*.md") if not p.parent.name.startswith("_"))
MODULES = ["", ".evaluation", ".onnx_models", ".plots", ".compat", ".split_plans", ".testing"]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def text_of(path: Path) -> str:
    """What readers of a page read: of a program, its cells of text."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        text = "\n".join(line[2:] for line in text.splitlines() if line.startswith("# "))
    return text


def public_names() -> set[str]:
    """What is exported, by full names; modules of users are no names of their own."""
    return {
        f"vtreat_py{place}.{name}"
        for place in MODULES
        for name in import_module(f"vtreat_py{place}").__all__
        if f".{name}" not in MODULES
    }


def test_every_public_name_is_in_the_reference() -> None:
    index = text_of(SOURCES / "api" / "index.md")
    listed = set(re.findall(r"~(vtreat_py[\w.]+)", index)) | {"vtreat_py.__version__"}
    for module in re.findall(r":module: ([\w.]+)", index):
        listed |= {f"{module}.{name}" for name in import_module(module).__all__}
    assert listed == public_names()
    assert "vtreat_py.__version__" in index


def test_every_option_of_a_design_is_described() -> None:
    described = inspect.getdoc(vt.design_treatments)
    assert described is not None
    options = set(inspect.signature(vt.design_treatments).parameters)
    heads = re.findall(r"^(\w+(?:, \w+)*) : ", described, flags=re.MULTILINE)
    assert options <= {name for head in heads for name in head.split(", ")}


def test_vignettes_are_numbered_one_after_the_other() -> None:
    names = [re.fullmatch(r"(\d\d)_([a-z_]+)", path.stem) for path in VIGNETTES]
    assert all(names)
    assert [int(name[1]) for name in names if name] == list(range(1, len(VIGNETTES) + 1))


@pytest.mark.parametrize("path", VIGNETTES, ids=lambda path: path.stem)
def test_a_vignette_begins_with_its_title_and_asserts_something(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# %% [markdown]"
    assert re.fullmatch(r"# # \S.*", lines[1])
    assert any(line.lstrip().startswith(("assert ", "np.testing.")) for line in lines)
    assert "--draw" not in "\n".join(lines)


def test_every_vignette_is_in_the_gallery_with_a_line() -> None:
    index = text_of(SOURCES / "gallery" / "index.md")
    cards = re.findall(r"^:::\{vignette\} (\w+)\n(\S.*)\n:::$", index, flags=re.MULTILINE)
    assert sorted(name for name, _ in cards) == [path.stem for path in VIGNETTES]


def in_toctrees(page: Path) -> Iterator[Path]:
    """What the tables of contents of a page name, patterns being patterns."""
    for body in re.findall(r"```\{toctree\}\n(.*?)```", text_of(page), flags=re.DOTALL):
        for line in body.splitlines():
            entry = re.sub(r".*<(.+)>", r"\1", line.strip())
            if entry and not entry.startswith(":"):
                pattern = str(PurePosixPath(entry.removesuffix(".md").removesuffix(".py")))
                yield from (
                    path
                    for path in page.parent.glob(f"{pattern}.*")
                    if path.suffix in (".md", ".py")
                )


def test_every_page_is_in_a_table_of_contents() -> None:
    listed, new = set(), {SOURCES / "index.md"}
    while new:
        listed |= new
        new = {found.resolve() for page in new for found in in_toctrees(page)} - listed
    assert set(PAGES) | set(VIGNETTES) == listed


def anchors(path: Path) -> set[str]:
    """The places that headings make, as GitHub and the site name them."""
    heads = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text_of(path), flags=re.DOTALL), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head).lower() for head in heads)
    return {re.sub(r"[^\w\- ]", "", head).strip().replace(" ", "-") for head in plain}


@pytest.mark.parametrize(
    "path",
    [
        *PAGES,
        *VIGNETTES,
        *(HOME / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")),
    ],
    ids=lambda path: path.stem,
)
def test_links_to_files_lead_somewhere(path: Path) -> None:
    dead = []
    for link in LINK.findall(text_of(path)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, place = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or (place and place not in anchors(target)):
            dead.append(link)
    assert dead == []


def test_the_checker_of_the_built_site_finds_what_is_broken(tmp_path: Path) -> None:
    spec = spec_from_file_location("check_links", SOURCES / "_ext" / "check_links.py")
    assert spec is not None
    assert spec.loader is not None
    checker = module_from_spec(spec)
    spec.loader.exec_module(checker)
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.css").touch()
    (tmp_path / "index.html").write_text(
        '<link href="a.css"><h1 id="here">x</h1><a href="#here"></a><a href="#nowhere"></a>'
        '<a href="sub/page.html#there"></a><a href="sub/page.html#gone"></a>'
        '<a href="https://example.org/none"></a><img src="none.png">'
    )
    (tmp_path / "sub" / "page.html").write_text('<p id="there"></p><a href="../index.html"></a>')
    assert checker.broken(tmp_path) == [
        "index.html: #nowhere",
        "index.html: sub/page.html#gone",
        "index.html: none.png",
    ]
