"""Check whether features fit together: all problems are found, and each names plugin and package.

Pure: takes the features that plugins returned, and returns a catalog or raises with every problem at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.protocol import READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST
from deltaresolver.model.rules import Rule
from deltaresolver.plugins.code_check import code_problems
from deltaresolver.plugins.declared_relations import cycle_problems, relation_problems
from deltaresolver.plugins.problems import Problem, Submission, is_writable, rejection

OWN_PACKAGE = "deltaresolver"
"""The package with the features of the protocol itself."""
UNKNOWN_NAMES = frozenset({"unknown dependency", "unknown relation"})
"""Kinds of problems that another package can solve, by bringing the missing feature."""
LOWEST_READER_VERSION = 1

_NAME = re.compile(r"[A-Za-z0-9_-]+")


def admit(submissions: Sequence[Submission], earlier: Iterable[Problem] = ()) -> FeatureCatalog:
    """The catalog of all submitted features, whatever their order.

    Raises `PluginRejectedError` with every problem, those found `earlier` included.
    """
    problems = [*earlier]
    for submission in submissions:
        problems.extend(_problems_alone(submission))
    problems.extend(_problems_together(submissions))
    if problems:
        raise rejection(problems)
    return FeatureCatalog(one.feature if one.source.package == OWN_PACKAGE else _guarded(one) for one in submissions)


def _guarded(submission: Submission) -> TableFeature:
    # Imported here, because most commands have only built-in features.
    from deltaresolver.plugins.strangers.guarded_features import guarded  # noqa: PLC0415 - see above

    return guarded(submission.feature, submission.source)


def _problems_alone(submission: Submission) -> Iterator[Problem]:
    feature, source = submission.feature, submission.source

    def problem(kind: str, message: str, fix: str) -> Problem:
        return Problem(kind, source, message, fix, feature.name)

    if not _NAME.fullmatch(feature.name):
        yield problem(
            "bad name",
            f"{feature.name!r} is not a feature name.",
            "Use letters, digits, hyphens and underscores only.",
        )
    if not is_writable(feature.summary, feature.spec_url, *feature.owned_properties):
        yield problem(
            "bad text", f"{feature.name} has a text that UTF-8 cannot write.", "Leave out halves of surrogate pairs."
        )
    if not feature.spec_url:
        yield problem("no specification", f"{feature.name} has no spec_url.", "Give the page that defines the feature.")
    if feature.trigger is not None and (isinstance(feature.trigger, type) or not isinstance(feature.trigger, Rule)):
        yield problem(
            "bad trigger",
            f"{feature.name} has a trigger of type {type(feature.trigger).__name__}, which is not a rule.",
            "Use a rule of deltaresolver.model.rules, such as PropertyIsTrue, or wrap a function in Custom.",
        )
    yield from code_problems(submission)
    yield from _version_problems(submission)
    yield from _legacy_problems(submission)


def _version_problems(submission: Submission) -> Iterator[Problem]:
    """Declared versions must agree with the kind and the legacy versions, or be of a future protocol."""
    feature = submission.feature
    reader, writer = feature.min_reader_version, feature.min_writer_version
    implied_reader, implied_writer = feature.implied_reader_version, feature.implied_writer_version
    later_reader = feature.is_reader_feature and not feature.is_legacy and reader > implied_reader
    later_writer = not feature.is_legacy and writer > implied_writer
    if reader != implied_reader and not later_reader:
        yield Problem(
            "versions against kind",
            submission.source,
            f"{feature.name} declares min_reader_version {reader}, but as a {feature.kind.value} feature "
            f"{'of its legacy version ' if feature.is_legacy else ''}it is carried from {implied_reader} on.",
            f"Declare {implied_reader}, or leave it out.",
            feature.name,
        )
    if writer != implied_writer and not later_writer:
        yield Problem(
            "versions against kind",
            submission.source,
            f"{feature.name} declares min_writer_version {writer}, but it is carried from {implied_writer} on.",
            f"Declare {implied_writer}, or leave it out.",
            feature.name,
        )


def _legacy_problems(submission: Submission) -> Iterator[Problem]:
    feature, legacy = submission.feature, submission.feature.legacy
    if legacy is None:
        return

    def problem(message: str, fix: str) -> Problem:
        return Problem("versions against kind", submission.source, message, fix, feature.name)

    pair = f"({legacy.reader_version}, {legacy.writer_version})"
    if submission.source.package != OWN_PACKAGE:
        # Otherwise every table of such a version would count as having the feature.
        yield problem(
            f"{feature.name} claims legacy versions {pair}, but the protocol's list of legacy features is closed.",
            "Leave legacy out: the feature is then listed by name.",
        )
        return
    if not 2 <= legacy.writer_version < WRITER_VERSION_WITH_FEATURE_LIST:
        yield problem(
            f"{feature.name} claims legacy versions {pair}, but legacy writer versions are 2 to 6.",
            "Leave legacy out: the feature is then listed by name.",
        )
    if feature.kind is FeatureKind.WRITER and legacy.reader_version != 0:
        yield problem(
            f"{feature.name} is a writer feature but claims reader version {legacy.reader_version}.",
            "Set the legacy reader version to 0, or make it a reader and writer feature.",
        )
    if feature.is_reader_feature and not 0 < legacy.reader_version < READER_VERSION_WITH_FEATURE_LIST:
        yield problem(
            f"{feature.name} is a reader feature but claims legacy reader version {legacy.reader_version}.",
            "Legacy reader versions are 1 and 2; leave legacy out for a feature listed by name.",
        )
    if feature.trigger is not None and not feature.upgrades_existing_table:
        yield problem(
            f"{feature.name} is a legacy feature whose trigger may not upgrade existing tables.",
            "Set upgrades_existing_table: a numbered protocol has no way to ask for it by name.",
        )


def _problems_together(submissions: Sequence[Submission]) -> Iterator[Problem]:
    by_lowered: dict[str, list[Submission]] = {}
    for submission in submissions:
        by_lowered.setdefault(submission.feature.name.lower(), []).append(submission)
    yield from _duplicates(by_lowered)
    yield from _same_pages(submissions)
    yield from _bad_requirements(submissions)
    yield from cycle_problems(submissions)
    yield from relation_problems(submissions)


def _duplicates(by_lowered: Mapping[str, list[Submission]]) -> Iterator[Problem]:
    for same in by_lowered.values():
        for submission in same[1:] if len(same) > 1 else ():
            first = same[0]
            yield Problem(
                "duplicate",
                submission.source,
                f"{submission.feature.name} is registered already as {first.feature.name} by {first.source}.",
                "Choose another name; case does not distinguish feature names.",
                submission.feature.name,
            )


def _same_pages(submissions: Sequence[Submission]) -> Iterator[Problem]:
    first: dict[str, Submission] = {}
    for submission in submissions:
        for code in submission.feature.error_pages:
            known = first.setdefault(code.upper(), submission)
            if known is not submission:
                yield Problem(
                    "duplicate",
                    submission.source,
                    f"{submission.feature.name} brings a page for {code}, which {known.feature.name} of {known.source} "
                    "has already.",
                    "Give the error another code.",
                    submission.feature.name,
                )


def _bad_requirements(submissions: Sequence[Submission]) -> Iterator[Problem]:
    catalog = FeatureCatalog(submission.feature for submission in submissions)
    for submission in submissions:
        feature = submission.feature
        for name in sorted(feature.requires):
            required = catalog.find(name)
            if required is None or required.name != name:
                near = required.name if required is not None else catalog.closest(name)
                yield Problem(
                    "unknown dependency",
                    submission.source,
                    f"{feature.name} requires {name}, which no plugin registers.",
                    f"Did you mean {near}?" if near else "Install the plugin that brings it.",
                    feature.name,
                )
            elif feature.legacy is not None and not _implied_with(feature.legacy, required):
                yield Problem(
                    "versions against kind",
                    submission.source,
                    f"{feature.name} is implied by reader version {feature.min_reader_version} and writer version "
                    f"{feature.min_writer_version}, but {name}, which it requires, is not.",
                    "A legacy feature may only require features that its own versions imply.",
                    feature.name,
                )


def _implied_with(legacy: LegacyVersion, required: TableFeature) -> bool:
    """Whether every legacy version that implies the feature also implies the required one."""
    return (
        required.legacy is not None
        and required.legacy.reader_version <= max(legacy.reader_version, LOWEST_READER_VERSION)
        and required.legacy.writer_version <= legacy.writer_version
    )
