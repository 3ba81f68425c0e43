"""What a feature may do when metadata changes or a commit is made: the hooks behind DESIGN D4.

A feature that only needs declaring brings nothing. One that must act brings an object with the methods of some
capabilities (`deltaresolver.model.capabilities`), or subclasses `FeatureBehaviour` and overrides what it needs. The
transaction asks a feature after those it requires, else in order of feature name, and knows no feature by name. All
methods are pure: they look at what they are given and return values or raise; they never touch storage. Each method
says whether it is asked of supported features only or of all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from deltaresolver.model.actions import Action
from deltaresolver.model.clustering import ClusteringChange
from deltaresolver.model.commit.draft import Draft, PartitionValues, Winner
from deltaresolver.model.commit.table_state import NO_FEATURES, NO_SESSION, MetadataChange, RemainingTable, TableState
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.row_rules import ColumnExpression, RowCondition
from deltaresolver.model.schema import FieldPath, StructField

if TYPE_CHECKING:
    from deltaresolver.model.capabilities import Capability

__all__ = [
    "ABILITIES",
    "ATTRIBUTES",
    "NO_FEATURES",
    "NO_SESSION",
    "Draft",
    "FeatureBehaviour",
    "MetadataChange",
    "PartitionValues",
    "RemainingTable",
    "TableState",
    "Winner",
    "behaviour_of",
    "written",
]


class FeatureBehaviour:
    """The hooks, each doing nothing. Behaviours are compared by class, so keep them free of state."""

    own_domains: ClassVar[frozenset[str]] = frozenset()
    """Metadata domains in which this feature settles conflicts itself."""
    domains_ended_by_replace: ClassVar[frozenset[str]] = frozenset()
    """Metadata domains that do not outlive a replaced table."""
    properties_kept_by_replace: ClassVar[frozenset[str]] = frozenset()
    """Table properties that a replaced table keeps unless the new one sets them."""
    joins_removals: ClassVar[bool] = False
    """A commit that drops another feature may add this one."""
    goes_by_metadata: ClassVar[bool] = False
    """It takes part in commits wherever the metadata has it on, also where the protocol does not list it."""

    # --- metadata changes ----------------------------------------------------------------------

    def amend_metadata(self, change: MetadataChange) -> Metadata:
        """The metadata with what this feature adds (ids, generated property values).

        Asked of all features, and again until nobody adds anything: given its own answer it must change nothing.
        """
        return change.metadata

    def restore_metadata(self, restored: Metadata, latest: Metadata) -> Metadata:
        """The metadata that RESTORE commits to return to `restored`, with what must count on from the `latest`.

        Called once for a RESTORE, whether or not the feature is supported.
        """
        return restored

    def cloned_metadata(self, source: Metadata) -> Metadata:
        """The metadata of another table without what is true of that table alone. Called once for a CLONE, of all."""
        return source

    def check_metadata(self, change: MetadataChange) -> None:
        """Refuse metadata that breaks the feature's rules. Supported features."""

    # --- columns and layout ---------------------------------------------------------------------

    def note_type_change(
        self, table: TableState, field: StructField, before: str, after: str, place: FieldPath
    ) -> Mapping[str, Any] | None:
        """The field's metadata once a leaf type at `place` in it has changed while files hold the old one.

        `place` is empty for the field itself. None where the feature does not allow the change. Supported features.
        """
        return None

    def cluster_by(self, table: TableState, columns: Sequence[FieldPath]) -> ClusteringChange | None:
        """What clusters the table by these columns (physical names); the features that it supports are asked first."""
        return None

    # --- switching the feature on --------------------------------------------------------------

    def check_request(self, key: str, *, is_new_table: bool) -> None:
        """Refuse a property `key` that asks for the feature by name. The feature asked for."""

    def enabling_commit(
        self, table: RemainingTable, proposed: Metadata, made: Sequence[str]
    ) -> PreparatoryCommit | None:
        """The next commit to make before `proposed` can be; None when there is none left.

        Asked again after each, of all features; `made` are the names of the operations so far.
        """
        return None

    def change_apart(
        self, table: RemainingTable, to_set: Mapping[str, str], to_unset: Sequence[str]
    ) -> PreparatoryCommit | None:
        """The commit by which this change of properties is made, if it takes one of its own kind. All features.

        It comes before the other properties of the same change.
        """
        return None

    def tags_of_change(self, changed: Mapping[str, str]) -> Mapping[str, str]:
        """Tags for the commit that sets these properties and does nothing else. All features."""
        return {}

    # --- dropping the feature ------------------------------------------------------------------

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """The next commit to make before the feature can be dropped; None when there is none left.

        Asked again after each; `made` are the names of the operations so far. Raises `FeatureInUseError` where it
        takes more than commits, before any is made.
        """
        return None

    def find_trace(self, table: RemainingTable) -> str | None:
        """What of the table still uses the feature, in words; None if nothing does."""
        return None

    def is_trace(self, action: Action) -> bool:
        """Whether an action in history shows that the feature was used."""
        return False

    def removal_actions(self, table: RemainingTable) -> Sequence[Action]:
        """What the commit that drops the feature writes besides protocol and metadata."""
        return ()

    # --- before rows are written ---------------------------------------------------------------

    def row_conditions(self, metadata: Metadata) -> Sequence[RowCondition]:
        """What every row must satisfy that is written under this metadata. Supported features."""
        return ()

    def column_expressions(self, metadata: Metadata) -> Sequence[ColumnExpression]:
        """Columns that rows need not give, and where their values come from then. Supported features."""
        return ()

    # --- before the first attempt --------------------------------------------------------------

    def amend_draft(self, draft: Draft) -> Draft:
        """The draft with what the feature assigns (row ids, timestamps).

        Supported features, but not of the commits by which the feature itself ends its use.
        """
        return draft

    def check_draft(self, draft: Draft) -> None:
        """Refuse actions that break the feature's rules. Supported features, after all amendments."""

    def check_draft_without(self, draft: Draft) -> None:
        """Refuse actions that only this feature allows. Asked when it is not supported."""

    # --- after a lost attempt ------------------------------------------------------------------

    def settle_metadata(self, draft: Draft, winner: Winner) -> Draft | None:
        """The draft after a winner whose metadata change is this feature's own bookkeeping; None if it is not.

        Asked of all features, for drafts that do not change metadata themselves.
        """
        return None

    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """Properties a winner may have set without the draft failing: key -> whether this change is harmless.

        Asked of all features, and heard for properties that are the feature's own (`TableFeature.owns_property`);
        `draft.supported` are the features after the winner.
        """
        return {}

    def tolerates_schema(self, draft: Draft, winner: Winner) -> bool:
        """Whether the winner's change of the schema is this feature's and harmless. All features."""
        return False

    def skips_append_check(self, draft: Draft, winner: Winner) -> bool:
        """Whether files the winner added need no look, since this feature reconciles them. Supported features."""
        return False

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """The draft as if it had started after `winner`, metadata and protocol being settled already.

        Supported features, before and after the draft's own change. Raises a conflict where that cannot be.
        """
        return draft

    def rebase_removal(self, draft: Draft, winner: Winner, table: RemainingTable) -> Draft:
        """The draft, which drops this feature, after `winner`; then the feature is not asked for traces."""
        return draft

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


_PUBLIC = {name: member for name, member in vars(FeatureBehaviour).items() if not name.startswith("_")}
ABILITIES = tuple(name for name, member in _PUBLIC.items() if inspect.isfunction(member))
"""The methods a behaviour may have."""
ATTRIBUTES = tuple(name for name in _PUBLIC if name not in ABILITIES)
"""What a behaviour may state beside them."""


# --- behaviours that are not derived from the base class ------------------------------------------


def behaviour_of(value: FeatureBehaviour | Capability | None) -> FeatureBehaviour | None:
    """A behaviour as its author wrote it, with everything it lacks doing nothing. Raises `TypeError`."""
    if value is None or isinstance(value, FeatureBehaviour):
        return value
    kind: Any = type(value)
    if isinstance(value, type):
        raise TypeError(
            f"TableFeature.behaviour takes an object, found the class {value.__name__}. Write {value.__name__}()."
        )
    if not any(callable(_defined(kind, name)) for name in ABILITIES):
        raise TypeError(
            f"TableFeature.behaviour takes FeatureBehaviour, or an object with methods of capabilities such as "
            f"check_draft, found {kind.__name__}, whose class has none."
        )
    adapted: FeatureBehaviour = _adapted_class(kind)(value)
    return adapted


def written(behaviour: FeatureBehaviour) -> object:
    """The object that the author of a behaviour wrote."""
    return behaviour.written if isinstance(behaviour, _Adapted) else behaviour


class _Adapted(FeatureBehaviour):
    """A behaviour whose methods are those of an object of any class."""

    def __init__(self, written: object) -> None:
        self.written = written

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        # As with the base class, objects that do not say how they are compared are compared by class.
        return type(self.written).__eq__ is object.__eq__ or self.written == other.written

    def __hash__(self) -> int:
        return hash(type(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return behaviour_of, (self.written,)


@cache
def _adapted_class(kind: Any) -> type[_Adapted]:
    stated = {name: _defined(kind, name) for name in ATTRIBUTES}
    members: dict[str, Any] = {name: value for name, value in stated.items() if value is not None}
    members |= {name: _delegating(name) for name in ABILITIES if callable(_defined(kind, name))}
    return type(kind.__name__, (_Adapted,), members)


def _defined(kind: type, name: str) -> object:
    """What a class or one of its bases defines under a name. A metaclass that answers to every name defines nothing."""
    found = next((vars(one)[name] for one in kind.__mro__ if name in vars(one)), None)
    return found.__func__ if isinstance(found, (staticmethod, classmethod)) else found


def _delegating(name: str) -> Callable[..., Any]:
    def method(self: _Adapted, *arguments: Any, **keywords: Any) -> Any:
        return getattr(self.written, name)(*arguments, **keywords)

    return method
