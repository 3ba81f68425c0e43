"""The winner changed the metadata: taken over where features say the change is harmless, a conflict elsewhere."""

from __future__ import annotations

import attrs

from deltaresolver.model.behaviour import Draft, Winner
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction.conflicts.conflict import Conflict, ConflictKind, conflict_with
from deltaresolver.transaction.conflicts.rules import ConflictRules

_FIELDS = tuple(field.name for field in attrs.fields(Metadata))
_MAY_DIFFER = frozenset({"configuration", "schema_string"})


def check_metadata(draft: Draft, winner: Winner, rules: ConflictRules) -> Draft | Conflict:
    """The draft under the winner's metadata."""
    metadata = winner.metadata
    if metadata is None:
        return draft
    if draft.changes_metadata:
        return _conflict(winner, rules, "both change it")
    for _, behaviour in rules.behaviours.all_with("settle_metadata"):
        settled = behaviour.settle_metadata(draft, winner)
        if settled is not None:
            return settled
    if not rules.settings.resolve_metadata_conflicts:
        return _conflict(winner, rules, "metadata changes are not reconciled in this session")
    problem = _find_problem(draft, winner, metadata, rules)
    if problem is not None:
        return _conflict(winner, rules, problem)
    return attrs.evolve(draft, metadata=metadata)


def _find_problem(draft: Draft, winner: Winner, metadata: Metadata, rules: ConflictRules) -> str | None:
    differing = {name for name in _FIELDS if getattr(draft.metadata, name) != getattr(metadata, name)}
    if not differing <= _MAY_DIFFER:
        return ", ".join(sorted(differing - _MAY_DIFFER))
    if "configuration" in differing:
        property_name = _find_intolerable_property(draft, winner, metadata, rules)
        if property_name is not None:
            return f"property {property_name}"
    if "schema_string" in differing and not any(
        behaviour.tolerates_schema(draft, winner) for _, behaviour in rules.behaviours.all_with("tolerates_schema")
    ):
        return "the schema"
    return None


def _find_intolerable_property(draft: Draft, winner: Winner, metadata: Metadata, rules: ConflictRules) -> str | None:
    before, after = draft.metadata.configuration, metadata.configuration
    removed = before.keys() - after.keys()
    if removed:
        return min(removed)
    tolerated: dict[str, bool] = {}
    for name, behaviour in rules.behaviours.all_with("tolerated_configuration"):
        # Only the owner of a property knows what a change of it means.
        owns = rules.catalog.get(name).owns_property
        tolerated |= {
            key: value for key, value in behaviour.tolerated_configuration(draft, winner).items() if owns(key)
        }
    changed = sorted(key for key, value in after.items() if before.get(key) != value)
    return next((key for key in changed if not tolerated.get(key, False)), None)


def _conflict(winner: Winner, rules: ConflictRules, where: str) -> Conflict:
    return conflict_with(winner, ConflictKind.METADATA, rules.scope.describe(), where)
