"""A certificate in few lines: lower protocols that fail for the same reason are named together.

Every lower protocol is covered by one objection that is true of it; which of several true ones is a matter
of brevity, and the whole certificate is in the JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from deltaresolver.resolution.certificate import Certificate, LowerProtocol
from deltaresolver.value import Value

VersionPair = tuple[int, int]


@attrs.frozen(slots=True)
class Objection(Value):
    """Why several lower protocols will not do, all for the same features."""

    pairs: tuple[VersionPair, ...]
    problem: str
    """`cannot carry` or `would also switch on`."""
    features: tuple[str, ...]

    @property
    def subject(self) -> str:
        """The protocols, as ranges of versions."""
        return pairs_in_words(self.pairs)


def condensed(certificate: Certificate) -> tuple[Objection, ...]:
    """The fewest objections that a greedy choice finds, what covers most protocols first."""
    left = [lower for lower in certificate.lower if not lower.will_do]
    objections = []
    while left:
        # Where both are true, what a protocol cannot carry is named: it weighs more than what the protocol would add.
        carrying = _largest("cannot carry", {lower: lower.cannot_carry for lower in left})
        objection = carrying or _largest("would also switch on", {lower: lower.would_add for lower in left})
        if objection is None:
            break
        objections.append(objection)
        left = [one for one in left if (one.reader_version, one.writer_version) not in objection.pairs]
    return tuple(objections)


def _largest(problem: str, features_of: Mapping[LowerProtocol, Sequence[str]]) -> Objection | None:
    pairs_of: dict[str, tuple[VersionPair, ...]] = {}
    for lower, names in features_of.items():
        for name in names:
            pairs_of[name] = (*pairs_of.get(name, ()), (lower.reader_version, lower.writer_version))
    if not pairs_of:
        return None
    pairs = max(pairs_of.values(), key=len)
    return Objection(pairs, problem, tuple(sorted(name for name, same in pairs_of.items() if same == pairs)))


def pairs_in_words(pairs: Iterable[VersionPair]) -> str:
    """`(1, 2)`, or ranges such as `reader 1-2 with writer 1-6`."""
    ordered = sorted(set(pairs))
    if len(ordered) == 1:
        return f"({ordered[0][0]}, {ordered[0][1]})"
    writers_of: dict[int, list[int]] = {}
    for reader_version, writer_version in ordered:
        writers_of.setdefault(reader_version, []).append(writer_version)
    readers_with: dict[tuple[int, ...], list[int]] = {}
    for reader_version, writers in writers_of.items():
        readers_with.setdefault(tuple(writers), []).append(reader_version)
    return "; ".join(
        f"reader {_ranges(readers)} with writer {_ranges(writers)}" for writers, readers in readers_with.items()
    )


def _ranges(numbers: Sequence[int]) -> str:
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in _runs(numbers))


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last
