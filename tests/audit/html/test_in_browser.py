"""The report as somebody opens it: from disk, in a browser."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from deltaresolver.audit.report import write_html
from tests.audit.html import page_checks
from tests.audit.sample_document import SampleAudit
from tests.conftest import AXE, find_browser, missing_axe

pytestmark = pytest.mark.browser

TABLES = 10_000
USABLE_SECONDS = 5.0
"""Far above what a step takes, far below what a page that re-renders ten thousand rows would."""

FILTER_SECONDS = 0.1
"""Of processor time: what people take for at once."""


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


def open_a_table(page: Page) -> None:
    """The page of a table that has features, a history and findings."""
    page.evaluate("location.hash = '#table?location=' + encodeURIComponent(columns.location[25])")
    page.wait_for_selector("#table h2")


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
    expect(page.locator("#shown")).to_have_text(re.compile("^10,000"))


def test_the_list_can_be_limited_to_tables_that_lock_a_client_out(page: Page) -> None:
    page.select_option("select[name=client]", "trino@400")

    assert shown(page) == sum(table.profile is not None for table in SampleAudit(TABLES).tables())
    page.select_option("select[name=act]", "append")
    assert shown(page) == 0
    assert "No table matches" in page.inner_text("#list tbody")


def test_columns_sort_both_ways_and_are_marked_so(page: Page) -> None:
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


def test_a_filter_takes_the_processor_less_than_a_tenth_of_a_second(page: Page) -> None:
    """The time of the page's own thread: seconds on a wall also count what else the machine does."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        told = session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in told if one["name"] == "TaskDuration"))

    spent = []
    for typed in ("team_3/", "t", "no such table", ""):
        before = worked()
        page.fill("input[name=text]", typed)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        spent.append(worked() - before)
    assert min(spent) > 0
    assert sorted(spent)[len(spent) // 2] < FILTER_SECONDS


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


def test_clients_that_nothing_is_known_about_stand_apart_from_those_locked_out(page: Page) -> None:
    unknown = "profiles[columns.profile[row]].some((out) => out.outcome === 'unknown')"
    page.evaluate(
        "location.hash = '#table?location=' + encodeURIComponent(columns.location.find((_, row) => "
        f"columns.profile[row] >= 0 && {unknown}))"
    )
    folded = page.locator("#table details")
    folded.wait_for()
    assert "nothing is known" in folded.locator("summary").inner_text()
    assert not folded.locator("table").is_visible()
    assert page.locator("#table .severity", has_text="unknown").count() == folded.locator("tbody tr").count()
    folded.locator("summary").click()
    assert folded.locator("table").is_visible()


def test_a_broken_table_shows_its_error_and_its_fix(page: Page) -> None:
    broken = next(table for table in SampleAudit(TABLES).tables() if table.error)
    page.fill("input[name=text]", broken.location)
    page.click("#list tbody a")

    page.wait_for_selector("#table .note.error")
    assert broken.error is not None
    assert broken.error.fix in page.inner_text("#table")


def test_tiles_and_bars_lead_into_the_list(page: Page) -> None:
    page.click("a.tile:has-text('cannot be read')")
    expect(page.locator("#shown")).not_to_have_text(re.compile("^10,000"))
    assert shown(page) == sum(table.error is not None for table in SampleAudit(TABLES).tables())


def test_a_wrong_address_shows_that_nothing_is_there(page: Page) -> None:
    page.evaluate("location.hash = '#table?location=nowhere'")

    page.wait_for_selector("#table .note.error")
    assert "no such table: nowhere" in page.inner_text("#table")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_in_light_and_dark(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)

    assert page.evaluate(page_checks.LOW_CONTRAST) == {}
    open_a_table(page)
    assert page.evaluate(page_checks.LOW_CONTRAST) == {}


def test_screen_readers_have_a_name_for_everything_and_headings_in_order(page: Page) -> None:
    for view in ("overview", "table"):
        if view == "table":
            open_a_table(page)
        assert page_checks.nameless(page) == []
        levels = page.evaluate(page_checks.HEADING_LEVELS)
        assert levels[0] == 1
        assert all(below - above <= 1 for above, below in itertools.pairwise(levels)), levels
        assert page.evaluate(page_checks.BAD_TABLES) == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of(page: Page, scheme: Literal["light", "dark"], width: int) -> None:
    reason = missing_axe()
    if reason:
        pytest.skip(reason)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate(page_checks.VIOLATIONS) == []
    open_a_table(page)
    assert page.evaluate(page_checks.VIOLATIONS) == []


def test_nothing_moves_where_reduced_motion_is_asked_for(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")

    assert page.evaluate(page_checks.MOVING) == []


def test_the_keyboard_alone_sorts_filters_opens_a_table_and_returns(page: Page) -> None:
    def press_until(wanted: str) -> None:
        """Tab until the focus, which must be seen all the way, is on an element that matches."""
        for _ in range(200):
            page.keyboard.press("Tab")
            focused = page.evaluate(page_checks.FOCUSED)
            assert focused["seen"], focused
            if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
                return
        pytest.fail(f"the keyboard never reaches {wanted}")

    press_until("a.skip")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.focus("input[name=text]")
    page.keyboard.type("everything")
    found = shown(page)
    assert 0 < found < TABLES
    press_until("select[name=severity]")
    page.keyboard.press("ArrowDown")
    expect(page.locator("select[name=severity]")).to_have_value("error")
    page.keyboard.press("ArrowUp")
    assert shown(page) == found
    press_until("button[data-sort=lockedRead]")
    page.keyboard.press("Enter")
    assert page.get_attribute("th:has(button[data-sort=lockedRead])", "aria-sort") == "descending"
    page.keyboard.press("Space")
    assert page.get_attribute("th:has(button[data-sort=lockedRead])", "aria-sort") == "ascending"
    press_until("#list tbody a")
    location = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_selector("#table h2")
    assert page.evaluate("document.activeElement.textContent") == location
    page.keyboard.press("Escape")
    page.wait_for_function("text => document.activeElement.textContent === text", arg=location)
    assert shown(page) == found


def test_paper_shows_the_overview_without_the_controls(page: Page) -> None:
    page.emulate_media(media="print")

    assert not page.is_visible("#filters")
    assert page.is_visible("#protocols-title")
    assert page.pdf(format="A4")[:4] == b"%PDF"


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_the_first_screen_says_what_to_do(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    cards = page.locator(".card")

    assert 4 <= cards.count() <= 7
    assert page.locator(".card .kind .severity").first.inner_text() == "silent damage"
    place = cards.first.bounding_box()
    assert place is not None
    assert place["y"] + place["height"] < height
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_card_has_price_gains_tables_and_a_command_to_copy(page: Page) -> None:
    card = page.locator(".card", has=page.locator("button.copy")).first

    for word in ("costs", "gains", "loses", "nobody", "owners"):
        assert word in card.inner_text()
    command = card.locator("code.command").inner_text()
    number = (card.get_attribute("id") or "").removeprefix("card-")
    assert command == f"deltaresolver plan --from audit.json --card {number} --apply"
    card.locator("button.copy").focus()
    page.keyboard.press("Enter")
    expect(card.locator("button.copy")).to_have_text("Copied")
    card.locator("summary").focus()
    page.keyboard.press("Enter")
    card.locator(".locations a").first.click()
    page.wait_for_selector("#table h2")
    assert "Owner: Team" in page.inner_text("#table")


def test_a_card_leads_to_its_tables(page: Page) -> None:
    page.locator(".card .kind a").last.click()
    page.wait_for_function("location.hash.startsWith('#tables?')")
    assert 0 < shown(page) < TABLES


def test_clients_that_were_asked_about_stand_before_all_others(page: Page) -> None:
    table = next(one for one in SampleAudit(TABLES).tables() if one.blocked and one.blocked[0].command)
    page.evaluate("where => { location.hash = '#table?location=' + encodeURIComponent(where) }", table.location)
    page.wait_for_selector("#table h2")
    headings = page.locator("#table h3").all_inner_texts()
    assert headings.index("Clients that were asked about") < headings.index("Clients locked out")
    assert table.blocked[0].command in page.locator("#table code.command").all_inner_texts()


def test_paper_has_every_row_and_no_buttons(page: Page) -> None:
    page.fill("input[name=text]", "everything")
    found = shown(page)
    page.emulate_media(media="print")
    assert not page.locator("button.copy").first.is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#list tbody tr").count() == found > 100
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#list tbody tr").count() == 100
