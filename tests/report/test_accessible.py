"""That the page can be used by all: names, headings, heads of tables, contrast."""

from __future__ import annotations

import re
from importlib import resources
from itertools import pairwise

import pytest

from tests.report.plans import plan_of
from tests.report.reading import Element, read

STYLE = resources.files("vtreat_py.report").joinpath("style.css").read_text(encoding="utf-8")
TEXTS = ["text", "soft", "link", "yes"]
GROUNDS = ["page", "card", "hover", "note"]
# What drawings say must stand out of the ground, as borders of buttons must (WCAG 2.2, 1.4.11).
MARKS = ["mark", "raw", "soft", "line-two", "line-three", "line-four", "note-edge", "text"]

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")


@pytest.fixture(scope="module", params=["two classes", "several classes", "no outcome"])
def page(request: pytest.FixtureRequest) -> Element:
    return read(plan_of(request.param).report().html)


def palettes() -> list[dict[str, str]]:
    blocks = re.findall(r"\{\s*color-scheme: \w+;(.*?)\}", STYLE, flags=re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in blocks]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def test_the_two_ways_to_the_dark_are_one() -> None:
    light, by_system, by_switch = palettes()
    assert by_system == by_switch
    assert set(light) == set(by_switch)


@pytest.mark.parametrize("which", [0, 2])
def test_text_and_marks_stand_out_of_their_ground(which: int) -> None:
    colours = palettes()[which]
    for ground in GROUNDS:
        for text in TEXTS:
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for mark in MARKS:
        assert contrast(colours[mark], colours["card"]) >= 3.0, mark


def test_headings_come_in_order_and_parts_have_names(page: Element) -> None:
    levels = [int(one.tag[1]) for one in page.every() if re.fullmatch(r"h[1-6]", one.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    for tag in ("header", "main", "footer"):
        assert len(list(page.every(tag))) == 1
    ids = [one.held["id"] for one in page.every() if "id" in one.held]
    assert len(ids) == len(set(ids))
    for one in page.every("section"):
        assert one.held["aria-labelledby"] in ids


def test_every_drawing_has_a_name_or_is_said_by_the_text(page: Element) -> None:
    drawings = [one for one in page.every("svg") if "viewbox" not in one.held]
    assert drawings
    for one in drawings:
        if "aria-hidden" not in one.held:
            assert one.held["role"] == "img"
            assert one.one("title").text


def test_tables_have_heads(page: Element) -> None:
    for table in page.every("table"):
        for one in table.one("thead").every("th"):
            assert one.held["scope"] == "col"
            assert one.text
        for row in table.one("tbody").every("tr", "row"):
            assert row.one("th").held["scope"] == "row"
    heads = list(page.one("table", "columns").one("thead").every("th"))
    assert [one.held.get("aria-sort") for one in heads].count("ascending") == 1


def test_without_a_script_what_folds_out_is_shown_and_nothing_else(page: Element) -> None:
    (style,) = (one.one("style").text for one in page.every("noscript"))
    shown = style[: style.index("{display:block")].rpartition("}")[2]
    assert shown == '[hidden="until-found"]'
    held = [one.held["hidden"] for one in page.every() if "hidden" in one.held]
    assert held.count("until-found") == len(held) - 1
    assert "hidden" in page.one("p", "nothing").held


def test_controls_are_buttons_and_have_names(page: Element) -> None:
    for one in page.every("button"):
        assert one.text.strip()
    labelled = [one for label in page.every("label") for one in label.every()]
    for tag in ("input", "select"):
        assert all(one in labelled for one in page.every(tag))
    ids = {one.held.get("id") for one in page.every()}
    for one in page.one("table", "columns").every("button", **{"aria-expanded": "false"}):
        assert one.held["aria-controls"] in ids
    assert not [one for one in page.every() if int(one.held.get("tabindex") or 0) > 0]
