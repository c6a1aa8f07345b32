"""Reads a report back: a tree of elements, refused where it is not well nested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "input", "br", "rect", "circle", "line", "polyline", "path"}


@dataclass
class Element:
    tag: str
    held: dict[str, str | None]
    inside: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(one if isinstance(one, str) else one.text for one in self.inside)

    @property
    def classes(self) -> list[str]:
        return (self.held.get("class") or "").split()

    def every(self, tag: str = "", kind: str = "", **held: str) -> Iterator[Element]:
        for one in self.inside:
            if isinstance(one, str):
                continue
            fits = all(one.held.get(name) == value for name, value in held.items())
            if one.tag in (tag, tag or one.tag) and (not kind or kind in one.classes) and fits:
                yield one
            yield from one.every(tag, kind, **held)

    def one(self, tag: str = "", kind: str = "", **held: str) -> Element:
        return next(self.every(tag, kind, **held))

    def rows(self) -> list[list[str]]:
        """The text of a table's own cells."""
        return [
            [cell.text.strip() for cell in row.inside if isinstance(cell, Element)]
            for row in self.every("tr")
        ]


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        element = Element(tag, dict(attrs))
        assert len(element.held) == len(attrs), f"an attribute of {tag} is there twice"
        self.open[-1].inside.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.open[-1].inside.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def read(html: str) -> Element:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert len(reader.open) == 1
    return reader.open[0]
