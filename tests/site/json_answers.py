"""What each command prints with `--json`, as shapes; `docs/schemas` is made of them, and of msgspec's for audits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from deltaresolver.audit.document.document import FORMAT, Card, LakeAudit
from deltaresolver.model.audit_table import TableAudit
from tests.site.json_parts import (
    ALTERED,
    CHECK_FINDING,
    CLIENT,
    COUNTS_OF_RESTORE,
    CREATED,
    DROPPED,
    FEATURE,
    MEASURED,
    PLACE,
    PROTOCOL_CHANGE,
    SHEET_ANSWER,
)
from tests.site.json_shapes import (
    ANY,
    NUMBER,
    PROTOCOL,
    TEXT,
    TEXTS,
    TRUTH,
    WHOLE,
    Shape,
    about,
    as_schema,
    either,
    many,
    mapping,
    maybe,
    named,
    one_of,
    thing,
)

FOLDER = Path("docs/schemas")
ANSWERS: dict[str, tuple[str, Shape]] = {
    "error": (
        "Any command that ends with an error, on standard error",
        thing(
            code=TEXT,
            error=TEXT,
            message=TEXT,
            fix=TEXT,
            details=mapping(ANY),
            delta_class=maybe(TEXT),
            delta_condition=maybe(TEXT),
            retryable=TRUTH,
        ),
    ),
    "resolve": (
        "deltaresolver resolve",
        thing(
            protocol=PROTOCOL,
            current=maybe(PROTOCOL),
            changed=TRUTH,
            features=TEXTS,
            added=TEXTS,
            policy=TEXT,
            notes=TEXTS,
        ),
    ),
    "explain": ("deltaresolver explain", either(named("explanation"), thing(code=TEXT, error=TEXT, page=TEXT))),
    "impact": (
        "deltaresolver impact",
        thing(
            before=PROTOCOL,
            after=PROTOCOL,
            changed=TRUTH,
            added=TEXTS,
            fine=TRUTH,
            required=many(
                thing(client=TEXT, act=TEXT, met=TRUTH, lost=TRUTH, before=named("verdict"), after=named("verdict"))
            ),
            clients=TEXTS,
            silently_wrong=many(named("change")),
            losses=many(named("change")),
            gains=many(named("change")),
            still_wrong=many(named("verdict")),
            notes=TEXTS,
        ),
    ),
    "plan": (
        "deltaresolver plan",
        either(
            named("plan"),
            thing(
                "With --apply.",
                applied=many(thing(step=TEXT, table_version=WHOLE)),
                reached=TRUTH,
                plan=named("plan"),
            ),
            thing("With --from.", cards=many(named("Card"))),
            thing(
                "With --from and --card.",
                card=WHOLE,
                title=TEXT,
                tables=many(thing(location=TEXT, plan=TEXT)),
            ),
            thing(
                "With --from, --card and --apply.",
                card=WHOLE,
                title=TEXT,
                tables=many(thing(location=TEXT, outcome=TEXT, done=TRUTH)),
                left=WHOLE,
            ),
        ),
    ),
    "history": (
        "deltaresolver history",
        thing(
            table=TEXT,
            commits=many(
                thing(
                    version=WHOLE,
                    timestamp_ms=WHOLE,
                    time=maybe(TEXT),
                    operation=maybe(TEXT),
                    parameters=mapping(ANY),
                    user=maybe(TEXT),
                    engine=maybe(TEXT),
                    protocol_change=maybe(PROTOCOL_CHANGE),
                )
            ),
        ),
    ),
    "check": (
        "deltaresolver check",
        thing(
            files=WHOLE,
            statements=WHOLE,
            required=TEXTS,
            findings=many(thing(**CHECK_FINDING)),
            borne=many(thing(**CHECK_FINDING, reason=TEXT)),
            changes=many(thing(**PLACE, table=TEXT, before=maybe(TEXT), after=maybe(TEXT), added=TEXTS, removed=TEXTS)),
            notes=TEXTS,
        ),
    ),
    "verify": (
        "deltaresolver verify",
        thing(
            location=TEXT,
            version=maybe(WHOLE),
            sound=TRUTH,
            commits=WHOLE,
            checkpoints=WHOLE,
            files=WHOLE,
            deletion_vectors=WHOLE,
            bytes=WHOLE,
            pages_read=TRUTH,
            problems=many(thing(kind=TEXT, path=TEXT, message=TEXT, fix=TEXT)),
        ),
    ),
    "clients": (
        "deltaresolver clients",
        either(
            thing("All of them.", clients=many(CLIENT)),
            thing(
                "With a client.",
                client=TEXT,
                name=TEXT,
                version=TEXT,
                path=TEXT,
                paths=TEXTS,
                notes=TEXT,
                sources=TEXTS,
                features=many(thing(feature=TEXT, read=SHEET_ANSWER, append=SHEET_ANSWER, note=TEXT)),
                knowledge=TEXT,
                measured=TEXTS,
                this_release=maybe(TEXT),
            ),
        ),
    ),
    "probe": (
        "deltaresolver probe",
        thing(result=about("The measurement as it is kept.", MEASURED)),
    ),
    "features": (
        "deltaresolver features",
        either(
            thing("All of them.", features=many(thing(**FEATURE))),
            thing("With a name.", **FEATURE, requires_in_all=TEXTS, required_by=TEXTS),
            thing("With --graph.", edges=many(thing(feature=TEXT, requires=TEXT)), mermaid=TEXT),
            thing("With --compat.", runtimes=many(mapping(ANY)), versions=many(mapping(ANY))),
        ),
    ),
    "alter": ("deltaresolver alter", ALTERED),
    "drop-feature": ("deltaresolver drop-feature", DROPPED),
    "sql": ("deltaresolver sql", either(CREATED, ALTERED, DROPPED)),
    "restore": (
        "deltaresolver restore",
        thing(
            version=maybe(WHOLE),
            **dict.fromkeys(("restored_version", *COUNTS_OF_RESTORE), WHOLE),
        ),
    ),
    "vacuum": (
        "deltaresolver vacuum",
        thing(
            dry_run=TRUTH,
            kind=one_of(["FULL", "LITE"]),
            cutoff_ms=WHOLE,
            paths=TEXTS,
            bytes=WHOLE,
            deleted_files=WHOLE,
            deleted_folders=WHOLE,
            links=TEXTS,
            other_tables=TEXTS,
            version=maybe(WHOLE),
        ),
    ),
    "conformance": (
        "deltaresolver conformance resolver, conflicts, ddl and tables",
        thing(
            kind=TEXT,
            passed=WHOLE,
            failed=WHOLE,
            statements=WHOLE,
            compared=WHOLE,
            failures=many(thing(id=TEXT, detail=TEXT)),
            known_differences=many(thing(id=TEXT, reason=TEXT, detail=TEXT)),
        ),
    ),
    "plugins": (
        "deltaresolver plugins",
        thing(
            plugins=many(
                thing(
                    package=TEXT,
                    version=maybe(TEXT),
                    state=TEXT,
                    used=TRUTH,
                    milliseconds=NUMBER,
                    brings=mapping(TEXTS),
                    problems=TEXTS,
                    notes=TEXTS,
                    stops_commits=TRUTH,
                )
            )
        ),
    ),
    "ui": ("deltaresolver ui", thing(address=TEXT, tables=WHOLE, applies=TRUTH)),
    "new-feature": ("deltaresolver new-feature", thing(directory=TEXT, files=TEXTS, feature=TEXT)),
}


def schemas() -> dict[str, Shape]:
    """Every schema by the name of its file, without the ending."""
    (card,), of_cards = msgspec.json.schema_components([Card], ref_template="#/$defs/{name}")
    assert card == named("Card")
    written = {
        name: as_schema(name, f"What `{title}` prints with --json", shape, of_cards)
        for name, (title, shape) in ANSWERS.items()
    }
    return {**written, "audit": _audit()}


def _audit() -> Shape:
    """The document of an audit is made by msgspec, which knows its own schema."""
    (head, table), definitions = msgspec.json.schema_components([LakeAudit, TableAudit], ref_template="#/$defs/{name}")
    shape = thing(head=head, tables=many(table))
    return as_schema("audit", "What `deltaresolver audit` prints with --json", shape, definitions, FORMAT)


def pages() -> Iterator[tuple[Path, str]]:
    """Every file by its path."""
    for name, schema in sorted(schemas().items()):
        yield FOLDER / f"{name}.json", json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
    yield FOLDER / "README.md", "\n".join(_overview()) + "\n"


def _overview() -> Iterator[str]:
    yield from (
        "# JSON schemas",
        "",
        "What each command prints with `--json`, as JSON Schema (2020-12). Later releases may",
    )
    yield from ("add fields; fields that are there keep name, type and meaning within a major release.", "")
    yield "Every answer, and every error, is one object. It begins with `format`, a number that grows when a field is"
    yield "renamed or taken away, and `schema`, the name of its schema here. Fields are named `like_this`; protocols"
    yield from ("are as the log has them.", "")
    yield from ("| schema | of |", "|---|---|")
    yield from (f"| [{name}.json]({name}.json) | {_of(name)} |" for name in sorted([*ANSWERS, "audit"]))


def _of(name: str) -> str:
    title = ANSWERS[name][0] if name in ANSWERS else "deltaresolver audit"
    return f"`{title}`" if title.startswith("deltaresolver") and "," not in title else title
