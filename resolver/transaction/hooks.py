"""What follows a commit that stands: hooks in order, whose failure is reported and never undoes the commit."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

import attrs

from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.upkeep.settings import checkpoint_interval
from deltaresolver.log.upkeep.write_checksum import write_checksum
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.transaction.commit.committed import Committed

logger = logging.getLogger("deltaresolver.transaction")


class PostCommitHook(Protocol):
    """Something to do after a commit. Hooks may start transactions of their own."""

    @property
    def name(self) -> str:
        """As messages call it."""

    def run(self, committed: Committed) -> None:
        """Do it. Whatever is raised is reported to `handle_error`."""

    def handle_error(self, error: Exception, table_version: int) -> None:
        """Told that `run` failed for this version; may raise where the caller has to know."""


def hooks_of(session: object) -> tuple[PostCommitHook, ...]:
    """The hooks that a session has for every commit made in it; a plain mapping has none."""
    return tuple(getattr(session, "post_commit_hooks", ()))


def run_hooks(hooks: Sequence[PostCommitHook], committed: Committed) -> None:
    """Run the hooks in order; one that fails does not keep the next from running.

    Raises what the first `handle_error` that raises does, after all hooks have run.
    """
    raised: list[Exception] = []
    for hook in hooks:
        try:
            hook.run(committed)
        except Exception as error:
            message = f"Error when executing post-commit hook {hook.name} for commit {committed.table_version}"
            logger.exception(message)
            try:
                hook.handle_error(error, committed.table_version)
            except Exception as reported:  # noqa: BLE001 - it is raised when the other hooks have had their turn
                raised.append(reported)
    if raised:
        raise raised[0]


def checkpoint_at_interval(catalog: FeatureCatalog) -> CheckpointAtInterval:
    """The hook for tables whose features this catalog knows."""
    return CheckpointAtInterval(lambda snapshot: write_checkpoint(snapshot, snapshot.store, catalog))


@attrs.frozen(slots=True)
class CheckpointAtInterval:
    """Has `write` make a checkpoint whenever the table's interval is reached; failing to is only a warning."""

    write: Callable[[Snapshot], object]
    name: str = "Post commit checkpoint trigger"

    def run(self, committed: Committed) -> None:
        """Write a checkpoint if one is due."""
        table_version = committed.table_version
        try:
            if table_version != 0 and table_version % checkpoint_interval(committed.metadata) == 0:
                self.write(committed.snapshot)
        except Exception:
            logger.warning("Failed to checkpoint table state.", exc_info=True)

    def handle_error(self, error: Exception, table_version: int) -> None:
        """Reported already."""


@attrs.frozen(slots=True)
class WriteChecksum:
    """Leaves a version checksum beside the commit, so that the next reader finds protocol and metadata at once."""

    name: str = "Post commit checksum trigger"

    def run(self, committed: Committed) -> None:
        """Write the checksum, unless the table has moved on already."""
        snapshot = committed.snapshot
        if snapshot.table_version == committed.table_version:
            write_checksum(snapshot, snapshot.store)

    def handle_error(self, error: Exception, table_version: int) -> None:
        """Reported already; readers take longer, no more."""
