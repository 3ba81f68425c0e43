"""What a plugin is handed cannot be changed in place, so that nothing it does by accident reaches a commit."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import attrs
import msgspec
import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.log.names import commit_path
from deltaresolver.model.actions import AddFile, CommitInfo, SetTransaction, UnknownAction
from deltaresolver.model.behaviour import FeatureBehaviour
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.frozen import frozen
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.rules import Custom
from deltaresolver.model.rules.evidence import PropertyEvidence, Remedy
from deltaresolver.model.view import TableView
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.commit.committed import Committed
from deltaresolver.transaction.policies import Proposal
from tests.transactions import SCHEMA, Scene, add

HOOKS = [name for name, member in vars(FeatureBehaviour).items() if callable(member) and not name.startswith("__")]
MARKED = SCHEMA.replace('"metadata":{}', '"metadata":{"comment":"c","nested":{"a":[1,{"b":2}]}}')


def _inner(value: object) -> Iterator[object]:
    """What ordinary code reaches from a value: items, fields and properties without an underscore."""
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from value
    elif type(value).__module__.startswith("deltaresolver.") and not isinstance(
        value, (type, FeatureCatalog, FeatureBehaviour)
    ):
        for name in dir(value):
            if not name.startswith("_") and name != "snapshot":
                try:
                    found = getattr(value, name)
                except Exception:  # noqa: BLE001 - a property that cannot be read here hides nothing
                    continue
                # What is made anew at each look may be changed by whoever looked.
                if not callable(found) and found is getattr(value, name):
                    yield found


def _changes(value: Any) -> Iterator[Callable[[], object]]:
    if isinstance(value, (Mapping, list, set, bytearray)):
        for name, arguments in (
            ("__setitem__", ("acme.hacked", "1")),
            ("__setitem__", (0, "hacked")),
            ("update", ({"acme.hacked": "1"},)),
            ("append", ("hacked",)),
            ("clear", ()),
            ("popitem", ()),
            ("pop", ()),
        ):
            if hasattr(value, name):
                yield partial(getattr(value, name), *arguments)
    elif type(value).__module__.startswith("deltaresolver.") and not isinstance(value, type):
        for name in [each for each in dir(value) if not each.startswith("_")]:
            yield partial(setattr, value, name, "hacked")


class Vandal:
    """Changes whatever it reaches, and notes what let itself be changed."""

    def __init__(self) -> None:
        self.changed: list[str] = []
        self.visited = 0

    def ruin(self, where: str, *roots: object) -> None:
        pending, seen = list(roots), set[int]()
        for value in pending:
            if id(value) in seen or isinstance(value, (FeatureCatalog, FeatureBehaviour)):
                continue
            seen.add(id(value))
            self.visited += 1
            pending.extend(_inner(value))
        for value in pending:
            for change in _changes(value):
                try:
                    change()
                except (TypeError, AttributeError, attrs.exceptions.FrozenInstanceError, LookupError):
                    continue
                self.changed.append(f"{where}: {type(value).__name__}")


def vandalising(vandal: Vandal) -> FeatureCatalog:
    def wrapped(name: str) -> Callable[..., Any]:
        def hook(self: FeatureBehaviour, *args: Any, **more: Any) -> Any:
            vandal.ruin(name, *args, *more.values())
            return getattr(FeatureBehaviour, name)(self, *args, **more)

        return hook

    def fires(view: TableView) -> tuple[PropertyEvidence, ...]:
        vandal.ruin("trigger", view.metadata, view.properties)
        return (PropertyEvidence("a.b", "c"),)

    behaviour = type("Vandalising", (FeatureBehaviour,), {name: wrapped(name) for name in HOOKS})()
    feature = TableFeature(
        name="acmeVandal",
        kind=FeatureKind.WRITER,
        summary="Changes what it is handed.",
        spec_url="https://example.com",
        trigger=Custom(fires, Remedy("Leave it.")),
        upgrades_existing_table=True,
        behaviour=behaviour,
    )
    return FeatureCatalog([*delta_spark_catalog(), feature])


@attrs.frozen
class Rude:
    """A policy and a post-commit hook."""

    vandal: Vandal
    name: str = "rude"

    def check(self, proposal: Proposal) -> None:
        self.vandal.ruin("policy", proposal)

    def run(self, committed: Committed) -> None:
        self.vandal.ruin("hook", committed)

    def handle_error(self, error: Exception, table_version: int) -> None:
        raise error


def _story(vandal: Vandal) -> list[bytes]:
    """A table with commits of every kind, one of them rebased; the bytes of its commits."""
    scene = Scene()
    catalog = vandalising(vandal)
    given: dict[str, Any] = {"policies": [Rude(vandal)], "hooks": [Rude(vandal)]}

    def begin() -> Any:
        transaction = scene.begin(**given)
        return type(transaction)(
            transaction.log,
            catalog,
            clock=lambda: 5,
            new_id=scene.new_id,
            engine_info="t",
            sleep=lambda _: None,
            **given,
        )

    first = begin()
    metadata = Metadata(
        "t", schema_string=MARKED, partition_columns=("p",), format={"provider": "parquet", "options": {}}
    )
    first.update_metadata_for_new_table(metadata.with_configuration({"a.b": "c"}))
    first.commit([], operations.table_creation(properties={"a.b": "c"}))
    change = begin()
    change.update_metadata(change.metadata.with_configuration({"a.b": "d"}))
    change.commit([], operations.set_properties({"a.b": "d"}))
    late, winner = begin(), begin()
    late.filter_files("p = 'b'")
    winner.commit([add("f", tags={"k": "v"}, extra={"x": {"y": [1]}}), SetTransaction("app", 1)], operations.write())
    unknown = UnknownAction("acme", {"deep": [1, {"z": 1}]})
    late.commit([add("g", "b", tags={"k": "v"}), unknown], operations.write(), {"tag": "1"})
    return [scene.store.read(commit_path(number)) for number in range(4)]


class Harmless(Vandal):
    """Looks at nothing."""

    def ruin(self, where: str, *roots: object) -> None:
        """Leave everything as it is."""


def test_whatever_a_plugin_tries_to_change_the_commits_stay_the_same() -> None:
    vandal = Vandal()
    ruined = _story(vandal)
    assert vandal.visited > 100
    assert not vandal.changed, sorted(set(vandal.changed))
    assert ruined == _story(Harmless())
    assert not any(b"hacked" in data for data in ruined)


@pytest.mark.parametrize(
    "value",
    [
        frozen({"a": [1, {"b": 2}], "c": {}}),
        Metadata("t", configuration={"a": "b"}, format=frozen({"provider": "orc", "options": {}})),
        AddFile("f", {"p": None}, tags={"k": "v"}, extra={"x": [1]}),
        CommitInfo({"tags": {"a": "b"}}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_read_only_values_are_compared_copied_pickled_and_encoded_as_before(value: Any) -> None:
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value == copy.copy(value)
    if isinstance(value, dict):
        assert json.loads(json.dumps(value)) == msgspec.json.decode(msgspec.json.encode(value)) == value == {**value}
