"""The pictures of the report in docs/audit.md: `python -m tests.audit.html.pictures` draws them anew.

They show the audit of a generated lake, so that nobody's tables are in them.
"""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.lake_generator import generate_lake
from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.audit.report import write_html
from deltaresolver.cli.main import run
from tests.conftest import find_browser

FOLDER = Path(__file__).parents[3] / "docs" / "images"
TABLES = 620
A_TABLE = "location.hash = '#table?location=' + encodeURIComponent('/lake/group_000/v2_checkpoint_000020')"
LAKE = """
[[client]]
name = "trino@468"
[[client]]
name = "delta-rs-python@1.6.6"
[[owner]]
name = "Sales"
tables = ["*[0-4]"]
[[owner]]
name = "Logistics"
tables = ["*[5-9]"]
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = Path(folder) / "report.html"
        write_html(audited(Path(folder)), report)
        browser = playwright.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox"])
        shoot(_opened(browser, report, 1280, 900, "light"), "audit-first")
        shoot(_opened(browser, report, 390, 844, "dark"), "audit-phone")
        page = _opened(browser, report, 1280, 900, "light")
        page.evaluate(A_TABLE)
        page.wait_for_selector("#table h2")
        shoot(page, "audit-table")
        browser.close()


def audited(folder: Path) -> StoredAudit:
    """The audit of a generated lake as if it lay at /lake."""
    list(generate_lake(folder / "lake", TABLES, broken_every=150))
    (folder / "lake.toml").write_text(LAKE, encoding="utf-8")
    audit = folder / "audit.json"
    run(["audit", str(folder / "lake"), "--config", str(folder / "lake.toml"), "--json", str(audit)])
    audit.write_text(audit.read_text(encoding="utf-8").replace(f"{folder}/", "/").replace("/audit.json", "audit.json"))
    return StoredAudit(str(audit))


def _opened(browser: Browser, report: Path, width: int, height: int, scheme: Literal["light", "dark"]) -> Page:
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-ready]")
    return page


def shoot(page: Page, name: str) -> None:
    """What is on the screen, as WebP, which is a quarter of a PNG."""
    session = page.context.new_cdp_session(page)
    data = session.send("Page.captureScreenshot", {"format": "webp", "quality": 80})["data"]
    (FOLDER / f"{name}.webp").write_bytes(base64.b64decode(data))
    page.close()


if __name__ == "__main__":
    main()
