"""What this library does with a feature, task by task, as the feature itself states it.

    Support()                                         the defaults, which depend on who must know the feature
    Support(read=SAFE)                                rows are read as if the feature were not there
    Support(read=ReadAs(columns=shown_columns))       rows are read, and some columns shown through an expression
    Support(write=REFUSED)                            the feature is known, and nothing is committed to such a table

A stranger's default is honest. A feature for writers only asks nothing of readers, of checkpoints or of the clean-up
of the log. A feature for readers is refused until it states how its rows are read; until then no checkpoint of
such a table is written either, since it is unknown what the log holds.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from deltaresolver.model.actions import AddFile
from deltaresolver.model.declared import of_type, texts
from deltaresolver.model.metadata import Metadata
from deltaresolver.value import Value


class Care(enum.Enum):
    """What a task has to do for a feature, where that takes no code."""

    SAFE = "safe"
    """Nothing: the task is done as if the feature were not there, or this library already does what it takes."""
    REFUSED = "refused"
    """The task cannot be done here for a table that supports the feature."""


SAFE, REFUSED = Care.SAFE, Care.REFUSED

RefusedFor = Callable[[Metadata], "str | None"]
"""Gives the reason why a task is refused for a table with this metadata, as half a sentence; None where it is safe."""


def _no_columns(metadata: Metadata) -> Mapping[str, str]:  # noqa: ARG001 - a default
    return {}


def _all_rows(metadata: Metadata) -> str | None:  # noqa: ARG001 - a default
    return None


@attrs.frozen(slots=True)
class ReadAs(Value):
    """How the rows of a table are shown to readers.

    columns  for each column to show otherwise, an expression in Spark SQL over the stored columns of the row
    rows     a condition in Spark SQL over the stored columns that rows must satisfy to be shown; None shows all
    files    whether the rows of a file are shown, by what the log has of it (tags, partition values, ...); without
             such a function, those of every file are

    The first two are called once for each read, `files` for each file. A condition or a choice of columns that a user
    makes is about what is shown.
    """

    columns: Callable[[Metadata], Mapping[str, str]] = attrs.field(
        default=_no_columns, validator=attrs.validators.is_callable()
    )
    rows: RefusedFor = attrs.field(default=_all_rows, validator=attrs.validators.is_callable())
    files: Callable[[Metadata, AddFile], bool] | None = attrs.field(
        default=None, validator=attrs.validators.optional(attrs.validators.is_callable())
    )


def _stated(instance: object, field: attrs.Attribute[Any], value: object) -> None:
    if not callable(value) or isinstance(value, type):
        of_type(Care, optional=True)(instance, field, value)


class Task(enum.Enum):
    """What is done with a table. The value is the name of the field of `Support`."""

    READ = "read"
    WRITE = "write"
    CHANGE_FEED = "change_feed"
    CHECKPOINT = "checkpoint"
    CLEAN_UP = "clean_up"
    REWRITE = "rewrite"


Stated = Care | RefusedFor
StatedRead = Care | ReadAs


@attrs.frozen(slots=True, kw_only=True)
class Support(Value):
    """What each task has to do for a feature: `SAFE`, `REFUSED`, or a function that gives the reason of a refusal.

    read         showing rows: SAFE, REFUSED, or a `ReadAs`
    write        any commit to the table
    change_feed  showing the changes of rows
    checkpoint   writing a checkpoint of the log
    clean_up     deleting expired files of the log
    rewrite      writing stored rows again as they are stored: DELETE, UPDATE, MERGE, compaction

    What is left out is filled in by `completed`.
    """

    read: StatedRead | None = attrs.field(default=None, validator=of_type(Care, ReadAs, optional=True))
    write: Stated | None = attrs.field(default=None, validator=_stated)
    change_feed: Stated | None = attrs.field(default=None, validator=_stated)
    checkpoint: Stated | None = attrs.field(default=None, validator=_stated)
    clean_up: Stated | None = attrs.field(default=None, validator=_stated)
    rewrite: Stated | None = attrs.field(default=None, validator=_stated)

    def completed(self, *, for_readers: bool) -> Support:
        """The same with the defaults for a feature that readers must know, or one that only writers must."""
        read = self.read if self.read is not None else (REFUSED if for_readers else SAFE)
        as_stored = SAFE if read is SAFE else REFUSED
        log = REFUSED if read is REFUSED else SAFE
        return Support(
            read=read,
            write=_or(self.write, SAFE),
            change_feed=_or(self.change_feed, as_stored),
            checkpoint=_or(self.checkpoint, log),
            clean_up=_or(self.clean_up, log),
            rewrite=_or(self.rewrite, as_stored),
        )

    def of(self, task: Task) -> Stated | StatedRead:
        """What is stated for a task. `completed` comes first."""
        stated: Stated | StatedRead | None = getattr(self, task.value)
        assert stated is not None
        return stated

    def is_refused(self, task: Task) -> bool:
        """Whether the task is refused for every table."""
        return self.of(task) is REFUSED

    def why_refused(self, task: Task, metadata: Metadata) -> str | None:
        """The reason why the task is refused; empty where none is given, None where the task may be done."""
        stated = self.of(task)
        if isinstance(stated, Care):
            return "" if stated is REFUSED else None
        return None if isinstance(stated, ReadAs) else stated(metadata)

    def describe(self) -> dict[str, str]:
        """For each task, what is stated, in a word or two."""
        return {task.value: _described(self.of(task)) for task in Task}


def _or(stated: Stated | None, default: Care) -> Stated:
    return default if stated is None else stated


def _described(stated: Stated | StatedRead) -> str:
    if isinstance(stated, Care):
        return stated.value
    if not isinstance(stated, ReadAs):
        return "refused for some tables"
    return "through expressions" if stated.files is None else "through expressions and by file"


@attrs.frozen(slots=True, kw_only=True)
class LogTraces(Value):
    """What in the log shows that a feature is in use, where its trigger does not.

    domains      metadata domains that the feature keeps; without a trigger, such a domain means that it is used
    file_tags    tags that only files of the feature have: checkpoints keep tags, and no fields of their own
    metadata     the schema or the properties show it, so that their silence means the feature is not used
    """

    domains: tuple[str, ...] = attrs.field(default=(), converter=texts)
    file_tags: tuple[str, ...] = attrs.field(default=(), converter=texts)
    metadata: bool = attrs.field(default=False, validator=of_type(bool))
