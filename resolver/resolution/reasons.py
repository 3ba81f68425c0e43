"""Why a feature is in a protocol, and why a version has its number: typed values, no prose beyond one line each."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from deltaresolver.model.protocol import Protocol
from deltaresolver.model.rules import Remedy
from deltaresolver.model.schema import FieldPath, quote_path
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class PropertyReason(Value):
    """A table property switches the feature on."""

    kind: ClassVar[str] = "property"
    key: str
    value: str

    def __str__(self) -> str:
        return f"table property {self.key} = {self.value}"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"kind": self.kind, "key": self.key, "value": self.value}


@attrs.frozen(slots=True)
class ColumnReason(Value):
    """A column switches the feature on."""

    kind: ClassVar[str] = "column"
    path: FieldPath
    fact: str

    def __str__(self) -> str:
        return f"column {quote_path(self.path)} ({self.fact})"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"kind": self.kind, "path": list(self.path), "fact": self.fact}


@attrs.frozen(slots=True)
class RuleReason(Value):
    """The feature's rule fires without naming a property or column."""

    kind: ClassVar[str] = "rule"
    rule: str

    def __str__(self) -> str:
        return self.rule

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"kind": self.kind, "rule": self.rule}


@attrs.frozen(slots=True)
class DependencyReason(Value):
    """Another feature of the protocol requires this one; `platform` says so where a catalog profile does."""

    kind: ClassVar[str] = "dependency"
    required_by: str
    platform: str | None = None

    def __str__(self) -> str:
        where = "" if self.platform is None else f" on {self.platform}"
        return f"required by {self.required_by}{where}"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        where = {} if self.platform is None else {"platform": self.platform}
        return {"kind": self.kind, "required_by": self.required_by, **where}


@attrs.frozen(slots=True)
class AskedReason(Value):
    """The feature is asked for by name. `origin` is `table property` or `session default`."""

    kind: ClassVar[str] = "asked by name"
    key: str
    value: str
    origin: str

    def __str__(self) -> str:
        return f"asked for by {self.origin} {self.key} = {self.value}"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"kind": self.kind, "key": self.key, "value": self.value, "origin": self.origin}


@attrs.frozen(slots=True)
class AlreadySupportedReason(Value):
    """The table's protocol supports the feature already, and only dropping it would change that."""

    kind: ClassVar[str] = "already supported"
    protocol: Protocol
    listed: bool

    def __str__(self) -> str:
        pair = f"({self.protocol.min_reader_version}, {self.protocol.min_writer_version})"
        return "listed in the table's protocol" if self.listed else f"implied by the table's protocol {pair}"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"kind": self.kind, "listed": self.listed, "protocol": self.protocol.to_json()}


@attrs.frozen(slots=True)
class VersionInEffect(Value):
    """A version that a new table starts from. `origin` is `table property`, `session default` or `default`."""

    key: str
    value: int
    origin: str

    def __str__(self) -> str:
        return f"{self.origin} {self.key} = {self.value}"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"key": self.key, "value": self.value, "origin": self.origin}


@attrs.frozen(slots=True)
class ImpliedByVersionReason(Value):
    """The versions a table starts from imply the feature."""

    kind: ClassVar[str] = "implied by version"
    reader_version: VersionInEffect
    writer_version: VersionInEffect

    def __str__(self) -> str:
        return f"implied by {self.writer_version}"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {
            "kind": self.kind,
            "reader_version": self.reader_version.to_json(),
            "writer_version": self.writer_version.to_json(),
        }


Reason = (
    PropertyReason
    | ColumnReason
    | RuleReason
    | DependencyReason
    | AskedReason
    | AlreadySupportedReason
    | ImpliedByVersionReason
)


@attrs.frozen(slots=True)
class FeatureExplanation(Value):
    """Everything that keeps one feature in the protocol, and what would have to change for it to go."""

    feature: str
    reasons: tuple[Reason, ...]
    remedies: tuple[Remedy, ...]

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {
            "feature": self.feature,
            "reasons": [reason.to_json() for reason in self.reasons],
            "remedies": [remedy.to_json() for remedy in self.remedies],
        }


@attrs.frozen(slots=True)
class VersionExplanation(Value):
    """Why one side of the protocol has its number.

    `cause` is one of
        `features`   `needed_for` cannot be carried by a lower number
        `list`       no numbered protocol means exactly this set, so features are listed by name
        `floor`      there is nothing lower
        `asked`      `asked` asks for it, by property or default (`legacy` policy only)
        `kept`       an existing table never lowers its protocol by itself
    """

    side: str
    number: int
    cause: str
    needed_for: tuple[str, ...] = ()
    asked: VersionInEffect | None = None

    def __str__(self) -> str:
        start = f"{self.side} version {self.number}"
        if self.cause == "features":
            return f"{start}: needed for {', '.join(self.needed_for)}"
        if self.cause == "list":
            return f"{start}: no numbered protocol means exactly this set of features, so they are listed by name"
        if self.cause == "asked":
            return f"{start}: asked for by {self.asked}"
        if self.cause == "kept":
            return f"{start}: the table has it already, and a protocol is never lowered by itself"
        return f"{start}: the lowest there is"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {
            "side": self.side,
            "number": self.number,
            "cause": self.cause,
            "needed_for": list(self.needed_for),
            "asked": self.asked.to_json() if self.asked is not None else None,
        }
