"""The keys of the files in rows of the log, for many rows at once (`file_key` is the rule)."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.action_rows import ActionRows, Rows
from deltaresolver.log.columnar.fast.arrow_numpy import flags_of, from_numbers, from_texts, valid_rows
from deltaresolver.log.columnar.fast.fingerprint import Fingerprints, fingerprint, string_buffers
from deltaresolver.model.file_key import canonical_path
from deltaresolver.value import Printable

_SLASH, _DOT, _COLON = b"/.:"
_NONE = np.empty(0, np.uint64)
_VECTOR_SALT = np.uint64(0xD6E8FEB86659FD93)


@attrs.frozen(slots=True, eq=False)
class FileKeys(Printable):
    """The keys of one `ActionRows`: for every file action its row and a fingerprint of its key."""

    rows: npt.NDArray[np.int64]
    is_add: npt.NDArray[np.bool_]
    prints: Fingerprints


def find_keys(actions: ActionRows, seed: int = 0) -> FileKeys:
    """The file actions among the rows, in order, with fingerprints of their canonical keys that depend on `seed`."""
    if actions.lines is not None:
        return _merge(actions, *actions.lines, seed)
    prints = np.zeros(len(actions.add), np.uint64)
    present = np.zeros(len(actions.add), np.bool_)
    added = valid_rows(actions.add)
    for array, valid in ((actions.add, added), (actions.remove, valid_rows(actions.remove))):
        if valid.any():
            prints[valid] = key_prints(array, seed)[valid]
            present |= valid
    rows = np.flatnonzero(present)
    return FileKeys(rows, added[rows], prints[rows])


def _merge(actions: ActionRows, add_lines: Rows, remove_lines: Rows, seed: int) -> FileKeys:
    """Both kinds of action in the order of their lines."""
    order = np.argsort(np.concatenate([add_lines, remove_lines]), kind="stable")
    rows = np.concatenate([np.arange(len(add_lines)), np.arange(len(remove_lines))])[order]
    prints = np.concatenate(
        [key_prints(array, seed) for array in (actions.add, actions.remove) if len(array)] or [_NONE]
    )
    return FileKeys(rows, order < len(add_lines), prints[order])


def key_struct(array: pa.StructArray) -> pa.StructArray:
    """The array with the two fields of the key alone, sharing its memory."""
    children = [array.field("path"), array.field("deletionVector")]
    return pa.StructArray.from_arrays(children, names=["path", "deletionVector"])


def exact_keys(array: pa.StructArray, rows: npt.NDArray[np.int64]) -> pa.StringArray:
    """The canonical keys of `rows` as text, to settle what equal fingerprints leave open."""
    places = from_numbers(rows)
    # Taking children one by one avoids copying the fields that are not part of the key.
    paths = array.field("path").take(places)
    vectors = array.field("deletionVector").take(places)
    odd = rows_with_odd_paths(paths)
    if len(odd):
        paths = from_texts(_canonical(paths.to_pylist(), odd))
    if vectors.null_count == len(vectors):
        return paths
    # No path contains a NUL, so no path followed by an id can be mistaken for another path.
    ids = pc.binary_join_element_wise(from_texts(["\0"] * len(rows)), _vector_ids(vectors), _no_text(len(rows)))
    ids = pc.if_else(vectors.is_valid(), ids, _no_text(len(rows)))
    return pc.binary_join_element_wise(paths, ids, _no_text(len(rows)))


def _canonical(paths: list[str], odd: npt.NDArray[np.int64]) -> list[str]:
    for row in odd.tolist():
        paths[row] = canonical_path(paths[row])
    return paths


def _vector_ids(vectors: pa.StructArray) -> pa.StringArray:
    """The unique ids, as `file_key.deletion_vector_id` spells them."""
    none = _no_text(len(vectors))
    offsets = pc.binary_join_element_wise(from_texts(["@"] * len(vectors)), _text(vectors, "offset"), none)
    parts = [_text(vectors, "storageType"), _text(vectors, "pathOrInlineDv"), offsets, none]
    return pc.binary_join_element_wise(*parts, null_handling="replace", null_replacement="")


def _no_text(length: int) -> pa.StringArray:
    """As many empty strings."""
    buffers = [None, pa.py_buffer(np.zeros(length + 1, np.int32)), pa.py_buffer(b"")]
    return pa.Array.from_buffers(pa.string(), length, buffers)


def key_prints(array: pa.StructArray, seed: int = 0) -> Fingerprints:
    """Fingerprints of the canonical keys of all rows; that of a null row is some fingerprint."""
    paths = array.field("path")
    prints = fingerprint(paths, seed)
    odd = rows_with_odd_paths(paths)
    if len(odd):
        chosen = paths.take(from_numbers(odd)).to_pylist()
        prints[odd] = fingerprint(from_texts([canonical_path(path or "") for path in chosen]), seed)
    vectors = array.field("deletionVector")
    if vectors.null_count < len(vectors):
        rows = np.flatnonzero(valid_rows(vectors))
        taken = vectors.take(from_numbers(rows))
        ids = _vector_ids(taken)
        with np.errstate(over="ignore"):
            prints[rows] ^= fingerprint(ids, seed) * _VECTOR_SALT
    return prints


def _text(vectors: pa.StructArray, name: str) -> pa.StringArray:
    return pc.struct_field(vectors, name).cast(pa.string())


def rows_with_odd_paths(paths: pa.StringArray) -> npt.NDArray[np.int64]:
    """The rows whose path may be spelled otherwise than its canonical form."""
    offsets, text = string_buffers(paths)
    text = text[offsets[0] : offsets[-1]]
    if len(text) < 2:
        return np.flatnonzero(np.diff(offsets) > 0)
    # What begins a path and what follows a slash; other paths than these are looked at in vain, never the reverse.
    begins = (offsets[:-1] - offsets[0])[np.diff(offsets) > 0]
    after = np.flatnonzero(text == _SLASH) + 1
    firsts = text[np.concatenate([begins, np.minimum(after, len(text) - 1)])]
    if not ((firsts == _SLASH) | (firsts == _DOT)).any() and not (text == _COLON).any():
        return np.empty(0, np.int64)
    odd = pc.match_substring_regex(paths, r"^/|^[A-Za-z][A-Za-z0-9+.\-]*:/|//|(^|/)\.\.?(/|$)")
    rows: npt.NDArray[np.int64] = np.flatnonzero(flags_of(odd) & valid_rows(paths))
    return rows
