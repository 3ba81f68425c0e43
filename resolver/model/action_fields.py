"""How the fields of an action are spelt and typed in JSON: declared once per field, read and written from that.

A field's JSON name is its Python name in camel case unless given. Fields nobody declared are kept in
`extra` and written back as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import attrs

from deltaresolver.errors import ActionMalformedError
from deltaresolver.model.frozen import EMPTY, frozen, frozen_texts

Read = Callable[[Any], Any]
T = TypeVar("T")


class _WrongTypeError(Exception):
    """A value is not of the declared type; the argument names the type."""


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise _WrongTypeError("a string")


def _whole(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        if -(2**63) <= value < 2**63:
            return value
        raise _WrongTypeError("a whole number of at most 64 bits")
    raise _WrongTypeError("a whole number")


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise _WrongTypeError("true or false")


def _text_map(value: Any) -> Mapping[str, str | None]:
    if isinstance(value, Mapping):
        if all(item is None or isinstance(item, str) for item in value.values()):
            return value
        # Some writers leave out the quotes. A fraction is refused: its digits as they were written are lost by now.
        if all(item is None or isinstance(item, str | int) for item in value.values()):
            return {key: _as_text(item) for key, item in value.items()}
    raise _WrongTypeError("an object of strings")


def _as_text(item: str | int | None) -> str | None:
    if isinstance(item, bool):
        return "true" if item else "false"
    return item if item is None else str(item)


def declared(read: Read, default: Any = attrs.NOTHING, name: str | None = None) -> Any:
    """A field read by `read`; with a `default` it may be absent or null in the JSON."""
    if read is _text_map:
        return attrs.field(default=default, metadata=reads(read, name), hash=False, converter=frozen_texts)
    return attrs.field(default=default, metadata=reads(read, name))


def reads(read: Read, name: str | None = None) -> Mapping[str, Any]:
    """The metadata of a field read by `read` and spelt `name` in JSON."""
    return {"read": read, "json": name}


def text(default: Any = attrs.NOTHING, name: str | None = None) -> Any:
    """A string."""
    return declared(_text, default, name)


def whole(default: Any = attrs.NOTHING, name: str | None = None) -> Any:
    """A whole number."""
    return declared(_whole, default, name)


def flag(default: Any = attrs.NOTHING, name: str | None = None) -> Any:
    """True or false."""
    return declared(_flag, default, name)


def text_map(default: Any = attrs.NOTHING, name: str | None = None) -> Any:
    """An object whose values are strings or null."""
    return declared(_text_map, default, name)


def extra_fields() -> Any:
    """Where undeclared fields are kept."""
    return attrs.field(default=EMPTY, hash=False, repr=False, converter=frozen)


_declared_fields: dict[Any, Mapping[str, attrs.Attribute[Any]]] = {}


def _fields_of(kind: Any) -> Mapping[str, attrs.Attribute[Any]]:
    found = _declared_fields.get(kind)
    if found is None:
        found = _declared_fields[kind] = {
            field.metadata["json"] or _camel_case(field.name): field
            for field in attrs.fields(kind)
            if "read" in field.metadata
        }
    return found


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def read_fields(kind: Callable[..., T], value: Any, action: str) -> T:
    """An instance of `kind` from the action's JSON object. Raises `ActionMalformedError`."""
    if not isinstance(value, Mapping):
        raise _malformed(action, "", "a JSON object", value)
    fields = _fields_of(kind)
    found: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, item in value.items():
        field = fields.get(name)
        if field is None:
            extra[name] = item
        elif item is not None:
            try:
                found[field.name] = field.metadata["read"](item)
            except _WrongTypeError as error:
                raise _malformed(action, name, str(error), item) from None
    for name, field in fields.items():
        if field.default is attrs.NOTHING and field.name not in found:
            raise _malformed(action, name, "present", None)
    return kind(**found, extra=extra)


def write_fields(action: Any) -> dict[str, Any]:
    """The JSON object of an action; fields that are `None` are left out."""
    value: dict[str, Any] = {}
    for name, field in _fields_of(type(action)).items():
        item = getattr(action, field.name)
        if item is not None:
            value[name] = write_fields(item) if attrs.has(type(item)) else item
    value.update(action.extra)
    return value


def find_wrong_field(action: Any) -> tuple[str, str, object] | None:
    """The first field that a reader of the log would refuse: its JSON name, what it must be, and what it is."""
    for name, field in _fields_of(type(action)).items():
        item = getattr(action, field.name)
        if item is None:
            if field.default is not None:
                return name, "present", item
        elif attrs.has(type(item)):
            inner = find_wrong_field(item)
            if inner is not None:
                return f"{name}.{inner[0]}", *inner[1:]
        else:
            try:
                if field.metadata["read"](item) is not item:
                    return name, "of the type that the log has for it", item
            except _WrongTypeError as error:
                return name, str(error), item
    return None


def _malformed(action: str, name: str, expected: str, found: object) -> ActionMalformedError:
    where = f"{action}.{name}" if name else action
    shown = "nothing" if found is None else f"{found!r:.80}"
    return ActionMalformedError(
        f"{where} must be {expected}, found {shown}.",
        fix=f"Find the writer of this {action} action; the file that holds it has to be restored or repaired.",
        details={"action": action, "field": name, "expected": expected, "found": shown},
    )
