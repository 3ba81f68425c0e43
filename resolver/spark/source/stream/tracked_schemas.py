"""The schemas that a stream has read with, kept in the folder of its option `schemaTrackingLocation`.

A stream with such a folder reads rows from before a change by the schema of that time. At a change it notes the new
schema and ends; started again, it goes on with that. Columns that are renamed, dropped or retyped need a word of
consent first, since whatever comes after the stream must know of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping

import attrs

from deltaresolver.errors import (
    DeltaResolverError,
    StoredFileExistsError,
    StreamMetadataChangedError,
    StreamOffsetInvalidError,
)
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.locations import open_store
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.facts.columns import mapping_mode, physical_name
from deltaresolver.model.facts.nested_types import parts
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructType
from deltaresolver.spark.settings.rules import CONSENT_PREFIX, PREFIX
from deltaresolver.spark.source.stream.options import CONSENT, StreamOptions

_ALWAYS = "always"
_STREAMING = PREFIX + "streaming."


@attrs.frozen(slots=True)
class TrackedSchema:
    """The metadata and protocol of a table version, by which rows are read from it on."""

    table_version: int
    metadata: Metadata
    protocol: Protocol

    @classmethod
    def of(cls, snapshot: Snapshot) -> TrackedSchema:
        """Of one version."""
        return cls(snapshot.table_version, snapshot.metadata, snapshot.protocol)


@attrs.frozen(slots=True)
class SchemaTrack:
    """The notes of one stream over one table."""

    store: LogStore
    folder: str

    @classmethod
    def at(cls, location: str | None, storage: Mapping[str, str], table_id: str) -> SchemaTrack | None:
        """In the folder of the option; None without the option. Several tables may share a folder."""
        if location is None:
            return None
        # Not the id itself: it is the table's own text, and may be any path.
        name = hashlib.sha256(table_id.encode()).hexdigest()[:32]
        return cls(open_store(location, storage), f"_schema_log_{name}")

    def latest(self) -> TrackedSchema | None:
        """What the stream reads with now. Raises `StreamOffsetInvalidError` for a note that cannot be read."""
        notes = self._notes()
        if not notes:
            return None
        path = notes[-1]
        try:
            found = json.loads(self.store.read(path))
            return TrackedSchema(
                int(found["tableVersion"]), Metadata.from_json(found["metadata"]), Protocol.from_json(found["protocol"])
            )
        except (DeltaResolverError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise StreamOffsetInvalidError(
                f"The schema that the stream has noted in {self.store.location}/{path} cannot be read: {error}",
                fix="Start the query with a new checkpoint location and a new schemaTrackingLocation.",
                details={"path": path, "location": self.store.location},
                delta_condition="DELTA_STREAMING_SCHEMA_LOG_DESERIALIZE_FAILED",
            ) from error

    def add(self, noted: TrackedSchema) -> None:
        """Note a schema. Raises `StreamOffsetInvalidError` where another stream notes its own here."""
        text = {
            "tableVersion": noted.table_version,
            "metadata": noted.metadata.to_json(),
            "protocol": noted.protocol.to_json(),
        }
        try:
            self.store.put_if_absent(f"{self.folder}/{len(self._notes()):020}.json", json.dumps(text).encode())
        except StoredFileExistsError:
            raise StreamOffsetInvalidError(
                f"Another stream notes its schemas in {self.store.location} at the same time.",
                fix="Give each stream a schemaTrackingLocation of its own, inside its checkpoint location.",
                details={"location": self.store.location},
                delta_condition="DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT",
            ) from None

    def _notes(self) -> list[str]:
        return sorted(file.path for file in self.store.list_from(f"{self.folder}/") if file.path.endswith(".json"))


def ensure_agreed(before: Metadata, after: TrackedSchema, stream: StreamOptions, settings: Mapping[str, str]) -> None:
    """Raises `StreamMetadataChangedError` for a change that columns do not come through unharmed, without consent."""
    kinds = sorted(set(_changes(before, after.metadata)))
    missing = [kind for kind in kinds if not _is_agreed(kind, after.table_version, stream, settings)]
    if missing:
        options = ", ".join(CONSENT[kind] for kind in missing)
        raise StreamMetadataChangedError(
            f"Version {after.table_version} of the table that the stream reads has columns {' and '.join(missing)}.",
            fix=f"See to what comes after the stream, and restart it with {options} = {after.table_version}, "
            f"or {_ALWAYS}.",
            details={"table_version": after.table_version, "changed": missing, "options": options},
            delta_class="DeltaRuntimeException",
            delta_condition="DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION",
        )


def _is_agreed(kind: str, table_version: int, stream: StreamOptions, settings: Mapping[str, str]) -> bool:
    given = [stream.consent.get(kind), consent_of_session(settings).get(CONSENT[kind])]
    return any(value is not None and value.lower() in (_ALWAYS, str(table_version)) for value in given)


def consent_of_session(settings: Mapping[str, str]) -> Mapping[str, str]:
    """The options of `CONSENT` as settings have them."""
    both = settings.get(f"{CONSENT_PREFIX}RenameAndDrop")
    of_both = {} if both is None else {CONSENT[kind]: both for kind in ("renamed", "dropped")}
    own = {name: settings[_STREAMING + name] for name in CONSENT.values() if _STREAMING + name in settings}
    return {**of_both, **own}


def _changes(before: Metadata, after: Metadata) -> Iterator[str]:
    """What became of the columns that were there: renamed, dropped or retyped."""
    later = dict(_leaves(after.schema, mapping_mode(after), ()))
    for path, (name, kind) in _leaves(before.schema, mapping_mode(before), ()):
        if path not in later:
            yield "dropped"
        elif later[path][0] != name:
            yield "renamed"
        elif later[path][1] != kind:
            yield "retyped"


def _leaves(found: DataType, mode: str, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], tuple[str, object]]]:
    """Each field and element by its place in data files, with its name and what kind of type it has."""
    if isinstance(found, StructType):
        for field in found.fields:
            place = (*path, physical_name(field, mode))
            yield place, (field.name, _kind(field.type))
            yield from _leaves(field.type, mode, place)
    else:
        for name, inner in parts(found):
            yield (*path, name), (name, _kind(inner))
            yield from _leaves(inner, mode, (*path, name))


def _kind(found: DataType) -> object:
    return type(found).__name__ if isinstance(found, StructType | ArrayType | MapType) else found
