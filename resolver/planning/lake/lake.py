"""The contents of a lake.toml, and the entries that apply to one table."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path

import attrs

from deltaresolver.errors import LakeFileInvalidError

FILE_NAME = "lake.toml"
ACTS = ("read", "append")


@attrs.frozen(slots=True)
class TablePlace:
    """The location and the names of a table, which rules of a lake.toml are matched with."""

    location: str
    names: tuple[str, ...] = ()

    def matches(self, patterns: tuple[str, ...]) -> bool:
        """Whether one of the patterns matches the table; without any pattern, every table matches.

        A pattern that begins with `/` or has `://` is compared with the whole location, any other one with its last
        parts and with the names: `sales/*` is about /lake/sales/orders and everything below it.
        """
        return not patterns or any(map(self._matches, patterns))

    def _matches(self, pattern: str) -> bool:
        if pattern in self.names or any(fnmatch.fnmatchcase(name, pattern) for name in self.names):
            return True
        location, wanted = self.location.rstrip("/"), pattern.rstrip("/")
        is_whole = wanted.startswith("/") or "://" in wanted
        return fnmatch.fnmatchcase(location, wanted if is_whole else f"*/{wanted}") or location == wanted


@attrs.frozen(slots=True)
class RequiredClient:
    """A client for which some acts on some tables must keep working; `name` in the form of `--client`."""

    name: str
    acts: tuple[str, ...] = ACTS
    tables: tuple[str, ...] = ()
    owner: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The client in the form of `--keep` and `--require`: one text, or one for each act if not all are named."""
        return (self.name,) if set(self.acts) == set(ACTS) else tuple(f"{self.name}:{act}" for act in self.acts)


@attrs.frozen(slots=True)
class Owner:
    """The owner of some tables."""

    name: str
    tables: tuple[str, ...] = ()
    contact: str | None = None

    def __str__(self) -> str:
        return f"{self.name} ({self.contact})" if self.contact else self.name


@attrs.frozen(slots=True)
class Waiver:
    """Waives findings of a rule for a reason, up to and including the day `expires`."""

    rule: str
    reason: str
    tables: tuple[str, ...] = ()
    expires: date | None = None

    def holds(self, today: date) -> bool:
        """Whether it has not expired."""
        return self.expires is None or today <= self.expires


@attrs.frozen(slots=True)
class AllowedChanges:
    """The changes that a pull request may make.

    protocol   False: no existing table's protocol may rise
    features   only these may be added to a table; None: any
    refused    kinds of statements that are not allowed, such as `drop-columns`
    """

    protocol: bool = True
    features: tuple[str, ...] | None = None
    refused: tuple[str, ...] = ()


@attrs.frozen(slots=True)
class FromEnvironment:
    """A value that is read from an environment variable, so that no secret is in the file."""

    variable: str


@attrs.frozen(slots=False)
class Lake:
    """The contents of a lake.toml. Everything is optional."""

    path: str
    name: str | None = None
    clients: tuple[RequiredClient, ...] = ()
    clients_files: tuple[str, ...] = ()
    owners: tuple[Owner, ...] = ()
    tables: tuple[tuple[str, str], ...] = ()
    """Names of tables and their locations."""
    storage: tuple[tuple[str, str | FromEnvironment], ...] = attrs.field(default=(), repr=False)
    session: tuple[tuple[str, str], ...] = ()
    selected: tuple[str, ...] | None = None
    """The rules that run; None: all of them."""
    waivers: tuple[Waiver, ...] = ()
    severities: tuple[tuple[str, str], ...] = ()
    changes: AllowedChanges = AllowedChanges()
    table_owners: tuple[tuple[str, str], ...] = ()
    """Locations with owners, as catalogs have them."""
    table_seconds: float | None = None
    """The time limit for one table in an audit; None: the default."""
    table_megabytes: int | None = None

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, where in self.tables:
            found.setdefault(where.rstrip("/"), []).append(name)
        return found

    @cached_property
    def _owners(self) -> dict[str, str]:
        return dict(self.table_owners)

    def place(self, location: str, *names: str) -> TablePlace:
        """A table, with the names that the file gives it added to those it has."""
        known = self._names.get(location.rstrip("/"), ())
        return TablePlace(location, tuple(dict.fromkeys((*names, *known))))

    def required(self, place: TablePlace) -> tuple[RequiredClient, ...]:
        """The clients that must keep working with a table."""
        return tuple(client for client in self.clients if place.matches(client.tables))

    def required_texts(self, place: TablePlace) -> tuple[str, ...]:
        """The same in the form of `--keep`."""
        return tuple(dict.fromkeys(text for client in self.required(place) for text in client.texts))

    def owner_of(self, place: TablePlace) -> Owner | None:
        """The owner of a table: that of the first entry that matches it."""
        found = next((owner for owner in self.owners if place.matches(owner.tables)), None)
        listed = self._owners.get(place.location.rstrip("/"))
        return Owner(listed) if found is None and listed is not None else found

    def waiver(self, rule: str, place: TablePlace, today: date) -> Waiver | None:
        """The reason why findings of a rule about a table are waived; None if they are not."""
        return next(
            (one for one in self.waivers if one.rule == rule and one.holds(today) and place.matches(one.tables)), None
        )

    def expired(self, today: date) -> Iterator[Waiver]:
        """The waivers that have expired."""
        return (one for one in self.waivers if not one.holds(today))

    def severity(self, rule: str) -> str | None:
        """The severity that the file gives a rule; None if it gives none."""
        return dict(self.severities).get(rule)

    def location_of(self, name: str) -> str | None:
        """The location of the table with this name in the file; None without one."""
        return {key.lower(): where for key, where in self.tables}.get(name.lower())

    def storage_options(self, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Options for object stores. Raises `LakeFileInvalidError` for a variable that is not set."""
        return {key: self._from_environment(key, value, environment) for key, value in self.storage}

    def _from_environment(self, key: str, value: str | FromEnvironment, environment: Mapping[str, str]) -> str:
        if isinstance(value, str):
            return value
        if value.variable in environment:
            return environment[value.variable]
        raise LakeFileInvalidError(
            f"{self.path}: storage.{key} stands in the variable {value.variable}, which is not set.",
            fix=f"Set {value.variable}, or write the value of storage.{key} into the file.",
            details={"path": self.path, "key": key, "variable": value.variable},
        )


def find_lake_file(folder: Path) -> Path | None:
    """The lake.toml of a folder or of the nearest one above it."""
    start = folder.absolute()
    return next((place / FILE_NAME for place in (start, *start.parents) if (place / FILE_NAME).is_file()), None)
