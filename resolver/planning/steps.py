"""One step of a plan: what it does, what it costs, and how to do it with Spark SQL, with this library and its CLI."""

from __future__ import annotations

import enum
import shlex
from collections.abc import Iterable
from typing import Any

import attrs

from deltaresolver.model.facts.keys import CONSTRAINT_PREFIX
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import quote_path
from deltaresolver.resolution.explain.phrases import counted, pair
from deltaresolver.resolution.instructions import FEATURE_PREFIX
from deltaresolver.value import Value


class StepKind(enum.Enum):
    """The kinds of steps."""

    UNSET = "unset"
    ADD = "add"
    PURGE = "purge"
    DROP = "drop"
    DROP_TRUNCATING = "drop, truncating history"
    DROP_REWRITING = "drop, rewriting files"

    @property
    def rewrites(self) -> bool:
        """Whether data files are rewritten, for which the plan needs a `FileRewriter`."""
        return self in (StepKind.PURGE, StepKind.DROP_REWRITING)


@attrs.frozen(slots=True, order=True)
class Cost:
    """The cost of steps, compared from left to right; costs can be added.

    truncations       steps that cut history and wait until it is gone
    bytes, files      data written again
    steps             how many there are
    aborting          how many of them make writers in flight fail
    given_up          properties and constraints taken away by name, and features added
    """

    truncations: int = 0
    bytes: int = 0
    files: int = 0
    steps: int = 0
    aborting: int = 0
    given_up: int = 0

    def __add__(self, other: Cost) -> Cost:
        mine, theirs = attrs.astuple(self), attrs.astuple(other)
        return Cost(*(a + b for a, b in zip(mine, theirs, strict=True)))


@attrs.frozen(slots=True)
class Step(Value):
    """One step. `names` are the property keys or features it is about, `after` is the protocol after it.

    `purges` is True for a drop that rewrites files of which some have deletion vectors; none has one afterwards.
    """

    kind: StepKind
    names: tuple[str, ...]
    cost: Cost
    after: Protocol
    location: str | None = None
    sizes_known: bool = True
    purges: bool = False

    @property
    def title(self) -> str:
        """The step in a few words."""
        names = ", ".join(self.names)
        return {
            StepKind.UNSET: f"unset {names}",
            StepKind.ADD: f"add {names}",
            StepKind.PURGE: "purge deletion vectors",
            StepKind.DROP: f"drop {names}",
            StepKind.DROP_TRUNCATING: f"drop {names}, truncating history",
            StepKind.DROP_REWRITING: f"drop {names}, rewriting files",
        }[self.kind]

    @property
    def costs(self) -> tuple[str, ...]:
        """The cost of the step, in words."""
        told = ["metadata only"]
        if self.kind.rewrites:
            sizes = (
                f"{counted(self.cost.files, 'file')}, {self.cost.bytes:,} bytes"
                if self.sizes_known
                else "files of unknown size"
            )
            told = [f"rewrites {sizes}"]
        if self.cost.truncations:
            told.append("history is lost, after a wait of 24 hours since it was last used (unless set otherwise)")
        if self.cost.aborting:
            told.append("concurrent writers abort")
        return tuple(told)

    @property
    def sql(self) -> tuple[str, ...]:
        """The statements in Spark SQL."""
        table = f"delta.{quote_path((self.location,))}" if self.location else "<table>"
        alter = f"ALTER TABLE {table}"
        if self.kind is StepKind.UNSET:
            return tuple(_unset_statements(alter, self.names))
        if self.kind is StepKind.ADD:
            asked = ", ".join(f"'{FEATURE_PREFIX}{name}' = 'supported'" for name in self.names)
            return (f"{alter} SET TBLPROPERTIES ({asked})",)
        if self.kind is StepKind.PURGE:
            return (f"REORG TABLE {table} APPLY (PURGE)",)
        truncating = " TRUNCATE HISTORY" if self.kind is StepKind.DROP_TRUNCATING else ""
        drop = f"{alter} DROP FEATURE {quote_path(self.names)}{truncating}"
        # For a widened table Spark rewrites only files of the old type, and keeps deletion vectors of the others.
        marked = self.purges and self.names != ("columnMapping",)
        return (f"REORG TABLE {table} APPLY (PURGE)", drop) if marked else (drop,)

    @property
    def python(self) -> str:
        """The Python code with this library, where `dr` is deltaresolver and `ds` is deltaresolver.spark."""
        table = f"dr.Table({self.location or '<path>'!r})"
        if self.kind is StepKind.UNSET:
            return f"{table}.alter(unset={list(self.names)!r})"
        if self.kind is StepKind.ADD:
            return f"{table}.alter(add_features={list(self.names)!r})"
        if self.kind.rewrites:
            target = "purged" if self.kind is StepKind.PURGE else f"-{self.names[0]}"
            return f"list(dr.apply_plan({table}, {target!r}, rewriter=ds.SparkRewriter(spark)))"
        truncating = ", truncate_history=True" if self.kind is StepKind.DROP_TRUNCATING else ""
        return f"{table}.drop_feature({self.names[0]!r}{truncating})"

    @property
    def cli(self) -> str:
        """The command of the CLI."""
        path = shlex.quote(self.location or "PATH")
        if self.kind is StepKind.UNSET:
            return f"deltaresolver alter {path} " + " ".join(f"--unset {shlex.quote(name)}" for name in self.names)
        if self.kind is StepKind.ADD:
            return f"deltaresolver alter {path} " + " ".join(f"--add-feature {name}" for name in self.names)
        if self.kind.rewrites:
            target = "--purge" if self.kind is StepKind.PURGE else f"--drop-feature {self.names[0]}"
            return f"deltaresolver plan {path} {target} --apply"
        truncating = " --truncate-history" if self.kind is StepKind.DROP_TRUNCATING else ""
        return f"deltaresolver drop-feature {path} {self.names[0]}{truncating}"

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON."""
        return {
            "kind": self.kind.value,
            "names": list(self.names),
            "title": self.title,
            "cost": attrs.asdict(self.cost)
            if self.sizes_known
            else {**attrs.asdict(self.cost), "bytes": None, "files": None},
            "costs": list(self.costs),
            "protocol_after": self.after.to_json(),
            "sql": list(self.sql),
            "python": self.python,
            "cli": self.cli,
        }

    @property
    def leaves(self) -> str:
        """The protocol after the step, in words, with the features that readers need then."""
        readers = ", ".join(sorted(self.after.reader_feature_names))
        return f"{pair(self.after)}; readers need version {self.after.min_reader_version}" + (
            f" and know {readers}" if readers else ""
        )


def _unset_statements(alter: str, keys: Iterable[str]) -> Iterable[str]:
    plain = [key for key in keys if not key.lower().startswith(CONSTRAINT_PREFIX)]
    if plain:
        listed = ", ".join(f"'{key}'" for key in plain)
        yield f"{alter} UNSET TBLPROPERTIES IF EXISTS ({listed})"
    for key in keys:
        if key.lower().startswith(CONSTRAINT_PREFIX):
            yield f"{alter} DROP CONSTRAINT {quote_path((key[len(CONSTRAINT_PREFIX) :],))}"
