"""Several commits as one: the actions left are those that lead from the first state to the last."""

from __future__ import annotations

import attrs
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.model.actions import Action, AddFile, DeletionVector, DomainMetadata, RemoveFile, SetTransaction
from deltaresolver.transaction.commit.net_actions import net_actions


def add(name: str, vector: int | None = None) -> AddFile:
    kept = None if vector is None else DeletionVector("u", f"v{vector}", 1, 1, 1)
    return AddFile(name, {}, 1, 0, data_change=True, deletion_vector=kept, base_row_id=7, default_row_commit_version=3)


def remove(file: AddFile) -> RemoveFile:
    return RemoveFile(file.path, 0, deletion_vector=file.deletion_vector)


def after(files: set[AddFile], actions: list[Action]) -> set[tuple[str, str | None]]:
    """The files that are live after a commit, told without the code that is tested."""
    gone = {(each.path, vector_of(each)) for each in actions if isinstance(each, RemoveFile)}
    new = {(each.path, vector_of(each)) for each in actions if isinstance(each, AddFile)}
    return ({(each.path, vector_of(each)) for each in files} - gone) | new


def vector_of(action: AddFile | RemoveFile) -> str | None:
    return None if action.deletion_vector is None else action.deletion_vector.path_or_inline


@given(st.lists(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=4), max_size=5), st.integers(0, 3))
def test_the_net_actions_lead_to_the_last_state(steps: list[list[tuple[int, bool]]], first: int) -> None:
    """Each step removes a file, or gives it another vector, or adds one that is not there."""
    before = {f"f{number}": add(f"f{number}") for number in range(first)}
    live, vectors = dict(before), 0
    commits: list[list[Action]] = []
    for step in steps:
        commit: list[Action] = []
        for number, marks in dict(step).items():
            name = f"f{number}"
            vectors += 1
            if name in live:
                commit.append(remove(live.pop(name)))
                if marks:
                    live[name] = add(name, vectors)
                    commit.append(live[name])
            else:
                name = f"{name}-{vectors}"
                live[name] = add(name)
                commit.append(live[name])
        commits.append(commit)
    net = net_actions(commits)
    actions = list(net.actions)
    assert after(set(before.values()), actions) == {(each.path, vector_of(each)) for each in live.values()}
    keys = [(each.path, vector_of(each)) for each in actions if isinstance(each, (AddFile, RemoveFile))]
    assert len(keys) == len(set(keys))
    named = {each.path for each in actions if isinstance(each, AddFile)}
    assert {each.path for each in net.left_over} - named <= {
        each.path for commit in commits for each in commit if isinstance(each, AddFile)
    }


def test_new_files_are_numbered_anew_and_marked_ones_are_not() -> None:
    old = add("old")
    net = net_actions([[add("new")], [remove(old), add("old", 1)]])
    numbers = {each.path: each.base_row_id for each in net.actions if isinstance(each, AddFile)}
    assert numbers == {"new": None, "old": 7}
    assert attrs.evolve(add("new"), base_row_id=None, default_row_commit_version=None) in net.actions


def test_the_newest_of_each_application_and_domain_counts() -> None:
    commits: list[list[Action]] = [
        [
            SetTransaction("a", 1, 0),
            DomainMetadata("mine", "1", removed=False),
            DomainMetadata("own", "x", removed=False),
        ],
        [SetTransaction("a", 2, 0), SetTransaction("b", 1, 0), DomainMetadata("mine", "2", removed=False)],
    ]
    net = net_actions(commits, {"own"})
    assert set(net.actions) == {
        SetTransaction("a", 2, 0),
        SetTransaction("b", 1, 0),
        DomainMetadata("mine", "2", removed=False),
    }
