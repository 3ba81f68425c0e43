"""What only a file system can do wrong."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from deltaresolver.errors import (
    LocationInvalidError,
    LogError,
    PutOutcomeUnknownError,
    StorageAccessDeniedError,
    StorageFullError,
    StorageUnavailableError,
    StorageUnsupportedError,
    StoredFileExistsError,
)
from deltaresolver.log.storage import local_publish, local_store
from deltaresolver.log.storage.local_store import LocalStore

COMMIT = "_delta_log/00000000000000000000.json"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "table"


@pytest.fixture(params=["unnamed", "link", "rename"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test with each way of publishing."""
    if request.param != "unnamed":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    if request.param == "rename":
        monkeypatch.setattr(os, "link", failing(errno.EPERM))
    return str(request.param)


def failing(code: int) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    return fail


def noting(real: Callable[..., None], seen: list[str]) -> Callable[..., None]:
    def note(*arguments: object, **keywords: object) -> None:
        seen.append(real.__name__)
        real(*arguments, **keywords)

    return note


def everything_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


class TestFoldersAndRights:
    def test_missing_folders_are_made(self, tmp_path: Path) -> None:
        LocalStore(tmp_path / "a" / "b" / "c").put_if_absent(COMMIT, b"x")
        assert (tmp_path / "a" / "b" / "c" / COMMIT).read_bytes() == b"x"

    def test_files_get_the_rights_the_umask_leaves(self, table: Path, way: str) -> None:
        before = os.umask(0o027)
        try:
            LocalStore(table).put_if_absent(COMMIT, b"x")
            LocalStore(table).put("_delta_log/_last_checkpoint", b"x")
        finally:
            os.umask(before)
        for name in (COMMIT, "_delta_log/_last_checkpoint"):
            assert stat.S_IMODE((table / name).stat().st_mode) == 0o640

    def test_nothing_but_the_file_is_left(self, table: Path, way: str) -> None:
        store = LocalStore(table)
        store.put_if_absent(COMMIT, b"x")
        with pytest.raises(StoredFileExistsError):
            store.put_if_absent(COMMIT, b"y")
        store.put(COMMIT, b"z")
        assert everything_in(table) == ["_delta_log", COMMIT]

    def test_a_dangling_link_counts_as_taken_and_is_not_listed(self, table: Path, way: str) -> None:
        (table / "_delta_log").mkdir(parents=True)
        (table / COMMIT).symlink_to("nowhere")
        store = LocalStore(table)
        with pytest.raises(StoredFileExistsError):
            store.put_if_absent(COMMIT, b"x")
        assert list(store.list_from(COMMIT)) == []
        assert not (table / "_delta_log" / "nowhere").exists()

    def test_folders_are_not_listed(self, table: Path) -> None:
        (table / "_delta_log" / "_sidecars").mkdir(parents=True)
        assert list(LocalStore(table).list_from("_delta_log/")) == []

    def test_a_name_that_is_not_utf8_is_listed_and_read(self, table: Path) -> None:
        (table / "_delta_log").mkdir(parents=True)
        (table / "_delta_log" / os.fsdecode(b"a\xff")).write_bytes(b"x")
        (file,) = LocalStore(table).list_from("_delta_log/")
        assert LocalStore(table).read(file.path) == b"x"


class TestSyncing:
    """A file counts as written when its bytes and its name are on the disk; so do the folders above it."""

    @pytest.fixture
    def calls(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        seen: list[str] = []
        real_sync = os.fsync

        def sync(descriptor: int) -> None:
            kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
            seen.append(f"sync {kind}")
            real_sync(descriptor)

        monkeypatch.setattr(os, "fsync", sync)
        for name in ("link", "mkdir", "replace"):
            monkeypatch.setattr(os, name, noting(getattr(os, name), seen))
        return seen

    def test_two_syncs_make_a_commit(self, table: Path, calls: list[str]) -> None:
        LocalStore(table).put_if_absent(COMMIT, b"x")
        calls.clear()
        LocalStore(table).put_if_absent(COMMIT.replace("0.json", "1.json"), b"x")
        assert calls == ["sync file", "link", "sync folder"]

    def test_new_folders_are_synced_into_their_parents(self, table: Path, calls: list[str]) -> None:
        LocalStore(table).put_if_absent(COMMIT, b"x")
        assert calls == ["mkdir", "sync folder", "mkdir", "sync folder", "sync file", "link", "sync folder"]

    def test_a_replaced_file_is_synced_before_it_takes_the_name(self, table: Path, calls: list[str]) -> None:
        LocalStore(table).put("a", b"x")
        calls.clear()
        LocalStore(table).put("a", b"y")
        assert calls == ["sync file", "replace", "sync folder"]

    def test_a_folder_that_cannot_be_synced_is_fine(self, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fail_on_folders(monkeypatch, errno.EINVAL)
        LocalStore(table).put_if_absent(COMMIT, b"x")
        assert LocalStore(table).read(COMMIT) == b"x"

    def test_a_folder_whose_sync_fails_leaves_the_outcome_open(
        self, table: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (table / "_delta_log").mkdir(parents=True)
        self.fail_on_folders(monkeypatch, errno.EIO)
        with pytest.raises(PutOutcomeUnknownError) as raised:
            LocalStore(table).put_if_absent(COMMIT, b"x")
        assert raised.value.details["errno"] == errno.EIO

    @staticmethod
    def fail_on_folders(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
        real_sync = os.fsync

        def sync(descriptor: int) -> None:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise OSError(code, os.strerror(code))
            real_sync(descriptor)

        monkeypatch.setattr(os, "fsync", sync)


class TestFileSystemsThatLack:
    def test_hard_links_get_an_exclusive_rename(self, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for code in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
            monkeypatch.setattr(os, "link", failing(code))
            path = f"_delta_log/{code}"
            LocalStore(table).put_if_absent(path, b"first")
            with pytest.raises(StoredFileExistsError):
                LocalStore(table).put_if_absent(path, b"second")
            assert LocalStore(table).read(path) == b"first"
        assert not any(local_publish.is_staging_name(name) for name in everything_in(table / "_delta_log"))

    @pytest.mark.parametrize("rename", [None, lambda *_: errno.EINVAL], ids=["no renameat2", "no exclusive rename"])
    def test_both_are_refused(
        self, table: Path, monkeypatch: pytest.MonkeyPatch, rename: Callable[..., int] | None
    ) -> None:
        monkeypatch.setattr(os, "link", failing(errno.EPERM))
        monkeypatch.setattr(local_publish, "_find_renameat2", lambda: rename)
        with pytest.raises(StorageUnsupportedError) as raised:
            LocalStore(table).put_if_absent(COMMIT, b"x")
        assert "hard links" in raised.value.fix
        assert everything_in(table) == ["_delta_log"]
        LocalStore(table).put("_delta_log/_last_checkpoint", b"x")  # needs neither

    def test_proc_get_a_staging_file(self, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real_link = os.link

        def link(source: str, *arguments: object, **keywords: object) -> None:
            if source.startswith("/proc/"):
                raise FileNotFoundError(errno.ENOENT, "No such file or directory")
            real_link(source, *arguments, **keywords)  # type: ignore[arg-type]

        monkeypatch.setattr(os, "link", link)
        LocalStore(table).put_if_absent(COMMIT, b"x")
        assert everything_in(table) == ["_delta_log", COMMIT]

    def test_a_reliable_link_are_not_fooled_by_their_own_repeat(
        self, table: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An NFS server that answers a repeated request: the first one made the link, the second finds it."""
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
        real_link = os.link

        def link_twice(*arguments: object, **keywords: object) -> None:
            for _ in range(2):
                real_link(*arguments, **keywords)  # type: ignore[arg-type]

        monkeypatch.setattr(os, "link", link_twice)
        LocalStore(table).put_if_absent(COMMIT, b"mine")
        with pytest.raises(StoredFileExistsError):
            LocalStore(table).put_if_absent(COMMIT, b"mine")


class TestErrors:
    def test_a_table_that_is_a_file(self, table: Path) -> None:
        table.write_bytes(b"")
        for call in (
            lambda: LocalStore(table).put_if_absent(COMMIT, b""),
            lambda: LocalStore(table).read(COMMIT),
            lambda: list(LocalStore(table).list_from(COMMIT)),
            lambda: LocalStore(table).delete(COMMIT),
        ):
            with pytest.raises(LocationInvalidError) as raised:
                call()
            assert raised.value.fix

    def test_reading_a_folder_is_an_error(self, table: Path) -> None:
        (table / COMMIT).mkdir(parents=True)
        with pytest.raises(LocationInvalidError):
            LocalStore(table).read(COMMIT)

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            (errno.ENOSPC, StorageFullError),
            (errno.EDQUOT, StorageFullError),
            (errno.EACCES, StorageAccessDeniedError),
            (errno.EROFS, StorageAccessDeniedError),
            (errno.EIO, StorageUnavailableError),
            (errno.EMFILE, StorageUnavailableError),
        ],
    )
    @pytest.mark.parametrize("call", ["write", "fsync", "open"])
    @pytest.mark.usefixtures("way")
    def test_a_failing_write_leaves_nothing(
        self, table: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int, kind: type[LogError]
    ) -> None:
        store = LocalStore(table)
        store.put("_delta_log/other", b"x")
        with monkeypatch.context() as patch:
            patch.setattr(os, call, failing(code))
            for put in (store.put_if_absent, store.put):
                with pytest.raises(kind) as raised:
                    put(COMMIT, b"data")
                assert type(raised.value) is kind
                assert raised.value.fix
                assert os.strerror(code) in raised.value.message
        assert everything_in(table) == ["_delta_log", "_delta_log/other"]
        store.put_if_absent(COMMIT, b"data")  # the same call succeeds once there is room

    def test_a_really_full_disk_leaves_nothing(self, table: Path) -> None:
        """A limit on the size of files makes the kernel itself cut a write short."""
        program = (
            "import resource, signal, sys\n"
            "from deltaresolver.log.storage.local_store import LocalStore\n"
            "from deltaresolver.errors import StorageFullError\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
            f"for put in (LocalStore({str(table)!r}).put_if_absent, LocalStore({str(table)!r}).put):\n"
            "    try:\n"
            f"        put({COMMIT!r}, bytes(10_000))\n"
            "    except StorageFullError:\n"
            "        print('full')\n"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
        assert done.stdout.split() == ["full", "full"]
        assert everything_in(table) == ["_delta_log"]

    def test_a_folder_without_rights_is_an_error(self) -> None:
        """In a process of its own, because root would have to give up being root."""
        program = (
            "import os, sys, tempfile\n"
            "from deltaresolver.log.storage.local_store import LocalStore\n"
            "from deltaresolver.errors import StorageAccessDeniedError\n"
            "with tempfile.TemporaryDirectory() as table:\n"
            "    os.mkdir(f'{table}/_delta_log', 0o500)\n"
            "    os.chmod(table, 0o755)\n"
            "    if os.geteuid() == 0:\n"
            "        os.seteuid(65534)\n"
            "    for call in ('put', 'put_if_absent'):\n"
            "        try:\n"
            f"            getattr(LocalStore(table), call)({COMMIT!r}, b'')\n"
            "        except StorageAccessDeniedError as error:\n"
            "            print(error.code)\n"
            "    if os.getuid() == 0:\n"
            "        os.seteuid(0)\n"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
        assert done.stdout.split() == ["DR405", "DR405"]


class TestLeftovers:
    def leave(self, table: Path, name: str, age_seconds: float) -> Path:
        left = table / "_delta_log" / f"{local_publish.STAGING_PREFIX}{name}{local_publish.STAGING_SUFFIX}"
        left.parent.mkdir(parents=True, exist_ok=True)
        left.write_bytes(b"half")
        then = time.time() - age_seconds
        os.utime(left, (then, then))
        return left

    def test_are_not_listed(self, table: Path) -> None:
        self.leave(table, "1", 0)
        assert list(LocalStore(table).list_from("_delta_log/")) == []

    def test_old_ones_go_with_the_next_put_after_a_listing(self, table: Path) -> None:
        old = self.leave(table, "old", local_store.LEFTOVER_AGE_SECONDS + 60)
        young = self.leave(table, "young", local_store.LEFTOVER_AGE_SECONDS - 60)
        store = LocalStore(table)
        list(store.list_from(COMMIT))
        assert old.exists(), "a reader must not delete"
        store.put_if_absent(COMMIT, b"x")
        assert not old.exists()
        assert young.exists()

    def test_that_cannot_be_removed_do_no_harm(self, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.leave(table, "old", local_store.LEFTOVER_AGE_SECONDS + 60)
        store = LocalStore(table)
        list(store.list_from(COMMIT))
        monkeypatch.setattr(os, "unlink", failing(errno.EACCES))
        store.put_if_absent(COMMIT, b"x")
        assert store.read(COMMIT) == b"x"


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_no_descriptor_is_left_open(table: Path, way: str) -> None:
    store = LocalStore(table)
    store.put_if_absent(COMMIT, b"x")
    before = open_descriptors()
    for _ in range(3):
        store.put("a", b"x")
        with pytest.raises(StoredFileExistsError):
            store.put_if_absent(COMMIT, b"x")
        store.read("a")
        store.read_range("a", 0, 1)
        next(store.list_from("_delta_log/"))
    assert open_descriptors() == before
