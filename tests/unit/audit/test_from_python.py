"""`dr.audit`: the document of the command, handed to a program."""

from __future__ import annotations

import gc
import inspect
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import deltaresolver as dr
import deltaresolver.audit.report as part
from deltaresolver.audit.from_python import Audit, audit
from deltaresolver.errors import AuditResumeError, CommandUsageError, OutputUnwritableError, UnknownClientError
from tests.unit.cli.running import run

OLD = "trino@413"
"""Cannot read deletion vectors."""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that everybody reads, one with deletion vectors, and one without a commit that counts."""
    folder = tmp_path_factory.mktemp("lake")
    dr.Table.create(folder / "plain", "id BIGINT")
    dr.Table.create(folder / "vectors", "id BIGINT", properties={"delta.enableDeletionVectors": "true"})
    log = folder / "broken" / "_delta_log"
    log.mkdir(parents=True)
    (log / f"{0:020}.json").write_text("{}")
    return folder


def without_clock(document: Any) -> Any:
    """A document as it would be whenever it was made."""
    for key in ("when_ms", "took_ms"):
        document["head"].pop(key)
    for table in document["tables"]:
        table.pop("took_ms", None)
    return document


def test_the_document_is_that_of_the_command(lake: Path, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours" / "audit.json", tmp_path / "theirs" / "audit.json"
    for file in (ours, theirs):
        file.parent.mkdir()
    found = dr.audit(lake, OLD, file=ours)
    outcome = run("audit", str(lake), "--client", OLD, "--json", str(theirs))
    assert outcome.code == 0, outcome.err
    same = theirs.read_text().replace(str(theirs), str(ours))
    assert without_clock(found.to_json()) == without_clock(json.loads(same))
    assert found.path == ours
    assert [Path(table.location).name for table in found.tables()] == ["broken", "plain", "vectors"]


def test_the_function_can_be_called_whatever_was_imported_before(lake: Path) -> None:
    assert dr.audit.report is part  # type: ignore[attr-defined] # what `import` expects of a package
    assert inspect.signature(dr.audit) == inspect.signature(audit)
    for before in ("import deltaresolver.audit.report", "dr.audit"):
        code = f"import deltaresolver as dr; {before}\nprint(dr.audit({str(lake)!r}).head.summary.tables)"
        code += "\nimport deltaresolver.audit.scan.runners as runners; print(runners.__name__)"
        done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
        assert done.stdout.split() == ["3", "deltaresolver.audit.scan.runners"], done.stderr


def test_an_audit_fails_on_what_it_was_asked_to_fail_on(lake: Path) -> None:
    found = dr.audit(lake, [OLD])
    assert found.failed_on("client-locked-out", "regression", "error") == ("client-locked-out", "error")
    assert found.failed_on() == ()
    assert repr(found).startswith("Audit(3 tables, ")
    with pytest.raises(CommandUsageError, match=r"^'errror' is neither a rule nor a severity \(did you mean error\?\)"):
        found.failed_on("errror")


def test_a_root_that_cannot_be_searched_is_not_passed_over_in_silence(lake: Path, tmp_path: Path) -> None:
    found = dr.audit([lake, tmp_path / "nowhere"])
    assert found.failed_on() == ("unreadable-root",)
    assert [root.tables for root in found.head.roots] == [3, 0]


def test_without_a_file_the_document_goes_with_the_audit(lake: Path) -> None:
    found = dr.audit(tables=lake / "plain")
    folder = found.path.parent
    assert found.head.summary.tables == 1
    assert found.head.file is None
    assert folder.is_dir()
    del found
    gc.collect()
    assert not folder.exists()


def test_an_interrupted_audit_goes_on(lake: Path, tmp_path: Path) -> None:
    file = tmp_path / "audit.json"

    def stop(done: int, total: int) -> None:
        if done == total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dr.audit(lake, file=file, progress=stop)
    assert Path(f"{file}.work").is_dir()
    with pytest.raises(AuditResumeError):
        dr.audit(lake, OLD, file=file)
    seen: list[tuple[int, int]] = []
    assert dr.audit(lake, file=file, progress=lambda *counts: seen.append(counts)).head.summary.tables == 3
    assert seen == [(3, 3)], "nothing was read again"
    assert not Path(f"{file}.work").exists()


def test_an_audit_reports_what_got_worse_since_an_earlier_one(tmp_path: Path) -> None:
    table = dr.Table.create(tmp_path / "lake" / "t", "id BIGINT")
    before = dr.audit(tmp_path / "lake")
    table.alter(set={"delta.enableDeletionVectors": "true"})
    found = dr.audit(tmp_path / "lake", since=before)
    assert [one.kind for one in found.head.regressions] == ["protocol raised"]
    assert found.failed_on("regression") == ("regression",)


def test_a_lake_toml_is_gone_by_when_it_is_named(lake: Path, tmp_path: Path) -> None:
    config = tmp_path / "lake.toml"
    config.write_text(f'[tables]\nshop = {json.dumps(str(lake / "vectors"))}\n\n[[client]]\nname = "{OLD}"\n')
    found = dr.audit(lake=config)
    assert [table.name for table in found.tables()] == ["shop"]
    assert found.failed_on("client-locked-out") == ("client-locked-out",)
    with pytest.raises(CommandUsageError, match="There is nothing to audit"):
        dr.audit()


def test_an_audit_may_run_in_a_thread(lake: Path) -> None:
    found: list[Audit] = []
    thread = threading.Thread(target=lambda: found.append(dr.audit(lake)))
    thread.start()
    thread.join()
    assert [one.head.summary.tables for one in found] == [3]


def test_the_report_and_the_table_are_written_too(lake: Path, tmp_path: Path) -> None:
    found = dr.audit(lake)
    found.write_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    for _ in range(2):
        found.append_to(tmp_path / "audits")
    assert len(dr.Table(tmp_path / "audits").history()) == 1, "the same audit is not written twice"


def test_a_place_that_cannot_take_the_document_is_found_first(lake: Path, tmp_path: Path) -> None:
    for place in (tmp_path, Path("/dev/null")):
        with pytest.raises(OutputUnwritableError, match="The audit cannot be written to"):
            dr.audit(lake, file=place)
    with pytest.raises(UnknownClientError):
        dr.audit(lake, "trinoo@413", file=tmp_path / "audit.json")
