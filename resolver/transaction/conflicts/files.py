"""Files the winner added or removed against what the draft has read and removes."""

from __future__ import annotations

from collections.abc import Sequence

from deltaresolver.model.actions import AddFile
from deltaresolver.model.behaviour import Draft, PartitionValues, Winner
from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.transaction.conflicts.conflict import Conflict, ConflictKind, conflict_with
from deltaresolver.transaction.conflicts.precise_reads import first_concerned
from deltaresolver.transaction.conflicts.read_scope import Read
from deltaresolver.transaction.conflicts.rules import ConflictRules


def check_files(draft: Draft, winner: Winner, rules: ConflictRules) -> Conflict | None:
    """The first conflict over files: appended, then removed and read, then removed by both."""
    if not winner.has_files:
        return None
    return (
        _check_appended(draft, winner, rules)
        or _check_removed_and_read(draft, winner, rules)
        or _check_removed_twice(draft, winner, rules)
    )


def _check_appended(draft: Draft, winner: Winner, rules: ConflictRules) -> Conflict | None:
    if _has_read_nothing(draft, rules) or not _conflicts_with_appends(draft, winner, rules):
        return None
    if any(
        behaviour.skips_append_check(draft, winner)
        for behaviour in rules.behaviours.supported_with("skips_append_check", draft.supported)
    ):
        return None
    file = _first_that_should_have_been_read(winner.adds, draft, rules)
    if file is None:
        return None
    return _over_file(winner, ConflictKind.APPEND, rules, file.partition_values)


def _has_read_nothing(draft: Draft, rules: ConflictRules) -> bool:
    """A blind append, or one that only cannot prove it: no read of it is known that others could have surprised."""
    return draft.is_blind_append or (rules.scope.may_have_read_more and rules.scope.is_empty and draft.only_adds)


def _conflicts_with_appends(draft: Draft, winner: Winner, rules: ConflictRules) -> bool:
    if rules.isolation is IsolationLevel.SNAPSHOT:
        return False
    if rules.isolation is IsolationLevel.WRITE_SERIALIZABLE and not draft.changes_metadata:
        return not _is_blind(winner)
    return True


def _is_blind(winner: Winner) -> bool:
    return winner.commit_info is not None and winner.commit_info.fields.get("isBlindAppend") is True


def _first_that_should_have_been_read(files: Sequence[AddFile], draft: Draft, rules: ConflictRules) -> AddFile | None:
    if rules.is_precise and not rules.scope.whole_table:
        return first_concerned(files, rules.scope.reads, draft.before.metadata, rules.judge)
    if not files or rules.scope.whole_table or not draft.before.metadata.partition_columns:
        return files[0] if files else None
    return next((file for file in files for read in rules.scope.reads if _concerns(read, file, rules)), None)


def _concerns(read: Read, file: AddFile, rules: ConflictRules) -> bool:
    return all(rules.judge.may_hold(predicate, file.partition_values) for predicate in read.partition_predicates)


def _check_removed_and_read(draft: Draft, winner: Winner, rules: ConflictRules) -> Conflict | None:
    if not draft.read_files and not rules.scope.whole_table:
        return None
    for file in winner.removes:
        if file.path in draft.read_files:
            return _over_file(winner, ConflictKind.DELETE_READ, rules, draft.read_files[file.path])
    if winner.removes and rules.scope.whole_table:
        return _over_file(winner, ConflictKind.DELETE_READ, rules, None)
    return None


def _check_removed_twice(draft: Draft, winner: Winner, rules: ConflictRules) -> Conflict | None:
    own = {file.path: file.partition_values for file in draft.removes}
    for file in winner.removes if own else ():
        if file.path in own:
            return _over_file(winner, ConflictKind.DELETE_DELETE, rules, own[file.path])
    return None


def _over_file(winner: Winner, kind: ConflictKind, rules: ConflictRules, values: PartitionValues | None) -> Conflict:
    where = describe_partition(values, rules)
    return conflict_with(winner, kind, rules.scope.describe(), where, is_partition=where is not None)


def describe_partition(values: PartitionValues | None, rules: ConflictRules) -> str | None:
    """The partition as messages show it, `[p=a, q=null]`; None where the table or the file names none."""
    if not values or not rules.judge.columns:
        return None
    shown = []
    for name, column in zip(rules.judge.names, rules.judge.columns.values(), strict=True):
        value = values.get(column.physical_path[0])
        shown.append(f"{name}={'null' if value is None else value}")
    return f"[{', '.join(shown)}]"
