"""What counts as worse than before: only what the earlier audit would have found too."""

from __future__ import annotations

import msgspec

from deltaresolver.audit.document.regressions import regressions
from deltaresolver.audit.scan.rule_set import RULE_FAILED
from deltaresolver.model.audit_finding import Finding, Severity
from deltaresolver.model.audit_table import FeatureFacts, FeatureUse, ProtocolFacts, TableAudit

BEFORE = TableAudit("/lake/a", findings=(Finding("log-gap", Severity.ERROR, "A gap.", "Repair it."),))
KNOWN = frozenset({"log-gap", "torn-file"})


def with_finding(rule: str, severity: Severity = Severity.WARNING, of: str | None = None) -> TableAudit:
    details = {} if of is None else {"rule": of}
    added = Finding(rule, severity, "Something.", "Do it.", None, details)
    return msgspec.structs.replace(BEFORE, findings=(*BEFORE.findings, added))


def kinds(after: TableAudit, rules: frozenset[str] = KNOWN) -> list[str]:
    return [one.kind for one in regressions([BEFORE], [after], frozenset(), rules)]


def test_a_known_rule_that_finds_something_new_is_a_regression() -> None:
    assert kinds(with_finding("torn-file")) == ["new finding"]
    assert kinds(with_finding("torn-file", Severity.INFO)) == []
    assert kinds(BEFORE) == []


def test_a_rule_that_did_not_look_before_finds_no_regression() -> None:
    assert kinds(with_finding("sample-owner")) == []
    assert kinds(with_finding("sample-owner"), KNOWN | {"sample-owner"}) == ["new finding"]


def test_a_rule_that_fails_is_a_regression_where_it_looked_before() -> None:
    assert kinds(with_finding(RULE_FAILED, of="torn-file")) == ["new finding"]
    assert kinds(with_finding(RULE_FAILED, of="sample-owner")) == []
    failed_before = with_finding(RULE_FAILED, of="torn-file")
    again = [one.kind for one in regressions([failed_before], [failed_before], frozenset(), KNOWN)]
    assert again == []


def test_vanished_tables_are_regressions_and_new_ones_are_not() -> None:
    other = msgspec.structs.replace(BEFORE, location="/lake/b")
    assert [(one.location, one.kind) for one in regressions([BEFORE], [other], frozenset(), KNOWN)] == [
        ("/lake/a", "gone")
    ]


def raised(old: ProtocolFacts, new: ProtocolFacts, *had: str) -> str:
    features = tuple(FeatureFacts(name, FeatureUse.UNUSED, listed=False, for_readers=False) for name in had)
    before = TableAudit("/lake/a", protocol=old, features=features)
    (found,) = regressions([before], [TableAudit("/lake/a", protocol=new)])
    assert found.kind == "protocol raised"
    return found.message


def test_a_raised_protocol_is_reported_with_what_changed() -> None:
    vectors = ProtocolFacts(3, 7, ("deletionVectors",), ("deletionVectors", "invariants"))
    told = raised(ProtocolFacts(1, 2), vectors, "appendOnly", "invariants")
    # What the old versions implied and the list now names is not new.
    assert told == "Its protocol went from (1, 2) to (3, 7), bringing deletionVectors."
    more = ProtocolFacts(3, 7, ("deletionVectors", "v2Checkpoint"), ("deletionVectors", "invariants", "v2Checkpoint"))
    assert raised(vectors, more) == "Its protocol (3, 7) got v2Checkpoint."
