"""What the author of a new feature wants, given by options or asked for."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import click

from deltaresolver.cli.skeleton.behaviour_text import CONDITIONS
from deltaresolver.defaults import default_catalog
from deltaresolver.model.behaviour import ABILITIES

NOTHING = "nothing"
"""What a feature without a behaviour acts in."""


@attrs.frozen(slots=True)
class Wishes:
    """What was given; what was not is empty."""

    key: str | None = None
    requires: tuple[str, ...] = ()
    for_readers: bool = False
    acts: tuple[str, ...] = ()


def asked_for(name: str, given: Wishes) -> Wishes:
    """The wishes with answers to what was not given."""
    key = given.key or click.prompt(
        "Which table property switches it on", default=f"{name}.enabled", value_proc=_is_own
    )
    requires = given.requires or _names("Which features must come with it, with commas", "", _is_feature)
    readers = given.for_readers or click.confirm("Must readers know it, too", default=False)
    print(f"A behaviour may act in {', '.join(ABILITIES)}, or in {NOTHING}.")
    acts = given.acts or _names("In which does it act, with commas", CONDITIONS, _is_method)
    return Wishes(key, requires, readers, acts)


def _is_own(answer: str) -> str:
    if is_deltas(answer):
        raise click.BadParameter("Properties that begin with delta. are Delta's own; choose another prefix.")
    return answer


def is_deltas(key: str) -> bool:
    """Whether a property begins as Delta's own do: others of that kind are refused wherever a table is made."""
    return key.lower().startswith("delta.")


def _names(question: str, default: str, check: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    return click.prompt(question, default=default, show_default=bool(default), value_proc=check)


def _parts(answer: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in answer.split(",") if part.strip())


def _is_feature(answer: str) -> tuple[str, ...]:
    for one in _parts(answer):
        if default_catalog().find(one) is None:
            near = default_catalog().closest(one)
            raise click.BadParameter(f"There is no feature {one!r}{f', did you mean {near}' if near else ''}.")
    return _parts(answer)


def _is_method(answer: str) -> tuple[str, ...]:
    for one in _parts(answer):
        if one not in (*ABILITIES, NOTHING):
            raise click.BadParameter(f"There is no method {one!r}.")
    return _parts(answer) or (NOTHING,)
