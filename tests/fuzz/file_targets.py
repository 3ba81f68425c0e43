"""Targets that are files of other kinds: clients.toml, recorded answers, JSON for `resolve`."""

from __future__ import annotations

import functools
import gzip
import itertools
import json
import random
import re
import tempfile
from pathlib import Path
from typing import Any

from deltaresolver.cli.inputs.json_input import described_by
from deltaresolver.clients.own_clients import knowledge_with
from deltaresolver.defaults import built_in_catalog
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.testing.conformance.conflicts import run_conflicts
from deltaresolver.testing.conformance.ddl import run_ddl
from deltaresolver.testing.conformance.resolver import run_resolver
from tests.fuzz.case import TEXT, Case, Target
from tests.fuzz.mutation import changed_bytes, changed_json, changed_text, json_bytes
from tests.fuzz.tables import NESTED, metadata_of
from tests.logs import PROTOCOL
from tests.nasty import STRINGS

_RECORDED = Path(__file__).parents[1] / "recorded"
_TOML = """[[client]]
id = "our-loader"
name = "Our nightly loader"
knowledge = "source"
closed_list = true
max_legacy_reader = 1
max_legacy_writer = 2
latest_seen = "2.1.0"
sources = ["our-loader: protocol_check.py"]
paths = ["batch", "stream"]
delegates = [{acts = ["read"], client = "deltalake", target_act = "read", from = "1.0"}]
legacy_history = [{from = "1.0", reader = 1, writer = 2}]

[client.table_features_since]
reader = "1.4.0"
writer = "1.4.0"

[client.features.deletionVectors]
read = "1.4.0"
read_gap = "1.5..1.6"
write = false

[[client.gates]]
acts = ["append"]
demands = ["uses:inCommitTimestamp"]
outcome = "silently wrong"
until = "1.9.9"
why = "commits lack their timestamp"
source = "our-loader: commit.py"
"""
_TOML_WORDS = (
    "=",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    '"',
    "'",
    '"""',
    "1",
    "true",
    "1979-05-27",
    "nan",
    "client.",
    ".",
    ",",
    "\n",
    "scheme",
    '"semver"',
    '"runtime"',
    '"9999999999999999999999"',
    '"1.x"',
    '""',
    "0x",
    "1e400",
    "[client]",
    "#",
    "9" * 5000,
    *map(json.dumps, STRINGS),
)


def draw_clients(rng: random.Random) -> Case:
    """A clients.toml that is odd in some places, and in one of three cases sound TOML with a value of another kind."""
    if rng.random() < 0.3:
        quoted = list(re.finditer(r'"[^"\n]*"', _TOML))
        chosen = rng.choice(quoted)
        kind = rng.choice(("1", "true", "1.5", "[]", "[1]", "{}", "1979-05-27", '["x", 1]'))
        return {TEXT: (_TOML[: chosen.start()] + kind + _TOML[chosen.end() :]).encode()}
    text = changed_text(rng, _TOML, _TOML_WORDS, 6).encode("utf-8", "surrogatepass")
    return {TEXT: changed_bytes(rng, text, 2) if rng.random() < 0.2 else text}


def use_clients(case: Case) -> None:
    """The clients are known, and each of their releases is asked for."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        file = Path(folder, "clients.toml")
        file.write_bytes(case[TEXT])
        knowledge = knowledge_with([str(file)])
        for client in knowledge.catalogue:
            if client.id == "our-loader":
                knowledge.catalogue.parse(client.id)


@functools.cache
def _recorded(kind: str) -> list[Any]:
    with gzip.open(_RECORDED / f"{kind}.jsonl.gz", "rt", encoding="utf-8") as recorded:
        return [json.loads(line) for line in itertools.islice(recorded, 40)]


_RUNNERS = {"resolver": run_resolver, "conflicts": run_conflicts, "ddl": run_ddl}


def draw_recorded(rng: random.Random) -> Case:
    """A file of recorded answers, some of them odd."""
    kind = rng.choice(tuple(_RUNNERS))
    data = b"\n".join(
        json_bytes(rng, changed_json(rng, rng.choice(_recorded(kind)), 4)) for _ in range(rng.randint(1, 3))
    )
    if rng.random() < 0.3:
        data = gzip.compress(data, mtime=0)
        data = changed_bytes(rng, data) if rng.random() < 0.5 else data
    return {kind: data}


def use_recorded(case: Case) -> None:
    """The answers are compared with this library's."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        for kind, data in case.items():
            file = Path(folder, "recorded.jsonl")
            file.write_bytes(data)
            _RUNNERS[kind](file)


def draw_described(rng: random.Random) -> Case:
    """JSON that says what a table is like, as `resolve` takes it."""
    made = [
        changed_json(rng, metadata_of(NESTED, {"delta.enableDeletionVectors": "true"})),
        changed_json(rng, PROTOCOL),
    ]
    chosen = made if rng.random() < 0.7 else [made[0].get("metaData") if isinstance(made[0], dict) else made[0]]
    return {TEXT: b"\n".join(json_bytes(rng, one) for one in chosen)}


def use_described(case: Case) -> None:
    """The protocol is worked out."""
    resolve_new_table(described_by(case[TEXT], "fuzz").metadata, built_in_catalog())


FILE_TARGETS = (
    Target("clients", draw_clients, use_clients),
    Target("recorded", draw_recorded, use_recorded),
    Target("described", draw_described, use_described),
)
