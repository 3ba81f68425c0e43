"""JSON objects to Arrow by pyarrow's reader, kept from what the reader gets wrong.

It takes a null at the top for an object, ends the process if one comes first, and says nothing of bytes that
are no text in names and values it does not keep. Callers see to it that every line begins with an object.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as arrow_json

from deltaresolver.log.columnar.fast.arrow_numpy import from_numbers, one_text


def read_objects(data: bytes | pa.Buffer, schema: pa.Schema) -> pa.Table | None:
    """The objects in `data` with the fields of `schema`, a row each, or None where the reader refuses.

    The first thing in `data` must be an object.
    """
    size = data.size if isinstance(data, pa.Buffer) else len(data)
    try:
        return arrow_json.read_json(
            pa.BufferReader(data),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=size + 1),
            parse_options=arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError):
        return None


def read_texts(texts: pa.StringArray, schema: pa.Schema) -> pa.Table | None:
    """The object in each text, or None where one of them is not exactly one object; a null is an empty object."""
    lines = pc.fill_null(texts, one_text("{}"))
    # A text with two objects must not make up for one with none.
    if pc.starts_with(lines, "{").true_count < len(lines):
        return None
    whole = pa.ListArray.from_arrays(from_numbers(np.array([0, len(lines)], np.int32)), lines)
    buffer = pc.binary_join(whole, one_text("\n")).buffers()[2]
    table = None if buffer is None else read_objects(buffer, schema)
    return table if table is not None and table.num_rows == len(texts) else None
