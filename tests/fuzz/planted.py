"""Bugs planted on purpose: a guard is taken away, and the target that feeds it must find that."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from pyroaring import BitMap64

from deltaresolver.cli.inputs import json_input
from deltaresolver.clients import fields as client_fields
from deltaresolver.errors import DeltaResolverError
from deltaresolver.expressions.parser import spelt_out
from deltaresolver.log import build_segment, checksum, deletion_vectors, listing
from deltaresolver.log.columnar import json_lines, parquet_parts
from deltaresolver.log.names import LAST_CHECKPOINT, NameKind
from deltaresolver.log.storage import object_store
from deltaresolver.log.upkeep import settings
from deltaresolver.model import metadata
from deltaresolver.testing.conformance import recorded_cases
from deltaresolver.transaction.ddl import token_stream


def _bare(module: Any, name: str) -> None:
    """The function lets out what it met instead of the library's error for it."""
    guarded = getattr(module, name)

    def let_out(error: DeltaResolverError) -> BaseException:
        return error.__cause__ or ValueError(error.message)

    @functools.wraps(guarded)
    def bare(*arguments: Any, **options: Any) -> Any:
        try:
            return guarded(*arguments, **options)
        except DeltaResolverError as error:
            raise let_out(error) from None

    @functools.wraps(guarded)
    def bare_generator(*arguments: Any, **options: Any) -> Any:
        try:
            yield from guarded(*arguments, **options)
        except DeltaResolverError as error:
            raise let_out(error) from None

    setattr(module, name, bare_generator if inspect.isgeneratorfunction(guarded) else bare)


def _counted_parts() -> None:
    """The parts of a checkpoint are counted up to the number that a name states."""
    guarded = listing._complete_checkpoints

    def complete(files: Any) -> Any:
        files = tuple(files)
        for name, _ in files:
            if name.kind is NameKind.CHECKPOINT_PART:
                _ = set(range(1, name.part_count + 1))
        return guarded(files)

    listing._complete_checkpoints = complete


def _rows_first() -> None:
    """The rows of a deletion vector are written out before they are counted."""
    guarded = deletion_vectors._checked

    def checked(data: bytes, vector: Any) -> Any:
        try:
            rows = np.array(BitMap64.deserialize(data[4:]).to_array())
        except ValueError:
            rows = np.array([])
        del rows
        return guarded(data, vector)

    deletion_vectors._checked = checked


def _believed_hint() -> None:
    """The hint is taken for JSON with a number in it."""

    def believed(store: Any) -> Any:
        return json.loads(store.read(LAST_CHECKPOINT))["version"] if store.find(LAST_CHECKPOINT) else None

    setattr(build_segment, "find_hinted_version", believed)  # noqa: B010 - it comes from another module


def _believed_number() -> None:
    """A property is taken for a number."""
    settings._whole = lambda metadata, key, default: int(metadata.configuration.get(key, default))


def _believed_list() -> None:
    """A field of a clients file is taken for a list of texts."""
    client_fields.FieldReader.texts = (  # type: ignore[method-assign]
        lambda self, value, key, where: tuple(text.strip() for text in value.get(key) or ())
    )


def _one(module: ModuleType | type, name: str) -> Callable[[], None]:
    return functools.partial(_bare, module, name)


PLANTED: dict[str, tuple[str, Callable[[], None]]] = {
    "parts counted up": ("names", _counted_parts),
    "lines of commits": ("commits", _one(json_lines, "decode_line")),
    "Parquet as it comes": ("checkpoints", _one(parquet_parts, "read_piece")),
    "rows before their count": ("vectors", _rows_first),
    "schemas as they come": ("schemas", _one(metadata, "parse_schema")),
    "checksums as they come": ("checksums", lambda: setattr(checksum, "find_checksum", _raw_checksum)),
    "hints believed": ("hints", _believed_hint),
    "numbers believed": ("properties", _believed_number),
    "conditions as they come": ("conditions", lambda: setattr(spelt_out, "_DEEPEST", 10**9)),
    "integers as they come": ("statements", _one(token_stream.TokenStream, "read_integer")),
    "lists believed": ("clients", _believed_list),
    "recorded lines as they come": ("recorded", _one(recorded_cases, "recorded_lines")),
    "JSON as it comes": ("described", _one(json_input, "_text")),
    "answers as they come": ("answers", lambda: setattr(object_store, "from_object_error", lambda error, *_: error)),
}
"""By name: the target that must find it, and what puts it in."""


def _raw_checksum(store: Any, path: str) -> Any:
    return checksum._from_json(json.loads(store.read(path)))


def plant(name: str) -> None:
    """Put a bug in, for as long as this process lives."""
    PLANTED[name][1]()
