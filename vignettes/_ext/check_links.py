"""Check that all that the built site's pages lead to is there: files, and places in them.

Run: python vignettes/_ext/check_links.py build/site
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page leads to, and the places in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.leads_to: list[str] = []
        self.places = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note a tag's links, and its name."""
        for name, value in attributes:
            if name in ("href", "src") and value and not (tag == "link" and value == "#"):
                self.leads_to.append(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


@cache
def page(path: Path) -> Page:
    """Read a page once."""
    return Page(path.read_text(encoding="utf-8"))


def broken(site: Path) -> list[str]:
    """Return what leads nowhere: ``page: link``."""
    found = []
    for path in sorted(set(site.rglob("*.html")) - set(site.glob("_static/**/*"))):
        for link in page(path).leads_to:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            target = target / "index.html" if target.is_dir() else target
            is_there = target.is_file() and (
                target.suffix != ".html" or unquote(parts.fragment) in page(target).places
            )
            if not is_there:
                found.append(f"{path.relative_to(site)}: {link}")
    return found


if __name__ == "__main__":
    site = Path(sys.argv[1]).resolve()
    pages = list(site.rglob("*.html"))
    if not pages:
        sys.exit(f"{site} has no pages: build the site first")
    found = broken(site)
    print("\n".join(found))
    print(f"{len(found)} broken links in {len(pages)} pages")
    sys.exit(1 if found else 0)
