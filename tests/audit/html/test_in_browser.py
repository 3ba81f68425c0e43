"""The report as somebody opens it: from disk, in a browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from deltaresolver.audit.html import write_html
from tests.audit.sample_document import SampleAudit
from tests.conftest import find_browser

pytestmark = pytest.mark.browser

TABLES = 10_000
USABLE_SECONDS = 5.0
"""Far above what a step takes, far below what a page that re-renders ten thousand rows would."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "report.html"
    write_html(SampleAudit(TABLES), file)
    return file


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Chromium's own sandbox needs rights that a container may not give; the page is ours.
        opened = playwright.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def said() -> list[str]:
    """What the page wrote to the console, and what it asked of the network."""
    return []


@pytest.fixture
def page(browser: Browser, report: Path, said: list[str]) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else said.append(request.url))
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-ready]")
    yield page
    page.close()
    assert said == []


def shown(page: Page) -> int:
    return int(page.inner_text("#shown").split(" of ")[0].replace(",", ""))


def test_filters_narrow_the_list_and_clear_again(page: Page) -> None:
    tables = list(SampleAudit(TABLES).tables())
    assert shown(page) == TABLES

    page.select_option("select[name=feature]", "deletionVectors")
    with_vectors = [table for table in tables if any(f.name == "deletionVectors" for f in table.features)]
    assert shown(page) == len(with_vectors)

    page.fill("input[name=text]", "TEAM_3/")
    assert shown(page) == sum("team_3/" in table.location for table in with_vectors)
    assert "feature=deletionVectors" in page.url

    page.click("button[type=reset]")
    page.wait_for_function("document.querySelector('#shown').textContent.startsWith('10,000')")


def test_a_client_that_is_locked_out_can_be_asked_for(page: Page) -> None:
    page.select_option("select[name=client]", "trino@400")

    assert shown(page) == sum(table.profile is not None for table in SampleAudit(TABLES).tables())
    page.select_option("select[name=act]", "append")
    assert shown(page) == 0
    assert "No table matches" in page.inner_text("#list tbody")


def test_columns_sort_both_ways_and_say_so(page: Page) -> None:
    header = page.locator("#list th", has_text="No read")
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    most = int(page.locator("#list tbody tr").first.locator("td").nth(4).inner_text())
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    cells = page.locator("#list tbody tr").first.locator("td").nth(4).inner_text()
    assert most > int(cells or 0)


def test_ten_thousand_tables_are_quick_to_page_sort_and_filter(page: Page) -> None:
    started = time.perf_counter()
    page.click("#next")
    page.locator("#list th button", has_text="Location").click()
    page.fill("input[name=text]", "everything")
    spent = time.perf_counter() - started

    assert page.locator("#list tbody tr").count() == 100
    assert spent < USABLE_SECONDS


def test_a_table_has_its_page_with_graph_and_timeline(page: Page) -> None:
    table = next(table for table in SampleAudit(TABLES).tables() if len(table.features) > 3 and table.timeline)
    page.fill("input[name=text]", table.location)
    page.click("#list tbody a")

    page.wait_for_selector("#table h2")
    assert page.inner_text("#table h2") == table.location
    for feature in table.features:
        assert feature.name in page.inner_text("#table")
    labels = [drawing.get_attribute("aria-label") or "" for drawing in page.locator("#table svg").all()]
    assert [label.split(":")[0] for label in labels] == ["Feature graph", "Timeline"]

    page.go_back()
    page.wait_for_selector("#list tbody tr")
    assert page.is_visible("#tables")


def test_a_broken_table_shows_its_error_and_its_fix(page: Page) -> None:
    broken = next(table for table in SampleAudit(TABLES).tables() if table.error)
    page.fill("input[name=text]", broken.location)
    page.click("#list tbody a")

    page.wait_for_selector("#table .note.error")
    assert broken.error is not None
    assert broken.error.fix in page.inner_text("#table")


def test_tiles_and_bars_lead_into_the_list(page: Page) -> None:
    page.click("a.tile:has-text('cannot be read')")
    page.wait_for_function("!document.querySelector('#shown').textContent.startsWith('10,000')")
    assert shown(page) == sum(table.error is not None for table in SampleAudit(TABLES).tables())


def test_a_wrong_address_says_so(page: Page) -> None:
    page.evaluate("location.hash = '#table?location=nowhere'")

    page.wait_for_selector("#table .note.error")
    assert "no such table: nowhere" in page.inner_text("#table")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_light_and_dark(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)

    ratios = page.evaluate(CONTRAST)

    assert min(ratios.values()) >= 4.5, ratios


def test_paper_shows_the_overview_without_the_controls(page: Page) -> None:
    page.emulate_media(media="print")

    assert not page.is_visible("#filters")
    assert page.is_visible("#protocols-title")
    assert page.pdf(format="A4")[:4] == b"%PDF"


CONTRAST = """() => {
  const light = (text) => {
    const parts = text.match(/[0-9.]+/g).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = {};
  for (const chosen of ["h2", ".tile", ".tile.error b", ".tile.warning b", ".quiet", "#list a", ".chip.unused",
                        ".severity.error", ".severity.warning", ".severity.info", "thead th", "footer", "nav a"]) {
    const node = document.querySelector(chosen);
    if (!node) continue;
    const pair = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => b - a);
    found[chosen] = (pair[0] + 0.05) / (pair[1] + 0.05);
  }
  return found;
}"""
