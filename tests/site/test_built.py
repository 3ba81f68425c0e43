"""The built site: strict, whole without a network, and readable on a narrow screen; a wrong link stops the build."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.conftest import find_browser

PAGES = (
    "index.html",
    "first-steps.html",
    "command-line.html",
    "clients.html",
    "errors/index.html",
    "reference/cli/plan.html",
    "reference/features/deletionVectors.html",
    "reference/rules/index.html",
    "reference/python/deltaresolver.html",
    "benchmarks/index.html",
)
FROM_ELSEWHERE = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^>]*>""")


def built(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of script/docs in a clone."""
    return subprocess.run(
        [root / "script" / "docs", *arguments],
        env={**os.environ, "DOCS_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = built(root, "--into", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--disable-background-networking"]
        )
        yield chromium
        chromium.close()


def opened(browser: Browser, address: Path, width: int, scheme: str) -> tuple[Page, list[str]]:
    """A page opened from the disk, and what it asked for besides files."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address.as_uri())
    return page, asked


@pytest.mark.slow
def test_no_page_needs_the_web(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 200
    assert {str(page): found for page in pages if (found := FROM_ELSEWHERE.findall(page.read_text("utf-8")))} == {}


@pytest.mark.slow
def test_a_wrong_link_and_a_page_without_a_place_stop_the_build(root: Path, tmp_path: Path) -> None:
    for name in ("docs", "script", "benchmarks"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("results", "out", "*.py"))
    shutil.copytree(root / "docs" / "site", tmp_path / "docs" / "site", dirs_exist_ok=True)
    (tmp_path / "tests").mkdir()
    for name in ("mkdocs.yml", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md", "tests/README.md"):
        shutil.copy(root / name, tmp_path / name)
    shutil.rmtree(tmp_path / "docs" / "reference" / "python")
    nav = (tmp_path / "mkdocs.yml").read_text("utf-8")
    (tmp_path / "mkdocs.yml").write_text(
        re.sub(r"^.*reference/python/.*\n|^.*Python API:\n", "", nav, flags=re.MULTILINE)
    )
    lost = "# Lost\n\n[gone](nowhere.md) and [nothing](plan.md#no-such-heading)\n"
    (tmp_path / "docs" / "lost.md").write_text(lost)
    broken = built(tmp_path)
    assert broken.returncode != 0
    assert all(text in broken.stderr for text in ("lost.md", "nowhere.md", "no-such-heading"))


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_pages_fit_their_screen_and_ask_for_nothing_outside(
    site: Path, browser: Browser, width: int, scheme: str
) -> None:
    for name in PAGES:
        page, asked = opened(browser, site / name, width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == [], name
        page.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("name", ["settings.html", "errors/index.html", "glossary.html", "properties.html"])
def test_a_table_with_long_names_fits_a_phone(site: Path, browser: Browser, name: str) -> None:
    page, _ = opened(browser, site / name, 390, "light")
    widths = page.evaluate("[...document.querySelectorAll('.md-typeset table')].map(each => each.scrollWidth)")
    assert widths
    assert max(widths) <= 390
    page.context.close()


@pytest.mark.browser
def test_four_columns_stand_below_each_other_on_a_phone_and_are_named(site: Path, browser: Browser) -> None:
    page, _ = opened(browser, site / "properties.html", 390, "light")
    cells = page.locator("table[data-columns] tbody tr").first.locator("td")
    tops = [cells.nth(number).bounding_box() for number in range(4)]
    assert all(box is not None and box["width"] > 300 for box in tops)
    title = "getComputedStyle(document.querySelectorAll('table[data-columns] td')[1], '::before').content"
    assert page.evaluate(title).startswith('"takes')
    page.context.close()


@pytest.mark.browser
def test_search_works_without_a_server(site: Path, browser: Browser) -> None:
    page, _ = opened(browser, site / "plan.html", 1400, "light")
    page.keyboard.press("/")
    page.keyboard.type("VacuumRetentionTooShortError")
    page.wait_for_selector(".md-search-result__item a")
    first = page.locator(".md-search-result__item a").first.get_attribute("href")
    assert first is not None
    assert "errors/DR741" in first
    page.context.close()


@pytest.mark.browser
@pytest.mark.parametrize(("name", "width"), [("errors/DR204.html", 390), ("first-steps.html", 1400)])
def test_what_was_printed_is_on_the_screen(site: Path, browser: Browser, name: str, width: int) -> None:
    page, _ = opened(browser, site / name, width, "light")
    hidden = "each => each.scrollWidth - each.clientWidth"
    found = page.evaluate(f"[...document.querySelectorAll('.language-text pre > code')].map({hidden})")
    assert found
    assert max(found) <= 0
    assert not page.locator(".language-text .md-code__nav").first.is_visible()
