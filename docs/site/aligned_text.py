"""Docstrings as the site shows them: columns of names and meanings become a list, and classes list their fields."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ENTRY = re.compile(r"^(\w+) {2,}(\S.*)$")


class AlignedText(griffe.Extension):
    """Changes docstrings as they are loaded."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Write aligned columns as a list."""
        if obj.docstring is not None:
            obj.docstring.value = with_lists(obj.docstring.value)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Add the fields of a class whose `__init__` attrs writes, where no docstring has them."""
        if not any("attrs." in str(each.value) for each in cls.decorators):
            return
        fields = [each for each in cls.attributes.values() if _is_field(each)]
        told = "" if cls.docstring is None else cls.docstring.value
        listed = [f"- `{each.name}: {each.annotation}`" for each in fields if f"- `{each.name}`" not in told]
        if listed and cls.docstring is not None:
            cls.docstring.value = "\n".join([told, "", "Fields:", "", *listed])


def _is_field(attribute: griffe.Attribute) -> bool:
    return attribute.annotation is not None and not attribute.is_private and "property" not in attribute.labels


def with_lists(text: str) -> str:
    """The text, with each run of aligned lines as a list."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        entry = _ENTRY.match(line)
        if entry:
            lines += [] if inside else [""]
            lines.append(f"- `{entry[1]}`: {entry[2]}")
            inside = True
        elif inside and line.startswith("  "):
            lines.append(f"  {line.strip()}")
        else:
            lines += [""] if inside else []
            lines.append(line)
            inside = False
    return "\n".join(lines)
