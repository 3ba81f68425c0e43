"""Shapes of JSON, written short, and those that several answers share. `as_schema` makes JSON Schema of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Shape = dict[str, Any]

ANY: Shape = {}
TEXT: Shape = {"type": "string"}
WHOLE: Shape = {"type": "integer"}
NUMBER: Shape = {"type": "number"}
TRUTH: Shape = {"type": "boolean"}


def named(definition: str) -> Shape:
    """A shape that `DEFINITIONS` has."""
    return {"$ref": f"#/$defs/{definition}"}


def thing(about_it: str = "", /, **fields: Shape) -> Shape:
    """An object with these fields; one whose name ends in `_` may be missing. More may come in later releases."""
    shape: Shape = {"type": "object", "properties": {name.removesuffix("_"): each for name, each in fields.items()}}
    shape["required"] = [name for name in fields if not name.endswith("_")]
    return {"description": about_it, **shape} if about_it else shape


def many(items: Shape) -> Shape:
    """An array."""
    return {"type": "array", "items": items}


def mapping(values: Shape) -> Shape:
    """An object whose keys are data."""
    return {"type": "object", "additionalProperties": values}


def maybe(shape: Shape) -> Shape:
    """The shape, or null."""
    return {"anyOf": [shape, {"type": "null"}]}


def either(*shapes: Shape) -> Shape:
    """One of several shapes."""
    return {"anyOf": list(shapes)}


def one_of(values: Iterable[str]) -> Shape:
    """A text out of a list that is closed."""
    return {"enum": list(values)}


def about(sentence: str, shape: Shape) -> Shape:
    """The shape with what it means."""
    return {"description": sentence, **shape}


TEXTS = many(TEXT)
PROTOCOL = named("protocol")
COMMITS = many(named("commit"))

DEFINITIONS: dict[str, Shape] = {
    "protocol": thing(
        "As the log has it.",
        minReaderVersion=WHOLE,
        minWriterVersion=WHOLE,
        readerFeatures_=TEXTS,
        writerFeatures_=TEXTS,
    ),
    "commit": thing(version=WHOLE, operation=TEXT),
    "verdict": thing(
        "What a release of a client does with a table, and how that is known.",
        client=TEXT,
        version=TEXT,
        path=about("Which of the client's ways to a table; empty where it has one.", TEXT),
        act=one_of(["open", "read", "append"]),
        outcome=one_of(["works", "refuses", "silently wrong", "unknown"]),
        reason=TEXT,
        evidence=thing(rank=TEXT, basis=TEXT, source=TEXT),
        feature=maybe(TEXT),
        demand=maybe(TEXT),
        warning=about("Why not to rely on it; empty where nothing is to be said.", TEXT),
    ),
    "change": thing(
        "A client that loses or gains an act.",
        client=TEXT,
        act=TEXT,
        direction=one_of(["loss", "gain"]),
        before=named("verdict"),
        after=named("verdict"),
        feature=maybe(TEXT),
        would_do=about("Releases of the client that could do it.", TEXTS),
    ),
    "reason": either(
        thing(kind=one_of(["property"]), key=TEXT, value=TEXT),
        thing(kind=one_of(["column"]), path=TEXTS, fact=TEXT),
        thing(kind=one_of(["rule"]), rule=TEXT),
        thing(kind=one_of(["dependency"]), required_by=TEXT, platform_=TEXT),
        thing(kind=one_of(["asked by name"]), key=TEXT, value=TEXT, origin=TEXT),
        thing(kind=one_of(["already supported"]), listed=TRUTH, protocol=PROTOCOL),
        thing(
            kind=one_of(["implied by version"]),
            reader_version=named("version_in_effect"),
            writer_version=named("version_in_effect"),
        ),
    ),
    "version_in_effect": thing(key=TEXT, value=WHOLE, origin=TEXT),
    "explanation": thing(
        "A protocol, why it is what it is, and the proof that nothing lower will do.",
        policy=TEXT,
        protocol=PROTOCOL,
        current=maybe(PROTOCOL),
        changed=TRUTH,
        added=TEXTS,
        features=many(
            thing(
                feature=TEXT,
                reasons=many(named("reason")),
                remedies=many(thing(text=TEXT, sql=maybe(TEXT))),
            )
        ),
        unknown=TEXTS,
        versions=many(
            thing(
                side=one_of(["reader", "writer"]),
                number=WHOLE,
                cause=TEXT,
                needed_for=TEXTS,
                asked=maybe(named("version_in_effect")),
            )
        ),
        versions_in_effect=maybe(many(named("version_in_effect"))),
        certificate=thing(
            is_lowest=TRUTH,
            lowest_form=PROTOCOL,
            lower=many(thing(reader_version=WHOLE, writer_version=WHOLE, cannot_carry=TEXTS, would_add=TEXTS)),
        ),
    ),
    "cost": thing(
        truncations=WHOLE, bytes=maybe(WHOLE), files=maybe(WHOLE), steps=WHOLE, aborting=WHOLE, given_up=WHOLE
    ),
    "plan": thing(
        "The cheapest way to a target.",
        target=TEXT,
        possible=TRUTH,
        reasons=about("Why there is no way.", TEXTS),
        before=PROTOCOL,
        after=PROTOCOL,
        cost=named("cost"),
        steps=many(
            thing(
                kind=TEXT,
                names=TEXTS,
                title=TEXT,
                cost=named("cost"),
                costs=TEXTS,
                protocol_after=PROTOCOL,
                sql=TEXTS,
                python=maybe(TEXT),
                cli=maybe(TEXT),
            )
        ),
        notes=TEXTS,
    ),
    "in_flight": thing(fail=TRUTH, error=maybe(TEXT), condition=maybe(TEXT)),
    "feature_fact": thing(client=TEXT, reads=maybe(TEXT), writes=maybe(TEXT), source=TEXT),
}


def as_schema(
    name: str, title: str, shape: Shape, definitions: dict[str, Shape] | None = None, number: int = 1
) -> Shape:
    """A whole schema, with what every answer begins with and the definitions that it uses."""
    known = {**DEFINITIONS, **(definitions or {})}
    used: dict[str, Shape] = {}
    shape = _begun(shape, {"format": {"const": number}, "schema": {"const": name}}, known)
    _collect(shape, known, used)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"{name}.json", "title": title}
    return {**head, **shape, **({"$defs": dict(sorted(used.items()))} if used else {})}


def _begun(shape: Shape, first: dict[str, Shape], known: dict[str, Shape]) -> Shape:
    """The shape of an answer with these fields before its own."""
    if "anyOf" in shape:
        return {**shape, "anyOf": [_begun(each, first, known) for each in shape["anyOf"]]}
    if "$ref" in shape:
        return _begun(known[shape["$ref"].removeprefix("#/$defs/")], first, known)
    return {**shape, "properties": {**first, **shape["properties"]}, "required": [*first, *shape["required"]]}


def _collect(shape: Any, known: dict[str, Shape], used: dict[str, Shape]) -> None:
    if isinstance(shape, list):
        for each in shape:
            _collect(each, known, used)
    elif isinstance(shape, dict):
        reference = shape.get("$ref")
        if isinstance(reference, str):
            name = reference.removeprefix("#/$defs/")
            if name not in used:
                used[name] = known[name]
                _collect(known[name], known, used)
        _collect(list(shape.values()), known, used)


def closed(schema: Any) -> Any:
    """The schema without room for fields it does not name, so that a test notices a new one."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    shut = {key: closed(value) for key, value in schema.items()}
    if isinstance(shut.get("properties"), dict) and "additionalProperties" not in shut:
        shut["additionalProperties"] = False
    return shut
