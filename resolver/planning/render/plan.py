"""A plan as text, Markdown or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from deltaresolver.planning.plan import Plan
from deltaresolver.planning.steps import Step
from deltaresolver.resolution.explain.phrases import counted, pair
from deltaresolver.resolution.explain.visible_text import visible_command


def render_plan(found: Plan, form: str = "text") -> str:
    """The plan in `text`, `markdown` or `json`. Raises `ValueError` for any other form."""
    if form == "json":
        return json.dumps(found.to_json(), indent=2, ensure_ascii=False)
    if form == "text":
        return "\n".join(_text(found))
    if form == "markdown":
        return "\n".join(_markdown(found))
    raise ValueError(f"form must be text, markdown or json, not {form!r}")


def summary(found: Plan) -> str:
    """One sentence: how many steps, from where to where, at what price."""
    if not found.is_possible:
        return "There is no way."
    if not found.steps:
        return "Nothing to do: the table is there already."
    count = "One step" if len(found.steps) == 1 else f"{len(found.steps)} steps"
    before, after = pair(found.start.protocol), pair(found.end.protocol)
    return f"{count}, {before} -> {after}: {_price(found)}."


def _price(found: Plan) -> str:
    cost, told = found.cost, []
    if any(step.kind.rewrites for step in found.steps):
        known = found.start.totals is not None
        told.append(f"{counted(cost.files, 'file')} rewritten, {cost.bytes:,} bytes" if known else "files rewritten")
    if cost.truncations:
        told.append("history lost")
    return ", ".join(told or ["metadata only, history stays"])


def _text(found: Plan) -> Iterator[str]:
    yield f"target  {found.target}"
    yield ""
    yield summary(found)
    for number, step in enumerate(found.steps, start=1):
        yield ""
        yield f"{number}. {step.title}"
        yield f"   cost    {'; '.join(step.costs)}"
        yield f"   after   {step.leaves}"
        yield from (f"   SQL     {statement}" for statement in step.sql)
        yield f"   Python  {step.python}"
        yield f"   CLI     {visible_command(step.cli)}"
    yield from _listed("Why not", found.reasons)
    yield from _listed("By the way", found.notes)


def _listed(title: str, lines: tuple[str, ...]) -> Iterator[str]:
    if lines:
        yield ""
        yield title
        yield from (f"  - {line}" for line in lines)


def _markdown(found: Plan) -> Iterator[str]:
    yield f"- target: {found.target}"
    yield ""
    yield f"**{summary(found)}**"
    if found.steps:
        yield ""
        yield "| # | Step | Cost | After | Spark SQL | CLI |"
        yield "|---|---|---|---|---|---|"
        yield from (_row(number, step) for number, step in enumerate(found.steps, start=1))
    for title, lines in (("Why not", found.reasons), ("By the way", found.notes)):
        if lines:
            yield from ("", f"### {title}", "", *(f"- {line}" for line in lines))


def _row(number: int, step: Step) -> str:
    sql = "; ".join(step.sql)
    cells = (str(number), step.title, "; ".join(step.costs), step.leaves, _code(sql), _code(step.cli))
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _code(text: str) -> str:
    """The text as Markdown code, also if it has backticks."""
    return f"`` {text} ``"
