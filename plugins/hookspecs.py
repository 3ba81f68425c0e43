"""The hooks a plugin may implement.

A plugin is any module or object with functions marked `@hookimpl`; an installed package offers its own
through the entry point group `deltaresolver.features`. Hooks are called once, when a catalog is built
or an audit begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, overload

import pluggy

from deltaresolver.model.catalog_profile import CatalogProfile
from deltaresolver.model.feature import TableFeature

PROJECT = "deltaresolver"
ENTRY_POINT_GROUP = "deltaresolver.features"

hookspec = pluggy.HookspecMarker(PROJECT)

if TYPE_CHECKING:
    from deltaresolver.model.audit_rule import AuditRule
    from deltaresolver.plugins.commit_extensions import HookShape, PolicyShape

    Brought: TypeAlias = TableFeature | CatalogProfile | AuditRule | Mapping[str, Any] | PolicyShape | HookShape
    Hook = TypeVar("Hook", bound=Callable[..., Brought | Iterable[Brought]])
    Wrapper = TypeVar("Wrapper", bound=Callable[..., Any])

    class _HookMarker(Protocol):
        """pluggy's marker with types for type checkers: a marked function returns what one of the hooks may return."""

        @overload
        def __call__(self, function: Hook) -> Hook: ...

        @overload
        def __call__(
            self,
            *,
            specname: str | None = None,
            tryfirst: bool = False,
            trylast: bool = False,
            optionalhook: bool = False,
        ) -> Callable[[Hook], Hook]: ...

        @overload
        def __call__(
            self, *, wrapper: bool, specname: str | None = None, tryfirst: bool = False, trylast: bool = False
        ) -> Callable[[Wrapper], Wrapper]: ...

    hookimpl: _HookMarker
else:
    hookimpl = pluggy.HookimplMarker(PROJECT)


HOOKS = {
    "table_feature": "features",
    "catalog_profile": "profiles",
    "delta_client": "clients",
    "audit_rules": "audit rules",
    "commit_policy": "commit policies",
    "post_commit_hook": "post-commit hooks",
}
"""Each hook below, and what it brings."""


@hookspec
def table_feature() -> TableFeature | Iterable[TableFeature]:  # type: ignore[empty-body]
    """The table feature this plugin brings, or a list of them."""


@hookspec
def catalog_profile() -> CatalogProfile | Iterable[CatalogProfile]:  # type: ignore[empty-body]
    """What a platform adds to the rules of features, or a list of such profiles."""


@hookspec
def delta_client() -> Mapping[str, Any] | Iterable[Mapping[str, Any]]:  # type: ignore[empty-body]
    """A client of Delta tables, in the shape docs/clients-toml.md gives for one `[[client]]`, or a list of them."""


@hookspec
def post_commit_hook() -> object | Iterable[object]:
    """Something to do after each commit, or a list of them: see `deltaresolver.plugin.PostCommitHook`."""


@hookspec
def commit_policy() -> object | Iterable[object]:
    """What may refuse a commit, or a list of it: see `deltaresolver.plugin.CommitPolicy`."""


@hookspec
def audit_rules() -> AuditRule | Iterable[AuditRule]:  # type: ignore[empty-body]
    """The rule this plugin adds to `deltaresolver audit`, or a list of them."""
