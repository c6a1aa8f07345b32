"""The page in a browser: what its script does, told by a page that uses itself."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.report.plans import of_classes

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "chrome"]
BROWSER = next((one for one in BROWSERS if shutil.which(one)), None)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--blink-settings=preferredColorScheme=1", "--window-size=400,900",
]  # fmt: skip

pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="there is no Chromium"),
    pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning"),
]

# What a reader does, and what there is to be seen after it.
READER = """
<script>
window.onerror = (message) => { document.body.dataset.error = message; };
window.addEventListener("load", () => {
  const seen = {};
  const one = (what) => document.querySelector(what);
  const bodies = () => [...one("table.columns").tBodies];
  const names = () => bodies().filter((b) => !b.hidden)
    .map((b) => b.querySelector("bdi").textContent);
  const ground = () => getComputedStyle(document.body).backgroundColor;
  const type = (text) => {
    one("#search").value = text;
    one("#search").dispatchEvent(new Event("input"));
  };
  const heads = [...one("table.columns").tHead.rows[0].cells];
  const head = (name) => heads.find((h) => h.textContent === name);
  const sort = (name) => { head(name).querySelector("button").click(); return names(); };
  const card = bodies()[0].querySelector(".more > td > div");
  const button = bodies()[0].querySelector("button");
  const visible = () => card.offsetHeight > 1;

  seen.first = names();
  seen.wide = [document.documentElement.scrollWidth, window.innerWidth];
  seen.folded = visible();
  button.click();
  seen.open = [visible(), button.getAttribute("aria-expanded")];
  button.click();
  seen.closed = [visible(), button.getAttribute("aria-expanded")];
  one("#unfold").click();
  seen.all = bodies()
    .every((b) => b.querySelector("button").getAttribute("aria-expanded") === "true");
  seen.wideOpen = [document.documentElement.scrollWidth, window.innerWidth];

  type("Z_IS");
  seen.variable = [names(), one("#count").textContent];
  type("no such");
  seen.none = [names(), one(".nothing").hidden];
  type("");

  seen.byName = sort("Column");
  seen.byNameAgain = [sort("Column"), head("Column").getAttribute("aria-sort")];
  seen.byMissing = sort("Missing");
  seen.sorted = heads.filter((h) => h.hasAttribute("aria-sort")).length;
  seen.byNumber = sort("No.");

  one('[data-tag="recommended"]').click();
  seen.recommended = names();
  const link = one(".top a");
  window.location.hash = link.getAttribute("href");
  window.dispatchEvent(new HashChangeEvent("hashchange"));
  seen.followed = `#${document.activeElement.closest("tbody").id}` === window.location.hash;
  one('[data-tag=""]').click();

  const picker = one("#class");
  picker.value = "1";
  picker.dispatchEvent(new Event("change"));
  seen.classes = [...new Set([...document.querySelectorAll("[data-k]")]
    .filter((e) => !e.hidden).map((e) => e.dataset.k))];

  seen.light = [ground(), one("#theme").getAttribute("aria-pressed")];
  one("#theme").click();
  seen.dark = [ground(), one("#theme").getAttribute("aria-pressed")];
  seen.tabs = [...document.querySelectorAll("button, input, select, a, summary, [tabindex]")]
    .every((e) => e.tabIndex === 0);
  document.body.dataset.seen = JSON.stringify(seen);
});
</script></body>"""


@pytest.fixture(scope="module")
def plan() -> Any:
    return of_classes()


@pytest.fixture(scope="module")
def seen(plan: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("browser")
    path = home / "report.html"
    path.write_text(plan.report().html.replace("</body>", READER), encoding="utf-8")
    dumped = browse(path, home)
    found = re.search(r'data-seen="([^"]*)"', dumped)
    error = re.search(r'data-error="([^"]*)"', dumped)
    assert found is not None, error and error[1]
    seen: dict[str, Any] = json.loads(html.unescape(found[1]))
    return seen


def browse(path: Path, home: Path) -> str:
    """The page as it is once its scripts have run."""
    assert BROWSER is not None
    command = [BROWSER, *FLAGS, f"--user-data-dir={home / 'profile'}", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, timeout=120, check=True)
    return done.stdout.decode()


def test_columns_fold_out_and_in(seen: dict[str, Any]) -> None:
    assert seen["folded"] is False
    assert seen["open"] == [True, "true"]
    assert seen["closed"] == [False, "false"]
    assert seen["all"]


def test_the_search_finds_variables_and_says_how_many(seen: dict[str, Any]) -> None:
    assert seen["variable"] == [["z"], "1 of 5 columns"]
    assert seen["none"] == [[], False]


def test_the_list_sorts(seen: dict[str, Any], plan: Any) -> None:
    names = list(plan.variables)
    assert seen["first"] == seen["byNumber"] == names
    assert seen["byName"] == sorted(names)
    assert seen["byNameAgain"] == [sorted(names)[::-1], "descending"]
    assert seen["byMissing"] == ["z", "x", *(c for c in names if c not in ("x", "z"))]
    assert seen["sorted"] == 1


def test_columns_are_chosen_and_links_show_theirs(seen: dict[str, Any], plan: Any) -> None:
    scores = plan.score_frame
    kept = set(scores.loc[scores["recommended"], "orig_variable"])
    assert seen["recommended"] == [c for c in plan.variables if c in kept]
    assert len(kept) < len(plan.variables)
    assert seen["followed"]


def test_one_class_is_looked_at(seen: dict[str, Any]) -> None:
    assert seen["classes"] == ["1"]


def test_the_switch_turns_the_page_dark(seen: dict[str, Any]) -> None:
    assert seen["light"] == ["rgb(246, 247, 249)", "false"]
    assert seen["dark"] == ["rgb(17, 21, 27)", "true"]


def test_a_narrow_page_does_not_scroll_sideways(seen: dict[str, Any]) -> None:
    for width, window in (seen["wide"], seen["wideOpen"]):
        assert width <= window


def test_all_controls_can_be_reached_by_keys(seen: dict[str, Any]) -> None:
    assert seen["tabs"]
