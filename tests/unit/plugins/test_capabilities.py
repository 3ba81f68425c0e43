"""A behaviour is an object of any class that has the methods of a capability; the base class is one way to write it."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest

from deltaresolver import features, plugin
from deltaresolver.errors import DeltaResolverError, PluginCallFailedError, TransactionError
from deltaresolver.model import capabilities
from deltaresolver.model.behaviour import ABILITIES, FeatureBehaviour, behaviour_of
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.plugin import ChecksCommits, ConditionsRows, Draft, RowCondition
from deltaresolver.plugins import build_catalog, modules_of
from deltaresolver.table import Table
from deltaresolver.testing import check_feature
from tests.features import writer_feature
from tests.unit.plugins.made_up_plugins import bringing

SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
PROTOCOLS = [getattr(capabilities, name) for name in capabilities.__all__ if name != "Capability"]


class ClosedError(TransactionError):
    code = "ACME01"


class Stated(ChecksCommits):
    own_domains = frozenset({"acme.seal"})

    def check_draft(self, draft: Draft) -> None:
        if draft.metadata.configuration.get("acme.closed"):
            raise ClosedError("The table is closed.", fix="Unset acme.closed first.")


class Unstated:
    """No base class at all."""

    own_domains = frozenset({"acme.seal"})

    def check_draft(self, draft: Draft) -> None:
        Stated().check_draft(draft)


class Derived(FeatureBehaviour):
    own_domains = frozenset({"acme.seal"})

    def check_draft(self, draft: Draft) -> None:
        Stated().check_draft(draft)


KINDS: list[type[Stated | Unstated | Derived]] = [Stated, Unstated, Derived]


def test_each_method_of_a_behaviour_is_one_capability_with_the_same_parameters() -> None:
    owners = [(name, protocol) for protocol in PROTOCOLS for name in vars(protocol) if name in ABILITIES]
    assert sorted(name for name, _ in owners) == sorted(ABILITIES)
    for name, protocol in owners:
        stated, asked = getattr(protocol, name), getattr(FeatureBehaviour, name)
        assert inspect.signature(stated) == inspect.signature(asked), name
        assert (stated.__doc__ or "").splitlines()[0] == (asked.__doc__ or "").splitlines()[0], name
        assert stated.__isabstractmethod__
    assert {protocol.__name__ for protocol in PROTOCOLS} <= set(plugin.__all__)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("admitted", [True, False])
def test_however_it_is_written_it_does_the_same(
    kind: type[Stated | Unstated | Derived], admitted: bool, tmp_path: Path
) -> None:
    feature = writer_feature("acmeSealed", behaviour=kind())
    built_in = build_catalog(modules_of(features))
    catalog = FeatureCatalog([*built_in, feature])
    if admitted:
        catalog = build_catalog((*modules_of(features), bringing(feature)))
    table = Table.create(tmp_path / "t", SCHEMA, properties={"acme.acmeSealed": "true"}, catalog=catalog)
    table.alter({"acme.note": "1"})
    with pytest.raises(DeltaResolverError) as raised:
        table.alter({"acme.closed": "1"})
    assert raised.value.code == "ACME01"
    assert table.log.update().table_version == 1
    behaviour = catalog.get("acmeSealed").behaviour
    assert behaviour is not None
    assert behaviour.own_domains == {"acme.seal"}
    overridden = {name for name in ABILITIES if getattr(type(behaviour), name) is not getattr(FeatureBehaviour, name)}
    assert overridden == {"check_draft"}
    check_feature(feature, switched_on=[Metadata(configuration={"acme.acmeSealed": "true"})], switched_off=[Metadata()])


@pytest.mark.parametrize("kind", KINDS)
def test_features_with_it_are_compared_and_pickled(kind: type[Stated | Unstated | Derived]) -> None:
    plugins = bringing(writer_feature("acmeSealed", behaviour=kind()))
    again = bringing(writer_feature("acmeSealed", behaviour=kind()))
    assert build_catalog([plugins]) == build_catalog([again])
    assert behaviour_of(kind()) == behaviour_of(kind())
    assert hash(behaviour_of(kind())) == hash(behaviour_of(kind()))
    assert pickle.loads(pickle.dumps(behaviour_of(kind()))) == behaviour_of(kind())
    assert behaviour_of(kind()) != behaviour_of(Other())


class Other:
    def row_conditions(self, metadata: Metadata) -> Sequence[RowCondition]:
        raise KeyError(metadata.id)


@attrs.frozen
class Configured:
    """A behaviour with values of its own, compared by them."""

    limit: int

    def row_conditions(self, metadata: Metadata) -> Sequence[RowCondition]:
        del metadata
        return [RowCondition("limit", f"id < {self.limit}")]


def test_values_of_a_behaviour_count_where_its_class_compares_them() -> None:
    assert behaviour_of(Configured(1)) == behaviour_of(Configured(1))
    assert behaviour_of(Configured(1)) != behaviour_of(Configured(2))


def test_a_fault_names_the_class_that_its_author_wrote() -> None:
    feature = build_catalog([bringing(writer_feature("acmeSealed", behaviour=Other()))]).get("acmeSealed")
    assert feature.behaviour is not None
    with pytest.raises(PluginCallFailedError, match=r"Other\.row_conditions of plugin audit of package acme-delta"):
        feature.behaviour.row_conditions(Metadata(id="5"))


def test_a_capability_that_is_named_must_be_there() -> None:
    class Misspelt(ConditionsRows):
        def row_condition(self, metadata: Metadata) -> Sequence[RowCondition]:
            raise AssertionError(metadata)

    with pytest.raises(TypeError, match=r"abstract method '?row_conditions"):
        Misspelt()  # type: ignore[abstract]
