"""Findings that existed when the gate was set up, so that only new ones stop a pull request."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import attrs

from deltaresolver.check.found import CheckFinding
from deltaresolver.errors import CheckBaselineError

FORMAT = 1


@attrs.frozen(slots=True)
class Baseline:
    """The fingerprints of the findings to leave out."""

    fingerprints: frozenset[str] = frozenset()


def read_baseline(path: str) -> Baseline:
    """The baseline in a file. Raises `CheckBaselineError`."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise _unusable(path, f"its format is {found['format']!r}, but this release reads {FORMAT}")
        return Baseline(frozenset(one["fingerprint"] for one in found["findings"]))
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _unusable(path, "it was not written by --write-baseline") from error


def write_baseline(path: str, findings: Iterable[CheckFinding]) -> None:
    """Write a baseline of these; each with its sentence, so that the file can be reviewed. Raises as reading."""
    told = [{"fingerprint": one.fingerprint, "rule": one.rule, "file": one.place.file, "message": one.message}
            for one in findings]  # fmt: skip
    text = json.dumps({"format": FORMAT, "findings": told}, indent=2, ensure_ascii=False)
    try:
        Path(path).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error


def _unusable(path: str, reason: str) -> CheckBaselineError:
    return CheckBaselineError(
        f"{path} cannot be used as a baseline: {reason}.",
        fix="Write one with: deltaresolver check --write-baseline FILE.",
        details={"path": path, "reason": reason},
    )
