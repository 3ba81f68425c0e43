"""DR70x: a question about clients, or a plan, cannot be answered. DR61x: a lake.toml cannot be used."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


class PlanningError(DeltaResolverError):
    """A question about clients cannot be answered."""

    code = "DR700"


class UnknownClientError(PlanningError):
    """A client is named that the catalogue does not have."""

    code = "DR701"


class ClientVersionUnreadableError(PlanningError):
    """A client version that the client's own version scheme cannot read."""

    code = "DR702"


class ClientCatalogueInvalidError(PlanningError):
    """A client catalogue has mistakes; the message lists all of them."""

    code = "DR703"


class UnknownClientPathError(PlanningError):
    """A client has no such path (engine) into a table."""

    code = "DR704"


class PlanTargetError(PlanningError):
    """The target of a plan cannot be read: none, several that contradict each other, or none of this kind."""

    code = "DR705"


class PlanStepElsewhereError(PlanningError):
    """The next step of a plan rewrites data files, and nobody who could was brought along."""

    code = "DR706"


class PlanStalledError(PlanningError):
    """A step was carried out, and the table is no nearer to the target: somebody else is changing it meanwhile."""

    code = "DR707"


class NoPlanError(PlanningError):
    """No steps lead from the table to the target."""

    code = "DR708"


class LakeFileError(DeltaResolverError):
    """A lake.toml cannot be used."""

    code = "DR610"


class LakeFileInvalidError(LakeFileError):
    """A lake.toml has mistakes; the message has all of them, with their lines."""

    code = "DR611"


class LakeFileMissingError(LakeFileError):
    """A lake.toml was asked for that is not there or cannot be read."""

    code = "DR612"
