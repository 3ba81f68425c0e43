"""Places that an audit writes to: files are written whole, and links, pipes and files of others are left alone."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from deltaresolver.audit.document.output_place import whole_file
from tests.unit.cli.running import run

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")


def write(place: Path, data: bytes) -> None:
    with whole_file(place) as file:
        file.write(data)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "a.json"
    write(place, b"old")
    with pytest.raises(TypeError), whole_file(place) as file:
        file.writelines([b"ne", "w"])  # type: ignore[list-item]
    assert place.read_bytes() == b"old"
    write(place, b"new")
    assert place.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [place]


def test_a_file_of_somebody_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.json.part").write_text("mine")
    write(tmp_path / "a.json", b"new")
    assert (tmp_path / "a.json.part").read_text() == "mine"


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "latest.json"
    link.symlink_to(tmp_path / "there" / "a.json")
    write(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "there" / "a.json").read_bytes() == b"new"


@pytest.mark.parametrize("option", ["--json", "--html"])
def test_no_file_takes_the_place_of_a_pipe_or_a_device(option: str, tmp_path: Path) -> None:
    """As root, an audit with `--json /dev/null` made a plain file of /dev/null, which filled up."""
    (tmp_path / "lake").mkdir()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    done = run("audit", str(tmp_path / "lake"), option, str(pipe))
    reader.join(30)
    assert done.code == 0, done.err
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(tmp_path.iterdir()) == [tmp_path / "lake", pipe]
    assert read[0].startswith(b"{" if option == "--json" else b"<!doctype html>")
