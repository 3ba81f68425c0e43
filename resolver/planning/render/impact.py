"""An impact as text, Markdown or JSON; clients that become silently wrong come first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.planning.impact import Change, Impact

_VERBS = {Act.OPEN: "open", Act.READ: "read", Act.APPEND: "append to"}
_HARM = {
    Act.OPEN: "will open the table WRONGLY",
    Act.READ: "will read WRONG ROWS",
    Act.APPEND: "will append and DAMAGE the table",
}
_HARM_AS_BEFORE = {
    Act.OPEN: "opens the table WRONGLY",
    Act.READ: "reads WRONG ROWS",
    Act.APPEND: "appends and DAMAGES the table",
}
_AS_BEFORE = "SILENTLY WRONG, AS BEFORE"


def render_impact(impact: Impact, form: str = "text") -> str:
    """The impact in `text`, `markdown` or `json`. Raises `ValueError` for any other form."""
    if form == "json":
        return json.dumps(impact.to_json(), indent=2, ensure_ascii=False)
    if form == "text":
        return "\n".join(_text(impact))
    if form == "markdown":
        return "\n".join(_markdown(impact))
    raise ValueError(f"form must be text, markdown or json, not {form!r}")


def sentence(changes: Sequence[Change]) -> str:
    """One sentence for changes of one client that differ only in the act: client, acts, reason, releases that work."""
    change = changes[0]
    verbs = _listed([_VERBS[one.act] for one in changes])
    outcome = change.after.outcome
    if outcome is Outcome.SILENTLY_WRONG:
        what = _listed([_HARM[one.act] for one in changes], "and") + ", without an error"
    elif outcome is Outcome.REFUSES:
        what = f"can no longer {verbs} it"
    elif outcome is Outcome.UNKNOWN:
        what = f"may no longer {verbs} it"
    else:
        verbs = _listed([_VERBS[one.act] for one in changes], "and")
        return f"{change.client} can {verbs} it; until now{_because(change)} [{_sure(change)}]"
    return f"{change.client} {what}{_because(change)}{_instead(change)} [{_sure(change)}]"


def _listed(words: Sequence[str], last: str = "or") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _grouped(changes: Iterable[Change]) -> Iterator[tuple[Change, ...]]:
    """Groups of changes whose sentences differ in the act alone."""
    groups: dict[tuple[str, ...], list[Change]] = {}
    for change in changes:
        key = (change.client, change.after.outcome.value, _because(change), _instead(change), _sure(change))
        groups.setdefault(key, []).append(change)
    return (tuple(group) for group in groups.values())


def _because(change: Change) -> str:
    verdict = change.worse
    if verdict.feature and verdict.feature not in verdict.reason:
        return f": {verdict.feature}, {verdict.reason}"
    return f": {verdict.reason}"


def _instead(change: Change) -> str:
    if not change.would_do or change.after.outcome is Outcome.WORKS:
        return ""
    return f"; {' or '.join(change.would_do)} would do"


def _sure(change: Change) -> str:
    evidence = change.after.evidence
    if change.after.outcome is Outcome.UNKNOWN:
        return change.after.warning or "not established"
    text = evidence.rank.value
    if evidence.rank is Rank.BETWEEN and evidence.basis:
        text += f" ({evidence.basis})"
    return f"{text}; {change.after.warning}" if change.after.warning else text


def _sections(impact: Impact) -> Iterator[tuple[str, tuple[Change, ...]]]:
    wrong = set(map(id, impact.silently_wrong))
    yield "SILENTLY WRONG", impact.silently_wrong
    yield "Breaks", tuple(change for change in impact.losses if id(change) not in wrong)
    yield "Gains", impact.gains


def _text(impact: Impact) -> Iterator[str]:
    yield _summary(impact)
    for title, changes in _sections(impact):
        if changes:
            yield ""
            yield f"!!! {title} !!!" if title.isupper() else title
            mark = "!!" if title.isupper() else "-"
            yield from (f"  {mark} {sentence(group)}" for group in _grouped(changes))
    if impact.still_wrong:
        yield from ("", f"!!! {_AS_BEFORE} !!!")
        yield from (f"  !! {told}" for told in _told_as_before(impact))


def _told_as_before(impact: Impact) -> Iterator[str]:
    """A sentence for each client and reason."""
    groups: dict[tuple[str, str], list[Act]] = {}
    for name, verdict in impact.still_wrong:
        groups.setdefault((name, verdict.reason), []).append(verdict.act)
    for (name, reason), acts in groups.items():
        yield f"{name} {_listed([_HARM_AS_BEFORE[act] for act in acts], 'and')}, without an error: {reason}"


def _summary(impact: Impact) -> str:
    if not impact.changes:
        asked = "one client" if len(impact.clients) == 1 else f"{len(impact.clients)} clients"
        wrong = len({name for name, _ in impact.still_wrong})
        verb = "goes" if wrong == 1 else "go"
        told = f"; {wrong} of them {verb} wrong without an error, as before" if wrong else ""
        return f"Nothing changes for the {asked} asked about{told}."
    if len(impact.clients) == 1:
        return _summary_of_one(impact)
    losing, gaining = len(_names(impact.losses)), len(_names(impact.gains))
    verb = "loses" if losing <= 1 else "lose"
    what = "something" if losing else "anything"
    parts = [f"{losing or 'None'} of {len(impact.clients)} clients {verb} {what}"]
    if impact.silently_wrong:
        parts.append(f"{len(_names(impact.silently_wrong))} of them without noticing")
    if gaining:
        parts.append(f"{gaining} {'gains' if gaining == 1 else 'gain'}")
    return ", ".join(parts) + "."


def _summary_of_one(impact: Impact) -> str:
    noticed = " without noticing" if impact.silently_wrong else ""
    parts = [f"loses {f'something{noticed}' if impact.losses else 'nothing'}"]
    if impact.gains:
        parts.append("gains something")
    return f"The client asked about {' and '.join(parts)}."


def _names(changes: Iterable[Change]) -> set[str]:
    return {change.client for change in changes}


def _markdown(impact: Impact) -> Iterator[str]:
    yield _summary(impact)
    for title, changes in _sections(impact):
        if not changes:
            continue
        yield ""
        yield f"### ⚠️ {title}" if title.isupper() else f"### {title}"
        yield ""
        yield "| Client | Act | Before | After | Why | Would do | How sure |"
        yield "|---|---|---|---|---|---|---|"
        yield from (_row(group) for group in _grouped(changes))
    if impact.still_wrong:
        yield from ("", f"### ⚠️ {_AS_BEFORE}", "")
        yield from (f"- {told}" for told in _told_as_before(impact))


def _row(changes: Sequence[Change]) -> str:
    change = changes[0]
    cells = (
        change.client,
        ", ".join(one.act.value for one in changes),
        change.before.outcome.value,
        f"**{change.after.outcome.value}**",
        _because(change).removeprefix(": "),
        ", ".join(change.would_do) if change.after.outcome is not Outcome.WORKS else "",
        _sure(change),
    )
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
