"""Whether a value is in a list of values, as IN compares them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from deltaresolver.expressions.compare import UNKNOWABLE, compare
from deltaresolver.expressions.scalar_calls import any_of
from deltaresolver.expressions.values.casts import as_text


def is_listed(value: Any, members: Sequence[Any], kinds: Sequence[tuple[str, str]]) -> Any:
    """True, False, None, or UNKNOWABLE; `kinds` are those of the value and of each member."""
    if not _are_mixed((value, *members)):
        answers = [compare(value, member, operator.eq) for member in members]
        return UNKNOWABLE if UNKNOWABLE in answers else any_of(answers)
    answers = []
    for member, kind in zip(members, kinds, strict=True):
        answer = compare(value, member, operator.eq, kind)
        if answer in (True, False):
            # A session without ANSI compares all of them as texts, where one is.
            texts = as_text(value), as_text(member)
            answer = UNKNOWABLE if UNKNOWABLE in texts or answer is not (texts[0] == texts[1]) else answer
        answers.append(answer)
    return UNKNOWABLE if UNKNOWABLE in answers else any_of(answers)


def _are_mixed(values: Sequence[Any]) -> bool:
    """Whether texts stand beside values of other types."""
    texts = others = False
    for value in values:
        if isinstance(value, str):
            texts = True
        elif value is not None:
            others = True
    return texts and others
