"""Tables, results and archives that `probe` works with: what is measured writes to copies alone, and each ends soon."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from deltaresolver.clients.probe.measure import shipped_tables
from deltaresolver.clients.probe.results import FORMAT, kept_results, read_result, store
from deltaresolver.clients.probe.trial import subject_of
from deltaresolver.errors import MeasurementsUnreadableError, ProbeTableError
from tests.security.tables import commit, log_of


def link_log(table: Path, victim: Path) -> None:
    """The log is somebody else's."""
    (table / "_delta_log").rename(table / "gone")
    (table / "_delta_log").symlink_to(victim / "_delta_log")


ODD: dict[str, Callable[[Path, Path], None]] = {
    "its log is a link": link_log,
    "a commit is a link": lambda table, victim: (table / "_delta_log/00000000000000000001.json").symlink_to(
        victim / "_delta_log/00000000000000000000.json"
    ),
    "a commit to come is a link": lambda table, victim: (table / "_delta_log/00000000000000000007.json").symlink_to(
        victim / "new.json"
    ),
    "a folder of data is a link": lambda table, victim: (table / "p=1").symlink_to(victim),
    "its change data is a link": lambda table, victim: (table / "_change_data").symlink_to(victim),
    "a commit is a pipe": lambda table, _: os.mkfifo(table / "_delta_log/00000000000000000001.json"),
    "a pipe beside the data": lambda table, _: os.mkfifo(table / "x.parquet"),
    "endless zeros": lambda table, _: (table / "_delta_log/00000000000000000001.json").symlink_to("/dev/zero"),
    "a link to itself": lambda table, _: (table / "self").symlink_to("self"),
}


@pytest.mark.parametrize("name", ODD)
def test_a_table_through_which_a_client_could_write_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    log_of(tmp_path / "victim")
    log_of(tmp_path / "t")
    ODD[name](tmp_path / "t", tmp_path / "victim")
    with pytest.raises(ProbeTableError, match="is a link, or neither a file nor a folder"):
        subject_of(tmp_path / "t")


@pytest.mark.parametrize(
    "line",
    ["5", "[]", '"cdc"', "null", "[" * 100_000, "9" * 10_000, '{"add":5}', '{"add":{"path":null}}', '{"cdc":[]}', "\0"],
)  # fmt: skip
def test_a_table_that_cannot_be_read_value_by_value_is_refused(line: str, tmp_path: Path) -> None:
    log = log_of(tmp_path / "t")
    (log / f"{1:020}.json").write_text(line + "\n")
    # Some of these lines say nothing at all, which is allowed.
    with contextlib.suppress(ProbeTableError):
        subject_of(tmp_path / "t")


def test_an_honest_table_is_taken(tmp_path: Path) -> None:
    commit(log_of(tmp_path / "t"), 1, {"commitInfo": {}})
    assert subject_of(tmp_path / "t").name == "t"


RESULT = {
    "format": FORMAT,
    "measured": "2026-11-19",
    "by": "x",
    "client": "c",
    "version": "1",
    "engine": "e",
    "runs": [],
}
SENT_IN = {
    "brackets": "[" * 100_000,
    "a number": "9" * 10_000,
    "half a pair": json.dumps({**RESULT, "client": "\ud800", "runs": 5}),
    "runs that are none": json.dumps({**RESULT, "runs": [5, None, [], {}]}),
    "demands that are none": json.dumps({**RESULT, "runs": [{"demands": ["x" * 10_000, 5]}]}),
    "a demand of nobody": json.dumps({**RESULT, "runs": [{"demands": ["\x1b[2J"], "open": "ok"}]}),
    "outcomes that are none": json.dumps({**RESULT, "runs": [{"demands": [], "open": [], "read": {}, "append": 1}]}),
    "no day": json.dumps({**RESULT, "measured": "9" * 5_000}),
    "bytes": "\x00\x01",
    "nothing": "",
}


@pytest.mark.parametrize("name", SENT_IN)
def test_results_that_are_sent_in_are_checked(name: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(SENT_IN[name])
    with pytest.raises(MeasurementsUnreadableError):
        read_result(tmp_path / "r.json")
    with pytest.raises(MeasurementsUnreadableError):
        list(kept_results(tmp_path))


@pytest.mark.parametrize(
    "text",
    ["../../../etc/cron.d/x", "/etc/passwd", "..", "a/b", "a\\b", "a\0b", "a\nb", "-rf", "\ud800", "\x1b[2J", "~"],
)
@pytest.mark.parametrize("key", ["client", "version", "engine", "measured"])
def test_no_result_is_kept_elsewhere(key: str, text: str, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    path = store({**RESULT, key: text}, folder)
    assert path.parent == folder
    assert [one.name for one in tmp_path.iterdir()] == ["kept"]
    assert list(folder.iterdir()) == [path]
    assert path.name.isprintable()


MEMBERS = {
    "up": ("../outside", tarfile.REGTYPE, ""),
    "absolute": ("{folder}/outside", tarfile.REGTYPE, ""),
    "a link out": ("t/out", tarfile.SYMTYPE, "../../outside"),
    "an absolute link": ("t/out", tarfile.SYMTYPE, "{folder}/outside"),
    "a hard link": ("t/out", tarfile.LNKTYPE, "../outside"),
    "a device": ("t/zero", tarfile.CHRTYPE, ""),
    "a pipe": ("t/pipe", tarfile.FIFOTYPE, ""),
}


@pytest.mark.skipif(not hasattr(tarfile, "data_filter"), reason="this Python has no filter for archives")
@pytest.mark.parametrize("name", MEMBERS)
def test_a_foreign_archive_in_place_of_the_shipped_one_writes_nothing_outside(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    member, kind, target = (
        part.replace("{folder}", str(tmp_path)) if isinstance(part, str) else part for part in MEMBERS[name]
    )
    (tmp_path / "data").mkdir()
    (tmp_path / "outside").write_text("TOPSECRET")
    with tarfile.open(tmp_path / "data/tables.tar.gz", "w:gz") as archive:
        information = tarfile.TarInfo(str(member))
        information.type, information.linkname, information.size = kind, str(target), 0  # type: ignore[assignment]
        archive.addfile(information, io.BytesIO(b""))
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    folder = tmp_path / "unpacked"
    folder.mkdir()
    with contextlib.suppress(tarfile.FilterError):
        shipped_tables(folder)
    assert (tmp_path / "outside").read_text() == "TOPSECRET"
    assert not [one for one in folder.rglob("*") if not (one.is_file() or one.is_dir()) or one.is_symlink()]
