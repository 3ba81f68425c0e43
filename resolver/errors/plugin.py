"""DR3xx: a plugin cannot be used."""

from __future__ import annotations

from typing import Any

from deltaresolver.errors.base import DeltaResolverError


class PluginError(DeltaResolverError):
    """A plugin cannot be used."""

    code = "DR300"


class PluginRejectedError(PluginError):
    """Admission found problems; `problems` lists all of them, each naming plugin and package."""

    code = "DR301"

    def __init__(self, message: str, *, problems: tuple[Any, ...] = (), **keywords: Any) -> None:
        super().__init__(message, **keywords)
        self.problems = problems


class ComplianceError(PluginError, AssertionError):
    """A feature failed the compliance kit; the message lists every failed check."""

    code = "DR302"


class TriggerFailedError(PluginError):
    """The code of a feature's trigger failed while it looked at a table."""

    code = "DR303"


class PluginCallFailedError(PluginError):
    """Code of a plugin failed, or gave what it may not give; the message names plugin, package and method."""

    code = "DR304"


class FeatureReadFailedError(PluginError):
    """What a feature declares of showing its rows cannot be carried out."""

    code = "DR305"


class FeatureRelationError(PluginError):
    """A table would support or switch on features together that a plugin declares not to go together."""

    code = "DR306"
    default_delta_class = "DeltaTableFeatureException"


class PluginSetAsideError(PluginError):
    """A package that cannot be used guards commits, so none is made without it."""

    code = "DR307"


class PluginUnknownError(PluginError):
    """A package to be left out has no plugins, or is not installed."""

    code = "DR308"
