"""A protocol as people write it: JSON, or short forms such as `1,2` and `3,7,[deletionVectors],[deletionVectors]`."""

from __future__ import annotations

import re

import msgspec

from deltaresolver.errors import ProtocolMalformedError
from deltaresolver.model.protocol import Protocol

_SHORT = r"""\(? \s* (?P<reader>\d{1,9}) \s* [,/\s] \s* (?P<writer>\d{1,9})
    (?: \s* , \s* (?P<readers> None | \[[^\[\]]*\] ) )?
    (?: \s* , \s* (?P<writers> None | \[[^\[\]]*\] ) )? \s* \)?"""
FORMS = 'Write 1,2 or 3,7,[deletionVectors],[deletionVectors] or {"minReaderVersion": 1, "minWriterVersion": 2}.'


def read_protocol(text: str) -> Protocol:
    """The protocol a text means. Raises `ProtocolMalformedError`."""
    if text.lstrip().startswith("{"):
        return _from_json(text)
    found = re.fullmatch(_SHORT, text.strip(), re.VERBOSE)
    if found is None:
        raise ProtocolMalformedError(f"{text!r:.120} is not a protocol.", fix=FORMS, details={"text": text[:500]})
    reader_version, writer_version = int(found["reader"]), int(found["writer"])
    if found["readers"] is None:
        # (3, 7) alone lists nothing, which is what Protocol.of fills in.
        return Protocol.of(reader_version, writer_version)
    if found["writers"] is None:
        raise ProtocolMalformedError(
            f"{text!r} has one list of features, and a protocol has one for readers and one for writers.",
            fix=f"Write {reader_version},{writer_version},None,{found['readers']} if only writers need them.",
            details={"text": text},
        )
    return Protocol(reader_version, writer_version, _names(found["readers"]), _names(found["writers"]))


def _names(text: str) -> frozenset[str] | None:
    if text == "None":
        return None
    return frozenset(stripped for name in text[1:-1].split(",") if (stripped := name.strip().strip("\"'")))


def _from_json(text: str) -> Protocol:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise ProtocolMalformedError(
            f"The protocol is not JSON: {error}.", fix=FORMS, details={"text": text[:500]}
        ) from error
    return Protocol.from_json(value.get("protocol", value))
