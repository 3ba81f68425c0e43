"""What a platform adds to the open-source rules, as data: a profile turns one catalog into the platform's."""

from __future__ import annotations

from typing import Any

import attrs

from deltaresolver.model.declared import names, of_type
from deltaresolver.model.feature import TableFeature
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class PlatformRequirement(Value):
    """On the platform, `feature` brings all of `requires` with it."""

    feature: str = attrs.field(validator=of_type(str))
    requires: frozenset[str] = attrs.field(converter=names)


def _requirements(value: Any) -> tuple[PlatformRequirement, ...]:
    found = (value,) if isinstance(value, PlatformRequirement) else tuple(value)
    odd = next((one for one in found if not isinstance(one, PlatformRequirement)), None)
    if odd is not None:
        raise TypeError(f"CatalogProfile.requirements takes PlatformRequirement objects, found {odd!r} among them.")
    return found


@attrs.frozen(slots=True)
class CatalogProfile(Value):
    """What a plugin declares of a platform.

    name                             how users ask for it: lower case, digits and hyphens
    platform                         the platform as people call it; explanations name it
    summary                          one sentence a user understands
    spec_url                         the page that says so
    requirements                     what features bring with them there
    protocol_changes_abort_writers   whatever changes the protocol makes writers in flight fail
    """

    name: str = attrs.field(validator=of_type(str))
    platform: str = attrs.field(validator=of_type(str))
    summary: str = attrs.field(validator=of_type(str))
    spec_url: str = attrs.field(validator=of_type(str))
    requirements: tuple[PlatformRequirement, ...] = attrs.field(default=(), converter=_requirements)
    protocol_changes_abort_writers: bool = attrs.field(default=False, validator=of_type(bool))

    def applied_to(self, feature: TableFeature) -> TableFeature:
        """The feature as it is on the platform."""
        stated = frozenset().union(*(one.requires for one in self.requirements if one.feature == feature.name))
        return attrs.evolve(
            feature,
            requires=feature.requires | stated,
            required_by_platform=feature.required_by_platform | {(name, self.platform) for name in stated},
            aborts_concurrent_writers=feature.aborts_concurrent_writers or self.protocol_changes_abort_writers,
            on_strict_platform=self.protocol_changes_abort_writers,
        )
