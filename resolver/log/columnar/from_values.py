"""A few Python values as an Arrow array of any type small actions have, by buffers alone (see `arrow_numpy`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from deltaresolver.errors import ActionMalformedError
from deltaresolver.log.columnar.fast.arrow_numpy import Mask, from_flags, from_numbers, from_texts


def from_values(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """The values, None as null; a map is a dict. Raises `ActionMalformedError` for a value that is not of the type.

    Raises `NotImplementedError` for types that small actions have not.
    """
    valid = np.array([value is not None for value in values], np.bool_)
    if not valid.any():
        return pa.nulls(len(values), kind)
    _ensure_of(kind, values)
    if pa.types.is_struct(kind):
        children = [
            from_values([None if value is None else value.get(field.name) for value in values], field.type)
            for field in kind
        ]
        return pa.StructArray.from_arrays(children, fields=list(kind), mask=from_flags(~valid))
    if pa.types.is_map(kind):
        return _maps([value or {} for value in values], valid, kind)
    if pa.types.is_list(kind):
        items = from_values([item for value in values for item in value or ()], kind.value_type)
        offsets = _offsets([len(value or ()) for value in values])
        return pa.ListArray.from_arrays(offsets, items, type=kind, mask=from_flags(~valid))
    if pa.types.is_boolean(kind):
        return _with_nulls(from_flags(np.array([bool(value) for value in values], np.bool_)), valid)
    if pa.types.is_int32(kind) or pa.types.is_int64(kind):
        try:
            return _with_nulls(from_numbers(np.array([value or 0 for value in values], np.int64)), valid).cast(kind)
        except (OverflowError, pa.ArrowInvalid) as error:
            raise ActionMalformedError(
                f"A number of an action does not fit {kind}: {error}.",
                fix="Find the writer of this action; the file that holds it has to be restored or repaired.",
                details={"type": str(kind), "reason": str(error)},
            ) from error
    if pa.types.is_string(kind):
        return _with_nulls(from_texts([value or "" for value in values]), valid)
    raise NotImplementedError(f"no array of {kind} from Python values")


def _ensure_of(kind: pa.DataType, values: Sequence[Any]) -> None:
    """What the log has may be anything, in fields that no reader looks at as well."""
    wanted: type | tuple[type, ...] = object
    if pa.types.is_struct(kind) or pa.types.is_map(kind):
        wanted = Mapping
    elif pa.types.is_list(kind):
        wanted = (list, tuple)
    elif pa.types.is_string(kind):
        wanted = str
    elif pa.types.is_integer(kind):
        wanted = int
    odd = next((value for value in values if value is not None and not isinstance(value, wanted)), None)
    if odd is not None:
        raise ActionMalformedError(
            f"A field of an action should be of type {kind}, and holds {str(odd)[:100]!r}.",
            fix="Find the writer of this action; the file that holds it has to be restored or repaired.",
            details={"type": str(kind), "found": str(odd)[:500]},
        )


def _maps(values: Sequence[Mapping[str, Any]], valid: Mask, kind: pa.MapType) -> pa.MapArray:
    keys = from_values([key for value in values for key in value], kind.key_type)
    items = from_values([item for value in values for item in value.values()], kind.item_type)
    offsets = _offsets([len(value) for value in values])
    return pa.MapArray.from_arrays(offsets, keys, items, type=kind, mask=from_flags(~valid))


def _offsets(lengths: Sequence[int]) -> pa.Int32Array:
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    return from_numbers(offsets)


def _with_nulls(array: pa.Array, valid: Mask) -> pa.Array:
    """The same values, null where not `valid`."""
    bits = pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(array.type, len(array), [bits, *array.buffers()[1:]])
