"""Conformance of protocol resolution: recorded questions, each with the answer delta-spark gave.

A case is `{"id", "kind", inputs..., "expect": {"ok": value} | {"error": {"class", "condition"?, ...}}}`.
Errors agree when class and condition do; the wording is each implementation's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.testing.conformance.known.resolver import NAMES_STAY, reason_to_fail
from deltaresolver.testing.conformance.recorded_cases import followed, recorded_cases
from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference
from deltaresolver.testing.conformance.resolver_answers import answer

_LONGEST_DETAIL = 500
_INTERNAL = (
    "JsonParseException",
    "JsonEOFException",
    "MismatchedInputException",
    "NullPointerException",
    "ValueInstantiationException",
)
"""Error classes that depend on how the recorded system parses JSON: only the failure itself is compared."""


def run_resolver(path: str | PathLike[str], catalog: FeatureCatalog | None = None) -> ConformanceReport:
    """Every case of a recorded file against this library, by default with the features of delta-spark.

    Raises `InvalidInputError` and `MalformedJsonError` for a file that is not one of recorded cases.
    """
    known = catalog if catalog is not None else delta_spark_catalog()
    passed, failures, differences = 0, [], []
    for place, case in enumerate(recorded_cases(path), start=1):
        with followed(path, case):
            found = difference_of(case, known)
            reason = _reason_to_differ(case, known)
        name = str(case.get("id", f"case {place}"))
        if found is None:
            passed += 1
        elif reason is not None:
            differences.append(KnownDifference(name, reason, found))
        else:
            failures.append(Failure(name, found))
    return ConformanceReport("resolver", passed, tuple(failures), tuple(differences))


def _reason_to_differ(case: Mapping[str, Any], catalog: FeatureCatalog) -> str | None:
    expected = case.get("expect")
    error = expected.get("error") if isinstance(expected, dict) else None
    if isinstance(error, dict):
        return reason_to_fail(error, case)
    protocols = (case.get("protocol"), *(case.get("others") or ()))
    if isinstance(expected, dict) and isinstance(expected.get("ok"), dict) and case.get("kind") == "algebra":
        listed = {name for one in protocols if isinstance(one, dict) for name in one.get("writerFeatures") or ()}
        return NAMES_STAY if any(catalog.find(str(name)) is None for name in listed) else None
    return None


def difference_of(case: Mapping[str, Any], catalog: FeatureCatalog) -> str | None:
    """How the library's answer differs from the recorded one, or None when they agree."""
    expected = case.get("expect")
    if not isinstance(expected, dict) or not {"ok", "error"} & expected.keys():
        return "the case has no recorded answer"
    try:
        found = answer(case, catalog)
    except DeltaResolverError as error:
        return _difference_of_error(expected, error)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is not the recorded answer
        return f"expected {_short(expected)}, but {type(error).__name__} was raised: {error}"
    if "ok" in expected and _comparable(found) == _comparable(expected["ok"]):
        return None
    return f"expected {_short(expected)}, found {_short({'ok': found})}"


def _difference_of_error(expected: Mapping[str, Any], error: DeltaResolverError) -> str | None:
    if "error" in expected:
        recorded = (expected["error"].get("class"), expected["error"].get("condition"))
        # Where several features are at fault at once, either implementation names whichever it met first.
        if recorded[0] in _INTERNAL or recorded in _names_of(error.to_json()):
            return None
    names = {"class": error.delta_class, "condition": error.delta_condition, "code": error.code}
    return f"expected {_short(expected)}, found {_short({'error': names})}: {error.message}"


def _names_of(error: Mapping[str, Any]) -> Iterator[tuple[str | None, str | None]]:
    yield error["delta_class"], error["delta_condition"]
    for other in error["details"].get("also", ()):
        yield from _names_of(other)


def _comparable(value: Any) -> Any:
    """Lists of features have no order, and a set keeps no duplicates."""
    if isinstance(value, dict):
        return {key: _comparable(item) for key, item in value.items()}
    if isinstance(value, list):
        return frozenset(str(item) for item in value)
    return value


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= _LONGEST_DETAIL else text[:_LONGEST_DETAIL] + "..."
