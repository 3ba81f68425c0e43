"""Several commits as one: what is left of their actions once each has undone what it undoes of those before."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import attrs

from deltaresolver.model.actions import Action, AddFile, ChangeFile, DomainMetadata, RemoveFile, SetTransaction
from deltaresolver.model.file_key import FileKey


@attrs.frozen(slots=True)
class NetActions:
    """The actions of the one commit, and files that were written on the way and are in it no longer."""

    actions: tuple[Action, ...]
    left_over: tuple[AddFile, ...]


def net_actions(commits: Iterable[Iterable[Action]], own_domains: Collection[str] = ()) -> NetActions:
    """The actions of commits that followed one another, without metadata, protocol and `own_domains`.

    New files lose the row ids that the commits gave them: the one commit numbers their rows anew.
    """
    added: dict[FileKey, AddFile] = {}
    removed: dict[FileKey, RemoveFile] = {}
    replaced: dict[FileKey, AddFile] = {}
    changes: list[Action] = []
    newest: dict[tuple[type, str], Action] = {}
    for action in (each for commit in commits for each in commit):
        if isinstance(action, AddFile):
            removed.pop(action.key, None)
            added[action.key] = action
        elif isinstance(action, RemoveFile):
            if action.key in added:
                replaced[action.key] = added.pop(action.key)
            else:
                removed[action.key] = action
        elif isinstance(action, ChangeFile):
            changes.append(action)
        elif isinstance(action, SetTransaction):
            newest[SetTransaction, action.app_id] = action
        elif isinstance(action, DomainMetadata) and action.domain not in own_domains:
            newest[DomainMetadata, action.domain] = action
    known = {action.path for action in removed.values()}
    adds = [add if add.path in known else _unnumbered(add) for add in added.values()]
    actions = (*newest.values(), *removed.values(), *adds, *changes)
    return NetActions(actions, tuple(add for key, add in replaced.items() if key not in added))


def _unnumbered(add: AddFile) -> AddFile:
    return attrs.evolve(add, base_row_id=None, default_row_commit_version=None)
