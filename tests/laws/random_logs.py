"""Random Delta logs for laws: commits, checkpoints of every kind, compactions, damage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
from hypothesis import strategies as st

from deltaresolver.log.names import compaction_path, v2_checkpoint_path
from deltaresolver.log.replay.in_memory import InMemoryLogReplay
from deltaresolver.model.actions import Action, AddFile, DomainMetadata, RemoveFile, read_action, write_action
from tests.logs import Json, LogBuilder, add, domain, info, lines, metadata, parquet, remove, txn

PATHS = ["a", "b", "c", "d=1/a", "e%20f", "g"]
VECTORS = [None, {"storageType": "u", "pathOrInlineDv": "ab", "offset": 1, "sizeInBytes": 3, "cardinality": 2}]

vectors = st.sampled_from(VECTORS).map(lambda vector: {} if vector is None else {"deletionVector": vector})
file_actions = st.one_of(
    st.builds(
        lambda path, size, more: add(path, size=size, **more), st.sampled_from(PATHS), st.integers(0, 9), vectors
    ),
    st.builds(lambda path, at, more: remove(path, at, **more), st.sampled_from(PATHS), st.integers(0, 9), vectors),
)
small_actions = st.one_of(
    st.builds(txn, st.sampled_from(["x", "y"]), st.integers(0, 9), lastUpdated=st.integers(0, 9)),
    st.builds(domain, st.sampled_from(["p", "q"]), st.sampled_from(["", "{}", "1"]), st.booleans()),
    st.builds(info, protocol=st.just({"minReaderVersion": 9}), n=st.integers(0, 9)),
)
protocols = st.integers(2, 6).map(lambda writer: {"protocol": {"minReaderVersion": 1, "minWriterVersion": writer}})
metadatas = st.sampled_from(["1", "2", "3"]).map(lambda value: metadata({"k": value, "protocol": "metaData"}))
# A strategy that is made for each draw is also checked for each draw, which takes a tenth of such a law's time.
many_actions = st.lists(file_actions | small_actions, max_size=6)
checkpoint_kinds = st.sampled_from(["classic", "parts", "json", "parquet", "sidecar json", "sidecar parquet"])
damages = st.sampled_from(["torn", "nonsense", "empty", "gone"])


@st.composite
def commit_actions(draw: st.DrawFn, first: bool = False) -> list[Json]:
    """One commit: at most one protocol and one metadata, anywhere among the rest."""
    actions = draw(many_actions)
    for rare in (protocols, metadatas):
        if first or draw(st.integers(0, 4)) == 0:
            actions.insert(draw(st.integers(0, len(actions))), draw(rare))
    return actions


@attrs.frozen
class RandomLog:
    """A log and what its commits say, as the readable replay sees it after each of them."""

    builder: LogBuilder
    commits: list[list[Json]]

    def state(self, table_version: int) -> InMemoryLogReplay:
        """Commits alone, from the first one on."""
        return replay_of(self.commits[: table_version + 1])


def replay_of(commits: Sequence[Sequence[Json]], first: int = 0) -> InMemoryLogReplay:
    replay = InMemoryLogReplay()
    for number, actions in enumerate(commits, start=first):
        replay.append(number, [as_action(action) for action in actions])
    return replay


def as_action(wrapped: Json) -> Action:
    ((name, value),) = wrapped.items()
    return read_action(name, value)


first_commits = commit_actions(first=True)
later_commits = st.lists(commit_actions(), max_size=7)


@st.composite
def random_logs(draw: st.DrawFn, damage: bool = False) -> RandomLog:
    """Up to eight commits, with sound compactions and checkpoints; with `damage`, some checkpoints are broken."""
    rest = draw(later_commits)
    log = RandomLog(LogBuilder(), [draw(first_commits), *rest])
    for actions in log.commits:
        log.builder.commit(*actions)
    last = len(log.commits) - 1
    for table_version in draw(st.sets(st.integers(0, last), max_size=2)):
        write_checkpoint(log, table_version, draw(checkpoint_kinds))
        if damage and draw(st.booleans()):
            _damage(log, table_version, draw(damages))
    if last > 0 and draw(st.booleans()):
        ends = sorted(draw(st.sets(st.integers(0, last), min_size=2, max_size=2)))
        write_compaction(log, *ends)
    if draw(st.booleans()):
        log.builder.hint(draw(st.integers(0, last + 2)))
    return log


def write_checkpoint(log: RandomLog, table_version: int, kind: str) -> None:
    state = [write_action(action) for action in log.state(table_version).checkpoint()]
    if kind == "classic":
        log.builder.checkpoint(table_version, state)
    elif kind == "parts":
        log.builder.checkpoint_parts(table_version, [state[0::2], state[1::2]])
    else:
        extension = kind.rpartition(" ")[2]
        top: list[Json] = [{"checkpointMetadata": {"version": table_version}}, *state]
        if kind.startswith("sidecar"):
            files = [action for action in state if "add" in action or "remove" in action]
            top = [action for action in top if action not in files] + _sidecars(log, table_version, files)
        path = v2_checkpoint_path(table_version, "u", extension)
        log.builder.put(path, lines(top) if extension == "json" else parquet(top))


def _sidecars(log: RandomLog, table_version: int, files: list[Json]) -> list[Json]:
    actions: list[Json] = []
    for part in range(2):
        data, name = parquet(files[part::2]), f"{table_version}-{part}.parquet"
        log.builder.put(f"_delta_log/_sidecars/{name}", data)
        actions.append({"sidecar": {"path": name, "sizeInBytes": len(data), "modificationTime": 1}})
    return actions


def write_compaction(log: RandomLog, first: int, last: int) -> None:
    """The last word on everything in the range, removed domains and tombstones included."""
    newest: dict[Any, Json] = {}
    for actions in log.commits[first : last + 1]:
        for wrapped in actions:
            newest[_subject(as_action(wrapped))] = wrapped
    kept = [wrapped for subject, wrapped in newest.items() if subject is not None]
    log.builder.put(compaction_path(first, last), lines(kept))


def _subject(action: Action) -> Any:
    if isinstance(action, AddFile | RemoveFile):
        return action.key
    if isinstance(action, DomainMetadata):
        return "domain", action.domain
    name = next(iter(write_action(action)))
    return None if name == "commitInfo" else (name, getattr(action, "app_id", None))


def _damage(log: RandomLog, table_version: int, how: str) -> None:
    store = log.builder.store
    prefix = f"{table_version:020d}.checkpoint"
    for folder in ("_delta_log/", "_delta_log/_sidecars/"):
        for file in list(store.list_from(folder)):
            name = file.path.removeprefix(folder)
            if not name.startswith((prefix, f"{table_version}-")):
                continue
            data = store.read(file.path)
            if how == "gone" and folder.endswith("_sidecars/"):
                store.delete(file.path)
            elif how == "torn":
                # Always inside a line: JSON lines cut between two of them are whole, only fewer.
                store.put(file.path, data[: len(data) // 2].rstrip(b"\n{")[:-1])
            elif how == "nonsense":
                store.put(file.path, b"\x00garbage" * 10)
            elif how == "empty":
                store.put(file.path, b"")
