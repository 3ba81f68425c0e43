"""The values of `--fail-on`: rules, severities, and regressions."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from deltaresolver.audit.scan.rule_set import default_rules
from deltaresolver.errors import CommandUsageError

REGRESSION = "regression"

_WORDS = {
    "blocker": "error",
    "critical": "error",
    "fatal": "error",
    "high": "error",
    "low": "info",
    "medium": "warning",
}
"""Names of severities in other tools, with ours."""


def rule_names() -> frozenset[str]:
    """The names of the rules that are known."""
    return frozenset(rule.name for rule in default_rules().rules)


def check_fail_on(wanted: Sequence[str], rules: frozenset[str], asked_by: str = "--fail-on ") -> None:
    """Raise `CommandUsageError` for a name that is neither a rule, a severity nor `regression`.

    `asked_by` stands before the name in the message.
    """
    known = ["info", "warning", "error", REGRESSION, *sorted(rules)]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        nearest = difflib.get_close_matches(unknown[0], known, n=1) or [*filter(None, [_WORDS.get(unknown[0].lower())])]
        near = f" (did you mean {nearest[0]}?)" if nearest else ""
        raise CommandUsageError(
            f"{asked_by}{unknown[0]!r} is neither a rule nor a severity{near}.",
            fix=f"Give one of {', '.join(known)}.",
            details={"unknown": unknown, "known": known},
        )
