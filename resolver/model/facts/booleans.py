"""How Delta reads a property that is either true or false."""

from __future__ import annotations

from deltaresolver.errors import PropertyInvalidError

_BOOLEANS = {"true": True, "false": False}


def read_boolean(key: str, value: str) -> bool:
    """`true` or `false` in any case. Raises `PropertyInvalidError` for everything else, as delta-spark does."""
    read = _BOOLEANS.get(value)
    if read is None:
        read = _BOOLEANS.get(value.lower())
    if read is not None:
        return read
    raise PropertyInvalidError(
        f"{key} is {value!r}, which is neither true nor false.",
        fix=f"Set {key} to 'true' or 'false', without spaces.",
        details={"key": key, "value": value, "expected": ["true", "false"]},
    )
