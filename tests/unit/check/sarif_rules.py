"""What the schema of SARIF 2.1.0 asks of the parts that a check writes, written down by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_URI = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#\[\]-]|%[0-9A-Fa-f]{2})*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
Check = Callable[[Any, str], Iterator[str]]


def sarif_problems(log: Any) -> list[str]:
    """What the schema refuses, each with the place; nothing for a valid log."""
    return list(_log(log, "$"))


def _of(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with these properties and, as in the schema, no others."""
    known = {**required, **(optional or {})}

    def check(value: Any, where: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{where} is not an object"
            return
        yield from (f"{where} lacks {key}" for key in required if key not in value)
        for key, one in value.items():
            if key in known:
                yield from known[key](one, f"{where}.{key}")
            else:
                yield f"{where} has {key}, which the schema does not know"

    return check


def _many(item: Check, *, unique: bool = False) -> Check:
    def check(value: Any, where: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{where} is not an array"
            return
        if unique and any(one in value[:place] for place, one in enumerate(value)):
            yield f"{where} has an item twice"
        for place, one in enumerate(value):
            yield from item(one, f"{where}[{place}]")

    return check


def _text(value: Any, where: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{where} is not a text"


def _one_of(*words: Any) -> Check:
    def check(value: Any, where: str) -> Iterator[str]:
        if value not in words:
            yield f"{where} is {value!r}"

    return check


def _at_least(least: int) -> Check:
    def check(value: Any, where: str) -> Iterator[str]:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            yield f"{where} is {value!r}"

    return check


def _flag(value: Any, where: str) -> Iterator[str]:
    if not isinstance(value, bool):
        yield f"{where} is not true or false"


def _uri_reference(value: Any, where: str) -> Iterator[str]:
    if not isinstance(value, str) or not _URI.fullmatch(value):
        yield f"{where} is no URI reference: {value!r}"


def _uri(value: Any, where: str) -> Iterator[str]:
    yield from _uri_reference(value, where)
    if not _SCHEME.match(str(value)):
        yield f"{where} has no scheme"


def _map(item: Check) -> Check:
    def check(value: Any, where: str) -> Iterator[str]:
        for key, one in value.items() if isinstance(value, dict) else ():
            yield from item(one, f"{where}.{key}")
        if not isinstance(value, dict):
            yield f"{where} is not an object"

    return check


def _region(value: Any, where: str) -> Iterator[str]:
    yield from _of({}, {"startLine": _at_least(1), "endLine": _at_least(1)})(value, where)
    if not value or value.get("endLine", value.get("startLine", 1)) < value.get("startLine", 1):
        yield f"{where} ends before it begins"


def _anything(value: Any, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where} is not an object"


_LEVEL = _one_of("none", "note", "warning", "error")
_MULTI = _of({"text": _text}, {"markdown": _text})
_MESSAGE = _of({"text": _text}, {"markdown": _text})
_ARTIFACT = _of({}, {"uri": _uri_reference, "uriBaseId": _text, "description": _MESSAGE})
_RULE = _of(
    {"id": _text},
    {
        "name": _text,
        "shortDescription": _MULTI,
        "fullDescription": _MULTI,
        "help": _MULTI,
        "helpUri": _uri,
        "defaultConfiguration": _of({}, {"level": _LEVEL}),
    },
)
_RESULT = _of(
    {"message": _MESSAGE},
    {
        "ruleId": _text,
        "ruleIndex": _at_least(-1),
        "level": _LEVEL,
        "locations": _many(_of({}, {"physicalLocation": _of({}, {"artifactLocation": _ARTIFACT, "region": _region})})),
        "partialFingerprints": _map(_text),
        "suppressions": _many(
            _of({"kind": _one_of("inSource", "external")}, {"justification": _text, "status": _text}), unique=True
        ),
        "properties": _anything,
    },
)
_NOTIFICATION = _of({"message": _MESSAGE}, {"level": _LEVEL})
_RUN = _of(
    {"tool": _of({"driver": _of({"name": _text}, {"version": _text, "rules": _many(_RULE, unique=True)})})},
    {
        "columnKind": _one_of("utf16CodeUnits", "unicodeCodePoints"),
        "originalUriBaseIds": _map(_ARTIFACT),
        "results": _many(_RESULT),
        "invocations": _many(
            _of({"executionSuccessful": _flag}, {"toolExecutionNotifications": _many(_NOTIFICATION)}), unique=True
        ),
    },
)
_log = _of({"version": _one_of("2.1.0"), "runs": _many(_RUN)}, {"$schema": _uri})
