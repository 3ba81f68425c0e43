"""docs/properties.md: it has every property, with the values that it takes."""

from __future__ import annotations

import re
from pathlib import Path

from deltaresolver.errors import DeltaResolverError
from deltaresolver.planning.client_guard import CONFIG_VARIABLE, GUARDED_CLIENTS
from deltaresolver.planning.kept_clients import KeepClients
from deltaresolver.transaction.metadata.property_values import KNOWN_PROPERTIES, ensure_value
from deltaresolver.transaction.policies import PROTOCOL_RISE

ROW = re.compile(r"^\| `(delta[\w.-]+)` \| (.+?) \| `(.+?)` \|", re.MULTILINE)
NONSENSE = "nonsense, of course"


def takes(key: str, value: str) -> bool:
    try:
        if key == GUARDED_CLIENTS:
            KeepClients.named(value).ensure_known()
        ensure_value(key, value)
    except DeltaResolverError:
        return False
    return True


def test_every_property_is_on_the_page_once_with_a_value_that_it_takes(root: Path) -> None:
    rows = ROW.findall((root / "docs" / "properties.md").read_text(encoding="utf-8"))
    assert sorted(name for name, _, _ in rows) == sorted({*KNOWN_PROPERTIES, GUARDED_CLIENTS, PROTOCOL_RISE})
    assert [name for name, _, example in rows if not takes(name, example)] == []
    unchecked = {name for name, kind, _ in rows if kind in ("anything", "names of columns")}
    assert {name for name, _, _ in rows if takes(name, NONSENSE)} == unchecked
    switches = {name for name, kind, _ in rows if kind == "true, false"}
    assert {name for name, _, _ in rows if takes(name, "true") and takes(name, "false")} - unchecked == switches


def test_the_page_names_the_settings_of_a_process(root: Path) -> None:
    page = (root / "docs" / "properties.md").read_text(encoding="utf-8")
    assert {CONFIG_VARIABLE, "NO_COLOR", "deltaresolver.trustTableExpressions"} <= set(
        re.findall(r"^\| `([\w.]+)`", page, re.MULTILINE)
    )
