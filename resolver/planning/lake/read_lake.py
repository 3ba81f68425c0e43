"""Read a lake.toml and check it as a whole: every mistake is reported, with its line and key."""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.clients.own_clients import knowledge_with
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import DeltaResolverError, LakeFileInvalidError, LakeFileMissingError
from deltaresolver.planning.lake.lake import (
    ACTS,
    AllowedChanges,
    FromEnvironment,
    Lake,
    Owner,
    RequiredClient,
    Waiver,
)
from deltaresolver.planning.lake.problems import Problems, Section
from deltaresolver.planning.lake.toml_lines import lines_of

KINDS = (
    "add-columns",
    "add-constraint",
    "change-columns",
    "cluster-by",
    "create-table",
    "drop-columns",
    "drop-constraint",
    "drop-feature",
    "properties",
    "rename-column",
    "replace-columns",
    "replace-table",
)
"""Kinds of statements, as `changes.refuse` names them."""
SEVERITIES = ("info", "warning", "error")
_KEYS = ("lake", "client", "owner", "tables", "storage", "session", "rules", "ignore", "severity", "changes", "audit")
MAX_LAKE_BYTES = 5_000_000
"""The size limit for a lake.toml."""
_LINE = re.compile(r"\(at line (\d+)")


def read_lake(path: str | os.PathLike[str], rules: frozenset[str] | None = None) -> Lake:
    """The lake.toml at a path. With `rules`, the names of all rules, rule names in the file are checked too.

    Raises `LakeFileMissingError`, and `LakeFileInvalidError` with every mistake.
    """
    place = Path(path)
    try:
        text = _text(place)
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or "") if isinstance(error, OSError) else "it is not UTF-8"
        raise LakeFileMissingError(
            f"{place} cannot be read: {reason}.",
            fix="Give --config the path of a lake.toml, or none to go without.",
            details={"path": str(place), "reason": reason},
        ) from error
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # RecursionError: thousands of brackets
        line = _LINE.search(str(error))
        raise _invalid(place, [(int(line[1]) if line else 1, f"is not TOML: {error}")]) from error
    problems = Problems(lines_of(text))
    lake = _lake(place, Section(found, (), problems).only(*_KEYS), rules)
    if problems.found:
        raise _invalid(place, problems.found)
    return lake


def _text(place: Path) -> str:
    with place.open("rb") as file:
        data = file.read(MAX_LAKE_BYTES + 1)
    if len(data) > MAX_LAKE_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {MAX_LAKE_BYTES:,} bytes")
    return data.decode("utf-8-sig")


def _lake(place: Path, top: Section, rules: frozenset[str] | None) -> Lake:
    about = top.section("lake").only("name", "clients-files")
    folder = place.absolute().parent
    files = tuple(_plain_files(about, folder))
    budget = top.section("audit").only("table-seconds", "table-megabytes")
    megabytes = budget.number("table-megabytes", least=64)
    return Lake(
        path=str(place),
        name=about.text("name"),
        clients=tuple(_clients(top, about, files)),
        clients_files=files,
        owners=tuple(_owners(top)),
        tables=tuple(_tables(top.section("tables"), folder)),
        storage=tuple(_storage(top.section("storage"))),
        session=tuple(_words(top.section("session"))),
        selected=top.section("rules").only("select").texts("select", known=rules),
        waivers=tuple(_waivers(top, rules)),
        severities=tuple(_severities(top.section("severity"), rules)),
        changes=_changes(top.section("changes").only("protocol", "features", "refuse")),
        table_seconds=budget.number("table-seconds", least=0.1),
        table_megabytes=None if megabytes is None else int(megabytes),
    )


def _plain_files(about: Section, folder: Path) -> Iterator[str]:
    """The files with own clients, regular files only: a lake.toml might name a pipe, which blocks, or a device."""
    for name in about.texts("clients-files") or ():
        file = folder / name
        try:
            is_other = not stat.S_ISREG(file.stat().st_mode)
        except (OSError, ValueError):  # ValueError: no path holds \0
            is_other = "\0" in name
        if is_other:
            about.note("clients-files", f"cannot be used: {str(file)!r} is not a file")
        else:
            yield str(file)


def _clients(top: Section, about: Section, files: tuple[str, ...]) -> Iterator[RequiredClient]:
    sections = list(top.sections("client"))
    if not sections:
        return
    try:
        knowledge = knowledge_with(files)
    except DeltaResolverError as error:
        about.note("clients-files", f"cannot be used: {error.message.rstrip('.')}")
        return
    for one in sections:
        one.only("name", "paths", "acts", "tables", "owner")
        name = one.text("name", needed=True)
        acts = one.texts("acts", known=ACTS)
        if one.values.get("acts") == []:
            one.note("acts", f"names nothing that the client must do; known: {', '.join(ACTS)}")
        required = RequiredClient(name or "", acts or ACTS, one.texts("tables") or (), one.text("owner"))
        if name:
            for spec in _by_path(name, one.texts("paths") or ()):
                _check_client(one, spec, knowledge)
                yield attrs.evolve(required, name=spec)


def _by_path(name: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    client, at, version = name.partition("@")
    return tuple(f"{client}/{path}{at}{version}" for path in paths) or (name,)


def _check_client(section: Section, spec: str, knowledge: ClientKnowledge) -> None:
    try:
        knowledge.catalogue.parse(spec)
    except DeltaResolverError as error:
        key = "paths" if "/" in spec and "paths" in section.values else "name"
        section.note(key, f"is wrong: {error.message} {error.fix}".rstrip())


def _owners(top: Section) -> Iterator[Owner]:
    for one in top.sections("owner"):
        one.only("name", "contact", "tables")
        yield Owner(one.text("name", needed=True) or "", one.texts("tables") or (), one.text("contact"))


def _tables(section: Section, folder: Path) -> Iterator[tuple[str, str]]:
    for name, location in _flat(section.values):
        if isinstance(location, str):
            yield name, location if "://" in location else str(folder / location)
        else:
            section.note(name, f"must be a text in quotes, found {location!r}")


def _words(section: Section) -> Iterator[tuple[str, str]]:
    """Keys with texts; numbers and booleans are converted to the texts that Spark writes."""
    for key, value in _flat(section.values):
        if isinstance(value, bool):
            yield key, str(value).lower()
        elif isinstance(value, (str, int)):
            yield key, str(value)
        else:
            section.note(key, f"must be a text in quotes, found {value!r}")


def _flat(values: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The values with their full keys: TOML reads an unquoted dotted key as nested tables, but it is one key here."""
    for key, value in values.items():
        if isinstance(value, dict) and set(value) != {"env"}:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _storage(section: Section) -> Iterator[tuple[str, str | FromEnvironment]]:
    for key, value in _flat(section.values):
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, dict) and isinstance(value["env"], str):
            yield key, FromEnvironment(value["env"])
        elif isinstance(value, (bool, int)):
            yield key, str(value).lower()
        else:
            section.note(key, 'must be a text in quotes, or { env = "VARIABLE" }')


def _waivers(top: Section, rules: frozenset[str] | None) -> Iterator[Waiver]:
    for one in top.sections("ignore"):
        one.only("rule", "tables", "reason", "expires")
        rule = one.text("rule", needed=True) or ""
        if rule and rules is not None:
            one.is_known("rule", rule, tuple(rules))
        reason = one.text("reason", needed=True) or ""
        yield Waiver(rule, reason, one.texts("tables") or (), one.day("expires"))


def _severities(section: Section, rules: frozenset[str] | None) -> Iterator[tuple[str, str]]:
    for rule in section.values:
        if rules is not None and rule not in rules:
            section.only(*sorted(rules))
            return
        severity = section.text(rule, needed=True)
        if severity is not None and section.is_known(rule, severity, SEVERITIES):
            yield rule, severity


def _changes(section: Section) -> AllowedChanges:
    protocol = section.text("protocol") or "allow"
    section.is_known("protocol", protocol, ("allow", "refuse"))
    features = section.texts("features")
    if features is not None:
        # The catalog of features is loaded only for a file that names features.
        from deltaresolver.defaults import default_catalog  # noqa: PLC0415

        features = section.texts("features", known=sorted(default_catalog().names))
    return AllowedChanges(protocol != "refuse", features, section.texts("refuse", known=KINDS) or ())


def _invalid(place: Path, problems: list[tuple[int, str]]) -> LakeFileInvalidError:
    told = "; ".join(f"line {line}: {what}" for line, what in sorted(problems))
    return LakeFileInvalidError(
        f"{place}: {told}.".replace("..", "."),
        fix="Correct these lines; docs/lake-toml.md has every key.",
        details={"path": str(place), "problems": [{"line": line, "problem": what} for line, what in sorted(problems)]},
    )
