"""The protocol action: which reader and writer versions, and which features, a table demands.

A value and its JSON form only. What a version implies depends on the catalog of known features,
so everything that needs one lives in `deltaresolver.resolution`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec

from deltaresolver.errors import ProtocolMalformedError

READER_VERSION_WITH_FEATURE_LIST = 3
"""From this reader version on, reader features are listed by name."""

WRITER_VERSION_WITH_FEATURE_LIST = 7
"""From this writer version on, writer features are listed by name."""

NO_FEATURES: frozenset[str] = frozenset()
_ONLY_STRINGS = frozenset((str,))


_Version = Annotated[int, msgspec.Meta(ge=0)]


class Protocol(msgspec.Struct, frozen=True, cache_hash=True, rename="camel", gc=False):
    """A protocol action. `None` for a feature list means the version has no list, not an empty one.

    Built with `Protocol.of(...)`, `Protocol.from_json(...)`, or directly; every way checks that
    lists are present exactly when the version carries them.
    """

    min_reader_version: _Version
    min_writer_version: _Version
    reader_features: frozenset[str] | None = None
    writer_features: frozenset[str] | None = None

    def __post_init__(self) -> None:
        reader_lists = self.min_reader_version >= READER_VERSION_WITH_FEATURE_LIST
        writer_lists = self.min_writer_version >= WRITER_VERSION_WITH_FEATURE_LIST
        if (
            reader_lists is (self.reader_features is not None)
            and writer_lists is (self.writer_features is not None)
            and (writer_lists or not reader_lists)
        ):
            return
        raise self._malformed(reader_lists, writer_lists)

    def _malformed(self, reader_lists: bool, writer_lists: bool) -> ProtocolMalformedError:
        versions = f"reader version {self.min_reader_version}, writer version {self.min_writer_version}"
        details = {"minReaderVersion": self.min_reader_version, "minWriterVersion": self.min_writer_version}
        if reader_lists and not writer_lists:
            return ProtocolMalformedError(
                f"A protocol with {versions} lists reader features but cannot list writer features.",
                fix=f"Set minWriterVersion to {WRITER_VERSION_WITH_FEATURE_LIST}.",
                details=details,
                delta_class="DeltaTableFeatureException",
                delta_condition="DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE",
            )
        wrong_side, version, lists = (
            ("reader", READER_VERSION_WITH_FEATURE_LIST, reader_lists)
            if reader_lists is not (self.reader_features is not None)
            else ("writer", WRITER_VERSION_WITH_FEATURE_LIST, writer_lists)
        )
        verb = "needs" if lists else "may not have"
        return ProtocolMalformedError(
            f"A protocol with {versions} {verb} {wrong_side}Features.",
            fix=f"Use {wrong_side}Features exactly when the {wrong_side} version is {version} or more.",
            details=details,
            delta_class="IllegalArgumentException",
        )

    @classmethod
    def of(
        cls,
        reader_version: int,
        writer_version: int,
        reader_features: Iterable[str] = (),
        writer_features: Iterable[str] = (),
    ) -> Protocol:
        """A protocol of these versions, with empty lists where the versions carry lists."""
        lists_reader = reader_version >= READER_VERSION_WITH_FEATURE_LIST
        lists_writer = writer_version >= WRITER_VERSION_WITH_FEATURE_LIST
        return cls(
            reader_version,
            writer_version,
            frozenset(reader_features) if lists_reader else None,
            frozenset(writer_features) if lists_writer else None,
        )

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Protocol:
        """The protocol in a log's `protocol` action. Raises `ProtocolMalformedError`."""
        if not isinstance(value, (dict, Mapping)):
            raise ProtocolMalformedError(
                f"A protocol is a JSON object, not {type(value).__name__}.",
                fix='Give {"minReaderVersion": ..., "minWriterVersion": ...}.',
            )
        try:
            return msgspec.convert(value, cls)
        except msgspec.ValidationError:
            return cls._read_by_hand(value)

    @classmethod
    def _read_by_hand(cls, value: Mapping[str, Any]) -> Protocol:
        """The slow way, which says in our words what is wrong."""
        return cls(
            _version(value, "minReaderVersion"),
            _version(value, "minWriterVersion"),
            _feature_list(value, "readerFeatures"),
            _feature_list(value, "writerFeatures"),
        )

    def to_json(self) -> dict[str, Any]:
        """The protocol as the log writes it; lists are sorted, and absent where there is none."""
        value: dict[str, Any] = {
            "minReaderVersion": self.min_reader_version,
            "minWriterVersion": self.min_writer_version,
        }
        if self.reader_features is not None:
            value["readerFeatures"] = sorted(self.reader_features)
        if self.writer_features is not None:
            value["writerFeatures"] = sorted(self.writer_features)
        return value

    @property
    def lists_reader_features(self) -> bool:
        """Whether reader features are named one by one."""
        return self.reader_features is not None

    @property
    def lists_writer_features(self) -> bool:
        """Whether writer features are named one by one."""
        return self.writer_features is not None

    @property
    def reader_feature_names(self) -> frozenset[str]:
        """The reader features listed; empty where the version has no list."""
        return self.reader_features if self.reader_features is not None else NO_FEATURES

    @property
    def writer_feature_names(self) -> frozenset[str]:
        """The writer features listed; empty where the version has no list."""
        return self.writer_features if self.writer_features is not None else NO_FEATURES

    @property
    def listed_features(self) -> frozenset[str]:
        """Every feature named on either side."""
        readers, writers = self.reader_feature_names, self.writer_feature_names
        return writers if readers <= writers else readers | writers

    def __str__(self) -> str:
        """The short form people write: `1,4` or `2,7,None,[columnMapping]`."""
        if not self.lists_writer_features:
            return f"{self.min_reader_version},{self.min_writer_version}"
        return ",".join(
            (
                str(self.min_reader_version),
                str(self.min_writer_version),
                _short_list(self.reader_features),
                _short_list(self.writer_features),
            )
        )

    def __repr__(self) -> str:
        return f"Protocol({self})"


def _short_list(features: frozenset[str] | None) -> str:
    return "None" if features is None else f"[{','.join(sorted(features))}]"


def _version(value: Mapping[str, Any], key: str) -> int:
    version = value.get(key)
    if type(version) is int and version >= 0:  # a bool is an int to isinstance
        return version
    found = "nothing" if key not in value else repr(version)
    raise ProtocolMalformedError(
        f"{key} must be a whole number, found {found}.",
        fix=f"Set {key} in the protocol action.",
        details={"key": key, "found": found},
    )


def _feature_list(value: Mapping[str, Any], key: str) -> frozenset[str] | None:
    features = value.get(key)
    if features is None:
        return None
    if isinstance(features, (list, tuple, set, frozenset)) and _ONLY_STRINGS.issuperset(map(type, features)):
        return frozenset(features)
    raise ProtocolMalformedError(
        f"{key} must be a list of feature names, found {features!r}.",
        fix=f"Write {key} as a JSON list of strings, or leave it out.",
        details={"key": key},
    )
