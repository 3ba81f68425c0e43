"""The findings of a check, and its rules."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import attrs

from deltaresolver.model.audit_finding import Severity


@attrs.frozen(slots=True)
class CheckPlace:
    """A line of a file, as paths are written from the folder that is checked; `text` is the statement there."""

    file: str
    line: int = 1
    text: str = ""
    end_line: int | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@attrs.frozen(slots=True)
class CheckRule:
    """A kind of finding: its title, why it matters, and its severity unless a lake.toml sets another."""

    name: str
    severity: Severity
    title: str
    why: str


RULES: Mapping[str, CheckRule] = {
    rule.name: rule
    for rule in (
        CheckRule(
            "silently-wrong",
            Severity.ERROR,
            "A client would go wrong without an error",
            "The client would go on working, and read wrong rows or damage the table.",
        ),
        CheckRule(
            "client-locked-out",
            Severity.ERROR,
            "A client that must keep working would be locked out",
            "The client would refuse the table from the moment the change is made.",
        ),
        CheckRule(
            "other-clients",
            Severity.WARNING,
            "Clients that nobody named would be locked out",
            "No lake.toml and no --require says which clients matter, so all newest releases are asked about.",
        ),
        CheckRule(
            "protocol-rise",
            Severity.INFO,
            "The protocol of a table would rise",
            "Every client has to know the new protocol, and it does not go down again by itself.",
        ),
        CheckRule(
            "feature-not-allowed",
            Severity.ERROR,
            "A table would get a feature that is not allowed here",
            "changes.features in the lake.toml names the features that may come to a table.",
        ),
        CheckRule(
            "statement-not-allowed",
            Severity.ERROR,
            "A statement of a kind that is not allowed here",
            "changes.refuse in the lake.toml names the kinds.",
        ),
        CheckRule(
            "statement-unreadable",
            Severity.ERROR,
            "A statement that cannot be read",
            "Spark would refuse it as well.",
        ),
        CheckRule(
            "statement-refused",
            Severity.WARNING,
            "A statement that the table refuses",
            "The statement would fail, perhaps because it has been carried out already.",
        ),
        CheckRule(
            "statement-not-judged",
            Severity.WARNING,
            "A statement that may change a table, and that is not judged",
            "What it does depends on another table, or on a text that is known only when it runs.",
        ),
        CheckRule(
            "table-unknown",
            Severity.INFO,
            "A table that is not known here",
            "Name it in [tables] of the lake.toml, and the change is judged for the table as it is.",
        ),
        CheckRule(
            "table-unreadable",
            Severity.WARNING,
            "A table that cannot be read",
            "The change is judged as if the table used no features.",
        ),
    )
}


@attrs.frozen(slots=True)
class CheckFinding:
    """One finding: what would happen, where it stands, and what to do instead."""

    rule: str
    severity: Severity
    message: str
    place: CheckPlace
    table: str
    fix: str = ""
    about: tuple[str, ...] = ()
    """What makes it this finding and no other of its rule: client and act, or features."""

    @property
    def fingerprint(self) -> str:
        """Identifies this finding; it stays the same when the statement moves within its file."""
        words = " ".join(self.place.text.split()).lower()
        told = "\n".join((self.rule, self.place.file, self.table.lower(), *self.about, words))
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "message": self.message,
            "fix": self.fix,
            "table": self.table,
            "file": self.place.file,
            "line": self.place.line,
            "about": list(self.about),
            "fingerprint": self.fingerprint,
        }


@attrs.frozen(slots=True)
class Borne:
    """A waived finding, and the reason."""

    finding: CheckFinding
    reason: str


@attrs.frozen(slots=True)
class ProposedChange:
    """What one statement or file would do to a table: protocols in words, and the features that come and go."""

    place: CheckPlace
    table: str
    before: str | None
    after: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {
            "file": self.place.file,
            "line": self.place.line,
            "table": self.table,
            "before": self.before,
            "after": self.after,
            "added": list(self.added),
            "removed": list(self.removed),
        }


@attrs.frozen(slots=True)
class CheckResult:
    """The findings in the order of files and lines, the waived ones, and what would change."""

    findings: tuple[CheckFinding, ...]
    borne: tuple[Borne, ...] = ()
    changes: tuple[ProposedChange, ...] = ()
    files: int = 0
    statements: int = 0
    required: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def fails(self, at: Severity) -> bool:
        """Whether a finding of at least this severity was found."""
        return any(one.severity >= at for one in self.findings)

    def to_json(self) -> dict[str, Any]:
        """As data, the shape `--format json` prints."""
        return {
            "format": 1,
            "schema": "check",
            "files": self.files,
            "statements": self.statements,
            "required": list(self.required),
            "findings": [one.to_json() for one in self.findings],
            "borne": [{**one.finding.to_json(), "reason": one.reason} for one in self.borne],
            "changes": [one.to_json() for one in self.changes],
            "notes": list(self.notes),
        }
