"""Catalog profiles: found among plugins, checked, and applied to the features that plugins bring."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from deltaresolver.errors import PluginRejectedError, UnknownProfileError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.catalog_profile import CatalogProfile
from deltaresolver.plugins.admission import admit
from deltaresolver.plugins.asking import Plugin
from deltaresolver.plugins.guard import PluginSource
from deltaresolver.plugins.manager import ask_plugins, offers
from deltaresolver.plugins.problems import Problem, Submission, rejection

RESERVED = frozenset({"all", "delta-spark"})
"""Names that mean a catalog without a profile."""

_NAME = r"[a-z0-9][a-z0-9-]*"
_HOOK = "catalog_profile"


def profiles_of(plugins: Iterable[Plugin]) -> dict[str, tuple[CatalogProfile, PluginSource]]:
    """Every profile that plugins declare, by name, and who does. Raises `PluginRejectedError`."""
    offered, problems = offers(plugins, _HOOK, CatalogProfile)
    found: dict[str, tuple[CatalogProfile, PluginSource]] = {}
    for profile, source in offered:
        problems = (*problems, *_problems_of(profile, source, found))
        found.setdefault(profile.name, (profile, source))
    if problems:
        raise rejection(problems)
    return dict(sorted(found.items()))


def build_profile_catalog(name: str, plugins: Sequence[Plugin], earlier: Iterable[Problem] = ()) -> FeatureCatalog:
    """The catalog of everything `plugins` bring, changed by the profile of this name.

    Raises `UnknownProfileError`, and `PluginRejectedError` with all problems together.
    """
    profiles = profiles_of(plugins)
    if name not in profiles:
        known = sorted({*profiles, *RESERVED})
        near = difflib.get_close_matches(name.lower(), known, n=1)
        raise UnknownProfileError(
            f"No catalog profile is called {name!r}{f' (did you mean {near[0]}?)' if near else ''}.",
            fix=f"Choose one of {', '.join(known)}, or install the plugin that declares it.",
            details={"profile": name, "known": known},
        )
    profile, source = profiles[name]
    submissions, problems = ask_plugins(plugins)
    plain = admit(submissions, (*earlier, *problems))
    strangers = [_unknown(one.feature, source) for one in profile.requirements if one.feature not in plain.names]
    applied = [Submission(profile.applied_to(one.feature), one.source) for one in submissions]
    try:
        catalog = admit(applied)
    except PluginRejectedError as error:
        # The features fitted together before, so the profile is the cause of a new problem.
        raise rejection([*strangers, *(attrs.evolve(problem, source=source) for problem in error.problems)]) from None
    if strangers:
        raise rejection(strangers)
    return catalog


def _unknown(feature: str, source: PluginSource) -> Problem:
    return Problem(
        "unknown feature",
        source,
        f"its profile is about {feature}, which no plugin registers.",
        "Correct the name, or install the plugin that brings the feature.",
        feature,
    )


def _problems_of(
    profile: CatalogProfile, source: PluginSource, earlier: Mapping[str, tuple[CatalogProfile, PluginSource]]
) -> Iterator[Problem]:
    if not re.fullmatch(_NAME, profile.name) or profile.name in RESERVED:
        fix = f"Use lower-case letters, digits and hyphens, and none of {', '.join(sorted(RESERVED))}."
        yield Problem("bad name", source, f"{profile.name!r} cannot be the name of a profile.", fix)
    if not profile.platform or not profile.spec_url:
        message = f"profile {profile.name} lacks its platform or its spec_url."
        yield Problem("no specification", source, message, "Name the platform and the page that says so.")
    if profile.name in earlier:
        message = f"profile {profile.name} is declared already by {earlier[profile.name][1]}."
        yield Problem("duplicate", source, message, "Choose another name.")
