"""What identifies the files that rows of the log speak of, for many rows at once (`file_key` is the rule)."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.action_rows import ActionRows
from deltaresolver.log.fingerprint import Fingerprints, fingerprint, string_buffers
from deltaresolver.model.file_key import canonical_path, deletion_vector_id

_VECTOR_SALT = np.uint64(0xD6E8FEB86659FD93)


@attrs.frozen(slots=True, eq=False)
class FileKeys:
    """The keys of one `ActionRows`: for every file action its row and a fingerprint of its key."""

    rows: npt.NDArray[np.int64]
    is_add: npt.NDArray[np.bool_]
    prints: Fingerprints


def find_keys(actions: ActionRows) -> FileKeys:
    """The file actions among the rows, in order, with fingerprints of their canonical keys."""
    prints = np.zeros(len(actions), np.uint64)
    present = np.zeros(len(actions), np.bool_)
    added = _valid_rows(actions.add)
    for array, valid in ((actions.add, added), (actions.remove, _valid_rows(actions.remove))):
        if not valid.any():
            continue
        found = _prints_of(array)
        if valid.all():
            return FileKeys(np.arange(len(actions)), added, found)
        prints[valid] = found[valid]
        present |= valid
    rows = np.flatnonzero(present)
    return FileKeys(rows, added[rows], prints[rows])


def exact_keys(array: pa.StructArray, rows: npt.NDArray[np.int64]) -> list[str]:
    """The canonical keys of `rows` as text, to settle what equal fingerprints leave open."""
    taken = array.take(pa.array(rows))
    paths = taken.field("path").to_pylist()
    vectors = taken.field("deletionVector")
    if vectors.null_count == len(vectors):
        return [canonical_path(path) for path in paths]
    return [
        canonical_path(path) + _vector_suffix(vector) for path, vector in zip(paths, vectors.to_pylist(), strict=True)
    ]


def _vector_suffix(vector: dict[str, object] | None) -> str:
    if vector is None:
        return ""
    storage, place, offset = vector["storageType"], vector["pathOrInlineDv"], vector["offset"]
    # No path contains a NUL, so no path followed by an id can be mistaken for another path.
    return "\0" + deletion_vector_id(str(storage), str(place), offset if isinstance(offset, int) else None)


def _valid_rows(array: pa.StructArray) -> npt.NDArray[np.bool_]:
    if array.null_count == 0:
        return np.ones(len(array), np.bool_)
    valid: npt.NDArray[np.bool_] = array.is_valid().to_numpy(zero_copy_only=False)
    return valid


def _prints_of(array: pa.StructArray) -> Fingerprints:
    paths = array.field("path")
    prints = fingerprint(paths)
    odd = _rows_with_odd_paths(paths)
    if len(odd):
        chosen = paths.take(pa.array(odd)).to_pylist()
        prints[odd] = fingerprint(pa.array([canonical_path(path or "") for path in chosen], pa.string()))
    vectors = array.field("deletionVector")
    if vectors.null_count < len(vectors):
        rows = np.flatnonzero(_valid_rows(vectors))
        taken = vectors.take(pa.array(rows))
        offsets = pc.binary_join_element_wise("@", _text(taken, "offset"), "").fill_null("")
        parts = [_text(taken, "storageType"), _text(taken, "pathOrInlineDv"), offsets]
        ids = pc.binary_join_element_wise(*parts, "", null_handling="replace", null_replacement="")
        with np.errstate(over="ignore"):
            prints[rows] ^= fingerprint(ids) * _VECTOR_SALT
    return prints


def _text(vectors: pa.StructArray, name: str) -> pa.StringArray:
    return pc.struct_field(vectors, name).cast(pa.string())


def _rows_with_odd_paths(paths: pa.StringArray) -> npt.NDArray[np.int64]:
    """The rows whose path may be spelled otherwise than its canonical form."""
    offsets, text = string_buffers(paths)
    text = text[offsets[0] : offsets[-1]]
    if len(text) < 2:
        return np.flatnonzero(np.diff(offsets) > 0)
    slash, dot = text == ord("/"), text == ord(".")
    starts = (offsets[:-1] - offsets[0])[np.diff(offsets) > 0]
    if not (slash[starts].any() or dot[starts].any() or (text == ord(":")).any()):
        if not (slash[:-1] & (slash[1:] | dot[1:])).any():
            return starts[:0]
    odd = pc.match_substring_regex(paths, r"^/|^[A-Za-z][A-Za-z0-9+.\-]*:/|//|(^|/)\.\.?(/|$)")
    return np.flatnonzero(odd.fill_null(False).to_numpy(zero_copy_only=False))
