"""A commit of others that came first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from deltaresolver.model.actions import Action, AddFile, CommitInfo, DomainMetadata, RemoveFile, SetTransaction
from deltaresolver.model.frozen import ReadOnly
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol


class Winner(ReadOnly):
    """A commit that came first. Its file actions are read only when somebody looks at them."""

    table_version: int
    small_actions: tuple[Action, ...]
    file_modified_ms: int
    before_metadata: Metadata
    """The metadata as the draft knew it before this winner."""
    has_files: bool
    _file_actions: Callable[[], Sequence[Action]]

    def __init__(
        self,
        table_version: int,
        small_actions: Sequence[Action],
        file_actions: Callable[[], Sequence[Action]],
        file_modified_ms: int,
        before_metadata: Metadata,
        has_files: bool = True,
    ) -> None:
        vars(self).update(
            table_version=table_version,
            small_actions=tuple(small_actions),
            file_modified_ms=file_modified_ms,
            before_metadata=before_metadata,
            has_files=has_files,
            _file_actions=file_actions,
        )

    @cached_property
    def protocol(self) -> Protocol | None:
        """The protocol it wrote."""
        return next((action for action in self.small_actions if isinstance(action, Protocol)), None)

    @cached_property
    def metadata(self) -> Metadata | None:
        """The metadata it wrote."""
        return next((action.sealed() for action in self.small_actions if isinstance(action, Metadata)), None)

    @cached_property
    def commit_info(self) -> CommitInfo | None:
        """Where it comes from, if it says so."""
        return next((action for action in self.small_actions if isinstance(action, CommitInfo)), None)

    @property
    def operation(self) -> str | None:
        """The name of its operation."""
        return None if self.commit_info is None else self.commit_info.find_text("operation")

    @property
    def tags(self) -> Mapping[str, str]:
        """The tags of its commit info."""
        tags = None if self.commit_info is None else self.commit_info.fields.get("tags")
        return tags if isinstance(tags, Mapping) else {}

    @property
    def domains(self) -> Sequence[DomainMetadata]:
        """The domain metadata it wrote."""
        return [action for action in self.small_actions if isinstance(action, DomainMetadata)]

    @property
    def applications(self) -> Sequence[SetTransaction]:
        """The progress of applications it recorded."""
        return [action for action in self.small_actions if isinstance(action, SetTransaction)]

    @cached_property
    def adds(self) -> Sequence[AddFile]:
        """The files it added."""
        found = self._file_actions() if self.has_files else ()
        return tuple(action for action in found if isinstance(action, AddFile))

    @cached_property
    def removes(self) -> Sequence[RemoveFile]:
        """The files it removed."""
        return (
            tuple(action for action in self._file_actions() if isinstance(action, RemoveFile)) if self.has_files else ()
        )
