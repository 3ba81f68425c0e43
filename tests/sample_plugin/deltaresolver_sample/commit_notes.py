"""What this package adds to every commit: a note of it in the log, and a table that must keep its approvals.

Nothing of the transaction's own code is needed for that but the names of what a hook and a policy are given.
"""

import logging
from collections.abc import Sequence

from deltaresolver.errors import PolicyRefusedError
from deltaresolver.plugin import Committed, Proposal, hookimpl
from deltaresolver_sample.change_approval import FEATURE, PROPERTY

logger = logging.getLogger("deltaresolver_sample")


class NoteCommits:
    """Notes each commit."""

    name = "Sample commit note"

    def run(self, committed: Committed) -> None:
        """Write the note."""
        logger.info("version %s by %s", committed.table_version, committed.commit_info.fields["operation"])

    def handle_error(self, error: Exception, table_version: int) -> None:
        """A lost note is no harm."""


class KeepApprovals:
    """Refuses a commit that stops asking for approvals."""

    def check(self, proposal: Proposal) -> None:
        """Raise `PolicyRefusedError` if it does, unless the feature itself goes."""
        if proposal.draft.operation.drops_feature == FEATURE:
            return
        before, after = proposal.draft.before.metadata, proposal.draft.metadata
        if before.configuration.get(PROPERTY) == "true" and after.configuration.get(PROPERTY) != "true":
            raise PolicyRefusedError(
                f"{PROPERTY} is true and would no longer be.",
                fix=f"Leave {PROPERTY} as it is.",
                details={"key": PROPERTY},
            )


@hookimpl
def post_commit_hook() -> NoteCommits:
    """Note commits."""
    return NoteCommits()


@hookimpl
def commit_policy() -> Sequence[KeepApprovals]:
    """Keep approvals."""
    return [KeepApprovals()]
