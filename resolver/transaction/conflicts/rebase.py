"""Draft and winner: the draft as if it had started after the winner, or the conflict that forbids it.

The order of the checks decides which of several conflicts is reported, and is delta-spark's.
"""

from __future__ import annotations

import attrs

from deltaresolver.errors import ConcurrentModificationError
from deltaresolver.model.behaviour import Draft, Winner
from deltaresolver.transaction.commit.checks import ensure_no_duplicates
from deltaresolver.transaction.conflicts.conflict import Conflict, ConflictKind, conflict_with
from deltaresolver.transaction.conflicts.domains import check_domains
from deltaresolver.transaction.conflicts.files import check_files
from deltaresolver.transaction.conflicts.metadata import check_metadata
from deltaresolver.transaction.conflicts.protocol import check_protocol
from deltaresolver.transaction.conflicts.rules import ConflictRules
from deltaresolver.transaction.protocol_support import ensure_agree
from deltaresolver.transaction.table_state import Domains

_STEPS = (check_protocol, check_metadata, check_domains)


def rebase(draft: Draft, winner: Winner, rules: ConflictRules) -> Draft | Conflict:
    """The draft ready for the version after `winner`, or why there is none.

    Raises errors that are not conflicts but still forbid the commit: a protocol this client cannot write, row ids that
    cannot be assigned, and the like.
    """
    before = draft
    try:
        for step in _STEPS:
            outcome = step(draft, winner, rules)
            if isinstance(outcome, Conflict):
                return outcome
            draft = outcome
        conflict = _check_applications(winner, rules)
        if conflict is not None:
            return conflict
        for behaviour in rules.behaviours.supported_with("rebase", draft.supported):
            draft = behaviour.rebase(draft, winner)
    except ConcurrentModificationError as error:
        return _conflict_of(error, winner, rules)
    conflict = check_files(draft, winner, rules)
    if conflict is not None:
        return conflict
    if rules.settings.check_duplicates and draft.actions is not before.actions:
        ensure_no_duplicates(draft.actions)
    if winner.protocol is not None or winner.metadata is not None:
        ensure_agree(draft.protocol, winner.metadata or draft.metadata, rules.catalog)
    return _after(draft, winner)


def _check_applications(winner: Winner, rules: ConflictRules) -> Conflict | None:
    if not rules.scope.application_ids:
        return None
    for transaction in winner.applications:
        if transaction.app_id in rules.scope.application_ids:
            read = f"the version of application {transaction.app_id}"
            return conflict_with(winner, ConflictKind.APPLICATION, read, f"application {transaction.app_id}")
    return None


def _conflict_of(error: ConcurrentModificationError, winner: Winner, rules: ConflictRules) -> Conflict:
    conflict = conflict_with(winner, ConflictKind.DOMAIN, rules.scope.describe(), error.message)
    return attrs.evolve(conflict, cause=error)


def _after(draft: Draft, winner: Winner) -> Draft:
    before = draft.before
    if winner.domains and isinstance(before.domains, Domains):
        written = {domain.domain: domain for domain in winner.domains}
        before = attrs.evolve(before, domains=before.domains.after(written))
    return attrs.evolve(draft, before=before, table_version=winner.table_version + 1)
