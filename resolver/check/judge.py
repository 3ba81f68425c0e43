"""Steps to findings: what each would do to required clients, to the protocol, and against what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from deltaresolver.check.found import RULES, CheckFinding
from deltaresolver.check.scratch import plain_table
from deltaresolver.check.steps import ProposedStep
from deltaresolver.clients.asked import AskedClient, newest_of_all
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import DeltaResolverError, InvalidInputError, UnknownColumnError
from deltaresolver.model.audit_finding import Severity
from deltaresolver.planning.advice import newer_release_that_works
from deltaresolver.planning.impact import Change, Direction, impact
from deltaresolver.planning.kept_acts import kept_clients
from deltaresolver.planning.lake.lake import Lake
from deltaresolver.planning.state import PlanState
from deltaresolver.resolution.explain.phrases import pair

_CREATING = ("create-table", "replace-table")
_WORDS = {Act.READ: "read", Act.APPEND: "append to"}
_HARM = {Act.READ: "would read wrong rows from", Act.APPEND: "would damage"}


@attrs.frozen(slots=True, eq=False)
class Judge:
    """Judges steps by a lake.toml; `required` are clients that must go on working with every table."""

    lake: Lake
    knowledge: ClientKnowledge
    required: tuple[str, ...] = ()

    def findings(self, step: ProposedStep) -> Iterator[CheckFinding]:
        """What is wrong with a step, or worth knowing."""
        yield from self._about_table(step)
        if step.unjudged:
            message = f"What this does to a table is not known here: {step.unjudged}."
            fix = "Write it as CREATE or ALTER TABLE, or look at it yourself."
            yield _finding(step, "statement-not-judged", message, fix, step.unjudged)
        if step.error is not None:
            yield from self._refused(step, step.error)
        if step.known is not None and step.kind in self.lake.changes.refused:
            name = step.known.name
            yield _finding(step, "statement-not-allowed", f"{step.kind} is not allowed here; this one changes {name}.",
                           "Leave the statement out, or take its kind out of changes.refuse.", step.kind)  # fmt: skip
        if step.after is not None:
            yield from self._clients(step, step.after)
            yield from self._protocol(step, step.after)

    def _about_table(self, step: ProposedStep) -> Iterator[CheckFinding]:
        if step.known is None or step.known.is_known or step.kind in _CREATING:
            return
        name, fix = step.known.name, RULES["table-unknown"].why
        if step.known.error is not None:
            error = step.known.error.rstrip(".")
            message = f"{name} cannot be read ({error}); it is judged as a table that uses no features."
            yield _finding(step, "table-unreadable", message, "Give this job access to the table, or its metadata.")
        else:
            message = f"{name} is not known here; it is judged as a table that uses no features."
            yield _finding(step, "table-unknown", message, fix)

    def _refused(self, step: ProposedStep, error: DeltaResolverError) -> Iterator[CheckFinding]:
        told = f"{error.code}: {error.message}", error.fix, error.code
        is_wrong = isinstance(error, InvalidInputError) and not isinstance(error, UnknownColumnError)
        if step.known is None or is_wrong:
            yield _finding(step, "statement-unreadable", *told)
        elif step.kind in _CREATING:
            # No table stands in its way, so it can never have been carried out.
            yield attrs.evolve(_finding(step, "statement-refused", *told), severity=Severity.ERROR)
        elif step.known.is_known:
            yield _finding(step, "statement-refused", *told)

    def _clients(self, step: ProposedStep, after: PlanState) -> Iterator[CheckFinding]:
        before = None if step.before is None else step.before.needs
        texts = (*self.required, *(() if step.known is None else self.lake.required_texts(step.known.place)))
        for client, acts in kept_clients(dict.fromkeys(texts), self.knowledge).clients:
            for act in acts:
                found = self._lost(step, client, act, before, after.needs)
                if found is not None:
                    yield found
        if not (self.required or self.lake.clients):
            yield from self._others(step, before, after)

    def _lost(
        self, step: ProposedStep, client: AskedClient, act: Act, before: TableNeeds | None, after: TableNeeds
    ) -> CheckFinding | None:
        verdict = client.verdict(after, act)
        was = None if before is None else client.verdict(before, act).outcome
        if verdict.works or was is verdict.outcome or was not in (None, Outcome.WORKS, Outcome.UNKNOWN):
            return None
        if was is Outcome.UNKNOWN and verdict.outcome is not Outcome.SILENTLY_WRONG:
            return None
        table, reason = _name(step), verdict.reason.rstrip(".")
        reason += f" ({verdict.warning.rstrip('.')})" if verdict.warning else ""
        newer = newer_release_that_works(client, after, act)
        fix = "Leave the change out" + (f", or upgrade {client} to {newer} first." if newer else ".")
        about = (str(client), act.value)
        if verdict.outcome is Outcome.SILENTLY_WRONG:
            return _finding(step, "silently-wrong", f"{client} {_HARM[act]} {table} without an error: {reason}.",
                            fix, *about)  # fmt: skip
        could = "could not" if was is None else "could no longer"
        message = f"{client} {could} {_WORDS[act]} {table}{_because(verdict)}: {reason}."
        return _finding(step, "client-locked-out", message, fix, *about)

    def _others(self, step: ProposedStep, before: TableNeeds | None, after: PlanState) -> Iterator[CheckFinding]:
        """What the newest releases of all clients would lose, in one finding."""
        start = before or plain_table(after.catalog).needs
        releases = [release for client in newest_of_all(self.knowledge) for release in client.releases[:1]]
        lost = impact(start, after.needs, releases, self.knowledge, find_releases=False).changes
        losses = [one for one in lost if one.direction is Direction.LOSS and one.act in _WORDS]
        if losses:
            told = ", ".join(dict.fromkeys(_loss(one) for one in losses))
            message = f"Of the newest releases of all clients, these would lose {_name(step)}: {told}."
            fix = "Name the clients that matter in a lake.toml, or with --require."
            yield _finding(step, "other-clients", message, fix, *sorted({one.client for one in losses}))

    def _protocol(self, step: ProposedStep, after: PlanState) -> Iterator[CheckFinding]:
        allowed = self.lake.changes
        start = plain_table(after.catalog) if step.before is None else step.before
        added = sorted(after.supported - start.supported)
        name = _name(step)
        if step.before is not None and added:
            rise = f"The protocol of {name} would go from {pair(start.protocol)} to {pair(after.protocol)}"
            severity = None if allowed.protocol else Severity.ERROR
            fix = "" if allowed.protocol else 'Leave the change out: changes.protocol is "refuse".'
            found = _finding(step, "protocol-rise", f"{rise}, with {', '.join(added)}.", fix, *added)
            yield found if severity is None else attrs.evolve(found, severity=severity)
        wanted = [one for one in added if allowed.features is not None and one not in allowed.features]
        if wanted:
            told = f"{name} would get {', '.join(wanted)}; allowed are {', '.join(allowed.features or ()) or 'none'}."
            fix = "Leave the change out, or add the feature to changes.features."
            yield _finding(step, "feature-not-allowed", told, fix, *wanted)


def _because(verdict: Verdict) -> str:
    return f" because of {verdict.feature}" if verdict.feature else ""


def _loss(change: Change) -> str:
    how = " without an error" if change.worse.outcome is Outcome.SILENTLY_WRONG else ""
    return f"{change.client} ({change.act.value}{how})"


def _name(step: ProposedStep) -> str:
    return "the table" if step.known is None else step.known.name


def _finding(step: ProposedStep, rule: str, message: str, fix: str, *about: str) -> CheckFinding:
    return CheckFinding(rule, RULES[rule].severity, message, step.place, _name(step), fix, about)


def judged_by_lake(findings: Iterable[CheckFinding], lake: Lake) -> Iterator[CheckFinding]:
    """Findings of the selected rules only, each with the severity that the lake.toml sets."""
    for one in findings:
        if lake.selected is None or one.rule in lake.selected:
            severity = lake.severity(one.rule)
            yield one if severity is None else attrs.evolve(one, severity=Severity(severity))
