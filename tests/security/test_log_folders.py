"""A `_delta_log` that is not a folder, or is full of odd files: every command ends in a code and does no harm."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.logs import add
from tests.security.budget import run
from tests.security.tables import commit, log_of

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("explain",),
    ("resolve",),
    ("history",),
    ("impact", "--add-feature", "deletionVectors"),
    ("plan", "--protocol", "1,2"),
    ("alter", "--set", "delta.appendOnly=true"),
    ("vacuum", "--dry-run"),
    ("verify",),
    ("audit", "--workers", "1"),
)
FILES = 4000


def empty(table: Path, _: Path) -> None:
    (table / "_delta_log").mkdir()


def a_file(table: Path, _: Path) -> None:
    (table / "_delta_log").write_bytes(b"{}")


def a_pipe(table: Path, _: Path) -> None:
    os.mkfifo(table / "_delta_log")


def a_circle(table: Path, _: Path) -> None:
    (table / "_delta_log").symlink_to(table / "_delta_log")


def dangling(table: Path, other: Path) -> None:
    (table / "_delta_log").symlink_to(other / "nowhere")


def a_device(table: Path, _: Path) -> None:
    (table / "_delta_log").symlink_to("/dev/zero")


def a_log_in_a_log(table: Path, _: Path) -> None:
    log_of(table)
    shutil.copytree(table / "_delta_log", table / "_delta_log/_delta_log")
    (table / "_delta_log/_delta_log/_delta_log").symlink_to(table / "_delta_log")


def commits_that_are_folders(table: Path, _: Path) -> None:
    log = log_of(table)
    for number in range(1, 20):
        (log / f"{number:020d}.json").mkdir()
        (log / f"{number:020d}.checkpoint.parquet").mkdir()
    (log / "_last_checkpoint").mkdir()


def everything_is_a_folder(table: Path, _: Path) -> None:
    log = table / "_delta_log"
    for name in (f"{0:020d}.json", f"{0:020d}.crc", f"{0:020d}.checkpoint.parquet", "_sidecars"):
        (log / name / name).mkdir(parents=True)


def commits_that_are_links_to_each_other(table: Path, _: Path) -> None:
    log = log_of(table)
    (log / f"{1:020d}.json").symlink_to(log / f"{2:020d}.json")
    (log / f"{2:020d}.json").symlink_to(log / f"{1:020d}.json")


def many_strangers(table: Path, _: Path) -> None:
    log = log_of(table)
    for number in range(FILES):
        (log / f"{number:020d}.json.tmp{number}").touch()


def many_empty_commits(table: Path, _: Path) -> None:
    log = log_of(table)
    for number in range(1, FILES):
        (log / f"{number:020d}.json").touch()


def many_folders(table: Path, _: Path) -> None:
    log = log_of(table)
    for number in range(FILES // 4):
        (log / f"f{number}/_delta_log").mkdir(parents=True)


def names_that_are_not_utf8(table: Path, _: Path) -> None:
    log = log_of(table)
    for name in (b"\xff.json", b"0000000000000000000\xff.json", b"\xed\xa0\x80.crc", b"00000000000000000001.json\xff"):
        Path(os.fsdecode(os.fsencode(log) + b"/" + name)).write_bytes(b"{}")


def names_that_steer_terminals(table: Path, _: Path) -> None:
    log = log_of(table)
    for name in ("\x1b[2J.json", "::error::x.json", "a\nb.json", "\u202e.json"):
        (log / name).write_bytes(b"{}")


def checkpoints_of_no_version(table: Path, _: Path) -> None:
    log = log_of(table)
    for name in (f"{5:020d}.checkpoint.parquet", f"{7:020d}.checkpoint.0000000001.9999999999.parquet"):
        (log / name).write_bytes(b"PAR1PAR1")
    (log / "_last_checkpoint").write_bytes(b'{"version":9223372036854775807,"size":1,"parts":2147483647}')


def sidecars_elsewhere(table: Path, other: Path) -> None:
    log_of(table)
    (table / "_delta_log/_sidecars").symlink_to(other)
    (table / "_delta_log/_staged_commits").symlink_to(other)
    (table / "_delta_log/_commits").symlink_to(other)


def a_stranger_s(table: Path, other: Path) -> None:
    (table / "_delta_log").symlink_to(other / "_delta_log")


SHAPES: tuple[Callable[[Path, Path], None], ...] = (
    empty,
    a_file,
    a_pipe,
    a_circle,
    dangling,
    a_device,
    a_log_in_a_log,
    commits_that_are_folders,
    everything_is_a_folder,
    commits_that_are_links_to_each_other,
    many_strangers,
    many_empty_commits,
    many_folders,
    names_that_are_not_utf8,
    names_that_steer_terminals,
    checkpoints_of_no_version,
    sidecars_elsewhere,
)


def made(folder: Path, shape: Callable[[Path, Path], None]) -> tuple[Path, Path]:
    """A table of such a log, and another one's beside it."""
    table, other = folder / "lake/t", folder / "other"
    table.mkdir(parents=True)
    commit(log_of(other), 1, add("precious.parquet"))
    (other / "precious.parquet").write_bytes(b"PAR1")
    shape(table, other)
    return table, other


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_sound_log_is_read(command: tuple[str, ...], tmp_path: Path) -> None:
    commit(log_of(tmp_path), 1)
    ended = run(command[0], tmp_path, *command[1:])
    assert ended.code in {0, 1}, ended.err


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_every_command_ends_and_touches_nothing_of_others(shape: Callable[[Path, Path], None], tmp_path: Path) -> None:
    table, other = made(tmp_path, shape)
    before = content(other)
    for command, *options in COMMANDS:
        ended = run(command, table, *options)
        assert ended.code in {0, 1, 2}
        assert "\x1b[2J" not in ended.out + ended.err
        if ended.code == 2:
            assert "DR" in ended.err, (command, ended.err)
    assert content(other) == before


def test_files_named_by_a_log_that_is_a_link_are_not_deleted(tmp_path: Path) -> None:
    table, other = made(tmp_path, a_stranger_s)
    before = content(other)
    (table / "unnamed.parquet").write_bytes(b"PAR1")
    os.utime(table / "unnamed.parquet", (0, 0))
    run("vacuum", table, "--retain-hours", "0")
    assert content(other) == before
