"""Requests to the resolver as the laws draw them: a catalog of strangers' features or of built-in ones, and a table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import attrs
from hypothesis import strategies as st

from deltaresolver.defaults import built_in_catalog
from deltaresolver.model import Metadata, Protocol
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolution import Resolution
from deltaresolver.resolution.resolve import resolve_new_table, resolve_upgrade
from deltaresolver.testing import strategies

SMALL = 6
"""Features that an oracle which tries all subsets can take."""


@attrs.frozen
class Request:
    """One question to the resolver; `current` is None for a new table."""

    catalog: FeatureCatalog
    metadata: Metadata
    session: Mapping[str, str]
    current: Protocol | None

    def resolve(self, catalog: FeatureCatalog | None = None) -> Resolution:
        """The answer."""
        known = catalog if catalog is not None else self.catalog
        if self.current is None:
            return resolve_new_table(self.metadata, known, session=self.session)
        return resolve_upgrade(self.metadata, self.current, known)


@cache
def built_in_parts() -> st.SearchStrategy[FeatureCatalog]:
    """A few built-in features with all they require."""
    prepared = prepare(built_in_catalog())
    chosen = st.lists(st.sampled_from(sorted(prepared.names)), min_size=1, max_size=4, unique=True)
    closed = chosen.map(prepared.closure).filter(lambda names: len(names) <= SMALL)
    return closed.map(built_in_catalog().restricted_to)


@cache
def small_catalogs() -> st.SearchStrategy[FeatureCatalog]:
    """A catalog that the oracle can take."""
    return strategies.catalogs(max_features=SMALL) | built_in_parts()


@cache
def any_catalogs() -> st.SearchStrategy[FeatureCatalog]:
    """Any catalog, the whole of the built-in one included."""
    return st.just(built_in_catalog()) | strategies.catalogs() | built_in_parts()


@st.composite
def requests(
    draw: st.DrawFn,
    catalogs: st.SearchStrategy[FeatureCatalog] | None = None,
    *,
    new: bool = True,
    existing: bool = True,
    instructions: bool = True,
) -> Request:
    """A question about a new table, an existing one, or either."""
    catalog = draw(catalogs if catalogs is not None else any_catalogs())
    if existing and (not new or draw(st.booleans())):
        # Whether a table is refused is a matter of one flag; here all features may add themselves.
        catalog = FeatureCatalog(attrs.evolve(feature, upgrades_existing_table=True) for feature in catalog)
        metadata = draw(strategies.metadata(catalog, instructions=instructions))
        return Request(catalog, metadata, {}, draw(strategies.protocols(catalog)))
    metadata = draw(strategies.metadata(catalog, instructions=instructions))
    return Request(catalog, metadata, draw(strategies.sessions(catalog)) if draw(st.booleans()) else {}, None)
