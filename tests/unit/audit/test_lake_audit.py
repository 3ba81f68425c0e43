"""A generated lake is audited: every planted problem is found, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from benchmarks.lake_generator import DAMAGES, KINDS, MadeTable, generate_lake
from deltaresolver.audit.audit_lake import AuditRequest, LakeAudited, audit_lake
from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.audit.scan.runners import Batches, InProcess, Processes, Task
from deltaresolver.errors import AuditFileError, AuditResumeError, UnknownClientError
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_table import FeatureUse, TableAudit

CLIENT = "trino@468"
TABLES = 160


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[MadeTable]]:
    """Tables of every kind, most of them several times, and each way to break one."""
    folder = tmp_path_factory.mktemp("lake")
    return folder, list(generate_lake(folder, TABLES, broken_every=TABLES // len(DAMAGES)))


@pytest.fixture(scope="module")
def audited(lake: tuple[Path, list[MadeTable]], tmp_path_factory: pytest.TempPathFactory) -> LakeAudited:
    """The audit of the whole lake."""
    work = tmp_path_factory.mktemp("audit")
    request = AuditRequest(roots=(str(lake[0]),), clients=(CLIENT,))
    return audit_lake(request, Processes(2), work / "work", work / "audit.json")


@pytest.fixture(scope="module")
def tables(audited: LakeAudited) -> dict[str, TableAudit]:
    """What was found, by location."""
    return {table.location: table for table in audited.document.tables()}


def of_kind(lake: tuple[Path, list[MadeTable]], kind: str) -> str:
    """The location of some table of a kind that is not broken and keeps its first commits."""
    return next(made.location for made in lake[1] if made.kind == kind and made.damage is None)


def test_exactly_what_was_put_in_is_found(lake: tuple[Path, list[MadeTable]], tables: dict[str, TableAudit]) -> None:
    assert {made.kind for made in lake[1]} == {kind.name for kind in KINDS}
    assert {made.damage for made in lake[1]} == {None, *(damage.name for damage in DAMAGES)}
    assert list(tables) == sorted(made.location for made in lake[1])
    wrong: dict[tuple[str, str | None], object] = {}
    for made in lake[1]:
        table = tables[made.location]
        rules = {one.rule for one in table.findings if one.severity > Severity.INFO} - {"client-locked-out"}
        code = None if table.error is None else table.error.code
        if rules != made.expected or code != made.code:
            wrong[made.kind, made.damage] = (rules, code)
    assert wrong == {}


def test_the_summary_counts_what_the_tables_have(audited: LakeAudited, tables: dict[str, TableAudit]) -> None:
    summary, every = audited.document.head.summary, list(tables.values())
    readable = [table for table in every if table.is_readable]
    assert (summary.tables, summary.broken) == (TABLES, TABLES - len(readable))
    assert summary.with_findings == sum(bool(table.findings) for table in every)
    assert sum(one.tables for one in summary.protocols) == len(readable)
    for rule in audited.document.head.rules:
        assert rule.tables == sum(any(one.rule == rule.name for one in table.findings) for table in every)
    for feature in summary.features:
        assert feature.supported == sum(any(one.name == feature.name for one in table.features) for table in readable)
    last = {point.feature: point.tables for point in summary.adoption}
    assert last == {one.name: one.supported for one in summary.features} | {
        feature: count for feature, count in last.items() if count == 0
    }


def test_client_reach_agrees_with_the_verdicts_on_each_table(
    audited: LakeAudited, tables: dict[str, TableAudit]
) -> None:
    reach = next(one for one in audited.document.head.summary.reach if one.release == CLIENT)
    readable = [table for table in tables.values() if table.is_readable]
    for act, works in (("read", reach.reads), ("append", reach.appends)):
        blocked = sum(any(one.act == act for one in table.blocked) for table in readable)
        assert works == len(readable) - blocked


def test_every_table_has_a_profile_that_the_head_explains(audited: LakeAudited, tables: dict[str, TableAudit]) -> None:
    profiles = {one.key: one for one in audited.document.head.profiles}
    for table in tables.values():
        assert table.is_readable == (table.profile is not None)
        if table.profile is not None:
            out = [one for one in profiles[table.profile].locked_out if one.outcome != "unknown"]
            assert table.locked_out_of_read == sum(len(one.releases) for one in out if one.act == "read")
    assert sum(one.tables for one in profiles.values()) == sum(table.is_readable for table in tables.values())


def test_the_steps_that_unlock_add_up(audited: LakeAudited) -> None:
    for unlock in audited.document.head.summary.unlocks:
        opened = unlock.steps[-1].unlocked_so_far if unlock.steps else 0
        assert opened == sum(step.unlocked for step in unlock.steps)
        assert opened + unlock.stays_locked == unlock.locked_out
        assert unlock.works + unlock.locked_out == audited.document.head.summary.tables - (
            audited.document.head.summary.broken
        )
    steps = [step for unlock in audited.document.head.summary.unlocks for step in unlock.steps]
    assert steps
    # A command for any of the tables keeps what those can do who were asked about, as each table's own does.
    assert all("{table}" in step.command and "--keep" in step.command for step in steps if step.command is not None)


def test_history_names_who_raised_a_protocol_and_why(
    lake: tuple[Path, list[MadeTable]], tables: dict[str, TableAudit]
) -> None:
    table = tables[of_kind(lake, "deletion_vectors")]
    raised, begun = table.history
    assert (raised.table_version, raised.operation, raised.raises) == (3, "SET TBLPROPERTIES", True)
    assert raised.user is not None
    assert begun.before is None
    because = {cause.feature: cause.because for cause in raised.causes}
    assert any("delta.enableDeletionVectors" in one for one in because["deletionVectors"])
    spans = {span.feature: span.since_version for span in table.timeline if span.until_version is None}
    assert spans["deletionVectors"] == 3


def test_an_unused_feature_is_shown_with_the_lower_protocol_and_the_command(
    lake: tuple[Path, list[MadeTable]], tables: dict[str, TableAudit]
) -> None:
    table = tables[of_kind(lake, "deletion_vectors_unused")]
    assert [one.use for one in table.features] == [FeatureUse.UNUSED]
    assert table.lowest_protocol is not None
    assert table.lowest_protocol.writer_version == 1
    assert table.next_step is not None
    assert table.next_step.command == (
        f"deltaresolver plan {table.location} --drop-feature deletionVectors --keep {CLIENT} --apply"
    )
    assert "history before it is lost" in table.next_step.title, "the price is told"


@pytest.mark.slow
def test_an_interrupted_audit_goes_on_where_it_stopped(
    lake: tuple[Path, list[MadeTable]], audited: LakeAudited, tmp_path: Path
) -> None:
    request = AuditRequest(roots=(str(lake[0]),), clients=(CLIENT,))
    done: list[str] = []

    class Interrupted:
        """Fails after some batches; notes what it was given."""

        def __init__(self, limit: int) -> None:
            self.limit = limit

        def run(self, task: Task, batches: Batches) -> Iterator[tuple[int, bytes]]:
            for count, (number, locations) in enumerate(batches):
                if count == self.limit:
                    raise KeyboardInterrupt
                done.extend(locations)
                yield number, task(locations)

    with pytest.raises(KeyboardInterrupt):
        audit_lake(request, Interrupted(2), tmp_path / "work", tmp_path / "audit.json")
    assert not (tmp_path / "audit.json").exists()
    begun = len(done)
    again = audit_lake(request, Interrupted(1000), tmp_path / "work", tmp_path / "audit.json")
    assert 0 < begun < TABLES
    assert sorted(done) == sorted(made.location for made in lake[1])
    assert list(again.document.tables()) == list(audited.document.tables())
    once, twice = (head_without_times(one.document) for one in (audited, again))
    assert {name for name in once if once[name] != twice[name]} == set()
    assert not (tmp_path / "work").exists()


def head_without_times(document: StoredAudit) -> dict[str, object]:
    """A head by field, without what differs from run to run."""
    head = msgspec.structs.replace(document.head, when_ms=0, took_ms=None)
    return {**msgspec.structs.asdict(head), **msgspec.structs.asdict(head.summary), "summary": None}


def test_a_work_folder_of_another_audit_is_refused(lake: tuple[Path, list[MadeTable]], tmp_path: Path) -> None:
    class Stops:
        """Stops at once."""

        def run(self, task: Task, batches: Batches) -> Iterator[tuple[int, bytes]]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit_lake(AuditRequest(roots=(str(lake[0]),)), Stops(), tmp_path / "work", tmp_path / "a.json")
    with pytest.raises(AuditResumeError):
        audit_lake(
            AuditRequest(roots=(str(lake[0]),), clients=(CLIENT,)), InProcess(), tmp_path / "work", tmp_path / "a.json"
        )


def audit_of(folder: Path, target: Path, since: Path | None = None) -> StoredAudit:
    """A small audit in this process."""
    before = None if since is None else str(since)
    request = AuditRequest(roots=(str(folder),), clients=(CLIENT,), since=before, budget=None)
    return audit_lake(request, InProcess(), target.with_suffix(".work"), target).document


def append(table: str, number: int, actions: Sequence[dict[str, object]]) -> None:
    """Commit by hand."""
    path = Path(table, "_delta_log", f"{number:020}.json")
    path.write_text("".join(json.dumps(action) + "\n" for action in actions))


def test_what_got_worse_since_the_last_audit_is_reported(tmp_path: Path) -> None:
    made = list(generate_lake(tmp_path / "lake", 4))
    first = tmp_path / "first.json"
    assert audit_of(tmp_path / "lake", first).head.regressions == ()
    raised, unreadable, gone = made[0].location, made[1].location, made[2].location
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7}
    features = {"readerFeatures": ["catalogManaged"], "writerFeatures": ["catalogManaged", "inCommitTimestamp"]}
    info: dict[str, object] = {"commitInfo": {"operation": "UPGRADE PROTOCOL", "userName": "engineer-9"}}
    append(raised, 12, [info, {"protocol": {**protocol, **features}}])
    Path(unreadable, "_delta_log", f"{11:020}.json").write_text('{"commitInfo')
    Path(gone).rename(tmp_path / "elsewhere")
    second = audit_of(tmp_path / "lake", tmp_path / "second.json", first)
    found = {(one.location, one.kind) for one in second.head.regressions}
    assert {(raised, "protocol raised"), (unreadable, "unreadable"), (gone, "gone")} <= found
    assert not any(location == made[3].location for location, _ in found)
    told = next(one for one in second.head.regressions if one.kind == "protocol raised")
    assert told.message.endswith("by engineer-9 at version 12, bringing catalogManaged and inCommitTimestamp.")
    assert second.head.since_ms is not None


def test_no_backup_is_advised_where_no_file_is_missing(tmp_path: Path) -> None:
    made = next(iter(generate_lake(tmp_path / "lake", 1)))
    metadata = {"id": "t", "schemaString": '{"type":"struct","fields":[]}', "partitionColumns": []}
    configuration = {"delta.appendOnly": "maybe"}
    append(made.location, 40, [{"metaData": {**metadata, "format": {}, "configuration": configuration}}])
    for number in range(40):
        path = Path(made.location, "_delta_log", f"{number:020}.json")
        if not path.exists():
            append(made.location, number, [{"commitInfo": {"operation": "EMPTY"}}])
    found = audit_of(tmp_path / "lake", tmp_path / "audit.json")
    card = next(card for card in found.head.cards if "cannot be read" in card.title)
    assert "backup" not in card.title
    (table,) = found.tables()
    (finding,) = (one for one in table.findings if one.severity is Severity.ERROR and one.rule != "log-gap")
    assert finding.rule == "conflicting-properties"
    assert finding.remedy == "Set delta.appendOnly to 'true' or 'false', without spaces, or unset it."


def test_a_file_that_is_not_an_audit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(AuditFileError):
        StoredAudit(tmp_path / "no.json")
    with pytest.raises(AuditFileError):
        StoredAudit(tmp_path / "missing.json")


def test_a_root_that_does_not_exist_is_reported_and_stops_nothing(tmp_path: Path) -> None:
    made = list(generate_lake(tmp_path / "lake", 2))
    roots = (str(tmp_path / "none"), str(tmp_path / "lake"))
    request = AuditRequest(roots=roots, tables=(str(tmp_path / "absent"),), budget=None)
    document = audit_lake(request, InProcess(), tmp_path / "work", tmp_path / "a.json").document
    errors = [root.error for root in document.head.roots]
    assert errors[0] is not None
    assert errors[1] is None
    by_location = {table.location: table for table in document.tables()}
    assert by_location[str(tmp_path / "absent")].error is not None
    assert by_location[made[0].location].is_readable


def test_an_unknown_client_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UnknownClientError):
        audit_lake(AuditRequest(clients=("trinoo@1",)), InProcess(), tmp_path / "work", tmp_path / "a.json")
