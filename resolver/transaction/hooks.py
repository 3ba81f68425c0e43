"""What follows a commit that stands: hooks in order, whose failure is reported and never undoes the commit."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

import attrs

from deltaresolver.errors import InvalidInputError, LogError, PropertyInvalidError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction.committed import Committed

logger = logging.getLogger("deltaresolver.transaction")

CHECKPOINT_INTERVAL = "delta.checkpointInterval"
DEFAULT_CHECKPOINT_INTERVAL = 10


class PostCommitHook(Protocol):
    """Something to do after a commit. Hooks may start transactions of their own."""

    @property
    def name(self) -> str:
        """As messages call it."""

    def run(self, committed: Committed) -> None:
        """Do it. Whatever is raised is reported to `handle_error`."""

    def handle_error(self, error: Exception, table_version: int) -> None:
        """Told that `run` failed for this version; may raise where the caller has to know."""


def run_hooks(hooks: Sequence[PostCommitHook], committed: Committed) -> None:
    """Run the hooks in order; one that fails does not keep the next from running."""
    for hook in hooks:
        try:
            hook.run(committed)
        except Exception as error:
            message = f"Error when executing post-commit hook {hook.name} for commit {committed.table_version}"
            logger.exception(message)
            hook.handle_error(error, committed.table_version)


def checkpoint_interval(metadata: Metadata) -> int:
    """After how many commits a checkpoint is due. Raises `PropertyInvalidError`."""
    text = metadata.configuration.get(CHECKPOINT_INTERVAL)
    if text is None:
        return DEFAULT_CHECKPOINT_INTERVAL
    if not text.strip().isdecimal() or int(text) < 1:
        raise PropertyInvalidError(
            f"{CHECKPOINT_INTERVAL} is {text!r}, which is no number of commits.",
            fix=f"Set {CHECKPOINT_INTERVAL} to 1 or more.",
            details={"key": CHECKPOINT_INTERVAL, "value": text},
        )
    return int(text)


@attrs.frozen(slots=True)
class CheckpointAtInterval:
    """Has `write` make a checkpoint whenever the table's interval is reached; failing to is only a warning."""

    write: Callable[[Snapshot], object]
    name: str = "Checkpoint"

    def run(self, committed: Committed) -> None:
        """Write a checkpoint if one is due."""
        table_version = committed.table_version
        if table_version == 0 or table_version % checkpoint_interval(committed.metadata):
            return
        try:
            self.write(committed.snapshot)
        except (LogError, InvalidInputError, OSError):
            logger.warning("Failed to checkpoint table state.", exc_info=True)

    def handle_error(self, error: Exception, table_version: int) -> None:
        """Reported already."""
