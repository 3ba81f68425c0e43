"""Everything that is installed for users may be used and passed on freely."""

from __future__ import annotations

import re
from importlib import metadata

import pytest

FREE = re.compile(r"MIT|BSD|Apache|PSF|Python Software Foundation|ISC|MPL|Zlib|Unlicense|CC0|0BSD", re.IGNORECASE)
BINDING = re.compile(r"\b(A|L)?GPL|SSPL|BUSL|proprietary", re.IGNORECASE)


def needed(extras: tuple[str, ...]) -> set[str]:
    """The distributions that an installation with these extras brings, as far as they are installed here."""
    found: set[str] = set()
    waiting = [("deltaresolver", extras)]
    while waiting:
        name, wanted = waiting.pop()
        try:
            requires = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # for another platform or Python
        for text in requires:
            part, _, condition = text.partition(";")
            match = re.match(r"\s*([A-Za-z0-9._-]+)(?:\[([^\]]*)\])?", part)
            assert match is not None, text
            extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", condition)
            dependency = re.sub(r"[-_.]+", "-", match[1]).lower()
            if (extra is None or extra[1] in wanted) and dependency not in found:
                if dependency != "deltaresolver":
                    found.add(dependency)
                waiting.append((dependency, tuple(filter(None, (match[2] or "").split(",")))))
    return found


def licence_of(name: str) -> str | None:
    """What a distribution says of its licence; None if it is not installed."""
    try:
        said = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    classifiers = [text for text in said.get_all("Classifier") or () if text.startswith("License ::")]
    plain = [text[:200] for key in ("License-Expression", "License") for text in said.get_all(key) or ()]
    return " ".join([*plain, *classifiers])


@pytest.mark.parametrize("extras", [(), ("spark", "connect", "cloud", "glue", "report")], ids=str)
def test_every_licence_is_free(extras: tuple[str, ...]) -> None:
    licences = {name: licence_of(name) for name in needed(extras)}
    installed = {name: text for name, text in licences.items() if text is not None}
    assert len(installed) > 8
    assert {name: text for name, text in installed.items() if BINDING.search(text) or not FREE.search(text)} == {}
