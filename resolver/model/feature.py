"""One table feature, as a record: what the protocol says of it and how it behaves when added or removed."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Any

import attrs

from deltaresolver.model.behaviour import FeatureBehaviour, behaviour_of
from deltaresolver.model.declared import names, of_type, texts
from deltaresolver.model.operation import Operation
from deltaresolver.model.protocol import READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST
from deltaresolver.model.rules import Rule
from deltaresolver.model.support import LogTraces, Support
from deltaresolver.value import Value

NEVER = "never"
_CODE = r"(?!DR\d)[A-Z][A-Z_-]*\d+"


class FeatureKind(enum.Enum):
    """Who must know a feature. There is no reader-only kind: whoever writes must read."""

    WRITER = "writer"
    READER_WRITER = "reader and writer"


class Maturity(enum.Enum):
    """How settled a feature is."""

    RELEASED = "released"
    PREVIEW = "preview"
    """Shipped under a preview name that later versions keep reading."""
    PROPOSED = "proposed"
    """Described by the Delta project but not registered by delta-spark 4.4."""


@attrs.frozen(slots=True)
class LegacyVersion(Value):
    """The numbered protocol that already implied a feature before features had names.

    `check_order` and `refusal` serve the `legacy` policy alone: the place of the feature in its ordered
    checks, and the sentence with which the Delta of that time refused it.
    """

    reader_version: int = attrs.field(validator=of_type(int))
    """0 for a writer feature."""
    writer_version: int = attrs.field(validator=of_type(int))
    check_order: int = 0
    refusal: str | None = None


@attrs.frozen(slots=True)
class Removal(Value):
    """How a feature is dropped from a table that has it.

    `protects_history` says that older versions still need the feature, so that either history is cut
    or checkpoints are protected. `drops_properties` are removed from the metadata with the feature,
    `unsets_first` before it, so that nobody starts to use it again. `protects_before` is the property with the
    table version before which history has to be gone when the feature goes: the guard that others leave behind.
    `rewriting` is the operation under which all data files are written again where they still use the feature;
    None where no rewriting of files ends its use.
    """

    protects_history: bool = attrs.field(default=False, validator=of_type(bool))
    drops_properties: tuple[str, ...] = attrs.field(default=(), converter=texts)
    unsets_first: tuple[str, ...] = attrs.field(default=(), converter=texts)
    protects_before: str | None = attrs.field(default=None, validator=of_type(str, optional=True))
    rewriting: Operation | None = attrs.field(default=None, validator=of_type(Operation, optional=True))


def _release(instance: object, field: attrs.Attribute[Any], value: str | None) -> None:
    of_type(str, optional=True)(instance, field, value)
    if value is not None and not value.strip():
        raise TypeError(f"{type(instance).__name__}.{field.name} takes a release such as '482', or 'never', found ''.")


@attrs.frozen(slots=True)
class ClientFact(Value):
    """What one client does with tables that list the feature.

    client      the client, as `deltaresolver clients` names it
    reads       the first release that reads such tables; "never" where none does; None where it is not known
    writes      the same for writing
    source      the page that says so
    """

    client: str = attrs.field(validator=of_type(str))
    reads: str | None = attrs.field(default=None, kw_only=True, validator=_release)
    writes: str | None = attrs.field(default=None, kw_only=True, validator=_release)
    source: str = attrs.field(default="", kw_only=True, validator=of_type(str))

    def __str__(self) -> str:
        told = [
            f"{act} {_since(release)}" for act, release in (("reads", self.reads), ("writes", self.writes)) if release
        ]
        return f"{self.client} {' and '.join(told)}"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"client": self.client, "reads": self.reads, "writes": self.writes, "source": self.source}


def _since(release: str) -> str:
    return release if release == NEVER else f"from {release} on"


def _client_facts(value: Any) -> tuple[ClientFact, ...]:
    """Facts, from one or a collection of them. Raises `TypeError`."""
    found = (value,) if isinstance(value, ClientFact) else tuple(value)
    odd = next((one for one in found if not isinstance(one, ClientFact)), None)
    if odd is not None:
        raise TypeError(f"TableFeature.clients takes ClientFact objects, found {odd!r} among them.")
    empty = next((one for one in found if one.reads is None and one.writes is None), None)
    if empty is not None:
        raise TypeError(f"The fact about {empty.client} states neither what it reads nor what it writes.")
    twice = next(
        (one for number, one in enumerate(found) if one.client in {each.client for each in found[:number]}), None
    )
    if twice is not None:
        raise TypeError(f"There are two facts about {twice.client}.")
    return found


def _error_pages(value: Any) -> Mapping[str, str]:
    """Pages by code. Raises `TypeError`."""
    if not isinstance(value, Mapping):
        raise TypeError(f"TableFeature.error_pages takes a mapping of codes to Markdown, found {value!r}.")
    for code, text in value.items():
        if not isinstance(code, str) or not re.fullmatch(_CODE, code):
            raise TypeError(f"{code!r} is not a valid error code for a plugin: write it as ACME01; DR is taken.")
        if not isinstance(text, str) or not text.strip():
            raise TypeError(f"The page of {code} is not a string.")
    return dict(value)


@attrs.frozen(slots=True)
class TableFeature(Value):
    """What a plugin declares.

    name                        the protocol's spelling, exact
    kind                        writer, or reader and writer
    summary                     one sentence a user understands
    spec_url                    the page that defines it
    legacy                      the numbered protocol that implies it, or None: then it is listed by name
    min_reader_version          the least reader version that can carry it, 0 where readers need not know it;
                                checked against kind and legacy, and by default what follows from them
    min_writer_version          the same for writers
    requires                    names of features that must come with it
    enabled_with                features that the metadata must switch on wherever it switches on this one
    not_enabled_with            features that the metadata may not switch on beside this one
    not_supported_with          features that the protocol may not support beside this one
    trigger                     the metadata that switches it on, or None: then only a request by name adds it
    upgrades_existing_table     its trigger may add it to a table that exists already
    aborts_concurrent_writers   adding it makes writers in flight fail instead of rebase
    removal                     how to drop it, or None: it cannot be dropped
    maturity                    released, preview or proposed
    behaviour                   what it does when metadata changes and commits are made, or None: an object with the
                                methods of some capabilities (`ChecksCommits`, ...), or a `FeatureBehaviour`
    support                     what this library does for it when a table is read, written, checkpointed, ...
    traces                      what in the log shows that it is in use, where the trigger does not
    owned_properties            table properties that are its own beside those its trigger names: only the owner of
                                a property may declare a concurrent change of it harmless
    clients                     what is known of clients that `deltaresolver clients` lists: from which release on
    error_pages                 for each error code of the plugin, what `deltaresolver explain CODE` shows, in Markdown
    required_by_platform        pairs of a required feature and the platform that says so; catalog profiles fill it
    on_strict_platform          whether any change of the protocol makes writers in flight fail on the platform;
                                catalog profiles fill it
    """

    name: str = attrs.field(validator=of_type(str))
    kind: FeatureKind = attrs.field(validator=of_type(FeatureKind))
    summary: str = attrs.field(validator=of_type(str))
    spec_url: str = attrs.field(validator=of_type(str))
    legacy: LegacyVersion | None = attrs.field(default=None, validator=of_type(LegacyVersion, optional=True))
    requires: frozenset[str] = attrs.field(default=(), converter=names)
    trigger: Rule | None = None
    upgrades_existing_table: bool = attrs.field(default=False, validator=of_type(bool))
    aborts_concurrent_writers: bool = attrs.field(default=True, validator=of_type(bool))
    removal: Removal | None = attrs.field(default=None, validator=of_type(Removal, optional=True))
    maturity: Maturity = attrs.field(default=Maturity.RELEASED, validator=of_type(Maturity))
    behaviour: FeatureBehaviour | None = attrs.field(default=None, converter=behaviour_of)
    required_by_platform: frozenset[tuple[str, str]] = frozenset()
    on_strict_platform: bool = False
    _min_reader_version: int | None = attrs.field(
        default=None, alias="min_reader_version", kw_only=True, validator=of_type(int, optional=True)
    )
    _min_writer_version: int | None = attrs.field(
        default=None, alias="min_writer_version", kw_only=True, validator=of_type(int, optional=True)
    )
    enabled_with: frozenset[str] = attrs.field(default=(), converter=names, kw_only=True)
    not_enabled_with: frozenset[str] = attrs.field(default=(), converter=names, kw_only=True)
    not_supported_with: frozenset[str] = attrs.field(default=(), converter=names, kw_only=True)
    _support: Support = attrs.field(factory=Support, alias="support", kw_only=True, validator=of_type(Support))
    traces: LogTraces = attrs.field(factory=LogTraces, kw_only=True, validator=of_type(LogTraces))
    owned_properties: frozenset[str] = attrs.field(default=(), converter=names, kw_only=True)
    clients: tuple[ClientFact, ...] = attrs.field(default=(), converter=_client_facts, kw_only=True)
    error_pages: Mapping[str, str] = attrs.field(factory=dict, converter=_error_pages, kw_only=True, eq=False)

    @property
    def support(self) -> Support:
        """What this library does for it, with the defaults filled in."""
        return self._support.completed(for_readers=self.is_reader_feature)

    @property
    def has_relations(self) -> bool:
        """Whether it restricts what else a table may support or switch on, requirements aside."""
        return bool(self.enabled_with or self.not_enabled_with or self.not_supported_with)

    def owns_property(self, key: str) -> bool:
        """Whether a table property is this feature's own."""
        if key in self.owned_properties:
            return True
        return self.trigger is not None and key in self.trigger.hints().properties

    @property
    def is_legacy(self) -> bool:
        """Whether a numbered protocol implies it."""
        return self.legacy is not None

    @property
    def is_reader_feature(self) -> bool:
        """Whether readers must know it."""
        return self.kind is FeatureKind.READER_WRITER

    @property
    def is_removable(self) -> bool:
        """Whether it can be dropped."""
        return self.removal is not None

    @property
    def min_reader_version(self) -> int:
        """The least reader version that can carry it; 0 when readers need not know it."""
        return self.implied_reader_version if self._min_reader_version is None else self._min_reader_version

    @property
    def min_writer_version(self) -> int:
        """The least writer version that can carry it."""
        return self.implied_writer_version if self._min_writer_version is None else self._min_writer_version

    @property
    def implied_reader_version(self) -> int:
        """The least reader version as kind and legacy have it."""
        if self.legacy is not None:
            return self.legacy.reader_version
        return READER_VERSION_WITH_FEATURE_LIST if self.is_reader_feature else 0

    @property
    def implied_writer_version(self) -> int:
        """The least writer version as legacy has it."""
        return self.legacy.writer_version if self.legacy is not None else WRITER_VERSION_WITH_FEATURE_LIST
