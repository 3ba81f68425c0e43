"""The what-if page in a browser, by mouse and by keyboard."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.bench_what_if import measure
from deltaresolver.cli.commands.ui import _open, _paste
from deltaresolver.table import Table
from deltaresolver.ui.app import ServedTables
from deltaresolver.ui.doorkeeper import Doorkeeper
from tests.conftest import find_browser
from tests.nasty import COLUMN_NAMES
from tests.unit.ui.served_page import serving

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doorkeeper]:
    place = str(tmp_path_factory.mktemp("ui") / "t")
    columns = ", ".join(f"c{number} STRING" for number in range(200))
    Table(place).sql(f"CREATE TABLE t ({columns}) USING delta")
    with serving(ServedTables((place,), lambda one: _open({}, one), _paste)) as made:
        yield made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Chromium's own sandbox needs rights that a container may not give; the page is ours.
        opened = playwright.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser, door: Doorkeeper) -> Iterator[Page]:
    said: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(door.address)
    page.wait_for_selector("body[data-answered]")
    yield page
    page.close()
    assert said == []


def test_a_property_is_switched_on_and_off_again(page: Page) -> None:
    expect(page.locator("#protocol")).to_have_text("(1, 2)")
    vectors = page.get_by_label("delta.enableDeletionVectors", exact=True)
    vectors.select_option("true")
    expect(page.locator("#protocol")).to_have_text("(1, 2) → (3, 7)")
    expect(page.locator("#impact")).to_contain_text("does not read deletionVectors")
    expect(page.locator("#back")).to_contain_text("DROP FEATURE deletionVectors")
    expect(page.locator("#commands")).to_contain_text("--set delta.enableDeletionVectors=true")
    vectors.select_option("")
    expect(page.locator("#protocol")).to_have_text("(1, 2)")
    expect(page.locator("#impact")).to_have_text("Nobody loses or gains anything.")


def test_a_property_is_switched_by_keyboard_alone(page: Page) -> None:
    page.locator("#find").focus()
    page.keyboard.type("rowtracking")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "delta.enableRowTracking"
    page.keyboard.press("ArrowDown")
    expect(page.locator("#reasons")).to_contain_text("rowTracking (new)")


def test_an_answer_comes_within_50_milliseconds_of_a_key(page: Page) -> None:
    """On a table of 200 columns; the quickest of some, since other tests run beside. `bench_what_if.py` has medians."""
    assert min(measure(page, 12)) < 50


def test_a_column_is_added_and_dropped(page: Page) -> None:
    page.get_by_label("Name").fill("v")
    page.locator("#new-column select").select_option("VARIANT")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#reasons")).to_contain_text("variantType (new)")
    page.get_by_role("button", name="Take back v", exact=True).click()
    expect(page.locator("#protocol")).to_have_text("(1, 2)")
    page.get_by_role("button", name="Drop c7", exact=True).click()
    expect(page.locator("#error")).to_contain_text("First set delta.columnMapping.mode to name.")


def test_a_wrong_value_is_reported_and_the_answer_greyed(page: Page) -> None:
    page.get_by_label("Another").fill("delta.enableRowTracking")
    page.get_by_label("Value").fill("perhaps")
    page.get_by_role("button", name="Set", exact=True).click()
    expect(page.locator("#error")).to_contain_text("neither true nor false")
    expect(page.locator("#result")).to_have_class("stale")


def test_a_link_holds_the_whole_question(page: Page) -> None:
    page.get_by_label("delta.enableDeletionVectors", exact=True).select_option("true")
    expect(page.locator("#protocol")).to_have_text("(1, 2) → (3, 7)")
    address = page.url
    assert "token" not in address
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("#protocol")).to_have_text("(1, 2) → (3, 7)")


@pytest.mark.parametrize("state", ["x", "%00", "e30", "bnVsbA", "A" * 5000])
def test_a_broken_link_is_ignored(page: Page, door: Doorkeeper, state: str) -> None:
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{door.port}/#{state}")
    expect(page.locator("#protocol")).to_have_text("(1, 2)")


def test_pasted_names_stay_text(page: Page) -> None:
    fields = [
        {"name": name, "type": "string", "nullable": True, "metadata": {}}
        for name in (*dict.fromkeys(COLUMN_NAMES), "<img src=x onerror=alert(1)>")
    ]
    schema = json.dumps({"type": "struct", "fields": fields})
    page.locator("#table").select_option("")
    page.locator("#paste").fill(json.dumps({"schemaString": schema, "configuration": {}}))
    page.get_by_role("button", name="Look at it").click()
    expect(page.locator("#columns")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("width", [390, 800, 1920])
def test_nothing_is_wider_than_the_window(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.get_by_label("delta.enableDeletionVectors", exact=True).select_option("true")
    expect(page.locator("#back")).to_contain_text("DROP FEATURE")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_every_control_has_a_name(page: Page) -> None:
    named = page.evaluate(
        "[...document.querySelectorAll('input, select, textarea, button')]"
        ".filter((one) => !(one.labels?.length || one.getAttribute('aria-label') || one.textContent.trim())).length"
    )
    assert named == 0
