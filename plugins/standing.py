"""Decide which installed packages are used and which are set aside: a faulty package does not stop the others.

A package is set aside as a whole, with every problem that it has. Packages that need its features are set aside too.
Built-in features are never set aside: a problem with them is raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from deltaresolver.errors import PluginRejectedError, PluginSetAsideError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.plugins.admission import OWN_PACKAGE, UNKNOWN_NAMES, admit
from deltaresolver.plugins.asking import Plugin
from deltaresolver.plugins.commit_extensions import sound_commit_extensions
from deltaresolver.plugins.guard import PluginSource
from deltaresolver.plugins.guards_of_strangers import may_guard
from deltaresolver.plugins.manager import ask_plugins
from deltaresolver.plugins.problems import Problem, Submission
from deltaresolver.value import Printable, Value


@attrs.frozen(slots=True)
class SetAside(Value):
    """A package that is not used, and why.

    problems   all problems with it; empty where the user chose to leave it out
    features   the features it would bring, as far as they are known
    guards     whether it brings a commit policy, or may bring one: then nothing may be committed without it
    """

    package: str
    problems: tuple[Problem, ...] = ()
    features: frozenset[str] = frozenset()
    guards: bool = False

    @property
    def by_choice(self) -> bool:
        """Whether the user chose to leave it out."""
        return not self.problems

    @property
    def reason(self) -> str:
        """Why it is not used, in a sentence."""
        if self.by_choice:
            return "It was left out by choice."
        first = self.problems[0]
        more = len(self.problems) - 1
        others = f" ({more} more problem{'s' if more > 1 else ''})" if more else ""
        hint = f" {first.fix}" if first.kind in UNKNOWN_NAMES else ""
        return f"{first.source.plugin}: {first.message}{hint}{others}"


@attrs.frozen(slots=True, eq=False)
class Standing(Printable):
    """The plugins that are used, their features, and the packages that are set aside."""

    plugins: tuple[Plugin, ...]
    catalog: FeatureCatalog
    sources: Mapping[str, PluginSource]
    set_aside: tuple[SetAside, ...] = ()

    @property
    def guards_gone(self) -> tuple[AbsentGuard, ...]:
        """A policy for each package that is set aside and brings, or may bring, one."""
        return tuple(AbsentGuard(one.package, one.reason) for one in self.set_aside if one.guards)


@attrs.frozen(slots=True)
class AbsentGuard(Value):
    """Takes the place of the commit policies of a package that is set aside, and refuses every commit."""

    package: str
    reason: str

    def check(self, proposal: object) -> None:
        """Refuse the commit. Raises `PluginSetAsideError`."""
        del proposal
        raise PluginSetAsideError(
            f"The package {self.package} is set aside and brings, or may bring, a commit policy, so nobody can say "
            f"whether it would refuse this commit. {self.reason}",
            fix=f"Repair or uninstall {self.package}; or leave it out by choice (--without-plugin {self.package}, "
            f"without_plugins=[{self.package!r}]), and commit without its policies.",
            details={"package": self.package, "reason": self.reason},
        )


def stand(
    own: Sequence[Plugin],
    installed: Sequence[Plugin],
    earlier: Iterable[Problem] = (),
    left_out: Iterable[str] = (),
) -> Standing:
    """Decide which plugins are used, whatever their order. Raises `PluginRejectedError` for built-in ones.

    `earlier` are problems found while importing, `left_out` are packages that the user chose to leave out.
    """
    found: dict[str, list[Problem]] = {}
    claimed: dict[str, set[str]] = {}
    for problem in earlier:
        _note(problem, found)
    while True:
        used = tuple(plugin for plugin in installed if plugin.source.package not in found)
        submissions, problems = ask_plugins((*own, *used))
        for one in submissions:
            claimed.setdefault(one.source.package, set()).add(one.feature.name)
        try:
            catalog = _admitted(submissions, problems, used)
        except PluginRejectedError as error:
            gone = sorted(found)
            for problem in _causes(error):
                _note(_with_suspects(problem, gone), found)
            continue
        aside = [_set_aside(package, found[package], claimed.get(package, set()), installed) for package in found]
        aside += [SetAside(package) for package in sorted(left_out)]
        aside.sort(key=lambda one: one.package)
        sources = {one.feature.name: one.source for one in submissions}
        return Standing((*own, *used), catalog.missing(absences(aside)), sources, tuple(aside))


def absences(aside: Iterable[SetAside]) -> dict[str, str]:
    """The package of each feature that is set aside; under the empty name, packages that may bring others."""
    listed = [*aside]
    found = {name: f"package {one.package}, which is set aside" for one in listed for name in one.features}
    unclear = [one for one in listed if not one.features]
    if unclear:
        gone = "left out by choice" if all(one.by_choice for one in unclear) else "set aside"
        found[""] = f"package {' or '.join(one.package for one in unclear)}, which is {gone}"
    return found


def _admitted(submissions: Sequence[Submission], problems: Iterable[Problem], used: Sequence[Plugin]) -> FeatureCatalog:
    found = [*problems]
    if used:
        found += sound_commit_extensions(used)[1]
    # A plugin that cannot be called at all has the same problem with every hook.
    return admit(submissions, dict.fromkeys(found))


def _causes(error: PluginRejectedError) -> list[Problem]:
    """The problems to act on first: only after setting these aside is it known which features are missing."""
    problems: list[Problem] = [*error.problems]
    if any(problem.source.package == OWN_PACKAGE for problem in problems):
        raise error
    first = [problem for problem in problems if problem.kind not in UNKNOWN_NAMES]
    return first or problems


def _with_suspects(problem: Problem, gone: Sequence[str]) -> Problem:
    """The problem, naming packages set aside before that may have the missing feature."""
    if problem.kind not in UNKNOWN_NAMES or not gone:
        return problem
    fix = f"It may be of {' or '.join(gone)}, which is set aside: repair that, or install the plugin that brings it."
    return attrs.evolve(problem, fix=fix)


def _note(problem: Problem, found: dict[str, list[Problem]]) -> None:
    known = found.setdefault(problem.source.package, [])
    if problem not in known:
        known.append(problem)


def _set_aside(package: str, problems: list[Problem], features: set[str], plugins: Sequence[Plugin]) -> SetAside:
    named = {problem.feature for problem in problems if problem.feature is not None}
    return SetAside(package, tuple(problems), frozenset(features | named), may_guard(package, plugins))
