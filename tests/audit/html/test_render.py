"""The HTML file: whole or absent, without network, and safe whatever a table is called."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import msgspec
import pytest

from deltaresolver.audit.document.document import LakeAudit
from deltaresolver.audit.report import write_html
from deltaresolver.audit.report.table_index import TABLES_A_CHUNK
from deltaresolver.model.audit_table import TableAudit
from tests.audit.sample_document import SampleAudit

EVIL = "/lake/</script><script>alert(1)</script>\"'&"


@attrs.frozen
class Tables:
    head: LakeAudit
    all: tuple[TableAudit, ...]

    def tables(self) -> Iterator[TableAudit]:
        return iter(self.all)


def embedded(html: str, name: str) -> object:
    found = re.search(rf'<script type="application/octet-stream" id="data-{name}">([^<]*)</script>', html)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_every_table_is_in_the_file_once_and_in_order(tmp_path: Path) -> None:
    sample = SampleAudit(TABLES_A_CHUNK * 2 + 7)
    file = tmp_path / "report.html"

    write_html(sample, file)

    html = file.read_text(encoding="utf-8")
    details = [embedded(html, f"chunk-{number}") for number in range(3)]
    assert msgspec.convert([table for chunk in details for table in chunk], list[TableAudit]) == list(sample.tables())  # type: ignore[attr-defined]
    index = embedded(html, "index")
    assert index["columns"]["location"] == [table.location for table in sample.tables()]  # type: ignore[index]


def test_the_file_asks_for_nothing_outside_itself(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_html(SampleAudit(30), file)

    html = re.sub(r"<script type=\"application/octet-stream\".*?</script>", "", file.read_text(encoding="utf-8"))

    assert not re.search(r"(src|href)=\"(https?:)?//", html)
    assert "default-src 'none'" in html


def test_names_cannot_become_markup(tmp_path: Path) -> None:
    head = msgspec.structs.replace(
        SampleAudit(1).head, regressions=(msgspec.structs.replace(SampleAudit(1).head.regressions[0], location=EVIL),)
    )
    file = tmp_path / "report.html"

    write_html(Tables(head, (TableAudit(EVIL),)), file)

    html = file.read_text(encoding="utf-8")
    assert "alert(1)" in html
    assert "<script>alert" not in html


def test_an_empty_lake_still_makes_a_report(tmp_path: Path) -> None:
    file = tmp_path / "report.html"

    write_html(Tables(LakeAudit(0, "deltaresolver"), ()), file)

    assert "No table could be read." in file.read_text(encoding="utf-8")


def test_a_failure_leaves_the_old_report_and_no_partial_file(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text("the report before", encoding="utf-8")

    @attrs.frozen
    class Failing:
        head: LakeAudit = SampleAudit(1).head

        def tables(self) -> Iterator[TableAudit]:
            yield next(SampleAudit(1).tables())
            raise ConnectionError

    with pytest.raises(ConnectionError):
        write_html(Failing(), file)

    assert file.read_text(encoding="utf-8") == "the report before"
    assert list(tmp_path.iterdir()) == [file]


def test_the_same_audit_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_html(SampleAudit(40), tmp_path / name)

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
