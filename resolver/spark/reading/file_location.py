"""Where a data file is: as Spark's reader takes it, and as `_metadata.file_path` then names it."""

from __future__ import annotations

import re
import urllib.parse

import attrs

from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.file_key import canonical_path
from deltaresolver.spark.file_systems import spark_location

_AUTHORITY = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):(//[^/]*)?(?=/)")
_GLOB = re.compile(r"[{}\[\]*?\\]")
# What Java leaves as it is in the path of a URI, besides letters and digits.
_PLAIN = "/_-!.~'()*:@&=+$,;"


@attrs.frozen(slots=True)
class TableRoot:
    """The table's folder, not URI-encoded: `file:/lake/t` or `s3a://lake/t`."""

    location: str

    @classmethod
    def of(cls, location: str, store: LogStore) -> TableRoot:
        """The root of the table that a user calls `location`, whose log is in `store`."""
        if isinstance(store, LocalStore):
            return cls("file:" + store.location)
        return cls(spark_location(location.rstrip("/")))

    @property
    def is_local(self) -> bool:
        """Whether the table lies on this machine's own disks."""
        return self.location.startswith("file:")

    def file(self, logged_path: str) -> FileLocation:
        """The file that the log calls so: URI-encoded, relative to the table or absolute."""
        path = urllib.parse.unquote(canonical_path(logged_path))
        if _AUTHORITY.match(path) is None:
            path = f"{self.location}/{path.removeprefix('./')}"
        # Once more: what was encoded may be a way up, and Spark names a file by where it is.
        return FileLocation(spark_location(canonical_path(path)))


@attrs.frozen(slots=True)
class FileLocation:
    """A file by its absolute path, not URI-encoded."""

    path: str

    @property
    def spark_path(self) -> str:
        """What Spark's reader takes, which looks for wildcards."""
        return _GLOB.sub(lambda found: "\\" + found.group(), self.path)

    @property
    def key(self) -> str:
        """What `_metadata.file_path` gives for the file: encoded as Java encodes a URI."""
        match = _AUTHORITY.match(self.path)
        start = match.end() if match else 0
        return self.path[:start] + encode_as_java(self.path[start:])


def encode_as_java(path: str) -> str:
    """A path as `java.net.URI` writes it: other letters than ASCII's stay, white space and controls do not."""
    if path.isascii():
        return urllib.parse.quote(path, safe=_PLAIN)
    return "".join(
        each
        if not each.isascii() and not _is_space_or_control(each)
        else urllib.parse.quote(each, safe=_PLAIN, errors="surrogatepass")
        for each in path
    )


def _is_space_or_control(character: str) -> bool:
    return "\x7f" <= character <= "\x9f" or character.isspace() or character in "\u200b\u2028\u2029"
