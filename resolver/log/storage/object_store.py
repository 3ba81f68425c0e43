"""A table on S3, Google Cloud Storage or Azure, through obstore.

Reads, listings and plain puts may be repeated blindly, so the client repeats them. A conditional put may not: if a
first try arrived and only its answer was lost, a blind second one finds the file there and takes its own commit for
somebody else's. So conditional puts are repeated here, where it is known whether an earlier try may have arrived.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import LogError, StorageAnswerError, StorageUnsupportedError, StoredFileMissingError
from deltaresolver.log.storage.bounded_answers import ensure_readable_at_once, first_bytes, whole
from deltaresolver.log.storage.conditional_put import ConditionalPut
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.log.storage.object_connection import ObjectConnection, ensure_client_survived
from deltaresolver.log.storage.object_errors import from_object_error, is_range_refusal
from deltaresolver.log.storage.object_listing import list_below, list_sorted, list_unsorted
from deltaresolver.log.storage.store_path import ensure_names_file, split_path

if TYPE_CHECKING:
    from deltaresolver.log.storage.object_listing import Client


NO_FILE = "_deltaresolver_no_file_"
"""How a name begins that is asked for to see whether a server has everything."""
_SHOWN = 60
"""Bytes of what it answers then."""


class ObjectStore(LogStore):
    """Objects whose keys start with the table's path. Opens its connections on first use; pickles without them."""

    def __init__(self, connection: ObjectConnection, key_prefix: str = "") -> None:
        self._connection = connection
        self._prefix = key_prefix
        self._clients: dict[int, Client] = {}
        self._is_known = False

    @property
    def location(self) -> str:
        """The table's URL without a trailing slash."""
        return f"{self._connection.url}/{self._prefix}" if self._prefix else self._connection.url

    def __repr__(self) -> str:
        return f"ObjectStore({self.location!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_clients": {}}

    def ensure_usable(self) -> None:
        """Sends nothing. Raises `StorageUnsupportedError` without obstore, `StorageOptionError` for unfit options."""
        self._client(self._connection.options.max_retries)

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """The files in `path`'s folder from `path` on; pages are fetched as the caller iterates."""
        split_path(path)
        prefix = f"{self._prefix}/" if self._prefix else ""
        if self._connection.lists_in_order:
            return self._list_lazily(prefix, path)
        with self._explained("list", path):
            return iter(list_unsorted(self._reader, prefix, path))

    def folders_in(self, folder: str) -> list[str]:
        """The names of the folders right below `folder` (empty for the root): key prefixes up to the next slash."""
        prefix = "/".join(part for part in (self._prefix, folder) if part)
        with self._explained("list", folder):
            place, reader = f"{prefix}/" if prefix else None, self._reader
            found = whole(lambda: reader.list_with_delimiter_async(place), prefix)
        if not found["common_prefixes"] and not found["objects"]:
            self._ensure_is_store()
        return sorted(each.rstrip("/").rpartition("/")[2] for each in found["common_prefixes"])

    def list_below(self, path: str) -> Iterator[StoredFile]:
        """Every file below the folder `path` (with its slash), however deep, in any order."""
        split_path(path)
        prefix = f"{self._prefix}/" if self._prefix else ""
        with self._explained("list", path):
            yield from list_below(self._reader, prefix, path)

    def read(self, path: str) -> bytes:
        """The whole file. Raises `StoredFileMissingError`."""
        return self._read(path, self._reader)

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """Bytes from `start`, as far as there are any. Raises `StoredFileMissingError`."""
        key = self._key(path)
        if length <= 0:
            self._size(path)
            return b""
        if start < 0 and not self._connection.counts_from_the_end:
            size = self._size(path)
            start, length = max(size + start, 0), min(length, size)
        try:
            wanted: Any = {"suffix": -start} if start < 0 else (start, start + length)
            answer = self._reader.get(key, options={"range": wanted})
            return first_bytes(answer.stream(), -start if start < 0 else length, f"{self.location}/{path}")[:length]
        except LogError:
            raise
        except Exception as error:
            # A range that lies outside is refused, and so is any range of an empty object.
            if is_range_refusal(error) and self._size(path) <= max(start, 0):
                return b""
            raise self._explain(error, "read", path) from error

    def put_if_absent(self, path: str, data: bytes) -> None:
        """Create the object, or not at all; see `LogStore`.

        When the answer to a try was lost, an object with exactly `data` is taken for ours: give every commit
        something unique. Raises `StorageUnsupportedError` where other writers take turns through a lock.
        """
        key = self._key(path)
        self._refuse_foreign_lock()
        client = self._client(max_retries=0)
        ConditionalPut(
            full_path=f"{self.location}/{path}",
            data=data,
            send=lambda: _create(client, key, data),
            read_back=lambda: self._read(path, client),
            explain=lambda error: self._explain(error, "write", path),
            max_retries=self._connection.options.max_retries,
            retry_seconds=self._connection.options.retry_seconds,
        ).run()

    def put(self, path: str, data: bytes) -> None:
        """Create or replace the object."""
        key = self._key(path)
        with self._explained("write", path):
            self._reader.put(key, data)

    def delete(self, path: str) -> None:
        """Remove the object; a missing one is fine."""
        key = self._key(path)
        with contextlib.suppress(StoredFileMissingError), self._explained("delete", path):
            self._reader.delete(key)

    @property
    def _reader(self) -> Client:
        return self._client(self._connection.options.max_retries)

    def _client(self, max_retries: int) -> Client:
        ensure_client_survived()
        if max_retries not in self._clients:
            self._clients[max_retries] = self._connection.open(max_retries)
        return self._clients[max_retries]

    def _key(self, path: str) -> str:
        ensure_names_file(path)
        return f"{self._prefix}/{path}" if self._prefix else path

    def _read(self, path: str, client: Client) -> bytes:
        key = self._key(path)
        with self._explained("read", path):
            answer = client.get(key)
            ensure_readable_at_once(answer.meta["size"], f"{self.location}/{path}")
            return bytes(answer.bytes())

    def _size(self, path: str) -> int:
        key = self._key(path)
        with self._explained("look up", path):
            return int(self._reader.head(key)["size"])

    def _explain(self, error: Exception, action: str, path: str) -> LogError:
        return from_object_error(error, action, path, self.location)

    @contextlib.contextmanager
    def _explained(self, action: str, path: str) -> Iterator[None]:
        try:
            yield
        except LogError:
            raise
        except Exception as error:
            raise self._explain(error, action, path) from error

    def _list_lazily(self, prefix: str, path: str) -> Iterator[StoredFile]:
        found = None
        with self._explained("list", path):
            for found in list_sorted(self._reader, prefix, path):
                yield found
        if found is None:
            self._ensure_is_store()

    def _ensure_is_store(self) -> None:
        """Raises `StorageAnswerError` for a server that has every file.

        A client takes a page of HTML for a listing without files, and a table would seem not to be there. Asked once,
        when a listing was empty, for a name that nobody has ever written.
        """
        if self._is_known:
            return
        name = f"{NO_FILE}{uuid.uuid4().hex}"
        try:
            found = self._reader.get(f"{self._prefix}/{name}" if self._prefix else name)
            answer = bytes(next(iter(found.stream(min_chunk_size=_SHOWN)), b""))[:_SHOWN]
        except Exception:  # noqa: BLE001 - whatever else it answers, it does not have the file
            self._is_known = True
            return
        shown = answer.decode("utf-8", "replace")
        raise StorageAnswerError(
            f"What answers for {self.location} is not an object store: "
            f"it returned a file that was never written ({shown!r}).",
            fix="Check the endpoint: a proxy, a sign-in page or a web server answers in its place.",
            details={"location": self.location, "answer": shown},
        )

    def _refuse_foreign_lock(self) -> None:
        lock = self._connection.options.foreign_lock
        if lock is not None:
            raise StorageUnsupportedError(
                f"Other writers of {self.location} take turns through {lock}, which a conditional put does not see.",
                fix="Move all writers to conditional puts, then remove the storage option AWS_S3_LOCKING_PROVIDER.",
                details={"location": self.location, "lock": lock},
            )


def _create(client: Client, key: str, data: bytes) -> None:
    client.put(key, data, mode="create")
