"""The kits for rules, clients, profiles, policies and hooks pass the sample packages and fail whatever is sick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from deltaresolver.errors import ComplianceError, PolicyRefusedError
from deltaresolver.model import Metadata
from deltaresolver.plugins import hookimpl
from deltaresolver.testing import check_audit_rules, check_clients, check_hooks, check_policies, check_profiles

SAMPLES = [Path(__file__).parents[2] / name for name in ("sample_plugin", "sample_lineage")]
OWNED = Metadata(configuration={"sample.owner": "me"})


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Imports a module of the sample packages."""
    import importlib

    for folder in SAMPLES:
        monkeypatch.syspath_prepend(str(folder))
    yield importlib.import_module
    for name in [each for each in sys.modules if each.startswith(("deltaresolver_sample", "deltaresolver_lineage"))]:
        del sys.modules[name]


def test_the_sample_packages_pass(sample: Callable[[str], ModuleType]) -> None:
    check_audit_rules(sample("deltaresolver_sample.audit_owner"), found=[Metadata()], silent=[OWNED])
    check_clients(sample("deltaresolver_sample.loader"))
    notes = sample("deltaresolver_sample.commit_notes")
    check_policies(notes, lets=[{"x.y": "1"}])
    check_hooks(notes)
    source, approval = sample("deltaresolver_lineage.source"), sample("deltaresolver_sample.change_approval")
    check_profiles(sample("deltaresolver_lineage.platform"), beside=[source, approval])


def bringing(**hooks: Callable[[], Any]) -> SimpleNamespace:
    """A plugin with these hooks."""
    made = SimpleNamespace(__name__="acme")
    for name, function in hooks.items():
        setattr(made, name, _hook_of(name, function))
    return made


def _hook_of(name: str, function: Callable[[], Any]) -> Callable[[], Any]:
    def hook() -> Any:
        return function()

    hook.__name__ = name
    return hookimpl(hook)


def exiting(*_: object) -> None:
    raise SystemExit(3)


class Refusing:
    def __init__(self, fix: str) -> None:
        self.fix = fix

    def check(self, proposal: Any) -> None:
        if proposal.draft.metadata.configuration.get("acme.locked"):
            raise PolicyRefusedError("It is locked.", fix=self.fix)


def rule(check: Any, name: str = "acme-rule") -> SimpleNamespace:
    from deltaresolver.plugin import AuditRule, Severity

    return bringing(audit_rules=lambda: AuditRule(name, Severity.WARNING, "Acme", "Do.", check))


COUNT = [0]


def counting(_: object) -> list[Any]:
    from deltaresolver.plugin import Observation

    COUNT[0] += 1
    return [Observation(f"Seen {COUNT[0]} times.")]


SICK: dict[str, tuple[Callable[[], None], str]] = {
    "no rule": (lambda: check_audit_rules(bringing(audit_rules=list)), "brings no audit rule"),
    "rule raises": (lambda: check_audit_rules(rule(lambda table: [table.metadata.id])), "AttributeError"),
    "rule exits": (lambda: check_audit_rules(rule(exiting)), "SystemExit"),
    "rule of texts": (lambda: check_audit_rules(rule(lambda _: ["no owner"])), "gave str, not an Observation"),
    "rule finds nothing": (
        lambda: check_audit_rules(rule(lambda _: []), found=[Metadata()]),
        "finds nothing on any table of found",
    ),
    "rule finds too much": (
        lambda: check_audit_rules(rule(lambda _: [_observation()]), silent=[Metadata()]),
        "finds something on a table of silent",
    ),
    "rule that counts": (lambda: check_audit_rules(rule(counting)), "answers the same question differently"),
    "misnamed rule": (
        lambda: check_audit_rules(rule(lambda _: [], "Acme Rule")),
        "is not a valid name for an audit rule",
    ),
    "no client": (lambda: check_clients(bringing(delta_client=list)), "brings no client"),
    "taken client": (lambda: check_clients(bringing(delta_client=lambda: {"id": "trino"})), "trino"),
    "client of nothing": (lambda: check_clients(bringing(delta_client=dict)), "id"),
    "client hook raises": (lambda: check_clients(bringing(delta_client=lambda: COUNT[7])), "IndexError"),
    "no profile": (lambda: check_profiles(bringing(catalog_profile=list)), "brings no profile"),
    "profile of a stranger's feature": (lambda: check_profiles(_profile("acme", "acmeSealed")), "acmeSealed"),
    "profile with a reserved name": (lambda: check_profiles(_profile("all", "rowTracking")), "cannot be the name"),
    "no policy": (lambda: check_policies(bringing(commit_policy=list)), "brings no commit policy"),
    "policy refuses nothing": (
        lambda: check_policies(bringing(commit_policy=lambda: Refusing("Do.")), refuses=[{"x.y": "1"}]),
        "is not refused",
    ),
    "policy refuses too much": (
        lambda: check_policies(bringing(commit_policy=lambda: Refusing("Do.")), lets=[{"acme.locked": "1"}]),
        "is refused: It is locked.",
    ),
    "policy without advice": (
        lambda: check_policies(bringing(commit_policy=lambda: Refusing("")), refuses=[{"acme.locked": "1"}]),
        "without a word of what to do",
    ),
    "policy exits": (
        lambda: check_policies(bringing(commit_policy=lambda: SimpleNamespace(check=exiting)), lets=[{"x.y": "1"}]),
        "SystemExit",
    ),
    "policy of the wrong shape": (
        lambda: check_policies(bringing(commit_policy=lambda: SimpleNamespace(chek=exiting))),
        "not a CommitPolicy",
    ),
    "no hook": (lambda: check_hooks(bringing(post_commit_hook=list)), "brings no post-commit hook"),
    "hook raises": (lambda: check_hooks(_hook(run=lambda committed: COUNT[7])), "IndexError"),
    "hook exits": (lambda: check_hooks(_hook(run=exiting)), "SystemExit"),
    "handle_error raises": (lambda: check_hooks(_hook(handle_error=lambda error, version: 1 / 0)), "ZeroDivisionError"),
    "hook without a name": (lambda: check_hooks(_hook(name=5)), "whose name is not a string"),
}


def _observation() -> Any:
    from deltaresolver.plugin import Observation

    return Observation("Seen.")


def _hook(**changes: Any) -> SimpleNamespace:
    parts = {"name": "acme", "run": lambda committed: None, "handle_error": lambda error, version: None}
    return bringing(post_commit_hook=lambda: SimpleNamespace(**(parts | changes)))


def _profile(name: str, requires: str) -> SimpleNamespace:
    from deltaresolver.plugin import CatalogProfile, PlatformRequirement

    needs = (PlatformRequirement("appendOnly", {requires}),)
    return bringing(catalog_profile=lambda: CatalogProfile(name, "Acme", "Made up.", "https://example.com", needs))


@pytest.mark.parametrize("kind", SICK)
def test_the_kits_find_what_is_sick(kind: str) -> None:
    run, words = SICK[kind]
    with pytest.raises(ComplianceError) as raised:
        run()
    assert raised.value.code == "DR302"
    assert words in raised.value.message
