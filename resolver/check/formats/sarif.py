"""A result as SARIF 2.1.0, which code scanning of GitHub, GitLab and Azure DevOps takes."""

from __future__ import annotations

import json
import urllib.parse
from typing import Any

from deltaresolver.check.found import RULES, Borne, CheckFinding, CheckPlace, CheckResult, CheckRule
from deltaresolver.model.audit_finding import Severity
from deltaresolver.resolution.explain.visible_text import disarmed_json
from deltaresolver.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "deltaresolverCheck/v1"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_ORDER = {name: place for place, name in enumerate(RULES)}


def render(result: CheckResult) -> str:
    """The log file as text."""
    return disarmed_json(json.dumps(as_sarif(result), indent=2, ensure_ascii=False))


def as_sarif(result: CheckResult) -> dict[str, Any]:
    """The log file as data: one run, every rule, and accepted findings as suppressed."""
    results = [_result(one) for one in result.findings] + [_suppressed(one) for one in result.borne]
    driver = {
        "name": "deltaresolver",
        "version": __version__,
        "rules": [_rule(one) for one in RULES.values()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder that was checked."}}},
        "results": results,
    }
    if result.notes:
        notes = [{"level": "note", "message": {"text": note}} for note in result.notes]
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notes}]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: CheckRule) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.why} See docs/check.md of deltaresolver."},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(one: CheckFinding) -> dict[str, Any]:
    text = f"{one.message} {one.fix}".rstrip()
    return {
        "ruleId": one.rule,
        "ruleIndex": _ORDER[one.rule],
        "level": _LEVELS[one.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(one.place)}],
        "partialFingerprints": {FINGERPRINT: one.fingerprint},
        "properties": {"table": one.table, "about": list(one.about)},
    }


def _suppressed(one: Borne) -> dict[str, Any]:
    return {**_result(one.finding), "suppressions": [{"kind": "external", "justification": one.reason}]}


def _location(place: CheckPlace) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": place.line}
    if place.end_line is not None and place.end_line > place.line:
        region["endLine"] = place.end_line
    return {"artifactLocation": _artifact(place.file), "region": region}


def _artifact(file: str) -> dict[str, str]:
    """A path as a URI: below the folder that was checked, or in full where it does not lie there."""
    if file.startswith("/"):
        return {"uri": f"file://{urllib.parse.quote(_bytes(file))}"}
    uri = urllib.parse.quote(_bytes(file))
    # A colon before the first slash would begin a scheme.
    return {"uri": uri, "uriBaseId": "SRCROOT"}


def _bytes(file: str) -> bytes:
    """A name as the file system has it, which need not be UTF-8."""
    try:
        return file.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a file that only some manifest names
        return file.encode("utf-8", "surrogatepass")
