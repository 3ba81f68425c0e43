"""A made-up audit, for those who render one: every kind of table, broken ones, findings, regressions.

python -m tests.audit.sample_document out.json [tables]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import msgspec

from deltaresolver.audit.document import document as doc
from deltaresolver.audit.document.cards import CardTally
from deltaresolver.audit.document.document_file import write_audit
from deltaresolver.model import audit_table as tab
from deltaresolver.model.audit_finding import Finding, Severity

START = 1_735_689_600_000
DAY = 86_400_000
KINDS: tuple[tuple[str, tuple[int, int], tuple[str, ...], tuple[str, ...]], ...] = (
    ("plain", (1, 2), (), ("appendOnly", "invariants")),
    ("append only", (1, 2), ("appendOnly",), ("invariants",)),
    ("check constraints", (1, 3), ("checkConstraints",), ("appendOnly", "invariants")),
    ("change feed", (1, 7), ("changeDataFeed",), ()),
    ("change feed, numbered", (1, 4), ("changeDataFeed",), ("generatedColumns", "checkConstraints", "invariants")),
    ("generated columns", (1, 7), ("generatedColumns",), ()),
    ("mapping by name", (2, 5), ("columnMapping",), ("changeDataFeed", "generatedColumns", "checkConstraints")),
    ("mapping by name, listed", (2, 7), ("columnMapping",), ()),
    ("mapping by id", (2, 7), ("columnMapping",), ()),
    ("identity", (1, 6), ("identityColumns",), ("changeDataFeed",)),
    ("deletion vectors", (3, 7), ("deletionVectors",), ()),
    ("deletion vectors unused", (3, 7), (), ("deletionVectors",)),
    ("ntz", (3, 7), ("timestampNtz",), ()),
    ("row tracking", (1, 7), ("rowTracking", "domainMetadata"), ()),
    ("clustering", (1, 7), ("clustering", "domainMetadata"), ()),
    ("in-commit timestamps", (1, 7), ("inCommitTimestamp",), ()),
    ("v2 checkpoint", (3, 7), ("v2Checkpoint",), ()),
    ("v2 checkpoint unused", (3, 7), (), ("v2Checkpoint",)),
    ("type widening", (3, 7), ("typeWidening",), ()),
    ("type widening preview", (3, 7), ("typeWidening-preview",), ()),
    ("variant", (3, 7), ("variantType",), ()),
    ("iceberg v2", (2, 7), ("icebergCompatV2", "columnMapping"), ()),
    ("iceberg v1", (2, 7), ("icebergCompatV1", "columnMapping"), ()),
    ("defaults", (1, 7), ("allowColumnDefaults",), ()),
    ("vacuum check", (3, 7), ("vacuumProtocolCheck",), ()),
    ("everything", (3, 7), ("deletionVectors", "columnMapping", "rowTracking", "timestampNtz"), ("v2Checkpoint",)),
    ("raised for nothing", (3, 7), (), ("deletionVectors", "columnMapping", "timestampNtz")),
    ("unknown feature", (3, 7), ("acmeSealed",), ()),
    ("collations", (3, 7), ("collations-preview",), ()),
    ("catalog managed", (3, 7), ("catalogManaged", "inCommitTimestamp"), ()),
)
BROKEN = (
    ("DR413", "The log lacks commit 7 between 0 and 12 (1 missing in all)."),
    ("DR415", "Line 1 of _delta_log/00000000000000000003.json cannot be used: it is not JSON."),
    ("DR410", "There is no Delta table here: its _delta_log holds no commit and no checkpoint."),
    ("DR405", "Access to the log was denied."),
)


def table(number: int) -> tab.TableAudit:
    """One table: every hundredth is broken."""
    kind, (reader, writer), enabled, unused = KINDS[number % len(KINDS)]
    location = f"s3://lake/team_{number % 7}/{kind.replace(' ', '_').replace(',', '')}_{number:05}"
    if number % 25 == 24:
        return _broken(location, *BROKEN[number // 25 % len(BROKEN)])
    protocol = _protocol(reader, writer, (*enabled, *unused))
    lowest = protocol if not unused else _protocol(1, 7 if enabled else 1, enabled)
    started, raised_at = START + number % 300 * DAY, START + number % 300 * DAY + 40 * DAY
    features = tuple(
        tab.FeatureFacts(
            name,
            tab.FeatureUse.ENABLED if name in enabled else tab.FeatureUse.UNUSED,
            writer == 7,
            reader == 3,
            (f"table property delta.{name} = true",) if name in enabled else (),
            (),
            (f"Unset delta.{name}.", f"Drop feature {name}."),
            f"deltaresolver drop-feature {location} {name}",
        )
        for name in sorted({*enabled, *unused})
    )
    start_event = tab.ProtocolEvent(
        0, started, _protocol(1, 2, ("appendOnly", "invariants")), operation="CREATE TABLE", engine="Apache-Spark/3.5.0"
    )
    raising = tab.ProtocolEvent(
        3 + number % 20,
        raised_at,
        protocol,
        before=start_event.after,
        raises=True,
        operation="SET TBLPROPERTIES",
        user=f"user-{number % 5}",
        engine="Apache-Spark/4.0.0 Delta-Lake/4.0.0",
        causes=tuple(
            tab.Cause(name, (f"delta.{name} = true",) if name in enabled else ()) for name in (*enabled, *unused)
        ),
    )
    return tab.TableAudit(
        location=location,
        name=location.rpartition("/")[2],
        table_id=f"{number:032x}",
        table_version=30 + number % 900,
        protocol=protocol,
        lowest_protocol=lowest,
        features=features,
        history=(raising, start_event) if writer > 2 else (start_event,),
        history_from=0,
        timeline=tuple(tab.FeatureSpan(name, raising.table_version, raised_at) for name in (*enabled, *unused)),
        profile=f"profile-{number % len(KINDS)}",
        locked_out_of_read=len(enabled) * 4 + reader * 2,
        locked_out_of_append=len(enabled) * 5 + writer,
        health=_health(number),
        properties={f"delta.{name}": "true" for name in enabled},
        partition_columns=("day",) if number % 3 == 0 else (),
        column_count=5 + number % 40,
        created_ms=started,
        findings=tuple(_findings(number, location, unused)),
        next_step=tab.NextStep(f"Drop feature {unused[0]}.", features[0].command, ("trino@400 reads it",))
        if unused
        else None,
        owner=f"Team {number % 7}",
        way_down=tab.NextStep(f"Drop {unused[0]} (0 bytes).", features[0].command, ("3 more known releases can read",))
        if unused and unused[0] != "appendOnly"
        else None,
        blocked=_blocked(number, location, enabled),
    )


def _blocked(number: int, location: str, enabled: tuple[str, ...]) -> tuple[tab.Blocked, ...]:
    """What the client that was asked about cannot do, with every kind of way out."""
    if "deletionVectors" in enabled:
        command = f"deltaresolver plan {location} --drop-feature deletionVectors --apply"
        refused = tab.Blocked("trino@468", "append", "refuses", "it does not know it", truncates=True)
        changes = ("drop deletionVectors",)
        return (msgspec.structs.replace(refused, advice="Drop deletionVectors.", command=command, changes=changes),)
    if "columnMapping" in enabled:
        wrong = "silently wrong" if number % 2 else "refuses"
        return (tab.Blocked("trino@468", "read", wrong, "it takes names for names", upgrade="483"),)
    return ()


def _protocol(reader: int, writer: int, features: tuple[str, ...]) -> tab.ProtocolFacts:
    names = tuple(sorted(features))
    return tab.ProtocolFacts(reader, writer, names if reader == 3 else None, names if writer == 7 else None)


def _health(number: int) -> tab.Health:
    return tab.Health(
        commits=11 + number % 90,
        commit_bytes=11_000 + number * 31,
        log_files=14 + number % 90,
        first_version=20,
        checkpoint_version=30 + number % 900 - number % 60,
        checkpoint_kind="classic",
        checkpoint_ms=START + 300 * DAY,
        commits_since_checkpoint=number % 60,
        has_checksum=number % 2 == 0,
        last_commit_ms=START + 380 * DAY - number * 60_000,
        log_retention="interval 30 days",
    )


def _findings(number: int, location: str, unused: tuple[str, ...]) -> Iterator[Finding]:
    for name in unused:
        command = f"deltaresolver drop-feature {location} {name}"
        yield Finding("unused-feature", Severity.WARNING, f"Nothing uses {name}.", f"Drop feature {name}.", command)
    if number % 60 > 40:
        message = f"Readers replay {number % 60} commits after the newest checkpoint."
        yield Finding("old-checkpoint", Severity.INFO, message, "Write a checkpoint.")


def _broken(location: str, code: str, message: str) -> tab.TableAudit:
    fix = "Restore the files from a backup."
    finding = Finding("unreadable-table", Severity.ERROR, message, fix, None, {"code": code})
    return tab.TableAudit(location, error=tab.TableError(code, message, fix), findings=(finding,))


def head(count: int) -> doc.LakeAudit:
    """What is said of the whole sample."""
    releases = [("trino", "Trino", v) for v in ("400", "440", "468", "476")] + [
        ("delta-spark", "Delta Lake for Spark", v) for v in ("2.4.0", "3.2.0", "4.0.0")
    ]
    reach = tuple(
        doc.ClientReach(f"{client}@{v}", client, name, v, count * n // 9, count // 20, count * n // 11, 0, 0, True)
        for n, (client, name, v) in enumerate(releases, start=2)
    )
    months = [f"2025-{month:02}" for month in range(1, 13)]
    adoption = tuple(
        doc.AdoptionPoint(feature, month, count * n * share // 400)
        for feature, share in (("deletionVectors", 9), ("columnMapping", 6), ("rowTracking", 3))
        for n, month in enumerate(months, start=1)
    )
    steps = (
        doc.UnlockStep(
            "Drop feature deletionVectors.",
            count // 10,
            count // 12,
            count // 12,
            "deltaresolver drop-feature {table} deletionVectors",
            "deletionVectors",
            ("s3://lake/team_0/a", "s3://lake/team_1/b"),
        ),
        doc.UnlockStep("Drop feature v2Checkpoint.", count // 30, count // 30, count // 9, None, "v2Checkpoint"),
    )
    summary = doc.LakeSummary(
        tables=count,
        broken=count // 25,
        with_findings=count // 3,
        by_severity={"info": count // 4, "warning": count // 5, "error": count // 25},
        protocols=(
            doc.ProtocolCount(1, 2, count // 3, "1, 2"),
            doc.ProtocolCount(1, 7, count // 3, "1, 7"),
            doc.ProtocolCount(3, 7, count // 3, "3, 7"),
        ),
        features=tuple(
            doc.FeatureCount(name, count // 9, count // 12, 0, count // 36) for name in ("deletionVectors",)
        ),
        adoption=adoption,
        reach=reach,
        unlocks=(doc.Unlock("trino@468", "read", count // 2, count // 4, steps, count // 9),),
        outliers=(doc.Outlier("s3://lake/team_0/x", "commits", 90_000, 40, "It has 90,000 commits; 40 are usual."),),
    )
    tally = CardTally()
    for number in range(min(count, 300)):
        tally.add(table(number))
    return doc.LakeAudit(
        cards=tally.cards("audit.json"),
        file="audit.json",
        when_ms=START + 400 * DAY,
        tool="deltaresolver",
        roots=(doc.RootAudit("s3://lake", count),),
        clients=("trino@468",),
        summary=summary,
        rules=(
            doc.RuleInfo("unreadable-table", Severity.ERROR, "The table cannot be read", findings=count // 25),
            doc.RuleInfo("unused-feature", Severity.WARNING, "A supported feature nothing uses", findings=count // 5),
            doc.RuleInfo("old-checkpoint", Severity.INFO, "Readers replay many commits", findings=count // 4),
        ),
        profiles=tuple(
            doc.ClientProfile(
                f"profile-{n}",
                tuple(f"reads:{name}" for name in enabled),
                (
                    doc.LockedOut(
                        "trino",
                        "read",
                        "refuses",
                        ("trino@400", "trino@440"),
                        f"it does not know {kind}",
                        next(iter(enabled), None),
                    ),
                    doc.LockedOut(
                        "snowflake", "read", "unknown", ("snowflake",), f"nothing is established about {kind}"
                    ),
                ),
                count // len(KINDS),
            )
            for n, (kind, _, enabled, _) in enumerate(KINDS)
        ),
        regressions=(
            doc.Regression("s3://lake/team_0/x", "protocol raised", "It went from 1, 2 to 3, 7.", before="1, 2"),
        ),
        since_ms=START + 370 * DAY,
    )


class SampleAudit:
    """A document of any size, made as it is read."""

    def __init__(self, count: int = 120) -> None:
        self.count = count
        self.head = head(count)

    def tables(self) -> Iterator[tab.TableAudit]:
        """The tables."""
        return (table(number) for number in range(self.count))


if __name__ == "__main__":
    sample = SampleAudit(int(sys.argv[2]) if len(sys.argv) > 2 else 120)
    write_audit(sample.head, sample.tables(), sys.argv[1])
