"""Check the shape of post-commit hooks and policies that plugins bring, and put them in order."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

import attrs

from deltaresolver.plugins.asking import Plugin
from deltaresolver.plugins.callables import why_it_never_runs, why_not_callable
from deltaresolver.plugins.guard import GuardedPolicy, GuardedPostCommitHook, PluginSource
from deltaresolver.plugins.manager import offers
from deltaresolver.plugins.problems import Problem, rejection
from deltaresolver.value import Value

HOOK, POLICY = "post_commit_hook", "commit_policy"

_METHODS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    HOOK: {"run": ("committed",), "handle_error": ("error", "table_version")},
    POLICY: {"check": ("proposal",)},
}
"""The methods of each, with the names of their arguments."""


@runtime_checkable
class HookShape(Protocol):
    """The shape of every post-commit hook; the arguments are described with the transaction."""

    @property
    def name(self) -> str:
        """As messages call it."""

    def run(self, committed: Any, /) -> None:
        """Do what follows a commit."""

    def handle_error(self, error: Exception, table_version: int, /) -> None:
        """Hear that `run` failed."""


@runtime_checkable
class PolicyShape(Protocol):
    """The shape of every policy."""

    def check(self, proposal: Any, /) -> None:
        """Let a commit pass, or refuse it."""


@attrs.frozen(slots=True)
class CommitExtensions(Value):
    """The hooks and policies of plugins for every commit, in order of package and plugin."""

    hooks: tuple[object, ...] = ()
    policies: tuple[object, ...] = ()


def commit_extensions(plugins: Iterable[Plugin]) -> CommitExtensions:
    """The post-commit hooks and policies of `plugins`, the same whatever their order.

    Raises `PluginRejectedError` with all problems together.
    """
    found, problems = sound_commit_extensions(plugins)
    if problems:
        raise rejection(problems)
    return found


def sound_commit_extensions(plugins: Iterable[Plugin]) -> tuple[CommitExtensions, tuple[Problem, ...]]:
    """As `commit_extensions`, but without plugins with problems; also returns the problems."""
    asked = tuple(plugins)
    hooks, problems = offers(asked, HOOK, HookShape, "PostCommitHook")  # type: ignore[type-abstract]
    policies, more = offers(asked, POLICY, PolicyShape, "CommitPolicy")  # type: ignore[type-abstract]
    # A plugin that cannot be called at all has the same problem with both hooks.
    found = list(dict.fromkeys((*problems, *more)))
    for hook, source in hooks:
        found.extend(_misfits(HOOK, hook, source))
    for policy, source in policies:
        found.extend(_misfits(POLICY, policy, source))
    found.extend(_same_names(hooks))
    unsound = {problem.source for problem in found}
    extensions = CommitExtensions(
        tuple(GuardedPostCommitHook(hook, source) for hook, source in hooks if source not in unsound),
        tuple(GuardedPolicy(policy, source) for policy, source in policies if source not in unsound),
    )
    return extensions, tuple(found)


def _misfits(kind: str, extension: object, source: PluginSource) -> Iterator[Problem]:
    shown = type(extension).__name__
    if isinstance(extension, type):
        shown = extension.__name__
        yield Problem("wrong return", source, f"hook {kind} returned the class {shown}.", "Return an object of it.")
        return
    if kind == HOOK and not isinstance(getattr(extension, "name", None), str):
        yield Problem(
            "wrong return", source, f"hook {kind} returned {shown}, whose name is not a string.", "Give it a name."
        )
    for method, arguments in _METHODS[kind].items():
        called = getattr(extension, method, None)
        if not callable(called):
            wrong: str | None = "is missing"
        else:
            wrong = why_not_callable(called, arguments) or why_it_never_runs(called)
        if wrong is not None:
            near = difflib.get_close_matches(method, _methods_of(extension), n=1)
            hint = f" Did you mean {near[0]} to be it?" if near and called is None else ""
            yield Problem(
                "wrong return",
                source,
                f"hook {kind} returned {shown}, whose {method} {wrong}.{hint}",
                f"Give it a method {method}; {_described(kind)} says with what it is called.",
            )


def _methods_of(extension: object) -> list[str]:
    return [name for name in dir(extension) if not name.startswith("_")]


def _described(kind: str) -> str:
    return f"deltaresolver.plugin.{'PostCommitHook' if kind == HOOK else 'CommitPolicy'}"


def _same_names(hooks: Iterable[tuple[HookShape, PluginSource]]) -> Iterator[Problem]:
    known: dict[str, PluginSource] = {}
    for hook, source in hooks:
        name = str(hook.name)
        first = known.setdefault(name, source)
        if first is not source:
            yield Problem(
                "duplicate",
                source,
                f"a post-commit hook is named {name!r} already by {first}.",
                "Choose another name: errors after a commit are reported under it.",
            )
