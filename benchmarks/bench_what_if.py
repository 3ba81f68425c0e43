"""The what-if page: milliseconds from a key press to the answer on the screen, and pictures of its use.

    python -m benchmarks.bench_what_if              a table of 200 columns, written to results/what_if.json
    python -m benchmarks.bench_what_if --pictures   also takes the pictures of docs/what-if.md

Time is measured in the browser, from the key event to the frame that shows the answer.
Needs Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from deltaresolver.cli.commands.ui import _open, _paste
from deltaresolver.table import Table
from deltaresolver.ui.app import ServedTables
from tests.conftest import find_browser
from tests.unit.ui.served_page import serving

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "what_if.json"
IMAGES = ROOT / "docs" / "images"
SHOWN = "/tmp/shop/orders"
"""The table of the pictures: its path is in them, so it is the same each time."""
COLUMNS = 200
PRESSES = 60
WATCH = """
window.spent = [];
let pressed = null;
addEventListener("keydown", () => { pressed = performance.now(); }, true);
new MutationObserver(() => requestAnimationFrame(() => {
  if (pressed !== null) { window.spent.push(performance.now() - pressed); pressed = null; }
})).observe(document.body, { attributes: true, attributeFilter: ["data-answered"] });
"""
"""`data-answered` is set when an answer has been drawn."""
WAIT = """
(number) => new Promise((done) => {
  const look = () => (window.spent.length > number ? done() : setTimeout(look, 5));
  look();
})
"""
"""Not by `wait_for_function`: the page's own policy forbids text as code."""
SWITCH = "delta.enableRowTracking"


def measure(page: Page, presses: int = PRESSES) -> list[float]:
    """Milliseconds of each key press that switches a property on and off again."""
    page.evaluate(WATCH)
    page.get_by_label(SWITCH, exact=True).focus()
    for number in range(presses):
        page.keyboard.press("ArrowUp" if number % 2 else "ArrowDown")
        page.evaluate(WAIT, number)
    found: list[float] = page.evaluate("window.spent")
    return found


def pictures(page: Page) -> Iterator[tuple[str, str]]:
    """Use the page with the keyboard alone, and yield the name of each picture to take."""
    yield "what-if-1", "the table as it is"
    page.locator("#clients").fill("trino@413, trino@483, delta-rs-python@1.6.6")
    page.locator("#clients").press("Enter")
    page.locator("#find").focus()
    page.keyboard.type("vectors")
    yield "what-if-2", "a property is looked for"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#back")).to_contain_text("DROP FEATURE")
    yield "what-if-3", "it is switched on: one client loses, and the way back is there"
    page.locator("#commands").scroll_into_view_if_needed()
    yield "what-if-4", "the commands that would do it"


def opened(page: Page, address: str) -> Page:
    """Open the page and wait for its first answer."""
    page.goto(address)
    page.wait_for_selector("body[data-answered]")
    return page


def main() -> None:
    """Measure, print and write; take the pictures if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", action="store_true", help="also take the pictures of docs/what-if.md")
    takes_pictures = parser.parse_args().pictures
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        wide = f"{folder}/wide"
        Table(wide).sql(f"CREATE TABLE t ({', '.join(f'c{one} STRING' for one in range(COLUMNS))}) USING delta")
        browser = playwright.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox"])
        with serving(ServedTables((wide,), lambda one: _open({}, one), _paste)) as door:
            spent = measure(opened(browser.new_page(), door.address))
        if takes_pictures:
            shutil.rmtree(SHOWN, ignore_errors=True)
            Table(SHOWN).sql("CREATE TABLE t (id BIGINT NOT NULL, country STRING, total DECIMAL(12,2)) USING delta")
            with serving(ServedTables((SHOWN,), lambda one: _open({}, one), _paste)) as door:
                page = opened(browser.new_page(viewport={"width": 1180, "height": 760}), door.address)
                for name, what in pictures(page):
                    page.screenshot(path=IMAGES / f"{name}.png")
                    print(f"{name}.png: {what}")
        browser.close()
    spent.sort()
    found = {
        "columns": COLUMNS,
        "presses": len(spent),
        "median_ms": round(statistics.median(spent), 1),
        "p95_ms": round(spent[int(len(spent) * 0.95)], 1),
        "least_ms": round(spent[0], 1),
        "load": round(os.getloadavg()[0], 1),
    }
    print(json.dumps(found))
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
