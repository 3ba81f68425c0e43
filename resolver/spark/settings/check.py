"""A look at the session's settings before a statement."""

from __future__ import annotations

import difflib
import warnings
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from deltaresolver.errors import SettingRefusedError
from deltaresolver.spark.settings.rules import CONSENT_PREFIX, DEFAULTS_PREFIX, PREFIX, REFUSED

if TYPE_CHECKING:
    from collections.abc import Mapping

_warned: set[str] = set()


class UnknownSettingWarning(UserWarning):
    """A setting begins as Delta's do, and no release of delta-spark that is known here has it."""


@cache
def known_settings() -> frozenset[str]:
    """Every setting of delta-spark 4.4, by its whole name."""
    text = resources.files("deltaresolver.spark.settings").joinpath("delta_spark_4_4.txt").read_text()
    return frozenset(text.split())


def check_settings(settings: Mapping[str, str]) -> None:
    """Raises `SettingRefusedError` for a value that would change results; warns of each unknown setting once."""
    for key, value in settings.items():
        if not key.startswith(PREFIX):
            continue
        refusal = REFUSED.get(key.removeprefix(PREFIX))
        if refusal is not None and value.strip().lower() not in refusal.allowed:
            raise SettingRefusedError(
                f"{key} is {value}: in delta-spark, {refusal.otherwise}; this is not followed here.",
                fix=f"Unset it, or set it to {' or '.join(refusal.allowed)}.",
                details={"setting": key, "value": value, "allowed": list(refusal.allowed)},
            )
        if refusal is None and key not in _warned and not _is_known(key):
            _warned.add(key)
            near = difflib.get_close_matches(key, known_settings(), n=1, cutoff=0.9)
            hint = f"; did you mean {near[0]}?" if near else ""
            warnings.warn(f"delta-spark 4.4 has no setting {key}{hint}", UnknownSettingWarning, stacklevel=3)


def _is_known(key: str) -> bool:
    return key.startswith((DEFAULTS_PREFIX, CONSENT_PREFIX)) or key in known_settings()
