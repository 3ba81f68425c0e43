"""The answers of this library to each kind of recorded question about protocols.

The kinds are those of the recorded format: a question names its `kind`, for the algebra also its `op`, and
brings metadata, session, protocol or features as the log writes them. Answers are JSON values; lists are sets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from deltaresolver.errors import InvalidInputError
from deltaresolver.model import Metadata, Protocol
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.resolution import algebra
from deltaresolver.resolution.capability import Capability
from deltaresolver.resolution.components import (
    Components,
    automatically_enabled_features,
    minimum_components_from_automatic_features,
    minimum_components_from_metadata,
)
from deltaresolver.resolution.resolve import resolve_new_table, upgrade_from_metadata

Question = Mapping[str, Any]
Ask = Callable[[Question, FeatureCatalog], object]

_GUARDS_OF_HISTORY = frozenset(("checkpointProtection",))
"""The features that delta-spark lets a downgrade add."""


def answer(question: Question, catalog: FeatureCatalog) -> Any:
    """The answer as a JSON value.

    Raises what the library raises for the question, and `InvalidInputError` for a question of no known kind.
    """
    return _plain(ask_for(question)(question, catalog))


def ask_for(question: Question) -> Ask:
    """The function that puts questions of this kind to the library and returns what it returns.

    Raises `InvalidInputError` when there is none.
    """
    kind, operation = question.get("kind"), question.get("op")
    found = _ALGEBRA.get(str(operation)) if kind == "algebra" else _QUESTIONS.get(str(kind))
    if found is None:
        named = f"{kind} {operation}" if kind == "algebra" else str(kind)
        raise InvalidInputError(
            f"There is no question of kind {named}.",
            fix=f"Use {', '.join(_QUESTIONS)} or algebra with {', '.join(_ALGEBRA)}.",
            details={"kind": kind, "op": operation},
        )
    return found


def _plain(value: object) -> Any:
    if isinstance(value, Protocol):
        return value.to_json()
    if isinstance(value, Components):
        return {
            "minReaderVersion": value.min_reader_version,
            "minWriterVersion": value.min_writer_version,
            "features": sorted(value.features),
        }
    return sorted(value) if isinstance(value, frozenset) else value


def _metadata(question: Question) -> Metadata:
    return Metadata.from_json(question["metadata"])


def _protocol(question: Question, key: str = "protocol") -> Protocol:
    return Protocol.from_json(question[key])


# --- resolving ------------------------------------------------------------------------------------


def _new_table(question: Question, catalog: FeatureCatalog) -> object:
    session = question.get("session") or {}
    return resolve_new_table(_metadata(question), catalog, session=session).protocol


def _upgrade(question: Question, catalog: FeatureCatalog) -> object:
    return upgrade_from_metadata(_metadata(question), _protocol(question), catalog)


def _min_components(question: Question, catalog: FeatureCatalog) -> object:
    return minimum_components_from_metadata(_metadata(question), catalog, question.get("session"))


def _auto_components(question: Question, catalog: FeatureCatalog) -> object:
    return minimum_components_from_automatic_features(_metadata(question), _protocol(question), catalog)


def _auto_enabled(question: Question, catalog: FeatureCatalog) -> object:
    return automatically_enabled_features(_metadata(question), _protocol(question), catalog)


def _for_table_feature(question: Question, catalog: FeatureCatalog) -> object:
    return algebra.protocol_for_feature(question["feature"], catalog)


# --- algebra --------------------------------------------------------------------------------------


def _normalized(question: Question, catalog: FeatureCatalog) -> object:
    return algebra.normalized(_protocol(question), catalog)


def _denormalized(question: Question, catalog: FeatureCatalog) -> object:
    return algebra.denormalized(_protocol(question), catalog)


def _denormalized_normalized(question: Question, catalog: FeatureCatalog) -> object:
    return algebra.denormalized_normalized(_protocol(question), catalog)


def _merge(question: Question, catalog: FeatureCatalog) -> object:
    others = [Protocol.from_json(other) for other in question["others"]]
    return algebra.merge(_protocol(question), others, catalog)


def _can_upgrade_to(question: Question, catalog: FeatureCatalog) -> object:
    return algebra.can_upgrade_to(_protocol(question), _protocol(question, "to"), catalog)


def _can_downgrade_to(question: Question, catalog: FeatureCatalog) -> object:
    return algebra.can_downgrade_to(
        _protocol(question),
        _protocol(question, "to"),
        question["feature"],
        catalog,
        allowed_additions=_GUARDS_OF_HISTORY,
    )


def _remove_feature(question: Question, catalog: FeatureCatalog) -> object:
    return algebra.remove_feature(_protocol(question), question["feature"], catalog)


def _with_feature(question: Question, catalog: FeatureCatalog) -> object:
    return algebra.with_feature(_protocol(question), question["feature"], catalog)


def _with_features(question: Question, catalog: FeatureCatalog) -> object:
    return algebra.with_features(_protocol(question), question["features"], catalog)


def _implicitly_supported(question: Question, catalog: FeatureCatalog) -> object:
    return algebra.implicitly_supported_features(_protocol(question), catalog)


def _supported(question: Question, catalog: FeatureCatalog) -> object:
    return algebra.supported_features(_protocol(question), catalog)


def _capability(question: Question, catalog: FeatureCatalog) -> object:
    client, protocol = Capability.of_catalog(catalog), _protocol(question)
    return {"read": client.can_read(protocol), "write": client.can_write(protocol)}


_QUESTIONS: Mapping[str, Ask] = {
    "new_table": _new_table,
    "min_components": _min_components,
    "upgrade": _upgrade,
    "auto_enabled": _auto_enabled,
    "auto_components": _auto_components,
    "for_table_feature": _for_table_feature,
}

_ALGEBRA: Mapping[str, Ask] = {
    "normalized": _normalized,
    "denormalized": _denormalized,
    "denormalizedNormalized": _denormalized_normalized,
    "merge": _merge,
    "canUpgradeTo": _can_upgrade_to,
    "canDowngradeTo": _can_downgrade_to,
    "removeFeature": _remove_feature,
    "withFeature": _with_feature,
    "withFeatures": _with_features,
    "implicitlySupportedFeatures": _implicitly_supported,
    "implicitlyAndExplicitlySupportedFeatures": _supported,
    "supported": _capability,
}
