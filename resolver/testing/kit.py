"""The public compliance kit: it checks that a table feature satisfies every rule that the resolver relies on.

    def test_my_feature() -> None:
        check_feature(my_module, switched_on=[Metadata(configuration={"acme.audit": "true"})],
                      switched_off=[Metadata()])

Needs nothing beyond the library itself, and runs under any test framework.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import attrs

from deltaresolver.errors import ComplianceError, DeltaResolverError
from deltaresolver.model import Metadata
from deltaresolver.testing.checks import IN_A_CATALOG, OF_THE_RECORD
from deltaresolver.testing.life import leaves_others_alone, whole_life
from deltaresolver.testing.subject import Subject, find_subject


@attrs.frozen(slots=True)
class Violation:
    """One rule that is not satisfied: the name of the check, and a sentence about the violation."""

    check: str
    message: str

    def __str__(self) -> str:
        return f"{self.check}: {self.message}"


def check_feature(
    make_plugin_or_feature: object,
    *,
    switched_on: Sequence[Metadata] = (),
    switched_off: Sequence[Metadata] = (),
    name: str | None = None,
    beside: Iterable[object] = (),
) -> None:
    """Run every check on a feature and raise `ComplianceError` with all that failed.

    The declaration is checked; then each example of `switched_on` goes through the whole life of a table in memory:
    create, alter, two writers at once, checkpoint, clean-up, DROP FEATURE.

    `make_plugin_or_feature` is a `TableFeature`, a plugin (a module or object with hooks), or a function that
    makes either. `switched_on` is metadata on which the feature's trigger must fire, `switched_off` metadata on
    which it must not. `name` picks one of several features a plugin brings; `beside` holds further plugins or
    features it depends on, for built-in ones are always there.
    """
    subject = find_subject(
        make_plugin_or_feature, name=name, beside=beside, switched_on=switched_on, switched_off=switched_off
    )
    violations = tuple(_violations(subject))
    if violations:
        raise _not_compliant(subject, violations)


def _violations(subject: Subject) -> Iterator[Violation]:
    for check in OF_THE_RECORD:
        yield from _run(check.__name__, partial(check, subject))
    if subject.catalog is not None:
        for check_in_catalog in (*IN_A_CATALOG, leaves_others_alone, whole_life):
            yield from _run(check_in_catalog.__name__, partial(check_in_catalog, subject, subject.catalog))


def _run(check: str, run: Callable[[], Iterator[str]]) -> Iterator[Violation]:
    try:
        for message in run():
            yield Violation(check, message)
    except DeltaResolverError as error:
        yield Violation(check, f"{type(error).__name__} {error.code} was raised: {error.message}")
    except Exception as error:  # noqa: BLE001 - the code of a stranger's trigger runs in here
        yield Violation(check, f"{type(error).__name__} was raised: {error}")


def _not_compliant(subject: Subject, violations: Sequence[Violation]) -> ComplianceError:
    name = subject.feature.name
    count = f"{len(violations)} violation{'s' if len(violations) > 1 else ''}"
    return ComplianceError(
        f"{name} does not comply, {count} found:" + "".join(f"\n  - {violation}" for violation in violations),
        fix="Correct the feature, or the examples given for it.",
        details={
            "feature": name,
            "violations": [{"check": one.check, "message": one.message} for one in violations],
        },
    )
