"""JSON files to proposals: a metaData object, the lines of a commit, or a manifest of dbt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from deltaresolver.check.found import CheckPlace
from deltaresolver.check.sources.proposal import MetadataProposal, PropertiesProposal, Proposal
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

_SIGNS = ("metaData", "schemaString", "configuration")


def read_json(file: str, text: str) -> Iterator[Proposal]:
    """What the file proposes; nothing, where it is JSON of another kind.

    Raises `MetadataMalformedError` and `ProtocolMalformedError` for what is meant as metadata and cannot be read.
    """
    if not any(f'"{sign}"' in text for sign in _SIGNS) and '"nodes"' not in text:
        return
    found = _objects(text)
    if found is None:
        return
    if len(found) == 1 and isinstance(found[0].get("nodes"), dict):
        yield from _models(file, text, found[0]["nodes"])
        return
    metadata, protocol = _last(found, "metaData"), _last(found, "protocol")
    if metadata is None and len(found) == 1 and any(sign in found[0] for sign in _SIGNS[1:]):
        metadata = found[0]
    if metadata is None:
        return
    name = metadata.get("name") or file.rpartition("/")[2].removesuffix(".json")
    line = 1 + text.count("\n", 0, max(text.find('"configuration"'), 0))
    read = Metadata.from_json(metadata)
    place = CheckPlace(file, line, json.dumps(metadata, sort_keys=True))
    yield MetadataProposal(place, str(name), read, None if protocol is None else Protocol.from_json(protocol))


def _objects(text: str) -> list[dict[str, Any]] | None:
    """The object that the text is, or those in its lines; None where it is neither."""
    try:
        whole = json.loads(text)
        return [whole] if isinstance(whole, dict) else None
    except (ValueError, RecursionError):
        pass
    try:
        lines = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return None
    return lines if all(isinstance(line, dict) for line in lines) else None


def _last(actions: list[dict[str, Any]], key: str) -> dict[str, Any] | None:
    found = [one[key] for one in actions if isinstance(one.get(key), dict)]
    return found[-1] if found else None


def _models(file: str, text: str, nodes: dict[str, Any]) -> Iterator[Proposal]:
    """The models of a manifest that say something of Delta tables."""
    for key, node in nodes.items():
        config = node.get("config") if isinstance(node, dict) else None
        properties = config.get("tblproperties") if isinstance(config, dict) else None
        if not isinstance(properties, dict) or not properties:
            continue
        name = str(node.get("relation_name") or node.get("name") or key).replace("`", "")
        source = str(node.get("original_file_path") or file)
        line = 1 if source != file else 1 + text.count("\n", 0, max(text.find(json.dumps(key)), 0))
        yield PropertiesProposal(
            CheckPlace(source, line, json.dumps(properties, sort_keys=True)), name, texts(properties), ()
        )


def texts(properties: dict[Any, Any]) -> dict[str, str]:
    """Properties as Spark keeps them: truth values in small letters."""
    return {
        str(key): str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in properties.items()
        if value is not None
    }
